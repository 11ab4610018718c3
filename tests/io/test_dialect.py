"""Dialects of delimited tables: what is found in a file, what the caller says, and the cures."""

from __future__ import annotations

import gzip
import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts
from collection_files import complaint, read_files, write
from private import OF_DIALECTS, READING, Row, rows_alike
from wording import raises, warns


def rows(path: Path, **options: Any) -> list[tuple[str, list[str]]]:
    """Return the label and the words of each row that is read."""
    collection = read_files(path, token_pattern=r"[^ ]+", lowercase=False, **options)
    assert collection.term_names is not None
    X = collection.X
    words = [collection.term_names[X[[i]].indices].tolist() for i in range(X.shape[0])]
    return [(str(label), sorted(of_row)) for label, of_row in zip(collection.y, words, strict=True)]


# ---- the delimiter of a table without a header ---------------------------------------------------


@pytest.mark.parametrize("name", ["c.csv", "c.tsv", "c.txt", "c.csv.gz"])
@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_the_delimiter_is_the_one_that_splits_the_first_rows_alike(
    tmp_path: Path, name: str, mark: str
) -> None:
    others = [other for other in ",;|" if other != mark]
    texts = [f"goal{others[0]} a late one", f"oil{others[1]}gas{others[1]}coal", "plain"]
    lines = [f"{label}{mark}{text}" for label, text in zip("abc", texts, strict=True)]
    path = write(tmp_path / name, "\n".join(lines))
    assert rows(path, text=2, label=1) == [
        (label, sorted(text.split())) for label, text in zip("abc", texts, strict=True)
    ]


def test_a_semicolon_is_never_cut_at_the_comma(tmp_path: Path) -> None:
    """Both split both rows into two fields, but the comma is punctuation."""
    for mark in ";|":
        content = f"Sport{mark}Goal, a late one\nTrade{mark}Oil, and gas\n"
        path = write(tmp_path / "c.csv", content)
        assert [label for label, _ in rows(path, text=2, label=1)] == ["Sport", "Trade"]
        content = f"Goal, a late one{mark}Sport\nOil, and gas{mark}Trade\n"
        assert [label for label, _ in rows(write(path, content), text=1, label=2)] == [
            "Sport",
            "Trade",
        ]
    content = 'Sport;"Goal, late"\nTrade;"Oil, gas"\n'  # the comma would cut what is in quotes
    assert rows(write(path, content), text=2, label=1)[0] == ("Sport", ["Goal,", "late"])
    content = 'Sport;"Goal, late\nin, May"\nTrade;"Oil ""Gas""\nup, down"\n'  # on two lines
    assert [label for label, _ in rows(write(path, content), text=2, label=1)] == ["Sport", "Trade"]


def test_only_sound_rows_of_one_width_are_alike() -> None:
    of_file = [Row(1, ["a", "b"], None), Row(2, ["a", "b"], "a fault"), Row(3, ["a"], None)]
    assert rows_alike(of_file, 2) == 1


@pytest.mark.parametrize(
    "content",
    [
        "a;x,y\nb;z,w\n",
        "a,x;y\nb,z;w\n",
        "Doe, Jane;x\nRoe, Joe;y\n",  # the label holds the other mark
        "a, x;y\nb, z;w\n",
    ],
)
def test_two_delimiters_that_may_both_be_meant_are_refused(tmp_path: Path, content: str) -> None:
    path = write(tmp_path / "c.csv", content)
    with raises(ValueError, "two_delimiters", argument="delimiter", at="line 1"):
        read_files(path, text=2, label=1)
    for mark in ",;":
        expected = [tuple(line.split(mark)) for line in content.splitlines()]
        found = rows(path, text=2, label=1, delimiter=mark)
        assert found == [(label, sorted(text.split())) for label, text in expected]


