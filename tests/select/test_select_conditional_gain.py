"""Conditional gain compared with its definition, and calls that must give equal results."""

from __future__ import annotations

import functools
import logging
import re
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import strategies
import termsift as ts
from gain_collections import KINDS, Documents, Rng, collection, kinds, text
from private import _core, core_of, likeliest_shape
from signals import interrupting, needs_timers
from termsift import reference
from wording import raises


def assert_same(ranking: ts.Ranking, other: ts.Ranking) -> None:
    """Check that all indices and all bits of both rankings are equal."""
    assert ranking.indices.tobytes() == other.indices.tobytes()
    assert ranking.scores.tobytes() == other.scores.tobytes()


def assert_is_the_reference(X: Any, y: Any, in_play: int = 64, **options: Any) -> ts.Ranking:
    """Compare all indices, and the gains to eleven digits or to 1e-14 per document."""
    with pytest.MonkeyPatch.context() as patch:
        core = functools.partial(_core.conditional_gain, classes_in_play=in_play)
        patch.setattr(_core, "conditional_gain", core)
        ranking = ts.conditional_gain(X, y, **options)
    indices, gains = reference.conditional_gain(X, y, classes_in_play=in_play, **options)
    weight = options.get("sample_weight")
    n = X.shape[0] if weight is None else float(np.sum(weight))
    assert ranking.indices.tolist() == indices.tolist()
    np.testing.assert_allclose(ranking.scores, gains, rtol=1e-11, atol=1e-14 * n)
    return ranking


# ---- the definition ------------------------------------------------------------------------------


@kinds
@pytest.mark.parametrize("seed", range(60))
def test_equal_to_the_reference(kind: Any, seed: int) -> None:
    # These 360 collections once showed that rounding decided ties of small gains, that a document
    # of weight 0 counted, and that the prior and the left-out document were wrong.
    X, y, options = collection(kind, seed)
    ranking = assert_is_the_reference(X, y, **options)
    assert ranking.method == "conditional_gain"
    assert ranking.informative is None
    assert np.isfinite(ranking.scores).all()
    assert len(set(ranking.indices.tolist())) == len(ranking)


@kinds
@pytest.mark.parametrize("in_play", [1, 2, 3, 5])
def test_equal_to_the_reference_with_few_classes_in_play(kind: Any, in_play: int) -> None:
    # These collections once showed faults with a document whose class is not among the most
    # probable ones, with ties of classes without the term, and with a class too many or too few.
    for seed in range(60):
        X, y, options = collection(kind, seed)
        assert_is_the_reference(X, y, in_play, **options)


def test_sixty_four_of_a_hundred_classes_are_in_play() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(100), 3)
    X = rng.poisson(0.1 + 2.0 * (rng.random((100, 60)) < 0.05))[y] + rng.poisson(0.05, (300, 60))
    some = assert_is_the_reference(X, y, shape=0.5)
    assert_same(some, ts.conditional_gain(X, y, shape=0.5))
    everything, _ = reference.conditional_gain(X, y, shape=0.5, classes_in_play=100)
    assert some.indices.tolist() != everything.tolist()


@given(st.data())
def test_equal_to_the_reference_for_any_matrix(data: st.DataObject) -> None:
    # Draws CSR and CSC, all index types and dtypes, unsorted and repeated entries, stored zeros.
    X = data.draw(strategies.csr_matrices())
    y = data.draw(strategies.labels(X.shape[0]))
    weight = data.draw(strategies.weights(X.shape[0]))
    shape = data.draw(st.sampled_from([1.0, 0.1, "empirical_bayes"]))
    seen = y if weight is None else [c for c, w in zip(y, weight, strict=True) if w > 0]
    assume(len(set(seen)) > 1)
    assert_is_the_reference(X, y, sample_weight=weight, shape=shape)


def heavy_weights(rng: Rng, n_docs: int) -> Any:
    """Draw weights of 2^-40 to 2^40, similar or very different, whole numbers or fractions."""
    weights: list[Any] = [
        np.full(n_docs, 2**40),
        2 ** rng.integers(0, 41, n_docs),
        rng.integers(1, 2**40, n_docs),
        2.0 ** rng.integers(-40, 41, n_docs),
        rng.random(n_docs) * 2.0 ** rng.integers(-40, 41),
        2.0**40 * (rng.random(n_docs) + 1e-3),
    ]
    return weights[rng.integers(len(weights))]


