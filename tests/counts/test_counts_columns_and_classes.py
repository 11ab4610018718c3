"""The algebra of columns and classes in the core, against the same algebra in numpy.

The functions of the oracle turn counts into arrays, and the arrays into new counts. Counts must be
equal to the last bit, and so must their storage as arrays.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import termsift as ts
from private import _core, core_of
from signals import interrupting, needs_timers
from wording import raises

# ---- the oracle ----------------------------------------------------------------------------------


def in_columns(counts: _core.Counts, new_column: Any, n_terms: int) -> _core.Counts:
    held: dict[str, Any] = {**counts.to_arrays(), "n_terms": n_terms}
    columns = new_column[held["terms"]]
    kept = columns >= 0
    n_rows = len(held["indptr"]) - 1
    rows = np.repeat(np.arange(n_rows, dtype=np.int32), np.diff(held["indptr"]))[kept]
    columns = columns[kept].astype(np.int32)
    order = np.lexsort((columns, rows))
    sizes = np.bincount(rows, minlength=n_rows)
    held["indptr"] = np.append(0, np.cumsum(sizes, dtype=np.int64))
    held["terms"] = np.ascontiguousarray(columns[order])
    for name in ("term_frequency", "document_frequency"):
        held[name] = np.ascontiguousarray(held[name][kept][order])
    return _core.Counts.from_arrays(**held)


def of_classes(counts: _core.Counts, groups: list[list[int]]) -> _core.Counts:
    result = counts.with_classes([rows[0] if len(rows) == 1 else -1 for rows in groups])
    for place, rows in enumerate(groups):
        if len(rows) > 1:
            merged = counts.with_classes(rows).as_one_class()
            in_place = [0 if i == place else -1 for i in range(len(groups))]
            result = result.merge(merged.with_classes(in_place))
    held: Any = result.to_arrays()
    held["n_docs"] = held["class_docs"].sum().item()
    # The sum of all weights stays as it is, whatever the order of the classes, unless a class whose
    # documents are unknown is merged with others.
    unknown = (counts.class_docs == 0) & (counts.class_tokens > 0)
    is_whole = not any(len(rows) > 1 and unknown[rows].any() for rows in groups)
    if is_whole and math.isclose(held["n_docs"], counts.n_docs, rel_tol=1e-12):
        held["n_docs"] = counts.n_docs
    return _core.Counts.from_arrays(**held)


def totals(counts: _core.Counts, frequency: str) -> Any:
    if counts.has_collection or not counts.exact:
        counts = counts.as_one_class()
    data, terms, _ = getattr(counts, frequency)()
    dense = np.zeros(counts.n_terms, dtype=data.dtype)
    np.add.at(dense, terms, data)
    return dense


def equals(a: _core.Counts, b: _core.Counts) -> bool:
    if a.exact != b.exact:
        return False
    mine: Any = a.to_arrays()
    theirs: Any = b.to_arrays()
    if mine["has_collection"] != theirs["has_collection"]:
        mine, theirs = a.with_collection().to_arrays(), b.with_collection().to_arrays()
    return all(np.array_equal(mine[key], theirs[key]) for key in mine)


def union(mine: list[str], theirs: list[str]) -> dict[str, int] | str:
    """Return the column of each name, or what an error says of a name of several terms."""
    for names in (mine, theirs):
        for name, n_terms in Counter(names).most_common(1):
            if n_terms > 1:
                return f"{name!r} names {n_terms} terms"
    both = dict.fromkeys([*mine, *theirs])
    are_sorted = all(names == sorted(names) for names in (mine, theirs))
    return dict(zip(sorted(both) if are_sorted else both, range(len(both)), strict=True))


# ---- counts --------------------------------------------------------------------------------------


def same(a: _core.Counts, b: _core.Counts) -> None:
    mine: Any = a.to_arrays()
    theirs: Any = b.to_arrays()
    for key, value in mine.items():
        np.testing.assert_array_equal(value, theirs[key], key)
        assert np.asarray(value).dtype == np.asarray(theirs[key]).dtype
    np.testing.assert_array_equal(a.class_tokens, b.class_tokens)
    assert a.equals(b)


@st.composite
def counts_of_rows(draw: st.DrawFn, collection: bool | None = None) -> _core.Counts:
    """Draw counts: exact or float, narrow or wide, with rows of every kind."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    exact = draw(st.booleans())
    n_classes = draw(st.sampled_from([0, 1, 2, 3, 9, 40, 300]))
    n_terms = draw(st.sampled_from([0, 1, 2, 7, 90, 3000]))
    largest = draw(st.sampled_from([1, 5, 2**32 - 1, 2**33]))
    with_collection = draw(st.booleans()) if collection is None else collection
    density = draw(st.sampled_from([0, 0.02, 0.5, 1]))
    if n_terms * n_classes * density > 30_000:
        density = 0.02
    dtype = np.int64 if exact else np.float64
    rows = [np.flatnonzero(rng.random(n_terms) < density) for _ in range(n_classes)]
    if with_collection:
        rows.append(np.unique(np.concatenate([np.zeros(0, int), *rows])))
    sizes = np.array([len(row) for row in rows], dtype=np.int64)
    terms = np.concatenate([np.zeros(0, int), *rows]).astype(np.int32)
    df = rng.integers(1, 4, len(terms)).astype(dtype)
    tf = df + rng.integers(0, largest, len(terms))
    docs = np.full(len(rows), 9, dtype=dtype) if exact else 9 + rng.random(len(rows))
    unlisted = np.where(rng.random(len(rows)) < 0.2, 4, 0).astype(dtype)
    if not exact:
        tf = tf + rng.random(len(terms)) if largest > 1 else tf
        df = df * 0.7
    if with_collection:
        first = sizes[:-1].sum()
        tf[first:] = (largest + 9) * max(n_classes, 1)
        df[first:] = 9
        docs[-1] = docs.max()
        unlisted[-1] = 4
    elif draw(st.booleans()):  # a list of frequencies does not know its documents
        unknown = rng.random(len(rows)) < 0.3
        docs[unknown] = 0
        df[np.repeat(unknown, sizes)] = 0
    return _core.Counts.from_arrays(
        n_terms,
        docs[-1].item() if with_collection else docs.sum().item(),
        with_collection,
        docs,
        np.append(0, np.cumsum(sizes)),
        terms,
        tf,
        df,
        unlisted,
    )


