"""Scores with fifty correct digits, with which tests compare the float64 scores.

The equations and their symbols are those of ``termsift.reference``. The arithmetic is different, so
that neither module can copy a mistake of the other module.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, TypeAlias

import mpmath
import numpy as np

# Every finite score is a Fraction, because mpmath would round an mpf to the current precision. Only
# infinities are floats.
Exact: TypeAlias = Fraction | float

DIGITS = 60  # Number of digits of the results.
_LEAST_NORMAL = Fraction(1, 2**1022)
PRECISION = 200  # Digits of p and q, of which DIGITS remain if p and q agree to 70 digits.


def exact_class_scores(
    term_frequency: Any,
    class_docs: Any,
    method: str,
    b1: Any,
    b2: Any,
    prior: str | Sequence[float] = "empirical",
    noncentrality: str = "jeffreys",
    terms: Iterable[int] | None = None,
    model: str = "multinomial",
) -> list[list[Exact]]:
    """Return the value of each given term in every class, one row per class.

    l_c is the sum of a row of `term_frequency`. Only the columns in `terms` are scored. If p == q,
    the value is exactly 0. The method "relative" is |p - q| / max(p, q). Classes without documents
    are ignored, and their rows are 0. For the models "binary" and "bernoulli", `term_frequency`
    must hold document frequencies. b1 is added to counts, and b2 to totals.
    """
    n_c = [Fraction(n) for n in np.asarray(class_docs).tolist()]
    present = [c for c, n in enumerate(n_c) if n > 0]
    sizes = n_c
    if model in ("multinomial", "binary"):
        sizes = [exact_sum(row) for row in row_values(term_frequency)]
    L = [size + Fraction(b2) for size in sizes]
    terms = list(range(np.shape(term_frequency)[1]) if terms is None else terms)
    columns = columns_of(term_frequency, terms)
    weights = n_c if prior == "empirical" else [1] * len(n_c) if prior == "uniform" else prior
    scores: list[list[Exact]] = [[Fraction(0)] * len(terms) for _ in n_c]
    with mpmath.workdps(PRECISION):
        w = [_mpf(Fraction(weights[c])) for c in present]
        w_of_others = _sums_of_others(w)
        for j in range(len(terms)):
            x = [Fraction(columns[c][j]) + Fraction(b1) for c in present]
            # Neither p nor 1 - p suffers cancellation. Without tokens and smoothing, p is 0.
            p, p_rest = (
                [_mpf(y) / _mpf(L[c]) if L[c] else mpmath.mpf(empty) for y, c in pairs]
                for empty, pairs in (
                    (0, list(zip(x, present, strict=True))),
                    (1, [(L[c] - y, c) for y, c in zip(x, present, strict=True)]),
                )
            )
            q, q_rest = (
                [a / b for a, b in zip(_sums_of_others(products), w_of_others, strict=True)]
                for products in ([a * b for a, b in zip(w, y, strict=True)] for y in (p, p_rest))
            )
            for c, *shares in zip(present, p, p_rest, q, q_rest, strict=True):
                scores[c][j] = _exact(_value(method, noncentrality, model == "poisson", *shares))
    return scores


def _sums_of_others(values: Sequence[Any]) -> list[Any]:
    """Return, for each value, the sum of all other values, without any subtraction."""
    before = [mpmath.mpf(0), *itertools.accumulate(values)]
    after = [mpmath.mpf(0), *itertools.accumulate(reversed(values))]
    return [before[i] + after[len(values) - 1 - i] for i in range(len(values))]


def _value(
    method: str, noncentrality: str, is_rate: bool, p: Any, p_rest: Any, q: Any, q_rest: Any
) -> Any:
    if is_rate:  # which has no complement
        p_rest = q_rest = mpmath.mpf(1)
    d = p - q if p <= p_rest or is_rate else q_rest - p_rest
    if abs(d) <= (p if is_rate else min(p, p_rest)) * mpmath.mpf(10) ** (50 - PRECISION):
        return mpmath.mpf(0)
    if method == "relative":
        return abs(d) / max(p, q)
    if method == "md":
        return _x_log(p, q, d) + (-d if is_rate else _x_log(p_rest, q_rest, -d))
    pearson, mirrored = (
        d**2 / product if product else mpmath.inf for product in (q * q_rest, p * p_rest)
    )
    return pearson if noncentrality == "pearson" else (pearson + mirrored) / 2


def _x_log(x: Any, y: Any, d: Any) -> Any:
    """Return x log(x / y), given d = x - y."""
    if x == 0 or y == 0:
        return mpmath.inf if x else mpmath.mpf(0)
    return x * (mpmath.log1p(d / y) if abs(d) < y * 1e-30 else mpmath.log(x / y))


def kl_of(x: Fraction, y: Fraction) -> Exact:
    """Return x log(x / y) + (1 - x) log((1 - x) / (1 - y))."""
    if x == y:
        return Fraction(0)
    with mpmath.workdps(PRECISION):
        d = _mpf(x - y)
        return _exact(_x_log(_mpf(x), _mpf(y), d) + _x_log(_mpf(1 - x), _mpf(1 - y), -d))


def exact_collection_scores(
    method: str,
    l_i: Any,
    d_i: Any,
    n_docs: Any,
) -> list[Exact]:
    """Return each term's value in the whole collection, by the method "df" or "tfidf"."""
    l_i, d_i = ([Fraction(x) for x in np.asarray(row).tolist()] for row in (l_i, d_i))
    if method == "df":
        return list(d_i)
    n = Fraction(n_docs)
    return [x * log_of(n / d) if d else Fraction(0) for x, d in zip(l_i, d_i, strict=True)]


