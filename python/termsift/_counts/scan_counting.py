"""Counting a scan of files: texts by class, if that is possible, and else by matrices."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from typing import cast

import numpy as np

from termsift import _core
from termsift._counts.class_counts import ClassCounts
from termsift._counts.held import Held
from termsift._counts.texts import (
    ByClass,
    ByDocument,
    check_rules_of_parts,
    counts_by_class,
    kept_terms_only,
)
from termsift._util import validation
from termsift._util.printable import printable_errors
from termsift.io._matrices import integers_if_all_whole
from termsift.io._scan import Scan
from termsift.io._source import MatrixBlock, TextBlock, labelled


class ScanCounting:
    """The counts of a scan while it is read.

    They are added to those ``before``, of the inputs that the scan has already read. The other
    arguments are as for `termsift.count`.
    """

    def __init__(
        self,
        scan: Scan,
        tf: str,
        before: Held | None = None,
        *,
        n_threads: int | None = None,
    ) -> None:
        self._scan, self._tf = scan, tf
        self._n_threads = n_threads
        # The counts of what was read before the last call of `counts`.
        self._before = Held.nothing(tf) if before is None else before._replace(tf=tf)
        if scan.has_texts:
            check_rules_of_parts(scan.rules, tf)
        # What is read is known only at the end, and so is which terms are kept.
        self._all_terms = replace(scan.rules, min_df=1, max_df=1.0, max_features=None)
        self._by_class = counts_by_class(scan.rules, tf)
        self._tally: ByClass | ByDocument | None = None
        self._coder = validation.LabelCoder(None)
        self._n_docs = 0

    def steps(self) -> Generator[None, None, None]:
        """Read the scan; stop after each block and each input."""
        scan = self._scan
        # The names of the scan may be more.
        counts = ClassCounts._of(self._before._replace(names=None))
        with closing(scan._blocks(self if self._by_class else None)) as blocks:
            for block in blocks:
                if isinstance(block, MatrixBlock):
                    y, classes = labelled(block.labels, block.n_labels)
                    path = scan._sources[scan.inputs_done].path
                    with validation.naming(str(path)):
                        counts.update(
                            block.X,
                            y,
                            classes=classes,
                            n_threads=self._n_threads,
                        )
                    self._before = counts._state
                elif block:
                    self._add(block)
                del block  # before the next one is read
                yield

    def _started(self) -> ByClass | ByDocument:
        """Return what counts texts now."""
        if self._tally is None:
            rules, threads = self._all_terms, validation.check_n_threads(self._n_threads)
            if self._by_class:
                self._tally = ByClass(rules, self._tf, threads)
            else:
                self._tally = ByDocument(rules, self._tf, threads, self._before)
                self._coder.codes(self._before.classes)  # numbers them in this order
        return self._tally

    def _add(self, block: TextBlock) -> None:
        tally = self._started()
        codes = self._coder.codes(block.labels)[block.codes]
        labels = validation.Labels(self._coder.classes, codes, None)
        tally.add(block.texts, labels, None)
        self._n_docs += len(block)

    def labels(self) -> list[str]:
        """Return the labels of the classes so far, by number."""
        return cast("list[str]", self._coder.classes)

    def add_table(self, table: _core.Table, n_bytes: int) -> None:
        """Count about so many bytes of a table, whose classes have these numbers."""
        tally = self._started()
        assert isinstance(tally, ByClass)
        self._n_docs += tally.add_table(table, n_bytes)
        self._coder.codes(table.labels(len(self._coder.classes)))  # numbers the new ones

    def counts(self) -> Held:
        """Return the counts of all that has been read, with the words of texts as names."""
        if self._tally is None:
            return self._before
        counts = self._tally.counts(self._coder.classes, self._n_docs)
        counts = counts.in_order(self._coder)
        if self._by_class:
            counts = self._before.united(counts) if self._before.counts.n_docs else counts
            self._before, self._tally, self._n_docs = counts, None, 0
            self._coder = validation.LabelCoder(None)
        return counts


@printable_errors()
def finished(counts: Held, scan: Scan) -> ClassCounts:
    """Return the counts of a whole scan with names, in the order of `io.read_collection`."""
    scan._check_read(counts.counts.n_docs)
    names, n_terms = None if scan.has_texts else scan.term_names, counts.counts.n_terms
    if names is not None:  # svmlight text need not use all
        counts = counts.in_columns(np.arange(n_terms), len(names), names)
    with validation.naming(scan._source):
        counts = kept_terms_only(counts, scan.rules)
    if scan.has_texts and counts.counts.n_terms == 0:
        raise ValueError(f"{scan._source}: no text has {scan.rules.what_counts}")
    if scan.has_columns:
        validation.warn_of_swapped_columns(len(counts.classes), counts.counts.n_docs)
    if scan._labels_are_text:
        counts = counts.renamed(integers_if_all_whole(counts.classes).tolist())
    return ClassCounts._of(counts)
