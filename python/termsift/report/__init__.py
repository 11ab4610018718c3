"""A collection on one page: what it holds, what its classes are about, how many terms it takes.

The page is one HTML file that needs no network, written from the template ``page.html`` beside
this module. The same input gives the same bytes: nothing in it depends on the day, the time or the
number of threads.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from numbers import Integral
from string import Template
from typing import TextIO
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from termsift._api.class_counts import ClassCounts
from termsift._api.counting import TermFrequency, count
from termsift._evaluate.curve import Curve
from termsift._evaluate.evaluation import cross_validate
from termsift._scores.class_terms import (
    ClassTerms,
    distinctive_terms,
    dominant_class,
    largest_classes,
)
from termsift._scores.ranking import Ranking
from termsift._scores.registry import find_method
from termsift._util import validation
from termsift._util.files import text_output
from termsift._util.info import build_info
from termsift.io import Collection
from termsift.report._html import clean, element, escape, name, number, render, table

__all__ = ["write_report"]

_CLASSES = 24  # as many as are looked through
_TERMS = 500
_SEED = 0  # by which documents are dealt to folds
_SIDE = 1000  # of the curve's drawing, in its own units
_STEP = 2.5  # of a drawing, below which points are left out
_VERSIONS = ("termsift", "python", "numpy", "scipy")
_UNITS = {-3: "thousandths", -6: "millionths", -9: "billionths"}


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
        A collection, as `termsift.io.read_collection` gives it, or made of a matrix, labels, names
        and a word on where they are from. Of counts everything but the accuracy is told.
    path : path or file
        The HTML file, written whole or not at all; or a file that is open for text of UTF-8.
    method : str
        A name of `termsift.methods`: by which terms are scored.
    k : int, default 10
        How many terms of each class are listed.
    cv : int, default 10
        Folds of the cross-validation; 0 leaves it out.
    title : str, optional
        Above all; by default where the collection is from, which counts do not know.
    command : str, optional
        The line of a shell that makes the page again, to be printed in it.
    tf, n_threads
        As for `termsift.count`; counts have their tf.

    Raises
    ------
    ValueError
        As for `termsift.count`, `termsift.ClassCounts.score` and `termsift.cross_validate`, for a
        method that there is none of, a k below 1 and cv of 1 or below 0.
    TypeError
        If the source is neither, the path no path, or a number is not an integer.
    OSError
        If the file cannot be written.

    Warns
    -----
    UserWarning
        As `termsift.cross_validate`, if a class has fewer documents than there are folds.

    Notes
    -----
    The page lists the 24 largest classes and the 500 best terms, and says how many more there are.
    The accuracy is that of naive Bayes (`termsift.cross_validate`). Where it cannot be told, of
    counts, of documents with several labels, of ``tf`` other than "raw", and of classes that are
    all smaller than the folds are many, the page says why.

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
    _check(source, k, cv)
    for what, text in (("title", title), ("command", command)):
        if text is not None:
            validation.check_kind(text, str, what)
    find_method(method)
    with text_output(path) as file:  # first: a wrong path is told before the work
        file.write(_page(_gather(source, method, k, cv, title, command, tf, n_threads)))


def _check(source: object, k: int, cv: int) -> None:
    if not isinstance(source, (Collection, ClassCounts)):
        raise TypeError(f"source must be a Collection or ClassCounts, got {type(source).__name__}")
    for what, value in (("k", k), ("cv", cv)):
        if isinstance(value, bool) or not isinstance(value, Integral):
            raise TypeError(f"{what} must be an integer, got {value!r}")
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    if cv < 0 or cv == 1:
        raise ValueError(f"cv must be 0, for none, or at least 2, got {cv}")


# ---- what is told ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Content:
    """What the page tells."""

    title: str
    origin: str | None  # where that is not the title
    counts: ClassCounts
    method: str
    listed: list[int]  # positions of the classes shown
    typical: list[ClassTerms]  # of each of them
    ranking: Ranking
    spoken_for: NDArray[np.int64]  # the class of each term ranked
    curve: Curve | None
    why_no_curve: str
    cv: int
    command: str | None


def _gather(
    source: Collection | ClassCounts,
    method: str,
    k: int,
    cv: int,
    title: str | None,
    command: str | None,
    tf: TermFrequency,
    n_threads: int | None,
) -> _Content:
    curve = None
    origin = None
    if isinstance(source, ClassCounts):
        counts = source
        why_no_curve = (
            "these are counts, and it takes the documents themselves to train and to test"
        )
    else:
        with validation.naming(source.source):
            counts = count(source.X, source.y, classes=source.classes, tf=tf, n_threads=n_threads)
        counts.term_names = source.term_names
        origin = source.source
        why_no_curve = _why_no_curve(source, counts, cv)
    listed = largest_classes(counts, _CLASSES)
    labels = [counts.classes[c] for c in listed]
    typical = distinctive_terms(counts, method, k, labels, n_threads=n_threads)
    ranking = counts.rank(method, _TERMS, n_threads=n_threads)
    spoken_for = dominant_class(counts, ranking.indices, method, n_threads=n_threads)
    if isinstance(source, Collection) and not why_no_curve:
        curves = cross_validate(
            source.X, source.y, [method], cv=cv, random_state=_SEED, n_threads=n_threads
        )
        curve = curves[method]
    return _Content(
        title=title if title is not None else origin or "A labelled collection",
        origin=origin if title is not None else None,
        counts=counts,
        method=method,
        listed=listed,
        typical=typical,
        ranking=ranking,
        spoken_for=spoken_for,
        curve=curve,
        why_no_curve=why_no_curve,
        cv=cv,
        command=command,
    )


def _why_no_curve(collection: Collection, counts: ClassCounts, cv: int) -> str:
    """Say why there is no accuracy to tell; nothing if there is."""
    if cv == 0:
        return "it was not asked for"
    y = validation.check_labels(collection.y, int(counts.n_docs), None)
    if collection.classes is not None or y.indptr is not None:
        return "documents here may have several labels, and naive Bayes gives each document one"
    if counts.tf != "raw":
        return f"terms were counted with tf={counts.tf}, and naive Bayes counts occurrences"
    if np.max(counts.class_docs) < cv:
        return f"no class has as many documents as there are folds, {cv}"
    return ""


# ---- how it is told --------------------------------------------------------------------------


def _page(content: _Content) -> str:
    template = resources.files("termsift.report").joinpath("page.html").read_text("utf-8")
    sections = {
        "lead": _lead,
        "collection": _collection,
        "classes": _classes,
        "accuracy": _accuracy,
        "terms": _terms,
        "again": _again,
    }
    return Template(template).substitute(
        version=escape(build_info()["termsift"]),
        title=escape(clean(content.title)),
        heading=render(name(content.title)),
        **{section: render(*make(content)) for section, make in sections.items()},
    )


def _lead(content: _Content) -> Iterator[Element]:
    method = find_method(content.method)
    origin: list[Element | str] = []
    if content.origin is not None:
        origin = ["From ", name(content.origin), ". "]
    scored = "Terms are scored by ", element("strong", method.name), f". {method.title}"
    yield element("p", *origin, *scored, class_="lead")


def _collection(content: _Content) -> Iterator[Element]:
    counts = content.counts
    occurrences = counts.collection_term_frequency.sum()
    facts = {
        "documents": number(counts.n_docs),
        "classes": number(counts.n_classes),
        "terms": number(counts.n_terms),
        "tokens": number(occurrences),
        "tokens a document": number(occurrences / max(counts.n_docs, 1), 1),
    }
    pairs = (
        element("div", element("dt", what), element("dd", size)) for what, size in facts.items()
    )
    yield element("dl", *pairs, class_="facts")
    docs, tokens = counts.class_docs, counts.class_tokens
    largest = max(docs[c] for c in content.listed)
    rows = [
        (
            element("span", name(counts.classes[c]), _bar(docs[c] / largest)),
            number(docs[c]),
            f"{100 * docs[c] / counts.n_docs:.1f}%",
            number(tokens[c]),
            number(tokens[c] / docs[c] if docs[c] else 0.0, 1),
        )
        for c in content.listed
    ]
    columns = [
        ("class", "name"),
        ("documents", "number"),
        ("share", "number wide"),
        ("tokens", "number"),
        ("a document", "number wide"),
    ]
    yield element("div", table("Classes by their documents", columns, rows), class_="sizes")
    hidden = counts.n_classes - len(content.listed)
    if hidden:
        shown = sum(docs[c] for c in content.listed)
        yield element(
            "p",
            f"{number(hidden)} further classes, none larger, are not listed; they have "
            f"{number(docs.sum() - shown)} documents. Nothing is left out of the scores.",
            class_="note soft",
        )


def _classes(content: _Content) -> Iterator[Element]:
    counts = content.counts
    scale = _Scale.of(np.concatenate([found.scores for found in content.typical]))
    yield element(
        "p",
        "The terms that speak for each class, strongest first: those it has more of than the rest. "
        f"Bars compare the scores within a class{scale.told()}. The last two columns count "
        "occurrences in the class and in the rest.",
        class_="soft",
    )
    columns = [
        (_term_title(counts), "name"),
        ("score", "number"),
        ("here", "number"),
        ("rest", "number"),
    ]
    cards = element("div", class_="cards")
    for place, (c, found) in enumerate(zip(content.listed, content.typical, strict=True)):
        finite = found.scores[np.isfinite(found.scores)]
        top = finite.max(initial=0.0)
        rows = [
            (
                element("span", name(_term(counts, i)), _bar(_part(score, top))),
                scale.shown(score),
                number(here),
                number(elsewhere),
            )
            for i, score, here, elsewhere in zip(
                found.indices.tolist(),
                found.scores.tolist(),
                found.occurrences.tolist(),
                found.elsewhere.tolist(),
                strict=True,
            )
        ]
        title_id = f"class-{place}"
        docs = counts.class_docs[c]
        about = f"{number(docs)} {'document' if docs == 1 else 'documents'}"
        caption = element("span", "Leading terms of ", name(found.label))
        cards.append(
            element(
                "article",
                element("h3", name(found.label), id=title_id),
                element("p", about, class_="soft"),
                table(caption, columns, rows) if rows else element("p", "No term speaks for it."),
                class_="card",
                aria_labelledby=title_id,
            )
        )
    yield cards


def _terms(content: _Content) -> Iterator[Element]:
    counts, ranking = content.counts, content.ranking
    scale = _Scale.of(ranking.scores)
    occurrences = counts.collection_term_frequency
    documents = counts.collection_document_frequency
    of_all = "All" if len(ranking) == counts.n_terms else f"The first {number(len(ranking))} of"
    yield element(
        "p",
        f"{of_all} {number(counts.n_terms)} terms, with the class that each speaks for most: "
        f"of those that have more of it than the rest, the one with its highest score"
        f"{scale.told()}.",
        element("span", " The table scrolls sideways.", class_="sideways"),
        class_="soft",
    )
    label = element("label", "Find a term or a class", for_="find")
    field = element("input", type="search", id="find", autocomplete="off", spellcheck="false")
    status = element("span", id="found", class_="soft", role="status")
    yield element("div", label, field, status, class_="find", hidden=True)
    columns = [
        ("rank", "number"),
        (_term_title(counts), "name"),
        ("score", "number"),
        ("occurrences", "number"),
        ("documents", "number"),
        ("speaks for", "text"),
    ]
    classes = counts.classes
    rows = (
        (
            number(rank),
            name(_term(counts, i)),
            scale.shown(score),
            number(occurrences[i]),
            number(documents[i]),
            name(classes[c]) if c >= 0 else "\N{EN DASH}",
        )
        for (rank, _, i, score), c in zip(ranking.rows(), content.spoken_for.tolist(), strict=True)
    )
    yield element(
        "div",
        table("The best terms, in the order of their scores", columns, rows, id="ranking"),
        class_="scroll",
        tabindex="0",  # so that the keyboard can scroll it
        role="region",
        aria_label="The best terms",
    )


def _again(content: _Content) -> Iterator[Element]:
    counts = content.counts
    method = find_method(content.method)
    if content.command is not None:
        yield element("pre", element("code", content.command))
    versions = build_info()
    settings = {
        "Scores": f"{method.name}: {method.formula}. {method.source}.",
        "Counts": f"tf={counts.tf}, Laplace smoothing (alpha = 1), the classes' shares as priors",
        "Versions": ", ".join(f"{part} {versions[part]}" for part in _VERSIONS),
    }
    if content.curve is not None:
        settings["Accuracy"] = (
            f"multinomial naive Bayes, {content.cv}-fold cross-validation, documents dealt to the "
            f"folds by the seed {_SEED}"
        )
    pairs: list[Element] = []
    for what, how in settings.items():
        pairs += [element("dt", what), element("dd", how)]
    yield element("dl", *pairs, class_="settings")
    left_out = list(_left_out(content))
    if left_out:
        yield element("h3", "Left out")
        yield element("ul", *(element("li", what) for what in left_out), class_="left-out")


def _left_out(content: _Content) -> Iterator[str]:
    counts = content.counts
    classes = counts.n_classes - len(content.listed)
    terms = counts.n_terms - len(content.ranking)
    if classes:
        yield f"{number(classes)} further classes, none of more documents than those shown."
    if terms:
        yield f"{number(terms)} terms below the first {number(len(content.ranking))}."
    if content.curve is None:
        yield f"The accuracy: {content.why_no_curve}."


def _term(counts: ClassCounts, index: int) -> str:
    return str(index if counts.term_names is None else counts.term_names[index])


def _term_title(counts: ClassCounts) -> str:
    return "column" if counts.term_names is None else "term"


# ---- accuracy --------------------------------------------------------------------------------


def _accuracy(content: _Content) -> Iterator[Element]:
    curve = content.curve
    if curve is None:
        yield element("p", f"This is not told: {content.why_no_curve}.", class_="soft")
        return
    at = {k: row for row, k in enumerate(curve.ks.tolist())}
    mean, error = 100 * curve.accuracy, 100 * curve.standard_error("accuracy")
    best, chosen = curve.best_k(), curve.smallest_k()
    docs = np.asarray(content.counts.class_docs)
    told = (
        f"Given the first {number(chosen)} terms and nothing else, naive Bayes puts "
        f"{mean[at[chosen]]:.1f}% of documents new to it in their class. "
    )
    if chosen == best:
        told += "No number of terms does better. "
    else:
        told += (
            f"The best of all numbers, {number(best)} terms, gives {mean[at[best]]:.1f}%, and that "
            "lead is within one standard error. "
        )
    told += f"Always to guess the largest class gives {100 * docs.max() / docs.sum():.1f}%."
    yield element("p", told)
    rounds = np.searchsorted(curve.ks, list(_round_numbers(int(curve.ks[-1]))))
    steps = sorted({*curve.ks[rounds].tolist(), best, chosen})  # of the numbers that were tried
    rows = [
        (
            number(k),
            f"{mean[at[k]]:.1f}",
            f"{error[at[k]]:.1f}",
        )
        for k in steps
    ]
    columns = [("terms", "number"), ("accuracy, %", "number"), ("± s.e.", "number")]
    numbers = table("Accuracy by number of terms; s.e. is one standard error", columns, rows)
    numbers.findall("tbody/tr")[steps.index(chosen)].set("class", "is-chosen")
    yield element(
        "div",
        element("div", _chart(curve, chosen), class_="panel"),
        element("div", numbers, class_="panel"),
        class_="accuracy",
    )


def _round_numbers(largest: int) -> Iterator[int]:
    """Give 1, 2, 5, 10, ... up to the largest; from 10 on, if that leaves some."""
    power = 10 if largest >= 100 else 1
    while power <= largest:
        yield from (step * power for step in (1, 2, 5) if step * power <= largest)
        power *= 10


def _chart(curve: Curve, chosen: int) -> Element:
    """Draw the accuracy by the number of terms, its shade a standard error to either side.

    The lines are an SVG that is as wide as the page lets it be; the words stand beside it in HTML,
    so that they are as large on a telephone as on a desk.
    """
    ks = curve.ks.tolist()
    mean, error = 100 * curve.accuracy, 100 * curve.standard_error("accuracy")
    low, high = mean - error, mean + error
    floor, ceiling, step = _ticks(float(low.min()), float(high.max()))
    span = math.log(ks[-1] / ks[0]) or 1.0

    def across(k: float) -> float:
        return math.log(k / ks[0]) / span

    def up(percent: float) -> float:
        return float((percent - floor) / (ceiling - floor))

    def line(points: Iterable[tuple[int, float]]) -> str:
        return "L".join(
            f"{_SIDE * across(k):.1f} {_SIDE * (1 - up(value)):.1f}" for k, value in points
        )

    # Of points that fall together the first is drawn, and the last of all.
    places = np.floor(np.array([_SIDE * across(k) for k in ks]) / _STEP)
    drawn = np.unique(places, return_index=True)[1].tolist()
    drawn = sorted({*drawn, len(ks) - 1, ks.index(chosen)})
    there = [(ks[i], high[i]) for i in drawn]
    back = [(ks[i], low[i]) for i in reversed(drawn)]
    svg = element(
        "svg",
        viewBox=f"0 0 {_SIDE} {_SIDE}",
        preserveAspectRatio="none",
        aria_hidden="true",
        focusable="false",
    )
    words = []
    for percent in np.arange(floor, ceiling + step / 2, step).tolist():
        y = f"{_SIDE * (1 - up(percent)):.1f}"
        svg.append(element("line", x1="0", x2=str(_SIDE), y1=y, y2=y, class_="grid"))
        style = f"bottom:{100 * up(percent):.2f}%"
        words.append(element("span", f"{percent:g}", class_="y", style=style))
    for k in _powers(ks[0], ks[-1]):
        style = f"left:{100 * across(k):.2f}%"
        words.append(element("span", number(k), class_="x", style=style))
    svg.append(element("path", d=f"M{line(there)}L{line(back)}Z", class_="band"))
    x = f"{_SIDE * across(chosen):.1f}"
    svg.append(element("line", x1=x, x2=x, y1="0", y2=str(_SIDE), class_="chosen"))
    svg.append(element("path", d=f"M{line((ks[i], mean[i]) for i in drawn)}", class_="mean"))
    at = ks.index(chosen)
    left, bottom = 100 * across(chosen), 100 * up(mean[at])
    dot = element("span", class_="dot", style=f"left:{left:.2f}%;bottom:{bottom:.2f}%")
    side = "before" if left > 50 else "after"
    label = element(
        "span",
        f"{number(chosen)} terms: {mean[at]:.1f}%",
        class_=f"label {side}",
        style=f"left:{left:.2f}%",
    )
    told = (
        f"Accuracy by the number of terms, from {mean[0]:.1f}% at {number(ks[0])} to "
        f"{mean[-1]:.1f}% at {number(ks[-1])}; {mean[at]:.1f}% at {number(chosen)}. "
        "The table beside it has the numbers."
    )
    return element(
        "figure",
        element(
            "figcaption",
            "Accuracy in per cent by the number of terms (logarithmic). The shade is one standard "
            "error; the broken line is the smallest number within one of the best.",
            class_="axis",
        ),
        element("div", svg, *words, dot, label, class_="plot", role="img", aria_label=told),
    )


def _ticks(low: float, high: float) -> tuple[float, float, float]:
    """Give the ends of an axis of per cents that holds both, and a round step of six at most."""
    step = next(s for s in (1, 2, 5, 10, 20) if (high - low) / s <= 5 or s == 20)
    floor, ceiling = math.floor(low / step) * step, math.ceil(high / step) * step
    return floor, max(ceiling, floor + step), step


def _powers(first: int, last: int) -> Iterator[int]:
    """Give the powers of ten within, or the ends where there are not two."""
    powers = [10**p for p in range(12) if first <= 10**p <= last]
    yield from powers if len(powers) > 1 else sorted({first, last})


# ---- bars and scores -------------------------------------------------------------------------


def _bar(part: float) -> Element:
    return element("span", class_="bar", style=f"width:{100 * part:.1f}%")


def _part(score: float, largest: float) -> float:
    """Give the length of a score's bar: nothing of one below 0, all of an infinite one."""
    if score == math.inf:
        return 1.0
    return max(0.0, score / largest) if largest > 0 else 0.0


@dataclass(frozen=True)
class _Scale:
    """How scores are written: in a unit in which most have three or four digits."""

    exponent: int
    decimals: int

    @classmethod
    def of(cls, scores: NDArray[np.float64]) -> _Scale:
        """Choose the unit by the median score: one much larger than all others is no measure."""
        sizes = np.abs(scores[np.isfinite(scores) & (scores != 0)])
        digits = math.floor(math.log10(np.median(sizes))) if len(sizes) else 0
        exponent = max(min(0, 3 * (digits // 3)), -300)
        return cls(exponent, 1 if digits - exponent >= 2 else 2)

    def told(self) -> str:
        """Say what the unit is, where it is not 1."""
        if not self.exponent:
            return ""
        return f"; scores are in {_UNITS.get(self.exponent, f'units of 1e{self.exponent}')}"

    def shown(self, score: float) -> str:
        """Write a score."""
        return number(score / 10.0**self.exponent, self.decimals)
