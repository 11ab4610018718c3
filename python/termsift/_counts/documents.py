"""Counting streams of documents: labelled texts and matrices, and scans of files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from termsift import _core
from termsift._counts import file
from termsift._counts.counts import Counts
from termsift._counts.tally import STRING_BYTES, ByClass, Tally, tally_of
from termsift._util import validation
from termsift._util.faults import excluded, named, said, wrong_type, wrong_value
from termsift._util.messages import logger
from termsift.io._opening import check_encoding
from termsift.io._scan import Scan, Scanned, job_of, rereading
from termsift.io._source import integers_if_all_whole, of_one_kind
from termsift.text import TextRules
from termsift.text._advice import about_documents, about_rules, about_words, warn
from termsift.text._documents import Block, Counted, Documents, LabelledDocuments
from termsift.text._sketch import MOST_BYTES, TermSketch
from termsift.text._terms import kept_terms

_SHARE = 3  # The term tables, the sketch and the result each get a third of the memory.


class TermsDoNotFitError(Exception):
    """The terms counted so far take more memory than the limit."""


def counted(
    documents: LabelledDocuments,
    rules: TextRules,
    tf: str,
    n_threads: int | None,
    limit: int | None = None,
    sketch: TermSketch | None = None,
) -> Counts:
    """Count a stream; raise an error if the terms of texts take more than ``limit`` bytes.

    If there is a ``sketch``, terms that it knows to be rare are left out.
    """
    counting = Counting(documents, rules, tf, n_threads, limit, sketch)
    documents.feed(counting)
    counts = counting.counts()
    documents.check_read(counts.core.n_docs)
    return counts


class Counting:
    """Counts a stream of documents, whose terms may take at most ``limit`` bytes."""

    def __init__(
        self,
        documents: LabelledDocuments,
        rules: TextRules,
        tf: str,
        n_threads: int | None,
        limit: int | None = None,
        sketch: TermSketch | None = None,
    ) -> None:
        self._documents, self._rules, self._limit = documents, rules, limit
        self._bounds = None if sketch is None else sketch.bounds
        self._tf, self._n_threads = validation.check_tf(tf), validation.check_n_threads(n_threads)
        self._total: Counts | None = None
        self._tally: Tally | None = None  # counts the documents that are not in ``_total``
        self._n_docs = 0  # the number of documents in ``_tally``

    def _open_tally(self) -> Tally:
        """Return what counts the next documents, whose counts are added to ``_total``."""
        if self._tally is None:
            self._tally = tally_of(
                self._documents, self._rules, self._tf, self._n_threads, self._bounds
            )
        return self._tally

    @property
    def table_counter(self) -> Counting | None:
        """The object itself, if the core can count tables while it reads them."""
        tally = self._open_tally()
        return self if isinstance(tally, ByClass) and tally.reads_tables else None

    @property
    def takes_columns(self) -> bool:
        """Whether counts of columns equal those of rows. Logarithms are added up by document."""
        return self._tf != "log"

    def add_table(self, table: _core.Table, n_bytes: int) -> Counted:
        """Count about the next ``n_bytes`` of a table."""
        tally = self._open_tally()
        assert isinstance(tally, ByClass)
        if self._limit is not None:
            n_bytes = min(n_bytes, part_within(self._limit))
        return tally.add_table(table, n_bytes)

    def add(self, block: Block) -> None:
        """Count a block, unless the core has counted it already."""
        tally = self._open_tally()
        self._n_docs += block.n_docs
        if not isinstance(block.content, Counted):
            assert block.labels is not None
            tally.add(block.content, block.labels)
        if self._limit is not None:
            n_before = 0 if self._total is None else self._total.n_terms
            if STRING_BYTES * n_before + tally.n_bytes > self._limit:
                raise TermsDoNotFitError

    def counts(self) -> Counts:
        """Return the counts of all documents so far."""
        total = self._total
        if total is None or self._n_docs:
            classes, ordered = self._documents.classes, self._documents.ordered
            tally = self._open_tally()
            part = tally.counts(classes, self._n_docs)
            if isinstance(tally, ByClass):
                self._documents.note_words(tally.counter)
            part = part if classes == ordered else part.in_order(ordered)
            total = part if total is None else total.united(part)
            self._total, self._tally, self._n_docs = total, None, 0
        return total

    def to_bytes(self) -> bytes:
        return file.to_bytes(self.counts())

    def restore(self, data: bytes) -> None:
        self._total = file.read_bytes(data, "checkpoint")


class Sketching:
    """Adds a stream of texts to a sketch."""

    table_counter = None
    takes_columns = False

    def __init__(self, sketch: TermSketch, rules: TextRules, n_threads: int | None) -> None:
        self.sketch, self._rules, self._n_threads = sketch, rules, n_threads

    def add(self, block: Block) -> None:
        self.sketch.update(block.texts, n_threads=self._n_threads)

    def to_bytes(self) -> bytes:
        return self.sketch.to_bytes()

    def restore(self, data: bytes) -> None:
        self.sketch = TermSketch.from_bytes(data).cut_by(self._rules)


def finished(
    counts: Counts,
    rules: TextRules,
    documents: Documents | None = None,
    *,
    sketched: bool = False,
) -> Counts:
    """Return the counts of a collection with its rules, and warn about signs of mistakes.

    ``documents`` know the first label and the number of empty texts, and are None if the collection
    was counted in parts. A sketch may have no term, and its rules were checked before.
    """
    core = counts.core
    if not sketched:
        warn(about_rules(rules))
        if not core.n_terms:
            what = rules.what_counts
            warn([said("no document has {what}, so the counts have no terms", what=what)])
    if documents is not None:
        warn(about_words(rules, documents))
    about = () if documents is None else (documents.first_label, documents.n_empty)
    tokens = dict(zip(counts.classes, core.class_tokens.tolist(), strict=True))
    is_word = bool(about and core.n_terms and tokens.get(about[0], 2) <= 1)
    sizes = core.class_docs.tolist(), core.n_docs
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
    n_threads: int | None,
    opened: Callable[[str, int | None], LabelledDocuments],
    twice: bool = False,
    sketch: TermSketch | None = None,
) -> tuple[Counts, Documents]:
    """Count texts in about ``max_memory`` bytes. Return the stream that was counted, too.

    ``opened(verb, limit)`` begins to read the texts. The memory is checked after each block, so
    blocks must be small enough for a ``limit``. If ``twice``, a sketch is always made. A ``sketch``
    is given only without ``max_memory``.
    """

    def count(
        rules: TextRules, limit: int | None, sketch: TermSketch | None
    ) -> tuple[Counts, Documents]:
        documents = opened("counted", limit)
        return counted(documents, rules, tf, n_threads, limit, sketch), documents

    if max_memory is None:
        return count(rules, None, sketch)
    sketching = Sketching(sketch_within(max_memory, rules), rules, n_threads)
    check_rules_of_parts(rules, tf)
    limit = max_memory // _SHARE
    if not twice:
        try:
            return count(rules, limit, None)
        except TermsDoNotFitError:
            logger.info("the terms do not fit in %d bytes: reading twice", max_memory)
    opened("sketched", None).feed(sketching)
    try:
        sketch = sketching.sketch
        counts, documents = count(sketch.counting_rules(), limit, sketch)
    except TermsDoNotFitError:
        raise wrong_value(
            "the terms that may be in {min_df=} documents do not fit in {max_memory=}: raise "
            "{least} or {most}",
            min_df=rules.min_df,
            max_memory=max_memory,
            least=named("min_df"),
            most=named("max_memory"),
        ) from None
    counts = kept_terms_only(counts, rules)
    logger.info("left out all terms that are in fewer than %d documents", rules.min_df)
    return counts, documents


def part_within(limit: int) -> int:
    """Return how many bytes of text may be counted before the memory is checked again.

    The n-grams of a text may take some fifty times as many bytes as the text.
    """
    return max(1 << 16, min(limit // 64, 1 << 25))


def sketch_within(max_memory: int, rules: TextRules, share: int = _SHARE) -> TermSketch:
    """Return an empty sketch of ``max_memory / share`` bytes. The rules must set ``min_df``.

    A task on a cluster holds eight sketches and their sum, each in a twelfth of the memory.
    """
    if not validation.is_integer(max_memory):
        raise wrong_type(
            "{max_memory} must be a number of bytes, such as 2_000_000_000, got {value!r}",
            value=max_memory,
        )
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
    counts = (_of_texts if scan.has_texts else _of_matrices)(scan, tf, n_threads)
    of_labels = integers_if_all_whole if scan.labels_are_text else of_one_kind
    return counts.renamed(of_labels(counts.classes).tolist())


def _of_matrices(scan: Scan, tf: str, n_threads: int | None) -> Counts:
    counts = rereading(lambda: counted(Scanned(scan, "counted"), scan.rules, tf, n_threads))
    if (names := scan.options.names) is not None:
        # An svmlight file may use fewer columns than there are names of terms.
        counts = counts.in_columns(np.arange(counts.n_terms), len(names), names)
    with validation.naming(scan.description):
        return kept_terms_only(counts, scan.rules)


def _of_texts(scan: Scan, tf: str, n_threads: int | None) -> Counts:
    check_rules_of_parts(scan.rules, tf)
    folder = scan.options.checkpoint
    job = {} if folder is None else job_of(scan, tf)

    def opened(verb: str, limit: int | None) -> LabelledDocuments:
        name = "counts" if verb == "counted" else "sketch"
        if folder is None:
            return Scanned(scan, verb)
        from termsift.io._checkpoint import Checkpoint  # few jobs are saved

        return Scanned(scan, verb, Checkpoint(folder, name, job))

    twice = folder is not None
    max_memory = scan.options.max_memory
    counts, documents = counted_within(max_memory, scan.rules, tf, n_threads, opened, twice)
    # With a checkpoint, an earlier run may have counted empty texts.
    counts = finished(counts, scan.rules, None if twice else documents)
    codec = check_encoding(scan.options.encoding)
    return replace(counts, encoding=None if codec == "utf-8-sig" else codec)
