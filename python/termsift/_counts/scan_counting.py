"""Counting a scan of files: texts by class if possible, and everything else as matrices."""

from __future__ import annotations

from typing import cast

import numpy as np

from termsift import _core
from termsift._counts.class_counts import ClassCounts
from termsift._counts.held import Held
from termsift._counts.texts import (
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
from termsift._util.printable import printable_errors
from termsift.io._matrices import integers_if_all_whole
from termsift.io._scan import Scan
from termsift.io._source import MatrixBlock, TextBlock, labelled
from termsift.text import TextRules
from termsift.text._sketch import TermSketch


@printable_errors()
def count_scan(scan: Scan, tf: str, n_threads: int | None) -> ClassCounts:
    """Count the documents of a scan; the terms are in the order of `io.read_collection`."""
    counts = _of_texts(scan, tf, n_threads) if scan.has_texts else _of_matrices(scan, tf, n_threads)
    with validation.naming(scan._source):
        counts = kept_terms_only(counts, scan.rules)
        if scan.has_texts:
            counts = with_terms(counts, scan.rules)
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
    threads = validation.check_n_threads(n_threads)

    def count(rules: TextRules, limit: int | None) -> Held:
        counting = TextCounting(rules, tf, threads)
        if limit is not None:
            counting.most_bytes = part_within(limit)
        counter = counting if isinstance(counting.tally, ByClass) else None

        def add(block: TextBlock) -> None:
            counting.add(block)
            check_fits(counting.tally, limit)

        scan._each("counted", add, counter)
        scan._check_read(counting.n_docs)
        counts = counting.tally.counts(counting.coder.classes, counting.n_docs)
        return counts.in_order(counting.coder)

    def add_to(sketch: TermSketch) -> None:
        scan._each("sketched", lambda block: sketch.update(block.texts, n_threads=n_threads))

    return counted_within(scan._options.max_memory, scan.rules, tf, count, add_to)


class TextCounting:
    """The counts of texts in files. If the core counts by class, it also reads the tables."""

    def __init__(self, rules: TextRules, tf: str, n_threads: int) -> None:
        self.tally = tally_of(rules, tf, n_threads)
        self.coder = validation.LabelCoder(None)
        self.n_docs = 0
        self.most_bytes = 1 << 62  # the most bytes of a table to count at once

    def add(self, block: TextBlock) -> None:
        """Count the texts of a block. It is empty if the core has already counted its texts."""
        if len(block):
            codes = self.coder.codes(block.labels)[block.codes]
            self.tally.add(block.texts, validation.Labels(self.coder.classes, codes, None))
            self.n_docs += len(block)

    def labels(self) -> list[str]:
        """Return the labels of the classes so far, in the order of the class numbers."""
        return cast("list[str]", self.coder.classes)

    def add_table(self, table: _core.Table, n_bytes: int) -> None:
        """Count about ``n_bytes`` of a table; its classes are numbered as in `labels`."""
        assert isinstance(self.tally, ByClass)
        self.n_docs += self.tally.add_table(table, min(n_bytes, self.most_bytes))
        self.coder.codes(table.labels(len(self.coder.classes)))  # numbers the new labels
