"""Files that are written: on disks that refuse something, by processes that are killed."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import termsift as ts
from signals import LIMIT
from termsift import _files

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

# Runs one command after the other where each call is refused, and prints how they ended.
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


def test_what_a_disk_refuses_is_told_first_or_not_needed(
    refusing: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.svm").write_text("1 1:2 2:1\n2 2:1\n")
    ts.count(X, Y).save("a.termsift")
    inputs = {"count": "a.svm", "rank": "a.svm", "merge": "a.termsift", "report": "a.termsift"}
    commands = [[command, path] for command, path in inputs.items()]
    # Where the input is absent, what is told of the output was told before anything was read.
    commands += [[command, "absent.svm"] for command in ("count", "rank", "report")]
    numbers = [errno.EPERM, errno.ENOTSUP, errno.EXDEV]
    arguments = json.dumps([["none", *CALLS], numbers, ["new", "0644", "0600"], commands])
    done = run_code(TRY_ALL, arguments, LD_PRELOAD=str(refusing))
    assert done.returncode == 0, done.stderr
    ended = json.loads(done.stdout)
    assert len(ended) == 9 * 3 * 3 * 7
    told = 0
    for call, number, state, (command, path), code, err, left in ended:
        case = call, number, state, command, path, err
        # A mount that refuses chmod gives all files the same mode. Elsewhere a private file must
        # not be replaced by one that others may read.
        if "rename" in call or ("chmod" in call and state == "0600"):
            start = f"termsift: error: folder/out: {os.strerror(number)}: "
            told += err.startswith(start)
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
    assert told >= 3 * 7 * 4  # rename for each state, and chmod


# ---- kills ---------------------------------------------------------------------------------------

# Kills a child at every call of the system that writing makes, and writes again after each.
KILLED = """
    import os, pathlib, signal, sys
    from termsift import _files
    kind = sys.argv[1]
    out = pathlib.Path("folder/out")
    names = ("open", "mkdir", "close", "rename", "replace", "chmod", "fsync", "unlink", "listdir")

    def write(content):
        if kind == "folder":
            with _files.new_folder(out) as folder:
                (folder / "a").write_text(content)
                (folder / "b").write_text(content)
        else:
            with _files.replacing(out, text=True) as file:
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


@posix
@pytest.mark.parametrize("kind", ["new", "over a file", "folder"])
def test_what_a_kill_leaves_goes_with_the_next_run(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run_code(KILLED, kind)
    assert done.returncode == 0, done.stderr
    n_calls, *seen = done.stdout.split()
    assert int(n_calls) >= 5
    assert seen == ["new", "old" if kind == "over a file" else "None"] or seen == ["None", "new"]


def test_what_another_writes_at_this_moment_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with _files.replacing(path, text=True) as one:
        one.write("one")
        with _files.replacing(path, text=True) as other:
            other.write("other")
            _files.check_replaceable(path)
        assert path.read_text() == "other"
        assert len(list(tmp_path.iterdir())) == 2
    assert path.read_text() == "one"
    assert list(tmp_path.iterdir()) == [path]


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    names = ["out", ".termsift-0.partial", ".termsift-0123456789abcdef.partial", "x.partial"]
    with _files.replacing(tmp_path / "other", text=True) as file:
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
    with _files.replacing(path) as file:
        (partial,) = (p for p in tmp_path.iterdir() if p not in (path, secret))
        file.write(b"")
    partial.symlink_to(secret)
    os.mkfifo(f"{partial}.fifo")  # opening it must not wait for a writer
    _files.check_replaceable(path)
    assert partial.is_symlink()
    assert secret.read_text() == "kept"
