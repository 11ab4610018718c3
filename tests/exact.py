"""The scores to fifty digits, against which float64 is measured.

Everything up to the logarithm is integer arithmetic, hence exact. The equations and their symbols
are those of ``termsift.reference``; the arithmetic is different, so that neither can copy a mistake
of the other.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, TypeAlias

import mpmath
import numpy as np

# The only floats are infinities: every finite score is a Fraction, which unlike an mpf is never
# rounded to the current precision.
Exact: TypeAlias = Fraction | float

DIGITS = 60


def exact_class_scores(
    term_frequency: Any,
    class_docs: Any,
    method: str,
    b1: float,
    b2: float,
    prior: str | Sequence[float] | None = None,
    noncentrality: str = "jeffreys",
    terms: Iterable[int] | None = None,
    model: str = "multinomial",
) -> list[list[Exact]]:
    """Return the value of each given term in every class, one row per class.

    l_c is the sum of all of `term_frequency`; only the columns in `terms` are scored. Results are
    exact for "md_chi2", and good to more than 50 digits for "md", in which p == q gives exactly 0.
    The method "relative" is |p - q| / max(p, q).
    Classes without documents take no part: their row is 0. The models "binary" and "bernoulli" want
    document frequencies for `term_frequency`; b1 and b2 are what they are by any.
    """
    if model == "poisson":
        gaps = {"md": _poisson_kl, "jeffreys": _poisson_nu_j, "pearson": _poisson_pearson}
    else:
        gaps = {"md": _kl, "jeffreys": _nu_j, "pearson": _pearson}
    gaps["relative"] = _relative_gap
    gap = gaps[{"md": "md", "md_chi2": noncentrality, "relative": "relative"}[method]]
    n_c = [Fraction(n) for n in np.asarray(class_docs).tolist()]
    if model in ("bernoulli", "poisson"):
        l_c = n_c
    else:
        l_c = [sum(map(Fraction, row), Fraction(0)) for row in row_values(term_frequency)]
    terms = list(range(np.shape(term_frequency)[1]) if terms is None else terms)
    l_ic = columns_of(term_frequency, terms)
    present = [c for c, n in enumerate(n_c) if n > 0]

    pi = (
        n_c
        if prior is None
        else [Fraction(w) for w in ([1] * len(n_c) if prior == "uniform" else prior)]
    )
    # Priors as whole numbers, w_c / W: their common scale cancels.
    scale = math.lcm(*(pi[c].denominator for c in present))
    w = {c: int(pi[c] * scale) for c in present}
    total = sum(w.values())

    scores: list[list[Exact]] = [[Fraction(0)] * len(terms) for _ in n_c]
    for j in range(len(terms)):
        p = {c: _ratio(Fraction(l_ic[c][j]) + Fraction(b1), l_c[c] + Fraction(b2)) for c in present}
        # Over the common denominator D (W - w_c), p_ic and q_ic are whole numbers.
        common = math.lcm(*(x.denominator for x in p.values()))
        big_p = {c: x.numerator * (common // x.denominator) for c, x in p.items()}
        mixture = sum(w[c] * big_p[c] for c in present)
        for c in present:
            others = total - w[c]
            scores[c][j] = gap(big_p[c] * others, mixture - w[c] * big_p[c], common * others)
    return scores


def exact_scores(*args: Any, **options: Any) -> list[Exact]:
    """Return the sum over classes of `exact_class_scores`, which takes the same arguments."""
    return [_sum(*column) for column in zip(*exact_class_scores(*args, **options), strict=True)]


def exact_collection_scores(
    method: str,
    l_i: Any,
    d_i: Any,
    n_docs: Any,
) -> list[Exact]:
    """Return the value of each term that "df" and "tfidf" have for the whole collection."""
    l_i, d_i = ([Fraction(x) for x in np.asarray(row).tolist()] for row in (l_i, d_i))
    if method == "df":
        return list(d_i)
    n = Fraction(n_docs)
    return [x * log_of(n / d) if d else Fraction(0) for x, d in zip(l_i, d_i, strict=True)]


def exact_aggregate(
    rows: Sequence[Sequence[Exact]],
    aggregate: str,
    class_docs: Any,
    prior: str | Sequence[float] | None = None,
) -> list[Exact]:
    """Return the score of each term from its values for the classes, one row a class."""
    n_c = np.asarray(class_docs).tolist()
    weights = n_c if prior is None else [1] * len(n_c) if prior == "uniform" else prior
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
    """Return log of the chance that a chi-square variable exceeds a statistic, to 50 digits."""
    if statistic == 0:
        return Fraction(0)
    if statistic == math.inf:
        return -math.inf
    with mpmath.workdps(2 * DIGITS):
        a, z = mpmath.mpf(degrees) / 2, _mpf(Fraction(statistic)) / 2
        if z < a:
            return _fraction(mpmath.log1p(-mpmath.gammainc(a, 0, z, regularized=True)))
        return _fraction(mpmath.log(mpmath.gammainc(a, z, regularized=True)))


def many_class_values(
    l_i: Sequence[float],
    class_tokens: Sequence[float],
    class_docs: Sequence[float],
    b1: float,
    b2: float,
    prior: str | Sequence[float] | None = None,
    *,
    rates: bool = False,
) -> dict[str, list[Exact]]:
    """Return the values of one term in every class, by method: "md", "md_chi2" and "pearson".

    It serves hundreds of classes, whose common denominator would be too large. It computes in 150
    digits, of which at least 60 are left unless p and q agree to more than 40. All classes have
    documents. `class_tokens` are the denominators without b2: documents for the models "bernoulli"
    and "poisson". With `rates`, p and q are rates, which have no complement.
    """
    with mpmath.workdps(150):
        if prior is None:
            w = [mpmath.mpf(n) for n in class_docs]
        else:
            w = [mpmath.mpf(x) for x in ([1] * len(class_docs) if prior == "uniform" else prior)]
        total = mpmath.fsum(w)
        p = [
            (mpmath.mpf(l_ic) + mpmath.mpf(b1)) / (mpmath.mpf(l_c) + mpmath.mpf(b2))
            for l_ic, l_c in zip(l_i, class_tokens, strict=True)
        ]
        mixture = mpmath.fsum(w_c * p_c for w_c, p_c in zip(w, p, strict=True))
        values: dict[str, list[Exact]] = {"md": [], "md_chi2": [], "pearson": []}
        for w_c, p_c in zip(w, p, strict=True):
            q_c = (mixture - w_c * p_c) / (total - w_c)
            d = p_c - q_c
            if abs(d) < p_c * mpmath.mpf(10) ** -100:  # p == q
                kl = pearson = mirrored = mpmath.mpf(0)
            else:
                # If they differ, p or q may be 1.
                p_rest, q_rest = (1, 1) if rates else (1 - p_c, 1 - q_c)
                kl = p_c * mpmath.log(p_c / q_c) + (-d if rates else 0)
                if not rates and p_rest > 0:
                    kl += p_rest * mpmath.log(p_rest / q_rest) if q_rest > 0 else mpmath.inf
                pearson, mirrored = (
                    d**2 / (x * rest) if rest > 0 else mpmath.inf
                    for x, rest in ((q_c, q_rest), (p_c, p_rest))
                )
            for name, x in (
                ("md", kl),
                ("md_chi2", (pearson + mirrored) / 2),
                ("pearson", pearson),
            ):
                values[name].append(math.inf if x == mpmath.inf else _fraction(x))
        return values


def exact_gains(
    term_frequency: Any,
    class_docs: Any,
    order: Sequence[int],
    b1: Any,
    b2: Any,
    prior: str | Sequence[float] | None = None,
) -> Iterator[dict[int, Fraction]]:
    """Yield what each remaining term would add to the divergence, before each term of `order` is
    taken.

    No digits are lost: if term p is taken from the pool R, class c adds the gain R_c kl(p_c / R_c
    || p'_c / R'_c), where ' is the mixture of the other classes. Exactly 0 where p is a share of R.
    Classes without documents take no part.
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
    prior: str | Sequence[float] | None = None,
) -> Fraction:
    """Return JMH of some terms and the pool of the others, from its definition."""
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
    """Return p of each term in the classes with documents, and a function: p outside each class."""
    n_c = np.asarray(class_docs).tolist()
    present = [c for c, n in enumerate(n_c) if n > 0]
    weights = n_c if prior is None else [1] * len(n_c) if prior == "uniform" else prior
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


