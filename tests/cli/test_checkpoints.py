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
from scipy import sparse

import termsift as ts
from signals import LIMIT, start_hearing
from termsift._counts.scan_counting import ScanCounting
from termsift._util.files import replacing
from termsift.cli import checkpoints

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


def stop_in(monkeypatch: Any, n_inputs: int, error: BaseException) -> None:
    """Let a job fail in the chunk after so many inputs."""
    usual = ScanCounting.steps

    def steps(counting: ScanCounting) -> Any:
        scan = counting._scan
        for _ in usual(counting):
            if scan.inputs_done == n_inputs and scan.bytes_done > sum(
                source.n_bytes for source in scan._sources[:n_inputs]
            ):
                raise error
            yield

    monkeypatch.setattr(ScanCounting, "steps", steps)


def interrupt(run: Any, n_inputs: int, *arguments: Any) -> Any:
    """Run a job that is interrupted after so many inputs."""
    with pytest.MonkeyPatch.context() as patch:
        stop_in(patch, n_inputs, KeyboardInterrupt())
        result = run("count", *arguments, "--checkpoint")
    assert result.code == 130
    return result


@pytest.mark.parametrize("n_inputs", range(N_INPUTS))
@pytest.mark.parametrize("kind", ["tables", "fractions"])
@pytest.mark.parametrize("tf", ["raw", "log"])
def test_a_job_goes_on_after_whole_inputs(
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
        message = f"termsift: stopped; the same command goes on from {out}.checkpoint\n"
        assert result.err == message
        with pytest.raises(ValueError, match="not a file of saved counts"):
            ts.load(of(out))
        assert "was not finished; go on with --checkpoint" in run("count", *arguments).complaint
    result = run("count", *arguments, "--checkpoint")
    assert result.code == 0
    if n_inputs:
        found = int(result.err.partition(", after ")[2].partition(" ")[0])
        assert found % N_DOCS == 0  # whole inputs
        assert 0 < found <= n_inputs * N_DOCS
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

    monkeypatch.setattr(checkpoints, "replacing", measured)
    tiny = [path.with_suffix(f".{i}.txt") for path in tables for i in range(20)]
    for i, path in enumerate(tiny):
        path.write_text(f"x\tword{i} word{i + 1}\n")
    assert run("count", *tables, *tiny, "-o", out, "--checkpoint").code == 0
    read = sum(path.stat().st_size for path in [*tables, *tiny])
    assert 1 < len(sizes) < N_INPUTS + 20
    assert sum(sizes[:-1]) <= read


def test_inputs_may_be_added_and_those_not_counted_may_change(
    run: Any, tables: list[Path], tmp_path: Path, out: Path
) -> None:
    interrupt(run, 2, *tables, "-o", out)
    tables[4].write_text("1\tbee and cow\n")
    later = tmp_path / "later.txt"
    later.write_text("1\tant\n")
    changed = [*tables[:3], tables[4], later]
    result = run("count", *changed, "-o", out, "--checkpoint")
    assert (result.code, "going on from" in result.err) == (0, True)
    assert ts.load(out) == ts.count(ts.scan(changed))


@pytest.mark.parametrize("kind", ["svm", "txt"])
def test_a_bad_line_is_mended_and_the_job_goes_on(
    run: Any, tmp_path: Path, out: Path, kind: str
) -> None:
    good = {"svm": "1 1:1 2:1\n", "txt": "1\tbee and cow\n"}[kind]
    paths = [tmp_path / f"{number}.{kind}" for number in range(2)]
    paths[0].write_text(good * 100)
    paths[1].write_text(good * 10 + "1 what\n" + good)
    result = run("count", *paths, "-o", out, "--checkpoint")
    assert result.code == 1
    assert f"{paths[1]}, line 11: " in result.err
    paths[1].write_text(good * 12)
    result = run("count", *paths, "-o", out, "--checkpoint")
    assert (result.code, "after 100 documents" in result.err) == (0, True)
    assert ts.load(out) == ts.count(ts.scan(paths))


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
    """Run a job that must refuse the checkpoint, and return the message."""
    before = of(out).read_bytes()
    complaint = str(run("count", *arguments, "-o", out, "--checkpoint").complaint)
    assert of(out).read_bytes() == before
    assert complaint.startswith(f"{of(out)}: is the checkpoint of another count: ")
    assert complaint.endswith("; delete it to count anew")
    return complaint


def test_other_options_are_refused(run: Any, tables: list[Path], out: Path) -> None:
    interrupt(run, 3, *tables, "-o", out)
    for options, name, value in [
        (["--tf", "log"], "tf", "log"),
        (["--on-error", "skip"], "on_error", "skip"),
        (["--min-df", 2], "min_df", 2),
        (["--strip-accents", "ascii"], "strip_accents", "ascii"),
        (["--token-pattern", "a"], "token_pattern", "a"),
        (["--binary"], "binary", True),
    ]:
        complaint = refused(run, out, *tables, *options)
        assert f"this one has {name}={value!r}" in complaint
    assert run("count", *tables, "-o", out, "--checkpoint").code == 0


def test_other_inputs_are_refused(run: Any, tables: list[Path], out: Path) -> None:
    interrupt(run, 3, *tables, "-o", out)
    n_counted = json.loads(of(out).read_bytes().partition(b"\n")[0])["n_inputs"]
    others = [tables[1], tables[0], *tables[2:]]
    complaint = refused(run, out, *others)
    assert f"it has counted {tables[0]} (" in complaint
    assert f"this one reads {tables[1]} (" in complaint
    complaint = refused(run, out, *tables[: n_counted - 1])
    assert f"it has counted {tables[n_counted - 1]} (" in complaint
    assert "this one reads nothing" in complaint


def test_inputs_that_were_counted_may_not_change(run: Any, tables: list[Path], out: Path) -> None:
    os.utime(tables[0], ns=(1, 10**18))
    interrupt(run, 3, *tables, "-o", out)
    os.utime(tables[0], ns=(1, 2 * 10**18))
    complaint = refused(run, out, *tables)
    assert f"it has counted {tables[0]} (" in complaint
    assert f"this one reads {tables[0]} (" in complaint
    assert ", last changed 2001-09-0" in complaint
    assert ", last changed 2033-05-1" in complaint
    os.utime(tables[0], ns=(1, 10**18))
    content = tables[0].read_text()
    tables[0].write_text(content + "1\tant\n")
    assert f"{len(content) + 6} bytes, " in refused(run, out, *tables)
    tables[0].write_text(content)
    os.utime(tables[0], ns=(1, 10**18))
    assert run("count", *tables, "-o", out, "--checkpoint").code == 0


@pytest.mark.parametrize("option", ["--labels", "--terms"])
def test_files_beside_the_inputs_may_not_change(
    run: Any, tmp_path: Path, out: Path, option: str
) -> None:
    ending = "svm" if option == "--terms" else "npz"
    paths = [tmp_path / f"{number}.{ending}" for number in range(2)]
    for path in paths:
        if option == "--terms":
            path.write_text("1 1:1 2:1\n" * 200)
        else:
            sparse.save_npz(path, sparse.csr_array(np.ones((200, 2), dtype=int)))
    beside = tmp_path / "beside"
    beside.write_text("ant\nbee\n" if option == "--terms" else "x\n" * 200)
    options = [option, beside] if option == "--terms" else [option, beside] * 2
    interrupt(run, 1, *paths, "-o", out, *options)
    beside.write_text("ant\ncow\n" if option == "--terms" else "y\n" * 200)
    os.utime(beside, ns=(1, 1))
    assert f"it has counted {beside} (" in refused(run, out, *paths, *options)


def test_documents_of_a_folder_may_not_come_or_go(run: Any, tmp_path: Path, out: Path) -> None:
    fractions = [tmp_path / "one", tmp_path / "two"]
    for folder in fractions:
        for label in ("a", "b"):
            (folder / label).mkdir(parents=True)
            for number in range(10):
                (folder / label / f"{number}.txt").write_text("ant bee " * 100)
    interrupt(run, 1, *fractions, "-o", out)
    (fractions[0] / "b" / ".2.txt.swp").write_bytes(b"\xff")  # hidden files are not documents
    (fractions[0] / "c.txt").write_text("cow")
    (fractions[0] / "b" / "99.txt").write_text("cow")
    assert f"{fractions[0] / 'b' / '99.txt'} (3 bytes, " in refused(run, out, *fractions)
    (fractions[0] / "b" / "99.txt").unlink()
    assert run("count", *fractions, "-o", out, "--checkpoint").code == 0
    assert ts.load(out).n_docs == 40


# ---- damage and failures -------------------------------------------------------------------------


def test_damaged_checkpoints_are_refused(run: Any, tables: list[Path], out: Path) -> None:
    arguments = ["count", *tables, "-o", out, "--checkpoint"]
    interrupt(run, 3, *tables, "-o", out)
    content = of(out).read_bytes()
    line, _, counts = content.partition(b"\n")
    job = json.loads(line)
    wrong: list[Any] = [None, 3, [], {}, "x", {k: v for k, v in job.items() if k != "files"}]
    damaged = f"{of(out)}: the checkpoint is damaged; delete it to count anew"
    for other in wrong:
        of(out).write_bytes(json.dumps(other).encode() + b"\n" + counts)
        assert run(*arguments).complaint == damaged, other
    for other in (b"", b"\n", b"\xff\n", counts, line):
        of(out).write_bytes(other)
        assert run(*arguments).complaint.startswith(f"{of(out)}: "), other
    for flipped in range(len(line) + 1, len(content), 97):
        of(out).write_bytes(
            content[:flipped] + bytes([content[flipped] ^ 1]) + content[flipped + 1 :]
        )
        assert "the saved counts" in (complaint := run(*arguments).complaint) or (
            "not a file of saved counts" in complaint
        )
    of(out).write_bytes(content)
    assert run(*arguments).code == 0


def test_a_disk_that_fills(run: Any, tables: list[Path], out: Path, monkeypatch: Any) -> None:
    written: list[bytes] = []

    def fills(path: Path) -> Any:
        if written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written.append(b"")
        return replacing(path)

    monkeypatch.setattr(checkpoints, "replacing", fills)
    result = interrupt(run, 4, *tables, "-o", out)
    warning = f"warning: {of(out)}: could not be written, and is what it was before: No space left"
    assert warning in result.err
    monkeypatch.undo()
    result = run("count", *tables, "-o", out, "--checkpoint")
    assert f"going on from {of(out)}, after {N_DOCS} documents" in result.err
    assert ts.load(out) == ts.count(ts.scan(tables))


def test_an_output_that_cannot_be_written_loses_nothing(
    run: Any, tables: list[Path], out: Path, monkeypatch: Any
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(out))

    with monkeypatch.context() as patch:
        patch.setattr(ts.ClassCounts, "save", full)
        result = run("count", *tables, "-o", out, "--checkpoint")
    assert (result.code, "goes on from" in result.err) == (1, True)
    assert not out.exists()
    result = run("count", *tables, "-o", out, "--checkpoint")
    assert (result.code, "going on from" in result.err) == (0, True)
    assert ts.load(out) == ts.count(ts.scan(tables))


# ---- signals -------------------------------------------------------------------------------------


def start(tables: list[Path], out: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "termsift", "count", *map(str, tables), "-o", str(out)]
    return start_hearing(
        [*command, "--checkpoint"],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def until(seen: Any, process: subprocess.Popen[str]) -> None:
    """Wait for something, or for the end of the process."""
    ends = time.monotonic() + LIMIT
    while not seen() and process.poll() is None:
        assert time.monotonic() < ends
        time.sleep(0.001)


@pytest.mark.full(cases=1)
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_killed_again_and_again(tables: list[Path], out: Path, kill: int) -> None:
    for path in tables:
        path.write_text(path.read_text() * 20)
    rng, kills = random.Random(1), 0
    ends: list[Any] = []
    while kills < 2 and len(ends) < 30:
        before = of(out).stat().st_mtime_ns if of(out).exists() else 0
        process = start(tables, out)
        until(lambda: of(out).exists() and of(out).stat().st_mtime_ns > before, process)  # noqa: B023
        time.sleep(rng.random() * 0.05)
        process.send_signal(kill)
        told = process.communicate(timeout=LIMIT)
        ends.append((process.returncode, told))
        kills += process.returncode in (-signal.SIGKILL, -signal.SIGINT, 130, 143)
        out.unlink(missing_ok=True)  # the job may have ended before the signal came
    assert kills == 2, ends
    process = start(tables, out)
    _, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 0, err
    assert ts.load(out) == ts.count(ts.scan(tables))
    assert not of(out).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_sigterm_is_an_interruption(
    run: Any, tables: list[Path], out: Path, monkeypatch: Any
) -> None:
    usual = ScanCounting.steps

    def steps(counting: ScanCounting) -> Any:
        for _ in usual(counting):
            if counting._scan.inputs_done == 3:
                signal.raise_signal(signal.SIGTERM)
            yield

    before = signal.getsignal(signal.SIGTERM)
    with monkeypatch.context() as patch:
        patch.setattr(ScanCounting, "steps", steps)
        result = run("count", *tables, "-o", out, "--checkpoint")
    assert result.code == 128 + signal.SIGTERM
    assert result.err == f"termsift: stopped; the same command goes on from {out}.checkpoint\n"
    assert signal.getsignal(signal.SIGTERM) == before
    assert run("count", *tables, "-o", out, "--checkpoint").code == 0
    assert ts.load(out) == ts.count(ts.scan(tables))
