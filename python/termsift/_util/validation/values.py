"""Check numbers, words and objects."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, cast

import numpy as np

from termsift import _core
from termsift._util.faults import (
    Message,
    Name,
    carrying,
    concerning,
    message_of,
    named,
    said,
    wrong_type,
    wrong_value,
)
from termsift._util.messages import printable

_CLASS = re.compile(r"(?<!['\"])\bclass (\d+)\b")
_NAMES_SHOWN = 20
_RANGES: dict[str, Callable[[float], bool]] = {
    "positive and finite": lambda x: 0 < x < math.inf,
    "not negative and finite": lambda x: 0 <= x < math.inf,
    "between 0 and 1": lambda x: 0 <= x <= 1,
    "above 0 and below 1": lambda x: 0 < x < 1,
}


@contextmanager
def naming(place: str | Message) -> Iterator[None]:
    """Prefix error messages with ``place``, such as a file, a column or an argument.

    A message that already begins with the place is left as it is. An error keeps its arguments.
    """
    try:
        yield
    except (ValueError, TypeError) as error:
        if str(error).startswith((f"{printable(place)}:", f"{printable(place)},")):
            raise
        known = (_core.CountOverflowError, ValueError, TypeError)
        kind = next(kind for kind in known if isinstance(error, kind))
        where = place if isinstance(place, Message) else Message(printable(place))
        message = Message(*where.parts, ": ", *message_of(error).parts)
        first = (*where.arguments, *getattr(error, "arguments", ()))
        raise carrying(kind, message, first) from error


@contextmanager
def naming_classes(classes: Sequence[Hashable]) -> Iterator[None]:
    """Name classes by their labels in the core's messages, which have numbers such as class 0."""
    try:
        yield
    except ValueError as error:

        def labelled(part: str) -> str:
            return _CLASS.sub(label, part)

        def label(found: re.Match[str]) -> str:
            number = int(found[1])  # a value that the message quotes may hold any number
            return f"class {classes[number]!r}" if number < len(classes) else found[0]

        error.args = (message_of(error).mapped(labelled),)
        raise


