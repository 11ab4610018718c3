"""Every output that a full disk cuts short is an error with its name, and leaves the old file.

Guards: _util/files.py, and whatever writes a file. A limit on the size of files takes the place of
a full disk.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import termsift as ts

resource: Any = pytest.importorskip("resource", reason="limits of POSIX")

ROWS = "label,text\n" + "sport,goal ball ball team\ntrade,oil price ship\n" * 20


@contextmanager
def most_bytes(n: int) -> Iterator[None]:
    """Let no file of this process grow beyond ``n`` bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def check_full_disk(write: Callable[[], Any], path: Path, report: Callable[[], str]) -> None:
    """Write a file whose last bytes, or all bytes, do not fit. ``report()`` is the error."""
    write()
    size = path.stat().st_size
    others = sorted(path.parent.iterdir())
    for limit, existed in ((0, True), (size // 2, True), (size - 1, True), (size - 1, False)):
        path.unlink(missing_ok=True)
        if existed:
            path.write_bytes(b"old")
        with most_bytes(limit):
            error = report()
        assert str(path) in error
        assert "File too large" in error
        assert sorted(path.parent.iterdir()) == [
            other for other in others if existed or other != path
        ]
        assert not existed or path.read_bytes() == b"old"
    write()
    assert path.stat().st_size == size


@functools.cache
def counts() -> ts.ClassCounts:
    texts = ["goal ball ball team", "oil price ship", "ball team", "oil oil price"]
    return ts.count_texts(texts, ["sport", "trade"] * 2)


WRITERS: dict[str, Callable[[Path], Any]] = {
    "counts": lambda path: counts().save(path),
    "ranking": lambda path: counts().rank("md").to_csv(path),
    "significance": lambda path: counts().significance().to_csv(path),
    "key terms": lambda path: counts().keyness("sport").to_csv(path),
    "report": lambda path: importlib.import_module("termsift.report").write_report(counts(), path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_function_that_writes_a_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / "out"
    write = functools.partial(WRITERS[name], path)

    def report() -> str:
        with pytest.raises(OSError, match="File too large") as caught:
            write()
        return str(caught.value)

    check_full_disk(write, path, report)


COMPARE = ["compare", "news.csv", "--cv", "2", "--method", "df"]
COMMANDS: dict[str, list[str]] = {
    "c.termsift": ["count", "news.csv", "-o"],
    "m.termsift": ["merge", "saved.termsift", "-o"],
    "r.csv": ["rank", "news.csv", "-o"],
    "r.json": ["rank", "news.csv", "-o"],
    "r.txt": ["rank", "news.csv", "-o"],
    "k.csv": ["keyness", "news.csv", "sport", "-o"],
    "x.csv": ["context", "news.csv", "ball", "-o"],
    "l.csv": ["classify", "news.csv", "--counts", "saved.termsift", "-o"],
    "e.csv": [*COMPARE, "-o"],
    "e.tex": [*COMPARE, "--latex"],
    "e.png": [*COMPARE, "--plot"],
    "e.svg": [*COMPARE, "--plot"],
    "e.pdf": [*COMPARE, "--plot"],
    "report.html": ["report", "news.csv", "-o"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_writes_a_file(
    name: str, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "--plot" in COMMANDS[name]:
        pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    Path("news.csv").write_text(ROWS)
    counts().save("saved.termsift")
    path = tmp_path / name

    def write() -> None:
        result = run(*COMMANDS[name], path)
        assert result.code == 0, result.err

    def report() -> str:
        result = run(*COMMANDS[name], path)
        assert result.code == 1
        last: str = result.err.splitlines()[-1]
        return last

    check_full_disk(write, path, report)


@pytest.mark.parametrize("name", ["counts", "sketch"])
def test_a_checkpoint(name: str, tmp_path: Path) -> None:
    """The scan fails, and a later one resumes at the checkpoint that was there."""
    paths = []
    for number in range(3):
        paths.append(tmp_path / f"{number}.csv")
        paths[-1].write_text(ROWS)
    folder = tmp_path / "saved"
    job: dict[str, Any] = {"min_df": 2, "max_memory": 2**20, "checkpoint": folder}
    expected = ts.count(ts.scan(paths, **job))
    (folder / name).unlink()
    if name == "sketch":
        (folder / "counts").unlink()
    kept = sorted(folder.iterdir())
    with most_bytes(10), pytest.raises(OSError, match="File too large") as caught:
        ts.count(ts.scan(paths, **job))
    assert str(folder / name) in str(caught.value)
    assert sorted(folder.iterdir()) == kept
    assert ts.count(ts.scan(paths, **job)) == expected
