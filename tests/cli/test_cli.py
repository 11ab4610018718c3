"""Commands: their output, their files and their exit codes."""

from __future__ import annotations

import csv
import gc
import json
import logging
import os
import signal
import subprocess
import sys
import warnings
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import termsift as ts
from private import program, put, running
from signals import start_hearing
from termsift.cli import main
from termsift.io import Collection


def test_a_process_that_a_command_starts_does_not_run_it_again() -> None:
    """A new process imports the program of the first one, as these tests have done."""
    assert program.main is main


def module(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run ``python -m termsift`` in a separate process."""
    command = [sys.executable, "-m", "termsift", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


# --------------------------------------------------------------------------------------- output


@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_the_output_file_holds_what_would_be_printed(
    run: Any, table: Path, tmp_path: Path, form: str
) -> None:
    target = tmp_path / "top"
    result = run("rank", table, "--format", form, "-o", target)
    assert (result.code, result.out, result.err) == (0, "", "")
    expected = run("rank", table, "--format", form).out
    assert target.read_bytes().decode() == expected
    assert run("rank", table, "--format", form, "-o", "-").out == expected
    assert sorted(path.name for path in tmp_path.iterdir()) == ["news.csv", "top"]


@pytest.mark.skipif(os.name != "posix", reason="modes and links as POSIX has them")
def test_the_output_file_keeps_its_mode_and_its_link(run: Any, table: Path, tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    assert run("rank", table, "-o", link).code == 0
    assert link.is_symlink()
    assert real.read_text().startswith("rank")
    assert real.stat().st_mode & 0o777 == 0o640
    assert run("rank", table, "-o", "/dev/null").code == 0  # the device must stay a device
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize("command", ["count", "merge"])
def test_counts_are_written_only_to_files(run: Any, table: Path, saved: Path, command: str) -> None:
    for name in ("-", "counts", "counts.csv"):
        complaint = run(command, table if command == "count" else saved, "-o", name).complaint
        assert complaint == f"{name}: expected the name of a file that ends in .termsift"


@pytest.mark.parametrize("command", ["rank", "info", "compare", "report"])
def test_errors_of_counting_name_the_file(run: Any, tmp_path: Path, command: str) -> None:
    sparse.save_npz(tmp_path / "c.npz", sparse.csr_array([[2, 0], [0, -1], [1, 1], [2, 2]]))
    (tmp_path / "labels").write_text("a\na\nb\nb\n")
    options = {"compare": ["--cv", 2], "report": ["-o", tmp_path / "page.html"]}.get(command, [])
    result = run(command, tmp_path / "c.npz", "--labels", tmp_path / "labels", *options)
    expected = (
        "X has -1 at row 1, column 1, expected a finite count that is not negative "
        "(HashingVectorizer needs alternate_sign=False)"
    )
    assert result.complaint == f"{tmp_path / 'c.npz'}: {expected}"


def test_tables_cut_long_names(run: Any, tmp_path: Path) -> None:
    word, label = "word" * 1000, "label" * 1000
    table = tmp_path / "long.csv"
    table.write_text(f"label,text\n{label},{word} one\nb,one two\n")
    for command in (["rank"], ["rank", "--per-class"], ["info"]):
        result = run(command[0], table, *command[1:])
        assert max(map(len, result.out.splitlines())) < len(str(table)) + 200
        assert ("wordwor…" if command == ["rank"] else "labellabe…") in result.out
    rows = csv.DictReader(StringIO(run("rank", table, "--per-class", "--format", "csv").out))
    assert {label, "b"} == {row["class"] for row in rows}


@pytest.mark.parametrize("moment", ["reading", "writing"])
def test_a_failure_leaves_the_old_file(
    run: Any, table: Path, tmp_path: Path, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "top"
    target.write_text("old")
    if moment == "reading":
        table.write_text("label,text\na\n")
    else:

        def fail(out: Any, *_: object) -> None:
            out.write("half")
            raise OSError(28, "No space left on device")

        put(monkeypatch, writing_of_columns=fail)
    result = run("rank", table, "-o", target)
    assert result.complaint in (
        f"{table}, line 2: expected 2 fields, found 1; --on-error skip leaves it out",
        f"{target}: No space left on device; free some space, or write to another disk",
    )
    assert target.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["news.csv", "top"]


def test_output_to_nowhere(run: Any, table: Path, tmp_path: Path) -> None:
    target = tmp_path / "absent" / "top"
    expected = f"{target.parent}: no such folder; cannot write top"
    assert run("rank", table, "-o", target).complaint == expected
    complaint = run("rank", table, "-o", tmp_path).complaint
    assert complaint == f"{tmp_path}: is a folder, expected the name of a file"


# ------------------------------------------------------------------------------------ info, demo


def test_info(run: Any, table: Path, saved: Path) -> None:
    result = run("info", table)
    assert (result.code, result.err) == (0, "")
    assert result.out == (
        f"{table}: 5 documents, 6 terms, 2 classes, 17 tokens\n"
        "read as: UTF-8, fields divided by ',', quoted by '\"', a header in line 1, 2 columns, "
        "text in column 2 ('text'), label in column 1 ('label')\n"
        "rows: 5, 0 left out, 0 with an empty text\n\n"
        "class  documents  tokens\n"
        "trade          3       9\n"
        "sport          2       8\n"
    )
    lines = result.out.replace("news.csv", "news.termsift").splitlines(keepends=True)
    assert run("info", saved).out == "".join([lines[0], *lines[3:]])
    ts.count(np.eye(23, dtype=int), range(23)).save(saved)
    lines = run("info", saved).out.splitlines()
    assert lines[-2:] == ["19             1       1", "... and 3 smaller classes"]


def test_info_of_documents_that_are_unknown(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "both.termsift"
    table = {"term": ["sail", "sea"], "label": ["list"] * 2, "count": [7, 4]}
    counts = ts.count_texts(["we sail", "we"], ["sea", "land"])
    ts.merge([counts, ts.counts_from_table(table)]).save(path)
    shown = run("info", path).out.splitlines()
    assert [line.split() for line in shown[-3:]] == [
        ["list", "unknown", "11"],
        ["sea", "1", "2"],
        ["land", "1", "1"],
    ]


def test_the_documents_of_the_demo_are_ranked(
    run: Any, docstrings: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ts.io, "load_demo", lambda: docstrings)
    result = run("rank", "demo", "--method", "conditional_gain", "-k", "3", "--format", "csv")
    assert (result.code, result.err) == (0, "")
    X, y, names = docstrings.X, docstrings.y, docstrings.term_names
    expected = ts.conditional_gain(X, y, 3, term_names=names).columns()["term"]
    assert [row["term"] for row in csv.DictReader(StringIO(result.out))] == expected.tolist()


def test_demo(run: Any, docstrings: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ts.io, "load_demo", lambda: docstrings)
    result = run("demo")
    assert (result.code, result.err) == (0, "")
    first, _, header, *rows, _, last = result.out.splitlines()
    assert first.startswith("From the docstrings of the standard library of Python 3.")
    assert " documents, " in first
    assert header.split()[:2] == ["package", "documents"]
    assert {len(row.split()) for row in rows} == {2 + 8}
    packages = {row.split()[0]: row.split()[2:] for row in rows}
    assert len(packages) == 12
    assert "coroutine" in packages["asyncio"]
    sizes = [int(row.split()[1].replace(",", "")) for row in rows]
    assert sizes == sorted(sizes, reverse=True)
    assert last.startswith("Best over all ")
    assert len(last.partition(": ")[2].split()) == 16


# ----------------------------------------------------------------------------------- how it ends


@pytest.mark.parametrize("command", ["", *running.COMMANDS])
def test_help_fits_110_lines_of_100_columns(
    run: Any, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    result = run(*command.split(), "--help")
    assert result.code == 0
    lines = result.out.splitlines()
    assert max(map(len, lines)) <= 100
    assert len(lines) <= 110
    assert lines[0].startswith(f"usage: termsift {command}")
    if not command:
        assert run().out == result.out
    if "--method NAME" in result.out:
        names = result.out.replace(",", " ").split()
        assert {method.name for method in ts.methods()} <= {*names}
    if "--input-format NAME" in result.out:
        assert "a folder with a\nsub-folder per class" in result.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sift"], "argument COMMAND: invalid choice: 'sift' (choose from "),
        (["rnak", "x"], "); did you mean 'rank'?"),
        (["rank", "x", "--top", "5"], "unrecognized arguments: --top 5\n"),
        (["count", "x", "-o", "y", "--index-base", "5"], "invalid choice: 5 (choose from 1, 0)\n"),
        (["rank"], "arguments are required: INPUT\n"),
        (["rank", "x", "--method", "chi-2"], "); did you mean 'chi2'?"),
        (["compare", "x", "--classifier", "Bernouli"], "; did you mean 'bernoulli'?"),
        (["rank", "x", "--alpha", "1,2"], "argument --alpha: expected a number, got '1,2'"),
        (
            ["count", "x", "--max-memory", "16XB"],
            "--memory: expected bytes such as 2GB, got '16XB'",
        ),
        (["count", "x", "--max-memory", "9" * 400], "--memory: expected bytes such as 2GB, got '9"),
    ],
)
def test_wrong_usage(run: Any, arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.code == 2
    assert result.out == ""
    assert message in result.err
    assert result.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rank", "--threads", "0"], "--threads must be in [1, "),
        (["rank", "--alpha", "-1"], "--alpha must be "),
        (
            ["rank", "--per-class", "--policy", "top"],
            "--per-class has a list for each class, so leave out --policy",
        ),
        (["rank", "--min-df", "nan"], "must be between 0 and 1, got nan"),
        (["rank", "--ngram-range", "0,1"], "--ngram-range must be "),
        (["rank", "--per-class", "--method", "greedy"], "'greedy'"),
        (["compare", "--method", "md,mdchi2"], "did you mean 'md_chi2'?"),
        (["compare", "--cv", "1"], "--cv must be "),
        (["compare", "-k", "6,0"], "each of -k must be in [1, "),
        (["compare", "--alpha", "-1"], "--alpha must be "),
        (["compare", "--classifier-alpha", "0"], "--classifier-alpha must be "),
        (["keyness", "sport", "--min-count", "-1"], "--min-count must be "),
        (
            ["keyness", "sport", "--similar", "--sort", "lrc"],
            "order, so leave out --sort and --direction",
        ),
        (["rank", "--hashing", "9", "--max-features", "2"], "so leave out --max-features"),
        (["rank", "--max-features", "9", "--tf", "log"], "--max-features needs --tf raw, because"),
        (["rank", "--max-features", "9", "--tf", "log"], "--binary keeps the terms"),
        (["rank", "--label", "min_df"], "expected one column 'min_df', found"),
    ],
)
def test_values_that_the_library_refuses(
    run: Any, table: Path, arguments: list[str], message: str
) -> None:
    command, *options = arguments
    assert message in run(command, table, *options).complaint


@pytest.mark.parametrize("command", ["rank", "count", "compare", "report", "keyness"])
def test_indices_of_svmlight_count_from_0_if_told(run: Any, tmp_path: Path, command: str) -> None:
    path = tmp_path / "c.svm"
    path.write_text("1 0:3 1:1\n1 0:2\n2 1:4\n2 1:1\n")
    options = {
        "count": ["-o", tmp_path / "c.termsift"],
        "report": ["-o", tmp_path / "page.html"],
        "keyness": ["1"],
        "compare": ["--cv", 2],
    }.get(command, [])
    assert "--index-base 0" in run(command, path, *options).complaint
    assert run(command, path, *options, "--index-base", 0).code == 0


@pytest.mark.parametrize(
    "option", ["--labels", "--text", "--label", "--stop-words", "--encoding", "--min-df"]
)
def test_options_of_labels_and_terms_are_refused_where_there_are_some(
    run: Any, saved: Path, option: str
) -> None:
    for path, why in ((saved, "holds counts"), ("demo", "has labels and terms")):
        complaint = run("rank", path, option, "1").complaint
        assert complaint == f"{path}: {why}, so leave out {option}"


def test_counting_refuses_the_demo(run: Any, tmp_path: Path) -> None:
    complaint = run("count", "demo", "-o", tmp_path / "o.termsift").complaint
    assert complaint == "demo: is not a file, which count needs; rank and others read it"


def test_warnings_are_one_line(run: Any, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def warn(*_: object, **__: object) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn("two\n  lines", UserWarning, stacklevel=2)
        raise ValueError

    before = warnings.showwarning
    monkeypatch.setattr(ts, "scan", warn)
    assert run("rank", table).err.startswith("termsift: warning: two lines\ntermsift: error: ")
    assert warnings.showwarning is before


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError(), "not enough memory"),
        (MemoryError("std::bad_alloc"), "not enough memory"),
        (ValueError("two\n  lines"), "two lines"),
        (ValueError(), "ValueError"),
        (PermissionError(13, "Permission denied", "x"), "x: Permission denied"),
        (OverflowError("too large"), "too large"),
    ],
)
def test_errors_are_one_line(
    run: Any, table: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, message: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(ts, "scan", fail)
    assert run("rank", table).complaint == message


def test_an_error_that_no_user_causes_is_raised(
    run: Any, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch, reading_of_counts=lambda _: {}["no such key"])
    with pytest.raises(KeyError):
        run("rank", table)


def test_verbose_logs_the_work_and_errors_in_full(
    run: Any, table: Path, caplog: pytest.LogCaptureFixture
) -> None:
    log = logging.getLogger("termsift")
    caplog.set_level("ERROR", "termsift")  # the command must restore this level
    before = log.level, list(log.handlers)
    result = run("rank", table, "-v")
    assert f"termsift: reading {table}\n" in result.err
    assert "termsift: counted 5 documents of 6 terms\n" in result.err
    assert result.out == run("rank", table).out
    result = run("rank", f"{table}.absent", "-v")
    assert result.code == 1
    assert "Traceback" in result.err
    assert (log.level, log.handlers) == before


# ------------------------------------------------------------------------ in a process of its own


def test_module(table: Path) -> None:
    done = module("rank", table, "-k", 1)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 2
    assert module("rank", table.with_name("absent.csv")).returncode == 1
    assert module("rank").returncode == 2
    assert module("--version").stdout == f"termsift {ts.__version__}\n"


def test_imports_of_a_command_are_no_garbage_to_search(table: Path) -> None:
    code = (
        "import gc, sys; from termsift.cli import main; main(); "
        "print(gc.isenabled(), gc.get_freeze_count() > 10_000)"
    )
    command = [sys.executable, "-c", code, "rank", table]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.splitlines()[-1] == "True True"


def test_a_call_of_main_leaves_the_garbage_of_its_process_alone(run: Any, table: Path) -> None:
    before = gc.get_freeze_count()
    run("rank", table)
    assert (gc.isenabled(), gc.get_freeze_count()) == (True, before)


def test_names_that_the_output_cannot_encode(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"label": 1, "text": "größe"}\n{"label": 2, "text": "oil"}\n')
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    for form in ("table", "csv", "json"):
        done = module("rank", path, "--format", form, env=environment)
        assert (done.returncode, done.stderr) == (0, "")
    assert {term["term"] for term in json.loads(done.stdout)["terms"]} == {"größe", "oil"}


@pytest.mark.full(cases=1)
@pytest.mark.skipif(os.name != "posix", reason="pipes as POSIX has them")
@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_a_reader_that_goes_away(tmp_path: Path, form: str) -> None:
    rng = np.random.default_rng(0)
    sparse.save_npz(tmp_path / "c.npz", sparse.csr_array(rng.integers(0, 9, (4, 50_000))))
    (tmp_path / "y").write_text("a\nb\na\nb\n")
    command = [sys.executable, "-m", "termsift", "rank", tmp_path / "c.npz"]
    command += ["--labels", tmp_path / "y", "-k", "50000", "--format", form]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_command(tmp_path: Path, number: int) -> None:
    command = [sys.executable, "-m", "termsift", "rank", "-", "--input-format", "csv"]
    options: dict[str, Any] = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with start_hearing(command, **options, env=environment) as process:
        assert process.stdin is not None
        process.stdin.write("label,text\n" * 100_000)  # more than a pipe holds; the command reads
        process.stdin.flush()
        process.send_signal(number)
        assert process.communicate(timeout=60)[1] == ""  # communicate() closes the pipe
        assert process.returncode == 128 + number
    assert list(tmp_path.iterdir()) == []
