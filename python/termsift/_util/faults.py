"""Messages that know which arguments they name, and the errors that carry such messages.

A message is written once, as a template::

    raise wrong_value("{max_memory} needs {min_df}, a whole number of at least {least}", least=2)

A field without a value names an argument. Python shows its name, and the command line shows the
option that sets it. ``error.argument`` is the first argument that the message names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from string import Formatter
from types import TracebackType
from typing import Any, NamedTuple, TypeAlias, TypeVar

_Error = TypeVar("_Error", bound=Exception)


class Argument(NamedTuple):
    """An argument in a message: its name alone, or followed by ``=`` and at most one value."""

    name: str
    values: tuple[Any, ...] | None = None

    def __str__(self) -> str:
        return (
            self.name if self.values is None else f"{self.name}={''.join(map(repr, self.values))}"
        )


class Message(str):
    """A text that knows its parts, which are strings and arguments.

    ``str`` is the text as Python shows it.
    """

    __slots__ = ("parts",)
    parts: tuple[str | Argument, ...]

    def __new__(cls, *parts: str | Argument) -> Message:
        self = super().__new__(cls, "".join(map(str, parts)))
        self.parts = parts
        return self

    def __getnewargs__(self) -> Any:  # for copy and pickle, such as by Dask
        return self.parts

    def __getstate__(self) -> None:
        return None

    @property
    def arguments(self) -> tuple[str, ...]:
        """The names of the arguments, each once, in the order of the text."""
        return tuple(dict.fromkeys(p.name for p in self.parts if isinstance(p, Argument)))

    def shown(self, show: Callable[[Argument], str]) -> str:
        """Return the text in which ``show`` writes each argument."""
        return "".join(show(p) if isinstance(p, Argument) else str(p) for p in self.parts)

    def mapped(self, change: Callable[[str], str]) -> Message:
        """Return the message with all parts changed that are not arguments."""
        return Message(*(p if isinstance(p, Argument) else change(p) for p in self.parts))

    def renamed(self, old: str, new: str) -> Message:
        """Return the message with another name for an argument.

        The core's messages, which have a single part, begin with the argument.
        """
        if len(self.parts) == 1 and self.startswith(f"{old} "):
            return Message(Argument(new), self.removeprefix(old))
        return Message(
            *(
                p._replace(name=new) if isinstance(p, Argument) and p.name == old else p
                for p in self.parts
            )
        )


Name: TypeAlias = "str | Message"  # an argument's name, or words such as "each of {stop_words}"


def said(template: str, /, **values: Any) -> Message:
    """Return a message. Fields of the template that have no value are arguments.

    ``{min_df}`` shows the name of an argument, ``{min_df=2}`` and ``{min_df=}`` its name and a
    value, which is the value ``min_df`` if there is one. Values are never read as templates. A
    value that is a message, or an error with a message, keeps its arguments.
    """
    return _made(template, values) if values else _constant(template)


@cache
def _constant(template: str) -> Message:
    """Return the message of a template without values, which checks of small calls may need."""
    return _made(template, {})


def _made(template: str, values: dict[str, Any]) -> Message:
    parts: list[str | Argument] = []
    for text, field, form, conversion in Formatter().parse(template):
        if text:
            parts.append(text)
        if field is None:
            continue
        name, equals, value = field.partition("=")
        if equals:
            parts.append(Argument(name, _told(name, value, values)))
        elif name not in values:
            parts.append(Argument(name))
        elif conversion or form:
            whole: Any = repr(values[name]) if conversion == "r" else values[name]
            parts.append(format(whole, form or ""))
        else:
            parts += _parts(values[name])
    return Message(*parts)


def _told(name: str, value: str, values: dict[str, Any]) -> tuple[Any, ...]:
    if value:
        from ast import literal_eval  # only errors need it

        return (literal_eval(value),)
    return (values[name],) if name in values else ()


def _parts(value: Any) -> tuple[str | Argument, ...]:
    """Return the parts of a message or of an error's message, or else a value as its text."""
    message = message_of(value) if isinstance(value, BaseException) else value
    return message.parts if isinstance(message, Message) else (str(value),)


def named(name: Name) -> Message:
    """Return a message that names an argument, or a part of it, such as ``X.indptr``."""
    return name if isinstance(name, Message) else _named(name)


@lru_cache(256)  # some names come from users, such as those of columns
def _named(name: str) -> Message:
    root, dot, rest = name.partition(".")
    return Message(Argument(root), dot + rest) if dot else Message(Argument(root))


def all_named(names: Iterable[str], between: str = " and ") -> Message:
    """Return a message that names several arguments."""
    parts = [part for name in names for part in (between, *named(name).parts)]
    return Message(*parts[1:])


def message_of(error: BaseException) -> Message:
    """Return the message of an error or of a warning."""
    first = error.args[0] if len(error.args) == 1 else None
    return first if isinstance(first, Message) else Message(str(error))


# ---- errors --------------------------------------------------------------------------------------


def wrong_value(template: str, /, **values: Any) -> ValueError:
    """Return the error of an argument whose value is wrong."""
    return carrying(ValueError, said(template, **values))


def wrong_type(template: str, /, **values: Any) -> TypeError:
    """Return the error of an argument of a wrong type."""
    return carrying(TypeError, said(template, **values))


def excluded(template: str, /, **values: Any) -> TypeError:
    """Return the error of arguments that exclude each other, or that need each other."""
    return carrying(TypeError, said(template, **values))


def carrying(kind: type[_Error], message: Message, first: Iterable[str] = ()) -> _Error:
    """Return an error of a kind with a message, and with the arguments ``first`` and its own."""
    return concerning(kind(message), *first, *message.arguments)


def concerning(error: _Error, *arguments: str) -> _Error:
    """Return an error that is about arguments first, although its message may not name them."""
    every = tuple(dict.fromkeys((*arguments, *getattr(error, "arguments", ()))))
    if every:
        # Exceptions of Python are pickled and copied with such attributes.
        error.argument, error.arguments = every[0], every  # type: ignore[attr-defined]
    return error


class blaming:
    """A context in which every error of a value or a type is about these arguments first.

    The core's messages name arrays such as ``X.indices``, but carry no arguments. If ``instead_of``
    names an argument, which the caller does not have, only the errors about it are meant, and no
    longer name it.
    """

    __slots__ = ("_arguments", "_instead_of")

    def __init__(self, *arguments: Name, instead_of: str | None = None) -> None:
        self._arguments, self._instead_of = arguments, instead_of

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if not isinstance(error, (ValueError, TypeError)):
            return
        arguments = [name for one in self._arguments for name in named(one).arguments]
        if self._instead_of is None:
            concerning(error, *arguments)
        elif getattr(error, "argument", None) == self._instead_of:
            others = error.arguments[1:]  # type: ignore[union-attr]
            error.arguments = ()  # type: ignore[union-attr]
            concerning(error, *arguments, *others)


class renaming:
    """A context in which errors give an argument the name that the caller of a function knows."""

    __slots__ = ("_new", "_old")

    def __init__(self, old: str, new: str) -> None:
        self._old, self._new = old, new

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        about = getattr(error, "arguments", ())
        if self._old == self._new or self._old not in about or not isinstance(error, Exception):
            return
        old, new = self._old, self._new
        error.args = (message_of(error).renamed(old, new),)
        error.arguments = ()  # type: ignore[attr-defined]
        concerning(error, *(new if argument == old else argument for argument in about))
