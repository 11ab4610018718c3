"""Ways to rank terms: a method or selector with its options, or a function of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from inspect import Parameter, signature
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift import _core, _select
from termsift._api.class_counts import ClassCounts
from termsift._counts.counts import Counts
from termsift._rank import name_of, rank
from termsift._scores.methods import MODELS, Method, RankerName, Selector, unknown_option
from termsift._scores.ranking import Ranking
from termsift._scores.registry import POLICIES, check_model, find_ranker
from termsift._scores.scoring import ScoringOptions
from termsift._util import validation
from termsift._util.faults import (
    concerning,
    excluded,
    named,
    said,
    wrong_type,
    wrong_value,
)

Function: TypeAlias = Callable[..., Any]
# What users pass as a method: a name, a function, or either with options.
AnyMethod: TypeAlias = "RankerName | Function | Ranker"

# The defaults of options that are not None, which selectors without these options accept.
_DEFAULTS = {"policy": POLICIES[0], "class_prior": "empirical", "model": MODELS[0], "alpha": 1.0}
# The options of all methods that a name may hold as words, with their values, in their order.
_WORDS: dict[str, tuple[Any, ...]] = {
    "model": MODELS,
    "policy": POLICIES,
    "aggregate": ("sum", "mean", "max"),
    "class_prior": ("empirical", "uniform"),
}
# The options that all methods have. ``n_threads`` belongs to the caller of a method.
_OF_METHODS = (*_WORDS, "alpha")
# The arguments of selectors that are no options of a ranker.
_NO_OPTIONS = ("counts", "X", "y", "k", "sample_weight", "term_names", "n_threads", "options")


@dataclass(frozen=True, eq=False)
class Ranker:
    """A way to rank terms: a method, a selector or a function, with options.

    `termsift.method` makes rankers. `termsift.cross_validate`, `termsift.compare` and
    `termsift.TermSelector` take them in place of the name of a method.

    Attributes
    ----------
    name : str
        The name in tables and plots.
    method : str or callable
        The name of one of `termsift.methods` or `termsift.selectors`, or a function.
    options : dict of str to object
        The options, by name.
    """

    name: str
    method: Any
    options: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Ranker {self.name}>"

    @property
    def is_function(self) -> bool:
        """Whether the terms are ranked by a function and not by a method of the registry."""
        return not isinstance(self.method, str)

    @property
    def reads_documents(self) -> bool:
        """Whether the terms are ranked by the documents, because counts do not suffice."""
        if self.is_function:
            return _takes_documents(self.method, self.options)
        return find_ranker(self.method).reads_documents


def method(method: RankerName | Function, /, name: str | None = None, **options: Any) -> Ranker:
    """Return a way to rank terms: a method, a selector or a function of your own, with options.

    Parameters
    ----------
    method : str or callable
        The name of one of `termsift.methods` or `termsift.selectors`, or a function. A name may be
        followed by options, as tables print it: "md binary round_robin", "ndm document". A function
        is called with a `ClassCounts`, or, if it has two arguments without a default, with the
        documents X (a csr_array) and their labels y (an array). It returns one score for each term,
        the larger the better, or a `Ranking`. Like a function of scikit-learn, it may return a pair
        of scores and p-values, of which the scores count.
    name : str, optional
        The name in tables and plots. By default, it consists of the name of the method or function
        and of the options.
    **options
        The options of the method: ``policy``, ``aggregate``, ``model``, ``alpha``, ``class_prior``
        and the method's own options, as for `ClassCounts.rank`; or those of the selector, such as
        `termsift.conditional_gain`. A function gets its options as keywords.

    Returns
    -------
    ranker : Ranker

    Raises
    ------
    ValueError, TypeError
        If the method or an option is unknown, or if the function takes neither one nor two
        arguments.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> X = np.array([[3, 0, 1], [2, 0, 0], [0, 2, 1], [0, 3, 1]])
    >>> y = ["ham", "ham", "spam", "spam"]
    >>> def range_of_shares(counts):
    ...     shares = counts.document_frequency.toarray() / counts.class_docs[:, np.newaxis]
    ...     return np.ptp(shares, axis=0)
    >>> methods = [ts.method("chi2", aggregate="mean"), range_of_shares]
    >>> list(ts.cross_validate(X, y, methods, ks=[1, 2], cv=2))
    ['chi2 mean', 'range_of_shares']
    """
    return _made(method, name, options, "method")


def _made(by: Any, name: str | None, options: dict[str, Any], argument: str) -> Ranker:
    """Return a ranker. Errors are about the argument."""
    if callable(by):
        _takes_documents(by, options)
        usual = getattr(by, "__name__", type(by).__name__)
    else:
        by, of_name = _parsed(by, argument)
        options = {**of_name, **options}
        usual = _checked(by, options).name
        order = [*_WORDS, *options]  # so that one way to rank has one name
        options = dict(sorted(options.items(), key=lambda option: order.index(option[0])))
    if name is None:
        name = " ".join([usual, *(_shown(*option) for option in options.items())])
    validation.check_kind(name, str, "name")
    return Ranker(name, by, options)


def as_ranker(given: Any, argument: str = "method") -> Ranker:
    """Return what a user passed as one method as a ranker."""
    return given if isinstance(given, Ranker) else _made(given, None, {}, argument)


def _parsed(given: Any, argument: str) -> tuple[str, dict[str, Any]]:
    """Return a method's name and the options in a name such as "md binary round_robin"."""
    if not isinstance(given, (str, Selector)):
        kind = validation.a_kind(given)
        text = f"a method is a name, a function or what termsift.method returns, got {kind}"
        raise concerning(TypeError(text), argument)
    if isinstance(given, Selector) or len(given.split()) < 2:
        name = given.strip() if isinstance(given, str) else given
        return find_ranker(name, argument).name, {}  # type: ignore[arg-type]
    name, *words = given.split()
    entry = find_ranker(name, argument)
    known = dict(_WORDS)
    if isinstance(entry, Method):
        known |= entry.options
    options: dict[str, Any] = {}
    for word in words:
        option, equals, text = word.partition("=")
        value: Any = _value(text) if equals else word
        places = [option] if equals else [o for o, values in known.items() if word in values]
        if not places:
            every = [str(one) for values in known.values() for one in values]
            raise wrong_value(
                "{word!r} in {given!r} is no option of {name}: use one of {known}, or alpha=0.1",
                word=word,
                given=given,
                name=name,
                known=", ".join(every),
            )
        if places[0] in options:
            raise wrong_value("{given!r} gives {option} twice", given=given, option=places[0])
        options[places[0]] = value
    return name, options


