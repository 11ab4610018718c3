"""Every method, model and policy compared with manual results.

test_score_contract.py compares all methods with the reference."""

from __future__ import annotations

from math import exp, inf, log, log2, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import termsift as ts
from termsift import reference

# Classes a and b have four documents each: n = 8, n_c = 4 and 4. Term 2 is in no document.
#
# Term 0 is in three documents of a and one of b, and occurs 5 times in a and once in b.
# Term 1 is in no document of a and two of b, and occurs 4 times in b.
# Of a class's documents, A have the term and C do not. B and D are the same for the other class.
# Each class has three documents with terms, and 5 tokens.
X = np.array(
    [[2, 0, 0], [2, 0, 0], [1, 0, 0], [0, 0, 0], [1, 0, 0], [0, 3, 0], [0, 1, 0], [0, 0, 0]]
)
Y = ["a"] * 4 + ["b"] * 4
COUNTS = ts.count(X, Y)

# Quantiles of the normal distribution, from printed tables.
QUANTILE_3_4 = 0.6744897501960817
QUANTILE_9995 = 3.2905267314919255

# For each method, the values of terms 0 and 1 in class a, and their values in class b.
BY_HAND: dict[str, list[list[float]]] = {
    "df": [[3, 0], [1, 2]],
    # In tfidf, n / d_i is 2 for term 0 and 4 for term 1.
    "tfidf": [[5 * log(2), 0], [log(2), 4 * log(4)]],
    # In a and b, A n / (d_i n_c) is 3/2 and 1/2 for term 0, and 0 and 2 for term 1.
    "mi": [[log(3 / 2), -inf], [log(1 / 2), log(2)]],
    # In a and b, A / n is 3/8 and 1/8 for term 0, and 0 and 2/8 for term 1.
    "cet": [[3 / 8 * log(3 / 2), 0], [1 / 8 * log(1 / 2), 1 / 4 * log(2)]],
    # For ig, C / n in a and b is 1/8 and 3/8 for term 0, and 4/8 and 2/8 for term 1.
    "ig": [
        [3 / 8 * log(3 / 2) + 1 / 8 * log(1 / 2), 1 / 2 * log(4 / 3)],
        [1 / 8 * log(1 / 2) + 3 / 8 * log(3 / 2), 1 / 4 * log(2) + 1 / 4 * log(2 / 3)],
    ],
    # det = A n - d_i n_c is 8 for term 0 in a and for term 1 in b, and -8 for the other two pairs.
    # n det^2 = 512 is divided by n_c (n - n_c) d_i (n - d_i): 256 for term 0, and 192 for term 1.
    "chi2": [[2, 8 / 3], [2, 8 / 3]],
    # det^2 = 64 is divided by A B C D, which is 9 for term 0 and 0 for term 1.
    "chi2_printed": [[64 / 9, inf], [64 / 9, inf]],
    "gss": [[1 / 8, -1 / 8], [-1 / 8, 1 / 8]],
    # In a and b, A D / (B C) is 9/1 and 1/9 for term 0, and 0/8 and 8/0 for term 1.
    "odds_ratio": [[9, 0], [1 / 9, inf]],
    # relevancy adds 1/6 to the rates 3/4 and 1/4 of term 0, and to the rates 0 and 2/4 of term 1.
    "relevancy": [[log(11 / 5), log(1 / 4)], [log(5 / 11), log(4)]],
    "ngl": [[sqrt(2), -sqrt(8 / 3)], [-sqrt(2), sqrt(8 / 3)]],
    # For term 0, the counts 3, 1, 1 and 3 are observed, and the expected counts are all 2.
    # For term 1, the counts 0, 2, 4 and 2 are observed, and 1, 1, 3 and 3 are expected.
    "g2": [
        [12 * log(3 / 2) - 4 * log(2), 4 * log(2) + 8 * log(4 / 3) + 4 * log(2 / 3)],
        [12 * log(3 / 2) - 4 * log(2), 4 * log(2) + 8 * log(4 / 3) + 4 * log(2 / 3)],
    ],
    # bns compares quantiles of the rates 3/4 and 1/4 of term 0, and of 0.0005 and 1/2 of term 1.
    "bns": [[2 * QUANTILE_3_4, QUANTILE_9995], [2 * QUANTILE_3_4, QUANTILE_9995]],
    # log_odds with b2 = 10 has the pseudocounts a_i = 6 and 4, so R = S = 15.
    # For term 0, x = 11 and u = 7. The odds are 11/4 and 7/8, and 1/x + 1/u is 18/77.
    # For term 1, x = 4 and u = 8. The odds are 4/11 and 8/7, and 1/x + 1/u is 12/32.
    "log_odds": [
        [log(22 / 7) / sqrt(18 / 77), log(7 / 22) / sqrt(12 / 32)],
        [log(7 / 22) / sqrt(18 / 77), log(22 / 7) / sqrt(12 / 32)],
    ],
    # With b1 = 1 and b2 = 3, l_c + b2 is 8 in both classes. The ratios are 6 / 2 and 1 / 5 in a.
    "log_ratio": [[log2(3), -log2(5)], [-log2(3), log2(5)]],
    # Term 0 is in 3/4 of a, 1/4 of b and 1/2 of all. Term 1 is in 0 of a, 1/2 of b and 1/4 of all.
    "jlh": [[1 / 4 * 3 / 2, 0], [0, 1 / 4 * 2]],
    # In each class, the expected counts of terms 0 and 1 are 3 and 2.
    "chi2_counts": [[4 / 3, 2], [4 / 3, 2]],
    # For both terms, the counts 5, 1, 0 and 4 are observed, and 3, 3, 2 and 2 are expected.
    "g2_counts": [[10 * log(5 / 3) - 2 * log(3) + 8 * log(2)] * 2] * 2,
    # c_tfidf multiplies a term's share of the class by log(1 + m / l_i), with m = 5, l_i = 6 and 4.
    "c_tfidf": [[log(11 / 6), 0], [1 / 5 * log(11 / 6), 4 / 5 * log(9 / 4)]],
    # In a, the shares of term 0 are A/d_i = 3/4, C/n_c = 1/4 and B/(n-n_c) = 1/4, and in b 1/4, 3/4
    # and 3/4. In b, the shares of term 1 are 1, 2/4 and 0.
    "dfs": [[3 / 4 / 1.5, 0], [1 / 4 / 2.5, 1 / 1.5]],
    # efs multiplies dfs by A/n_c and divides it by C/(n-d_i) + B/d_i + 1, which is 1/4 + 1/4 + 1
    # for term 0 in a, 3/4 + 3/4 + 1 in b, and 2/6 + 0 + 1 for term 1 in b.
    "efs": [[1 / 2 * 3 / 4 / 1.5, 0], [1 / 10 * 1 / 4 / 2.5, 2 / 3 * 1 / 2 * 3 / 4]],
    "gini": [[(3 / 4) ** 4, 0], [(1 / 4) ** 4, 1 / 4]],
    "acc2": [[1 / 2, 1 / 2], [1 / 2, 1 / 2]],
    # ndm and mmr replace the share 0 of term 1 in a by 10^-10.
    "ndm": [[2, 5e9], [2, 5e9]],
    "mmr": [[3 / 2, 25e8], [3 / 2, 25e8]],
    # wllr replaces the share 0 of term 1 in a by 1/4.
    "wllr": [[3 / 4 * log(3), 0], [1 / 4 * log(1 / 3), 1 / 2 * log(2)]],
    # Term 0 occurs 6 times in 8 documents, and term 1 occurs 4 times. With q = exp(-6/8) or
    # exp(-4/8), 4 (1-q) documents of each class should have the term, and 4 q should not.
    "poisson_deviation": [
        [
            (3 - 4 * (1 - q)) ** 2 / (4 * q * (1 - q)) + (1 - 4 * (1 - q)) ** 2 / (4 * q * (1 - q))
            for q in [exp(-6 / 8)]
        ]
        + [
            (4 * (1 - q)) ** 2 / (4 * q * (1 - q)) + (2 - 4 * (1 - q)) ** 2 / (4 * q * (1 - q))
            for q in [exp(-4 / 8)]
        ]
    ]
    * 2,
    # There are N = 2 classes and M = 3 terms, so cmfs divides by 6 + 2 or 4 + 2, and by 5 + 3.
    "cmfs": [[36 / 64, 1 / 48], [4 / 64, 25 / 48]],
}
OPTIONS: dict[str, dict[str, Any]] = {"log_odds": {"alpha": (1, 10)}}

