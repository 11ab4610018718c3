"""Bytes and whole files as texts for the core."""

from __future__ import annotations

import os
import socket
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from private import _core
from wording import raises

Texts = _core.Texts
DOCUMENTS = ["a", "b\xe9", "", "日本 €", "😀 z", "x\0y"]


def test_bytes_are_utf8() -> None:
    texts = Texts.of_bytes([text.encode() for text in DOCUMENTS])
    assert list(texts) == DOCUMENTS
    assert texts.n_bytes == sum(len(text.encode()) for text in DOCUMENTS)
    assert texts.is_utf8
    assert not Texts.of_bytes([b"a", b"b\xff"]).is_utf8
    with raises(TypeError, "texts_has_a_str_at"):
        Texts.of_bytes([b"a", "b"])  # type: ignore[list-item]


def test_files_are_read_in_order(tmp_path: Path) -> None:
    paths = [tmp_path / f"\xe9 {i}" for i in range(50)]
    for i, path in enumerate(paths):
        path.write_bytes(str(i).encode() * i)
    for n_threads in (1, 4):
        assert list(Texts.of_files(paths, n_threads)) == [str(i) * i for i in range(50)]
    large = tmp_path / "large"
    large.write_bytes(b"ab" * (20 << 20))
    (texts,) = Texts.of_files([os.fspath(large)])
    assert texts == "ab" * (20 << 20)


def test_a_file_without_a_size_is_read() -> None:
    path = Path("/proc/self/status")
    if not path.exists():
        pytest.skip("this system has no /proc")
    assert str(Texts.of_files([path])[0]).startswith("Name:")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    missing, folder = tmp_path / "missing", tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(FileNotFoundError) as raised:
        Texts.of_files([tmp_path / "a", missing, folder], 4)
    assert raised.value.filename == str(missing)
    with pytest.raises((IsADirectoryError, PermissionError)) as raised_by_folder:
        Texts.of_files([folder, missing], 4)
    assert raised_by_folder.value.filename == str(folder)
    with pytest.raises(ValueError, match="embedded null"):
        Texts.of_files(["a\0b"])


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_the_error_of_the_system_is_kept(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for path in (loop, tmp_path / ("x" * 300)):
        with pytest.raises(OSError, match="Errno") as expected:
            path.open()
        with pytest.raises(OSError, match="Errno") as raised:
            Texts.of_files([path])
        assert raised.value.args == expected.value.args
        assert raised.value.filename == str(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_what_is_no_regular_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe, regular = tmp_path / "pipe", tmp_path / "regular"
    os.mkfifo(pipe)
    regular.write_text("text")
    (tmp_path / "link to it").symlink_to(regular)
    for other in (pipe, Path(os.devnull)):  # opening a pipe would block
        with raises(OSError, "is_a_pipe_socket_or_device", at=str(other)):
            Texts.of_files([regular, other, tmp_path / "missing"], 2)
    with pytest.raises(IsADirectoryError) as raised:
        Texts.of_files([tmp_path])
    assert raised.value.filename == str(tmp_path)
    with closing(socket.socket(socket.AF_UNIX)) as server:
        monkeypatch.chdir(tmp_path)
        server.bind("socket")  # addresses are short, so this path is relative
        with raises(OSError, "is_a_pipe_socket_or_device", at="socket'"):
            Texts.of_files([tmp_path / "socket"])
    assert list(Texts.of_files([tmp_path / "link to it"])) == ["text"]


def test_positions_are_checked() -> None:
    texts = Texts.of_strings(["a", "b"])
    for position in (-1, 2):
        with raises(IndexError, "no_text_among_2", at=f"text {position} "):
            texts[position]
        with raises(IndexError, "no_text_among_2", at=f"text {position} "):
            texts.take(np.array([position]))