def kl_of(x: Fraction, y: Fraction) -> Fraction:
    common = math.lcm(x.denominator, y.denominator)
    return Fraction(_kl(*(int(z * common) for z in (x, y)), common))


def ulp_error(computed: float, exact: Exact) -> float:
    """Return |computed - exact| in units of the spacing of the float64 nearest to `exact`.

    If the exact value is infinite or 0, the error is 0 if the computed one is equal, and infinite
    otherwise.
    """
    return _error_in_units(computed, exact, unit=math.ulp(_to_float(exact)))


def relative_error(computed: float, exact: Exact) -> float:
    """Return |computed - exact| / |exact|; infinities and an exact 0 are as in `ulp_error`."""
    return _error_in_units(computed, exact, unit=abs(exact))


def _error_in_units(computed: float, exact: Exact, unit: Any) -> float:
    nearest = _to_float(exact)
    if exact == 0 or math.isinf(nearest) or not math.isfinite(computed):
        return 0.0 if computed == nearest else math.inf
    return _to_float(abs(Fraction(computed) - Fraction(exact)) / Fraction(unit))


# Each takes p = a / e and q = b / e as whole numbers, 0 <= a, b <= e.


def _kl(a: int, b: int, e: int) -> Exact:
    """Return p log(p/q) + (1-p) log((1-p)/(1-q)), good to DIGITS digits however small p - q is."""
    if a == b:
        return Fraction(0)
    if (b == 0 < a) or (b == e > a):
        return math.inf
    # By Pinsker's inequality the sum is at least 2 (p-q)^2, and its terms are at most of the order
    # of log e. So cancellation loses at most twice the bits of 1/(p-q), which are added to the
    # precision.
    lost = 2 * (e.bit_length() - abs(a - b).bit_length() + 1) + e.bit_length().bit_length()
    with mpmath.workprec(math.ceil(DIGITS * math.log2(10)) + lost):
        kl = _x_log_x_over_y(a, b, e) + _x_log_x_over_y(e - a, e - b, e)
        return Fraction(kl.man) * Fraction(2) ** kl.exp


