"""`stability`: its samples compared with a plain bootstrap, its shards, and what it refuses."""

from __future__ import annotations

import io
import itertools
import pickle
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

import termsift as ts
from private import check_labels, put
from wording import raises

Y = ["ham", "news", "spam"] * 20


@pytest.fixture(scope="module")
def X():
    """Return documents of three classes. Four of thirty terms depend on the class."""
    rng = np.random.default_rng(7)
    rates = np.full((3, 30), 0.3)
    rates[[0, 1, 2, 2], [0, 1, 2, 3]] = 1.5, 1.2, 1.0, 0.8
    return rng.poisson(rates[np.arange(60) % 3])


def dealt(X, y, n, **counting):
    return [ts.count(X[i::n], y[i::n], **counting) for i in range(n)]


def assert_same(found, other):
    assert found.columns().keys() == other.columns().keys()
    for values, others in zip(found.columns().values(), other.columns().values(), strict=True):
        assert_array_equal(values, others)
    assert_array_equal(found.probabilities, other.probabilities)
    assert found.overlap == other.overlap
    assert found.overlap_interval == other.overlap_interval


# ------------------------------------------------------------------------------------- by hand


def plain(X, y, k, n_samples, seed=0, sample_weight=1, **options):
    """Return the ranks of all terms in each sample, and the floor, by `ts.count` alone."""
    rng = np.random.default_rng(seed)
    ranks = []
    for _ in range(n_samples):
        weights = rng.poisson(1, len(y)) * sample_weight
        indices = ts.count(X, y, weights).rank(**options).indices
        ranks.append(np.argsort(indices) + 1)
    weights = np.ones(len(y), dtype=int) * sample_weight
    shuffles = [ts.count(X, rng.permutation(y), weights) for _ in range(19)]
    return np.array(ranks), max(counts.rank(k=k, **options).scores.max() for counts in shuffles)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"method": "chi2", "aggregate": "sum"},
        {"method": "md_chi2", "model": "binary", "alpha": 0.5, "noncentrality": "pearson"},
        {"method": "md", "policy": "round_robin", "class_prior": "uniform"},
    ],
)
@pytest.mark.parametrize("sample_weight", [1, 3, 0.5])
def test_samples_are_a_poisson_bootstrap(X, options, sample_weight) -> None:
    weights = np.full(60, sample_weight)
    found = ts.stability(X, Y, k=5, n_samples=25, random_state=3, sample_weight=weights, **options)
    ranks, floor = plain(X, Y, 5, 25, 3, sample_weight, **options)
    whole = ts.count(X, Y, weights).rank(k=5, **options)
    assert_array_equal(found.ranking.indices, whole.indices)
    assert_array_equal(found.ranking.scores, whole.scores)
    assert_array_equal(found.probabilities, (ranks <= 5).mean(axis=0))
    in_order = np.sort(ranks[:, whole.indices], axis=0)
    assert_array_equal(found.rank_low, in_order[1])  # 1 of 25 samples is less, and 1 is more
    assert_array_equal(found.rank_high, in_order[-2])
    pairs = [np.sum((a <= 5) & (b <= 5)) / 5 for a, b in itertools.combinations(ranks, 2)]
    assert found.overlap == pytest.approx(np.mean(pairs), rel=1e-12)
    assert found.overlap_interval == (sorted(pairs)[14], sorted(pairs)[-15])  # of 300 pairs
    assert found.floor == floor
    assert (found.n_samples, found.n_ranked) == (25, 30)


def test_a_term_that_separates_the_classes_is_always_first() -> None:
    rng = np.random.default_rng(0)
    y = [0, 1] * 30
    X = np.column_stack([rng.integers(0, 2, (60, 5)), np.array(y) * 9])
    found = ts.stability(X, y, k=1)
    assert found.ranking.indices == [5]
    assert_array_equal(found.probabilities, [0, 0, 0, 0, 0, 1])
    assert (found.rank_low, found.rank_high) == (1, 1)
    assert found.overlap == 1
    assert found.overlap_interval == (1, 1)
    assert found.floor < found.ranking.scores[0]


