"""Counting a scan of files: by class in the core if possible, otherwise as matrices."""

from __future__ import annotations

from functools import partial
from io import BufferedReader, BytesIO
from typing import cast

import numpy as np

from termsift import _core
from termsift._counts.class_counts import ClassCounts
from termsift._counts.file import read_from
from termsift._counts.held import Held
from termsift._counts.texts import (
    STRING_BYTES,
    ByClass,
    check_fits,
    check_rules_of_parts,
    counted_within,
    kept_terms_only,
    part_within,
    tally_of,
    with_terms,
)
from termsift._util import validation
from termsift.io._checkpoint import Checkpoint
from termsift.io._matrices import integers_if_all_whole
from termsift.io._scan import Scan
from termsift.io._source import MatrixBlock, TextBlock, labelled
from termsift.text import TextRules
from termsift.text._sketch import TermSketch


def count_scan(scan: Scan, tf: str, n_threads: int | None) -> ClassCounts:
    """Count the documents of a scan; the terms are in the order of `read_collection`."""
    counts = _of_texts(scan, tf, n_threads) if scan.has_texts else _of_matrices(scan, tf, n_threads)
    with validation.naming(scan._source):
        finish = with_terms if scan.has_texts else kept_terms_only
        counts = finish(counts, scan.rules)
    if scan._labels_are_text:
        counts = counts.renamed(integers_if_all_whole(counts.classes).tolist())
    return ClassCounts._of(counts)


def _of_matrices(scan: Scan, tf: str, n_threads: int | None) -> Held:
    counts = ClassCounts._of(Held.nothing(tf))

    def add(block: MatrixBlock) -> None:
        y, classes = labelled(block.labels, block.n_labels)
        with validation.naming(str(scan._path)):
            counts.update(block.X, y, classes=classes, n_threads=n_threads)

    scan._each("counted", add)
    scan._check_read(counts.n_docs)
    if (names := scan._options.names) is None:
        return counts._state
    # An svmlight file may use fewer columns than there are names.
    return counts._state.in_columns(np.arange(counts.n_terms), len(names), names)


def _of_texts(scan: Scan, tf: str, n_threads: int | None) -> Held:
    check_rules_of_parts(scan.rules, tf)
    threads, options = validation.check_n_threads(n_threads), scan._options
    folder, job = options.checkpoint, scan._job(tf) if options.checkpoint else {}

    def count(rules: TextRules, limit: int | None) -> Held:
        counting = TextCounting(rules, tf, threads)
        checkpoint = Checkpoint(folder, "counts", job)
        counting.start(checkpoint.load(_read))
        if limit is not None:
            counting.most_bytes = part_within(limit)
        counter = counting if isinstance(counting.tally, ByClass) else None

        def add(block: TextBlock) -> None:
            counting.add(block)
            check_fits(counting.n_bytes, limit)

        def state() -> bytes:
            return ClassCounts._of(counting.counts()).to_bytes()

        scan._each("counted", add, counter, checkpoint, state)
        counts = counting.counts()
        scan._check_read(counts.counts.n_docs)
        return counts

    def sketched(sketch: TermSketch) -> TermSketch:
        checkpoint = Checkpoint(folder, "sketch", job)
        sketch = checkpoint.load(TermSketch.from_bytes) or sketch

        def add(block: TextBlock) -> None:
            sketch.update(block.texts, n_threads=n_threads)

        scan._each("sketched", add, None, checkpoint, sketch.to_bytes)
        return sketch

    return counted_within(options.max_memory, scan.rules, tf, count, sketched, folder is not None)


def _read(saved: bytes) -> Held:
    return read_from(BufferedReader(BytesIO(saved)), "checkpoint")


class TextCounting:
    """The counts of texts in files. If the core counts by class, the core also reads the tables."""

    def __init__(self, rules: TextRules, tf: str, n_threads: int) -> None:
        self._new_tally = partial(tally_of, rules, tf, n_threads)
        self._total: Held | None = None  # the counts of earlier documents
        self.most_bytes = 1 << 62  # the most bytes of a table to count at once
        self.start()

    def start(self, total: Held | None = None) -> None:
        """Start an empty tally for the next documents, whose counts are added to ``total``."""
        self._total, self.tally, self.n_docs = total, self._new_tally(), 0
        self.coder = validation.LabelCoder(None)

    @property
    def n_bytes(self) -> int:
        """The approximate number of bytes that all terms so far take."""
        held = 0 if self._total is None else STRING_BYTES * self._total.counts.n_terms
        return held + self.tally.n_bytes

    def counts(self) -> Held:
        """Return the counts of all documents so far."""
        total = self._total
        if total is None or self.n_docs:
            part = self.tally.counts(self.coder.classes, self.n_docs).in_order(self.coder)
            self.start(total)  # frees the tally
            total = part if total is None else total.united(part)
        self.start(total)
        return total

    def add(self, block: TextBlock) -> None:
        """Count the texts of a block. The block is empty if the core has counted its texts."""
        if len(block):
            codes = self.coder.codes(block.labels)[block.codes]
            self.tally.add(block.texts, validation.Labels(self.coder.classes, codes, None))
            self.n_docs += len(block)

    def labels(self) -> list[str]:
        """Return the labels of the classes so far, in the order of the class numbers."""
        return cast("list[str]", self.coder.classes)

    def add_table(self, table: _core.Table, n_bytes: int) -> None:
        """Count about ``n_bytes`` of a table, with class numbers as in `labels`."""
        assert isinstance(self.tally, ByClass)
        self.n_docs += self.tally.add_table(table, min(n_bytes, self.most_bytes))
        self.coder.codes(table.labels(len(self.coder.classes)))  # numbers the new labels
