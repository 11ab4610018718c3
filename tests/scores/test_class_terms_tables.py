"""Exported tables: columns compared with manual results, between libraries, and by term."""

from __future__ import annotations

import json
import sys
from io import StringIO
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import termsift as ts
from exact_scores import directions_of
from private import put, write_csv, write_json
from wording import raises

# The terms occur 3, 1 and 0 times in two documents of ham, and 0, 1 and 3 times in one of spam.
X = np.array([[2, 1, 0], [1, 0, 0], [0, 1, 3]])
Y = ["ham", "ham", "spam"]
BACON, AND, VIAGRA = 0, 1, 2

LIBRARIES = ["pandas", "polars", "pyarrow"]


def counts_of(names: bool = True) -> ts.ClassCounts:
    counts = ts.count(X, Y)
    if names:
        counts.term_names = ["bacon", "and", "viagra"]
    return counts


def as_columns(frame: Any, library: str) -> dict[str, list[Any]]:
    """Return a data frame of any library as lists, with None for null."""
    if library == "pandas":
        lists = {name: frame[name].tolist() for name in frame}
        return {name: [None if v != v else v for v in values] for name, values in lists.items()}
    if library == "polars":
        return dict(frame.to_dict(as_series=False))
    return dict(frame.to_pydict())


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest) -> str:
    pytest.importorskip(request.param)
    return str(request.param)


def test_every_column_by_hand(library: str) -> None:
    table = as_columns(counts_of().to_frame("gss", library=library), library)  # det / n^2
    score = table.pop("score")
    np.testing.assert_allclose(score, np.array([2, 2, 1]) / 9, rtol=1e-15)
    assert table == {
        "class": ["ham", "spam", "spam"],
        "term": ["bacon", "viagra", "and"],
        "index": [0, 2, 1],
        "rank": [1, 1, 2],
        "n_class": [3, 3, 1],
        "n_rest": [0, 0, 1],
        "per_million_class": [750_000.0, 750_000.0, 250_000.0],
        "per_million_rest": [0.0, 0.0, 250_000.0],
        "df_class": [2, 1, 1],
        "df_rest": [0, 0, 1],
    }
    assert list(table) == [name for name in _columns("gss") if name != "score"]


def _columns(method: str) -> list[str]:
    frame = counts_of().columns(method)
    return list(frame)


def test_p_values_by_hand(library: str) -> None:
    # Pearson's chi2 is 3 in four tests and 3/4 in two, with the p-values erfc(sqrt(3/2)) = 0.08326
    # and erfc(sqrt(3/8)) = 0.38648. Benjamini and Hochberg multiply 0.08326 by 6/4.
    table = as_columns(counts_of().to_frame("chi2", library=library), library)
    assert table["term"] == ["bacon", "viagra", "and"]
    np.testing.assert_allclose(table["score"], [3, 3, 0.75], rtol=1e-14)
    np.testing.assert_allclose(table["pvalue"], [0.083265, 0.083265, 0.386476], rtol=1e-5)
    np.testing.assert_allclose(np.exp(table["log_pvalue"]), table["pvalue"], rtol=1e-14)
    np.testing.assert_allclose(table["pvalue_adj"], [0.124897, 0.124897, 0.386476], rtol=1e-5)


def test_a_row_a_term(library: str) -> None:
    counts = counts_of()
    ranking = counts.rank("ig", 2)
    table = as_columns(ranking.to_frame(library), library)
    assert table == {
        "rank": [1, 2],
        "term": ["bacon", "viagra"],
        "index": [0, 2],
        "score": ranking.scores.tolist(),
    }


def test_terms_without_names(library: str) -> None:
    counts = counts_of(names=False)
    frame = counts.to_frame("md", 1, library=library)
    assert as_columns(frame, library)["term"] == [None, None]


