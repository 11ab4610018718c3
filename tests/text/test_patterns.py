"""Regular expressions for words, which the core runs: the same tokens as `re.findall`."""

# ruff: noqa: RUF001 - letters that look like others

from __future__ import annotations

import re
import warnings
from re import _parser  # type: ignore[attr-defined]
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import adversarial_texts
import termsift as ts
from private import PatternSteps, UntranslatedError, _core, of_node, put, translated
from random_patterns import Generator
from token_patterns import IN_USE, LEFT_TO_PYTHON
from wording import raises, warns

SMALLEST, USUAL = 64, 1 << 16  # bytes that the core reads at a time

TEXTS = [
    "", " ", "\n", "a", "a\n", "end\n\n",
    "The U.S.A.'s e-mail: bob@example.org, #1 @home; it's 3.14!\n",
    "don't can't O'Neil well-known -x- --y a_b __c__ 0x1F 1e-5 $5.00 50% ... 'quoted' [x] (y)",
    "naïve café ÜBER straße ΣΊΣΥΦΟΣ Привет мир हिन्दी में नमस्ते 中文分词 ไทย 한국어 ١٢٣",
    "😀👍🏽 e\u0301a",
    "word " * 50, "x" * 200, "-" * 130, "a.b.c." * 40, "\ud800a\udfffb",
    "https://a.b/c?d=e&f#g\t\r\n", "tag one,tag two;tag three|tag, four", '"a \\" b" c',
    "192.168.0.1 2020-12-31 555-1234", "don't",
]  # fmt: skip


def expected(pattern: str, texts: list[str]) -> list[list[str]]:
    compiled = re.compile(pattern)
    return [compiled.findall(text) for text in texts]


def matches(pattern: str, texts: list[str], piece: int = USUAL) -> list[list[str]]:
    known = translated(pattern)
    assert known is not None, f"{pattern!r} is left to Python"
    return known.native.matches(_core.Texts.of_strings(texts), piece)


@pytest.mark.full(cases=len(IN_USE))
@pytest.mark.parametrize("pattern", IN_USE)
def test_patterns_in_use_are_run_by_the_core(pattern: str) -> None:
    texts = TEXTS + [text.upper() for text in TEXTS] + ["\n".join(TEXTS), " ".join(TEXTS * 3)]
    wanted = expected(pattern, texts)
    best = _core.simd_target()
    for target in _core.simd_targets():
        _core.use_simd_target(target)
        try:
            for piece in (SMALLEST, USUAL):
                assert matches(pattern, texts, piece) == wanted
        finally:
            _core.use_simd_target(best)


@pytest.mark.parametrize(
    "pattern", ["\\w+", "[#@]?\\w+", "(?i)\\b([a-z_]\\w+)\\b", "\\S+@\\S+", ".+"]
)
def test_adversarial_texts(pattern: str, is_full: bool) -> None:
    texts = adversarial_texts.some() if is_full else adversarial_texts.few()
    if pattern.startswith("\\S+@"):  # `re` tries each rest of a word without an @
        texts = [text for text in texts if len(text) < 50_000]
    for piece in (SMALLEST, USUAL):
        assert matches(pattern, texts, piece) == expected(pattern, texts)


@pytest.mark.parametrize(
    "pattern", ["a(?:b?)*?c", "a(?:b*|c)*?", "(?:a??){2,3}?b", "x(?:\\b)*?y", "(?:a?b?)+?c"]
)
def test_lazy_loops_whose_rounds_may_be_empty(pattern: str) -> None:
    texts = ["abbc ac abcabc", "aab b ab", "xy x y", "abababc c bc", "a", ""]
    for piece in (SMALLEST, USUAL):
        assert matches(pattern, texts, piece) == expected(pattern, texts)


