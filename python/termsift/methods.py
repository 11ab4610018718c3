"""The registry of methods: from it come the functions, the command line, the docs and the tests."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from termsift import _core

PAPER = (
    "Tang, Kay and He, Toward Optimal Feature Selection in Naive Bayes for Text "
    "Categorization, IEEE TKDE 28(9), 2016"
)


@dataclass(frozen=True)
class Method:
    """One way to score terms.

    Attributes
    ----------
    name : str
        What ``counts.score`` and the command line call it.
    title : str
        One line on what it measures.
    formula : str
        The value of one class c for term i, with p = p_ic, q = q_ic of `ClassCounts.score`.
    source : str
        Author, year, equation.
    needs : str
        What of the counts it reads.
    default_aggregate : str
        How the classes' values become the term's score unless the caller says otherwise.
    options : mapping of str to tuple of str
        Its own options and their allowed values, the default first.
    """

    name: str
    title: str
    formula: str
    source: str
    needs: str
    default_aggregate: str
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # The core's measure for each choice of option values, in the order of `options`.
    measures: Mapping[tuple[str, ...], _core.Measure] = field(default_factory=dict, repr=False)

    def measure(self, options: Mapping[str, Any]) -> _core.Measure:
        """Give the core's measure for the options, an error for one this method does not have."""
        for name, value in options.items():
            if name not in self.options:
                known = ", ".join(self.options) or "none of its own"
                raise TypeError(f"{self.name} has no option {name!r} (it has {known})")
            if value not in self.options[name]:
                allowed = " or ".join(map(repr, self.options[name]))
                raise ValueError(f"{name} must be {allowed}, got {value!r}")
        chosen = tuple(options.get(name, values[0]) for name, values in self.options.items())
        return self.measures[chosen]


@dataclass(frozen=True)
class Selector:
    """One way to choose terms one after the other, each beside those chosen before it.

    It ranks terms, as methods do, but gives no term a score of its own.

    Attributes
    ----------
    name : str
        What ``counts.rank`` and the command line call it.
    title : str
        One line on what it chooses.
    formula : str
        What the next term makes largest.
    source : str
        Author, year, algorithm; which part of it is ours.
    needs : str
        What of the counts it reads.
    """

    name: str
    title: str
    formula: str
    source: str
    needs: str


_REGISTRY = (
    Method(
        name="md",
        title="Maximum discrimination: the Jeffreys-multi-hypothesis (JMH) divergence of the "
        "classes on the term alone.",
        formula="p log(p/q) + (1-p) log((1-p)/(1-q))",
        source=f"{PAPER}, Algorithms 2 and 3",
        needs="term frequency",
        default_aggregate="sum",
        measures={(): _core.Measure.kl},
    ),
    Method(
        name="md_chi2",
        title="MD-chi2: the noncentrality of the chi-square statistic that the divergence becomes "
        "in large samples.",
        formula="1/2 [(p-q)^2/(q(1-q)) + (p-q)^2/(p(1-p))]; "
        'noncentrality="pearson": (p-q)^2/(q(1-q))',
        source=f"{PAPER}, eq. (20) and Section 4.4",
        needs="term frequency",
        default_aggregate="sum",
        options={"noncentrality": ("jeffreys", "pearson")},
        measures={
            ("jeffreys",): _core.Measure.nu_j,
            ("pearson",): _core.Measure.nu_pearson,
        },
    ),
)
_SELECTORS = (
    Selector(
        name="greedy",
        title="At each step the term that, beside those chosen before it and the pool of all the "
        "rest, makes the JMH divergence of the classes largest.",
        formula="sum over the classes and the variables (chosen terms, next term, pool) of "
        "p log(p/q)",
        source=f"{PAPER}, Algorithm 1, for two classes; for more, with JMH in place of J, ours",
        needs="term frequency",
    ),
)
_BY_NAME = {method.name: method for method in _REGISTRY}
_SELECTORS_BY_NAME = {selector.name: selector for selector in _SELECTORS}


def methods() -> tuple[Method, ...]:
    """Give the registry of methods.

    Returns
    -------
    methods : tuple of Method
        In the order of the documentation.

    Examples
    --------
    >>> import termsift as ts
    >>> [method.name for method in ts.methods()]
    ['md', 'md_chi2']
    """
    return _REGISTRY


def selectors() -> tuple[Selector, ...]:
    """Give the registry of selectors, which rank terms without a score of each.

    Returns
    -------
    selectors : tuple of Selector
        In the order of the documentation.

    Examples
    --------
    >>> import termsift as ts
    >>> [selector.name for selector in ts.selectors()]
    ['greedy']
    """
    return _SELECTORS


def find_selector(name: str) -> Selector | None:
    """Give the selector of that name, or None if it is none."""
    return _SELECTORS_BY_NAME.get(name) if isinstance(name, str) else None


def find_method(name: str) -> Method:
    """Give the method of that name; the error suggests the nearest one."""
    if find_selector(name):
        raise ValueError(
            f"{name!r} chooses terms one after the other and has no score of each alone: "
            f"expected one of {', '.join(_BY_NAME)}, or rank({name!r}) in place of score"
        )
    method = _BY_NAME.get(name) if isinstance(name, str) else None
    if method is None:
        raise _unknown(name, _BY_NAME)
    return method


def find_ranker(name: str) -> Method | Selector:
    """Give the method or selector of that name; the error suggests the nearest one."""
    selector = find_selector(name)
    if selector is None and not (isinstance(name, str) and name in _BY_NAME):
        raise _unknown(name, [*_BY_NAME, *_SELECTORS_BY_NAME])
    return selector or find_method(name)


def _unknown(name: object, known: Collection[str]) -> ValueError:
    near = difflib.get_close_matches(str(name), known, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return ValueError(f"no method {name!r}, expected one of {', '.join(known)}{hint}")


def find_aggregate(name: str | None, method: Method) -> _core.Aggregate:
    """Give the core's aggregate of that name, or the method's own if it is None."""
    aggregates = _core.Aggregate.__members__
    if name is not None and (not isinstance(name, str) or name not in aggregates):
        raise ValueError(f"aggregate must be one of {', '.join(aggregates)}, got {name!r}")
    return aggregates[name or method.default_aggregate]
