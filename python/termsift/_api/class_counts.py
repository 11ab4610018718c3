"""`ClassCounts`: the counts of a collection, with everything that is computed from them."""

from __future__ import annotations

import os
import threading
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._classify.naive_bayes import BayesModel, NaiveBayes, Terms, naive_bayes
from termsift._counts import file
from termsift._counts.adding import restored
from termsift._counts.counts import CheckedRows, Counts
from termsift._rank import rank, rank_significant
from termsift._scores.class_terms import class_columns, largest_classes
from termsift._scores.keyness import Direction, Keyness, KeynessOrder, keyness
from termsift._scores.methods import DescriberName, MethodName, Model
from termsift._scores.ranking import Ranking
from termsift._scores.registry import DESCRIBING, Policy, check_options
from termsift._scores.scoring import (
    Aggregate,
    Alpha,
    ClassPrior,
    MethodOptions,
    ScoringOptions,
    class_scores,
    score,
)
from termsift._scores.significance import Significance, significance
from termsift._select import greedy
from termsift._util import validation
from termsift._util.export import Library, frame_of, integers_if_whole
from termsift._util.faults import renaming, wrong_type
from termsift._util.files import replacing
from termsift._util.shown import ROWS, Column, Section, Shown
from termsift.text import TextRules


class ClassCounts(Shown):
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

    __slots__ = ("_lock", "_value")

    # The value is frozen and replaced as a whole. A method reads the reference once, so its result
    # is one of a single state, even if another thread updates the counts meanwhile.
    _value: Counts
    _lock: threading.Lock  # A thread holds the lock while it replaces the value.

    def __init__(self) -> None:
        raise TypeError("use termsift.count or termsift.load")

    @classmethod
    def _of(cls, value: Counts) -> Self:
        self = object.__new__(cls)
        self._value, self._lock = value, threading.Lock()
        return self

    # ---- the counts ------------------------------------------------------------------------------

    @property
    def classes(self) -> list[Hashable]:
        """The labels of the classes, in the order of the rows of the counts."""
        return list(self._value.classes)

    @property
    def n_classes(self) -> int:
        """The number of classes, including classes without documents."""
        return self._value.n_classes

    @property
    def n_terms(self) -> int:
        """The number of terms, which is the number of columns of the counts."""
        return self._value.n_terms

    @property
    def n_docs(self) -> int | float:
        """The number of documents, or the sum of their weights. Each document counts once.

        If it is unknown, ValueError is raised, and ``hasattr(counts, "n_docs")`` is False.
        """
        return self._value.n_docs

    @property
    def class_docs(self) -> _core.Count:
        """The number of documents of each class, n_c, or the sum of their weights.

        The shape is (n_classes,). If the number of documents is unknown, as for a frequency list,
        `class_docs`, the document frequencies, and all methods that count documents raise
        ValueError.
        """
        return self._value.class_docs

    @property
    def class_tokens(self) -> _core.Count:
        """The number of occurrences of all terms in each class, l_c, of shape (n_classes,).

        Terms that a frequency list leaves out are counted, too (see `termsift.counts_from_table`).
        """
        return self._value.class_tokens

    @property
    def term_frequency(self) -> Any:
        """How often a term occurs in a class, l_ic: a csr_array (n_classes, n_terms)."""
        return self._value.term_frequency

    @property
    def document_frequency(self) -> Any:
        """How many documents of a class have a term, d_ic: a csr_array (n_classes, n_terms)."""
        return self._value.document_frequency

    @property
    def has_documents(self) -> bool:
        """Whether the number of documents is known for every class.

        If it is unknown, as for a frequency list, `n_docs`, `class_docs` and the document
        frequencies raise ValueError, and ``hasattr`` is False for them.
        """
        return self._value.has_documents

    @property
    def rules(self) -> TextRules | None:
        """The rules that cut the texts, or None if they are unknown, as for a matrix.

        Rules that only drop terms are left out, and of a function the name is left.
        """
        return self._value.rules

    @property
    def encoding(self) -> str | None:
        """The encoding of the files that `termsift.scan` read, or None for UTF-8."""
        return self._value.encoding

    @property
    def tf(self) -> str:
        """How `termsift.count` counted each entry of X, as "raw", "log" or "binary"."""
        return self._value.tf

    @property
    def collection_term_frequency(self) -> NDArray[Any]:
        """How often each term occurs, l_i. A document of several classes counts once."""
        return self._value.collection_term_frequency

    @property
    def collection_document_frequency(self) -> NDArray[Any]:
        """How many documents have each term, d_i. A document of several classes counts once."""
        return self._value.collection_document_frequency

    @property
    def term_names(self) -> NDArray[np.object_] | None:
        """The names of the terms, which rankings show, or None."""
        return self._value.term_names

    @term_names.setter
    def term_names(self, names: Iterable[str] | None) -> None:
        with self._lock:
            names = validation.check_term_names(names, self._value.n_terms)
            self._value = replace(self._value, term_names=names)

    def __repr__(self) -> str:
        now = self._value
        rules = now.rules
        kind = "exact" if now.core.exact else "float"
        if now.tf != "raw":
            kind += f", tf={now.tf}"
        n_docs = "unknown documents"
        if now.has_documents:
            n_docs = validation.number_of(now.n_docs, "document")
        return (
            f"<{type(self).__name__} of {n_docs}: "
            f"{validation.number_of(now.n_classes, 'class')} x "
            f"{validation.number_of(now.n_terms, 'term')}, "
            f"{validation.number_of(now.core.n_pairs, 'pair')}, {kind}"
            f"{f', {rules.shown}' if rules and rules.changed else ''}>"
        )

    def _sections(self) -> list[Section]:
        now = self._value
        largest = largest_classes(now, ROWS)
        columns = [Column("class", [now.classes[row] for row in largest])]
        for title, sizes in (
            *([("documents", now.class_docs)] if now.has_documents else []),
            ("tokens", now.class_tokens),
        ):
            columns.append(Column(title, integers_if_whole(sizes[largest]).tolist(), ",.10g"))
        return [Section(columns, now.n_classes - len(largest))]

    def __str__(self) -> str:
        return super(ClassCounts, self._of(self._value)).__str__()

    def _repr_html_(self) -> str:
        return super(ClassCounts, self._of(self._value))._repr_html_()

    def _values_with(self, other: ClassCounts) -> tuple[Counts, Counts]:
        """Return the values of both objects, which are one value if they are one object."""
        mine = self._value
        return mine, mine if other is self else other._value

    def __eq__(self, other: object) -> bool:
        """Return whether classes, names, ``tf`` and, bit for bit, counts are equal."""
        if not isinstance(other, ClassCounts):
            return NotImplemented
        mine, theirs = self._values_with(other)
        return mine.equals(theirs)

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        """Return the state as arrays and plain values, for pickle, copy and skops."""
        now = self._value
        return {
            "counts": now.core.to_arrays(),
            "classes": now.classes,
            "names": now.term_names,
            "tf": now.tf,
            "rules": now.rules,
            "encoding": now.encoding,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        about = (state[name] for name in ("classes", "names", "tf", "rules", "encoding"))
        self._value = Counts(restored(state["counts"]), *about)
        self._lock = threading.Lock()

    # ---- adding and subtracting ------------------------------------------------------------------

    def update(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        classes: Iterable[Hashable] | None = None,
        n_threads: int | None = None,
    ) -> Self:
        """Count further documents.

        Parameters
        ----------
        X, y, sample_weight, classes, n_threads
            As for `termsift.count`. New classes are inserted in sorted order if the earlier classes
            are sorted, and appended if not. New terms become further columns. X may also have fewer
            columns than the counts. If the terms have names, the columns of a data frame must have
            the same names in the same order. By default, the columns of an indicator matrix stand
            for the earlier classes, unless a data frame names their classes.

        Returns
        -------
        self : ClassCounts

        Raises
        ------
        ValueError, CountOverflowError, TypeError
            As for `termsift.count`. After an error, the counts are unchanged.

        Notes
        -----
        Counting a collection in chunks or at once yields the same counts, bit for bit. Float input
        turns exact counts into float counts.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> counts = ts.count(np.array([[2, 1]]), ["ham"])
        >>> counts.update(np.array([[0, 1, 4]]), ["eggs"]).term_frequency.toarray()
        array([[0, 1, 4],
               [2, 1, 0]])
        """
        # X may be read slowly, or by code of the user that itself asks for the lock.
        rows = CheckedRows.of(X, sample_weight, n_threads)
        with self._lock:
            self._value = self._value.updated(rows, y, classes)
        return self

    def __add__(self, other: Self) -> Self:
        """Return the counts of both collections together, with classes matched by label.

        Terms are matched by index. Exact counts are added exactly. A sum of float counts may differ
        by rounding from a count of both collections at once. ValueError is raised if both know the
        rules that cut their texts, and the rules differ.
        """
        if not isinstance(other, ClassCounts):
            return NotImplemented
        mine, theirs = self._values_with(other)
        return self._of(mine.plus(theirs))

    def __sub__(self, other: Self) -> Self:
        """Return these counts minus the counts of a part, such as a fold of cross-validation.

        The result keeps all classes. ValueError is raised if ``other`` has an unknown class or a
        larger count, or if a term of the result would have more documents than occurrences. If
        subtraction leaves at most 2^-40 of a float count, the rest is set to 0.
        """
        if not isinstance(other, ClassCounts):
            return NotImplemented
        mine, theirs = self._values_with(other)
        return self._of(mine.minus(theirs))

    def with_min_df(self, min_df: int) -> Self:
        """Return the counts without terms that occur in few documents.

        Parameters
        ----------
        min_df : int
            Terms in fewer than ``min_df`` documents are dropped. Tang, Kay and He use 2.

        Returns
        -------
        counts : ClassCounts
            The counts of all documents, with only the terms
            ``np.flatnonzero(counts.collection_document_frequency >= min_df)``.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> X = np.array([[4, 1, 0], [0, 1, 2]])
        >>> counts = ts.count(X, ["ham", "spam"], term_names=["egg", "the", "jam"])
        >>> list(counts.with_min_df(2).term_names)
        ['the']
        """
        return self._of(self._value.with_min_df(validation.check_integer(min_df, "min_df")))

    def subset(self, classes: Iterable[Hashable] | Mapping[Any, Any]) -> Self:
        """Return the counts of some classes, and merge classes if requested.

        Parameters
        ----------
        classes : sequence of labels, or mapping
            The classes to keep, in this order. The keys of a mapping are new labels, and each value
            is an old label or a list of old labels to merge. No class may occur twice.

        Returns
        -------
        counts : ClassCounts
            The counts of the documents in these classes. All terms keep their columns, even terms
            that no longer occur.

        Raises
        ------
        ValueError
            If a class is unknown or occurs twice, if no class is given, or if documents have
            several classes. Counts do not record which documents two classes share.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> X = np.array([[4, 1, 0], [0, 1, 2], [1, 0, 0], [0, 0, 3]])
        >>> counts = ts.count(X, ["ham", "spam", "eggs", "spam"])
        >>> counts.subset({"food": ["ham", "eggs"], "spam": "spam"}).term_frequency.toarray()
        array([[5, 1, 0],
               [0, 1, 5]])
        """
        now = self._value
        return self._of(now.of_groups(validation.check_groups(classes, now.classes)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the counts to a file that `termsift.load` reads.

        Parameters
        ----------
        path : path
            The file is written atomically. If writing fails, an existing file stays unchanged.

        Raises
        ------
        TypeError
            If a label is not None, bool, int, float, str, bytes or a tuple of these.
        """
        with replacing(path) as output:
            file.write_to(output, self._value)

    def to_bytes(self) -> bytes:
        """Return the bytes that `save` writes and `termsift.load` reads.

        The bytes can be stored or sent as one value, for example in a row of a database.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> counts = ts.count(np.array([[2, 1]]), ["ham"])
        >>> ts.load(counts.to_bytes()) == counts
        True
        """
        return file.to_bytes(self._value)

    # ---- scores and rankings ---------------------------------------------------------------------

    def class_scores(
        self,
        method: MethodName = "md",
        *,
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = "empirical",
        n_threads: int | None = None,
        **options: Unpack[MethodOptions],
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
        check_options(self.class_scores, method, options)
        return class_scores(self._value, method, model, alpha, class_prior, n_threads, **options)

    def score(
        self,
        method: MethodName = "md",
        *,
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = "empirical",
        aggregate: Aggregate | None = None,
        n_threads: int | None = None,
        **options: Unpack[MethodOptions],
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
        class_prior : {"empirical", "uniform"}, array of shape (n_classes,), or dict
            The class priors pi_c, as an array in the order of ``classes`` or as a dict by label,
            which are normalised to sum to 1. The empirical prior of a class is its share of the
            documents. If neither the method nor the aggregate uses priors, a warning says so.
        aggregate : {"sum", "mean", "max"}, optional
            How the class values are combined into one score. The mean is weighted by the class
            priors. The default depends on the method, see ``default_aggregate`` in
            `termsift.methods`.
        n_threads : int, optional
            The number of threads, by default one per processor (see `termsift.count`).
        **options
            The options of the method: ``noncentrality`` of md_chi2, ``variant`` and ``sqrt`` of
            c_tfidf, and ``zero`` of ndm, mmr and wllr. ``options`` in `termsift.methods` has their
            values.

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
        check_options(self.score, method, options)
        scoring = model, alpha, class_prior, n_threads
        return score(self._value, method, aggregate, *scoring, **options)

    def rank(
        self,
        method: MethodName | Literal["greedy"] = "md",
        k: int | None = None,
        *,
        max_pvalue: float | None = None,
        policy: Policy = "top",
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = "empirical",
        aggregate: Aggregate | None = None,
        n_threads: int | None = None,
        **options: Unpack[MethodOptions],
    ) -> Ranking:
        """Rank the terms by their score, best first.

        Parameters
        ----------
        method : str
            The name of one of `termsift.methods` or `termsift.selectors`.
        k : int, optional
            The number of terms. All terms are ranked by default, or if there are fewer than k
            terms. If k is small, only the k best terms are sorted, which is faster.
        max_pvalue : float, optional
            Leave out terms whose adjusted p-value is larger, if the method is a test. The p-values
            are ``significance(method).pvalues_adj``, which do not depend on the policy or the
            aggregate, and ``pvalues_adj`` of the ranking holds them. k is then the largest number.
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
            As for `score`, for an invalid policy or option, and for ``max_pvalue`` with a method
            that is not a test.

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
        scoring: ScoringOptions = {"model": model, "alpha": alpha, "class_prior": class_prior}
        scoring["n_threads"] = n_threads
        check_options(self.rank, method, options)
        how: dict[str, Any] = {"policy": policy, "aggregate": aggregate, **scoring, **options}
        if max_pvalue is None:
            return rank(self._value, method, k, **how)
        with renaming("fdr", "max_pvalue"):
            return rank_significant(self._value, method, max_pvalue, k=k, **how)

    def greedy(
        self,
        k: int | None = None,
        *,
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = "empirical",
        exhaustive: bool = False,
        n_threads: int | None = None,
    ) -> Ranking:
        """Choose terms one after another, each as the best addition to the terms before it.

        Parameters
        ----------
        k : int, optional
            The number of terms. By default, or if there are fewer than k terms, all terms are
            chosen. A smaller k takes less time.
        model, class_prior, n_threads
            As for `score`. Under "bernoulli" and "poisson", terms are independent, so they are
            ordered by `md`, and the scores are the running sums of `md`.
        alpha : float or (b1, b2)
            As for `score`. Under "multinomial" and "binary", b1 must be above 0 if a class lacks a
            term, and b1 * n_terms must be at most b2, so that the probabilities of a class sum to
            at most 1. Simple fractions are exact: 0.1 means 1/10.
        exhaustive : bool, default False
            Evaluate every remaining term at every step, as in the published algorithm. An
            exhaustive ranking of all terms takes n_terms^2 / 2 evaluations. By default, bounds
            avoid most evaluations without changing the ranking.

        Returns
        -------
        ranking : Ranking
            The scores are the divergences after each step, in nats, which never decrease. Only the
            first ``ranking.informative`` terms increase the divergence. Terms that add nothing, and
            terms with equal counts in every class, are ordered by index.

        Raises
        ------
        ValueError
            For an invalid argument, or if fewer than two classes have documents. The error is also
            raised if b1 or a count is less than 2^-40 of the class's tokens, and no common
            denominator turns the counts and b1 into whole numbers that sum to less than 2^52.

        Notes
        -----
        The method is Algorithm 1 of Tang, Kay and He. For each remaining term i, step j
        evaluates j + 1 variables: the chosen terms s, the term i, and the pool of all other terms.
        The pool of all other terms has the probability 1 - p_ic - sum_s p_sc. Each step chooses the
        term i with the largest sum over classes and variables of p log(p/q), which is the
        J-divergence for two classes. For more than two classes, termsift uses the
        Jeffreys-multi-hypothesis (JMH) divergence.

        Gains are computed from probabilities. If counts and alpha are whole numbers, or alpha is a
        fraction with a small denominator such as 1/10, the probabilities are exact. Probabilities
        that are not exact are rounded to 2^-52, or to 2^-42 in a class much smaller than others.
        Terms may come in either order if their gains differ only by rounding or agree in 14 digits.
        A gain that is only a rounding error may count in ``informative``. The relative error of
        scores is below 1e-12. The memory is O(n_terms + pairs of a class and a term in it).

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
        scoring: ScoringOptions = {"model": model, "alpha": alpha, "class_prior": class_prior}
        scoring["n_threads"] = n_threads
        return greedy(self._value, k, exhaustive=exhaustive, **scoring)

    # ---- descriptions and tests ------------------------------------------------------------------

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
        class_prior: ClassPrior = "empirical",
        n_threads: int | None = None,
        **options: Unpack[MethodOptions],
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
        scoring: ScoringOptions = {"model": model, "alpha": alpha, "class_prior": class_prior}
        scoring["n_threads"] = n_threads
        check_options(self.to_frame, method, options)
        columns = class_columns(
            self._value, method, k, classes, max_pvalue=max_pvalue, **scoring, **options
        )
        return frame_of(columns, library, "ClassCounts.to_frame")

    def columns(
        self,
        method: DescriberName = DESCRIBING,
        k: int | None = None,
        classes: Iterable[Hashable] | None = None,
        *,
        max_pvalue: float | None = None,
        model: Model = "multinomial",
        alpha: Alpha = 1.0,
        class_prior: ClassPrior = "empirical",
        n_threads: int | None = None,
        **options: Unpack[MethodOptions],
    ) -> dict[str, NDArray[Any]]:
        """Return the columns of `to_frame` by name, which needs no library of data frames.

        Parameters
        ----------
        method, k
            As for `to_frame`.
        classes, max_pvalue
            As for `termsift.distinctive_terms`.
        model, alpha, class_prior, n_threads, **options
            As for `score`.

        Returns
        -------
        columns : dict of str to ndarray

        Raises
        ------
        ValueError, TypeError
            As for `class_scores`.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> X = np.array([[4, 1, 0], [0, 1, 2]])
        >>> counts = ts.count(X, ["ham", "spam"], term_names=["bacon", "and", "pills"])
        >>> counts.columns("md", k=1)["term"].tolist()
        ['bacon', 'pills']
        """
        scoring: ScoringOptions = {"model": model, "alpha": alpha, "class_prior": class_prior}
        scoring["n_threads"] = n_threads
        check_options(self.columns, method, options)
        return class_columns(
            self._value, method, k, classes, max_pvalue=max_pvalue, **scoring, **options
        )

    def keyness(
        self,
        target: Hashable | Iterable[Hashable],
        reference: Hashable | Iterable[Hashable] | None = None,
        k: int | None = None,
        *,
        sort: KeynessOrder = "g2",
        direction: Direction = "both",
        similar: bool = False,
        min_count: int = 1,
        min_share: float = 0.0,
        constant: float = 1.0,
        level: float = 0.95,
        dispersion: tuple[Any, Any] | None = None,
        n_threads: int | None = None,
    ) -> Keyness:
        """Compare how a target corpus and a reference corpus use each term.

        Parameters
        ----------
        target, reference : label or sequence of labels
            The classes of the two corpora. Several classes are pooled. By default the reference is
            every class that is not in the target.
        k : int, optional
            The largest number of terms in each direction, or of similar terms. The default lists
            all.
        sort : {"g2", "g2_docs", "zeta", "lrc_docs", "log_ratio", "lrc", "percent_diff", \
    "relative_risk", "odds_ratio", "simple_maths", "count", "rank_sum"}
            The column by which the terms of each direction are sorted, strongest first. "count" is
            the number of occurrences in the corpus that uses the term more often. Ties are broken
            by g2. "g2_docs", "zeta", "lrc_docs" and "rank_sum" compare documents: a term comes last
            if its value favours the other corpus. "rank_sum" needs ``dispersion``.
        direction : {"both", "over", "under"}
            "over" lists the terms that the target uses more often, and "under" the terms that it
            uses less often. "both" returns the list of "over", then the list of "under", and then
            the terms that both corpora use equally often, which printed tables leave out.
        similar : bool, default False
            List lockwords instead of key terms: the terms that both corpora most certainly use
            about equally often. Lockwords form a single list, sorted by log_ratio_most, smallest
            first.
        min_count, min_share : int, default 1, and float, default 0
            The corpus that uses a term more often must contain the term at least ``min_count``
            times, and its share of documents with the term must be at least ``min_share``.
        constant : float, default 1
            The constant in simple_maths, above 0. A larger constant favours more frequent terms.
        level : float, default 0.95
            The confidence level of the intervals and of lrc.
        dispersion : (X, y), optional
            The documents that were counted, which add dispersions and the rank-sum test to the
            table.
        n_threads : int, optional
            As for `termsift.count`.

        Returns
        -------
        keyness : Keyness

        Raises
        ------
        ValueError
            If a label is unknown or in both corpora, if a corpus has no documents or no tokens, if
            documents have several classes, or for an invalid option.

        Notes
        -----
        With the normal quantile z for the level, Katz's interval of log_ratio and
        relative_risk is the logarithm plus and minus z sqrt(1/a - 1/N_1 + 1/b - 1/N_2), and Woolf's
        interval of odds_ratio has z sqrt(1/a + 1/b + 1/(N_1-a) + 1/(N_2-b)). If a or b is 0, the
        interval of log_ratio has 1/2 instead of 0, and the other two intervals extend from 0 to
        inf. For the interval of lrc, Clopper and Pearson's bounds t of the share a / (a + b) are
        converted to log2(N_2 t / (N_1 (1 - t))). Bonferroni's correction divides 1 - level by the
        number of terms that occur in either corpus.

        References
        ----------
        Rayson and Garside, Comparing Corpora using Frequency Profiling, 2000
        (g2). Wilson, Embracing Bayes factors for key item analysis in corpus linguistics, 2013
        (bic). Hardie, Log Ratio - an informal introduction, 2014. Gabrielatos and Marchi, Keyness:
        Appropriate metrics and practical issues, 2012 (percent_diff). Evert, Measuring keyness, DH
        2022 (lrc). Kilgarriff, Simple maths for keywords, Corpus Linguistics 2009. Katz and others,
        Obtaining confidence intervals for the risk ratio in cohort studies, Biometrics 34, 1978.
        Woolf, On estimating the relation between blood group and disease, 1955.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> X = np.array([[4, 1, 0], [6, 3, 1], [1, 2, 6], [0, 3, 9]])
        >>> counts = ts.count(X, ["ham"] * 2 + ["spam"] * 2, term_names=["bacon", "and", "pills"])
        >>> print(counts.keyness("ham"))
        <Keyness of 3 terms in 'ham' against 'spam'>
        more in 'ham':
        term   in ham  per million  in spam  per million  log_ratio    g2
        bacon      10    666,666.7        1     47,619.0       3.81  17.2
        and         4    266,666.7        5    238,095.2       0.16   0.0
        more in 'spam':
        term   in ham  per million  in spam  per million  log_ratio    g2
        pills       1     66,666.7       15    714,285.7      -3.42  17.0
        """
        return keyness(
            self._value,
            target,
            reference,
            k,
            sort=sort,
            direction=direction,
            similar=similar,
            min_count=min_count,
            min_share=min_share,
            constant=constant,
            level=level,
            dispersion=dispersion,
            n_threads=n_threads,
        )

    def significance(
        self,
        method: str = "chi2",
        *,
        per_class: bool = False,
        n_threads: int | None = None,
    ) -> Significance:
        """Test whether terms and classes are independent.

        Parameters
        ----------
        method : {"chi2", "g2", "chi2_counts", "g2_counts"}
            Both chi2 and g2 compare how many documents inside and outside a class contain the term,
            and g2_counts compares how often the term occurs. All statistics but chi2_counts, which
            is scikit-learn's chi2, have one degree of freedom.
        per_class : bool, default False
            If True, test each class against the others. If False, chi2, g2 and g2_counts test only
            the class with the largest statistic, and chi2_counts tests the sum over all classes.
        n_threads : int, optional
            As for `termsift.count`.

        Returns
        -------
        significance : Significance
            The statistics, the p-values and their logarithms, and the signs. Statistic and sign are
            0 for classes without documents and for terms that no document contains.

        Raises
        ------
        ValueError
            If fewer than two classes have documents, or the method is not a test.

        Notes
        -----
        With ``per_class``, chi2_counts is scikit-learn's statistic of the class against
        the rest, which is (l_ic - E)^2 / E / (1 - n_c/n) with the expected count E = l_i n_c / n.
        Time and memory are O(pairs of a class and a term in it), or O(n_classes * n_terms) with
        ``per_class``.

        Examples
        --------
        >>> import numpy as np, termsift as ts
        >>> X = np.array([[1, 1], [1, 0], [0, 1], [0, 1]])
        >>> found = ts.count(X, ["ham", "ham", "spam", "spam"]).significance("chi2")
        >>> found.statistics.round(4), found.pvalues.round(4), found.signs
        (array([4.    , 1.3333]), array([0.0455, 0.2482]), array([ 1, -1], dtype=int8))
        """
        return significance(self._value, method, per_class=per_class, n_threads=n_threads)

    # ---- classifying -----------------------------------------------------------------------------

    def naive_bayes(
        self,
        terms: Terms = None,
        *,
        model: BayesModel = "multinomial",
        alpha: float = 1.0,
        class_prior: ClassPrior = "empirical",
        n_threads: int | None = None,
    ) -> NaiveBayes:
        """Return a naive Bayes classifier that is fitted to the counts, without the documents.

        Parameters
        ----------
        terms, model, alpha, class_prior, n_threads
            As for `termsift.NaiveBayes`.

        Returns
        -------
        classifier : NaiveBayes
            The classifier that scikit-learn would fit to the chosen columns of the documents. A
            matrix to classify must have the same columns as the counts. The classifier also accepts
            texts if `termsift.count_texts` or a `termsift.scan` made the counts and no text rule is
            a function.

        Raises
        ------
        ValueError, TypeError
            If a term or the model is unknown, if alpha is not positive, if no class has documents,
            if the number of documents of a class is unknown, or if the counts leave out terms.

        Examples
        --------
        >>> import termsift as ts
        >>> texts = ["Bacon and eggs", "Eggs, eggs!", "Cheap pills"]
        >>> counts = ts.count_texts(texts, ["ham", "ham", "spam"])
        >>> classifier = counts.naive_bayes(counts.rank("md", k=3))
        >>> classifier.predict(["Two eggs", "More pills"])
        array(['ham', 'spam'], dtype='<U4')
        """
        parameters: dict[str, Any] = {"model": model, "alpha": alpha, "class_prior": class_prior}
        return naive_bayes(self._value, terms, n_threads=n_threads, **parameters)


def value_of(counts: Any) -> Counts:
    """Return the present value of counts that a caller passed as the argument ``counts``."""
    if not isinstance(counts, ClassCounts):
        raise wrong_type(
            "{counts} must be a ClassCounts, got {kind}: count texts with termsift.count_texts, "
            "and a matrix with termsift.count",
            kind=type(counts).__name__,
        )
    return counts._value
