"""`compare` cross-validates methods on several collections; `Comparison` holds the results."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift._evaluate.certainty import Agreement, common_ks
from termsift._evaluate.classifiers import as_classifier
from termsift._evaluate.curve import Metric
from termsift._evaluate.curves import Curves
from termsift._evaluate.evaluation import check_ks, evaluated
from termsift._evaluate.latex import Cell, escaped, latex_table, same_shown
from termsift._evaluate.rankers import AnyMethod, Ranker, rankers_of
from termsift._scores.scoring import Alpha
from termsift._util import validation
from termsift._util.export import Tabular
from termsift._util.faults import said, wrong_type, wrong_value
from termsift._util.messages import levels_to_caller
from termsift._util.shown import Section


class Comparison(dict[str, Curves], Tabular):
    """The curves of several collections by name: a dict of `Curves` with the methods of a table."""

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name: collection, and the columns of its `Curves`."""
        tables = {name: curves.columns() for name, curves in self.items()}
        sizes = [len(table["k"]) for table in tables.values()]
        columns = {"collection": np.repeat(validation.object_array(list(self)), sizes)}
        known = list(dict.fromkeys(name for table in tables.values() for name in table))
        for name in known:
            parts = [
                table[name] if name in table else np.full(size, np.nan)
                for table, size in zip(tables.values(), sizes, strict=True)
            ]
            columns[name] = np.concatenate(parts)
        return columns

    def agreement(
        self,
        metric: Metric = "accuracy",
        k: int | None = None,
        *,
        to: str | None = None,
        level: float = 0.95,
    ) -> Agreement:
        """Compare the rankings over the collections: mean ranks, a sign test, Friedman, Nemenyi.

        Parameters
        ----------
        metric, k, level
            As for `Curves.certainty`.
        to : str, optional
            The ranking with which the others are compared, by default the one of the best mean
            rank.

        Returns
        -------
        agreement : Agreement
            Rankings that a collection lacks are left out.

        Raises
        ------
        ValueError
            If there are fewer than two collections, or no ranking that all have.

        References
        ----------
        Demsar, Statistical Comparisons of Classifiers over Multiple Data Sets, JMLR 7, 2006.

        Examples
        --------
        >>> import termsift as ts
        >>> def curves(md, df):
        ...     runs = {"md": [[md]], "df": [[df]]}
        ...     return ts.Curves({n: ts.Curve(n, [10], {"accuracy": r}) for n, r in runs.items()})
        >>> found = ts.Comparison(a=curves(0.9, 0.8), b=curves(0.7, 0.5)).agreement()
        >>> found.reference, found.columns()["mean_rank"], found.columns()["losses"]
        ('md', array([1., 2.]), array([0, 2]))
        """
        return Agreement.of(self, metric, k, to, level)

    def to_latex(
        self, metric: Metric = "accuracy", k: int | None = None, *, level: float = 0.95
    ) -> str:
        """Return a table of LaTeX: a row for each ranking, a column for each collection.

        Parameters
        ----------
        metric, level
            As for `Curves.to_latex`.
        k : int, optional
            The number of terms, by default all, whose mean is shown.

        Returns
        -------
        table : str
            As for `Curves.to_latex`. If there are several collections, the last two columns are the
            mean and the mean rank.
        """
        if not self:
            raise wrong_value("there are no {collections} to show")
        every = list(self.values())
        names = [name for name in every[0] if all(name in curves for curves in every)]
        shared = common_ks(every)
        columns: list[list[Any]] = [
            list(Cell.column({name: of[name] for name in names}, metric, k, level, shared))
            for of in every
        ]
        heads = [escaped(name) for name in self]
        if len(self) > 1:
            found = self.agreement(metric, k, level=level)
            means, mean_ranks = found.table["mean"], found.table["mean_rank"]
            columns.append([Cell(x, same_shown(x, means.max()), False) for x in means.tolist()])
            columns.append([f"{rank:.2f}" for rank in mean_ranks.tolist()])
            heads += ["mean", "mean rank"]
        return latex_table(metric, names, heads, columns)

    def _title(self) -> str:
        return f"Accuracy on {validation.number_of(len(self), 'collection')}"

    def _sections(self) -> list[Section]:
        return [
            Section(columns, n_more, str(name))
            for name, curves in self.items()
            for columns, n_more, _ in curves._sections()
        ]


