"""Curves, rankings and the terms of classes, drawn. Needs matplotlib, not its windows."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termsift._api.class_counts import ClassCounts
from termsift._evaluate.curve import TITLES, Curve, Metric, check_metric
from termsift._scores.class_terms import distinctive_terms, largest_classes
from termsift._scores.ranking import Ranking
from termsift._util import validation
from termsift._util.extras import require
from termsift._util.files import check_path as check_file_path
from termsift._util.files import check_replaceable, replacing
from termsift._util.printable import printable, printable_errors

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["check_path", "plot_classes", "plot_curves", "plot_ranking"]

_FORMATS = (".png", ".svg")

# Colours that the colour-blind tell apart (Okabe and Ito, 2008, the yellow left out, which is lost
# on paper), and dashes and markers for print without colour. Cycles of 7, 6 and 8: 168 differ.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_DASHES = ((), (5, 1.5), (1.2, 1.2), (6, 1.5, 1.2, 1.5), (9, 2), (3, 1.2, 1.2, 1.2, 1.2, 1.2))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
_MARKERS_A_LINE = 8
_FEW = 10  # numbers of terms that an axis has room to label
_LETTERS_AN_INCH = 14  # of a title
_LETTERS_OF_A_TERM = 24
_CLASSES = 12  # panels, unless the caller says which
_COLUMNS = 3

_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "termsift",  # the same names of parts each time
    "text.parse_math": False,  # a $ in a name is one
}


def plot_curves(
    curves: Curve | Iterable[Curve] | Mapping[str, Curve],
    path: str | os.PathLike[str] | None = None,
    *,
    metrics: Metric | Sequence[Metric] = ("accuracy", "f1"),
    title: str | None = None,
) -> Figure:
    """Draw metrics against the number of terms, a panel each, with a line for each curve.

    Parameters
    ----------
    curves : Curve, or sequence of them, or dict of str to Curve
        As `termsift.selection_curve` or `termsift.cross_validate` give them; a dict names them.
    path : path, optional
        Write a file that ends in .png or .svg, whole or not at all. The same curves give the same
        bytes, with the same matplotlib.
    metrics : str or sequence of str
        Of those of `termsift.Curve`.
    title : str, optional
        Above all; long lines are broken.

    Returns
    -------
    figure : matplotlib.figure.Figure
        Not shown in any window, and not known to pyplot; a notebook shows it after ``%matplotlib
        inline``.

    Raises
    ------
    ValueError
        If there is nothing to draw, or the path ends otherwise.
    TypeError
        For arguments of another kind.
    ImportError
        If matplotlib is not installed.

    Notes
    -----
    A shade is one standard error to either side of the mean (`termsift.Curve.standard_error`),
    where a curve has several runs.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> from termsift.plots import plot_curves
    >>> X = np.array([[3, 0, 1], [2, 0, 0], [0, 2, 1], [0, 3, 1]])
    >>> curves = ts.cross_validate(X, ["ham", "ham", "spam", "spam"], ["md", "chi2"], cv=2)
    >>> figure = plot_curves(curves)
    >>> [axes.get_title(loc="left") for axes in figure.axes]
    ['accuracy', 'weighted F1']
    """
    matplotlib = require("matplotlib", "plot", "plot_curves")
    from matplotlib.figure import Figure

    _check_common(path, title)
    named = _named(curves)
    shown = _metrics(metrics)
    if not named or not shown:
        raise ValueError("there is nothing to draw: no curves or no metrics")
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(3.5 * len(shown) + 1.4, 3.4), layout="constrained")
        panels = figure.subplots(1, len(shown), sharex=True, sharey=True, squeeze=False)[0]
        for axes, metric in zip(panels, shown, strict=True):
            _draw(axes, named, metric)
        panels[0].set_ylabel("%")
        if len(named) > 1:
            # Given both, as names that begin with _ are otherwise left out.
            names = [name for name, _ in named]
            figure.legend(
                panels[0].lines, names, loc="outside right center", frameon=False, handlelength=4
            )
        _finish(figure, title, path)
    return figure


def plot_ranking(
    ranking: Ranking,
    path: str | os.PathLike[str] | None = None,
    *,
    k: int | None = 20,
    title: str | None = None,
) -> Figure:
    """Draw the scores of the first terms of a ranking as bars, the best on top.

    Parameters
    ----------
    ranking : Ranking
    path, title
        As for `plot_curves`.
    k : int or None, default 20
        How many terms, or all of fewer; all if None.

    Returns
    -------
    figure : matplotlib.figure.Figure
        As of `plot_curves`.

    Raises
    ------
    ValueError
        If there is nothing to draw, or the path ends otherwise than .png or .svg.
    TypeError
        For arguments of another kind.
    ImportError
        If matplotlib is not installed.

    Notes
    -----
    The bar of an infinite score is as long as the axis and marked so. Where terms were chosen one
    after the other, a bar is the divergence of all up to and with this one.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> from termsift.plots import plot_ranking
    >>> counts = ts.count(np.array([[4, 1, 0], [0, 1, 2]]), ["ham", "spam"])
    >>> counts.term_names = ["bacon", "and", "viagra"]
    >>> (axes,) = plot_ranking(counts.rank("md"), k=2).axes
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['bacon', 'viagra']
    """
    matplotlib = require("matplotlib", "plot", "plot_ranking")
    from matplotlib.figure import Figure

    _check_common(path, title)
    validation.check_kind(ranking, Ranking, "ranking")
    shown = validation.check_k(k, len(ranking))
    if shown < 1:
        raise ValueError("there is nothing to draw: no terms")
    names = ranking.indices[:shown] if ranking.terms is None else ranking.terms[:shown]
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(5.0, _height(shown)), layout="constrained")
        axes = figure.subplots()
        _draw_bars(axes, names.tolist(), ranking.scores[:shown])
        axes.set_xlabel(f"score ({ranking.method})")
        _finish(figure, title, path)
    return figure


def plot_classes(
    counts: ClassCounts,
    path: str | os.PathLike[str] | None = None,
    *,
    method: str = "md",
    k: int = 10,
    classes: Iterable[Hashable] | None = None,
    title: str | None = None,
    **scoring: Any,
) -> Figure:
    """Draw the leading terms of each class with their scores for it, a panel a class.

    Parameters
    ----------
    counts : ClassCounts
    path, title
        As for `plot_curves`.
    method : str
        A name of `termsift.methods`.
    k : int, default 10
        How many terms per class: of those that speak for it
        (`termsift.distinctive_terms`), the ones with the highest scores.
    classes : sequence of labels, optional
        The classes wanted, in this order; by default the 12 with the most documents.
    **scoring
        As for `termsift.ClassCounts.class_scores`.

    Returns
    -------
    figure : matplotlib.figure.Figure
        As of `plot_curves`. Its panels have scales of their own.

    Raises
    ------
    ValueError
        If there is nothing to draw, for a label that is not among the classes, or a path that ends
        otherwise than .png or .svg.
    TypeError
        For arguments of another kind.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> from termsift.plots import plot_classes
    >>> counts = ts.count(np.array([[4, 1, 0], [0, 1, 2]]), ["ham", "spam"])
    >>> [axes.get_title(loc="left") for axes in plot_classes(counts).axes]
    ['ham', 'spam']
    """
    matplotlib = require("matplotlib", "plot", "plot_classes")
    from matplotlib.figure import Figure

    _check_common(path, title)
    validation.check_kind(counts, ClassCounts, "counts")
    if classes is None:
        classes = [counts.classes[c] for c in largest_classes(counts, _CLASSES)]
    typical = distinctive_terms(counts, method, k, classes, **scoring)
    longest = max(map(len, typical), default=0)
    if longest == 0:
        raise ValueError("there is nothing to draw: no term speaks for a class")
    n_columns = min(_COLUMNS, len(typical))
    n_rows = -(-len(typical) // n_columns)
    names = counts.term_names
    with matplotlib.rc_context(_STYLE):
        size = (3.0 * n_columns, _height(longest) * n_rows)
        figure = Figure(figsize=size, layout="constrained")
        panels = list(figure.subplots(n_rows, n_columns, squeeze=False).flat)
        for axes, found in zip(panels, typical, strict=False):
            shown = found.indices if names is None else names[found.indices]
            _draw_bars(axes, shown.tolist(), found.scores, rows=longest)
            axes.set_title(printable(found.label, _LETTERS_OF_A_TERM), loc="left")
        for axes in panels[len(typical) :]:
            axes.remove()
        figure.supxlabel(f"score ({method})", fontsize=9)
        _finish(figure, title, path)
    return figure


@printable_errors()
def check_path(path: str | os.PathLike[str]) -> None:
    """Refuse a path that no plot can be written to."""
    check_file_path(path)
    if _ending(path) not in _FORMATS:
        raise ValueError(f"{os.fspath(path)}: a plot's name ends in {' or '.join(_FORMATS)}")
    check_replaceable(path)


def _check_common(path: object, title: object) -> None:
    """Refuse, before the work, what every plot takes and this is not."""
    if path is not None:
        check_path(path)  # type: ignore[arg-type]
    if title is not None:
        validation.check_kind(title, str, "title")


def _metrics(metrics: object) -> list[Metric]:
    """Give the metrics, of which there may be one alone."""
    return [check_metric(metric) for metric in validation.check_words(metrics, "metrics")]


def _named(curves: Curve | Iterable[Curve] | Mapping[str, Curve]) -> list[tuple[str, Curve]]:
    """Give the curves, with a k at least, and their names."""
    listed = [curves] if isinstance(curves, Curve) else curves
    expected = "a Curve, several or a dict of them"
    listed = validation.check_iterable(listed, "curves", expected)
    if isinstance(listed, Mapping):
        named = list(listed.items())
    else:
        named = [(getattr(curve, "name", ""), curve) for curve in listed]
    for _, curve in named:
        validation.check_kind(curve, Curve, "each of the curves")
    return [(name, curve) for name, curve in named if len(curve)]


def _draw(axes: Axes, curves: list[tuple[str, Curve]], metric: Metric) -> None:
    styles = zip(cycle(_COLOURS), cycle(_DASHES), cycle(_MARKERS), strict=False)
    for (name, curve), (colour, dashes, marker) in zip(curves, styles, strict=False):
        mean = 100 * curve.mean(metric)
        (line,) = axes.plot(
            curve.ks,
            mean,
            color=colour,
            marker=marker,
            markevery=_marked(curve.ks),
            markersize=5.5,
            markeredgecolor="white",  # so that one shows on another
            markeredgewidth=0.4,
            linewidth=1.3,
            label=name,
        )
        if dashes:
            line.set_dashes(dashes)
        if curve.n_runs > 1:
            error = 100 * curve.standard_error(metric)
            axes.fill_between(
                curve.ks, mean - error, mean + error, color=colour, alpha=0.15, linewidth=0
            )
    axes.set_title(TITLES[metric], loc="left")
    axes.set_xlabel("number of terms")
    axes.set_xscale("log")
    _tick(axes, np.unique(np.concatenate([curve.ks for _, curve in curves])))
    axes.grid(color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)


def _draw_bars(
    axes: Axes, names: Sequence[object], scores: NDArray[np.float64], rows: int | None = None
) -> None:
    """Draw a bar a term, the first on top, in room for so many rows."""
    finite = np.isfinite(scores)
    largest = scores[finite].max(initial=0.0)
    endless = 1.05 * largest if largest > 0 else 1.0
    at = np.arange(len(scores))
    axes.barh(at, np.where(finite, scores, np.sign(scores) * endless), color=_COLOURS[0])
    for row in at[~finite]:
        end = (np.sign(scores[row]) * endless, row)
        axes.annotate("\N{INFINITY}", end, ha="right", va="center", color="w")
    axes.set_yticks(at, [printable(name, _LETTERS_OF_A_TERM) for name in names])
    axes.set_ylim((rows or len(scores)) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.locator_params(axis="x", nbins=4)
    axes.grid(axis="x", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)


def _height(n_bars: int) -> float:
    return 0.19 * n_bars + 0.8  # inches


def _finish(figure: Figure, title: str | None, path: str | os.PathLike[str] | None) -> None:
    """Put a title above, and write the file."""
    if title is not None:
        letters = int(_LETTERS_AN_INCH * figure.get_figwidth())
        lines = [textwrap.fill(line, letters) for line in title.splitlines()]
        figure.suptitle("\n".join(lines), fontsize=9)
    if path is not None:
        _save(figure, path)


def _marked(ks: np.ndarray[Any, np.dtype[np.int64]]) -> list[int]:
    """Choose the points to mark: all of few, else some at equal distances on the axis."""
    if len(ks) <= 2 * _MARKERS_A_LINE:
        return list(range(len(ks)))
    at = np.geomspace(ks[0], ks[-1], _MARKERS_A_LINE)
    return sorted(set(np.searchsorted(ks, at).clip(max=len(ks) - 1).tolist()))


def _tick(axes: Axes, ks: np.ndarray[Any, np.dtype[np.int64]]) -> None:
    """Label the numbers of terms: each of few, else the powers of ten or steps between."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

    axis = axes.xaxis
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda k, _: f"{k:,.0f}"))
    if len(ks) <= _FEW:
        axis.set_major_locator(FixedLocator(ks.tolist()))
    else:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if ks[-1] < 50 * ks[0] else (1,)))
    axes.tick_params(axis="x", labelsize=7.5)


def _save(figure: Figure, path: str | os.PathLike[str]) -> None:
    ending = _ending(path)
    metadata = {"Date": None} if ending == ".svg" else None  # the same bytes tomorrow
    with replacing(path) as file:
        figure.savefig(file, format=ending[1:], dpi=200, metadata=metadata)


def _ending(path: str | os.PathLike[str]) -> str:
    return os.path.splitext(path)[1].lower()
