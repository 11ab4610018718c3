"""Keyness: how a target corpus uses each term, compared with a reference corpus."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._counts.counts import Counts
from termsift._scores.dispersion import dispersions, documents_of
from termsift._scores.effects import certain_ratios, effects, nearest_to_0
from termsift._scores.scoring import Scoring
from termsift._scores.significance import adjusted_logs, log_chi2_sf
from termsift._util import validation
from termsift._util.export import Tabular, integers_if_whole
from termsift._util.faults import blaming, concerning, excluded, named, said, wrong_value
from termsift._util.messages import printable
from termsift._util.shown import ROWS, Column, Section

KeynessOrder: TypeAlias = Literal[
    "g2",
    "g2_docs",
    "zeta",
    "lrc_docs",
    "log_ratio",
    "lrc",
    "percent_diff",
    "relative_risk",
    "odds_ratio",
    "simple_maths",
    "count",
    "rank_sum",
]
KEYNESS_ORDERS: tuple[KeynessOrder, ...] = get_args(KeynessOrder)  # The default comes first.
# Whether to list the terms that the target uses more often, less often, or both.
Direction: TypeAlias = Literal["both", "over", "under"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)  # the default first
ORDERS_BY_DOCUMENTS = "g2_docs", "zeta", "lrc_docs", "rank_sum"

_LETTERS = 24  # The largest number of letters of a term in a repr.
_LETTERS_OF_A_SIDE = 16  # The largest number of letters of a corpus in the title of a column.
# The columns that print() shows, with their formats.
_SHOWN = {"n_target": ",.10g", "per_million_target": ",.1f"}
_SHOWN |= {"n_reference": ",.10g", "per_million_reference": ",.1f"}
_SHOWN |= {"log_ratio": ".2f", "g2": ",.1f"}


@dataclass(frozen=True, eq=False)
class Keyness(Tabular):
    """The terms that a target corpus uses more or less often than a reference corpus.

    `termsift.ClassCounts.keyness` computes the table. The table lists the terms that the target
    uses more often than the reference, followed by the terms that the target uses less often, each
    list in the requested order. Similar terms form one list, with the most certain terms first.

    Attributes
    ----------
    target, reference : list of labels
        The classes of the two corpora.
    tokens : tuple of two numbers
        The number of tokens of the target, N_1, and of the reference, N_2.
    table : dict of str to ndarray of shape (n_rows,)
        The columns by name. If the term occurs a times in the target and b times in the reference,
        with the relative frequencies f_1 = a / N_1 and f_2 = b / N_2, the columns are

        - term, index: the name of the term (null if it has none), and its column in the counts;
        - sign: 1 if f_1 > f_2, -1 if f_1 < f_2, 0 if they are equal;
        - n_target, n_reference: a and b;
        - df_target, df_reference: the numbers of documents with the term, null if unknown;
        - per_million_target, per_million_reference: 10^6 f_1 and 10^6 f_2;
        - g2, log_pvalue, pvalue: the log-likelihood ratio (`g2_counts`) and its p-value;
        - pvalue_adj: the p-value, adjusted by Benjamini and Hochberg's method for the tests of all
          terms that occur in either corpus;
        - g2_docs: the log-likelihood ratio of documents (`g2`), null if documents are unknown;
        - zeta: the share of documents that contain the term, in the target minus in the reference;
        - lrc_docs: lrc (see below), computed from the shares of documents;
        - bic: g2 - ln(N_1 + N_2), Wilson's approximation of the Bayes factor;
        - log_ratio: log2(f_1 / f_2), where 1/2 replaces a count of 0, so a term that occurs only in
          a far larger corpus may have the sign of the smaller one;
        - percent_diff: 100 (f_1 - f_2) / f_2;
        - relative_risk: f_1 / f_2;
        - odds_ratio: a (N_2 - b) / (b (N_1 - a)), NaN for 0/0;
        - simple_maths: the ratio (10^6 f_1 + c) / (10^6 f_2 + c), where c is the constant;
        - log_ratio_low, log_ratio_high: the ends of the confidence interval of log_ratio, by
          default at 95%; relative_risk and odds_ratio have two such columns, too;
        - lrc: the conservative log ratio, which is the end nearer to 0 of an exact interval of
          log2(f_1 / f_2) that holds for all terms at once, or 0 if the interval contains 0;
        - log_ratio_most: the absolute value of the end of lrc's interval that is farther from 0;
        - dp_target, dp_reference: if documents were given, Gries' deviation of proportions (DP, see
          Notes): 0 if each document has the term in proportion to its length, near 1 if one short
          document has all occurrences, and NaN if the corpus does not have the term;
        - juilland_target, juilland_reference: if documents were given, Juilland's D (see Notes): 1
          for equal rates in all documents, 0 if only one document has the term, and NaN if no
          document has the term or if the corpus is a single document;
        - rank_sum: if documents were given, the z-score of Wilcoxon's rank-sum test of the
          documents' rates, positive if the target has higher rates;
        - rank_sum_pvalue, rank_sum_pvalue_adj: the p-value of rank_sum, and its adjusted value.
    similar : bool
        Whether the table lists terms that both corpora use about equally often.
    sort : str
        What the terms are sorted by: "log_ratio_most" for similar terms, or else the argument
        ``sort`` of `termsift.ClassCounts.keyness`. Iteration yields pairs of a term and this value.

    Notes
    -----
    If document j of a corpus has l_j tokens, and the term occurs in it x_j times, DP is half of
    sum_j abs(v_j - s_j), with s_j = l_j / sum_j l_j and v_j = x_j / sum_j x_j. Juilland's D is
    1 - sigma / (mu sqrt(m - 1)), where mu and sigma are the mean and the standard deviation, with
    divisor m, of the rates x_j / l_j over the m documents of the corpus. In a document without
    tokens, the rate of every term is 0, also for the rank-sum test.
    """

    target: list[Hashable]
    reference: list[Hashable]
    tokens: tuple[float, float]
    table: dict[str, NDArray[Any]]
    similar: bool = False
    sort: str = "g2"

    def __len__(self) -> int:
        return len(self.table["index"])

    def __iter__(self) -> Iterator[tuple[Any, float]]:
        values = _of_side(self.table, "n") if self.sort == "count" else self.table[self.sort]
        return zip(self.terms.tolist(), values.tolist(), strict=True)

    @property
    def terms(self) -> NDArray[Any]:
        """The names of the terms, or their columns if names are unknown."""
        terms = self.table["term"]
        return self.table["index"] if len(terms) and terms[0] is None else terms

    def __repr__(self) -> str:
        lists = []
        for heading, rows in self._lists(_in_words):
            names = ", ".join(printable(name, _LETTERS) for name in self.terms[rows[:5]])
            lists.append(f"; {heading}: {names}{', ...' if len(rows) > 5 else ''}")
        return f"<{self._title()}{''.join(lists)}>"

    def _title(self) -> str:
        sides = " against ".join(_in_words(side) for side in (self.target, self.reference))
        return f"Keyness of {validation.number_of(len(self), 'term')} in {sides}"

    def _sections(self) -> list[Section]:
        titles = self._titles()
        of_terms = "term" if self.terms.dtype == object else "index"
        return [
            Section(
                [
                    Column(of_terms, self.terms[rows[:ROWS]].tolist()),
                    *(
                        Column(titles.get(name, name), self.table[name][rows[:ROWS]].tolist(), form)
                        for name, form in _SHOWN.items()
                    ),
                ],
                len(rows) - ROWS,
                heading,
            )
            for heading, rows in self._lists(_in_words)
        ]

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name."""
        return dict(self.table)

    def _lists(
        self, in_words: Callable[[list[Hashable]], str]
    ) -> list[tuple[str, NDArray[np.int64]]]:
        """Return the headings of the lists that are not empty, and their rows."""
        if self.similar:
            lists = [(f"alike in {in_words(self.target + self.reference)}", self.table["sign"] < 2)]
        else:
            sides = (1, self.target), (-1, self.reference)
            lists = [(f"more in {in_words(of)}", self.table["sign"] == sign) for sign, of in sides]
        return [(heading, np.flatnonzero(rows)) for heading, rows in lists if rows.any()]

    def _titles(self) -> dict[str, str]:
        """Return titles that name the corpora, for columns of a printed table."""
        titles = {}
        for side, labels in (("target", self.target), ("reference", self.reference)):
            name = printable(", ".join(map(str, labels)), _LETTERS_OF_A_SIDE)
            titles[f"n_{side}"] = f"in {name}"
            titles[f"per_million_{side}"] = "per million"
            titles[f"df_{side}"] = f"documents in {name}"
            titles[f"dp_{side}"] = f"dp in {name}"
        return titles


