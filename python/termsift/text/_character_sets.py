"""Sets of characters, as `re` defines them.

A set is the sorted array of the ends of its ranges: the ranges are [ends[0], ends[1]), [ends[2],
ends[3]) and so on.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ends: TypeAlias = NDArray[np.int64]

N_CHARACTERS = 0x110000
NEWLINE = ord("\n")
BLANK = ord(" ")
_CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}
_FLAGS = re.IGNORECASE | re.ASCII  # the flags that change which characters a set has


class UntranslatedError(ValueError):
    """A regular expression has a part that the core cannot run, so Python must cut the texts."""


@lru_cache(1)
def _all_characters() -> str:
    return np.arange(N_CHARACTERS, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")


@lru_cache(1)
def _with_case() -> tuple[str, NDArray[np.int64]]:
    """Return the characters that have another case, as a string and as an array."""
    everything = _all_characters()
    parts = [everything[start : start + 256] for start in range(0, N_CHARACTERS, 256)]
    changing = "".join(part for part in parts if not part.lower() == part == part.upper())
    characters = "".join(c for c in changing if not c.lower() == c == c.upper())
    return characters, np.array([*map(ord, characters)], np.int64)


def _found(source: str, flags: int, characters: str) -> Ends:
    """Return the ends of the ranges of characters that a class matches, which `re` itself finds."""
    matches = re.compile(f"(?:{source})+", flags).finditer(characters)
    return np.array([end for match in matches for end in match.span()], np.int64)


@lru_cache(12)
def _of_category(name: str, flags: int) -> Ends:
    return _found(_category(name), flags, _all_characters())


def of_category(name: str, flags: int) -> Ends:
    r"""Return the set of a category, such as ``\w``."""
    return _of_category(name, flags & re.ASCII)


def _category(name: str) -> str:
    if name not in _CATEGORIES:
        raise UntranslatedError(name)
    return _CATEGORIES[name]


def single(character: int) -> Ends:
    """Return the set of one character."""
    return np.array([character, character + 1], np.int64)


def contains(ends: Ends, characters: Any) -> Any:
    """Return whether a set contains each of some characters."""
    return np.searchsorted(ends, characters, side="right") % 2 == 1


def of_node(name: str, value: Any, flags: int) -> Ends | None:
    """Return the set of a node that matches exactly one character, or None for another node."""
    if name == "ANY":
        everything = np.array([0, N_CHARACTERS], np.int64)
        return everything if flags & re.DOTALL else _union([single(NEWLINE)], negate=True)
    if name not in ("LITERAL", "NOT_LITERAL", "IN"):
        return None
    items = [(name.removeprefix("NOT_"), value)] if name != "IN" else value
    items = [(str(kind), of_item) for kind, of_item in items]
    negate = name == "NOT_LITERAL" or items[0][0] == "NEGATE"
    items = [item for item in items if item[0] != "NEGATE"]
    ends = _union([_of_item(kind, of_item, flags) for kind, of_item in items], negate=negate)
    if flags & re.IGNORECASE:
        source = "".join(_source(*item) for item in items)
        return _ignoring_case(ends, f"[{'^' * negate}{source}]", flags & _FLAGS)
    return ends


def _ignoring_case(ends: Ends, source: str, flags: int) -> Ends:
    """Return the set of a class, from its set with regard to case.

    `re` knows best which characters differ only in case. It searches only the characters that have
    another case, because a search of all characters takes 14 ms, and a pattern may have hundreds of
    classes.
    """
    characters, numbers = _with_case()
    found = _found(source, flags, characters)
    points = np.unique(np.concatenate([ends, numbers, numbers + 1]))
    member = contains(ends, points)
    member[np.searchsorted(points, numbers)] = contains(found, np.arange(len(numbers)))
    return _ends_of(points, member)


def _of_item(kind: str, value: Any, flags: int) -> Ends:
    if kind == "LITERAL":
        return single(value)
    if kind == "RANGE":
        return np.array([value[0], value[1] + 1], np.int64)
    return of_category(str(value), flags)


def _source(kind: str, value: Any) -> str:
    """Return an item of a class as it is written in a regular expression."""
    if kind == "LITERAL":
        return f"\\U{value:08x}"
    if kind == "RANGE":
        return f"\\U{value[0]:08x}-\\U{value[1]:08x}"
    return _category(str(value))


def _union(sets: list[Ends], *, negate: bool) -> Ends:
    points = np.unique(np.concatenate([single(0)[:1], *sets]))
    member = np.zeros(len(points), bool)
    for ends in sets:
        member |= contains(ends, points)
    return _ends_of(points, member ^ negate)


def _ends_of(points: NDArray[np.int64], member: NDArray[np.bool_]) -> Ends:
    """Return a set by whether it has each of some characters, and those up to the next."""
    member &= points < N_CHARACTERS
    ends = points[np.flatnonzero(np.diff(member, prepend=False))]
    return ends if len(ends) % 2 == 0 else np.append(ends, N_CHARACTERS)
