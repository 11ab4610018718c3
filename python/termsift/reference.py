r"""The scores in plain Python, written from the equations: the specification of termsift.

Nothing here is fast and nothing here is shared with the compiled path. Read this module to learn
what a number means; compare with it to learn whether a faster number is right.

Symbols, after Tang, Kay and He, "Toward Optimal Feature Selection in Naive Bayes for Text
Categorization", IEEE TKDE 28(9), 2016. N classes c and k, M terms i:

=========  =======================================================================================
``l_ic``   occurrences of term i in class c (term frequency)
``l_c``    occurrences of all terms in class c, sum_i l_ic
``d_ic``   documents of class c that contain term i (document frequency)
``n_c``    documents of class c
``b1, b2`` smoothing; Laplace's, the default, is b1 = 1 and b2 = M
``p_ic``   (l_ic + b1) / (l_c + b2), the probability of term i in class c
``pi_c``   prior of class c; n_c / sum_k n_k unless given
``q_ic``   sum_{k != c} pi_k p_ik / (1 - pi_c), its probability outside class c
=========  =======================================================================================

Logarithms are natural, 0 log 0 = 0, x log(x/0) = inf for x > 0, and 0/0 = 0.

Notes
-----
Counts of integers are exact. Scores are the formulas as they stand, in float64, and a formula that
subtracts nearly equal numbers loses what they have in common: `md` is off by some 1e-16 for each
class, whatever its size. That is 1e-12 to 1e-10 of an ordinary score, and all of it for a term that
barely tells the classes apart: its score may even come out below 0. `md_chi2` is off by about
1e-16 |p + q| / |p - q|, relative to itself. `greedy` and its divergences, where rounding would
decide between equals, have exact probabilities and logarithms of sixty digits.

Examples
--------
>>> from termsift import reference
>>> X = [[2, 0, 1], [1, 0, 0], [0, 3, 1]]
>>> y = ["sport", "sport", "trade"]
>>> counts = reference.count(X, y)
>>> counts.term_frequency
array([[3, 0, 1],
       [0, 3, 1]])
>>> reference.score(counts).round(4)
array([0.8912, 0.8912, 0.    ])
>>> reference.rank(reference.score(counts), k=2)
array([0, 1])
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = [
    "ReferenceCounts",
    "class_scores",
    "count",
    "divergence",
    "greedy",
    "md",
    "md_chi2",
    "rank",
    "same_first_term",
    "score",
]

Number: TypeAlias = int | float
Alpha: TypeAlias = float | tuple[float, float]
ClassPrior: TypeAlias = Literal["empirical", "uniform"] | Sequence[float] | npt.NDArray[Any] | None
Document: TypeAlias = list[tuple[int, Number]]


@dataclass(frozen=True)
class ReferenceCounts:
    """What a collection amounts to once it is counted: class by class, term by term.

    The arrays are int64 where every value and weight is an integer, float64 otherwise.

    Attributes
    ----------
    classes : list
        The labels, in the order of the rows below.
    class_docs : ndarray of shape (N,)
        n_c.
    class_tokens : ndarray of shape (N,)
        l_c, the row sums of `term_frequency` taken in term order.
    term_frequency : ndarray of shape (N, M)
        l_ic.
    document_frequency : ndarray of shape (N, M)
        d_ic.
    n_docs : int or float
        All documents, each counted once however many classes it has, even none.
    """

    classes: list[Hashable]
    class_docs: npt.NDArray[Any]
    class_tokens: npt.NDArray[Any]
    term_frequency: npt.NDArray[Any]
    document_frequency: npt.NDArray[Any]
    n_docs: Number


class SupportsScoring(Protocol):
    """Counts of any make: what the scores read, as dense or sparse arrays."""

    @property
    def class_docs(self) -> Any:
        """Documents of each class, n_c."""

    @property
    def term_frequency(self) -> Any:
        """Occurrences of each term in each class, l_ic."""


# ------------------------------------------------------------------------------------- counting


def count(
    X: Any, y: Any, sample_weight: Any = None, classes: Iterable[Hashable] | None = None
) -> ReferenceCounts:
    """Count terms and documents, class by class, one document after the other.

    Parameters
    ----------
    X : sparse or dense array of shape (n_docs, n_terms)
        Occurrences of each term in each document, none negative. Duplicate entries of a sparse
        matrix are summed; explicit zeros count nowhere.
    y : sequence of n_docs labels, or array or sparse matrix of shape (n_docs, N)
        One hashable label for each document, or an indicator of zeros and ones by which a document
        counts in each of its classes.
    sample_weight : sequence of n_docs numbers, optional
        A document of weight w counts as w documents; of weight 0, nowhere.
    classes : sequence of labels, optional
        The classes, in the order wanted. By default the labels of `y`, sorted if they can be
        sorted, else by kind and text; for an indicator 0, ..., N - 1.

    Returns
    -------
    ReferenceCounts
        Exact int64 counts where the values of `X` and the weights are of integer (or boolean)
        type. Otherwise float64: each cell is the sum of value times weight, in document order.

    Raises
    ------
    ValueError
        Lengths differ, a value or weight is negative or not finite, a label is NaN or not among
        `classes`, an indicator holds something other than 0 and 1.
    OverflowError
        A count exceeds its type.

    Examples
    --------
    >>> counts = count([[1, 2], [0, 4], [3, 0]], ["b", "a", "b"], sample_weight=[1, 1, 2])
    >>> counts.classes, counts.class_docs, counts.n_docs
    (['a', 'b'], array([1, 3]), 4)
    >>> counts.term_frequency
    array([[0, 4],
           [7, 2]])
    >>> counts.document_frequency
    array([[0, 1],
           [3, 1]])
    """
    documents, n_terms, integer_values = _documents(X)
    labels, memberships = _memberships(y, classes)
    weights, integer_weights = _weights(sample_weight, len(documents))
    if len(memberships) != len(documents):
        raise ValueError(f"X has {len(documents)} documents, y has {len(memberships)}")

    exact = integer_values and integer_weights
    number: Callable[[Number], Number] = int if exact else float
    n_docs = number(0)
    n_c = [number(0) for _ in labels]
    l_ic = [[number(0)] * n_terms for _ in labels]
    d_ic = [[number(0)] * n_terms for _ in labels]
    for document, members, weight in zip(documents, memberships, weights, strict=True):
        w = number(weight)
        n_docs += w
        for c in members:
            n_c[c] += w
            # A product that vanishes, of numbers as small as 1e-200, counts nowhere, like a zero.
            occurrences = [(i, number(value) * w) for i, value in document]
            for i, occurrence in occurrences:
                l_ic[c][i] += occurrence
            for i in {i for i, occurrence in occurrences if occurrence}:
                d_ic[c][i] += w

    dtype = np.int64 if exact else np.float64
    return ReferenceCounts(
        classes=labels,
        class_docs=_array(n_c, dtype, (len(labels),)),
        class_tokens=_array([_total(row) for row in l_ic], dtype, (len(labels),)),
        term_frequency=_array(l_ic, dtype, (len(labels), n_terms)),
        document_frequency=_array(d_ic, dtype, (len(labels), n_terms)),
        n_docs=_array(n_docs, dtype, ()).item(),
    )


def _documents(X: Any) -> tuple[list[Document], int, bool]:
    """Return the nonzero entries of each document as stored, M, and whether they are integers."""
    entries: Iterable[tuple[int, int, Number]]
    if hasattr(X, "tocoo"):
        # Every sparse format comes as triplets, each duplicate its own, rows in their stored order.
        triplets = X.tocoo()
        n_docs, n_terms = X.shape
        values = triplets.data
        entries = zip(triplets.row.tolist(), triplets.col.tolist(), values.tolist(), strict=True)
    else:
        values = np.asarray(X)
        if values.ndim != 2:
            raise ValueError(f"X must have 2 dimensions, not {values.ndim}")
        n_docs, n_terms = values.shape
        entries = ((d, i, x) for d, row in enumerate(values.tolist()) for i, x in enumerate(row))

    documents: list[Document] = [[] for _ in range(n_docs)]
    for d, i, value in entries:
        if not 0 <= value < math.inf:
            raise ValueError(f"X[{d}, {i}] is {value}, not a finite nonnegative number")
        if value != 0:
            documents[d].append((i, value))
    return documents, n_terms, _holds_integers(values)


def _memberships(
    y: Any, classes: Iterable[Hashable] | None
) -> tuple[list[Hashable], list[list[int]]]:
    """Return the classes and, for each document, the positions of its own among them."""
    given: list[Any] | None = None if classes is None else list(classes)
    if given is not None and len(set(given)) != len(given):
        raise ValueError("classes names a label twice")

    # A list of tuples is a list of labels, though numpy would take it for a table.
    if hasattr(y, "toarray") or getattr(y, "ndim", 1) == 2:
        indicator = y.toarray() if hasattr(y, "toarray") else np.asarray(y)
        n_classes = indicator.shape[1]
        if given is not None and len(given) != n_classes:
            raise ValueError(f"y has {n_classes} columns, classes has {len(given)} labels")
        rows = indicator.tolist()
        for d, row in enumerate(rows):
            for c, value in enumerate(row):
                if value not in (0, 1):
                    raise ValueError(f"y[{d}, {c}] is {value}, neither 0 nor 1")
        members = [[c for c, value in enumerate(row) if value] for row in rows]
        return list(range(n_classes)) if given is None else given, members

    labels: list[Any] = y.tolist() if hasattr(y, "tolist") else list(y)
    if given is None:
        given = list(dict.fromkeys(labels))
        try:
            given = sorted(given)
        except TypeError:  # no order among them: by kind and text
            given = sorted(given, key=lambda label: (type(label).__name__, repr(label)))
    position = {label: c for c, label in enumerate(given)}
    for d, label in enumerate(labels):
        if label != label:
            raise ValueError(f"y[{d}] is {label}, which equals no label, not even itself")
        if label not in position:
            raise ValueError(f"y[{d}] is {label!r}, which is not among classes")
    return given, [[position[label]] for label in labels]


def _weights(sample_weight: Any, n_docs: int) -> tuple[list[Number], bool]:
    """Return the weight of each document and whether they are integers."""
    if sample_weight is None:
        return [1] * n_docs, True
    weights = np.asarray(sample_weight)
    if weights.shape != (n_docs,):
        raise ValueError(f"sample_weight has shape {weights.shape}, X has {n_docs} documents")
    for d, weight in enumerate(weights.tolist()):
        if not 0 <= weight < math.inf:
            raise ValueError(f"sample_weight[{d}] is {weight}, not a finite nonnegative number")
    return weights.tolist(), _holds_integers(weights)


def _holds_integers(values: npt.NDArray[Any]) -> bool:
    return values.dtype.kind in "bui"


def _total(values: Iterable[Number]) -> Number:
    """Add left to right; `sum` compensates floats from Python 3.12 on and not before."""
    total: Number = 0
    for value in values:
        total += value
    return total


def _array(values: Any, dtype: type[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Return an array of counts; numpy itself refuses integers beyond int64."""
    array = np.array(values, dtype=dtype).reshape(shape)
    if not np.isfinite(array).all():
        raise OverflowError("a count exceeds the largest float64")
    return array


