"""``termsift count``: the counts of the whole, whatever happens on the way."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import termsift as ts
from signals import LIMIT, start_hearing
from termsift._counts import file
from termsift._util import files, progress
from termsift.cli import checkpoints, output
from termsift.cli import count as command


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = random.Random(5)
    words = [f"w{i}" for i in range(60)]
    rows = (f"{rng.randrange(4)}\t{' '.join(rng.choices(words, k=8))}\n" for _ in range(300))
    path = tmp_path / "c.txt"
    path.write_text("".join(rows))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Fractions, whose sums tell in which order they were made."""
    rng = np.random.default_rng(2)
    X = sparse.csr_array(rng.random((300, 50)) * (rng.random((300, 50)) < 0.2))
    ts.save_csr(tmp_path / "csr", X, rng.integers(0, 4, 300))
    return tmp_path / "csr"


def test_count_and_rank(run: Any, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "c.termsift"
    result = run("count", table, "-o", out, "--min-df", 2, "--tf", "log")
    assert result.code == 0
    assert result.out.startswith(f"{out}: 300.0 documents, 60 terms, 4 classes, ")
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
    result = run("rank", out, "--min-df", 2, "--format", "csv")
    assert result.code == 0
    assert result.out.splitlines()[1:] == [f"1,ant,0,{whole.score('md')[0]}"]
    complaint = run("rank", out, "--min-df", 0.5).complaint
    assert complaint == f"{out}: holds counts, of which --min-df is a number of documents"
    for options in (["--max-df", 0.5], ["--min-df", 0.5], ["--min-df", 0]):
        assert run("count", a, "-o", tmp_path / "d.termsift", *options).code == 2


def test_terms_without_names_are_not_dropped(run: Any, tmp_path: Path) -> None:
    out = tmp_path / "c.termsift"
    ts.count(np.array([[1, 2], [0, 1]]), ["x", "y"]).save(tmp_path / "a.termsift")
    complaint = run("merge", tmp_path / "a.termsift", "-o", out, "--min-df", 2).complaint
    assert "its terms have no names" in complaint
    assert not out.exists()
    assert (
        "its terms have no names" in run("rank", tmp_path / "a.termsift", "--min-df", 2).complaint
    )
    (tmp_path / "terms").write_text("ant\nbee\n")
    names = ["--terms", tmp_path / "terms"]
    result = run("rank", tmp_path / "a.termsift", "--min-df", 2, *names, "--format", "csv")
    assert [line.split(",")[1] for line in result.out.splitlines()] == ["term", "bee"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits are Linux's")
def test_more_columns_than_memory_holds(table: Path, tmp_path: Path) -> None:
    code = """
        import resource, sys
        from termsift import cli
        resource.setrlimit(resource.RLIMIT_AS, (1 << 33, 1 << 33))
        sys.exit(cli.main(sys.argv[1:]))
    """
    options = ["--hashing", str(2**31 - 1), "-o", str(tmp_path / "c.termsift")]
    pytest.importorskip("sklearn")
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), "count", str(table), *options],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert done.returncode == 1
    assert "not enough memory to count documents of 2,147,483,647 terms: " in done.stderr


def test_labels_for_each_input(run: Any, tmp_path: Path) -> None:
    for name in ("a", "b"):
        sparse.save_npz(tmp_path / f"{name}.npz", sparse.csr_array([[1, 2]]))
        (tmp_path / f"{name}.labels").write_text(f"{name}\n")
    inputs = [tmp_path / "a.npz", tmp_path / "b.npz"]
    labels = ["--labels", tmp_path / "a.labels", "--labels", tmp_path / "b.labels"]
    assert run("count", *inputs, *labels, "-o", tmp_path / "c.termsift").code == 0
    assert ts.load(tmp_path / "c.termsift").classes == ["a", "b"]
    result = run("count", *inputs, *labels[:2], "-o", tmp_path / "d.termsift")
    assert result.complaint == "labels names 1 files for 2 inputs"


