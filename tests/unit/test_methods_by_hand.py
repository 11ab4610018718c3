"""Every method, model and policy compared with manual results.

test_score_contract.py compares them with the reference."""

from __future__ import annotations

from math import inf, log, log2, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import termsift as ts
from termsift import reference

# Classes a and b have four documents each: n = 8, n_c = 4 and 4. Term 2 is in no document.
#
#              documents              occurrences            with term i: A and B of class a = d_i
# term 0       3 of a, 1 of b         5 in a, 1 in b         3 1 = 4      without: C D   1 3 = 4
# term 1       0 of a, 2 of b         0 in a, 4 in b         0 2 = 2                     4 2 = 6
# all          3      3               5       5
X = np.array(
    [[2, 0, 0], [2, 0, 0], [1, 0, 0], [0, 0, 0], [1, 0, 0], [0, 3, 0], [0, 1, 0], [0, 0, 0]]
)
Y = ["a"] * 4 + ["b"] * 4
COUNTS = ts.count(X, Y)

# From tables of the normal distribution.
QUANTILE_3_4 = 0.6744897501960817
QUANTILE_9995 = 3.2905267314919255

# The values of class a, then of class b, for the terms 0 and 1.
BY_HAND: dict[str, list[list[float]]] = {
    "df": [[3, 0], [1, 2]],
    # n / d_i = 2 and 4.
    "tfidf": [[5 * log(2), 0], [log(2), 4 * log(4)]],
    # A n / (d_i n_c) = 3 8 / (4 4), 1 8 / (4 4); 0, 2 8 / (2 4).
    "mi": [[log(3 / 2), -inf], [log(1 / 2), log(2)]],
    # A / n = 3/8, 1/8; 0, 2/8.
    "cet": [[3 / 8 * log(3 / 2), 0], [1 / 8 * log(1 / 2), 1 / 4 * log(2)]],
    # And C / n = 1/8, 3/8; 4/8, 2/8 with C n / ((n - d_i) n_c) = 8/16, 24/16; 32/24, 16/24.
    "ig": [
        [3 / 8 * log(3 / 2) + 1 / 8 * log(1 / 2), 1 / 2 * log(4 / 3)],
        [1 / 8 * log(1 / 2) + 3 / 8 * log(3 / 2), 1 / 4 * log(2) + 1 / 4 * log(2 / 3)],
    ],
    # det of class a = 3 8 - 4 4 = 8 and 0 8 - 2 4 = -8, of class b the opposite.
    # n det^2 = 512, over n_c (n - n_c) d_i (n - d_i) = 4 4 4 4 = 256 and 4 4 2 6 = 192.
    "chi2": [[2, 8 / 3], [2, 8 / 3]],
    # det^2 = 64, over A B C D = 9 and 0.
    "chi2_printed": [[64 / 9, inf], [64 / 9, inf]],
    "gss": [[1 / 8, -1 / 8], [-1 / 8, 1 / 8]],
    # A D / (B C) = 9/1, 1/9; 0/8, 8/0.
    "odds_ratio": [[9, 0], [1 / 9, inf]],
    # Rates 3/4 = 9/12 against 1/4 = 3/12: 11/12 over 5/12. Rates 0 against 2/4: 1/6 over 4/6.
    "relevancy": [[log(11 / 5), log(1 / 4)], [log(5 / 11), log(4)]],
    "ngl": [[sqrt(2), -sqrt(8 / 3)], [-sqrt(2), sqrt(8 / 3)]],
    # Term 0: every E = 2, so 3 log 3/2 + 3 log 3/2 + log 1/2 + log 1/2.
    # Term 1: E = 1, 1, 3, 3 for O = 0, 2, 4, 2.
    "g2": [
        [12 * log(3 / 2) - 4 * log(2), 4 * log(2) + 8 * log(4 / 3) + 4 * log(2 / 3)],
        [12 * log(3 / 2) - 4 * log(2), 4 * log(2) + 8 * log(4 / 3) + 4 * log(2 / 3)],
    ],
    # F^-1(3/4) - F^-1(1/4); F^-1(1/2) = 0 less F^-1(0.0005), to which 0 is clipped.
    "bns": [[2 * QUANTILE_3_4, QUANTILE_9995], [2 * QUANTILE_3_4, QUANTILE_9995]],
    # With b2 = 10: a_0 = 10, a_i = 6 and 4; R = S = 15.
    # Term 0: x = 11, u = 7: odds 11/4 and 7/8, 1/x + 1/u = 18/77.
    # Term 1: x = 4, u = 8: odds 4/11 and 8/7, 1/x + 1/u = 12/32.
    "log_odds": [
        [log(22 / 7) / sqrt(18 / 77), log(7 / 22) / sqrt(12 / 32)],
        [log(7 / 22) / sqrt(18 / 77), log(22 / 7) / sqrt(12 / 32)],
    ],
    # With b1 = 1, b2 = 3: all l_c + b2 are 8. Term 0: 6 against 2; term 1: 1 against 5.
    "log_ratio": [[log2(3), -log2(5)], [-log2(3), log2(5)]],
    # fg = 3/4, 1/4; 0, 1/2 and bg = 1/2; 1/4.
    "jlh": [[1 / 4 * 3 / 2, 0], [0, 1 / 4 * 2]],
    # E = 3 and 2 for each class: (5-3)^2 / 3, (1-3)^2 / 3; (0-2)^2 / 2, (4-2)^2 / 2.
    "chi2_counts": [[4 / 3, 2], [4 / 3, 2]],
    # Term 0: O = 5, 1, 0, 4 and E = 3, 3, 2, 2; term 1: O = 0, 4, 5, 1 and E = 2, 2, 3, 3.
    "g2_counts": [[10 * log(5 / 3) - 2 * log(3) + 8 * log(2)] * 2] * 2,
    # Shares 5/5, 0/5; 1/5, 4/5. m = 10 / 2 = 5, of l_i = 6 and 4.
    "c_tfidf": [[log(11 / 6), 0], [1 / 5 * log(11 / 6), 4 / 5 * log(9 / 4)]],
}
OPTIONS: dict[str, dict[str, Any]] = {"log_odds": {"alpha": (1, 10)}}