def test_the_other_tables_in_every_library(library: str) -> None:
    pandas = pytest.importorskip("pandas")
    curves = ts.cross_validate(np.tile(X, (4, 1)), Y * 4, "md", cv=2)
    made = curves["md"]
    assert as_columns(made.to_frame(library), library) == as_columns(made.to_frame(), "pandas")
    assert isinstance(made.to_frame(), pandas.DataFrame)


@pytest.mark.parametrize(
    ("library", "extra"), [("pandas", "pandas"), ("polars", "polars"), ("pyarrow", "arrow")]
)
def test_the_error_of_a_missing_library_names_it(
    monkeypatch: pytest.MonkeyPatch, library: Any, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    for made, what in ((counts_of(), "ClassCounts"), (counts_of().rank(), "Ranking")):
        with pytest.raises(ImportError) as caught:
            made.to_frame(library=library)
        cure = f"pip install 'termsift[{extra}]', or pip install {library}"
        assert str(caught.value) == f"{what}.to_frame needs {library}: {cure}"


# ---- labels ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "labels",
    [[3, 7], [2.5, 7.0], [False, True], ["ham", "spam"], list(np.array([3, 7]))],
    ids=str,
)
def test_labels_of_one_kind(library: str, labels: list[Any]) -> None:
    counts = ts.count(X, [labels[0], labels[0], labels[1]], classes=labels)
    table = as_columns(counts.to_frame("md", 1, library=library), library)
    assert table["class"] == labels


def test_labels_that_pandas_alone_holds() -> None:
    labels: list[Any] = [1, "ham"]
    counts = ts.count(X, [labels[0], labels[0], labels[1]], classes=labels)
    for library in ("polars", "pyarrow"):
        pytest.importorskip(library)
        with raises(
            ValueError, "a_library_allows_one_type", argument="library", at=f"{library} allows"
        ):
            counts.to_frame(library=library)
    pytest.importorskip("pandas")
    assert counts.to_frame("md", 1)["class"].tolist() == labels


# ---- numbers ---------------------------------------------------------------------------------


def collection(kind: str) -> ts.ClassCounts:
    rng = np.random.default_rng(0)
    docs = sp.csr_array(rng.poisson(0.4, (60, 23)))
    labels: Any = rng.integers(0, 5, 60)
    if kind == "several labels":
        labels = sp.csr_array(rng.random((60, 5)) < 0.4).astype(np.int8)
    if kind == "fractions":
        return ts.count(docs, labels, rng.random(60))
    return ts.count(docs, labels, classes=[0, 1, 2, 3, 4])


KINDS = ["one label", "several labels", "fractions"]


def cases() -> list[tuple[str, dict[str, Any]]]:
    plain: list[tuple[str, dict[str, Any]]] = [(method.name, {}) for method in ts.methods()]
    for method in ts.methods():
        plain += [(method.name, {"model": model}) for model in method.models[1:]]
    return [*plain, ("md", {"alpha": (0.5, 30.0), "class_prior": "uniform"}),
            ("md_chi2", {"noncentrality": "pearson"})]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("method", "scoring"), cases(), ids=str)
def test_a_table_has_the_class_scores_of_what_each_class_has_more_of(
    method: str, scoring: dict[str, Any], kind: str
) -> None:
    # Catches listed terms that are under-represented, not in order, or absent from the class.
    counts = collection(kind)
    scores = counts.class_scores(method, **scoring)
    eligible = (directions_of(counts, method, **scoring) > 0) & (
        counts.term_frequency.toarray() > 0
    )
    for k in (4, None):
        table = counts.columns(method, k, **scoring)
        of_pairs = scores[table["class"].astype(int), table["index"]]
        # Scores of single pairs come from a mixture of counts, so their last bits may differ.
        np.testing.assert_allclose(table["score"], of_pairs, rtol=1e-15)
        for c, of_class in enumerate(scores):
            order = np.argsort(-of_class, kind="stable")
            own = table["index"][table["class"] == c].tolist()
            assert own == order[eligible[c, order]][:k].tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", [method.name for method in ts.methods() if method.is_test])
