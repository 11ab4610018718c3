"""Algorithm 1: the fast search compared with the plain search and with exact arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import termsift as ts
from counts_of_table import counts_of
from exact import exact_divergence, exact_gains, relative_error
from private import _core
from termsift import reference
from termsift.reference import choosing
from wording import raises

Rng = np.random.Generator
Table = np.ndarray[Any, Any]


def text(rng: Rng, n_classes: int, n_terms: int) -> Table:
    zipf = 30.0 / np.arange(1, n_terms + 1)
    return rng.poisson(zipf * rng.lognormal(0, 1, (n_classes, n_terms)))


def one_in(scale: int) -> Callable[[Rng, int, int], Table]:
    """Return a function that makes random counts, with ``scale`` times as many in class 0."""

    def table(rng: Rng, n_classes: int, n_terms: int) -> Table:
        counts = text(rng, n_classes, n_terms)
        counts[0] *= scale
        return counts

    return table


def clusters(rng: Rng, n_classes: int, n_terms: int) -> Table:
    """Return terms whose columns differ from one of two columns by about a millionth."""
    shapes = rng.integers(1, 5, (n_classes, 2))[:, rng.integers(0, 2, n_terms)]
    return (1e9 * shapes * (1 + 1e-6 * rng.normal(size=shapes.shape))).astype(np.int64)


def without_a_token(rng: Rng, n_classes: int, n_terms: int) -> Table:
    """Return counts with a class whose documents have no terms."""
    counts = text(rng, n_classes, n_terms)
    counts[rng.integers(n_classes)] = 0
    return counts


def mirrored(rng: Rng, n_classes: int, n_terms: int) -> Table:
    """Return columns, and columns with reversed classes, so that different terms tie."""
    half = rng.integers(0, 9, (n_classes, (n_terms + 1) // 2))
    return np.hstack([half, half[::-1]])[:, :n_terms]


def rays(rng: Rng, n_classes: int, n_terms: int) -> Table:
    """Return multiples of three columns. Of each column, the largest multiple must come first."""
    shapes = rng.integers(1, 5, (n_classes, 3))
    return shapes[:, rng.integers(0, 3, n_terms)] * rng.integers(1, 40, n_terms)


KINDS: dict[str, Callable[[Rng, int, int], Table]] = {
    "text": text,
    "counts of 0 to 3": lambda rng, n, m: rng.integers(0, 4, (n, m)),
    "few different columns": lambda rng, n, m: rng.integers(0, 9, (n, 4))[:, rng.integers(0, 4, m)],
    "the same column": lambda rng, n, m: np.repeat(rng.integers(0, 9, (n, 1)), m, axis=1),
    "nothing tells the classes apart": lambda rng, n, m: np.repeat(text(rng, 1, m), n, axis=0),
    "a class without a token": without_a_token,
    "mirror images": mirrored,
    "rays": rays,
    "all different": lambda rng, n, m: rng.integers(0, 2**20, (n, m)),
    "log-normal": lambda rng, n, m: rng.lognormal(6, 2, (n, m)).astype(np.int64),
    "powers of two": lambda rng, n, m: 2 ** rng.integers(0, 31, (n, m)),
    "clusters": clusters,
    "1:10": one_in(10),
    "1:10,000": one_in(10_000),
    "fractions": lambda rng, n, m: text(rng, n, m) * rng.choice([0.3, 0.7, 1.1], (n, 1)),
    "any fractions": lambda rng, n, m: text(rng, n, m) * rng.random((n, m)),
}
kinds = pytest.mark.parametrize("kind", KINDS)


def configuration(
    kind: str, n_classes: int, n_terms: int, seed: int
) -> tuple[ts.ClassCounts, dict[str, Any]]:
    """Draw counts and options of `greedy`. Three of four draws have the default options."""
    rng = np.random.default_rng([seed, n_classes, n_terms])
    table = KINDS[kind](rng, n_classes, n_terms)
    documents = rng.integers(1, 50, n_classes).tolist()
    odd: list[dict[str, Any]] = [
        {"alpha": 0.5},
        {"alpha": 0.1},
        {"alpha": (1.0, 3.0 * n_terms)},
        {"alpha": (0.25, 0.25 * n_terms)},
        {"alpha": 0.0 if table.all() else 1e-3},
        {"class_prior": "uniform"},
        {"class_prior": rng.random(n_classes).tolist()},
        {"class_prior": [1.0, 1e-6, *rng.random(n_classes - 2)]},
        {"class_prior": [*rng.random(2), *np.zeros(n_classes - 2)]},
    ]
    return counts_of(table, documents), rng.choice(odd) if seed % 4 == 3 else {}


def of_witness(counts: ts.ClassCounts, options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of `exact_gains` and `exact_divergence` for the same collection."""
    alpha = options.get("alpha", 1.0)
    b1, b2 = alpha if isinstance(alpha, tuple) else (alpha, Fraction(alpha) * counts.n_terms)
    return {
        "term_frequency": counts.term_frequency.toarray(),
        "class_docs": counts.class_docs,
        "b1": b1,
        "b2": b2,
        "prior": options.get("class_prior", "empirical"),
    }