def _pair_of(given: Any) -> tuple[Any, Any] | None:
    """Return X and y of a pair, or of what `termsift.io` reads, or None if there are none."""
    if isinstance(given, (tuple, list)) and len(given) == 2:
        return given[0], given[1]
    return (given.X, given.y) if hasattr(given, "X") and hasattr(given, "y") else None


def compare(
    collections: Mapping[str, Any],
    methods: AnyMethod | Iterable[AnyMethod] | Mapping[str, AnyMethod] = ("md",),
    ks: Iterable[int] | None = None,
    cv: Any = 10,
    random_state: Any = 0,
    *,
    models: str | Iterable[str] = ("multinomial",),
    policies: str | Iterable[str] = ("top",),
    alpha: Alpha = 1.0,
    classifier: Any = "multinomial",
    classifier_alpha: float = 1.0,
    n_threads: int | None = None,
) -> Comparison:
    """Cross-validate several methods on several collections.

    Parameters
    ----------
    collections : dict of str to pair (X, y)
        The documents and labels of each collection, as for `cross_validate`, by name, or what
        `termsift.io` reads. A function that returns them is called when their turn comes, so that
        they need not be in memory together.
    ks : sequence of int, optional
        As for `selection_curve`. A collection uses those up to its number of terms.
    methods, cv, random_state, models, policies, alpha
        As for `cross_validate`.
    classifier, classifier_alpha, n_threads
        As for `selection_curve`.

    Returns
    -------
    comparison : Comparison, a dict of str to Curves

    Raises
    ------
    ValueError, TypeError
        As for `cross_validate`, and if no collection can be evaluated.

    Warns
    -----
    UserWarning
        If a collection cannot be read or evaluated, it is left out, and the warning names it.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> X = np.array([[3, 0, 1], [2, 0, 0], [0, 2, 1], [0, 3, 1]])
    >>> y = ["ham", "ham", "spam", "spam"]
    >>> found = ts.compare({"mail": (X, y), "more": (2 * X, y)}, ["md", "chi2"], ks=[1, 2], cv=2)
    >>> list(found), list(found["mail"])
    (['mail', 'more'], ['md', 'chi2'])
    >>> found.agreement(k=2).columns()["mean"]
    array([1., 1.])
    """
    validation.check_kind(collections, Mapping, "collections")
    for name, given in collections.items():
        if not (callable(given) or _pair_of(given)):
            raise wrong_type(
                "collections[{name!r}] must be a pair (X, y), or a function that returns it, got "
                "{kind}",
                name=name,
                kind=validation.a_kind(given),
            )
    as_classifier(classifier, classifier_alpha, n_threads)
    validation.check_alpha(alpha)
    # Each collection needs these again, so an iterator is read once.
    once: Any = methods
    if isinstance(methods, Mapping):
        once = dict(methods)
    elif not (isinstance(methods, (str, Ranker)) or callable(methods)):
        once = list(validation.check_iterable(methods, "methods", "methods"))
    models = validation.check_words(models, "models")
    policies = validation.check_words(policies, "policies")
    rankers_of(once, models, policies)
    folds = list(cv) if isinstance(cv, Iterator) else cv
    wanted = None
    if ks is not None:
        numbers = validation.check_iterable(ks, "ks", "integers")
        wanted = [validation.check_integer(k, said("each of {ks}"), 1) for k in numbers]
    found, failed = Comparison(), dict[str, Exception]()

    def of(name: str) -> Curves:
        given = collections[name]
        pair = _pair_of(given() if callable(given) else given)
        if pair is None:
            raise wrong_type("the function must return a pair (X, y)")
        X, y = pair
        n_terms = validation.check_matrix(X, 0).n_terms
        own = (wanted and [k for k in wanted if k <= n_terms]) or wanted
        return evaluated(
            X,
            y,
            once,
            None if own is None else check_ks(own, n_terms),
            folds,
            random_state,
            models=models,
            policies=policies,
            alpha=alpha,
            classifier=classifier,
            classifier_alpha=classifier_alpha,
            n_threads=n_threads,
            place=f"{name}: ",
        )

    for name in collections:
        try:
            found[name] = of(name)
        except MemoryError:
            raise
        except Exception as error:
            failed[name] = error.with_traceback(None)
            error.__cause__ = error.__context__ = None  # they too would keep the documents
    for name, reason in failed.items():
        if not found:
            reason.add_note(f"termsift evaluated the collection {name}.")
            raise reason
        what = f"{type(reason).__name__}: {reason}"
        warnings.warn(f"the collection {name} is left out: {what}", stacklevel=levels_to_caller())
    if not found:
        raise wrong_value("{collections} is empty")
    return found
