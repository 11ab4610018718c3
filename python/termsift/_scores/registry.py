"""The registry of methods, from which functions, command line, docs and tests are derived."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, Literal, SupportsIndex, TypeAlias, TypeVar, get_args, overload

from termsift import _core
from termsift._scores.methods import (
    DOCUMENTS,
    EVENT_MODELS,
    MODELS,
    OCCURRENCES,
    DescriberName,
    EventModel,
    Method,
    Selector,
    unknown_option,
)
from termsift._util.faults import concerning, wrong_value
from termsift._util.validation import check_choice, did_you_mean, is_one_of

PAPER = (
    "Tang, Kay and He, Toward Optimal Feature Selection in Naive Bayes for Text "
    "Categorization, IEEE TKDE 28(9), 2016"
)
_IN_PAPER = "Tang, Kay and He 2016, Section 2.3"

Policy: TypeAlias = Literal["top", "round_robin"]
POLICIES: tuple[Policy, ...] = get_args(Policy)  # the default first
_Entry = TypeVar("_Entry", bound=Selector)

MD = Method(
    name="md",
    title="Maximum discrimination: the Jeffreys-multi-hypothesis (JMH) divergence of the "
    "classes for the term alone.",
    formula="p log(p/q) + (1-p) log((1-p)/(1-q))",
    source=f"{PAPER}, Algorithms 2 and 3",
    needs=OCCURRENCES,
    default_aggregate="sum",
    models=MODELS,
    measures={(): _core.Measure.kl},
)
_METHODS = (
    MD,
    Method(
        name="md_chi2",
        title="MD-chi2: the noncentrality of the chi-square statistic that approximates the "
        "divergence in large samples.",
        formula="1/2 [(p-q)^2/(q(1-q)) + (p-q)^2/(p(1-p))]; "
        'noncentrality="pearson": (p-q)^2/(q(1-q))',
        source=f"{PAPER}, eq. (20) and Section 4.4",
        needs=OCCURRENCES,
        default_aggregate="sum",
        options={"noncentrality": ("jeffreys", "pearson")},
        models=MODELS,
        measures={("jeffreys",): _core.Measure.nu_j, ("pearson",): _core.Measure.nu_pearson},
    ),
    Method(
        name="df",
        title="Document frequency: the number of documents that contain the term.",
        formula="A for a class; d_i for the collection",
        source="Yang and Pedersen, A Comparative Study on Feature Selection in Text "
        "Categorization, ICML 1997, Section 2.1",
        default_aggregate=None,
    ),
    Method(
        name="tfidf",
        title="Term frequency times inverse document frequency.",
        formula="l_ic log(n/d_i) for a class; l_i log(n/d_i) for the collection",
        source="Salton, Wong and Yang, A Vector Space Model for Automatic Indexing, CACM 18(11), "
        f"1975; named for selection in {_IN_PAPER}",
        needs=f"{OCCURRENCES}, {DOCUMENTS}",
        default_aggregate=None,
    ),
    Method(
        name="mi",
        title="Pointwise mutual information of the term's presence and the class.",
        formula="log(A n / (d_i n_c))",
        source="Yang and Pedersen, ICML 1997, Section 2.3",
        default_aggregate="max",
    ),
    Method(
        name="cet",
        title="Expected cross entropy for text: the part of the information gain that is due to "
        "the term's presence.",
        formula="A/n log(A n / (d_i n_c))",
        source="Mladenic and Grobelnik, Feature Selection for Unbalanced Class Distribution and "
        f"Naive Bayes, ICML 1999, pp. 258-267, as printed in {_IN_PAPER}",
        default_aggregate="sum",
    ),
    Method(
        name="ig",
        title="Information gain: the mutual information of the term's presence and the class.",
        formula="A/n log(A n / (d_i n_c)) + C/n log(C n / ((n - d_i) n_c))",
        source="Yang and Pedersen, ICML 1997, Section 2.2",
        default_aggregate="sum",
    ),
    Method(
        name="chi2",
        title="Pearson's chi-square statistic of the term's presence in documents and their class.",
        formula="n det^2 / (n_c (n - n_c) d_i (n - d_i))",
        source="Yang and Pedersen, ICML 1997, Section 2.4",
        default_aggregate="max",
        is_test=True,
    ),
    Method(
        name="chi2_printed",
        title="The chi-square statistic as the paper prints it, which is not a test statistic.",
        formula="det^2 / (A B C D)",
        source=f"{PAPER}, Section 2.3",
        default_aggregate="max",
    ),
    Method(
        name="gss",
        title="The GSS coefficient: chi-square without the factors that favour rare terms and "
        "classes.",
        formula="det / n^2",
        source="Galavotti, Sebastiani and Simi, Experiments on the Use of Feature Selection and "
        "Negative Evidence in Automated Text Categorization, ECDL 2000, pp. 59-68, as printed in "
        f"{_IN_PAPER}",
        default_aggregate="max",
    ),
    Method(
        name="odds_ratio",
        title="The odds of the term in the class, divided by its odds elsewhere.",
        formula="A D / (B C)",
        source="van Rijsbergen, Information Retrieval, 2nd edition, 1979, Chapter 6; Mladenic and "
        "Grobelnik, ICML 1999, take its logarithm, which gives the same ranking",
        default_aggregate="max",
    ),
    Method(
        name="relevancy",
        title="Relevancy score: the logarithm of the ratio of the term's document shares, each "
        "plus 1/6.",
        formula="log((A/n_c + 1/6) / (B/(n - n_c) + 1/6))",
        source="Wiener, Pedersen and Weigend, A Neural Network Approach to Topic Spotting, "
        "SDAIR 1995",
        default_aggregate="max",
    ),
    Method(
        name="ngl",
        title="The NGL coefficient: the signed root of chi2, positive for terms over-represented "
        "in the class.",
        formula="sqrt(n) det / sqrt(n_c (n - n_c) d_i (n - d_i))",
        source="Ng, Goh and Low, Feature Selection, Perceptron Learning, and a Usability Case "
        "Study for Text Categorization, SIGIR 1997, pp. 67-73, as the correlation coefficient",
        default_aggregate="max",
    ),
    Method(
        name="g2",
        title="Dunning's log-likelihood ratio of the term's presence in documents and their class.",
        formula="2 sum O log(O/E) over the cells O = A, B, C, D, E = row total * column total / n",
        source="Dunning, Accurate Methods for the Statistics of Surprise and Coincidence, "
        "Computational Linguistics 19(1), 1993, Section 5, Likelihood Ratio Tests",
        default_aggregate="max",
        is_test=True,
    ),
    Method(
        name="bns",
        title="Bi-normal separation of the term's document shares.",
        formula="|F(A/n_c) - F(B/(n - n_c))|, F the normal quantile",
        source="Forman, An Extensive Empirical Study of Feature Selection Metrics for Text "
        "Classification, JMLR 3, 2003, pp. 1289-1305",
        default_aggregate="max",
    ),
    Method(
        name="log_odds",
        title="The z-score of the term's log odds ratio under an informative Dirichlet prior.",
        formula="log(x (S - u) / (u (R - x))) / sqrt(1/x + 1/u), x = l_ic + a_i, "
        "u = l_i - l_ic + a_i, R = l_c + a_0, S = l - l_c + a_0, a_0 = b2, a_i = a_0 l_i / l",
        source="Monroe, Colaresi and Quinn, Fightin' Words, Political Analysis 16(4), 2008, "
        "eqs. (15)-(22)",
        needs=OCCURRENCES,
        default_aggregate="max",
    ),
    Method(
        name="log_ratio",
        title="Hardie's Log Ratio: how many times the term's smoothed relative frequency doubles "
        "from outside the class to the class.",
        formula="log2((l_ic + b1) (l - l_c + b2) / ((l_i - l_ic + b1) (l_c + b2)))",
        source="Hardie, Log Ratio - an informal introduction, ESRC Centre for Corpus Approaches to "
        "Social Science, Lancaster University, 2014",
        needs=OCCURRENCES,
        default_aggregate="max",
    ),
    Method(
        name="jlh",
        title="Elasticsearch's JLH: the absolute change of the term's document share, times the "
        "relative change.",
        formula="(f - g) f/g for f > g, else 0; f = A/n_c, g = d_i/n",
        source="Elasticsearch Reference 5.2, 2017, Significant Terms Aggregation, JLH score",
        default_aggregate="max",
    ),
    Method(
        name="chi2_counts",
        title="scikit-learn's chi2: compares observed with expected term frequencies.",
        formula="(l_ic - E)^2 / E, E = l_i n_c / n",
        source="scikit-learn 1.9.1, sklearn.feature_selection.chi2; Pedregosa and others, "
        "Scikit-learn: Machine Learning in Python, JMLR 12, 2011",
        needs=f"{OCCURRENCES}, documents of the class",
        default_aggregate="sum",
        is_test=True,
    ),
    Method(
        name="g2_counts",
        title="Dunning's log-likelihood ratio of occurrences, as corpus linguists use it for "
        "keyness.",
        formula="2 sum O log(O/E) over O = l_ic, l_i - l_ic, l_c - l_ic and the rest, "
        "E = row total * column total / l",
        source="Rayson and Garside, Comparing Corpora using Frequency Profiling, Workshop on "
        "Comparing Corpora, ACL 2000; Dunning, Computational Linguistics 19(1), 1993",
        needs=OCCURRENCES,
        default_aggregate="max",
        is_test=True,
    ),
    Method(
        name="c_tfidf",
        title="BERTopic's class-based tf-idf: the term's share of the class's tokens, with a "
        "larger weight for rare terms.",
        formula="l_ic/l_c log(1 + m/l_i), m = floor(l / number of classes); "
        'variant="bm25": l_ic/l_c log((m + 1) / (l_i + 1/2)); sqrt=True: the root of l_ic/l_c',
        source="Grootendorst, BERTopic: Neural topic modeling with a class-based TF-IDF procedure, "
        "arXiv 2203.05794, 2022; the options as in BERTopic 0.17.4",
        needs=OCCURRENCES,
        default_aggregate="max",
        options={"variant": ("idf", "bm25"), "sqrt": (False, True)},
        measures={
            ("idf", False): _core.ContingencyMeasure.c_tfidf,
            ("idf", True): _core.ContingencyMeasure.c_tfidf_sqrt,
            ("bm25", False): _core.ContingencyMeasure.c_tfidf_bm25,
            ("bm25", True): _core.ContingencyMeasure.c_tfidf_bm25_sqrt,
        },
    ),
    Method(
        name="dfs",
        title="The distinguishing feature selector: rewards terms whose documents are of one class "
        "and that many documents of the class contain.",
        formula="(A/d_i) / (C/n_c + B/(n - n_c) + 1)",
        source="Uysal and Gunal, A Novel Probabilistic Feature Selection Method for Text "
        "Classification, Knowledge-Based Systems 36, 2012",
        default_aggregate="sum",
    ),
    Method(
        name="efs",
        title="The extensive feature selector: dfs times a similar ratio of the class given the "
        "term.",
        formula="(A/n_c) / (C/n_c + B/(n - n_c) + 1) (A/d_i) / (C/(n - d_i) + B/d_i + 1)",
        source="Parlak and Uysal, A Novel Filter Feature Selection Method for Text Classification: "
        "Extensive Feature Selector, Journal of Information Science 49(1), 2023",
        default_aggregate="sum",
    ),
    Method(
        name="gini",
        title="The Gini index for text: the squared share of the class's documents, times the "
        "squared share of the term's documents.",
        formula="(A/n_c)^2 (A/d_i)^2",
        source="Shang and others, A Novel Feature Selection Algorithm for Text Categorization, "
        "Expert Systems with Applications 33(1), 2007",
        default_aggregate="sum",
    ),
    Method(
        name="acc2",
        title="Balanced accuracy: the difference of the term's document shares.",
        formula="|tpr - fpr|, tpr = A/n_c, fpr = B/(n - n_c)",
        source="Forman, An Extensive Empirical Study of Feature Selection Metrics for Text "
        "Classification, JMLR 3, 2003, pp. 1289-1305, as Acc2",
        default_aggregate="max",
    ),
    Method(
        name="ndm",
        title="The normalized difference measure: acc2, divided by the smaller document share.",
        formula="|tpr - fpr| / min(tpr, fpr), tpr = A/n_c, fpr = B/(n - n_c); a minimum of 0 is "
        'replaced by 10^-10, or with zero="document" by the share of one document',
        source="Rehman, Javed and Babri, Feature Selection Based on a Normalized Difference "
        "Measure for Text Classification, Information Processing and Management 53(2), 2017",
        default_aggregate="max",
        options={"zero": ("epsilon", "document")},
        measures={
            ("epsilon",): _core.ContingencyMeasure.ndm,
            ("document",): _core.ContingencyMeasure.ndm_document,
        },
    ),
    Method(
        name="mmr",
        title="The max-min ratio: acc2, times the ratio of the larger to the smaller document "
        "share.",
        formula="max(tpr, fpr) / min(tpr, fpr) |tpr - fpr|, tpr = A/n_c, fpr = B/(n - n_c); a "
        'minimum of 0 is replaced by 10^-10, or with zero="document" by the share of one document',
        source="Rehman, Javed, Babri and Asim, Selection of the Most Relevant Terms Based on a "
        "Max-Min Ratio Metric for Text Classification, Expert Systems with Applications 114, 2018",
        default_aggregate="max",
        options={"zero": ("epsilon", "document")},
        measures={
            ("epsilon",): _core.ContingencyMeasure.mmr,
            ("document",): _core.ContingencyMeasure.mmr_document,
        },
    ),
    Method(
        name="wllr",
        title="The weighted log-likelihood ratio: the logarithm of the ratio of the term's "
        "document shares, weighted by the share in the class.",
        formula="tpr log(tpr / fpr), tpr = A/n_c, fpr = B/(n - n_c); an fpr of 0 is replaced by "
        'the share of one document, or with zero="epsilon" by 10^-10',
        source="Nigam, McCallum, Thrun and Mitchell, Text Classification from Labeled and "
        "Unlabeled Documents Using EM, Machine Learning 39, 2000; for documents Li, Xia, Zong and "
        "Huang, A Framework of Feature Selection Methods for Text Categorization, ACL 2009",
        default_aggregate="max",
        options={"zero": ("document", "epsilon")},
        measures={
            ("document",): _core.ContingencyMeasure.wllr,
            ("epsilon",): _core.ContingencyMeasure.wllr_epsilon,
        },
    ),
    Method(
        name="poisson_deviation",
        title="Deviation from Poisson: Pearson's statistic of the documents with the term, if the "
        "occurrences fell on all documents at random.",
        formula="sum (O - E)^2 / E over the cells O = A, B, C, D, E = n_c p, (n - n_c) p, "
        "n_c (1-p), (n - n_c) (1-p), p = 1 - exp(-l_i/n)",
        source="Ogura, Amano and Kondo, Feature Selection with a Measure of Deviations from "
        "Poisson in Text Categorization, Expert Systems with Applications 36(3), 2009",
        needs=f"{OCCURRENCES}, {DOCUMENTS}",
        default_aggregate="max",
    ),
    Method(
        name="cmfs",
        title="The comprehensive measure: the smoothed share of the term in the class, times the "
        "smoothed share of the class in the term.",
        formula="(l_ic + b1)/(l_c + b2) (l_ic + b1)/(l_i + N b1), b1 = 1 and b2 = M in the article",
        source="Yang, Liu, Zhu, Liu and Zhang, A New Feature Selection Based on Comprehensive "
        "Measurement Both in Inter-Category and Intra-Category for Text Categorization, "
        "Information Processing and Management 48(4), 2012",
        needs=OCCURRENCES,
        default_aggregate="sum",
    ),
)
GREEDY = Selector(
    name="greedy",
    title="Chooses the term that makes the JMH divergence of the classes largest, given the terms "
    "chosen before it and the pool of all other terms.",
    formula="sum over the classes and the variables (chosen terms, next term, pool) of p log(p/q)",
    source=f"{PAPER}, Algorithm 1, for two classes; the use of JMH for more classes is termsift's",
    needs=OCCURRENCES,
    models=MODELS,
)
CONDITIONAL_GAIN = Selector(
    name="conditional_gain",
    title="Chooses the term that most reduces the log losses of naive Bayes on the documents, "
    "given the terms chosen before it.",
    formula="sum over the documents d with the term, y their class, of "
    "-log(sum_{c != y} P_dc e^{b (W_tc - W'_ty)} + P_dy)",
    source="termsift's own; empirical Bayes estimates the shape of the lifts",
    needs="documents",
)
GUIDED_GAIN = Selector(
    name="guided_gain",
    title="Conditional gain in which a document's loss is weighted by the importance of the term "
    "to a linear support vector machine of the document's class.",
    formula="sum over the documents d with the term, y their class, of "
    "-u_ty log(sum_{c != y} P_dc e^{b (W_tc - W'_ty)} + P_dy), "
    "u_tc = max(0.1, (|w_tc| + max_k |w_tk|) / (2 max |w|))^0.75",
    source="termsift's own; the machines are trained as in Hsieh and others, A dual "
    "coordinate descent method for large-scale linear SVM, ICML 2008",
    needs="documents",
)
_SELECTORS = (GREEDY, CONDITIONAL_GAIN, GUIDED_GAIN)
# The default method for describing classes orders only the terms of one class (docs/describing.md).
KEY = Selector(
    name="key",
    title="Evidence times effect: the root of g2 times a logarithm of the lower confidence "
    "bound of the ratio of document shares.",
    formula="sqrt(g2) log2(1 + R), R = (n - n_c) t / (n_c (1 - t)), t Clopper and Pearson's lower "
    "bound of A/(A + B) at 95% for all terms at once",
    source="termsift's own; R is that of Evert, Measuring keyness, Digital Humanities 2022",
)
DESCRIBING: DescriberName = "key"
_METHOD_OF: dict[str, Method] = {method.name: method for method in _METHODS}
_RANKER_OF: dict[str, Selector] = {entry.name: entry for entry in (*_METHODS, *_SELECTORS)}


# Other usual names of methods, for the suggestions of error messages.
_ALSO_CALLED = {
    "chi_square": "chi2",
    "chi_squared": "chi2",
    "chisquare": "chi2",
    "chisquared": "chi2",
    "information_gain": "ig",
    "info_gain": "ig",
    "log_likelihood": "g2",
    "loglikelihood": "g2",
    "mutual_information": "mi",
    "document_frequency": "df",
}


class Table(tuple[_Entry, ...]):
    """A tuple of entries of the registry, whose repr is a table. A name gives its entry."""

    @overload
    def __getitem__(self, place: SupportsIndex | str) -> _Entry: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[_Entry, ...]: ...
    def __getitem__(self, place: SupportsIndex | str | slice) -> _Entry | tuple[_Entry, ...]:
        if isinstance(place, str):
            return _find(place, {entry.name: entry for entry in self}, "entry")
        return super().__getitem__(place)

    def __repr__(self) -> str:
        width = max(len(entry.name) for entry in self)
        return "\n".join(f"{entry.name:<{width}}  {entry.title}" for entry in self)


def methods() -> Table[Method]:
    """Return the registry of methods, which prints as a table.

    Examples
    --------
    >>> import termsift as ts
    >>> [method.name for method in ts.methods()][:4]
    ['md', 'md_chi2', 'df', 'tfidf']
    >>> ts.methods()["chi2"].default_aggregate
    'max'
    """
    return Table(_METHODS)


def selectors() -> Table[Selector]:
    """Return the registry of selectors, which choose terms but do not score each term by itself.

    Examples
    --------
    >>> import termsift as ts
    >>> [selector.name for selector in ts.selectors()]
    ['greedy', 'conditional_gain', 'guided_gain']
    """
    return Table(_SELECTORS)


def find_ranker(name: str, argument: str = "method") -> Selector:
    """Return the method or selector with this name, or raise an error with the nearest name."""
    return _find(name, _RANKER_OF, argument=argument)


def find_method(name: str) -> Method:
    """Return the method with this name, or raise an error that suggests the nearest name."""
    if is_one_of(name, [selector.name for selector in _SELECTORS]):
        use = f"termsift.{name}(X, y)" if _RANKER_OF[name].reads_documents else f"rank({name!r})"
        error = wrong_value(
            "{name!r} chooses terms one after another and gives no score to a single term: use "
            "{use}, or one of {known}",
            name=name,
            use=use,
            known=", ".join(_METHOD_OF),
        )
        raise concerning(error, "method")
    return _find(name, _METHOD_OF)


def check_options(function: Callable[..., Any], method: str, options: Mapping[str, Any]) -> None:
    """Refuse a keyword that the method does not have as an option.

    The error suggests the nearest argument of the function that the user called. Selectors and
    unknown methods have errors of their own.
    """
    if not options or not is_one_of(method, [KEY.name, *_METHOD_OF]):
        return
    own = _METHOD_OF[method].options if method != KEY.name else {}
    for name in options:
        if name not in own:
            known = signature(function).parameters
            others = [other for other in known if other not in ("self", "counts", "options", name)]
            raise unknown_option(name, method, own, others)


def find_describer(name: str) -> Selector:
    """Return the method with this name, or `key`, which also orders the terms of a class."""
    return KEY if is_one_of(name, [KEY.name]) else find_method(name)


def find_test(name: str) -> Method:
    """Return the method with this name, which must be a test of significance."""
    tests: dict[str, Method] = {method.name: method for method in _METHODS if method.is_test}
    return _find(name, tests, "test")


def _find(
    name: str, known: Mapping[str, _Entry], kind: str = "method", argument: str = "method"
) -> _Entry:
    own = getattr(name, "name", None)  # that of a Method, which a loop over methods() gives
    if is_one_of(own, known):
        error = wrong_value("a {kind} is given by its name: pass {own!r}", kind=kind, own=own)
        raise concerning(error, argument)
    if not is_one_of(name, known):
        usual = _ALSO_CALLED.get(str(name).lower().replace("-", "_").replace(" ", "_"))
        hint = did_you_mean(usual if usual in known else name, known)
        if is_one_of(name, [KEY.name]):
            hint = "; key orders the terms of a class: use distinctive_terms or to_frame"
        error = wrong_value(
            "no {kind} {name!r}, expected one of {known}{hint}",
            kind=kind,
            name=name,
            known=", ".join(known),
            hint=hint,
        )
        raise concerning(error, argument)
    return known[name]


def check_model(name: str, ranker: Selector) -> EventModel:
    """Return the event model with this name, which the method must support."""
    check_choice(name, MODELS, "model")
    if name not in (ranker.models or MODELS[:1]):
        have = ", ".join(entry.name for entry in _RANKER_OF.values() if name in entry.models)
        raise wrong_value(
            "{method} has no {model} {name!r}: only {have} have it",
            method=ranker.name,
            name=name,
            have=have,
        )
    return EVENT_MODELS[name]
