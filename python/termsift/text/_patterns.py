"""Translate regular expressions into programs with which the core cuts texts.

The core finds the matches that `re.findall` finds. A pattern that cannot be translated, or whose
matches differ on a probe, is left to Python.
"""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache
from time import monotonic
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift.text import _character_sets as sets
from termsift.text._character_sets import UntranslatedError

try:
    from re import _parser  # type: ignore[attr-defined]
except ImportError:  # pragma: no cover - a later Python may have moved its parser
    _parser = None

# The kinds of steps of a program (PatternStep in cpp/include/termsift/token_pattern.hpp).
_READ, _TEST, _SPLIT, _JUMP, _ENTER, _GREEDY, _LAZY, _MATCH = range(8)
_MOST_STEPS, _MOST_CLASSES = 6000, 120
_MOST_LOOPS = 8  # one within the other; the time to translate them doubles with each
_PROBES, _LONGEST_PROBE = 150, 15  # texts, characters
_LONG, _SLOW = 0.005, 0.05  # seconds; a probe usually takes some microseconds

# A test is a tree that tells whether a place of a text suits: (operator, tests), ("before", set),
# ("after", set), ("start",), ("end",) or ("last newline",). Sets are numbers.
_Test: TypeAlias = tuple[Any, ...]


class Pattern(NamedTuple):
    """A regular expression that the core runs.

    ``may_hold_blanks`` tells whether a match may hold a blank, so that the core cannot tell the
    words of an n-gram, which it joins with blanks.
    """

    native: _core.TokenPattern
    may_hold_blanks: bool


@lru_cache(64)
def translated(source: str) -> Pattern | None:
    """Return a regular expression for the core, or None if Python must cut the texts.

    The core needs a pattern that never matches the empty text, with at most one group, whose
    lookarounds read at most one character, and without references to groups.
    """
    try:
        return _translated(source)
    except UntranslatedError:
        return None


def may_be_empty(source: str) -> bool:
    """Return whether a pattern may match the empty text."""
    if _parser is None:
        return re.compile(source).match("") is not None
    return _least_width(_parsed(source)) == 0


@lru_cache(64)
def slow_text(source: str) -> str | None:
    """Return a short text that Python searches for a surprisingly long time, or None.

    `re` takes exponential time for some patterns, such as ``(a+)+b``. For a pattern that the core
    runs, the result is None, because the core takes linear time.
    """
    if translated(source) is not None:
        return None
    search: Callable[[str], list[Any]] = re.compile(source).findall
    of_pattern: list[str] = re.findall(r"\w", source)[:8]
    for character in dict.fromkeys(["a", "0", " ", *of_pattern]):
        for n in range(1, 40):  # one by one, because one more may take ten times as long
            text = character * n + "\0"
            if min(_seconds(search, text), _seconds(search, text)) > _SLOW:
                return text[:-1]
    return None


def _seconds(function: Callable[[str], Any], text: str) -> float:
    began = monotonic()
    function(text)
    return monotonic() - began


