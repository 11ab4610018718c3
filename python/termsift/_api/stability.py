"""`stability`: how sure a ranking is."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Unpack

from termsift._api.class_counts import ClassCounts, value_of
from termsift._api.counting import merge
from termsift._counts.adding import TermFrequency
from termsift._counts.counts import Counts
from termsift._evaluate.stability import Documents, Shards, Stability, stability_of
from termsift._scores.methods import Model, RankerName
from termsift._scores.registry import Policy, check_options, find_ranker
from termsift._scores.scoring import Aggregate, Alpha, ClassPrior, MethodOptions
from termsift._util import validation
from termsift._util.faults import blaming, concerning, excluded, named, wrong_type


def stability(
    X: Any,
    y: Any = None,
    method: RankerName = "md",
    k: int = 100,
    *,
    n_samples: int = 100,
    random_state: Any = 0,
    sample_weight: Any = None,
    classes: Iterable[Hashable] | None = None,
    tf: TermFrequency = "raw",
    term_names: Iterable[str] | None = None,
    policy: Policy = "top",
    model: Model = "multinomial",
    alpha: Alpha = 1.0,
    class_prior: ClassPrior = "empirical",
    aggregate: Aggregate | None = None,
    n_threads: int | None = None,
    **options: Unpack[MethodOptions],
) -> Stability:
    """Measure how stable a ranking is: what other documents of the same kind could change in it.

    A sample takes each document a random number of times, and ranks the terms of these documents.
    The result says how often a term is among the first k terms of a sample, which ranks it has
    there, and how many of their first k terms two samples share.

    Parameters
    ----------
    X, y, sample_weight, classes, tf, term_names
        As for `termsift.count`. Or X is an iterable of `ClassCounts`, the counts of at least five
        shards of one collection, and there is no y. The shards must be random parts, such as those
        of documents dealt in turn, and a sample takes shards in place of documents.
    method : str
        The name of one of `termsift.methods` or `termsift.selectors`. Selectors that read the
        documents need X and y.
    k : int, default 100
        The number of terms whose stability is measured. If there are fewer, all are measured.
    n_samples : int, default 100
        The number of samples, at least 2. A probability p has the standard error
        sqrt(p (1 - p) / n_samples), so at most 0.05 by default.
    random_state : int, numpy Generator or None, default 0
        The seed of the samples.
    policy
        As for `ClassCounts.rank`.
    model, alpha, class_prior, aggregate, n_threads, **options
        As for `ClassCounts.score`. Selectors have no policy, no aggregate and no options, and those
        that read the documents have only ``n_threads``.

    Returns
    -------
    stability : Stability
        The first k terms of the ranking by all documents, with their probabilities, ranks and so
        on. `print` shows a table, and `to_frame` returns a data frame.

    Raises
    ------
    ValueError, CountOverflowError, TypeError
        As for `termsift.count` and `ClassCounts.rank`, and if there are fewer than five shards or
        fewer than two samples, or if there are no terms. A sample may raise an error that the
        ranking of all documents does not, for example if a count exceeds int64.

    Notes
    -----
    The numbers are independent, with a Poisson distribution of mean 1, as in Oza and Russell's
    online bootstrap [1]_. They are whole, so samples of whole counts are exact. About 37% of the
    documents are left out of a sample, as in Efron's bootstrap. If a sample would have documents of
    fewer than two classes, although the collection has them of more, it is drawn again. A class of
    which a sample has no document takes no part in its ranking. The probability of being among the
    first k is the selection probability of Meinshausen and Bühlmann [2]_, for bootstrap samples.

    Each sample ranks ``n_ranked = max(4 k, k + 1000)`` terms, or all if there are fewer. The ranks
    ``rank_low`` and ``rank_high`` leave out at most 5% of the samples each. They are infinite if
    the term is not among the ranked terms.

    The overlap of two samples is ``|A & B| / k``, for their first k terms A and B [3]_. Two samples
    differ about as much as two other collections of the same size and kind would.

    The floor is the largest score in 19 rankings in which the labels of the documents are shuffled
    at random. The classes keep their numbers of documents. If the labels had nothing to do with the
    documents, the best term of the collection would score above the floor with a probability of at
    most 1/20, whatever the method. This is Barnard's Monte Carlo test of the largest score [4]_. A
    term that fills a few documents reaches high scores by chance, so the floor of methods that
    count occurrences may be high. Selectors and shards have no floor, because selectors give no
    score to a single term, and a shard does not tell which documents have a term.

    The time is that of counting and ranking n_samples + 19 times. Beside the counts of one sample,
    the memory is O(n_samples (n_samples + k) + n_docs + n_terms). The result is the same for any
    number of threads.

    References
    ----------
    .. [1] Oza and Russell, Online Bagging and Boosting, AISTATS 2001.
    .. [2] Meinshausen and Bühlmann, Stability Selection, Journal of the Royal Statistical Society
       B 72, 2010.
    .. [3] Nogueira, Sechidis and Brown, On the Stability of Feature Selection Algorithms, Journal
       of Machine Learning Research 18, 2018, review this and other measures.
    .. [4] Barnard in the discussion of Bartlett, The Spectral Analysis of Point Processes, Journal
       of the Royal Statistical Society B 25, 1963.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> X = np.array([[1, 0, 1, 0], [1, 0, 0, 0], [0, 1, 1, 0], [0, 1, 0, 1]] * 5)
    >>> y = ["ham", "ham", "spam", "spam"] * 5
    >>> found = ts.stability(X, y, k=3, term_names=["egg", "win", "the", "now"])
    >>> print(found)
    <Stability of 3 terms by md: overlap 0.99, 100 samples>
    rank  term     score  probability  rank_low  rank_high
       1  egg    1.85574         1.00         1          1
       2  win    1.10485         1.00         2          2
       3  now   0.353637         0.99         3          3
    Two samples share 99% of their first 3 terms (90% of pairs: 100% to 100%).
    Shuffled labels give scores up to 0.641771.
    """
    check_options(stability, method, options)
    units: Documents | Shards
    if y is None:
        given = {"sample_weight": sample_weight, "classes": classes, "term_names": term_names}
        given["tf"] = None if validation.is_one_of(tf, ["raw"]) else tf
        if too_many := [name for name, value in given.items() if value is not None]:
            raise excluded(
                "shards are counted already: leave out {argument}", argument=named(too_many[0])
            )
        if find_ranker(method).reads_documents:
            raise excluded("{method} reads the documents: pass {X} and {y}", method=method)
        units = _shards(X, n_threads)
    else:
        units = Documents(X, y, method, sample_weight, classes, tf, term_names, n_threads)
    return stability_of(
        units,
        method,
        k,
        n_samples,
        random_state,
        n_threads,
        policy=policy,
        model=model,
        alpha=alpha,
        class_prior=class_prior,
        aggregate=aggregate,
        **options,
    )


def _shards(X: Any, n_threads: int | None) -> Shards:
    """Return the counts of shards that a caller passed in place of documents."""
    error = wrong_type(
        "{y} must hold a label for each document in order, got None; only {X} that holds the "
        "ClassCounts of shards needs no {y}"
    )
    if isinstance(X, (ClassCounts, str)) or not isinstance(X, Iterable):
        raise error
    shards = list[Counts]()  # each in one state, even if another thread updates the counts
    for shard in X:
        if not isinstance(shard, ClassCounts):
            raise error
        shards.append(value_of(shard))
    if not shards:
        raise concerning(ValueError("there are no shards"), "X")
    with blaming("X", instead_of="parts"):
        whole = merge([ClassCounts._of(shard) for shard in shards])
    return Shards(shards, value_of(whole), n_threads)