# The scores of terms 0 and 1 by each method's default aggregate. Most methods have "max".
SCORES = {name: np.max(values, axis=0) for name, values in BY_HAND.items()}
SUMS = ("cet", "ig", "chi2_counts", "dfs", "efs", "gini", "cmfs")
SCORES |= {name: np.sum(BY_HAND[name], axis=0) for name in SUMS}
SCORES |= {"df": [4, 2], "tfidf": [6 * log(2), 4 * log(4)]}


def test_every_method_is_worked_by_hand() -> None:
    # test_reference.py tests md and md_chi2 with the multinomial model.
    assert {*BY_HAND, "md", "md_chi2"} == {*reference.METHODS}


@pytest.mark.parametrize("method", BY_HAND)
def test_class_values_by_hand(method: str) -> None:
    values = COUNTS.class_scores(method, **OPTIONS.get(method, {}))
    assert_allclose(values[:, :2], BY_HAND[method], rtol=1e-14)
    assert_array_equal(values[:, 2], 0)


@pytest.mark.parametrize("method", BY_HAND)
def test_scores_by_hand(method: str) -> None:
    scores = COUNTS.score(method, **OPTIONS.get(method, {}))
    assert_allclose(scores, [*SCORES[method], 0], rtol=1e-14)


def test_aggregates_by_hand() -> None:
    # The class values of term 0 are log 3/2 and log 1/2, and those of term 1 are -inf and log 2.
    def score(**options: Any) -> list[float]:
        return COUNTS.score("mi", **options).tolist()

    assert score(aggregate="sum") == pytest.approx([log(3 / 4), -inf, 0], rel=1e-14)
    assert score(aggregate="mean") == pytest.approx([log(3 / 4) / 2, -inf, 0], rel=1e-14)
    thirds = score(aggregate="mean", class_prior=[1, 2])
    assert thirds == pytest.approx([log(3 / 8) / 3, -inf, 0], rel=1e-14)
    for method in ("df", "tfidf"):
        values = np.array(BY_HAND[method])
        for aggregate, how in (("sum", np.sum), ("mean", np.mean), ("max", np.max)):
            scores = COUNTS.score(method, aggregate=aggregate)
            assert_allclose(scores[:2], how(values, axis=0), rtol=1e-14)