def assert_is_algorithm_1(
    ranking: ts.Ranking, counts: ts.ClassCounts, options: dict[str, Any]
) -> None:
    """Check that each term has the largest gain of the remaining terms, and scores to 1e-12.

    Of equal columns, the first must be taken. Different columns whose gains agree in twelve digits
    may come in either order. Gains below 1e-25 count as 0, because fractions are rounded to 2^-52
    of their class, so that a term is proportional to the pool only up to rounding.
    """
    witness = of_witness(counts, options)
    columns = witness["term_frequency"].T
    order = ranking.indices.tolist()
    assert sorted(order) == list(range(counts.n_terms))
    exact = witness["term_frequency"].dtype.kind == "i"
    divergence = Fraction(0)
    informative = counts.n_terms
    for step, gains in enumerate(exact_gains(order=order, **witness)):
        chosen, best = order[step], max(gains.values())
        if best <= (0 if exact else Fraction(1, 10**25)):
            informative = step
            break
        assert gains[chosen] >= best * (1 - Fraction(1, 10**12))
        assert chosen == min(i for i in gains if (columns[i] == columns[chosen]).all())
        divergence += gains[chosen]
        assert relative_error(float(ranking.scores[step]), divergence) <= 1e-12
    assert ranking.informative is not None
    assert ranking.informative == informative or (ranking.informative > informative and not exact)
    rest = ranking.informative
    assert order[rest:] == sorted(order[rest:])
    assert len(set(ranking.scores[rest:].tolist())) <= 1
    if divergence:
        assert relative_error(float(ranking.scores[-1]), divergence) <= 1e-12


@kinds
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_it_is_algorithm_1(kind: str, n_classes: int) -> None:
    for seed, n_terms in enumerate([1, 2, 3, 4, 5, 6, 12, 25]):
        counts, options = configuration(kind, n_classes, n_terms, seed)
        ranking = counts.greedy(**options)
        plain = counts.greedy(**options, exhaustive=True)
        assert_is_algorithm_1(ranking, counts, options)
        assert_same(ranking, plain)


def assert_same(ranking: ts.Ranking, other: ts.Ranking) -> None:
    """Check that two rankings agree in all indices and in all bits of the scores."""
    assert ranking.indices.tobytes() == other.indices.tobytes()
    assert ranking.scores.tobytes() == other.scores.tobytes()
    assert ranking.informative == other.informative


@kinds
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_the_fast_search_is_the_plain_one(kind: str, n_classes: int) -> None:
    # 48 times 50 configurations.
    rng = np.random.default_rng(n_classes)
    for seed in range(50):
        n_terms = 1 + seed if seed < 10 else int(rng.integers(7, 400))
        counts, options = configuration(kind, n_classes, n_terms, seed)
        fast, plain = (counts.greedy(**options, exhaustive=e) for e in (False, True))
        assert_same(fast, plain)
        k = int(rng.integers(1, n_terms + 1))
        first = counts.greedy(k, **options)
        assert np.array_equal(first.indices, fast.indices[:k])
        assert first.scores.tobytes() == fast.scores[:k].tobytes()
        assert first.informative == min(k, fast.informative)