def test_p_values_are_those_of_significance(method: str, kind: str) -> None:
    counts = collection(kind)
    table = counts.columns(method, 6)
    at = table["class"].astype(int), table["index"]
    found = counts.significance(method, per_class=True)
    np.testing.assert_allclose(table["log_pvalue"], found.log_pvalues[at], rtol=1e-15)
    np.testing.assert_allclose(table["pvalue"], found.pvalues[at], rtol=1e-13)
    np.testing.assert_allclose(table["pvalue_adj"], found.pvalues_adj[at], rtol=1e-13)
    assert (found.signs[at] == 1).all()


@pytest.mark.parametrize("kind", KINDS)
def test_counts_of_the_class_and_of_the_rest(kind: str) -> None:
    counts = collection(kind)
    table = counts.columns("md", 9)
    l_ic, d_ic = counts.term_frequency.toarray(), counts.document_frequency.toarray()
    l_i, d_i = counts.collection_term_frequency, counts.collection_document_frequency
    c, i = table["class"].astype(int), table["index"]
    assert table["n_class"].tolist() == l_ic[c, i].tolist()
    assert table["n_rest"].tolist() == (l_i[i] - l_ic[c, i]).tolist()
    assert table["df_class"].tolist() == d_ic[c, i].tolist()
    assert table["df_rest"].tolist() == (d_i[i] - d_ic[c, i]).tolist()


def test_classes_without_documents_have_no_rows() -> None:
    counts = ts.count(X, Y, classes=["eggs", "ham", "spam"])
    assert counts.columns("md", 1)["class"].tolist() == ["ham", "spam"]
    assert counts.columns("chi2", 1)["class"].tolist() == ["ham", "spam"]
    with raises(ValueError, "two_classes_with_documents"):
        ts.count(X, ["ham"] * 3).columns("md")


def test_no_terms_and_none_asked_for() -> None:
    nothing = (counts_of().columns("md", 0), ts.count(X[:, :0], Y).columns("md"))
    for table in nothing:
        assert {name: len(values) for name, values in table.items()} == dict.fromkeys(table, 0)
    with raises(ValueError, "k_must_be_at_least", argument="k"):
        counts_of().columns("md", -1)


def test_options_that_per_class_tables_refuse() -> None:
    with raises(TypeError, "md_has_no_aggregate", argument="aggregate"):
        counts_of().to_frame("md", aggregate="max")
    with raises(ValueError, "one_after_another", argument="method"):
        counts_of().to_frame("greedy")


# ---- files -----------------------------------------------------------------------------------


def test_files_hold_what_the_columns_hold(tmp_path: Any) -> None:
    columns = {
        "class": np.array(["a,b", None, ("x", 1)], dtype=object),
        "score": np.array([0.1, np.inf, -0.0]),
        "n": np.array([1, 2, 2**62]),
    }
    out = StringIO()
    write_csv(out, columns)
    assert out.getvalue() == (
        'class,score,n\n"a,b",0.1,1\n,inf,2\n"(\'x\', 1)",-0.0,4611686018427387904\n'
    )
    out = StringIO()
    write_json(out, {"tf": "raw"}, "rows", columns)
    assert json.loads(out.getvalue()) == {
        "tf": "raw",
        "rows": [
            {"class": "a,b", "score": 0.1, "n": 1},
            {"class": None, "score": None, "n": 2},
            {"class": "('x', 1)", "score": 0.0, "n": 2**62},
        ],
    }


def test_many_tests_are_adjusted_by_bonferroni(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    counts = counts_of()
    counts.columns("g2")
    assert not caplog.records
    put(monkeypatch, most_sorted=counts.n_classes * counts.n_terms - 1)
    table = counts.columns("g2")
    expected = np.minimum(table["pvalue"] * counts.n_classes * counts.n_terms, 1)
    np.testing.assert_allclose(table["pvalue_adj"], expected, rtol=1e-12)
    assert "adjusted for" in caplog.text