# ---- columns -------------------------------------------------------------------------------------


@given(counts_of_rows(), st.integers(0, 2**32), st.booleans(), st.sampled_from([0, 1, 5]))
def test_terms_in_new_columns(counts: _core.Counts, seed: int, in_order: bool, gap: int) -> None:
    rng = np.random.default_rng(seed)
    n_terms = counts.n_terms + gap
    new_column = rng.permutation(n_terms)[: counts.n_terms].astype(np.int64)
    new_column[rng.random(counts.n_terms) < rng.random()] = -1
    if in_order:
        new_column[new_column >= 0] = np.sort(new_column[new_column >= 0])
    moved = in_columns(counts, new_column, n_terms)
    for n_threads in (1, 3):
        same(counts.in_columns(new_column, n_terms, n_threads), moved)


def test_rows_too_long_for_a_sort_by_comparisons() -> None:
    rng = np.random.default_rng(5)
    counts = large_counts(3, 200_000)
    new_column = rng.permutation(counts.n_terms * 3)[: counts.n_terms]
    moved = in_columns(counts, new_column, counts.n_terms * 3)
    same(counts.in_columns(new_column, counts.n_terms * 3, 2), moved)


@pytest.mark.parametrize(
    ("new_column", "n_terms", "key"),
    [
        ([0, 1], 3, "new_column_has_2_columns_for_3"),
        ([0, 1, 2, 3], 4, "new_column_has_4_columns_for_3"),
        ([0, 1, 3], 3, "new_column_2_is_3_expected_1"),
        ([0, -2, 1], 3, "new_column_1_is_2_expected_1"),
        ([0, 1, 1], 3, "new_column_2_is_1_which_is"),
        ([2, 0, 2], 3, "new_column_2_is_2_which_is"),
        ([-1, -1, -1], -1, "counts_cannot_have_1_terms"),
        ([-1, -1, -1], 2**31, "counts_cannot_have_2147483648_terms"),
    ],
)
def test_impossible_columns(new_column: list[int], n_terms: int, key: str) -> None:
    counts = core_of(ts.count(np.ones((2, 3), dtype=int), ["a", "b"]))
    with raises(ValueError, key):
        counts.in_columns(np.array(new_column), n_terms)