@kinds
@pytest.mark.parametrize("n_classes", [2, 5])
def test_the_scores_are_the_divergences(kind: str, n_classes: int) -> None:
    counts, options = configuration(kind, n_classes, n_terms=60, seed=3)
    ranking = counts.greedy(**options)
    assert (np.diff(ranking.scores) >= 0).all()  # Theorem 1
    witness = of_witness(counts, options)
    for k in (1, 2, 17, 59, 60):
        exact = exact_divergence(terms=ranking.indices[:k].tolist(), **witness)
        assert relative_error(float(ranking.scores[k - 1]), exact) <= 1e-12


@pytest.fixture(scope="module")
def collection() -> ts.ClassCounts:
    """Return counts of so many terms that threads are used, with ties and with unseen terms."""
    rng = np.random.default_rng(11)
    n_terms = 5000
    rates = np.r_[40.0 / np.arange(1, 4001), np.zeros(n_terms - 4000)]
    return ts.count(rng.poisson(rates, (60, n_terms)), rng.integers(0, 4, 60))


@pytest.mark.parametrize("exhaustive", [False, True])
def test_threads_and_targets_choose_the_same(
    collection: ts.ClassCounts, simd_target: str, exhaustive: bool
) -> None:
    _core.use_simd_target("baseline")
    k = 300 if exhaustive else None
    expected = collection.greedy(k, exhaustive=exhaustive, n_threads=1)
    _core.use_simd_target(simd_target)
    for n_threads in (1, 2, 7):
        assert_same(collection.greedy(k, exhaustive=exhaustive, n_threads=n_threads), expected)


def test_terms_that_add_nothing_come_last_by_index() -> None:
    # After terms 1 and 4, every other term is proportional to the pool, and so gains nothing.
    counts = ts.count(np.array([[1, 9, 2, 3, 0, 1, 4], [1, 0, 2, 3, 9, 1, 4]]), [0, 1])
    ranking = counts.greedy()
    assert ranking.informative == 2
    assert set(ranking.indices[:2].tolist()) == {1, 4}
    assert ranking.indices[2:].tolist() == [0, 2, 3, 5, 6]
    assert len(set(ranking.scores[1:].tolist())) == 1
    assert repr(ranking).startswith("<Ranking of 7 terms, 2 informative, by greedy: ")
    assert repr(counts.greedy(2)).startswith("<Ranking of 2 terms by greedy: ")
    assert counts.rank("md").informative is None


def test_classes_without_documents_take_no_part() -> None:
    X = np.array([[3, 1, 0, 7], [0, 1, 2, 1], [1, 2, 1, 0]])
    with_empty = ts.count(X, ["a", "b", "c"], classes=["a", "none", "b", "c"])
    assert_same(with_empty.greedy(), ts.count(X, ["a", "b", "c"]).greedy())


# ---- rounding ------------------------------------------------------------------------------------


def of(term_frequency: Any, weight: list[float] | None = None) -> ts.ClassCounts:
    """Return counts with one document per class."""
    return ts.count(np.array(term_frequency), range(len(term_frequency)), sample_weight=weight)


def both(counts: ts.ClassCounts, **options: Any) -> ts.Ranking:
    """Return the ranking, and check that the fast and the plain search agree."""
    ranking = counts.greedy(**options)
    assert_same(ranking, counts.greedy(**options, exhaustive=True))
    return ranking


@pytest.mark.parametrize(
    "prior", [[1, 1e-309, 1e-309], [1, 1e-320, 0], [1, 1e-160, 1e-160], [1e160, 1, 1]]
)
def test_a_class_with_nearly_all_the_prior_mass_is_refused(prior: list[float]) -> None:
    counts = of([[3, 0, 2], [6, 2, 5], [0, 0, 9]])
    calls: list[Callable[[], Any]] = [
        lambda: counts.greedy(class_prior=prior),
        lambda: counts.greedy(class_prior=prior, exhaustive=True),
        lambda: counts.score("md", class_prior=prior),
    ]
    for call in calls:
        with raises(ValueError, "class_0_has_all_the"):
            call()
    weighted = of([[3, 0, 2], [6, 2, 5], [0, 0, 9]], [1, 1e-309, 1e-309])
    for exhaustive in (False, True):
        with raises(ValueError, "class_0_has_all_the_documents"):  # no prior was given
            weighted.greedy(exhaustive=exhaustive)


