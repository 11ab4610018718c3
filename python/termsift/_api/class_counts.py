"""`ClassCounts`: what was counted, and the scores, tests, rankings and choices that follow."""

from __future__ import annotations

import inspect
import math
import os
import warnings
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._counts import file
from termsift._counts.table import CountTable
from termsift._scores.class_scores import ADJUSTMENTS, Adjustment, ClassScoring, class_columns
from termsift._scores.ranking import Ranking
from termsift._scores.registry import (
    Method,
    Policy,
    Selector,
    check_model,
    check_policy,
    find_aggregate,
    find_method,
    find_ranker,
    find_test,
    selectors,
)
from termsift._scores.significance import Significance, significance_of
from termsift._util import validation
from termsift._util.frames import Library, frame_of
from termsift._util.later import call_later_stage
from termsift._util.log import levels_to_caller, logger
from termsift._util.printable import printable_errors
from termsift._util.progress import progress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ClassPrior = Literal["empirical", "uniform"] | Sequence[float] | NDArray[Any] | None
Alpha = float | tuple[float, float]
Model = Literal["multinomial", "binary", "bernoulli", "poisson"]


_GREEDY = selectors()[0]
# Models under which terms tell the classes apart each on its own: divergences add up.
_INDEPENDENT = ("bernoulli", "poisson")


@printable_errors()
def load(path: str | os.PathLike[str]) -> ClassCounts:
    """Load counts that `ClassCounts.save` wrote.

    Parameters
    ----------
    path : path
        The file; nothing in it is executed.

    Returns
    -------
    counts : ClassCounts

    Raises
    ------
    ValueError
        If the file is damaged, truncated, of another version or not one of saved counts.
    """
    return ClassCounts._of(*file.read_counts(path))


def divergence(
    counts: ClassCounts,
    indices: Any,
    *,
    model: Model = "multinomial",
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = None,
) -> float:
    """Tell how well some terms together tell the classes apart, all others being one.

    Parameters
    ----------
    counts : ClassCounts
    indices : array of integers
        The terms' columns, each once, in any order.
    model, alpha, class_prior
        As for `ClassCounts.greedy`.

    Returns
    -------
    divergence : float
        The JMH divergence of the classes in nats; 0 for no terms.

    Raises
    ------
    ValueError
        For an index outside the vocabulary or given twice, and as for `ClassCounts.greedy`.
    TypeError
        If the indices are not integers.

    Notes
    -----
    The variables are the given terms and the pool of all others, of probability
    1 - sum of the terms' p; the divergence is the sum over classes and variables of p log(p/q).
    More terms never make it less. Of a single term it is the score `md`. Under the models
    "bernoulli" and "poisson" the terms are independent, and it is the sum of their `md`.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> counts = ts.count(np.array([[4, 1, 0], [0, 1, 2]]), ["ham", "spam"])
    >>> round(ts.divergence(counts, [0]), 4)
    0.9718
    >>> round(ts.divergence(counts, [0, 2]), 4)
    1.1496
    """
    check_model(model, _GREEDY)
    validation.check_kind(counts, ClassCounts, "counts")
    terms = validation.check_indices(indices, counts.n_terms)
    if model in _INDEPENDENT:
        scores = counts.score("md", model=model, alpha=alpha, class_prior=class_prior)
        return math.fsum(scores[terms])
    b1, b2 = validation.check_smoothing(alpha, counts.n_terms, model)
    prior = validation.check_class_prior(class_prior, counts.n_classes)
    return _core.divergence(counts._counted_by(model), b1, b2, prior, terms)


