"""Keyness: values compared with manual results, scipy and the reference; filters and errors."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binomtest, chi2, chi2_contingency
from scipy.stats.contingency import odds_ratio, relative_risk

import termsift as ts
from private import KEYNESS_ORDERS, check_matrix, dispersion
from termsift.reference.keyness import exact_log_ratio, keyness_of
from termsift.reference.pvalues import log_pvalue
from wording import raises

TERMS = ["bacon", "and", "pills", "zebra"]
X = np.array([[4, 1, 0, 0], [6, 3, 1, 0], [1, 2, 6, 0], [0, 3, 9, 0], [2, 2, 2, 1]])
Y = ["ham", "ham", "spam", "spam", "eggs"]


def counts() -> ts.ClassCounts:
    return ts.count(X, Y, term_names=TERMS)


def rows(found: ts.Keyness) -> dict[Any, dict[str, Any]]:
    """Return the rows of the table by term."""
    columns = {name: column.tolist() for name, column in found.columns().items()}
    return {
        term: {name: column[row] for name, column in columns.items()}
        for row, term in enumerate(columns["term"])
    }


def test_the_table_by_hand() -> None:
    found = counts().keyness("ham", "spam")
    assert (found.target, found.reference, found.tokens) == (["ham"], ["spam"], (15, 21))
    assert found.table["term"].tolist() == ["bacon", "and", "pills"]
    bacon = rows(found)["bacon"]
    assert (bacon["n_target"], bacon["n_reference"], bacon["df_target"]) == (10, 1, 2)
    assert (bacon["df_reference"], bacon["sign"], bacon["index"]) == (1, 1, 0)
    # Of 15 and 21 tokens, 10 and 1 are "bacon". 11/36 of the tokens are expected on both sides.
    logs = [10 * math.log(24 / 11), math.log(12 / 77), 5 * math.log(12 / 25)]
    g2 = 2 * (sum(logs) + 20 * math.log(48 / 35))
    assert bacon["g2"] == pytest.approx(g2, rel=1e-14)
    assert bacon["bic"] == pytest.approx(g2 - math.log(36), rel=1e-14)
    assert bacon["log_ratio"] == pytest.approx(math.log2(14), rel=1e-14)
    assert bacon["percent_diff"] == pytest.approx(1300, rel=1e-14)
    assert bacon["relative_risk"] == pytest.approx(14, rel=1e-14)
    assert bacon["odds_ratio"] == pytest.approx(40, rel=1e-14)
    of_million = (2e6 / 3 + 1) / (1e6 / 21 + 1)
    assert bacon["simple_maths"] == pytest.approx(of_million, rel=1e-14)
    assert bacon["pvalue"] == pytest.approx(chi2.sf(g2, 1), rel=1e-12)


def test_intervals_and_g2_are_those_of_scipy() -> None:
    for term, row in rows(counts().keyness("ham", "spam")).items():
        a, b = row["n_target"], row["n_reference"]
        table = [[a, 15 - a], [b, 21 - b]]
        expected = chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic
        assert row["g2"] == pytest.approx(expected, rel=1e-9, abs=1e-12)
        if a == 0 or b == 0:
            continue
        risk = relative_risk(a, 15, b, 21).confidence_interval()
        ends = row["relative_risk_low"], row["relative_risk_high"]
        assert_allclose(ends, (risk.low, risk.high), rtol=1e-12, err_msg=term)
        logs = row["log_ratio_low"], row["log_ratio_high"]
        assert_allclose(logs, np.log2(ends), rtol=1e-12)
        odds = odds_ratio(table, kind="sample").confidence_interval()
        ends = row["odds_ratio_low"], row["odds_ratio_high"]
        assert_allclose(ends, (odds.low, odds.high), rtol=1e-12, err_msg=term)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=6),
    st.floats(0.01, 1000),
)
def test_the_reference_agrees(pairs: list[tuple[int, int]], constant: float) -> None:
    a, b = np.array([*pairs, (1, 2)]).T
    found = ts.count(np.array([a, b]), ["t", "r"]).keyness("t", "r", constant=constant)
    n_1, n_2 = int(a.sum()), int(b.sum())
    for row, i in enumerate(found.table["index"].tolist()):
        expected = keyness_of(int(a[i]), int(b[i]), n_1, n_2, constant=constant)
        for name, value in expected.items():
            assert found.table[name][row] == pytest.approx(value, rel=1e-9, abs=1e-9, nan_ok=True)
        n_terms = int(np.count_nonzero(a + b))
        low, high = exact_log_ratio(int(a[i]), int(b[i]), n_1, n_2, n_terms=n_terms)
        assert found.table["lrc"][row] == pytest.approx(max(low, min(high, 0)), rel=1e-9, abs=1e-9)
        assert found.table["log_ratio_most"][row] == pytest.approx(max(-low, high), rel=1e-9)
    # Terms that no corpus uses are not listed. Terms that both use equally often come last.
    listed = np.flatnonzero(a + b)
    n_equal = np.count_nonzero(a[listed] * n_2 == b[listed] * n_1)
    assert not found.table["sign"][len(listed) - n_equal :].any()
    assert sorted(found.table["index"].tolist()) == listed.tolist()
    assert_array_equal(
        found.table["sign"], np.sign(a * n_2 - b * n_1)[found.table["index"].astype(int)]
    )


@pytest.mark.parametrize(
    ("a", "b", "n_1", "n_2"),
    [
        (20, 4, 10**9, 9 * 10**8),
        (96, 0, 1688867107772512, 211106232532992),
        (10**6 + 30000, 10**6, 10**9, 10**9),
        (10**14 + 2, 10**14, 10**15, 10**15),
    ],
)
def test_evidence_does_not_cancel_in_large_corpora(a: int, b: int, n_1: int, n_2: int) -> None:
    X = np.array([[a, n_1 - a], [b, n_2 - b]])
    table = ts.count(X, ["t", "r"]).keyness("t", "r").table
    (row,) = np.flatnonzero(table["index"] == 0)
    expected = keyness_of(a, b, n_1, n_2)
    assert_allclose(table["g2"][row], expected["g2"], rtol=1e-14)
    assert_allclose(table["log_pvalue"][row], log_pvalue(expected["g2"], 1), rtol=1e-13)
    assert_allclose(table["bic"][row], expected["bic"], rtol=1e-14, atol=1e-14 * expected["g2"])


def lrc_of(a: int, b: int, n_1: int, n_2: int, **options: Any) -> float:
    X = np.array([[a, n_1 - a], [b, n_2 - b]])
    table = ts.count(X, ["t", "r"]).keyness("t", "r", **options).table
    return float(table["lrc"][table["index"] == 0][0])


def test_the_conservative_log_ratio_by_hand() -> None:
    # If all 10 occurrences of a term are in the target, the lower bound t of the target's share
    # satisfies t^10 = alpha. alpha is 2.5% divided by 2, because there are two terms.
    t = (0.025 / 2) ** 0.1
    assert lrc_of(10, 0, 40, 30) == pytest.approx(math.log2(30 / 40 * t / (1 - t)), rel=1e-14)
    assert lrc_of(0, 10, 30, 40) == pytest.approx(-math.log2(30 / 40 * t / (1 - t)), rel=1e-14)
    assert lrc_of(7, 2, 1000, 1000) == 0  # the interval contains 0
    for level in (0.5, 0.9):
        t = binomtest(7, 9).proportion_ci(1 - (1 - level) / 2, "exact").low
        found = lrc_of(7, 2, 1000, 1000, level=level)
        assert found == pytest.approx(max(math.log2(t / (1 - t)), 0), rel=1e-9)


@pytest.mark.parametrize(
    ("a", "b", "n_1", "n_2"),
    [
        (1, 0, 10, 10**9),
        (500, 3, 10**6, 10**5),
        (3, 10**4, 10**6, 10**6),
        (5200, 4000, 10**5, 10**5),
    ],
)
def test_the_conservative_log_ratio_is_exact(a: int, b: int, n_1: int, n_2: int) -> None:
    # The tail of the binomial distribution is an incomplete beta function. Computed to 40 digits,
    # this tail must be below alpha just below lrc, and above alpha just above lrc.
    own, other = (a, b) if a * n_2 > b * n_1 else (b, a)
    sizes = (n_2, n_1) if own == a else (n_1, n_2)
    found = abs(lrc_of(a, b, n_1, n_2))
    assert found > 0
    with mpmath.workdps(40):
        tails = [
            mpmath.betainc(own, other + 1, 0, odds / (1 + odds), regularized=True)
            for sign in (-1, 1)
            for odds in [sizes[1] / mpmath.mpf(sizes[0]) * 2 ** mpmath.mpf(found + sign * 1e-13)]
        ]
        assert tails[0] < mpmath.mpf(0.0125) < tails[1]


def test_documents_are_compared_as_occurrences_are() -> None:
    # Corpus a has four documents, and term 0 is in 3, term 1 in 1 and term 2 in 1 of them. Corpus b
    # has two documents, and term 0 is in 1, term 1 in 2 and term 2 in none of them.
    X = np.array([[1, 0, 9], [1, 0, 0], [1, 0, 0], [0, 2, 0], [9, 1, 0], [0, 1, 0]])
    counts = ts.count(X, ["a"] * 4 + ["b"] * 2)
    found = counts.keyness("a", "b")
    columns = [found.table[name].tolist() for name in ("index", "zeta", "g2_docs")]
    shares = {0: 3 / 4 - 1 / 2, 1: 1 / 4 - 1, 2: 1 / 4}
    evidence = {i: keyness_of(*pair, 4, 2)["g2"] for i, pair in enumerate([(3, 1), (1, 2), (1, 0)])}
    for index, zeta, g2 in zip(*columns, strict=True):
        assert zeta == shares[index]
        assert g2 == pytest.approx(evidence[index], rel=1e-14)
    # If each document has one token, log ratios of documents and of occurrences are equal.
    X = np.array([[1, 0]] * 40 + [[0, 1]] * 10 + [[1, 0]] * 10 + [[0, 1]] * 40)
    table = ts.count(X, ["a"] * 50 + ["b"] * 50).keyness("a", "b").table
    assert table["lrc"].tolist() == table["lrc_docs"].tolist()
    assert np.abs(table["lrc"]).min() > 0.5
    # Corpus b has more occurrences of term 0 than corpus a, but in a smaller share of documents.
    for sort in ("zeta", "g2_docs"):
        assert counts.keyness("a", "b", sort=sort).table["index"].tolist() == [2, 1, 0]
    assert counts.keyness("a", "b", direction="under").table["index"].tolist() == [0, 1]


def test_similar_terms_are_those_of_the_narrowest_interval_around_0() -> None:
    X = np.array([[500, 50, 60, 900, 0], [500, 50, 40, 100, 820]])
    counts = ts.count(X, ["a", "b"], term_names=["of", "ice", "sun", "sea", "land"])
    found = counts.keyness("a", "b", k=4, similar=True)
    assert found.table["term"].tolist() == ["of", "ice", "sun", "sea"]
    assert found.table["sign"].tolist() == [0, 0, 1, 1]
    low, high = exact_log_ratio(60, 40, *X.sum(axis=1).tolist(), n_terms=5)
    assert found.table["log_ratio_most"][2] == pytest.approx(max(-low, high), rel=1e-9)
    lines = str(found).splitlines()
    assert lines[1] == "alike in 'a', 'b':"
    assert len(lines) == 7
    assert len(counts.keyness("a", "b", similar=True)) == 5
    for wrong in ({"sort": "count"}, {"direction": "over"}):
        with raises(TypeError, "leave_out_sort_and_direction", argument="similar"):
            counts.keyness("a", "b", similar=True, **wrong)  # type: ignore[arg-type]


def test_the_level_of_the_intervals() -> None:
    narrow, wide = (rows(counts().keyness("ham", "spam", level=level)) for level in (0.5, 0.99))
    for term in TERMS[:3]:
        assert narrow[term]["log_ratio_low"] > wide[term]["log_ratio_low"]
        assert narrow[term]["odds_ratio_high"] < wide[term]["odds_ratio_high"] or term == "pills"
        assert abs(narrow[term]["lrc"]) >= abs(wide[term]["lrc"])


def test_all_other_classes_are_the_reference_by_default() -> None:
    found = counts().keyness("ham")
    pooled = counts().keyness("ham", ["spam", "eggs"])
    assert found.reference == ["eggs", "spam"]
    assert pooled.reference == ["spam", "eggs"]
    for name, column in found.table.items():
        assert_array_equal(column, pooled.table[name])
    both = counts().keyness(["ham", "eggs"], "spam")
    assert rows(both)["bacon"]["n_target"] == 12
    assert both.tokens == (22, 21)


def test_an_empty_cell_has_half_an_occurrence_only_in_log_ratio() -> None:
    zebra = rows(counts().keyness("eggs", "spam"))["zebra"]
    assert zebra["log_ratio"] == pytest.approx(math.log2((1 / 7) / (0.5 / 21)))
    assert math.isinf(zebra["relative_risk"])
    assert math.isinf(zebra["odds_ratio"])
    assert (zebra["relative_risk_low"], zebra["relative_risk_high"]) == (0, math.inf)
    assert (zebra["odds_ratio_low"], zebra["odds_ratio_high"]) == (0, math.inf)
    assert math.isinf(zebra["percent_diff"])
    under = rows(counts().keyness("spam", "eggs"))["zebra"]
    assert (under["relative_risk"], under["percent_diff"]) == (0, -100)


@pytest.mark.parametrize("sort", ["g2", "log_ratio", "lrc", "simple_maths", "odds_ratio", "count"])
def test_the_target_comes_first_each_side_in_order(sort: Any) -> None:
    def listed(**options: Any) -> list[str]:
        return counts().keyness("ham", "spam", sort=sort, **options).table["term"].tolist()

    # "and" has 4 of the 15 occurrences in the target, and 5 of the 21 in the reference corpus.
    assert listed() == ["bacon", "and", "pills"]
    assert listed(direction="over") == ["bacon", "and"]
    assert listed(direction="under") == ["pills"]
    assert listed(k=1) == ["bacon", "pills"]


def test_filters_look_at_the_corpus_that_has_more() -> None:
    def listed(**options: Any) -> list[str]:
        return counts().keyness("ham", "spam", **options).table["term"].tolist()

    assert listed(min_count=5) == ["bacon", "pills"]
    assert listed(min_count=11) == ["pills"]
    X = np.array([[4, 1], [0, 3], [0, 3], [1, 9]])
    found = ts.count(X, ["a", "a", "a", "b"]).keyness("a", "b", min_share=0.5)
    assert found.table["index"].tolist() == [1]  # one of three documents of "a" has term 0


def test_documents_add_the_dispersions() -> None:
    X = np.array([[9, 1], [0, 9], [0, 10], [1, 29]])
    whole = ts.count(X, ["a", "a", "a", "b"])
    documents = X, ["a", "a", "a", "b"]
    found = whole.keyness("a", "b", dispersion=documents)
    csr = check_matrix(X, 1)
    dp, juilland = dispersion.dispersions(csr, [np.arange(3), np.array([3])])
    for row, side in enumerate(("target", "reference")):
        index = found.table["index"]
        assert_array_equal(found.table[f"dp_{side}"], dp[row, index])
        assert_array_equal(found.table[f"juilland_{side}"], juilland[row, index])
    with raises(ValueError, "dispersion_has_documents_of_1", argument="dispersion"):
        whole.keyness("a", "b", dispersion=(X[:, :1], documents[1]))
    wrong = X.copy()
    wrong[0, 0] = -1
    with raises(ValueError, "dispersion_has_a_negative_count", argument="dispersion"):
        whole.keyness("a", "b", dispersion=(wrong, documents[1]))


@pytest.mark.parametrize(
    ("arguments", "key", "argument"),
    [
        (
            ("hem",),
            "target_there_is_no_class_hem",
            "target",
        ),
        (("ham", "ham"), "class_ham_is_in_both_target", "target"),
        ((["ham", "spam", "eggs"],), "target_has_all_classes_so_no", "target"),
        (([], "ham"), "target_classes_and_each_of_its", "target"),
        (("ham", ["spam", "spam"]), "reference_classes_hold_spam_twice", "reference"),
        ((["ham", "eggs"], ["spam", "eggs"]), "class_eggs_is_in_both_target", "target"),
    ],
)
def test_wrong_classes(arguments: tuple[Any, ...], key: str, argument: str | None) -> None:
    with raises(ValueError, key, argument=argument):
        counts().keyness(*arguments)


@pytest.mark.parametrize(
    ("wrong", "key"),
    [
        ({"sort": "size"}, "sort_must_be_one_of"),
        ({"direction": "up"}, "direction_must_be_one_of"),
        ({"constant": 0}, "constant_must_be_positive"),
        ({"min_share": 2}, "min_share_must_be_between"),
        ({"min_count": -1}, "min_count_must_be_at_least"),
        ({"level": 1}, "level_must_be_above"),
    ],
)
def test_wrong_options(wrong: dict[str, Any], key: str) -> None:
    with raises(ValueError, key, argument=next(iter(wrong))):
        counts().keyness("ham", **wrong)


def test_a_corpus_without_tokens_is_refused() -> None:
    empty = ts.count(X, Y, classes=["ham", "spam", "eggs", "none"])
    with raises(ValueError, "none_has_no_tokens", argument="reference"):
        empty.keyness("ham", "none")


def test_three_classes_of_a_side_are_named() -> None:
    of_five = ts.count(np.eye(5, dtype=int), list("abcde"))
    found = of_five.keyness(target=["a", "b", "c"])
    assert repr(found).startswith("<Keyness of 5 terms in 'a', 'b', 'c' against 'd', 'e'; ")
    found = of_five.keyness(target=["a", "b", "c", "d"])
    assert repr(found).startswith("<Keyness of 5 terms in 'a', 'b', 'c' and 1 more against 'e'; ")


def test_it_prints_iterates_and_becomes_a_frame() -> None:
    found = counts().keyness("ham", "spam")
    lists = "more in 'ham': bacon, and; more in 'spam': pills"
    assert repr(found) == f"<Keyness of 3 terms in 'ham' against 'spam'; {lists}>"
    title, heading, head, first, *_ = str(found).splitlines()
    assert (title, heading) == ("<Keyness of 3 terms in 'ham' against 'spam'>", "more in 'ham':")
    # The columns are named after the classes, and the rates stand beside the counts.
    shown = "term in ham per million in spam per million log_ratio g2"
    assert " ".join(head.split()) == shown
    assert first.split() == ["bacon", "10", "666,666.7", "1", "47,619.0", "3.81", "17.2"]
    assert [term for term, _ in found] == ["bacon", "and", "pills"]
    assert len(found) == 3
    pandas = pytest.importorskip("pandas")
    frame = found.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.columns[0] == "term"
    unnamed = ts.count(X, Y).keyness("ham", "spam")
    assert [term for term, _ in unnamed] == [0, 1, 2]


def test_both_sides_are_sorted_by_the_size_of_the_effect() -> None:
    counts = ts.count(np.array([[6, 8, 2, 1, 1], [1, 2, 4, 9, 2]]), ["a", "b"])
    for sort in ("log_ratio", "relative_risk"):
        order = counts.keyness("a", "b", sort=sort).table["index"]  # type: ignore[arg-type]
        assert order.tolist() == [0, 1, 3, 2, 4]


def test_of_infinite_ratios_the_evidence_decides() -> None:
    counts = ts.count(np.array([[1, 1, 9, 5], [0, 0, 0, 20]]), ["a", "b"])
    for sort in ("relative_risk", "percent_diff", "odds_ratio", "log_ratio"):
        found = counts.keyness("a", "b", sort=sort)  # type: ignore[arg-type]
        assert found.table["index"].tolist() == [2, 0, 1, 3]


@pytest.mark.parametrize("sort", KEYNESS_ORDERS)
@pytest.mark.parametrize("unknown", [False, True])
def test_the_first_rows_are_those_of_all_terms(sort: str, unknown: bool) -> None:
    """Exact intervals are computed only for the terms that are listed, for all terms at once."""
    if sort == "rank_sum" or (unknown and sort in ("g2_docs", "zeta", "lrc_docs")):
        return
    rng = np.random.default_rng(5)
    words = rng.poisson(rng.gamma(0.3, size=400), (60, 400)) * rng.integers(0, 3, (60, 1))
    counted = ts.count(words, np.arange(60) % 2)
    if unknown:
        labels, terms = counted.term_frequency.nonzero()
        frame = {
            "term": [f"t{t}" for t in terms],
            "label": labels,
            "count": counted.term_frequency[labels, terms],
        }
        counted = ts.counts_from_table(frame)
    similar = [False, True] if sort == "g2" else [False]
    for alike in similar:
        options: dict[str, Any] = {"sort": sort, "similar": alike, "min_count": 3}
        every, few = (counted.keyness(0, k=k, **options).table for k in (None, 7))
        ends = [np.flatnonzero(every["sign"] == s)[:7] for s in (1, -1)]
        first = np.arange(7) if alike else np.concatenate(ends)
        assert list(few) == list(every)
        for name, column in every.items():
            assert few[name].dtype == column.dtype
            assert_array_equal(few[name], column[first], err_msg=name)
