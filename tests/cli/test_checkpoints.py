"""``termsift count --checkpoint``: a killed job ends with the counts of an undisturbed one."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts
from signals import LIMIT
from termsift._counts.scan_counting import ScanCounting
from termsift._util.files import replacing
from termsift.cli import count as command

N_INPUTS = 6
N_DOCS = 40  # of each input


@pytest.fixture
def tables(tmp_path: Path) -> list[Path]:
    """Tables of texts, each with different words."""
    rng = random.Random(5)
    paths = [tmp_path / f"{number}.txt" for number in range(N_INPUTS)]
    for number, path in enumerate(paths):
        words = [f"w{i}" for i in range(20 + 5 * number)]
        rows = (
            f"{rng.randrange(4)}\t{' '.join(rng.choices(words, k=30))}\n" for _ in range(N_DOCS)
        )
        path.write_text("".join(rows))
    return paths


@pytest.fixture
def fractions(tmp_path: Path) -> list[Path]:
    """Fractions, whose sums depend on the order in which they are added."""
    rng = np.random.default_rng(2)
    paths = [tmp_path / f"{number}.svm" for number in range(N_INPUTS)]
    for path in paths:
        X = rng.random((N_DOCS, 9)) * (rng.random((N_DOCS, 9)) < 0.7)
        lines = (" ".join(f"{i}:{x!r}" for i, x in enumerate(row, 1)) for row in X.tolist())
        path.write_text("".join(f"{rng.integers(4)} {line}\n" for line in lines))
    return paths


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "c.termsift"


def of(out: Path) -> Path:
    """Return the checkpoint of an output."""
    return Path(f"{out}.checkpoint")


def interrupt(run: Any, n_inputs: int, *arguments: Any) -> Any:
    """Run a job that is interrupted in the chunk after so many inputs."""
    usual = ScanCounting.steps

    def steps(counting: ScanCounting) -> Any:
        scan = counting._scan
        for _ in usual(counting):
            if scan.inputs_done == n_inputs and scan.bytes_done > sum(
                source.n_bytes for source in scan._sources[:n_inputs]
            ):
                raise KeyboardInterrupt
            yield

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ScanCounting, "steps", steps)
        result = run("count", *arguments, "--checkpoint")
    assert result.code == 130
    return result


@pytest.mark.parametrize("n_inputs", range(N_INPUTS))
@pytest.mark.parametrize("kind", ["tables", "fractions"])
@pytest.mark.parametrize("tf", ["raw", "log"])
def test_a_job_resumes_after_whole_inputs(
    request: Any, run: Any, out: Path, n_inputs: int, kind: str, tf: str
) -> None:
    paths = request.getfixturevalue(kind)
    arguments = [*paths, "-o", out, "--tf", tf]
    assert run("count", *arguments).code == 0
    expected = out.read_bytes()
    out.unlink()
    result = interrupt(run, n_inputs, *arguments)
    assert not out.exists()
    assert of(out).exists() == (n_inputs > 0)
    if n_inputs:
        assert result.err == f"termsift: stopped; the same command resumes from {of(out)}\n"
        assert "was not finished; resume it with" in run("count", *arguments).complaint
    result = run("count", *arguments, "--checkpoint")
    assert result.code == 0
    if n_inputs:
        n_docs = int(result.err.partition(", after ")[2].partition(" ")[0])
        assert n_docs % N_DOCS == 0  # whole inputs
        assert 0 < n_docs <= n_inputs * N_DOCS
    assert out.read_bytes() == expected
    assert not of(out).exists()


def test_no_more_is_written_than_is_read(
    run: Any, tables: list[Path], out: Path, monkeypatch: Any
) -> None:
    sizes = []

    @contextmanager
    def measured(path: Path) -> Iterator[Any]:
        with replacing(path) as file:
            yield file
        sizes.append(path.stat().st_size)

    monkeypatch.setattr(command, "replacing", measured)
    tiny = [path.with_suffix(f".{i}.txt") for path in tables for i in range(20)]
    for i, path in enumerate(tiny):
        path.write_text(f"x\tword{i} word{i + 1}\n")
    assert run("count", *tables, *tiny, "-o", out, "--checkpoint").code == 0
    read = sum(path.stat().st_size for path in [*tables, *tiny])
    assert 1 < len(sizes) < N_INPUTS + 20
    assert sum(sizes[:-1]) <= read


def test_inputs_that_were_not_counted_may_change(
    run: Any, tables: list[Path], tmp_path: Path, out: Path
) -> None:
    interrupt(run, 2, *tables, "-o", out)
    tables[4].write_text("1\tbee and cow\n1 what\n")
    later = tmp_path / "later.txt"
    later.write_text("1\tant\n")
    changed = [*tables[:3], tables[4], later]
    complaint = run("count", *changed, "-o", out, "--checkpoint").err
    assert f"{tables[4]}, line 2: " in complaint
    tables[4].write_text("1\tbee and cow\n")  # the line is mended
    result = run("count", *changed, "-o", out, "--checkpoint")
    assert (result.code, "resuming from" in result.err) == (0, True)
    assert ts.load(out) == ts.count(ts.scan(changed))


def test_rows_skipped_before_are_reported_at_the_end(
    run: Any, tables: list[Path], out: Path
) -> None:
    tables[0].write_text(tables[0].read_text() + "wrong\n" * 3)
    tables[5].write_text(tables[5].read_text() + "wrong\n" * 3)
    interrupt(run, 3, *tables, "-o", out, "--on-error", "skip")
    result = run("count", *tables, "-o", out, "--on-error", "skip", "--checkpoint")
    lines = result.err.splitlines()
    assert "termsift: left out 6 lines or rows with errors:" in lines
    assert lines[2].startswith(f"termsift:   {tables[0]}, line {N_DOCS + 1}: ")
    assert lines[-1] == "termsift:   and 1 more"


# ---- checkpoints of other jobs -------------------------------------------------------------------


def refused(run: Any, out: Path, *arguments: Any) -> str:
    """Run a job that must refuse the checkpoint, and return how they differ."""
    before = of(out).read_bytes()
    complaint = str(run("count", *arguments, "-o", out, "--checkpoint").complaint)
    assert of(out).read_bytes() == before
    start, end = f"{of(out)}: is the checkpoint of another count: ", "; delete it to count anew"
    assert complaint.startswith(start)
    assert complaint.endswith(end)
    return complaint.removeprefix(start).removesuffix(end)


def test_other_options_are_refused(run: Any, tables: list[Path], out: Path) -> None:
    interrupt(run, 3, *tables, "-o", out)
    for options, ours, theirs in [
        (["--tf", "log"], "tf='log'", "tf=None"),
        (["--on-error", "skip"], "on_error='skip'", "on_error=None"),
        (["--min-df", 2], "min_df=2", "min_df=None"),
        (["--token-pattern", "a"], "token_pattern='a'", "token_pattern=None"),
    ]:
        expected = f"it has {theirs}, this one has {ours}"
        assert refused(run, out, *tables, *options) == expected
    assert run("count", *tables, "-o", out, "--checkpoint").code == 0


def test_other_inputs_are_refused(run: Any, tables: list[Path], out: Path) -> None:
    os.utime(tables[0], ns=(1, 10**18))
    interrupt(run, 3, *tables, "-o", out)
    n_counted = json.loads(of(out).read_bytes().splitlines()[0])[0]
    complaint = refused(run, out, tables[1], tables[0], *tables[2:])
    assert complaint.startswith(f"it has {tables[0]} (")
    assert f", this one has {tables[1]} (" in complaint
    complaint = refused(run, out, *tables[: n_counted - 1])
    assert complaint.startswith(f"it has {tables[n_counted - 1]} (")
    assert complaint.endswith("this one has nothing")
    os.utime(tables[0], ns=(1, 10**18 + 1))
    assert f"changed at {10**18 + 1} ns" in refused(run, out, *tables)
    os.utime(tables[0], ns=(1, 10**18))
    assert run("count", *tables, "-o", out, "--checkpoint").code == 0


def test_documents_of_a_folder_may_not_come_or_go(run: Any, tmp_path: Path, out: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        for label in ("a", "b"):
            (folder / label).mkdir(parents=True)
            for number in range(10):
                (folder / label / f"{number}.txt").write_text("ant bee " * 100)
    interrupt(run, 1, *folders, "-o", out)
    (folders[0] / "b" / ".2.txt.swp").write_bytes(b"\xff")  # hidden files are not documents
    (folders[0] / "b" / "99.txt").write_text("cow")
    assert f"{folders[0] / 'b' / '99.txt'} (3 bytes, " in refused(run, out, *folders)
    (folders[0] / "b" / "99.txt").unlink()
    assert run("count", *folders, "-o", out, "--checkpoint").code == 0
    assert ts.load(out).n_docs == 40


# ---- damage, failures, kills -------------------------------------------------------------------


def test_damaged_checkpoints_are_refused(run: Any, tables: list[Path], out: Path) -> None:
    arguments = ["count", *tables, "-o", out, "--checkpoint"]
    interrupt(run, 3, *tables, "-o", out)
    content = of(out).read_bytes()
    line, _, counts = content.partition(b"\n")
    damaged = f"{of(out)}: is damaged; delete it to count anew"
    for other in (b"null", b"3", b"[]", b"{}", b"\xff", b"", line[:9], counts):
        of(out).write_bytes(other + b"\n" + counts)
        assert run(*arguments).complaint == damaged, other
    for flipped in range(len(line) + 1, len(content), 97):
        changed = bytes([content[flipped] ^ 1])
        of(out).write_bytes(content[:flipped] + changed + content[flipped + 1 :])
        complaint = run(*arguments).complaint
        assert "the saved counts" in complaint or "not a file of saved counts" in complaint
    of(out).write_bytes(content)
    assert run(*arguments).code == 0


@pytest.mark.parametrize("fails", ["checkpoint", "output"])
def test_a_full_disk_loses_nothing(
    run: Any, tables: list[Path], out: Path, monkeypatch: Any, fails: str
) -> None:
    written: list[Path] = []

    def full(*_: object) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device", str(out))

    def fills(path: Path) -> Any:
        if written:
            full()
        written.append(path)
        return replacing(path)

    with monkeypatch.context() as patch:
        if fails == "output":
            patch.setattr(ts.ClassCounts, "save", full)
        else:
            patch.setattr(command, "replacing", fills)
        result = run("count", *tables, "-o", out, "--checkpoint")
    assert (result.code, "resumes from" in result.err) == (1, True)
    assert not out.exists()
    result = run("count", *tables, "-o", out, "--checkpoint")
    assert (result.code, "resuming from" in result.err) == (0, True)
    assert ts.load(out) == ts.count(ts.scan(tables))


def until(seen: Any, process: subprocess.Popen[str]) -> None:
    """Wait for something, or for the end of the process."""
    ends = time.monotonic() + LIMIT
    while not seen() and process.poll() is None:
        assert time.monotonic() < ends
        time.sleep(0.001)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_killed_again_and_again(tables: list[Path], out: Path) -> None:
    arguments = [sys.executable, "-m", "termsift", "count", *map(str, tables), "-o", str(out)]
    arguments.append("--checkpoint")
    for path in tables:
        path.write_text(path.read_text() * 20)
    rng, kills = random.Random(1), 0
    ends: list[Any] = []
    while kills < 2 and len(ends) < 30:
        before = of(out).stat().st_mtime_ns if of(out).exists() else 0
        process = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True)
        until(lambda: of(out).exists() and of(out).stat().st_mtime_ns > before, process)  # noqa: B023
        time.sleep(rng.random() * 0.05)
        process.kill()
        told = process.communicate(timeout=LIMIT)
        ends.append((process.returncode, told))
        kills += process.returncode == -signal.SIGKILL
        out.unlink(missing_ok=True)  # the job may have ended before the signal came
    assert kills == 2, ends
    done = subprocess.run(arguments, stderr=subprocess.PIPE, timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stderr
    assert ts.load(out) == ts.count(ts.scan(tables))
    assert not of(out).exists()