def check_kind(value: object, kind: type | tuple[type, ...], name: Name) -> None:
    """Check that an argument is an instance of a class, or of one of several classes."""
    if not isinstance(value, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        expected = " or ".join(one.__name__ for one in kinds)
        raise wrong_type(
            "{name} must be a {expected}, got {kind}",
            name=named(name),
            expected=expected,
            kind=type(value).__name__,
        )


def check_bytes(data: Any, name: Name, expected: str = "bytes") -> bytes:
    """Return the bytes of an object with a buffer, such as a memoryview, or of bytes themselves."""
    if isinstance(data, bytes):
        return data
    try:
        return memoryview(data).tobytes()
    except (TypeError, ValueError, NotImplementedError):  # memoryview's error for some formats
        raise wrong_type(
            "{name} must be {expected}, got {kind}",
            name=named(name),
            expected=expected,
            kind=type(data).__name__,
        ) from None


def a_kind(value: object) -> str:
    """Return the type of an object with its article, as in "a str" or "an int"."""
    name = type(value).__name__
    return f"an {name}" if name[0] in "aeiouAEIOU" else f"a {name}"


def shown(value: object) -> str:
    """Return the repr of a scalar, or the type of any other object, whose repr may be long."""
    return repr(value) if value is None or np.isscalar(value) else a_kind(value)


def check_flag(value: object, name: Name) -> bool:
    """Check that an argument is True or False, and return it as a bool."""
    if not isinstance(value, (bool, np.bool_)):
        raise wrong_type(
            "{name} must be True or False, got {value!r}", name=named(name), value=value
        )
    return bool(value)


def check_iterable(values: Any, name: Name, expected: str) -> Iterable[Any]:
    """Return an iterable unchanged, without reading from it, because it may be a generator."""
    is_scalar = isinstance(values, (str, bytes)) or getattr(values, "ndim", 1) == 0
    if is_scalar or not isinstance(values, Iterable):
        raise wrong_type(
            "{name} must hold {expected}, got {shown}",
            name=named(name),
            expected=expected,
            shown=shown(values),
        )
    return values


def check_words(names: Any, name: Name) -> list[Any]:
    """Return one word, or several words, as a list."""
    return [names] if isinstance(names, str) else list(check_iterable(names, name, "words"))


def check_choice(value: object, known: Collection[str], name: Name) -> str:
    """Check that a value is a known word, and return it. The error suggests the nearest word."""
    if not is_one_of(value, known):
        expected = " or ".join(map(repr, known)) if len(known) < 3 else f"one of {', '.join(known)}"
        raise wrong_value(
            "{name} must be {expected}, got {value!r}{hint}",
            name=named(name),
            expected=expected,
            value=value,
            hint=did_you_mean(value, known),
        )
    return cast(str, value)


def check_tf(tf: str) -> str:
    """Check that ``tf`` is "raw", "log" or "binary", and return it."""
    return check_choice(tf, _core.TermWeight.__members__, "tf")


def is_one_of(value: object, known: Collection[str]) -> bool:
    """Return whether a value of any type, even an array, is one of the known words."""
    return isinstance(value, str) and value in known


def grouped(n: float) -> str:
    """Format a number as in "2,000" or "2.5". A whole float gets no decimals."""
    return f"{int(n):,}" if n == int(n) else f"{n:,.7g}"


def number_of(n: float, thing: str) -> str:
    """Format a number of things as in "1 row", "2,000 rows" or "2 classes"."""
    plural = "es" if thing.endswith("s") else "s"
    return f"{grouped(n)} {thing}{'' if n == 1 else plural}"


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return a suffix for an error message that suggests the nearest known name, if any."""
    if not isinstance(name, str):
        return ""
    plain = {plain_name(other): other for other in known}
    mine = plain_name(name)
    alike = [other for other in plain if other[:1] == mine[:1]]
    import difflib  # only errors need difflib

    near = difflib.get_close_matches(mine, alike, n=1, cutoff=0.5)
    return f"; did you mean {plain[near[0]]!r}?" if near else ""


def plain_name(name: str) -> str:
    """Return a name without what is easily overlooked, such as case and a byte order mark.

    The dashes of options are dropped, because all options would look alike with their dashes.
    """
    return name.lower().replace("-", "_").strip("_ \t\r\n\ufeff\xa0")


def listed(names: Sequence[Any]) -> str:
    """Return the first names for a message. Long names, such as whole documents, are cut."""
    some = [
        repr(name if len(str(name)) <= 60 else f"{str(name)[:60]}...")
        for name in names[:_NAMES_SHOWN]
    ]
    return ", ".join(some + ["..."] * (len(names) > _NAMES_SHOWN)) or "none"


def check_one_column(
    where: Name,
    name: Any,
    names: list[Any],
    cure: Name,
    argument: str | None = None,
    *,
    is_exact: bool = False,
) -> None:
    """Check that exactly one column has this name; if none does, the error ends with ``cure``.

    The error is about the ``argument`` that named the column, if that is known. No similar name is
    added to a cure that ``is_exact``.
    """
    if names.count(name) != 1:
        if name in names:
            cure = "give each column another name"
        elif len(names) > 1 and not is_exact:
            known = [other for other in names if isinstance(other, str)]
            cure = said("{cure}{hint}", cure=cure, hint=did_you_mean(name, known))
        error = wrong_value(
            "{where}: expected one column {column!r}, found {names}; {cure}",
            where=where,
            column=name,
            names=listed(names),
            cure=cure,
        )
        raise error if argument is None else concerning(error, argument)


def is_integer(value: object) -> bool:
    """Return whether a value is an integer; a bool does not count as an integer."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def check_integer(value: Any, name: Name, least: int | None = 1, most: int | None = None) -> int:
    """Check that a value is an integer in [least, most], and return it as an int."""
    if not is_integer(value):
        raise wrong_type("{name} must be an integer, got {value!r}", name=named(name), value=value)
    too_small = least is not None and value < least
    if too_small or (most is not None and value > most):
        wanted = f"at least {least}" if most is None else f"in [{least}, {most}]"
        raise wrong_value(
            "{name} must be {wanted}, got {value}", name=named(name), wanted=wanted, value=value
        )
    return int(value)


def check_n_threads(n_threads: int | None) -> int:
    """Return the number of threads for the core, or 0 for the core's default."""
    return 0 if n_threads is None else check_integer(n_threads, "n_threads", 1, 4096)


def check_k(k: Any, n_terms: int) -> int:
    """Return the number of terms to rank, which is ``n_terms`` if ``k`` is None or larger."""
    return n_terms if k is None else min(check_integer(k, "k", least=0), n_terms)


def check_number(number: float, name: Name, expected: str = "positive and finite") -> float:
    """Check that a number is in a range of `_RANGES`, and return it as a float."""
    if not _is_real(number):
        raise wrong_type("{name} must be a number, got {number!r}", name=named(name), number=number)
    value = _as_float(number)
    if not _RANGES[expected](value):
        raise wrong_value(
            "{name} must be {expected}, got {number!r}",
            name=named(name),
            expected=expected,
            number=number,
        )
    return value


def check_alpha(alpha: float | tuple[float, float]) -> tuple[float, float | None]:
    """Check that ``alpha`` is a number or a pair (b1, b2), and return b1, and b2 or None."""
    is_pair = isinstance(alpha, (tuple, list))
    numbers = alpha if isinstance(alpha, (tuple, list)) else (alpha, alpha)
    if len(numbers) != 2 or not all(map(_is_real, numbers)):
        raise wrong_type("{alpha} must be a number or a pair (b1, b2), got {given!r}", given=alpha)
    b1, b2 = map(_as_float, numbers)
    if not 0 <= b1 < math.inf or not 0 <= b2 < math.inf:
        raise wrong_value("{alpha} must be finite and not negative, got {given!r}", given=alpha)
    return b1, b2 if is_pair else None


def _as_float(number: Any) -> float:
    """Return a number as a float. An integer that is too large for one is infinite."""
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _is_real(value: object) -> bool:
    # The question whether a number is of the abstract class takes 0.2 µs, which small calls notice.
    return type(value) is float or (isinstance(value, Real) and not isinstance(value, bool))