# -------------------------------------------------------------------------------------- scoring


@dataclass(frozen=True)
class _Table:
    """The counts a method sees, with everything that its formula may name."""

    l_ic: list[list[Number]]  # indexed [c][i], as are all counts
    l_c: list[Number]
    pi_c: list[float]
    present: list[int]  # the classes with documents; the others take no part
    b1: float
    b2: float
    noncentrality: str

    def p(self, i: int, c: int) -> float:
        """Probability of term i in class c; 0/0 for a class without tokens or smoothing is 0."""
        if self.l_c[c] + self.b2 == 0:
            return 0.0
        return (self.l_ic[c][i] + self.b1) / (self.l_c[c] + self.b2)

    def q(self, i: int, c: int) -> float:
        """Probability of term i outside class c: the mixture of the other classes."""
        mixture = weight = 0.0
        for k in self.present:
            if k != c:
                mixture += self.pi_c[k] * self.p(i, k)
                weight += self.pi_c[k]  # ends as 1 - pi_c, and is 0 only if that is
        return mixture / weight


def _md(table: _Table, i: int, c: int) -> float:
    """KL divergence of two Bernoulli variables: term i in class c, and outside it."""
    p, q = table.p(i, c), table.q(i, c)
    return _x_log_x_over_y(p, q) + _x_log_x_over_y(1 - p, 1 - q)


