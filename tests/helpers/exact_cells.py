"""Scores of a cell, which is a pair of a term and a class, to fifty digits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from exact import (
    DIGITS,
    Exact,
    columns_of,
    exact_sum,
    exponential_of,
    kl_of,
    log_of,
    normal_quantile,
    root_of,
    row_values,
)


def exact_cell_scores(
    method: str,
    term_frequency: Any,
    document_frequency: Any,
    class_docs: Any,
    n_docs: Any,
    collection: tuple[Any, Any] | None = None,
    b2: Any = 0,
    terms: Iterable[int] | None = None,
    b1: Any = 0,
    variant: str = "idf",
    sqrt: bool = False,
    zero: str = "",
    shift: Any = 0,
) -> list[list[Exact]]:
    """Return the values of the requested terms by a method of documents and occurrences.

    There is one row per class, as in `exact_class_scores`. The `collection` is (l_i, d_i), with
    each document counted once; by default it is the sum of the classes. Only "log_odds",
    "log_ratio" and "cmfs" use the smoothing. Results are exact if the formula has no logarithm, no
    exponential and no root. All others have more than 50 correct digits. For "poisson_deviation",
    the probability p of the term is shifted by `shift` times (1 + l_i/n) min(p, 1 - p).
    """
    value = _CELL_VALUES[method]
    terms = list(range(np.shape(term_frequency)[1]) if terms is None else terms)
    t = _CellTable(
        term_frequency, document_frequency, class_docs, n_docs, collection, (b1, b2), terms
    )
    t.variant, t.sqrt, t.zero, t.shift = variant, sqrt, zero, shift
    return [
        [value(t, i, c) if n_c > 0 and d_i > 0 else Fraction(0) for i, d_i in enumerate(t.d_i)]
        for c, n_c in enumerate(t.n_c)
    ]


class _CellTable:
    """Counts of some terms as fractions, with the totals of the classes and the collection."""

    variant: str
    sqrt: bool
    zero: str
    shift: Any

    def __init__(
        self,
        term_frequency: Any,
        document_frequency: Any,
        class_docs: Any,
        n_docs: Any,
        collection: tuple[Any, Any] | None,
        smoothing: tuple[Any, Any],
        terms: list[int],
    ) -> None:
        def fractions(values: Any) -> list[Fraction]:
            return [Fraction(x) for x in np.asarray(values).tolist()]

        self.l_ic, self.d_ic = (
            [fractions(row) for row in columns_of(x, terms)]
            for x in (term_frequency, document_frequency)
        )
        self.n_c = fractions(class_docs)
        self.n_classes = sum(n_c > 0 for n_c in self.n_c)
        self.n = Fraction(n_docs)
        self.l_c = [exact_sum(row) for row in row_values(term_frequency)]
        if collection is None:
            self.l_i, self.d_i = (
                [sum(column, Fraction(0)) for column in zip(*x, strict=True)]
                for x in (self.l_ic, self.d_ic)
            )
            self.l = sum(self.l_c, Fraction(0))
        else:
            self.l_i, self.d_i = (fractions(np.asarray(row)[terms]) for row in collection)
            self.l = exact_sum(np.asarray(collection[0]).tolist())
        self.b1, self.b2 = map(Fraction, smoothing)

    def within(self, i: int, c: int) -> Fraction:
        """Return the share of the class's documents that have the term."""
        return self.d_ic[c][i] / self.n_c[c]

    def outside(self, i: int, c: int) -> Fraction:
        """Return the share of the documents outside the class that have the term.

        If all documents are in the class, return the share of the class."""
        if self.n == self.n_c[c]:
            return self.within(i, c)
        return (self.d_i[i] - self.d_ic[c][i]) / (self.n - self.n_c[c])

    def everywhere(self, i: int) -> Fraction:
        """Return the share of all documents that have the term."""
        return self.d_i[i] / self.n


def _cell_tfidf(t: _CellTable, i: int, c: int) -> Exact:
    return t.l_ic[c][i] * log_of(1 / t.everywhere(i))


def _cell_mi(t: _CellTable, i: int, c: int) -> Exact:
    return log_of(t.within(i, c) / t.everywhere(i))


def _cell_cet(t: _CellTable, i: int, c: int) -> Exact:
    return t.d_ic[c][i] / t.n * _cell_mi(t, i, c) if t.d_ic[c][i] else Fraction(0)


def _cell_ig(t: _CellTable, i: int, c: int) -> Exact:
    return t.n_c[c] / t.n * kl_of(t.within(i, c), t.everywhere(i))


def _cell_chi2(t: _CellTable, i: int, c: int) -> Exact:
    everywhere = t.everywhere(i)
    sizes = (t.n_c[c], t.n - t.n_c[c])
    gaps = (t.within(i, c) - everywhere, t.outside(i, c) - everywhere)
    squares = sum(size * gap**2 for size, gap in zip(sizes, gaps, strict=True))
    return squares / (everywhere * (1 - everywhere)) if squares else Fraction(0)


