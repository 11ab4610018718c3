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

from termsift._util.waiting import threads_wait_asleep

try:
    with threads_wait_asleep():
        from termsift import _core

        _core.effective_n_threads(0)  # some runtimes start, and read their settings, only now
except ImportError as error:
    if error.name != "termsift._core":
        raise
    raise ImportError(
        "termsift's compiled core is missing: the package is not installed but imported from its "
        "sources. Run 'pip install .' in its folder and start Python elsewhere."
    ) from error

from termsift._api.class_counts import ClassCounts, load
from termsift._api.counting import count
from termsift._api.merging import merge
from termsift._api.passages import Passage, find_passages
from termsift._api.score_functions import SCORE_FUNCTIONS
from termsift._api.text_counting import count_texts
from termsift._core import CountOverflowError
from termsift._evaluate.curve import Curve
from termsift._evaluate.evaluation import choose_k, cross_validate, selection_curve
from termsift._scores.class_terms import ClassTerms, distinctive_terms, dominant_class
from termsift._scores.dispersion import Dispersion, dispersion
from termsift._scores.keyness import Keyness
from termsift._scores.methods import Method, Selector
from termsift._scores.ranking import Ranking
from termsift._scores.registry import methods, selectors
from termsift._scores.significance import Significance
from termsift._select.conditional_gain import conditional_gain
from termsift._select.greedy import divergence
from termsift._select.guided_gain import guided_gain
from termsift._util.info import show_versions
from termsift.io._scan import Scan, scan

if TYPE_CHECKING:
    from termsift import cli as cli
    from termsift import dask as dask
    from termsift import io as io
    from termsift import plots as plots
    from termsift import reference as reference
    from termsift import report as report
    from termsift import spark as spark
    from termsift import text as text
    from termsift._term_selector import TermSelector as TermSelector

__version__ = _core.__version__

globals().update(SCORE_FUNCTIONS)  # ts.md and so on, one for each method of the registry

# These modules are imported at first use, since some need an extra and some take a while.
_MODULES = ("cli", "dask", "io", "plots", "reference", "report", "spark", "text")

__all__ = [
    *SCORE_FUNCTIONS,
    "ClassCounts",
    "ClassTerms",
    "CountOverflowError",
    "Curve",
    "Dispersion",
    "Keyness",
    "Method",
    "Passage",
    "Ranking",
    "Scan",
    "Selector",
    "Significance",
    "__version__",
    "choose_k",
    "conditional_gain",
    "guided_gain",
    "count",
    "count_texts",
    "cross_validate",
    "distinctive_terms",
    "dispersion",
    "divergence",
    "find_passages",
    "dominant_class",
    "load",
    "merge",
    "methods",
    "scan",
    "selection_curve",
    "selectors",
    "show_versions",
]


def __getattr__(name: str) -> Any:
    # scikit-learn is optional and takes a second to import, so TermSelector is not in __all__.
    if name == "TermSelector":
        from termsift._term_selector import TermSelector

        return TermSelector
    if name in _MODULES:
        return importlib.import_module(f"termsift.{name}")
    raise AttributeError(f"module 'termsift' has no attribute {name!r}")


def __dir__() -> list[str]:
    # Completion looks up each of these names, so none may be absent or take long to import.
    has_selector = importlib.util.find_spec("sklearn") is not None
    loaded = [name for name in _MODULES if f"termsift.{name}" in sys.modules]
    return sorted({*__all__, *(["TermSelector"] if has_selector else []), *loaded})