def _value(text: str) -> Any:
    """Return a flag, a number, a pair of numbers such as 0.5:40, or the text if it is none."""
    if text in ("True", "False"):
        return text == "True"
    try:
        numbers = tuple(map(float, text.split(":")))
    except ValueError:
        return text
    return numbers if len(numbers) > 1 else numbers[0]


def rankers_of(
    methods: Any, models: str | Iterable[str], policies: str | Iterable[str]
) -> dict[str, Ranker]:
    """Return rankers by name. A method that is only a name is tried with all models and policies.

    ``methods`` is one method, several methods, or a dict of names to methods.
    """
    models = validation.check_words(models, "models")
    policies = validation.check_words(policies, "policies")
    for model in models:
        validation.check_choice(model, MODELS, "models")
    for policy in policies:
        validation.check_choice(policy, POLICIES, "policies")
    rankers: dict[str, Ranker] = {}
    for name, given in _named(methods):
        found = as_ranker(given, "methods")
        variants = [found]
        if isinstance(given, str) and not found.options:
            entry = find_ranker(given)
            own_models = [model for model in models if model in entry.models]
            variants = [
                Ranker(name_of(given, model, policy), given, _options(entry, model, policy))
                for model in (own_models if entry.models else MODELS[:1])
                for policy in (policies if isinstance(entry, Method) else POLICIES[:1])
            ]
        for ranker in variants:
            if name is not None:
                ranker = replace(ranker, name=name + ranker.name.removeprefix(found.name))
            other = rankers.setdefault(ranker.name, ranker)
            if other.method != ranker.method or _in_full(other) != _in_full(ranker):
                raise wrong_value(
                    "two of the {methods} are called {name!r}: pass a dict of names to methods",
                    name=ranker.name,
                )
    if not rankers:
        raise wrong_value(
            "there is nothing to rank by: {methods}, {models} or {policies} are empty"
        )
    return rankers


