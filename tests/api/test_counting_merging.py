"""Merging of shards: classes are matched by label, and terms by name or by index."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import termsift as ts
from termsift.report import write_report
from wording import raises


def counted(X: Any, y: Any, names: Any = None, **options: Any) -> ts.ClassCounts:
    counts = ts.count(np.array(X), y, **options)
    counts.term_names = names
    return counts


DOCUMENTS = st.lists(
    st.tuples(st.sampled_from("xyz"), st.lists(st.sampled_from(["ant", "bee", "cow", "dog"]))),
    min_size=1,
)


def of_texts(folder: Path, documents: Any) -> ts.ClassCounts:
    path = folder / "c.txt"
    path.write_text("".join(f"{label}\t{' '.join(words)} end\n" for label, words in documents))
    return ts.count(ts.scan(path))


@pytest.mark.filterwarnings("ignore:the label of the first document")
@given(st.lists(DOCUMENTS, min_size=1, max_size=4))
def test_shards_of_texts_are_the_whole(tmp_path_factory: Any, shards: Any) -> None:
    folder = tmp_path_factory.mktemp("shards")
    parts = [of_texts(folder, shard) for shard in shards]
    assert ts.merge(parts) == of_texts(folder, [row for shard in shards for row in shard])


def test_one_part_is_itself() -> None:
    counts = counted([[1, 2]], ["a"])
    assert ts.merge([counts]) == counts
    with raises(ValueError, "at_least_one_part", argument="parts"):
        ts.merge([])
    with raises(TypeError, "part_is_no_counts", argument="parts", at="part 0"):
        ts.merge([3])  # type: ignore[list-item]


@pytest.mark.parametrize(("names", "n_terms"), [(None, 3), (["egg", "tea"], 2)])
def test_different_widths_or_names_of_one_part_are_refused(names: Any, n_terms: int) -> None:
    a, b = counted([[1, 2]], ["a"], names), counted([[3, 4, 5][:n_terms]], ["b"])
    with raises(
        ValueError, "terms_not_all_with_names", argument="term_names", at=f"{n_terms} terms"
    ):
        ts.merge([a, b])
    assert (a + b).n_terms == n_terms


def test_names_in_another_order() -> None:
    a, b = counted([[1, 2]], ["a"], ["s", "r"]), counted([[3, 4]], ["a"], ["q", "r"])
    merged = ts.merge([a, b])
    assert list(merged.term_names) == ["s", "r", "q"]
    assert merged.term_frequency.toarray().tolist() == [[1, 6, 3]]


def test_the_longer_names_stay() -> None:
    a, b = counted([[1]], ["a"], ["s"]), counted([[3, 4]], ["a"], ["s", "r"])
    assert list((a + b).term_names) == list((b + a).term_names) == ["s", "r"]


def test_names_that_stand_for_two_terms() -> None:
    a, b = counted([[1, 2]], ["a"], ["s", "s"]), counted([[3, 4]], ["a"], ["r", "q"])
    with raises(ValueError, "name_of_two_terms", at="part 1"):
        ts.merge([a, b])


def test_an_overflow_stays_one() -> None:
    large = counted([[2**62]], ["a"])
    with raises(ts.CountOverflowError, "parts_overflow", at="part 1"):
        ts.merge([large, large])


# ---- terms of few documents ------------------------------------------------------------------


@pytest.mark.parametrize("min_df", [1, 2, 3, 10])
@pytest.mark.parametrize("dtype", [int, float])
def test_without_the_terms_of_few_documents(min_df: int, dtype: type) -> None:
    rng = np.random.default_rng(11)
    X = (rng.poisson(0.15, (30, 40)) * (1 if dtype is int else 0.1)).astype(dtype)
    kept = (X > 0).sum(axis=0) >= min_df
    names = np.array([f"t{i}" for i in range(40)])
    for y in (rng.integers(0, 3, 30), rng.integers(0, 2, (30, 3))):
        expected = counted(X[:, kept], y, names[kept])
        assert counted(X, y, names).with_min_df(min_df) == expected


def test_hashed_counts_without_rare_terms_have_no_rules() -> None:
    """The hash of a term is no longer its column, so the rules must count no further texts."""
    counts = ts.count_texts(["egg jam", "egg"], ["ham", "spam"], hashing=64)
    assert counts.rules is not None
    assert counts.with_min_df(2).rules is None


def test_min_df_leaves_the_counts_as_they_are() -> None:
    counts = counted([[1, 0], [1, 2]], ["a", "b"])
    assert counts.with_min_df(2).n_terms == 1
    assert counts.n_terms == 2
    assert counts.with_min_df(3).n_terms == 0
    with raises(ValueError, "min_df_at_least_1", argument="min_df"):
        counts.with_min_df(0)
    with raises(TypeError, "min_df_is_an_integer", argument="min_df"):
        counts.with_min_df(0.5)  # type: ignore[arg-type]


# ---- the command -----------------------------------------------------------------------------


def test_merge_command_names_the_file(run: Any, tmp_path: Path) -> None:
    paths = [tmp_path / "0.termsift", tmp_path / "1.termsift"]
    counted([[1, 2]], ["a"], ["ant", "cow"]).save(paths[0])
    counted([[5, 6, 7]], ["a"]).save(paths[1])
    result = run("merge", *paths, "-o", tmp_path / "all.termsift")
    assert result.complaint.startswith(f"{paths[1]} and the parts before it: 2 and")
    assert not (tmp_path / "all.termsift").exists()


def test_numbers_are_words_where_another_shard_has_words(tmp_path: Any) -> None:
    # If all labels of a shard are whole numbers, they become integers. So the label 1 was once the
    # integer 1 in one shard and the string "1" in another shard, which made two classes.
    (tmp_path / "mon.csv").write_text("label,text\n1,goal team\n2,oil\n")
    (tmp_path / "tue.csv").write_text("label,text\n1,goal ball\nunknown,opera\n")
    days = [tmp_path / "mon.csv", tmp_path / "tue.csv"]
    for order in (days, days[::-1]):
        parts = [ts.count(ts.scan(day)) for day in order]
        assert ts.merge(parts) == ts.count(ts.scan(order))


TEXTS, LABELS = ["Bacon free, free", "the end"], ["a", "b"]
# Rules that cut texts into other terms, or count other things.
CUTS: list[dict[str, Any]] = [
    {"lowercase": False},
    {"binary": True},
    {"ngram_range": (1, 2)},
    {"stop_words": ["the"]},
    {"stop_words": "english"},
    {"analyzer": "char"},
    {"analyzer": str.split},
    {"strip_accents": "ascii"},
    {"token_pattern": r"\w+"},
    {"tokenizer": str.split},
    {"preprocessor": str.upper},
    {"hashing": 13},
]


def named(rules: dict[str, Any]) -> str:
    return "usual" if not rules else "-".join(map(str, rules))


@pytest.mark.parametrize("rules", CUTS, ids=named)
@pytest.mark.parametrize("saved", [False, True])
def test_counts_of_other_rules_are_refused(
    rules: dict[str, Any], saved: bool, run: Any, tmp_path: Path
) -> None:
    usual, other = ts.count_texts(TEXTS, LABELS), ts.count_texts(TEXTS, LABELS, **rules)
    (name,) = rules
    paths = [str(tmp_path / file) for file in ("usual.termsift", "same.termsift", "other.termsift")]
    for counts, path in zip((usual, usual, other), paths, strict=True):
        counts.save(path)
    if saved:
        usual, other = ts.load(paths[0]), ts.load(paths[2])
    before = usual.to_bytes(), other.to_bytes()
    for together, key, argument in (
        (lambda: ts.merge([usual, usual, other]), "other_rules_in_part_2", "parts"),
        (lambda: ts.merge([other, usual]), "other_rules_in_part_1", "parts"),
        (lambda: usual + other, "other_rules_in_the_other", name),
        (lambda: usual + usual - other, "other_rules_in_the_other", name),
    ):
        with raises(ValueError, key, argument=argument, at=f"rules: {name} is "):
            together()
    assert (usual.to_bytes(), other.to_bytes()) == before
    result = run("merge", *paths, "-o", str(tmp_path / "all.termsift"))
    assert result.code == 1
    assert f"{name} is " in result.err
    assert all(path in result.err for path in (paths[0], paths[2]))
    assert ts.merge([other, other]).n_docs == 4
    assert name in repr(other)
    assert f"\nrules: {name}=" in run("info", paths[2]).out


@pytest.mark.filterwarnings("ignore:no document has a term by these rules")
@pytest.mark.parametrize(
    "rules",
    [
        *({"min_df": 2}, {"max_df": 0.9}, {"max_features": 1}, {"vocabulary": ["bacon", "end"]}),
        *({"stop_words": []}, {"ngram_range": [1, 1]}, {"ngram_range": (np.int64(1), 1)}),
    ],
    ids=named,
)
def test_rules_that_drop_terms_may_differ(rules: dict[str, Any]) -> None:
    usual, other = ts.count_texts(TEXTS, LABELS), ts.count_texts(["end", "end"], LABELS, **rules)
    assert ts.merge([usual, other]).n_docs == 4
    assert ts.merge([usual, other]).rules == ts.text.TextRules()


def test_rules_without_effect_and_the_order_of_stop_words_are_no_difference() -> None:
    for a, b in (
        ({"stop_words": ["the", "end"]}, {"stop_words": {"end", "the"}}),
        ({"tokenizer": str.split}, {"tokenizer": str.split, "token_pattern": None}),
        ({"preprocessor": str.upper}, {"preprocessor": str.upper, "lowercase": False}),
    ):
        parts = [ts.count_texts(TEXTS, LABELS, **rules) for rules in (a, b)]
        assert ts.merge(parts).n_docs == 4


def test_functions_of_one_name_are_told_apart_by_their_code() -> None:
    def counts(cut: Callable[[str], list[str]]) -> ts.ClassCounts:
        return ts.count_texts(TEXTS, LABELS, analyzer=cut)

    words, letters = counts(lambda text: text.split()), counts(lambda text: list(text))
    with raises(ValueError, "analyzer_is_lambda_in_one", argument="analyzer"):
        words + letters
    # A loop, a cell of a notebook or a worker of a cluster makes the same function again.
    assert (words + counts(lambda text: text.split())).n_docs == 4
    assert ts.merge(counts(lambda text: list(text)) for _ in range(2)).n_docs == 4
    # Another version of Python has other code, so saved counts have only the name.
    for copy in (ts.load(letters.to_bytes()), pickle.loads(pickle.dumps(letters))):
        assert ts.merge([copy, words]).n_docs == 4


def test_the_rules_of_a_matrix_are_unknown_so_those_of_the_texts_stay() -> None:
    usual = ts.count_texts(TEXTS, LABELS, lowercase=False)
    other = counted(np.ones((1, usual.n_terms), dtype=int), ["a"], usual.term_names)
    for parts in ([usual, other], [other, usual]):
        assert ts.merge(parts).rules == usual.rules
        with raises(ValueError, "lowercase_is_true_in_part", argument="parts", at="part 2"):
            ts.merge([*parts, ts.count_texts(TEXTS, LABELS)])
    usual.update(np.ones((1, usual.n_terms), dtype=int), ["b"])
    assert repr(usual).endswith("exact, lowercase=False>")


def shown_of_every_way(folder: Path, rules: dict[str, Any]) -> Iterator[str]:
    table = folder / "mail.csv"
    table.write_text("text,label\nBacon free,a\nthe end,b\n")
    yield repr(ts.count_texts(TEXTS, LABELS, **rules))
    yield repr(ts.count(ts.scan(table, **rules)))
    yield repr(ts.load(ts.count_texts(TEXTS, LABELS, **rules).to_bytes()))
    yield repr(pickle.loads(pickle.dumps(ts.count_texts(TEXTS, LABELS, **rules))))
    yield repr(ts.count_texts(TEXTS, LABELS, **rules).subset(["a"]))
    yield repr(ts.count_texts(TEXTS, LABELS, max_features=4, **rules))
    if find_spec("dask"):
        yield repr(ts.dask.count_texts([(TEXTS, LABELS)], **rules))


def test_counts_show_the_rules_that_cut_their_texts(tmp_path: Path) -> None:
    rules = {"lowercase": False, "ngram_range": (1, 2)}
    for shown in shown_of_every_way(tmp_path, rules):
        assert shown.endswith(", exact, ngram_range=(1, 2), lowercase=False>")
    for shown in shown_of_every_way(tmp_path, {}):
        assert shown.endswith(", exact>")
    assert repr(ts.text.TextRules(**rules)) == "TextRules(ngram_range=(1, 2), lowercase=False)"
    assert repr(ts.text.TextRules(tokenizer=str.split)) == "TextRules(tokenizer=split)"
    counts = ts.count_texts(TEXTS, LABELS, **rules)
    write_report(counts, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "Counts: tf=raw, ngram_range=(1, 2), lowercase=False, " in page
