"""Counting texts: from strings and labels to `ClassCounts`, without a matrix if none is needed."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from termsift import _core
from termsift._api.class_counts import ClassCounts
from termsift._api.labelled_texts import LabelledTexts, OnMissing
from termsift._api.merging import nothing, united
from termsift._counts.table import TermFrequency, add_documents
from termsift._util import validation
from termsift._util.tabular import object_array
from termsift.text import TextRules, text_rules
from termsift.text._matrices import BlockCounter, kept_columns
from termsift.text._rules import check_rule_names
from termsift.text._terms import kept_terms

# What `count_texts` and an update take by name besides the rules.
_OF_LABELS = ("text", "label", "sample_weight", "classes", "on_missing")
_OPTIONS = (*_OF_LABELS, "rules", "n_threads")


def count_texts(
    texts: Any,
    y: Any = None,
    *,
    text: Any = None,
    label: Any = None,
    sample_weight: Any = None,
    classes: Iterable[Hashable] | None = None,
    tf: TermFrequency = "raw",
    rules: TextRules | None = None,
    on_missing: OnMissing = "raise",
    n_threads: int | None = None,
    **keywords: Any,
) -> ClassCounts:
    """Count the terms of labelled texts by class.

    Parameters
    ----------
    texts : iterable of str, or frame
        The documents: a list, a generator, a numpy array, a pandas or polars Series, or anything
        with the Arrow stream interface. They are read once, in blocks. With ``text``, a data frame,
        an Arrow table, a stream of tables or a dataset of Hugging Face, whose ClassLabel labels are
        the names of the classes.
    y : sequence of labels, or indicator matrix of shape (n_docs, n_classes)
        As for `termsift.count`.
    text, label : str, optional
        The columns of texts and of labels, if ``texts`` is a frame.
    sample_weight : array of shape (n_docs,), optional
        A document of weight w counts as w documents.
    classes, tf
        As for `termsift.count`.
    rules : TextRules, optional
        How texts are cut into terms, and which terms are kept.
    on_missing : {"raise", "skip"}
        What to do with a document whose text or label is missing. "skip" leaves it out, and a class
        whose documents are all left out too, with a warning, unless it is in ``classes``.
    n_threads : int, optional
        As for `termsift.count`.
    **keywords
        Rules by the names that `termsift.text.TextRules` and scikit-learn's ``CountVectorizer``
        give them, such as ``ngram_range=(1, 2)``, in place of ``rules``.

    Returns
    -------
    counts : ClassCounts
        The counts that `termsift.count` returns for the matrix of
        ``termsift.text.CountVectorizer(**keywords).fit_transform(texts)``, bit for bit. The terms
        are sorted and have names; those of a ``vocabulary`` have its columns, and those that are
        hashed have no names.

    Raises
    ------
    ValueError, CountOverflowError, TypeError
        As `termsift.count`; for a missing text or label, for a text that is no string, for rules
        that `termsift.text.TextRules` refuses, and if no text has a term.

    See Also
    --------
    ClassCounts.update_texts : Count further texts.

    Notes
    -----
    Without weights, with one label for each document and rules that the core cuts by, the core
    counts tokens by class: no matrix and no string is made of them, and the memory is that of a
    block of texts and of the counts. Otherwise each block becomes a matrix first, which takes
    longer. Callables cut texts at Python's speed.

    While it counts, the core takes 95 to 150 bytes for each different word, once for each thread
    that meets it, so that ``n_threads=1`` takes the least memory.

    Examples
    --------
    >>> import termsift as ts
    >>> texts = ["Bacon and eggs", "Eggs, eggs!", "Cheap pills"]
    >>> counts = ts.count_texts(texts, ["ham", "ham", "spam"])
    >>> list(counts.term_names)
    ['and', 'bacon', 'cheap', 'eggs', 'pills']
    >>> counts.term_frequency.toarray()
    array([[1, 1, 0, 3, 0],
           [0, 0, 1, 0, 1]])
    >>> list(ts.count_texts(texts, [0, 0, 1], ngram_range=(2, 2), min_df=1).term_names)
    ['and eggs', 'bacon and', 'cheap pills', 'eggs eggs']
    """
    rules = check_rules(rules, keywords, _OPTIONS)
    documents = LabelledTexts(
        texts,
        y,
        text=text,
        label=label,
        sample_weight=sample_weight,
        classes=classes,
        on_missing=on_missing,
    )
    counts = with_terms(counted(documents, rules, tf, n_threads), rules)
    documents.warn_of_lost_classes(stacklevel=2)
    if classes is None and documents.one_label_each:
        validation.warn_of_swapped_columns(counts.n_classes, documents.n_docs)
    return counts


def update_by_texts(
    counts: ClassCounts,
    texts: Any,
    y: Any,
    /,
    *,
    rules: TextRules | None = None,
    n_threads: int | None = None,
    **options: Any,
) -> None:
    """Add texts to counts; see `ClassCounts.update_texts`."""
    labelled = {name: options.pop(name) for name in _OF_LABELS if name in options}
    rules = check_rules(rules, options, _OPTIONS)
    if rules.drops and rules.vocabulary is None:
        raise ValueError(
            "min_df, max_df and max_features look at all documents, and an update has only some: "
            "leave them out, and use with_min_df when all texts are counted"
        )
    documents = LabelledTexts(texts, y, **labelled)
    with counts._changing:
        before = counts._now()
        after = united(before, counted(documents, rules, before.tf, n_threads))
        # Before the counts change: a caller may make an error of the warning.
        documents.warn_of_lost_classes(stacklevel=4, known=before.classes)
        counts._state = after._state


def check_rules(
    rules: TextRules | None, keywords: dict[str, Any], options: Collection[str] = ()
) -> TextRules:
    """Return the rules that are given whole or as keywords, beside the names of ``options``."""
    check_rule_names(keywords, options)
    if rules is None:
        return text_rules(**keywords)
    validation.check_kind(rules, TextRules, "rules")
    if keywords:
        raise TypeError(f"rules already say it all: leave out {', '.join(keywords)}, or rules")
    return rules


def counted(
    documents: LabelledTexts, rules: TextRules, tf: str, n_threads: int | None
) -> ClassCounts:
    """Count labelled texts; there may be no terms."""
    tf, threads = validation.check_tf(tf), validation.check_n_threads(n_threads)
    weights = documents.weights
    plain = documents.one_label_each and weights is None
    by_class = plain and counts_by_class(rules, tf)
    tally = ByClass(rules, tf, threads) if by_class else ByDocument(rules, tf, threads, nothing(tf))
    for texts, labels, weights in documents:
        with documents.naming_rows():
            tally.add(texts, labels, weights)
    return documents.in_order(tally.counts(documents.classes, documents.n_docs))


def with_terms(counts: ClassCounts, rules: TextRules) -> ClassCounts:
    """Return counts as they are, unless the rules have left no term."""
    if not counts.n_terms and rules.hashing is None:
        raise ValueError(f"empty vocabulary; no text has {rules.what_counts}")
    return counts


# ---- parts of a collection, on a cluster ---------------------------------------------------------


def check_rules_of_parts(rules: TextRules | None, keywords: dict[str, Any], tf: str) -> TextRules:
    """Return the rules by which the parts of a collection are counted and put together."""
    rules = check_rules(rules, keywords)
    if rules.max_features is not None and validation.check_tf(tf) != "raw" and not rules.binary:
        raise ValueError(
            f"max_features needs tf='raw', since parts counted with tf={tf!r} do not tell which "
            "terms are the most frequent; rules with binary=True take the terms in most documents"
        )
    return rules


def count_part(texts: Any, y: Any, *, rules: TextRules, tf: str, **options: Any) -> ClassCounts:
    """Return the counts of a part of a collection, with all its terms, on one thread."""
    all_terms = replace(rules, min_df=1, max_df=1.0, max_features=None)
    documents = LabelledTexts(texts, y, **options)
    return counted(documents, all_terms, tf, 1)


def finished(counts: ClassCounts, rules: TextRules) -> ClassCounts:
    """Return the counts of all parts together, without the terms that the rules drop."""
    return with_terms(kept_terms_only(counts, rules), rules)


def kept_terms_only(counts: ClassCounts, rules: TextRules) -> ClassCounts:
    """Return counts without the terms that the rules drop; there may be none left."""
    if not rules.drops or rules.vocabulary is not None:
        return counts
    names = counts.term_names
    assert names is not None
    in_documents = counts.collection_document_frequency
    occurrences = in_documents if rules.binary else counts.collection_term_frequency
    kept = kept_terms(rules, int(counts.n_docs), in_documents, occurrences)
    columns = np.where(kept, np.cumsum(kept) - 1, -1)
    return counts._with_columns(columns, int(kept.sum()), names[kept])


# ---- the two ways --------------------------------------------------------------------------------


def counts_by_class(rules: TextRules, tf: str) -> bool:
    """Return whether the core can count tokens by class, if no document has weights or classes."""
    by_words = rules.hashing is None and rules.vocabulary is None
    return by_words and tf != "log" and rules.native is not None


class ByClass:
    """Tokens that the core cuts and counts by class, without a matrix."""

    def __init__(self, rules: TextRules, tf: str, n_threads: int) -> None:
        self._rules, self._tf, self._n_threads = rules, tf, n_threads
        native = rules.native
        assert native is not None
        self._counter = _core.TextCounter(native, by_class=True)

    def add(self, texts: _core.Texts, labels: validation.Labels, _: Any) -> None:
        """Count further documents."""
        self._counter.add(texts, labels.codes, self._n_threads)

    def add_table(self, table: _core.Table, n_bytes: int) -> int:
        """Count about the next ``n_bytes`` of a table, and return the number of documents."""
        return table.count(self._counter, n_bytes, self._n_threads)

    def counts(self, classes: list[Hashable], n_docs: int) -> ClassCounts:
        """Return the counts of all documents; ``classes`` are the classes by number."""
        counter, threads = self._counter, self._n_threads
        counter.sort(threads)
        columns = kept_columns(self._rules, counter, n_docs, threads)
        binary = self._rules.binary or self._tf == "binary"
        counts = counter.counts(len(classes), columns, binary, threads)
        return ClassCounts._of(counts, classes, object_array(counter.terms(columns)), self._tf)


class ByDocument:
    """Blocks of documents that become matrices, with a column for each term so far.

    They are added to the counts ``before``, which have the terms and classes of the first columns.
    """

    def __init__(self, rules: TextRules, tf: str, n_threads: int, before: ClassCounts) -> None:
        self._rules, self._tf, self._n_threads = rules, tf, n_threads
        columns = rules.columns()
        if columns is None:
            names = before.term_names
            columns = {} if names is None else dict(zip(names, range(len(names)), strict=True))
        self._words: dict[str, int] = columns
        self._grows = rules.vocabulary is None and rules.hashing is None
        self._blocks = BlockCounter(rules, self._words, grows=self._grows, n_threads=n_threads)
        self._counts, self._n_classes = before._counts, len(before.classes)
        # Of each term, its documents and its occurrences. The rules that drop terms look at these:
        # they count a document once, whatever its weight and its classes.
        self._totals = np.zeros((2, 0), dtype=np.int64)

    def add(
        self, texts: _core.Texts, labels: validation.Labels, weights: _core.Count | None
    ) -> None:
        """Count further documents."""
        X = self._blocks.count(texts)
        if self._grows and self._rules.drops:
            added = np.array([np.bincount(X.indices, minlength=X.shape[1]), X.sum(axis=0)])
            added[:, : self._totals.shape[1]] += self._totals
            self._totals = added
        self._grow_classes(len(labels.classes))
        matrix = validation.check_matrix(X, self._n_threads)
        window, threads = _core.default_window_bytes, self._n_threads
        self._counts = add_documents(
            self._counts, matrix, labels, weights, self._tf, threads, window
        )

    def _grow_classes(self, n_classes: int) -> None:
        if n_classes > self._n_classes:
            new = [-1] * (n_classes - self._n_classes)
            self._counts = self._counts.with_classes([*range(self._n_classes), *new])
            self._n_classes = n_classes

    def counts(self, classes: list[Hashable], n_docs: int) -> ClassCounts:
        """Return the counts of all documents; ``classes`` are the classes by number."""
        self._grow_classes(len(classes))
        counts = ClassCounts._of(self._counts, classes, None, self._tf)
        names = object_array(sorted(self._words, key=self._words.__getitem__))
        if not self._grows:  # there may be no document that could say how many columns there are
            n_columns = self._rules.hashing or len(names)
            known = np.arange(counts.n_terms)
            return counts._with_columns(known, n_columns, names if len(names) else None)
        order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
        if self._rules.drops:
            order = order[kept_terms(self._rules, n_docs, *self._totals[:, order])]
        new_column = np.full(len(names), -1)
        new_column[order] = np.arange(len(order))
        return counts._with_columns(new_column, len(order), names[order])
