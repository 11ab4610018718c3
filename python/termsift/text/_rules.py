"""The rules for texts: how texts are cut into terms, and which terms are kept."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, fields, replace
from functools import cache
from inspect import Parameter, signature
from types import CellType, CodeType
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar, get_args
from unicodedata import normalize

from termsift import _core
from termsift._util import validation
from termsift._util.extras import require
from termsift._util.faults import (
    Argument,
    Message,
    all_named,
    concerning,
    excluded,
    named,
    said,
    wrong_type,
    wrong_value,
)
from termsift._util.messages import levels_to_caller, printable
from termsift.text._terms import TOKEN_PATTERN, drops, native_arguments, quick

Analyzer: TypeAlias = Literal["word", "char", "char_wb"]
Accents: TypeAlias = Literal["ascii", "unicode"]
NormalForm: TypeAlias = Literal["NFC", "NFKC"]
_Function = TypeVar("_Function", bound=Callable[..., Any])
_LONGEST_VALUE = 60  # the most characters of a rule's value that are shown
_EACH_SIZE = said("each of {ngram_range}")
_SHARES = {name: Message(Argument(name), " as a share") for name in ("min_df", "max_df")}
_MOST_HASHED = 2**31 - 1  # scikit-learn's hasher keeps columns in 32 bits


@dataclass(frozen=True)
class NamedFunction:
    """A function that cut the texts of some counts, of which files and pickles keep the name only.

    Two functions of one name, such as two lambdas, differ if their code differs. Functions are not
    compared by identity, because a loop or a worker of a cluster may make the same function again
    for each part.
    """

    name: str
    code: Any = field(default=None, compare=False)  # None if it is unknown
    function: Any = field(default=None, compare=False)  # None if only the name is known

    def __call__(self, text: str) -> Any:
        """Call the function, or raise an error if only the name is known."""
        if self.function is None:
            raise ValueError(f"counts keep only the name of the function {self.name}")
        return self.function(text)

    def __repr__(self) -> str:
        return printable(self.name, 40)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NamedFunction):
            return NotImplemented
        is_unknown = self.code is None or other.code is None
        return self.name == other.name and (is_unknown or self.code == other.code)

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name}  # another version of Python has other code

    def __deepcopy__(self, _: Any) -> NamedFunction:
        return self  # which nobody changes

    @classmethod
    def of(cls, function: Any) -> NamedFunction:
        """Return the name of a function, or of the class of a callable object."""
        if isinstance(function, cls):
            return function
        code = getattr(function, "__code__", None)
        name = getattr(function, "__name__", type(function).__name__)
        known = _instructions(code) if isinstance(code, CodeType) else None
        return cls(str(name), known, function)


def _checked(prepare: Callable[[str], str], name: str) -> Callable[[str], str]:
    """Return a function that prepares texts, with a check that it returns a string."""

    def checked(text: str) -> str:
        prepared: Any = prepare(text)
        if not isinstance(prepared, str):
            raise wrong_type(
                "{name} returned {shown} for the text {text}, expected a string",
                name=named(name),
                shown=validation.shown(prepared),
                text=validation.listed([text]),
            )
        return prepared

    return checked


def _instructions(code: CodeType) -> tuple[Any, ...]:
    """Return the code of a function without its place in a file."""
    constants = tuple(_instructions(c) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.co_code, code.co_names, code.co_freevars, constants


def _fingerprint(function: Any) -> str:
    if isinstance(function, NamedFunction):
        function = function.function
    from hashlib import blake2b  # hashlib loads OpenSSL, which only checkpoints need

    def plain(value: Any) -> Any:
        if isinstance(value, (tuple, list)):
            return [plain(part) for part in value]
        if isinstance(value, CodeType):
            return plain(_instructions(value))
        is_plain = value is None or isinstance(value, (bool, int, float, str, bytes))
        return value if is_plain else type(value).__name__

    code = getattr(function, "__code__", None)
    cells = getattr(function, "__closure__", None) or ()
    enclosed = [cell.cell_contents for cell in cells if cell != CellType()]
    about = plain([code, enclosed, getattr(function, "__defaults__", None)])
    return blake2b(repr(about).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@dataclass(frozen=True, repr=False)
class TextRules:
    r"""How texts are cut into terms, and which terms are kept.

    All rules except ``hashing`` and ``normalize`` have the meanings that they have in
    scikit-learn's ``CountVectorizer``. By default, a word consists of two or more letters, digits
    or underscores. The compiled core cuts the texts. If a rule is a function, or ``token_pattern``
    is one of the few patterns that the core cannot run, Python cuts the texts instead, which takes
    some three to fifteen times as long. The core counts the terms in either case.

    Attributes
    ----------
    ngram_range : (int, int), default (1, 1)
        The least and the largest number of words (or of characters) in a term.
    min_df, max_df : int or float, default 1 and 1.0
        Terms in fewer than ``min_df`` or more than ``max_df`` documents are dropped. An integer is
        a number of documents, and a float is a share of all documents.
    stop_words : "english", collection of str, or None
        Words that are left out of all terms: scikit-learn's English list, which termsift contains,
        or your own list.
    lowercase : bool, default True
        Whether "Bacon" and "bacon" are the same word.
    analyzer : {"word", "char", "char_wb"} or callable
        Whether terms consist of words, of characters, or of characters within words ("char_wb").
        For "char_wb", each word is padded with a blank at both ends. A callable analyzer takes a
        text and returns its terms.
    hashing : int, optional
        The number of columns for the hashes of terms, as in a ``HashingVectorizer`` with
        ``alternate_sign=False, norm=None``. No names of terms are kept, so only the matrix needs
        memory. Terms with the same hash are counted as one term.
    strip_accents : {"ascii", "unicode"} or callable, optional
        Remove accents, so that "naïve" becomes "naive". "ascii" also drops all characters that
        are not ASCII.
    normalize : {"NFC", "NFKC"}, optional
        Bring texts to a normal form of Unicode before any other rule, as ``unicodedata.normalize``
        does. In "NFC", a letter and the accents that follow it become one letter. "NFKC" also
        replaces variants of letters, such as ligatures and full-width letters.
    token_pattern : str or None
        The regular expression for a word. If it has a group, the group is the word. The core runs
        patterns that never match the empty text, with at most one group, at the top level between
        parts of a fixed length, with lookarounds of one character, and without references to
        groups. For n-grams of several words, the pattern must not match blanks. The pattern may
        be None if there is a ``tokenizer``.
    tokenizer : callable, optional
        A function that cuts a text into words, in place of ``token_pattern``.
    preprocessor : callable, optional
        A function that prepares texts, in place of ``normalize``, ``lowercase`` and
        ``strip_accents``.
    binary : bool, default False
        Whether a term counts at most once per document.
    max_features : int, optional
        Keep only the ``max_features`` most frequent terms.
    vocabulary : mapping of str to int, or iterable of str, optional
        The terms to count. A mapping holds the column of each term, and a list or an iterator holds
        the terms in the order of the columns. If there is a vocabulary, no other rule drops terms.
    stem : callable, optional
        A function that takes a word and returns its stem or lemma, which is counted in place of the
        word. The function is called once for each distinct word, after ``stop_words``, and must
        return the same for the same word, without a blank if ``ngram_range`` allows several words.
        A vocabulary holds stems.

    Examples
    --------
    >>> import termsift as ts
    >>> rules = {"ngram_range": (1, 2), "min_df": 2}
    >>> counts = ts.count_texts(["Bacon and eggs", "eggs, eggs"], ["ham", "spam"], **rules)
    >>> list(counts.term_names)
    ['eggs']
    """

    ngram_range: tuple[int, int] = (1, 1)
    min_df: int | float = 1
    max_df: int | float = 1.0
    stop_words: Literal["english"] | Collection[str] | None = None
    lowercase: bool = True
    analyzer: Analyzer | Callable[[str], Iterable[str]] = "word"
    hashing: int | None = None
    strip_accents: Accents | Callable[[str], str] | None = None
    normalize: NormalForm | None = None
    token_pattern: str | None = TOKEN_PATTERN
    tokenizer: Callable[[str], Iterable[str]] | None = None
    preprocessor: Callable[[str], str] | None = None
    binary: bool = False
    max_features: int | None = None
    vocabulary: Mapping[str, int] | Iterable[str] | None = None
    stem: Callable[[str], str] | None = None

    def __post_init__(self) -> None:
        """Check each rule, and combinations of rules that exclude each other."""
        for name in ("vocabulary", "stop_words"):
            if isinstance(terms := getattr(self, name), Iterator):  # which can be read only once
                object.__setattr__(self, name, list(terms))
            elif isinstance(terms, (list, set, dict)):  # which the caller may change
                object.__setattr__(self, name, terms.copy())
        for name, check in CHECKS.items():
            value = getattr(self, name)
            if value is not getattr(TextRules, name):  # the defaults need no check
                check(value, name)
        if self.token_pattern is None and self.tokenizer is None:
            validation.check_kind(None, str, "token_pattern")
        if self.stop_words is not None and self.analyzer != "word":
            raise excluded(
                "{stop_words} needs {analyzer='word'}, got {given!r}", given=self.analyzer
            )
        if self.stem is not None and self.analyzer != "word":
            raise excluded("{stem} needs {analyzer='word'}, got {given!r}", given=self.analyzer)
        if self.hashing is not None and (self.drops or self.vocabulary is not None):
            dropping = ("min_df", "max_df", "max_features", "vocabulary")
            given = all_named(name for name in dropping if name in self.changed)
            raise excluded("{hashing} keeps no terms, so leave out {given}", given=given)

    def column_of_each(self) -> dict[str, int] | None:
        """Return the column of each term of the vocabulary, or None if there is no vocabulary."""
        return None if self.vocabulary is None else _columns_of(self.vocabulary)

    def cutter(self) -> Callable[[str], Iterable[str]]:
        """Return a Python function that cuts a text into terms."""
        if callable(self.analyzer):
            return self.analyzer
        if self.stem is not None:
            return self._stemming_cutter()
        if self.cuts_by_pattern:
            self._warn_of_slow_pattern()
        needy = ("tokenizer", "preprocessor", "token_pattern", "strip_accents")
        changed = (name for name in needy if getattr(self, name) != getattr(TextRules, name))
        asks = next(changed, "an ngram_range of 1,000 words or more")
        vectorizers = require("sklearn.feature_extraction.text", "sklearn", asks)
        names = (*needy, "analyzer", "lowercase", "stop_words")
        rules = {name: getattr(self, name) for name in names}
        for name in ("preprocessor", "strip_accents"):
            if callable(rules[name]):
                rules[name] = _checked(rules[name], name)
        vectorizer = vectorizers.CountVectorizer(ngram_range=tuple(self.ngram_range), **rules)
        cut = quick(vectorizer, vectorizer.build_analyzer())
        if self.normalize is None or self.preprocessor is not None:
            return cut
        form: NormalForm = self.normalize
        return lambda text: cut(normalize(form, text))

    def _warn_of_slow_pattern(self) -> None:
        """Warn before the texts are cut, because cutting may never end."""
        from termsift.text._patterns import slow_text  # which the default need not load

        if (text := slow_text(str(self.token_pattern))) is not None:
            warnings.warn(
                said(
                    "{token_pattern} takes exponential time, already for {text!r}, because a loop "
                    "is within a loop: leave one of them out, or write (?:...) in place of (...), "
                    "so that the core can run the pattern, for which it takes linear time",
                    text=text,
                ),
                stacklevel=levels_to_caller(),
            )

    def _stemming_cutter(self) -> Callable[[str], list[str]]:
        vectorizers = require("sklearn.feature_extraction.text", "sklearn", "stem")
        with warnings.catch_warnings():
            if self.native is not None or self.prepared is not None:
                # `about_rules` tells which stop words cannot match.
                warnings.filterwarnings("ignore", "Your stop_words may be inconsistent")
            cut = replace(self, stem=None, ngram_range=(1, 1)).cutter()
        assert self.stem is not None
        stem = cache(_checked(self.stem, "stem"))
        grams = vectorizers.CountVectorizer(ngram_range=tuple(self.ngram_range))._word_ngrams
        return lambda text: grams([stem(word) for word in cut(text)])

    def _stems_of(self, words: list[str]) -> list[str]:
        assert self.stem is not None
        return list(map(_checked(self.stem, "stem"), words))

    @property
    def native(self) -> _core.TextRules | None:
        """The rules for the core, or None if the core cannot cut texts by these rules."""
        words = self.stop_words
        if isinstance(words, str):
            from termsift.text._english import ENGLISH_STOP_WORDS as words
        arguments = native_arguments(self, words)
        if arguments is None:
            return None
        if self.stem is not None:
            arguments = *arguments, self._stems_of
        return _core.TextRules(*arguments)

    @property
    def prepared(self) -> tuple[Callable[[str], str], _core.TextRules] | None:
        """A function that prepares texts, and the rules by which the core then cuts them.

        None if there is no such function, or if the core cannot cut what it returns.
        """
        accents, prepare = self.strip_accents, self.preprocessor
        if callable(self.analyzer) or not (callable(accents) or prepare is not None):
            return None
        nothing: dict[str, Any] = {"lowercase": False, "strip_accents": None, "normalize": None}
        native = replace(self, preprocessor=None, **nothing).native
        if native is None:
            return None
        if prepare is not None:
            return _checked(prepare, "preprocessor"), native
        assert callable(accents)
        strip, lowercase, form = _checked(accents, "strip_accents"), self.lowercase, self.normalize

        def prepared(text: str) -> str:
            text = text if form is None else normalize(form, text)
            return strip(text.lower() if lowercase else text)

        return prepared, native

    @property
    def changed(self) -> dict[str, Any]:
        """The rules that differ from their defaults, by name."""
        rules = {rule: getattr(self, rule.name) for rule in fields(self)}
        # Compare reprs, because the comparison of arrays has no single result.
        return {r.name: value for r, value in rules.items() if repr(value) != repr(r.default)}

    @property
    def stored(self) -> dict[str, Any]:
        """The changed rules as JSON values; of a function, only the name."""
        return {
            name: {"function": NamedFunction.of(value).name} if callable(value) else value
            for name, value in self.changed.items()
        }

    @property
    def shown(self) -> str:
        """The changed rules, such as ``lowercase=False, ngram_range=(1, 2)``."""
        shown = []
        for name, value in self.changed.items():
            value = NamedFunction.of(value) if callable(value) else value
            shown.append(f"{name}={printable(repr(value), _LONGEST_VALUE)}")
        return ", ".join(shown)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.shown})"

    @property
    def that_cut(self) -> TextRules:
        """The rules that cut texts, as counts keep them: functions have names, for files."""
        rules = self.cutting
        functions = {name: value for name, value in vars(rules).items() if callable(value)}
        if not functions:
            return rules
        names: dict[str, Any] = {name: NamedFunction.of(f) for name, f in functions.items()}
        return replace(rules, **names)

    @property
    def cutting(self) -> TextRules:
        """The rules that cut texts into terms, without rules that drop terms or have no effect."""
        values = {name: getattr(self, name) for name in self._effective}
        if "ngram_range" in values:
            values["ngram_range"] = tuple(map(int, self.ngram_range))
        words = values.get("stop_words")
        if words is not None and not isinstance(words, str):
            values["stop_words"] = tuple(sorted(set(words))) or None
        return TextRules(**values)

    @property
    def _effective(self) -> list[str]:
        """The names of the rules that have an effect on how texts are cut."""
        if callable(self.analyzer):
            return ["analyzer", "hashing", "binary"]
        without: set[str] = set()
        if self.preprocessor is not None:
            without |= {"normalize", "lowercase", "strip_accents"}
        if self.tokenizer is not None or self.analyzer != "word":
            without |= {"token_pattern"}
        if self.analyzer != "word":
            without |= {"tokenizer", "stem"}
        return [name for name in _CUTTING if name not in without]

    @property
    def unused(self) -> list[str]:
        """The changed rules without effect. None and False are ways to leave out a rule."""
        effective = self._effective
        if not (names := [name for name in _CUTTING if name not in effective]):
            return []
        values = self.changed
        return [name for name in names if values.get(name) not in (None, False)]

    @property
    def functions(self) -> dict[str, str]:
        """A fingerprint of each function, which changes with its code and what it encloses.

        Of what a function encloses and of its defaults, only plain values count, since the text of
        another value may change from run to run.
        """
        rules = {name: value for name, value in self.changed.items() if callable(value)}
        return {name: _fingerprint(function) for name, function in rules.items()}

    @property
    def for_words(self) -> TextRules:
        """The rules that cut single words, without stop words and stems."""
        return replace(self, stop_words=None, ngram_range=(1, 1), vocabulary=None, stem=None)

    @property
    def cuts_by_pattern(self) -> bool:
        """Whether words are the matches of a pattern other than the default."""
        by_pattern = self.analyzer == "word" and self.tokenizer is None
        return by_pattern and self.token_pattern != TOKEN_PATTERN

    @property
    def names_functions(self) -> bool:
        """Whether a function that cut the texts is known only by its name."""
        named = (value for value in vars(self).values() if isinstance(value, NamedFunction))
        return any(value.function is None for value in named)

    @property
    def what_counts(self) -> str:
        """A phrase for error messages about what a text must contain at least."""
        shown = self.shown
        return f"a term by these rules: {shown}" if shown else "a word of two or more letters"

    @property
    def drops(self) -> bool:
        """Whether a rule may drop some terms of the texts."""
        return drops(self)


# ---- the check of each rule ----------------------------------------------------------------------

_Check: TypeAlias = Callable[[Any, str], object]  # takes the value of a rule and the rule's name


def _check_ngram_range(ends: Any, name: str) -> None:
    if not isinstance(ends, (tuple, list)) or len(ends) != 2:
        raise wrong_type("{ngram_range} must be two integers, got {ends!r}", ends=ends)
    for number in ends:
        validation.check_integer(number, _EACH_SIZE, 1, 2**31 - 1)
    if ends[0] > ends[1]:
        raise wrong_value(
            "{ngram_range} must be (from, to), the smaller first, got {ends!r}", ends=ends
        )


def _check_limit(limit: Any, name: str) -> None:
    if validation.is_integer(limit):
        validation.check_integer(limit, name)
    else:
        validation.check_number(limit, _SHARES[name], "between 0 and 1")


def _check_stop_words(words: Any, name: str) -> None:
    if isinstance(words, str):
        if words != "english":
            raise wrong_value(
                "{stop_words} must be 'english' or a list of words, got {words!r}{hint}",
                words=words,
                hint=validation.did_you_mean(words, ["english"]),
            )
        return
    validation.check_kind(words, Collection, "stop_words")
    for word in validation.check_iterable(words, "stop_words", "words"):
        validation.check_kind(word, str, said("each of {stop_words}"))


def _check_function(value: Any, name: str) -> None:
    if not callable(value):
        raise wrong_type("{name} must be a function, got {value!r}", name=named(name), value=value)


def _check_pattern(pattern: Any, name: str) -> None:
    validation.check_kind(pattern, str, "token_pattern")
    if "\b" in pattern:
        raise wrong_value(
            "{token_pattern} has a backspace, which no text has: write r'...', so that \\b is the "
            "boundary of a word, not a backspace"
        )
    try:
        n_groups = re.compile(pattern).groups
    except re.error as error:
        raise wrong_value(
            "{token_pattern} is not a regular expression: {error}", error=error
        ) from None
    if n_groups > 1:
        raise wrong_value(
            "{token_pattern} has {n_groups} groups, but only one can be the word: write (?:...) in "
            "place of (...) for the others",
            n_groups=n_groups,
        )


def _optional(check: _Check) -> _Check:
    return lambda value, name: None if value is None else check(value, name)


def _function_or(*words: str) -> _Check:
    """Return the check of a rule that is a function or one of some words."""
    return lambda value, name: callable(value) or validation.check_choice(value, words, name)


# The check of each rule by itself. `TextRules` checks which rules exclude each other.
CHECKS: dict[str, _Check] = {
    "ngram_range": _check_ngram_range,
    "min_df": _check_limit,
    "max_df": _check_limit,
    "stop_words": _optional(_check_stop_words),
    "lowercase": validation.check_flag,
    "analyzer": _function_or(*get_args(Analyzer)),
    "hashing": _optional(
        lambda columns, name: validation.check_integer(columns, name, 1, _MOST_HASHED)
    ),
    "strip_accents": _optional(_function_or(*get_args(Accents))),
    "normalize": _optional(
        lambda form, name: validation.check_choice(form, get_args(NormalForm), name)
    ),
    "token_pattern": _optional(_check_pattern),
    "tokenizer": _optional(_check_function),
    "preprocessor": _optional(_check_function),
    "binary": validation.check_flag,
    "max_features": _optional(validation.check_integer),
    "vocabulary": _optional(lambda terms, name: _columns_of(terms)),
    "stem": _optional(_check_function),
}


def _columns_of(terms: Mapping[str, int] | Iterable[str]) -> dict[str, int]:
    """Return the column of each term of a vocabulary."""
    terms = dict(terms) if isinstance(terms, Mapping) else terms  # another thread may change it
    words = validation.check_words(terms, "vocabulary")
    for word in words:
        validation.check_kind(word, str, said("each of {vocabulary}"))
    ordered = sorted(words) if isinstance(terms, Set) else words
    columns = {word: column for column, word in enumerate(ordered)}
    if isinstance(terms, dict):
        columns = terms
    if not columns:
        raise wrong_value("{vocabulary} must hold terms, got none")
    if len(columns) < len(words):
        raise wrong_value("{vocabulary} must not hold a term twice")
    numbers = filter(validation.is_integer, columns.values())
    if sorted(numbers) != list(range(len(columns))):
        raise wrong_value("{vocabulary} must have the columns 0, 1, 2, ... without gaps")
    return columns


# ---- the rules as keywords, for editors and type checkers ----------------------------------------


class CuttingRules(TypedDict, total=False):
    """The rules that cut texts into terms. They must be equal if counts are added."""

    ngram_range: tuple[int, int]
    stop_words: Literal["english"] | Collection[str] | None
    lowercase: bool
    analyzer: Analyzer | Callable[[str], Iterable[str]]
    hashing: int | None
    strip_accents: Accents | Callable[[str], str] | None
    normalize: NormalForm | None
    token_pattern: str | None
    tokenizer: Callable[[str], Iterable[str]] | None
    preprocessor: Callable[[str], str] | None
    binary: bool
    stem: Callable[[str], str] | None


class Rules(CuttingRules, total=False):
    """All rules: those that cut texts into terms, and those that only drop terms."""

    min_df: int | float
    max_df: int | float
    max_features: int | None
    vocabulary: Mapping[str, int] | Iterable[str] | None


_CUTTING = tuple(CuttingRules.__annotations__)


def shows(rules: type[CuttingRules]) -> Callable[[_Function], _Function]:
    """Return a decorator that writes the rules by name into a signature, in place of ``**rules``.

    `help`, notebooks and the documentation read this signature. Editors and type checkers read the
    annotation ``**rules: Unpack[Rules]``.
    """

    def decorated(function: _Function) -> _Function:
        shown = signature(function)
        others = [p for p in shown.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
        named = [
            rule.replace(kind=Parameter.KEYWORD_ONLY)
            for name, rule in signature(TextRules).parameters.items()
            if name in rules.__annotations__ and name not in shown.parameters
        ]
        function.__signature__ = shown.replace(parameters=[*others, *named])  # type: ignore[attr-defined]
        return function

    return decorated


def rules_of(keywords: Mapping[str, Any], function: Callable[..., Any]) -> TextRules:
    """Return the rules. An unknown name raises an error that lists the function's arguments."""
    for name in keywords:
        if name not in TextRules.__dataclass_fields__:
            arguments = [*signature(function).parameters]
            hint = validation.did_you_mean(name, arguments)
            error = TypeError(
                f"unknown argument {name!r}, expected one of {', '.join(arguments)}{hint}"
            )
            raise concerning(error, name)
    return TextRules(**keywords)


def check_same_rules(
    rules: TextRules, others: TextRules, here: str = "one", there: str = "the other"
) -> None:
    """Raise an error if two collections were cut by different rules."""
    for name in _CUTTING:
        mine, theirs = getattr(rules, name), getattr(others, name)
        if mine != theirs:
            mine, theirs = (printable(repr(x), _LONGEST_VALUE) for x in (mine, theirs))
            theirs = f"another {theirs}" if mine == theirs else theirs
            raise wrong_value(
                "the texts were cut by different rules: {rule} is {mine} in {here} and {theirs} in "
                "{there}; count both with the same rules",
                rule=named(name),
                mine=mine,
                here=here,
                theirs=theirs,
                there=there,
            )


def read_rules(changed: dict[str, Any]) -> TextRules:
    """Return the rules for values of `TextRules.stored`, even if JSON turned tuples into lists."""

    def read(value: Any) -> Any:
        match value:
            case list():
                return tuple(value)
            case {"function": str(name)} if len(value) == 1:
                return NamedFunction(name)
        return value

    return TextRules(**{name: read(value) for name, value in changed.items()})