def test_what_was_skipped_is_told(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "c.svm"
    path.write_text("1 1:1\n" + "what\n" * 7)
    result = run("count", path, "-o", tmp_path / "c.termsift", "--on-error", "skip")
    assert result.code == 0
    lines = result.err.splitlines()
    assert lines[0] == "termsift: left out 7 lines or rows that were not as expected:"
    assert lines[1].startswith(f"termsift:   {path}, line 2: ")
    assert lines[-1] == "termsift:   and 2 more"
    assert run("count", path, "-o", tmp_path / "d.termsift").complaint.startswith(f"{path}, line 2")
    assert not (tmp_path / "d.termsift").exists()


def test_a_file_of_nothing_good_says_what_is_wrong(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "c.svm"
    path.write_text("what\n" * 7)
    complaint = run("count", path, "-o", tmp_path / "c", "--on-error", "skip").complaint
    assert f"{path}: holds no documents; 7 lines or rows were left out, first: {path}" in complaint
    assert complaint.endswith("found 'what'")


# ---- checkpoints -----------------------------------------------------------------------------

SMALL = ["--chunk-docs", 7, "--checkpoint", "--checkpoint-every", 1e-9]


class Stop(BaseException):
    """What ends a job at once."""


def stopping(monkeypatch: Any, after: int, error: BaseException) -> None:
    """Have counting end with an error after so many chunks."""
    usual = command.count_chunks

    def chunks(*args: Any, **options: Any) -> Any:
        for number, counts in enumerate(usual(*args, **options)):
            if number == after:
                raise error
            yield counts

    monkeypatch.setattr(command, "count_chunks", chunks)


@pytest.mark.parametrize("after", [0, 1, 20, 42])
@pytest.mark.parametrize("kind", ["table", "folder"])
@pytest.mark.parametrize("tf", ["raw", "log"])
def test_interrupted_and_gone_on(
    request: Any, run: Any, tmp_path: Path, after: int, kind: str, tf: str
) -> None:
    path, out = request.getfixturevalue(kind), tmp_path / "c.termsift"
    arguments = ["count", path, "-o", out, "--tf", tf, *SMALL]
    with pytest.MonkeyPatch.context() as patch:
        stopping(patch, after, KeyboardInterrupt())
        result = run(*arguments)
    assert result.code == 130
    assert result.err == f"termsift: interrupted; the same command goes on from {out}.checkpoint\n"
    assert not out.exists()
    with pytest.raises(ValueError, match="holds part of a count that is not finished"):
        ts.load(f"{out}.checkpoint")
    refused = run(*arguments[:-3])
    assert "was not finished: go on from there with --checkpoint, or delete it" in refused.complaint
    result = run(*arguments)
    assert result.code == 0
    assert f"after {7 * after} documents" in result.err
    assert ts.load(out) == ts.count(ts.scan(path), tf=tf)
    assert not Path(f"{out}.checkpoint").exists()


def test_a_wrong_line_loses_nothing(run: Any, tmp_path: Path) -> None:
    path, out = tmp_path / "c.svm", tmp_path / "c.termsift"
    path.write_text("1 1:1\n2 2:1\nwhat\n1 3:1\n")
    arguments = ["count", path, "-o", out, "--chunk-docs", 1, "--checkpoint"]
    result = run(*arguments)
    assert result.code == 1
    assert "line 3" in result.err
    path.write_text("1 1:1\n2 2:1\n2 1:1\n1 3:1\n")
    assert run(*arguments).code == 0
    assert ts.load(out) == ts.count(ts.scan(path))


@pytest.mark.parametrize(("first", "then"), [("raise", "skip"), ("skip", "raise")])
def test_what_becomes_of_wrong_lines_is_the_same_in_all_of_a_job(
    run: Any, tmp_path: Path, first: str, then: str
) -> None:
    # A line without a label, where others have several, is left out by skip alone.
    path, out = tmp_path / "c.svm", tmp_path / "c.termsift"
    path.write_text("1,2 1:1\n 2:1\n1 3:1\n 2:1\n")
    arguments = ["count", path, "-o", out, "--chunk-docs", 1, "--checkpoint", "--on-error"]
    with pytest.MonkeyPatch.context() as patch:
        stopping(patch, 1, KeyboardInterrupt())
        assert run(*arguments, first).code == 130
    complaint = run(*arguments, then).complaint
    assert f"made with on_error={first!r}, this one is with on_error={then!r}" in complaint
    assert run(*arguments, first).code == 0
    assert ts.load(out) == ts.count(ts.scan(path, on_error=first))  # type: ignore[arg-type]


def test_older_checkpoints_did_not_leave_lines_out(run: Any, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "c.termsift"
    with pytest.MonkeyPatch.context() as patch:
        stopping(patch, 3, KeyboardInterrupt())
        assert run("count", table, "-o", out, *SMALL).code == 130
    path = Path(f"{out}.checkpoint")
    (counts, classes, names, tf), checkpoint = file.read_checkpoint(path)
    del checkpoint["job"]["options"]["on_error"]
    file.write_counts(path, counts, classes, names, tf, checkpoint)
    complaint = refused_after(run, table, tmp_path, "--on-error", "skip")
    assert "made with on_error='raise'" in complaint
    assert run("count", table, "-o", out, *SMALL).code == 0
    assert ts.load(out) == ts.count(ts.scan(table))


def refused_after(run: Any, table: Path, tmp_path: Path, *more: Any) -> str:
    """Leave a checkpoint, and give the complaint of a second job."""
    out = tmp_path / "c.termsift"
    if not Path(f"{out}.checkpoint").exists():
        with pytest.MonkeyPatch.context() as patch:
            stopping(patch, 3, KeyboardInterrupt())
            assert run("count", table, "-o", out, *SMALL).code == 130
    before = Path(f"{out}.checkpoint").read_bytes()
    complaint = run("count", table, "-o", out, *SMALL, *more).complaint
    assert Path(f"{out}.checkpoint").read_bytes() == before
    assert complaint.startswith(f"{out}.checkpoint: ")
    return str(complaint)


def test_checkpoints_of_other_jobs_are_refused(run: Any, table: Path, tmp_path: Path) -> None:
    assert "made with tf='raw', this one is with tf='log'" in refused_after(
        run, table, tmp_path, "--tf", "log"
    )
    assert "delete it to count anew" in refused_after(run, table, tmp_path, "--tf", "log")


def test_files_of_which_nothing_counted_has_changed_are_gone_on_with(
    run: Any, table: Path, tmp_path: Path
) -> None:
    out, later = tmp_path / "c.termsift", tmp_path / "later.txt"
    later.write_text("1\tant\n")
    with pytest.MonkeyPatch.context() as patch:
        stopping(patch, 3, KeyboardInterrupt())
        assert run("count", table, later, "-o", out, *SMALL).code == 130
    with open(table, "a") as file:
        file.write("1\tant\n")
    os.utime(table, ns=(1, 1))
    later.write_text("1\tbee and cow\n")
    result = run("count", table, later, "-o", out, *SMALL)
    assert (result.code, "going on from" in result.err) == (0, True)
    assert ts.load(out) == ts.count(ts.scan([table, later]))


def test_rows_that_were_counted_may_not_change(run: Any, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "c.termsift"
    with pytest.MonkeyPatch.context() as patch:
        stopping(patch, 3, KeyboardInterrupt())
        assert run("count", table, "-o", out, *SMALL).code == 130
    before, rows = Path(f"{out}.checkpoint").read_bytes(), table.read_text()
    table.write_text(rows.replace("w", "v", 1))
    result = run("count", table, "-o", out, *SMALL)
    message = f"{table}: the first 21 rows are not what they were when they were counted"
    assert (result.code, message in result.err) == (1, True)
    assert Path(f"{out}.checkpoint").read_bytes() == before
    table.write_text(rows)
    assert run("count", table, "-o", out, *SMALL).code == 0
    assert ts.load(out) == ts.count(ts.scan(table))


@pytest.mark.parametrize("kind", ["svm", "txt"])
def test_a_line_that_was_repaired_is_gone_on_with(run: Any, tmp_path: Path, kind: str) -> None:
    path, out = tmp_path / f"c.{kind}", tmp_path / "c.termsift"
    good = {"svm": "1 1:1 2:1\n", "txt": "1\tbee and cow\n"}[kind]
    path.write_text(good * 10 + "1 what\n" + good)
    result = run("count", path, "-o", out, *SMALL)
    assert result.code == 1
    assert f"{path}, line 11: " in result.err
    path.write_text(good * 12)
    result = run("count", path, "-o", out, *SMALL)
    assert result.code == 0
    assert "going on from" in result.err
    assert ts.load(out) == ts.count(ts.scan(path))


def test_hidden_files_of_class_folders_come_and_go(run: Any, tmp_path: Path) -> None:
    folder, out = tmp_path / "classes", tmp_path / "c.termsift"
    for label in ("a", "b"):
        (folder / label).mkdir(parents=True)
        for number in range(10):
            (folder / label / f"{number}.txt").write_text("ant bee")
    with pytest.MonkeyPatch.context() as patch:
        stopping(patch, 1, KeyboardInterrupt())
        assert run("count", folder, "-o", out, *SMALL).code == 130
    (folder / "b" / ".2.txt.swp").write_bytes(b"\xff")
    (folder / ".notes").mkdir()
    (folder / ".notes" / "1.txt").write_text("cow")
    assert run("count", folder, "-o", out, *SMALL).code == 0
    assert ts.load(out).n_docs == 20


def test_checkpoints_of_other_files_are_refused(run: Any, table: Path, tmp_path: Path) -> None:
    out, other = tmp_path / "c.termsift", tmp_path / "other.txt"
    other.write_text("1\tant\n")
    with pytest.MonkeyPatch.context() as patch:
        stopping(patch, 3, KeyboardInterrupt())
        assert run("count", table, "-o", out, *SMALL).code == 130
    complaint = run("count", table, other, "-o", out, *SMALL).complaint
    assert f"it had read nothing more where this one reads {other}" in complaint
    complaint = run("count", other, "-o", out, *SMALL).complaint
    assert f"it had read {table} where this one reads {other}" in complaint


def test_what_is_taken_on_trust_may_not_be_touched(run: Any, folder: Path, tmp_path: Path) -> None:
    data = folder / "data.npy"
    os.utime(data, ns=(1, 10**18))
    with pytest.MonkeyPatch.context() as patch:
        stopping(patch, 3, KeyboardInterrupt())
        assert run("count", folder, "-o", tmp_path / "c.termsift", *SMALL).code == 130
    os.utime(data, ns=(1, 2 * 10**18))
    complaint = refused_after(run, folder, tmp_path)
    assert f"{data}, whose counts are in it, had " in complaint
    assert ", last changed 2001-09-0" in complaint
    assert ", last changed 2033-05-1" in complaint
    assert "put the file back as it was, its time as well, or delete it to count anew" in complaint
    os.utime(data, ns=(1, 10**18))
    assert run("count", folder, "-o", tmp_path / "c.termsift", *SMALL).code == 0


def test_a_file_that_was_read_to_its_end_may_not_change(
    run: Any, table: Path, tmp_path: Path
) -> None:
    later = tmp_path / "later.txt"
    later.write_text(table.read_text())
    with pytest.MonkeyPatch.context() as patch:
        stopping(patch, 50, KeyboardInterrupt())  # of 43 each
        assert run("count", table, later, "-o", tmp_path / "c.termsift", *SMALL).code == 130
    with open(table, "a") as file:
        file.write("1\tant\n")
    complaint = run("count", table, later, "-o", tmp_path / "c.termsift", *SMALL).complaint
    assert f"{table}, whose counts are in it, had " in complaint


def test_damaged_checkpoints_are_refused(run: Any, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "c.termsift"
    path = Path(f"{out}.checkpoint")
    path.write_bytes(b"")
    assert "not a file of saved counts" in run("count", table, "-o", out, *SMALL).complaint
    ts.count(np.eye(2), [0, 1]).save(path)
    assert "holds counts, expected a checkpoint" in run("count", table, "-o", out, *SMALL).complaint
    for checkpoint in ({}, [], {"job": {"files": 3}, "position": {}}):
        counts = ts.count(np.eye(2), [0, 1])
        file.write_counts(path, counts._counts, [0, 1], None, "raw", checkpoint)
        assert "the checkpoint is damaged" in run("count", table, "-o", out, *SMALL).complaint


def test_a_place_that_is_none_is_told_with_the_checkpoint(
    run: Any, table: Path, tmp_path: Path
) -> None:
    out = tmp_path / "c.termsift"
    with pytest.MonkeyPatch.context() as patch:
        stopping(patch, 3, KeyboardInterrupt())
        assert run("count", table, "-o", out, *SMALL).code == 130
    path = Path(f"{out}.checkpoint")
    (counts, classes, names, tf), checkpoint = file.read_checkpoint(path)
    checkpoint["position"]["at"] = 21
    file.write_counts(path, counts, classes, names, tf, checkpoint)
    complaint = run("count", table, "-o", out, *SMALL).complaint
    assert complaint.startswith(f"{path}: the checkpoint is damaged: expected a position of a scan")


def test_a_disk_that_fills(run: Any, table: Path, tmp_path: Path, monkeypatch: Any) -> None:
    out = tmp_path / "c.termsift"
    path = Path(f"{out}.checkpoint")
    usual, written = file.write_counts, []

    def fills(target: Any, *args: Any) -> None:
        if str(target) == str(path) and len(written) >= 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        usual(target, *args)
        written.append(Path(target).read_bytes())

    monkeypatch.setattr(file, "write_counts", fills)
    with pytest.MonkeyPatch.context() as patch:
        stopping(patch, 5, KeyboardInterrupt())
        result = run("count", table, "-o", out, *SMALL)
    assert result.code == 130
    complaint = f"warning: {path}: could not be written, and is what it was before: No space left"
    assert complaint in result.err
    assert path.read_bytes() == written[1]  # the old one stays
    monkeypatch.undo()
    result = run("count", table, "-o", out, *SMALL)
    assert f"going on from {path}, after 14 documents" in result.err
    assert ts.load(out) == ts.count(ts.scan(table))


def test_an_output_that_cannot_be_written_loses_nothing(
    run: Any, table: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    out = tmp_path / "c.termsift"
    with monkeypatch.context() as patch:
        patch.setattr(ts.ClassCounts, "save", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
        assert run("count", table, "-o", out, *SMALL).code == 1
    assert not out.exists()
    assert run("count", table, "-o", out, *SMALL).code == 0
    assert ts.load(out) == ts.count(ts.scan(table))


def test_usage(run: Any, table: Path, tmp_path: Path) -> None:
    assert run("count", table).code == 2
    result = run("count", table, "-o", tmp_path / "c", "--checkpoint-every", 3)
    assert result.code == 2
    assert "--checkpoint-every: only with --checkpoint" in result.err
    assert "no such folder" in run("count", table, "-o", tmp_path / "no" / "c").complaint


@pytest.mark.parametrize("fails_at", ["c.termsift", "c.termsift.checkpoint"])
def test_what_cannot_be_written_is_told_before_anything_is_read(
    run: Any, table: Path, tmp_path: Path, monkeypatch: Any, fails_at: str
) -> None:
    usual = files.check_replaceable
    monkeypatch.setattr(command, "_counted", lambda *_: pytest.fail("it was read"))

    def closed(path: str) -> None:
        with monkeypatch.context() as patch:
            if Path(path).name == fails_at:
                patch.setattr(files, "_create_file", lambda _: (_ for _ in ()).throw(
                    PermissionError(errno.EACCES, "Permission denied", "/x/.termsift-1.partial")
                ))  # fmt: skip
            usual(path)

    for module in (command, output):
        monkeypatch.setattr(module, "check_replaceable", closed)
    complaint = run("count", table, "-o", tmp_path / "c.termsift", "--checkpoint").complaint
    assert complaint == f"{tmp_path / fails_at}: Permission denied"
    assert sorted(tmp_path.iterdir()) == [table]


def test_names_that_are_too_long_are_told_first(run: Any, table: Path, tmp_path: Path) -> None:
    for name, options in (("c" * 300, []), ("c" * 250, ["--checkpoint"])):
        result = run("count", table, "-o", tmp_path / name, *options)
        assert result.complaint.endswith(": File name too long")


def start(table: Path, out: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "termsift", "count", str(table), "-o", str(out)]
    return start_hearing(
        [*command, *map(str, SMALL)], stderr=subprocess.PIPE, stdout=subprocess.PIPE
    )


def until(seen: Any, process: subprocess.Popen[str]) -> None:
    """Wait for something, or for the end of the process."""
    ends = time.monotonic() + LIMIT
    while not seen() and process.poll() is None:
        assert time.monotonic() < ends
        time.sleep(0.001)


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals there")
@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_killed_again_and_again(table: Path, tmp_path: Path, kill: int) -> None:
    out = tmp_path / "c.termsift"
    checkpoint = Path(f"{out}.checkpoint")
    table.write_text(table.read_text() * 10)
    rng, kills = random.Random(1), 0
    ends: list[Any] = []
    while kills < 2 and len(ends) < 30:
        before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
        process = start(table, out)
        until(lambda: checkpoint.exists() and checkpoint.stat().st_mtime_ns > before, process)  # noqa: B023
        time.sleep(rng.random() * 0.05)
        process.send_signal(kill)
        told = process.communicate(timeout=LIMIT)
        ends.append((process.returncode, told))
        kills += process.returncode in (-signal.SIGKILL, -signal.SIGINT, 130, 143)
        out.unlink(missing_ok=True)  # it may have been done before the signal came
    assert kills == 2, ends
    process = start(table, out)
    _, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 0, err
    assert ts.load(out) == ts.count(ts.scan(table))
    assert not checkpoint.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal there")
def test_sigterm_is_an_interruption(
    run: Any, table: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    out, usual = tmp_path / "c.termsift", command.count_chunks

    def chunks(*args: Any, **options: Any) -> Any:
        for number, counts in enumerate(usual(*args, **options)):
            if number == 5:
                signal.raise_signal(signal.SIGTERM)
            yield counts

    before = signal.getsignal(signal.SIGTERM)
    with monkeypatch.context() as patch:
        patch.setattr(command, "count_chunks", chunks)
        result = run("count", table, "-o", out, *SMALL)
    assert result.code == 128 + signal.SIGTERM
    assert result.err == f"termsift: interrupted; the same command goes on from {out}.checkpoint\n"
    assert signal.getsignal(signal.SIGTERM) == before
    assert run("count", table, "-o", out, *SMALL).code == 0
    assert ts.load(out) == ts.count(ts.scan(table))


# ---- progress --------------------------------------------------------------------------------


class Terminal:
    """A terminal that keeps what is written to it, and a clock that stands."""

    def __init__(self, monkeypatch: Any, columns: int) -> None:
        self.text, self.now = "", 100.0
        monkeypatch.setattr(progress.sys, "stderr", self)
        monkeypatch.setattr(progress.time, "monotonic", lambda: self.now)
        monkeypatch.setenv("COLUMNS", str(columns))

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass


def test_progress_tells_rate_and_time_left(monkeypatch: Any) -> None:
    terminal = Terminal(monkeypatch, columns=80)
    with progress.progress("counted", 242_100_000, "bytes", already=2 * 10**6) as report:
        assert report is not None
        terminal.now += 10
        report(100_250_000)
    line = "termsift: counted 100.2 MB of 242.1 MB, 9.8 MB a second, 14 s left"
    assert terminal.text == f"\r{line}\r{' ' * len(line)}\r"


@pytest.mark.parametrize("columns", [20, 40, 80])
def test_progress_is_one_line_of_the_terminal(monkeypatch: Any, columns: int) -> None:
    terminal = Terminal(monkeypatch, columns)
    with progress.progress("counted", 10**12, "documents of all kinds", already=0) as report:
        assert report is not None
        for done in (987_654_321_000, 1):
            terminal.now += 10
            report(done)
    parts = terminal.text.split("\r")
    assert max(map(len, parts)) == min(columns - 1, len(parts[1]))
    assert parts[1].startswith("termsift: counted 9")
    assert len(parts[2]) == len(parts[1])  # nothing of the line before is left
    assert parts[3].strip() == ""


@pytest.mark.parametrize(
    ("n_bytes", "words"),
    [(0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 kB"), (3.25e12, "3,250.0 GB")],
)
def test_sizes(n_bytes: float, words: str) -> None:
    assert progress._size(n_bytes) == words


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0 s"), (99, "99 s"), (600, "10 min"), (11100, "3 h 05 min")]
)
def test_durations(seconds: float, words: str) -> None:
    assert progress._duration(seconds) == words


def test_the_names_of_checkpoints_are_those_of_what_was_counted(table: Path) -> None:
    # The reader may be ahead, with words of chunks that have not been counted.
    scan = ts.scan(table, chunk_docs=1)
    path = table.with_suffix(".checkpoint")
    for counts in ts._api.counting.count_chunks(scan, ts._api.counting.nothing("raw")):
        checkpoints.Checkpoint(path, scan, {}).write(counts, scan.position)
        held, _ = file.read_checkpoint(path)
        assert len(held[2]) == counts.n_terms
        if counts.n_docs == 5:
            break


def test_an_interrupt_just_after_the_renaming_is_not_lost(tmp_path: Path, monkeypatch: Any) -> None:
    usual = os.replace

    def interrupted(*paths: Any) -> None:
        usual(*paths)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ts.count(np.eye(2), [0, 1]).save(tmp_path / "c.termsift")
    monkeypatch.undo()
    assert ts.load(tmp_path / "c.termsift").n_docs == 2


def test_an_output_that_cannot_be_written_keeps_the_counts(
    run: Any, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "c.termsift"
    command_line = ["count", table, "-o", out, "--checkpoint"]

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(out))

    with monkeypatch.context() as patch:
        patch.setattr(ts.ClassCounts, "save", full)
        result = run(*command_line)
    assert result.code == 1
    assert "goes on from" in result.err
    result = run(*command_line)
    assert "going on from" in result.err
    assert result.code == 0
    assert ts.load(out) == ts.count(ts.scan(table))


def test_an_input_is_no_output(run: Any, table: Path, tmp_path: Path) -> None:
    content = table.read_bytes()
    for command_line in (["count", table], ["rank", table], ["compare", table], ["report", table]):
        result = run(*command_line, "-o", table)
        assert result.complaint == f"{table}: is read, and cannot be the output; name another file"
    assert table.read_bytes() == content