def test_bad_rows_do_not_change_the_delimiter(tmp_path: Path) -> None:
    lines = [f"Sport;Goal, late {i}" + ";x" * (i % 7 == 3) for i in range(100)]
    path = write(tmp_path / "c.csv", "\n".join(lines))
    scan = ts.scan(path, text=2, label=1, on_error="skip")
    assert (ts.count(scan).n_docs, scan.n_skipped) == (86, 14)
    assert "line 4: expected 2 fields, found 3" in scan.skipped[0]


def test_columns_that_are_not_there_choose_no_delimiter(tmp_path: Path) -> None:
    path = write(tmp_path / "c.csv", "a;b;x y, z\nc;d;w, v\n")
    assert rows(path, text=3, label=1) == [("a", ["x", "y,", "z"]), ("c", ["v", "w,"])]


def test_the_first_rows_are_the_same_however_the_table_is_read(tmp_path: Path) -> None:
    long = "word " * 300_000
    path = write(tmp_path / "c.csv", f"a;{long}, x\n" + "b,y;z,w\n")  # beyond the first MiB
    assert ts.count(ts.scan(path, text=2, label=1)).n_docs == 2
    assert len(rows(path, text=2, label=1)) == 2


# ---- what the caller says ------------------------------------------------------------------------

PLAIN = [("x", ["aa", "bb"]), ("y", ["cc"])]


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("c.csv", "text:label\naa bb:x\ncc:y\n", {"delimiter": ":"}),
        ("c.csv", "text label\n'aa bb' x\ncc y\n", {"delimiter": " ", "quote": "'"}),
        ("c.csv", "text\x01label\naa bb\x01x\ncc\x01y\n", {"delimiter": "\x01"}),
        ("c.txt", "x:aa bb\ny:cc\n", {"delimiter": ":"}),
        ("c.csv", "text,label\n'aa bb',x\n'cc','y'\n", {"quote": "'"}),
        ("c.txt", "x\t'aa bb'\ny\tcc\n", {"quote": "'"}),
        ("c.csv", "text,label\naa\\ bb,x\n\\c\\c,y\n", {"escape": "\\"}),
        ("c.txt", "x\taa\\\nbb\ny\tcc\n", {"escape": "\\", "lowercase": True,
                                           "token_pattern": r"\w\w"}),
        ("c.csv", "made by\n\nlast week\ntext,label\naa bb,x\ncc,y\n", {"skip_lines": 3}),
        ("c.csv", "#\n# a \"comment\ntext,label\n#a,b,c\naa bb,x\n#\ncc,y\n", {"comment": "#"}),
        ("c.txt", "% a\nx\taa bb\n%\ny\tcc\n", {"comment": "%"}),
        ("c.csv", "text,label\naa bb,x\ncc,y\n", {"header": True, "text": 1, "label": 2}),
        ("c.csv", "text,label\naa bb,x\ncc,y\n", {"text": 1}),
        ("c.csv", "aa bb,x\ncc,y\n", {"header": False, "text": 1, "label": 2}),
        ("c.txt", "text\tlabel\naa bb\tx\ncc\ty\n", {"header": True}),
        ("c.txt", "label\ttext\nx\taa bb\ny\tcc\n", {"skip_lines": 1}),
        ("c.csv", "sep=:\ntext:label\naa bb:x\ncc:y\n", {}),
        ("c.csv", "\ufeff\"sep=;\"\r\naa bb;x\r\ncc;y\r\n", {"text": 1, "label": 2}),
        ("c.csv", "sep=;\ntext,label\naa bb,x\ncc,y\n", {"delimiter": ","}),
        ("c.tsv", "# x\nSEP=\t\ntext\tlabel\naa bb\tx\ncc\ty\n", {"comment": "#"}),
    ],
)  # fmt: skip
def test_what_the_caller_says_is_done(
    tmp_path: Path, name: str, content: str, options: dict[str, Any]
) -> None:
    options = {"token_pattern": r"[^ ]+", **options}
    path = write(tmp_path / name, content)
    counts = ts.count(ts.scan(path, **options))
    assert counts == ts.count_texts(["aa bb", "cc"], ["x", "y"], token_pattern=r"[^ ]+") or (
        options["token_pattern"] != r"[^ ]+" and counts.n_terms == 3
    )
    packed = path.with_name(name + ".gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert ts.count(ts.scan(packed, **options)) == counts
    path.write_bytes(path.read_bytes().decode().encode("utf-16"))
    assert ts.count(ts.scan(path, encoding="utf-16", **options)) == counts


def test_quotes_that_mean_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "c.csv", 'text,label\n5" disk,x\n"half,y\n')
    assert rows(path, quote="") == [("x", ['5"', "disk"]), ("y", ['"half'])]


