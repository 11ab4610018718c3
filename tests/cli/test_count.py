"""``termsift count``: the counts are complete, also after errors and interruptions."""

from __future__ import annotations

import errno
import random
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts
from private import messages, put
from termsift import cli


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = random.Random(5)
    words = [f"w{i}" for i in range(60)]
    rows = (f"{rng.randrange(4)}\t{' '.join(rng.choices(words, k=8))}\n" for _ in range(300))
    path = tmp_path / "c.txt"
    path.write_text("".join(rows))
    return path


def test_count_and_rank(run: Any, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "c.termsift"
    result = run("count", table, "-o", out, "--min-df", 2, "--tf", "log")
    assert result.code == 0
    assert result.out.startswith(f"{out}: 300 documents, 60 terms, 4 classes, ")
    assert ts.load(out) == ts.count(ts.scan(table), tf="log").with_min_df(2)
    assert run("rank", out, "-k", 3).code == 0


def test_terms_of_few_documents_are_dropped_at_the_end(run: Any, tmp_path: Path) -> None:
    a, b = tmp_path / "a.txt", tmp_path / "b.txt"
    a.write_text("x\tant bee\n")
    b.write_text("y\tant cow\ny\tdog\n")
    whole = ts.count(ts.scan([a, b], min_df=2))
    shards = [path.with_suffix(".termsift") for path in (a, b)]
    for path, shard in zip((a, b), shards, strict=True):
        assert run("count", path, "-o", shard).code == 0
    out = tmp_path / "c.termsift"
    assert run("merge", *shards, "-o", out, "--min-df", 2).code == 0
    assert ts.load(out) == whole
    assert run("merge", *shards, "-o", out).code == 0
    assert ts.load(out).with_min_df(2) == whole
    out = tmp_path / "d.termsift"
    for rules in ({"max_df": 0.5}, {"min_df": 0.5}, {"max_features": 2}):
        ((name, value),) = rules.items()
        option = "--" + name.replace("_", "-")
        assert run("count", a, b, "-o", out, option, value).code == 0
        assert ts.load(out) == ts.count(ts.scan([a, b], **rules))
    ts.count(np.array([[1, 2], [0, 1]]), ["x", "y"]).save(shards[0])
    complaint = run("merge", shards[0], "-o", out, "--min-df", 2).complaint
    assert "its terms have no names" in complaint


def test_an_unwritable_output_is_refused_before_reading(
    run: Any, table: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(ts, "count", lambda *_, **__: pytest.fail("the input was read"))

    def closed(path: str) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    put(monkeypatch, check_of_outputs=closed)
    complaint = run("count", table, "-o", tmp_path / "c.termsift").complaint
    assert complaint == f"{tmp_path / 'c.termsift'}: Permission denied"
    assert sorted(tmp_path.iterdir()) == [table]


# ---- progress --------------------------------------------------------------------------------


class Terminal:
    """A terminal that stores its output, and a clock that does not advance."""

    closed = False

    def __init__(self, monkeypatch: Any, columns: int) -> None:
        self.text, self.now = "", 100.0
        monkeypatch.setattr(sys, "stderr", self)
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        monkeypatch.setenv("COLUMNS", str(columns))

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass


@pytest.mark.parametrize("columns", [20, 40, 80])
def test_progress_is_one_line_of_the_terminal(monkeypatch: Any, columns: int) -> None:
    terminal = Terminal(monkeypatch, columns)
    with messages.progress("counted", 10**12, "documents of all kinds") as report:
        assert report is not None
        for done in (987_654_321_000, 1):
            terminal.now += 10
            report(done)
    parts = terminal.text.split("\r")
    assert max(map(len, parts)) == min(columns - 1, len(parts[1]))
    assert parts[1].startswith("termsift: counted 9")
    assert len(parts[2]) == len(parts[1])  # the new line overwrites the whole old line
    assert parts[3].strip() == ""


def test_an_input_is_no_output(run: Any, table: Path, tmp_path: Path) -> None:
    content = table.read_bytes()
    for command_line in (["rank", table], ["compare", table], ["report", table]):
        result = run(*command_line, "-o", table)
        assert result.complaint == f"{table}: is an input too; name another file for the output"
    assert table.read_bytes() == content


@pytest.mark.parametrize("memory", ["2MB", "1.5M", "4MiB", "3000000"])
def test_memory_changes_no_result(memory: str, tmp_path: Path) -> None:
    table = tmp_path / "texts.csv"
    rows = [f"{'ab'[i % 2]},often {' '.join(f'x{i}y{j}' for j in range(30))}" for i in range(3000)]
    table.write_text("\n".join(["label,text", *rows]))
    output = tmp_path / "counts.termsift"
    options = ["--min-df", "20", "--max-memory", memory, "-o", str(output)]
    assert cli.main(["count", str(table), *options]) == 0
    assert ts.load(output) == ts.count(ts.scan(table, min_df=20))


def test_errors_name_the_option_of_memory(run: Any, tmp_path: Path) -> None:
    path, output = str(tmp_path / "a.csv"), str(tmp_path / "counts.termsift")
    Path(path).write_text("label,text\nham,egg\n")
    for options, message in (
        (["--checkpoint", "saved"], "--checkpoint needs --max-memory"),
        (["--max-memory", "4M"], "--max-memory needs --min-df"),
    ):
        assert message in run("count", path, *options, "-o", output).complaint
