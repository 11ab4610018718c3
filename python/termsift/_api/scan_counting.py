"""Counting a scan of files: texts by class, if that is possible, and else by matrices."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from typing import cast

import numpy as np

from termsift import _core
from termsift._api.class_counts import ClassCounts
from termsift._api.merging import nothing, united
from termsift._api.text_counting import (
    ByClass,
    ByDocument,
    check_rules_of_parts,
    counts_by_class,
    kept_terms_only,
)
from termsift._util import validation
from termsift._util.printable import printable_errors
from termsift.io._scan import Scan
from termsift.io._source import MatrixBlock
from termsift.io._texts import TableCount, TextBlock


class ScanCounting:
    """The counts of a scan while it is read.

    They are added to the ``counts`` of the inputs that the scan has already read. The other
    arguments are as for `termsift.count`.
    """

    def __init__(
        self,
        scan: Scan,
        tf: str,
        counts: ClassCounts | None = None,
        *,
        n_threads: int | None = None,
        window_bytes: int = _core.default_window_bytes,
    ) -> None:
        self._scan, self._tf, self._window_bytes = scan, tf, window_bytes
        self._n_threads = n_threads
        # The counts of what was read before the last call of `counts`.
        self._before = nothing(tf) if counts is None else ClassCounts._of(*counts._state[:3], tf)
        if scan.has_texts:
            check_rules_of_parts(scan.rules, {}, tf)
        # What is read is known only at the end, and so is which terms are kept.
        self._all_terms = replace(scan.rules, min_df=1, max_df=1.0, max_features=None)
        self._by_class = counts_by_class(scan.rules, tf)
        self._tally: ByClass | ByDocument | None = None
        self._coder = validation.LabelCoder(None)
        self._n_docs = 0

    def steps(self) -> Generator[None, None, None]:
        """Read the scan; stop after each block and each input."""
        scan, counts = self._scan, self._before
        count = self._table_count if self._by_class else None
        if not scan.has_texts:
            counts.term_names = None  # the names of the scan may be more
        with closing(scan.blocks(count)) as blocks:
            for block in blocks:
                if isinstance(block, MatrixBlock):
                    with validation.naming(scan.where):
                        counts.update(
                            block.X,
                            block.y,
                            classes=block.classes,
                            n_threads=self._n_threads,
                            window_bytes=self._window_bytes,
                        )
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

    def _table_count(self) -> TableCount:
        return TableCount(cast("list[str]", self._coder.classes), self._add_table)

    def _add_table(self, table: _core.Table, n_bytes: int) -> None:
        tally = self._started()
        assert isinstance(tally, ByClass)
        self._n_docs += tally.add_table(table, n_bytes)
        self._coder.codes(table.labels(len(self._coder.classes)))  # numbers the new ones

    def counts(self) -> ClassCounts:
        """Return the counts of all that has been read, with the words of texts as names."""
        if self._tally is None:
            return self._before
        counts = self._tally.counts(self._coder.classes, self._n_docs)
        counts = counts._with_classes_in_order(self._coder)
        if self._by_class:
            counts = united(self._before, counts) if self._before.n_docs else counts
            self._before, self._tally, self._n_docs = counts, None, 0
            self._coder = validation.LabelCoder(None)
        return counts


@printable_errors()
def finished(counts: ClassCounts, scan: Scan) -> ClassCounts:
    """Return the counts of a whole scan with names, in the order of `io.read_collection`."""
    scan.check_read(counts.n_docs)
    names = None if scan.has_texts else scan.term_names
    if names is not None:
        if counts.n_terms < len(names):  # svmlight text need not use all
            counts = counts._with_columns(np.arange(counts.n_terms), len(names), None)
        counts.term_names = names
    with validation.naming(scan.source):
        counts = kept_terms_only(counts, scan.rules)
    if scan.has_texts and counts.n_terms == 0:
        raise ValueError(f"{scan.source}: no text has {scan.rules.what_counts}")
    if scan.has_columns:
        validation.warn_of_swapped_columns(counts.n_classes, counts.n_docs)
    return counts._with_classes_renamed(scan.settled(counts.classes))
