"""Counting a scan of files: texts by class, if that is possible, and else by matrices."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import replace

import numpy as np

from termsift import _core
from termsift._api.class_counts import ClassCounts
from termsift._api.merging import united
from termsift._api.text_counting import ByClass, check_rules_of_parts, kept_terms_only
from termsift._util import validation
from termsift._util.printable import printable_errors
from termsift.io._scan import Scan
from termsift.io._texts import TextBlock


class ScanCounting:
    """The counts of a scan while it is read.

    Parameters
    ----------
    scan : Scan
        What is read.
    tf : str
        As for `termsift.count`.
    counts : ClassCounts, optional
        Those of the inputs that the scan has already read.
    n_threads, window_bytes
        As for `termsift.count`.
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
        if counts is None:
            counts = ClassCounts._of(_core.Counts(0, True), [], None, tf)
        self._before = ClassCounts._of(*counts._state[:3], tf)
        rules = scan.rules
        if scan.has_texts:
            check_rules_of_parts(rules, {}, tf)
        self._by_class = (
            scan.has_words and tf != "log" and rules.vocabulary is None and rules.native is not None
        )
        # What is read is known only at the end, and so is which terms are kept.
        self._all_terms = replace(rules, min_df=1, max_df=1.0, max_features=None)
        self._begin()

    def _begin(self) -> None:
        self._tally: ByClass | None = None  # of what has been read since `counts` was called
        self._classes: dict[str, int] = {}
        self._n_docs = 0

    def steps(self) -> Generator[None, None, None]:
        """Read the scan; stop after each block or chunk and each input."""
        if self._by_class:
            self._scan._begin()
            with closing(self._scan._blocks()) as blocks:
                for block, _ in blocks:
                    if isinstance(block, TextBlock):
                        self._add(block)
                    del block  # before the next one is read
                    yield
            return
        counts = self._before
        counts.term_names = None  # those of the scan grow
        with closing(self._scan._steps()) as steps:
            for X, y in steps:
                if X is not None:
                    with validation.naming(self._scan.where):
                        counts.update(
                            X,
                            y,
                            classes=self._scan.classes,
                            n_threads=self._n_threads,
                            window_bytes=self._window_bytes,
                        )
                del X, y  # before the next chunk is read
                yield

    def _add(self, block: TextBlock) -> None:
        if self._tally is None:
            threads = validation.check_n_threads(self._n_threads)
            self._tally = ByClass(self._all_terms, self._tf, threads)
        known = self._classes
        numbers = [known.setdefault(label, len(known)) for label in block.labels]
        codes = np.array(numbers, dtype=np.int32)[block.codes]
        self._tally.add(block.texts, validation.Labels(list(known), codes, None), None)
        self._n_docs += len(block)

    def counts(self) -> ClassCounts:
        """Return the counts of all that has been read, with the words of texts as names."""
        scan = self._scan
        if self._tally is not None:
            added = self._tally.counts(list(self._classes), self._n_docs)
            in_order = sorted(self._classes)
            sums = added._counts.with_classes([self._classes[label] for label in in_order])
            added = ClassCounts._of(sums, list(in_order), added.term_names, self._tf)
            self._begin()
            self._before = added if self._before.n_docs == 0 else united(self._before, added)
            scan._found = self._before.term_names
        counts = self._before
        names = scan.term_names if scan.has_words and not self._by_class else None
        if names is None:
            return counts
        with_names = ClassCounts._of(counts._counts, counts.classes, None, self._tf)
        return with_names._with_columns(np.arange(counts.n_terms), len(names), names)


@printable_errors()
def finished(counts: ClassCounts, scan: Scan) -> ClassCounts:
    """Return the counts of a whole scan with names, in the order of `io.read_collection`."""
    where = ", ".join(map(str, scan.paths[:3])) + (", ..." if len(scan.paths) > 3 else "")
    if counts.n_docs == 0:
        left_out = ""
        if scan.n_skipped:
            left_out = f"; {scan.n_skipped} lines or rows were left out, first: {scan.skipped[0]}"
        raise ValueError(f"{where}: holds no documents{left_out}")
    names = counts.term_names if scan.has_words else scan.term_names
    if scan.has_words and scan.rules.vocabulary is None:
        assert names is not None
        if (names[1:] < names[:-1]).any():
            counts = counts._with_words_sorted(names)
    elif names is not None and not scan.has_words:
        if counts.n_terms < len(names):  # an input without documents may have more terms
            counts = counts._with_columns(np.arange(counts.n_terms), len(names), None)
        counts.term_names = names
    if names is not None:
        with validation.naming(where):
            counts = kept_terms_only(counts, scan.rules)
    if scan.has_texts and counts.n_terms == 0:
        raise ValueError(f"{where}: no text has {scan.rules.what_counts}")
    return counts._with_classes_renamed(scan.settled(counts.classes))
