"""Tables of LaTeX, with the best value of each column in bold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from termsift._evaluate.certainty import Certainty, values_of
from termsift._evaluate.curve import TITLES, Curve, Metric

_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_needs_escape = re.compile(r"[\\&%$#_{}~^]")


class Cell(NamedTuple):
    """A value of a table: a share, whether it is the best of its column, or as good as the best."""

    value: float
    is_best: bool
    is_as_good: bool

    @classmethod
    def column(
        cls,
        curves: Mapping[str, Curve],
        metric: Metric,
        k: int | None,
        level: float,
        ks: NDArray[np.int64] | None = None,
    ) -> list[Cell]:
        """Return the cells of all curves at k, or of their means over ks, by default all."""
        means = np.array([values_of(curve, metric, k, ks).mean() for curve in curves.values()])
        best = [same_shown(mean, means.max()) for mean in means.tolist()]
        as_good = np.zeros(len(means), dtype=bool)
        if all(curve.n_runs > 1 for curve in curves.values()):
            as_good = Certainty.of(curves, metric, k, None, level, ks).table["as_good"]
        return [cls(*cell) for cell in zip(means.tolist(), best, as_good.tolist(), strict=True)]

    def __str__(self) -> str:
        shown = f"{100 * self.value:.1f}"
        if self.is_best:
            return rf"\textbf{{{shown}}}"
        return rf"{shown}$^\circ$" if self.is_as_good else shown


def same_shown(x: float, y: float) -> bool:
    """Return whether two shares look the same in a table."""
    return f"{100 * x:.1f}" == f"{100 * y:.1f}"


def latex_table(
    metric: Metric, names: Sequence[str], heads: Sequence[str], columns: Sequence[Sequence[object]]
) -> str:
    """Return a table with a row for each name. ``heads`` are LaTeX, the names are plain text."""
    rows = [
        " & ".join([_first(name), *(str(column[row]) for column in columns)]) + r" \\"
        for row, name in enumerate(names)
    ]
    head = " & ".join([escaped(TITLES[metric]), *heads]) + r" \\"
    sides = "l" + "r" * len(columns)
    lines = [rf"\begin{{tabular}}{{{sides}}}", r"\toprule", head, r"\midrule", *rows]
    about = (
        f"% {TITLES[metric]} in per cent. Bold: the best of a column. A circle: not significantly"
    )
    notes = [about, "% worse than the best, by the corrected t-test (Nadeau and Bengio)."]
    return "\n".join([*notes, *lines, r"\bottomrule", r"\end{tabular}"])


def escaped(text: object) -> str:
    """Return plain text as LaTeX, in one line."""
    line = " ".join(str(text).split())
    shown = _needs_escape.sub(lambda found: _SPECIAL.get(found[0], f"\\{found[0]}"), line)
    return shown.replace("--", "-{}-")  # which would be one long dash


def _first(text: object) -> str:
    """Return plain text as the first cell of a row, where [ and * would belong to the last line."""
    shown = escaped(text)
    return f"{{}}{shown}" if shown[:1] in ("[", "*") else shown