def rank_by(
    ranker: Ranker,
    counts: Counts,
    X: Any,
    y: Any,
    k: int | None = None,
    *,
    sample_weight: Any = None,
    n_threads: int | None = None,
    **usual: Any,
) -> Ranking:
    """Rank terms by the counts, or by (X, y) if the ranker reads documents.

    ``usual`` has options that the ranker's own options override. A method that has no such option
    accepts only the default.
    """
    if ranker.is_function:
        _check_unused("a function", usual)
        return _rank_by_function(ranker, counts, X, y, k, sample_weight, n_threads)
    entry = find_ranker(ranker.method)
    if not entry.reads_documents:
        return rank(counts, ranker.method, k, n_threads=n_threads, **{**usual, **ranker.options})
    usual.pop("alpha", None)
    check_model(usual.pop("model", MODELS[0]), entry)
    _check_unused(f"{ranker.method} reads the documents and", usual)
    choose: Callable[..., Ranking] = getattr(_select, ranker.method)
    names = counts.term_names
    shared = {"sample_weight": sample_weight, "term_names": names, "n_threads": n_threads}
    return choose(X, y, k, **shared, **ranker.options)


def _rank_by_function(
    ranker: Ranker, counts: Counts, X: Any, y: Any, k: int | None, weights: Any, n_threads: Any
) -> Ranking:
    if not ranker.reads_documents:
        found = ranker.method(ClassCounts._of(counts), **ranker.options)
    elif weights is None:
        found = ranker.method(X.copy(), y.copy(), **ranker.options)  # which it may change
    else:
        raise excluded(
            "{sample_weight} cannot be passed to the function {name} of X and y: let it read "
            "counts, which are weighted",
            name=ranker.name,
        )
    k = validation.check_k(k, counts.n_terms)
    if isinstance(found, Ranking):
        what = f"the ranking of {ranker.name}"
        indices = validation.check_indices(found.indices, counts.n_terms, what)[:k]
        scores = found.scores[:k]
    else:
        every = _scores_of(found, counts, ranker.name)
        indices = _core.top_k(every, k, validation.check_n_threads(n_threads))
        scores = every[indices]
    return Ranking(indices, scores, counts.terms_at(indices), ranker.name)


def _options(entry: Selector, model: str, policy: str) -> dict[str, Any]:
    """Return those of the options that the method or selector has."""
    options = {"model": model} if entry.models else {}
    return options | ({"policy": policy} if isinstance(entry, Method) else {})


def _in_full(ranker: Ranker) -> str:
    """Return the options of a ranker with the defaults of the others, to tell rankers apart."""
    usual: dict[str, Any] = {"model": MODELS[0], "policy": POLICIES[0]}
    return repr(sorted({**usual, **ranker.options}.items()))


def _named(methods: Any) -> Iterable[tuple[str | None, Any]]:
    """Return pairs of a name, or None, and a method."""
    if isinstance(methods, Mapping):
        by_name = dict(methods)  # another thread may change the mapping
        for name in by_name:
            validation.check_kind(name, str, said("each name of {methods}"))
        return by_name.items()
    if isinstance(methods, (str, Ranker)) or callable(methods):
        methods = [methods]
    expected = "a method, several methods, or a dict of names to methods"
    return ((None, given) for given in validation.check_iterable(methods, "methods", expected))


def _checked(name: str, options: Mapping[str, Any]) -> Selector:
    """Return a method or selector, which must have the options."""
    entry = find_ranker(name)
    if isinstance(entry, Method):
        entry.measure({option: options[option] for option in options if option in entry.options})
        known = [*_OF_METHODS, *entry.options]
    else:
        own = [*signature(getattr(_select, name)).parameters]
        known = [option for option in own if option not in _NO_OPTIONS]
        if not entry.reads_documents:
            known += [option for option in _OF_METHODS if option in ScoringOptions.__annotations__]
    for option, value in options.items():
        if option not in known:
            raise unknown_option(option, name, known)
        if option in _WORDS and (isinstance(value, str) or option != "class_prior"):
            if value is not None:
                validation.check_choice(value, _WORDS[option], option)
        elif option == "alpha":
            validation.check_alpha(value)
    check_model(options.get("model", MODELS[0]), entry)
    return entry


