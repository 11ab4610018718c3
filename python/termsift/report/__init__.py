"""Write a page on a collection: its figures, the terms of its classes, the accuracy by terms kept.

The page is one HTML file that loads nothing and runs no script. The same input gives the same
bytes: they do not depend on the date or on the number of threads.
"""

from __future__ import annotations

import math
import os
from importlib import resources
from string import Template
from typing import Any, TextIO
from xml.etree.ElementTree import Element

import numpy as np

from termsift._api.class_counts import ClassCounts
from termsift._api.counting import count_collection
from termsift._counts.table import TermFrequency
from termsift._evaluate.curve import Curve
from termsift._evaluate.evaluation import cross_validate
from termsift._scores.class_terms import (
    ClassTerms,
    distinctive_terms,
    dominant_class,
    largest_classes,
)
from termsift._scores.methods import MethodName, RankerName
from termsift._scores.registry import DESCRIBING, find_method
from termsift._util import validation
from termsift._util.files import text_output
from termsift._util.info import build_info
from termsift.io import Collection
from termsift.report._curve import curve_chart, curve_table
from termsift.report._html import Child, element, name, number, render, table

__all__ = ["write_report"]

_CLASSES = 24
_TERMS = 500
_GAIN: RankerName = "conditional_gain"
_CHOSEN = 2000  # terms that it chooses at most, which bounds its time
_SEED = 0  # deals the documents to the folds
_VERSIONS = ("termsift", "python", "numpy", "scipy")


def write_report(
    source: Collection | ClassCounts,
    path: str | os.PathLike[str] | TextIO,
    *,
    method: MethodName = DESCRIBING,
    k: int = 10,
    cv: int = 10,
    title: str | None = None,
    command: str | None = None,
    tf: TermFrequency = "raw",
    n_threads: int | None = None,
) -> None:
    """Write a page on a collection: its figures, each class's terms, the accuracy by terms kept.

    Parameters
    ----------
    source : Collection or ClassCounts
        A collection, from `termsift.io.read_collection` or made of a matrix, labels, names and a
        word on their source. A page on counts has everything but the accuracy.
    path : path or file
        The HTML file, written atomically; or a file that is open for UTF-8 text.
    method : str
        The method that scores the terms: a name of `termsift.methods`.
    k : int, default 10
        Number of terms listed for each class.
    cv : int, default 10
        Number of folds of the cross-validation; 0 leaves it out.
    title : str, optional
        The heading; by default the source of the collection, which counts do not know.
    command : str, optional
        The shell command that writes the page again; the page shows it.
    tf, n_threads
        As for `termsift.count`; counts keep their own tf.

    Raises
    ------
    ValueError, TypeError, OSError
        As `termsift.count`, `termsift.ClassCounts.rank` and `termsift.cross_validate`, for a wrong
        argument, and if the file cannot be written.

    Notes
    -----
    The page lists the 24 largest classes and the 500 best terms, and says how many more there are.
    The accuracy is that of naive Bayes (`termsift.cross_validate`). It is left out for counts, for
    documents with several labels, for ``tf`` other than "raw", and if every class has fewer
    documents than there are folds. The page then says why.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from pathlib import Path
    >>> from termsift.io import Collection
    >>> from termsift.report import write_report
    >>> X = np.array([[3, 0, 1], [2, 0, 0], [0, 2, 1], [0, 3, 1]])
    >>> letters = Collection(X, ["ham", "ham", "spam", "spam"], None, "four letters")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(letters, Path(folder, "letters.html"), cv=2)
    ...     "<bdi>four letters</bdi>" in Path(folder, "letters.html").read_text("utf-8")
    True
    """
    validation.check_kind(source, (Collection, ClassCounts), "source")
    validation.check_integer(k, "k")
    if validation.check_integer(cv, "cv", least=0) == 1:
        raise ValueError("cv must be 0, for no cross-validation, or at least 2, got 1")
    for what, text in (("title", title), ("command", command)):
        if text is not None:
            validation.check_kind(text, str, what)
    find_method(method)
    with text_output(path) as file:  # opened first, so that a wrong path is refused before the work
        if isinstance(source, ClassCounts):
            counts, origin = source, None
        else:
            counts, origin = count_collection(source, tf, n_threads), source.source
        heading = title if title is not None else origin or "A labelled collection"
        entry, versions = find_method(method), build_info()
        tokens = counts.collection_term_frequency.sum()
        cards, hidden = _cards(counts, method, k, n_threads)
        terms = _terms(counts, method, n_threads)
        content: dict[str, Child] = {
            "title": heading,
            "heading": name(heading),
            "origin": name(heading if origin is None else origin),
            "method": entry.name,
            "method_title": entry.title,
            "formula": f"{entry.formula}. {entry.source}",
            "tf": counts.tf,
            "n_docs": number(counts.n_docs),
            "n_classes": number(counts.n_classes),
            "n_terms": number(counts.n_terms),
            "n_tokens": number(tokens),
            "mean_tokens": number(tokens / max(counts.n_docs, 1), ",.1f"),
            "cards": cards,
            "hidden": hidden,
            "n_shown": number(min(_TERMS, counts.n_terms)),
            "terms": terms,
            "accuracy": _accuracy(source, counts, method, cv, n_threads),
            "command": command or "termsift.report.write_report(...)",
            "versions": ", ".join(f"{part} {versions[part]}" for part in _VERSIONS),
        }
        page = resources.files("termsift.report").joinpath("page.html").read_text("utf-8")
        file.write(Template(page).substitute({key: render(x) for key, x in content.items()}))


