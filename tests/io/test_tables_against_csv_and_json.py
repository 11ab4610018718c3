"""Tables are read as by Python's csv (strict) and json, in blocks of any size.

A row that csv or json refuses is an error or is left out. A wrong quote and invalid JSON in an
array are always errors, because they hide where the next row begins.
"""

from __future__ import annotations

import csv
import functools
import io
import json
import math
import random
import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import Any, NamedTuple

import pytest

from private import _core

N_TABLES = 200  # of each seed
BLOCK_BYTES = [1, 2, 3, 7, 16, 64, 100, 1000, 1 << 20]
ALWAYS = "an error in any case"


def outcome(table: Any, skip: bool) -> Any:
    """Return the rows and, if ``skip``, the last lines of the first bad rows and their number.

    A row is its text, its label and its number in the table, in which bad rows count. If there is
    an error, return only its line, or ALWAYS.
    """
    rows: list[tuple[str, str, int]] = []
    try:
        while (block := table.read()) is not None:
            labels = table.labels()
            rows += [(text, labels[code], row) for text, code, row in zip(*block, strict=True)]
    except ValueError as error:
        return line_of(str(error)) if str(error).endswith("leaves it out") else ALWAYS
    return (
        (rows, [line_of(message) for message in table.skipped], table.n_skipped) if skip else rows
    )


def line_of(message: str) -> int:
    found = re.match(r"f, lines? (?:\d+ to )?(\d+): ", message)
    assert found, message
    return int(found[1])


def expected(rows: Iterable[Any], skip: bool) -> Any:
    """Return what `outcome` must return, from pairs (text, label), lines of bad rows and ALWAYS."""
    good: list[Any] = []
    bad: list[Any] = []
    for number, row in enumerate(rows):
        if row == ALWAYS or (not skip and isinstance(row, int)):
            return row
        bad.append(row) if isinstance(row, int) else good.append((*row, number))
    return (good, bad[:5], len(bad)) if skip else good


class Marks(NamedTuple):
    """The characters that have a meaning in a table."""

    delimiter: str
    quote: str | None = '"'
    escape: str | None = None
    comment: str | None = None


def by_csv(content: bytes, marks: Marks) -> Iterator[tuple[int, Any]]:
    """Yield each row's last line with its fields, with None for a bad row, or with ALWAYS."""
    lines = [line.decode("utf-8", "replace") for line in io.BytesIO(content)]
    if marks.escape and not content.endswith(b"\n"):  # csv needs it after an escaped line feed
        lines[-1:] = [line + "\n" for line in lines[-1:]]
    begin = n_read = 0

    def given() -> Iterator[str]:  # leave out comments, but only where a row begins
        nonlocal n_read
        for line in lines:
            n_read += 1
            if marks.comment is None or n_read > begin + 1 or not line.startswith(marks.comment):
                yield line
            else:
                step()

    def step() -> None:
        nonlocal begin
        begin = n_read

    quoting = csv.QUOTE_MINIMAL if marks.quote else csv.QUOTE_NONE
    reader = csv.reader(
        given(), delimiter=marks.delimiter, quotechar=marks.quote or None, escapechar=marks.escape,
        quoting=quoting, strict=True,
    )  # fmt: skip
    while True:
        try:
            row: Any = next(reader, ALWAYS)
        except csv.Error:
            is_quoted = marks.quote is not None and marks.quote in "".join(lines[begin:n_read])
            row = ALWAYS if is_quoted else None
        else:
            if row == ALWAYS:
                return
        wrong = [n for n in range(begin, n_read) if "\ufffd" in lines[n]]
        begin = n_read
        yield (wrong[0] + 1, None) if wrong and row != ALWAYS else (begin, row)


def by_lines(content: bytes, marks: Marks) -> Iterator[tuple[int, Any]]:
    """Yield what `by_csv` yields, for lines without quotes and escapes."""
    for number, line in enumerate(io.BytesIO(content), 1):
        row = line.rstrip(b"\r\n").decode("utf-8", "replace")
        if marks.comment is not None and line.startswith(marks.comment.encode()):
            row = ""
        yield number, None if "\ufffd" in row else row.split(marks.delimiter) if row else []


def pairs(rows: Iterable[tuple[int, Any]], n: int, texts: list[int], label: int) -> Iterator[Any]:
    for line, row in rows:
        if row == ALWAYS:
            yield row
        elif row is None or (row and (len(row) != n or not row[label].strip())):
            yield line
        elif row:
            yield " ".join(row[text] for text in texts), row[label]