@pytest.mark.full(cases=len(LEFT_TO_PYTHON))
@pytest.mark.parametrize("pattern", LEFT_TO_PYTHON)
def test_patterns_left_to_python(pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error:  # a newer Python's syntax
        pytest.skip("this Python has no such syntax")
    assert translated(pattern) is None


@pytest.mark.full(cases=2)
@pytest.mark.parametrize("seed", range(10))
def test_random_patterns(seed: int, is_full: bool) -> None:
    # `re` takes exponential time for some random patterns, so only short texts are compared.
    generator = Generator(seed)
    n_wanted = 120 if is_full else 40
    targets, best = _core.simd_targets(), _core.simd_target()
    n_compared = 0
    while n_compared < n_wanted:
        pattern = generator.pattern()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                re.compile(pattern)
            except (re.error, OverflowError):
                continue
            if (known := translated.__wrapped__(pattern)) is None:
                continue
            texts = generator.texts(pattern, 12)
            if is_slow(pattern):
                texts = [text[:12] for text in texts]
            wanted = expected(pattern, texts)
        _core.use_simd_target(targets[n_compared % len(targets)])
        try:
            for piece in (SMALLEST, USUAL):
                found = known.native.matches(_core.Texts.of_strings(texts), piece)
                for text, one, other in zip(texts, found, wanted, strict=True):
                    assert one == other, (pattern, text, piece)
        finally:
            _core.use_simd_target(best)
        n_compared += 1


def is_slow(pattern: str) -> bool:
    """Return whether `re` may take exponential time, since a loop holds a loop or alternatives."""
    return bool(re.search(r"\)[*+{?]", pattern)) and len(re.findall(r"[*+{?|]", pattern)) > 2


def test_one_token_may_be_the_whole_document() -> None:
    text = "word, " * 50_000
    assert matches(".+", [text, "a"], SMALLEST) == [[text], ["a"]]


def test_attempts_that_fail_late_begin_again() -> None:
    texts = ["a" * 3000 + "@b", "a" * 3000, "ab@ " * 300 + "x@y"]
    for piece in (SMALLEST, USUAL):
        assert matches(r"\w+@\w+", texts, piece) == expected(r"\w+@\w+", texts)


def test_time_does_not_grow_exponentially() -> None:
    # `re` would take longer than the age of the universe.
    assert matches(r"(?:a|aa)+$", ["a" * 200 + "b", "a" * 200]) == [[], ["a" * 200]]


@pytest.mark.full(cases=1)
@pytest.mark.parametrize("flags", [re.IGNORECASE, re.IGNORECASE | re.ASCII])
def test_sets_that_ignore_case_are_those_of_re(flags: int) -> None:
    every = "".join(map(chr, range(0x110000)))
    letters = [f"[{c}]" for c in "kKsSiIaß\u0130\u0131\u017f\u212a\u1e9eσς\u0345µ中\ud800"]
    ranges = [
        "[a-z]",
        "[^a-zé]",
        r"[\wK]",
        r"[^\W\u212a]",
        "[\U00010400-\U00010420]",
        "[^i]",
        r"[\S]",
    ]
    for source in letters + ranges:
        ((op, value),) = _parser.parse(source, flags)
        ends = of_node(str(op), value, flags)
        spans = [match.span() for match in re.finditer(f"{source}+", every, flags)]
        assert ends.reshape(-1, 2).tolist() == [list(span) for span in spans], source


def test_many_letters_that_ignore_case_are_translated_soon() -> None:
    words = ["".join(map(chr, range(0x4E00 + i, 0x4E03 + i))) for i in range(0, 1500, 3)]
    assert translated("(?i)" + "|".join(words)) is None  # a search of all characters took 7 s


def test_nothing_may_be_repeated_often() -> None:
    program = PatternSteps()
    program.add(_parser.parse("(?:){4000000000}a"), re.UNICODE, 0)
    assert len(program.steps) == 2  # the loop and the letter


def test_loops_within_loops_are_translated_soon() -> None:
    # `re` doubles its time with each loop, even for the empty text, and so would the core.
    assert translated("(?:" * 28 + "a*" + ")*" * 28 + "b") is None


@pytest.mark.parametrize(
    "pattern",
    [r"a(?=(?i:b))", r"a(?!(?i:b))", r"(?<=(?i:b))a", r"a(?=(?i:$)b)", r"(?i)a(?=(?-i:b))"],
)
def test_flags_within_a_lookaround(pattern: str) -> None:
    texts = ["ab", "aB", "Ab", "ba", "Ba", "aba", "ac", "a", ""]
    assert matches(pattern, texts) == expected(pattern, texts)


def test_a_newline_at_the_end_of_a_piece_may_end_the_text() -> None:
    for n in range(60, 70):
        texts = ["a" * n + "\n", "a" * n + "\nb", "a" * n + "\n\n", "b " * n + "a\n"]
        for pattern in (r"\w+$", r"\w+\Z", r"(?m)\w+$", r"\n$", r"\w$"):
            for piece in (SMALLEST, USUAL):
                assert matches(pattern, texts, piece) == expected(pattern, texts)


def arguments() -> dict[str, object]:
    """Return the arguments of a small pattern, [a], which tests below make malformed."""
    return {
        "steps": np.array([[0, 0, 0, 0], [7, 0, 0, 0]], np.int32),
        "starts": np.array([0, 97, 98], np.int32),
        "classes": np.array([0, 1, 0], np.uint8),
        "sets": np.array([[0, 1, 0, 0]], np.uint8),
        "tests": np.zeros((0, 1, 4), np.uint8),
        "context_after": np.zeros(4, np.uint8),
        "asks_for_last_newline": False,
        "skip_before": 0,
        "skip_after": 0,
    }


MALFORMED = {
    "no steps": {"steps": np.zeros((0, 4), np.int32)},
    "no match": {"steps": np.array([[0, 0, 0, 0]], np.int32)},
    "an unknown set": {"steps": np.array([[0, 1, 0, 0], [7, 0, 0, 0]], np.int32)},
    "an unknown test": {"steps": np.array([[1, 0, 0, 0], [7, 0, 0, 0]], np.int32)},
    "an unknown kind": {"steps": np.array([[8, 0, 0, 0], [7, 0, 0, 0]], np.int32)},
    "a jump too far": {"steps": np.array([[3, 2, 0, 0], [7, 0, 0, 0]], np.int32)},
    "a split before the start": {"steps": np.array([[2, 1, -1, 0], [7, 0, 0, 0]], np.int32)},
    "jumps in a circle": {"steps": np.array([[3, 0, 0, 0], [7, 0, 0, 0]], np.int32)},
    "too many loops": {"steps": np.array([[5, 1, 1, 32], [7, 0, 0, 0]], np.int32)},
    "a gap between ranges": {"starts": np.array([1, 97, 98], np.int32)},
    "ranges that go back": {"starts": np.array([0, 98, 97], np.int32)},
    "a range too far": {"starts": np.array([0, 97, 2**31 - 1], np.int32)},
    "an unknown class": {"classes": np.array([0, 2, 0], np.uint8)},
    "an unknown context": {"context_after": np.ones(4, np.uint8)},
    "too few contexts": {"context_after": np.zeros(3, np.uint8)},
    "tests of another width": {"tests": np.zeros((0, 1, 5), np.uint8)},
    "sets of another width": {"sets": np.array([[0, 1, 0]], np.uint8)},
    "no dimension": {"sets": np.zeros(4, np.uint8)},
    "no context": {"tests": np.zeros((0, 0, 4), np.uint8)},
    "a range without a class": {"classes": np.array([0, 1], np.uint8)},
    "a split too far": {"steps": np.array([[2, 2, 1, 0], [7, 0, 0, 0]], np.int32)},
    "a set before the first": {"steps": np.array([[0, -1, 0, 0], [7, 0, 0, 0]], np.int32)},
    "a test before the first": {"steps": np.array([[1, -1, 0, 0], [7, 0, 0, 0]], np.int32)},
    "an unknown loop": {"steps": np.array([[4, -1, 0, 0], [7, 0, 0, 0]], np.int32)},
    "a loop before the first": {"steps": np.array([[6, 1, 1, -1], [7, 0, 0, 0]], np.int32)},
    "a loop that goes too far": {"steps": np.array([[6, 1, 2, 0], [7, 0, 0, 0]], np.int32)},
    "a loop from beyond": {"steps": np.array([[6, -1, 1, 0], [7, 0, 0, 0]], np.int32)},
    "steps without end": {"steps": np.tile(np.array([7, 0, 0, 0], np.int32), (2**16 + 1, 1))},
    "a token before its match": {"skip_before": -1},
    "a token after its match": {"skip_after": -1},
    "a token far before the end": {"skip_before": 1001},
    "a token far after its start": {"skip_after": 1001},
}


@pytest.mark.full(cases=len(MALFORMED))
@pytest.mark.parametrize("fault", MALFORMED)
def test_malformed_programs_are_refused(fault: str) -> None:
    pattern = _core.TokenPattern(**arguments())
    assert pattern.matches(_core.Texts.of_strings(["ab a"])) == [["a", "a"]]
    with raises(ValueError, "malformed_pattern"):
        _core.TokenPattern(**{**arguments(), **MALFORMED[fault]})


def test_without_the_parser_of_re_python_runs_every_pattern(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A later Python may have moved the parser."""
    pytest.importorskip("sklearn")
    collection, pattern = (["xq xxq", "q xq"], ["a", "b"]), "x+q"
    of_core = ts.count_texts(*collection, token_pattern=pattern)
    assert translated(pattern) is not None
    put(monkeypatch, parser_of_re=None)
    translated.cache_clear()
    try:
        assert translated(pattern) is None
        assert ts.count_texts(*collection, token_pattern=pattern) == of_core
        with warns(UserWarning, "pattern_matches_the_empty_text"):
            ts.count_texts(*collection, token_pattern="x*")
    finally:
        translated.cache_clear()  # which would leave these patterns to Python


def test_a_part_that_never_matches_is_a_test() -> None:
    """Python 3.13 has a node of its own for it."""
    of_parser, of_node_alone = PatternSteps(), PatternSteps()
    of_parser.add(_parser.parse("(?!)a"), re.UNICODE, 0)
    of_node_alone.add([("FAILURE", None), *_parser.parse("a")], re.UNICODE, 0)
    assert of_node_alone.steps == of_parser.steps
    assert of_node_alone.tests == of_parser.tests


@pytest.mark.parametrize("node", [("AT", "AT_NEW"), ("IN", [("CATEGORY", "CATEGORY_NEW")])])
def test_what_a_later_python_may_know_is_left_to_it(node: Any) -> None:
    with pytest.raises(UntranslatedError):
        PatternSteps().add([node], re.UNICODE, 0)


def test_a_program_that_finds_other_matches_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """A later Python may give a pattern another meaning than the core."""
    other = SimpleNamespace(parse=lambda _: _parser.parse("y+q"), MAXREPEAT=_parser.MAXREPEAT)
    put(monkeypatch, parser_of_re=other)
    assert translated.__wrapped__("y+q") is not None
    assert translated.__wrapped__("x+q") is None
