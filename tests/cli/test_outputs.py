"""Outputs: their formats, disks that refuse something, processes that are killed."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts
from signals import LIMIT
from termsift import io, plots
from termsift._util import files
from termsift._util.export import FORMAT_OF
from termsift.report import write_report

X, Y = np.array([[3, 1, 0], [0, 1, 4]]), ["ham", "spam"]
posix = pytest.mark.skipif(os.name != "posix", reason="locks, modes and kills of POSIX")


def run_code(code: str, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
        env={**os.environ, **environment},
    )


# ---- disks that refuse something -----------------------------------------------------------------

# Refuses the calls that the environment names, as mounts of FUSE, SMB and exFAT do.
REFUSING = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static int refused(const char* call) {
  const char* what = getenv("REFUSED");
  if (what == NULL || strcmp(what, call) != 0) return 0;
  errno = atoi(getenv("REFUSED_BY"));
  return 1;
}
#define REFUSE(call, parameters, arguments) \
  int call parameters { \
    int (*usual) parameters = dlsym(RTLD_NEXT, #call); \
    return refused(#call) ? -1 : usual arguments; \
  }
REFUSE(chmod, (const char* p, mode_t m), (p, m))
REFUSE(fchmod, (int f, mode_t m), (f, m))
REFUSE(fchmodat, (int f, const char* p, mode_t m, int o), (f, p, m, o))
REFUSE(rename, (const char* a, const char* b), (a, b))
REFUSE(renameat, (int f, const char* a, int g, const char* b), (f, a, g, b))
REFUSE(link, (const char* a, const char* b), (a, b))
REFUSE(linkat, (int f, const char* a, int g, const char* b, int o), (f, a, g, b, o))
#define REFUSE_TMPFILE(call) \
  int call(const char* path, int flags, ...) { \
    va_list rest; va_start(rest, flags); int mode = va_arg(rest, int); va_end(rest); \
    int (*usual)(const char*, int, ...) = dlsym(RTLD_NEXT, #call); \
    if ((flags & O_TMPFILE) == O_TMPFILE && refused("O_TMPFILE")) return -1; \
    return usual(path, flags, mode); \
  }
REFUSE_TMPFILE(open)
REFUSE_TMPFILE(open64)
"""
CALLS = ["chmod", "fchmod", "fchmodat", "rename", "renameat", "link", "linkat", "O_TMPFILE"]

# Runs every command with each call refused, and prints the exit statuses.
TRY_ALL = """
    import contextlib, io, json, os, sys
    from termsift import cli
    calls, numbers, states, commands = json.loads(sys.argv[1])
    os.umask(0o022)
    ended = []
    for call in calls:
        for number in numbers:
            for state in states:
                for command in commands:
                    os.makedirs("folder")
                    if state != "new":
                        open("folder/out", "w").close()
                        os.chmod("folder/out", int(state, 8))
                    os.environ.update(REFUSED=call, REFUSED_BY=str(number))
                    err = io.StringIO()
                    with contextlib.redirect_stderr(err), contextlib.redirect_stdout(io.StringIO()):
                        code = cli.main([*command, "-o", "folder/out"])
                    del os.environ["REFUSED"]
                    names = os.listdir("folder")
                    left = {name: os.stat(f"folder/{name}").st_mode for name in names}
                    ended.append([call, number, state, command, code, err.getvalue(), left])
                    for name in left:
                        os.unlink(f"folder/{name}")
                    os.rmdir("folder")
    print(json.dumps(ended))
"""


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if sys.platform != "linux" or compiler is None:
        pytest.skip("needs a C compiler and Linux's LD_PRELOAD")
    folder = tmp_path_factory.mktemp("refusing")
    (folder / "refusing.c").write_text(REFUSING)
    library = folder / "refusing.so"
    command = [compiler, "-shared", "-fPIC", "-o", library, folder / "refusing.c", "-ldl"]
    subprocess.run(command, check=True, timeout=LIMIT)
    return library