class ClassCounts(CountTable):
    """How often each term occurs in each class, and in how many of its documents.

    Made by `termsift.count` and `termsift.load`. Counts of shards add (``a + b``) and counts of
    parts subtract (``whole - fold``); every score follows from them without another look at the
    documents.

    Attributes
    ----------
    classes : list of labels
    class_docs : ndarray of shape (n_classes,)
        Documents of each class, n_c (sums of their weights).
    class_tokens : ndarray of shape (n_classes,)
        Occurrences of all terms in each class, l_c.
    term_frequency : csr_array of shape (n_classes, n_terms)
        Occurrences of each term in each class, l_ic.
    document_frequency : csr_array of shape (n_classes, n_terms)
        Documents of each class that contain each term, d_ic.
    n_docs : int or float
        Documents, each once, whatever the number of its classes (the sum of their weights).
    n_terms, n_classes : int
    term_names : ndarray of shape (n_terms,), str objects, or None
        May be set; a ranking then knows its terms by name.
    tf : str
        What counts of a document's occurrences, "raw", "log" or "binary": see `termsift.count`.
        Then l_ic are sums of that.

    Notes
    -----
    Every count is int64 for integer input, float64 otherwise. Only pairs of a class and a term that
    occurs in it are kept: memory is 12 bytes a pair, 20 in a class whose tokens may exceed 2^32 or
    are fractions.
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        html: str = call_later_stage("report._notebook", "show_counts", self)
        return html

    # ---- scores ----------------------------------------------------------------------------------

    def class_scores(
        self,
        method: str = "md",
        *,
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = None,
        n_threads: int | None = None,
        **options: str,
    ) -> NDArray[np.float64]:
        """Score every term for every class.

        Parameters
        ----------
        method, model, alpha, class_prior, n_threads, **options
            As for `score`.

        Returns
        -------
        class_scores : ndarray of shape (n_classes, n_terms), float64
            The value of each class before they are aggregated; 0 for classes without documents.
        """
        scoring = self._class_scoring(method, model, alpha, class_prior, n_threads, **options)
        return scoring.scores()

    def class_directions(
        self,
        method: str = "md",
        *,
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = None,
        n_threads: int | None = None,
        **options: str,
    ) -> NDArray[np.int8]:
        """Return whether each class has more of each term than the others, or less.

        Parameters
        ----------
        method, model, alpha, class_prior, n_threads, **options
            As for `score`.

        Returns
        -------
        directions : ndarray of shape (n_classes, n_terms), int8
            1 where the term speaks for the class, -1 where it speaks against it, 0 for neither and
            for classes without documents.

        Notes
        -----
        Most class scores say how far a class is from the others, and are large on either side. The
        direction says on which side it is, by the very numbers that the score compares: it is the
        sign of p_ic - q_ic for `md` and `md_chi2`, with the model, the smoothing and the priors
        given, of l_ic - E for `chi2_counts`, of l_ic l - l_i l_c for `log_odds` and `tfidf`, and of
        det = AD - BC for all other methods. `df` and `tfidf` compare no class with the others;
        theirs is the direction of what they count.

        Under smoothing a small class may have the larger p of a term that it never uses: its share
        of the b1 added to every count is the largest. By `md` the direction is then 1.

        Where p and q are equal, class scores of `md` and `md_chi2` are 0, and only there.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> counts = ts.count(np.array([[4, 1, 0], [0, 1, 2]]), ["ham", "spam"])
        >>> counts.class_directions("md")
        array([[ 1, -1, -1],
               [-1,  1,  1]], dtype=int8)
        """
        scoring = self._class_scoring(method, model, alpha, class_prior, n_threads, **options)
        return scoring.directions()

    def _class_scoring(
        self,
        method: str,
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = None,
        n_threads: int | None = None,
        **options: str,
    ) -> ClassScoring:
        chosen = find_method(method)
        measure = chosen.measure(options, check_model(model, chosen))
        self._check_whole(chosen, model)
        b1, b2 = validation.check_smoothing(alpha, self.n_terms, model)
        prior = validation.check_class_prior(class_prior, self.n_classes)
        threads = validation.check_n_threads(n_threads)
        counts = self._counted_by(model, threads)
        return ClassScoring(counts, (measure, b1, b2, prior, threads))

    def score(
        self,
        method: str = "md",
        *,
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = None,
        aggregate: Literal["sum", "mean", "max"] | None = None,
        n_threads: int | None = None,
        **options: str,
    ) -> NDArray[np.float64]:
        """Score every term by how well it tells the classes apart.

        Parameters
        ----------
        method : str
            A name of `termsift.methods`.
        model : {"multinomial", "binary", "bernoulli", "poisson"}
            What is counted, for methods whose ``models`` name it; see Notes.
        alpha : float or (b1, b2)
            Smoothing, p_ic = (l_ic + b1) / (l_c + b2). One number means b1 = alpha,
            b2 = alpha * n_terms; 1 is Laplace's. Of `log_odds`, b2 is the mass of the prior: 0, or
            between 2^-450 and 2^450 times the occurrences. Needs 0 <= b1 <= b2. The model
            "bernoulli" takes one number as (alpha, 2 alpha), "poisson" as (alpha, alpha); its b1
            may exceed b2.
        class_prior : {"empirical", "uniform"}, array of shape (n_classes,), or None
            The class priors pi_c; an array is normalised to sum to 1. None means empirical, the
            class's share of the documents.
        aggregate : {"sum", "mean", "max"}, optional
            How the classes' values become one, "mean" weighted by pi_c. By default the method's
            own.
        n_threads : int, optional
            As for `termsift.count`.
        **options
            The method's own options, e.g. ``noncentrality="pearson"`` of md_chi2.

        Returns
        -------
        scores : ndarray of shape (n_terms,), float64
            In nats for divergences. Never NaN. Infinite where `termsift.methods` says so of empty
            cells, and without smoothing for a term that some classes have and others lack. A sum or
            mean of both inf and -inf is 0.

        Raises
        ------
        ValueError
            If fewer than two classes have documents, or an argument is not as above.

        Notes
        -----
        q_ic = sum_{k != c} pi_k p_ik / (1 - pi_c) is the mixture of the other classes. Classes
        without documents take no part. 0 log 0 = 0, x log(x/0) = inf, 0/0 = 0. Accurate to 4 ulp
        in ordinary cases, and to a relative 1e-14 unless p and q agree to more than 16 digits.
        O(pairs of a class and a term it contains), but O(n_classes * n_terms) for `md` and
        `md_chi2` of few classes or by the largest value. The sum or mean of `g2`, `bns`,
        `relevancy` or `log_odds` takes O(n_classes) more for each distinct total of a term; whole
        counts have at most sqrt(2 * occurrences) of them.

        Models: "multinomial" is as above. "binary" counts documents in place of occurrences,
        p_ic = (d_ic + b1) / (sum_i d_ic + b2). "bernoulli" tosses a coin for each document,
        p_ic = (d_ic + b1) / (n_c + b2). "poisson" has rates in place of probabilities,
        p_ic = (l_ic + b1) / (n_c + b2), at most 2^64, and formulas without complement: `md` is
        p log(p/q) - p + q, `md_chi2` is 1/2 [(p-q)^2/q + (p-q)^2/p] or (p-q)^2/q.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> counts = ts.count(np.array([[4, 1, 0], [0, 1, 2]]), ["ham", "spam"])
        >>> counts.score("md").round(4)
        array([0.9718, 0.0338, 0.7297])
        """
        chosen = find_method(method)
        measure, how = (
            chosen.measure(options, check_model(model, chosen)),
            find_aggregate(aggregate, chosen),
        )
        self._check_whole(chosen, model)
        b1, b2 = validation.check_smoothing(alpha, self.n_terms, model)
        prior = validation.check_class_prior(class_prior, self.n_classes)
        threads = validation.check_n_threads(n_threads)
        if how is None:
            return _core.collection_scores(self._counts, measure, threads)
        counts = self._counted_by(model, threads)
        return _core.score(counts, measure, how, b1, b2, prior, threads)

    def significance(
        self,
        method: str = "chi2",
        *,
        per_class: bool = False,
        n_threads: int | None = None,
    ) -> Significance:
        """Test whether terms and classes are related more than by chance.

        Parameters
        ----------
        method : {"chi2", "g2", "chi2_counts"}
            The statistic. chi2 and g2 test the presence of a term in documents of a class, against
            the other documents, with one degree of freedom. chi2_counts is scikit-learn's chi2.
        per_class : bool, default False
            Test each class against the others. Otherwise chi2 and g2 give the class in which they
            are largest, and chi2_counts the sum over all classes, with one degree of freedom less
            than there are classes with documents.
        n_threads : int, optional
            As for `termsift.count`.

        Returns
        -------
        significance : Significance
            Statistics, p-values, their logarithms and signs, to be adjusted for the number of
            tests. Classes without documents and terms that no document has: statistic 0, sign 0.

        Raises
        ------
        ValueError
            If fewer than two classes have documents, or the method is no test.

        Notes
        -----
        Of one class, scikit-learn's statistic is that of the class against the rest,
        (l_ic - E)^2 / E / (1 - n_c/n) with E = l_i n_c / n. O(pairs) in time and memory;
        O(n_classes * n_terms) per class.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> X = np.array([[1, 1], [1, 0], [0, 1], [0, 1]])
        >>> found = ts.count(X, ["ham", "ham", "spam", "spam"]).significance("chi2")
        >>> found.statistics.round(4), found.pvalues.round(4), found.signs
        (array([4.    , 1.3333]), array([0.0455, 0.2482]), array([ 1, -1], dtype=int8))
        """
        chosen = find_test(method)
        measure = chosen.measure({})
        self._check_whole(chosen)
        threads = validation.check_n_threads(n_threads)
        n_c = np.asarray(self.class_docs, dtype=np.float64)
        present = n_c > 0
        if present.sum() < 2:
            raise ValueError(
                "a test compares classes: at least two with documents are needed, got "
                f"{present.sum()}"
            )
        names = (self.classes, self._term_names)
        if validation.check_flag(per_class, "per_class"):
            scoring = self._class_scoring(method, n_threads=n_threads)
            statistics, signs = scoring.scores(), scoring.directions()
            if method == "chi2_counts":
                rest = (1 - n_c / self.n_docs)[:, None]
                np.divide(statistics, rest, out=statistics, where=rest > 0)
            return significance_of(method, statistics, 1, signs, None, *names)
        statistics, classes, signs = _core.strongest_class(self._counts, measure, threads)
        if method != "chi2_counts":
            return significance_of(method, statistics, 1, signs, classes, *names)
        sums = self.score(method, n_threads=n_threads)
        return significance_of(method, sums, int(present.sum()) - 1, signs, classes, *names)

    def _check_whole(self, method: Method | Selector, model: str = "multinomial") -> None:
        """Warn once if a method of occurrences is given fractions that no weight explains."""
        of_documents = "term frequency" not in method.needs or model in ("binary", "bernoulli")
        if self._warned or self._counts.exact or self._tf != "raw" or of_documents:
            return
        docs = self._counts.class_docs
        if np.any(docs != np.floor(docs)):
            return
        self._warned = True  # or looked at, which is not worth a second time
        found = self._counts.first_fraction()
        if found is None:
            return
        c, term, value = found
        warnings.warn(
            f"{method.name} is of occurrences, but X holds fractions, such as tf-idf (class "
            f"{self._classes[c]!r} has term {term} {value:g} times): count occurrences, or damp "
            "them by tf='log'",
            stacklevel=levels_to_caller(),
        )

    def _counted_by(self, model: str, n_threads: int = 0) -> _core.Counts:
        """Give the counts as the event model counts them."""
        if model == "multinomial":
            return self._counts
        return self._counts.as_counted_by(_core.EventModel.__members__[model], n_threads)

    def rank(
        self,
        method: str = "md",
        k: int | None = None,
        *,
        policy: Policy = "top",
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = None,
        aggregate: Literal["sum", "mean", "max"] | None = None,
        n_threads: int | None = None,
        **options: str,
    ) -> Ranking:
        """Rank the terms by their score, best first.

        Parameters
        ----------
        method : str
            A name of `termsift.methods` or `termsift.selectors`.
        model, alpha, class_prior, aggregate, n_threads, **options
            As for `score`; selectors have no aggregate and no options.
        k : int, optional
            How many terms; all if None or more than there are. A small k is selected without
            sorting the rest.
        policy : {"top", "round_robin"}, default "top"
            "top" takes the terms of the highest scores. "round_robin" lets the classes take turns:
            each lists the terms by its own value, and a term has the best place that any list gives
            it, so that classes of few documents get their share; terms of one place come by index.
            It has no aggregate.

        Returns
        -------
        ranking : Ranking
            Equal scores go to the lowest index. Terms with equal counts in every class have equal
            scores. Those of other terms may differ by rounding where the formula makes them equal.
            By round robin the scores are the class values that earned the terms their places.

        Raises
        ------
        ValueError, TypeError
            As `score`, and for a policy or an option that is not as above.

        Notes
        -----
        By round robin O(n_classes * n_terms) in time, and up to 160 MiB of memory.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> counts = ts.count(np.array([[4, 1, 0], [0, 1, 2]]), ["ham", "spam"])
        >>> counts.term_names = ["bacon", "and", "viagra"]
        >>> counts.rank("md", k=2).terms
        array(['bacon', 'viagra'], dtype=object)
        """
        check_policy(policy)
        if policy == "round_robin" and aggregate is not None:
            raise TypeError("round_robin ranks by the classes' own values and has no aggregate")
        chosen = find_ranker(method)
        if isinstance(chosen, Selector):
            if chosen.needs == "documents":
                raise ValueError(
                    f"{method} looks at the documents, which counts no longer have: use "
                    f"termsift.{method}(X, y, k)"
                )
            choose = {"greedy": self.greedy}[chosen.name]
            shared = {"aggregate": aggregate is not None, "policy": policy != "top"}
            given = (*options, *(option for option, is_given in shared.items() if is_given))
            if given:
                takes = inspect.signature(choose).parameters
                own = [f"{option}=..." for option in given if option in takes]
                hint = f"; use counts.{chosen.name}({', '.join(own)})" if own else ""
                raise TypeError(f"{method} has no option {', '.join(given)} in a ranking{hint}")
            return choose(k, model=model, alpha=alpha, class_prior=class_prior, n_threads=n_threads)
        k = validation.check_k(k, self.n_terms)
        if policy == "round_robin":
            measure = chosen.measure(options, check_model(model, chosen))
            self._check_whole(chosen, model)
            b1, b2 = validation.check_smoothing(alpha, self.n_terms, model)
            prior = validation.check_class_prior(class_prior, self.n_classes)
            threads = validation.check_n_threads(n_threads)
            counts = self._counted_by(model, threads)
            indices, values = _core.round_robin(counts, measure, b1, b2, prior, k, threads)
            return self._ranking(indices, values, method, policy=policy, model=model)
        scores = self.score(
            method,
            model=model,
            alpha=alpha,
            class_prior=class_prior,
            aggregate=aggregate,
            n_threads=n_threads,
            **options,
        )
        indices = _core.top_k(scores, k)
        return self._ranking(indices, scores[indices], method, model=model)

    def plot_classes(
        self,
        method: str = "md",
        k: int = 10,
        classes: Iterable[Hashable] | None = None,
        *,
        path: str | os.PathLike[str] | None = None,
        title: str | None = None,
        **scoring: Any,
    ) -> Figure:
        """Draw the leading terms of each class: see `termsift.plots.plot_classes`.

        Returns
        -------
        figure : matplotlib.figure.Figure
        """
        shown = {"method": method, "k": k, "classes": classes, "title": title, **scoring}
        figure: Figure = call_later_stage("plots", "plot_classes", self, path, **shown)
        return figure

    def greedy(
        self,
        k: int | None = None,
        *,
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = None,
        exhaustive: bool = False,
        n_threads: int | None = None,
    ) -> Ranking:
        """Choose terms one after the other, each the best beside those chosen before it.

        Parameters
        ----------
        k : int, optional
            How many terms; all if None or more than there are. A small k takes less time.
        model : {"multinomial", "binary", "bernoulli", "poisson"}
            As for `score`. Under "bernoulli" and "poisson" the terms are independent: the order is
            that of `md`, the scores are its running sums, and alpha is as for `score`.
        alpha : float or (b1, b2)
            As for `score`, but no term may have probability 0 in a class, and those of a class may
            not exceed 1 in sum: b1 * n_terms <= b2. Simple fractions are taken for what they are
            written as: 0.1 is 1/10.
        class_prior
            As for `score`.
        exhaustive : bool, default False
            Evaluate every term left at every step, as the algorithm is written: n_terms^2 / 2
            evaluations. By default bounds spare most of them; the ranking is the same.
        n_threads : int, optional
            As for `termsift.count`.

        Returns
        -------
        ranking : Ranking
            Its scores are the divergences after each step, in nats, of which none is less than the
            one before. From ``ranking.informative`` on no term adds anything. These terms come in
            the order of their indices, and so do terms that have equal counts in every class.

        Raises
        ------
        ValueError
            If fewer than two classes have documents, or an argument is not as above; if b1, or what
            a term has in a class, is less than a 2^40th of a class's tokens, unless counts and b1,
            times a common denominator, are whole and below 2^52 in sum.

        Notes
        -----
        Algorithm 1 of Tang, Kay and He. Step k looks at k + 1 variables for each term i left: the
        chosen terms, i, and the pool of all the rest, of probability 1 - p_ic - sum_s p_sc. It
        chooses the i with the largest sum over classes and variables of p log(p/q), which for two
        classes is the J-divergence. For more classes the paper leaves the algorithm open, and JMH
        in place of J is ours.

        `md` is the divergence after the first step: both begin with the same term, but for ties.
        Later ones may differ, since `md` takes no account of what the terms before it have already
        told.

        The order is that of gains from probabilities that are exact for whole counts with simple
        smoothing, else rounded at 2^-52 of their class (2^-42 of one much smaller than others).
        Gains that rounding could decide, or that agree in 14 digits, may come in either order, and
        ``informative`` may count a gain that is rounding. So terms that are equally good by
        symmetry, such as one that is to one class what the other is to the next, need not come in
        the order of their indices. Scores are of the probabilities
        unrounded, within 1e-12 of their value. Memory: O(n_terms + terms of each class).

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> counts = ts.count(np.array([[9, 4, 3, 0], [2, 4, 3, 9]]), ["ham", "spam"])
        >>> ranking = counts.greedy()
        >>> ranking.indices
        array([3, 0, 1, 2])
        >>> ranking.scores.round(4)
        array([1.1174, 1.3693, 1.3693, 1.3693])
        >>> ranking.informative
        2
        """
        check_model(model, _GREEDY)
        self._check_whole(_GREEDY, model)
        k = validation.check_k(k, self.n_terms)
        if model in _INDEPENDENT:
            ranking = self.rank(
                "md", k, model=model, alpha=alpha, class_prior=class_prior, n_threads=n_threads
            )
            informative = int(np.count_nonzero(ranking.scores))
            sums = _core.running_sums(ranking.scores)
            return self._ranking(ranking.indices, sums, "greedy", informative, model=model)
        b1, b2 = validation.check_smoothing(alpha, self.n_terms, model)
        prior = validation.check_class_prior(class_prior, self.n_classes)
        threads = validation.check_n_threads(n_threads)
        with progress("chosen", k, "terms") as report:
            indices, divergences, informative, evaluations = _core.greedy(
                self._counted_by(model, threads),
                b1,
                b2,
                prior,
                k,
                validation.check_flag(exhaustive, "exhaustive"),
                threads,
                report,
            )
        logger.debug("chose %d terms in %d evaluations", k, evaluations)
        return self._ranking(indices, divergences, "greedy", informative, model=model)

    def to_frame(
        self,
        method: str = "md",
        k: int | None = None,
        *,
        per_class: bool = True,
        library: Library = "pandas",
        adjust: Adjustment = "bh",
        **scoring: Any,
    ) -> Any:
        """Give a table of each class's best terms, or of the collection's.

        Parameters
        ----------
        method : str
            A name of `termsift.methods`, and if not per class of `termsift.selectors`.
        k : int, optional
            How many terms of each class; all if None or more than there are.
        per_class : bool, default True
            Rows are the best terms of each class, by `class_scores`. Otherwise rows are the terms
            of one ranking, by `rank`.
        library : {"pandas", "polars", "pyarrow"}
            Whose table.
        adjust : {"bh", "bonferroni"}
            For methods that are tests: how p-values are adjusted for all tests that there are, a
            test each class and term, or each term, as by `Significance.adjusted`.
        **scoring
            As for `class_scores`, or if not per class for `rank`.

        Returns
        -------
        frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
            Per class, classes in their order, those without documents left out, and each class's
            terms best first:

            - class: the label.
            - term: the name, or null.
            - index: the column.
            - rank: from 1, of the class; of equal scores the lowest index first.
            - score: the class's value.
            - sign: 1 where the term is over-represented in the class, -1 under-represented, 0
              neither, by the numbers that the score compares: see `class_directions`. A score may
              be large for either.
            - n_class, n_rest: its occurrences in the class, and in documents outside it.
            - df_class, df_rest: documents with it, likewise.
            - log_pvalue, pvalue, pvalue_adj: of tests, those of `significance` per class.

            If not per class: rank, term (if names are known), index, score, and of tests
            log_pvalue, pvalue, pvalue_adj, those of `significance`, which for `chi2` and `g2` are
            of a term's strongest class.

        Raises
        ------
        ValueError, TypeError
            As `class_scores` and `rank`, and for an argument that is not as above. polars and
            pyarrow take labels of one kind only.
        ImportError
            If the library is not installed.

        Notes
        -----
        Per class O(n_classes * n_terms) in time and, beyond the table, some 64 MiB of memory: class
        scores that take more than 32 MiB are of some terms at a time. But "bh" depends on the order
        of all tests and takes 50 bytes for each class and term; "bonferroni" does not.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> counts = ts.count(np.array([[4, 1, 0], [0, 1, 2]]), ["ham", "spam"])
        >>> counts.term_names = ["bacon", "and", "viagra"]
        >>> counts.to_frame("md", k=1)[["class", "term", "rank", "sign", "n_class", "n_rest"]]
          class   term  rank  sign  n_class  n_rest
        0   ham  bacon     1     1        4       0
        1  spam  bacon     1    -1        0       4
        """
        columns = self.columns(method, k, per_class=per_class, adjust=adjust, **scoring)
        return frame_of(columns, library, "ClassCounts.to_frame")

    def columns(
        self,
        method: str = "md",
        k: int | None = None,
        *,
        per_class: bool = True,
        adjust: Adjustment = "bh",
        **scoring: Any,
    ) -> dict[str, NDArray[Any]]:
        """Give the columns of `to_frame` by name."""
        if not validation.is_one_of(adjust, ADJUSTMENTS):
            raise ValueError(f"adjust must be 'bh' or 'bonferroni', got {adjust!r}")
        if validation.check_flag(per_class, "per_class"):
            k = validation.check_k(k, self.n_terms)
            scores = self._class_scoring(method, **scoring)
            return class_columns(self, method, k, scores, adjust)
        ranking = self.rank(method, k, **scoring)
        columns = ranking.columns()
        if isinstance(chosen := find_ranker(method), Method) and chosen.is_test:
            found = self.significance(method, n_threads=scoring.get("n_threads"))
            columns |= {
                "log_pvalue": found.log_pvalues[ranking.indices],
                "pvalue": found.pvalues[ranking.indices],
                "pvalue_adj": found.adjusted(adjust)[ranking.indices],
            }
        return columns

    def _ranking(
        self,
        indices: NDArray[np.int64],
        scores: NDArray[np.float64],
        method: str,
        informative: int | None = None,
        *,
        policy: str = "top",
        model: str,
    ) -> Ranking:
        terms = None if self._term_names is None else self._term_names[indices]
        return Ranking(indices, scores, terms, method, informative, policy, model)
