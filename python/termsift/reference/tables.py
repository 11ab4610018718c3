"""What the formulas read: probabilities by an event model, and the cells of term and class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from termsift.reference.counting import Number, SupportsScoring, total

Alpha: TypeAlias = float | tuple[float, float]
ClassPrior: TypeAlias = Literal["empirical", "uniform"] | Sequence[float] | npt.NDArray[Any] | None

MODELS = ("multinomial", "binary", "bernoulli", "poisson")


@dataclass(frozen=True)
class Probabilities:
    """What `md` and `md_chi2` read: p_ic = (x_ic + b1) / (X_c + b2) by an event model."""

    x_ic: list[list[Number]]  # what is counted, indexed [c][i]
    X_c: list[Number]  # what it is divided by
    pi_c: list[float]
    present: list[int]  # the classes with documents; the others take no part
    b1: float
    b2: float
    model: str
    noncentrality: str

    @property
    def n_terms(self) -> int:
        """M."""
        return len(self.x_ic[0])

    def p(self, i: int, c: int) -> float:
        """Probability of term i in class c; 0/0 for a class without tokens or smoothing is 0."""
        if self.X_c[c] + self.b2 == 0:
            return 0.0
        return (self.x_ic[c][i] + self.b1) / (self.X_c[c] + self.b2)

    def q(self, i: int, c: int) -> float:
        """Probability of term i outside class c: the mixture of the other classes."""
        mixture = weight = 0.0
        for k in self.present:
            if k != c:
                mixture += self.pi_c[k] * self.p(i, k)
                weight += self.pi_c[k]  # ends as 1 - pi_c, and is 0 only if that is
        return mixture / weight


@dataclass(frozen=True)
class Cells:
    """What all other methods read: documents and occurrences by term and class, exactly."""

    l_ic: list[list[Fraction]]  # occurrences, indexed [c][i]
    d_ic: list[list[Fraction]]  # documents
    n_c: list[Fraction]
    l_c: list[Fraction]
    l_i: list[Fraction]  # of the collection, each document once
    d_i: list[Fraction]
    n: Fraction
    L: Fraction
    a_0: Fraction  # the weight of `log_odds`' prior, in occurrences

    @property
    def n_terms(self) -> int:
        """M."""
        return len(self.d_i)

    # The four cells are never negative; where weights are fractions, sums of them may have rounded.

    def A(self, i: int, c: int) -> Fraction:
        """Documents of class c with term i."""
        return self.d_ic[c][i]

    def B(self, i: int, c: int) -> Fraction:
        """Documents outside class c with term i."""
        return max(Fraction(0), self.d_i[i] - self.A(i, c))

    def C(self, i: int, c: int) -> Fraction:
        """Documents of class c without term i."""
        return max(Fraction(0), self.n_c[c] - self.A(i, c))

    def D(self, i: int, c: int) -> Fraction:
        """Documents outside class c without term i."""
        return max(Fraction(0), self.outside(c) - self.B(i, c))

    def outside(self, c: int) -> Fraction:
        """Documents outside class c."""
        return max(Fraction(0), self.n - self.n_c[c])

    def det(self, i: int, c: int) -> Fraction:
        """Return A n - d_i n_c: above 0 where class c has more of term i than its share."""
        return self.A(i, c) * self.n - self.d_i[i] * self.n_c[c]

    def expected(self, i: int, c: int) -> Fraction:
        """Occurrences of term i that class c would have, had it them in proportion to documents."""
        return self.l_i[i] * self.n_c[c] / self.n


def probabilities(
    counts: SupportsScoring, alpha: Alpha, class_prior: ClassPrior, noncentrality: str, model: str
) -> Probabilities:
    """Gather what the formulas of `md` and `md_chi2` need, in Python's own numbers."""
    if noncentrality not in ("jeffreys", "pearson"):
        raise ValueError(f"unknown noncentrality {noncentrality!r}; there are jeffreys, pearson")
    x_ic, X_c = events(counts, model)
    b1, b2 = smoothing(alpha, len(x_ic[0]), model)
    return Probabilities(
        x_ic=x_ic,
        X_c=X_c,
        pi_c=priors(counts, class_prior),
        present=present_classes(counts),
        b1=float(b1),
        b2=float(b2),
        model=model,
        noncentrality=noncentrality,
    )


def events(counts: SupportsScoring, model: str) -> tuple[list[list[Number]], list[Number]]:
    """Return what a model counts of each term in each class, x_ic, and its size X_c."""
    if model not in MODELS:
        raise ValueError(f"unknown model {model!r}; there are {', '.join(MODELS)}")
    counted = "term_frequency" if model in ("multinomial", "poisson") else "document_frequency"
    x_ic = dense(getattr(counts, counted))
    if model in ("multinomial", "binary"):
        return x_ic, [total(row) for row in x_ic]
    return x_ic, class_docs(counts)


def smoothing(alpha: Any, n_terms: int, model: str) -> tuple[Fraction, Fraction]:
    """Return b1 and b2; of one number alpha, b1 = alpha and b2 = alpha times the model's outcomes.

    A multinomial variable has one outcome a term, a Bernoulli variable has two. A Poisson rate has
    none to divide among: b2 stands for the documents among which alpha occurrences are spread.
    """
    values = (alpha,) if np.ndim(alpha) == 0 else tuple(alpha)
    if not all(0 <= b < math.inf for b in values):
        raise ValueError(f"alpha must be finite and nonnegative, not {alpha}")
    if np.ndim(alpha) == 0:
        b1 = Fraction(float(alpha))
        return b1, b1 * {"bernoulli": 2, "poisson": 1}.get(model, n_terms)
    b1, b2 = (Fraction(float(b)) for b in values)
    if b1 > b2 and model != "poisson":  # p_ic could exceed 1, as rates may
        raise ValueError(f"alpha = (b1, b2) needs b1 <= b2, not ({float(b1)}, {float(b2)})")
    return b1, b2


def cells(counts: SupportsScoring, alpha: Alpha) -> Cells:
    """Gather what the formulas of all methods but `md` and `md_chi2` need, as exact fractions."""
    l_ic = [[Fraction(x) for x in row] for row in dense(counts.term_frequency)]
    d_ic = [[Fraction(x) for x in row] for row in dense(counts.document_frequency)]  # type: ignore[attr-defined]
    n_c = [Fraction(x) for x in class_docs(counts)]
    n = Fraction(counts.n_docs)  # type: ignore[attr-defined]
    l_i, d_i = (_collection(counts, name) for name in ("term_frequency", "document_frequency"))
    if l_i is None or d_i is None:
        # Sums of fractional weights, in one order and in another, differ by rounding.
        if not math.isclose(sum(n_c), n, rel_tol=1e-9):
            raise ValueError(
                f"{float(n)} documents are {float(sum(n_c))} of the classes: those of several "
                "classes or none need collection_term_frequency and collection_document_frequency"
            )
        l_i = [sum(column, Fraction(0)) for column in zip(*l_ic, strict=True)]
        d_i = [sum(column, Fraction(0)) for column in zip(*d_ic, strict=True)]
    _, b2 = smoothing(alpha, len(l_i), "multinomial")
    return Cells(
        l_ic=l_ic,
        d_ic=d_ic,
        n_c=n_c,
        l_c=[sum(row, Fraction(0)) for row in l_ic],
        l_i=l_i,
        d_i=d_i,
        n=n,
        L=sum(l_i, Fraction(0)),
        a_0=b2,
    )


def _collection(counts: SupportsScoring, name: str) -> list[Fraction] | None:
    values = getattr(counts, f"collection_{name}", None)
    return None if values is None else [Fraction(x) for x in np.asarray(values).tolist()]


def dense(frequency: Any) -> list[list[Number]]:
    """Return a dense or sparse table of counts, indexed [c][i]."""
    rows: list[list[Number]] = np.asarray(
        frequency.toarray() if hasattr(frequency, "toarray") else frequency
    ).tolist()
    return rows


def class_docs(counts: SupportsScoring) -> list[Number]:
    """Return n_c."""
    n_c: list[Number] = np.asarray(counts.class_docs).tolist()
    return n_c


def present_classes(counts: SupportsScoring) -> list[int]:
    """Return the classes with documents, which alone are compared: two at least."""
    present = [c for c, n in enumerate(class_docs(counts)) if n > 0]
    if len(present) < 2:
        raise ValueError(f"{len(present)} classes have documents; a score compares two or more")
    return present


def priors(counts: SupportsScoring, class_prior: ClassPrior) -> list[float]:
    """Return pi_c: 0 for the classes without documents, summing to 1 over the others."""
    present = present_classes(counts)
    weights = prior_weights(counts, class_prior)
    whole = total(weights[c] for c in present)
    return [weights[c] / whole if c in present else 0.0 for c in range(len(weights))]


def prior_weights(counts: SupportsScoring, class_prior: ClassPrior) -> list[Number]:
    """Return what the priors are proportional to, for the classes with documents."""
    n_c, present = class_docs(counts), present_classes(counts)
    weights: list[Number]
    if class_prior is None or (isinstance(class_prior, str) and class_prior == "empirical"):
        weights = n_c
    elif isinstance(class_prior, str):
        if class_prior != "uniform":
            raise ValueError(
                f"class_prior is {class_prior!r}, not 'empirical', 'uniform' or numbers"
            )
        weights = [1] * len(n_c)
    else:
        weights = np.asarray(class_prior).tolist()
        if len(weights) != len(n_c):
            raise ValueError(f"class_prior has {len(weights)} numbers for {len(n_c)} classes")
        for c, weight in enumerate(weights):
            if not 0 <= weight < math.inf:
                raise ValueError(f"class_prior[{c}] is {weight}, not a finite nonnegative number")
    if sum(weights[c] > 0 for c in present) < 2:
        raise ValueError("class_prior must be positive for two classes with documents or more")
    return weights