def test_two_equal_terms_share_the_first_place() -> None:
    # Each term is in every third document of class a, and the terms share no document.
    X = np.array([[1, 0], [0, 1], [0, 0], [0, 0]] * 10)
    found = ts.stability(X, ["a", "a", "a", "b"] * 10, "df", k=1, n_samples=400)
    assert found.ranking.indices == [0]
    assert found.probabilities.sum() == pytest.approx(1)
    # Ties go to the first term, which therefore comes first a little more often.
    assert 0.5 < found.probability[0] < 0.65
    assert (found.rank_low, found.rank_high) == (1, 2)
    p = found.probability[0]
    n = found.n_samples
    assert found.overlap == pytest.approx((p**2 + (1 - p) ** 2) * n / (n - 1) - 1 / (n - 1))


def test_a_rank_beyond_the_ranked_terms_is_infinite() -> None:
    # The last term is in a single document, which 37% of the samples leave out.
    y = [0, 1] * 10
    X = np.ones((20, 1500), dtype=int)
    X[:, :3] = np.array(y)[:, None] * 5
    X[0, -1] = 1000
    found = ts.stability(X, y, "g2_counts", k=4, n_samples=50)
    assert found.n_ranked == 1004
    assert found.ranking.indices[0] == 1499
    assert found.rank_low[0] == 1
    assert found.rank_high[0] == np.inf
    assert found.columns()["rank_low"].dtype == np.int64
    assert ">1,004" in str(found)
    left_out = np.random.default_rng(0).poisson(1, (50, 20))[:, 0] == 0
    assert found.probability[0] == 1 - left_out.mean()


@pytest.mark.parametrize("selector", ["greedy", "conditional_gain", "guided_gain"])
def test_selectors_have_no_floor(X, selector) -> None:
    found = ts.stability(X, Y, selector, k=3, n_samples=4)
    rng, first = np.random.default_rng(0), np.zeros(30)
    for _ in range(4):
        weights = rng.poisson(1, 60)
        choose = getattr(ts, selector, None)
        chosen = (
            ts.count(X, Y, weights).greedy()
            if choose is None
            else choose(X, Y, sample_weight=weights)
        )
        first[chosen.indices[:3]] += 1 / 4
    assert_array_equal(found.probabilities, first)
    assert found.floor is None
    assert "labels" not in str(found)


def test_documents_of_several_classes_keep_their_classes_together(X) -> None:
    y = np.eye(3, dtype=int)[np.arange(60) % 3]
    y[::4, 1] = 1
    y[5] = 0
    found = ts.stability(X, y, k=4, n_samples=5)
    ranks, floor = plain(X, y, 4, 5)  # permutation() moves the rows of y as a whole
    assert_array_equal(found.probabilities, (ranks <= 4).mean(axis=0))
    assert found.floor == floor


def test_labels_of_documents_in_any_order() -> None:
    y = np.array([[1, 0, 1], [0, 0, 0], [0, 1, 0], [1, 1, 1]])
    order = np.array([3, 1, 0, 2])
    found = check_labels(y, 4, None).at(order)
    expected = check_labels(y[order], 4, None)
    assert_array_equal(found.codes, expected.codes)
    assert_array_equal(found.indptr, expected.indptr)


# ------------------------------------------------------------------------------------- invariances


@pytest.mark.parametrize("n_threads", [1, 3])
def test_threads_and_forms_change_no_bit(X, n_threads) -> None:
    once = ts.stability(X, Y, k=5, n_samples=10)
    for form in (sp.csr_array, sp.csc_array):
        found = ts.stability(form(X), Y, k=5, n_samples=10, n_threads=n_threads)
        assert_same(once, found)
        assert once.floor == found.floor


def test_a_seed_or_a_generator_draws_the_samples(X) -> None:
    first, again, other = (
        ts.stability(X, Y, k=5, n_samples=10, random_state=seed)
        for seed in (3, np.random.default_rng(3), 4)
    )
    assert_same(first, again)
    assert not np.array_equal(first.probabilities, other.probabilities)


def test_names_and_classes_are_those_of_counts(X) -> None:
    names = [f"term{t}" for t in range(30)]
    found = ts.stability(X, Y, k=3, n_samples=3, term_names=names, policy="round_robin")
    assert found.ranking.terms.tolist() == [names[i] for i in found.ranking.indices]
    prior = {"class_prior": [0.5, 0.3, 0.2], "policy": "round_robin"}
    for classes in (["ham", "news", "spam"], ["spam", "news", "ham"]):
        found = ts.stability(X, Y, k=3, n_samples=3, classes=classes, **prior)
        expected = ts.count(X, Y, classes=classes).rank(k=3, **prior)
        assert list(found.ranking) == list(expected)
        assert_array_equal(found.ranking.chosen_by, expected.chosen_by)


def test_tf_is_that_of_counts(X) -> None:
    found = ts.stability(X, Y, k=5, n_samples=3, tf="binary")
    assert_same(found, ts.stability(X > 0, Y, k=5, n_samples=3))


# ------------------------------------------------------------------------------------- shards


def test_shards_of_one_document_are_documents(X) -> None:
    found = ts.stability([ts.count(X[[d]], [Y[d]]) for d in range(60)], k=5, n_samples=20)
    assert_same(found, ts.stability(X, Y, k=5, n_samples=20))
    assert found.floor is None


def test_shards_are_added_some_times(X) -> None:
    shards = dealt(X, Y, 6)
    found = ts.stability(iter(shards), method="chi2", k=4, n_samples=8, random_state=1)
    rng, first = np.random.default_rng(1), np.zeros(30)
    for _ in range(8):
        several = [s for s, n in zip(shards, rng.poisson(1, 6), strict=True) for _ in range(n)]
        first[ts.merge(several).rank("chi2", 4).indices] += 1 / 8
    assert_array_equal(found.probabilities, first)


def test_shards_agree_with_documents(X) -> None:
    by_documents = ts.stability(X, Y, k=4, n_samples=400).probabilities
    shards = dealt(X, Y, 20)
    for order in (shards, shards[::-1]):
        by_shards = ts.stability(order, k=4, n_samples=400).probabilities
        assert_allclose(by_shards, by_documents, atol=0.15)
        assert np.corrcoef(by_shards, by_documents)[0, 1] > 0.97


def test_terms_and_classes_of_shards_are_matched_by_name(X) -> None:
    names = np.array([f"term{t:02}" for t in range(30)])
    shards = dealt(X, Y, 6, term_names=names)
    moved = []
    for i in range(6):
        used = np.random.default_rng(i).permutation(np.flatnonzero(X[i::6].any(axis=0)))
        rows = [d for d in range(i, 60, 6) if i or Y[d] != "spam"]
        moved.append(ts.count(X[rows][:, used], [Y[d] for d in rows], term_names=names[used]))
    rows = [d for d in range(0, 60, 6) if Y[d] != "spam"]
    shards[0] = ts.count(X[rows], [Y[d] for d in rows], term_names=names)
    found, expected = (ts.stability(each, k=5, n_samples=20) for each in (moved, shards))
    # The columns may come in another order, which decides ties only.
    assert dict(zip(found.ranking.terms, found.ranking.scores, strict=True)) == pytest.approx(
        dict(zip(expected.ranking.terms, expected.ranking.scores, strict=True))
    )
    assert_allclose(found.probability, expected.probability, atol=0.1)


def test_labels_of_shards_may_be_numbers_and_texts(X) -> None:
    numbers = [{"ham": 1, "news": 2, "spam": 3}[label] for label in Y]
    shards = dealt(X, numbers, 6)
    shards[2] = ts.count(X[2::6], [str(label) for label in numbers[2::6]])
    assert_same(
        ts.stability(shards, k=5, n_samples=9), ts.stability(dealt(X, Y, 6), k=5, n_samples=9)
    )


