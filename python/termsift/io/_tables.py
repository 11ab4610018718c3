"""Tables of texts and labels: delimited fields, JSON objects, and columns of pyarrow."""

from __future__ import annotations

import re
import warnings
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Generator, Hashable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np

from termsift import _core
from termsift._util import validation
from termsift._util.extras import require
from termsift._util.faults import Message, Name, carrying, concerning, said, wrong_value
from termsift._util.files import named_errors
from termsift._util.messages import levels_to_caller, printable
from termsift._util.validation import Labels
from termsift.io._dialect import (
    CHECKS,
    DELIMITERS,
    Row,
    check_skipped,
    cure_of_first_row,
    cure_of_header,
    declared_delimiter,
    found_delimiter,
)
from termsift.io._kinds import HEAD, compression, foreign, is_arrow_stream, is_plain, table_format
from termsift.io._opening import is_of_system, opened_text
from termsift.io._other_forms import (
    TITLES_OF_LABELS,
    TITLES_OF_TEXTS,
    are_quoted,
    cure_of_folders,
    cure_of_form,
    cure_of_matrix,
    cure_of_names,
    has_row_names,
    have_last_field,
    n_of_survey,
    refuse_more_columns,
    refuse_other_form,
    refuse_swapped,
)
from termsift.io._source import (
    BLOCK_BYTES,
    NAMED,
    Options,
    TextSource,
    complaining,
    with_arguments,
)
from termsift.text._documents import Block, Consumer, Counted

_COUNTED_BYTES = 1 << 25  # the number of bytes of a table that are counted at once
_DELIMITER_OF = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
_LONGEST_SENTENCE = 300
_DIVIDE = said("separate the fields by tabs, by commas in a .csv, or as {delimiter=} says")
_FIRST_ROWS = 100  # the number of rows that tell the delimiter of a table without a header
_LINES_OF_FORM = 2  # the number of lines that show whether a table is drawn
_N_USUAL = 2  # the number of fields of a label and a text
_ROWS_AT_ONCE = 1 << 11  # The number of rows in a batch of an Arrow or Parquet table.
_STRINGS = ("string", "large_string", "string_view")
_INTEGERS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
_MAY_BE_WHOLE = ("float", "double", "decimal")  # numbers whose values may be whole

_NO_ROWS = np.empty(0, np.int32), np.empty(0, np.int64)

_ReadInto: TypeAlias = Callable[[memoryview], int]


class TableCounter(Protocol):
    """Counts tables in the core."""

    def add_table(self, table: _core.Table, n_bytes: int) -> Counted:
        """Count about the next ``n_bytes`` of a table."""


