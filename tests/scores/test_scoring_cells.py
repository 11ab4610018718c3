"""Scores of a term's table of documents, compared with mpmath.

Each seed gives one random collection. HYPOTHESIS_EXAMPLES sets the number of seeds.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import termsift as ts
from exact import relative_error
from exact_scores import OF_CELLS, Measure, allowance, error_beyond, exact_values
from wording import raises

MEASURE = {measure.method: measure for measure in OF_CELLS}
seeds = given(seed=st.integers(0, 2**32 - 1))
whatever_they_weigh = pytest.mark.filterwarnings("ignore:.*needs occurrences:UserWarning")
EXAMPLES = max(4, settings.get_profile("termsift").max_examples) // 4


def collection(seed: int) -> tuple[ts.ClassCounts, dict[str, Any]]:
    """Return random counts, and a random alpha for `class_scores`.

    There are 2 to 20 classes. Terms are rare or frequent. Documents have no weights, integer
    weights up to a million, or fractional weights.
    """
    rng = np.random.default_rng(seed)
    n_classes = int(rng.choice([2, 2, 3, 5, 20]))
    n_docs = int(rng.integers(n_classes, 3 * n_classes + 10))
    n_terms = int(rng.integers(1, 12))
    X = rng.poisson(rng.choice([0.1, 0.5, 3]), (n_docs, n_terms)) * rng.choice(
        [1, 1, 1000], n_terms
    )
    y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n_docs - n_classes)]
    sizes = np.geomspace(1, 10**6, n_classes).astype(int)
    weights: list[Any] = [
        None,
        sizes[y],
        rng.integers(1, 10 ** rng.integers(1, 7), n_docs),
        3 ** rng.integers(0, 13, n_docs),
        rng.random(n_docs) + 0.01,
        2.0 ** rng.integers(-20, 20, n_docs) * rng.integers(1, 9, n_docs),
        rng.choice([0.1, 0.5, 1, 2.25], n_docs) * 2.0 ** rng.integers(-990, 990),
    ]
    counts = ts.count(X, y, sample_weight=weights[rng.integers(len(weights))])
    occurrences = float(counts.term_frequency.sum()) or 1.0
    alphas: list[Any] = [
        *(0, 0, (0, 0), 1, 0.1),
        (1e-3 * occurrences, occurrences * n_terms),
        occurrences * 1e-130,
        (0, occurrences * 1e-60),
        min(occurrences * 1e130, 1e300),
    ]
    return counts, {"alpha": alphas[rng.integers(len(alphas))]}


def values_of(counts: ts.ClassCounts, measure: Measure, alpha: dict[str, Any]) -> Any:
    """Return the class scores, or None if the method refuses the smoothing."""
    try:
        return counts.class_scores(measure.method, **alpha, **measure.options)
    except ValueError as error:
        refused = re.search("too (small|large) .* tokens of the collection", str(error))
        if measure.method in ("log_odds", "log_ratio") and refused:
            return None
        raise


@whatever_they_weigh
@settings(max_examples=EXAMPLES)
@seeds
@example(2032)  # documents weigh 2^911, so the share of one document is 2^-914
def test_class_scores_are_the_formulas(seed: int) -> None:
    counts, alpha = collection(seed)
    for measure in OF_CELLS:
        by_class = values_of(counts, measure, alpha)
        if by_class is None:
            continue
        exact, allowed = exact_values(counts, measure, **alpha), allowance(counts, measure)
        for (c, i), value in np.ndenumerate(by_class):
            gap = error_beyond(allowed[c, i], value, exact[c][i], relative_error)
            assert gap <= 1e-14, (str(measure), value, float(exact[c][i]))


# ---- log_odds ------------------------------------------------------------------------------------


def test_log_odds_refuses_a_prior_that_doubles_cannot_hold() -> None:
    table, y = np.array([[0, 2], [2, 0]]), [0, 1]
    counts, fractions = ts.count(table, y), ts.count(table, y, sample_weight=[2e149, 3e149])
    for occurrences, one in ((4.0, counts), (1e150, fractions)):
        for factor, size in ((1e-136, "small"), (0.0, "small"), (3e136, "large")):
            alpha = max(occurrences * factor, 5e-324)
            for refused in (alpha, (0.0, 2 * alpha)):
                with raises(ValueError, "smoothing_b2_beyond_doubles", at=f"is too {size} "):
                    one.class_scores("log_odds", alpha=refused)
                with raises(ValueError, "smoothing_b2_beyond_doubles", at=f"is too {size} "):
                    one.rank("log_odds", policy="round_robin", alpha=refused)
        assert np.isinf(one.class_scores("log_odds", alpha=0)).sum() == 0
    # The numbers 2^-448 and 2^452 are the bounds, and doubles hold them exactly.
    for b2 in (2.0**-448, 2.0**452):
        assert np.isfinite(counts.class_scores("log_odds", alpha=(0, b2))).all()
    for b2 in (2.0**-449, 2.0**453):
        with raises(ValueError, "log_odds_smoothing"):
            counts.class_scores("log_odds", alpha=(0, b2))


@pytest.mark.parametrize("unit", [1, 2.0**-500, 2.0**500])
@pytest.mark.parametrize("share", [2.0**-450, 1e-130, 1e-60, 1e60, 1e130, 2.0**450])
def test_log_odds_keeps_its_digits_at_either_end(share: float, unit: float) -> None:
    table = np.array([[2**37, 4, 0, 1], [0, 2**47, 0, 1], [3, 0, 5, 1]])
    counts = ts.count(table, [0, 1, 1], sample_weight=np.array([1, 1, 2]) * unit)
    occurrences = sum(map(Fraction, counts.class_tokens.tolist()))
    b2 = float(occurrences * Fraction(share))
    exact = exact_values(counts, MEASURE["log_odds"], (0, b2))
    for row, exact_row in zip(counts.class_scores("log_odds", alpha=(0, b2)), exact, strict=True):
        for value, truth in zip(row.tolist(), exact_row, strict=True):
            assert relative_error(value, truth) <= 1e-14


@pytest.mark.parametrize("weighted", [False, True])
def test_infinite_log_odds_add_up(weighted: bool) -> None:
    # Term 1 is the only term of classes 0 and 2. Without smoothing, x (S-u) / (u (R-x)) is inf.
    weights = [0.5, 0.25, 0.75] if weighted else None
    counts = ts.count(np.array([[0, 1], [2, 0], [0, 1]]), [0, 1, 2], sample_weight=weights)
    assert counts.class_scores("log_odds", alpha=0)[:, 1].tolist() == [math.inf, 0, math.inf]
    for aggregate in ("sum", "mean", "max"):
        scores = counts.score("log_odds", alpha=0, aggregate=aggregate)  # type: ignore[arg-type]
        assert scores.tolist() == [0, math.inf]
    # A class with the prior 0 is left out, even if its value is infinite. inf - inf counts as 0.
    silent = counts.score("log_odds", alpha=0, aggregate="mean", class_prior=[0, 1, 0])
    assert silent.tolist() == [0, 0]
    both = ts.count(np.array([[1, 0], [1, 1]]), [0, 1], sample_weight=weights and weights[:2])
    assert both.class_scores("log_odds", alpha=0)[:, 0].tolist() == [math.inf, -math.inf]
    assert both.score("log_odds", alpha=0, aggregate="sum")[0] == 0


# ---- log_ratio -----------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", [1, 2.0**-990, 2.0**700])
@pytest.mark.parametrize("alpha", [2.0**-413, 1e-60, 0.1, 1e10, 1e30, 1e300])
def test_log_ratio_keeps_its_digits_whatever_the_smoothing(alpha: float, unit: float) -> None:
    # With a large alpha, both frequencies are nearly 1 / n_terms, but their ratio is not 1.
    table = np.array([[2**37, 4, 0, 5], [0, 2**37, 0, 4], [3, 0, 5, 1]])
    counts = ts.count(table, [0, 1, 1], sample_weight=np.array([1, 1, 2]) * unit)
    if alpha < 2.0**-450 * counts.class_tokens.sum():
        with raises(ValueError, "log_ratio_smoothing_too_small"):
            counts.class_scores("log_ratio", alpha=alpha)
        return
    exact = exact_values(counts, MEASURE["log_ratio"], alpha)
    values = counts.class_scores("log_ratio", alpha=alpha)
    near = alpha / unit < 2.0**450
    for row, exact_row in zip(values.tolist(), exact, strict=True):
        for value, truth in zip(row, exact_row, strict=True):
            assert math.isfinite(value)
            assert not near or relative_error(value, truth) <= 1e-14


# ---- bns -----------------------------------------------------------------------------------------


def two_rates(seed: int) -> Any:
    """Return numbers of documents with and without a term, in a class and outside the class.

    The two rates agree to up to 16 digits. The rates are random, near 1/2, or near their bounds.
    """
    rng = np.random.default_rng(seed)
    sizes = (10 ** rng.uniform(1, 15) * rng.uniform(0.05, 1.05, 2)).astype(int) + 2
    around = [rng.random(), 0.5, 0.0005, 0.9995, 0.002 * rng.random(), 1 - 0.002 * rng.random()]
    rate = around[rng.integers(6)] * (1 + rng.choice([0, 1, -1]) * 10 ** rng.uniform(-16, -1))
    other = rate * (1 + rng.choice([1, -1]) * 10 ** rng.uniform(-16, -0.3))
    having = (sizes * [rate, other]).astype(int) + rng.integers(-2, 3, 2)
    having = np.clip(having, 1, sizes - 1)
    weights = np.ravel(np.c_[having, sizes - having])
    return weights * 0.37 * 2.0 ** rng.integers(-30, 30) if rng.random() < 0.3 else weights


def assert_bns_is_accurate(weights: Any) -> None:
    X, y = np.array([[1], [0], [1], [0]]), [0, 0, 1, 1]
    counts = ts.count(X, y, sample_weight=weights)
    exact = exact_values(counts, MEASURE["bns"])
    for value, truth in zip(counts.class_scores("bns")[:, 0].tolist(), exact, strict=True):
        assert relative_error(value, truth[0]) <= 1e-14, (weights, value, float(truth[0]))


@settings(max_examples=4 * EXAMPLES)
@seeds
def test_bns_of_near_rates_is_within_1e_14(seed: int) -> None:
    assert_bns_is_accurate(two_rates(seed))


@pytest.mark.parametrize(
    "weights",
    [
        [10**5, 2 * 10**5, 10**5, 200_001],
        [1, 1998, 1, 1999],  # The rate 1/1999 is above the bound 1/2000.
        [1, 1999, 2, 3999],  # The rate 2/4001 is below the bound 1/2000.
        [1, 1999, 1, 1999],
        [1, 10**6, 1, 10**9],  # both rates are clipped to the bound
        [10**9, 1, 10**6, 1],
        [1, 10**6, 1_000_001, 1_999_000_000],  # one rate is clipped; the other is just above
        [1_999_000_000, 1_000_001, 10**6, 1],
        [2**40, 2**40, 2**40 + 1, 2**40],
        [2**30, 2**30, 2**30 + 1, 2**30],
        [1, 1, 2**49, 2**49 - 1],
    ],
)
def test_bns_at_the_bounds_and_at_a_half(weights: list[int], simd_target: str) -> None:
    assert_bns_is_accurate(np.array(weights))
    # det is a difference of two products. For fractions, det has an error of 2^-104 of both.
    if max(weights) < 2**40:
        assert_bns_is_accurate(np.array(weights) * 0.1)
