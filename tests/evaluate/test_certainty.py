"""How sure the differences of rankings are, on one collection and on several."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import termsift as ts
from wording import raises

RNG = np.random.default_rng(8)
RUNS = RNG.random((3, 5, 4))  # three rankings, five folds, four numbers of terms
KS = [10, 20, 50, 100]
CURVES = ts.Curves(
    {name: ts.Curve(name, KS, {"accuracy": runs}) for name, runs in zip("abc", RUNS, strict=True)}
)


def corrected(differences: Any) -> tuple[float, float]:
    """Return the standard error of Nadeau and Bengio for five folds, and the p-value."""
    error = np.sqrt((1 / 5 + 1 / 4) * np.var(differences, ddof=1))
    return error, 2 * stats.t.sf(abs(np.mean(differences) / error), 4)


@pytest.mark.parametrize("k", [20, None])
@pytest.mark.parametrize("to", [None, "b"])
def test_certainty_is_the_corrected_t_test(k: int | None, to: str | None) -> None:
    values = RUNS.mean(axis=2) if k is None else RUNS[:, :, 1]
    best = "abc".index(to) if to else int(np.argmax(values.mean(axis=1)))
    found = CURVES.certainty(k=k, to=to, level=0.9)
    table = found.columns()
    assert found.reference == "abc"[best]
    assert table["ranking"].tolist() == ["a", "b", "c"]
    assert_allclose(table["mean"], values.mean(axis=1))
    quantile = stats.t.ppf(0.95, 4)
    for row, of_ranking in enumerate(values):
        half = corrected(of_ranking)[0] * quantile
        assert_allclose(table["low"][row], of_ranking.mean() - half)
        assert_allclose(table["high"][row], of_ranking.mean() + half)
        if row == best:
            assert (table["difference"][row], table["pvalue"][row]) == (0, 1)
            continue
        error, pvalue = corrected(of_ranking - values[best])
        assert_allclose(table["difference_high"][row], table["difference"][row] + error * quantile)
        assert_allclose(table["pvalue"][row], pvalue)
        assert table["pvalue_adj"][row] >= pvalue
    assert "compared with" in repr(found)
    assert len(found) == 3


def test_repeats_and_test_parts_change_the_error() -> None:
    runs = {"accuracy": RUNS[0]}
    folds = ts.Curve("a", KS, runs)
    assert_allclose(folds.interval()[0], ts.Curve("a", KS, runs, test_to_train=1 / 4).interval()[0])
    wide = ts.Curve("a", KS, runs, test_to_train=1.0)
    assert np.all(wide.interval()[1] > folds.interval()[1])
    X, y = RNG.integers(0, 3, (40, 6)), np.arange(40) % 2
    curve = ts.cross_validate(X, y, ks=[2, 4], cv=5)["md"]
    assert curve.test_to_train == pytest.approx(1 / 4)


def test_the_interval_of_the_best_k() -> None:
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 0.01, (10, 1))  # shared by all k of a fold
    runs = np.array([0.5, 0.8, 0.81, 0.8, 0.6]) + noise + rng.normal(0, 0.005, (10, 5))
    curve = ts.Curve("a", [1, 2, 5, 10, 20], {"accuracy": runs})
    low, high = curve.best_k_interval()
    assert low <= curve.best_k() <= high
    assert (low, high) in ((2, 10), (5, 5), (2, 5), (5, 10))
    assert ts.Curve("a", [3, 4], {"accuracy": np.ones((3, 2))}).best_k_interval() == (3, 4)
    runs = np.array([[0.5, 0.8, 0.9], [0.5, 0.9, 0.8], [0.6, 0.8, 0.9]])
    few = ts.Curve("a", [10, 20, 50], {"accuracy": runs})
    assert few.best_k_interval() == (20, 50)
    for of_curve in (curve, few):
        assert of_curve.best_k_interval() == of_curve.best_k_interval("accuracy", 0.95)


def test_agreement_by_hand() -> None:
    # On four collections, a beats b three times and ties once, and c is always last.
    table = [[0.9, 0.8, 0.1], [0.7, 0.6, 0.5], [0.5, 0.5, 0.4], [0.9, 0.7, 0.6]]
    found = ts.Comparison(
        {
            f"collection {row}": ts.Curves(
                {
                    name: ts.Curve(name, [10], {"accuracy": [[value]]})
                    for name, value in zip("abc", values, strict=True)
                }
            )
            for row, values in enumerate(table)
        }
    )
    agreement = found.agreement(k=10)
    columns = agreement.columns()
    assert agreement.reference == "a"
    assert_allclose(columns["mean"], np.mean(table, axis=0))
    assert_allclose(columns["mean_rank"], [1.125, 1.875, 3])
    assert_array_equal(columns["wins"], [0, 0, 0])
    assert_array_equal(columns["ties"], [4, 1, 0])
    assert_array_equal(columns["losses"], [0, 3, 4])
    assert_allclose(columns["pvalue"], [1, 0.25, 0.125])
    assert_allclose(columns["pvalue_adj"], [1, 0.25, 0.25])
    assert agreement.friedman.chi2 == pytest.approx(
        stats.friedmanchisquare(*np.transpose(table)).statistic
    )
    # Nemenyi's q for three methods is 2.343, so mean ranks must differ by 2.343 sqrt(12 / 24).
    assert agreement.critical_difference == pytest.approx(1.657, abs=1e-3)
    assert columns["as_good"].tolist() == [True, True, False]
    shown = str(agreement)
    assert "Friedman" in shown
    heading = "ranking mean mean rank wins ties losses pvalue_adj"
    assert heading in [" ".join(line.split()) for line in shown.splitlines()]
    assert found.agreement(to="c").columns()["wins"].tolist() == [4, 4, 0]


def test_the_agreement_of_a_single_ranking() -> None:
    curves = {"a": ts.Curve("a", [10], {"accuracy": [[0.9]]})}
    agreement = ts.Comparison({name: ts.Curves(curves) for name in ("one", "two")}).agreement(k=10)
    assert agreement.critical_difference == np.inf
    assert (agreement.friedman.chi2, agreement.friedman.pvalue) == (0.0, 1.0)
    assert agreement.columns()["as_good"].tolist() == [True]


@pytest.mark.parametrize(
    ("call", "error", "key"),
    [
        (lambda: CURVES.certainty("x"), ValueError, "an_unknown_metric"),  # type: ignore[arg-type]
        (lambda: CURVES.certainty(k=11), ValueError, "the_curve_has_no_such_k"),
        (lambda: CURVES.certainty(to="d"), ValueError, "an_unknown_ranking"),
        (lambda: CURVES.certainty(level=1.0), ValueError, "level_must_be_above_0_and_below_1"),
        (lambda: ts.Curves().certainty(), ValueError, "no_curves_to_compare"),
        (
            lambda: ts.Curves(
                {**CURVES, "d": ts.Curve("d", KS, {"accuracy": RUNS[0, :4]})}
            ).certainty(),
            ValueError,
            "curves_of_different_folds",
        ),
        (
            lambda: ts.Curves(a=ts.Curve("a", KS, {"accuracy": RUNS[0, :1]})).certainty(),
            ValueError,
            "one_run_has_no_deviation",
        ),
        (lambda: ts.Comparison(a=CURVES).agreement(), ValueError, "an_agreement_of_one_collection"),
        (
            lambda: ts.Comparison(
                {str(k): ts.Curves(a=ts.Curve("a", [k], {"accuracy": [[0.5]]})) for k in (1, 2)}
            ).agreement(),
            ValueError,
            "collections_without_a_common_k",
        ),
    ],
)
def test_what_cannot_be_compared(call: Any, error: Any, key: str) -> None:
    with raises(error, key):
        call()
