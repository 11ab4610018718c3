"""Draw curves, rankings and key terms with matplotlib, without opening a window.

A notebook shows a figure below the cell that makes it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from termsift._evaluate.comparison import Comparison
from termsift._evaluate.curve import TITLES, Curve, Metric, check_metric
from termsift._scores.keyness import Keyness
from termsift._scores.ranking import Ranking
from termsift._util import validation
from termsift._util.extras import require
from termsift._util.faults import concerning, named, wrong_type, wrong_value
from termsift._util.messages import printable
from termsift._util.notebook import show_after_cell

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_curves", "plot_keyness", "plot_ranking"]

# Colour-blind readers can tell these colours apart (Okabe and Ito, 2008, without yellow, which is
# invisible on paper). The next line takes the next colour, the next dashes and the next marker, and
# their numbers have no common divisor. Therefore 35 lines differ in colour and dashes, and 40 lines
# differ in dashes and marker, as in black and white.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_DASHES = ("-", "--", ":", "-.", (0, (8, 1.5, 1.2, 1.5, 1.2, 1.5)))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
_FEW_TICKS = 10  # the axis labels every k up to this number of values of k
_FEW_BANDS = 6
_LETTERS_OF_A_TERM = 24
_LETTERS_OF_A_SIDE = 28
_COLUMNS = 3

_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.parse_math": False,  # a $ in a name is a dollar sign
}


def plot_curves(
    curves: Curve | Mapping[str, Curve] | Comparison,
    *,
    metrics: Metric | Sequence[Metric] = ("accuracy", "f1"),
) -> Figure:
    """Draw metrics against the number of terms: one panel per metric, one line per curve.

    Parameters
    ----------
    curves : Curve, dict of str to Curve, or Comparison
        Curves from `termsift.selection_curve`, `termsift.cross_validate` or `termsift.compare`. A
        comparison has a row of panels for each collection.
    metrics : str or sequence of str
        Metrics of `termsift.Curve`.

    Returns
    -------
    figure : matplotlib.figure.Figure
        No window opens, but a notebook shows the figure at the end of the cell, with all changes
        that the cell makes to it. ``figure.suptitle`` adds a title, and ``figure.savefig`` writes
        the figure to a file. If a curve has several runs, a band around the mean shows one standard
        error on either side (`termsift.Curve.standard_error`).

    Raises
    ------
    ValueError, TypeError
        If there is nothing to draw, or if an argument is invalid.
    ImportError
        If matplotlib is not installed.

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
    parts = curves if isinstance(curves, Comparison) else {"": curves}
    drawn = {
        title: {name: curve for name, curve in _several(of, Curve, "curves").items() if len(curve)}
        for title, of in parts.items()
    }
    drawn = {title: of for title, of in drawn.items() if of}
    names = list(dict.fromkeys(name for of in drawn.values() for name in of))
    shown = [
        check_metric(metric, "metrics") for metric in validation.check_words(metrics, "metrics")
    ]
    if not names or not shown:
        raise wrong_value("there is nothing to draw: no {curves} or no {metrics}")
    with _figure("plot_curves", 3.5 * len(shown) + 1.4, 3.4 * len(drawn)) as figure:
        panels = figure.subplots(
            len(drawn), len(shown), sharex=True, sharey=len(drawn) == 1, squeeze=False
        )
        for row, (title, of) in zip(panels, drawn.items(), strict=True):
            for axes, metric in zip(row, shown, strict=True):
                _draw_lines(axes, of, metric, names)
                heading = f"{printable(title, _LETTERS_OF_A_TERM)}: " if title else ""
                axes.set_title(heading + TITLES[metric], loc="left")
            row[0].set_ylabel("%")
        if len(names) > 1:
            lines = {line.get_label(): line for axes in panels[:, 0] for line in axes.lines}
            # Pass the lines, because the default legend leaves out names that begin with _.
            figure.legend(
                [lines[name] for name in names],
                names,
                loc="outside right center",
                frameon=False,
                handlelength=4,  # so long that dashes show
            )
    return figure