def test_updates_of_a_shard_come_too_late(X) -> None:
    shards = dealt(X, Y, 6)

    def read():
        yield from shards
        shards[0].update(X * 100, Y)

    assert_same(
        ts.stability(read(), k=5, n_samples=9), ts.stability(dealt(X, Y, 6), k=5, n_samples=9)
    )


# ------------------------------------------------------------------------------------- small input


def test_samples_have_two_classes_if_the_collection_has() -> None:
    # Of two documents, a sample would leave out at least one with a probability of .6.
    found = ts.stability(np.array([[1, 0], [0, 1]]), ["a", "b"], k=1, n_samples=50)
    assert found.n_samples == 50
    shards = [ts.count(np.array([[1, 0]]), [label]) for label in "aaaab"]
    assert ts.stability(shards, k=1, n_samples=50).probability == [1]


def test_one_class_is_enough_for_a_method_without_classes() -> None:
    found = ts.stability(np.array([[1, 0], [1, 1]]), ["a", "a"], "df", k=1, n_samples=5)
    assert found.ranking.indices == [0]


def test_documents_of_weight_zero_keep_their_labels() -> None:
    weights = [1, 1] + [0] * 50
    X = np.array([[2, 1], [1, 3]] * 26)
    found = ts.stability(X, ["a", "b"] * 26, k=2, sample_weight=weights, n_samples=3)
    assert np.isfinite(found.floor)


def test_all_terms_are_ranked_if_there_are_fewer_than_k(X) -> None:
    found = ts.stability(X, Y, k=99, n_samples=5)
    assert len(found.ranking) == 30
    assert_array_equal(found.probabilities, 1)
    assert found.overlap == 1
    assert np.isfinite(found.rank_high).all()


def test_terms_that_occur_nowhere_come_last(X) -> None:
    wide = np.column_stack([np.zeros((60, 3), dtype=int), X])
    found = ts.stability(wide, Y, "chi2", k=5, n_samples=20)
    assert_array_equal(found.probabilities[:3], 0)


def test_an_infinite_score_is_no_fault() -> None:
    X = np.array([[1, 0, 1], [0, 1, 1]] * 10)
    found = ts.stability(X, ["a", "b"] * 10, "md", k=2, alpha=0, n_samples=5)
    assert_array_equal(found.ranking.scores, np.inf)


def test_samples_repeat_no_warning(X) -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        ts.stability(X / 2, Y, "g2_counts", k=5, n_samples=5)
    assert len(seen) == 1
    assert "g2_counts needs occurrences" in str(seen[0].message)
    assert seen[0].filename == __file__


# ------------------------------------------------------------------------------------- faults


def test_wrong_arguments_are_named(X) -> None:
    with raises(ValueError, "n_samples_must_be_at_least_2", argument="n_samples"):
        ts.stability(X, Y, n_samples=1)
    with raises(ValueError, "k_must_be_at_least_1", argument="k"):
        ts.stability(X, Y, k=0)
    with raises(ValueError, "there_are_no_terms_to", argument="X"):
        ts.stability(X[:, :0], Y)
    with raises(ValueError, "sample_weight_has_nan", argument="sample_weight"):
        ts.stability(X, Y, sample_weight=[np.nan] * 60)
    with raises(TypeError, "random_state_is_no_seed", argument="random_state"):
        ts.stability(X, Y, random_state="seed")
    with raises(ValueError, "two_classes_with_documents", argument="y"):
        ts.stability(X, ["ham"] * 60)
    with raises(ts.CountOverflowError, "a_sample_takes_a_document", argument="sample_weight"):
        ts.stability([[1], [1]], ["a", "b"], "df", sample_weight=[0, 2**62])
    with raises(TypeError, "md_has_no_option_variant", argument="variant"):
        ts.stability(X, Y, variant="idf")


