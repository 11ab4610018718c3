"""Objects of JSON that hold a whole table: one list of records is read, and others get a cure."""

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from termsift._util.faults import wrong_value
from termsift._util.validation import listed

_ReadInto: TypeAlias = Callable[[memoryview], int]

_BUFFER_BYTES = 1 << 16
_MOST = 1 << 30  # the largest size of an object that may hold a table
_DEEPEST = 4  # So many objects may be within each other around a list of records.
_BLANKS = re.compile(r"[ \t\n\r]*")
_PLAIN_KEY = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def table_within(
    path: Path, readinto: _ReadInto, texts: Collection[str]
) -> tuple[_ReadInto, str | None]:
    """Return a function that reads a table, and the key of the list that holds it, if one does.

    If the content is a single object such as ``{"data": [...]}``, without any key of ``texts`` and
    with only one list of objects, this list is the table. An object that holds a table in another
    form is an error. Everything else is read as it is.
    """
    content = io.BufferedReader(_Content(readinto), _BUFFER_BYTES)
    if not re.match(rb"(?:\xef\xbb\xbf)?\s*\{", content.peek(_BUFFER_BYTES)):
        return content.readinto, None
    seen = _next_line(content)
    first, is_cut = _parsed(seen)
    if first is None and not is_cut:  # a wrong line
        return _chained(seen, content), None
    if first is None:
        seen += content.read(_MOST)
        first, _ = _parsed(seen) if len(seen) < _MOST else (None, False)
    else:
        seen += (more := _next_line(content))
        if more.strip():  # an object in each line
            return _chained(seen, content), None
    if not isinstance(first, dict):
        return _chained(seen, content), None
    if any(isinstance(first.get(key), str) for key in texts):
        # One object may be written in several lines, and is read as an array of one object.
        record = seen.removeprefix(codecs.BOM_UTF8)
        return _chained(b"[" + record + b"]" if is_cut else seen, content), None
    _refuse_columns(path, first, texts)
    places = list(_lists_within(first, []))
    with_texts = [place for place in places if {*texts} & {*_value_at(first, place)[0]}]
    places = with_texts or places
    is_deep = bool(places) and (len(places[0]) > 1 or _within_record(first, places[0], texts))
    if len(places) > 1 or is_deep:
        raise wrong_value(
            "{path}: holds {what}, expected one object in each line; write the objects of one list "
            "into another file, as {command} does",
            path=path,
            what=f"lists of objects in {listed(['.'.join(place) for place in places])}",
            command=_by_jq(path, places[0], _within_record(first, places[0], texts)),
        )
    if not places:
        return _chained(seen, content), None
    text, (key,) = seen.decode("utf-8-sig"), places[0]
    begin, end = _place(text, key)
    # Blanks in place of what is before the list keep the numbers of lines in errors.
    before = re.sub(r"[^\n]", " ", text[:begin])
    return io.BytesIO((before + text[begin:end]).encode("utf-8", "surrogatepass")).readinto, key


class _Content(io.RawIOBase):
    """What a function reads, as a file."""

    def __init__(self, readinto: _ReadInto) -> None:
        self._readinto = readinto

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._readinto(memoryview(buffer))


def _next_line(content: Any) -> bytes:
    """Return the next line that is not blank, with the blank lines before it."""
    seen: bytes = content.readline(_MOST)
    line = seen
    while line and not line.strip(b"\xef\xbb\xbf \t\r\n"):
        seen += (line := content.readline(_MOST))
    return seen


def _chained(seen: bytes, content: Any) -> _ReadInto:
    """Return a function that reads what was looked at, and what follows."""
    first = io.BytesIO(seen)
    return lambda buffer: first.readinto(buffer) or content.readinto(buffer)


def _parsed(data: bytes) -> tuple[Any, bool]:
    """Return a JSON value, or None, and whether the value is cut short."""
    try:
        text = data.decode("utf-8-sig").rstrip()
        return json.loads(text), False
    except json.JSONDecodeError as error:
        return None, error.pos >= len(text)
    except (UnicodeDecodeError, ValueError, RecursionError):
        return None, False


def _refuse_columns(path: Path, table: dict[str, Any], texts: Collection[str]) -> None:
    """Raise an error if an object holds columns or rows as pandas writes them."""
    orient = None
    if {*texts} & {*table} and all(isinstance(column, (dict, list)) for column in table.values()):
        orient = "columns"
    elif isinstance(table.get("columns"), list) and isinstance(table.get("data"), list):
        orient = "split"
    elif table and all(isinstance(row, dict) and {*texts} & {*row} for row in table.values()):
        orient = "index"
    if orient is None and table and all(map(_are_texts, table.values())):
        raise wrong_value(
            "{path}: holds lists of texts under {keys}, expected an object in each line; if the "
            "keys are labels, read table = json.load(file), and count by {command}",
            path=path,
            keys=listed(list(table)),
            command="termsift.count_texts([t for texts in table.values() for t in texts], [c for "
            "c, texts in table.items() for _ in texts])",
        )
    if orient is not None:
        raise wrong_value(
            "{path}: holds a table by its {parts}, as pandas writes it by orient={orient!r}, "
            "expected an object in each line; write {command}",
            path=path,
            parts={"columns": "columns", "split": "rows", "index": "names of rows"}[orient],
            orient=orient,
            command=f"pandas.read_json(file, orient={orient!r})"
            ".to_json('records.jsonl', orient='records', lines=True)",
        )


def _are_texts(value: Any) -> bool:
    return bool(value) and isinstance(value, list) and all(isinstance(text, str) for text in value)


def _lists_within(value: dict[str, Any], above: list[str]) -> Iterator[list[str]]:
    """Yield the keys that lead to each list of objects."""
    for key, inner in value.items():
        if isinstance(inner, list) and inner and all(isinstance(row, dict) for row in inner):
            yield [*above, key]
        elif isinstance(inner, dict) and len(above) < _DEEPEST:
            yield from _lists_within(inner, [*above, key])


def _value_at(value: Any, keys: list[str]) -> Any:
    for key in keys:
        value = value[key]
    return value


def _within_record(value: Any, keys: list[str], texts: Collection[str]) -> list[str]:
    """Return the key of the object with the texts that each object of a list holds, if it does."""
    record = _value_at(value, keys)[0]
    if {*texts} & {*record}:
        return []
    return [
        key for key, inner in record.items() if isinstance(inner, dict) and {*texts} & {*inner}
    ][:1]


def _by_jq(path: Path, keys: list[str], within: list[str]) -> str:
    """Return the command that writes the objects of a list, one in each line."""
    import shlex  # only this error needs it

    to_list, to_record = (
        "".join(f".{key if _PLAIN_KEY.fullmatch(key) else json.dumps(key)}" for key in part)
        for part in (keys, within)
    )
    filter_, file = shlex.quote(f"{to_list}[]{to_record}"), shlex.quote(path.name)
    return f"jq -c {filter_} {file} > records.jsonl"


def _place(text: str, key: str) -> tuple[int, int]:
    """Return where the value of a key begins and ends in the text of an object."""
    decoder, place = json.JSONDecoder(), (0, 0)

    def after_blanks(at: int) -> int:
        found = _BLANKS.match(text, at)
        return found.end() if found else at

    at = text.index("{")
    while text[at] != "}":
        name, at = decoder.raw_decode(text, after_blanks(at + 1))
        begin = after_blanks(after_blanks(at) + 1)
        _, at = decoder.raw_decode(text, begin)
        if name == key:
            place = begin, at
        at = after_blanks(at)
    return place
