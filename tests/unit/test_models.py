"""Event models: what is counted, and what it is divided by."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import termsift as ts
from exact import relative_error, ulp_error
from strategies import MODERATE, collections, fits_float_counts
from termsift import _core
from termsift._scores.registry import MODELS

METHODS: list[tuple[str, dict[str, str]]] = [
    ("md", {}),
    ("md_chi2", {}),
    ("md_chi2", {"noncentrality": "pearson"}),
]
IDS = ["md", "md_chi2", "md_chi2-pearson"]
NEW = MODELS[1:]
by_method = pytest.mark.parametrize(("method", "options"), METHODS, ids=IDS)
by_model = pytest.mark.parametrize("model", MODELS)


# ---- plain formulas ------------------------------------------------------------------------------


def events(counts: ts.ClassCounts, model: str) -> tuple[Any, Any, int]:
    """Return what is counted, its total, and the outcomes that a single alpha smooths."""
    tf, df = counts.term_frequency.toarray(), counts.document_frequency.toarray()
    x = tf if model in ("multinomial", "poisson") else df
    total = x.sum(axis=1) if model in ("multinomial", "binary") else counts.class_docs
    outcomes = {"bernoulli": 2, "poisson": 1}.get(model, counts.n_terms)
    return x, total, outcomes


def plain_class_scores(
    counts: ts.ClassCounts,
    method: str,
    model: str,
    alpha: Any,
    class_prior: Any,
    noncentrality: str = "jeffreys",
) -> Any:
    """The formulas as printed, in long double, also for terms with p or q of 0 or 1."""
    x, total, outcomes = events(counts, model)
    b1, b2 = alpha if isinstance(alpha, tuple) else (alpha, alpha * outcomes)
    here = np.asarray(counts.class_docs) > 0
    pi = np.where(here, counts.class_docs if class_prior is None else 1.0, 0).astype(np.longdouble)
    pi /= pi.sum()
    result = np.zeros(x.shape)
    with np.errstate(all="ignore"):
        p = (x.astype(np.longdouble) + b1) / (total.astype(np.longdouble) + b2)[:, None]
        p = np.where(here[:, None], np.nan_to_num(p), 0)
        for c in np.flatnonzero(here):
            others = here & (np.arange(len(pi)) != c)
            q = pi[others] @ p[others] / pi[others].sum()
            d = p[c] - q
            if method == "md" and model == "poisson":
                value = x_log_ratio(p[c], q) - d
            elif method == "md":
                value = x_log_ratio(p[c], q) + x_log_ratio(1 - p[c], 1 - q)
            else:
                rest_q, rest_p = (1, 1) if model == "poisson" else (1 - q, 1 - p[c])
                first = ratio(d**2, q * rest_q)
                second = ratio(d**2, p[c] * rest_p)
                value = first if noncentrality == "pearson" else (first + second) / 2
            result[c] = value
    return result


def x_log_ratio(x: Any, y: Any) -> Any:
    return np.where(x > 0, x * np.log(np.where(x > 0, x / y, 1)), 0)


def ratio(x: Any, y: Any) -> Any:
    return np.where(x == 0, 0, x / y)


@settings(max_examples=150)
@given(
    collections(dtypes=MODERATE),
    st.sampled_from(METHODS),
    st.sampled_from(NEW),
    st.sampled_from([1.0, 0.01, (0.5, 20.0), (2.0, 1e6)]),
    st.sampled_from([None, "uniform"]),
    st.sampled_from(["sum", "mean", "max"]),
)
def test_scores_follow_the_formulas(
    collection: tuple[Any, Any, Any],
    method: tuple[str, dict[str, str]],
    model: Any,
    alpha: Any,
    class_prior: Any,
    aggregate: Any,
) -> None:
    X, y, sample_weight = collection
    assume(fits_float_counts(X, sample_weight) and X.shape[1] <= 40)
    counts = ts.count(X, y, sample_weight)
    assume(np.count_nonzero(counts.class_docs) >= 2)
    name, options = method
    arguments = {"model": model, "alpha": alpha, "class_prior": class_prior, **options}
    expected = plain_class_scores(counts, name, **arguments)
    ours = counts.class_scores(name, **arguments)
    # The formulas as printed lose digits to the rounding of rates or probabilities.
    largest = 1 + np.max(events(counts, model)[0], initial=0) if model == "poisson" else 1
    close = {"rtol": 1e-6, "atol": 1e-14 * float(largest)}
    np.testing.assert_allclose(ours, expected, **close)
    pi = np.asarray(counts.class_docs, float) if class_prior is None else counts.class_docs > 0
    weight = pi / pi.sum() if aggregate == "mean" else np.ones(counts.n_classes)
    together = expected.max(axis=0) if aggregate == "max" else weight @ expected
    np.testing.assert_allclose(
        counts.score(name, aggregate=aggregate, **arguments), together, **close
    )


# ---- accuracy ------------------------------------------------------------------------------------


def exact_values(
    counts: ts.ClassCounts, method: str, model: str, alpha: Any, prior: Any, pearson: bool
) -> Any:
    """The class values to sixty digits and more, by class and term."""
    x, total, _ = events(counts, model)
    b1, b2 = (Fraction(b) for b in alpha)
    n_classes = len(total)
    pi = [Fraction(float(w)) for w in (counts.class_docs if prior is None else prior)]
    p = [
        [ratio_of(Fraction(float(cell)) + b1, Fraction(float(total[c])) + b2) for cell in x[c]]
        for c in range(n_classes)
    ]
    values = []
    for c in range(n_classes):
        others = [k for k in range(n_classes) if k != c]
        rest = sum(pi[k] for k in others)
        row = []
        for i in range(counts.n_terms):
            q = sum(pi[k] * p[k][i] for k in others) / rest
            row.append(exact_value(p[c][i], q, method, model, pearson))
        values.append(row)
    return values


def ratio_of(x: Fraction, y: Fraction) -> Fraction:
    return x / y if y else Fraction(0)


def exact_value(p: Fraction, q: Fraction, method: str, model: str, pearson: bool) -> Any:
    if p == q:
        return Fraction(0)
    if method == "md":
        kl = fraction_of(x_log(p, q))
        if model == "poisson":
            return kl if isinstance(kl, float) else kl - p + q
        return together(kl, fraction_of(x_log(1 - p, 1 - q)))
    of_q, of_p = (q, p) if model == "poisson" else (q * (1 - q), p * (1 - p))
    first = (p - q) ** 2 / of_q if of_q else math.inf
    second = (p - q) ** 2 / of_p if of_p else math.inf
    return first if pearson else together(first, second) / 2


def together(a: Any, b: Any) -> Any:
    return math.inf if math.inf in (a, b) else a + b


def fraction_of(value: Any) -> Any:
    if isinstance(value, float):
        return value
    sign, man, exp, _ = value._mpf_
    return (-1) ** sign * Fraction(int(man)) * Fraction(2) ** int(exp)


def x_log(x: Fraction, y: Fraction) -> Any:
    if x == 0:
        return mpmath.mpf(0)
    if y == 0:
        return math.inf
    with mpmath.workprec(500):
        r = x / y
        return (
            mpmath.mpf(x.numerator)
            / x.denominator
            * (mpmath.log(mpmath.mpf(r.numerator)) - mpmath.log(mpmath.mpf(r.denominator)))
        )


def largest_error(
    counts: ts.ClassCounts, model: str, alpha: Any, unit: Any, prior: Any = None
) -> float:
    """The largest error of class values and their sums, by every measure."""
    found = 0.0
    for method, options in METHODS:
        arguments: dict[str, Any] = {"model": model, "alpha": alpha, "class_prior": prior}
        exact = exact_values(counts, method, model, alpha, prior, bool(options))
        ours = counts.class_scores(method, **arguments, **options)
        sums = counts.score(method, **arguments, **options)
        for i in range(counts.n_terms):
            column = [row[i] for row in exact]
            found = max(found, *(unit(float(ours[c, i]), v) for c, v in enumerate(column)))
            total = math.inf if math.inf in column else sum(column, Fraction(0))
            found = max(found, unit(float(sums[i]), total))
    return found


def text_like(n_classes: int, n_terms: int, n_docs: int, seed: int) -> ts.ClassCounts:
    rng = np.random.default_rng(seed)
    own = 5.0 / np.arange(1, n_terms + 1) * rng.lognormal(0, 1, (n_classes, n_terms))
    y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n_docs - n_classes)]
    return ts.count(rng.poisson(own[y]), y)


@pytest.mark.full(cases=4)
@pytest.mark.parametrize("model", NEW)
@pytest.mark.parametrize("n_classes", [2, 3, 20])
def test_text_is_within_4_ulp(simd_target: str, model: str, n_classes: int) -> None:
    counts = text_like(n_classes, 60, 40 * n_classes, n_classes)
    outcomes = events(counts, model)[2]
    assert largest_error(counts, model, (1.0, 1.0 * outcomes), ulp_error) <= 4


@pytest.mark.parametrize("model", NEW)
def test_random_collections_are_within_1e_14(model: str) -> None:
    rng = np.random.default_rng(17)
    for case in range(60):
        n_classes, n_terms = int(rng.integers(2, 6)), int(rng.integers(1, 6))
        n_docs = n_classes + int(rng.integers(0, 8))
        scale = float(rng.choice([1, 3, 1e6, 2.0**50]))
        X = np.floor(scale * rng.random((n_docs, n_terms)) ** 3 * (rng.random(n_terms) < 0.7))
        y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n_docs - n_classes)]
        weights = rng.integers(1, int(rng.choice([2, 10, 10**9])), n_docs)
        counts = ts.count(X.astype(np.int64) if scale < 2.0**50 else X, y, weights)
        b1 = float(rng.choice([0.0, 1e-3, 1.0, 7.0]))
        alpha = (b1, b1 * float(rng.choice([1, 2, 50])) * n_terms)
        prior = None if case % 2 else rng.integers(1, 10, n_classes).astype(float).tolist()
        assert largest_error(counts, model, alpha, relative_error, prior) <= 1e-14


RATES: dict[str, tuple[Any, Any, tuple[float, float]]] = {  # X, weights, alpha
    "far above 1": (np.array([[10**9, 5], [10**12, 0], [3, 10**6]]), None, (1.0, 1.0)),
    "near 2^63": (np.array([[2**61, 1], [2**62, 0]]), None, (1.0, 1.0)),
    "near 2^64": (np.array([[2.0**63, 1], [2.0**62, 2.0**63.5]]), None, (0.0, 0.0)),
    "tiny": (np.array([[1, 1], [3, 0]]), [10**15, 10**12], (1e-9, 1.0)),
    "equal": (np.array([[3, 1], [3, 1], [6, 1]]), [1, 2, 1], (0.0, 0.0)),
    "nearly equal": (np.array([[10**15, 1], [10**15 + 1, 1]]), None, (0.0, 0.0)),
    "b1 > b2": (np.array([[4, 1], [0, 2]]), None, (9.0, 0.25)),
    "no smoothing": (np.array([[4, 1, 0], [0, 2, 0]]), None, (0.0, 0.0)),
    "one document a class": (np.array([[1, 0], [0, 1]]), None, (1.0, 1.0)),
    "fractions": (np.array([[0.1, 7.3], [0.3, 1e5], [1e-9, 0.7]]), [0.5, 0.3, 9.1], (0.1, 0.1)),
}


@pytest.mark.parametrize("case", RATES)
def test_rates_of_all_sizes(simd_target: str, case: str) -> None:
    X, weights, alpha = RATES[case]
    if weights is not None and X.dtype.kind == "i":
        weights = np.array(weights)
    counts = ts.count(X, np.arange(len(X)), weights)
    assert largest_error(counts, "poisson", alpha, relative_error) <= 1e-14


def test_rates_beyond_2_to_64_are_refused() -> None:
    counts = ts.count(np.array([[1e20, 1.0], [1.0, 2.0]]), [0, 1])
    with pytest.raises(ValueError, match=r"term 0 occurs 1e\+20 times in the 2 documents and b2"):
        counts.score("md", model="poisson")
    assert counts.score("md", model="poisson", alpha=(1, 1e4)).argmax() == 0


@pytest.mark.parametrize("alpha", [0, 1.0])
def test_a_coin_that_always_falls_on_one_side(simd_target: str, alpha: Any) -> None:
    # p = 1 in one class, in all, or in none; never a complement below 0.
    X = sp.csr_array(np.array([[1, 1, 0, 1], [2, 5, 0, 0], [0, 3, 0, 0], [0, 1, 0, 4]]))
    counts = ts.count(X, [0, 0, 1, 1])
    assert largest_error(counts, "bernoulli", (float(alpha), 2.0 * alpha), ulp_error) <= 4
    scores = counts.score("md", model="bernoulli", alpha=alpha)
    assert scores[1] == scores[2] == 0
    assert (scores[0] == math.inf) == (alpha == 0)


def test_documents_of_float_counts_never_exceed_their_class() -> None:
    # A subtraction rounds: d_ic = n_c in the whole, but d_ic exceeds n_c in the remainder.
    rng = np.random.default_rng(0)
    seen = False
    for _ in range(50):
        weights = rng.random(6) * rng.choice([1, 1e3, 1e6], 6)
        whole = ts.count(np.ones((6, 2)), [0, 0, 0, 0, 1, 1], weights)
        rest = whole - ts.count(np.ones((2, 2)), [0, 1], weights[[0, 4]] * (1 - 1e-9))
        seen |= bool((rest.document_frequency.toarray().max(axis=1) > rest.class_docs).any())
        for method, options in METHODS:
            for alpha in (0, 1):
                ours = rest.class_scores(method, model="bernoulli", alpha=alpha, **options)
                assert (ours >= 0).all()
                assert np.isfinite(ours).all()


@by_method
@by_model
def test_nothing_is_nan(simd_target: str, method: str, options: dict[str, str], model: Any) -> None:
    tiny = ts.count(np.array([[1e-200, 1, 1e-320], [2e-200, 1, 1e-200]]), [0, 1])
    far = ts.count(np.array([[1e-300, 1, 3], [2e-5, 1, 1e-310]]), [0, 1])
    zeros = ts.count(np.array([[1, 0, 0, 2], [0, 0, 3, 2], [0, 0, 0, 0]]), ["a", "b", "c"])
    for counts in (tiny, far, zeros):
        for aggregate in ("sum", "mean", "max"):
            scores = counts.score(method, model=model, alpha=0, aggregate=aggregate, **options)  # type: ignore[arg-type]
            assert not np.isnan(scores).any()
            assert (scores >= 0).all()


# ---- the same bits -------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=[5, 300])
def counts(request: pytest.FixtureRequest) -> ts.ClassCounts:
    """Few classes, scored one by one, and many, scored by a table where the term is absent."""
    rng = np.random.default_rng(11)
    n_terms, n_docs = 9001 if request.param == 5 else 2001, 4 * request.param + 70
    n_seen = n_terms * 2 // 3
    rates = np.r_[20.0 / np.arange(1, n_seen + 1), np.zeros(n_terms - n_seen)]
    X = sp.csr_array(rng.poisson(rates * rng.lognormal(0, 1, n_terms), (n_docs, n_terms)))
    return ts.count(X, np.arange(n_docs) % request.param)


@by_method
@pytest.mark.parametrize("model", NEW)
@pytest.mark.parametrize("aggregate", ["sum", "mean", "max"])
def test_threads_and_targets_return_the_same_bits(
    counts: ts.ClassCounts,
    simd_target: str,
    method: str,
    options: dict[str, str],
    model: Any,
    aggregate: Any,
) -> None:
    arguments: dict[str, Any] = {"model": model, **options}
    _core.use_simd_target("baseline")
    expected = counts.score(method, aggregate=aggregate, n_threads=1, **arguments)
    _core.use_simd_target(simd_target)
    ours = counts.score(method, aggregate=aggregate, n_threads=3, **arguments)
    assert ours.tobytes() == expected.tobytes()
    by_class = counts.class_scores(method, n_threads=3, **arguments)
    _core.use_simd_target("baseline")
    assert by_class.tobytes() == counts.class_scores(method, n_threads=1, **arguments).tobytes()


@pytest.mark.full(cases=2)
@by_method
@pytest.mark.parametrize("model", NEW)
def test_many_classes_score_the_sum_of_their_values(
    counts: ts.ClassCounts, method: str, options: dict[str, str], model: Any
) -> None:
    by_class = counts.class_scores(method, model=model, **options).astype(np.longdouble)
    ours = counts.score(method, model=model, **options)
    np.testing.assert_allclose(ours, by_class.sum(axis=0), rtol=4e-15)
    mean = counts.score(method, model=model, aggregate="mean", **options)
    prior = counts.class_docs / counts.class_docs.sum().astype(np.longdouble)
    np.testing.assert_allclose(mean, prior @ by_class, rtol=4e-15)


def test_binary_is_multinomial_of_ones(counts: ts.ClassCounts) -> None:
    rng = np.random.default_rng(1)
    X = sp.csr_array(rng.poisson(0.4, (50, 300)))
    y, ones = rng.integers(0, 3, 50), (X > 0).astype(np.int64)
    for method, options in METHODS:
        expected = ts.count(ones, y).score(method, **options)
        ours = ts.count(X, y).score(method, model="binary", **options)
        assert ours.tobytes() == expected.tobytes()
    expected_order = ts.count(ones, y).greedy()
    ours_in_order = ts.count(X, y).greedy(model="binary")
    assert np.array_equal(ours_in_order.indices, expected_order.indices)
    assert np.array_equal(ours_in_order.scores, expected_order.scores)
    assert ours_in_order.informative == expected_order.informative
    chosen = ours_in_order.indices[:7]
    expected_divergence = ts.divergence(ts.count(ones, y), chosen)
    assert ts.divergence(ts.count(X, y), chosen, model="binary") == expected_divergence


@by_model
def test_alpha_of_one_number(model: Any) -> None:
    counts = text_like(3, 20, 30, 1)
    outcomes = events(counts, model)[2]
    for method, options in METHODS:
        one = counts.score(method, model=model, alpha=0.25, **options)
        pair = counts.score(method, model=model, alpha=(0.25, 0.25 * outcomes), **options)
        assert one.tobytes() == pair.tobytes()


def test_b1_may_exceed_b2_in_rates_alone() -> None:
    counts = text_like(3, 20, 30, 1)
    assert np.isfinite(counts.score("md", model="poisson", alpha=(2, 1))).all()
    for model in ("binary", "bernoulli"):
        with pytest.raises(ValueError, match="b1 <= b2"):
            counts.score("md", model=model, alpha=(2, 1))  # type: ignore[arg-type]


def test_classes_without_documents_take_no_part() -> None:
    X = np.array([[3, 1, 0], [0, 1, 2]])
    with_empty = ts.count(X, ["a", "b"], classes=["a", "none", "b"])
    without = ts.count(X, ["a", "b"])
    for model in NEW:
        assert np.array_equal(with_empty.score(model=model), without.score(model=model))
        assert not with_empty.class_scores(model=model)[1].any()


# ---- the greedy order ----------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["bernoulli", "poisson"])
def test_greedy_of_independent_terms_is_the_ranking(counts: ts.ClassCounts, model: Any) -> None:
    for k in (None, 0, 1, 100):
        ranking = counts.rank("md", k, model=model)
        greedy = counts.greedy(k, model=model)
        assert greedy.method == "greedy"
        assert np.array_equal(greedy.indices, ranking.indices)
        assert (np.diff(greedy.scores) >= 0).all()
        assert greedy.informative == np.count_nonzero(ranking.scores > 0)
        exact = Fraction(0)
        for i, value in enumerate(ranking.scores):
            exact += Fraction(float(value))
            assert abs(Fraction(float(greedy.scores[i])) - exact) <= exact * Fraction(1, 10**15)
    chosen = greedy.indices[::-1]
    assert ts.divergence(counts, chosen, model=model) == pytest.approx(greedy.scores[-1], rel=1e-15)
    assert counts.rank("greedy", 5, model=model).indices.tolist() == greedy.indices[:5].tolist()


@pytest.mark.parametrize("model", ["bernoulli", "poisson"])
def test_greedy_of_infinite_scores(model: Any) -> None:
    counts = ts.count(np.array([[5, 1, 2, 0], [5, 0, 0, 0]]), [0, 1])
    greedy = counts.greedy(model=model, alpha=0)
    assert greedy.scores.tolist() == [math.inf] * 4
    assert greedy.informative == 2
    assert ts.divergence(counts, [1, 2], model=model, alpha=0) == math.inf
    assert ts.divergence(counts, [0, 3], model=model, alpha=0) == 0
    assert ts.divergence(counts, [], model=model) == 0


def test_running_sums_keep_small_values() -> None:
    values = np.r_[1.0, np.full(10**5, 1e-17), np.inf, 1.0]
    sums = _core.running_sums(values)
    assert sums[10**5] == 1 + 1e-12
    assert sums[-2:].tolist() == [np.inf, np.inf]


# ---- arguments -----------------------------------------------------------------------------------


def test_unknown_models_are_refused() -> None:
    counts = text_like(3, 20, 30, 1)
    for call in (counts.score, counts.class_scores, counts.rank):
        with pytest.raises(ValueError, match="model must be one of multinomial, binary"):
            call("md", model="gaussian")
    for wrong in ("gaussian", None, 3):
        with pytest.raises(ValueError, match="model must be one of"):
            counts.greedy(model=wrong)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="model must be one of"):
            ts.divergence(counts, [0], model=wrong)  # type: ignore[arg-type]


def test_methods_without_models_are_refused_any_but_the_first() -> None:
    counts = text_like(3, 20, 30, 1)
    for method in (*ts.methods(), *ts.selectors()):
        if method.models:
            assert method.models == MODELS
            continue
        if method.needs == "documents":  # counts do not suffice
            continue
        counts.rank(method.name, 3, model="multinomial")
        with pytest.raises(ValueError, match=r"has no model 'binary': only md, md_chi2, greedy"):
            counts.rank(method.name, model="binary")


def test_functions_take_a_model() -> None:
    X, y = np.array([[3, 0, 5], [1, 4, 2]]), [0, 1]
    for model in MODELS:
        expected = ts.count(X, y).score("md", model=model)  # type: ignore[arg-type]
        assert np.array_equal(ts.md(X, y, model=model), expected)  # type: ignore[arg-type]
