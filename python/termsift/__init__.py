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

from termsift import reference
from termsift._core import CountOverflowError
from termsift._info import show_versions
from termsift.choosing import conditional_gain
from termsift.counting import count
from termsift.counts import ClassCounts, divergence, load
from termsift.csr_folder import save_csr
from termsift.curve import Curve
from termsift.evaluation import choose_k, cross_validate, selection_curve
from termsift.merging import merge
from termsift.methods import Method, Selector, methods, selectors
from termsift.ranking import Ranking
from termsift.scanning import Scan, scan
from termsift.score_functions import (
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
from termsift.significance import Significance

if TYPE_CHECKING:
    from termsift import dask as dask
    from termsift import spark as spark
    from termsift.selector import TermSelector as TermSelector

__version__ = _core.__version__

_CLUSTERS = ("dask", "spark")  # modules that are imported when they are first asked for

__all__ = [
    "ClassCounts",
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
    "divergence",
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
    "reference",
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
        from termsift.selector import TermSelector

        return TermSelector
    if name in _CLUSTERS:  # nor Dask, nor Spark
        return importlib.import_module(f"termsift.{name}")
    raise AttributeError(f"module 'termsift' has no attribute {name!r}")


def __dir__() -> list[str]:
    # What completes names asks for each of them: none may be missing, or take long to import.
    has_selector = importlib.util.find_spec("sklearn") is not None
    loaded = [name for name in _CLUSTERS if f"termsift.{name}" in sys.modules]
    return sorted({*__all__, *(["TermSelector"] if has_selector else []), *loaded})