def _takes_documents(function: Function, options: Mapping[str, Any]) -> bool:
    """Return whether a function takes X and y, and not counts."""
    try:
        parameters = list(signature(function).parameters.values())
    except (TypeError, ValueError):  # as for some functions of C
        parameters = []
    plain = Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD
    needed = [
        parameter.name
        for parameter in parameters
        if parameter.kind in plain
        and parameter.default is Parameter.empty
        and parameter.name not in options
    ]
    if len(needed) not in (1, 2):
        raise wrong_type(
            "{method} must be a function of counts, or of X and y, but {name} has {n} without a "
            "default: write {cure}",
            name=getattr(function, "__name__", repr(function)),
            n=validation.number_of(len(needed), "argument"),
            cure="a lambda, such as lambda counts: ...",
        )
    return len(needed) == 2


def _scores_of(found: Any, counts: Counts, name: str) -> NDArray[np.float64]:
    """Check the scores that a function returned.

    NaN becomes -inf for a term that no document has, because functions of scikit-learn return NaN
    for constant columns, and its selectors rank NaN last.
    """
    n_terms = counts.n_terms
    if isinstance(found, tuple) and len(found) == 2:
        found = found[0]  # scores and p-values, as functions of scikit-learn return them
    _check_order(found, counts, name)
    given = np.asarray(found)
    expected = f"{name} must return a Ranking or one score for each of the {n_terms:,} terms"
    if given.shape != (n_terms,) or given.dtype.kind not in "biuf":
        kind = validation.a_kind(found) if given.shape == () else f"shape {given.shape}"
        raise concerning(ValueError(f"{expected}, got {kind} of {given.dtype}"), "methods")
    scores = given.astype(np.float64)
    is_nan = np.isnan(scores)
    if is_nan.any():
        seen = counts.collection_document_frequency > 0
        scores[is_nan & ~seen] = -np.inf
        is_nan &= seen
    if is_nan.any():
        column = int(np.argmax(is_nan))
        raise concerning(
            ValueError(
                f"{expected}, but {np.count_nonzero(is_nan):,} of them are NaN, the first in "
                f"column {column}"
            ),
            "methods",
        )
    if n_terms > 2 and given.dtype.kind in "iu" and np.all(np.sort(given) == np.arange(n_terms)):
        raise concerning(
            ValueError(
                f"{expected}, but its result is an order of the columns; the scores of an order "
                "are -np.argsort(order); if they are scores, return them as floats"
            ),
            "methods",
        )
    return np.ascontiguousarray(scores)


def _check_order(found: Any, counts: Counts, name: str) -> None:
    """Refuse a column of a data frame whose index is not that of the terms, and masked values."""
    validation.refuse_masked(found, said("the scores of {name}", name=name))
    if not (hasattr(found, "index") and hasattr(found, "to_numpy")):
        return
    index = np.asarray(found.index)
    names = counts.term_names
    in_order = np.array_equal(index, np.arange(len(index)))
    if not in_order and (names is None or not np.array_equal(index, names)):
        raise concerning(
            ValueError(
                f"the scores of {name} have an index that is not the order of the terms: return "
                "them in the order of the columns, as with reindex(range(n_terms)).to_numpy()"
            ),
            "methods",
        )


def _shown(name: str, value: Any) -> str:
    """Return an option as a part of a ranker's name."""
    if isinstance(value, str):
        return value
    numbers = value if isinstance(value, (tuple, list)) else [value]
    plain = [one.item() if isinstance(one, np.generic) else one for one in numbers]
    if not all(isinstance(one, (bool, int, float)) for one in plain):
        return name
    return f"{name}={':'.join(repr(one).removesuffix('.0') for one in plain)}"


def _check_unused(what: str, options: Mapping[str, Any]) -> None:
    """Refuse options that differ from the defaults, for what has no options of methods."""
    for option, value in options.items():
        usual = _DEFAULTS.get(option)
        if not (value is None if usual is None else np.ndim(value) == 0 and value == usual):
            raise excluded(
                "{what} has no {name}, got {value!r}", what=what, name=named(option), value=value
            )
