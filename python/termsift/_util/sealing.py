"""Lines of JSON with a checksum, for sketches and checkpoints."""

from __future__ import annotations

import json
from collections.abc import Mapping
from operator import methodcaller
from typing import Any


def sealed(about: Mapping[str, Any], content: Any = b"") -> bytes:
    """Return a line that holds a digest and JSON. The digest covers the JSON and ``content``."""
    # Rules may hold numpy numbers, which JSON does not know.
    line = json.dumps(about, default=methodcaller("item")).encode()
    return _digest(line, content) + b" " + line + b"\n"


def unsealed(line: bytes, content: Any = b"") -> Any:
    """Return the JSON value in a line that `sealed` wrote. Raise ValueError for any other line."""
    digest, _, text = line.removesuffix(b"\n").partition(b" ")
    if digest != _digest(text, content):
        raise ValueError("damaged, truncated or from another version of termsift")
    return json.loads(text)


def _digest(line: bytes, content: Any) -> bytes:
    from hashlib import blake2b  # hashlib loads OpenSSL, which counting does not need

    digest = blake2b(line, digest_size=32)
    digest.update(content)
    return digest.hexdigest().encode()
