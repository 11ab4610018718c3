"""``termsift keyness --versus-list``: lists of other tools, their columns, and the rules."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import termsift as ts
from termsift.io import Collection


@pytest.fixture
def novel(tmp_path: Path) -> Path:
    path = tmp_path / "novel.csv"
    path.write_text("text,label\nThe ship and the sea,sea\nthe plough,land\n")
    return path


@pytest.fixture
def found(run: Any, novel: Path) -> Any:
    """Compare the novel with a list, and return the counts of the terms in the list."""

    def versus(text: str | bytes, *options: Any) -> dict[str, str]:
        path = novel.with_name("list.tsv")
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        result = run("keyness", novel, "--versus-list", path, *options, "--format", "csv")
        assert result.code == 0, result.err
        rows = csv.DictReader(StringIO(result.out))
        return {row["term"]: row["n_reference"] for row in rows if row["n_reference"] != "0"}

    return versus


@pytest.fixture
def refused(run: Any, novel: Path) -> Any:
    def versus(text: str, *options: Any) -> str:
        path = novel.with_name("list.tsv")
        path.write_text(text)
        complaint: str = run("keyness", novel, "--versus-list", path, *options).complaint
        return complaint.removeprefix(f"{path}, ").removeprefix(f"{path}: ")

    return versus


def test_lists_of_other_tools(found: Any) -> None:
    for text in (
        "Type\tRank\tFreq\nthe\t1\t100\nof\t2\t50\n",
        "#Word Types: 2\n1\t100\tthe\t\n2\t50\tof\t\n",
        "word,rank,count\nthe,1,100\nof,2,50\n",
        ",freq,word\n0,100,the\n1,50,of\n",
        "    100 the\n     50 of\n",
        "the\t1999\t60\t3\nthe\t2000\t40\t3\nof\t2000\t50\t9\n",
    ):
        assert found(text) == {"the": "100", "of": "50"}


def test_columns_are_named_by_options(found: Any, refused: Any) -> None:
    text = "NN,the,9,100\nNN,of,9,50\n"
    complaint = refused(text)
    assert complaint == (
        "line 1: it is not clear which of 4 columns hold terms and counts: NN the 9 100; name "
        "the columns of the terms and the counts by --list-term and --list-count"
    )
    assert found(text, "--list-term", 2, "--list-count", 4) == {"the": "100", "of": "50"}
    text = "word,1990\nthe,100\nof,50\n"
    assert "by --list-term and --list-count" in refused(text)
    assert found(text, "--list-count", "1990") == {"the": "100", "of": "50"}
    assert found(text, "--list-term", 1, "--list-count", 2)["word"] == "1990"
    assert "name the column of the counts by --list-count" in refused(
        "word,freq,frequency\nthe,1,2\n"
    )
    assert "did you mean 'word'" in refused("word,freq\nthe,1\n", "--list-term", "wort")
    assert "--list-count" in refused("the,9\nof,x\n")


def test_the_rules_of_the_texts_are_applied_to_the_list(found: Any, run: Any, novel: Path) -> None:
    text = "The\t60\nthe\t40\nCafé\t3\na\t7\nwell-known\t2\n"
    assert found(text) == {"the": "100", "café": "3", "well": "2", "known": "2"}
    kept = found(text, "--no-lowercase", "--strip-accents", "unicode")
    assert kept == {"The": "60", "the": "40", "Cafe": "3", "well": "2", "known": "2"}
    saved = novel.with_name("novel.termsift")
    ts.count(ts.scan(novel, lowercase=False)).save(saved)
    path = novel.with_name("list.tsv")
    shown = run("keyness", saved, "--versus-list", path, "--format", "json")
    listed = {term["term"]: term["n_reference"] for term in json.loads(shown.out)["terms"]}
    assert (listed["The"], listed["the"]) == (60, 40)
    assert json.loads(shown.out)["tokens"] == [7, 107]


@pytest.mark.filterwarnings("default")
def test_what_cannot_match_is_said(run: Any, novel: Path) -> None:
    path = novel.with_name("list.tsv")
    path.write_text("the\t100\nnew york\t9\n")
    result = run("keyness", novel, "--versus-list", path)
    assert result.code == 0
    assert "1 of 2 terms of the table cannot match" in result.err
    assert "--ngram-range" in result.err
    path.write_text("a\t100\n!\t9\n")
    complaint = run("keyness", novel, "--versus-list", path).complaint
    assert complaint == f"{path}: the rules for texts leave out every term of the list"


@pytest.mark.filterwarnings("default")
def test_a_list_without_words_of_the_texts_is_reported(run: Any, novel: Path) -> None:
    path = novel.with_name("list.tsv")
    path.write_text("the_AT0\t100\nship_NN1\t9\n")
    told = run("keyness", novel, "--versus-list", path).err
    assert told.startswith(f"termsift: warning: {path}: has none of the 7 tokens of the texts, ")
    path.write_text("ship\t9\nx_NN1\t100\n")
    assert run("keyness", novel, "--versus-list", path).err == ""
    novel.write_text(f"text,label\nship {'sea ' * 1234},sea\nthe plough,land\n")
    told = run("keyness", novel, "--versus-list", path).err
    assert "has 1 of the 1,237 tokens of the texts, " in told
    assert run("keyness", novel, "land", "--versus-list", path).err.count("none of the 2 ") == 1


def test_verbose_tells_the_columns_of_the_list(run: Any, novel: Path) -> None:
    path = novel.with_name("list.tsv")
    told = "the terms in column 3 ('Word'), the counts in column 2 ('Freq.')"
    path.write_text("N\tFreq.\tWord\tTexts\n1\t100\tthe\t8\n")
    result = run("keyness", novel, "-v", "--versus-list", path)
    assert f"read {path} with {told}, the numbers of documents in column 4 ('Texts')" in result.err
    path.write_text("100\tthe\n50\tsea\n")
    result = run("keyness", novel, "-v", "--versus-list", path)
    assert f"read {path} with the terms in column 2, the counts in column 1\n" in result.err
    path.write_text(",x\n0,the\n1,of\n")
    result = run("keyness", novel, "land", "sea", "-v", "--stop-words", path)
    assert f"read {path} with the terms in column 2 ('x')\n" in result.err


def test_counts_that_know_only_the_name_of_a_function(run: Any, novel: Path) -> None:
    pytest.importorskip("sklearn")
    saved, path = novel.with_name("c.termsift"), novel.with_name("list.tsv")
    texts = ["The ship", "the sea"]
    ts.count_texts(texts, ["a", "b"], tokenizer=str.split, token_pattern=None).save(saved)
    path.write_text("The\t5\nthe\t2\n")
    result = run("keyness", saved, "--versus-list", path, "--format", "json")
    assert json.loads(result.out)["tokens"] == [4, 7]
    assert "its terms are not cut" in result.err


def test_classes_of_the_list(found: Any, refused: Any) -> None:
    text = "genre,word,freq\nnews,the,60\nfiction,the,40\nletters,the,5\n"
    assert found(text) == {"the": "105"}
    options = ("sea", "news,fiction", "--list-label", "genre")
    assert found(text, *options) == {"the": "100"}
    assert found(text.replace("genre", "class"), "sea", "news,fiction") == {"the": "100"}
    years = "the\t1999\t60\t3\nthe\t2000\t40\t3\n"
    assert found(years, "sea", "2000") == {"the": "40"}
    assert refused(text, "sea", "news") == (
        "the list is the reference, so leave out news, or name the column of its classes by "
        "--list-label"
    )
    assert "no class 'new', expected one of 'fiction', 'letters', 'news'; did you mean" in refused(
        text, "sea", "new", "--list-label", "genre"
    )


def test_a_list_has_another_name_than_the_classes(novel: Path, refused: Any) -> None:
    novel.write_text("text,label\nThe ship,list.tsv\nthe plough,land\n")
    assert refused("the\t9\n") == "is also the name of a class; rename the list"


def test_documents_of_the_list(run: Any, novel: Path, refused: Any) -> None:
    path = novel.with_name("list.tsv")
    path.write_text("Type\tFreq\tRange\nthe\t100\t8\nship\t2\t1\n")
    options = ("--list-n-docs", 10, "--sort", "g2_docs", "--format", "json")
    result = run("keyness", novel, "--versus-list", path, *options)
    rows = {row["term"]: row for row in json.loads(result.out)["terms"]}
    assert (rows["the"]["df_reference"], rows["ship"]["df_reference"]) == (8, 1)
    texts = ts.count(ts.scan(novel))
    listed = ts.counts_from_table(
        {"term": ["the", "ship"], "count": [100, 2], "docs": [8, 1], "label": ["l", "l"]},
        class_docs={"l": 10},
    )
    expected = ts.merge([texts, listed]).keyness(["land", "sea"], "l", sort="g2_docs")
    assert [row["term"] for row in json.loads(result.out)["terms"]] == list(expected.terms)
    text = path.read_text()
    assert "--list-documents needs --list-n-docs" in refused(text, "--list-documents", "Range")
    assert "--list-n-docs needs a column" in refused("the\t9\n", "--list-n-docs", 3)
    assert "leave out --sort rank_sum" in refused(text, "--list-n-docs", 9, "--sort", "rank_sum")
    assert "for which 8 are listed" in refused(text, "--list-n-docs", 7)
    given = refused("the,9,20\n", *("--list-term", 1, "--list-count", 2), "--list-documents", 3,
                    "--list-n-docs", 30)  # fmt: skip
    assert "expected from 1 to 9" in given


def test_options_of_a_list_need_a_list(run: Any, novel: Path) -> None:
    for option in ("term", "count", "documents", "label", "tokens", "n-docs"):
        complaint = run("keyness", novel, "sea", f"--list-{option}", 1).complaint
        assert complaint == f"there is no --versus-list, so leave out --list-{option} 1"[:-2]


def test_the_encoding_reaches_the_list(
    run: Any, novel: Path, found: Any, docstrings: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ts.io, "load_demo", lambda: docstrings)
    latin = "word\tfreq\ncaf\xe9\t9\n".encode("latin-1")
    assert found(latin, "--encoding", "latin-1") == {"café": "9"}
    assert found("word\tfreq\ncafé\t9\n".encode("utf-16")) == {"café": "9"}
    saved, path = novel.with_name("novel.termsift"), novel.with_name("list.tsv")
    ts.count(ts.scan(novel)).save(saved)
    path.write_bytes(latin)
    for source in (saved, "demo"):
        command = ("keyness", source, "--versus-list", path, "--format", "csv")
        assert "café," in run(*command, "--encoding", "latin-1").out
        assert "byte 13 is not UTF-8; pass --encoding" in run(*command).complaint
    complaint = run("keyness", saved, "sea", "--encoding", "latin-1").complaint
    assert complaint == f"{saved}: holds counts, so leave out --encoding"


def test_texts_without_labels_are_compared_with_a_list(run: Any, tmp_path: Path) -> None:
    for number, text in enumerate(["the ship", "the sea", "ship"]):
        path = tmp_path / "novels" / f"{number}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    folder, words = tmp_path / "novels", tmp_path / "list.tsv"
    words.write_text("the\t100\nof\t50\n")
    assert "--no-labels if each file is a document" in run("keyness", folder).complaint
    result = run("keyness", folder, "--no-labels", "--versus-list", words)
    assert result.out.startswith("more in INPUT:\nterm  in INPUT ")
    of_json = run("keyness", folder, "--no-labels", "--versus-list", words, "--format", "json")
    answer = json.loads(of_json.out)
    assert (answer["target"], answer["tokens"]) == ([""], [5, 150])
    assert {row["term"]: row["n_target"] for row in answer["terms"]} == {
        "ship": 2,
        "sea": 1,
        "the": 2,
        "of": 0,
    }


def test_no_labels_of_other_commands(run: Any, novel: Path, tmp_path: Path) -> None:
    (tmp_path / "c.svm").write_text("1 1:2\n2 2:1\n")
    for path, n_docs in ((novel, 2), (tmp_path / "c.svm", 2)):
        assert f"{n_docs} documents" in (told := run("info", path, "--no-labels").out)
        assert "1 class," in told
    counts = tmp_path / "c.termsift"
    run("count", novel, "--no-labels", "-o", counts)
    assert ts.load(counts).classes == [""]
    assert "holds counts, so leave out --no-labels" in run("info", counts, "--no-labels").complaint
    options = "--no-labels", "--label", "label"
    assert "no labels, so leave out --label" in run("info", novel, *options).complaint
    assert "leave out --no-labels" in run("keyness", "demo", "--no-labels").complaint