@pytest.mark.parametrize("block", [1 << 21, 1 << 22])
def test_escapes_and_comments_far_from_the_beginning(tmp_path: Path, block: int) -> None:
    """The reader takes blocks, and finds the fields of regular rows 64 bytes at a time."""
    good = 'aa "bb" \\, cc,x\n"a \\"b\\", c",x\n'
    content = "text,label\n" + good * (block // len(good)) + "# it's \"one\n" + good
    path = write(tmp_path / "c.csv", content)
    counts = ts.count(ts.scan(path, escape="\\", comment="#", token_pattern=r"[^ ]+"))
    n = block // len(good) + 1
    assert counts.n_docs == 2 * n
    assert counts.term_names is not None
    assert dict(
        zip(counts.term_names, counts.term_frequency.toarray()[0].tolist(), strict=True)
    ) == {"aa": n, '"bb"': n, ",": n, "cc": n, "a": n, '"b",': n, "c": n}


def test_lines_keep_the_numbers_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path / "c.csv", "one\ntwo\n# three\ntext,label\n#\na\n")
    message = complaint(path, skip_lines=2, comment="#")
    assert message == "c.csv, line 6: expected 2 fields, found 1"


# ---- the options themselves ----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["delimiter", "quote", "escape", "comment"])
@pytest.mark.parametrize("value", [",,", "\n", "\r", "a", "7", "é", "\ufeff"])
def test_a_mark_is_one_character(tmp_path: Path, name: str, value: str) -> None:
    with raises(ValueError, "one_ascii_character", argument=name):
        ts.scan(write(tmp_path / "c.csv", ""), **{name: value})


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"delimiter": '"'}, "delimiter"),
        ({"delimiter": ";", "quote": ";"}, "delimiter"),
        ({"quote": "'", "escape": "'"}, "quote"),
        ({"escape": "#", "comment": "#"}, "escape"),
    ],
)
def test_a_character_has_one_meaning(
    tmp_path: Path, options: dict[str, Any], argument: str
) -> None:
    with raises(ValueError, "marks_must_differ", argument=argument):
        ts.scan(write(tmp_path / "c.csv", ""), **options)


@pytest.mark.parametrize(
    ("argument", "value", "error", "key"),
    [
        ("delimiter", 1, TypeError, "delimiter_must_be_a_str"),
        ("quote", False, TypeError, "quote_must_be_a_str"),
        ("delimiter", "", ValueError, "one_ascii_character"),
        ("header", 1, TypeError, "header_must_be_true_or_false"),
        ("skip_lines", -1, ValueError, "skip_lines_must_be_in"),
        ("skip_lines", 1.5, TypeError, "skip_lines_must_be_an_integer"),
    ],
)
def test_wrong_values_are_named(
    tmp_path: Path, argument: str, value: Any, error: type[Exception], key: str
) -> None:
    path = write(tmp_path / "c.csv", "")
    with raises(error, key, argument=argument, at=argument):
        ts.scan(path, **{argument: value})


def test_the_only_delimiter_of_a_kind_may_be_taken(tmp_path: Path) -> None:
    with raises(ValueError, "no_delimiter_is_left", argument="delimiter"):
        ts.scan(write(tmp_path / "c.txt", ""), quote="\t")