def test_a_smoothing_off_the_grid_adds_no_gain_to_a_share() -> None:
    # All terms except term 0 have the same count in both classes.
    for alpha in [(1, 4.1), (1, 5), (0.1, 4.1), (1, 2**0.5 * 4), (2.718281828, 11.3), 1 / 7.3]:
        for table in ([[90, 3, 1, 2], [0, 3, 1, 2]], [[90_000_000, 3, 1, 2], [0, 3, 1, 2]]):
            ranking = both(of(table), alpha=alpha)
            assert ranking.informative == 1
            assert ranking.indices.tolist() == [0, 1, 2, 3]
            assert reference.greedy(of(table), alpha=alpha)[0].tolist() == [0, 1, 2, 3]


def test_a_leftover_off_the_grid_is_exact_where_a_common_denominator_fits() -> None:
    big = np.array([[4194303, 8589934591], [8388607, 4294967295]])
    rng = np.random.default_rng(8)
    for _ in range(20):
        table = np.hstack([big, rng.integers(0, 10**6, (2, 6))])
        counts, options = of(table), {"alpha": (0.25, 2.01)}
        indices, divergences = reference.greedy(counts, **options)  # type: ignore[arg-type]
        ranking = both(counts, **options)
        assert ranking.indices.tolist() == indices.tolist()
        np.testing.assert_allclose(ranking.scores, divergences, rtol=1e-14)


def test_fractions_that_classes_share_add_nothing() -> None:
    ranking = both(of([[90.3, 1.1, 2.2, 3.3], [0, 1.1, 2.2, 3.3]]))
    assert ranking.informative == 1
    assert ranking.indices.tolist() == [0, 1, 2, 3]
    rng = np.random.default_rng(9)
    for n_classes in (2, 3):
        shared = np.repeat(rng.random((1, 30)), n_classes, axis=0)
        own = rng.random((n_classes, 1)) * [[100.0]]
        ranking = both(of(np.hstack([shared, own])))
        assert ranking.informative == 1
        assert ranking.indices.tolist() == [30, *range(30)]


@pytest.mark.parametrize(
    ("table", "alpha", "key"),
    [
        ([[1e6, 1e-9], [1, 1]], 0, "term_1_has_l_b1_1"),
        ([[1e6, 1e-10], [1, 1]], 0, "term_1_has_l_b1_1e"),
        ([[1, 1], [1e-9, 1e6]], 0, "term_0_has_l_b1_1"),
        ([[10**16, 3], [1, 1]], 0, "term_1_has_l_b1_3"),
        ([[10**16, 0], [1, 1]], 0, "term_1_has_probability_0_in"),
        ([[10**16, 0], [1, 1]], 1, "smoothing_b1_1_is_too_small"),
    ],
)
def test_counts_beyond_the_grid_are_refused(table: Any, alpha: float, key: str) -> None:
    for exhaustive in (False, True):
        with raises(ValueError, key):
            of(table).greedy(alpha=alpha, exhaustive=exhaustive)


def test_few_occurrences_beside_many_are_exact_on_the_grid() -> None:
    table = [[2**50, 1], [1, 2**50]]
    ranking = both(of(table), alpha=0)
    indices, _ = reference.greedy(of(table), alpha=0)
    assert ranking.indices.tolist() == indices.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("table", "weight"),
    [
        ([[15, 0], [13, 14]], [0.8, 0.3]),
        ([[523571930309, 428567177731], [375254019403, 14549212737]], None),
    ],
)
def test_the_last_two_terms_are_a_tie(table: Any, weight: list[float] | None) -> None:
    assert both(of(table, weight)).indices.tolist() == [0, 1]


@pytest.mark.parametrize("n_terms", [3, 5])
def test_the_last_two_of_more_terms_are_a_tie(n_terms: int) -> None:
    rng = np.random.default_rng(n_terms)
    for _ in range(100):
        ranking = both(of(rng.integers(1, 10**12, (3, n_terms))))
        assert ranking.informative == n_terms - 1
        assert ranking.indices[-2] < ranking.indices[-1]


def test_a_tenth_is_a_tenth() -> None:
    for alpha in (0.1, (0.1, 0.3), (0.1, 0.1 * 3)):
        counts = of([[23, 12, 1], [2, 1, 0]])
        ranking = both(counts, alpha=alpha)
        indices, divergences = reference.greedy(counts, alpha=alpha)
        assert ranking.indices.tolist() == indices.tolist() == [0, 1, 2]
        assert ranking.informative == 0
        assert divergences.tolist() == ranking.scores.tolist() == [0, 0, 0]