def keyness(
    counts: Counts,
    target: Hashable | Iterable[Hashable],
    reference: Hashable | Iterable[Hashable] | None,
    k: int | None,
    *,
    sort: KeynessOrder,
    direction: Direction,
    similar: bool,
    min_count: int,
    min_share: float,
    constant: float,
    level: float,
    dispersion: tuple[Any, Any] | None,
    n_threads: int | None,
) -> Keyness:
    """Compare a target corpus and a reference corpus; see `ClassCounts.keyness`."""
    validation.check_choice(sort, KEYNESS_ORDERS, "sort")
    validation.check_choice(direction, DIRECTIONS, "direction")
    if validation.check_flag(similar, "similar") and (sort, direction) != ("g2", "both"):
        error = excluded("similar terms have their own order, so leave out {sort} and {direction}")
        raise concerning(error, "similar")
    if sort == "rank_sum" and dispersion is None:
        raise excluded("{sort='rank_sum'} needs the documents: pass {dispersion}=(X, y)")
    k, threads = validation.check_k(k, counts.n_terms), validation.check_n_threads(n_threads)
    min_count = validation.check_integer(min_count, "min_count", least=0)
    min_share = validation.check_number(min_share, "min_share", "between 0 and 1")
    constant = validation.check_number(constant, "constant")
    level = validation.check_number(level, "level", "above 0 and below 1")
    sides = _sides(counts, target, reference)
    if min_share > 0 or sort in ORDERS_BY_DOCUMENTS:
        what = said("{min_share}") if min_share > 0 else said("{sort=}", sort=sort)
        both = [label for side in sides for label in side]
        counts.of_groups(validation.check_groups(both, counts.classes)).require_documents(what)
    groups = validation.check_groups(dict(enumerate(sides)), counts.classes)
    pair = counts.of_groups(groups, threads)
    tokens = np.asarray(pair.class_tokens, dtype=np.float64)
    for side, labels, n_tokens in zip(("target", "reference"), sides, tokens, strict=True):
        if not n_tokens > 0:
            text = f"{_in_words(labels)} has no tokens, so there is nothing to compare"
            raise concerning(ValueError(text), side)
    index = np.flatnonzero(pair.core.collection_term_frequency(threads) > 0)
    a, b = integers_if_whole(_dense(pair.core.term_frequency(), pair.n_terms)[:, index])
    documents_with = _dense(pair.core.document_frequency(), pair.n_terms)
    df = [
        np.full(len(index), None) if unknown else integers_if_whole(documents[index])
        for documents, unknown in zip(documents_with, pair.core.undocumented, strict=True)
    ]
    scoring = Scoring.of(pair, "g2_counts", n_threads=n_threads)
    g2 = scoring.class_scores()[0, index]
    logs = log_chi2_sf(g2, 1)
    names = counts.names_of(index)
    table: dict[str, NDArray[Any]] = {
        "term": np.full(len(index), None) if names is None else names,
        "index": index.astype(np.int64),
        "sign": scoring.directions()[0, index],
        "n_target": a,
        "n_reference": b,
        "df_target": df[0],
        "df_reference": df[1],
        "per_million_target": 1e6 * a / tokens[0],
        "per_million_reference": 1e6 * b / tokens[1],
        "g2": g2,
        "log_pvalue": logs,
        "pvalue": np.exp(logs),
        "pvalue_adj": np.exp(adjusted_logs(logs)),
        **_of_documents(pair, df, index, n_threads),
        "bic": g2 - np.log(tokens.sum()),
        **effects(a.astype(np.float64), b.astype(np.float64), tokens, constant, level),
    }
    if dispersion is not None:
        table |= _dispersions(dispersion, sides, index, counts, n_threads)
    has_exact = similar or sort in ("lrc", "lrc_docs")
    if has_exact:
        table |= _exact_columns(table, pair, level, len(index))
    kept = _of_side(table, "n") >= min_count
    if min_share > 0:
        docs = np.asarray(pair.class_docs, dtype=np.float64)
        kept &= _of_side(table, "df") >= min_share * np.where(table["sign"] > 0, docs[0], docs[1])
    if similar:
        rows = _strongest(table, kept, -table["log_ratio_most"], k)
    else:
        signs = {"over": [1], "under": [-1]}.get(direction, [1, -1, 0])
        strength = _strength(table, sort)
        lists = [_strongest(table, kept & (table["sign"] == s), strength, k) for s in signs]
        rows = np.concatenate(lists)
    sorted_table = {name: column[rows] for name, column in table.items()}
    if not has_exact:  # exact intervals take long, so only listed terms get them
        sorted_table |= _exact_columns(sorted_table, pair, level, len(index))
    sizes = float(tokens[0]), float(tokens[1])
    by = "log_ratio_most" if similar else sort
    return Keyness(sides[0], sides[1], sizes, sorted_table, similar, by)