def test_an_infinite_value_of_no_weight_is_no_part_of_a_mean() -> None:
    # Only class b has term 1. With the priors 1, 0, 1, the value of the second class does not
    # count, even if it is infinite.
    documents, labels = [[1, 0], [0, 1], [1, 1]], ["a", "b", "c"]
    mean = ts.count(np.array(documents), labels).score(
        "mi", aggregate="mean", class_prior=[1, 0, 1]
    )
    # Class a: log(3/2), -inf. Class c: log(3/2) twice.
    assert_allclose(mean, [log(3 / 2), -inf], rtol=1e-14)


# Document 0 has the classes a and b, document 1 has a, document 2 has b, and document 3 has none.
# Term 0 is in documents 0 and 1. Term 1 is in document 0, and occurs twice in document 3.
# So n = 4, n_c = 2 and 2, and d_i = 2 and 2, but the sums of d_ic over the classes are 3 and 2.
SEVERAL_X = [[1, 1], [1, 0], [0, 0], [0, 2]]
SEVERAL_Y = np.array([[1, 1], [1, 0], [0, 1], [0, 0]])


def test_documents_of_several_classes_and_of_none_by_hand() -> None:
    counts = ts.count(np.array(SEVERAL_X), SEVERAL_Y)

    def values(method: str) -> list[list[float]]:
        return counts.class_scores(method).tolist()

    def score(method: str) -> list[float]:
        return counts.score(method).tolist()

    assert score("df") == [2, 2]
    assert score("tfidf") == pytest.approx([2 * log(2), 3 * log(2)])
    # For term 0 in class a, A B C D is 2 0 0 2. For all other pairs, A B C D is 1 1 1 1.
    assert values("chi2") == [[4, 0], [0, 0]]
    assert values("gss") == [[1 / 4, 0], [0, 0]]
    assert values("odds_ratio") == [[inf, 1], [1, 1]]
    assert values("g2") == [pytest.approx([8 * log(2), 0]), [0, 0]]
    # Class a has 2 of term 0 and 1 of term 1, and b has 1 and 1. Both should have 1 and 3/2.
    assert values("chi2_counts") == [pytest.approx([1, 1 / 6]), pytest.approx([0, 1 / 6])]
    # log_odds has a_i = 4/5 and 6/5. For term 0 in class b, x = u = 9/5, R = 4 and S = 5.
    z = log((16 / 5) / (11 / 5)) / sqrt(2 / (9 / 5))
    assert values("log_odds")[1][0] == pytest.approx(z)


