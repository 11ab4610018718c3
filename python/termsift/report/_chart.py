"""Draw the accuracy by the number of terms as an SVG.

matplotlib is optional, and a page must not depend on what is installed, so the few lines of this
chart are drawn here.
"""

from __future__ import annotations

import math
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from termsift._evaluate.curve import Curve
from termsift.report._html import element, number

# The drawing and the area within its axes, in units of which a letter is some 13 high.
_SIZE = "0 0 640 310"
_LEFT, _RIGHT, _TOP, _BOTTOM = 36, 620, 12, 276


def accuracy_chart(curve: Curve, chosen: int) -> Element:
    """Draw the mean accuracy, its standard error as a band, and a line at the chosen k."""
    ks = curve.ks.tolist()
    mean, error = 100 * curve.accuracy, 100 * curve.standard_error("accuracy")
    floor, ceiling, step = _ticks(float((mean - error).min()), float((mean + error).max()))
    span = math.log(ks[-1] / ks[0]) or 1.0
    x = np.array([_LEFT + (_RIGHT - _LEFT) * math.log(k / ks[0]) / span for k in ks])

    def y(percent: Any) -> Any:
        return _BOTTOM - (_BOTTOM - _TOP) * (percent - floor) / (ceiling - floor)

    at = ks.index(chosen)
    # A curve may have a million points. One per unit of width is drawn.
    first_of_each = np.unique(np.floor(x), return_index=True)[1]
    drawn = np.unique([*first_of_each, at, len(ks) - 1])
    high, low = (_points(x[drawn], y(mean + sign * error)[drawn]) for sign in (1, -1))
    svg = element("svg", viewBox=_SIZE, role="img", aria_label=_description(ks, mean, at))
    for percent in np.arange(floor, ceiling + step / 2, step).tolist():
        height = f"{y(percent):.1f}"
        svg.append(_line(str(_LEFT), height, str(_RIGHT), height, "grid"))
        svg.append(_text(f"{percent:g}", _LEFT - 8, y(percent) + 4, "end"))
    for k in _powers_of_ten(ks[0], ks[-1]):
        across = _LEFT + (_RIGHT - _LEFT) * math.log(k / ks[0]) / span
        svg.append(_text(number(k), across, _BOTTOM + 20, "middle"))
    svg.append(element("polygon", points=" ".join([*high, *reversed(low)]), class_="band"))
    svg.append(_line(f"{x[at]:.1f}", str(_TOP), f"{x[at]:.1f}", str(_BOTTOM), "chosen"))
    svg.append(element("polyline", points=" ".join(_points(x[drawn], y(mean)[drawn]))))
    return svg


def _description(ks: list[int], mean: NDArray[np.float64], at: int) -> str:
    return (
        f"Accuracy by the number of terms: {mean[0]:.1f}% at {number(ks[0])}, {mean[at]:.1f}% at "
        f"{number(ks[at])}, {mean[-1]:.1f}% at {number(ks[-1])}. A table has the numbers."
    )


def _points(x: NDArray[np.float64], y: NDArray[np.float64]) -> list[str]:
    return [f"{a:.1f},{b:.1f}" for a, b in zip(x.tolist(), y.tolist(), strict=True)]


def _line(x1: str, y1: str, x2: str, y2: str, kind: str) -> Element:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def _text(text: str, x: float, y: float, anchor: str) -> Element:
    return element("text", text, x=f"{x:.1f}", y=f"{y:.1f}", text_anchor=anchor)


def _ticks(low: float, high: float) -> tuple[float, float, float]:
    """Return the ends of an axis that holds both percentages, and a round step between ticks."""
    step = next(s for s in (1, 2, 5, 10, 20) if (high - low) / s <= 5 or s == 20)
    floor, ceiling = math.floor(low / step) * step, math.ceil(high / step) * step
    return floor, max(ceiling, floor + step), step


def _powers_of_ten(first: int, last: int) -> list[int]:
    """Return the powers of ten in [first, last], or both ends if there are fewer than two."""
    powers = [10**p for p in range(12) if first <= 10**p <= last]
    return powers if len(powers) > 1 else sorted({first, last})
