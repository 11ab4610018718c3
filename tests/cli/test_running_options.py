"""Messages of the library name Python's arguments, and the shell names its options instead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import termsift as ts
from termsift.cli.running import COMMANDS, main_parser
from wording import raises

NAME = "name the columns by --text and --label"
LATIN = "caf\xe9".encode("latin-1")


@pytest.mark.parametrize(
    ("name", "content", "cure", "key", "argument"),
    [
        (
            "t.csv",
            b"title,label\naa,a\n",
            f"{NAME}, by number if there is no header",
            "no_column_text_of_title_and_label",
            "text",
        ),
        (
            "t.csv",
            b'text,label\n"a"a,a\n',
            "if quotes mean nothing in this file, pass --quote ''",
            "a_quote_that_ends_too_early",
            "quote",
        ),
        (
            "t.jsonl",
            b'{"title": "aa", "label": "a"}\n',
            NAME,
            "no_key_text_of_title_and_label",
            "text",
        ),
        (
            "t.csv",
            b"text,label\n" + LATIN + b",a\n",
            "pass --encoding with the encoding of the texts",
            "byte_3_is_not_utf_8",
            "encoding",
        ),
        (
            "t.mtx",
            b"",
            "pass --labels with a file of one label per line",
            "a_matrix_has_no_labels",
            "labels",
        ),
    ],
)
def test_errors(
    run: Any, tmp_path: Path, name: str, content: bytes, cure: str, key: str, argument: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    complaint = run("rank", path).complaint
    assert cure in complaint
    assert "=" not in complaint
    with raises(ValueError, key, argument=argument) as error:
        ts.count(ts.scan(path))
    assert "--" not in str(error.value)


@pytest.mark.filterwarnings("default")
def test_warnings_and_bad_rows_that_were_left_out(run: Any, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("text,label\naa,a\nbb,b\n")
    shown = run("info", tmp_path / "t.csv", "--text", "1", "--label", "2").err
    assert shown.endswith("the first row counts as a document; if it is a header, pass --header\n")
    (tmp_path / "t.jsonl").write_text('{"text": "aa", "label": "a"}\n{"title": "aa"}\n')
    assert NAME in run("info", tmp_path / "t.jsonl", "--on-error", "skip").err


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("option", ["--stop-words", "--term-names", "--versus-list", "--labels"])
def test_the_encoding_is_that_of_all_text_files(
    run: Any, table: Path, tmp_path: Path, option: str
) -> None:
    (tmp_path / "list").write_bytes(LATIN + (b".\n" if option == "--stop-words" else b",5\n"))
    (tmp_path / "labels").write_text("a\n")
    (tmp_path / "m.mtx").write_text(
        "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1"
    )
    command = {
        "--stop-words": ["info", table],
        "--versus-list": ["keyness", table, "sport"],
        "--term-names": ["count", tmp_path / "m.mtx", "--labels", tmp_path / "labels"],
        "--labels": ["count", tmp_path / "m.mtx"],
    }[option]
    command += ["-o", tmp_path / "new.termsift"] if command[0] == "count" else []
    complaint = run(*command, option, tmp_path / "list").complaint
    fault = "byte 3 is not UTF-8; pass --encoding with the encoding of the texts"
    assert complaint == f"{tmp_path / 'list'}, line 1: {fault}"
    result = run(*command, option, tmp_path / "list", "--encoding", "latin-1")
    assert result.code == 0, result.err
    if command[0] == "count":
        counts = ts.load(tmp_path / "new.termsift")
        read = counts.term_names if option == "--term-names" else counts.classes
        assert list(read) == ["café,5"]
    elif option == "--versus-list":
        assert "café" in result.out
    else:
        assert (
            "some stop words cannot match, because these rules turn them into 'café'" in result.err
        )


# What the commands need so that an option has an effect.
NEEDED = {
    "rank": ["--per-class"],
    "keyness": ["sport"],
    "context": ["ball"],
    "count": ["-o", "new.termsift", "--min-df", "2"],
    "compare": ["--cv", "2"],
    "classify": ["--counts", "news.termsift"],
    "report": ["-o", "new.html"],
}
OF_FILES = {"FILE", "COL", "TEXT", "LABEL", "FOLDER", "REGEX", "A,B"}  # no numbers and no choices
LEFT_OUT = {
    ("keyness", "--list-tokens"),  # belongs to --versus-list, see test_keyness.py
    ("merge", "--min-df"),
}


def options() -> list[tuple[str, str, str]]:
    """Return each option that takes a number or a name, with its command and a wrong value."""
    found = []
    for command in COMMANDS:
        parser = main_parser([command])._subparsers._group_actions[0].choices[command]
        for action in parser._actions:
            is_number = action.type is not None and action.metavar not in OF_FILES
            if action.option_strings and (is_number or action.choices):
                option = action.option_strings[-1]
                if (command, option) not in LEFT_OUT:
                    found.append((command, option, "nonsense" if action.choices else "-1"))
    return found


@pytest.mark.parametrize(("command", "option", "value"), options())
def test_an_error_names_the_option(
    run: Any,
    table: Path,
    saved: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    option: str,
    value: str,
) -> None:
    monkeypatch.chdir(table.parent)
    result = run(command, table, *NEEDED.get(command, []), f"{option}={value}")  # the last one wins
    assert result.code != 0
    shown = option if len(option) > 3 else option[1:]
    assert shown in result.err