@settings(max_examples=max(2, settings.get_profile("termsift").max_examples) // 2)
@given(seed=st.integers(0, 2**32 - 1))
def test_equal_to_the_reference_for_any_weights(seed: int) -> None:
    X, y, options = collection(KINDS[seed % len(KINDS)], seed)
    options["sample_weight"] = heavy_weights(np.random.default_rng(seed), len(y))
    options["step"] = min(options["step"], 1.0)
    assert_is_the_reference(X, y, **options)


def test_the_shape_of_many_terms_uses_evenly_spaced_ones() -> None:
    # Even terms have equal rates in all classes, and odd terms do not. The shape would differ if
    # the sample were the first 4,000 terms, or had terms with fewer than two documents.
    rng = np.random.default_rng(0)
    y = np.arange(24) % 3
    X = rng.poisson(np.where(np.arange(9001) % 2 == 0, 0.3, 0.6 * (y[:, None] == 1)), (24, 9001))
    found = likeliest_shape(core_of(ts.count(X, y)))
    assert found == pytest.approx(reference.likeliest_shape(reference.count(X, y)), rel=1e-14)


def test_the_shape_is_the_smallest_if_no_term_is_in_two_documents() -> None:
    X, y = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]), [0, 0, 1, 1]
    assert likeliest_shape(core_of(ts.count(np.eye(4, dtype=int), y))) == pytest.approx(0.1)
    assert likeliest_shape(core_of(ts.count(X, y, sample_weight=[0.25] * 4))) == pytest.approx(0.1)
    assert likeliest_shape(core_of(ts.count(X, y))) > 0.2


def test_only_presence_counts_for_the_shape() -> None:
    # The sum of the occurrences of term 0 would overflow.
    X = np.array([[2**62, 1, 0], [2**62, 0, 1], [2**62, 0, 0]])
    assert_same(ts.conditional_gain(X, [0, 0, 1]), ts.conditional_gain(X > 0, [0, 0, 1]))


@kinds
def test_a_weight_counts_as_copies(kind: Any) -> None:
    for seed in range(30):
        X, y, options = collection(kind, seed)
        times = np.random.default_rng(seed).integers(0, 4, len(y))
        times[[0, -1]] = 1
        options["sample_weight"] = times
        weighted = ts.conditional_gain(X, y, **options)
        options["sample_weight"] = None
        # A class whose documents all have weight 0 is absent from the copy, which must not matter.
        copied = ts.conditional_gain(np.repeat(X, times, axis=0), np.repeat(y, times), **options)
        assert weighted.indices.tolist() == copied.indices.tolist()
        np.testing.assert_allclose(weighted.scores, copied.scores, rtol=1e-12, atol=1e-13)


def test_the_first_k_are_the_same_for_any_k() -> None:
    X, y, options = collection(text, 31)
    del options["k"]
    whole = ts.conditional_gain(X, y, **options)
    for k in range(len(whole) + 2):
        first = ts.conditional_gain(X, y, k, **options)
        assert np.array_equal(first.indices, whole.indices[:k])
        assert first.scores.tobytes() == whole.scores[:k].tobytes()


# ---- threads and targets -------------------------------------------------------------------------


@functools.cache
def large() -> tuple[sp.csr_array, Documents]:
    """Return frequent terms in so many documents that each loop uses several threads."""
    rng = np.random.default_rng(5)
    X = rng.random((30_000, 60)) < np.where(np.arange(60) < 10, 0.95, 0.02)
    return sp.csr_array(X.astype(np.int8)), rng.integers(0, 30, 30_000)


def test_threads_and_targets_return_the_same_bits(simd_target: str) -> None:
    X, y = large()
    weight = np.random.default_rng(6).choice([0.1, 0.7, 3.3], len(y))
    _core.use_simd_target("baseline")
    expected = ts.conditional_gain(X, y, 20, sample_weight=weight, n_threads=1)
    _core.use_simd_target(simd_target)
    for n_threads in (1, 2, 3, 7):
        same = ts.conditional_gain(X, y, 20, sample_weight=weight, n_threads=n_threads)
        assert_same(same, expected)


@needs_timers
@pytest.mark.parametrize("n_threads", [1, 2])
def test_ctrl_c_stops_it(n_threads: int) -> None:
    X, y = large()
    expected = ts.conditional_gain(X, y, 5)

    def forever() -> None:
        while True:  # until the signal interrupts a call
            ts.conditional_gain(X, y, n_threads=n_threads)

    with pytest.raises(KeyboardInterrupt), interrupting(0.1):
        forever()
    assert_same(ts.conditional_gain(X, y, 5), expected)


def test_the_log_counts_the_gains(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "termsift")
    ts.conditional_gain(*large(), 20, shape=2)
    done = re.search(r"chose 20 terms in (\d+) gains, shape 2", caplog.text)
    assert done
    assert 60 <= int(done[1]) <= 20 * 60


