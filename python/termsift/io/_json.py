"""JSON objects with a text and a label: one in a line (.jsonl, .ndjson), or in an array (.json)."""

from __future__ import annotations

from io import BufferedIOBase
from pathlib import Path
from typing import Any

from termsift import _core
from termsift.io._source import Options
from termsift.io._texts import Table, text_and_label


class JsonTable(Table):
    """A file of JSON objects."""

    def __init__(
        self, path: Path, labels: Path | None, options: Options, *, may_be_array: bool
    ) -> None:
        super().__init__(path, labels, options)
        self._may_be_array = may_be_array

    def opened(self, content: BufferedIOBase, options: dict[str, Any]) -> _core.Table:
        """Return the table of the objects."""
        texts, label = text_and_label(self.options)
        return _core.JsonTable(
            content.readinto,
            str(self.path),
            texts=texts,
            label=label,
            may_be_array=self._may_be_array,
            **options,
        )
