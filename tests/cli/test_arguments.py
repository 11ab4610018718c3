"""Arguments that are empty, that begin with a dash, or that are misspelt."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import pytest

import termsift as ts
from private import put
from wording import raises


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["rank", ""], "INPUT"),
        (["count", "{table}", "", "-o", "c.termsift"], "INPUT"),
        (["merge", "", "-o", "c.termsift"], "COUNTS"),
        (["rank", "{table}", "--labels", ""], "--labels"),
        (["rank", "{table}", "--term-names", ""], "--term-names"),
        (["rank", "{table}", "--stop-words", ""], "--stop-words"),
        (["rank", "{table}", "-o", ""], "--output"),
        (["report", "{table}", "-o", ""], "--output"),
        (["count", "{table}", "-o", ""], "--output"),
        (["classify", "{table}", "--counts", ""], "--counts"),
        (["keyness", "{table}", "--versus-list", ""], "--versus-list"),
        (["compare", "{table}", "--test", ""], "--test"),
        (["compare", "{table}", "--test", "{table}", "--test-labels", ""], "--test-labels"),
        (["compare", "{table}", "--plot", ""], "--plot"),
        (["count", "{table}", "-o", "c.termsift", "--checkpoint", ""], "--checkpoint"),
    ],
)
def test_an_empty_path_is_refused(
    run: Any, table: Path, arguments: list[str], option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty path would be the folder in which the command runs."""
    monkeypatch.chdir(table.parent)
    result = run(*(argument.format(table=table) for argument in arguments))
    assert result.complaint == f"{option} is empty, expected the name of a file"


def test_an_empty_path_is_refused_in_python(tmp_path: Path) -> None:
    counts = ts.count([[1, 0], [0, 1]], ["a", "b"])
    for call in (ts.scan, ts.load, counts.save, lambda path: ts.scan(tmp_path, term_names=path)):
        with raises(ValueError, "must_be_the_path_of"):
            call("")


@pytest.fixture
def signed(tmp_path: Path) -> Path:
    path = tmp_path / "signed.csv"
    path.write_text("text,label\naa bb,-1\ncc aa,0\ndd bb,1\n")
    return path


def test_a_class_may_be_a_negative_number(run: Any, signed: Path) -> None:
    assert run("keyness", signed, "-1,0", "1").out.startswith("more in -1, 0:\n")
    assert run("keyness", signed, "-1").out.startswith("more in -1:\n")
    assert run("keyness", signed, "1", "-k", "3", "-1,0").out.startswith("more in 1:\n")
    assert run("rank", signed, "--classes", "-1,0").code == 0
    assert run("context", signed, "aa", "--class", "-1").out == "-1:\n1    aa  bb\n"


def test_a_word_that_begins_with_a_dash_needs_a_cure(run: Any, signed: Path) -> None:
    assert run("keyness", signed, "-a").err == (
        "termsift keyness: error: unrecognized arguments: -a; if a class or a term begins with a "
        "dash, write it last, after --\n"
    )
    assert run("rank", signed, "--classes", "-a").err == (
        "termsift rank: error: argument --classes: expected one argument; a value that begins with "
        "a dash needs =, as in --classes=-x\n"
    )
    assert "there is no class '-a'" in run("keyness", signed, "--", "-a").err
    assert "there is no class '-a'" in run("rank", signed, "--classes=-a").err


def test_a_misspelt_option_is_recognised(run: Any, signed: Path) -> None:
    assert run("rank", signed, "--lable", "text").err == (
        "termsift rank: error: unrecognized arguments: --lable text; did you mean '--label'?\n"
    )


