"""Options of tables: they reach every command, and a command says what was understood."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

ROWS = [("a", "ham, eggs"), ("b", "pills;"), ("a", "ham 'now'"), ("b", "free; pills")] * 3
PLAIN = "text,label\n" + "".join(f'"{text}",{label}\n' for label, text in ROWS)
ODD = "made by X\n# and Y\n" + "".join(
    f"{label}:'{text}'\n".replace("ham 'now'", r"ham \'now\'") for label, text in ROWS
)
COLUMNS = ["--text", "2", "--label", "1"]
OPTIONS = [
    *("--delimiter", ":", "--quote", "'", "--escape", "\\", "--no-header"),
    *("--skip-lines", "1", "--comment", "#", *COLUMNS),
]


@pytest.fixture
def tables(tmp_path: Path) -> tuple[Path, Path]:
    plain, odd = tmp_path / "plain.csv", tmp_path / "odd.csv"
    plain.write_text(PLAIN)
    odd.write_text(ODD)
    return plain, odd


@pytest.mark.parametrize(
    "command",
    [
        "rank {}",
        "rank {} --per-class",
        "rank {} --method greedy",
        "keyness {} a",
        "keyness {} a --dispersion",
        "context {} pills",
        "compare {} --cv 2 --method df",
        "classify {} --counts c.termsift",
        "report {} -o r.html",
        "count {} -o d.termsift",
    ],
)
def test_they_reach_every_command(
    run: Any, tables: tuple[Path, Path], command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, odd = tables
    monkeypatch.chdir(plain.parent)
    assert run("count", plain, "-o", "c.termsift").code == 0
    results = []
    for path, options in ((plain, []), (odd, OPTIONS)):
        path = path.replace(path.with_name("same.csv"))
        words = [str(path) if word == "{}" else word for word in command.split()]
        result = run(*words, *options)
        assert result.code == 0, result.err
        written = [Path(name) for name in ("r.html", "d.termsift") if Path(name).exists()]
        results.append((result.out, [file.read_bytes() for file in written]))
    assert results[0] == results[1]


def test_a_tab_may_be_written_with_a_backslash(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a\tham; eggs, x\nb\tpills; y, z\n")
    result = run("info", path, "--delimiter", r"\t", *COLUMNS)
    assert result.code == 0
    assert "fields divided by '\\t'" in result.out


def test_info_says_what_was_understood(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id|text|label\n1|ham|x\n2||x\n3|eggs|y|\n")
    result = run("info", path, "--on-error", "skip")
    assert result.out.splitlines()[1:3] == [
        "read as: UTF-8, fields divided by '|', quoted by '\"', a header in line 1, 3 columns, "
        "text in column 2 ('text'), label in column 3 ('label')",
        "rows: 3, 1 left out, 1 with an empty text",
    ]


def test_info_says_it_of_json(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"text": "ham", "label": 1}\n{"text": "", "label": 1}\n')
    assert run("info", path).out.splitlines()[1:3] == [
        "read as: UTF-8, JSON objects, text in 'text', label in 'label'",
        "rows: 2, 0 left out, 1 with an empty text",
    ]


def test_info_says_it_of_matrices(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.svm"
    path.write_text("1 1:2\n2 1:x\n2 2:1\n")
    assert run("info", path, "--on-error", "skip").out.splitlines()[1:3] == [
        "read as: svmlight, indices from 1, labels are numbers",
        "rows: 3, 1 left out",
    ]


@pytest.mark.parametrize(
    "command", ["rank {}", "keyness {} x --dispersion", "context {} ham", "compare {} --cv 2"]
)
def test_verbose_says_it_too(run: Any, tmp_path: Path, command: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text("text;label\n" + "ham bb;x\neggs cc;y\n" * 4)
    words = [str(path) if word == "{}" else word for word in command.split()]
    result = run(*words, "-v")
    assert result.code == 0, result.err
    said = "termsift: read as UTF-8, fields divided by ';', quoted by '\"', a header in line 1, "
    assert result.err.count(said) == 1


@pytest.mark.parametrize(
    ("content", "options", "cure"),
    [
        ("# x\ntext,label\naa bb,x\ncc,y\n", [], "--comment '#'"),
        ("by X\ntext,label\naa bb,x\ncc,y\n", [], "--skip-lines 1"),
        ("text,label\n'aa, bb',x\ncc,y\n", [], '--quote "\'"'),
        ('text,label\n"aa \\"bb\\"",x\ncc,y\n', [], r"--escape '\'"),
        ('text,label\n"aa" bb,x\ncc,y\n', [], "--quote ''"),
        ("x;aa,bb\ny;cc,dd\n", COLUMNS, "--delimiter ,"),
        ("x|aa\tbb\ny|cc\tdd\n", COLUMNS, r"--delimiter '\t'"),
    ],
)
def test_a_cure_can_be_typed(
    run: Any, tmp_path: Path, content: str, options: list[str], cure: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(content)
    assert f" {cure}" in run("info", path, *options).complaint
    option, value = cure.split(" ")
    value = value if len(value) == 1 else value[1:-1]  # the shell removes its quotes
    assert run("info", path, *options, option, value).code == 0


@pytest.mark.parametrize("option", ["--delimiter", "--quote", "--escape", "--comment"])
def test_a_wrong_character_names_the_option(run: Any, table: Path, option: str) -> None:
    assert run("rank", table, option, "ab").complaint == (
        f"{option} must be one ASCII character that is no letter, digit or end of a line, got 'ab'"
    )


def test_counts_have_no_dialect(run: Any, saved: Path) -> None:
    for options in (["--delimiter", ";"], ["--no-header"], ["--skip-lines", "0"]):
        assert run("rank", saved, *options).complaint == (
            f"{saved}: holds counts, so leave out {options[0].replace('--no-', '--')}"
        )