# ---- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "error", "key", "argument"),
    [
        ({"y": np.eye(3, dtype=int)}, ValueError, "y_is_an_indicator_matrix_expected_3", "y"),
        (
            {"y": sp.csr_array(np.eye(3, dtype=int))},
            ValueError,
            "y_is_an_indicator_matrix_expected_3",
            "y",
        ),
        (
            {"y": np.array([[1, 0], [1, 1], [0, 1]])},
            ValueError,
            "y_is_an_indicator_matrix_expected_4",
            "y",
        ),
        (
            {"sample_weight": [1, 2**60 + 1, 1]},
            ValueError,
            "sample_weight_has_1152921504606846977_at_row_1",
            "sample_weight",
        ),
        ({"shape": 0}, ValueError, "shape_must_be_positive_and_finite", "shape"),
        ({"shape": np.nan}, ValueError, "shape_must_be_positive_and_finite_2", "shape"),
        ({"shape": "auto"}, ValueError, "shape_must_be_a_number_or", "shape"),
        ({"shape": None}, TypeError, "shape_must_be_a_number_got", "shape"),
        ({"temper": -0.1}, ValueError, "temper_must_be_not_negative_and", "temper"),
        ({"temper": np.inf}, ValueError, "temper_must_be_not_negative_and_2", "temper"),
        ({"temper": True}, TypeError, "temper_must_be_a_number_got", "temper"),
        ({"step": 0}, ValueError, "step_must_be_positive_and_finite", "step"),
        ({"step": -1}, ValueError, "step_must_be_positive_and_finite", "step"),
        ({"step": 400, "shape": 1}, ValueError, "step_is_too_large_for_this", None),
        ({"step": 40, "shape": 1}, ValueError, "step_is_too_large_for_this_2", None),
        ({"shape": 1e-200}, ValueError, "step_is_too_large_for_this_3", None),
    ],
    ids=str,
)
def test_invalid_arguments(
    change: dict[str, Any], error: type[Exception], key: str, argument: str | None
) -> None:
    good: dict[str, Any] = {"X": np.array([[1], [0], [2]]), "y": [0, 1, 0]}
    assert len(ts.conditional_gain(**good)) == 1
    with raises(error, key, argument=argument):
        ts.conditional_gain(**{**good, **change})


def test_errors_of_counts_name_the_function_to_use() -> None:
    counts = ts.count(np.eye(2, dtype=int), [0, 1])
    with raises(ValueError, "termsift_conditional_gain_x_y", argument="method"):
        counts.rank("conditional_gain", 1)
    with raises(ValueError, "use_termsift_conditional_gain_x", argument="method"):
        counts.score("conditional_gain")


@pytest.mark.parametrize("choose", [ts.conditional_gain, ts.guided_gain])
def test_terms_have_the_names_of_the_columns(choose: Any) -> None:
    pd = pytest.importorskip("pandas")
    X, y = pd.DataFrame(np.eye(3, dtype=int)[[0, 1, 2, 2]], columns=["egg", "ham", "win"]), "aabb"
    ranking = choose(X, list(y))
    assert ranking.terms.tolist() == X.columns[ranking.indices].tolist()
    assert choose(X, list(y), 1, term_names=["x", "y", "z"]).terms == ["z"]
    unnamed = choose(X.to_numpy(), list(y))
    assert unnamed.terms.tolist() == unnamed.indices.tolist()
    with raises(ValueError, "term_names_has_1_names_2", argument="term_names"):
        choose(X, list(y), term_names=["x"])


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        ({"classes": np.zeros(2, dtype=np.int32)}, "y_and_x_differ_in_length"),
        ({"weights": np.ones(2)}, "sample_weight_and_x_differ_in_length"),
        ({"k": 4}, "k_must_be_in_0_3"),
        ({"k": -1}, "k_must_be_in_0_3"),
    ],
)
def test_the_core_checks_the_sizes_on_which_it_relies(changed: Any, key: str) -> None:
    # The package passes only right sizes; a caller that does not would read beyond the arrays.
    X = sp.csr_array(np.eye(3, dtype=np.int64))
    arguments = {
        "indptr": X.indptr.astype(np.int64),
        "indices": X.indices.astype(np.int64),
        "data": X.data,
        "n_terms": 3,
        "classes": np.array([0, 1, 1], dtype=np.int32),
        "weights": None,
        "shape": 1.0,
        "temper": 0.0,
        "step": 0.5,
        "k": 3,
        "n_threads": 1,
        "progress": None,
    }
    assert len(_core.conditional_gain(**arguments)[0]) == 3
    with raises(ValueError, key):
        _core.conditional_gain(**(arguments | changed))