def plot_ranking(ranking: Ranking | Mapping[Hashable, Ranking], *, k: int | None = 20) -> Figure:
    """Draw the scores of the first terms of a ranking as bars, with the best term on top.

    Parameters
    ----------
    ranking : Ranking, or dict of label to Ranking
        A dict, such as the result of `termsift.distinctive_terms`, gives one panel per ranking.
    k : int or None, default 20
        The number of terms. If k is None, or larger than the number of terms, all terms are drawn.

    Returns
    -------
    figure : matplotlib.figure.Figure
        As for `plot_curves`, with the same errors. The bar of an infinite score is longer
        than the bar of the largest finite score and shows the infinity sign. Panels of one method
        have one scale.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> from termsift.plots import plot_ranking
    >>> counts = ts.count(np.array([[4, 1, 0], [0, 1, 2]]), ["ham", "spam"])
    >>> counts.term_names = ["bacon", "and", "viagra"]
    >>> (axes,) = plot_ranking(counts.rank("md"), k=2).axes
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['bacon', 'viagra']
    >>> panels = plot_ranking(ts.distinctive_terms(counts)).axes
    >>> [axes.get_title(loc="left") for axes in panels]
    ['ham', 'spam']
    """
    several = _several(ranking, Ranking, "ranking")
    rankings = {label: one[: validation.check_k(k, len(one))] for label, one in several.items()}
    longest = max(map(len, rankings.values()), default=0)
    if longest == 0:
        raise concerning(ValueError("there is nothing to draw: no terms"), "ranking", "k")
    n_columns = min(_COLUMNS, len(rankings))
    n_rows = -(-len(rankings) // n_columns)
    width = 5.0 if len(rankings) == 1 else 3.0 * n_columns
    with _figure("plot_ranking", width, _height(longest) * n_rows) as figure:
        # Otherwise a low score of one class would look like a high score of another class.
        same = len({one.method for one in rankings.values()}) == 1
        panels = list(figure.subplots(n_rows, n_columns, sharex=same, squeeze=False).flat)
        for axes, (label, first) in zip(panels, rankings.items(), strict=False):
            _draw_bars(axes, [term for term, _ in first], first.scores, n_rows=longest)
            axes.set_title(printable(label, _LETTERS_OF_A_TERM), loc="left")
            axes.tick_params(axis="x", labelbottom=True)
        for axes in panels[len(rankings) :]:
            axes.remove()
        figure.supxlabel(f"score ({first.method})", fontsize=9)
    return figure


def plot_keyness(keyness: Keyness, *, k: int = 15) -> Figure:
    """Draw the log ratios of key terms as bars: right for the target, left for the reference.

    Parameters
    ----------
    keyness : Keyness
    k : int, default 15
        For each corpus, the first k terms of the table are drawn, with the longest bar on top.
        ``sort`` of `termsift.ClassCounts.keyness` says which terms come first in the table.

    Returns
    -------
    figure : matplotlib.figure.Figure
        As for `plot_curves`, which raises the same errors.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> from termsift.plots import plot_keyness
    >>> X = np.array([[4, 1, 0], [1, 1, 6]])
    >>> counts = ts.count(X, ["ham", "spam"], term_names=["bacon", "and", "pills"])
    >>> (axes,) = plot_keyness(counts.keyness("ham", "spam")).axes
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['bacon', 'and', 'pills']
    """
    validation.check_kind(keyness, Keyness, "keyness")
    k = validation.check_integer(k, "k")
    table = keyness.table
    sides = [np.flatnonzero(table["sign"] == sign)[:k] for sign in (1, -1)]
    lengths = np.abs(table["log_ratio"])
    rows = np.concatenate([side[np.argsort(-lengths[side], kind="stable")] for side in sides])
    if not len(rows):
        raise concerning(ValueError("there is nothing to draw: no terms"), "keyness")
    with _figure("plot_keyness", 5.5, _height(len(rows)) + 0.3) as figure:
        axes = figure.subplots()
        colours = np.repeat(_COLOURS[:2], [len(side) for side in sides])
        names, ratios = keyness.terms[rows].tolist(), table["log_ratio"][rows]
        _draw_bars(axes, names, ratios, colours=colours.tolist())
        axes.axvline(0, color="0.4", linewidth=0.8)
        axes.set_xlabel("log ratio")
        for x, side, labels in ((1, "right", keyness.target), (0, "left", keyness.reference)):
            text = printable(", ".join(map(str, labels)), _LETTERS_OF_A_SIDE)
            axes.text(x, 1.01, f"more in {text}", ha=side, va="bottom", transform=axes.transAxes)
    return figure


# ---- figures -----------------------------------------------------------------------------------


@contextmanager
def _figure(what: str, width: float, height: float) -> Iterator[Figure]:
    """Yield a figure for the function ``what``, in termsift's style; then show it in a notebook."""
    require("matplotlib", "plot", what)
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
    show_after_cell(figure)


def _height(n_bars: int) -> float:
    return 0.19 * n_bars + 0.8  # in inches


# ---- lines -----------------------------------------------------------------------------------


def _several(value: Any, kind: type, name: str) -> dict[Any, Any]:
    """Return a dict of objects of one kind, which a caller passed alone or in a dict."""
    several = dict(value) if isinstance(value, Mapping) else {"": value}
    for one in several.values():
        if not isinstance(one, kind):
            raise wrong_type(
                "{name} must be a {kind} or a dict of {kind}s by name, got {found}",
                name=named(name),
                kind=kind.__name__,
                found=validation.a_kind(one) + (" in the dict" if one is not value else ""),
            )
    return several


def _draw_lines(
    axes: Axes, curves: Mapping[str, Curve], metric: Metric, names: Sequence[str]
) -> None:
    """Draw a line for each curve. The place of its name in ``names`` decides its style."""
    styles = zip(cycle(_COLOURS), cycle(_DASHES), cycle(_MARKERS), strict=False)
    for name, (colour, dashes, marker) in zip(names, styles, strict=False):
        if (curve := curves.get(name)) is None:
            continue
        mean = 100 * curve.mean(metric)
        axes.plot(
            curve.ks,
            mean,
            color=colour,
            linestyle=dashes,
            marker=marker,
            markevery=0.1,  # the distance between markers, as a share of the diagonal
            markersize=5.5,
            markeredgecolor="white",  # white edges separate overlapping markers
            markeredgewidth=0.4,
            linewidth=1.3,
            label=name,
        )
        if curve.n_runs > 1:
            error = 100 * curve.standard_error(metric)
            shade = 0.15 if len(names) <= _FEW_BANDS else 0.06  # many dark bands hide the lines
            axes.fill_between(
                curve.ks, mean - error, mean + error, color=colour, alpha=shade, linewidth=0
            )
    axes.set_xlabel("number of terms")
    axes.set_xscale("log")
    _tick(axes, np.unique(np.concatenate([curve.ks for curve in curves.values()])))
    axes.grid(color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)


def _tick(axes: Axes, ks: NDArray[np.int64]) -> None:
    """Label every k if there are few k, else powers of ten, or 1, 2, 5, 10, ..."""
    from matplotlib.ticker import FixedLocator, LogLocator

    locator = LogLocator(subs=(1, 2, 5) if ks[-1] < 50 * ks[0] else (1,))
    axes.xaxis.set_major_locator(FixedLocator(ks.tolist()) if len(ks) <= _FEW_TICKS else locator)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.minorticks_off()
    axes.tick_params(axis="x", labelsize=7.5)


# ---- bars ------------------------------------------------------------------------------------


def _draw_bars(
    axes: Axes,
    names: Sequence[object],
    scores: NDArray[np.float64],
    n_rows: int | None = None,
    colours: Sequence[str] | str | None = None,
) -> None:
    """Draw one bar per term, the first term on top. The axes have space for ``n_rows`` bars."""
    finite = np.isfinite(scores)
    largest = scores[finite].max(initial=0.0)
    endless = 1.05 * largest if largest > 0 else 1.0
    at = np.arange(len(scores))
    axes.barh(at, np.where(finite, scores, np.sign(scores) * endless), color=colours or _COLOURS[0])
    for row in at[~finite]:
        end = (np.sign(scores[row]) * endless, row)
        axes.annotate("\N{INFINITY}", end, ha="right", va="center", color="w")
    axes.set_yticks(at, [printable(name, _LETTERS_OF_A_TERM) for name in names])
    axes.set_ylim((n_rows or len(scores)) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.locator_params(axis="x", nbins=4)
    axes.grid(axis="x", color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
