"""`ClassCounts`: the counts of a collection, with scores, tests and rankings based on them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._classify.naive_bayes import naive_bayes
from termsift._counts.additive_counts import AdditiveCounts
from termsift._scores.class_terms import class_columns, largest_classes
from termsift._scores.keyness import keyness
from termsift._scores.methods import DescriberName, Method, MethodName, Model
from termsift._scores.ranking import Ranking
from termsift._scores.registry import DESCRIBING, POLICIES, Policy, find_ranker
from termsift._scores.scoring import Alpha, ClassPrior, Scoring
from termsift._scores.significance import significance
from termsift._select import greedy
from termsift._util.export import Library, frame_of, integers_if_whole
from termsift._util.shown import ROWS, Column, Section, Shown
from termsift._util.validation import check_choice, check_k, object_array

Aggregate: TypeAlias = Literal["sum", "mean", "max"]


class ClassCounts(AdditiveCounts, Shown):
    """Term and document frequencies by class, with the scores and rankings based on them.

    `termsift.count` and `termsift.load` return objects of this class. ``a + b`` adds the counts of
    two shards, and ``whole - fold`` subtracts the counts of a part. Every score is computed from
    the counts, without another pass over the documents.

    Notes
    -----
    All counts are int64 for integer input, and float64 otherwise. Counts are stored only for pairs
    of a class and a term that occurs in the class. Each stored pair takes 12 bytes, or 20 bytes if
    the counts of the class are fractions or may sum to more than 2^32.
    """

    __slots__ = ()

    greedy = greedy
    keyness = keyness
    naive_bayes = naive_bayes
    significance = significance

    def _sections(self) -> list[Section]:
        now = self._snapshot()
        largest = largest_classes(now, ROWS)
        labels = now.classes
        columns = [Column("class", [labels[row] for row in largest])]
        for title, sizes in (
            *([] if now._counts.undocumented.any() else [("documents", now.class_docs)]),
            ("tokens", now.class_tokens),
        ):
            columns.append(Column(title, integers_if_whole(sizes[largest]).tolist(), ",.10g"))
        return [Section(columns, now.n_classes - len(largest))]

    def class_scores(
        self,
        method: MethodName = "md",
        *,
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = None,
        n_threads: int | None = None,
        **options: str | bool,
    ) -> NDArray[np.float64]:
        """Score every term for every class.

        Parameters
        ----------
        method, model, alpha, class_prior, n_threads, **options
            As for `score`.

        Returns
        -------
        class_scores : ndarray of shape (n_classes, n_terms), float64
            The class values, which `score` aggregates. Classes without documents have the value 0.
        """
        self = self._snapshot()
        scoring = Scoring.of(self, method, model, alpha, class_prior, n_threads, **options)
        scoring.warn_of_unused_prior(method)
        return scoring.class_scores()

    def score(
        self,
        method: MethodName = "md",
        *,
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = None,
        aggregate: Aggregate | None = None,
        n_threads: int | None = None,
        **options: str | bool,
    ) -> NDArray[np.float64]:
        """Score every term by how well it discriminates the classes.

        Parameters
        ----------
        method : str
            A name of `termsift.methods`.
        model : {"multinomial", "binary", "bernoulli", "poisson"}
            The event model, for methods that support several models (see Notes).
        alpha : float or (b1, b2)
            The smoothing, with 0 <= b1 <= b2: b1 is added to the count of each term, and b2 to the
            size of each class (see Notes). One number means b1 = alpha and, depending on the model,
            b2 = n_terms alpha ("multinomial", "binary"), 2 alpha ("bernoulli") or alpha
            ("poisson"); 1 is Laplace smoothing. The model "poisson" also allows b1 > b2. For
            `log_odds`, b2 is the prior's total.
        class_prior : {"empirical", "uniform"}, array of shape (n_classes,), dict, or None
            The class priors pi_c, as an array in the order of ``classes`` or as a dict by label,
            which are normalised to sum to 1. By default, the prior of a class is its share of the
            documents. If neither the method nor the aggregate uses priors, a warning says so.
        aggregate : {"sum", "mean", "max"}, optional
            How the class values are combined into one score. The mean is weighted by the class
            priors. The default depends on the method, see ``default_aggregate`` in
            `termsift.methods`.
        n_threads : int, optional
            As for `termsift.count`.
        **options
            Options of the method, such as ``noncentrality="pearson"`` of md_chi2.

        Returns
        -------
        scores : ndarray of shape (n_terms,), float64
            The scores, which are never NaN. Divergences are in nats. With some methods, such as
            divergences without smoothing, a term that a class lacks has an infinite score (see
            Methods in the documentation). If values include inf and -inf, their sum or mean is 0.

        Raises
        ------
        ValueError
            If fewer than two classes have documents, or for an invalid argument.

        Notes
        -----
        Let class c have n_c documents, d_ic of them with term i, and let term i occur l_ic times in
        c. The models define the probability p_ic of term i in class c as

        - multinomial: (l_ic + b1) / (l_c + b2), where l_c = sum_i l_ic;
        - binary: (d_ic + b1) / (sum_i d_ic + b2);
        - bernoulli: (d_ic + b1) / (n_c + b2);
        - poisson: (l_ic + b1) / (n_c + b2), a rate of at most 2^64; the formulas then have no 1 - p
          and 1 - q: `md` is p log(p/q) - p + q, and `md_chi2` is 1/2 [(p-q)^2/q + (p-q)^2/p], or
          (p-q)^2/q for the noncentrality "pearson".

        Methods with event models compare p_ic with the mixture of all other classes that have
        documents, q_ic = sum_{k != c} pi_k p_ik / (1 - pi_c). By convention, 0/0 = 0, 0 log 0 = 0
        and x log(x/0) = inf. The relative error of a score is at most 1e-14 if p and q differ by at
        least 1e-15 * n_classes^2 * max(p, q). The time is O(pairs of a class and a term in it) or
        O(n_classes * n_terms), depending on the method (see Methods in the documentation).

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> counts = ts.count(np.array([[4, 1, 0], [0, 1, 2]]), ["ham", "spam"])
        >>> counts.score("md").round(4)
        array([0.9718, 0.0338, 0.7297])
        """
        self = self._snapshot()
        scoring = Scoring.of(self, method, model, alpha, class_prior, n_threads, **options)
        return scoring.scores(self._aggregate(aggregate, scoring))

    def _aggregate(self, name: str | None, scoring: Scoring) -> _core.Aggregate | None:
        """Return how the core combines class values, or None to score the whole collection."""
        if name is not None:
            check_choice(name, _core.Aggregate.__members__, "aggregate")
        how = name or scoring.method.default_aggregate
        if how == "mean" and scoring.smoothing[2] is None:  # a mean is weighted by the priors
            self._require_documents("the empirical class_prior", "pass class_prior='uniform'")
        scoring.warn_of_unused_prior(scoring.method.name, how)
        return None if how is None else _core.Aggregate.__members__[how]

    def rank(
        self,
        method: MethodName | Literal["greedy"] = "md",
        k: int | None = None,
        *,
        policy: Policy = "top",
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = None,
        aggregate: Aggregate | None = None,
        n_threads: int | None = None,
        **options: str | bool,
    ) -> Ranking:
        """Rank the terms by their score, best first.

        Parameters
        ----------
        method : str
            The name of one of `termsift.methods` or `termsift.selectors`.
        k : int, optional
            The number of terms. All terms are ranked by default, or if there are fewer than k
            terms. If k is small, only the k best terms are sorted, which is faster.
        policy : {"top", "round_robin"}, default "top"
            "top" takes the terms with the highest scores. With "round_robin" the classes take
            turns, so that small classes get their share. Each class lists the terms by its class
            scores, and a term is ranked by its best place in the lists. Round robin has no
            aggregate.
        model, alpha, class_prior, aggregate, n_threads, **options
            As for `score`. Selectors have no aggregate and no options.

        Returns
        -------
        ranking : Ranking
            Terms with equal scores are ordered by index. With round robin, ``chosen_by`` holds the
            class in whose list each term has its best place, and ``scores`` its score for the
            class.

        Raises
        ------
        ValueError, TypeError
            As for `score`, and for an invalid policy or option.

        Notes
        -----
        Round robin takes up to 160 MiB of memory, and O(n_classes * n_terms) time, or less if k is
        small and each of many classes contains few terms.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> X = np.array([[4, 1, 0], [0, 1, 2]])
        >>> counts = ts.count(X, ["ham", "spam"], term_names=["bacon", "and", "pills"])
        >>> list(counts.rank("md", k=2).terms)
        ['bacon', 'pills']
        """
        self = self._snapshot()
        turns = check_choice(policy, POLICIES, "policy") == "round_robin"
        if turns and aggregate is not None:
            raise TypeError("round_robin ranks by class scores and has no aggregate")
        entry = find_ranker(method)
        if not isinstance(entry, Method):
            if entry.reads_documents:
                raise ValueError(f"{method} reads the documents: use termsift.{method}(X, y, k)")
            if options or turns or aggregate is not None:
                raise TypeError(
                    f"{method} has no policy, aggregate or options: see counts.{method}"
                )
            choose: Callable[..., Ranking] = getattr(self, method)
            return choose(k, model=model, alpha=alpha, class_prior=class_prior, n_threads=n_threads)
        scoring = Scoring.of(self, method, model, alpha, class_prior, n_threads, **options)
        k = check_k(k, self.n_terms)
        if turns:
            scoring.warn_of_unused_prior(method)
            indices, scores, rows = scoring.round_robin(k)
            chosen_by = object_array(self.classes)[rows] if self._present.any() else None
        else:
            every = scoring.scores(self._aggregate(aggregate, scoring))
            indices = _core.top_k(every, k, scoring.n_threads)
            scores, chosen_by = every[indices], None
        terms = self._terms_at(indices)
        return Ranking(
            indices, scores, terms, method, policy=policy, model=model, chosen_by=chosen_by
        )

    def to_frame(
        self,
        method: DescriberName = DESCRIBING,
        k: int | None = None,
        classes: Iterable[Hashable] | None = None,
        *,
        max_pvalue: float | None = None,
        library: Library = "pandas",
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = None,
        n_threads: int | None = None,
        **options: str | bool,
    ) -> Any:
        """Return a data frame of the terms that are over-represented in each class, best first.

        The terms are the same as in `termsift.distinctive_terms`. `keyness` also lists the terms
        that a class uses less often than other classes do.

        Parameters
        ----------
        method : str
            The name of one of `termsift.methods`, or "key", as for `termsift.distinctive_terms`.
        k : int, optional
            The largest number of terms per class, by default all.
        classes, max_pvalue
            As for `termsift.distinctive_terms`.
        library : {"pandas", "polars", "pyarrow"}
            The library of the data frame.
        model, alpha, class_prior, n_threads, **options
            As for `score`.

        Returns
        -------
        frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
            The terms of each class, best first. By default, classes come in the order of the
            counts, and classes without documents are left out. The columns are

            - class: the label;
            - term: the name, or null;
            - index: the column;
            - rank: the place within the class, from 1;
            - score: the class score;
            - n_class, n_rest: the term's occurrences in the class, and outside the class;
            - per_million_class, per_million_rest: these occurrences per million tokens;
            - df_class, df_rest: the documents with the term in the class, and outside the class;
            - log_pvalue, pvalue: the logarithm of the p-value, and the p-value, as `significance`
              computes them per class (only for tests, and for "key", which uses the test `g2`,
              as all other methods do if ``max_pvalue`` is given);
            - pvalue_adj: the p-value, adjusted for the tests of all classes and terms by Benjamini
              and Hochberg's method, or by Bonferroni's for more than 2^24 tests.

        Raises
        ------
        ValueError, TypeError
            As for `class_scores`, and for labels of several types, which polars and pyarrow cannot
            hold.
        ImportError
            If the library is not installed.

        Notes
        -----
        Time and memory are as for `termsift.distinctive_terms`. A method that is a test needs
        another 50 bytes for each pair of a class and a term.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> X = np.array([[4, 1, 0], [0, 1, 2]])
        >>> counts = ts.count(X, ["ham", "spam"], term_names=["bacon", "and", "pills"])
        >>> counts.to_frame("md", k=1)[["class", "term", "rank", "n_class", "n_rest"]]
          class   term  rank  n_class  n_rest
        0   ham  bacon     1        4       0
        1  spam  pills     1        2       0
        """
        scoring: dict[str, Any] = {"model": model, "alpha": alpha, "class_prior": class_prior}
        scoring |= {"max_pvalue": max_pvalue, "n_threads": n_threads, **options}
        columns = class_columns(self, method, k, classes, **scoring)
        return frame_of(columns, library, "ClassCounts.to_frame")