def _parsed(source: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # who compiles the pattern is warned
        return _parser.parse(source)


def _least_width(tree: Any) -> int:
    return int(tree.getwidth()[0])


def _translated(source: str) -> Pattern:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = re.compile(source)
    if _parser is None or compiled.groups > 1:
        raise UntranslatedError(source)
    tree = _parsed(source)
    if _least_width(tree) == 0:
        raise UntranslatedError("the pattern matches the empty text")
    skip_before, skip_after = _around_group(tree) if compiled.groups else (0, 0)
    program = _Program()
    program.add(tree, compiled.flags, 0)
    program.emit(_MATCH)
    arrays = _Arrays.of(program)
    try:
        native = _core.TokenPattern(
            np.array(program.steps, np.int32),
            arrays.starts,
            arrays.classes,
            arrays.sets,
            arrays.tests,
            arrays.context_after,
            program.asks_for_last_newline,
            skip_before,
            skip_after,
        )
    except ValueError as error:  # too many states
        raise UntranslatedError(source) from error
    if not _agrees(native, compiled, arrays.starts, arrays.classes):
        raise UntranslatedError("the core and Python find other matches")
    reads = {step[1] for step in program.steps if step[0] == _READ}
    blanks = any(sets.contains(program.sets[number], sets.BLANK) for number in reads)
    return Pattern(native, bool(blanks))


def _around_group(tree: Any) -> tuple[int, int]:
    """Return the numbers of characters of a match before and after its only group."""
    parts = list(tree)
    for i, (op, value) in enumerate(parts):
        if str(op) == "SUBPATTERN" and value[0] is not None:
            if _least_width(value[3]) == 0:
                raise UntranslatedError("an empty token")
            return _width(tree, parts[:i]), _width(tree, parts[i + 1 :])
    raise UntranslatedError("a group within another part")


def _width(tree: Any, parts: Sequence[Any]) -> int:
    least, most = _parser.SubPattern(tree.state, list(parts)).getwidth()
    if least != most or most > 1000:
        raise UntranslatedError("a group beside a part of varying length")
    return int(least)


def _reads(items: Any) -> bool:
    """Return whether a part of a pattern may read a character."""
    return bool(items.getwidth()[1] > 0)


def _with_local(flags: int, added: int, dropped: int) -> int:
    # A search for "(?a:\W)" skips characters by the outer flags, a fault of CPython.
    if added & (re.ASCII | re.UNICODE | re.LOCALE):
        raise UntranslatedError("a local flag")
    return (flags | added) & ~dropped


class _Program:
    """The steps of a pattern, and the sets and tests that the steps use."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, int, int, int]] = []
        self.sets: list[sets.Ends] = []
        self.tests: list[_Test] = []
        self.asks_for_last_newline = False
        self._set_numbers: dict[bytes, int] = {}
        self._of_nodes: dict[Any, int] = {}  # the sets of nodes, which repetitions repeat

    def emit(self, kind: int, a: int = 0, b: int = 0, c: int = 0) -> int:
        """Append a step and return its position."""
        if len(self.steps) >= _MOST_STEPS:
            raise UntranslatedError("too many steps")
        self.steps.append((kind, a, b, c))
        return len(self.steps) - 1

    def _direct(self, position: int, **to: int) -> None:
        """Set positions to which a step goes."""
        kind, *places = self.steps[position]
        for name, place in to.items():
            places["abc".index(name)] = place
        self.steps[position] = (kind, *places)  # type: ignore[assignment]

    def set(self, ends: sets.Ends) -> int:
        """Return the number of a set."""
        number = self._set_numbers.setdefault(ends.tobytes(), len(self.sets))
        if number == len(self.sets):
            self.sets.append(ends)
        return number

    def _test(self, tree: _Test) -> int:
        if tree not in self.tests:
            self.tests.append(tree)
        return self.tests.index(tree)

    def add(self, items: Any, flags: int, n_loops: int) -> None:
        """Append the steps of a part of a pattern, which is within ``n_loops`` loops."""
        for op, value in items:
            name = str(op)
            if name in ("ANY", "LITERAL", "NOT_LITERAL", "IN"):
                self.emit(_READ, self._set_of(name, value, flags))
            elif name == "AT":
                self.emit(_TEST, self._test(self._at(str(value), flags)))
            elif name in ("ASSERT", "ASSERT_NOT"):
                direction, inside = value
                tree = self._look(inside, flags, ahead=direction > 0)
                self.emit(_TEST, self._test(tree if name == "ASSERT" else ("not", (tree,))))
            elif name == "SUBPATTERN":
                _, added, dropped, inside = value
                self.add(inside, _with_local(flags, added, dropped), n_loops)
            elif name == "BRANCH":
                self._add_branches(value[1], flags, n_loops)
            elif name in ("MAX_REPEAT", "MIN_REPEAT"):
                self._repeat(value, flags, n_loops, greedy=name == "MAX_REPEAT")
            elif name == "FAILURE":  # (?!) since Python 3.13
                self.emit(_TEST, self._test(("not", (("and", ()),))))
            else:
                raise UntranslatedError(name)

    def _set_of(self, name: str, value: Any, flags: int) -> int:
        key = name, id(value) if isinstance(value, list) else value, flags
        if key not in self._of_nodes:
            ends = sets.of_node(name, value, flags)
            assert ends is not None
            self._of_nodes[key] = self.set(ends)
        return self._of_nodes[key]

    def _add_branches(self, branches: Sequence[Any], flags: int, n_loops: int) -> None:
        jumps = []
        for branch in branches[:-1]:
            split = self.emit(_SPLIT)
            self.add(branch, flags, n_loops)
            jumps.append(self.emit(_JUMP))
            self._direct(split, a=split + 1, b=len(self.steps))
        self.add(branches[-1], flags, n_loops)
        for jump in jumps:
            self._direct(jump, a=len(self.steps))

    def _repeat(self, value: Any, flags: int, n_loops: int, *, greedy: bool) -> None:
        least, most, body = value
        endless = most == _parser.MAXREPEAT
        is_loop = _least_width(body) == 0  # so that a round may read nothing
        if is_loop:
            if n_loops >= _MOST_LOOPS:
                raise UntranslatedError("too many loops")
            self.emit(_ENTER, n_loops)
        for _ in range(least):
            before = len(self.steps)
            self.add(body, flags, n_loops + is_loop)
            if len(self.steps) == before:  # an empty body, which may be repeated billions of times
                break
        decisions = []
        top = len(self.steps)
        for _ in range(1 if endless else int(most) - least):
            kind = (_GREEDY if greedy else _LAZY) if is_loop else _SPLIT
            decisions.append(self.emit(kind, c=n_loops if is_loop else 0))
            self.add(body, flags, n_loops + is_loop)
        if endless:
            self.emit(_JUMP, top)
        for decision in decisions:
            round_, out = decision + 1, len(self.steps)
            first_is_round = is_loop or greedy
            a, b = (round_, out) if first_is_round else (out, round_)
            self._direct(decision, a=a, b=b)

    def _at(self, where: str, flags: int) -> _Test:
        """Return the test of an anchor."""
        newline = self.set(sets.single(sets.NEWLINE))
        if where == "AT_BEGINNING_STRING" or (where == "AT_BEGINNING" and not flags & re.MULTILINE):
            return ("start",)
        if where == "AT_BEGINNING":
            return "or", (("start",), ("before", newline))
        if where == "AT_END_STRING":
            return ("end",)
        if where == "AT_END" and flags & re.MULTILINE:
            return "or", (("end",), ("after", newline))
        if where == "AT_END":
            self.asks_for_last_newline = True
            return "or", (("end",), ("last newline",))
        word = self.set(sets.of_category("CATEGORY_WORD", flags))
        boundary = "xor", (("before", word), ("after", word))
        if where == "AT_BOUNDARY":
            return boundary
        if where == "AT_NON_BOUNDARY":
            return "not", (boundary,)
        raise UntranslatedError(where)

    def _look(self, items: Any, flags: int, *, ahead: bool) -> _Test:
        """Return the test of a lookaround, which may read one character."""
        parts: list[_Test] = []
        has_read = False
        for i, (op, value) in enumerate(items):
            name, is_last = str(op), i == len(items) - 1
            ends = sets.of_node(name, value, flags)
            if ends is not None and not has_read:
                parts.append(("after" if ahead else "before", self.set(ends)))
                has_read = True
            elif name in ("MAX_REPEAT", "MIN_REPEAT") and ahead and is_last and value[0] <= 1:
                # Further rounds may follow, or not. Without the first, the lookahead holds anyway.
                if value[0] == 1:
                    self._check_reads_once(has_read, value[2])
                    parts.append(self._look(value[2], flags, ahead=True))
            elif name == "AT" and ahead and not has_read:
                parts.append(self._at(str(value), flags))
            elif name == "SUBPATTERN" and value[0] is None:
                _, added, dropped, inside = value
                self._check_reads_once(has_read or not is_last, inside)
                parts.append(self._look(inside, _with_local(flags, added, dropped), ahead=ahead))
            elif name == "BRANCH" and is_last and not has_read:
                branches = tuple(self._look(branch, flags, ahead=ahead) for branch in value[1])
                parts.append(("or", branches))
            else:
                raise UntranslatedError("a lookaround over several characters")
        return "and", tuple(parts)

    @staticmethod
    def _check_reads_once(may_not_read: bool, items: Any) -> None:
        if may_not_read and _reads(items):
            raise UntranslatedError("a lookaround over several characters")


class _Arrays(NamedTuple):
    """The classes of characters of a program, and what its sets and tests say of them.

    Characters that no set tells apart have one class. Places that no test tells apart by what
    precedes them have one context. The characters from ``starts[i]`` on have the class
    ``classes[i]``. Two more classes follow: the newline that ends a text, and the end of a text.
    """

    starts: NDArray[np.int32]
    classes: NDArray[np.uint8]
    sets: NDArray[np.uint8]  # (n_sets, n_classes + 2)
    tests: NDArray[np.uint8]  # (n_tests, n_contexts, n_classes + 2)
    context_after: NDArray[np.uint8]  # (n_classes + 2,), the last at the start of a text

    @classmethod
    def of(cls, program: _Program) -> _Arrays:
        known = [np.array([0, 128]), *program.sets]
        if program.asks_for_last_newline:
            known.append(sets.single(sets.NEWLINE))
        starts = np.unique(np.concatenate(known))
        starts = starts[starts < sets.N_CHARACTERS]
        member = np.zeros((len(starts), len(program.sets)), bool)
        for number, ends in enumerate(program.sets):
            member[:, number] = sets.contains(ends, starts)
        rows, classes = np.unique(member, axis=0, return_inverse=True)
        classes, n = classes.reshape(-1), len(rows)
        if n > _MOST_CLASSES:
            raise UntranslatedError("too many classes of characters")
        newline = classes[np.searchsorted(starts, sets.NEWLINE, side="right") - 1]
        member = np.vstack([rows, rows[newline], np.zeros(len(program.sets), bool)])
        tests = np.zeros((len(program.tests), n + 2, n + 2), bool)
        for number, test in enumerate(program.tests):
            tests[number] = _truth(test, member)
        by_before = tests.transpose(1, 0, 2).reshape(n + 2, -1)
        _, first, contexts = np.unique(by_before, axis=0, return_index=True, return_inverse=True)
        return cls(
            starts.astype(np.int32),
            classes.astype(np.uint8),
            np.ascontiguousarray(member.T, np.uint8),
            np.ascontiguousarray(tests[:, first], np.uint8),
            contexts.reshape(-1).astype(np.uint8),
        )


def _truth(test: _Test, member: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return whether a test holds between each two classes. The last class before is the start."""
    n = len(member)
    truth = np.ones((n, n), bool)  # (before, after)
    operator, *rest = test
    match operator:
        case "start":
            truth[:-1] = False
        case "end":
            truth[:, :-1] = False
        case "last newline":
            truth[:, np.arange(n) != n - 2] = False
        case "before":
            truth &= member[:, rest[0], None]
        case "after":
            truth &= member[None, :, rest[0]]
        case "not":
            truth ^= _truth(rest[0][0], member)
        case "xor":
            truth = _truth(rest[0][0], member) ^ _truth(rest[0][1], member)
        case "or":
            truth = ~truth
            for part in rest[0]:
                truth |= _truth(part, member)
        case "and":
            for part in rest[0]:
                truth &= _truth(part, member)
    return truth


def _agrees(
    native: _core.TokenPattern,
    compiled: re.Pattern[str],
    starts: NDArray[np.int32],
    classes: NDArray[np.uint8],
) -> bool:
    """Return whether the core and Python find the same matches in short random texts."""
    choose = random.Random(0)
    ends = [*starts[1:].tolist(), sets.N_CHARACTERS]
    of_classes: dict[int, list[str]] = {}
    for start, end, of_class in zip(starts.tolist(), ends, classes.tolist(), strict=True):
        characters = {chr(start), chr(end - 1), chr(choose.randrange(start, end))}
        of_classes.setdefault(of_class, []).extend(characters)
    some = [choose.choice(characters) for characters in of_classes.values()]
    every = [c for characters in of_classes.values() for c in characters]
    usual = list("aAbz09_-'.,@# \n") + some
    texts, expected = list[str](), list[list[str]]()
    for number in range(_PROBES):
        alphabet = (usual, some, every, choose.choices(usual, k=3))[number % 4]
        texts.append("".join(choose.choices(alphabet, k=number * _LONGEST_PROBE // _PROBES)))
        expected.append([])
        if _seconds(lambda text: expected[-1].extend(compiled.findall(text)), texts[-1]) > _LONG:
            break  # `re` takes exponential time, so it would not end for a longer text
    return native.matches(_core.Texts.of_strings(texts)) == expected
