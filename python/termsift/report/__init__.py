"""Write a page about a collection: its sizes, and the terms of its classes.

The page is one HTML file, which loads no other file and runs only its own script. The same input
gives the same bytes, whatever the date and the number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping
from importlib import resources
from string import Template
from typing import Any, TextIO, TypeAlias

import numpy as np

from termsift._api.class_counts import ClassCounts, value_of
from termsift._core import __version__
from termsift._counts.counts import Counts
from termsift._evaluate.stability import Stability
from termsift._rank import rank
from termsift._scores.class_terms import (
    adjustment,
    distinctive_terms,
    largest_classes,
    marking_test,
    rows_of,
)
from termsift._scores.methods import DescriberName, MethodName
from termsift._scores.ranking import SIGNIFICANT, Ranking
from termsift._scores.registry import DESCRIBING, find_describer
from termsift._util import validation
from termsift._util.faults import wrong_type, wrong_value
from termsift._util.files import text_output
from termsift._util.html import Child, element, name, number, render
from termsift.report._sections import BEST, best_terms, class_cards, scatter
from termsift.text._passages import Passages

__all__ = ["write_report"]

_CLASSES = 24

# A function that returns passages for the terms of each class, as `find_passages` does.
FindPassages: TypeAlias = Callable[[dict[Hashable, list[str]]], Passages]


def write_report(
    counts: ClassCounts,
    path: str | os.PathLike[str] | TextIO,
    *,
    method: DescriberName = DESCRIBING,
    k: int = 10,
    classes: Iterable[Hashable] | None = None,
    max_pvalue: float | None = None,
    passages: FindPassages | None = None,
    stability: Stability | None = None,
    title: str | None = None,
    source: str | None = None,
    n_threads: int | None = None,
) -> None:
    """Write a page about a collection: its sizes, and the terms of each class.

    Parameters
    ----------
    counts : ClassCounts
        The counts of the collection.
    path : path or file
        The path of the HTML file, which is written atomically, or a file open for UTF-8 text.
    method : str
        The method that scores the terms: a name of `termsift.methods`, or "key", as for
        `termsift.distinctive_terms`. "key" scores terms only within classes, so with "key" the
        table of the best terms over all classes is ordered by "g2".
    k : int, default 10
        The number of terms per class.
    classes : sequence of labels, optional
        The classes to list, in this order. By default, the 24 largest classes are listed. Scores
        always compare a class with all other classes of the counts.
    max_pvalue : float, optional
        As for `termsift.distinctive_terms`. By default, no term is left out, but terms with an
        adjusted p-value above 0.05 are marked.
    passages : callable, optional
        A function that finds the passages to show. The function takes a dict with the terms of each
        class, and returns a dict of passages, as `termsift.find_passages` does. For texts and
        labels, pass ``functools.partial(termsift.find_passages, texts, y)``.
    stability : Stability, optional
        What `termsift.stability` says of the ranking by the same method of the same documents. The
        table of the best terms then shows how sure each term is.
    title : str, optional
        The heading. The default heading gives the numbers of classes and documents.
    source : str, optional
        The origin of the collection.
    n_threads : int, optional
        As for `termsift.count`.

    Raises
    ------
    ValueError, TypeError, OSError
        As for `termsift.ClassCounts.rank`, if the stability is that of another ranking, and if the
        file cannot be written.

    Notes
    -----
    The page lists the 500 best terms, and says how many classes and terms there are. A chart
    compares 1,200 terms by their frequency in any two listed classes.

    Examples
    --------
    >>> import tempfile, numpy as np, termsift as ts
    >>> from pathlib import Path
    >>> from termsift.report import write_report
    >>> X = np.array([[3, 0, 1], [2, 0, 0], [0, 2, 1], [0, 3, 1]])
    >>> counts = ts.count(X, ["ham", "ham", "spam", "spam"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(counts, Path(folder, "letters.html"), source="four letters")
    ...     "<bdi>four letters</bdi>" in Path(folder, "letters.html").read_text("utf-8")
    True
    """
    _write(
        value_of(counts),
        path,
        method,
        k,
        classes,
        max_pvalue,
        passages,
        stability,
        title,
        source,
        n_threads,
    )


def _write(
    counts: Counts,
    path: Any,
    method: Any,
    k: int,
    classes: Iterable[Hashable] | None,
    max_pvalue: float | None,
    passages: FindPassages | None,
    stability: Stability | None,
    title: str | None,
    source: str | None,
    n_threads: int | None,
) -> None:
    validation.check_integer(k, "k")
    for given, argument in ((title, "title"), (source, "source")):
        if given is not None:
            validation.check_kind(given, str, argument)
    if passages is not None and not callable(passages):
        raise wrong_type("{passages} must be a function, got {given!r}", given=passages)
    if stability is not None:
        validation.check_kind(stability, Stability, "stability")
    entry = find_describer(method)
    rules = counts.rules
    # "key" orders only the terms of one class.
    overall: MethodName = "g2" if method == "key" else method
    with text_output(path) as file:  # a wrong path is an error before any computation
        ranking = rank(counts, overall, BEST, n_threads=n_threads)
        if stability is not None:
            _check_stability(stability, ranking, counts, overall)
        sizes = f"{number(counts.n_classes)} classes of {number(counts.n_docs)} documents"
        heading = title or f"Terms that tell {sizes} apart"
        tokens = counts.collection_term_frequency.sum()
        if classes is None:
            listed = largest_classes(counts, _CLASSES)
        else:
            listed = rows_of(counts, classes).tolist()
        labels = [counts.classes[c] for c in listed]
        leading = distinctive_terms(
            counts, method, k, labels, max_pvalue=max_pvalue, n_threads=n_threads
        )
        wanted = {
            label: terms.terms.tolist()
            for label, terms in leading.items()
            if terms._names is not None and len(terms)
        }
        in_context = passages(wanted) if passages and wanted else {}
        cards, hidden = class_cards(counts, listed, leading, in_context)
        content: dict[str, Child] = {
            "title": title or source or heading,
            "heading": name(heading),
            "origin": element("span", "Source: ", name(source), ". ") if source else "",
            "method": entry.name,
            "method_title": entry.title,
            "formula": f"{entry.formula}. {entry.source}",
            "tf": counts.tf,
            "rules": f", {rules.shown}" if rules is not None and rules.changed else "",
            "n_docs": number(counts.n_docs),
            "n_classes": number(counts.n_classes),
            "n_terms": number(counts.n_terms),
            "n_tokens": number(tokens),
            "mean_tokens": number(tokens / max(counts.n_docs, 1), ",.1f"),
            "cards": cards,
            "pvalues": _about_pvalues(counts, method, max_pvalue, leading),
            "hidden": hidden,
            **scatter(counts, listed, overall, n_threads),
            "overall": overall,
            "n_shown": number(len(ranking)),
            "sureness": "" if stability is None else _about_stability(stability),
            "terms": best_terms(counts, ranking, overall, stability, n_threads),
            "version": __version__,
        }
        page = resources.files("termsift.report").joinpath("page.html").read_text("utf-8")
        file.write(Template(page).substitute({key: render(x) for key, x in content.items()}))


def _check_stability(
    stability: Stability, ranking: Ranking, counts: Counts, method: MethodName
) -> None:
    """Check that a stability is that of this ranking of these counts."""
    n = min(len(ranking), len(stability.ranking))
    same_terms = np.array_equal(ranking.indices[:n], stability.ranking.indices[:n])
    if len(stability.probabilities) != counts.n_terms or not same_terms:
        raise wrong_value(
            "{stability} is that of another ranking: pass that of these documents with {method=}",
            method=method,
        )


def _about_stability(stability: Stability) -> str:
    """Return sentences about the stability of the best terms."""
    first = number(len(stability.ranking))
    return (
        f" {number(stability.n_samples)} samples of the documents were ranked, too. The "
        f"probability of a term is the share of the samples in which it is among the first {first} "
        f"terms. {stability.summary}"
    )


def _about_pvalues(
    counts: Counts, method: str, max_pvalue: float | None, leading: Mapping[Hashable, Ranking]
) -> str:
    """Return sentences about the p-values of the listed terms."""
    test = marking_test(method, max_pvalue)
    if test is None or all(ranking.pvalues_adj is None for ranking in leading.values()):
        return f"No term is tested for significance, because {method} is no test."
    how = f"The p-value of a term is that of the test {test.name}, adjusted for the tests of all "
    how += f"classes and terms by {adjustment(counts.n_classes * counts.n_terms)} method. "
    if max_pvalue is not None:
        how += f"Terms with a p-value above {max_pvalue:g} are left out. "
    return f"{how}Terms with a p-value above {SIGNIFICANT} are marked as not significant."
