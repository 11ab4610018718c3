"""Tables of counts: columns of usual names, and the rules of the texts to compare with."""

from __future__ import annotations

from typing import Any

import pytest

import termsift as ts
from termsift.text import TextRules
from wording import raises, warns

ROWS = {"word": ["the", "The", "a"], "class": ["x", "x", "y"], "Freq.": [5, 2, 3], "N": [1, 2, 3]}
WANTED = {"x": {"The": 2, "the": 5}, "y": {"a": 3}}


def frames(rows: dict[str, Any]) -> Any:
    pandas, polars, pyarrow = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    yield from (rows, pandas.DataFrame(rows), polars.DataFrame(rows))
    yield from (pyarrow.table(rows), pyarrow.table(rows).to_reader())


def test_columns_have_usual_names() -> None:
    for frame in frames(ROWS):
        assert ts.counts_from_table(frame) == ts.counts_from_table(WANTED)
    for frame in frames(ROWS | {"range": [1, 1, 2]}):
        counts = ts.counts_from_table(frame, class_docs={"x": 4, "y": 5})
        assert counts.document_frequency.toarray().tolist() == [[1, 0, 1], [0, 2, 0]]
    for frame in frames(ROWS | {"range": [1, 1, 2]}):  # without class_docs they are unknown
        assert ts.counts_from_table(frame) == ts.counts_from_table(WANTED)
    assert ts.counts_from_table(ROWS, count="N").class_tokens.tolist() == [3, 3]


def test_columns_that_are_not_clear() -> None:
    with raises(ValueError, "two_columns_of_a_frame", argument="count"):
        ts.counts_from_table(ROWS | {"frequency": [1, 1, 1]})
    with raises(ValueError, "term_expected_one_column_term", argument="term"):
        ts.counts_from_table({"mot": ["x"], "label": ["a"], "count": [1]})
    with raises(ValueError, "a_count_is_not_whole", argument="count", at="row 0, term 'a'"):
        ts.counts_from_table({"x": {"a": -1}})
    key = "class_docs_needs_documents_pass_both_or"
    with raises(TypeError, key, argument="class_docs"):
        ts.counts_from_table(ROWS, class_docs={"x": 4, "y": 5})


def test_rules_are_applied_to_terms() -> None:
    for table in (ROWS, WANTED):
        counts = ts.counts_from_table(table, rules=TextRules())
        assert list(counts.term_names) == ["the"]
        assert counts.classes == ["x", "y"]
        assert counts.term_frequency.toarray().tolist() == [[7], [0]]
        assert counts.rules is None
    # What the list left out stays left out.
    counts = ts.counts_from_table(WANTED, class_tokens={"x": 10, "y": 3}, rules=TextRules())
    assert counts.class_tokens.tolist() == [10, 0]
    with raises(ValueError, "class_tokens_y_for_which_3_are", argument="class_tokens"):
        ts.counts_from_table(WANTED, class_tokens={"y": 2}, rules=TextRules())
    for rules in (TextRules(analyzer="char"), TextRules(hashing=8)):
        assert ts.counts_from_table(WANTED, rules=rules) == ts.counts_from_table(WANTED)


def test_the_rules_of_counts_are_those_of_the_list() -> None:
    counts = ts.count_texts(["The ship", "a Café"], ["n", "n"], strip_accents="unicode")
    listed = ts.counts_from_table({"r": {"THE": 3, "cafe": 4}}, rules=counts.rules)
    both = ts.merge([counts, listed])
    assert list(both.term_names) == ["cafe", "ship", "the"]
    assert both.term_frequency.toarray().tolist() == [[1, 1, 1], [4, 0, 3]]
    assert both.rules == counts.rules


def test_terms_that_cannot_match_are_counted() -> None:
    with warns(UserWarning, "terms_of_a_table_cannot_match"):
        counts = ts.counts_from_table({"x": {"new york": 2, "the": 3}}, rules=TextRules())
    assert counts.class_tokens.tolist() == [5]


def test_documents_of_terms_that_the_rules_unite_are_unknown() -> None:
    table = {**ROWS, "docs": [1, 1, 2]}
    n_docs = {"x": 4, "y": 5}
    with raises(ValueError, "unite_terms", argument="rules", at="class 'x'"):
        ts.counts_from_table(table, class_docs=n_docs, rules=TextRules())
    rules = TextRules(lowercase=False, token_pattern=r"(?u)\b\w+\b")
    pytest.importorskip("sklearn")
    counts = ts.counts_from_table(table, class_docs=n_docs, rules=rules)
    assert counts == ts.counts_from_table(table, class_docs=n_docs)
    # Two rows of one term are parts of a corpus, as without rules, and "la-la" is in one document.
    parts = {"term": ["la-la", "la-la"], "label": ["x", "x"], "count": [1, 1], "docs": [1, 1]}
    counts = ts.counts_from_table(parts, class_docs={"x": 2}, rules=TextRules())
    assert (counts.class_tokens.tolist(), counts.document_frequency.toarray()[0].tolist()) == (
        [4],
        [2],
    )


def test_sums_that_are_too_large_and_functions_without_code() -> None:
    with raises(ts.CountOverflowError, "the_counts_of_a_class_sum"):
        ts.counts_from_table({"x": {"la-la": 2**62}}, rules=TextRules())
    pytest.importorskip("sklearn")
    counts = ts.count_texts(["a b"], ["x"], tokenizer=str.split, token_pattern=None)
    loaded = ts.load(counts.to_bytes())
    with raises(ValueError, "only_the_name_of_a_function", argument="rules"):
        ts.counts_from_table({"x": {"a": 1}}, rules=loaded.rules)
    with raises(TypeError, "rules_must_be_a_textrules", argument="rules"):
        ts.counts_from_table({"x": {"a": 1}}, rules="NFC")  # type: ignore[arg-type]
