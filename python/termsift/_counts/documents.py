"""Counting documents in blocks: labelled texts, scans of files, and parts on a cluster.

If possible, the core counts texts by class directly, without a matrix for each block of texts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import partial

import numpy as np

from termsift import _core
from termsift._counts import file
from termsift._counts.counts import Counts
from termsift._util import validation
from termsift._util.adding import add_documents
from termsift._util.faults import excluded, named, said, wrong_value
from termsift._util.messages import logger
from termsift.io._checkpoint import Checkpoint
from termsift.io._matrices import integers_if_all_whole
from termsift.io._scan import Scan
from termsift.io._source import MatrixBlock, TextBlock, labelled
from termsift.text import TextRules
from termsift.text._advice import about_documents, about_rules, warn
from termsift.text._blocks import LabelledTexts, naming_rows
from termsift.text._matrices import BlockCounter, kept_columns
from termsift.text._sketch import MOST_BYTES, TermSketch
from termsift.text._terms import kept_terms

_STRING_BYTES = 200  # The approximate number of bytes of a term as a Python string with counts.
_SHARE = 3  # The term tables, the sketch and the result each get a third of the memory.


class TermsDoNotFitError(Exception):
    """The terms counted so far take more memory than the limit."""


def counted(
    documents: LabelledTexts,
    rules: TextRules,
    tf: str,
    n_threads: int | None,
    limit: int | None = None,
) -> Counts:
    """Count labelled texts; raise an error if the terms take more than ``limit`` bytes."""
    tf, threads = validation.check_tf(tf), validation.check_n_threads(n_threads)
    tally = tally_of(rules, tf, threads, plain=documents.one_label_each)
    for texts, labels in documents:
        with naming_rows(documents.first):
            tally.add(texts, labels)
        check_fits(tally.n_bytes, limit)
    counts = tally.counts(documents.classes, documents.n_docs)
    return counts if documents.coder is None else counts.in_order(documents.coder.ordered)


def check_fits(n_bytes: int, limit: int | None) -> None:
    """Raise an error if the terms counted so far take more than ``limit`` bytes."""
    if limit is not None and n_bytes > limit:
        raise TermsDoNotFitError


def finished(
    counts: Counts,
    rules: TextRules,
    seen: LabelledTexts | TextCounting | None = None,
    *,
    sketched: bool = False,
) -> Counts:
    """Return the counts of a collection with its rules, and warn about signs of mistakes.

    ``seen`` knows the first label and the number of empty texts, unless the collection was counted
    in parts. A sketch may have no term, and its rules were checked before.
    """
    held = counts.core
    if not sketched:
        warn(about_rules(rules))
        if not held.n_terms:
            what = rules.what_counts
            warn([said("no document has {what}, so the counts have no terms", what=what)])
    about = (seen.first_label, seen.n_empty) if seen is not None else ()
    tokens = dict(zip(counts.classes, held.class_tokens.tolist(), strict=True))
    is_word = bool(about and held.n_terms and tokens.get(about[0], 2) <= 1)
    sizes = held.class_docs.tolist(), held.n_docs
    warn(about_documents(counts.classes, *sizes, *about, first_is_word=is_word))
    return replace(counts, rules=rules.that_cut)


def check_rules_of_parts(rules: TextRules, tf: str) -> None:
    """Check that the rules can drop terms at the end, after the counts of parts are merged."""
    if rules.max_features is not None and validation.check_tf(tf) != "raw" and not rules.binary:
        raise excluded(
            "{max_features} needs {tf='raw'}, because counts with {tf=} do not show which terms "
            "are most frequent; {binary=True} keeps the terms that are in the most documents",
            tf=tf,
        )


def kept_terms_only(counts: Counts, rules: TextRules) -> Counts:
    """Return counts without the terms that the rules drop; the result may have no terms."""
    if not rules.drops or rules.vocabulary is not None:
        return counts
    in_documents = occurrences = counts.collection_document_frequency
    if not rules.binary:
        occurrences = counts.collection_term_frequency
    return counts.of_terms(kept_terms(rules, int(counts.n_docs), in_documents, occurrences))


def without_drops(rules: TextRules) -> TextRules:
    """Return a copy of the rules that drops no terms."""
    return replace(rules, min_df=1, max_df=1.0, max_features=None)


def counted_within(
    max_memory: int | None,
    rules: TextRules,
    tf: str,
    count: Callable[[TextRules, int | None], Counts],
    sketched: Callable[[TermSketch], TermSketch],
    twice: bool = False,
) -> Counts:
    """Count texts in about ``max_memory`` bytes.

    ``count(rules, limit)`` raises TermsDoNotFitError if the terms need more than ``limit`` bytes.
    ``sketched(empty)`` returns the sketch of all texts. If ``twice``, a sketch is always made.
    """
    if max_memory is None:
        return count(rules, None)
    sketch = sketch_within(max_memory, rules)
    check_rules_of_parts(rules, tf)
    limit = max_memory // _SHARE
    if not twice:
        try:
            return count(rules, limit)
        except TermsDoNotFitError:
            logger.info("the terms do not fit in %d bytes: reading twice", max_memory)
    sketch = sketched(sketch)
    try:
        counts = kept_terms_only(count(sketch.counting_rules(), limit), rules)
    except TermsDoNotFitError:
        raise wrong_value(
            "the terms that may be in {min_df=} documents do not fit in {max_memory=}: raise "
            "{least} or {most}",
            min_df=rules.min_df,
            max_memory=max_memory,
            least=named("min_df"),
            most=named("max_memory"),
        ) from None
    logger.info("left out all terms that are in fewer than %d documents", rules.min_df)
    return counts


def part_within(limit: int) -> int:
    """Return how many bytes of text may be counted before the memory is checked again.

    The n-grams of a text may take some fifty times as many bytes as the text.
    """
    return max(1 << 16, min(limit // 64, 1 << 25))


def sketch_within(max_memory: int, rules: TextRules, share: int = _SHARE) -> TermSketch:
    """Return an empty sketch of ``max_memory / share`` bytes. The rules must set ``min_df``.

    A task on a cluster holds eight sketches and their sum, each in a twelfth of the memory.
    """
    validation.check_integer(max_memory, "max_memory", 1 << 20, MOST_BYTES)
    if rules.hashing is not None or rules.vocabulary is not None:
        raise excluded("{hashing} and {vocabulary} limit the terms: leave out {max_memory}")
    if not (validation.is_integer(rules.min_df) and rules.min_df > 1):
        raise excluded(
            "{max_memory} needs {min_df}, a whole number of at least 2, because it drops rare terms"
        )
    return TermSketch(without_drops(rules), int(rules.min_df), max_memory // share)


def count_scan(scan: Scan, tf: str, n_threads: int | None) -> Counts:
    """Count the documents of a scan, with the terms in the same order as in `read_collection`."""
    if scan.has_texts:
        counts = _of_texts(scan, tf, n_threads)
    else:
        counts = _of_matrices(scan, tf, n_threads)
        with validation.naming(scan._source):
            counts = kept_terms_only(counts, scan.rules)
    if scan._labels_are_text:
        counts = counts.renamed(integers_if_all_whole(counts.classes).tolist())
    return counts


def _of_matrices(scan: Scan, tf: str, n_threads: int | None) -> Counts:
    counts = Counts.nothing(tf)

    def add(block: MatrixBlock) -> None:
        nonlocal counts
        y, classes = labelled(block.labels, block.n_labels)
        with validation.naming(str(scan._path)):
            counts = counts.updated(block.X, y, None, classes, n_threads)

    scan._each("counted", add)
    scan._check_read(counts.n_docs)
    if (names := scan._options.names) is None:
        return counts
    # An svmlight file may use fewer columns than there are names of terms.
    return counts.in_columns(np.arange(counts.n_terms), len(names), names)


def _of_texts(scan: Scan, tf: str, n_threads: int | None) -> Counts:
    check_rules_of_parts(scan.rules, tf)
    threads, options = validation.check_n_threads(n_threads), scan._options
    folder, job = options.checkpoint, scan._job(tf) if options.checkpoint else {}
    counting: TextCounting | None = None

    def count(rules: TextRules, limit: int | None) -> Counts:
        nonlocal counting
        counting = TextCounting(rules, tf, threads, limit)
        checkpoint = Checkpoint(folder, "counts", job)
        counting.start(checkpoint.load(partial(file.read_bytes, name="checkpoint")))
        counter = counting if isinstance(counting.tally, ByClass) else None

        def state() -> bytes:
            return file.to_bytes(counting.counts())

        scan._each("counted", counting.add, counter, checkpoint, state)
        counts = counting.counts()
        scan._check_read(counts.core.n_docs)
        return counts

    def sketched(sketch: TermSketch) -> TermSketch:
        checkpoint = Checkpoint(folder, "sketch", job)
        sketch = checkpoint.load(TermSketch.from_bytes) or sketch

        def add(block: TextBlock) -> None:
            sketch.update(block.texts, n_threads=n_threads)

        scan._each("sketched", add, None, checkpoint, sketch.to_bytes)
        return sketch

    twice = folder is not None
    counts = counted_within(options.max_memory, scan.rules, tf, count, sketched, twice)
    # With a checkpoint, an earlier run may have counted empty texts.
    return finished(counts, scan.rules, None if twice else counting)


class TextCounting:
    """Counts texts in files, whose terms may take at most ``limit`` bytes.

    The core reads tables itself if it also counts their texts by class.
    """

    def __init__(self, rules: TextRules, tf: str, n_threads: int, limit: int | None) -> None:
        self._new_tally = partial(tally_of, rules, tf, n_threads)
        self._limit = limit
        self.n_empty = 0  # the number of texts without a character
        self.first_label: str | None = None
        self.start()

    def start(self, total: Counts | None = None) -> None:
        """Start an empty tally for the next documents, whose counts are added to ``total``."""
        self._total, self.tally, self.n_docs = total, self._new_tally(), 0
        self._n_empty_before = 0
        self.coder = validation.LabelCoder(None)

    def counts(self) -> Counts:
        """Return the counts of all documents so far."""
        total = self._total
        if total is None or self.n_docs:
            part = self.tally.counts(self.coder.classes, self.n_docs).in_order(self.coder.ordered)
            self.start(total)  # frees the tally
            total = part if total is None else total.united(part)
        self._total = total
        return total

    def add(self, block: TextBlock) -> None:
        """Count the texts of a block, which is empty if the core has already counted them."""
        if len(block):
            codes = self.coder.codes(block.labels)[block.codes]
            self.tally.add(block.texts, validation.Labels(self.coder.classes, codes, None))
            self.n_docs += len(block)
            self._note(block.texts.n_empty)
        held = 0 if self._total is None else _STRING_BYTES * self._total.n_terms
        check_fits(held + self.tally.n_bytes, self._limit)

    def add_table(self, table: _core.Table, n_bytes: int) -> None:
        """Count about ``n_bytes`` of a table, with the class numbers of ``coder``."""
        assert isinstance(self.tally, ByClass)
        if self._limit is not None:
            n_bytes = min(n_bytes, part_within(self._limit))
        self.n_docs += self.tally.add_table(table, n_bytes)
        self.coder.codes(table.labels(len(self.coder.classes)))  # gives numbers to the new labels
        self._note(self.tally.n_empty - self._n_empty_before)
        self._n_empty_before = self.tally.n_empty

    def _note(self, n_empty: int) -> None:
        """Note how many of the last texts are empty, and the label of the very first text."""
        self.n_empty += n_empty
        if self.first_label is None and self.n_docs:
            self.first_label = str(self.coder.classes[0])


def tally_of(
    rules: TextRules, tf: str, n_threads: int, *, plain: bool = True
) -> ByClass | ByDocument:
    """Return `ByClass` if possible, else `ByDocument`. ``plain`` means one class per document."""
    by_words = rules.hashing is None and rules.vocabulary is None
    by_class = plain and by_words and tf != "log" and rules.native is not None
    return (ByClass if by_class else ByDocument)(rules, tf, n_threads)


class ByClass:
    """Counts tokens by class in the core, which makes no matrix of the documents."""

    def __init__(self, rules: TextRules, tf: str, n_threads: int) -> None:
        self._rules, self._tf, self._n_threads = rules, tf, n_threads
        native = rules.native
        assert native is not None
        self._counter = _core.TextCounter(native, by_class=True)

    def add(self, texts: _core.Texts, labels: validation.Labels) -> None:
        self._counter.add(texts, labels.codes, self._n_threads)

    @property
    def n_bytes(self) -> int:
        """The approximate number of bytes that the terms and counts so far take."""
        return self._counter.n_bytes

    @property
    def n_empty(self) -> int:
        """The number of texts so far without a character."""
        return self._counter.n_empty

    def add_table(self, table: _core.Table, n_bytes: int) -> int:
        """Count about the next ``n_bytes`` of a table, and return the number of documents."""
        return table.count(self._counter, n_bytes, self._n_threads)

    def counts(self, classes: list[Hashable], n_docs: int) -> Counts:
        """Return the counts of all documents. ``classes`` lists the labels by class number."""
        counter, threads = self._counter, self._n_threads
        counter.sort(threads)
        columns = kept_columns(self._rules, counter, n_docs, threads)
        binary = self._rules.binary or self._tf == "binary"
        counts = counter.counts(len(classes), columns, binary, threads)
        return Counts(counts, classes, validation.object_array(counter.terms(columns)), self._tf)


class ByDocument:
    """Counts blocks of documents as matrices, with a column for each term found so far."""

    def __init__(self, rules: TextRules, tf: str, n_threads: int) -> None:
        self._rules, self._tf, self._n_threads = rules, tf, n_threads
        self._blocks = BlockCounter(rules, n_threads)
        self._counts = Counts.nothing(tf).core
        # For the rules that drop terms, the documents and the occurrences of each term, where a
        # document of several classes counts once.
        self._totals = np.zeros((2, 0), dtype=np.int64)

    def add(self, texts: _core.Texts, labels: validation.Labels) -> None:
        X = self._blocks.count(texts)
        if self._blocks.grows and self._rules.drops:
            added = np.array([np.bincount(X.indices, minlength=X.shape[1]), X.sum(axis=0)])
            added[:, : self._totals.shape[1]] += self._totals
            self._totals = added
        self._grow_classes(len(labels.classes))
        matrix = validation.check_matrix(X, self._n_threads)
        self._counts = add_documents(self._counts, matrix, labels, None, self._tf, self._n_threads)

    @property
    def n_bytes(self) -> int:
        """The approximate number of bytes of the terms found so far, which are Python strings."""
        return _STRING_BYTES * self._blocks.n_columns if self._blocks.grows else 0

    def _grow_classes(self, n_classes: int) -> None:
        present = len(self._counts.class_docs)
        if n_classes > present:
            new = [-1] * (n_classes - present)
            self._counts = self._counts.with_classes([*range(present), *new])

    def counts(self, classes: list[Hashable], n_docs: int) -> Counts:
        """Return the counts of all documents. ``classes`` lists the labels by class number."""
        self._grow_classes(len(classes))
        counts, blocks = Counts(self._counts, classes, None, self._tf), self._blocks
        names, width = blocks.names, blocks.n_columns
        if not blocks.grows:  # without documents, only `blocks` knows the number of columns
            same = np.arange(counts.n_terms)
            return counts.in_columns(same, width, names if len(names) else None)
        order = np.argsort(names, kind="stable")
        if self._rules.drops:
            order = blocks.kept_columns(n_docs, *self._totals)
        new_column = np.full(width, -1)
        new_column[order] = np.arange(len(order))
        return counts.in_columns(new_column, len(order), names[order])
