r"""The format of saved counts.

Layout, little-endian::

    8 bytes   b"termsift"
    4 bytes   version of the format: 1
    32 bytes  BLAKE2b digest of the payload
    payload   one JSON line, then the arrays that it lists, one after another; exact frequencies
              take four bytes each if all are below 2^32, else eight

Reading executes nothing from the file, because the file has no pickle and no name of a class or
module. Labels are JSON values; numbers, bytes and tuples have a tag. A file with a wrong digest is
refused before it is parsed. A forged file may have a correct digest, so the core checks all arrays.
"""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Hashable
from operator import methodcaller
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._counts.counts import Counts
from termsift._util import validation
from termsift.io._opening import check_encoding
from termsift.text._rules import read_rules

MAGIC = b"termsift"
_VERSION = 1
_HEADER = struct.Struct("<8sI32s")
_FREQUENCIES = ("term_frequency", "document_frequency")
_ARRAYS = ("class_docs", "indptr", "terms", *_FREQUENCIES)
_HEADER_KEYS = {"classes", "n_terms", "n_docs", "has_collection", "arrays", "names"}
_HEADER_KEYS |= {"tf", "rules", "encoding"}
_SIZES: dict[str, tuple[type, ...]] = {
    "n_terms": (int,),
    "n_docs": (int, float),
    "has_collection": (bool,),
}


def write_to(file: IO[bytes], state: Counts) -> None:
    """Write counts to a seekable file; `read_from` reads them."""
    parts = state.core.to_arrays()
    arrays: dict[str, NDArray[Any]] = {name: parts[name] for name in _ARRAYS}  # type: ignore[literal-required]
    frequencies = [arrays[name] for name in _FREQUENCIES]
    if all(a.dtype.kind == "i" and a.max(initial=0) < 2**32 for a in frequencies):
        arrays |= {name: arrays[name].astype(np.uint32) for name in _FREQUENCIES}
    if parts["unlisted_tokens"].any():
        arrays["unlisted_tokens"] = parts["unlisted_tokens"]
    arrays = {name: a.astype(a.dtype.newbyteorder("<"), copy=False) for name, a in arrays.items()}
    header: dict[str, Any] = {
        "classes": [_encode_label(label) for label in state.classes],
        "n_terms": parts["n_terms"],
        "n_docs": parts["n_docs"],
        "has_collection": parts["has_collection"],
        "arrays": [[name, array.dtype.str, len(array)] for name, array in arrays.items()],
    }
    if state.term_names is not None:
        header["names"] = state.term_names.tolist()
    if state.tf != "raw":
        header["tf"] = state.tf
    if state.rules is not None:
        header["rules"] = state.rules.stored
    if state.encoding is not None:
        header["encoding"] = state.encoding
    file.write(bytes(_HEADER.size))
    payload_hash = _new_hash()
    # Rules may hold numpy numbers, which JSON does not know.
    line = json.dumps(header, default=methodcaller("item"), ensure_ascii=False)
    # The handler surrogatepass encodes surrogates in a name that was read from undecodable bytes.
    encoded = (line + "\n").encode("utf-8", "surrogatepass")
    for part in (memoryview(encoded), *(memoryview(cast(Any, a)) for a in arrays.values())):
        payload_hash.update(part)
        file.write(part)
    file.seek(0)
    file.write(_HEADER.pack(MAGIC, _VERSION, payload_hash.digest()))


def to_bytes(state: Counts) -> bytes:
    """Return the bytes of counts, which `read_bytes` reads."""
    data = io.BytesIO()
    write_to(data, state)
    return data.getvalue()


def read_bytes(data: bytes, name: str) -> Counts:
    """Read counts from bytes, as `read_from` reads them from a file."""
    return read_from(io.BufferedReader(io.BytesIO(data)), name)


def read_from(file: IO[bytes], name: str) -> Counts:
    """Read the counts that `write_to` wrote. The file must end after the counts.

    Error messages call the file ``name``.
    """
    length = _verify(file, name)
    try:
        return _parse(file, length)
    except (OSError, MemoryError):
        raise
    except Exception as error:  # reading a forged file may raise any error
        raise ValueError(f"{name}: the saved counts are damaged: {error}") from error


def _verify(file: IO[bytes], name: str) -> int:
    """Check the version and the digest, and return the length of the payload."""
    head = file.read(_HEADER.size)
    if not head.startswith(MAGIC):
        raise ValueError(f"{name}: not a file of saved counts")
    if len(head) < _HEADER.size:
        raise ValueError(f"{name}: the saved counts are truncated")
    _, version, digest = _HEADER.unpack(head)
    if version != _VERSION:
        raise ValueError(
            f"{name}: the saved counts have format version {version}, expected {_VERSION}; count "
            "again with this version of termsift"
        )
    from hashlib import file_digest

    if file_digest(cast(Any, file), _new_hash).digest() != digest:
        raise ValueError(
            f"{name}: the saved counts are damaged or truncated: their checksum does not match"
        )
    length = file.tell() - _HEADER.size
    file.seek(_HEADER.size)
    return length


