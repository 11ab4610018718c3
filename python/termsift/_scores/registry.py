"""The registry of methods: from it come the functions, the command line, the docs and the tests."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from termsift import _core
from termsift._util.validation import did_you_mean, is_one_of

PAPER = (
    "Tang, Kay and He, Toward Optimal Feature Selection in Naive Bayes for Text "
    "Categorization, IEEE TKDE 28(9), 2016"
)

# Where the paper prints what others measure. A source names the places that we could check.
_IN_PAPER = "Tang, Kay and He 2016, Section 2.3"

MODELS = tuple(_core.EventModel.__members__)
Policy: TypeAlias = Literal["top", "round_robin"]
POLICIES: tuple[Policy, ...] = get_args(Policy)  # the default first
CoreMeasure: TypeAlias = _core.Measure | _core.ContingencyMeasure


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
        The value of one class c for term i, with p = p_ic, q = q_ic of `ClassCounts.score`, or
        from the documents of the collection, n, as a table: A in the class with the term,
        B in other classes with it, C in the class without it, D neither; n_c = A + C,
        d_i = A + B, det = AD - BC = A n - d_i n_c.
    source : str
        Author, title, year, and where in it.
    needs : str
        What of the counts it reads.
    default_aggregate : str or None
        How the classes' values become the term's score unless the caller says otherwise: "sum",
        "mean" or "max"; None for the value of all documents together.
    options : mapping of str to tuple of str
        Its own options and their allowed values, the default first.
    zeros : str
        What becomes of empty cells, where the formula alone does not say.
    is_test : bool
        Whether it is the statistic of a test of significance (`ClassCounts.significance`).
    models : tuple of str
        The event models it knows, the default first; none if it counts in its own way.
    """

    name: str
    title: str
    formula: str
    source: str
    needs: str
    default_aggregate: str | None
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    zeros: str = ""
    is_test: bool = False
    models: tuple[str, ...] = ()
    # The core's measure for each choice of option values, in the order of `options`.
    measures: Mapping[tuple[str, ...], CoreMeasure] = field(default_factory=dict, repr=False)

    def measure(self, options: Mapping[str, Any]) -> CoreMeasure:
        """Give the core's measure for the options, an error for one this method does not have."""
        for name, value in options.items():
            if name not in self.options:
                known = ", ".join(self.options) or "none of its own"
                raise TypeError(f"{self.name} has no option {name!r} (it has {known})")
            if not is_one_of(value, self.options[name]):
                allowed = " or ".join(map(repr, self.options[name]))
                hint = did_you_mean(value, self.options[name])
                raise ValueError(f"{name} must be {allowed}, got {value!r}{hint}")
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
    models : tuple of str
        The event models it knows, the default first.
    """

    name: str
    title: str
    formula: str
    source: str
    needs: str
    models: tuple[str, ...] = ()


def _of_table(name: str, needs: str = "document frequency", **fields: Any) -> Method:
    """Give a method that the core calls by the same name."""
    return Method(
        name, needs=needs, measures={(): _core.ContingencyMeasure.__members__[name]}, **fields
    )


_REGISTRY = (
    Method(
        name="md",
        title="Maximum discrimination: the Jeffreys-multi-hypothesis (JMH) divergence of the "
        "classes on the term alone.",
        formula="p log(p/q) + (1-p) log((1-p)/(1-q))",
        source=f"{PAPER}, Algorithms 2 and 3",
        needs="term frequency",
        default_aggregate="sum",
        zeros="0 log 0 = 0, x log(x/0) = inf",
        models=MODELS,
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
        zeros="0 for p = q, else inf where a divisor is 0",
        options={"noncentrality": ("jeffreys", "pearson")},
        models=MODELS,
        measures={
            ("jeffreys",): _core.Measure.nu_j,
            ("pearson",): _core.Measure.nu_pearson,
        },
    ),
    _of_table(
        name="df",
        title="Document frequency: in how many documents the term occurs.",
        formula="A; of the collection d_i",
        source="Yang and Pedersen, A Comparative Study on Feature Selection in Text "
        "Categorization, ICML 1997, Section 2.1",
        default_aggregate=None,
        zeros="0 for A = 0",
    ),
    _of_table(
        name="tfidf",
        title="Term frequency times inverse document frequency.",
        formula="l_ic log(n/d_i); of the collection l_i log(n/d_i)",
        source="Salton, Wong and Yang, A Vector Space Model for Automatic Indexing, CACM 18(11), "
        f"1975; named for selection in {_IN_PAPER}",
        needs="term frequency, document frequency",
        default_aggregate=None,
        zeros="0 for a term in all documents or in none",
    ),
    _of_table(
        name="mi",
        title="Pointwise mutual information of the term's presence and the class.",
        formula="log(A n / (d_i n_c))",
        source="Yang and Pedersen, ICML 1997, Section 2.3",
        default_aggregate="max",
        zeros="-inf for A = 0",
    ),
    _of_table(
        name="cet",
        title="Expected cross entropy for text: the part of the information gain that presence "
        "has.",
        formula="A/n log(A n / (d_i n_c))",
        source="Mladenic and Grobelnik, Feature Selection for Unbalanced Class Distribution and "
        f"Naive Bayes, ICML 1999, pp. 258-267, as printed in {_IN_PAPER}",
        default_aggregate="sum",
        zeros="0 for A = 0",
    ),
    _of_table(
        name="ig",
        title="Information gain: the mutual information of the term's presence and the class.",
        formula="A/n log(A n / (d_i n_c)) + C/n log(C n / ((n - d_i) n_c))",
        source="Yang and Pedersen, ICML 1997, Section 2.2",
        default_aggregate="sum",
        zeros="a cell of no documents adds 0",
    ),
    _of_table(
        name="chi2",
        title="Pearson's chi-square statistic of the documents with the term and in the class.",
        formula="n det^2 / (n_c (n - n_c) d_i (n - d_i))",
        source="Yang and Pedersen, ICML 1997, Section 2.4",
        default_aggregate="max",
        zeros="0 where a margin is 0",
        is_test=True,
    ),
    _of_table(
        name="chi2_printed",
        title="The chi-square statistic as the paper prints it, which is that of no test.",
        formula="det^2 / (A B C D)",
        source=f"{PAPER}, Section 2.3",
        default_aggregate="max",
        zeros="inf where a cell is 0 and det is not",
    ),
    _of_table(
        name="gss",
        title="The GSS coefficient, chi-square without what favours rare terms and classes.",
        formula="det / n^2",
        source="Galavotti, Sebastiani and Simi, Experiments on the Use of Feature Selection and "
        "Negative Evidence in Automated Text Categorization, ECDL 2000, pp. 59-68, as printed in "
        f"{_IN_PAPER}",
        default_aggregate="max",
        zeros="0 for a term that no document has",
    ),
    _of_table(
        name="odds_ratio",
        title="The odds of the term in the class, over those elsewhere.",
        formula="A D / (B C)",
        source="van Rijsbergen, Information Retrieval, 2nd edition, 1979, Chapter 6; Mladenic and "
        "Grobelnik, ICML 1999, take its logarithm, which ranks alike",
        default_aggregate="max",
        zeros="inf for B C = 0 unless A D = 0",
    ),
    _of_table(
        name="relevancy",
        title="Relevancy score: the ratio of the term's document shares, each a sixth larger.",
        formula="log((A/n_c + 1/6) / (B/(n - n_c) + 1/6))",
        source="Wiener, Pedersen and Weigend, A Neural Network Approach to Topic Spotting, "
        "SDAIR 1995",
        default_aggregate="max",
        zeros="0 for a class of all documents",
    ),
    _of_table(
        name="ngl",
        title="The NGL coefficient: the signed root of chi2, for terms that speak for a class.",
        formula="sqrt(n) det / sqrt(n_c (n - n_c) d_i (n - d_i))",
        source="Ng, Goh and Low, Feature Selection, Perceptron Learning, and a Usability Case "
        "Study for Text Categorization, SIGIR 1997, pp. 67-73, as the correlation coefficient",
        default_aggregate="max",
        zeros="0 where a margin is 0",
    ),
    _of_table(
        name="g2",
        title="Dunning's log-likelihood ratio of the documents with the term and in the class.",
        formula="2 sum O log(O/E) over the cells O = A, B, C, D, E = row total * column total / n",
        source="Dunning, Accurate Methods for the Statistics of Surprise and Coincidence, "
        "Computational Linguistics 19(1), 1993, Section 5, Likelihood Ratio Tests",
        default_aggregate="max",
        zeros="a cell of no documents adds 0",
        is_test=True,
    ),
    _of_table(
        name="bns",
        title="Bi-normal separation of the term's document shares.",
        formula="|F(A/n_c) - F(B/(n - n_c))|, F the normal quantile",
        source="Forman, An Extensive Empirical Study of Feature Selection Metrics for Text "
        "Classification, JMLR 3, 2003, pp. 1289-1305",
        default_aggregate="max",
        zeros="shares are clipped to [0.0005, 0.9995]; 0 for det = 0 and a class of all documents",
    ),
    _of_table(
        name="log_odds",
        title="The z-score of the term's log odds ratio under an informative Dirichlet prior.",
        formula="log(x (S - u) / (u (R - x))) / sqrt(1/x + 1/u), x = l_ic + a_i, "
        "u = l_i - l_ic + a_i, R = l_c + a_0, S = l - l_c + a_0, a_0 = b2, a_i = a_0 l_i / l",
        source="Monroe, Colaresi and Quinn, Fightin' Words, Political Analysis 16(4), 2008, "
        "eqs. (15)-(22)",
        needs="term frequency",
        default_aggregate="max",
        zeros="0 for x u = 0, its limit; else, without a prior, inf for R = x and -inf for S = u",
    ),
    _of_table(
        name="jlh",
        title="Elasticsearch's JLH: the change of the term's document share, absolute times "
        "relative.",
        formula="(f - g) f/g for f > g, else 0; f = A/n_c, g = d_i/n",
        source="Elasticsearch Reference 5.2, 2017, Significant Terms Aggregation, JLH score",
        default_aggregate="max",
        zeros="0 for f <= g, and for a term that no document has",
    ),
    _of_table(
        name="chi2_counts",
        title="scikit-learn's chi2: observed against expected term frequencies.",
        formula="(l_ic - E)^2 / E, E = l_i n_c / n",
        source="scikit-learn 1.9.1, sklearn.feature_selection.chi2; Pedregosa and others, "
        "Scikit-learn: Machine Learning in Python, JMLR 12, 2011",
        needs="term frequency",
        default_aggregate="sum",
        zeros="0 for a term that no document has",
        is_test=True,
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
        models=MODELS,
    ),
    Selector(
        name="conditional_gain",
        title="At each step the term that, given those chosen before it, takes most off the log "
        "losses of naive Bayes on the documents themselves.",
        formula="sum over the documents d with the term, y their class, of "
        "-log(sum_{c != y} P_dc e^{b (W_tc - W'_ty)} + P_dy)",
        source="termsift's own; the shape of the lifts by empirical Bayes",
        needs="documents",
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
    >>> [method.name for method in ts.methods()][:4]
    ['md', 'md_chi2', 'df', 'tfidf']
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
    ['greedy', 'conditional_gain']
    """
    return _SELECTORS


