"""Curves: metrics compared with manual results and scikit-learn, the choice of k, and tables."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import termsift as ts
from private import METRICS, check_ks, curve_of, metrics_of
from wording import raises


def curve(*accuracies, ks=None):
    """Return a curve of runs with these accuracies. All other metrics are half of the accuracy."""
    ks = np.arange(1, len(accuracies[0]) + 1) if ks is None else np.array(ks)
    runs = [
        {metric: np.array(run) / (1 if metric == "accuracy" else 2) for metric in METRICS}
        for run in accuracies
    ]
    return curve_of("md", ks, runs)


# ------------------------------------------------------------------------------------- metrics


def test_metrics_by_hand() -> None:
    # Of 3 documents in class 0, 2 are classified correctly; 2 others are assigned to class 0. Class
    # 1 has a document, and class 2 a wrong prediction. Class 3 has no document and no prediction.
    # Class 4 has a document, but no training documents.
    found = metrics_of(
        np.array([[2, 0, 0, 0]]), np.array([[4, 0, 1, 0]]), np.array([3, 1, 0, 0, 1])
    )
    assert found["accuracy"] == [2 / 5]
    assert_allclose(found["precision"], [3 / 5 * 1 / 2])
    assert_allclose(found["recall"], [2 / 5])
    assert_allclose(found["f1"], [3 / 5 * 4 / 7])
    # The macro average leaves out class 3 and includes class 4.
    assert_allclose(found["macro_precision"], [1 / 2 / 4])
    assert_allclose(found["macro_recall"], [2 / 3 / 4])
    assert_allclose(found["macro_f1"], [4 / 7 / 4])


def test_metrics_of_many_classes_are_computed_in_blocks() -> None:
    # Each block must be computed and written to its own rows.
    rng = np.random.default_rng(0)
    n_classes, n_ks = 2**18, 11  # four rows a piece
    predicted = rng.integers(0, 3, (n_ks, n_classes))
    hits = predicted // 2
    support = rng.integers(1, 3, n_classes)
    found = metrics_of(hits, predicted, support)
    for k in range(n_ks):
        one = metrics_of(hits[k : k + 1], predicted[k : k + 1], support)
        assert {name: values[k] for name, values in found.items()} == {
            name: values[0] for name, values in one.items()
        }


# ------------------------------------------------------------------------------------- the choice


def test_best_k_is_the_smallest_of_the_best() -> None:
    assert curve([0.5, 0.7, 0.7, 0.6]).best_k() == 2
    assert curve([0.5, 0.7, 0.9], [0.9, 0.7, 0.5], ks=[10, 20, 40]).best_k() == 10
    assert curve([0.1, 0.2], [0.3, 0.4]).best_k("macro_f1") == 2


def test_smallest_k_by_hand() -> None:
    # The means are 0.62, 0.69 and 0.70. At k = 3 the deviations are -0.02, 0 and 0.02. So the
    # standard deviation is 0.02, and the standard error of the three runs is 0.01155. Catches the
    # use of the standard deviation, or of an error with the divisor n (0.0094).
    runs = ([0.6, 0.67, 0.68], [0.63, 0.69, 0.70], [0.63, 0.71, 0.72])
    assert curve(*runs).std("accuracy")[2] == pytest.approx(0.02)
    assert curve(*runs).best_k() == 3
    assert curve(*runs).smallest_k() == 2
    runs = [[a, b - 0.0016, c] for a, b, c in runs]
    assert curve(*runs).smallest_k() == 3
    # smallest_k uses the standard error at the best k, not at the smaller k.
    assert curve([0.1, 0.9], [0.9, 0.9]).smallest_k() == 2
    # If all runs agree, the standard error is 0, so smallest_k is best_k.
    assert curve([0.7, 0.8], [0.7, 0.8]).smallest_k() == 2
    assert curve([0.8, 0.8], [0.8, 0.8]).smallest_k() == 1


def test_one_run_has_no_standard_deviation() -> None:
    for spread in (lambda c: c.std("accuracy"), lambda c: c.smallest_k()):
        with raises(ValueError, "md_has_one_run_and"):
            spread(curve([0.5, 0.6]))


# ------------------------------------------------------------------------------------- tables


def test_rounding_does_not_decide_the_best_k() -> None:
    # The means of 0.3, 0.2, 0.1 and of 0.1, 0.2, 0.3 differ in their last bit.
    runs = [0.3, 0.1], [0.2, 0.2], [0.1, 0.3]
    for order in (slice(None), slice(None, None, -1)):
        found = curve(*(run[order] for run in runs), ks=[1, 2])
        assert (found.best_k(), found.smallest_k()) == (1, 1)
    # The standard error at k = 2 is 0.1. In doubles, 0.7 < 0.8 - 0.1, but this must not matter.
    assert curve([0.7, 0.7], [0.7, 0.9]).smallest_k() == 1


def test_repr() -> None:
    assert repr(curve([0.5, 0.7], ks=[10, 2000])) == (
        "<Curve of md, k = 10 to 2,000: accuracy 0.5000 to 0.7000>"
    )
    assert "2,000, 2 runs: accuracy 0.4000 to 0.6000>" in repr(
        curve([0.5, 0.4], [0.7, 0.4], ks=[10, 2000])
    )
    empty = curve([])
    assert repr(empty) == "<Curve of md, empty>"
    with raises(ValueError, "the_curve_of_md_has"):
        empty.best_k()


def test_to_frame() -> None:
    pytest.importorskip("pandas")
    frame = curve([0.5, 0.7]).to_frame()
    assert list(frame) == ["k", *METRICS]
    assert frame["k"].tolist() == [1, 2]
    frame = curve([0.5, 0.7], [0.7, 0.7]).to_frame()
    assert list(frame)[:3] == ["k", "accuracy", "accuracy_std"]
    assert len(list(frame)) == 1 + 2 * len(METRICS)
    assert_allclose(frame["accuracy"], [0.6, 0.7])
    assert_allclose(frame["accuracy_std"], [np.sqrt(0.02), 0], atol=1e-16)


# ------------------------------------------------------------------------------------- ks


def test_every_k() -> None:
    assert check_ks(None, 3).tolist() == [1, 2, 3]
    assert check_ks(None, 2000).tolist() == list(range(1, 2001))
    assert check_ks(None, 2001).tolist()[-2:] == [2000, 2001]
    ks = check_ks(None, 60_000)
    assert ks[1999:2002].tolist() == [2000, 2020, 2040]
    assert ks[-1] == 60_000
    steps = np.diff(ks[1999:]) / ks[1999:-1]
    assert (steps > 0).all()
    assert (steps <= 0.01).all()
    assert len(ks) < 2400
    assert ks.dtype == np.int64


def test_ks_are_sorted_and_distinct() -> None:
    assert check_ks([3, 1, 3, np.int8(2)], 5).tolist() == [1, 2, 3]
    assert check_ks(iter(range(1, 3)), 5).tolist() == [1, 2]
    assert check_ks(np.array([5, 4], dtype=np.uint16), 5).dtype == np.int64
    for ks, error, key in (
        ([1, 6], ValueError, "each_of_ks_must_be_in"),
        ([0], ValueError, "each_of_ks_must_be_in_2"),
        ([], ValueError, "ks_is_empty"),
        ([1.0], TypeError, "each_of_ks_must_be_an"),
        ([True], TypeError, "each_of_ks_must_be_an_2"),
        (3, TypeError, "ks_must_hold_integers_got_3"),
        ("12", TypeError, "ks_must_hold_integers_got_12"),
    ):
        with raises(error, key, argument="ks"):
            check_ks(ks, 5)
    with raises(ValueError, "there_are_no_terms_to"):
        check_ks(None, 0)


def test_lists_become_arrays() -> None:
    curve = ts.Curve("mine", [1, 2], {"accuracy": [[0.5, 0.75]]})  # type: ignore[arg-type, dict-item]
    assert curve.ks.dtype == np.int64
    assert curve.accuracy.tolist() == [0.5, 0.75]
    assert curve.best_k() == 2
    for runs in ([0.5, 0.75], [[0.5]], [[[0.5, 0.75]]]):
        with raises(ValueError, "expected_one_row_per_run", argument="runs"):
            ts.Curve("mine", [1, 2], {"accuracy": runs})  # type: ignore[arg-type, dict-item]
