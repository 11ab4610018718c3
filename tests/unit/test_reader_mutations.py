"""Every reader under changed bytes: it reads, or raises an error of ours that names the file.

A child process changes and reads many files in turn, so that a signal fails a test but does not end
the run. A run by hand can try more: TERMSIFT_MUTATIONS sets how many of each kind, and
TERMSIFT_MUTATIONS_SEED the seed. A failure is named, so that it can be repeated:

    python tests/unit/test_reader_mutations.py /tmp/empty 0 arrow:17
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import io as scipy_io
from scipy import sparse

import termsift as ts
from termsift import cli
from termsift import io as termsift_io

SEED = int(os.environ.get("TERMSIFT_MUTATIONS_SEED", "0"))
AT_ONCE = 1000  # files that a child reads
MEMORY = 6 << 30  # of address space, for a file that claims to be large
HANGS = 1800  # seconds; this many files never take so long

X = sparse.csr_array(
    np.array([[2, 0, 1, 0], [0, 3, 0, 1], [1, 1, 0, 5], [4, 0, 0, 1], [0, 0, 7, 2]])
)
Y = ["ham", "spam", "ham", "egg", "spam"]
TEXTS = ["ant bee ant", "bee cow, dog!", "ünï cow", "dog \U0001f41d bee", "ant"]

# ---- how files are made ------------------------------------------------------------------------


def table(separator: str) -> str:
    rows = zip(Y, TEXTS, strict=True)
    return f"label{separator}text\n" + "".join(f'{y}{separator}"{text}"\n' for y, text in rows)


def svmlight() -> str:
    lines = []
    for row in range(X.shape[0]):
        part = slice(X.indptr[row], X.indptr[row + 1])
        pairs = zip(X.indices[part] + 1, X.data[part], strict=True)
        lines.append(" ".join([f"{row % 3},7", *(f"{i}:{x}" for i, x in pairs)]))
    return "\n".join(lines) + "\n"


def matrix_market(matrix: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    scipy_io.mmwrite(file, matrix, **options)
    return file.getvalue()


def npz(form: str) -> bytes:
    file = io.BytesIO()
    sparse.save_npz(file, X.asformat(form), compressed=form != "csr")
    return file.getvalue()


def zipped(content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("c.csv", content)
    return file.getvalue()


def npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def columns(dictionary: bool = False) -> Any:
    arrow = pytest.importorskip("pyarrow")
    texts, labels = arrow.array(TEXTS), arrow.array(Y)
    if dictionary:
        texts, labels = texts.dictionary_encode(), labels.dictionary_encode()
    return arrow.table({"other": list(range(len(Y))), "text": texts, "label": labels})


def arrow_file(dictionary: bool = False, compression: str | None = None) -> bytes:
    ipc = pytest.importorskip("pyarrow.ipc")
    file, found = io.BytesIO(), columns(dictionary)
    options = ipc.IpcWriteOptions(compression=compression)
    with ipc.new_file(file, found.schema, options=options) as writer:
        writer.write_table(found, max_chunksize=3)
    return file.getvalue()


def parquet() -> bytes:
    writer, file = pytest.importorskip("pyarrow.parquet"), io.BytesIO()
    writer.write_table(columns(), file, row_group_size=3)
    return file.getvalue()


def zstandard(content: bytes) -> bytes:
    return bytes(pytest.importorskip("backports.zstd").compress(content))


def unzstandard(content: bytes) -> bytes:
    return bytes(pytest.importorskip("backports.zstd").decompress(content))


def saved_counts() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "saved")
        ts.count(X, Y, term_names=["ant", "bee", "cow", "dog"]).save(path)
        return path.read_bytes()


# ---- how they are changed ----------------------------------------------------------------------

HEADER = struct.Struct("<8sIQ32s")
NUMBERS = [0, 1, -1, -5, 2**31 - 1, -(2**31), 2**30, 4000, 2**62]
Change = Callable[[random.Random, bytes], bytes]


def changed(rng: random.Random, content: bytes) -> bytes:
    """Return the content with a few bytes changed, added or left out."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 3))):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(10)
        if kind == 0:
            del data[at:]
        elif kind == 1:
            data[at:at] = rng.choice(
                (b"\0", b"\n", b"7", b".", b"\xff", b'"', b"\0" * 512, b"\x1b[2J")
            )
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


def within(unpack: Callable[[bytes], bytes], pack: Callable[[bytes], bytes]) -> Change:
    """Return what changes the content of a compressed file, and half of the times the file."""

    def change(rng: random.Random, content: bytes) -> bytes:
        if rng.randrange(2):
            return changed(rng, content)
        return pack(changed(rng, unpack(content)))

    return change