def _x_log_x_over_y(a: int, b: int, e: int) -> Any:
    return mpmath.mpf(a) / e * mpmath.log(mpmath.mpf(a) / b) if a else mpmath.mpf(0)


def _relative_gap(a: int, b: int, _: int) -> Exact:
    return Fraction(abs(a - b), max(a, b, 1))


def _pearson(a: int, b: int, e: int) -> Exact:
    """Return (p-q)^2 / (q (1-q))."""
    if a == b:
        return Fraction(0)
    return math.inf if b in (0, e) else Fraction((a - b) ** 2, b * (e - b))


def _nu_j(a: int, b: int, e: int) -> Exact:
    return _sum(_pearson(a, b, e), _pearson(b, a, e)) / 2


def _poisson_kl(a: int, b: int, e: int) -> Exact:
    """Return p log(p/q) - p + q of two rates, good to DIGITS digits however small p - q is."""
    if a == b or b == 0:
        return Fraction(0) if a == b else math.inf
    # The sum is at least (p-q)^2 / (2 max(p, q)).
    lost = 2 * (max(a, b).bit_length() - abs(a - b).bit_length() + 1) + 16
    with mpmath.workprec(math.ceil(DIGITS * math.log2(10)) + lost):
        kl = (a * mpmath.log(mpmath.mpf(a) / b) if a else mpmath.mpf(0)) - a + b
        return _fraction(kl) / e


def _poisson_pearson(a: int, b: int, e: int) -> Exact:
    """Return (p-q)^2 / q."""
    if a == b:
        return Fraction(0)
    return math.inf if b == 0 else Fraction((a - b) ** 2, b * e)


def _poisson_nu_j(a: int, b: int, e: int) -> Exact:
    return _sum(_poisson_pearson(a, b, e), _poisson_pearson(b, a, e)) / 2


# The methods of documents and occurrences, if possible by another formula than the reference's:
# chi-square as squared gaps over expectations, information and G2 as KL divergences.


def exact_sum(values: Sequence[float]) -> Fraction:
    if all(isinstance(x, int) for x in values):
        return Fraction(sum(values))  # far quicker
    return sum(map(Fraction, values), Fraction(0))


def log_of(x: Fraction) -> Exact:
    """Return log x, good to DIGITS digits however near 1 x is."""
    if x == 1:
        return Fraction(0)
    if x == 0:
        return -math.inf
    a, b = x.numerator, x.denominator
    lost = max(0, b.bit_length() - abs(a - b).bit_length()) + 8
    with mpmath.workprec(math.ceil(DIGITS * math.log2(10)) + lost):
        return _fraction(mpmath.log(mpmath.mpf(a) / b))


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
    # Added to an infinity, a Fraction becomes a float, for which it may be too large.
    infinities = {math.inf, -math.inf}.intersection(values)
    if infinities:
        return infinities.pop() if len(infinities) == 1 else Fraction(0)  # inf - inf, as 0/0, is 0
    return sum((Fraction(x) for x in values), Fraction(0))


def _ratio(x: Fraction, y: Fraction) -> Fraction:
    return x / y if y else Fraction(0)  # 0/0: a class without tokens, and no smoothing


def row_values(table: Any) -> list[list[float]]:
    """Return the values of each row of a sparse or dense table; zeros may be missing."""
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
    """Return the nearest float64, infinite beyond the largest."""
    try:
        return float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf
