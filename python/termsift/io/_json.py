"""JSON objects with a text and a label: one in a line (.jsonl, .ndjson), or in an array (.json)."""

from __future__ import annotations

from io import BufferedIOBase
from typing import Any, ClassVar

from termsift import _core
from termsift.io._texts import Table


class JsonLines(Table):
    """A file of JSON objects, one in a line."""

    may_be_array: ClassVar[bool] = False

    def opened(self, content: BufferedIOBase, options: dict[str, Any]) -> _core.Table:
        """Return the table of the objects."""
        texts, label = self.columns
        options |= {"texts": texts, "label": label, "may_be_array": self.may_be_array}
        return _core.JsonTable(content.readinto, str(self.path), **options)


class JsonFile(JsonLines):
    """A file of JSON objects, one in a line or in an array."""

    may_be_array = True