def _dense(of_pairs: tuple[Any, Any, Any], n_terms: int) -> NDArray[Any]:
    """Return values of pairs of a class and a term as a table, without an import of scipy."""
    values, terms, starts = of_pairs
    table = np.zeros((len(starts) - 1, n_terms), dtype=values.dtype)
    table[np.repeat(np.arange(len(table)), np.diff(starts)), terms] = values
    return table


def _of_documents(
    pair: Counts,
    df: list[NDArray[Any]],
    index: NDArray[np.int64],
    n_threads: int | None,
) -> dict[str, NDArray[Any]]:
    """Return the columns that compare documents; all are null if documents are unknown.

    The column ``lrc_docs`` is null too; see `_exact_columns`.
    """
    unknown = np.full(len(index), None)
    if not pair.has_documents:
        return dict.fromkeys(("g2_docs", "zeta", "lrc_docs"), unknown)
    docs = np.asarray(pair.class_docs, dtype=np.float64)
    g2 = Scoring.of(pair, "g2", n_threads=n_threads).class_scores()[0, index]
    a, b = (of_side.astype(np.float64) for of_side in df)
    return {"g2_docs": g2, "zeta": a / docs[0] - b / docs[1], "lrc_docs": unknown}


def _exact_columns(
    table: dict[str, NDArray[Any]], pair: Counts, level: float, n_terms: int
) -> dict[str, NDArray[Any]]:
    """Return the columns that need exact intervals, which hold for ``n_terms`` terms at once."""

    def ends(name: str, totals: Any) -> list[_core.Float64s]:
        a, b = (table[f"{name}_{side}"].astype(np.float64) for side in ("target", "reference"))
        return certain_ratios(a, b, np.asarray(totals, dtype=np.float64), level, n_terms)

    low, high = ends("n", pair.class_tokens)
    columns = {"lrc": nearest_to_0(low, high), "log_ratio_most": np.maximum(-low, high)}
    if pair.has_documents:
        columns["lrc_docs"] = nearest_to_0(*ends("df", pair.class_docs))
    return columns


