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
    Classes without documents take no part: their row is 0. The models "binary" and "bernoulli" want
    document frequencies for `term_frequency`; b1 and b2 are what they are by any.
    """
    if model == "poisson":
        gaps = {"md": _poisson_kl, "jeffreys": _poisson_nu_j, "pearson": _poisson_pearson}
    else:
        gaps = {"md": _kl, "jeffreys": _nu_j, "pearson": _pearson}
    gap = gaps[{"md": "md", "md_chi2": noncentrality}[method]]
    n_c = [Fraction(n) for n in np.asarray(class_docs).tolist()]
    if model in ("bernoulli", "poisson"):
        l_c = n_c
    else:
        l_c = [sum(map(Fraction, row), Fraction(0)) for row in _row_values(term_frequency)]
    terms = list(range(np.shape(term_frequency)[1]) if terms is None else terms)
    l_ic = _columns(term_frequency, terms)
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


def exact_cell_scores(
    method: str,
    term_frequency: Any,
    document_frequency: Any,
    class_docs: Any,
    n_docs: Any,
    collection: tuple[Any, Any] | None = None,
    b2: Any = 0,
    terms: Iterable[int] | None = None,
) -> list[list[Exact]]:
    """Return the value of each given term by a method of documents and occurrences.

    There is one row per class, as for `exact_class_scores`. The `collection` is (l_i, d_i), each
    document counted once, and the sum of the classes by default; only "log_odds" reads b2. Results
    are exact where the formula has neither logarithm nor root, and good to more than 50 digits
    elsewhere."""
    value = _CELL_VALUES[method]
    terms = list(range(np.shape(term_frequency)[1]) if terms is None else terms)
    t = _CellTable(term_frequency, document_frequency, class_docs, n_docs, collection, b2, terms)
    return [
        [value(t, i, c) if n_c > 0 and d_i > 0 else Fraction(0) for i, d_i in enumerate(t.d_i)]
        for c, n_c in enumerate(t.n_c)
    ]


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
    return [x * _log_of(n / d) if d else Fraction(0) for x, d in zip(l_i, d_i, strict=True)]


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
                    whole * _kl_of(x / whole, y / whole_of_others)
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


def _kl_of(x: Fraction, y: Fraction) -> Fraction:
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


class _CellTable:
    """Counts of some terms as fractions, and the totals that they are part of."""

    def __init__(
        self,
        term_frequency: Any,
        document_frequency: Any,
        class_docs: Any,
        n_docs: Any,
        collection: tuple[Any, Any] | None,
        b2: Any,
        terms: list[int],
    ) -> None:
        def fractions(values: Any) -> list[Fraction]:
            return [Fraction(x) for x in np.asarray(values).tolist()]

        self.l_ic, self.d_ic = (
            [fractions(row) for row in _columns(x, terms)]
            for x in (term_frequency, document_frequency)
        )
        self.n_c = fractions(class_docs)
        self.n = Fraction(n_docs)
        self.l_c = [_exact_sum(row) for row in _row_values(term_frequency)]
        if collection is None:
            self.l_i, self.d_i = (
                [sum(column, Fraction(0)) for column in zip(*x, strict=True)]
                for x in (self.l_ic, self.d_ic)
            )
            self.l = sum(self.l_c, Fraction(0))
        else:
            self.l_i, self.d_i = (fractions(np.asarray(row)[terms]) for row in collection)
            self.l = _exact_sum(np.asarray(collection[0]).tolist())
        self.b2 = Fraction(b2)

    def within(self, i: int, c: int) -> Fraction:
        """Return the share of the class's documents that have the term."""
        return self.d_ic[c][i] / self.n_c[c]

    def outside(self, i: int, c: int) -> Fraction:
        """Return the share of the other documents that do; of none, that of the class."""
        if self.n == self.n_c[c]:
            return self.within(i, c)
        return (self.d_i[i] - self.d_ic[c][i]) / (self.n - self.n_c[c])

    def everywhere(self, i: int) -> Fraction:
        """Return the share of all documents that do."""
        return self.d_i[i] / self.n


def _cell_tfidf(t: _CellTable, i: int, c: int) -> Exact:
    return t.l_ic[c][i] * _log_of(1 / t.everywhere(i))