def changed_archive(rng: random.Random, content: bytes) -> bytes:
    """Return an archive of which one member is changed, or a changed archive."""
    if rng.randrange(4) == 0:
        return changed(rng, content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(sorted(members))
    if rng.randrange(8) == 0:
        del members[name]
    elif rng.randrange(3) == 0:  # another array that is whole
        kinds: list[Any] = ["i4", "i8", "f8", "u1", "U3", "?", "c16", "M8[s]", "V4"]
        array = np.zeros(rng.choice([(0,), (1,), (5,), (2, 2), (10, 1, 2), ()]), rng.choice(kinds))
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            array[...] = rng.choice(NUMBERS)
        members[name] = npy(array)
    else:
        members[name] = changed(rng, members[name])
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for other, member in members.items():
            archive.writestr(other, member)
    return file.getvalue()


def resealed(rng: random.Random, content: bytes) -> bytes:
    """Return saved counts with another payload and the digest of that."""
    if rng.randrange(4) == 0:
        return changed(rng, content)
    magic, version, _, _ = HEADER.unpack_from(content)
    payload = changed(rng, content[HEADER.size :])
    digest = hashlib.blake2b(payload, digest_size=32).digest()
    seal = struct.pack("<IQ", version, len(payload)) + digest
    head = HEADER.pack(magic, version, len(payload), hashlib.blake2b(seal, digest_size=32).digest())
    return head + payload


# ---- the kinds: the files of each, which are changed in turns, and what is read -----------------

Made = tuple[dict[str, bytes], Change, dict[str, Any]]
GZ, ZST = within(gzip.decompress, gzip.compress), within(unzstandard, zstandard)
LABELS = {"labels": "".join(f"{y}\n" for y in Y).encode()}


def matrix_of(name: str, content: bytes, change: Change = changed) -> Made:
    return {name: content, **LABELS}, change, {"labels": "labels"}


KINDS = (
    *("svm", "svm.gz", "terms", "mtx", "mtx symmetric", "npz csr", "npz csc", "npz coo"),
    *("csv", "csv.zip", "tsv", "txt", "jsonl", "jsonl.zst", "json", "classes"),
    *("arrow", "arrow dictionary", "feather lz4", "parquet", "counts"),
)


def made(kind: str) -> Made:
    """Return the files of a kind, how one is changed, and the options that it is read with."""
    lines = "".join(
        json.dumps({"text": t, "label": y}) + "\n" for t, y in zip(TEXTS, Y, strict=True)
    )
    plain = "".join(f"{y}\t{t}\n" for t, y in zip(TEXTS, Y, strict=True))
    names = {"terms": b"ant\nbee\ncow\ndog\n"}
    makers: dict[str, Callable[[], Made]] = {
        "svm": lambda: ({"c.svm": svmlight().encode()}, changed, {}),
        "svm.gz": lambda: ({"c.svm.gz": gzip.compress(svmlight().encode())}, GZ, {}),
        "terms": lambda: ({**names, "c.svm": svmlight().encode()}, changed, {"terms": "terms"}),
        "mtx": lambda: matrix_of("c.mtx", matrix_market(X)),
        "mtx symmetric": lambda: matrix_of(
            "c.mtx", matrix_market((X @ X.T).toarray(), symmetry="symmetric")
        ),
        **{
            f"npz {form}": lambda form=form: matrix_of("c.npz", npz(form), changed_archive)
            for form in ("csr", "csc", "coo")
        },
        "csv": lambda: ({"c.csv": table(",").encode()}, changed, {}),
        "tsv": lambda: ({"c.tsv": table("\t").encode()}, changed, {}),
        "txt": lambda: ({"c.txt": plain.encode()}, changed, {}),
        "jsonl": lambda: ({"c.jsonl": lines.encode()}, changed, {}),
        "json": lambda: ({"c.json": f"[{lines[:-1]}]".replace("}\n", "},").encode()}, changed, {}),
        "csv.zip": lambda: ({"c.csv.zip": zipped(table(",").encode())}, changed_archive, {}),
        "jsonl.zst": lambda: ({"c.jsonl.zst": zstandard(lines.encode())}, ZST, {}),
        "classes": lambda: (
            {f"c/{y}/{i}.txt": t.encode() for i, (t, y) in enumerate(zip(TEXTS, Y, strict=True))},
            changed,
            {},
        ),
        "arrow": lambda: ({"c.arrow": arrow_file()}, changed, {}),
        "arrow dictionary": lambda: ({"c.arrow": arrow_file(dictionary=True)}, changed, {}),
        "feather lz4": lambda: ({"c.feather": arrow_file(compression="lz4")}, changed, {}),
        "parquet": lambda: ({"c.parquet": parquet()}, changed, {}),
        "counts": lambda: ({"c.termsift": saved_counts()}, resealed, {}),
    }  # fmt: skip
    return makers[kind]()


# ---- how they are read, in the child -----------------------------------------------------------


def readers(path: Path, options: dict[str, Any]) -> dict[str, Callable[[], object]]:
    """Return every way to read a file."""
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    ways: dict[str, Callable[[], object]] = {
        "rank": lambda: command("rank", path, "-k", "3", *words)
    }
    if path.suffix == ".termsift":
        return {**ways, "load": lambda: ts.load(path).score("md")}
    ways["count"] = lambda: ts.count(ts.scan(path, **options))
    ways["count --output"] = lambda: command("count", path, "-o", path.parent / "out", *words)
    if "labels" not in options:
        ways["skip"] = lambda: ts.count(ts.scan(path, on_error="skip"))
    ways["read_collection"] = lambda: termsift_io.read_collection(path, **options)
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
    """Return what is wrong with an error: its kind is not ours, or it does not name the file."""
    kind = type(error)
    ours = kind.__module__.partition(".")[0] in ("builtins", "termsift")
    known = isinstance(error, (ValueError, OSError, TypeError, MemoryError, ArithmeticError))
    told = f"{kind.__module__}.{kind.__name__}: {str(error)[:300]}"
    if not ours or not known or isinstance(error, UnicodeError):
        return told
    if isinstance(error, MemoryError) and str(error).startswith("not enough memory to count"):
        return None  # a file that is right, of a billion columns
    return None if str(path.parent) in str(error) else f"does not name the file: {told}"


def child(folder: Path, seed: int, inputs: list[str]) -> None:
    """Change and read files; the last line of the output names the file being read."""
    with contextlib.suppress(ImportError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", "md needs occurrences")
    os.chdir(folder)
    known: dict[str, Made | None] = {}
    for place in inputs:
        kind = place.rpartition(":")[0]
        if kind not in known:
            known[kind] = None
            with contextlib.suppress(pytest.skip.Exception):  # a package is missing
                known[kind] = made(kind)
        if known[kind] is not None:
            read_changed(folder / place, random.Random(f"{place} {seed}"), place, *known[kind])
            shutil.rmtree(folder / place)


def read_changed(
    folder: Path,
    rng: random.Random,
    place: str,
    files: dict[str, bytes],
    change: Change,
    options: dict[str, Any],
) -> None:
    """Write the files with one of them changed, and read them in every way."""
    changed_name = rng.choice(sorted(files))
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        of_file = change if name.startswith("c") else changed
        path.write_bytes(of_file(rng, content) if name == changed_name else content)
    options = {name: str(folder / value) for name, value in options.items()}
    main = folder / "c" if (folder / "c").is_dir() else next(folder.glob("c.*"))
    for way, read in readers(main, options).items():
        print(f"{place} {way}", flush=True)
        try:
            read()
        except (Exception, SystemExit) as error:
            wrong = verdict(error, main)
            if wrong is not None:
                print(f"WRONG {place} {way}: {wrong}", flush=True)
        finally:
            (folder / "out").unlink(missing_ok=True)


def test_changed_bytes(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    usual = 8 if pytestconfig.getoption("--full") else 2
    mutations = int(os.environ.get("TERMSIFT_MUTATIONS", usual))
    left = [f"{kind}:{i}" for kind in KINDS for i in range(mutations)]
    wrong: list[str] = []
    while left:
        done = subprocess.run(
            [sys.executable, __file__, str(tmp_path), str(SEED), *left[:AT_ONCE]],
            capture_output=True,
            text=True,
            timeout=HANGS,
        )
        lines = done.stdout.splitlines()
        wrong += [line for line in lines if line.startswith("WRONG")]
        if done.returncode == 0:
            del left[:AT_ONCE]
            continue
        last = next((line for line in reversed(lines) if not line.startswith("WRONG")), None)
        assert last is not None, done.stderr
        wrong.append(f"{last}: ended with {done.returncode}: {done.stderr[-300:]}")
        del left[: left.index(last.partition(":")[0] + ":" + last.partition(":")[2].split()[0]) + 1]
    assert not wrong, f"{len(wrong)} of them:\n" + "\n".join(wrong)


if __name__ == "__main__":
    child(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
