"""Tables are the same documents, labels and complaints however they are parsed.

With pyarrow and without it, in blocks of any size, as when every row is parsed by itself.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import termsift as ts
from termsift.io import _blocks, _tables, _texts

pytest.importorskip("pyarrow")

PIECES = ['"', '""', ",", ";", "\t", "\n", "\r\n", "\r", "a", "b c", "é", "\0", "\x1f", " "]
CELLS = st.lists(st.sampled_from(["a", '""', ",", "\n", "é", "\r\n", ";"]), max_size=4).map("".join)
FIELDS = st.one_of(CELLS.map('"{}"'.format), st.sampled_from(["a", "bc", "", "é", "1", '5"']))
ROWS = st.lists(st.lists(FIELDS, min_size=2, max_size=2).map(",".join), max_size=6).map("\n".join)
ANYTHING = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
JSON_VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 2**65), st.floats(), st.text(max_size=3), st.just([1])
)
OBJECTS = st.dictionaries(st.sampled_from(["text", "label", "id"]), JSON_VALUES).map(json.dumps)
JSON_PIECES = ["{", "}", "[", "\r\n", ",", ":", '"text"', '"label"', '"a"', "1", "\\u0041"]
JSON_TEXT = st.lists(
    st.one_of(
        OBJECTS,
        st.sampled_from(["\n", "\n", "\n", "\r\n", " ", *JSON_PIECES]),
        st.sampled_from(['{"text": "a b", "label": "x"}', '{"label": 1, "text": "c"}']),
    ),
    max_size=12,
).map("".join)


def outcome(path: Path, **options: Any) -> tuple[Any, ...]:
    """Return the documents of a file, and the error or else what was left out.

    How much had been left out before an error depends on the blocks.
    """
    scan, documents = ts.scan(path, **options), []
    try:
        for block, _ in scan._blocks():
            if isinstance(block, _texts.TextBlock):
                texts = [block.texts[i] for i in range(len(block.texts))]
                documents += zip(texts, block.y.tolist(), strict=True)
    except ValueError as raised:
        return documents, str(raised)
    return documents, scan.n_skipped, scan.skipped


def check_all_ways(path: Path, **options: Any) -> None:
    for on_error in ("raise", "skip"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_tables._Rows, "at_once", lambda *_: None)
            patch.setattr(_blocks, "parsed_json", lambda *_: None)
            expected = outcome(path, on_error=on_error, **options)
        for block_bytes in (1, 7, 1 << 20):
            for without in ((), ("pyarrow.csv", "pyarrow.json")):
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(_blocks, "BLOCK_BYTES", block_bytes)
                    for module in without:
                        patch.setitem(sys.modules, module, None)
                    found = outcome(path, on_error=on_error, **options)
                assert found == expected, (on_error, block_bytes, without)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


@given(st.one_of(ROWS, ANYTHING), st.sampled_from(["", "\n", "\nz,cow\n"]))
@example('a,"one" two\nb,c\n', "")
@example('a,5" pipe\nb,"c, d"\n', "")
@example('"a","b ""c"" d"\r\n"e",""\r\n', "")
@example('a,""b\n', "")
@example('a,"b', "")
@example('""\n\r\n"', "")
def test_quoted_tables(folder: Path, rows: str, end: str) -> None:
    path = folder / "c.csv"
    path.write_bytes(("label,text\n" + rows + end).encode())
    check_all_ways(path)


@given(st.binary(max_size=40))
@example(b'a,"caf\xe9"\nb,c\n')
@example(b"a,x\n,y\n\n\r\nb,z")
def test_bytes_that_are_no_text(folder: Path, content: bytes) -> None:
    path = folder / "b.csv"
    path.write_bytes(b"a,b\n" + content)
    check_all_ways(path, text=2, label=1)
    check_all_ways(path, text=2, label=1, encoding="latin-1")


@given(ANYTHING)
@example("a\tb\r\n\nc\td\re\n")
def test_tables_without_quotes(folder: Path, rows: str) -> None:
    path = folder / "c.txt"
    path.write_bytes(("x\ty\n" + rows).encode())
    check_all_ways(path)


@given(JSON_TEXT)
@example('{"text":"a","label":"x"}{"text":"b","label":"y"}\n')
@example('{"text":\n"a","label":"x"}\n{"text":"b","label":"y"}{"text":"b","label":"y"}\n')
@example('\ufeff{"text":"a","label":1}\n{"text":"b","label":"1"}\n')
@example('{"text":"a","text":"b","label":true}\n{"text":"\\ud800","label":"z"}\n')
@example('{"text":"a","label":1.0}\n{"text":"a","label":-0}\n{"text":"a"}\n')
@example('{"text":"a","label":1e2}\n{"text":"a","label":"NaN","x":NaN}\n')
def test_lines_of_json(folder: Path, content: str) -> None:
    path = folder / "c.jsonl"
    path.write_bytes(content.encode())
    check_all_ways(path)