def test_a_row_without_its_large_counts_is_narrow_again() -> None:
    X = np.array([[2**40, 1, 2]])
    counts = core_of(ts.count(X, ["a"])).in_columns(np.array([-1, 1, 0]), 2)
    same(counts, core_of(ts.count(X[:, [2, 1]], ["a"])))


# ---- classes -------------------------------------------------------------------------------------


@given(counts_of_rows(collection=False), st.integers(0, 2**32))
@example(_core.Counts(0, True), 0)
def test_groups_of_classes(counts: _core.Counts, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(counts.class_docs))[: rng.integers(0, 400)]
    n_groups = rng.integers(1, rng.choice([2, 10, 300]))
    groups: list[list[int]] = [[] for _ in range(n_groups)]
    for row in rows.tolist():
        groups[rng.integers(n_groups)].append(row)
    expected = of_classes(counts, groups)
    for n_threads in (1, 3):
        same(counts.of_classes(groups, n_threads), expected)


def test_the_documents_of_many_classes_are_added_as_numpy_adds_them() -> None:
    rng = np.random.default_rng(2)
    for n_classes in (*range(20), 127, 128, 129, 136, 137, 1000, 100_000):
        X, weights = np.ones((n_classes + 1, 1)), rng.random(n_classes + 1)
        counts = core_of(ts.count(X, np.arange(n_classes + 1), weights))
        part = counts.of_classes([[c] for c in range(n_classes)])
        assert part.n_docs == part.class_docs.sum()


def test_groups_of_many_classes() -> None:
    n_classes = 100_000
    X = np.random.default_rng(4).integers(0, 3, (n_classes, 4))
    counts = core_of(ts.count(X, np.arange(n_classes)))
    groups = [list(range(first, n_classes, 7)) for first in range(7)]
    same(counts.of_classes(groups), core_of(ts.count(X, np.arange(n_classes) % 7)))
    with raises(ValueError, "counts_with_a_row_of_the"):
        counts.with_collection().of_classes(groups)
    with pytest.raises(IndexError):
        counts.of_classes([[n_classes]])


# ---- totals and equality -------------------------------------------------------------------------


@given(counts_of_rows())
def test_totals_of_the_collection(counts: _core.Counts) -> None:
    for n_threads in (1, 3):
        for frequency in ("term_frequency", "document_frequency"):
            total = getattr(counts, f"collection_{frequency}")(n_threads)
            expected = totals(counts, frequency)
            np.testing.assert_array_equal(total, expected)
            assert total.dtype == expected.dtype


def test_totals_of_many_pairs() -> None:
    counts = large_counts(40, 50_000)
    total = counts.collection_term_frequency(3)
    np.testing.assert_array_equal(total, totals(counts, "term_frequency"))


def test_a_total_that_overflows_is_an_error() -> None:
    X = np.array([[1, 2**62], [1, 2**62]])
    counts = ts.count(X, ["a", "b"])
    with raises(ts.CountOverflowError, "term_1_occurs_more_than_2"):
        counts.collection_term_frequency  # noqa: B018
    assert counts.collection_document_frequency.tolist() == [2, 2]


@given(counts_of_rows(), st.data())
def test_equal_counts(counts: _core.Counts, data: st.DataObject) -> None:
    assert counts.equals(_core.Counts.from_arrays(**counts.to_arrays()), 3)
    held: Any = counts.to_arrays()
    key = data.draw(st.sampled_from(sorted(held)))
    if key == "n_terms":
        held[key] += 1
    elif isinstance(held[key], np.ndarray) and len(held[key]):
        place = data.draw(st.integers(0, len(held[key]) - 1))
        held[key][place] += 1
    try:
        other = _core.Counts.from_arrays(**held)
    except ValueError:
        return
    assert counts.equals(other) == equals(counts, other)
    assert counts.with_collection().equals(other) == equals(counts.with_collection(), other)