def _cell_chi2_printed(t: _CellTable, i: int, c: int) -> Exact:
    a, b = t.d_ic[c][i], t.d_i[i] - t.d_ic[c][i]
    e, d = t.n_c[c] - a, t.n - t.n_c[c] - b
    if a * d == b * e:
        return Fraction(0)
    return (a * d - b * e) ** 2 / (a * b * e * d) if a * b * e * d else math.inf


def _cell_gss(t: _CellTable, i: int, c: int) -> Exact:
    share = t.n_c[c] / t.n
    return share * (1 - share) * (t.within(i, c) - t.outside(i, c))


def _cell_odds_ratio(t: _CellTable, i: int, c: int) -> Exact:
    within, outside = t.within(i, c), t.outside(i, c)
    if t.n == t.n_c[c]:
        return Fraction(0)
    over, under = within * (1 - outside), outside * (1 - within)
    return over / under if under else math.inf if over else Fraction(0)


def _cell_relevancy(t: _CellTable, i: int, c: int) -> Exact:
    return log_of((6 * t.within(i, c) + 1) / (6 * t.outside(i, c) + 1))


def _cell_ngl(t: _CellTable, i: int, c: int) -> Exact:
    root = root_of(Fraction(_cell_chi2(t, i, c)))
    return root if t.within(i, c) > t.everywhere(i) else -root


def _cell_g2(t: _CellTable, i: int, c: int) -> Exact:
    everywhere = t.everywhere(i)
    within = t.n_c[c] * kl_of(t.within(i, c), everywhere)
    return 2 * (within + (t.n - t.n_c[c]) * kl_of(t.outside(i, c), everywhere))


def _cell_bns(t: _CellTable, i: int, c: int) -> Exact:
    rates = [
        min(max(rate, Fraction(1, 2000)), Fraction(1999, 2000))
        for rate in (t.within(i, c), t.outside(i, c))
    ]
    gap = abs(rates[0] - rates[1])
    if gap == 0:
        return Fraction(0)
    digits = DIGITS + 10 + len(str(int(1 / gap)))
    low, high = (normal_quantile(rate, digits) for rate in sorted(rates))
    return high - low


def _cell_log_odds(t: _CellTable, i: int, c: int) -> Exact:
    own, others = t.l_ic[c][i], t.l_i[i] - t.l_ic[c][i]
    prior = t.b2 * t.l_i[i] / t.l
    rest = t.l_c[c] - own + t.b2 - prior
    rest_of_others = t.l - t.l_c[c] - others + t.b2 - prior
    if own + prior == 0 or others + prior == 0 or rest == rest_of_others == 0:
        return Fraction(0)
    if rest == 0 or rest_of_others == 0:
        return math.inf if rest == 0 else -math.inf
    delta = log_of((own + prior) / rest * rest_of_others / (others + prior))
    return delta * root_of(1 / (1 / (own + prior) + 1 / (others + prior)))


def _cell_log_ratio(t: _CellTable, i: int, c: int) -> Exact:
    frequencies = []  # relative frequencies of the term in the class and outside the class
    for occurrences, tokens in (
        (t.l_ic[c][i], t.l_c[c]),
        (t.l_i[i] - t.l_ic[c][i], t.l - t.l_c[c]),
    ):
        if tokens + t.b2 == 0:
            return Fraction(0)
        frequencies.append((occurrences + t.b1) / (tokens + t.b2))
    within, outside = frequencies
    if within == outside:
        return Fraction(0)
    if within == 0 or outside == 0:
        return math.inf if within else -math.inf
    return log_of(within / outside) / log_of(Fraction(2))


def _cell_jlh(t: _CellTable, i: int, c: int) -> Exact:
    foreground, background = t.within(i, c), t.everywhere(i)
    return max(Fraction(0), foreground**2 / background - foreground)


def _cell_chi2_counts(t: _CellTable, i: int, c: int) -> Exact:
    if t.l_i[i] == 0:
        return Fraction(0)
    expected = t.n_c[c] / t.n * t.l_i[i]
    return t.l_ic[c][i] ** 2 / expected - 2 * t.l_ic[c][i] + expected


def _cell_g2_counts(t: _CellTable, i: int, c: int) -> Exact:
    own, tokens = t.l_ic[c][i], t.l_c[c]
    sides = [(own, tokens), (t.l_i[i] - own, t.l - tokens)]
    everywhere = t.l_i[i] / t.l if t.l else Fraction(0)
    return 2 * sum(
        (size * kl_of(x / size, everywhere) for x, size in sides if size), start=Fraction(0)
    )


def _cell_c_tfidf(t: _CellTable, i: int, c: int) -> Exact:
    if t.l_ic[c][i] == 0:
        return Fraction(0)
    share = t.l_ic[c][i] / t.l_c[c]
    # Like the core, round the mean number of tokens per class to a double, then truncate it.
    mean = int(float(t.l) / sum(n_c > 0 for n_c in t.n_c))
    weight = mean / t.l_i[i] + 1
    if t.variant == "bm25":
        weight = (mean + 1) / (t.l_i[i] + Fraction(1, 2))
    return (root_of(share) if t.sqrt else share) * log_of(weight)