# The scores of terms 0 and 1 by each method's own aggregate, which is "max" unless stated.
SCORES = {name: np.max(values, axis=0) for name, values in BY_HAND.items()}
SCORES |= {name: np.sum(BY_HAND[name], axis=0) for name in ("cet", "ig", "chi2_counts")}
SCORES |= {"df": [4, 2], "tfidf": [6 * log(2), 4 * log(4)]}


def test_every_method_is_worked_by_hand() -> None:
    # test_reference.py has md and md_chi2 under the multinomial model.
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
    # Class values log 3/2 and log 1/2; -inf and log 2.
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


# Three documents and one without a class. Term 0 is in the first two, term 1 in the first and the
# last; d_i = 2 and 2, where the classes have 3 and 2. n = 4, of which a and b have 2 each.
#
#              classes    terms
# document 0   a b        0 1
# document 1   a          0
# document 2     b
# document 3                1 1
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
    # Class a, term 0: A B C D = 2 0 0 2, of all others 1 1 1 1.
    assert values("chi2") == [[4, 0], [0, 0]]
    assert values("gss") == [[1 / 4, 0], [0, 0]]
    assert values("odds_ratio") == [[inf, 1], [1, 1]]
    assert values("g2") == [pytest.approx([8 * log(2), 0]), [0, 0]]
    # l_i = 2 and 3, E = 1 and 3/2; l_ic = 2, 1 and 1, 1.
    assert values("chi2_counts") == [pytest.approx([1, 1 / 6]), pytest.approx([0, 1 / 6])]
    # With a_0 = 2: a_i = 4/5 and 6/5. Class b, term 0: x = u = 9/5, R = 4, S = 5.
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
    # Each document occurs twice, and there is one more token. m = 21 / 2 is rounded down; l_i = 13,
    # 8.
    odd = ts.count(np.vstack([X, X, [1, 0, 0]]), [*Y, *Y, "a"]).class_scores("c_tfidf")
    assert odd[1, 0] == pytest.approx(1 / 5 * log(1 + 10 / 13), rel=1e-14)
    # The mean does not include a class without documents.
    wider = ts.count(X, Y, classes=[*"abc"]).class_scores("c_tfidf")
    assert_allclose(wider[:2, :2], BY_HAND["c_tfidf"], rtol=1e-14)
    # SEVERAL_X below: l_c = 3 and 2, but L = 5 and l_i = 2 and 3 count each document once.
    several = ts.count(np.array(SEVERAL_X), SEVERAL_Y).class_scores("c_tfidf")
    assert_allclose(several[0], [2 / 3 * log(2), 1 / 3 * log(5 / 3)], rtol=1e-14)


# ----------------------------------------------------------------------------------------- models