class Table(TextSource):
    """A table in a text file, which the core parses."""

    @abstractmethod
    def opened(self, readinto: _ReadInto, options: dict[str, Any]) -> _core.Table:
        """Open a file as a table. ``options`` are arguments of the core's table."""

    def blocks(self) -> Generator[Block, None, None]:
        """Yield the texts in order. The last block may be empty."""
        with self._opened([], BLOCK_BYTES) as (table, n_read):
            labels = list[Hashable]()
            while not table.is_done:
                with complaining():
                    block = table.read() or (_core.Texts.of_strings([]), *_NO_ROWS)
                texts, codes, rows = block
                labels += table.labels(len(labels))
                self._note_skipped(table)
                yield Block(texts, Labels(labels, codes, None), rows, self, n_read())
                del block, texts, codes, rows  # free the texts before the next block is read

    def blocks_for(
        self, consumer: Consumer | None, classes: list[Hashable], *, whole: bool, alone: bool
    ) -> Generator[Block, None, None]:
        counter = None if consumer is None else consumer.table_counter
        return self.blocks() if counter is None else self.counted_by(counter, classes)

    def counted_by(
        self, counter: TableCounter, classes: list[Hashable]
    ) -> Generator[Block, None, None]:
        """Let the core count the texts while it reads them. Yield blocks without texts.

        The core numbers the new labels after ``classes``.
        """
        with self._opened(classes, BLOCK_BYTES // 2) as (table, n_read):
            labels = list(classes)
            while not table.is_done:
                with complaining():
                    content = counter.add_table(table, _COUNTED_BYTES)
                labels += table.labels(len(labels))
                self._note_skipped(table)
                of_all = Labels(labels, _NO_ROWS[0], None)
                yield Block(content, of_all, range(content.n_docs), self, n_read())

    @contextmanager
    def _opened(
        self, classes: list[Hashable], block_bytes: int
    ) -> Iterator[tuple[_core.Table, Callable[[], int]]]:
        """Yield the table, and a function that returns how many bytes of the file were read."""
        with opened_text(self.path, self.options.encoding) as (readinto, raw, encoding):
            options = {
                "skip": self.options.skip,
                "encoding": encoding,
                "labels": classes,
                "block_bytes": block_bytes,
                "unlabelled": not self.options.has_labels,
            }
            self._noted = 0, 0
            yield self.opened(readinto, options), raw.tell

    def _note_skipped(self, table: _core.Table) -> None:
        """Note which rows the core has left out since the last call."""
        n, n_complaints = self._noted
        complaints = table.skipped
        new = [with_arguments(complaint) for complaint in complaints[n_complaints:]]
        self.skipped.add(new, table.n_skipped - n)
        self._noted = table.n_skipped, len(complaints)


class JsonTable(Table):
    """A file of JSON objects: one per line or, in a .json file, also in an array."""

    def opened(self, readinto: _ReadInto, options: dict[str, Any]) -> _core.Table:
        texts, label = self.columns
        within = None
        if self.kind == ".json":
            from termsift.io._json_forms import table_within  # imports json, for this kind alone

            readinto, within = table_within(self.path, readinto, texts)
        keys = f"text in {' and '.join(map(repr, texts))}"
        keys += f", label in {label!r}" if self.options.has_labels else ""
        of_list = "" if within is None else f" of the list in {within!r}"
        sentence = f"{options['encoding']}, JSON objects{of_list}, {keys}"
        self.understood = printable(sentence, _LONGEST_SENTENCE)
        options |= {"texts": texts, "label": label, "may_be_array": self.kind == ".json"}
        return _core.JsonTable(readinto, str(self.path), **options)


class DelimitedTable(Table):
    """A table of delimited fields. Those of .txt files are quoted only if the caller says so."""

    takes = Table.takes | CHECKS.keys()

    def __init__(self, path: Path, options: Options, kind: str, labels: Path | None) -> None:
        super().__init__(path, options, kind, labels)
        dialect = options.dialect
        text: tuple[str | int, ...]
        text, label = ("text",), "label"
        n_fields = 2 if options.has_labels else 1
        if kind == ".txt" and not dialect.header:
            text, label = (n_fields,), "1"
        self._columns = self.distinct(options.text or text, label, _numbered)
        for at, column in enumerate(self._columns):
            if isinstance(column, int) and column < 1:
                is_label = options.has_labels and at == len(self._columns) - 1
                error = ValueError(f"columns are numbered from 1, not {column}")
                raise concerning(error, "label" if is_label else "text")
        self._names = [column for column in self._columns if isinstance(column, str)]
        if dialect.header is False and self._names:
            raise wrong_value(
                "{path}: without a header, columns have numbers from 1, not the name {name!r}; "
                "number them by {text=} and {label=}",
                path=path,
                name=self._names[0],
            )
        self._has_header = bool(self._names) if dialect.header is None else bool(dialect.header)
        self._least = max([2, *(n for n in self._columns if isinstance(n, int))])
        self._quote = dialect.quote_in(kind)
        # By default, a table without header has two columns, so a tab in the text is an error.
        is_usual = not self._has_header and options.text is None and options.label is None
        self._n_fields = n_fields if is_usual else None
        # The delimiters that the first rows may have, from the most usual.
        marks = [dialect.delimiter or _DELIMITER_OF[kind]]
        if dialect.delimiter is None and not is_usual:
            marks += [mark for mark in DELIMITERS if mark not in marks]
        self._marks = [mark for mark in marks if mark not in self._taken]
        if not self._marks:
            raise wrong_value("{path}: no character is left to be the {delimiter}", path=path)

    @property
    def _taken(self) -> tuple[str | None, ...]:
        """The characters that cannot be delimiters."""
        return self._quote, self.options.dialect.escape, self.options.dialect.comment

    def opened(self, readinto: _ReadInto, options: dict[str, Any]) -> _core.Table:
        """Find the columns in the first rows, and return the table."""
        path, columns, dialect = self.path, list[Any](self._columns), self.options.dialect
        self._n_skipped = dialect.skip_lines  # the number of lines before the table
        options |= {"quote": self._quote, "escape": dialect.escape, "comment": dialect.comment}
        table = _core.DelimitedTable(readinto, str(path), **options)
        with complaining():
            check_skipped(str(path), dialect.skip_lines, table.skip_lines(dialect.skip_lines))
            refuse_other_form(path, self._first_rows(table, "\n", _LINES_OF_FORM))
            delimiter = self._declared(table) or self._delimiter(table)
            first = self._first_rows(table, delimiter, 1)
            rows = self._first_rows(table, delimiter, _FIRST_ROWS)
        if first and first[0].fault is not None and self._n_fields is None:
            message = with_arguments(first[0].fault)
            raise carrying(ValueError, message)
        if not first and self._has_header:
            both = " and ".join(map(repr, columns))
            text = f"{path}: expected a header with the columns {both}, found none"
            raise ValueError(text)
        if not first:
            return table
        line, fields, fault = first[0]
        if self._n_fields is None and not self._has_header:
            fields = self._usual_row(rows)
        n_fields = self._n_fields or len(fields)
        names = fields if fault is None else [""] * n_fields
        where, arguments = f"{path}, line {line}", ["text"] * len(columns)
        arguments[-1] = "label"
        if not self._has_header and self.options.has_labels:
            arguments = ["label"] * len(columns)  # a table without labels has fewer fields
        cure = self._cure(table, delimiter, names)
        *texts, label = (
            _position(where, of, names, argument, cure)
            for of, argument in zip(columns, arguments, strict=True)
        )
        self._check_more_fields(rows, delimiter, texts, label)
        if self._n_fields == _N_USUAL:
            refuse_more_columns(where, rows)
            refuse_swapped(path, rows)
        n_above = n_of_survey(rows)
        if not n_above:
            self._warn_of_header(names, texts, label)
        self._warn_of_quotes(rows, delimiter)
        told = self._told(delimiter, line, n_fields, names, texts, label)
        self.understood = printable(f"{options['encoding']}, {told}", _LONGEST_SENTENCE)
        if self.options.alike is not None and fault is None:
            found = fields if self._has_header else n_fields
            by_number = any(isinstance(column, int) for column in self._columns)
            self.options.alike.check(path, found, by_number=by_number)
        if n_above:
            self._skip_survey(table, rows, n_above)
        has_header = self._has_header and not n_above
        table.choose(delimiter, texts, label, n_fields, has_header)
        return table

    def _usual_row(self, rows: list[Row]) -> list[str]:
        """Return the first row that is as long as most of the first rows, if most are alike.

        A stray delimiter in the first row makes this row wrong, and not all others. But if it is
        too short, it may be a title, of which the error tells, unless bad rows are left out.
        """
        first = rows[0].fields
        if len(first) < self._least and not self.options.skip:
            return first
        ((size, n_alike),) = Counter(len(row.fields) for row in rows).most_common(1)
        if size < self._least or 2 * n_alike <= len(rows):
            return first
        return next(row.fields for row in rows if len(row.fields) == size)

    def _skip_survey(self, table: _core.DelimitedTable, rows: list[Row], n_above: int) -> None:
        """Skip the first rows, which a survey tool writes above the answers, and say so."""
        first = rows[self._has_header].line
        last = rows[n_above].line - 1 if len(rows) > n_above else rows[n_above - 1].line
        table.skip_lines(last - self._n_skipped)
        message = said(
            "{path}: left out {lines}, in which the survey tool writes more about the columns",
            path=self.path,
            lines=f"line {last}" if first == last else f"lines {first} to {last}",
        )
        warnings.warn(message, stacklevel=levels_to_caller())

    @staticmethod
    def _first_rows(table: _core.DelimitedTable, delimiter: str, n: int) -> list[Row]:
        return [Row(*row) for row in table.first_rows(delimiter, n, is_header=True)]

    def _declared(self, table: _core.DelimitedTable) -> str | None:
        """Return the delimiter that a first line for Excel declares, and skip this line."""
        if self.kind == ".txt":
            return None
        first = self._first_rows(table, "\n", 1)  # a row that nothing splits
        mark = declared_delimiter(first[0], self._taken) if first else None
        if mark is not None:
            table.skip_lines(first[0].line - self._n_skipped)
            self._n_skipped = first[0].line
            mark = self.options.dialect.delimiter or mark
        return mark

    def _delimiter(self, table: _core.DelimitedTable) -> str:
        """Return the delimiter that splits the header or the first rows as it should."""
        usual = self._marks[0]
        if len(self._marks) == 1:
            return usual
        if self._names:
            header = {mark: self._first_rows(table, mark, 1) for mark in self._marks}

            def rank(mark: str) -> tuple[bool, int]:
                fields = header[mark][0].fields if header[mark] else []
                return all(fields.count(name) == 1 for name in self._names), len(fields)

            return max(header, key=rank)
        first = self._tried(table)
        if not first[usual]:
            return usual
        if usual == "\t" and len(first[usual][0].fields) >= self._least:
            return usual  # tabs are hardly ever in texts
        label = self._columns[-1] - 1 if self.options.has_labels else None
        where = f"{self.path}, line {first[usual][0].line}"
        return found_delimiter(where, first, self._least, label, self._quote)

    def _tried(self, table: _core.DelimitedTable) -> dict[str, list[Row]]:
        """Return the first rows, split at each of the delimiters."""
        return {mark: self._first_rows(table, mark, _FIRST_ROWS) for mark in self._marks}

    def _cure(self, table: _core.DelimitedTable, delimiter: str, names: list[str]) -> Name | None:
        """Return the cure if the first row lacks the columns for a reason that later rows show."""
        numbers = [n for n in self._columns if isinstance(n, int)]
        if all(name in names for name in self._names) and max(numbers, default=0) <= len(names):
            return None
        with complaining():
            first = self._tried(table)
        found: Message | None = None
        for name in self._names:
            found = found or (None if name in names else cure_of_folders(self.path, name))
        found = found or cure_of_names(self._named, names)
        if found is None:
            usual = self._named if self._names else {"text": "text", "label": "label"}
            lines = self._first_rows(table, "\n", 2)
            found = cure_of_form(lines, usual.get("text"), usual.get("label"))
        if found is None and self._names:
            found = cure_of_header(self._names, first)
        if found is None and self._names:
            found = cure_of_matrix(first[delimiter], delimiter, self._named.get("label"))
        if found is None and not self._names:
            found = cure_of_first_row(first, self._least)
        is_comment = names[0].startswith("#") and names[0] != "#"
        if found is None and is_comment and self.options.dialect.comment is None:
            found = said("if lines that begin with # are comments, pass {comment=}", comment="#")
        if found is None and len(names) == 1:
            found = self._cure_of_one_field(table)
        return found

    @property
    def _named(self) -> dict[str, str]:
        """The names of the columns of text and label, by argument, if there is one of each."""
        arguments = ["text", "label"] if self.options.has_labels else ["text"]
        if len(self._columns) != 2:
            return {}
        columns = zip(arguments, self._columns, strict=False)
        return {argument: name for argument, name in columns if isinstance(name, str)}

    def _cure_of_one_field(self, table: _core.DelimitedTable) -> Message | None:
        """Return what a table whose first row is one field may be."""
        if not self.options.has_labels:
            return said("if there is no header, pass {text=}", text=1) if self._names else None
        if self.kind != ".txt" or self._n_fields is None:
            return None
        lines = [row.fields[0] for row in self._first_rows(table, "\n", _FIRST_ROWS) if row.fields]
        if lines and not {"text", "label"} - {*re.split("[,;|]", lines[0])}:
            return said("if line 1 names columns, pass {input_format='csv'}")
        cure = said(
            "if each line is a document, pass {labels}, a file of their labels, or "
            "{input_format='lines'}, if their class is the name of the file"
        )
        if self.options.alike is not None:
            cure = said(
                "if each line is a document, and the name of its file its class, pass "
                "{input_format='lines'}; if each file is a document, pass the folder of the "
                "folders of classes"
            )
        labels = [line.split(maxsplit=1)[0] for line in lines if line.strip()]
        if 1 < len({*labels}) <= len(labels) / 2:
            cure = said(
                "if each line begins with its label, write a tab after it, as {command} does; "
                "{cure}",
                cure=cure,
                command=r"perl -pe 's/[ ,:;|]+/\t/'",
            )
        return said("{divide}; {cure}", divide=_DIVIDE, cure=cure)

    def _check_more_fields(
        self, rows: list[Row], delimiter: str, texts: list[int], label: int
    ) -> None:
        """Raise an error if each row has a field more than the header, at one of its ends."""
        if not self._has_header or self.options.dialect.header is not None or len(texts) > 1:
            return
        if len(rows) < 2:
            return
        is_first = has_row_names(rows)
        if not is_first and not have_last_field(rows):
            return
        first = 1 + is_first  # the number of the column that the header names first
        cure = said("{skip_lines=} {text=}", skip_lines=rows[1].line - 1, text=texts[0] + first)
        if self.options.has_labels:
            cure = said("{cure} {label=}", cure=cure, label=label + first)
        raise wrong_value(
            "{where}: has {n} fields, and the header {n_names}; if the {which}, pass {cure}",
            which="first field is the name of the row, as R's write.table writes it"
            if is_first
            else f"rows end in a stray {delimiter!r}",
            where=f"{self.path}, line {rows[1].line}",
            n=len(rows[1].fields),
            n_names=len(rows[0].fields),
            cure=cure,
        )

    def _warn_of_quotes(self, rows: list[Row], delimiter: str) -> None:
        """Warn if the fields of a .txt file are clearly quoted."""
        if self.kind != ".txt" or self.options.dialect.quote is not None:
            return
        if are_quoted(rows, delimiter):
            what = "{path}: quotes seem to enclose fields, but count as text; if so, pass {quote=}"
            message = said(what, path=self.path, quote='"')
            warnings.warn(message, stacklevel=levels_to_caller())

    def _warn_of_header(self, first: list[str], texts: list[int], label: int) -> None:
        """Warn if the first row, which counts as a document, looks like a header."""
        if self.options.dialect.header is not None:
            self.may_begin_with_header = False  # the caller knows
        if self._has_header or self.options.dialect.header is not None:
            return
        is_title = any(first[i].strip().lower() in TITLES_OF_TEXTS for i in texts)
        if self.options.has_labels:
            is_title = is_title or first[label].strip().lower() in TITLES_OF_LABELS
        if is_title:
            what = "{path}: the first row counts as a document; if it is a header, pass {header=}"
            message = said(what, path=self.path, header=True)
            warnings.warn(message, stacklevel=levels_to_caller())
            self.may_begin_with_header = False  # one warning is enough

    def _told(
        self,
        delimiter: str,
        line: int,
        n_fields: int,
        names: list[str],
        texts: list[int],
        label: int,
    ) -> str:
        """Return a sentence about what was understood."""
        dialect, quote = self.options.dialect, self._quote
        parts = [f"fields divided by {delimiter!r}"]
        parts.append(f"quoted by {quote!r}" if quote else "never quoted")
        if dialect.escape is not None:
            parts.append(f"escaped by {dialect.escape!r}")
        parts.append(f"a header in line {line}" if self._has_header else "no header")
        parts.append(f"{n_fields:,} {'column' if n_fields == 1 else 'columns'}")

        def column(i: int) -> str:
            return f"{i + 1} ({names[i]!r})" if self._has_header else str(i + 1)

        parts.append(f"text in column {' and '.join(map(column, texts))}")
        if self.options.has_labels:
            parts.append(f"label in column {column(label)}")
        return ", ".join(parts)


def _numbered(column: str | int) -> str | int:
    """Return a column's number as an int, or a column's name unchanged."""
    return int(column) if isinstance(column, str) and column.isdecimal() else column


def _position(
    where: str, column: str | int, first: list[str], argument: str, found: Name | None
) -> int:
    """Return the position of ``column``, which is a number or a name in the first row.

    If it is not there, the error ends with the cure that was ``found``, or else with a usual one.
    """
    cure: Name = said("{named}, by number if there is no header", named=NAMED)
    if len(first) == 1:  # the delimiter is wrong
        cure = _DIVIDE
    cure = found or cure
    # The columns are named rightly if the cure is another than to name them.
    about = None if isinstance(found, Message) and not found.arguments else argument
    if isinstance(column, str):
        is_exact = found is not None
        validation.check_one_column(where, column, first, cure, about, is_exact=is_exact)
        return first.index(column)
    if column > len(first):
        error = wrong_value(
            "{where}: expected at least {column} fields, found {n}; {cure}",
            where=where,
            column=column,
            n=len(first),
            cure=cure,
        )
        raise error if about is None else concerning(error, about)
    return column - 1


class ArrowTable(TextSource):
    """A Parquet or an Arrow file with columns of texts and a column of labels.

    The first bytes tell Parquet, Arrow's file format and its stream format apart.
    """

    _class_names: list[str] | None = None  # of a column of numbers of classes

    def blocks(self) -> Generator[Block, None, None]:
        """Yield the rows, a batch at a time."""
        pyarrow = require("pyarrow", "text", f"{self.path}: reading it")
        texts, label = self.columns
        row = 0
        try:
            with closing(self._batches([*texts, label])) as parts:
                for columns, n_bytes in parts:
                    yield self._block(pyarrow, columns, row, n_bytes)
                    row += len(columns[0])
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            with named_errors(self.path):
                if is_of_system(error):
                    raise
            raise ValueError(f"{self.path}: damaged, or not a table: {error}") from None
        except MemoryError:  # a forged stream may declare any size
            raise MemoryError(f"{self.path}: not enough memory") from None

    def _block(self, pyarrow: Any, columns: list[Any], row: int, n_bytes: int) -> Block:
        """Return the valid rows of a batch. ``row`` is the number of rows before the batch."""
        for column in columns:
            self._check_column(pyarrow, column, row)
        *texts, label = columns
        parts = [_core.Texts.of_arrow(column) for column in texts]
        # A label is the same text in all file formats: 1 and 1.0 become "1", and true becomes
        # "true". The core numbers the labels, since pyarrow would import pandas to do so (0.2 s and
        # 60 MB).
        unlabelled = not self.options.has_labels
        none = _core.Texts.of_strings([""] * len(label))
        names = none if unlabelled else _core.Texts.of_arrow(label.cast(pyarrow.string()))
        codes, firsts = _core.number_labels(names)
        written = [names[i] for i in firsts]
        of_label = getattr(label.type, "value_type", label.type)  # a dictionary has one
        are_numbers = not unlabelled and str(of_label).startswith(_MAY_BE_WHOLE)
        values = [_as_whole(value) for value in written] if are_numbers else written
        expected = "a string or a whole number"
        if self._class_names is not None:
            numbers = [None if value is None else int(value) for value in written]
            values = [validation.named_class(number, self._class_names) for number in numbers]
            expected = f"the number of a class, from 0 to {len(self._class_names) - 1}"
        has_label = np.array([bool(value and value.strip()) for value in values], dtype=bool)[codes]
        has_label |= unlabelled
        block = parts[0] if len(parts) == 1 else _core.Texts.joined(parts)
        has_text = np.ones(len(block), dtype=bool)
        has_text[block.missing] = False
        for i in np.flatnonzero(~(has_text & has_label)):
            fault = f"the label is {written[codes[i]]!r}, expected {expected}"
            if not has_text[i]:
                fault = "the text is missing, expected a string"
            self.complain(Message(f"{self.path}, row {row + i + 1}: {fault}"))
        good = np.flatnonzero(has_text & has_label)
        used, kept = np.unique(codes[good], return_inverse=True)
        labels = Labels([values[code] for code in used], kept.astype(np.int32), None)
        return Block(block.take(good), labels, row + good, self, n_bytes)

    def _check_column(self, pyarrow: Any, column: Any, row: int) -> None:
        """Check a column of a batch, because the core does not check Arrow's offsets."""
        try:
            column.validate(full=True)
        except pyarrow.ArrowInvalid as error:
            fault = f"rows {row + 1} to {row + len(column)}: damaged: {error}"
            for i in range(len(column)):  # find the row, unless the whole column is damaged
                try:
                    column.slice(i, 1).validate(full=True)
                except pyarrow.ArrowInvalid as of_row:
                    fault = f"row {row + i + 1}: damaged: {of_row}"
                    break
            raise ValueError(f"{self.path}, {fault}") from None

    def _batches(self, names: list[str]) -> Generator[tuple[list[Any], int], None, None]:
        """Yield the columns of a batch of rows, and the number of bytes read so far."""
        what = f"{self.path}: reading it"
        with open(self.path, "rb") as file:
            # Do not map the file, because truncating a mapped file kills the process.
            head = file.read(HEAD)
            file.seek(0)
            form = table_format(head)
            self._check_kind(head, form)
            batches: Any
            if form == "parquet":
                # By default, pyarrow keeps all column chunks, and buffers per thread, in memory.
                options: dict[str, Any] = {"pre_buffer": False, "buffer_size": 1 << 16}
                table = require("pyarrow.parquet", "text", what).ParquetFile(file, **options)
                self._check_schema(table.schema_arrow, names, "Parquet")
                batches = table.iter_batches(_ROWS_AT_ONCE, columns=names, use_threads=False)
            else:
                ipc = require("pyarrow.ipc", "text", what)
                opened = ipc.open_stream if is_arrow_stream(head) else ipc.open_file
                schema = opened(file).schema
                self._check_schema(schema, names, "Arrow")
                fields = [schema.get_field_index(name) for name in names]
                file.seek(0)
                table = opened(file, options=ipc.IpcReadOptions(included_fields=fields))
                batches = table
                if not is_arrow_stream(head):
                    batches = map(table.get_batch, range(table.num_record_batches))
            for batch in batches:
                for row in range(0, batch.num_rows, _ROWS_AT_ONCE):  # a batch may be the whole file
                    part = batch.slice(row, _ROWS_AT_ONCE)
                    yield [part.column(name) for name in names], file.tell()

    def _check_kind(self, head: bytes, form: str | None) -> None:
        """Raise an error if the content is clearly no Parquet or Arrow file."""
        packed = compression(head)
        kind = foreign(head) if form is None and packed is None else None
        if packed or kind or (form is None and head and is_plain(head)):
            cure: Name = said("name it after its format, or pass {input_format}, such as 'csv'")
            found = "text"
            if kind is not None:
                found, cure = kind
            elif packed is not None:
                found, cure = f"content compressed as {packed}", "decompress it"
            raise wrong_value(
                "{path}: expected a Parquet or Arrow file, found {found}; {cure}",
                path=self.path,
                found=found,
                cure=cure,
            )

    def _check_schema(self, schema: Any, names: list[str], form: str) -> None:
        """Check the columns, find the names of the classes, and say what was understood."""
        if self.options.alike is not None:
            self.options.alike.check(self.path, schema.names)
        _check_columns(self.path, schema, names)
        has_labels = self.options.has_labels
        self._class_names = validation.class_names(schema, names[-1]) if has_labels else None
        parts = [form, f"{len(schema.names):,} columns"]
        parts.append(f"text in {' and '.join(map(repr, names[:-1]))}")
        if has_labels:
            parts.append(f"label in {names[-1]!r}")
        if self._class_names is not None:
            parts[-1] += f" as numbers of {validation.number_of(len(self._class_names), 'name')}"
        self.understood = printable(", ".join(parts), _LONGEST_SENTENCE)


def _check_columns(path: Path, schema: Any, names: list[str]) -> None:
    """Check that the last column in ``names`` holds labels, and the other columns hold texts."""
    for i, name in enumerate(names, 1):
        argument = "text" if i < len(names) else "label"
        wanted = {"text": names[0], "label": names[-1]}
        found = cure_of_folders(path, name)
        if found is None and len(names) == 2:
            found = cure_of_names(wanted, schema.names)
        about = None if found is not None and not found.arguments else argument
        validation.check_one_column(
            str(path), name, schema.names, found or NAMED, about, is_exact=found is not None
        )
        of_column = schema.field(name).type
        is_dictionary = str(of_column).startswith("dictionary<")
        kind = str(of_column.value_type if is_dictionary else of_column)
        may_be_label = kind in (*_INTEGERS, "bool") or kind.startswith(_MAY_BE_WHOLE)
        if kind not in _STRINGS and (i < len(names) or not may_be_label):
            expected = "strings" if i < len(names) else "strings or whole numbers"
            where = f"in column {name!r}, found {str(of_column)!r}"
            error = wrong_value(
                "{path}: expected {expected} {where}; convert it, or {cure}",
                path=path,
                expected=expected,
                where=where,
                cure=NAMED,
            )
            raise concerning(error, argument)


def _as_whole(number: str | None) -> str | None:
    """Return a number such as "1.0" or "1e+2" as a whole number, or None if it is not whole."""
    if number is None:
        return None
    from decimal import Decimal  # only these labels need it

    value = Decimal(number)
    return str(int(value)) if value.is_finite() and value == int(value) else None