@pytest.mark.parametrize("option", ["--stop-words", "--term-names", "--versus-list", "--labels"])
def test_a_small_file_that_decompresses_to_a_large_one(
    run: Any, table: Path, tmp_path: Path, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = tmp_path / "bomb.gz"
    bomb.write_bytes(gzip.compress(b"0\n" * 100_000))
    put(monkeypatch, most_unpacked=1 << 16)
    source = tmp_path / "m.mtx" if option in ("--term-names", "--labels") else table
    (tmp_path / "m.mtx").write_text(
        "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1"
    )
    labels = ["--labels", tmp_path / "labels"] if option == "--term-names" else []
    (tmp_path / "labels").write_text("a\n")
    command = ["keyness", source, "sport"] if option == "--versus-list" else ["rank", source]
    result = run(*command, *labels, option, bomb)
    assert (
        result.complaint == f"{bomb}: is longer than 1 GiB when decompressed; decompress it first"
    )


def test_a_file_of_the_largest_size_is_decompressed(
    run: Any, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = tmp_path / "words.gz"
    words.write_bytes(gzip.compress(b"the\nof\n"))
    put(monkeypatch, most_unpacked=7)
    assert run("rank", table, "--stop-words", words).code == 0


@pytest.mark.skipif(os.name == "nt", reason="names of files are text on Windows")
@pytest.mark.parametrize("ending", ["csv", "json", "txt", "html"])
def test_the_name_of_a_class_may_be_no_utf8(run: Any, tmp_path: Path, ending: str) -> None:
    folder = tmp_path / "classes"
    for label, text in (("a\udcff", "aa bb"), ("b", "cc dd")):
        try:
            (folder / label).mkdir(parents=True)
        except (OSError, UnicodeError):
            pytest.skip("the names of files are UTF-8")
        (folder / label / "1.txt").write_text(text)
    out = tmp_path / f"o.{ending}"
    commands = [
        ["rank", folder, "--per-class"],
        ["keyness", folder, "b"],
        ["context", folder, "aa"],
    ]
    for command in [["report", folder]] if ending == "html" else commands:
        assert run(*command, "-o", out).code == 0
        shown = out.read_text(encoding="utf-8")
        assert (r"a\udcff" if ending != "html" else "a\N{REPLACEMENT CHARACTER}") in shown or (
            command[0] == "keyness" and "aa" in shown
        )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rank", "{table}", "-k", "1e3"], "argument -k/--k: expected a whole number, got '1e3'"),
        (["rank", "{table}", "--min-df", "few"], "argument --min-df: expected a number, got 'few'"),
        (
            ["rank", "{table}", "--ngram-range", "a,b"],
            "argument --ngram-range: expected two whole numbers such as 1,2, got 'a,b'",
        ),
        (
            ["rank", "{table}", "--ngram-range", "2"],
            "argument --ngram-range: expected two whole numbers such as 1,2, got '2'",
        ),
    ],
)
def test_values_of_another_kind(run: Any, table: Path, arguments: list[str], message: str) -> None:
    result = run(*(argument.format(table=table) for argument in arguments))
    assert (result.code, result.err) == (2, f"termsift rank: error: {message}\n")


def test_an_error_names_the_argument_of_the_caller(run: Any, table: Path, tmp_path: Path) -> None:
    large = ["--min-df", "2", "--max-memory", "9999999TB", "-o", tmp_path / "c.termsift"]
    assert run("count", table, *large).complaint.startswith("--max-memory must be in [")


def test_an_option_of_other_commands_is_named_with_them(run: Any, tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_text("oil")
    complaint = run("rank", tmp_path).complaint
    assert "--no-labels (of keyness, count, info and classify) if each file is a doc" in complaint


def test_an_error_names_the_file_once(run: Any, tmp_path: Path) -> None:
    empty, single, blank = (tmp_path / f"{name}.csv" for name in ("empty", "single", "blank"))
    empty.write_text("")
    single.write_text("text,label\naa,a\nbb,a\n")
    blank.write_text("text,label\n!,a\n?,b\n")
    wanted = "expected a header with the columns 'text' and 'label', found none"
    assert run("context", empty, "aa").complaint == f"{empty}: {wanted}"
    few = "scores need at least two classes with documents, got 1"
    for command in (["rank"], ["report", "-o", tmp_path / "r.html"]):
        assert run(command[0], single, *command[1:]).complaint == f"{single}: {few}"
    wanted = "no document has a word of two or more letters"
    assert run("compare", blank).complaint == f"{blank}: {wanted}"
    assert "no class has two documents" in run("compare", blank, "--analyzer", "char").complaint


def test_the_order_of_arguments(run: Any, table: Path, saved: Path, tmp_path: Path) -> None:
    assert run(table, "rank").err == (
        f"termsift: error: the command comes first: termsift rank {table}\n"
    )
    assert run("--verbose", "rank", table).err == (
        "termsift rank: error: unrecognized arguments: --verbose; options follow the name of the "
        "command\n"
    )
    assert run("-v").err == "termsift: error: unrecognized arguments: -v\n"
    assert (
        run("rank", table, "-k").err
        == "termsift rank: error: argument -k/--k: expected one argument\n"
    )
    both = run("count", table, saved, "-o", tmp_path / "c.termsift")
    assert both.complaint == f"{saved}: holds counts, not documents; merge joins files of counts"


def test_files_of_a_pattern_without_quotes(run: Any, tmp_path: Path) -> None:
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path in paths:
        path.write_text("text,label\na,b\n")
    cure = "several files are one INPUT as a pattern in quotes, such as 'data/*.csv'"
    assert run("rank", *paths).err.endswith(f"unrecognized arguments: {paths[1]}; {cure}\n")


def test_a_cure_that_names_an_option_ends_with_it(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("made by X\ntext,label\na,b\n")
    assert run("info", path).err.endswith("line 2 names the columns: pass --skip-lines 1\n")
    path.with_suffix(".txt").write_text("__label__ham bacon\n")
    assert run("info", path.with_suffix(".txt")).err.endswith("/' does\n")
