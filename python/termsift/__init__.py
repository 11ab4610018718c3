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

try:
    from termsift import _core
except ImportError as error:
    if error.name != "termsift._core":
        raise
    raise ImportError(
        "termsift's compiled core is missing: the package is not installed but imported from its "
        "sources. Run 'pip install .' in its folder and start Python elsewhere."
    ) from error

from termsift._api.class_counts import ClassCounts, divergence, load
from termsift._api.counting import count
from termsift._api.merging import merge
from termsift._api.score_functions import (
    bns,
    cet,
    chi2,
    chi2_counts,
    chi2_printed,
    df,
    g2,
    gss,
    ig,
    jlh,
    log_odds,
    md,
    md_chi2,
    mi,
    ngl,
    odds_ratio,
    relevancy,
    tfidf,
)
from termsift._core import CountOverflowError
from termsift._evaluate.curve import Curve
from termsift._evaluate.evaluation import choose_k, cross_validate, selection_curve
from termsift._scores.class_terms import ClassTerms, distinctive_terms, dominant_class
from termsift._scores.ranking import Ranking
from termsift._scores.registry import Method, Selector, methods, selectors
from termsift._scores.significance import Significance
from termsift._select.conditional_gain import conditional_gain
from termsift._util.info import show_versions
from termsift.io._csr_folder import save_csr
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

# Modules that are imported when they are first used: some need an extra, and some take a while.
_MODULES = ("cli", "dask", "io", "plots", "reference", "report", "spark", "text")

__all__ = [
    "ClassCounts",
    "ClassTerms",
    "CountOverflowError",
    "Curve",
    "Method",
    "Ranking",
    "Scan",
    "Selector",
    "Significance",
    "__version__",
    "bns",
    "cet",
    "chi2",
    "chi2_counts",
    "chi2_printed",
    "choose_k",
    "conditional_gain",
    "count",
    "cross_validate",
    "df",
    "distinctive_terms",
    "divergence",
    "dominant_class",
    "g2",
    "gss",
    "ig",
    "jlh",
    "load",
    "log_odds",
    "md",
    "md_chi2",
    "merge",
    "methods",
    "mi",
    "ngl",
    "odds_ratio",
    "relevancy",
    "save_csr",
    "scan",
    "selection_curve",
    "selectors",
    "show_versions",
    "tfidf",
]


def __getattr__(name: str) -> Any:
    # scikit-learn takes a second to import, and not everybody has it: hence not in __all__ either.
    if name == "TermSelector":
        from termsift._term_selector import TermSelector

        return TermSelector
    if name in _MODULES:
        return importlib.import_module(f"termsift.{name}")
    raise AttributeError(f"module 'termsift' has no attribute {name!r}")


def __dir__() -> list[str]:
    # What completes names asks for each of them: none may be missing, or take long to import.
    has_selector = importlib.util.find_spec("sklearn") is not None
    loaded = [name for name in _MODULES if f"termsift.{name}" in sys.modules]
    return sorted({*__all__, *(["TermSelector"] if has_selector else []), *loaded})
