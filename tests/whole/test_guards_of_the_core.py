"""The core refuses what the package never passes, so that a fault of the package does no harm.

Guards: _core, whose every array has a size and a range that its neighbours must fit.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import termsift as ts
from private import _core, core_of
from wording import raises

ONE_TERM = (np.array([0, 1]), np.array([0]), np.array([1]))  # a document with one term


def rules(**others: Any) -> _core.TextRules:
    usual = {"min_n": 1, "max_n": 1, "stop_words": []}
    return _core.TextRules("word", True, None, **{**usual, **others})


def json(readinto: Callable[[memoryview], int]) -> _core.JsonTable:
    return _core.JsonTable(readinto, "f", texts=["text"], label="label")


def counted_by_class() -> _core.TextCounter:
    counter = _core.TextCounter(rules(), by_class=True)
    counter.add(_core.Texts.of_strings(["aa", "bb"]), np.array([0, 1], np.int32))
    counter.sort()
    return counter


# ---- readers -------------------------------------------------------------------------------------


def test_a_reader_is_not_used_while_it_reads() -> None:
    table = json(lambda _: len(table.read() or ()))
    with raises(RuntimeError, "another_thread_reads_this_file"):
        table.read()


@pytest.mark.parametrize("dtype", [object, np.int64, "U3"])
def test_labels_are_a_contiguous_vector(dtype: Any) -> None:
    labels = np.zeros((4, 2), dtype)
    for wrong in (labels, labels[:, 0], np.zeros((), dtype)):
        with raises(ValueError, "labels_must_be_a_contiguous_vector"):
            _core.number_labels(wrong)


def test_counts_are_not_used_while_documents_are_added() -> None:
    n_docs = 10**6
    counts = _core.GrowingCounts(_core.Counts(0, True))
    documents = (np.arange(n_docs + 1), np.zeros(n_docs, int), np.ones(n_docs, int), 1)
    options = (None, np.zeros(n_docs, np.int32), 1, _core.TermWeight.raw, 1, 2**20)
    with ThreadPoolExecutor() as pool, raises(RuntimeError, "another_thread_uses_these_counts"):
        for _ in range(100):  # this thread may get no time while the other one adds
            adding = pool.submit(counts.add, *documents, *options)
            while not adding.done():
                counts.counts(1)
            adding.result()
    (added,) = counts.counts(1).class_docs.tolist()
    assert added > 0
    assert added % n_docs == 0


def test_a_file_must_not_return_more_than_was_asked_for() -> None:
    for reader in (json, lambda read: _core.SvmlightFile(read, "f")):
        for excess in (1, -(2**30)):
            with raises(RuntimeError, "a_file_returned_more_bytes"):
                reader(lambda buffer, excess=excess: len(buffer) + excess).read()


def test_only_a_file_with_a_word_has_a_first_word() -> None:
    for line, word in ((b"1 1:1\n", None), (b"1 1:1\nx 1:1\n", ("x", 2))):
        file = _core.SvmlightFile(io.BytesIO(line).readinto, "f")
        file.read()
        if word is None:
            with raises(ValueError, "no_class_is_a_word"):
                file.first_word()
        else:
            assert file.first_word() == word


def test_readers_read_at_least_a_byte_at_once() -> None:
    with raises(ValueError, "block_bytes_must_be_positive"):
        _core.SvmlightFile(lambda _: 0, "f", block_bytes=0)
    with raises(ValueError, "block_bytes_must_be_positive"):
        _core.MarketFile(lambda _: 0, "f", block_bytes=0)
    with raises(ValueError, "block_bytes_must_be_positive"):
        _core.DelimitedTable(lambda _: 0, "f", quote=None, block_bytes=0)


@pytest.mark.parametrize(
    ("texts", "label", "key"),
    [
        ([2], 0, "a_column_of_texts_is"),
        ([-1], 0, "a_column_of_texts_is"),
        ([0], 2, "the_column_of_labels_is"),
        ([0], -1, "the_column_of_labels_is"),
    ],
)
def test_columns_of_a_table_are_there(texts: list[int], label: int, key: str) -> None:
    table = _core.DelimitedTable(io.BytesIO(b"a,b\n").readinto, "f", quote=None)
    with raises(ValueError, key):
        table.choose(",", texts, label, 2, False)


def test_labels_of_a_table_are_strings() -> None:
    with raises(TypeError, "labels_must_be_strings"):
        _core.DelimitedTable(lambda _: 0, "f", quote=None, labels=[1])  # type: ignore[list-item]


# ---- texts ---------------------------------------------------------------------------------------


def test_columns_of_different_lengths_are_not_joined() -> None:
    with raises(ValueError, "the_columns_have_different_lengths"):
        _core.Texts.joined([_core.Texts.of_strings(["a", "b"]), _core.Texts.of_strings(["a"])])


def test_tokens_are_no_texts() -> None:
    def refuse(value: object, i: int) -> Any:
        raise AssertionError

    tokens = _core.Texts.of_tokens(_core.Texts.of_strings(["a b"]), str.split, refuse)
    with raises(TypeError, "a_list_of_tokens_is_no"):
        tokens[0]
    with raises(TypeError, "a_list_of_tokens_is_no"):
        _core.Texts.joined([tokens])


def test_tokens_are_refused_even_if_the_package_lets_them_pass() -> None:
    texts = _core.Texts.of_strings(["a"])
    for value in ([1], 1):
        with raises(TypeError, "expected_an_iterable_of_strings"):
            _core.Texts.of_tokens(texts, lambda _, value=value: value, lambda *_: None)


def test_a_range_of_ngrams_has_an_end() -> None:
    with raises(ValueError, "ngrams_may_have_at_most"):
        rules(max_n=1001)


@pytest.mark.parametrize(
    ("options", "key"),
    [
        (("x", True, None, 1, 1, []), "analyzer_must_be_a_name_of_the_core"),
        (("word", True, "x", 1, 1, []), "strip_accents_must_be_a_name_of_the_core"),
        (("word", True, None, 1, 1, [], "x"), "normalize_must_be_a_name_of_the_core"),
        (("word", True, None, 2, 1, []), "the_range_of_ngrams_must_be"),
    ],
)
def test_rules_have_known_names(options: Any, key: str) -> None:
    with raises(ValueError, key):
        _core.TextRules(*options)


def test_texts_are_lists_or_arrow_arrays() -> None:
    with raises(TypeError, "texts_must_be_a_list_or_a_tuple"):
        _core.Texts.of_strings("ab")
    with raises(TypeError, "expected_an_object_with_the_arrow_interface"):
        _core.Texts.of_arrow(1)


def test_weights_of_an_index_have_a_column_for_each_term() -> None:
    index, texts = _core.TextIndex(rules(), ["aa", "bb"]), _core.Texts.of_strings(["aa", "bb bb"])
    assert index.sums(texts, np.array([[1.0], [2.0]])).ravel().tolist() == [1, 4]
    for shape in ((1, 3), (1, 2)):
        with raises(ValueError, "the_weights_need_a_row"):
            index.sums(texts, np.ones(shape))


def test_each_word_needs_a_stem() -> None:
    counter = _core.TextCounter(rules(stem=lambda words: words[1:]))
    with raises(ValueError, "each_word_needs_a_stem"):
        counter.add(_core.Texts.of_strings(["aa bb"]))


def test_sketches_and_stems_exclude_each_other() -> None:
    with raises(ValueError, "n_counters_must_be_positive"):
        _core.TermSketch(0)
    texts, stemmed, sketch = _core.Texts.of_strings(["a"]), rules(stem=list), _core.TermSketch(8)
    with raises(ValueError, "a_sketch_cannot_count_stems"):
        sketch.add(stemmed, texts)
    with raises(ValueError, "a_sketch_cannot_choose_stems"):
        _core.TextCounter(stemmed.with_sketch(sketch, 2)).add(texts)


def test_a_counter_counts_by_document_or_by_class() -> None:
    with raises(ValueError, "a_counter_by_document_cannot_read_a_table"):
        json(lambda _: 0).count(_core.TextCounter(rules()), 1)
    with raises(ValueError, "some_documents_have_a_class_beyond"):
        counted_by_class().counts(1)


def test_a_counter_is_sorted_once_and_then_closed() -> None:
    texts, class_0 = _core.Texts.of_strings(["aa bb"]), np.zeros(1, np.int32)
    by_document, by_class = _core.TextCounter(rules()), _core.TextCounter(rules(), by_class=True)
    with raises(RuntimeError, "the_terms_have_not_been_sorted"):
        by_document.terms()
    with raises(ValueError, "a_counter_by_document_cannot_have_classes"):
        by_document.add(texts, class_0)
    by_document.add(texts)
    by_class.add(texts, class_0)
    for counter in (by_document, by_class):
        for _ in range(2):
            counter.sort()
            assert counter.terms() == ["aa", "bb"]
    with raises(RuntimeError, "no_text_can_be_added_after"):
        by_document.add(texts)
    with raises(RuntimeError, "no_text_can_be_added_after"):
        by_class.add(texts, class_0)
    with raises(RuntimeError, "a_counter_by_class_has_no_matrix"):
        by_class.matrix()
    with raises(RuntimeError, "a_counter_by_document_has_no_counts"):
        by_document.counts(1)
    with raises(ValueError, "n_classes_must_not_be_negative"):
        by_class.counts(-1)


def test_a_matrix_of_hashes_has_columns() -> None:
    with raises(ValueError, "the_number_of_columns_must_be_positive"):
        _core.hashed_matrix(rules(), _core.Texts.of_strings(["aa"]), 0, False)


# ---- labels --------------------------------------------------------------------------------------


def test_labels_may_change_while_they_are_read() -> None:
    class Clears:
        def __hash__(self) -> int:
            labels.clear()
            return 1

    labels: list[object] = [Clears(), "b"]
    with raises(ValueError, "the_labels_changed"):
        _core.number_labels(labels)


def test_a_code_needs_a_number() -> None:
    for code in (-1, 1):
        with raises(IndexError, "a_code_has_no_number"):
            _core.renumber(np.array([0, code], np.int32), np.array([7], np.int32))


# ---- counts --------------------------------------------------------------------------------------


def updated(
    exact: bool, codes: list[int], label_indptr: list[int] | None = None, weights: Any = None
) -> object:
    return _core.Counts(2, exact).updated(
        *ONE_TERM,
        1,
        False,
        None if label_indptr is None else np.array(label_indptr),
        np.array(codes, np.int32),
        weights,
        _core.TermWeight.raw,
        1,
        _core.default_window_bytes,
    )


def test_offsets_of_labels_are_checked() -> None:
    assert updated(True, [0, 1], [0, 2])
    for offsets in ([1, 2], [0, 1]):
        with raises(ValueError, "the_label_offsets_do_not_span"):
            updated(True, [0, 1], offsets)
    two = (np.array([0, 1, 1]), *ONE_TERM[1:])
    for middle in (-1, 3):
        with raises(ValueError, "the_label_offsets_of_a_document"):
            _core.Counts(2, True).updated(
                *two,
                1,
                False,
                np.array([0, middle, 2]),
                np.array([0, 1], np.int32),
                None,
                _core.TermWeight.raw,
                1,
                _core.default_window_bytes,
            )


def test_each_document_has_a_label_and_a_weight() -> None:
    with raises(ValueError, "y_has_2_labels_for_1"):
        updated(True, [0, 1])
    with raises(ValueError, "y_and_x_differ_in_length"):
        updated(True, [0], [0, 1, 1])
    with raises(ValueError, "sample_weight_and_x_differ_in_length"):
        updated(True, [0], weights=np.array([1, 1]))


def test_the_arrays_of_a_matrix_fit_together() -> None:
    def sums(indptr: list[int], indices: list[int], rows: list[int]) -> Any:
        arrays = np.array(indptr, np.int64), np.array(indices), np.array([1])
        return _core.rank_sums(*arrays, 1, np.array(rows), 1, 1)

    with raises(TypeError, "counts_cannot_have_the_dtype"):
        _core.rank_sums(*ONE_TERM[:2], np.array([1j]), 1, np.array([0]), 1, 1)  # type: ignore[arg-type]
    with raises(ValueError, "indptr_is_empty"):
        sums([], [0], [0])
    with raises(ValueError, "indices_and_data_differ"):
        sums([0, 1], [0, 0], [0])
    for row in (-1, 1):
        with raises(ValueError, "x_has_no_row"):
            sums([0, 1], [0], [row])


@pytest.mark.parametrize("k", [-1, 3])
def test_no_more_terms_are_ranked_than_there_are(k: int) -> None:
    counts = core_of(ts.count(np.array([[2, 1], [1, 3]]), [0, 1]))
    with raises(ValueError, "k_must_be_in_0_number_of_terms"):
        _core.round_robin(counts, _core.Measure.kl, 1.0, (2.0, 0.0), None, k, 1)
    with raises(ValueError, "k_must_be_in_0_number_of_scores"):
        _core.top_k(np.ones(2), k, 1)


def test_a_prior_has_a_weight_for_each_class() -> None:
    counts = core_of(ts.count(np.array([[2, 1], [1, 3]]), [0, 1]))

    def first(prior: list[float] | None) -> int:
        weights = None if prior is None else np.array(prior, float)
        return int(_core.greedy(counts, 1.0, (2.0, 0.0), weights, 1, False, 1, None)[0][0])

    assert first(None) == first([1, 1]) == 0
    with raises(ValueError, "class_prior_has_3_values_for_2"):
        first([1, 1, 1])
    for wrong, label in (([1, -1], "class 1"), ([-1, 1], "class 0")):
        with raises(ValueError, "class_prior_must_be_finite_and_not_negative_got", at=label):
            first(wrong)


def test_float_counts_take_float_weights() -> None:
    assert updated(False, [0], weights=np.array([1.0]))
    with raises(TypeError, "float_counts_take_float_weights"):
        updated(False, [0], weights=np.array([1]))


def test_counts_of_other_classes_are_not_combined() -> None:
    with raises(ValueError, "counts_of_different_classes"):
        _core.Counts(1, True).merge(_core.Counts(2, True))


@pytest.mark.parametrize("terms", [[-1], [2], [1, 1], [1, 0]])
def test_terms_must_increase(terms: list[int]) -> None:
    counts = counted_by_class().counts(2)
    assert counts.of_terms(np.array([0, 1])).n_terms == 2
    with raises(ValueError, "terms_must_increase"):
        counts.of_terms(np.array(terms))


def test_only_known_paths_and_targets_can_be_chosen() -> None:
    with raises(ValueError, "no_counting_path"):
        _core.use_counting_path("x")
    with raises(ValueError, "simd_target_must_be_one_of"):
        _core.use_simd_target("x")


# ---- classifiers ---------------------------------------------------------------------------------


def predicted(**others: Any) -> list[int]:
    """Return the classes of a document with one term, by a classifier of two classes."""
    usual = {
        "constant": np.zeros(2),
        "term_of": None,
        "weights": np.array([[0.0, 1.0]]),
        "pairs": None,
    }
    indptr, indices, data = ONE_TERM
    return _core.predict_classes(
        **{**usual, **others},
        indptr=indptr,
        indices=indices,
        data=data,
        n_columns=1,
        term_weight=_core.TermWeight.raw,
        tie=0.0,
        n_threads=1,
    ).tolist()


def pairs(**others: Any) -> dict[str, Any]:
    """Return the arguments of the same classifier, whose weights are those of pairs."""
    usual = {
        "of_class": np.zeros(2),
        "of_term": np.zeros(1),
        "first_pair": np.array([0, 1]),
        "pair_class": np.array([1], np.int32),
    }
    return {"weights": np.ones(1), "pairs": tuple({**usual, **others}.values())}


def test_the_arrays_of_a_classifier_fit_together() -> None:
    assert predicted() == predicted(**pairs()) == [1]
    with raises(ValueError, "a_classifier_needs_a_class"):
        predicted(constant=np.zeros(0))
    with raises(ValueError, "weights_must_be_a_contiguous_array"):
        predicted(weights=np.zeros(2))
    with raises(ValueError, "the_weights_need_a_value"):
        predicted(weights=np.zeros((1, 1)))
    with raises(ValueError, "the_documents_need_one_column"):
        predicted(weights=np.zeros((2, 2)))
    with raises(ValueError, "the_documents_need_one_column"):
        predicted(term_of=np.zeros(2, np.int32))
    with raises(ValueError, "term_of_has_an_unknown_term"):
        predicted(term_of=np.array([1], np.int32))


@pytest.mark.parametrize(
    "wrong",
    [
        {"of_class": np.zeros(1)},
        {"pair_class": np.zeros(2, np.int32)},
        {"first_pair": np.array([0, 0, 1])},
        {"first_pair": np.array([1, 1])},
        {"first_pair": np.array([0, 0])},
        {"of_term": np.zeros(2), "first_pair": np.array([0, 2, 1])},
    ],
)
def test_pairs_of_a_classifier_match(wrong: dict[str, Any]) -> None:
    with raises(ValueError, "the_pairs_of_terms_and_classes"):
        predicted(**pairs(**wrong))


def test_a_pair_has_a_known_class() -> None:
    for unknown in (-1, 2):
        with raises(ValueError, "a_pair_has_an_unknown_class"):
            predicted(**pairs(pair_class=np.array([unknown], np.int32)))
