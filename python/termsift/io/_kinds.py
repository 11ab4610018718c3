"""What a file is by its first bytes, whatever its name says."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

COMPRESSED = (".gz", ".zst", ".bz2", ".xz")
PACKED = (*COMPRESSED, ".zip")
TABLES_OF_PYARROW = (".parquet", ".arrow", ".feather", ".ipc")
HEAD = 1 << 12  # the number of bytes that are looked at

# No text in UTF-8 begins with the signature of gzip, zstandard, xz or zip. A text may begin
# with that of bzip2, but then all that follows is text, too.
_COMPRESSIONS = {
    b"\x1f\x8b": ".gz",
    b"\x28\xb5\x2f\xfd": ".zst",
    b"BZh": ".bz2",
    b"\xfd7zXZ\0": ".xz",
    b"PK\x03\x04": ".zip",
    b"PK\x05\x06": ".zip",  # an archive without members
}
_BZIP2 = b"1AY&SY", b"\x17\x72\x45\x38\x50\x90"  # what follows BZh and the level
_OF_LFS = b"version https://git-lfs.github.com/spec/v"
_PDF = "a PDF document", "save its text as a text file"
_CONTINUATION = b"\xff\xff\xff\xff"  # the first bytes of an Arrow stream, which no text has

# Marks of the order of bytes. That of UTF-32 begins with that of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def unpacked(path: Path) -> Path:
    """Return a path without the ending of its compression."""
    return path.with_suffix("") if path.suffix.lower() in PACKED else path


def kind_of(path: Path) -> str:
    """Return the ending that tells the kind of a file, such as ".csv" of "mail.csv.gz"."""
    return unpacked(path).suffix.lower()


def compression(head: bytes) -> str | None:
    """Return the usual ending of compressed content that begins with ``head``, or None."""
    for signature, ending in _COMPRESSIONS.items():
        if head.startswith(signature):
            is_bzip2 = head[3:4].isdigit() and head[4:10] in _BZIP2
            is_other = ending == ".bz2" and (not is_bzip2 or is_plain(head))
            return None if is_other else ending
    return None


def table_format(head: bytes) -> str | None:
    """Return "parquet" or "arrow" if the content begins like such a file or stream, else None."""
    if head.startswith(b"PAR1"):
        return "parquet"
    return "arrow" if head.startswith((b"ARROW1", _CONTINUATION)) else None


def is_arrow_stream(head: bytes) -> bool:
    """Return whether the content begins like an Arrow stream, which has no index at its end."""
    return head.startswith(_CONTINUATION)


def foreign(head: bytes) -> tuple[str, str] | None:
    """Return what content is that is no text, and the cure, or None."""
    kind: tuple[str, str] | None = None
    if is_plain(head):  # only documents of PDF may begin with many characters of ASCII
        if re.match(rb"%PDF-\d\.\d\s", head) and re.search(rb"\d \d+ obj\b", head):
            kind = _PDF
        elif head.startswith(b"{\\rtf1"):
            kind = "an RTF document", "save its text as a text file"
        elif head.startswith(_OF_LFS) and b"\noid " in head:
            kind = "a pointer of Git LFS", "fetch the file itself, as git lfs pull does"
    elif (table := table_format(head)) is not None:
        names = {"parquet": "a Parquet file", "arrow": "an Arrow file"}
        kind = names[table], f"give it a name that ends in .{table}"
    elif head.startswith(b"FEA1"):
        kind = "a Feather file of version 1", "write it again as version 2 or Parquet"
    elif head.startswith(b"%PDF-"):
        kind = _PDF
    elif head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        kind = "an old Office document, such as .xls", "save the sheet as CSV UTF-8"
    elif head.startswith(b"SQLite format 3\0"):
        kind = "an SQLite database", "export the table as CSV"
    elif head[257:262] == b"ustar":
        kind = "a tar archive", "unpack it, and pass the folder or its files"
    elif (packed := compression(head)) is not None:
        kind = f"compressed twice ({packed.removeprefix('.')} within)", "decompress it once"
    return kind


def is_plain(head: bytes) -> bool:
    """Return whether content begins like text in UTF-8: no control characters but blanks."""
    controls = bytes({*range(32)} - {*b"\t\n\v\f\r\x1a\x1b"})
    if head.translate(None, controls) != head:
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def marked_encoding(head: bytes) -> str | None:
    """Return the encoding that a mark of the order of bytes tells, or None.

    The mark of UTF-8 is left to the reader.
    """
    is_stream = is_arrow_stream(head)
    found = (name for mark, name in _MARKS.items() if head.startswith(mark))
    return None if is_stream else next(found, None)


def unmarked_encoding(head: bytes) -> str | None:
    """Return "utf-16-le" or the like if zero bytes stand where this encoding has them, or None.

    A letter of a European language has one zero byte in UTF-16, and three in UTF-32.
    """
    n = len(head) // 4
    if not n or 0 not in head:
        return None
    zeros = [head[start : 4 * n : 4].count(0) for start in range(4)]
    if zeros[3] == n and zeros[2] >= 0.9 * n and zeros[0] < n:
        return "utf-32-le"
    if zeros[0] == n and zeros[1] >= 0.9 * n and zeros[3] < n:
        return "utf-32-be"
    even, odd = zeros[0] + zeros[2], zeros[1] + zeros[3]
    if max(even, odd) < 0.4 * n or min(even, odd) > max(even, odd) / 8:
        return None
    return "utf-16-le" if odd > even else "utf-16-be"