# ---- names ---------------------------------------------------------------------------------------

NAMES = st.text("ab\0é\xff\u0100\ud800\uffff\U00010000\U0010ffff", max_size=3)


@given(st.lists(NAMES), st.lists(NAMES), st.booleans(), st.booleans())
@example([], [], True, True)
@example(["a", "b", "b", "a", "a"], ["a"], False, True)
@example(["b", "a"], ["c", "a", "c", "a"], False, True)
def test_union_of_names(mine: list[str], theirs: list[str], in_order: bool, unique: bool) -> None:
    if unique:
        mine, theirs = list(dict.fromkeys(mine)), list(dict.fromkeys(theirs))
    if in_order:
        mine, theirs = sorted(mine), sorted(theirs)
    column_of = union(mine, theirs)
    if isinstance(column_of, str):
        with raises(ValueError, "a_name_of_several_terms", at=column_of):
            _core.unite_names(mine, theirs)
        return
    in_mine, in_theirs, order = _core.unite_names(mine, theirs)
    both = [*mine, *theirs]
    assert [both[place] for place in order] == list(column_of)
    assert in_mine.tolist() == [column_of[name] for name in mine]
    assert in_theirs.tolist() == [column_of[name] for name in theirs]


@pytest.mark.parametrize("in_order", [False, True])
def test_union_of_many_names(in_order: bool) -> None:
    numbers = np.random.default_rng(6).permutation(150_000).tolist()
    names = [f"t{n:06}{'é' * (n % 2)}" for n in numbers]
    mine, theirs = names[:100_000], names[50_000:]
    if in_order:
        mine, theirs = sorted(mine), sorted(theirs)
    column_of = union(mine, theirs)
    assert not isinstance(column_of, str)
    for n_threads in (1, 3):
        in_mine, in_theirs, _ = _core.unite_names(mine, theirs, n_threads)
        assert in_mine.tolist() == [column_of[name] for name in mine]
        assert in_theirs.tolist() == [column_of[name] for name in theirs]


# ---- interruption --------------------------------------------------------------------------------


def large_counts(n_classes: int, n_pairs: int, exact: bool = True) -> _core.Counts:
    """Return counts of ``n_pairs`` pairs in each class."""
    rng = np.random.default_rng(n_pairs)
    dtype = np.int64 if exact else np.float64
    steps = rng.integers(1, 4, (n_classes, n_pairs))
    terms = (np.cumsum(steps, axis=1) - 1).astype(np.int32)
    ones = np.ones(n_classes * n_pairs, dtype=dtype)
    return _core.Counts.from_arrays(
        3 * n_pairs,
        n_classes if exact else float(n_classes),
        False,
        np.ones(n_classes, dtype=dtype),
        np.arange(0, n_classes * n_pairs + 1, n_pairs),
        terms.ravel(),
        ones,
        ones,
    )


@needs_timers
@pytest.mark.parametrize(
    "verb", ["in_columns", "of_classes", "totals", "as_one_class", "equals", "unite_names"]
)
def test_the_algebra_can_be_interrupted(verb: str) -> None:
    counts, other = large_counts(8, 200_000), large_counts(8, 200_000)
    n_terms = counts.n_terms
    backwards = np.arange(n_terms)[::-1].copy()
    names = [f"t{n}" for n in range(200_000)]
    calls: dict[str, Callable[[], Any]] = {
        "in_columns": lambda: counts.in_columns(backwards, n_terms, 1),
        "of_classes": lambda: counts.of_classes([[0, 1, 2], [3, 4, 5, 6]], 2),
        "totals": lambda: counts.collection_term_frequency(1),
        "as_one_class": counts.as_one_class,
        "equals": lambda: counts.equals(other, 2),
        "unite_names": lambda: _core.unite_names(names, names[::-1], 2),
    }

    def forever() -> None:
        while True:  # until the signal interrupts a call
            calls[verb]()

    with pytest.raises(KeyboardInterrupt), interrupting(0.1):
        forever()
    assert counts.equals(other)
