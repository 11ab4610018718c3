"""Do MD and MD-chi2 choose the same terms if there are very many documents?

With more and more documents, scores tend to the scores of the true probabilities. The script knows
the true probabilities, because it draws them at random.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import termsift as ts
from claims import all_or_some
from trials import Floats, listed


@dataclass(frozen=True)
class Shape:
    """Parameters of random classes, with the probabilities Zipf * exp(``spread`` * normal)."""

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


def shared(shape: Shape, seed: int = 0) -> float:
    """Return what share of MD-chi2's terms MD also chooses, given the true probabilities."""
    shares = []
    for repetition in range(shape.repetitions):
        p = shape.truth(np.random.default_rng([seed, repetition]))
        counts = ts.count(np.rint(p * 2**40).astype(np.int64), range(shape.n_classes))
        of_md, of_chi2 = (counts.rank(name, shape.k).indices for name in ("md", "md_chi2"))
        shares.append(len(np.intersect1d(of_md, of_chi2)) / shape.k)
    return float(np.mean(shares))


SPREADS = (1, 0.3, 0.1)
SHAPES = [Shape(n_classes, 1000, 50, spread, 100) for n_classes in (2, 5) for spread in SPREADS]
SAME = 0.99  # the choices count as equal if they share at least this part of their terms


def section(quick: bool = False) -> str:
    """Return the text of the section."""
    shapes = [replace(shape, repetitions=3) for shape in SHAPES] if quick else SHAPES
    limits = {
        spread: min(shared(shape) for shape in shapes if shape.spread == spread)
        for spread in SPREADS
    }
    cells = listed(f"{100 * limit:.1f}% at spread {spread:g}" for spread, limit in limits.items())
    verdict = all_or_some([limit >= SAME for limit in limits.values()])
    return f"""\
"[MD-chi2] should be equivalent to the approach in Algorithm 3 if there are infinite training
documents" (Section 4.4): **{verdict}.**

With more documents, the scores converge to the scores of the true probabilities. MD and
MD-chi2 are different functions of the probabilities, and give the same ranking only if the
classes are similar. In this test the probabilities of {SHAPES[0].n_terms:,} terms follow
Zipf's law. In each class, a normal deviate times the "spread" is added to the logarithm of each
probability. There are 2 or 5 equally likely classes, and {shapes[0].repetitions} random draws for
each spread. The mean share of MD-chi2's first {SHAPES[0].k} terms that MD also chooses is {cells}.
Each share is the smaller of those with 2 and with 5 classes. The claim holds if all shares are at
least {100 * SAME:.0f}%."""
