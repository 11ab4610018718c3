"""Collections drawn from known distributions: how near selections come to the optimum.

The paper's optimum is the set of k terms with the largest divergence, which is unknown for real
text. Here the probabilities are known, hence also the true divergence of the terms that a method
chooses from a sample and, if there are few terms, the optimum itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

import termsift as ts
from claims import all_or_some, table
from trials import Estimate, Floats, Ints, listed

LENGTH = 100  # tokens of a document
METHODS = {"MD": "md", "MD-chi2": "md_chi2", "greedy": "greedy"}
EXHAUSTIVE, CHANCE = "exhaustive", "random"
DOCUMENTS = np.array([10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000])  # of each class


@dataclass(frozen=True)
class Shape:
    """A distribution to draw from: a Zipf law times exp(``spread`` * normal) in each class."""

    n_classes: int
    n_terms: int
    k: int
    spread: float
    repetitions: int

    def truth(self, rng: np.random.Generator) -> Floats:
        """Draw the classes' probabilities."""
        law = 1 / (np.arange(self.n_terms) + 2.7)
        p = law * np.exp(self.spread * rng.standard_normal((self.n_classes, self.n_terms)))
        return p / p.sum(axis=1, keepdims=True)

    @property
    def few(self) -> bool:
        """Whether all subsets can be tried."""
        return self.n_terms <= 20

    def __str__(self) -> str:
        return f"{self.k} of {self.n_terms:,} terms, {self.n_classes} classes"


def divergence(p: Floats, subsets: NDArray[np.integer]) -> Floats:
    """Return the JMH divergence of each row of terms and its pool, with equally likely classes."""
    chosen = np.moveaxis(p[:, subsets], 0, -1)
    with_pool = np.concatenate([chosen, 1 - chosen.sum(axis=-2, keepdims=True)], axis=-2)
    rest = (with_pool.sum(axis=-1, keepdims=True) - with_pool) / (p.shape[0] - 1)
    return (with_pool * np.log(with_pool / rest)).sum(axis=(-2, -1))


@dataclass(frozen=True)
class Outcome:
    """Results by repetition and number of documents.

    ``share`` is the true divergence of the chosen terms as a share of the optimum: the best subset
    if all can be tried, otherwise the choice of greedy from the true probabilities. ``overlap`` is
    the share of MD-chi2's terms that MD chooses too, and ``limit`` the same for the true
    probabilities, which is the limit for many documents.
    """

    shape: Shape
    documents: Ints
    share: dict[str, Floats]
    overlap: Floats
    limit: Floats


def experiment(shape: Shape, documents: Ints = DOCUMENTS, seed: int = 0) -> Outcome:
    """Draw distributions and samples of each, and evaluate what every method chooses."""
    names = [*METHODS, *([EXHAUSTIVE] if shape.few else []), CHANCE]
    size = shape.repetitions, len(documents)
    share = {name: np.empty(size) for name in names}
    overlap, limit = np.empty(size), np.empty(shape.repetitions)
    subsets = np.array(list(combinations(range(shape.n_terms), shape.k))) if shape.few else None
    for repetition in range(shape.repetitions):
        rng = np.random.default_rng([seed, repetition])
        p = shape.truth(rng)
        exact = choices(np.rint(p * 2**40).astype(np.int64), shape.k)  # practically p itself
        limit[repetition] = shared(exact)
        if subsets is None:
            optimum = divergence(p, exact["greedy"])
        else:
            optimum = divergence(p, subsets).max()
        for i, n_docs in enumerate(documents):
            # Methods see only the counts of a class: documents need not be drawn one by one.
            sample = rng.multinomial(n_docs * LENGTH, p)
            chosen = choices(sample, shape.k)
            overlap[repetition, i] = shared(chosen)
            if subsets is not None:
                chosen[EXHAUSTIVE] = subsets[divergence(smoothed(sample), subsets).argmax()]
            chosen[CHANCE] = rng.choice(shape.n_terms, shape.k, replace=False)
            for name in names:
                share[name][repetition, i] = divergence(p, chosen[name]) / optimum
    return Outcome(shape, documents, share, overlap, limit)


def choices(sample: NDArray[np.int64], k: int) -> dict[str, NDArray[np.int64]]:
    """Return the k terms of each method, after a check of the divergence."""
    counts = ts.count(sample, range(len(sample)))
    chosen = {name: counts.rank(method, k).indices for name, method in METHODS.items()}
    ours = ts.divergence(counts, chosen["greedy"])
    np.testing.assert_allclose(ours, divergence(smoothed(sample), chosen["greedy"]), rtol=1e-8)
    return chosen


def smoothed(sample: NDArray[np.int64]) -> Floats:
    """Return probabilities with Laplace smoothing."""
    return (sample + 1) / (sample.sum(axis=1, keepdims=True) + sample.shape[1])


def shared(chosen: dict[str, NDArray[np.int64]]) -> float:
    """Return the share of MD-chi2's terms that MD chooses too."""
    return len(np.intersect1d(chosen["MD-chi2"], chosen["MD"])) / len(chosen["MD"])


# ---- the section of the report -------------------------------------------------------------------

FEW = [Shape(n_classes, 12, 4, 1.0, 200) for n_classes in (2, 5)]
MANY = [Shape(n_classes, 1000, 50, spread, 100) for n_classes in (2, 5) for spread in (1, 0.3, 0.1)]
SHOWN = (10, 100, 1000, 10_000, 100_000)
SAME = 0.99  # of the terms


def section(quick: bool = False) -> str:
    """Return the text of the section."""
    shapes, documents = [*FEW, *MANY], DOCUMENTS
    if quick:
        shapes = [replace(shape, repetitions=3) for shape in (FEW[0], *MANY[::2])]
        documents = np.array([10, 1000])
    outcomes = [experiment(shape, documents) for shape in shapes]
    shares = [outcome for outcome in outcomes if outcome.shape.spread == 1]
    overlaps = [outcome for outcome in outcomes if not outcome.shape.few]
    verdict, told = equivalent(overlaps)
    return f"""\
The paper's supplement has an experiment of this kind, but the supplement is not available. This
experiment is our own. The probabilities of the terms follow a Zipf law. In each class, a normal
deviate times the "spread" is added to the logarithm of each probability. Classes are equally
likely, and documents have {LENGTH} tokens. Distributions of 12 terms are drawn
{shapes[0].repetitions} times, and all other distributions {shapes[-1].repetitions} times. The
number after ± is two standard errors of the mean.

**How near the optimum.** The table has the true divergence of the chosen terms in per cent of the
optimum. With 12 terms, the optimum is the divergence of the best subset. With more terms, it is the
divergence of the terms that greedy chooses from the true probabilities. "{EXHAUSTIVE}" is the
subset with the largest divergence in the sample, and "{CHANCE}" is a random subset.
The spread is 1.

{share_table(shares)}

This table has the difference between MD and each of the two other methods in points, with
{documents[-1]:,} documents of each class:

{last_table(shares)}

**MD-chi2 and MD with many documents.** "[MD-chi2] should be equivalent to the approach in Algorithm
3 if there are infinite training documents" (Section 4.4): **{verdict}.** {told} With more
documents, the scores tend to the scores of the true probabilities. MD and MD-chi2 are different
functions of these probabilities, and give the same ranking only if the classes are similar. The
table has the share of MD-chi2's terms that MD chooses too, in per cent:

{overlap_table(overlaps)}"""


def columns(outcome: Outcome) -> list[int]:
    """Return the positions of the numbers of documents that tables show."""
    return np.flatnonzero(np.isin(outcome.documents, SHOWN)).tolist()


def header(outcome: Outcome) -> list[str]:
    """Return the headers of those columns."""
    return [f"{outcome.documents[i]:,}" for i in columns(outcome)]


def per_cent(runs: Floats) -> str:
    """Return the mean of shares and two standard errors, in per cent."""
    mean = Estimate.mean_of(runs)
    return f"{mean.value:.1f} ± {mean.error:.1f}"


def share_table(outcomes: Sequence[Outcome]) -> str:
    """Return a table with one row per shape and method."""
    rows = {
        f"{outcome.shape}: {name}": [per_cent(share[:, i]) for i in columns(outcome)]
        for outcome in outcomes
        for name, share in outcome.share.items()
    }
    return table("documents of each class", header(outcomes[0]), rows)


def last_table(outcomes: Sequence[Outcome]) -> str:
    """Return a table of MD minus greedy and minus MD-chi2 with most documents."""
    others = ("greedy", "MD-chi2")
    rows = {
        str(outcome.shape): [
            Estimate.mean_of(outcome.share["MD"][:, -1] - outcome.share[name][:, -1])
            for name in others
        ]
        for outcome in outcomes
    }
    return table("", [f"MD less {name}" for name in others], rows)


def equivalent(outcomes: Sequence[Outcome]) -> tuple[str, str]:
    """Return the verdict on the limit and the reason."""
    limits = {
        spread: min(float(each.limit.mean()) for each in outcomes if each.shape.spread == spread)
        for spread in dict.fromkeys(outcome.shape.spread for outcome in outcomes)
    }
    same = [limit >= SAME for limit in limits.values()]
    cells = listed(f"{100 * limit:.1f}% at spread {spread:g}" for spread, limit in limits.items())
    return all_or_some(same), (
        f"In the limit MD chooses {cells} of MD-chi2's terms. The claim holds if this share is at "
        f"least {100 * SAME:.0f}% at every spread."
    )


def overlap_table(outcomes: Sequence[Outcome]) -> str:
    """Return a table of the overlap with one row per shape, and the limit."""
    rows = {
        f"{outcome.shape}, spread {outcome.shape.spread:g}": [
            *(per_cent(outcome.overlap[:, i]) for i in columns(outcome)),
            per_cent(outcome.limit),
        ]
        for outcome in outcomes
    }
    return table("documents of each class", [*header(outcomes[0]), "limit"], rows)