def _md_chi2(table: _Table, i: int, c: int) -> float:
    """Noncentrality of the chi-squared test of term i in class c against outside it."""
    p, q = table.p(i, c), table.q(i, c)
    pearson = _squared_gap_over_variance(p, q)
    if table.noncentrality == "pearson":
        return pearson
    neyman = _squared_gap_over_variance(q, p)
    return (pearson + neyman) / 2


def _x_log_x_over_y(x: float, y: float) -> float:
    if x == 0:
        return 0.0
    if y == 0:
        return math.inf
    return x * math.log(x / y)


def _squared_gap_over_variance(p: float, q: float) -> float:
    """Return (p - q)^2 / (q (1 - q))."""
    if p == q:
        return 0.0
    if q in (0, 1):
        return math.inf
    return (p - q) ** 2 / (q * (1 - q))


# A method is one function of (table, i, c): the value of term i for class c.
_METHODS: dict[str, Callable[[_Table, int, int], float]] = {
    "md": _md,
    "md_chi2": _md_chi2,
}


def class_scores(
    counts: SupportsScoring,
    method: str = "md",
    *,
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = None,
    noncentrality: str = "jeffreys",
) -> npt.NDArray[np.float64]:
    r"""Score every term for every class.

    Parameters
    ----------
    counts : ReferenceCounts or the like
        Anything with `class_docs` and `term_frequency`, the latter dense or sparse.
    method : {"md", "md_chi2"}
        The score, see Notes.
    alpha : float or pair of floats, default 1
        Smoothing: b1 = alpha and b2 = alpha * M; or (b1, b2) themselves, 0 <= b1 <= b2.
    class_prior : None, "empirical", "uniform" or sequence of N nonnegative numbers
        pi_c: by default n_c / sum_k n_k; numbers are scaled to sum to 1. Classes without documents
        take no part: their scores are 0 and the other priors are scaled up. At least two of these
        must be positive, lest a class be compared with nothing.
    noncentrality : {"jeffreys", "pearson"}
        Which noncentrality `md_chi2` takes, see Notes.

    Returns
    -------
    ndarray of shape (N, M)
        Scores in float64; infinite for p_ic > 0 = q_ic and the like, never NaN.

    Notes
    -----
    With p = p_ic and q = q_ic,

    ``md`` is the term's share in the Jeffreys-Multi-Hypothesis divergence (Algorithms 2 and 3 of
    Tang, Kay and He)::

        p log(p / q) + (1 - p) log((1 - p) / (1 - q))

    ``md_chi2`` is the noncentrality parameter of its asymptotic distribution (their eq. 20 and
    Section 4.4), which leaves open whether the multi-class score means all of it or its first half
    alone. All of it selects better and is the default::

        nu_J    = 1/2 [(p - q)^2 / (q (1 - q)) + (p - q)^2 / (p (1 - p))]     "jeffreys"
        Pearson =      (p - q)^2 / (q (1 - q))                                "pearson"

    Examples
    --------
    Without smoothing, what never occurs outside a class tells it apart without bound. Here that
    is term 0, and in place of term 1 every other term:

    >>> counts = count([[1, 1], [0, 2]], [0, 1])
    >>> class_scores(counts, "md", alpha=0)
    array([[       inf,        inf],
           [0.69314718, 0.69314718]])
    """
    return _class_scores(_table(counts, alpha, class_prior, noncentrality), method)


