"""Reading frequency lists: tables of terms and their counts."""

from __future__ import annotations

import os
from io import StringIO
from typing import Any

from termsift._util.files import existing
from termsift.io._opening import UTF8_ONLY, decoded_text


def read_frequency_list(path: str | os.PathLike[str]) -> dict[str, list[Any]]:
    r"""Read a frequency list: a table of terms and how often each occurs in a corpus.

    Parameters
    ----------
    path : path
        A UTF-8 file, which may be compressed. Its columns are separated by commas, semicolons, tabs
        or vertical bars. If the first row names columns ``term`` and ``count``, these columns are
        read, otherwise the first two. Fields of ``.txt`` files are never quoted.

    Returns
    -------
    table : dict of str to list
        The columns ``term`` and ``count``. With a third column ``label``, the dict is a table for
        `termsift.counts_from_table`.

    Raises
    ------
    FileNotFoundError, ValueError, TypeError
        If there is no such file, or if a row lacks a term or a whole number.

    Examples
    --------
    >>> import tempfile, termsift as ts
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "news.tsv")
    ...     _ = path.write_text("the\t61847\nminister\t1289\n")
    ...     table = ts.io.read_frequency_list(path)
    >>> table
    {'term': ['the', 'minister'], 'count': [61847, 1289]}
    >>> counts = ts.counts_from_table({**table, "label": ["news", "news"]})
    """
    import csv  # only needed here

    place = existing(path)
    text = decoded_text(place, cure=UTF8_ONLY)
    delimiter = max("\t,;|", key=text.partition("\n")[0].count)
    quoting: Any = csv.QUOTE_NONE if ".txt" in place.suffixes else csv.QUOTE_MINIMAL
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, quoting=quoting)
    table: dict[str, list[Any]] = {"term": [], "count": []}
    columns = 0, 1
    try:
        for row, fields in enumerate(filter(None, reader)):
            names = [name.strip().lower() for name in fields]
            if row == 0 and {"term", "count"} <= set(names):
                columns = names.index("term"), names.index("count")
            elif row > 0 or len(names) < 2 or names[1].strip("+-.")[:1].isdecimal():
                table["term"].append(fields[columns[0]])
                table["count"].append(int(fields[columns[1]]))
    except (IndexError, ValueError, csv.Error):
        raise ValueError(
            f"{path}, line {reader.line_num}: expected a term and a whole number, found "
            f"{delimiter.join(fields)[:80]!r}"
        ) from None
    return table
