"""Where terms stand in a text: the characters of the text that the rules turn into each term.

Counting finds out which texts hold a term. Here a text is cut once more, in Python, because the
counters of the core keep no places. The tokens are those that were counted, so what the rules make
of a text is mapped back to the text as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, TypeAlias, cast
from unicodedata import category, combining, normalize

from termsift.text._terms import TOKEN_PATTERN

if TYPE_CHECKING:
    from termsift.text._rules import TextRules

Span: TypeAlias = tuple[int, int]  # the first character, and the one after the last
_Made: TypeAlias = "str | list[str]"  # a prepared text, or the tokens or terms of a text
_Token: TypeAlias = tuple[str, int, int]  # with its place in what was made of the text

_WORDS = re.compile(r"\S+")
_SEVERAL_BLANKS = re.compile(r"\s\s+")
_SEVERAL_WORDS = re.compile(r"\S\s+\S")
_BLANK = re.compile(r"\s")
_I_WITH_DOT = "\u0130"  # the only character whose lower case has two characters
_SMALL = 32  # A piece of at most so many characters is cut at every place, if need be.
_LARGE = 1024  # A piece of more characters is cut only at a few places, since a try takes long.
_FAR = 64  # the most characters between a place and the blank where a piece is cut instead
_AT_ONCE = 64  # the words in which a term is searched at once
_MOST_LEFT_OUT = 3  # the most words within a term that an analyzer may have left out


class PlaceFinder:
    """Finds the places of terms in texts, by the rules that cut the texts."""

    def __init__(self, rules: TextRules) -> None:
        self._is_words = not isinstance(rules.analyzer, str) or rules.analyzer == "word"
        self._is_padded = rules.analyzer == "char_wb"
        self._keeps_places = rules.strip_accents is None and rules.normalize is None
        self._own_function = rules.preprocessor or (
            rules.strip_accents if callable(rules.strip_accents) else None
        )
        self._prepare = _preparation(rules)
        self._stop_words = _stop_words(rules)
        self._stem = None if rules.stem is None else cache(rules.stem)
        self._pattern: re.Pattern[str] | None = None
        self._cut: Callable[[str], list[str]] | None = None  # a function of the user
        self._joins = True  # whether several tokens form a term
        self._is_usual = False
        if callable(analyzer := rules.analyzer):
            self._cut, self._joins = lambda text: list(analyzer(text)), False
        elif self._is_words and (tokenizer := rules.tokenizer) is not None:
            prepare = self._prepare
            self._cut = lambda text: list(tokenizer(prepare(text)))
        elif self._is_words:
            self._pattern = re.compile(str(rules.token_pattern))
            self._is_usual = rules.token_pattern == TOKEN_PATTERN

    def terms_of(self, query: str) -> list[str]:
        """Return the terms that a query may mean, the likeliest first.

        A query may be a term of the counts, even if the rules would cut it otherwise: a pattern may
        ask for a neighbour, which a term that stands alone does not have.
        """
        try:
            prepared = self._prepare(query) if self._joins else query
            made = self._terms(query)
        except Exception:  # A function of the user may refuse what is no text.
            return [query]
        tokens = [made] if isinstance(made, str) else [t for t in made if t not in self._stop_words]
        if self._stem is not None:
            tokens = list(map(self._stem, tokens))
        term = " ".join(tokens) if self._joins or len(tokens) == 1 else ""
        # Lower case stays lower case. Other rules may change again what they have made: the lower
        # case of a bold A is the same letter, which is an A without accents.
        functions = self._own_function, self._cut, self._stem
        only_lowers = self._keeps_places and functions == (None, None, None)
        likeliest = [] if only_lowers else [query]
        if not (only_lowers and self._is_usual and term):
            likeliest.append(prepared)
        return list(dict.fromkeys(filter(None, [*likeliest, term]))) or [query]

    def find(self, text: str, wanted: dict[str, int]) -> dict[str, list[Span]]:
        """Return the first places of terms in a text, as many of each as are wanted."""
        left, found = dict(wanted), {term: list[Span]() for term in wanted}
        made, places = self._aligned(text)
        for term, first, last in self._occurrences(made, left):
            if term in left and (place := places.span(first, last)) is not None:
                found[term].append(self._with_marks(text, *place))
                if len(found[term]) == left[term]:
                    del left[term]
                    if not left:
                        break
        return found

    def _aligned(self, text: str) -> tuple[_Made, _SamePlaces | _Alignment]:
        if self._cut is not None:
            tokens = self._cut(text)
            return tokens, _TokenAlignment(text, self._cut, tokens)
        prepared = self._prepare(text)
        is_same = (
            self._own_function is None
            and (self._keeps_places or text.isascii())
            and len(prepared) == len(text)
            and _I_WITH_DOT not in text
        )
        return prepared, _SamePlaces() if is_same else _Alignment(text, self._prepare, prepared)

    def _occurrences(self, made: _Made, left: dict[str, int]) -> Iterator[_Token]:
        """Yield terms with their places, unless a term is no longer among those left."""
        if self._is_words:
            tokens = self._matches(made) if isinstance(made, str) else _numbered(made)
            if self._stop_words:
                tokens = (token for token in tokens if token[0] not in self._stop_words)
            if (stem := self._stem) is not None:
                tokens = ((stem(word), first, last) for word, first, last in tokens)
            return _terms_of_tokens(tokens, left, joins=self._joins)
        assert isinstance(made, str)
        return _padded_characters(made, left) if self._is_padded else _characters(made, left)

    def _matches(self, prepared: str) -> Iterator[_Token]:
        """Yield what ``findall`` returns, with its places."""
        assert self._pattern is not None
        group = 1 if self._pattern.groups else 0
        for match in self._pattern.finditer(prepared):
            first, last = match.span(group)
            if first < 0:  # The group has no part in the match, so the token is empty.
                first = last = match.start()
            yield prepared[first:last], first, last

    def _with_marks(self, text: str, start: int, end: int) -> Span:
        """Extend a place by the combining marks after it, if the rules ignore them there."""
        last = end
        while last < len(text) and combining(text[last]):
            last += 1
        if last == end:
            return start, end
        try:
            is_same = self._terms(text[start:end]) == self._terms(text[start:last])
        except Exception:  # A function of the user may refuse a part of a text.
            is_same = False
        return start, last if is_same else end

    def _terms(self, text: str) -> _Made:
        if self._cut is not None:
            return self._cut(text)
        prepared = self._prepare(text)
        return [token for token, *_ in self._matches(prepared)] if self._pattern else prepared


def _preparation(rules: TextRules) -> Callable[[str], str]:
    """Return a function that prepares a text as the rules do before they cut it."""
    steps: list[Callable[[str], str]] = []
    if rules.preprocessor is not None:
        steps.append(rules.preprocessor)
    else:
        if (form := rules.normalize) is not None:
            steps.append(lambda text: normalize(form, text))
        if rules.lowercase:
            steps.append(str.lower)
        if rules.strip_accents is not None:
            named = {"ascii": _to_ascii, "unicode": _without_marks}
            accents = rules.strip_accents
            steps.append(accents if callable(accents) else named[accents])
    if rules.analyzer in ("char", "char_wb"):
        steps.append(lambda text: _SEVERAL_BLANKS.sub(" ", text))

    def prepared(text: str) -> str:
        for step in steps:
            text = step(text)
        return text

    return steps[0] if len(steps) == 1 else prepared


def _to_ascii(text: str) -> str:
    return text if text.isascii() else normalize("NFKD", text).encode("ascii", "ignore").decode()


def _without_marks(text: str) -> str:
    if text.isascii():
        return text
    return "".join(c for c in normalize("NFKD", text) if not combining(c))


def _stop_words(rules: TextRules) -> frozenset[str]:
    if rules.analyzer != "word" or rules.stop_words is None:
        return frozenset()
    if isinstance(rules.stop_words, str):
        from termsift.text._english import ENGLISH_STOP_WORDS

        return frozenset(ENGLISH_STOP_WORDS)
    return frozenset(rules.stop_words)


# ---- the terms of a text, in order ---------------------------------------------------------------


def _numbered(tokens: Iterable[str]) -> Iterator[_Token]:
    return ((token, number, number + 1) for number, token in enumerate(tokens))


def _terms_of_tokens(
    tokens: Iterable[_Token], terms: Iterable[str], *, joins: bool
) -> Iterator[_Token]:
    """Yield each term that a token, or several tokens joined by blanks, are equal to."""
    of_first: dict[str, list[str]] = {}  # the terms that begin with each word
    for term in terms:
        of_first.setdefault(term.partition(" ")[0], []).append(term)
    begun: list[tuple[str, str, int]] = []  # a term, the tokens so far, and their place
    for token, first, last in tokens:
        going = []
        for term, so_far, start in begun:
            joined = f"{so_far} {token}"
            if joined == term:
                yield term, start, last
            elif term.startswith(f"{joined} "):
                going.append((term, joined, start))
        for term in of_first.get(token.partition(" ")[0], ()):
            if token == term:
                yield term, first, last
            elif joins and term.startswith(f"{token} "):
                going.append((term, token, first))
        begun = going


def _characters(prepared: str, left: dict[str, int]) -> Iterator[_Token]:
    """Yield the places of terms for the analyzer "char". Places may overlap."""
    for term in filter(None, list(left)):
        at = prepared.find(term)
        while at >= 0 and term in left:
            yield term, at, at + len(term)
            at = prepared.find(term, at + 1)


def _padded_characters(prepared: str, left: dict[str, int]) -> Iterator[_Token]:
    """Yield the places of terms for the analyzer "char_wb", which puts blanks around words."""
    for word in _WORDS.finditer(prepared):
        padded, before = f" {word[0]} ", word.start() - 1
        for term in filter(None, list(left)):
            at = padded.find(term)
            while at >= 0:
                last = min(before + at + len(term), len(prepared))
                yield term, max(before + at, 0), last
                at = padded.find(term, at + 1)


# ---- from what was made of a text back to the text -----------------------------------------------


class _SamePlaces:
    """The alignment of a text whose characters have been replaced one by one."""

    def span(self, first: int, last: int) -> Span:
        """Return the place in the text of a part of the prepared text."""
        return first, last


class _Piece:
    """A piece of a text, from ``start`` to ``end``, and what it becomes, from ``first`` on."""

    __slots__ = ("end", "first", "halves", "last", "start")

    def __init__(self, start: int, end: int, first: int, last: int) -> None:
        self.start, self.end, self.first, self.last = start, end, first, last
        self.halves: tuple[_Piece, _Piece] | bool | None = None  # False if it cannot be cut


class _Alignment:
    """Which part of a text becomes which part of what a function makes of the text.

    A text is cut in two where the function makes of both halves together what it makes of the
    whole. The halves are cut in the same way, as far as a part that is asked for requires. So a
    base letter and its marks stay together, as do words that a function replaces together.
    """

    def __init__(self, text: str, function: Callable[[str], _Made], made: _Made) -> None:
        self._text, self._function, self._made = text, function, made
        self._whole = _Piece(0, len(text), 0, len(made))
        self._has_sigma = "\N{GREEK CAPITAL LETTER SIGMA}" in text

    def span(self, first: int, last: int) -> Span | None:
        """Return the place in the text of a part of what was made of it, or None if unknown."""
        if first == last:
            start = self._piece_of(first).start if first < len(self._made) else len(self._text)
            return start, start
        return self._piece_of(first).start, self._piece_of(last - 1).end

    def _piece_of(self, part: int) -> _Piece:
        """Return the smallest piece of the text that becomes a character or a token."""
        piece = self._whole
        while halves := self._halves(piece):
            left, right = halves
            if left.last <= part < right.first:  # a blank between what the function strips
                start = end = left.end
                while start > 0 and self._text[start - 1].isspace():
                    start -= 1
                while end < len(self._text) and self._text[end].isspace():
                    end += 1
                return _Piece(start, end, part, part + 1)
            piece = left if part < left.last else right
        return piece

    def _halves(self, piece: _Piece) -> tuple[_Piece, _Piece] | None:
        if piece.halves is None:
            piece.halves = self._cut_in_two(piece) or False
        return piece.halves or None  # type: ignore[return-value]

    def _cut_in_two(self, piece: _Piece) -> tuple[_Piece, _Piece] | None:
        first, last = piece.first, piece.last
        for at in self._cuts(piece):
            ends = {True: (piece.start, at), False: (at, piece.end)}
            made: dict[bool, _Made] = {}
            is_shorter = 2 * at <= piece.start + piece.end
            for is_left in (is_shorter, not is_shorter):  # The shorter half may tell soon.
                part = self._made_of(*ends[is_left])
                if part is None or len(part) > last - first:
                    break
                begin = first if is_left else last - len(part)
                if not self._are_equal(part, self._made[begin : begin + len(part)]):
                    break
                made[is_left] = part
            else:
                middle, rest = first + len(made[True]), last - len(made[False])
                if middle == rest or (middle < rest and self._is_blank(middle, rest)):
                    left = _Piece(piece.start, at, first, middle)
                    return left, _Piece(at, piece.end, rest, last)
        return None

    def _is_blank(self, first: int, last: int) -> bool:
        """Return whether a part of what was made is white space, which a function may strip."""
        return "".join(self._made[first:last]).isspace()

    def _made_of(self, start: int, end: int) -> _Made | None:
        try:
            return self._function(self._text[start:end])
        except Exception:  # A function of the user may refuse a part of a text.
            return None

    def _are_equal(self, one: _Made, other: _Made) -> bool:
        # The lower case of a sigma depends on the letters around it.
        return one == other or (self._has_sigma and _with_one_sigma(one) == _with_one_sigma(other))

    def _cuts(self, piece: _Piece) -> Iterator[int]:
        """Yield places to cut a piece: first those between words, and first those in the middle."""
        start, end = piece.start, piece.end
        size = end - start
        if size <= _SMALL:
            places = sorted(range(start + 1, end), key=lambda at: abs(2 * at - start - end))
        else:
            places = []
            while (size := size // 2) > 0:
                for at in dict.fromkeys((start + size, end - size)):
                    blank = _BLANK.search(self._text, at, min(at + _FAR, end))
                    places += [blank.start()] if blank else []
                    if not blank or end - start <= _LARGE:
                        places += [at, at + 1, at - 1, at + 2, at - 2, at + 3, at - 3]
            places = [at for at in dict.fromkeys(places) if start < at < end]
        for within in (False, True)[: 2 if self._cuts_words(piece) else 1]:
            yield from (at for at in places if self._is_within_word(at) == within)

    def _cuts_words(self, piece: _Piece) -> bool:
        """Return whether a piece may be cut within a word."""
        return True

    def _is_within_word(self, at: int) -> bool:
        return _is_of_word(self._text[at - 1]) and _is_of_word(self._text[at])


class _TokenAlignment(_Alignment):
    """Which part of a text becomes which token, or which term, of a function of the user."""

    def __init__(self, text: str, function: Callable[[str], list[str]], made: list[str]) -> None:
        super().__init__(text, function, made)
        self._searches: dict[tuple[int, str], tuple[list[Span], Iterator[Span]]] = {}

    def _cuts_words(self, piece: _Piece) -> bool:
        # The whole word is shown, even if the function makes the same of a part of it.
        return piece.last - piece.first > 1

    def span(self, first: int, last: int) -> Span | None:
        start = self._place_of(first)
        end = start if last - first == 1 else self._place_of(last - 1)
        return (start[0], end[1]) if start and end else None

    def _place_of(self, number: int) -> Span | None:
        """Return the place of a token, or None if it cannot be told."""
        piece = self._piece_of(number)
        is_alone = piece.last - piece.first == 1 and piece is not self._whole
        if not is_alone and _SEVERAL_WORDS.search(self._text, piece.start, piece.end):
            is_long = piece is self._whole or piece.end - piece.start > _SMALL
            if (place := self._place_within(piece, number)) or is_long:
                return place
        content = self._text[piece.start : piece.end]
        if content.isspace():  # a token of blanks
            return piece.start, piece.end
        start = piece.end - len(content.lstrip())
        return start, piece.start + len(content.rstrip())

    def _place_within(self, piece: _Piece, number: int) -> Span | None:
        """Return the place of a term in a piece of several words, which cannot be cut.

        An analyzer that returns n-grams gives such pieces.
        """
        made = cast(list[str], self._made)
        term = made[number]
        key = piece.start, term
        if key not in self._searches:
            self._searches[key] = [], self._found_within(piece, term)
        found, others = self._searches[key]
        before = self._number_of(term, made[piece.first : number])
        while len(found) <= before and (place := next(others, None)):
            found.append(place)
        return found[before] if before < len(found) else None

    def _found_within(self, piece: _Piece, term: str) -> Iterator[Span]:
        """Yield each run of a few words of a piece of which the function makes a term."""
        words = [word.span() for word in _WORDS.finditer(self._text, piece.start, piece.end)]
        most = term.count(" ") + 1 + _MOST_LEFT_OUT
        is_all = piece is self._whole and len(words) <= most
        if is_all and self._count(f"{self._text} {self._text}", term) < 2:
            return  # The term is about the whole text, such as its length.
        for begin in range(0, len(words), _AT_ONCE):
            run = words[begin : begin + _AT_ONCE + most]
            if not self._count(self._text[run[0][0] : run[-1][1]], term):
                continue
            for first, (start, _) in enumerate(run[:_AT_ONCE]):
                for last in range(first, min(first + most, len(run))):
                    end = run[last][1]
                    if self._count(self._text[start:end], term):
                        rest = run[first + 1][0] if first < last else end
                        if not self._count(self._text[rest:end], term):
                            yield self._trimmed(start, end, term)
                        break

    def _trimmed(self, start: int, end: int, term: str) -> Span:
        """Return a place without the punctuation around the term."""
        text = self._text
        while not _is_of_word(text[end - 1]) and self._count(text[start : end - 1], term):
            end -= 1
        while not _is_of_word(text[start]) and self._count(text[start + 1 : end], term):
            start += 1
        return start, end

    def _count(self, text: str, term: str) -> int:
        try:
            return self._number_of(term, cast(list[str], self._function(text)))
        except Exception:  # as for a part of a text
            return 0

    def _number_of(self, term: str, tokens: list[str]) -> int:
        if self._has_sigma:  # A sigma that begins a part may be a final one in the text.
            return cast(list[str], _with_one_sigma(tokens)).count(cast(str, _with_one_sigma(term)))
        return tokens.count(term)


def _with_one_sigma(made: _Made) -> _Made:
    if isinstance(made, str):
        return made.replace("\N{GREEK SMALL LETTER FINAL SIGMA}", "\N{GREEK SMALL LETTER SIGMA}")
    return [cast(str, _with_one_sigma(token)) for token in made]


def _is_of_word(character: str) -> bool:
    return character == "_" or category(character)[0] in "LMN"