def _class_scores(table: _Table, method: str) -> npt.NDArray[np.float64]:
    if method not in _METHODS:
        raise ValueError(f"unknown method {method!r}; there are {', '.join(_METHODS)}")
    value = _METHODS[method]
    n_terms = len(table.l_ic[0])
    scores = np.zeros((len(table.l_ic), n_terms))
    for c in table.present:
        for i in range(n_terms):
            scores[c, i] = value(table, i, c)
    return scores


def score(
    counts: SupportsScoring,
    method: str = "md",
    *,
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = None,
    aggregate: str = "sum",
    noncentrality: str = "jeffreys",
) -> npt.NDArray[np.float64]:
    """Score every term: its values for the classes, in one number.

    Parameters
    ----------
    counts, method, alpha, class_prior, noncentrality
        As for `class_scores`.
    aggregate : {"sum", "mean", "max"}
        Sum over classes; mean, weighted by pi_c; or the largest value. Classes without documents
        take no part.

    Returns
    -------
    ndarray of shape (M,)
        Scores in float64.

    Examples
    --------
    >>> counts = count([[1, 1], [0, 2]], [0, 1])
    >>> score(counts, "md_chi2").round(4)
    array([0.5833, 0.5833])
    >>> score(counts, "md_chi2", aggregate="mean").round(4)
    array([0.2917, 0.2917])
    """
    if aggregate not in ("sum", "mean", "max"):
        raise ValueError(f"unknown aggregate {aggregate!r}; there are sum, mean, max")
    table = _table(counts, alpha, class_prior, noncentrality)
    by_class = _class_scores(table, method).tolist()
    scores = np.zeros(len(table.l_ic[0]))
    for i in range(len(scores)):
        values = [by_class[c][i] for c in table.present]
        priors = [table.pi_c[c] for c in table.present]
        if aggregate == "sum":
            scores[i] = _total(values)
        elif aggregate == "mean":
            # A prior of 0 silences even an infinite value.
            scores[i] = _total(pi * x for pi, x in zip(priors, values, strict=True) if pi > 0)
        else:
            scores[i] = max(values)
    return scores


def _table(
    counts: SupportsScoring, alpha: Alpha, class_prior: ClassPrior, noncentrality: str
) -> _Table:
    """Gather what the formulas need, in Python's own numbers."""
    if noncentrality not in ("jeffreys", "pearson"):
        raise ValueError(f"unknown noncentrality {noncentrality!r}; there are jeffreys, pearson")
    frequency = counts.term_frequency
    if hasattr(frequency, "toarray"):
        frequency = frequency.toarray()
    l_ic = np.asarray(frequency).tolist()
    n_c = np.asarray(counts.class_docs).tolist()
    present = [c for c in range(len(n_c)) if n_c[c] > 0]
    if len(present) < 2:
        raise ValueError(f"{len(present)} classes have documents; a score compares two or more")
    b1, b2 = _smoothing(alpha, n_terms=len(l_ic[0]))
    return _Table(
        l_ic=l_ic,
        l_c=[_total(row) for row in l_ic],
        pi_c=_priors(class_prior, n_c, present),
        present=present,
        b1=b1,
        b2=b2,
        noncentrality=noncentrality,
    )


def _smoothing(alpha: Any, n_terms: int) -> tuple[float, float]:
    if np.ndim(alpha) == 0:
        b1 = float(alpha)
        b2 = b1 * n_terms
    else:
        b1, b2 = (float(b) for b in alpha)
        if b1 > b2:  # p_ic could exceed 1
            raise ValueError(f"alpha = (b1, b2) needs b1 <= b2, not ({b1}, {b2})")
    if not (0 <= b1 < math.inf and 0 <= b2 < math.inf):
        raise ValueError(f"alpha must be finite and nonnegative, not {alpha}")
    return b1, b2


def _priors(class_prior: ClassPrior, n_c: list[Number], present: list[int]) -> list[float]:
    """Return pi_c: 0 for the classes without documents, summing to 1 over the others."""
    weights = _prior_weights(class_prior, n_c, present)
    total = _total(weights[c] for c in present)
    return [weights[c] / total if n_c[c] > 0 else 0.0 for c in range(len(n_c))]


def _prior_weights(
    class_prior: ClassPrior, n_c: list[Number], present: list[int]
) -> Sequence[Number]:
    """Return what the priors are proportional to, for the classes with documents."""
    weights: list[Number]
    if class_prior is None or (isinstance(class_prior, str) and class_prior == "empirical"):
        weights = n_c
    elif isinstance(class_prior, str):
        if class_prior != "uniform":
            raise ValueError(
                f"class_prior is {class_prior!r}, not 'empirical', 'uniform' or numbers"
            )
        weights = [1] * len(n_c)
    else:
        weights = np.asarray(class_prior).tolist()
        if len(weights) != len(n_c):
            raise ValueError(f"class_prior has {len(weights)} numbers for {len(n_c)} classes")
        for c, weight in enumerate(weights):
            if not 0 <= weight < math.inf:
                raise ValueError(f"class_prior[{c}] is {weight}, not a finite nonnegative number")
    if sum(weights[c] > 0 for c in present) < 2:
        raise ValueError("class_prior must be positive for two classes with documents or more")
    return weights


def rank(scores: npt.ArrayLike, k: int | None = None) -> npt.NDArray[np.int64]:
    """Rank terms by score, descending; of equal ones the lowest index comes first.

    Parameters
    ----------
    scores : array of shape (M,)
        One score for each term.
    k : int, optional
        How many terms to return; all of them by default, or if there are fewer.

    Returns
    -------
    ndarray of shape (min(k, M),)
        Indices of terms in int64, best first.

    Examples
    --------
    >>> rank([0.5, 2.0, 0.5, 3.0])
    array([3, 1, 0, 2])
    """
    if k is not None and k < 0:
        raise ValueError(f"k must not be negative, not {k}")
    values = np.asarray(scores, dtype=np.float64).tolist()
    order = sorted(range(len(values)), key=lambda i: (-values[i], i))
    return np.array(order[:k], dtype=np.int64)


def md(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    classes: Iterable[Hashable] | None = None,
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = None,
    aggregate: str = "sum",
) -> npt.NDArray[np.float64]:
    """Count, then score by maximum discrimination: see `count` and `score`.

    Parameters
    ----------
    X, y, sample_weight, classes
        As for `count`.
    alpha, class_prior, aggregate
        As for `score`.

    Returns
    -------
    ndarray of shape (M,)
        Scores in float64.

    Examples
    --------
    >>> md([[3, 0, 1], [0, 3, 1]], ["sport", "trade"]).round(4)
    array([0.8912, 0.8912, 0.    ])
    """
    counts = count(X, y, sample_weight, classes)
    return score(counts, "md", alpha=alpha, class_prior=class_prior, aggregate=aggregate)


def md_chi2(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    classes: Iterable[Hashable] | None = None,
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = None,
    aggregate: str = "sum",
    noncentrality: str = "jeffreys",
) -> npt.NDArray[np.float64]:
    """Count, then score by the chi-squared noncentrality of `md`: see `count` and `score`.

    Parameters
    ----------
    X, y, sample_weight, classes
        As for `count`.
    alpha, class_prior, aggregate, noncentrality
        As for `score`.

    Returns
    -------
    ndarray of shape (M,)
        Scores in float64.

    Examples
    --------
    >>> md_chi2([[3, 0, 1], [0, 3, 1]], ["sport", "trade"]).round(4)
    array([2.25, 2.25, 0.  ])
    """
    counts = count(X, y, sample_weight, classes)
    return score(
        counts,
        "md_chi2",
        alpha=alpha,
        class_prior=class_prior,
        aggregate=aggregate,
        noncentrality=noncentrality,
    )


# ---------------------------------------------------------------------------------- Algorithm 1

_DIGITS = 60  # of a logarithm; a probability is an exact fraction
_TIE = Decimal(10) ** -40  # divergences this close, relatively, are equal but for their last digits

Variable: TypeAlias = list[Fraction]  # its probability in each class that has documents


def divergence(
    counts: SupportsScoring,
    indices: Iterable[int],
    *,
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = None,
) -> float:
    """Tell how well some terms together tell the classes apart, all others being one: their pool.

    Parameters
    ----------
    counts, alpha, class_prior
        As for `greedy`.
    indices : iterable of int
        The terms, each once, in any order.

    Returns
    -------
    float
        In nats: the J-divergence of two classes, the JMH divergence of more.

    Examples
    --------
    >>> counts = count([[3, 0, 1], [0, 3, 1]], ["sport", "trade"])
    >>> round(divergence(counts, [0]), 4)
    0.8912
    >>> round(divergence(counts, [0, 1, 2]), 4)
    1.1883
    """
    p, pi = _fractions(counts, alpha, class_prior)
    chosen = list(indices)
    if len(set(chosen)) != len(chosen) or not all(0 <= i < len(p) for i in chosen):
        raise ValueError(f"indices must be distinct and within [0, {len(p)}), not {chosen}")
    with localcontext(prec=_DIGITS):
        variables = [*(p[i] for i in chosen), _pool(p, chosen)]
        return float(sum((_share(x, pi) for x in variables), Decimal(0)))


def greedy(
    counts: SupportsScoring,
    k: int | None = None,
    *,
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    r"""Choose terms one after the other: Algorithm 1 of Tang, Kay and He.

    Parameters
    ----------
    counts : ReferenceCounts or the like
        Anything with `class_docs` and `term_frequency`, the latter dense or sparse.
    k : int, optional
        How many terms to choose; all of them by default, or if there are fewer.
    alpha : float or pair of floats, default 1
        Smoothing, as for `class_scores`, but 0.1 is 1/10 and not the double next to it. No
        probability may be 0, and those of a class may not exceed 1 in sum: M b1 <= b2.
    class_prior : None, "empirical", "uniform" or sequence of N nonnegative numbers
        As for `class_scores`. Two classes have the same divergence by any.

    Returns
    -------
    indices : ndarray of shape (min(k, M),)
        The terms in the order of their choice; of equally good ones the lowest index comes first.
    divergences : ndarray of shape (min(k, M),)
        The divergence after each step, in nats. None is less than the one before (Theorem 1).

    Notes
    -----
    Step k forms k + 1 variables for every term i not yet chosen: the chosen terms
    :math:`s_1, \ldots, s_{k-1}`, the term i, and the pool of all the rest, whose probability is
    :math:`1 - p_{ic} - \sum_m p_{s_m c}`. It chooses the i with the largest divergence between the
    classes' distributions of these variables. The paper does so for two classes and

        J = sum over variables of (p_1 - p_2) log(p_1 / p_2).

    For more classes it leaves the algorithm at that. Here they are told apart by the divergence
    that the paper's other algorithms maximise, which for two classes is J::

        JMH = sum over variables and classes of p_c log(p_c / q_c)

    Divergences that agree in 40 digits are taken for equal.

    Examples
    --------
    >>> counts = count([[3, 0, 1], [0, 3, 1]], ["sport", "trade"])
    >>> indices, divergences = greedy(counts)
    >>> indices
    array([0, 1, 2])
    >>> divergences.round(4)
    array([0.8912, 1.1883, 1.1883])
    """
    if k is not None and k < 0:
        raise ValueError(f"k must not be negative, not {k}")
    p, pi = _fractions(counts, alpha, class_prior)
    chosen: list[int] = []
    divergences: list[Decimal] = []
    with localcontext(prec=_DIGITS):
        share = [_share(x, pi) for x in p]
        while len(chosen) < (len(p) if k is None else min(k, len(p))):
            so_far = sum((share[s] for s in chosen), Decimal(0))
            by_term = {
                i: so_far + share[i] + _share(_pool(p, [*chosen, i]), pi)
                for i in range(len(p))
                if i not in chosen
            }
            largest = max(by_term.values())
            chosen.append(min(i for i, d in by_term.items() if largest - d <= _TIE * largest))
            divergences.append(largest)
    return np.array(chosen, dtype=np.int64), np.array(divergences, dtype=np.float64)


def same_first_term(
    counts: SupportsScoring, *, alpha: Alpha = 1.0, class_prior: ClassPrior = None
) -> bool:
    r"""Tell whether the first term is the same without the pool: the paper's condition.

    Parameters
    ----------
    counts, alpha, class_prior
        As for `greedy`.

    Returns
    -------
    bool
        Whether the best term by its own part of the divergence is also the best with the pool's.

    Notes
    -----
    `md` is the divergence after the first step of Algorithm 1, so that both begin with the same
    term, always. The paper reaches Algorithm 2 by an approximation that could change it: a term's
    p is small, so that the pool's part nearly vanishes and the term's own may stand for all.
    Let :math:`e_1` be the best term by its own part, sum_c p log(p/q). It is also the first of
    Algorithm 1 if and only if, for every other term e,

        Delta <= own(e_1) - own(e),    Delta = pool(e) - pool(e_1),

    where pool is sum_c (1-p) log((1-p)/(1-q)). The paper prints this for one direction of the
    divergence, KL(P_1, P_2), and for the second term alone.

    Examples
    --------
    >>> same_first_term(count([[3, 0, 1], [0, 3, 1]], ["sport", "trade"]))
    True

    Where a term is half of a class, the pool tells as much as the term does:

    >>> counts = count([[10, 8, 28], [0, 36, 26]], [0, 1])
    >>> same_first_term(counts)
    False
    >>> greedy(counts)[0]
    array([1, 0, 2])
    """
    p, pi = _fractions(counts, alpha, class_prior)
    with localcontext(prec=_DIGITS):
        own = [_share(x, pi) for x in p]
        pool = [_share(_pool(p, [i]), pi) for i in range(len(p))]
        first = own.index(max(own))
        return all(
            pool[i] - pool[first] <= own[first] - own[i] + _TIE * (own[i] + pool[i])
            for i in range(len(p))
        )


def _share(x: Variable, pi: list[Fraction]) -> Decimal:
    """Return what one variable adds to the divergence of the classes."""
    if len(x) == 2:  # J, as in the paper
        return _times_log(x[0] - x[1], x[0], x[1])
    weighted = [pi_c * x_c for pi_c, x_c in zip(pi, x, strict=True)]
    q = [(sum(weighted) - w) / (1 - pi_c) for w, pi_c in zip(weighted, pi, strict=True)]
    return sum((_times_log(x_c, x_c, q_c) for x_c, q_c in zip(x, q, strict=True)), Decimal(0))


def _times_log(factor: Fraction, x: Fraction, y: Fraction) -> Decimal:
    """Return factor * log(x / y), which is 0 if the factor is."""
    if factor == 0 or x == y:
        return Decimal(0)
    return _decimal(factor) * _decimal(x / y).ln()


def _decimal(x: Fraction) -> Decimal:
    return Decimal(x.numerator) / Decimal(x.denominator)


def _pool(p: list[Variable], chosen: list[int]) -> Variable:
    """Return the variable that all terms but the chosen ones are together."""
    return [1 - sum((p[i][c] for i in chosen), Fraction(0)) for c in range(len(p[0]))]


def _simple(x: float) -> Fraction:
    """Return the first continued fraction that rounds to x, 1/10 for 0.1; x if none is simple."""
    above, numerator, below, denominator, rest = 0, 1, 1, 0, Fraction(x)
    while denominator <= 2**30:
        whole = math.floor(rest)
        above, numerator = numerator, whole * numerator + above
        below, denominator = denominator, whole * denominator + below
        if numerator / denominator == x:
            return Fraction(numerator, denominator)
        rest = 1 / (rest - whole)
    return Fraction(x)


def _fractions(
    counts: SupportsScoring, alpha: Alpha, class_prior: ClassPrior
) -> tuple[list[Variable], list[Fraction]]:
    """Return the probabilities of each term in the classes with documents, and the priors."""
    table = _table(counts, alpha, class_prior, "jeffreys")
    n_terms = len(table.l_ic[0])
    b1 = _simple(table.b1)
    b2 = b1 * n_terms if np.ndim(alpha) == 0 else _simple(table.b2)
    if abs(b2 - b1 * n_terms) <= b2 / 2**45:
        b2 = b1 * n_terms
    if n_terms * b1 > b2:
        raise ValueError(f"alpha = (b1, b2) needs {n_terms} b1 <= b2, not {alpha}")
    l_ic = [[Fraction(x) for x in table.l_ic[c]] for c in table.present]
    if b1 == 0 and not all(all(row) for row in l_ic):
        raise ValueError("a term that a class lacks has probability 0: alpha must be positive")
    p = [[(row[i] + b1) / (sum(row) + b2) for row in l_ic] for i in range(n_terms)]
    n_c = np.asarray(counts.class_docs).tolist()
    weights = _prior_weights(class_prior, n_c, table.present)
    pi = [Fraction(weights[c]) for c in table.present]
    return p, [w / sum(pi) for w in pi]