def exact_aggregate(
    rows: Sequence[Sequence[Exact]],
    aggregate: str,
    class_docs: Any,
    prior: str | Sequence[float] = "empirical",
) -> list[Exact]:
    """Return the score of each term from its class values, which are one row per class."""
    n_c = np.asarray(class_docs).tolist()
    weights = n_c if prior == "empirical" else [1] * len(n_c) if prior == "uniform" else prior
    present = [c for c, n in enumerate(n_c) if n > 0]
    w = {c: Fraction(weights[c]) for c in present if weights[c] > 0}
    scores: list[Exact] = []
    for column in zip(*rows, strict=True):
        if aggregate == "sum":
            scores.append(_sum(*(column[c] for c in present)))
        elif aggregate == "max":
            scores.append(max(column[c] for c in present))
        else:
            shares = (
                column[c] if column[c] in (math.inf, -math.inf) else w[c] * Fraction(column[c])
                for c in w
            )
            mean = _sum(*shares)
            scores.append(mean if isinstance(mean, float) else mean / sum(w.values()))
    return scores


def exact_log_pvalue(statistic: Exact, degrees: int) -> Exact:
    """Return log P(X > statistic) of a chi-square variable X, to 50 digits."""
    if statistic == 0:
        return Fraction(0)
    if statistic == math.inf:
        return -math.inf
    with mpmath.workdps(2 * DIGITS):
        a, z = mpmath.mpf(degrees) / 2, _mpf(Fraction(statistic)) / 2
        if z < a:
            return _fraction(mpmath.log1p(-mpmath.gammainc(a, 0, z, regularized=True)))
        return _fraction(mpmath.log(mpmath.gammainc(a, z, regularized=True)))


def exact_gains(
    term_frequency: Any,
    class_docs: Any,
    order: Sequence[int],
    b1: Any,
    b2: Any,
    prior: str | Sequence[float] = "empirical",
) -> Iterator[dict[int, Fraction]]:
    """Yield the gain in divergence of each remaining term, before each term of `order` is taken.

    No digits are lost. For a term with probabilities p, taken from the pool R, class c adds the
    gain R_c kl(p_c / R_c || p'_c / R'_c), where ' is the mixture of the other classes. The gain is
    exactly 0 if all p_c / R_c are equal. Classes without documents are ignored.
    """
    p, others = _probabilities(term_frequency, class_docs, b1, b2, prior)
    rest = [Fraction(1)] * len(p[0])
    left = set(range(len(p)))
    for chosen in order:
        rest_of_others = others(rest)
        yield {
            i: sum(
                (
                    whole * kl_of(x / whole, y / whole_of_others)
                    for x, y, whole, whole_of_others in zip(
                        p[i], others(p[i]), rest, rest_of_others, strict=True
                    )
                ),
                Fraction(0),
            )
            for i in sorted(left)
        }
        left.remove(chosen)
        rest = [whole - x for whole, x in zip(rest, p[chosen], strict=True)]


def exact_divergence(
    term_frequency: Any,
    class_docs: Any,
    terms: Iterable[int],
    b1: Any,
    b2: Any,
    prior: str | Sequence[float] = "empirical",
) -> Fraction:
    """Return the JMH divergence of some terms and a pool of all other terms, by its definition."""
    p, others = _probabilities(term_frequency, class_docs, b1, b2, prior)
    variables = [p[i] for i in terms]
    pool = [1 - sum((x[c] for x in variables), Fraction(0)) for c in range(len(p[0]))]
    with mpmath.workdps(2 * DIGITS):
        total = mpmath.mpf(0)
        for x in [*variables, pool]:
            for x_c, y_c in zip(x, others(x), strict=True):
                if x_c:
                    ratio = x_c / y_c
                    log = mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator)
                    total += mpmath.mpf(x_c.numerator) / x_c.denominator * log
        return Fraction(int(total.man)) * Fraction(2) ** int(total.exp)