# ---- terms -----------------------------------------------------------------------------------


def _cards(
    counts: ClassCounts, method: MethodName, k: int, n_threads: int | None
) -> tuple[Element, str]:
    """Return a card for each of the largest classes, and how many others there are."""
    listed = largest_classes(counts, _CLASSES)
    labels = [counts.classes[c] for c in listed]
    found = distinctive_terms(counts, method, k, labels, n_threads=n_threads)
    made = (_card(counts, c, terms) for c, terms in zip(listed, found, strict=True))
    cards = element("div", *made, class_="cards")
    n_hidden = counts.n_classes - len(listed)
    if not n_hidden:
        return cards, ""
    docs = counts.class_docs.sum() - counts.class_docs[listed].sum()
    hidden = f"{number(n_hidden)} smaller or equal classes with {number(docs)} documents are not"
    return cards, f"{hidden} listed. All classes take part in the scores."


def _card(counts: ClassCounts, c: int, found: ClassTerms) -> Element:
    docs, share = counts.class_docs[c], counts.class_docs[c] / counts.n_docs
    size = f"documents: {number(docs)} ({share:.1%}), tokens: {number(counts.class_tokens[c])}"
    best = found.scores[np.isfinite(found.scores)].max(initial=0.0)
    parts = (found.indices, found.scores, found.occurrences, found.elsewhere)
    rows = [
        (_term(counts, i, _bar(score, best)), _shown(score), number(here), number(elsewhere))
        for i, score, here, elsewhere in zip(*(part.tolist() for part in parts), strict=True)
    ]
    columns = {"term": "name", "score": "number", "here": "number", "elsewhere": "number"}
    caption = element("span", "Leading terms of ", name(found.label))
    return element(
        "article",
        element("h3", name(found.label)),
        element("p", size, class_="soft"),
        table(caption, columns, rows) if rows else element("p", "No term is distinctive."),
        class_="sheet",
    )


def _shown(score: float) -> str:
    """Return a score with three digits or more, without an exponent that a reader must expand."""
    return number(score, ",.0f" if 1000 <= abs(score) < math.inf else ".3g")


def _bar(score: float, best: float) -> Element:
    """Return the bar of a score: empty below 0, full if infinite."""
    part = 1.0 if score == math.inf else max(0.0, score / best) if best > 0 else 0.0
    return element("span", class_="bar", style=f"width:{100 * part:.1f}%")


def _terms(counts: ClassCounts, method: MethodName, n_threads: int | None) -> Element:
    """Return a table of the best terms."""
    ranking = counts.rank(method, _TERMS, n_threads=n_threads)
    dominant = dominant_class(counts, ranking.indices, method, n_threads=n_threads)
    columns_of = (ranking.indices.tolist(), ranking.scores.tolist(), dominant.tolist())
    occurrences = counts.collection_term_frequency
    documents = counts.collection_document_frequency
    rows = (
        (
            number(rank),
            _term(counts, i),
            _shown(score),
            number(occurrences[i]),
            number(documents[i]),
            name(counts.classes[c]) if c >= 0 else "\N{EN DASH}",
        )
        for rank, (i, score, c) in enumerate(zip(*columns_of, strict=True), start=1)
    )
    columns = {"rank": "number", "term": "name", "score": "number", "occurrences": "number"}
    columns |= {"documents": "number", "dominant class": "text"}
    return table("The best terms, by score", columns, rows)


def _term(counts: ClassCounts, index: int, *bar: Element) -> Element:
    """Return the name of a term, or its column if the names are unknown."""
    names = counts.term_names
    return element("span", name(index if names is None else names[index]), *bar)


# ---- accuracy --------------------------------------------------------------------------------


def _accuracy(
    source: Collection | ClassCounts,
    counts: ClassCounts,
    method: MethodName,
    cv: int,
    n_threads: int | None,
) -> Element:
    """Return what a cross-validation finds, or why there is none."""
    why_not = _why_no_accuracy(source, counts, cv)
    if why_not or isinstance(source, ClassCounts):
        return element("p", f"The accuracy is not shown: {why_not}.", class_="soft")
    how: dict[str, Any] = {"cv": cv, "random_state": _SEED, "n_threads": n_threads}
    curve = cross_validate(source.X, source.y, [method], **how)[method]
    few = range(1, min(counts.n_terms, _CHOSEN) + 1)
    gain = cross_validate(source.X, source.y, [_GAIN], few, **how)[_GAIN]
    best, chosen = curve.best_k(), curve.smallest_k()
    at_best, at_chosen = curve.accuracy[np.searchsorted(curve.ks, [best, chosen])]
    compared = "No number of terms does better. "
    if chosen != best:
        compared = (
            f"The best number of terms, {number(best)}, gives {at_best:.1%}, which is within one "
            "standard error. "
        )
    largest = np.max(counts.class_docs) / np.sum(counts.class_docs)
    text = (
        f"With the first {number(chosen)} terms, naive Bayes classifies {at_chosen:.1%} of unseen "
        f"documents correctly. {compared}{_beside(gain, chosen)}"
        f"Always guessing the largest class gives {largest:.1%}. "
        f"(Multinomial naive Bayes, {cv}-fold cross-validation, seed {_SEED}.)"
    )
    caption = (
        "Accuracy by the number of terms (logarithmic axis). The band is one standard error; the "
        "dashed line is the smallest number of terms within one of the best. The thin line is "
        f"{_GAIN}, which chooses up to {number(_CHOSEN)} terms from the documents themselves."
    )
    chart = element("div", curve_chart(curve, chosen, gain), class_="scroll")
    figure = element("figure", element("figcaption", caption, class_="soft"), chart, class_="sheet")
    numbers = curve_table("Accuracy by number of terms", curve, [best, chosen], gain)
    shown = element(
        "div", figure, element("div", numbers, class_="sheet scroll"), class_="accuracy"
    )
    return element("div", element("p", text), shown)


def _beside(gain: Curve, chosen: int) -> str:
    """Return what the documents' own selector does with as many terms."""
    k = min(chosen, int(gain.ks[-1]))
    mean = gain.accuracy[np.searchsorted(gain.ks, k)]
    return f"With {number(k)} terms of {_GAIN} it is {mean:.1%}. "


def _why_no_accuracy(source: Collection | ClassCounts, counts: ClassCounts, cv: int) -> str:
    """Return why there is no accuracy, or an empty text if there is one."""
    if isinstance(source, ClassCounts):
        return "naive Bayes is trained and tested on documents, and these are counts"
    if cv == 0:
        return "cross-validation is turned off (cv=0)"
    labels = validation.check_labels(source.y, int(counts.n_docs), None)
    if source.classes is not None or labels.indptr is not None:
        return "documents may have several labels, and naive Bayes gives each document one"
    if counts.tf != "raw":
        return f"terms were counted with tf={counts.tf}, and naive Bayes needs raw counts"
    if np.max(counts.class_docs) < cv:
        return f"no class has as many documents as there are folds, {cv}"
    return ""
