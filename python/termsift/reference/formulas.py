"""The formulas: one function for each method, which returns the value of term i for class c.

The symbols and conventions are those of `termsift.reference`. In class c, A documents contain term
i, and C documents do not. In all other classes together, B documents contain term i, and D
documents do not.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Any, TypeAlias

from termsift.reference.tables import Cells, Probabilities

Value: TypeAlias = Fraction | float

# ----------------------------------------------------------- probabilities, under an event model


def md(t: Probabilities, i: int, c: int) -> float:
    """``p log(p/q) + (1-p) log((1-p)/(1-q))``, the KL divergence of two Bernoulli variables.

    For two Poisson variables the divergence is p log(p/q) - p + q. The source is Tang, Kay and He
    2016, Algorithms 2 and 3. The paper has no formula for Poisson variables.
    """
    p, q = t.p(i, c), t.q(i, c)
    if t.model == "poisson":
        return _x_log_x_over_y(p, q) - p + q
    return _x_log_x_over_y(p, q) + _x_log_x_over_y(1 - p, 1 - q)


def md_chi2(t: Probabilities, i: int, c: int) -> float:
    """``1/2 [(p-q)^2 / var(q) + (p-q)^2 / var(p)]``, or ``(p-q)^2 / var(q)`` for "pearson".

    The variance var(q) is q (1-q), or q for Poisson variables. The source is equation (20) and
    Section 4.4 of Tang, Kay and He 2016.
    """
    p, q = t.p(i, c), t.q(i, c)
    pearson = _squared_gap_over_variance(p, q, t.model)
    if t.noncentrality == "pearson":
        return pearson
    neyman = _squared_gap_over_variance(q, p, t.model)
    return (pearson + neyman) / 2


def _x_log_x_over_y(x: float, y: float) -> float:
    if x == 0:
        return 0.0
    if y == 0:
        return math.inf
    return x * math.log(x / y)


def _squared_gap_over_variance(p: float, q: float, model: str) -> float:
    """Return (p - q)^2 / var(q)."""
    if p == q:
        return 0.0
    variance = q if model == "poisson" else q * (1 - q)
    if variance == 0:
        return math.inf
    return (p - q) ** 2 / variance


# ------------------------------------------------------------------------------- frequencies


def df(t: Cells, i: int, c: int) -> Value:
    """Document frequency, ``A`` (Yang and Pedersen 1997)."""
    return t.A(i, c)


def df_of_term(t: Cells, i: int) -> Value:
    """Document frequency in the whole collection, ``d_i`` (Yang and Pedersen 1997)."""
    return t.d_i[i]


def tfidf(t: Cells, i: int, c: int) -> Value:
    """``l_ic log(n / d_i)`` (Salton, Wong and Yang 1975)."""
    return float(t.l_ic[c][i]) * log(t.n / t.d_i[i])


def tfidf_of_term(t: Cells, i: int) -> Value:
    """``l_i log(n / d_i)`` (Salton, Wong and Yang 1975)."""
    return float(t.l_i[i]) * log(t.n / t.d_i[i])


# ------------------------------------------------------------------------------- information


def mi(t: Cells, i: int, c: int) -> Value:
    """Pointwise mutual information, ``log(A n / (d_i n_c))`` (Yang and Pedersen 1997)."""
    return log(t.A(i, c) * t.n / (t.d_i[i] * t.n_c[c]))


def cet(t: Cells, i: int, c: int) -> Value:
    """Cross entropy for text, ``(A/n) log(A n / (d_i n_c))`` (Mladenic and Grobelnik 1999)."""
    return _times_log(t.A(i, c) / t.n, t.A(i, c) * t.n, t.d_i[i] * t.n_c[c])


def ig(t: Cells, i: int, c: int) -> Value:
    """Information gain, ``(A/n) log(A n / (d_i n_c)) + (C/n) log(C n / ((n-d_i) n_c))``.

    The source is Yang and Pedersen 1997. If no document has two classes, the sum of the values over
    the classes is the mutual information of the term's presence and the class.
    """
    absence = _times_log(t.C(i, c) / t.n, t.C(i, c) * t.n, t.without(i, c) * t.n_c[c])
    return cet(t, i, c) + absence


# ------------------------------------------------------------- the four cells of term and class


def chi2(t: Cells, i: int, c: int) -> Value:
    """``n det^2 / (n_c (n-n_c) d_i (n-d_i))``, or 0 if a factor of the divisor is 0.

    The source is Yang and Pedersen 1997.
    """
    margins = t.n_c[c] * t.outside(c) * t.d_i[i] * (t.n - t.d_i[i])
    # Then det is 0 too, unless totals of weights were rounded.
    return t.n * t.det(i, c) ** 2 / margins if margins else 0.0


def chi2_printed(t: Cells, i: int, c: int) -> Value:
    """``det^2 / (A B C D)``, as printed in Section 2 of Tang, Kay and He 2016."""
    return _ratio(t.det(i, c) ** 2, t.A(i, c) * t.B(i, c) * t.C(i, c) * t.D(i, c))


def ngl(t: Cells, i: int, c: int) -> Value:
    """``sqrt(n) det / sqrt(n_c (n-n_c) d_i (n-d_i))``: sqrt(chi2) with the sign of det.

    The source is Ng, Goh and Low 1997.
    """
    root = math.sqrt(chi2(t, i, c))
    return root if t.det(i, c) >= 0 else -root


def g2(t: Cells, i: int, c: int) -> Value:
    """``2 sum O log(O/E)`` over the four cells O (Dunning 1993).

    The expected number E of a cell is its row total times its column total, divided by n.
    """
    # Totals of cells are positive wherever a cell is, even if sums of weights were rounded.
    with_term, without = t.d_i[i], t.without(i, c)
    within, outside = t.n_c[c], t.B(i, c) + t.D(i, c)
    # With two classes, the cells A, B, C, D of one class are the cells B, A, D, C of the other
    # class. fsum does not depend on the order of its summands, so the two classes get equal values.
    return 2 * math.fsum(
        (
            _times_log(t.A(i, c), t.A(i, c) * t.n, with_term * within),
            _times_log(t.B(i, c), t.B(i, c) * t.n, with_term * outside),
            _times_log(t.C(i, c), t.C(i, c) * t.n, without * within),
            _times_log(t.D(i, c), t.D(i, c) * t.n, without * outside),
        )
    )


def gss(t: Cells, i: int, c: int) -> Value:
    """``det / n^2`` with det = AD - CB (Galavotti, Sebastiani and Simi 2000)."""
    return t.det(i, c) / t.n**2


def odds_ratio(t: Cells, i: int, c: int) -> Value:
    """Odds ratio, ``A D / (B C)`` (van Rijsbergen 1979).

    Mladenic and Grobelnik 1999 use log(A D / (B C)), which gives the same ranking by default.
    """
    return _ratio(t.A(i, c) * t.D(i, c), t.B(i, c) * t.C(i, c))


def relevancy(t: Cells, i: int, c: int) -> Value:
    """``log((A/n_c + 1/6) / (B/(n-n_c) + 1/6))``, or 0 if n = n_c.

    The source is Wiener, Pedersen and Weigend 1995. The formula in Sebastiani 2002 has a misprinted
    denominator.
    """
    if t.outside(c) == 0:
        return 0.0
    sixth = Fraction(1, 6)
    return log((t.A(i, c) / t.n_c[c] + sixth) / (t.B(i, c) / t.outside(c) + sixth))


def bns(t: Cells, i: int, c: int) -> Value:
    """``|F^-1(A/n_c) - F^-1(B/(n-n_c))|`` with the normal distribution F, or 0 if n = n_c.

    The source is Forman 2003. Rates are clipped to [0.0005, 0.9995], since F^-1 is infinite at 0
    and 1.
    """
    if t.outside(c) == 0:
        return 0.0
    within, outside = t.A(i, c) / t.n_c[c], t.B(i, c) / t.outside(c)
    return abs(_normal_quantile(_clipped(within)) - _normal_quantile(_clipped(outside)))


def _clipped(rate: Fraction) -> Fraction:
    return min(max(rate, Fraction(5, 10_000)), Fraction(9995, 10_000))


def _normal_quantile(rate: Fraction) -> float:
    if rate > Fraction(1, 2):  # float(1 - rate) loses fewer digits than float(rate)
        return -NormalDist().inv_cdf(float(1 - rate))
    return NormalDist().inv_cdf(float(rate))


def jlh(t: Cells, i: int, c: int) -> Value:
    """``max(0, fg-bg) fg / bg`` with fg = A/n_c and bg = d_i/n.

    This is the JLH score of Elasticsearch's significant_terms.
    """
    fg, bg = t.A(i, c) / t.n_c[c], t.d_i[i] / t.n
    return max(Fraction(0), fg - bg) * fg / bg


def dfs(t: Cells, i: int, c: int) -> Value:
    """``(A/d_i) / (C/n_c + B/(n-n_c) + 1)``, or 0 if n = n_c (Uysal and Gunal 2012)."""
    if t.outside(c) == 0:
        return Fraction(0)
    return t.A(i, c) / t.d_i[i] / (t.C(i, c) / t.n_c[c] + t.B(i, c) / t.outside(c) + 1)


def efs(t: Cells, i: int, c: int) -> Value:
    """``(A/n_c) / (C/n_c + B/(n-n_c) + 1) * (A/d_i) / (C/(n-d_i) + B/d_i + 1)``, or 0 if n = n_c.

    The source is Parlak and Uysal 2023. The four shares with A or B are those of the term in the
    class, the term elsewhere, the class given the term, and the other classes given the term.
    """
    if t.outside(c) == 0:
        return Fraction(0)
    absent = _ratio(t.C(i, c), t.without(i, c))
    of_term = t.A(i, c) / t.n_c[c] / (t.C(i, c) / t.n_c[c] + t.B(i, c) / t.outside(c) + 1)
    return of_term * (t.A(i, c) / t.d_i[i]) / (Fraction(absent) + t.B(i, c) / t.d_i[i] + 1)


def gini(t: Cells, i: int, c: int) -> Value:
    """``(A/n_c)^2 (A/d_i)^2``, or 0 if n = n_c (Shang and others 2007)."""
    if t.outside(c) == 0:
        return Fraction(0)
    return (t.A(i, c) / t.n_c[c]) ** 2 * (t.A(i, c) / t.d_i[i]) ** 2


def acc2(t: Cells, i: int, c: int) -> Value:
    """``|A/n_c - B/(n-n_c)|``, or 0 if n = n_c (Forman 2003)."""
    return abs(t.tpr(i, c) - t.fpr(i, c))


def ndm(t: Cells, i: int, c: int) -> Value:
    """``|tpr - fpr| / min(tpr, fpr)`` (Rehman, Javed and Babri 2017).

    The article divides by a small constant if the minimum is 0, here by 10^-10. With
    ``zero="document"``, the value is divided by the share of one document, which is 1/n_c if A is
    0, and otherwise 1/(n-n_c).
    """
    return acc2(t, i, c) / (min(t.tpr(i, c), t.fpr(i, c)) or t.least_share(i, c, "epsilon"))


def mmr(t: Cells, i: int, c: int) -> Value:
    """``max(tpr, fpr) / min(tpr, fpr) * |tpr - fpr|`` (Rehman and others 2018).

    A minimum of 0 is replaced as in `ndm`.
    """
    return max(t.tpr(i, c), t.fpr(i, c)) * ndm(t, i, c)


def wllr(t: Cells, i: int, c: int) -> Value:
    """``tpr log(tpr/fpr)`` (Nigam and others 2000; Li and others 2009).

    An fpr of 0 is replaced by the share of one document, or by 10^-10 with ``zero="epsilon"``.
    """
    if t.outside(c) == 0:
        return 0.0
    fpr = t.fpr(i, c) or t.least_share(i, c, "document")
    return _times_log(t.tpr(i, c), t.tpr(i, c), fpr)


# ------------------------------------------------------------------------------- occurrences


def poisson_deviation(t: Cells, i: int, c: int) -> Value:
    """``sum (O-E)^2 / E`` over the cells O, as if occurrences fell on documents at random.

    A document then has the term with the probability p = 1 - exp(-l_i/n), and E is n_c p or
    (n-n_c) p with the term, and n_c (1-p) or (n-n_c) (1-p) without it. The source is Ogura, Amano
    and Kondo 2009. The value is 0 if n = n_c.
    """
    if t.outside(c) == 0:
        return 0.0
    rate = t.l_i[i] / t.n
    if rate > 2000:  # The expected numbers of documents without the term are practically 0.
        return math.inf if t.d_i[i] < t.n else 0.0
    with decimal.localcontext(prec=60, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX):
        absent = Fraction((-decimal.Decimal(rate.numerator) / rate.denominator).exp())
    cells = (
        (t.A(i, c), t.n_c[c] * (1 - absent)),
        (t.B(i, c), t.outside(c) * (1 - absent)),
        (t.C(i, c), t.n_c[c] * absent),
        (t.D(i, c), t.outside(c) * absent),
    )
    return sum(((seen - due) ** 2 / due for seen, due in cells), start=Fraction(0))


def cmfs(t: Cells, i: int, c: int) -> Value:
    """``(l_ic + b1)/(l_c + b2) * (l_ic + b1)/(l_i + N b1)`` (Yang and others 2012).

    The article adds b1 = 1 to counts, and b2 = M to the total of a class.
    """
    within, given = t.l_c[c] + t.b2, t.l_i[i] + t.n_classes * t.b1
    return _ratio((t.l_ic[c][i] + t.b1) ** 2, within * given)


def log_odds(t: Cells, i: int, c: int) -> Value:
    """``log(x (S-u) / (u (R-x))) / sqrt(1/x + 1/u)``, the z-score of a log odds ratio.

    In this formula, x = l_ic + a_i, u = l_i - l_ic + a_i, R = l_c + a_0 and S = L - l_c + a_0. The
    source is Monroe, Colaresi and Quinn 2008, eqs. 15-22, with their informative Dirichlet prior
    a_i = a_0 l_i / L. The prior adds a_0 = b2 occurrences in total, and divides them among the
    terms in proportion to l_i. Without a prior, x or u may be 0, and the value is the limit, 0.
    """
    l_ic, l_i, l_c, L = t.l_ic[c][i], t.l_i[i], t.l_c[c], t.L
    a_i = t.b2 * l_i / L
    x = l_ic + a_i
    u = max(Fraction(0), l_i - l_ic) + a_i
    R_less_x = l_c - l_ic + t.b2 - a_i
    S_less_u = max(Fraction(0), L - l_c - (l_i - l_ic)) + t.b2 - a_i
    odds, other_odds = x * S_less_u, u * R_less_x
    if x == 0 or u == 0 or odds == other_odds:
        return 0.0
    if odds == 0 or other_odds == 0:  # This case needs a prior of 0, and R = x or S = u.
        return math.inf if odds > 0 else -math.inf
    return log(odds / other_odds) * math.sqrt(x * u / (x + u))


def log_ratio(t: Cells, i: int, c: int) -> Value:
    """``log2((l_ic + b1) (L - l_c + b2) / ((l_i - l_ic + b1) (l_c + b2)))`` (Hardie 2014)."""
    within, outside = t.smoothed_products(i, c)
    if within == outside:  # also 0/0
        return 0.0
    return log(within / outside) / math.log(2) if outside > 0 else math.inf


def chi2_counts(t: Cells, i: int, c: int) -> Value:
    """``(l_ic - E)^2 / E`` with E = l_i n_c / n, as in scikit-learn's chi2."""
    return _ratio((t.l_ic[c][i] - t.expected(i, c)) ** 2, t.expected(i, c))


