"""The public names of termsift with their types, for editors and type checkers.

At run time, `__init__.py` imports a name when it is first used, and makes a function for each
scoring method. A test compares this file with the package and with the registry of methods.
"""

from typing import Any, Literal, TypeAlias, Unpack

import numpy as np
from numpy.typing import NDArray

from termsift import cli as cli
from termsift import dask as dask
from termsift import io as io
from termsift import plots as plots
from termsift import reference as reference
from termsift import report as report
from termsift import spark as spark
from termsift import text as text
from termsift import typing as typing
from termsift._api.class_counts import ClassCounts as ClassCounts
from termsift._api.counting import count as count
from termsift._api.counting import count_texts as count_texts
from termsift._api.counting import load as load
from termsift._api.counting import merge as merge
from termsift._api.describing import distinctive_terms as distinctive_terms
from termsift._api.passages import find_passages as find_passages
from termsift._api.table import counts_from_table as counts_from_table
from termsift._classify.naive_bayes import NaiveBayes as NaiveBayes
from termsift._classify.predictions import Predictions as Predictions
from termsift._core import CountOverflowError as CountOverflowError
from termsift._evaluate.certainty import Agreement as Agreement
from termsift._evaluate.certainty import Certainty as Certainty
from termsift._evaluate.comparison import Comparison as Comparison
from termsift._evaluate.comparison import compare as compare
from termsift._evaluate.curve import Curve as Curve
from termsift._evaluate.curves import Curves as Curves
from termsift._evaluate.evaluation import cross_validate as cross_validate
from termsift._evaluate.evaluation import selection_curve as selection_curve
from termsift._evaluate.rankers import Ranker as Ranker
from termsift._evaluate.rankers import method as method
from termsift._evaluate.stability import Stability as Stability
from termsift._evaluate.stability import stability as stability
from termsift._scores.class_terms import ClassTerms as ClassTerms
from termsift._scores.keyness import Keyness as Keyness
from termsift._scores.methods import Method as Method
from termsift._scores.methods import Selector as Selector
from termsift._scores.ranking import Ranking as Ranking
from termsift._scores.registry import methods as methods
from termsift._scores.registry import selectors as selectors
from termsift._scores.scoring import AggregateOptions
from termsift._scores.significance import Significance as Significance
from termsift._select import conditional_gain as conditional_gain
from termsift._select import guided_gain as guided_gain
from termsift._term_selector import TermSelector as TermSelector
from termsift._util.info import show_versions as show_versions
from termsift.io._scan import Scan as Scan
from termsift.io._scan import scan as scan
from termsift.text._passages import FoundPassages as FoundPassages
from termsift.text._passages import Passage as Passage
from termsift.text._sketch import TermSketch as TermSketch
from termsift.text._sketch import sketch_texts as sketch_texts

_Scores: TypeAlias = NDArray[np.float64]
_ScoresAndPvalues: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]

__version__: str

def md(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _Scores: ...
def md_chi2(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    noncentrality: Literal["jeffreys", "pearson"] = "jeffreys",
    **scoring: Unpack[AggregateOptions],
) -> _Scores: ...
def df(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _Scores: ...
def tfidf(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _Scores: ...
def mi(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _Scores: ...
def cet(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _Scores: ...
def ig(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _Scores: ...
def chi2(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _ScoresAndPvalues: ...
def chi2_printed(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _Scores: ...
def gss(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _Scores: ...
def odds_ratio(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _Scores: ...
def relevancy(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _Scores: ...
def ngl(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _Scores: ...
def g2(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _ScoresAndPvalues: ...
def bns(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _Scores: ...
def log_odds(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _Scores: ...
def log_ratio(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _Scores: ...
def jlh(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _Scores: ...
def chi2_counts(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _ScoresAndPvalues: ...
def g2_counts(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _ScoresAndPvalues: ...
def c_tfidf(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    variant: Literal["idf", "bm25"] = "idf",
    sqrt: bool = False,
    **scoring: Unpack[AggregateOptions],
) -> _Scores: ...
def dfs(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _Scores: ...
def efs(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _Scores: ...
def gini(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _Scores: ...
def acc2(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _Scores: ...
def ndm(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    zero: Literal["epsilon", "document"] = "epsilon",
    **scoring: Unpack[AggregateOptions],
) -> _Scores: ...
def mmr(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    zero: Literal["epsilon", "document"] = "epsilon",
    **scoring: Unpack[AggregateOptions],
) -> _Scores: ...
def wllr(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    zero: Literal["document", "epsilon"] = "document",
    **scoring: Unpack[AggregateOptions],
) -> _Scores: ...
def poisson_deviation(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _Scores: ...
def cmfs(
    X: Any, y: Any, *, sample_weight: Any = None, **scoring: Unpack[AggregateOptions]
) -> _Scores: ...