def test_options_of_c_tfidf_by_hand() -> None:
    def values(**options: Any) -> list[list[float]]:
        return COUNTS.class_scores("c_tfidf", **options)[:, :2].tolist()

    rare, common = log(6 / (4 + 1 / 2)), log(6 / (6 + 1 / 2))  # BM25's weights, one negative
    bm25 = [[common, 0], [1 / 5 * common, 4 / 5 * rare]]
    assert_allclose(values(variant="bm25"), bm25, rtol=1e-14)
    root = [[log(11 / 6), 0], [sqrt(1 / 5) * log(11 / 6), sqrt(4 / 5) * log(9 / 4)]]
    assert_allclose(values(sqrt=True), root, rtol=1e-14)
    both = [[common, 0], [sqrt(1 / 5) * common, sqrt(4 / 5) * rare]]
    assert_allclose(values(variant="bm25", sqrt=np.True_), both, rtol=1e-14)
    # Each document occurs twice, and there is one more token of term 0. So l_i is 13 and 8, and the
    # mean m = 21 / 2 is rounded down.
    odd = ts.count(np.vstack([X, X, [1, 0, 0]]), [*Y, *Y, "a"]).class_scores("c_tfidf")
    assert odd[1, 0] == pytest.approx(1 / 5 * log(1 + 10 / 13), rel=1e-14)
    # A class without documents does not change the mean number of tokens per class.
    wider = ts.count(X, Y, classes=[*"abc"]).class_scores("c_tfidf")
    assert_allclose(wider[:2, :2], BY_HAND["c_tfidf"], rtol=1e-14)
    # In SEVERAL_X, l_c is 3 and 2. L = 5 and l_i = 2 and 3 count each document once.
    several = ts.count(np.array(SEVERAL_X), SEVERAL_Y).class_scores("c_tfidf")
    assert_allclose(several[0], [2 / 3 * log(2), 1 / 3 * log(5 / 3)], rtol=1e-14)


# ----------------------------------------------------------------------------------------- models

# "binary" divides d_ic + 2 (5, 2, 2 in a and 3, 4, 2 in b) by 3 + 3 2 = 9.
# "bernoulli" divides d_ic + 2 (5, 2, 2 in a and 3, 4, 2 in b) by 4 + 2 2 = 8.
# "poisson" divides l_ic + 1 (6, 1, 1 in a and 2, 5, 1 in b) by 4 + 1 = 5.
# With alpha = 1 instead of 2, the models "binary" and "bernoulli" would have equal p.
# There are two classes, so q of one class is p of the other class.
MODELS = {
    "binary": (
        2,
        [
            [5 / 9 * log(5 / 3) + 4 / 9 * log(4 / 6), 2 / 9 * log(2 / 4) + 7 / 9 * log(7 / 5)],
            [3 / 9 * log(3 / 5) + 6 / 9 * log(6 / 4), 4 / 9 * log(4 / 2) + 5 / 9 * log(5 / 7)],
        ],
        # (p - q)^2 = (2/9)^2 is divided by q (1-q), which is 18/81, 20/81, 20/81 and 14/81.
        [[4 / 18, 4 / 20], [4 / 20, 4 / 14]],
    ),
    "bernoulli": (
        2,
        [
            [1 / 4 * log(5 / 3), 1 / 4 * log(1 / 2) + 3 / 4 * log(3 / 2)],
            [1 / 4 * log(5 / 3), 1 / 2 * log(2) + 1 / 2 * log(2 / 3)],
        ],
        # (p - q)^2 = (1/4)^2 is divided by q (1-q), which is 15/64, 1/4, 15/64 and 3/16.
        [[4 / 15, 1 / 4], [4 / 15, 1 / 3]],
    ),
    "poisson": (
        1,
        [
            [6 / 5 * log(3) - 4 / 5, 1 / 5 * log(1 / 5) + 4 / 5],
            [2 / 5 * log(1 / 3) + 4 / 5, log(5) - 4 / 5],
        ],
        # (p - q)^2 = (4/5)^2 is divided by q, which is 2/5, 1, 6/5 and 1/5.
        [[8 / 5, 16 / 25], [8 / 15, 16 / 5]],
    ),
}