def _parse(file: IO[bytes], length: int) -> Counts:
    line = file.readline(length)
    header = json.loads(line.decode("utf-8", "surrogatepass"))
    if unknown := sorted({*header} - _HEADER_KEYS):
        raise ValueError(f"the entry {unknown[0]!r:.80} is unknown")
    for name, kinds in _SIZES.items():
        if type(header[name]) not in kinds:  # Python would also take True for a number
            raise ValueError(f"{name} is {header[name]!r:.80}")
    arrays: Any = _read_arrays(file, header["arrays"], length - len(line))
    counts = _core.Counts.from_arrays(*(header[name] for name in _SIZES), **arrays)
    # The core compares exact counts only, because fractional weights are rounded. A sum of larger
    # numbers could be infinite.
    if arrays["document_frequency"].max(initial=0) > 2 * header["n_docs"]:
        raise ValueError("a term is in more documents than the collection has")
    classes = validation.check_classes([_decode_label(label) for label in header["classes"]])
    if len(classes) != len(counts.class_docs):
        of = validation.number_of(len(classes), "label")
        n_classes = validation.number_of(len(counts.class_docs), "class")
        raise ValueError(f"{of} for {n_classes}")
    names = validation.check_term_names(header.get("names"), counts.n_terms)
    rules = header.get("rules")
    rules = None if rules is None else read_rules(rules).that_cut
    tf = validation.check_tf(header.get("tf", "raw"))
    if tf == "log" and counts.exact:
        raise ValueError("tf is 'log', but the counts are integers")
    encoding = header.get("encoding")
    encoding = None if encoding is None else check_encoding(encoding)
    return Counts(counts, classes, names, tf, rules, encoding)


def _read_arrays(file: IO[bytes], described: Any, length: int) -> dict[str, NDArray[Any]]:
    names = [name for name, _, _ in described]
    # The core takes only these names: a name with a lone surrogate would end the process.
    if sorted(names) not in (sorted(_ARRAYS), sorted((*_ARRAYS, "unlisted_tokens"))):
        raise ValueError("an array is unknown, missing or listed twice")
    dtypes = ("<i4", "<u4", "<i8", "<f8")
    if not all(type(n) is int and n >= 0 and dtype in dtypes for _, dtype, n in described):
        raise ValueError("an array has an unknown type or length")
    if sum(np.dtype(dtype).itemsize * n for _, dtype, n in described) != length:
        raise ValueError("its arrays are longer or shorter than the file")
    arrays = {}
    for name, dtype, n in described:
        array = np.empty(n, dtype)
        if cast("io.BufferedReader", file).readinto(array.view(np.uint8).data) != array.nbytes:
            raise ValueError("an array is truncated")  # the file changed after it was verified
        arrays[name] = array.astype(array.dtype.newbyteorder("="), copy=False)
    return arrays


def _encode_label(label: Hashable) -> Any:
    """Return the JSON value that stands for a label; raise TypeError if there is none."""
    # Numbers are hexadecimal, which is exact for floats, allows infinity, and is not subject to
    # Python's limit on decimal digits.
    if label is None or isinstance(label, (bool, str)):
        return label
    if type(label) is int:
        return {"int": hex(label)}
    if type(label) is float:
        return {"float": label.hex()}
    if isinstance(label, bytes):
        return {"bytes": label.hex()}
    if type(label) is tuple:
        return {"tuple": [_encode_label(part) for part in label]}
    raise TypeError(
        f"cannot save the class {label!r}: labels in a file must be None, bool, int, float, str, "
        "bytes or tuples of these"
    )


def _decode_label(encoded: Any) -> Hashable:
    """Return the label that `_encode_label` encoded; raise an error for anything else."""
    if encoded is None or isinstance(encoded, (bool, str)):
        return encoded
    ((kind, value),) = encoded.items()
    match kind:
        case "int":
            return int(value, 16)
        case "float":
            return float.fromhex(value)
        case "bytes":
            return bytes.fromhex(value)
        case "tuple" if isinstance(value, list):
            return tuple(_decode_label(part) for part in value)
    raise ValueError(f"unknown kind of label {kind!r}")


def _new_hash() -> Any:
    from hashlib import blake2b  # hashlib loads OpenSSL, which counting does not need

    return blake2b(digest_size=32)
