"""Rank the terms of counts by a method, or by a selector that reads counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from termsift import _core, _select
from termsift._counts.counts import Counts
from termsift._scores.methods import MODELS, Method
from termsift._scores.ranking import Ranking, terms_at
from termsift._scores.registry import POLICIES, find_ranker, methods
from termsift._scores.scoring import Scoring, ScoringOptions
from termsift._scores.significance import kept_at, significance
from termsift._util import validation
from termsift._util.faults import all_named, concerning, excluded, named, wrong_value


def name_of(method: str, model: str, policy: str) -> str:
    """Return the name of a way to rank, such as "md" or "md binary", which omits default values."""
    usual = MODELS[0], POLICIES[0]
    return " ".join([method, *(name for name in (model, policy) if name not in usual)])


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


def rank_significant(
    counts: Counts,
    method: str,
    rate: float,
    kind: str = "fdr",
    k: int | None = None,
    *,
    n_threads: int | None = None,
    **options: Any,
) -> Ranking:
    """Rank the terms that a test keeps at an error rate of a kind, and return the first k."""
    entry = None if callable(method) else find_ranker(method)
    if not (isinstance(entry, Method) and entry.is_test):
        raise wrong_value(
            "{kind} needs a test of significance, and {method=} is none: use one of {tests}",
            kind=named(kind),
            method=f"the function {method!r}" if callable(method) else method,
            tests=", ".join(test.name for test in methods() if test.is_test),
        )
    rate = validation.check_number(rate, kind, "between 0 and 1")
    k = validation.check_k(k, counts.n_terms)
    ranking = rank(counts, method, n_threads=n_threads, **options)
    found = significance(counts, method, n_threads=n_threads)
    is_kept, pvalues = kept_at(rate, kind, found), found.pvalues_adj[ranking.indices]
    places = np.flatnonzero(is_kept[ranking.indices])[:k]
    return terms_at(replace(ranking, _pvalues=partial(np.array, pvalues)), places)