def _probabilities(
    term_frequency: Any, class_docs: Any, b1: Any, b2: Any, prior: Any
) -> tuple[list[list[Fraction]], Callable[[list[Fraction]], list[Fraction]]]:
    """Return p of each term in classes with documents, and a function that computes q from p."""
    n_c = np.asarray(class_docs).tolist()
    present = [c for c, n in enumerate(n_c) if n > 0]
    weights = n_c if prior == "empirical" else [1] * len(n_c) if prior == "uniform" else prior
    w = [Fraction(weights[c]) for c in present]
    table = [[Fraction(x) for x in np.asarray(term_frequency)[c].tolist()] for c in present]
    totals = [sum(row) + Fraction(b2) for row in table]
    p = [
        [(x + Fraction(b1)) / total for x, total in zip(column, totals, strict=True)]
        for column in zip(*table, strict=True)
    ]

    def others(x: list[Fraction]) -> list[Fraction]:
        mixture = sum(map(operator.mul, w, x), Fraction(0))
        return [(mixture - w_c * x_c) / (sum(w) - w_c) for w_c, x_c in zip(w, x, strict=True)]

    return p, others


def ulp_error(computed: float, exact: Exact) -> float:
    """Return |computed - exact| in units of the spacing of the float64 nearest to `exact`.

    If the exact value is infinite or 0, the error is 0 if the computed value is equal, and infinite
    if the computed value differs.
    """
    return _error_in_units(computed, exact, unit=math.ulp(_to_float(exact)))


def relative_error(computed: float, exact: Exact) -> float:
    """Return |computed - exact| / |exact|, with the rules of `ulp_error` for infinity and 0.

    A value below the range of float64 counts as the least normal number, because it is rounded to a
    multiple of 2^-1074.
    """
    return _error_in_units(computed, exact, unit=max(abs(exact), _LEAST_NORMAL))


def _error_in_units(computed: float, exact: Exact, unit: Any) -> float:
    nearest = _to_float(exact)
    if exact == 0 or math.isinf(nearest) or not math.isfinite(computed):
        return 0.0 if computed == nearest else math.inf
    return _to_float(abs(Fraction(computed) - Fraction(exact)) / Fraction(unit))


# Methods that compare documents or occurrences. Most formulas differ from those of the reference:
# chi-square has squared gaps over expectations, and information and G2 are KL divergences.


def exact_sum(values: Sequence[float]) -> Fraction:
    if all(isinstance(x, int) for x in values):
        return Fraction(sum(values))  # far quicker
    return sum(map(Fraction, values), Fraction(0))


def log_of(x: Fraction) -> Exact:
    """Return log x to DIGITS digits, also for x near 1."""
    if x == 1:
        return Fraction(0)
    if x == 0:
        return -math.inf
    a, b = x.numerator, x.denominator
    lost = max(0, b.bit_length() - abs(a - b).bit_length()) + 8
    with mpmath.workprec(math.ceil(DIGITS * math.log2(10)) + lost):
        return _fraction(mpmath.log(mpmath.mpf(a) / b))


def exponential_of(x: Fraction) -> Fraction:
    """Return e^x."""
    with mpmath.workdps(PRECISION):
        return _fraction(mpmath.exp(_mpf(x)))


def root_of(x: Fraction) -> Fraction:
    with mpmath.workdps(DIGITS + 5):
        return _fraction(mpmath.sqrt(_mpf(x)))


@cache
def normal_quantile(rate: Fraction, digits: int) -> Fraction:
    with mpmath.workdps(digits):
        return _fraction(mpmath.sqrt(2) * mpmath.erfinv(_mpf(2 * rate - 1)))


def _mpf(x: Fraction) -> Any:
    return mpmath.mpf(x.numerator) / x.denominator


def _fraction(x: Any) -> Fraction:
    return (-1 if x < 0 else 1) * abs(Fraction(int(x.man))) * Fraction(2) ** int(x.exp)


def _sum(*values: Exact) -> Exact:
    # A Fraction that is added to an infinity becomes a float, and may be too large for a float.
    infinities = {math.inf, -math.inf}.intersection(values)
    if infinities:
        return infinities.pop() if len(infinities) == 1 else Fraction(0)  # inf - inf counts as 0
    return sum((Fraction(x) for x in values), Fraction(0))


def _exact(x: Any) -> Exact:
    return math.inf if x == mpmath.inf else _fraction(x)


def row_values(table: Any) -> list[list[float]]:
    """Return the values in each row of a sparse or dense table. Zeros may be left out."""
    if hasattr(table, "tocsr"):
        table = table.tocsr()
        return [
            table.data[start:stop].tolist()
            for start, stop in zip(table.indptr[:-1], table.indptr[1:], strict=True)
        ]
    return np.asarray(table).tolist()


def columns_of(table: Any, terms: list[int]) -> list[list[float]]:
    if hasattr(table, "tocsc"):
        return table.tocsc()[:, terms].toarray().tolist()
    return np.asarray(table)[:, terms].tolist()


def _to_float(x: Exact) -> float:
    """Return the nearest float64, or an infinity if x is too large for a float64."""
    try:
        return float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf
