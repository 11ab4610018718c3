"""Write a page on a collection: its figures, the terms of its classes, the accuracy by terms kept.

The page is one HTML file that loads nothing and runs no script. The same input gives the same
bytes: they do not depend on the date or on the number of threads.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from importlib import resources
from string import Template
from typing import TextIO
from xml.etree.ElementTree import Element

import numpy as np

from termsift._api.class_counts import ClassCounts
from termsift._api.counting import TermFrequency, count
from termsift._evaluate.evaluation import cross_validate
from termsift._scores.class_terms import (
    ClassTerms,
    distinctive_terms,
    dominant_class,
    largest_classes,
)
from termsift._scores.registry import find_method
from termsift._util import validation
from termsift._util.files import text_output
from termsift._util.info import build_info
from termsift.io import Collection
from termsift.report._curve import curve_chart, curve_table
from termsift.report._html import element, name, number, render, table

__all__ = ["write_report"]

_CLASSES = 24
_TERMS = 500
_SEED = 0  # deals the documents to the folds
_SCORE = ".3g"


def write_report(
    source: Collection | ClassCounts,
    path: str | os.PathLike[str] | TextIO,
    *,
    method: str = "md",
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
    ValueError
        As `termsift.count`, `termsift.ClassCounts.rank` and `termsift.cross_validate`; if k is
        below 1, or cv is 1 or negative.
    TypeError
        For an argument of the wrong kind.
    OSError
        If the file cannot be written.

    Warns
    -----
    UserWarning
        As `termsift.cross_validate`, if a class has fewer documents than there are folds.

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
    >>> y = np.array(["ham", "ham", "spam", "spam"])
    >>> letters = Collection(X, y, np.array(["bacon", "viagra", "the"]), "four letters")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(letters, Path(folder, "letters.html"), cv=2)
    ...     "<bdi>four letters</bdi>" in Path(folder, "letters.html").read_text("utf-8")
    True
    """
    if not isinstance(source, (Collection, ClassCounts)):
        raise TypeError(f"source must be a Collection or ClassCounts, got {type(source).__name__}")
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
            origin = source.source
            with validation.naming(origin):
                counts = count(
                    source.X, source.y, classes=source.classes, tf=tf, n_threads=n_threads
                )
            counts.term_names = source.term_names
        heading = title if title is not None else origin or "A labelled collection"
        sections = {
            "heading": [name(heading)],
            "lead": [_lead(method, None if title is None else origin)],
            "facts": [_facts(counts)],
            "classes": _classes(counts, method, k, n_threads),
            "terms": _terms(counts, method, n_threads),
            "accuracy": _accuracy(source, counts, method, cv, n_threads),
            "again": _again(counts, method, cv, command),
        }
        page = resources.files("termsift.report").joinpath("page.html").read_text("utf-8")
        content = {section: render(*elements) for section, elements in sections.items()}
        title = render(element("title", heading))
        file.write(Template(page).substitute(content, title=title))


def _lead(method: str, origin: str | None) -> Element:
    entry = find_method(method)
    scored = element(
        "span", "Terms are scored by ", element("strong", entry.name), ". ", entry.title
    )
    if origin is None:
        return element("p", scored, class_="soft")
    return element("p", "Source: ", name(origin), ". ", scored, class_="soft")


def _facts(counts: ClassCounts) -> Element:
    tokens = counts.collection_term_frequency.sum()
    facts = {
        "documents": number(counts.n_docs),
        "classes": number(counts.n_classes),
        "terms": number(counts.n_terms),
        "tokens": number(tokens),
        "tokens per document": number(tokens / max(counts.n_docs, 1), ",.1f"),
    }
    return _definitions(facts, "facts")


def _definitions(meanings: Mapping[str, str], kind: str) -> Element:
    pairs = (
        element("div", element("dt", term), element("dd", meaning))
        for term, meaning in meanings.items()
    )
    return element("dl", *pairs, class_=kind)


# ---- terms -----------------------------------------------------------------------------------


def _classes(counts: ClassCounts, method: str, k: int, n_threads: int | None) -> Iterator[Element]:
    listed = largest_classes(counts, _CLASSES)
    labels = [counts.classes[c] for c in listed]
    found = distinctive_terms(counts, method, k, labels, n_threads=n_threads)
    yield element(
        "p",
        "The terms that each class has more of than the other classes, best first. A bar compares "
        "a score with the best of the class. The last two columns count the occurrences in the "
        "class and in the other classes.",
        class_="soft",
    )
    yield element("div", *map(_card, [counts] * len(listed), listed, found), class_="cards")
    hidden = counts.n_classes - len(listed)
    if hidden:
        docs = counts.class_docs.sum() - counts.class_docs[listed].sum()
        yield element(
            "p",
            f"{number(hidden)} smaller or equal classes with {number(docs)} documents are not "
            "listed. All classes take part in the scores.",
            class_="soft",
        )


def _card(counts: ClassCounts, c: int, found: ClassTerms) -> Element:
    docs, share = counts.class_docs[c], counts.class_docs[c] / counts.n_docs
    best = found.scores[np.isfinite(found.scores)].max(initial=0.0)
    columns = [(_term_title(counts), "name")]
    columns += [(title, "number") for title in ("score", "here", "elsewhere")]
    rows = [
        (
            element("span", name(_term(counts, term)), _bar(score, best)),
            number(score, _SCORE),
            number(here),
            number(elsewhere),
        )
        for term, score, here, elsewhere in zip(
            found.indices.tolist(),
            found.scores.tolist(),
            found.occurrences.tolist(),
            found.elsewhere.tolist(),
            strict=True,
        )
    ]
    size = f"documents: {number(docs)} ({share:.1%}), tokens: {number(counts.class_tokens[c])}"
    caption = element("span", "Leading terms of ", name(found.label))
    return element(
        "article",
        element("h3", name(found.label)),
        element("p", size, class_="soft"),
        table(caption, columns, rows) if rows else element("p", "No term is distinctive."),
        class_="sheet",
    )


def _bar(score: float, best: float) -> Element:
    """Return the bar of a score: empty below 0, full if infinite."""
    part = 1.0 if score == math.inf else max(0.0, score / best) if best > 0 else 0.0
    return element("span", class_="bar", style=f"width:{100 * part:.1f}%")


def _terms(counts: ClassCounts, method: str, n_threads: int | None) -> Iterator[Element]:
    ranking = counts.rank(method, _TERMS, n_threads=n_threads)
    dominant = dominant_class(counts, ranking.indices, method, n_threads=n_threads)
    shown = "All" if len(ranking) == counts.n_terms else f"The best {number(len(ranking))} of"
    yield element(
        "p",
        f"{shown} {number(counts.n_terms)} terms. The dominant class of a term is the one with its "
        "highest score, among the classes that have more of it than the others.",
        class_="soft",
    )
    columns = [("rank", "number"), (_term_title(counts), "name")]
    columns += [(title, "number") for title in ("score", "occurrences", "documents")]
    columns.append(("dominant class", "text"))
    occurrences = counts.collection_term_frequency
    documents = counts.collection_document_frequency
    rows = (
        (
            number(rank),
            name(_term(counts, i)),
            number(score, _SCORE),
            number(occurrences[i]),
            number(documents[i]),
            name(counts.classes[c]) if c >= 0 else "\N{EN DASH}",
        )
        for (rank, _, i, score), c in zip(ranking.rows(), dominant.tolist(), strict=True)
    )
    yield element(
        "div",
        table("The best terms, by score", columns, rows),
        class_="sheet scroll",
        tabindex="0",  # so that the keyboard can scroll it
        role="region",
        aria_label="The best terms",
    )


def _term(counts: ClassCounts, index: int) -> str:
    return str(index if counts.term_names is None else counts.term_names[index])


def _term_title(counts: ClassCounts) -> str:
    return "column" if counts.term_names is None else "term"


# ---- accuracy --------------------------------------------------------------------------------


def _accuracy(
    source: Collection | ClassCounts,
    counts: ClassCounts,
    method: str,
    cv: int,
    n_threads: int | None,
) -> Iterator[Element]:
    why_not = _why_no_accuracy(source, counts, cv)
    if why_not or isinstance(source, ClassCounts):
        yield element("p", f"The accuracy is not shown: {why_not}.", class_="soft")
        return
    curve = cross_validate(
        source.X, source.y, [method], cv=cv, random_state=_SEED, n_threads=n_threads
    )[method]
    best, chosen = curve.best_k(), curve.smallest_k()
    at_best, at_chosen = curve.accuracy[np.searchsorted(curve.ks, [best, chosen])]
    compared = "No number of terms does better. "
    if chosen != best:
        compared = (
            f"The best number of terms, {number(best)}, gives {at_best:.1%}, which is within one "
            "standard error. "
        )
    largest = np.max(counts.class_docs) / np.sum(counts.class_docs)
    yield element(
        "p",
        f"With the first {number(chosen)} terms, naive Bayes classifies {at_chosen:.1%} of unseen "
        f"documents correctly. {compared}Always guessing the largest class gives {largest:.1%}.",
    )
    caption = (
        "Accuracy by the number of terms (logarithmic axis). The band is one standard error; the "
        "dashed line is the smallest number of terms within one of the best."
    )
    chart = element("div", curve_chart(curve, chosen), class_="scroll")
    figure = element("figure", element("figcaption", caption, class_="soft"), chart, class_="sheet")
    numbers = curve_table("Accuracy by number of terms", curve, [best, chosen])
    yield element("div", figure, element("div", numbers, class_="sheet"), class_="accuracy")


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


# ---- how to write the page again -------------------------------------------------------------


def _again(counts: ClassCounts, method: str, cv: int, command: str | None) -> Iterator[Element]:
    if command is not None:
        yield element("pre", element("code", command))
    entry, versions = find_method(method), build_info()
    settings = {
        "Scores": f"{entry.name}: {entry.formula}. {entry.source}.",
        "Counts": f"tf={counts.tf}, Laplace smoothing (alpha = 1), empirical class priors",
        "Accuracy": f"multinomial naive Bayes, {cv}-fold cross-validation, seed {_SEED}",
        "Versions": ", ".join(
            f"{part} {versions[part]}" for part in ("termsift", "python", "numpy", "scipy")
        ),
    }
    yield _definitions(settings, "settings")
