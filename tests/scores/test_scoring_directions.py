"""The direction of a term: whether its p in a class is above or below that of the other
classes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal, assert_array_max_ulp

import termsift as ts
from exact_scores import directions_of
from private import dominant_class
from termsift import reference
from wording import raises

pytestmark = pytest.mark.filterwarnings("ignore:.* does not use class_prior")

BY_PROBABILITIES = [method.name for method in ts.methods() if method.models]


def nearly_equal(rng: np.random.Generator) -> tuple[np.ndarray[Any, Any], list[int]]:
    """Return counts of two terms in three classes, and the sign of p - q in the third class.

    In the first two classes, p is a multiple of 2^-20, so q of the third class is m / 2^21. In the
    third class, p = k / L is next to q: k 2^21 - m L is 1, 0 or -1, for L near 2^49.
    """
    size, wanted = 2**21, int(rng.integers(-1, 2))
    a, b = (int(x) for x in rng.integers(2**18, 2**19, 2))
    b += (a + b + 1) % 2
    m = a + b  # odd
    L = (-wanted * pow(m, -1, size)) % size + size * int(rng.integers(2**27, 2**28))
    k = (m * L + wanted) // size
    assert k * size - m * L == wanted
    half = size // 2
    X = np.array([[a, half - a], [b, half - b], [k, L - k]], dtype=np.int64)
    return X, [wanted, -wanted]


def test_p_and_q_that_agree_to_twenty_digits(simd_target: str) -> None:
    # A bug once set p - q to 0 if p and q had equal high parts as double-doubles.
    rng = np.random.default_rng(0)
    for _ in range(100):
        X, expected = nearly_equal(rng)
        counts = ts.count(X, [0, 1, 2])
        for method in BY_PROBABILITIES:
            options: Any = {"alpha": 0, "class_prior": "uniform"}
            directions = directions_of(counts, method, **options)
            assert_array_equal(directions, reference.class_directions(counts, method, **options))
            assert directions[2].tolist() == expected
            scores = counts.class_scores(method, **options)
            assert_array_equal(scores == 0, directions == 0)


def test_smoothing_and_priors_turn_a_direction() -> None:
    # Term 0 is half of the 4 tokens of "small" and 30% of the 1,000 tokens of "large", but after
    # smoothing p is 3/104 and 301/1100. A bug once compared the shares of the tokens.
    X = np.zeros((2, 100), dtype=int)
    X[0, :2] = 2, 2
    X[1, :3] = 300, 100, 600
    counts = ts.count(X, ["small", "large"], classes=["small", "large"])
    assert directions_of(counts, "md")[:, 0].tolist() == [-1, 1]
    assert directions_of(counts, "md", alpha=(1e-3, 0.1))[:, 0].tolist() == [1, -1]
    assert directions_of(counts, "md", alpha=0)[:, 0].tolist() == [1, -1]
    for alpha, sign in ((1.0, -1), (0.0, 1)):
        small = ts.distinctive_terms(counts, "md", alpha=alpha)["small"]
        assert (0 in small.indices) == (sign > 0)
        speaks_for = dominant_class(counts, np.array([0]), "md", alpha=alpha)
        assert counts.classes[speaks_for[0]] == ("small" if sign > 0 else "large")
    # With two classes, q of "small" is p of "large" for any priors. With three classes, q depends
    # on the priors.
    counts = ts.count(np.array([[10, 90], [50, 50], [90, 10]]), ["a", "b", "c"])
    for prior, sign in (("uniform", 0), ([1, 1, 9], -1), ([9, 1, 1], 1)):
        assert directions_of(counts, "md", alpha=0, class_prior=prior)[1, 0] == sign
        found = ts.distinctive_terms(counts, "md", alpha=0, class_prior=prior)["b"]
        assert (0 in found.indices) == (sign > 0)


def collection(seed: int, kind: str) -> ts.ClassCounts:
    """Return many small classes and a large class, for which smoothing often turns a direction."""
    rng = np.random.default_rng(seed)
    sizes = np.array([1, 1, 2, 3, 5, 8, 100])
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.poisson(rng.exponential(0.5, (len(sizes), 60))[y])
    if kind == "several labels":
        return ts.count(X, (np.arange(len(sizes)) == y[:, None]) | (rng.random((len(y), 1)) < 0.05))
    if kind == "weights":
        return ts.count(X, y, rng.choice([0.5, 1, 3], len(y)))
    if kind == "an empty class":
        return ts.count(X, y, classes=[9, *range(len(sizes))])
    return ts.count(X, y, tf="log" if kind == "logarithms" else "raw")


KINDS = ["counts", "several labels", "weights", "an empty class", "logarithms"]
SCORINGS: list[dict[str, Any]] = [
    {},
    {"alpha": 0.1},
    {"alpha": (0.5, 2.0), "class_prior": "uniform"},
]


@pytest.mark.parametrize("kind", KINDS)
def test_every_list_has_the_direction_of_the_scores(method: str, kind: str) -> None:
    counts = collection(0, kind)
    occurs = counts.term_frequency.toarray() > 0
    scorings = [*SCORINGS, *({"model": model} for model in ts.methods()[0].models[1:])]
    for scoring in scorings if method in BY_PROBABILITIES else SCORINGS:
        directions = directions_of(counts, method, **scoring)
        scores = counts.class_scores(method, **scoring)
        eligible = (directions > 0) & occurs
        rankings = ts.distinctive_terms(counts, method, **scoring)
        for c, (label, found) in enumerate(rankings.items()):
            order = np.argsort(-scores[c], kind="stable")
            assert found.indices.tolist() == order[eligible[c, order]].tolist()
            assert_array_max_ulp(found.scores, scores[c, found.indices], 4)
            some = ts.distinctive_terms(counts, method, 3, [label], **scoring)[label]
            assert some.indices.tolist() == found.indices[:3].tolist()
            assert_array_equal(some.scores, found.scores[:3])
        best = np.where(eligible, scores, -np.inf).argmax(axis=0)
        expected = np.where(eligible.any(axis=0), best, -1)
        terms = np.array([7, 3, 59])
        assert_array_equal(dominant_class(counts, terms, method, **scoring), expected[terms])


def test_one_class_and_no_terms() -> None:
    one = ts.count(np.array([[1, 2], [0, 1]]), ["a", "a"])
    for method in ("df", "tfidf"):
        assert directions_of(one, method).tolist() == [[0, 0]]
    with raises(ValueError, "two_classes_with_documents"):
        directions_of(one, "md")
    none = ts.count(np.zeros((2, 0), dtype=int), ["a", "b"])
    for method in ("md", "chi2"):
        assert directions_of(none, method).shape == (2, 0)
        assert [len(found) for found in ts.distinctive_terms(none, method).values()] == [0, 0]
        assert dominant_class(none, np.empty(0, dtype=np.int64), method).tolist() == []


def test_the_reference_by_hand() -> None:
    counts = reference.count([[4, 1, 0], [0, 1, 2]], ["ham", "spam"])
    # The p of "ham" are 5/8, 2/8 and 1/8, and the p of "spam" are 1/6, 2/6 and 3/6.
    assert reference.class_directions(counts).tolist() == [[1, -1, -1], [-1, 1, 1]]
    assert reference.class_directions(counts, "chi2").tolist() == [[1, 0, -1], [-1, 0, 1]]
    # The sign is that of l_ic l - l_i l_c: for "ham", 4 x 8 > 4 x 5 and 1 x 8 < 2 x 5.
    assert reference.class_directions(counts, "log_odds").tolist() == [[1, -1, -1], [-1, 1, 1]]
    assert reference.class_directions(counts, alpha=Fraction(1, 3)).dtype == np.int8  # type: ignore[arg-type]
