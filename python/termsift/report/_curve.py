"""Show a curve: its accuracy by the number of terms, as a table and as a chart.

The chart is a small SVG that is written here: matplotlib is optional, and the bytes of a page must
not depend on what is installed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from termsift._evaluate.curve import Curve, spread
from termsift._util.html import Child, element, number, table

_ROWS = 10
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 640, 12, 276  # the area of the chart within its axes


def curve_table(caption: Child, curve: Curve, also: Sequence[int] = ()) -> Element:
    """Return a table of the accuracy at some numbers of terms, and at those of ``also``."""
    rows = np.union1d(spread(curve, _ROWS), np.searchsorted(curve.ks, also)).astype(int)
    columns = {"terms": "number", "accuracy": "number"}
    cells = [[number(k) for k in curve.ks[rows]], [f"{x:.4f}" for x in curve.accuracy[rows]]]
    if curve.n_runs > 1:
        columns["standard error"] = "number"
        cells.append([f"{error:.4f}" for error in curve.standard_error("accuracy")[rows]])
    return table(caption, columns, zip(*cells, strict=True))


def curve_chart(curve: Curve, chosen: int) -> Element:
    """Draw the mean accuracy, a band of one standard error, and a line at the chosen k."""
    first, last = int(curve.ks[0]), int(curve.ks[-1])
    mean, error = curve.accuracy, curve.standard_error("accuracy")

    def x(k: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * math.log(k / first) / (math.log(last / first) or 1.0)

    def y(accuracy: Any) -> Any:
        return _BOTTOM - (_BOTTOM - _TOP) * np.clip(accuracy, 0, 1)

    def points(accuracy: Any) -> list[str]:
        across = np.array([x(k) for k in curve.ks.tolist()])
        # A curve may have a million points. One per unit of width is drawn.
        drawn = np.unique(np.floor(across), return_index=True)[1]
        drawn = np.union1d(drawn, [np.searchsorted(curve.ks, chosen), len(curve) - 1])
        drawn = drawn.astype(np.int64)
        at = zip(across[drawn].tolist(), y(accuracy)[drawn].tolist(), strict=True)
        return [f"{a:.1f},{b:.1f}" for a, b in at]

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
        aria_label="Accuracy by the number of terms, as in the table",
    )
