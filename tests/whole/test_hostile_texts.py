"""The core refuses wrong arguments, and calls from several threads at once, without a crash.

Guards: cpp/bindings/register_text*.cpp.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from private import _core
from wording import raises


def rules(analyzer: str = "word", most: int = 1, stop_words: Any = ()) -> _core.TextRules:
    return _core.TextRules(analyzer, True, None, 1, most, stop_words)


def texts() -> _core.Texts:
    return _core.Texts.of_strings(["aa bb aa", "cc", "\xe9\ud800x aa\0b"])


def sorted_counter(*, by_class: bool = False, n_threads: int = 0) -> _core.TextCounter:
    counter = _core.TextCounter(rules(), by_class)
    counter.add(texts(), np.zeros(3, dtype=np.int32) if by_class else None, n_threads)
    counter.sort(n_threads)
    return counter


@pytest.mark.parametrize(
    ("classes", "error", "key"),
    [
        (None, ValueError, "each_document_needs_a_class"),
        (np.zeros(2, dtype=np.int32), ValueError, "each_document_needs_a_class"),
        (np.array([0, -1, 0], dtype=np.int32), ValueError, "a_class_is_negative"),
        (np.zeros((3, 1), dtype=np.int32), ValueError, "classes_must_be_a_contiguous_vector"),
        (np.zeros(6, dtype=np.int32)[::2], ValueError, "classes_must_be_a_contiguous_vector"),
        (np.zeros(3), TypeError, "classes_has_the_dtype_float64"),
        (np.zeros(3, dtype=">i4"), TypeError, "classes_has_the_dtype_i4"),
    ],
)
def test_wrong_classes_change_nothing(classes: Any, error: type[Exception], key: str) -> None:
    counter = _core.TextCounter(rules(), by_class=True)
    with raises(error, key):
        counter.add(texts(), classes)
    counter.add(texts(), np.zeros(3, dtype=np.int32))
    counter.sort()
    assert counter.terms() == ["aa", "bb", "cc"]


@pytest.mark.parametrize("given", [None, ["aa"], "aa", 3])
def test_other_objects_are_no_texts(given: Any) -> None:
    with raises(TypeError, "texts_must_be_a_core"):
        _core.TextCounter(rules()).add(given)


@pytest.mark.parametrize(
    ("columns", "key"),
    [
        ([0, 0, 1], "columns_must_increase_but_0_does"),
        ([2, 1, 0], "columns_must_increase_but_1_does"),
        ([0, 1], "columns_has_2_elements_for_3"),
    ],
)
def test_wrong_columns_are_refused(columns: list[int], key: str) -> None:
    for by_class in (False, True):
        counter, array = sorted_counter(by_class=by_class), np.array(columns, dtype=np.int32)
        with raises(ValueError, key):
            counter.counts(1, array) if by_class else counter.matrix(array)


@pytest.mark.parametrize("by_class", [False, True])
def test_a_counter_that_failed_refuses_further_calls(by_class: bool) -> None:
    counter = _core.TextCounter(rules(), by_class)
    broken = _core.Texts.of_bytes([b"aa", b"\xff", b"\xfe"])
    with raises(_core.BadTextError, "not_utf_8", at="document 1, byte 0"):
        counter.add(broken, np.array([1, 1, 0], dtype=np.int32) if by_class else None)
    with raises(RuntimeError, "an_earlier_call_of_this"):
        counter.sort()
    with raises(RuntimeError, "an_earlier_call_of_this"):
        counter.terms()


def test_the_first_file_that_fails_is_named(tmp_path: Any) -> None:
    for name in ("a", "c"):
        (tmp_path / name).write_bytes(b"aa")
    (tmp_path / "b").mkdir()
    names = [tmp_path / "a", tmp_path / "b", *[tmp_path / "none"] * 50, tmp_path / "c"]
    for _ in range(20):
        with pytest.raises(OSError, match=r"directory|denied") as raised:
            _core.Texts.of_files(names, 4)
        assert str(raised.value.filename) == str(tmp_path / "b")