def _sides(counts: Counts, target: Any, reference: Any) -> list[list[Hashable]]:
    """Return the labels of target and reference. The default reference is all other classes."""
    classes = counts.classes

    def labels_of(given: Any, name: str) -> list[Hashable]:
        is_label = isinstance(given, str) or (isinstance(given, Hashable) and given in classes)
        several = [given] if is_label else validation.check_iterable(given, name, "labels")
        with validation.naming(named(name)):
            return list(validation.check_groups([*several], classes))

    labels = labels_of(target, "target")
    chosen = set(labels)
    if reference is not None:
        others = labels_of(reference, "reference")
    elif not (others := [label for label in classes if label not in chosen]):
        raise wrong_value("{target} has all classes, so no class is left for the {reference}")
    of_reference = set(others)
    for label in labels:
        if label in of_reference:
            raise wrong_value("class {label!r} is in both {target} and {reference}", label=label)
    return [labels, others]


def _in_words(labels: list[Hashable]) -> str:
    shown = ", ".join(repr(label) for label in labels[:3])
    return shown if len(labels) <= 3 else f"{shown} and {len(labels) - 3} more"


def _dispersions(
    documents: tuple[Any, Any],
    sides: list[list[Hashable]],
    index: NDArray[np.int64],
    counts: Counts,
    n_threads: int | None,
) -> dict[str, _core.Float64s]:
    threads = validation.check_n_threads(n_threads)
    with blaming("dispersion"):
        X, y = documents
        csr = validation.check_matrix(X, threads)
        if csr.n_terms != counts.n_terms:
            raise wrong_value(
                "{dispersion} has documents of {terms}, but the counts have {n_terms:,}: pass "
                "the documents that were counted",
                terms=validation.number_of(csr.n_terms, "term"),
                n_terms=counts.n_terms,
            )
        validation.check_columns(X, counts.term_names)
        validation.check_entries(csr, threads, "X")
        docs = documents_of(y, csr.n_docs, sides)
    dp, juilland = (of_all[:, index] for of_all in dispersions(csr, docs))
    z = _core.rank_sums(*csr.parts, np.concatenate(docs), len(docs[0]), threads)[index]
    logs = log_chi2_sf(z**2, 1)
    return {
        "dp_target": dp[0],
        "juilland_target": juilland[0],
        "dp_reference": dp[1],
        "juilland_reference": juilland[1],
        "rank_sum": z,
        "rank_sum_pvalue": np.exp(logs),
        "rank_sum_pvalue_adj": np.exp(adjusted_logs(logs)),
    }


