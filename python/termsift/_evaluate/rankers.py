"""Rankings of terms by any method or selector, given counts or documents (X, y)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from termsift import _core, _select
from termsift._counts.counts import Counts
from termsift._scores.methods import MODELS, Method
from termsift._scores.ranking import Ranking
from termsift._scores.registry import POLICIES, check_model, find_ranker
from termsift._scores.scoring import Scoring, ScoringOptions
from termsift._util import validation
from termsift._util.faults import all_named, concerning, excluded, named, wrong_value

# The defaults of options that are not None, which selectors without these options accept.
_DEFAULTS = {"policy": POLICIES[0], "class_prior": "empirical"}


def name_of_curve(method: str, model: str, policy: str) -> str:
    """Return the name of a curve, such as "md" or "md binary", which omits default values."""
    usual = MODELS[0], POLICIES[0]
    return " ".join([method, *(name for name in (model, policy) if name not in usual)])


def variants_of(
    methods: str | Iterable[str], models: str | Iterable[str], policies: str | Iterable[str]
) -> dict[str, tuple[str, str, str]]:
    """Return a dict from the name of each curve to its method, model and policy."""
    methods = validation.check_words(methods, "methods")
    models = validation.check_words(models, "models")
    policies = validation.check_words(policies, "policies")
    for model in models:
        validation.check_choice(model, MODELS, "models")
    for policy in policies:
        validation.check_choice(policy, POLICIES, "policies")
    variants = {}
    for method in methods:
        chosen = find_ranker(method, "methods")
        own_models = [model for model in models if model in chosen.models]
        for model in own_models if chosen.models else MODELS[:1]:
            for policy in policies if isinstance(chosen, Method) else POLICIES[:1]:
                variants[name_of_curve(method, model, policy)] = method, model, policy
    if not variants:
        raise wrong_value(
            "there is nothing to rank by: {methods}, {models} or {policies} are empty"
        )
    return variants


def rank(
    counts: Counts,
    method: str,
    k: int | None = None,
    *,
    policy: str = POLICIES[0],
    aggregate: str | None = None,
    **scoring: Any,
) -> Ranking:
    """Rank the terms by a method, or by a selector of counts; see `ClassCounts.rank`."""
    turns = validation.check_choice(policy, POLICIES, "policy") == "round_robin"
    if turns and aggregate is not None:
        error = excluded("round_robin ranks by class scores and has no {aggregate}")
        raise concerning(error, "aggregate", "policy")
    entry = find_ranker(method)
    if not isinstance(entry, Method):
        if entry.reads_documents:
            text = f"{method} reads the documents: use termsift.{method}(X, y, k)"
            raise concerning(ValueError(text), "method")
        options = [name for name in scoring if name not in ScoringOptions.__annotations__]
        if options or turns or aggregate is not None:
            given = ["policy"] * turns + ["aggregate"] * (aggregate is not None) + options
            cure = f": see counts.{method}" if options else ""
            raise excluded(
                "{name} has no {given}{cure}",
                name=method,
                given=all_named(given, " or "),
                cure=cure,
            )
        choose: Callable[..., Ranking] = getattr(_select, method)
        return choose(counts, k, **scoring)
    of_method = Scoring.of(counts, method, **scoring)
    k, chosen_by = validation.check_k(k, counts.n_terms), None
    if turns:
        of_method.warn_of_unused_prior(method)
        indices, scores, rows = of_method.round_robin(k)
        if counts.present.any():
            chosen_by = validation.object_array(counts.classes)[rows]
    else:
        every = of_method.scores(of_method.aggregate(aggregate))
        indices = _core.top_k(every, k, of_method.n_threads)
        scores = every[indices]
    terms, model = counts.terms_at(indices), of_method.model.name
    return Ranking(indices, scores, terms, method, chosen_by=chosen_by, policy=policy, model=model)


def rank_by(
    method: str,
    counts: Counts,
    X: Any,
    y: Any,
    k: int | None = None,
    *,
    sample_weight: Any = None,
    n_threads: int | None = None,
    **options: Any,
) -> Ranking:
    """Rank terms by the counts, or by (X, y) and without alpha if the method reads documents."""
    ranker = find_ranker(method)
    if not ranker.reads_documents:
        return rank(counts, method, k, n_threads=n_threads, **options)
    options.pop("alpha", None)
    check_model(options.pop("model", MODELS[0]), ranker)
    for name, value in options.items():
        usual = _DEFAULTS.get(name)
        if not (value is None if usual is None else validation.is_one_of(value, [usual])):
            raise excluded(
                "{method} reads the documents and has no {name}, got {value!r}",
                method=method,
                name=named(name),
                value=value,
            )
    choose: Callable[..., Ranking] = getattr(_select, method)
    names = counts.term_names
    return choose(X, y, k, sample_weight=sample_weight, term_names=names, n_threads=n_threads)