def g2_counts(t: Cells, i: int, c: int) -> Value:
    """``2 sum O log(O/E)`` over the four cells of occurrences (Rayson and Garside 2000)."""
    l_ic, l_i, l_c, L = t.l_ic[c][i], t.l_i[i], t.l_c[c], t.L
    cells = (
        (l_ic, l_i * l_c),
        (l_i - l_ic, l_i * (L - l_c)),
        (l_c - l_ic, (L - l_i) * l_c),
        (L - l_i - l_c + l_ic, (L - l_i) * (L - l_c)),
    )
    # A cell may be slightly below 0 if fractions were rounded.
    seen = [(observed, margins) for observed, margins in cells if observed > 0]
    return 2 * math.fsum(_times_log(observed, observed * L, margins) for observed, margins in seen)


def c_tfidf(t: Cells, i: int, c: int) -> Value:
    """``l_ic/l_c log(1 + m/l_i)``, or ``l_ic/l_c log((m + 1) / (l_i + 1/2))`` for "bm25".

    m = floor(L / N) is the number of tokens of an average class. The source is Grootendorst 2022.
    As in BERTopic, m is rounded down, and the square root of l_ic/l_c is an option.
    """
    if t.l_ic[c][i] == 0:
        return 0.0
    share, l_i = t.l_ic[c][i] / t.l_c[c], t.l_i[i]
    m = math.floor(float(t.L) / t.n_classes)
    idf = log((m + 1) / (l_i + Fraction(1, 2)) if t.variant == "bm25" else 1 + m / l_i)
    return (math.sqrt(share) if t.sqrt else float(share)) * idf


