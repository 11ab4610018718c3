"""Show how well naive Bayes classifies by the number of terms.

The chart is a small SVG that is written here: matplotlib is optional, and the bytes of a page must
not depend on what is installed.
"""

from __future__ import annotations

import math
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from termsift._counts.class_counts import ClassCounts
from termsift._evaluate.curve import Curve, spread
from termsift._evaluate.evaluation import cross_validate
from termsift._scores.methods import MethodName
from termsift._util import validation
from termsift._util.html import element, number
from termsift.io import Collection

_SEED = 0  # deals the documents to the folds
_POINTS = 300  # of the curve in the chart
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 640, 12, 276  # the area of the chart within its axes


def accuracy(
    source: Collection | ClassCounts,
    counts: ClassCounts,
    method: MethodName,
    cv: int,
    n_threads: int | None,
) -> Element:
    """Return what a cross-validation finds, or why there is none."""
    why_not = _why_not(source, counts, cv)
    if why_not or isinstance(source, ClassCounts):
        return element("p", f"The accuracy is not shown: {why_not}.", class_="soft")
    X, y = source.X, source.y
    curves = cross_validate(X, y, [method], cv=cv, random_state=_SEED, n_threads=n_threads)
    curve = curves[method]
    best, chosen = curve.best_k(), curve.smallest_k()
    at_best, at_chosen = curve.accuracy[np.searchsorted(curve.ks, [best, chosen])]
    majority = np.max(counts.class_docs) / np.sum(counts.class_docs)
    text = (
        f"With the first {number(chosen)} terms, naive Bayes classifies {at_chosen:.1%} of unseen "
        f"documents correctly. The best number of terms, {number(best)}, gives {at_best:.1%}. "
        f"Always guessing the largest class gives {majority:.1%}. "
        f"(Multinomial naive Bayes, {cv}-fold cross-validation, seed {_SEED}.)"
    )
    caption = (
        "Accuracy by the number of terms (logarithmic axis). The band is one standard error; the "
        "dashed line is the smallest number of terms within one standard error of the best."
    )
    chart = element("div", _chart(curve, chosen), class_="scroll")
    return element(
        "div",
        element("p", text),
        element("figure", element("figcaption", caption, class_="soft"), chart, class_="sheet"),
    )


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


def _chart(curve: Curve, chosen: int) -> Element:
    """Draw the mean accuracy, a band of one standard error, and a line at the chosen k."""
    first, last = curve.ks[[0, -1]].tolist()
    mean, error = curve.accuracy, curve.standard_error("accuracy")
    drawn = np.union1d(spread(curve, _POINTS), np.searchsorted(curve.ks, [chosen, last]))

    def x(k: Any) -> Any:
        return _LEFT + (_RIGHT - _LEFT) * np.log(k / first) / (math.log(last / first) or 1.0)

    def y(share: Any) -> Any:
        return _BOTTOM - (_BOTTOM - _TOP) * np.clip(share, 0, 1)

    def points(share: NDArray[np.float64]) -> list[str]:
        at = zip(x(curve.ks[drawn]), y(share[drawn]), strict=True)
        return [f"{across:.1f},{down:.1f}" for across, down in at]

    grid = []
    for percent in range(0, 101, 20):
        height = f"{y(percent / 100):.1f}"
        grid += [
            element("line", x1=str(_LEFT), x2=str(_RIGHT), y1=height, y2=height, class_="grid"),
            element("text", f"{percent}%", x=str(_LEFT - 6), y=height, text_anchor="end"),
        ]
    powers = [10**p for p in range(12) if first <= 10**p <= last]
    for k in powers if len(powers) > 1 else sorted({first, last}):
        grid.append(element("text", number(k), x=f"{x(k):.1f}", y="296", text_anchor="middle"))
    band = points(mean + error) + points(mean - error)[::-1]
    line = f"{x(chosen):.1f}"
    return element(
        "svg",
        *grid,
        element("polygon", points=" ".join(band)),
        element("line", x1=line, x2=line, y1=str(_TOP), y2=str(_BOTTOM), class_="chosen"),
        element("polyline", points=" ".join(points(mean))),
        viewBox="0 0 660 310",
        role="img",
        aria_label="Accuracy by the number of terms",
    )
