"""Show how well naive Bayes classifies by the number of terms, and which classes it confuses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from termsift._counts.class_counts import ClassCounts
from termsift._evaluate.confusions import count_confusions
from termsift._evaluate.evaluation import cross_validate
from termsift._evaluate.folds import folds_of
from termsift._scores.methods import MethodName
from termsift._util import validation
from termsift._util.html import element, number
from termsift.io import Collection
from termsift.report._curve import curve_chart, curve_table
from termsift.report._overlap import COMPARED, confusion_table, mistakes_table

_SEED = 0  # deals the documents to the folds


def accuracy(
    source: Collection | ClassCounts,
    counts: ClassCounts,
    method: MethodName,
    cv: int,
    listed: Sequence[int],
    n_threads: int | None,
) -> Element:
    """Return what a cross-validation finds, or why there is none."""
    why_not = _why_not(source, counts, cv)
    if why_not or isinstance(source, ClassCounts):
        return element("p", f"The accuracy is not shown: {why_not}.", class_="soft")
    X, y = source.X, source.y
    labels = validation.check_labels(y, int(counts.n_docs), None)
    folds = list(folds_of(cv, X, labels, None, _SEED))
    curve = cross_validate(X, y, [method], cv=folds, n_threads=n_threads)[method]
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
        f"documents correctly. {compared}"
        f"Always guessing the largest class gives {largest:.1%}. "
        f"(Multinomial naive Bayes, {cv}-fold cross-validation, seed {_SEED}.)"
    )
    caption = (
        "Accuracy by the number of terms (logarithmic axis). The band is one standard error; the "
        "dashed line is the smallest number of terms within one standard error of the best."
    )
    chart = element("div", curve_chart(curve, chosen), class_="scroll")
    figure = element("figure", element("figcaption", caption, class_="soft"), chart, class_="sheet")
    numbers = curve_table("Accuracy by number of terms", curve, [best, chosen])
    shown = element(
        "div", figure, element("div", numbers, class_="sheet scroll"), class_="accuracy"
    )
    predicted = count_confusions(X, y, method, chosen, folds, listed, n_threads)
    return element("div", element("p", text), shown, *_confusions(counts, listed, predicted))


def _confusions(counts: ClassCounts, listed: Sequence[int], predicted: Any) -> list[Element]:
    """Return a heading and tables of the classes that are confused."""
    compared = listed[:COMPARED]
    says = (
        "A row shows what the same classifier predicts for the documents of a class, as shares of "
        "these documents. The numbers above the columns are those of the classes."
    )
    parts = [
        element("h3", "Confusions"),
        element("p", says, class_="soft"),
        element("div", confusion_table(counts, compared, predicted[:COMPARED]), class_="sheet"),
    ]
    if counts.n_classes > COMPARED:
        says = (
            f"The most frequent mistakes among the documents of the {len(listed)} largest classes:"
        )
        table = mistakes_table(counts, listed, predicted)
        parts += [element("p", says, class_="soft"), element("div", table, class_="sheet")]
    return parts


def _why_not(source: Collection | ClassCounts, counts: ClassCounts, cv: int) -> str:
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