@pytest.mark.parametrize("model", MODELS)
def test_models_by_hand(model: str) -> None:
    alpha, md, pearson = MODELS[model]
    options: dict[str, Any] = {"model": model, "alpha": alpha}
    values = COUNTS.class_scores("md", **options)
    assert_allclose(values[:, :2], md, rtol=1e-13)
    assert_array_equal(values[:, 2], 0)
    values = COUNTS.class_scores("md_chi2", noncentrality="pearson", **options)
    assert_allclose(values[:, :2], pearson, rtol=1e-13)
    # With two classes, nu_J is half the sum of Pearson's values of both classes.
    values = COUNTS.class_scores("md_chi2", **options)
    assert_allclose(values[:, :2], [np.mean(pearson, axis=0)] * 2, rtol=1e-13)


# --------------------------------------------------------------------------------------------- tf


def test_tf_by_hand() -> None:
    # Half of a term's sum is expected in a class. Term 0 has 2 log 3 + log 2 in a, log 2 in b.
    binary = ts.count(X, Y, tf="binary").class_scores("chi2_counts")
    assert_allclose(binary, [[1 / 2, 1, 0], [1 / 2, 1, 0]], rtol=1e-14)
    a, b = 2 * log(3) + log(2), log(2)
    expected = (a + b) / 2
    logs = ts.count(X, Y, tf="log").class_scores("chi2_counts")
    assert_allclose(logs[:, 0], [(a - expected) ** 2 / expected] * 2, rtol=1e-14)
    # Every value of tf counts documents in the same way.
    for tf in ("binary", "log"):
        assert_allclose(ts.count(X, Y, tf=tf).class_scores("chi2")[:, :2], BY_HAND["chi2"])


# ------------------------------------------------------------------------------------ round robin


def test_round_robin_by_hand() -> None:
    # By gss, class a ranks the terms 0, 2, 1, and class b ranks the terms 1, 2, 0.
    ranking = COUNTS.rank("gss", policy="round_robin")
    assert list(ranking) == [(0, 1 / 8), (1, 1 / 8), (2, 0)]
    # By df, class a ranks the terms 0, 1, 2 (1 and 2 tie), and class b ranks the terms 1, 0, 2.
    assert list(COUNTS.rank("df", policy="round_robin")) == [(0, 3), (1, 2), (2, 0)]
    # By chi2, both classes rank the terms 1, 0, 2, so class b never adds a term.
    ranking = COUNTS.rank("chi2", policy="round_robin")
    assert ranking.indices.tolist() == [1, 0, 2]
    assert_allclose(ranking.scores, [8 / 3, 2, 0], rtol=1e-14)


# ----------------------------------------------------------------------------------- significance


def test_significance_by_hand() -> None:
    # With one degree of freedom, p is erfc(sqrt(x/2)), whose values are in printed tables.
    found = COUNTS.significance("chi2")
    assert_allclose(found.statistics, [2, 8 / 3, 0], rtol=1e-14)
    assert_allclose(found.pvalues, [0.157299207050285, 0.102470434859749, 1], rtol=1e-12)
    # If two classes have equal values, the first wins. Class a has more of term 0, less of term 1.
    assert found.chosen_by.tolist() == [COUNTS.classes[0]] * 3
    assert found.signs.tolist() == [1, -1, 0]
    # The statistics are sums over the two classes, and also have one degree of freedom.
    found = COUNTS.significance("chi2_counts")
    assert_allclose(found.statistics, [8 / 3, 4, 0], rtol=1e-14)
    assert_allclose(found.pvalues, [0.102470434859749, 0.045500263896358, 1], rtol=1e-12)
    assert found.signs.tolist() == [1, -1, 0]


def test_significance_per_class_by_hand() -> None:
    found = COUNTS.significance("chi2", per_class=True)
    assert_allclose(found.statistics, [[2, 8 / 3, 0]] * 2, rtol=1e-14)
    assert found.signs.tolist() == [[1, -1, 0], [-1, 1, 0]]
    assert found.chosen_by is None
    # A class's statistic is (l - E)^2 / E divided by 1 - 4/8, and the other class has an equal one.
    found = COUNTS.significance("chi2_counts", per_class=True)
    assert_allclose(found.statistics, [[8 / 3, 4, 0]] * 2, rtol=1e-14)
    found = COUNTS.significance("g2", per_class=True)
    assert_allclose(found.statistics[:, :2], BY_HAND["g2"], rtol=1e-14)
