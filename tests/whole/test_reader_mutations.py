"""Change bytes of files: a reader must read each file, or raise our error that names the file.

A child process changes and reads the files, so a crash fails the test but does not end pytest.
TERMSIFT_MUTATIONS sets the number of changed files of each kind. Each changed file has a name, with
which a failure can be repeated:

    PYTHONPATH=tests/helpers python tests/whole/test_reader_mutations.py /tmp/empty feather:17

Guards: all readers of io, and _counts/file.py.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import random
import struct
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scipy import sparse

import termsift as ts
from collection_files import read_files
from counts_files import HEADER_SIZE, sealed
from file_kinds import KINDS, WORDS, as_folders, random_collection, write, zipped, zstandard
from termsift import cli

MEMORY = 6 << 30  # Limit of the address space, as changed files may claim to be very large.
HANGS = 1800  # Seconds, after which reading counts as hanging.
NUMBERS = [0, 1, -1, -5, 2**31 - 1, -(2**31), 2**30, 4000, 2**62]
ALL_KINDS = (*KINDS, "npz csc", "npz coo", "npz bsr", "npz dia", "svm terms", "classes", "counts")


def write_kind(kind: str, folder: Path) -> tuple[Path, dict[str, Any]]:
    """Write a collection as a file of some kind. Return its path and the options to read it."""
    X, y = random_collection()
    if kind == "classes":
        return as_folders(folder), {}
    if kind == "counts":
        ts.count(X, y, term_names=WORDS).save(folder / "c.termsift")
        return folder / "c.termsift", {}
    ending, _, form = kind.partition(" ")
    path, options = write(ending, folder, X, y)
    if form == "terms":
        options["term_names"] = folder / "terms"
        options["term_names"].write_text("\n".join(WORDS))
    elif form:
        sparse.save_npz(path, X.asformat(form))
    return path, options


# ---- how files are changed -----------------------------------------------------------------------


def changed(rng: random.Random, content: bytes) -> bytes:
    """Return the content with a few bytes changed, added or left out."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 3))):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(10)
        if kind == 0:
            del data[at:]
        elif kind == 1:
            marks = (b"\0", b"\n", b"7", b".", b"\xff", b'"', b"\0" * 512, b"\x1b[2J")
            data[at:at] = rng.choice(marks)
        elif kind == 2:
            del data[at : at + rng.choice((1, 2, 8, 40))]
        elif kind == 3:
            data[at:at] = data[at // 2 : at // 2 + rng.randrange(64)]
        elif kind <= 5 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 6 and at < len(data):
            data[at] = rng.choice(b"0123456789.,-+eE%# \t\r\n:\0\xff{}[]()'\"")
        elif kind == 7:
            form = rng.choice(("<i", "<q"))
            at = at // 4 * 4
            value = rng.choice(NUMBERS[: 8 if form == "<i" else None])
            data[at : at + struct.calcsize(form)] = struct.pack(form, value)
        elif at < len(data):
            data[at] = rng.randrange(256)
    return bytes(data)


def change_within(rng: random.Random, path: Path) -> None:
    """Change compressed content, a member of an archive, or counts with a corrected checksum."""
    content = path.read_bytes()
    if path.suffix == ".npz":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        name = rng.choice(sorted(members))
        members[name] = changed(rng, members[name])
        with zipfile.ZipFile(path, "w") as archive:
            for other, member in members.items():
                archive.writestr(other, member)
    elif path.suffix == ".termsift":
        sealed(path, changed(rng, content[HEADER_SIZE:]))
    elif path.suffix == ".zip":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            path.write_bytes(zipped(changed(rng, archive.read("c.csv"))))
    elif path.suffix in (".gz", ".bz2", ".xz"):
        module = {".gz": gzip, ".bz2": bz2, ".xz": lzma}[path.suffix]
        path.write_bytes(module.compress(changed(rng, module.decompress(content))))
    elif path.suffix == ".zst":
        zstd = pytest.importorskip("backports.zstd")
        path.write_bytes(zstandard(changed(rng, zstd.decompress(content))))
    else:
        path.write_bytes(changed(rng, content))


# ---- how they are read, in the child -------------------------------------------------------------


def readers(path: Path, options: dict[str, Any]) -> dict[str, Callable[[], object]]:
    """Return all functions and commands that can read a file, by name."""
    words: list[Any] = []
    for name, value in options.items():
        words += [f"--{name.replace('_', '-')}", value]
    ways: dict[str, Callable[[], object]] = {
        "rank": lambda: command("rank", path, "-k", "3", *words)
    }
    if path.suffix == ".termsift":
        return {**ways, "load": lambda: ts.load(path).score("md")}
    ways["count"] = lambda: ts.count(ts.scan(path, **options))
    ways["count --output"] = lambda: command("count", path, "-o", f"{path}.termsift", *words)
    if "labels" not in options:
        ways["skip"] = lambda: ts.count(ts.scan(path, on_error="skip"))
    ways["read_collection"] = lambda: read_files(path, **options)
    return ways


def command(*words: object) -> None:
    """Run the command line, which must succeed or print one line."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.main([str(word) for word in words])
    told = [line for line in err.getvalue().splitlines() if line.startswith("termsift: error: ")]
    if code not in (0, None) and len(told) != 1:
        raise AssertionError(f"exit {code} and {err.getvalue()!r}")


def verdict(error: BaseException, path: Path) -> str | None:
    """Return what is wrong with an error, or None if its type is ours and it names the file."""
    kind = type(error)
    ours = kind.__module__.partition(".")[0] in ("builtins", "termsift")
    known = isinstance(error, (ValueError, OSError, TypeError, MemoryError, ArithmeticError))
    told = f"{kind.__module__}.{kind.__name__}: {str(error)[:300]}"
    if not ours or not known or isinstance(error, UnicodeError):
        return told
    if isinstance(error, MemoryError) and str(error).startswith("not enough memory to count"):
        return None  # the changed file is valid and has a billion columns
    return None if str(path.parent) in str(error) else f"does not name the file: {told}"


def child(folder: Path, places: list[str]) -> None:
    """Change and read files. The last line of output names the file that is being read."""
    with contextlib.suppress(ImportError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", UserWarning)
    for place in places:
        (folder / place).mkdir()
        with contextlib.suppress(pytest.skip.Exception):  # a package is missing
            read_changed(folder / place, place)


def read_changed(folder: Path, place: str) -> None:
    """Write the files of a kind, change one file, and read them with every reader."""
    rng = random.Random(place)
    path, options = write_kind(place.rpartition(":")[0], folder)
    target = rng.choice(sorted(file for file in folder.rglob("*") if file.is_file()))
    if rng.randrange(4):
        change_within(rng, target)
    else:
        target.write_bytes(changed(rng, target.read_bytes()))
    for way, read in readers(path, options).items():
        print(f"{place} {way}", flush=True)
        try:
            read()
        except (Exception, SystemExit) as error:
            wrong = verdict(error, path)
            if wrong is not None:
                print(f"WRONG {place} {way}: {wrong}", flush=True)


def test_changed_bytes(tmp_path: Path, is_full: bool) -> None:
    usual = 8 if is_full else 2
    mutations = int(os.environ.get("TERMSIFT_MUTATIONS", usual))
    places = [f"{kind}:{i}" for kind in ALL_KINDS for i in range(mutations)]
    folders = [str(Path(__file__).parents[1] / "helpers"), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, __file__, str(tmp_path), *places],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
        capture_output=True,
        text=True,
        timeout=HANGS,
    )
    lines = done.stdout.splitlines()
    assert done.returncode == 0, f"{lines[-1:]} ended with {done.returncode}: {done.stderr[-300:]}"
    wrong = [line for line in lines if line.startswith("WRONG")]
    assert not wrong, f"{len(wrong)} of them:\n" + "\n".join(wrong)


if __name__ == "__main__":
    child(Path(sys.argv[1]), sys.argv[2:])