def test_shards_must_be_counts_of_several(X) -> None:
    for wrong in (X, sp.csr_array(X), dealt(X, Y, 6)[0], ["a"], 3, ts.io.scan_demo()):
        with raises(TypeError, "only_shards_need_no_y", argument="y"):
            ts.stability(wrong)
    with raises(ValueError, "there_are_no_shards", argument="X"):
        ts.stability([])
    with raises(ValueError, "too_few_shards", argument="X"):
        ts.stability(dealt(X, Y, 4))
    with raises(ValueError, "a_part_differs_in_tf"):
        ts.stability([*dealt(X, Y, 5), ts.count(X, Y, tf="log")])
    with raises(ValueError, "two_classes_with_documents", argument="X"):
        ts.stability(dealt(X, ["ham"] * 60, 5))
    for name, value in {
        "tf": "log",
        "sample_weight": [1] * 60,
        "classes": ["ham"],
        "term_names": ["a"] * 30,
    }.items():
        with raises(TypeError, "shards_are_counted_already", argument=name):
            ts.stability(dealt(X, Y, 5), **{name: value})


def test_selectors_of_documents_refuse_what_they_do_not_have(X) -> None:
    with raises(TypeError, "pass_documents_not_shards", argument="X"):
        ts.stability(dealt(X, Y, 5), method="guided_gain")
    for name, value in {"tf": "log", "classes": ["ham", "news", "spam"]}.items():
        with raises(TypeError, "conditional_gain_has_no_argument", argument=name):
            ts.stability(X, Y, "conditional_gain", **{name: value})
    y = np.ones((60, 2), dtype=int)
    y[0, 1] = 0
    with raises(ValueError, "y_is_an_indicator_matrix_expected_4", argument="y"):
        ts.stability(X, y, "conditional_gain")
    key = "conditional_gain_reads_the_documents_and_has"
    with raises(TypeError, key, argument="policy"):
        ts.stability(X, Y, "conditional_gain", policy="round_robin")


# ------------------------------------------------------------------------------------- tables


def test_a_table_shows_probabilities_and_ranks(X) -> None:
    found = ts.stability(X, Y, k=3, n_samples=20, term_names=[f"term{t}" for t in range(30)])
    columns = found.columns()
    assert [*columns] == ["rank", "term", "index", "score", "probability", "rank_low", "rank_high"]
    assert_array_equal(columns["probability"], found.probabilities[found.ranking.indices])
    lines = str(found).splitlines()
    assert lines[0] == repr(found)
    assert lines[1].split() == ["rank", "term", "score", "probability", "rank_low", "rank_high"]
    assert f"{found.overlap:.0%} of their first 3 terms" in lines[-2]
    assert lines[-1] == f"Shuffled labels give scores up to {found.floor:.6g}."
    assert_same(pickle.loads(pickle.dumps(found)), found)


def test_functions_of_counts_have_a_stability_too() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 3, (40, 9)), np.arange(40) % 2
    own = ts.stability(X, y, lambda counts: counts.score("md"), 3, n_samples=20)
    named = ts.stability(X, y, "md", 3, n_samples=20)
    assert_array_equal(own.probabilities, named.probabilities)
    assert own.floor == named.floor
    mean = ts.stability(X, y, ts.method("chi2", aggregate="mean"), 3, n_samples=20)
    other = ts.stability(X, y, "chi2", 3, n_samples=20, aggregate="mean")
    assert_array_equal(mean.probabilities, other.probabilities)
    sizes = iter([3])  # for all documents; then two terms for each sample

    def fewer(counts: ts.ClassCounts) -> ts.Ranking:
        return counts.rank("md", next(sizes, 2))

    with raises(ValueError, "a_function_ranked_too_few_of_a_sample", argument="k"):
        ts.stability(X, y, fewer, 3, n_samples=20)
    with raises(TypeError, "a_function_of_documents_has_no_stability"):
        ts.stability(X, y, lambda X, y: X.sum(axis=0), 3)


def test_progress_is_for_a_terminal(X, monkeypatch) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", terminal)
    put(monkeypatch, patience=0.0, every=0.0)
    ts.stability(X, Y, "md", 3, n_samples=5)
    shown = [line.strip() for line in terminal.getvalue().split("\r")]
    (total,) = {line.split()[4] for line in shown if line}
    expected = [f"termsift: drew {n} of {total} samples" for n in range(1, int(total) + 1)]
    assert [line for line in shown if line] == expected