def _of_side(table: dict[str, NDArray[Any]], name: str) -> NDArray[Any]:
    """For each term, return the value of the corpus that uses the term more often."""
    sides = table[f"{name}_target"], table[f"{name}_reference"]
    return np.where(table["sign"] > 0, *sides)


def _strength(table: dict[str, NDArray[Any]], sort: str) -> _core.Float64s:
    """Return a sort key for each term; the terms of a direction are sorted by descending key."""
    if sort == "count":
        return _of_side(table, "n").astype(np.float64)
    sign = table["sign"]
    if sort in ("g2", "g2_docs"):  # g2 and g2_docs have no sign
        sign = sign * np.sign(table["zeta"]) if sort == "g2_docs" else np.abs(sign)
    strength: _core.Float64s = sign * table[sort]
    return strength


def _strongest(
    table: dict[str, NDArray[Any]], kept: NDArray[np.bool_], strength: _core.Float64s, k: int
) -> NDArray[np.int64]:
    """Return the k strongest rows among the rows in the mask ``kept``, strongest first."""
    rows = np.flatnonzero(kept)
    # Ratios are 0 or inf for all terms that one corpus lacks, so `g2` breaks ties.
    return rows[np.lexsort((rows, -table["g2"][rows], -strength[rows]))[:k]]