# ------------------------------------------------------------------------------- conventions


def log(x: Fraction) -> float:
    """Return log x of an exact number x, with log 0 = -inf. The result is accurate near x = 1."""
    if x == 0:
        return -math.inf
    if Fraction(1, 2) < x < 2:
        return math.log1p(float(x - 1))
    return math.log(x.numerator) - math.log(x.denominator)


def _times_log(factor: Fraction, x: Fraction, y: Fraction) -> float:
    """Return factor * log(x/y), where 0 * log(x/y) is 0."""
    if factor == 0:
        return 0.0
    return float(factor) * log(x / y)


def _ratio(x: Fraction, y: Fraction) -> Value:
    """Return x / y for x >= 0, with x/0 = inf and 0/0 = 0."""
    if y == 0:
        return math.inf if x > 0 else Fraction(0)
    return x / y


# ------------------------------------------------------------------------------- all methods


@dataclass(frozen=True)
class Method:
    """A scoring method: the function of its class values, its default aggregate, and its input."""

    value: Callable[[Any, int, int], Value]  # Called with the input, i and c.
    aggregate: str | None  # If the aggregate is None, `of_term` computes the score.
    of_term: Callable[[Cells, int], Value] | None = None
    has_models: bool = False  # If True, the input is Probabilities, otherwise Cells.