def _cell_mi(t: _CellTable, i: int, c: int) -> Exact:
    return _log_of(t.within(i, c) / t.everywhere(i))


def _cell_cet(t: _CellTable, i: int, c: int) -> Exact:
    return t.d_ic[c][i] / t.n * _cell_mi(t, i, c) if t.d_ic[c][i] else Fraction(0)


def _cell_ig(t: _CellTable, i: int, c: int) -> Exact:
    return t.n_c[c] / t.n * _kl_of(t.within(i, c), t.everywhere(i))


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
    return _log_of((6 * t.within(i, c) + 1) / (6 * t.outside(i, c) + 1))


def _cell_ngl(t: _CellTable, i: int, c: int) -> Exact:
    root = _root_of(Fraction(_cell_chi2(t, i, c)))
    return root if t.within(i, c) > t.everywhere(i) else -root


def _cell_g2(t: _CellTable, i: int, c: int) -> Exact:
    everywhere = t.everywhere(i)
    within = t.n_c[c] * _kl_of(t.within(i, c), everywhere)
    return 2 * (within + (t.n - t.n_c[c]) * _kl_of(t.outside(i, c), everywhere))


def _cell_bns(t: _CellTable, i: int, c: int) -> Exact:
    rates = [
        min(max(rate, Fraction(1, 2000)), Fraction(1999, 2000))
        for rate in (t.within(i, c), t.outside(i, c))
    ]
    gap = abs(rates[0] - rates[1])
    if gap == 0:
        return Fraction(0)
    digits = DIGITS + 10 + len(str(int(1 / gap)))
    low, high = (_normal_quantile(rate, digits) for rate in sorted(rates))
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
    delta = _log_of((own + prior) / rest * rest_of_others / (others + prior))
    return delta * _root_of(1 / (1 / (own + prior) + 1 / (others + prior)))


def _cell_jlh(t: _CellTable, i: int, c: int) -> Exact:
    foreground, background = t.within(i, c), t.everywhere(i)
    return max(Fraction(0), foreground**2 / background - foreground)


def _cell_chi2_counts(t: _CellTable, i: int, c: int) -> Exact:
    if t.l_i[i] == 0:
        return Fraction(0)
    expected = t.n_c[c] / t.n * t.l_i[i]
    return t.l_ic[c][i] ** 2 / expected - 2 * t.l_ic[c][i] + expected


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
    "jlh": _cell_jlh,
    "chi2_counts": _cell_chi2_counts,
}
CELL_METHODS = tuple(_CELL_VALUES)


def _exact_sum(values: Sequence[float]) -> Fraction:
    if all(isinstance(x, int) for x in values):
        return Fraction(sum(values))  # far quicker
    return sum(map(Fraction, values), Fraction(0))


def _log_of(x: Fraction) -> Exact:
    """Return log x, good to DIGITS digits however near 1 x is."""
    if x == 1:
        return Fraction(0)
    if x == 0:
        return -math.inf
    a, b = x.numerator, x.denominator
    lost = max(0, b.bit_length() - abs(a - b).bit_length()) + 8
    with mpmath.workprec(math.ceil(DIGITS * math.log2(10)) + lost):
        return _fraction(mpmath.log(mpmath.mpf(a) / b))


def _root_of(x: Fraction) -> Fraction:
    with mpmath.workdps(DIGITS + 5):
        return _fraction(mpmath.sqrt(_mpf(x)))


@cache
def _normal_quantile(rate: Fraction, digits: int) -> Fraction:
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


def _row_values(table: Any) -> list[list[float]]:
    """Return the values of each row of a sparse or dense table; zeros may be missing."""
    if hasattr(table, "tocsr"):
        table = table.tocsr()
        return [
            table.data[start:stop].tolist()
            for start, stop in zip(table.indptr[:-1], table.indptr[1:], strict=True)
        ]
    return np.asarray(table).tolist()


def _columns(table: Any, terms: list[int]) -> list[list[float]]:
    if hasattr(table, "tocsc"):
        return table.tocsc()[:, terms].toarray().tolist()
    return np.asarray(table)[:, terms].tolist()


def _to_float(x: Exact) -> float:
    """Return the nearest float64, infinite beyond the largest."""
    try:
        return float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf
