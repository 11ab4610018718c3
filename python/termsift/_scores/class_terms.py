"""Lists of terms for each class: its best terms, and those over-represented in it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._scores.chi2_tail import log_chi2_sf
from termsift._scores.methods import MethodName
from termsift._scores.registry import DESCRIBING, find_method
from termsift._scores.scoring import Scoring
from termsift._scores.significance import (
    ADJUSTMENTS,
    Adjustment,
    class_statistics,
    significance_by,
)
from termsift._util import scipy, validation
from termsift._util.export import integers_if_whole
from termsift._util.log import logger

if TYPE_CHECKING:
    from termsift._counts.class_counts import ClassCounts

# Whether the terms are listed that a class has more of than the others, less of, or both.
Direction: TypeAlias = Literal["both", "over", "under"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)  # the default first

_MOST_SORTED = 1 << 24  # tests whose p-values are sorted without being asked for: some 0.8 GB

# The terms of a class, best first, and their scores.
_Listed: TypeAlias = tuple[NDArray[np.int64], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class ClassTerms:
    """Terms of a class, best first.

    Attributes
    ----------
    label : label
        The class.
    indices : ndarray of shape (k,), int64
        The terms' columns.
    scores : ndarray of shape (k,), float64
        Their scores for the class.
    occurrences, elsewhere : ndarray of shape (k,), int64 or float64
        How often they occur in the class, and in the other classes together.
    terms : ndarray of str of shape (k,), or None
        The terms' names, if they are known.
    """

    label: Hashable
    indices: NDArray[np.int64]
    scores: NDArray[np.float64]
    occurrences: NDArray[Any]
    elsewhere: NDArray[Any]
    terms: NDArray[np.object_] | None

    def __len__(self) -> int:
        return len(self.indices)


def distinctive_terms(
    counts: ClassCounts,
    method: MethodName = DESCRIBING,
    k: int | None = None,
    classes: Iterable[Hashable] | None = None,
    **scoring: Any,
) -> list[ClassTerms]:
    """Return the terms that are over-represented in each class, best first.

    A class score measures how far a class is from the others, on either side. These are the terms
    that occur in the class and have direction 1 there (`termsift.ClassCounts.class_directions`).

    Parameters
    ----------
    counts : ClassCounts
    method : str
        A name of `termsift.methods`.
    k : int, optional
        How many terms per class; all by default. There may be fewer.
    classes : sequence of labels, optional
        The classes wanted, in this order; all by default.
    **scoring
        As for `termsift.ClassCounts.class_scores`, for example ``model`` and ``alpha``.

    Returns
    -------
    terms : list of ClassTerms
        One per class. Terms with equal scores come by index.

    Raises
    ------
    ValueError
        For an unknown method, and for a label that is not among the classes.
    TypeError
        If k is not an integer, or ``classes`` are not several labels.

    Notes
    -----
    Scores are those of `termsift.ClassCounts.class_scores`, to the last bit. Memory is some 60
    bytes for each pair of a wanted class and a term in it, and 64 MiB. Time is O(n_classes) for
    each term of a wanted class.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> X = np.array([[9, 0, 5], [1, 9, 5], [1, 9, 5]])
    >>> counts = ts.count(X, ["ham", "spam", "news"], term_names=["noon", "win", "the"])
    >>> for of_class in distinctive_terms(counts, "md"):
    ...     print(of_class.label, *of_class.terms)
    ham noon the
    news win
    spam win
    """
    validation.check_counts(counts)
    rows = np.arange(counts.n_classes) if classes is None else _rows_of(counts, classes)
    k = validation.check_k(k, counts.n_terms)
    scored = Scoring.of(counts, find_method(method), **scoring)
    frequency = counts.term_frequency
    listed = _over_represented(scored, frequency, rows, k)
    totals = np.asarray(frequency.sum(axis=0))
    occurrences = _in_class(frequency, rows, listed)
    labels, names_of = counts.classes, counts._names_of
    return [
        ClassTerms(labels[row], terms, scores, own, totals[terms] - own, names_of(terms))
        for row, (terms, scores), own in zip(rows, listed, occurrences, strict=True)
    ]


def dominant_class(
    counts: ClassCounts, terms: NDArray[np.int64], method: MethodName = DESCRIBING, **scoring: Any
) -> NDArray[np.int64]:
    """Return the class in which each term is over-represented with the highest score.

    Parameters
    ----------
    counts : ClassCounts
    terms : array of integers
        The terms' columns, each once.
    method, **scoring
        As for `distinctive_terms`, which defines over-represented.

    Returns
    -------
    classes : ndarray of shape (len(terms),), int64
        Positions in ``counts.classes``, the first of classes with equal scores, or -1 for a term
        that is over-represented in no class.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> counts = ts.count(np.array([[9, 0, 5], [1, 9, 5], [1, 9, 5]]), ["a", "b", "c"])
    >>> dominant_class(counts, np.array([2, 1]), "md")
    array([0, 1])
    """
    validation.check_counts(counts)
    chosen = validation.check_indices(terms, counts.n_terms, "terms")
    distinct, place = np.unique(chosen, return_inverse=True)
    scored = Scoring.of(counts, find_method(method), **scoring).of_terms(distinct)
    shape = counts.n_classes, len(distinct)
    occurs = scipy.sparse.csr_array(scored.counts.term_frequency(), shape=shape).tocsc()
    found = np.full(len(distinct), -1, dtype=np.int64)
    for first, last in scored.blocks():
        has_more = scored.directions(first, last) > 0
        has_more &= occurs[:, first:last].toarray() > 0
        scores = np.where(has_more, scored.class_scores(first, last), -np.inf)
        found[first:last] = np.where(has_more.any(axis=0), scores.argmax(axis=0), -1)
    return found[place]


def largest_classes(counts: ClassCounts, n: int) -> list[int]:
    """Return the positions of the classes with the most documents, the largest first."""
    order: list[int] = np.argsort(-np.asarray(counts.class_docs), kind="stable").tolist()
    return order[:n]


def class_columns(
    counts: ClassCounts,
    method: MethodName = DESCRIBING,
    k: int | None = None,
    *,
    direction: Direction = "both",
    adjust: Adjustment | None = None,
    **options: Any,
) -> dict[str, NDArray[Any]]:
    """Return the columns of `ClassCounts.to_frame`, by name."""
    if adjust is not None:
        validation.check_choice(adjust, ADJUSTMENTS, "adjust")
    validation.check_choice(direction, DIRECTIONS, "direction")
    k = validation.check_k(k, counts.n_terms)
    scoring = Scoring.of(counts, find_method(method), **options)
    present = np.flatnonzero(np.asarray(counts.class_docs) > 0)
    term_frequency, document_frequency = counts.term_frequency, counts.document_frequency
    if direction == "over":
        listed = _over_represented(scoring, term_frequency, present, k)
    else:
        listed = _best(scoring, present, k, under=direction == "under")
    sizes = [len(terms) for terms, _ in listed]
    rows = np.repeat(present, sizes)
    terms = _joined([terms for terms, _ in listed], np.int64)
    l_ic, d_ic = (
        _joined(_in_class(frequency, present, listed), frequency.dtype)
        for frequency in (term_frequency, document_frequency)
    )
    names = counts.term_names
    columns: dict[str, NDArray[Any]] = {
        "class": np.fromiter(counts.classes, object, counts.n_classes)[rows],
        "term": np.full(len(terms), None, dtype=object) if names is None else names[terms],
        "index": terms,
        "rank": _joined([np.arange(1, size + 1) for size in sizes], np.int64),
        "score": _joined([scores for _, scores in listed], np.float64),
        "sign": _at_pairs(scoring, rows, terms, with_scores=False)[0],
        "n_class": integers_if_whole(l_ic),
        "n_rest": integers_if_whole(counts.collection_term_frequency[terms] - l_ic),
        "df_class": integers_if_whole(d_ic),
        "df_rest": integers_if_whole(counts.collection_document_frequency[terms] - d_ic),
    }
    if scoring.method.is_test:
        statistics = class_statistics(counts, scoring.method, columns["score"].copy(), rows)
        logs = log_chi2_sf(statistics, 1)
        adjust = adjust or _usual_adjustment(counts.n_classes * counts.n_terms)
        if adjust == "bh":  # depends on the order of all tests, those not listed too
            every = significance_by(counts, scoring.method, per_class=True)
            adjusted = every.adjusted("bh")[rows, terms]
        else:
            adjusted = np.exp(np.minimum(logs + np.log(counts.n_classes * counts.n_terms), 0))
        columns |= {"log_pvalue": logs, "pvalue": np.exp(logs), "pvalue_adj": adjusted}
    return columns


def _usual_adjustment(n_tests: int) -> Adjustment:
    """Return how p-values are adjusted unless the caller says: "bh", if it takes little memory."""
    if n_tests <= _MOST_SORTED:
        return "bh"
    logger.warning(
        "p-values are adjusted for %s tests by Bonferroni; adjust by bh takes some %.1f GB",
        f"{n_tests:,}",
        n_tests * 50e-9,
    )
    return "bonferroni"


def _best(
    scoring: Scoring, rows: NDArray[np.int64], k: int, *, under: bool = False
) -> list[_Listed]:
    """Return the k best terms of some classes; of equal scores the lowest index comes first.

    With ``under``, only terms that the class has less of than the others are listed.
    """
    best = [(np.empty(0, dtype=np.int64), np.empty(0))] * len(rows)
    for first, last in scoring.blocks():
        found = scoring.class_scores(first, last)
        directions = scoring.directions(first, last) if under else None
        for position, (indices, scores) in enumerate(best):
            own = slice(None) if directions is None else directions[rows[position]] < 0
            # The best so far stand in front, so that of equal scores the lower index stays first.
            scores = np.concatenate([scores, found[rows[position]][own]])
            indices = np.concatenate([indices, np.arange(first, last)[own]])
            order = _core.top_k(scores, min(k, len(scores)))
            best[position] = indices[order], scores[order]
        del found  # Two blocks at once would take twice the memory.
    return best


def _over_represented(
    scoring: Scoring, frequency: Any, rows: NDArray[np.int64], k: int
) -> list[_Listed]:
    """Return the k best terms of some classes that occur in the class and have direction 1."""
    distinct, place = np.unique(rows, return_inverse=True)
    frequency = frequency[distinct]
    pairs = np.repeat(distinct, np.diff(frequency.indptr)), frequency.indices
    directions, scores = _at_pairs(scoring, *pairs, with_scores=True)
    listed = []
    for row in place:
        first, last = frequency.indptr[row : row + 2]
        own = first + np.flatnonzero(directions[first:last] > 0)
        own = own[_core.top_k(scores[own], min(k, len(own)))]
        listed.append((frequency.indices[own].astype(np.int64), scores[own]))
    return listed


def _at_pairs(
    scoring: Scoring, rows: NDArray[np.int64], terms: NDArray[np.integer], *, with_scores: bool
) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
    """Return the directions, and if wanted the scores, of pairs of a class and a term."""
    occurs = np.zeros(scoring.counts.n_terms, dtype=bool)
    occurs[terms] = True
    scoring = scoring.of_terms(np.flatnonzero(occurs))
    columns = (np.cumsum(occurs) - 1)[terms]
    by_column = np.argsort(columns, kind="stable")
    ends = np.searchsorted(columns[by_column], np.arange(scoring.counts.n_terms + 1))
    directions = np.zeros(len(terms), dtype=np.int8)
    scores = np.zeros(len(terms) if with_scores else 0)
    for first, last in scoring.blocks():
        own = by_column[ends[first] : ends[last]]
        cells = rows[own], columns[own] - first
        directions[own] = scoring.directions(first, last)[cells]
        if with_scores:
            scores[own] = scoring.class_scores(first, last)[cells]
    return directions, scores


def _in_class(frequency: Any, rows: NDArray[np.int64], listed: list[_Listed]) -> list[NDArray[Any]]:
    """Return how often the terms listed for each class occur there."""
    found = []
    for row, (terms, _) in zip(rows, listed, strict=True):
        own = slice(frequency.indptr[row], frequency.indptr[row + 1])
        own_terms, values = frequency.indices[own], frequency.data[own]
        at = np.searchsorted(own_terms, terms)
        occurs = at < len(own_terms)
        occurs[occurs] = own_terms[at[occurs]] == terms[occurs]
        found.append(np.zeros(len(terms), dtype=values.dtype))
        found[-1][occurs] = values[at[occurs]]
    return found


def _joined(parts: list[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    """Return the concatenation of arrays, of which there may be none."""
    return np.concatenate([np.empty(0, dtype=dtype), *parts])


def _rows_of(counts: ClassCounts, classes: Iterable[Hashable]) -> NDArray[np.int64]:
    """Return the positions of classes, given by their labels."""
    position = {label: c for c, label in enumerate(counts.classes)}
    rows = []
    for label in validation.check_iterable(classes, "classes", "labels"):
        try:
            rows.append(position[label])
        except (KeyError, TypeError):
            raise ValueError(f"class {label!r} is not among the classes") from None
    return np.array(rows, dtype=np.int64)
