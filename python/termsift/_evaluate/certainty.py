"""`Certainty` and `Agreement`: how rankings compare on one collection or on several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift._evaluate.curve import TITLES, Curve, Metric, check_metric
from termsift._evaluate.statistics import (
    Floats,
    Friedman,
    corrected_t,
    friedman,
    holm,
    nemenyi_difference,
    ranks,
    sign_test,
)
from termsift._util import validation
from termsift._util.export import Tabular
from termsift._util.faults import concerning, wrong_value
from termsift._util.shown import ROWS, Column, Section

_EQUAL = 1e-12  # values that differ by less are equal, up to the order of summation


def common_ks(collections: Sequence[Mapping[str, Curve]]) -> NDArray[np.int64]:
    """Return the numbers of terms that all curves of all collections have."""
    every = [curve.ks for of in collections for curve in of.values()]
    return reduce(np.intersect1d, every) if every else np.empty(0, dtype=np.int64)


def values_of(
    curve: Curve, metric: Metric, k: int | None, ks: NDArray[np.int64] | None = None
) -> Floats:
    """Return the metric of each run, at k or as the mean over ks, by default all of the curve."""
    runs = curve.runs[check_metric(metric)]
    k = None if k is None else validation.check_integer(k, "k", least=1)
    if k is None:
        chosen = np.ones(len(curve), dtype=bool) if ks is None else np.isin(curve.ks, ks)
        return np.asarray(runs[:, chosen].mean(axis=1), dtype=np.float64)
    (at,) = np.nonzero(curve.ks == k)
    if not len(at):
        raise wrong_value(
            "the curve of {name} has no {k=}; it has {ks}",
            name=curve.name,
            k=k,
            ks=validation.listed(curve.ks.tolist()),
        )
    return runs[:, at[0]]


@dataclass(frozen=True, eq=False)
class Certainty(Tabular):
    """How the rankings of one cross-validation compare, and how sure that is.

    Attributes
    ----------
    rankings : list of str
        The names of the rankings, in the order of the curves.
    metric : str
    k : int or None
        The number of terms, or None for the mean over all numbers of terms.
    reference : str
        The ranking with which the others are compared, by default the best.
    level : float
        The confidence of the intervals.
    table : dict of str to ndarray of shape (n_rankings,)
        The `columns` of numbers.
    """

    rankings: list[str]
    metric: Metric
    k: int | None
    reference: str
    level: float
    table: Mapping[str, NDArray[Any]]

    @classmethod
    def of(
        cls,
        curves: Mapping[str, Curve],
        metric: Metric,
        k: int | None,
        to: str | None,
        level: float,
        ks: NDArray[np.int64] | None = None,
    ) -> Certainty:
        """Compare curves of the same folds; see `Curves.certainty`."""
        level = validation.check_number(level, "level", "above 0 and below 1")
        names = list(curves)
        if not names:
            raise concerning(ValueError("there are no curves to compare"), "curves")
        first = curves[names[0]]
        for curve in curves.values():
            curve.std(metric)  # raises an error if there is one run
            if curve.n_runs != first.n_runs:
                raise wrong_value(
                    "{a} has {n} runs and {b} has {m}: compare curves of the same folds",
                    a=first.name,
                    n=first.n_runs,
                    b=curve.name,
                    m=curve.n_runs,
                )
        values = np.array([values_of(curve, metric, k, ks) for curve in curves.values()])
        if to is not None:
            validation.check_choice(to, names, "to")
        reference = int(np.argmax(values.mean(axis=1))) if to is None else names.index(to)
        own = corrected_t(values.T, first._ratio)
        gaps = corrected_t((values - values[reference]).T, first._ratio)
        low, high = own.interval(first.n_runs, level)
        gap_low, gap_high = gaps.interval(first.n_runs, level)
        unknown = (gaps.error == 0) & (np.abs(gaps.mean) > _EQUAL)  # equal in all runs, but not 0
        gap_low[unknown] = gap_high[unknown] = np.nan
        others = np.arange(len(names)) != reference
        adjusted = np.ones(len(names))
        adjusted[others] = holm(gaps.pvalue[others])
        table = {
            "mean": own.mean,
            "low": low,
            "high": high,
            "difference": gaps.mean,
            "difference_low": gap_low,
            "difference_high": gap_high,
            "pvalue": np.where(others, gaps.pvalue, 1.0),
            "pvalue_adj": adjusted,
            "as_good": (adjusted > 1 - level) | (gaps.mean >= 0),
        }
        return cls(names, metric, k, names[reference], level, table)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name.

        They are ranking, mean and its interval low to high, difference to the reference and its
        interval difference_low to difference_high, pvalue of the difference 0, pvalue_adj (Holm's
        over all rankings), and as_good: whether the ranking is not significantly worse than the
        reference.
        """
        return {"ranking": validation.object_array(self.rankings), **self.table}

    def __len__(self) -> int:
        return len(self.rankings)

    def __repr__(self) -> str:
        at = "over all numbers of terms" if self.k is None else f"with {self.k:,} terms"
        return f"<Certainty of {TITLES[self.metric]} {at}, compared with {self.reference}>"

    def _sections(self) -> list[Section]:
        order = np.argsort(-self.table["mean"], kind="stable")[:ROWS]
        rows = {name: column[order].tolist() for name, column in self.columns().items()}
        columns = [Column("ranking", rows["ranking"])]
        for name in ("mean", "low", "high", "difference", "difference_low", "difference_high"):
            columns.append(Column(name.replace("_", " "), rows[name], ".4f"))
        columns.append(Column("pvalue_adj", rows["pvalue_adj"], ".2g"))
        return [Section(columns, len(self) - len(order))]


