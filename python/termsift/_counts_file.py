r"""The file that holds counts.

Layout, little-endian::

    8 bytes   b"termsift"
    4 bytes   version of the format, 1
    8 bytes   length of the payload
    32 bytes  BLAKE2b digest of version, length and payload
    payload   one JSON line (classes, sizes), then the arrays in numpy's .npy format

Nothing in it is executed: no pickle, no names of classes or modules. Labels are JSON values, tagged
where JSON has no such kind. A file of any other length or digest is refused before it is parsed.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Hashable
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._files import replacing

MAGIC = b"termsift"
_VERSION = 1
_HEADER = struct.Struct("<8sIQ32s")
_ARRAYS = ("class_docs", "indptr", "terms", "term_frequency", "document_frequency")


def write_counts(
    path: str | os.PathLike[str],
    counts: _core.Counts,
    classes: list[Hashable],
    term_names: NDArray[np.object_] | None,
) -> None:
    """Write the counts to ``path``, atomically."""
    arrays = counts.to_arrays()
    header: dict[str, Any] = {
        "classes": [_encode_label(label) for label in classes],
        "exact": counts.exact,
        "n_terms": arrays["n_terms"],
        "n_docs": arrays["n_docs"],
        "has_collection": arrays["has_collection"],
        "has_term_names": term_names is not None,
    }
    with replacing(path) as file:
        file.write(bytes(_HEADER.size))
        hashed = _HashingWriter(file)
        hashed.write(json.dumps(header).encode() + b"\n")
        for name in _ARRAYS:
            _write_array(hashed, arrays[name])  # type: ignore[literal-required]
        if term_names is not None:
            # surrogatepass: a name read from undecodable bytes is kept as it is.
            encoded = [name.encode("utf-8", "surrogatepass") for name in term_names]
            _write_array(hashed, np.array([len(name) for name in encoded], dtype="<i8"))
            _write_array(hashed, np.frombuffer(b"".join(encoded), dtype=np.uint8))
        file.seek(0)
        file.write(
            _HEADER.pack(MAGIC, _VERSION, hashed.length, _digest(hashed.hash, hashed.length))
        )


def read_counts(
    path: str | os.PathLike[str],
) -> tuple[_core.Counts, list[Hashable], NDArray[np.object_] | None]:
    """Read what `write_counts` wrote; ValueError for anything else."""
    with open(path, "rb") as file:
        _verify(file, os.fspath(path))
        try:
            return _parse(file)
        except (ValueError, TypeError, KeyError, EOFError) as error:
            raise ValueError(f"{os.fspath(path)}: the saved counts are damaged: {error}") from error


def _verify(file: IO[bytes], path: str) -> None:
    head = file.read(_HEADER.size)
    if not head.startswith(MAGIC):
        raise ValueError(f"{path}: not a file of saved counts")
    if len(head) < _HEADER.size:
        raise ValueError(f"{path}: the saved counts are truncated")
    _, version, length, digest = _HEADER.unpack(head)
    if version != _VERSION:
        raise ValueError(
            f"{path}: the saved counts have format version {version}, expected {_VERSION}"
        )
    size = os.fstat(file.fileno()).st_size - _HEADER.size
    if size != length:
        kind = "truncated" if size < length else "damaged"
        raise ValueError(f"{path}: the saved counts are {kind}: {size} bytes, expected {length}")
    payload_hash = hashlib.file_digest(cast(Any, file), _new_hash)
    if _digest(payload_hash, length) != digest:
        raise ValueError(f"{path}: the saved counts are damaged: their checksum does not match")
    file.seek(_HEADER.size)


def _parse(file: IO[bytes]) -> tuple[_core.Counts, list[Hashable], NDArray[np.object_] | None]:
    header = json.loads(file.readline())
    arrays = {name: _read_array(file) for name in _ARRAYS}
    n_docs = header["n_docs"]
    counts = _core.Counts.from_arrays(
        header["n_terms"],
        int(n_docs) if header["exact"] else float(n_docs),
        header["has_collection"],
        **arrays,
    )
    classes = [_decode_label(label) for label in header["classes"]]
    if len(classes) != len(counts.class_docs):
        raise ValueError(f"{len(classes)} labels for {len(counts.class_docs)} classes")
    term_names = None
    if header["has_term_names"]:
        lengths, text = _read_array(file), _read_array(file).tobytes()
        ends = np.cumsum(lengths).tolist()
        term_names = np.empty(len(ends), dtype=object)
        start = 0
        for term, end in enumerate(ends):
            term_names[term] = text[start:end].decode("utf-8", "surrogatepass")
            start = end
        if len(term_names) != counts.n_terms:
            raise ValueError(f"{len(term_names)} names for {counts.n_terms} terms")
    return counts, classes, term_names


def _new_hash() -> hashlib.blake2b:
    return hashlib.blake2b(digest_size=32)


def _digest(payload_hash: Any, length: int) -> bytes:
    return hashlib.blake2b(
        struct.pack("<IQ", _VERSION, length) + payload_hash.digest(), digest_size=32
    ).digest()


class _HashingWriter:
    """A file that hashes what is written through it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.hash = _new_hash()
        self.length = 0

    def write(self, data: bytes) -> int:
        self.hash.update(data)
        self.length += len(data)
        return self._file.write(data)


def _write_array(file: _HashingWriter, array: NDArray[Any]) -> None:
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    np.lib.format.write_array(file, little, version=(1, 0), allow_pickle=False)


def _read_array(file: IO[bytes]) -> NDArray[Any]:
    array = np.lib.format.read_array(file, allow_pickle=False)
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))


def _encode_label(label: Hashable) -> Any:
    # bool before int, of which it is a kind. Floats by repr: JSON has no infinity.
    if label is None or isinstance(label, (bool, str)):
        return label
    if type(label) is int:
        return {"int": str(label)}
    if type(label) is float:
        return {"float": label.hex()}
    if isinstance(label, bytes):
        return {"bytes": label.hex()}
    if type(label) is tuple:
        return {"tuple": [_encode_label(part) for part in label]}
    raise TypeError(
        f"cannot save the class {label!r}: labels of a saved file are None, bool, int, float, str, "
        "bytes or tuples of these"
    )


def _decode_label(encoded: Any) -> Hashable:
    if encoded is None or isinstance(encoded, (bool, str)):
        return encoded
    ((kind, value),) = encoded.items()
    match kind:
        case "int":
            return int(value)
        case "float":
            return float.fromhex(value)
        case "bytes":
            return bytes.fromhex(value)
        case "tuple":
            return tuple(_decode_label(part) for part in value)
    raise ValueError(f"unknown kind of label {kind!r}")