def test_what_a_disk_refuses_is_reported_first_or_not_needed(
    refusing: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.svm").write_text("1 1:2 2:1\n2 2:1\n")
    ts.count(X, Y).save("a.termsift")
    inputs = {"count": "a.svm", "rank": "a.svm", "merge": "a.termsift", "report": "a.termsift"}
    commands = [[command, path] for command, path in inputs.items()]
    # The input is absent, so an error about the output shows that it came before any reading.
    commands += [[command, "absent.svm"] for command in ("count", "rank", "report")]
    numbers = [errno.EPERM, errno.ENOTSUP, errno.EXDEV]
    if not pytestconfig.getoption("--full"):
        del numbers[1:]
    arguments = json.dumps([["none", *CALLS], numbers, ["new", "0644", "0600"], commands])
    done = run_code(TRY_ALL, arguments, LD_PRELOAD=str(refusing))
    assert done.returncode == 0, done.stderr
    ended = json.loads(done.stdout)
    assert len(ended) == 9 * len(numbers) * 3 * 7
    n_reported = 0
    for call, number, state, (command, path), code, err, left in ended:
        case = call, number, state, command, path, err
        # On a mount that refuses chmod, all files have the same mode. Elsewhere a private file must
        # not be replaced by one that others may read.
        if "rename" in call or ("chmod" in call and state == "0600"):
            start = f"termsift: error: folder/out: {os.strerror(number)}: "
            n_reported += err.startswith(start)
        if "folder/out: " in err:
            assert code == 1, case
            assert err.startswith(start), case
            assert err.count("\n") == 1, case
        elif path == "absent.svm":
            assert err == "termsift: error: absent.svm: no such file\n", case
        else:
            assert (code, err) == (0, ""), case
        assert set(left) == ({"out"} if state != "new" or code == 0 else set()), case
        if left:
            mode = 0o644 if state == "new" else int(state, 8)
            assert left["out"] & 0o777 == mode, case
    assert n_reported >= len(numbers) * 7 * 4  # rename for each state, and chmod


# ---- kills ---------------------------------------------------------------------------------------

# Kills a child at every call of the system that writing makes, and writes again after each.
KILLED = """
    import os, pathlib, signal, sys
    from termsift._util import files
    kind = sys.argv[1]
    out = pathlib.Path("folder/out")
    names = ("open", "mkdir", "close", "rename", "replace", "chmod", "fsync", "unlink", "listdir")

    def write(content):
        if kind == "folder":
            with files.new_folder(out) as folder:
                (folder / "a").write_text(content)
                (folder / "b").write_text(content)
        else:
            with files.replacing(out, text=True) as file:
                file.write(content)

    def content():
        return (out / "a" if kind == "folder" else out).read_text() if out.exists() else None

    def killing(usual, after):
        def call(*arguments, **options):
            global calls
            calls -= not after
            if calls < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            result = usual(*arguments, **options)
            calls -= after
            if calls < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return result
        return call

    at, seen, left = 0, set(), 0
    for after in (False, True):
        for at in range(1000):
            os.makedirs("folder")
            if kind == "over a file":
                out.write_text("old")
                out.chmod(0o600)
            child = os.fork()
            if child == 0:
                calls = at
                for name in names:
                    setattr(os, name, killing(getattr(os, name), after))
                write("new")
                os._exit(0)
            killed = os.waitpid(child, 0)[1] == signal.SIGKILL
            seen.add(content())
            if killed and content() != "new":
                left += len(set(os.listdir("folder")) - {"out"})
                write("again")
                assert content() == "again"
            assert os.listdir("folder") == ["out"], (at, os.listdir("folder"))
            os.system("rm -r folder")
            if not killed:
                break
    assert left > 0
    print(at, *sorted(map(str, seen)))
"""


@pytest.mark.full(cases=1)
@posix
@pytest.mark.parametrize("kind", ["new", "over a file", "folder"])
def test_the_next_run_removes_what_a_kill_leaves(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run_code(KILLED, kind)
    assert done.returncode == 0, done.stderr
    n_calls, *seen = done.stdout.split()
    assert int(n_calls) >= 5
    assert seen == ["new", "old" if kind == "over a file" else "None"] or seen == ["None", "new"]


def test_a_file_that_another_process_writes_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with files.replacing(path, text=True) as one:
        one.write("one")
        with files.replacing(path, text=True) as other:
            other.write("other")
            files.check_replaceable(path)
        assert path.read_text() == "other"
        assert len(list(tmp_path.iterdir())) == 2
    assert path.read_text() == "one"
    assert list(tmp_path.iterdir()) == [path]


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    names = ["out", ".termsift-0.partial", ".termsift-0123456789abcdef.partial", "x.partial"]
    with files.replacing(tmp_path / "other", text=True) as file:
        (partial,) = (path.name for path in tmp_path.iterdir())
        file.write("")
    for name in [*names, partial]:
        (tmp_path / name).write_text("theirs")
    ts.count(X, Y).save(tmp_path / "out")
    left = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(left) == {*names, partial, "other"}
    assert all(left[name] == b"theirs" for name in [*names[1:], partial])


@posix
def test_a_link_in_place_of_a_partial_file_is_left_alone(tmp_path: Path) -> None:
    path, secret = tmp_path / "out", tmp_path / "secret"
    secret.write_text("kept")
    with files.replacing(path) as file:
        (partial,) = (p for p in tmp_path.iterdir() if p not in (path, secret))
        file.write(b"")
    partial.symlink_to(secret)
    os.mkfifo(f"{partial}.fifo")  # opening it must not wait for a writer
    files.check_replaceable(path)
    assert partial.is_symlink()
    assert secret.read_text() == "kept"


# ---- the ending of an output's name --------------------------------------------------------------


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "a.csv"
    path.write_text("label,text\n" + "ham,bacon egg\nspam,viagra egg\n" * 5)
    return path


@pytest.mark.parametrize("command", [["rank"], ["rank", "--per-class"], ["compare", "--cv", "2"]])
@pytest.mark.parametrize("ending", sorted(FORMAT_OF))
def test_the_ending_decides_the_format(
    run: Any, table: Path, tmp_path: Path, command: list[str], ending: str
) -> None:
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    command = [command[0], str(table), *command[1:]]
    by_ending, by_option = tmp_path / f"x{ending.upper()}", tmp_path / "x"
    assert run(*command, "-o", by_ending).code == 0
    assert run(*command, "--format", FORMAT_OF[ending], "-o", by_option).code == 0
    assert by_ending.read_bytes() == by_option.read_bytes()
    assert run(*command, "-o", by_ending, "--format", FORMAT_OF[ending]).code == 0
    assert run(*command, "-o", tmp_path / "plain").code == 0
    is_table = by_ending.read_bytes() == (tmp_path / "plain").read_bytes()
    assert is_table == (FORMAT_OF[ending] == "table")


def test_counts_without_an_ending_are_read_as_counts(run: Any, tmp_path: Path) -> None:
    ts.count(X, Y).save(tmp_path / "a.termsift")
    assert run("merge", tmp_path / "a.termsift", "-o", tmp_path / "counts").code == 0
    for command in (["rank"], ["info"], ["report", "-o", tmp_path / "page.html"]):
        name, *options = command
        found, expected = (
            run(name, tmp_path / file, *options) for file in ("counts", "a.termsift")
        )
        assert found.code == 0
        assert found.out.replace("counts", "a.termsift") == expected.out.replace(
            "counts", "a.termsift"
        )


@pytest.mark.parametrize(
    ("command", "known"),
    [
        ("rank", " ".join(FORMAT_OF)),
        ("compare", " ".join(FORMAT_OF)),
        ("count", ".termsift"),
        ("merge", ".termsift"),
        ("report", ".html .htm"),
    ],
)
@pytest.mark.parametrize("name", ["o.xlsx", "o.csv.gz", "o.2024", "o.JPG", "o.csv", "o.termsift"])
def test_an_unknown_ending_is_refused_before_the_work(
    run: Any, tmp_path: Path, command: str, known: str, name: str
) -> None:
    ending = Path(name).suffix.lower()
    result = run(command, "absent.termsift", "-o", tmp_path / name)
    if ending in known.split():
        assert "absent.termsift" in result.complaint
    else:
        start = f"{tmp_path / name}: unknown ending {ending!r} for "
        assert result.complaint.startswith(start)
        assert result.complaint.endswith(f", expected {known} or none")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["rank", "compare"])
def test_a_format_must_not_contradict_the_ending(
    run: Any, table: Path, tmp_path: Path, command: str
) -> None:
    result = run(command, "absent.csv", "--format", "json", "-o", tmp_path / "o.csv")
    assert result.code == 2
    expected = f"json contradicts the ending of {tmp_path / 'o.csv'}, which stands for csv"
    assert f"argument --format: {expected}" in result.err
    options = ["--cv", 2] if command == "compare" else []
    out = tmp_path / "o.dat"
    assert run(command, table, *options, "--format", "json", "-o", out).code == 0
    json.loads(out.read_text())
    complaint = run(command, table, *options, "-o", tmp_path).complaint
    assert complaint == f"{tmp_path}: is a folder, expected the name of a file"


def test_plots_that_cannot_be_written_are_reported_before_the_work(
    run: Any, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    absent = tmp_path / "no" / "x.png"
    complaint = run("compare", "absent.csv", "--plot", absent).complaint
    assert complaint == f"{absent.parent}: no such folder, to write x.png to"


# ---- inputs that are given twice -----------------------------------------------------------------


@pytest.mark.parametrize("command", ["count", "merge"])
def test_an_input_given_twice_is_refused(run: Any, tmp_path: Path, command: str) -> None:
    inputs = [tmp_path / "a.svm", tmp_path / "b.svm"]
    for path in inputs:
        path.write_text("1 1:2 2:1\n2 2:1\n")
    if command == "merge":
        inputs = [path.with_suffix(".termsift") for path in inputs]
        for path in inputs:
            ts.count(X, Y).save(path)
    one, other = inputs
    out = tmp_path / "o"
    assert run(command, one, other, "-o", out).code == 0
    out.unlink()
    complaint = run(command, one, other, one, "-o", out).complaint
    assert complaint == f"{one}: is given twice and would be counted twice"
    again = Path(f"{tmp_path}/../{tmp_path.name}/{one.name}")
    expected = f"{again}, the same file as {one}: is given twice and would be counted twice"
    assert run(command, one, again, "-o", out).complaint == expected
    if os.name == "posix":
        link = tmp_path / f"l{one.suffix}"
        link.symlink_to(one)
        assert f"{link}, the same file as {one}" in run(command, one, link, "-o", out).complaint
    assert not out.exists()


def test_a_folder_given_twice_is_refused(run: Any, tmp_path: Path) -> None:
    (tmp_path / "classes" / "ham").mkdir(parents=True)
    paths = tmp_path / "classes", f"{tmp_path / 'classes'}/"
    assert "given twice" in run("count", *paths, "-o", tmp_path / "o").complaint


# ---- what is no path -----------------------------------------------------------------------------

COUNTS = ts.count(X, Y)
CURVE = ts.selection_curve(COUNTS.rank("md"), X, Y, X, Y, [1, 2])
TAKE_PATHS: dict[str, Callable[[Any], Any]] = {
    "load": ts.load,
    "save": COUNTS.save,
    "to_csv": COUNTS.rank("md").to_csv,
    "write_report": lambda path: write_report(COUNTS, path),
    "read_collection": io.read_collection,
    "read_names": io.read_names,
    "read_split": lambda path: io.read_split(path, path),
    "scan": ts.scan,
    "scan of several": lambda path: ts.scan(["a.svm", path]),
    "scan, labels": lambda path: ts.scan(__file__, labels=[path]),
    "scan, terms": lambda path: ts.scan(__file__, terms=path),
    "plot_ranking": lambda path: plots.plot_ranking(COUNTS.rank("md"), path),
    "plot_curves": lambda path: plots.plot_curves(CURVE, path),
}


class BytesPath(os.PathLike[Any]):
    """What `os.scandir` gives for the name of a folder in bytes."""

    def __fspath__(self) -> bytes:
        return b"x"


@pytest.mark.parametrize("name", TAKE_PATHS)
def test_arguments_that_are_no_paths_are_type_errors_and_close_nothing(
    name: str, tmp_path: Path
) -> None:
    if "plot" in name:
        pytest.importorskip("matplotlib")
    descriptor = os.open(os.devnull, os.O_RDWR)
    try:
        wrong = [descriptor, np.int64(descriptor), True, 1.5, b"x", [1], object(), BytesPath()]
        wrong += [] if name.startswith("plot") or name == "scan, terms" else [None]
        for path in wrong:
            with pytest.raises(TypeError):
                TAKE_PATHS[name](path)
            os.fstat(descriptor)
    finally:
        os.close(descriptor)
