"""Counts from a table equal the counts of the texts, or an error names what is not known."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pytest

import termsift as ts
from exact_scores import directions_of
from private import OCCURRENCES
from termsift import reference
from wording import raises

# All methods are called with priors here, even methods that do not use them.
pytestmark = pytest.mark.filterwarnings("ignore:.* does not use class_prior")

TEXTS = [
    "we sail at dawn and we sail",
    "the ship and the crew sail",
    "a ship at sea",
    "crew at sea",
]
TEXTS += ["we plough at dawn", "the plough and the field", "field of wheat", "the town"]
LABELS = ["sea", "sea", "sea", "sea", "land", "land", "land", "town"]
COUNTED = ts.count_texts(TEXTS, LABELS)
N_C = dict(zip(COUNTED.classes, COUNTED.class_docs.tolist(), strict=True))


def table_of(counts: ts.ClassCounts) -> dict[str, list[Any]]:
    """Return counts as a table with a row for each pair of class and term, in reverse order."""
    tf, df = counts.term_frequency.tocoo(), counts.document_frequency.tocoo()
    return {
        "term": counts.term_names[tf.col].tolist()[::-1],
        "label": [counts.classes[c] for c in tf.row][::-1],
        "count": tf.data.tolist()[::-1],
        "df": df.data.tolist()[::-1],
    }


TABLE = table_of(COUNTED)
# Counts that know numbers of occurrences, but no numbers of documents.
LISTED = ts.counts_from_table(TABLE)
ROWS = list(zip(*TABLE.values(), strict=True))
NESTED: dict[str, Counter[str]] = {label: Counter() for label in N_C}
for a_term, a_label, a_count, _ in ROWS:
    NESTED[a_label][a_term] += a_count


def frames() -> Any:
    pandas, polars, pyarrow = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    arrow = pyarrow.table(TABLE)
    yield pandas.DataFrame(TABLE)
    yield pandas.DataFrame(TABLE).convert_dtypes()
    yield pandas.DataFrame(TABLE, index=range(len(ROWS), 0, -1)).astype({"label": "category"})
    yield pandas.DataFrame({**TABLE, "count": np.array(TABLE["count"], float)})
    yield polars.DataFrame(TABLE)
    yield arrow
    yield arrow.to_reader()
    decimals = arrow["count"].cast(pyarrow.int64()).cast(pyarrow.decimal128(38, 0))
    yield arrow.set_column(2, "count", decimals)  # a sum in duckdb has this type
    yield {name: tuple(values) for name, values in TABLE.items()}
    yield {**TABLE, "count": [Decimal(n) for n in TABLE["count"]]}


def test_a_table_gives_the_counts_of_its_texts() -> None:
    assert ts.counts_from_table(TABLE, documents="df", class_docs=N_C) == COUNTED
    for frame in frames():
        assert ts.counts_from_table(frame, documents="df", class_docs=N_C) == COUNTED
    for frame in frames():
        assert ts.counts_from_table(frame) == LISTED
    assert ts.counts_from_table(NESTED) == LISTED
    renamed = dict(zip(("w", "c", "n", "d"), TABLE.values(), strict=True))
    assert ts.counts_from_table(renamed, term="w", label="c", count="n") == LISTED


def test_it_is_the_reference_count() -> None:
    twice = {name: values + values[:7] for name, values in TABLE.items()}
    n_c = {label: 2 * n for label, n in N_C.items()}
    counts = ts.counts_from_table(twice, documents="df", class_docs=n_c)
    terms, expected = reference.count_table(zip(*twice.values(), strict=True), n_c)
    assert list(counts.term_names) == terms
    for name in ("classes", "class_docs", "class_tokens", "n_docs"):
        assert np.array_equal(getattr(counts, name), getattr(expected, name))
    for name in ("term_frequency", "document_frequency"):
        assert np.array_equal(getattr(counts, name).toarray(), getattr(expected, name))


# ---- unknown documents ---------------------------------------------------------------------------

OF_OCCURRENCES = [method.name for method in ts.methods() if method.needs == OCCURRENCES]


@pytest.mark.parametrize("method", OF_OCCURRENCES)
def test_methods_of_occurrences_score_as_for_texts(method: Any) -> None:
    uniform = {"class_prior": "uniform"}
    assert np.array_equal(LISTED.score(method, **uniform), COUNTED.score(method, **uniform))
    found = LISTED.class_scores(method, **uniform)
    assert np.array_equal(found, COUNTED.class_scores(method, **uniform))
    assert np.array_equal(
        directions_of(LISTED, method, **uniform), directions_of(COUNTED, method, **uniform)
    )
    turns = LISTED.rank(method, policy="round_robin", **uniform)
    assert np.array_equal(
        turns.indices, COUNTED.rank(method, policy="round_robin", **uniform).indices
    )
    mean = LISTED.score(method, aggregate="mean", **uniform)
    assert np.array_equal(mean, COUNTED.score(method, aggregate="mean", **uniform))


def test_selection_tests_and_keyness_are_those_of_texts() -> None:
    uniform = {"class_prior": "uniform"}
    assert np.array_equal(LISTED.greedy(**uniform).scores, COUNTED.greedy(**uniform).scores)
    tests = [counts.significance("g2_counts", per_class=True) for counts in (LISTED, COUNTED)]
    assert np.array_equal(tests[0].log_pvalues, tests[1].log_pvalues)
    found, expected = (counts.keyness("sea").columns() for counts in (LISTED, COUNTED))
    for name, column in expected.items():
        if name in ("df_target", "df_reference", "g2_docs", "zeta", "lrc_docs"):
            assert set(found[name]) == {None}
        else:
            assert np.array_equal(found[name], column, equal_nan=column.dtype.kind == "f"), name


NEED_DOCUMENTS: dict[str, Any] = {
    "n_docs": lambda counts: counts.n_docs,
    "class_docs": lambda counts: counts.class_docs,
    "document_frequency": lambda counts: counts.document_frequency,
    "collection": lambda counts: counts.collection_document_frequency,
    "min_df": lambda counts: counts.with_min_df(1),
    "min_share": lambda counts: counts.keyness("sea", min_share=0.5),
    "sort='zeta'": lambda counts: counts.keyness("sea", sort="zeta"),
    "prior": lambda counts: counts.score("md"),
    "greedy prior": lambda counts: counts.greedy(),
    "mean": lambda counts: counts.score("g2_counts", aggregate="mean"),
    "mean in a ranking": lambda counts: counts.rank("g2_counts", aggregate="mean"),
    "frame": lambda counts: counts.to_frame("g2"),
    **{
        method.name: lambda counts, name=method.name: counts.score(name, class_prior="uniform")
        for method in ts.methods()
        if method.needs != OCCURRENCES
    },
    **{
        model: lambda counts, model=model: counts.score("md", model=model, class_prior="uniform")
        for model in ("binary", "bernoulli", "poisson")
    },
}


@pytest.mark.parametrize("use", NEED_DOCUMENTS)
def test_what_needs_documents_says_so(use: str) -> None:
    NEED_DOCUMENTS[use](COUNTED)
    with raises(ValueError, "needs_the_documents_of_class"):
        NEED_DOCUMENTS[use](LISTED)


def test_what_is_unknown_is_no_attribute() -> None:
    names = ("n_docs", "class_docs", "document_frequency", "collection_document_frequency")
    assert COUNTED.has_documents
    assert not LISTED.has_documents
    for name in names:
        assert hasattr(COUNTED, name)
        assert not hasattr(LISTED, name)
        assert getattr(LISTED, name, None) is None
    some = LISTED.subset([label for label in LISTED.classes if label != "land"])
    assert some.has_documents or not hasattr(some, "n_docs")


def test_sums_with_unknown_documents_are_unknown() -> None:
    both = COUNTED + LISTED
    with raises(ValueError, "class_docs_are_unknown", at="class 'land'"):
        _ = both.class_docs
    assert np.array_equal(both.class_tokens, 2 * COUNTED.class_tokens)
    assert both - COUNTED == both - LISTED == LISTED
    assert both == LISTED + COUNTED == ts.merge([LISTED, COUNTED])
    with raises(ValueError, "documents_known_only_in_the_whole"):
        _ = COUNTED - LISTED
    part = ts.counts_from_table({"sea": NESTED["sea"]})
    united = ts.merge([COUNTED.subset(["land"]), part])
    assert united.subset(["land"]).class_docs.tolist() == [N_C["land"]]
    known = united.keyness("land", "sea").columns()
    assert None not in set(known["df_target"])
    assert set(known["df_reference"]) == {None}


def test_documents_are_added_to_a_list() -> None:
    X = np.zeros((2, LISTED.n_terms), int)
    X[:, :3] = [[1, 2, 0], [0, 0, 3]]
    counts = copy.copy(LISTED).update(X, ["sea", "new"])
    assert counts == LISTED + ts.count(X, ["sea", "new"], term_names=LISTED.term_names)
    assert counts.subset(["new"]).n_docs == 1
    with raises(ValueError, "n_docs_are_unknown", at="class 'land'"):
        _ = counts.n_docs


def test_unknown_documents_are_shown_as_such() -> None:
    assert repr(LISTED).startswith("<ClassCounts of unknown documents: 3 classes x ")
    pytest.importorskip("pandas")
    frame = LISTED.to_frame("g2_counts")
    assert frame["df_class"].isna().all()
    assert frame["df_rest"].isna().all()
    assert frame["n_class"].tolist() == COUNTED.to_frame("g2_counts")["n_class"].tolist()


# ---- lists that were cut off ---------------------------------------------------------------------

KEPT = {label: dict(terms.most_common(4)) for label, terms in NESTED.items()}
L_C = {label: terms.total() for label, terms in NESTED.items()}
CUT = ts.counts_from_table(KEPT, class_tokens=L_C)


@pytest.mark.parametrize("method", OF_OCCURRENCES)
def test_a_list_that_was_cut_off_scores_as_if_it_were_whole(method: Any) -> None:
    # The term "we" is cut off from all lists. With given totals, no other score may change.
    table = {
        label: Counter({t: n for t, n in NESTED[label].items() if t != "we"}) for label in NESTED
    }
    cut = ts.counts_from_table(table, class_tokens=L_C)
    columns = [list(LISTED.term_names).index(term) for term in cut.term_names]
    options: dict[str, Any] = {"alpha": (1.0, 30.0), "class_prior": "uniform"}
    found = cut.class_scores(method, **options)
    assert np.array_equal(found, LISTED.class_scores(method, **options)[:, columns])
    assert not np.array_equal(found, ts.counts_from_table(table).class_scores(method, **options))


def test_the_total_survives_whatever_is_done() -> None:
    tokens = np.array([L_C[label] for label in CUT.classes])
    assert np.array_equal(CUT.class_tokens, tokens)
    copies = [ts.load(CUT.to_bytes()), pickle.loads(pickle.dumps(CUT)), copy.deepcopy(CUT)]
    assert all(other == CUT for other in copies)
    assert ts.counts_from_table(KEPT) != CUT
    assert ts.merge([CUT, LISTED]).class_tokens.tolist() == (2 * tokens).tolist()
    assert (CUT + CUT) - CUT == CUT
    assert CUT.subset({"all": CUT.classes}).class_tokens.tolist() == [tokens.sum()]
    X = np.eye(1, CUT.n_terms, dtype=int)
    assert copy.copy(CUT).update(X, ["sea"]).class_tokens.sum() == tokens.sum() + 1
    fractions = copy.copy(CUT).update(X / 2, ["sea"])
    assert fractions.class_tokens.sum() == tokens.sum() + 0.5
    both = CUT.keyness("sea", "land")
    assert both.tokens == (L_C["sea"], L_C["land"])


def test_what_needs_every_term_refuses_a_list_that_was_cut_off() -> None:
    documents = {**TABLE, "count": [2 * n for n in TABLE["count"]]}
    tokens = {label: 2 * n + 5 for label, n in L_C.items()}
    known = ts.counts_from_table(documents, documents="df", class_docs=N_C, class_tokens=tokens)
    for call in (
        lambda: known.greedy(),
        lambda: known.score("md", model="binary"),
    ):
        with raises(ValueError, "every_term_of_class_land", at="class 'land'"):
            call()
    assert np.array_equal(known.score("ig"), COUNTED.score("ig"))


# ---- hostile tables ------------------------------------------------------------------------------

GOOD: dict[str, Any] = {"term": ["a", "b", "a"], "label": ["x", "x", "y"], "count": [1, 2, 3]}
BAD_COUNTS = [-1, 1.5, np.nan, np.inf, None, "2", 2**63, 1e19, Decimal("1.5"), [2], 1j]


@pytest.mark.parametrize("value", BAD_COUNTS, ids=repr)
def test_counts_are_whole_and_not_negative(value: Any) -> None:
    with raises(ValueError, "a_count_is_not_whole", argument="count", at="row 1"):
        ts.counts_from_table({**GOOD, "count": [1, value, 3]})
    if isinstance(value, (int, float)) and value != 2**63:
        with raises(ValueError, "a_count_is_not_whole", argument="count", at="row 1"):
            ts.counts_from_table({**GOOD, "count": np.array([1, value, 3])})


@pytest.mark.parametrize(
    ("change", "options", "error", "key", "argument"),
    [
        ({"term": ["a", None, "a"]}, {}, ValueError, "column_term_has_none_at_row", "term"),
        ({"term": ["a", 7, "a"]}, {}, ValueError, "column_term_has_7_at_row", "term"),
        ({"term": ["a", np.nan, "a"]}, {}, ValueError, "column_term_has_nan_at_row", "term"),
        (
            {"label": ["x", None, "y"]},
            {},
            ValueError,
            "column_label_the_label_of_document",
            "label",
        ),
        ({"label": ["x", "y"]}, {}, ValueError, "column_label_has_2_rows_expected", "frame"),
        ({}, {"count": "n"}, ValueError, "count_expected_one_column_n_found", "count"),
        ({}, {"label": "labels"}, ValueError, "label_expected_one_column_labels_found", "label"),
        (
            {"df": [1, 1, 1]},
            {"documents": "df"},
            TypeError,
            "documents_needs_class_docs_pass_both_or",
            "documents",
        ),
        (
            {},
            {"class_docs": {"x": 1, "y": 1}},
            TypeError,
            "class_docs_needs_documents_pass_both_or",
            "class_docs",
        ),
        (
            {},
            {"class_tokens": {"z": 9}},
            ValueError,
            "class_tokens_there_is_no_class_z",
            "class_tokens",
        ),
        (
            {},
            {"class_tokens": {"x": 2}},
            ValueError,
            "class_tokens_x_for_which_3_are",
            "class_tokens",
        ),
        (
            {},
            {"class_tokens": {"x": 9.5}},
            TypeError,
            "class_tokens_x_for_which_3_are_2",
            "class_tokens",
        ),
        ({}, {"class_tokens": 9}, TypeError, "class_tokens_must_map_each_label_to", "class_tokens"),
        (
            {"count": [2**62, 2**62, 3]},
            {},
            ts.CountOverflowError,
            "the_counts_of_a_class_sum",
            None,
        ),
    ],
)
def test_other_faults_are_named(
    change: dict[str, Any], options: dict[str, Any], error: Any, key: str, argument: str | None
) -> None:
    with raises(error, key, argument=argument):
        ts.counts_from_table({**GOOD, **change}, **options)


@pytest.mark.parametrize(
    ("documents", "class_docs", "key", "argument"),
    [
        (
            [1, 3, 1],
            {"x": 5, "y": 5},
            "column_df_has_3_at_row",
            "documents",
        ),
        (
            [0, 1, 1],
            {"x": 5, "y": 5},
            "column_df_has_0_at_row",
            "documents",
        ),
        ([1, 2, 3], {"x": 1, "y": 5}, "class_docs_x_for_which_2_are", "class_docs"),
        ([1, 2, 3], {"x": 5}, "class_docs_lacks_class_y_expected_every", "class_docs"),
    ],
)
def test_documents_fit_the_counts(
    documents: Any, class_docs: Any, key: str, argument: str | None
) -> None:
    with raises(ValueError, key, argument=argument):
        ts.counts_from_table({**GOOD, "df": documents}, documents="df", class_docs=class_docs)


def test_other_kinds_of_tables_are_named() -> None:
    with raises(TypeError, "expected_label_term_count", argument="frame"):
        ts.counts_from_table(Counter("abca"))
    with raises(TypeError, "frame_is_a_list_expected", argument="frame"):
        ts.counts_from_table([("a", "x", 1)])
    with raises(TypeError, "a_mapping_of_mappings_has", argument="documents"):
        ts.counts_from_table(NESTED, documents="df", class_docs=N_C)


def test_zeros_and_empty_classes_count_nowhere() -> None:
    zeros = {**GOOD, "count": [1, 0, 3], "df": [1, 0, 2]}
    counts = ts.counts_from_table(zeros, documents="df", class_docs={"x": 1, "y": 2})
    assert counts.term_frequency.nnz == 2
    assert list(counts.term_names) == ["a", "b"]
    nested = ts.counts_from_table({"x": {"a": 1}, "y": {}})
    assert nested.classes == ["x", "y"]
    with raises(ValueError, "two_classes_with_documents"):
        nested.score("g2_counts")
    rest = ts.counts_from_table({"x": {"a": 1}, "y": {}}, class_tokens={"y": 9})
    assert rest.keyness("x").tokens == (1, 9)


@pytest.mark.parametrize(
    ("options", "key", "argument"),
    [
        ({"method": "key"}, "key_needs_the_documents", "method"),
        (
            {"method": "log_odds", "max_pvalue": 0.05},
            "max_pvalue_needs_the_documents",
            "max_pvalue",
        ),
    ],
    ids=["key", "max-pvalue"],
)
def test_errors_about_unknown_documents_name_what_the_caller_passed(
    options: dict[str, Any], key: str, argument: str
) -> None:
    for describe in (LISTED.to_frame, partial(ts.distinctive_terms, LISTED)):
        with raises(ValueError, key, argument=argument):
            describe(**options)
