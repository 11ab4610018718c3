"""Commands write whole lines without control characters, for any file, name or stream."""

from __future__ import annotations

import json
import logging
import os
import random
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts
from collection_files import read_files

posix = pytest.mark.skipif(os.name != "posix", reason="names and descriptors of POSIX")

# Codes for colours, the bell, line ends, the direction of writing, and half a surrogate pair.
HOSTILE = ["\x1b[31m", "\x07", "\n", "\r", "\x9b2J", "\u202e", "\u2028", "\x00", "\ud800", "é", "'"]
N_TRIED = int(os.environ.get("TERMSIFT_HOSTILE", "150"))


def unprintable(text: str) -> set[str]:
    return {c for c in text if not c.isprintable()}


# ---- names and contents --------------------------------------------------------------------------


TEXTS = {
    ".svm": "1 1:2\n2 2:1\n",
    ".csv": 'label,text\n"{}",aa bb\nb,"cc {}"\n',
    ".txt": "{}\taa bb\nb\tcc {}\n",
    ".jsonl": '{{"label": {}, "text": {}}}\n{{"label": "b", "text": "aa"}}\n',
}


def word(rng: random.Random) -> str:
    return "".join(rng.choice([*HOSTILE, "a", "bc", " "]) for _ in range(rng.randint(1, 6)))


def file_name(rng: random.Random) -> str:
    return word(rng).replace("\x00", "").replace("/", "").replace("\ud800", "") + "x"


def make(folder: Path, rng: random.Random) -> tuple[Path, dict[str, Any]]:
    """Write an input whose name and content have control characters. Return path and options."""
    ending = rng.choice([*TEXTS, ".termsift", ""])
    path = folder / (file_name(rng) + ending)
    options: dict[str, Any] = {}
    if not ending:  # without an ending, the input is a folder with one folder per class
        for label in ("b", file_name(rng)):
            (path / label).mkdir(parents=True, exist_ok=True)
            for _ in range(rng.randint(0, 2)):
                text = b"aa bb" if rng.random() < 0.6 else b"\xff\xfe"
                (path / label / file_name(rng)).write_bytes(text)
    elif ending == ".termsift":
        counts = ts.count(np.array([[3, 1], [0, 2]]), [word(rng) + "1", word(rng) + "2"])
        counts.term_names = [word(rng) + "1", word(rng) + "2"]
        counts.save(path)
        if rng.random() < 0.5:
            data = bytearray(path.read_bytes())
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            path.write_bytes(data)
    else:
        words = word(rng), word(rng)
        text = TEXTS[ending].format(*(map(json.dumps, words) if ending == ".jsonl" else words))
        for _ in range(rng.randint(0, 2)):
            at = rng.randrange(len(text))
            text = text[:at] + word(rng) + text[at + rng.randint(0, 3) :]
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        if rng.random() < 0.2:
            options["terms"] = folder / file_name(rng)
            options["terms"].write_bytes(f"{word(rng)}\n".encode("utf-8", "surrogatepass"))
        if rng.random() < 0.2:
            options["text"] = word(rng)
    if rng.random() < 0.1:
        path = path.with_name(file_name(rng))  # it is not there
    return path, options


@posix
@pytest.mark.filterwarnings("default::UserWarning")
def test_no_control_character_of_an_input_reaches_a_terminal(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rng = random.Random(int(os.environ.get("TERMSIFT_HOSTILE_SEED", "0")))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    failed = 0
    for number in range(N_TRIED):
        folder = tmp_path / str(number)
        folder.mkdir()
        path, options = make(folder, rng)
        given = [part for name, value in options.items() for part in (f"--{name}={value}",)]
        command = rng.choice(["rank", "rank --per-class", "info", "count", "merge", "compare"])
        name, *more = command.split()
        if name in ("count", "merge"):
            more += ["-o", str(folder / f"{file_name(rng)}.termsift")]
        if name == "count" and rng.random() < 0.5:
            more += ["--on-error", "skip"]
        if name == "compare":
            more += ["--cv", "2"]
        if name == "rank" and rng.random() < 0.5:
            more += ["--format", rng.choice(["csv", "json"])]
        if name != "merge":
            more += [*given, *(["-v"] if rng.random() < 0.3 else [])]
        result = run(name, path, *more)
        case = name, path, more, result.out, result.err
        assert result.code in (0, 1, 2), case
        assert unprintable(result.out + result.err) <= {"\n"}, case
        if result.code == 1 and "-v" not in more:
            lines = result.err.splitlines()
            errors = [line for line in lines if line.startswith("termsift: error: ")]
            assert len(errors) == 1, case
            assert all(line.startswith("termsift: ") for line in lines), case
        failed += result.code != 0
    assert N_TRIED / 10 < failed < N_TRIED


@posix
def test_warnings_and_logs_have_no_control_characters(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rng = random.Random(int(os.environ.get("TERMSIFT_HOSTILE_SEED", "1")))
    caplog.set_level(logging.DEBUG, "termsift")
    raised = 0
    for number in range(N_TRIED):
        folder = tmp_path / str(number)
        folder.mkdir()
        path, options = make(folder, rng)
        calls: list[Callable[[], Any]] = [
            lambda: ts.load(path),  # noqa: B023
            lambda: read_files(path, **options),  # noqa: B023
            lambda: ts.count(ts.scan(path, **options)),  # noqa: B023
            lambda: messages.extend(skipped(path, options)),  # noqa: B023
        ]
        messages: list[str] = []
        for call in calls:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    call()
                except (ValueError, TypeError, OSError):
                    raised += 1
            messages += [str(warning.message) for warning in caught]
        messages += [record.getMessage() for record in caplog.records]
        caplog.clear()
        assert unprintable("".join(messages)) == set(), (path, options, messages)
    assert raised > N_TRIED


def skipped(path: Path, options: dict[str, Any]) -> list[str]:
    scan = ts.scan(path, on_error="skip", **options)
    ts.count(scan)
    return scan.skipped


@posix
@pytest.mark.parametrize("command", ["rank", "info", "count", "merge", "compare", "report"])
def test_errors_of_arguments_are_printable(run: Any, command: str) -> None:
    for argument in ("a\x1b[31m\nb", "--\x1b[31m", "--format=\x1b[31m"):
        result = run(command, "x", "-o", "y", argument)
        assert unprintable(result.err + result.out) <= {"\n"}
        assert result.code in (1, 2)


# ---- labels --------------------------------------------------------------------------------------


def test_a_label_that_no_encoding_can_write(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"label": "lone\\ud800", "text": "aa bb"}\n{"label": "b", "text": "cc"}\n')
    for ending in ("", ".txt", ".csv", ".json"):
        result = run("rank", path, "--per-class", "-o", tmp_path / f"o{ending}")
        assert (result.code, result.err) == (0, "")
        assert "lone\\ud800" in (tmp_path / f"o{ending}").read_text("utf-8")
    assert run("report", path, "-o", tmp_path / "page.html").code == 0
    assert ">lone" in (tmp_path / "page.html").read_text("utf-8")
    saved = tmp_path / "c.termsift"
    assert run("count", path, "-o", saved).code == 0
    assert ts.load(saved).classes == ["b", "lone\ud800"]
    for library in ("polars", "pyarrow"):
        pytest.importorskip(library)
        with pytest.raises(ValueError, match="surrogates not allowed"):
            ts.load(saved).to_frame("md", library=library)
