"""Input of the formulas: probabilities under an event model, and cells of contingency tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from termsift.reference.counting import Number, as_list, total

Alpha: TypeAlias = float | tuple[float, float]
ClassPrior: TypeAlias = (
    Literal["empirical", "uniform"] | Sequence[float] | Mapping[Any, float] | npt.NDArray[Any]
)

MODELS = ("multinomial", "binary", "bernoulli", "poisson")


class Probabilities:
    """The input of ``md`` and ``md_chi2``: p_ic = (x_ic + b1) / (X_c + b2) under an event model."""

    def __init__(
        self, counts: Any, alpha: Alpha, class_prior: ClassPrior, model: str, noncentrality: str
    ) -> None:
        if noncentrality not in ("jeffreys", "pearson"):
            raise ValueError(
                f"unknown noncentrality {noncentrality!r}; use one of jeffreys, pearson"
            )
        self.model, self.noncentrality = model, noncentrality
        self.x_ic, self.X_c = events(counts, model)  # indexed [c][i] and [c]
        self.n_terms = len(self.x_ic[0])
        self.pi_c = priors(counts, class_prior)
        self.present = present_classes(counts)
        self.b1, self.b2 = map(float, smoothing(alpha, self.n_terms, model))

    def p(self, i: int, c: int) -> float:
        """Return the probability of term i in class c, or 0 if X_c and b2 are both 0."""
        if self.X_c[c] + self.b2 == 0:
            return 0.0
        return (self.x_ic[c][i] + self.b1) / (self.X_c[c] + self.b2)

    def q(self, i: int, c: int) -> float:
        """Return the probability of term i outside class c, the mixture of the other classes."""
        mixture = weight = 0.0
        for k in self.present:
            if k != c:
                mixture += self.pi_c[k] * self.p(i, k)
                weight += self.pi_c[k]  # Unlike 1 - pi_c, this sum of priors cannot round to 0.
        return mixture / weight


class Cells:
    """The input of all methods except ``md`` and ``md_chi2``: counts as exact fractions."""

    def __init__(
        self,
        counts: Any,
        alpha: Alpha = 1.0,
        variant: str = "idf",
        sqrt: bool = False,
        zero: str | None = None,
    ) -> None:
        if variant not in ("idf", "bm25"):
            raise ValueError(f"unknown variant {variant!r}; use one of idf, bm25")
        if zero not in (None, "epsilon", "document"):
            raise ValueError(f"unknown zero {zero!r}; use one of epsilon, document")
        self.variant, self.sqrt, self.zero = variant, sqrt, zero
        self.n_classes = len(present_classes(counts))
        self.l_ic = [[Fraction(x) for x in row] for row in dense(counts.term_frequency)]
        self.d_ic = [[Fraction(x) for x in row] for row in dense(counts.document_frequency)]
        self.n_c = [Fraction(x) for x in class_docs(counts)]
        self.l_c = [sum(row, Fraction(0)) for row in self.l_ic]
        self.n = Fraction(counts.n_docs)
        l_i = getattr(counts, "collection_term_frequency", None)
        d_i = getattr(counts, "collection_document_frequency", None)
        if l_i is None or d_i is None:
            # Sums of fractional weights in different orders may differ by rounding.
            if not math.isclose(sum(self.n_c), self.n, rel_tol=1e-9):
                raise ValueError(
                    f"there are {float(self.n)} documents, but the classes have "
                    f"{float(sum(self.n_c))}: if documents have several classes or none, pass "
                    "collection_term_frequency and collection_document_frequency"
                )
            self.n = sum(self.n_c, Fraction(0))
            l_i = [sum(column, Fraction(0)) for column in zip(*self.l_ic, strict=True)]
            d_i = [sum(column, Fraction(0)) for column in zip(*self.d_ic, strict=True)]
        self.l_i = [Fraction(x) for x in as_list(l_i)]
        self.d_i = [Fraction(x) for x in as_list(d_i)]
        self.L = sum(self.l_i, Fraction(0))
        self.n_terms = len(self.d_i)
        # For `log_odds`, b2 is the weight of the prior, in occurrences.
        self.b1, self.b2 = smoothing(alpha, self.n_terms, "multinomial")

    # Sums of fractional weights may be rounded, and max() prevents negative cells.

    def A(self, i: int, c: int) -> Fraction:
        """Return the number of documents of class c with term i."""
        return self.d_ic[c][i]

    def B(self, i: int, c: int) -> Fraction:
        """Return the number of documents outside class c with term i."""
        return max(Fraction(0), self.d_i[i] - self.A(i, c))

    def C(self, i: int, c: int) -> Fraction:
        """Return the number of documents of class c without term i."""
        return max(Fraction(0), self.n_c[c] - self.A(i, c))

    def D(self, i: int, c: int) -> Fraction:
        """Return the number of documents outside class c without term i."""
        return max(Fraction(0), self.outside(c) - self.B(i, c))

    def outside(self, c: int) -> Fraction:
        """Return the number of documents outside class c."""
        return max(Fraction(0), self.n - self.n_c[c])

    def without(self, i: int, c: int) -> Fraction:
        """Return the number of documents without term i, which is C + D for any class."""
        return self.C(i, c) + self.D(i, c)

    def det(self, i: int, c: int) -> Fraction:
        """Return A n - d_i n_c, which is positive if class c has more of term i than expected."""
        return self.A(i, c) * self.n - self.d_i[i] * self.n_c[c]

    def tpr(self, i: int, c: int) -> Fraction:
        """Return the share of the documents of class c that have term i, or 0 if n = n_c."""
        return self.A(i, c) / self.n_c[c] if self.outside(c) else Fraction(0)

    def fpr(self, i: int, c: int) -> Fraction:
        """Return the share of all other documents that have term i, or 0 if n = n_c."""
        return self.B(i, c) / self.outside(c) if self.outside(c) else Fraction(0)

    def least_share(self, i: int, c: int, default: str) -> Fraction:
        """Return what replaces a share of 0: 10^-10, or the share of one document."""
        if (self.zero or default) == "epsilon" or self.outside(c) == 0:
            return Fraction(1, 10**10)
        return 1 / (self.n_c[c] if self.A(i, c) == 0 else self.outside(c))

    def smoothed_products(self, i: int, c: int) -> tuple[Fraction, Fraction]:
        """Return (l_ic + b1) (L - l_c + b2) and (l_i - l_ic + b1) (l_c + b2)."""
        elsewhere = max(Fraction(0), self.l_i[i] - self.l_ic[c][i])
        others = max(Fraction(0), self.L - self.l_c[c])
        within = (self.l_ic[c][i] + self.b1) * (others + self.b2)
        return within, (elsewhere + self.b1) * (self.l_c[c] + self.b2)

    def expected(self, i: int, c: int) -> Fraction:
        """Return the expected value of l_ic if occurrences are proportional to n_c."""
        return self.l_i[i] * self.n_c[c] / self.n


def events(counts: Any, model: str) -> tuple[list[list[Number]], list[Number]]:
    """Return the counts x_ic that an event model uses, and the totals X_c that divide them."""
    if model not in MODELS:
        raise ValueError(f"unknown model {model!r}; use one of {', '.join(MODELS)}")
    counted = "term_frequency" if model in ("multinomial", "poisson") else "document_frequency"
    x_ic = dense(getattr(counts, counted))
    if model in ("multinomial", "binary"):
        return x_ic, [total(row) for row in x_ic]
    return x_ic, class_docs(counts)


def smoothing(alpha: Any, n_terms: int, model: str) -> tuple[Fraction, Fraction]:
    """Return b1 and b2. For one number alpha, b2 is b1 times the number of outcomes of the model.

    A multinomial variable has one outcome per term and a Bernoulli variable has two. For a Poisson
    rate b2 is b1, so b1 occurrences in b1 documents are added.
    """
    values = (alpha,) if np.ndim(alpha) == 0 else tuple(alpha)
    if not all(0 <= b < math.inf for b in values):
        raise ValueError(f"alpha must be finite and nonnegative, not {alpha}")
    if np.ndim(alpha) == 0:
        b1 = Fraction(float(alpha))
        return b1, b1 * {"bernoulli": 2, "poisson": 1}.get(model, n_terms)
    b1, b2 = (Fraction(float(b)) for b in values)
    if b1 > b2 and model != "poisson":  # A rate may exceed 1, but a probability may not.
        raise ValueError(f"alpha = (b1, b2) must satisfy b1 <= b2, got ({float(b1)}, {float(b2)})")
    return b1, b2


def dense(frequency: Any) -> list[list[Number]]:
    """Return a dense or sparse array of counts as lists, one list for each class."""
    array = frequency.toarray() if hasattr(frequency, "toarray") else frequency
    rows: list[list[Number]] = np.asarray(array).tolist()
    return rows


def class_docs(counts: Any) -> list[Number]:
    """Return n_c, the number of documents of each class."""
    n_c: list[Number] = np.asarray(counts.class_docs).tolist()
    return n_c


def present_classes(counts: Any) -> list[int]:
    """Return the classes with documents, of which there must be at least two."""
    present = [c for c, n in enumerate(class_docs(counts)) if n > 0]
    if len(present) < 2:
        raise ValueError(f"{len(present)} classes have documents, expected at least two")
    return present


def priors(counts: Any, class_prior: ClassPrior) -> list[float]:
    """Return the priors pi_c, which sum to 1 and are 0 for classes without documents."""
    present = present_classes(counts)
    weights = prior_weights(counts, class_prior)
    whole = total(weights[c] for c in present)
    return [weights[c] / whole if c in present else 0.0 for c in range(len(weights))]


def prior_weights(counts: Any, class_prior: ClassPrior) -> list[Number]:
    """Return one weight per class: the priors before they are scaled to sum to 1."""
    n_c, present = class_docs(counts), present_classes(counts)
    weights: list[Number]
    if isinstance(class_prior, str):
        if class_prior not in ("empirical", "uniform"):
            raise ValueError(
                f"class_prior is {class_prior!r}, not 'empirical', 'uniform' or numbers"
            )
        weights = n_c if class_prior == "empirical" else [1] * len(n_c)
    else:
        if isinstance(class_prior, Mapping):
            if {*class_prior} != {*counts.classes}:
                raise ValueError("class_prior must have one number for each class")
            class_prior = [class_prior[label] for label in counts.classes]
        weights = np.asarray(class_prior).tolist()
        if len(weights) != len(n_c):
            raise ValueError(f"class_prior has {len(weights)} numbers for {len(n_c)} classes")
        for c, weight in enumerate(weights):
            if not 0 <= weight < math.inf:
                raise ValueError(f"class_prior[{c}] is {weight}, not a finite nonnegative number")
    if sum(weights[c] > 0 for c in present) < 2:
        raise ValueError("class_prior must be positive for at least two classes with documents")
    return weights


def exact_priors(counts: Any, class_prior: ClassPrior) -> list[Fraction]:
    """Return the priors pi_c of the classes with documents, as exact fractions."""
    weights = prior_weights(counts, class_prior)
    w = [Fraction(weights[c]) for c in present_classes(counts)]
    return [w_c / sum(w) for w_c in w]


def exact_outside(p: list[Fraction], pi: list[Fraction]) -> list[Fraction]:
    """Return q for each class with documents: the weighted mean of p over all other classes."""
    weighted = [pi_c * p_c for pi_c, p_c in zip(pi, p, strict=True)]
    return [(sum(weighted) - w) / (1 - pi_c) for w, pi_c in zip(weighted, pi, strict=True)]