def test_a_smoothing_that_is_no_simple_fraction() -> None:
    counts = of([[20, 3, 1], [1, 9, 0]])
    options = {"alpha": 3.1415926535e-9}
    ranking = both(counts, **options)
    for k in (1, 2, 3):
        terms = ranking.indices[:k].tolist()
        exact = exact_divergence(terms=terms, **of_witness(counts, options))
        assert relative_error(float(ranking.scores[k - 1]), exact) <= 1e-12


@pytest.mark.parametrize("size", [1e3, 1e6, 1e9, 1e11])
@pytest.mark.parametrize("alpha", [1.0, 0.123456789012, 2.718281828, (1.0, 7.123456789012)])
def test_scores_are_of_unrounded_probabilities(size: float, alpha: Any) -> None:
    tables = [
        [[0.3, size, 7], [size, 0.4, 3]],
        [[1, int(size), 7], [int(size), 0, 3]],
        [[0.3, size, 7], [size / 1e3, 0.4, 3], [1.1, 2.2, size / 30]],
    ]
    for table in tables:
        counts = of(table)
        ranking = both(counts, alpha=alpha)
        witness = of_witness(counts, {"alpha": alpha})
        if alpha == (1.0, 7.123456789012):  # both searches read b2 as this simple fraction
            witness["b2"] = choosing._simple(7.123456789012)
        for k in (1, 2, 3):
            terms = ranking.indices[:k].tolist()
            exact = exact_divergence(terms=terms, **witness)
            assert relative_error(float(ranking.scores[k - 1]), exact) <= 1e-14


# ---- the reference -------------------------------------------------------------------------------


def table(term_frequency: Any) -> SimpleNamespace:
    return SimpleNamespace(
        term_frequency=np.array(term_frequency), class_docs=np.ones(len(term_frequency), int)
    )


def test_the_reference_by_hand() -> None:
    # The two classes have p = (4, 1, 2)/7 and (1, 4, 2)/7. Term 0 alone gives the divergence 3/7
    # log 4 + 3/7 log 2, and so does term 1. Term 1 after term 0 adds 3/7 log 4 - 3/7 log 2. The
    # remaining pool has 2/7 in both classes, so term 2 adds nothing.
    indices, divergences = reference.greedy(table([[3, 0, 1], [0, 3, 1]]))
    log_2 = np.log(2)
    assert indices.tolist() == [0, 1, 2]
    np.testing.assert_allclose(divergences, [9 / 7 * log_2, 12 / 7 * log_2, 12 / 7 * log_2])
    assert reference.divergence(table([[3, 0, 1], [0, 3, 1]]), []) == 0


@kinds
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_reference_against_exact_gains(kind: str, n_classes: int) -> None:
    counts, options = configuration(kind, n_classes, n_terms=9, seed=7)
    indices, divergences = reference.greedy(counts, **options)
    witness = of_witness(counts, options)
    for step, gains in enumerate(exact_gains(order=indices.tolist(), **witness)):
        best = max(gains.values())
        tied = [i for i, gain in gains.items() if best - gain <= best / 10**30]
        assert indices[step] == min(tied)
        chosen = indices[: step + 1].tolist()
        exact = exact_divergence(terms=chosen, **witness)
        assert relative_error(float(divergences[step]), exact) <= 2**-52
        assert reference.divergence(counts, chosen, **options) == divergences[step]


@pytest.mark.parametrize("seed", range(5))
def test_a_class_of_2_59_tokens_beside_small_classes(seed: int) -> None:
    """Each class has masses of its own unit, although all counts are integers."""
    rng = np.random.default_rng(seed)
    X = np.stack([rng.integers(0, most, 6) for most in (2**57, 9, 1000)])
    X[:, 0] += 1
    indices, divergences = reference.greedy(reference.count(X, [0, 1, 2]))
    chosen = ts.count(X, [0, 1, 2]).greedy()
    assert chosen.indices.tolist() == indices.tolist()
    np.testing.assert_allclose(chosen.scores, divergences, rtol=1e-9)
