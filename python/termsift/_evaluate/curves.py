"""`Curves`: the curves of several rankings on the same folds, compared with certainty."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift._evaluate.certainty import Certainty
from termsift._evaluate.curve import METRICS, Curve, Metric
from termsift._evaluate.latex import Cell, latex_table
from termsift._util.export import Tabular
from termsift._util.faults import renaming, said
from termsift._util.shown import Column, Section
from termsift._util.validation import check_integer, check_iterable, number_of, object_array

_CURVES, _KS = 20, 6  # The numbers of curves and of ks that a table of several curves shows.


class Curves(dict[str, Curve], Tabular):
    """The curves of several rankings by name: a dict with the methods of a table."""

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name: ranking, the name of a curve, and the columns of the curves.

        The curves come one below the other. A standard deviation is NaN if there is one run.
        """
        sizes = np.array([len(curve) for curve in self.values()], dtype=np.int64)
        columns = {"ranking": np.repeat(object_array(list(self)), sizes)}
        tables = [curve.columns() for curve in self.values()]
        for name in max(tables, key=len, default=("k", *METRICS)):
            nothing = np.empty(0, dtype=np.int64 if name == "k" else np.float64)
            unknown = (np.full(size, np.nan) for size in sizes)
            values = (of.get(name, nan) for of, nan in zip(tables, unknown, strict=True))
            columns[name] = np.concatenate([nothing, *values])
        return columns

    def certainty(
        self,
        metric: Metric = "accuracy",
        k: int | None = None,
        *,
        to: str | None = None,
        level: float = 0.95,
    ) -> Certainty:
        """Compare the rankings with the best, or with another: means, intervals and tests.

        Parameters
        ----------
        metric : str
            A metric of `termsift.Curve`.
        k : int, optional
            The number of terms. By default, the means over all numbers of terms are compared.
        to : str, optional
            The ranking with which the others are compared, by default the one of the largest mean.
        level : float, default 0.95
            The confidence of the intervals. A p-value is significant at 1 - level.

        Returns
        -------
        certainty : Certainty

        Raises
        ------
        ValueError
            If there is only one run, if the curves have different folds or no such k, or if an
            argument is invalid.

        Notes
        -----
        All rankings are evaluated on the same folds, so the test is of the differences within the
        folds. For J folds whose differences have the mean d and the variance s^2, it is the
        corrected t-test with t = d / sqrt((1/J + n_2/n_1) s^2), J - 1 degrees of freedom and
        n_2/n_1 test documents for each training document, because folds share training documents
        (Nadeau and Bengio, Inference for the Generalization Error, Machine Learning 52, 2003).
        Holm's adjustment allows for the number of rankings.

        Examples
        --------
        >>> import termsift as ts
        >>> runs = {"md": [[0.9], [0.8], [0.9]], "df": [[0.5], [0.5], [0.6]]}
        >>> curves = ts.Curves({n: ts.Curve(n, [10], {"accuracy": r}) for n, r in runs.items()})
        >>> found = curves.certainty(k=10)
        >>> found.reference, found.columns()["difference"].round(3), found.columns()["as_good"]
        ('md', array([ 0.   , -0.333]), array([ True, False]))
        """
        return Certainty.of(self, metric, k, to, level)

    def to_latex(
        self, metric: Metric = "accuracy", ks: Iterable[int] | None = None, *, level: float = 0.95
    ) -> str:
        r"""Return a table of LaTeX: a row for each ranking, a column for each number of terms.

        Parameters
        ----------
        metric : str
            A metric of `termsift.Curve`, in per cent.
        ks : sequence of int, optional
            The numbers of terms, by default those that ``print`` shows.
        level : float, default 0.95
            The best value of a column is bold. If there are several runs, values that `certainty`
            does not find significantly worse have a circle, and a last column has the means over
            all numbers of terms.

        Returns
        -------
        table : str
            An environment ``tabular`` with the rules of the package booktabs.

        Examples
        --------
        >>> import termsift as ts
        >>> runs = {"md": [[0.9], [0.8], [0.9]], "df": [[0.5], [0.5], [0.6]]}
        >>> curves = ts.Curves({n: ts.Curve(n, [10], {"accuracy": r}) for n, r in runs.items()})
        >>> print(curves.to_latex(ks=[10]))
        % accuracy in per cent. Bold: the best of a column. A circle: not significantly
        % worse than the best, by the corrected t-test (Nadeau and Bengio).
        \begin{tabular}{lrr}
        \toprule
        accuracy & $k = 10$ & mean \\
        \midrule
        md & \textbf{86.7} & \textbf{86.7} \\
        df & 53.3 & 53.3 \\
        \bottomrule
        \end{tabular}
        """
        given = self._some_ks() if ks is None else check_iterable(ks, "ks", "integers")
        wanted = [check_integer(k, said("each of {ks}"), least=1) for k in given]
        several = all(curve.n_runs > 1 for curve in self.values())
        heads = [f"$k = {k}$" for k in wanted] + ["mean"] * several
        with renaming("k", "ks"):
            columns = [Cell.column(self, metric, k, level) for k in wanted + [None] * several]
        return latex_table(metric, list(self), heads, columns)

    def _some_ks(self) -> list[int]:
        """Return the ks that a table shows."""
        ks = next(iter(self.values())).ks if self else np.empty(0, dtype=np.int64)
        places = np.unique(np.linspace(0, max(len(ks) - 1, 0), _KS).round().astype(np.int64))
        shown: list[int] = ks[places[: len(ks)]].tolist()
        return shown

    def _title(self) -> str:
        return f"Accuracy of {number_of(len(self), 'ranking')}"

    def _sections(self) -> list[Section]:
        some = [*self.items()][:_CURVES]
        ks = some[0][1].ks if some else np.empty(0, dtype=np.int64)
        places = np.unique(np.linspace(0, max(len(ks) - 1, 0), _KS).round().astype(np.int64))
        at = places[: len(ks)].tolist()
        columns = [Column("ranking", [name for name, _ in some])]
        for place in at:
            values = [curve.accuracy[place] for _, curve in some]
            columns.append(Column(f"k = {ks[place]:,}", values, ".4f"))
        return [Section(columns, len(self) - len(some))]