def _cell_dfs(t: _CellTable, i: int, c: int) -> Exact:
    if t.n == t.n_c[c]:
        return Fraction(0)
    return t.d_ic[c][i] / t.d_i[i] / (2 + t.outside(i, c) - t.within(i, c))


def _cell_efs(t: _CellTable, i: int, c: int) -> Exact:
    without = t.n - t.d_i[i]
    share = (t.n_c[c] - t.d_ic[c][i]) / without if without else Fraction(0)
    given = t.d_ic[c][i] / t.d_i[i]
    return _cell_dfs(t, i, c) * t.within(i, c) / (2 + share - given)


def _cell_gini(t: _CellTable, i: int, c: int) -> Exact:
    if t.n == t.n_c[c]:
        return Fraction(0)
    return (t.within(i, c) * t.d_ic[c][i] / t.d_i[i]) ** 2


def _cell_acc2(t: _CellTable, i: int, c: int) -> Exact:
    return abs(t.within(i, c) - t.outside(i, c))


def _shares_without_zero(t: _CellTable, i: int, c: int) -> list[Fraction]:
    """Return tpr and fpr, where a share of 0 is replaced."""
    epsilon = Fraction(1, 10**10)
    return [
        share or (1 / size if t.zero == "document" else epsilon)
        for share, size in ((t.within(i, c), t.n_c[c]), (t.outside(i, c), t.n - t.n_c[c]))
    ]


def _cell_ndm(t: _CellTable, i: int, c: int) -> Exact:
    if t.n == t.n_c[c]:
        return Fraction(0)
    # A replaced share may exceed the other share, and even then it is the divisor.
    tpr, fpr = t.within(i, c), t.outside(i, c)
    replaced = _shares_without_zero(t, i, c)
    return abs(tpr - fpr) / (replaced[0] if tpr < fpr or tpr == 0 else replaced[1])


def _cell_mmr(t: _CellTable, i: int, c: int) -> Exact:
    return _cell_ndm(t, i, c) * max(t.within(i, c), t.outside(i, c))


def _cell_wllr(t: _CellTable, i: int, c: int) -> Exact:
    if t.n == t.n_c[c] or t.d_ic[c][i] == 0:
        return Fraction(0)
    return t.within(i, c) * log_of(t.within(i, c) / _shares_without_zero(t, i, c)[1])


def _cell_cmfs(t: _CellTable, i: int, c: int) -> Exact:
    term_given_class = (t.l_ic[c][i] + t.b1) / ((t.l_c[c] + t.b2) or 1)
    return term_given_class * (t.l_ic[c][i] + t.b1) / (t.l_i[i] + t.n_classes * t.b1)


def _cell_poisson_deviation(t: _CellTable, i: int, c: int) -> Exact:
    if t.n == t.n_c[c]:
        return Fraction(0)
    sizes = (t.n_c[c], t.n - t.n_c[c])
    shares = (t.within(i, c), t.outside(i, c))
    if t.l_i[i] > 2000 * t.n:  # e^-2000 is far below the range of a double
        return Fraction(0) if shares == (1, 1) else math.inf
    absent = exponential_of(-t.l_i[i] / t.n)
    absent += Fraction(t.shift) * (1 + t.l_i[i] / t.n) * min(absent, 1 - absent)
    squares = sum(
        (size * (share - (1 - absent)) ** 2 for size, share in zip(sizes, shares, strict=True)),
        start=Fraction(0),
    )
    return squares / (absent * (1 - absent))


_CELL_VALUES: dict[str, Callable[[_CellTable, int, int], Exact]] = {
    "df": lambda t, i, c: t.d_ic[c][i],
    "tfidf": _cell_tfidf,
    "mi": _cell_mi,
    "cet": _cell_cet,
    "ig": _cell_ig,
    "chi2": _cell_chi2,
    "chi2_printed": _cell_chi2_printed,
    "gss": _cell_gss,
    "odds_ratio": _cell_odds_ratio,
    "relevancy": _cell_relevancy,
    "ngl": _cell_ngl,
    "g2": _cell_g2,
    "bns": _cell_bns,
    "log_odds": _cell_log_odds,
    "log_ratio": _cell_log_ratio,
    "jlh": _cell_jlh,
    "chi2_counts": _cell_chi2_counts,
    "g2_counts": _cell_g2_counts,
    "c_tfidf": _cell_c_tfidf,
    "dfs": _cell_dfs,
    "efs": _cell_efs,
    "gini": _cell_gini,
    "acc2": _cell_acc2,
    "ndm": _cell_ndm,
    "mmr": _cell_mmr,
    "wllr": _cell_wllr,
    "poisson_deviation": _cell_poisson_deviation,
    "cmfs": _cell_cmfs,
}
