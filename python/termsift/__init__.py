"""termsift ranks the terms of a labelled text collection by how well they tell the classes apart.

Count once, score everything::

    import termsift as ts
    counts = ts.count(X, y)                 # X: CSR of term counts, y: labels
    counts.rank("md", k=1000).indices       # the best thousand columns
"""

import importlib
import importlib.util
import sys
from typing import TYPE_CHECKING, Any

from termsift._util.waiting import threads_have_stacks, threads_wait_asleep

try:
    with threads_wait_asleep(), threads_have_stacks():
        from termsift import _core

        _core.effective_n_threads(0)  # some OpenMP runtimes read their settings only at first use
except ImportError as error:
    if error.name != "termsift._core":
        raise
    raise ImportError(
        "termsift's compiled core is missing, because the package was imported from its source "
        "folder. Run 'pip install .' in this folder, and start Python in another folder."
    ) from error

from termsift._core import CountOverflowError as CountOverflowError

if TYPE_CHECKING:
    from termsift import dask as dask
    from termsift import io as io
    from termsift import plots as plots
    from termsift import report as report
    from termsift import spark as spark
    from termsift import text as text
    from termsift._api.class_counts import ClassCounts as ClassCounts
    from termsift._api.counting import count as count
    from termsift._api.counting import count_texts as count_texts
    from termsift._api.counting import load as load
    from termsift._api.counting import merge as merge
    from termsift._api.describing import distinctive_terms as distinctive_terms
    from termsift._api.table import counts_from_table as counts_from_table
    from termsift._classify.naive_bayes import NaiveBayes as NaiveBayes
    from termsift._evaluate.curve import Curve as Curve
    from termsift._evaluate.evaluation import cross_validate as cross_validate
    from termsift._evaluate.evaluation import selection_curve as selection_curve
    from termsift._scores.keyness import Keyness as Keyness
    from termsift._scores.methods import Method as Method
    from termsift._scores.methods import Selector as Selector
    from termsift._scores.ranking import Ranking as Ranking
    from termsift._scores.registry import methods as methods
    from termsift._scores.registry import selectors as selectors
    from termsift._scores.significance import Significance as Significance
    from termsift._select import conditional_gain as conditional_gain
    from termsift._select import guided_gain as guided_gain
    from termsift._term_selector import TermSelector as TermSelector
    from termsift._util.info import show_versions as show_versions
    from termsift.io._scan import Scan as Scan
    from termsift.io._scan import scan as scan
    from termsift.text._passages import Passage as Passage
    from termsift.text._passages import find_passages as find_passages
    from termsift.text._sketch import TermSketch as TermSketch
    from termsift.text._sketch import sketch_texts as sketch_texts

__version__ = _core.__version__

# `_HOMES` maps each module to the public names that it defines. To keep the start of the command
# line fast, a module is imported only when one of its names is first used.
_HOMES = {
    "_classify.naive_bayes": ("NaiveBayes",),
    "_api.class_counts": ("ClassCounts",),
    "_api.counting": ("count", "count_texts", "load", "merge"),
    "_api.describing": ("distinctive_terms",),
    "_api.table": ("counts_from_table",),
    "text._passages": ("Passage", "find_passages"),
    "_evaluate.curve": ("Curve",),
    "_evaluate.evaluation": ("cross_validate", "selection_curve"),
    "_scores.keyness": ("Keyness",),
    "_scores.methods": ("Method", "Selector"),
    "_scores.ranking": ("Ranking",),
    "_scores.registry": ("methods", "selectors"),
    "_scores.significance": ("Significance",),
    "_select": ("conditional_gain", "guided_gain"),
    "_term_selector": ("TermSelector",),
    "_util.info": ("show_versions",),
    "io._scan": ("Scan", "scan"),
    "text._sketch": ("TermSketch", "sketch_texts"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = ("cli", "dask", "io", "plots", "reference", "report", "spark", "text")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"termsift.{name}")
    if name in _HOME_OF:
        value = getattr(importlib.import_module(f"termsift.{_HOME_OF[name]}"), name)
    elif name == "__all__":
        # TermSelector imports scikit-learn, which is slow and optional, so __all__ leaves it out.
        names = {*_HOME_OF, *_score_functions(), "CountOverflowError", "__version__"}
        value = sorted(names - {"TermSelector"})
    elif name.startswith("_") or name not in _score_functions():
        raise AttributeError(f"module 'termsift' has no attribute {name!r}")
    else:
        value = _score_functions()[name]
    globals()[name] = value
    return value


def _score_functions() -> dict[str, Any]:
    """Return a dict from the name of each scoring method to its function, such as ts.md."""
    from termsift._api.score_functions import SCORE_FUNCTIONS

    return SCORE_FUNCTIONS


def __dir__() -> list[str]:
    # Tab completion looks up every name in dir(), so each name must be quick to import.
    has_selector = importlib.util.find_spec("sklearn") is not None
    loaded = [name for name in _MODULES if f"termsift.{name}" in sys.modules]
    names: list[str] = __getattr__("__all__")
    return sorted({*names, *(["TermSelector"] if has_selector else []), *loaded})