def random_table(rng: random.Random, of: Marks) -> bytes:
    delimiter, quote, escape = of.delimiter, of.quote or "'", of.escape or "\\"
    if rng.random() < 0.5:
        marks = [
            quote,
            of.comment or "#",
            escape,
            delimiter,
            "\n",
            "\r",
            "\r\n",
            "a",
            " ",
            "é",
            "\u3000",
            "\0",
            quote * 2,
            "xyz" * 20,
        ]
        weights = [rng.random() ** 2 for _ in marks]
        content = "".join(rng.choices(marks, weights, k=rng.randint(0, 60))).encode()
    else:
        file, marks = io.StringIO(), [quote, delimiter, "\n", "a", "b", " ", "é", "word", ""]
        marks += ["\\", "#"]
        end, quoting = rng.choice(["\n", "\r\n"]), rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
        doubled = of.escape is None or rng.random() < 0.5
        writer = csv.writer(
            file, delimiter=delimiter, lineterminator=end, quoting=quoting, quotechar=quote,
            escapechar=of.escape, doublequote=doubled,
        )  # fmt: skip
        n = rng.randint(1, 4)
        for _ in range(rng.randint(0, 30)):
            row = ["".join(rng.choices(marks, k=rng.randint(0, 12))) for _ in range(n)]
            if rng.random() < 0.05:
                file.write(f"{of.comment or '#'}{''.join(row)}{end}")
            writer.writerow([*row, rng.choice(["ham", "spam", "e,g", '"q"', "x\ny"])])
        content = file.getvalue().encode()
    if rng.random() < 0.3:
        content = content[: rng.randint(0, len(content))]
    if rng.random() < 0.1:
        content = content[: len(content) // 2] + b"\xff" + content[len(content) // 2 :]
    return content


@pytest.mark.parametrize("seed", range(30))
def test_delimited_fields(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(N_TABLES):
        quote, escape = rng.choice(['"', '"', "'", None]), rng.choice([None, None, "\\", "^"])
        marks = Marks(rng.choice(",;\t|a"), quote, escape, rng.choice([None, None, "#"]))
        content, block_bytes = random_table(rng, marks), rng.choice(BLOCK_BYTES)
        rows = list((by_csv if quote or escape else by_lines)(content, marks))
        first = next((row for _, row in rows if row), [])
        n = 2 if first == ALWAYS else len(first) or 2
        texts, label = rng.sample(range(n), rng.randint(1, min(n, 2))), rng.randrange(n)
        for skip in (False, True):
            table = _core.DelimitedTable(
                io.BytesIO(content).readinto, "f", quote=quote, escape=escape,
                comment=marks.comment, skip=skip, block_bytes=block_bytes,
            )  # fmt: skip
            table.choose(marks.delimiter, texts, label, n, False)
            wanted = expected(pairs(rows, n, texts, label), skip)
            assert outcome(table, skip) == wanted, (content, marks, block_bytes)


# ---- JSON ----------------------------------------------------------------------------------------


loads = functools.partial(json.loads, parse_float=Decimal)


def pair(record: Any, texts: list[str]) -> tuple[str, str] | None:
    """Return the text and the label of a JSON object, or None if it is no valid row."""
    if not isinstance(record, dict):
        return None
    values = [record.get(key) for key in texts]
    present = [value for value in values if value is not None]  # one of several texts may be null
    if not present or not all(isinstance(value, str) for value in present):
        return None
    label = record.get("label")
    if isinstance(label, int):
        label = json.dumps(label)
    if isinstance(label, Decimal) and label == label.to_integral_value():
        label = str(int(label)) if math.isfinite(float(label)) else None
    if not isinstance(label, str) or not label.strip():
        return None
    return " ".join(value or "" for value in values), label


def by_json(content: bytes, texts: list[str]) -> Iterator[Any]:
    records = []
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.strip(b" \t\r"):
            try:
                records.append(loads(line.decode()))
                yield pair(records[-1], texts) or number
            except ValueError:
                yield number
    if misspelt(records, texts):
        yield ALWAYS


def misspelt(records: list[Any], texts: list[str]) -> bool:
    """Return whether no object has a key that an object lacks whose other texts are read."""
    read = [record for record in records if pair(record, texts)]
    objects = [record for record in records if isinstance(record, dict)]
    return any(
        any(key not in record for record in read) and not any(key in each for each in objects)
        for key in texts
    )


def random_value(rng: random.Random, depth: int = 0) -> Any:
    marks = ["a", "é", "\n", '"', "\\", "/", "\t", "😀", "\ud83d", "\ude00", "\x7f", "\u2028"]
    makers: list[Callable[[], Any]] = [
        lambda: "".join(rng.choices(marks, k=rng.randint(0, 9))),
        lambda: rng.choice([0, -1, 10**20, 1.5, -0.0, 1e300, True, False, None, float("nan")]),
        lambda: [random_value(rng, depth + 1) for _ in range(rng.randint(0, 3))],
        lambda: {key: random_value(rng, depth + 1) for key in rng.choices(["text", "é", ""], k=2)},
    ]
    return rng.choice(makers[: 2 if depth > 2 else None])()


def random_object(rng: random.Random) -> str:
    keys = ["text", "label", "x"] if rng.random() < 0.2 else ["id", "é"]
    items = [(key, random_value(rng)) for key in rng.choices(keys, k=2)]
    texts = ["hello ", "é", '"', "\\", "\n", "\ud800", "😀", "\0"]
    items.append(("text", "".join(rng.choices(texts, k=rng.randint(0, 8)))))
    labels = ["\u3000", "", 2.5, None] if rng.random() < 0.1 else ["ham", 7, -5, True, "1", "a\\b"]
    items += [("label", rng.choice(labels)), ("x", "more")]
    rng.shuffle(items)
    (comma, colon), is_ascii = rng.choice([(",", ":"), (" ,\t", " : ")]), rng.random() < 0.5
    shown = [json.dumps(key, ensure_ascii=is_ascii) for key, _ in items]
    if rng.random() < 0.2:
        shown[0] = '"' + "".join(f"\\u{ord(c):04x}" for c in items[0][0]) + '"'
    values = (json.dumps(value, ensure_ascii=is_ascii) for _, value in items)
    return "{" + comma.join(map(colon.join, zip(shown, values, strict=True))) + "}"


@pytest.mark.parametrize("is_array", [False, True])
@pytest.mark.parametrize("seed", range(15))
def test_json_objects(seed: int, is_array: bool) -> None:
    rng = random.Random(seed)
    for _ in range(N_TABLES):
        objects = [random_object(rng) for _ in range(rng.randint(0, 6))]
        between = rng.choice([",", "\n,\r\n "] if is_array else ["\n", "\r\n", "\n \n"])
        text = between.join(objects)
        content = (f" [{text}]\n" if is_array else text).encode("utf-8", "surrogatepass")
        if rng.random() < 0.3:
            at, mark = rng.randrange(len(content) + 1), rng.choice(b'{}[]",:\\ \n\t0a-tuN')
            content = content[:at] + bytes([mark]) * rng.randint(0, 1) + content[at + 1 :]
        if rng.random() < 0.1:
            content = content[: rng.randint(0, len(content))]
        texts, block_bytes = rng.choice([["text"], ["text", "x"]]), rng.choice(BLOCK_BYTES)
        for skip in (False, True):
            table = _core.JsonTable(
                io.BytesIO(content).readinto, "f", texts=texts, label="label",
                may_be_array=is_array, skip=skip, block_bytes=block_bytes,
            )  # fmt: skip
            found = outcome(table, skip)
            if content.lstrip().startswith(b"[") and is_array:
                check_array(content, texts, skip, found)
            else:
                assert found == expected(by_json(content, texts), skip), (content, block_bytes)


def check_array(content: bytes, texts: list[str], skip: bool, found: Any) -> None:
    """Check the rows that were read from a JSON array, but not their line numbers."""
    try:
        records = loads(content.decode())
        rows = [pair(record, texts) or 1 for record in records]
        rows += [ALWAYS] * misspelt(records, texts)
    except UnicodeDecodeError:
        assert skip or isinstance(found, (str, int))
    except ValueError:
        assert found == ALWAYS or (not skip and isinstance(found, int)), content
    else:
        wanted = expected(rows, skip)
        if isinstance(wanted, tuple):
            assert (found[0], found[2]) == (wanted[0], wanted[2]), content
        else:
            assert found == wanted or (isinstance(found, int) and wanted == 1), content