@dataclass(frozen=True, eq=False)
class Agreement(Tabular):
    """How rankings compare over several collections, and how sure that is.

    Attributes
    ----------
    rankings : list of str
        The names of the rankings that all collections have.
    collections : list of str
    metric : str
    k : int or None
        The number of terms, or None for the mean over the numbers that all collections have.
    reference : str
        The ranking with which the others are compared, by default that of the best mean rank.
    values : ndarray of shape (n_collections, n_rankings)
        The metric of each ranking on each collection.
    friedman : Friedman
        Friedman's test that all rankings are equally good: chi2, F and pvalue (Iman and Davenport).
    critical_difference : float
        The least difference of two mean ranks that Nemenyi's test finds significant at 1 - level.
    left_out : list of str
        The rankings that some collections lack, and that are not compared.
    """

    rankings: list[str]
    collections: list[str]
    metric: Metric
    k: int | None
    reference: str
    level: float
    values: Floats
    friedman: Friedman
    critical_difference: float
    left_out: list[str]
    table: Mapping[str, NDArray[Any]]

    @classmethod
    def of(
        cls,
        collections: Mapping[str, Mapping[str, Curve]],
        metric: Metric,
        k: int | None,
        to: str | None,
        level: float,
    ) -> Agreement:
        """Compare the rankings of several collections; see `Comparison.agreement`."""
        level = validation.check_number(level, "level", "above 0 and below 1")
        every = list(collections.values())
        names = [name for name in (every[0] if every else ()) if all(name in c for c in every)]
        if len(every) < 2 or not names:
            raise concerning(
                ValueError(
                    f"{validation.number_of(len(every), 'collection')} with "
                    f"{validation.number_of(len(names), 'ranking')} in common: an agreement needs "
                    "two collections and a ranking that both have"
                ),
                "collections",
            )
        shared = common_ks(every)
        if k is None and not len(shared):
            raise concerning(ValueError("the collections have no k in common: pass k"), "k")
        values = np.empty((len(every), len(names)))
        for row, (title, of) in enumerate(collections.items()):
            with validation.naming(f"collection {title}"):
                values[row] = [values_of(of[name], metric, k, shared).mean() for name in names]
        mean_ranks = ranks(values).mean(axis=0)
        if to is not None:
            validation.check_choice(to, names, "to")
        reference = int(np.argmin(mean_ranks)) if to is None else names.index(to)
        gaps = values - values[:, [reference]]
        wins, losses = ((sign * gaps > _EQUAL).sum(axis=0) for sign in (1, -1))
        pvalues = np.array([sign_test(*pair) for pair in zip(wins, losses, strict=True)])
        others = np.arange(len(names)) != reference
        adjusted = np.ones(len(names))
        adjusted[others] = holm(pvalues[others])
        several = len(names) > 1
        difference = nemenyi_difference(len(every), len(names), level) if several else np.inf
        table = {
            "mean": values.mean(axis=0),
            "mean_rank": mean_ranks,
            "wins": wins,
            "ties": len(every) - wins - losses,
            "losses": losses,
            "pvalue": pvalues,
            "pvalue_adj": adjusted,
            "as_good": mean_ranks < mean_ranks[reference] + difference,
        }
        return cls(
            names,
            list(collections),
            metric,
            k,
            names[reference],
            level,
            values,
            friedman(values) if several else Friedman(0.0, 0.0, 1.0),
            float(difference),
            list(dict.fromkeys(name for of in every for name in of if name not in names)),
            table,
        )

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name.

        They are ranking, mean and mean_rank over the collections, the numbers of collections on
        which the ranking wins against the reference, ties with it and loses to it, pvalue of the
        sign test, pvalue_adj (Holm's over all rankings), and as_good: whether Nemenyi's test finds
        no difference of the mean ranks.
        """
        return {"ranking": validation.object_array(self.rankings), **self.table}

    def __len__(self) -> int:
        return len(self.rankings)

    def __repr__(self) -> str:
        at = "over all numbers of terms" if self.k is None else f"with {self.k:,} terms"
        where = validation.number_of(len(self.collections), "collection")
        return f"<Agreement of {where} on {TITLES[self.metric]} {at}>"

    def _sections(self) -> list[Section]:
        order = np.argsort(self.table["mean_rank"], kind="stable")[:ROWS]
        rows = {name: column[order].tolist() for name, column in self.columns().items()}
        columns = [Column("ranking", rows["ranking"]), Column("mean", rows["mean"], ".4f")]
        columns.append(Column("mean rank", rows["mean_rank"], ".2f"))
        columns += [Column(name, rows[name], "d") for name in ("wins", "ties", "losses")]
        columns.append(Column("pvalue_adj", rows["pvalue_adj"], ".2g"))
        return [Section(columns, len(self) - len(order))]

    def _note(self) -> str:
        return self.summary

    @property
    def summary(self) -> str:
        """The tests of all rankings together in words, and the rankings that are left out."""
        text = f"Friedman: p = {self.friedman.pvalue:.2g}."
        if np.isfinite(self.critical_difference):
            text += (
                f" Mean ranks that differ by less than {self.critical_difference:.2f} are not "
                "significantly different (Nemenyi)."
            )
        if self.left_out:
            text += f"\nLeft out, because a collection lacks them: {', '.join(self.left_out)}."
        return text
