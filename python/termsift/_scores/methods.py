"""What the registry knows about a method: typed facts, by which the package decides what to do."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from termsift import _core
from termsift._util.validation import check_choice, did_you_mean

CoreMeasure: TypeAlias = _core.Measure | _core.ContingencyMeasure
Model: TypeAlias = Literal["multinomial", "binary", "bernoulli", "poisson"]
MODELS: tuple[Model, ...] = get_args(Model)  # the default first
_SHARED = ("method", "model", "alpha", "class_prior", "n_threads")  # what all scores take by name


class Reads(enum.Flag):
    """What a method reads of a collection."""

    TERM_FREQUENCY = enum.auto()
    DOCUMENT_FREQUENCY = enum.auto()
    DOCUMENTS = enum.auto()  # the documents themselves, which counts no longer hold

    def __str__(self) -> str:
        return ", ".join(str(one.name).lower().replace("_", " ") for one in self)


class PValue(enum.Enum):
    """Which of its class values a test is made of, and the degrees of freedom of its statistic."""

    LARGEST_CLASS = enum.auto()  # the largest value, with one degree of freedom
    SUM_OVER_CLASSES = enum.auto()  # the sum, with one degree less than there are classes


@dataclass(frozen=True)
class EventModel:
    """What the probability p_ic of a term in a class means. All that depends on it stands here.

    Attributes
    ----------
    name : str
    formula : str
        The probability, or rate.
    reads : Reads
        Whether occurrences or documents are counted.
    outcomes : int or None
        The number of outcomes of one event. A single ``alpha`` means b2 = alpha * outcomes. None
        stands for the number of terms.
    is_rate : bool
        Whether p_ic is a rate, which may exceed 1, and b1 may exceed b2.
    independent : bool
        Whether terms are independent, so that the divergence of several is the sum of their `md`.
    """

    name: Model
    formula: str
    reads: Reads
    outcomes: int | None = None
    is_rate: bool = False
    independent: bool = False


EVENT_MODELS: dict[str, EventModel] = {
    model.name: model
    for model in (
        EventModel("multinomial", "(l_ic + b1) / (l_c + b2)", Reads.TERM_FREQUENCY),
        EventModel("binary", "(d_ic + b1) / (sum_i d_ic + b2)", Reads.DOCUMENT_FREQUENCY),
        EventModel(
            "bernoulli",
            "(d_ic + b1) / (n_c + b2)",
            Reads.DOCUMENT_FREQUENCY,
            outcomes=2,
            independent=True,
        ),
        EventModel(
            "poisson",
            "(l_ic + b1) / (n_c + b2)",
            Reads.TERM_FREQUENCY,
            outcomes=1,
            is_rate=True,
            independent=True,
        ),
    )
}


# The names of the registry, so that a misspelt method is an error in an editor already.
MethodName: TypeAlias = Literal[
    "md",
    "md_chi2",
    "df",
    "tfidf",
    "mi",
    "cet",
    "ig",
    "chi2",
    "chi2_printed",
    "gss",
    "odds_ratio",
    "relevancy",
    "ngl",
    "g2",
    "bns",
    "log_odds",
    "log_ratio",
    "jlh",
    "chi2_counts",
    "g2_counts",
]
RankerName: TypeAlias = MethodName | Literal["greedy", "conditional_gain", "guided_gain"]


@dataclass(frozen=True, kw_only=True)
class Ranker:
    """What methods and selectors have in common: they rank terms."""

    name: str
    title: str
    formula: str
    source: str
    reads: Reads = Reads.DOCUMENT_FREQUENCY
    models: tuple[str, ...] = ()

    @property
    def needs(self) -> str:
        """What it reads, in words."""
        return str(self.reads)

    @property
    def reads_documents(self) -> bool:
        """Whether it reads the documents themselves, so that counts do not suffice."""
        return Reads.DOCUMENTS in self.reads


@dataclass(frozen=True, kw_only=True)
class Method(Ranker):
    """One way to score terms.

    Attributes
    ----------
    name : str
        The name by which ``counts.score`` and the command line know it.
    title : str
        One sentence on what it measures.
    formula : str
        The value of class c for term i. p = p_ic and q = q_ic are those of `ClassCounts.score`.
        The others are numbers of documents: n in the collection, A in the class with the term, B
        in other classes with it, C in the class without it, D the rest; n_c = A + C, d_i = A + B,
        det = AD - BC = A n - d_i n_c.
    source : str
        Author, title, year and the place within it.
    reads, needs : Reads, str
        What it reads of a collection, as flags and in words.
    models : tuple of str
        The event models it knows, the default first. Empty if it counts in its own way.
    default_aggregate : str or None
        How the class values become the term's score by default: "sum", "mean" or "max". None
        stands for the value of the whole collection, which compares no classes.
    options : mapping of str to tuple of str
        Its own options and their allowed values, the default first.
    zeros : str
        Its value for empty cells, where the formula alone does not define it.
    p_value, is_test : PValue or None, bool
        The test for which it is the statistic (`ClassCounts.significance`), and whether it is one.
    """

    name: MethodName
    default_aggregate: str | None
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    zeros: str = ""
    p_value: PValue | None = None
    # The core's measure for each choice of option values. By default the one of the same name.
    measures: Mapping[tuple[str, ...], CoreMeasure] = field(default_factory=dict, repr=False)

    @property
    def is_test(self) -> bool:
        """Whether it is the statistic of a test."""
        return self.p_value is not None

    def measure(self, options: Mapping[str, Any]) -> CoreMeasure:
        """Return the core's measure for the options."""
        for name, value in options.items():
            if name not in self.options:
                known = ", ".join(self.options) or "none of its own"
                hint = did_you_mean(name, [*self.options, *_SHARED])
                raise TypeError(f"{self.name} has no option {name!r} (it has {known}){hint}")
            check_choice(value, self.options[name], name)
        chosen = tuple(options.get(name, values[0]) for name, values in self.options.items())
        return (self.measures or {(): _core.ContingencyMeasure.__members__[self.name]})[chosen]


@dataclass(frozen=True, kw_only=True)
class Selector(Ranker):
    """One way to choose terms one after another, each given those chosen before it.

    It ranks terms as methods do, but gives no score to a single term. A selector that reads counts
    is a method of `ClassCounts` with the same name. One that reads documents is a function of
    the package.

    Attributes
    ----------
    name, title, source, reads, needs, models
        As for `Method`.
    formula : str
        What the next term maximises.
    """
