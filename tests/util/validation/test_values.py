"""Validation: arguments that are numbers, words or names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import termsift as ts
from gate import (
    DENSE,
    INF,
    NAN,
    TYPE,
    VALUE,
    Y,
    base,
    bits,
    column,
    complaint,
    failed_update,
)
from private import _core
from wording import raises

SCORES = ("score", "class_scores", "rank")
FINITE_ALPHA = "alpha must be finite and not negative, got {!r}"
NUMBER_ALPHA = "alpha must be a number or a pair (b1, b2), got {!r}"
ALL_MASS = "class {} has all the prior mass; scores need prior mass in other classes too"


PARAMETERS = [
    ("n_threads", [0, -1, 4097, 10**30], VALUE, "n_threads must be in [1, 4096], got {!r}"),
    ("n_threads", [2.0, True, "3", [1]], TYPE, "n_threads must be an integer, got {!r}"),
    ("k", [-1], VALUE, "k must be at least 0, got -1"),
    ("k", [2.0, True, "3", NAN], TYPE, "k must be an integer, got {!r}"),
    ("alpha", [NAN, INF, -INF, -1, -5e-324], VALUE, FINITE_ALPHA),
    ("alpha", [(NAN, 1), (0, INF), (-1, 1), (1, NAN), (-1, -1)], VALUE, FINITE_ALPHA),
    ("alpha", [10**400, (1, 10**400)], VALUE, FINITE_ALPHA),
    ("alpha", ["1", None, True, 1j, (), (1,), (1, 2, 3), (1, "2")], TYPE, NUMBER_ALPHA),
    ("alpha", [(1, True), [[1], [2]], {1, 2}, (None, 1)], TYPE, NUMBER_ALPHA),
    ("alpha", [(2, 1)], VALUE, "alpha = (b1, b2) must satisfy b1 <= b2, got {!r}"),
    ("class_prior", ["flat"], VALUE,
     "class_prior must be 'empirical' or 'uniform', got 'flat'"),
    *(("class_prior", [p], VALUE, f"class_prior has shape {np.shape(p)}, expected (2,)")
      for p in (1, [1], [1, 1, 1], [[1, 1]])),
    *(("class_prior", [[1, p]], VALUE,
       f"class_prior has {p} at class 'spam', expected a finite number, not negative and below "
       "2^63")
      for p in (-1.0, NAN, INF)),
    *(("class_prior", [p], TYPE, f"class_prior has dtype {np.asarray(p).dtype}, "
       "expected booleans, integers or floats") for p in (["a", "b"], [1j, 1])),
    ("class_prior", [[1, None]], VALUE, "class_prior has None at class 'spam', expected a number "
       "that int64 or float64 holds without rounding: fill or drop missing values, round others to "
       "floats"),
    ("class_prior", [np.array([1, "of class 9"], object)], VALUE, "class_prior has 'of class 9' at "
     "class 'spam', expected a number that int64 or float64 holds without rounding: fill or drop "
     "missing values, round others to floats"),
    ("class_prior", [[1, 0]], VALUE, ALL_MASS.format("'ham'")),
    ("class_prior", [[0, 1]], VALUE, ALL_MASS.format("'spam'")),
    ("class_prior", [[0, 0]], VALUE, "class_prior is 0 for every class with documents"),
    ("aggregate", ["", 1, b"sum", []], VALUE, "aggregate must be one of sum, mean, max, got {!r}"),
    ("aggregate", ["SUM", "sums"], VALUE,
     "aggregate must be one of sum, mean, max, got {!r}; did you mean 'sum'?"),
    ("aggregate", ["median"], VALUE,
     "aggregate must be one of sum, mean, max, got {!r}; did you mean 'mean'?"),
    ("noncentrality", ["pearson"], TYPE,
     "md has no option 'noncentrality'"),
    ("non_centrality", ["pearson"], TYPE,
     "md_chi2 has no option 'non_centrality' (it has noncentrality); did you mean "
     "'noncentrality'?", "md_chi2"),
    ("modell", ["poisson"], TYPE,
     "md has no option 'modell'; did you mean 'model'?"),
    ("methods", ["ig"], TYPE,
     "md has no option 'methods'; did you mean 'method'?"),
    ("noncentrality", [None, []], VALUE,
     "noncentrality must be 'jeffreys' or 'pearson', got {!r}", "md_chi2"),
    ("sqrt", [1, "yes", None], TYPE, "sqrt must be True or False, got {!r}", "c_tfidf"),
    ("noncentrality", ["Pearson"], VALUE,
     "noncentrality must be 'jeffreys' or 'pearson', got {!r}; did you mean 'pearson'?", "md_chi2"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value", "error", "message", "method"),
    [
        pytest.param(name, value, error, text, *method or ["md"], id=f"{text} {value!r}"[:90])
        for name, values, error, message, *method in PARAMETERS
        for value in values
        for text in [message.format(value)]
    ],
)
def test_invalid_arguments_are_refused(name, value, error, message, method):
    calls = {"k": ["rank"], "aggregate": ["score", "rank"]}.get(name, SCORES)
    for call in calls:
        assert complaint(error, getattr(base(), call), method, **{name: value}) == message
    if name == "n_threads":
        assert complaint(error, ts.count, DENSE, Y, n_threads=value) == message
        assert failed_update(base(), error, DENSE, Y, n_threads=value) == message


@pytest.mark.parametrize("n_threads", [None, 1, 64, np.int32(2), np.uint8(3)])
def test_valid_n_threads(n_threads):
    assert ts.count(DENSE, Y, n_threads=n_threads) == base()


@pytest.mark.parametrize(("k", "n"), [(None, 4), (0, 0), (np.int64(2), 2), (4, 4), (10**30, 4)])
def test_valid_k(k, n):
    assert len(base().rank("md", k)) == n


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e300, 1e308])
def test_only_the_ratio_of_priors_matters(scale):
    expected = base().score("md", class_prior="uniform")
    assert base().score("md", class_prior=[scale, scale]).tolist() == expected.tolist()


@pytest.mark.parametrize("method", ["md", "md_chi2"])
@pytest.mark.parametrize(
    ("counts", "n"),
    {
        "one": (ts.count(DENSE, ["a"] * 3), 1),
        "one and an empty": (ts.count(DENSE, ["a"] * 3, classes=["a", "b"]), 1),
        "one and a weightless": (ts.count(DENSE, Y, sample_weight=[1, 0, 1]), 1),
        "one of floats": (ts.count(DENSE / 2, ["a"] * 3), 1),
        "none": (ts.count(DENSE[:0], []), 0),
        "two empty": (ts.count(DENSE[:0], [], classes=["a", "b"]), 0),
        "no labels": (ts.count(DENSE, np.zeros((3, 2), int)), 0),
        "nothing left": (base() - base(), 0),
    }.values(),
)
def test_fewer_than_two_classes(counts, n, method):
    expected = f"scores need at least two classes with documents, got {n}"
    for call in SCORES:
        assert complaint(VALUE, getattr(counts, call), method) == expected


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        *(
            (names, VALUE, f"term_names has {len(names)} name{'s' * (len(names) != 1)} for 4 terms")
            for names in (["a"], list("abcde"), np.array([list("abcd")]))
        ),
        *(
            ([*"abcd"[:i], name, *"abcd"[i + 1 :]], TYPE, f"the name of term {i} is {name!r}, "
             "expected a string")
            for i, name in ((2, 3), (1, None), (1, NAN), (0, b"a"))
        ),
        *(
            (names, TYPE, f"term_names must hold a name for each term in order, got {shown}")
            for names, shown in (("abcd", "'abcd'"), (b"abcd", "b'abcd'"), (5, 5), ({"a"}, "a set"))
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, set) else str(value)[:40],
)  # fmt: skip
def test_term_names(names, error, message):
    counts = base()
    counts.term_names = ["w", "x", "y", "z"]
    before = bits(counts)
    assert complaint(error, setattr, counts, "term_names", names) == message
    assert bits(counts) == before


def test_a_vocabulary_with_names_cannot_grow_or_differ():
    counts, other = base(), base()
    counts.term_names, other.term_names = list("abcd"), list("abzd")
    expected = "X has 5 terms, but only 4 have names: set term_names to None first"
    assert failed_update(counts, VALUE, np.ones((3, 5), int), Y) == expected
    expected = "the vocabularies differ: term 2 is 'c' in one and 'z' in the other; "
    expected += "termsift.merge matches terms by name"
    assert complaint(VALUE, lambda: counts + other) == expected
    assert complaint(VALUE, lambda: counts - other) == expected


def test_only_a_part_of_the_counts_can_be_subtracted():
    whole, before = base(), bits(base())
    for part, message in (
        (ts.count(DENSE, ["eggs"] * 3), "class 'eggs' is not among the classes"),
        (whole + whole, "would be negative"),
        (ts.count(column(1), ["spam"]), "the count of term 0 in class 'spam' would be negative"),
    ):
        said = complaint(VALUE, whole.__sub__, part)
        assert said.startswith("cannot subtract counts that are not part of these: ")
        assert said.endswith(message)
    assert bits(whole) == before


@pytest.mark.parametrize(
    ("call", "near"),
    [
        (lambda counts: counts.rank("chi-2"), "chi2"),
        (lambda counts: counts.score("mdchi2"), "md_chi2"),
        (lambda counts: counts.rank("gredy"), "greedy"),
        (lambda counts: counts.rank("chi-squared"), "chi2"),
        (lambda counts: counts.rank("Chi square"), "chi2"),
        (lambda counts: counts.score("mutual information"), "mi"),
        (lambda counts: counts.significance("log-likelihood"), "g2"),
        (lambda counts: counts.significance("mutual information"), None),
        (lambda _: ts.methods()["mdchi2"], "md_chi2"),
        (lambda _: ts.selectors()["gredy"], "greedy"),
        (lambda counts: counts.significance("chi"), "chi2"),
        (lambda counts: counts.rank(policy="roundrobin"), "round_robin"),
        (lambda counts: counts.rank(model="Bernouli"), "bernoulli"),
        (lambda counts: counts.score(aggregate="average"), None),
        (lambda counts: counts.score(aggregate="maxi"), "max"),
        (lambda counts: counts.score("md_chi2", noncentrality="pearsons"), "pearson"),
        (lambda _: ts.count(np.eye(2), [0, 1], tf="bin"), "binary"),
        (lambda counts: counts.to_frame(library="panda"), "pandas"),
        (lambda counts: counts.rank("xyz"), None),
    ],
)
def test_errors_suggest_the_nearest_name(call: Any, near: str | None) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        call(ts.count(np.eye(2), [0, 1]))
    hint = str(caught.value).partition("; did you mean ")[2]
    assert hint == ("" if near is None else f"{near!r}?")


def test_an_entry_of_the_registry_has_a_place_and_a_name() -> None:
    methods = ts.methods()
    assert [methods[method.name] for method in methods] == list(methods)
    assert ts.selectors()["greedy"] is ts.selectors()[0]
    assert methods[:2] == (methods["md"], methods["md_chi2"])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ts.TermSketch(5), TYPE, "rules must be a TextRules, got int"),
        (
            lambda: ts.io.read_collection("x.csv"),
            TYPE,
            "scan must be a Scan, got 'x.csv': pass termsift.scan(path)",
        ),
        (
            lambda: ts.count_texts(["aa bb"] * 2, [0, 1], min_df=2, max_memory=2**63),
            VALUE,
            f"max_memory must be in [{2**20}, {2**63 - 1}], got {2**63}",
        ),
        (
            lambda: base().score("md", alpha=1e308),
            VALUE,
            "alpha must be less than 2^1024 / 4, got 1e+308",
        ),
        (
            lambda: base().naive_bayes(alpha=1e308),
            VALUE,
            "alpha must be less than 2^1024 / 4, got 1e+308",
        ),
        (
            lambda: base().update(["aa bb"], ["ham"]),
            TYPE,
            "X holds texts, expected a matrix of counts: count texts with termsift.count_texts, "
            "and add such counts to others with termsift.merge, or make a matrix with "
            "termsift.text.CountVectorizer",
        ),
        (
            lambda: ts.cross_validate(DENSE, Y, policies="both"),
            VALUE,
            "policies must be 'top' or 'round_robin', got 'both'",
        ),
    ],
)
def test_errors_name_the_argument_and_the_cure(call: Any, error: Any, message: str) -> None:
    assert complaint(error, call) == message


def test_a_sketch_that_does_not_fit_in_memory_names_its_arguments() -> None:
    class Full:
        def __call__(self, _: int) -> None:
            raise MemoryError("std::bad_alloc")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_core, "TermSketch", Full())
        with raises(MemoryError, "a_sketch_of_5_bytes", argument="n_bytes"):
            ts.TermSketch(ts.text.TextRules(), 2, 5)
