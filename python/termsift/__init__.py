"""termsift ranks the terms of a labelled text collection by how well they tell the classes apart.

Count once, score everything::

    import termsift as ts
    counts = ts.count(X, y)                 # X: CSR of term counts, y: labels
    counts.rank("md", k=1000).indices       # the best thousand columns
"""

import importlib
import importlib.util
import sys
from typing import Any

from termsift._util.waiting import threads_have_stacks, threads_wait_asleep

try:
    with threads_wait_asleep(), threads_have_stacks():
        import termsift._core as _core  # without `from`, whose error would name the package

        _core.effective_n_threads(0)  # some OpenMP runtimes read their settings only at first use
except ImportError as error:
    if error.name != "termsift._core":
        raise
    raise ImportError(
        "termsift's compiled core is missing, because the package was imported from its source "
        "folder. Run 'pip install .' in this folder, and start Python in another folder."
    ) from error

from termsift._core import CountOverflowError as CountOverflowError

__version__ = _core.__version__

# `_HOMES` maps each module to the public names that it defines. To keep the start of the command
# line fast, a module is imported only when one of its names is first used.
_HOMES = {
    "_classify.naive_bayes": ("NaiveBayes",),
    "_classify.predictions": ("Predictions",),
    "_api.class_counts": ("ClassCounts",),
    "_api.counting": ("count", "count_texts", "load", "merge"),
    "_api.describing": ("distinctive_terms",),
    "_api.passages": ("find_passages",),
    "_api.table": ("counts_from_table",),
    "text._passages": ("FoundPassages", "Passage"),
    "_evaluate.certainty": ("Agreement", "Certainty"),
    "_evaluate.comparison": ("Comparison", "compare"),
    "_evaluate.curve": ("Curve",),
    "_evaluate.curves": ("Curves",),
    "_evaluate.evaluation": ("cross_validate", "selection_curve"),
    "_evaluate.rankers": ("Ranker", "method"),
    "_evaluate.stability": ("Stability", "stability"),
    "_scores.class_terms": ("ClassTerms",),
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
_MODULES = ("io", "plots", "reference", "report", "text", "typing")
_OTHER_MODULES = ("cli", "dask", "spark")  # slow to import, or not for use in Python


def __getattr__(name: str) -> Any:
    if name in _MODULES or name in _OTHER_MODULES:
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
    loaded = [name for name in _OTHER_MODULES if f"termsift.{name}" in sys.modules]
    names: list[str] = __getattr__("__all__")
    return sorted({*names, *(["TermSelector"] if has_selector else []), *_MODULES, *loaded})