METHODS = {
    "md": Method(md, "sum", has_models=True),
    "md_chi2": Method(md_chi2, "sum", has_models=True),
    "df": Method(df, None, of_term=df_of_term),
    "tfidf": Method(tfidf, None, of_term=tfidf_of_term),
    "mi": Method(mi, "max"),
    "cet": Method(cet, "sum"),
    "ig": Method(ig, "sum"),
    "chi2": Method(chi2, "max"),
    "chi2_printed": Method(chi2_printed, "max"),
    "gss": Method(gss, "max"),
    "odds_ratio": Method(odds_ratio, "max"),
    "relevancy": Method(relevancy, "max"),
    "ngl": Method(ngl, "max"),
    "g2": Method(g2, "max"),
    "bns": Method(bns, "max"),
    "log_odds": Method(log_odds, "max"),
    "log_ratio": Method(log_ratio, "max"),
    "jlh": Method(jlh, "max"),
    "chi2_counts": Method(chi2_counts, "sum"),
    "g2_counts": Method(g2_counts, "max"),
    "c_tfidf": Method(c_tfidf, "max"),
    "dfs": Method(dfs, "sum"),
    "efs": Method(efs, "sum"),
    "gini": Method(gini, "sum"),
    "acc2": Method(acc2, "max"),
    "ndm": Method(ndm, "max"),
    "mmr": Method(mmr, "max"),
    "wllr": Method(wllr, "max"),
    "poisson_deviation": Method(poisson_deviation, "max"),
    "cmfs": Method(cmfs, "sum"),
}
