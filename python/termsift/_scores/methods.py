"""The types of the registry's entries: event models, selectors and methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from termsift import _core
from termsift._util.faults import concerning
from termsift._util.validation import check_choice, check_flag, did_you_mean

CoreMeasure: TypeAlias = _core.Measure | _core.ContingencyMeasure
Model: TypeAlias = Literal["multinomial", "binary", "bernoulli", "poisson"]
MODELS: tuple[Model, ...] = get_args(Model)  # The default comes first.
OCCURRENCES, DOCUMENTS = "term frequency", "document frequency"  # The counts that methods read.


def unknown_option(
    name: str, method: str, options: Iterable[str], arguments: Iterable[str] = ()
) -> TypeError:
    """Return the error of a keyword that is no option, and no argument of what was called."""
    possible = ", ".join(options)
    its_own = f" (it has {possible})" if possible else ""
    hint = did_you_mean(name, [*options, *arguments])
    return concerning(TypeError(f"{method} has no option {name!r}{its_own}{hint}"), name)


class EventModel(NamedTuple):
    """An event model, which defines the probability p_ic of a term in a class."""

    name: Model
    formula: str
    reads: str  # The counts that the model reads.
    # The number of outcomes of an event, or None for n_terms. If alpha is one number, then
    # b2 = alpha * outcomes.
    outcomes: int | None = None
    is_rate: bool = False  # If p_ic is a rate, it may exceed 1, and b1 may exceed b2.
    independent: bool = False  # Whether the divergence of terms is the sum of their `md`.


EVENT_MODELS: dict[str, EventModel] = {
    model.name: model
    for model in (
        EventModel("multinomial", "(l_ic + b1) / (l_c + b2)", OCCURRENCES),
        EventModel("binary", "(d_ic + b1) / (sum_i d_ic + b2)", DOCUMENTS),
        EventModel("bernoulli", "(d_ic + b1) / (n_c + b2)", DOCUMENTS, 2, independent=True),
        EventModel("poisson", "(l_ic + b1) / (n_c + b2)", OCCURRENCES, 1, True, True),
    )
}


# The names in the registry, repeated here so that type checkers find a misspelt name.
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
    "c_tfidf",
    "dfs",
    "efs",
    "gini",
    "acc2",
    "ndm",
    "mmr",
    "wllr",
    "poisson_deviation",
    "cmfs",
]
DescriberName: TypeAlias = MethodName | Literal["key"]
RankerName: TypeAlias = MethodName | Literal["greedy", "conditional_gain", "guided_gain"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Selector:
    """One way to rank terms.

    A selector that is not a `Method` chooses terms one by one, each given the terms before it.
    Selectors that need only counts are methods of `ClassCounts`. Selectors that need documents are
    functions of the package.

    Attributes
    ----------
    name : str
        The name of the selector in `ClassCounts.rank` and on the command line.
    title : str
        One sentence that describes the selector.
    formula : str
        The value of class c for term i, or the quantity that the next chosen term maximises.
        `ClassCounts.score` defines p = p_ic and q = q_ic. Of the n documents of the collection, the
        class has A with the term and C without it, and all other classes have B with the term and D
        without it. Hence n_c = A + C, d_i = A + B and det = AD - BC = A n - d_i n_c.
    source : str
        The author, title and year of the source, and the relevant place in the source.
    needs : str
        The required input: term frequency, document frequency, both, or the documents.
    models : tuple of str
        The supported event models, the default first, or () for a selector without event models.
    """

    name: str
    title: str
    formula: str
    source: str
    needs: str = DOCUMENTS
    models: tuple[str, ...] = ()

    @property
    def reads_documents(self) -> bool:
        """Whether the selector reads the documents, because counts do not suffice."""
        return self.needs == "documents"


@dataclass(frozen=True, kw_only=True, eq=False)
class Method(Selector):
    """One way to rank terms by a score of each term alone.

    Attributes
    ----------
    name, title, formula, source, needs, models
        As for `Selector`.
    default_aggregate : str or None
        The default way to combine the class values into the term's score, by "sum", "mean" or
        "max". The value None stands for a method that scores the whole collection.
    options : mapping of str to tuple of str or bool
        The options that only this method has, with their allowed values, the default first.
    is_test : bool
        Whether the score is a test statistic (see `ClassCounts.significance`). The largest class
        value has one degree of freedom, and the sum over N classes has N - 1.
    """

    name: MethodName
    default_aggregate: str | None
    options: Mapping[str, tuple[str | bool, ...]] = field(default_factory=dict)
    is_test: bool = False
    # Maps each combination of option values to a measure of the core. If the mapping is empty, the
    # core's measure with the same name as the method is used.
    measures: Mapping[tuple[str | bool, ...], CoreMeasure] = field(default_factory=dict, repr=False)

    @property
    def smooths(self) -> bool:
        """Whether the parameter ``alpha`` has an effect."""
        return bool(self.models) or "b2" in self.formula

    def uses_prior(self, aggregate: str | None = None) -> bool:
        """Return True if ``class_prior`` has an effect on the class values or their aggregate."""
        return bool(self.models) or aggregate == "mean"

    def measure(self, options: Mapping[str, Any]) -> CoreMeasure:
        """Return the core's measure for the options."""
        for name, value in options.items():
            if name not in self.options:
                raise unknown_option(name, self.name, self.options)
            if self.options[name] == (False, True):
                check_flag(value, name)
            else:
                check_choice(value, self.options[name], name)  # type: ignore[arg-type]
        chosen = tuple(options.get(name, values[0]) for name, values in self.options.items())
        return (self.measures or {(): _core.ContingencyMeasure.__members__[self.name]})[chosen]