def test_numbers_of_numpy_are_options(tmp_path: Path) -> None:
    path = write(tmp_path / "c.csv", "x\ntext,label\naa,b\naa,b\n")
    options: dict[str, Any] = {"header": np.True_, "skip_lines": np.int64(1)}
    job: dict[str, Any] = {"min_df": 2, "max_memory": 2**24, "checkpoint": tmp_path / "saved"}
    assert ts.count(ts.scan(path, **options, **job)).n_docs == 2


def test_a_checkpoint_is_of_one_dialect(tmp_path: Path) -> None:
    path = write(tmp_path / "c.csv", "text,label\naa;bb,b\naa,b\n")
    job: dict[str, Any] = {"min_df": 2, "max_memory": 2**24, "checkpoint": tmp_path / "saved"}
    ts.count(ts.scan(path, **job))
    with raises(ValueError, "a_job_of_another_dialect", argument="checkpoint"):
        ts.count(ts.scan(path, comment="#", **job))


@pytest.mark.parametrize("name", ["c.jsonl", "c.parquet", "c.svm", "folder"])
def test_other_kinds_of_input_have_no_dialect(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.mkdir() if name == "folder" else path.write_text("")
    key = "svmlight_has_no_dialect" if name.endswith("svm") else "only_tables_have_a_dialect"
    with raises(ValueError, key, argument="delimiter", at=name):
        ts.scan(path, delimiter=";", skip_lines=1)


def test_a_table_without_a_header_has_no_names(tmp_path: Path) -> None:
    path = write(tmp_path / "c.csv", "aa,x\n")
    for columns in ({}, {"text": "a", "label": 2}):
        with raises(ValueError, "without_a_header", argument="text"):
            ts.scan(path, header=False, **columns)


def test_every_option_of_a_scan_is_an_option_of_the_shell() -> None:
    options = inspect.signature(ts.scan).parameters.keys() - {"paths", "n_threads"}
    assert set(READING) == options
    assert set(OF_DIALECTS) < options


# ---- cures ---------------------------------------------------------------------------------------

NAMED = "name the columns by text= and label=, by number if there is no header"


@pytest.mark.parametrize(
    ("content", "columns", "message"),
    [
        ("# made by X\ntext,label\naa,x\n", {},
         "line 1: expected one column 'text', found '# made by X'; line 2 names the columns: pass "
         "comment='#'"),
        ("made by X\n\nat 5, or so\ntext;label\naa;x\n", {},
         "line 1: expected one column 'text', found 'made by X'; line 4 names the columns: pass "
         "skip_lines=3"),
        ("# made by X\nbody,kind\naa,x\n", {},
         "line 1: expected one column 'text', found '# made by X'; if lines that begin with # are "
         "comments, pass comment='#'"),
        ("# made by X\naa,x\nbb,y\n", {"text": 1, "label": 2},
         "line 1: expected at least 2 fields, found 1; if the table begins in line 2, pass "
         "comment='#'"),
        ("made by X\n\naa;x\nbb;y\n", {"text": 1, "label": 2},
         "line 1: expected at least 2 fields, found 1; if the table begins in line 3, pass "
         "skip_lines=2"),
        ("'text','label'\n'aa, bb','x'\n", {},
         "line 1: expected one column 'text', found \"'text'\", \"'label'\"; if apostrophes quote "
         "the fields of this file, pass quote=\"'\""),
        ("text,label\n'aa, bb',x\n", {},
         "line 2: expected 2 fields, found 3; if apostrophes quote the fields of this file, pass "
         "quote=\"'\""),
        ("text,label\n\"say \\\"hi\\\"\",x\n", {},
         "line 2: expected ',' or the end of the line after a closing quote, at byte 7; if a "
         "backslash makes the next character part of the text, pass escape='\\\\'"),
        ("text,label\naa\\, bb,x\n", {},
         "line 2: expected 2 fields, found 3; if a backslash makes the next character part of the "
         "text, pass escape='\\\\'"),
        ("text,label\naa\\\nbb,x\n", {},
         "line 2: expected 2 fields, found 1; if a backslash makes the next character part of the "
         "text, pass escape='\\\\'"),
        (" text ,Label\naa,x\n", {},
         "line 1: expected one column 'text', found ' text ', 'Label'; pass text=' text ' and "
         "label='Label'"),
        ("text,\ufeffLABEL\naa,x\n", {},
         "line 1: expected one column 'label', found 'text', '\\ufeffLABEL'; pass "
         "label='\\ufeffLABEL'"),
        ("text,label\naa,x\n", {"skip_lines": 3}, "has 2 lines, so skip_lines=3 leaves none"),
        ("text,label\naa,x", {"skip_lines": 2},
         "expected a header with the columns 'text' and 'label', found none"),
        ("text,label\naa,x\\", {"escape": "\\"},
         "line 2: the last line ends with an escape"),
    ],
)  # fmt: skip
def test_each_fault_has_its_own_cure(
    tmp_path: Path, content: str, columns: dict[str, Any], message: str
) -> None:
    found = complaint(write(tmp_path / "c.csv", content), **columns)
    assert found.removeprefix("c.csv").lstrip(",: ") == message


@pytest.mark.parametrize(
    ("content", "option"),
    [
        ("# made by X\ntext,label\naa bb,x\ncc,y\n", "comment='#'"),
        ("made by X\ntext,label\naa bb,x\ncc,y\n", "skip_lines=1"),
        ("'text','label'\n'aa bb','x'\ncc,y\n", "quote=\"'\""),
        ("text,label\n\"aa\\\" bb\",x\n", "escape='\\\\'"),
        ("text,label\n\"aa\" bb,x\n", "quote=''"),
    ],
)  # fmt: skip
def test_a_cure_helps(tmp_path: Path, content: str, option: str) -> None:
    path = write(tmp_path / "c.csv", content)
    assert complaint(path).endswith(option)
    name, value = option.split("=", 1)
    read_files(path, **{name: eval(value)})


# ---- what was understood -------------------------------------------------------------------------


def test_a_scan_says_the_encoding_that_was_found(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_bytes("text,label\naa bb,x\n".encode("utf-16"))
    scan = ts.scan(path)
    ts.count(scan)
    assert scan.understood[0].startswith("UTF-16, fields divided by ','")


def test_a_scan_says_what_was_understood(tmp_path: Path) -> None:
    path = write(tmp_path / "c.csv", "id;title;kind;body\n1;aa;x;bb\n2;;y;\n")
    scan = ts.scan(path, text=["title", 4], label="kind", encoding="latin-1", escape="\\")
    assert list(scan.understood) == []
    ts.count(scan)
    assert list(scan.understood) == [
        "LATIN-1, fields divided by ';', quoted by '\"', escaped by '\\\\', a header in line 1, "
        "4 columns, text in column 2 ('title') and 4 ('body'), label in column 3 ('kind')"
    ]
    other = write(tmp_path / "d.txt", "x\taa\n")
    scan = ts.scan([other, other], text=2, label=1)
    ts.count(scan)
    sentence = "UTF-8, fields divided by '\\t', never quoted, no header, 2 columns, text in column "
    assert list(scan.understood) == [f"{other}: {sentence}2, label in column 1"] * 2


@pytest.mark.parametrize("columns", [{"text": 2, "label": 1}, {"text": "2", "label": "1"}])
@pytest.mark.parametrize("header", ["class,message", "Label,words", "kind,Text"])
def test_a_header_that_counts_as_a_document_is_told_once(
    tmp_path: Path, columns: dict[str, Any], header: str
) -> None:
    path = write(tmp_path / "c.csv", f"{header}\nham,aa bb\nham,cc dd\nspam,ee\nspam,ff\n")
    with warns(UserWarning, "the_first_row_counts", at=str(path)) as told:
        assert ts.count(ts.scan(path, **columns)).n_docs == 5
    assert len(told) == 1
    assert ts.count(ts.scan(path, header=True, **columns)).n_docs == 4
    assert ts.count(ts.scan(path, header=False, **columns)).n_docs == 5  # the caller knows