# By X and Y, with alpha = 2 where the first two models would otherwise agree:
# binary       d_ic + 2 over 3 + 3 2:   a 5 2 2, b 3 4 2, over 9
# bernoulli    d_ic + 2 over 4 + 2 2:   a 5 2 2, b 3 4 2, over 8
# poisson      l_ic + 1 over 4 + 1:     a 6 1 1, b 2 5 1, over 5
# There are two classes, so q of one class is p of the other.
MODELS = {
    "binary": (
        2,
        [
            [5 / 9 * log(5 / 3) + 4 / 9 * log(4 / 6), 2 / 9 * log(2 / 4) + 7 / 9 * log(7 / 5)],
            [3 / 9 * log(3 / 5) + 6 / 9 * log(6 / 4), 4 / 9 * log(4 / 2) + 5 / 9 * log(5 / 7)],
        ],
        # (2/9)^2 over q (1-q) = 18/81, 20/81; 20/81, 14/81.
        [[4 / 18, 4 / 20], [4 / 20, 4 / 14]],
    ),
    "bernoulli": (
        2,
        [
            [1 / 4 * log(5 / 3), 1 / 4 * log(1 / 2) + 3 / 4 * log(3 / 2)],
            [1 / 4 * log(5 / 3), 1 / 2 * log(2) + 1 / 2 * log(2 / 3)],
        ],
        # (1/4)^2 over 15/64, 1/4; 15/64, 3/16.
        [[4 / 15, 1 / 4], [4 / 15, 1 / 3]],
    ),
    "poisson": (
        1,
        [
            [6 / 5 * log(3) - 4 / 5, 1 / 5 * log(1 / 5) + 4 / 5],
            [2 / 5 * log(1 / 3) + 4 / 5, log(5) - 4 / 5],
        ],
        # (4/5)^2 over 2/5, 1; 6/5, 1/5.
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
    # E is half of the collection's. Logarithms of term 0: log 3 + log 3 + log 2 in a, log 2 in b.
    binary = ts.count(X, Y, tf="binary").class_scores("chi2_counts")
    assert_allclose(binary, [[1 / 2, 1, 0], [1 / 2, 1, 0]], rtol=1e-14)
    a, b = 2 * log(3) + log(2), log(2)
    expected = (a + b) / 2
    logs = ts.count(X, Y, tf="log").class_scores("chi2_counts")
    assert_allclose(logs[:, 0], [(a - expected) ** 2 / expected] * 2, rtol=1e-14)
    # Every model counts documents in the same way.
    for tf in ("binary", "log"):
        assert_allclose(ts.count(X, Y, tf=tf).class_scores("chi2")[:, :2], BY_HAND["chi2"])


# ------------------------------------------------------------------------------------ round robin


def test_round_robin_by_hand() -> None:
    # gss: class a lists 0, 2, 1 (1/8, 0, -1/8), class b 1, 2, 0.
    ranking = COUNTS.rank("gss", policy="round_robin")
    assert list(ranking) == [(0, 1 / 8), (1, 1 / 8), (2, 0)]
    # df: both list their most frequent terms, ties by index. a: 0, 1, 2 (3, 0, 0); b: 1, 0, 2.
    assert list(COUNTS.rank("df", policy="round_robin")) == [(0, 3), (1, 2), (2, 0)]
    # chi2 has the same list for both classes, so class b never adds a term: 1, 0, 2.
    ranking = COUNTS.rank("chi2", policy="round_robin")
    assert ranking.indices.tolist() == [1, 0, 2]
    assert_allclose(ranking.scores, [8 / 3, 2, 0], rtol=1e-14)


# ----------------------------------------------------------------------------------- significance


def test_significance_by_hand() -> None:
    # One degree: p = erfc(sqrt(x/2)); erfc(1) and erfc(sqrt(4/3)) from tables.
    found = COUNTS.significance("chi2")
    assert_allclose(found.statistics, [2, 8 / 3, 0], rtol=1e-14)
    assert_allclose(found.pvalues, [0.157299207050285, 0.102470434859749, 1], rtol=1e-12)
    # If classes have equal values, the first one wins. It has more of term 0 and less of term 1.
    assert found.classes.tolist() == [0, 0, 0]
    assert found.signs.tolist() == [1, -1, 0]
    # Sums over the two classes, again one degree.
    found = COUNTS.significance("chi2_counts")
    assert_allclose(found.statistics, [8 / 3, 4, 0], rtol=1e-14)
    assert_allclose(found.pvalues, [0.102470434859749, 0.045500263896358, 1], rtol=1e-12)
    assert found.signs.tolist() == [1, -1, 0]


def test_significance_per_class_by_hand() -> None:
    found = COUNTS.significance("chi2", per_class=True)
    assert_allclose(found.statistics, [[2, 8 / 3, 0]] * 2, rtol=1e-14)
    assert found.signs.tolist() == [[1, -1, 0], [-1, 1, 0]]
    assert found.classes is None
    # (l - E)^2 / E over 1 - 4/8, as the other class has the same.
    found = COUNTS.significance("chi2_counts", per_class=True)
    assert_allclose(found.statistics, [[8 / 3, 4, 0]] * 2, rtol=1e-14)
    found = COUNTS.significance("g2", per_class=True)
    assert_allclose(found.statistics[:, :2], BY_HAND["g2"], rtol=1e-14)