def find_selector(name: str) -> Selector | None:
    """Give the selector of that name, or None if it is none."""
    return _SELECTORS_BY_NAME.get(name) if isinstance(name, str) else None


def find_method(name: str) -> Method:
    """Give the method of that name; the error suggests the nearest one."""
    if selector := find_selector(name):
        use = f"rank({name!r})" if selector.needs != "documents" else f"termsift.{name}(X, y)"
        raise ValueError(
            f"{name!r} chooses terms one after the other and has no score of each alone: "
            f"expected one of {', '.join(_BY_NAME)}, or {use} in place of score"
        )
    method = _BY_NAME.get(name) if isinstance(name, str) else None
    if method is None:
        raise _unknown(name, _BY_NAME)
    return method


def find_ranker(name: str) -> Method | Selector:
    """Give the method or selector of that name; the error suggests the nearest one."""
    selector = find_selector(name)
    if selector is None and not is_one_of(name, _BY_NAME):
        raise _unknown(name, [*_BY_NAME, *_SELECTORS_BY_NAME])
    return selector or find_method(name)


def _unknown(name: object, known: Collection[str]) -> ValueError:
    hint = did_you_mean(name, known)
    return ValueError(f"no method {name!r}, expected one of {', '.join(known)}{hint}")


def check_model(name: str, method: Method | Selector) -> str:
    """Give the event model of that name, an error if the method does not know it."""
    if not is_one_of(name, MODELS):
        hint = did_you_mean(name, MODELS)
        raise ValueError(f"model must be one of {', '.join(MODELS)}, got {name!r}{hint}")
    if name not in (method.models or MODELS[:1]):
        have = [entry.name for entry in (*_REGISTRY, *_SELECTORS) if name in entry.models]
        raise ValueError(f"{method.name} has no model {name!r}: only {', '.join(have)} have")
    return name


def check_policy(name: str) -> str:
    """Give the policy of that name."""
    if not is_one_of(name, POLICIES):
        hint = did_you_mean(name, POLICIES)
        raise ValueError(f"policy must be {' or '.join(map(repr, POLICIES))}, got {name!r}{hint}")
    return name


def find_aggregate(name: str | None, method: Method) -> _core.Aggregate | None:
    """Give the core's aggregate of that name, or the method's own if it is None.

    None is the value of the collection.
    """
    aggregates = _core.Aggregate.__members__
    if name is not None and not is_one_of(name, aggregates):
        hint = did_you_mean(name, aggregates)
        raise ValueError(f"aggregate must be one of {', '.join(aggregates)}, got {name!r}{hint}")
    how = name or method.default_aggregate
    return None if how is None else aggregates[how]


def find_test(name: str) -> Method:
    """Give the method of that name if it is a test of significance."""
    tests = [method.name for method in _REGISTRY if method.is_test]
    if not is_one_of(name, tests):
        hint = did_you_mean(name, tests)
        raise ValueError(f"no test {name!r}, expected one of {', '.join(tests)}{hint}")
    return _BY_NAME[name]
