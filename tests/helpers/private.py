"""The private names of the package that tests need, each with a reason.

Tests call public names wherever those suffice. What a test needs beyond them is imported from here,
so that a change of the package changes one file of the tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import termsift as ts
from termsift import __main__ as program
from termsift import _core
from termsift._api.class_counts import ClassCounts, value_of
from termsift._classify.naive_bayes import predictions
from termsift._counts import file as counts_format
from termsift._counts import tally
from termsift._counts.counts import Counts
from termsift._evaluate import evaluation, rankers
from termsift._evaluate.curve import METRICS, TITLES, curve_of
from termsift._evaluate.evaluation import check_ks, folds_of
from termsift._evaluate.rankers import rankers_of
from termsift._evaluate.split import LabelledRows, metrics_of
from termsift._evaluate.statistics import (
    corrected_t,
    friedman,
    holm,
    nemenyi_difference,
    ranks,
    sign_test,
)
from termsift._scores import class_terms, dispersion, keyness, ranking, scoring
from termsift._scores.keyness import KEYNESS_ORDERS
from termsift._scores.methods import (
    EVENT_MODELS,
    MODELS,
    OCCURRENCES,
    MethodName,
    Model,
    RankerName,
)
from termsift._scores.registry import DESCRIBING, check_model, find_method, find_ranker
from termsift._scores.scoring import AggregateOptions, MethodOptions
from termsift._scores.significance import adjusted_logs, log_chi2_sf
from termsift._select import likeliest_shape
from termsift._util import html, messages
from termsift._util.export import FORMAT_OF, write_csv, write_json
from termsift._util.files import check_replaceable, existing, replacing
from termsift._util.info import build_info
from termsift._util.sealing import sealed, unsealed
from termsift._util.validation import LEAVE_OUT, check_labels, check_matrix
from termsift._util.validation.labels import _plain as plain_label
from termsift.cli import keyness as keyness_command
from termsift.cli import rank as rank_command
from termsift.cli import running
from termsift.cli.inputs import READING, count_collection
from termsift.io import _matrices as matrices
from termsift.io._dialect import CHECKS as OF_DIALECTS
from termsift.io._dialect import Row
from termsift.io._dialect import _alike as rows_alike
from termsift.io._list_columns import _USUAL, usual_column
from termsift.io._list_columns import plain as plain_name
from termsift.io._scan import FORMATS, Scanned
from termsift.io._source import NAMED, SKIP
from termsift.reference.conditional import _log_gamma_ratio as log_gamma_ratio
from termsift.text._blocks import labelled_parts, text_blocks
from termsift.text._character_sets import UntranslatedError, of_node
from termsift.text._english import ENGLISH_STOP_WORDS
from termsift.text._listed_words import cut_words
from termsift.text._matrices import FixedColumns, GrowingColumns, count_blocks
from termsift.text._passages import passages_of
from termsift.text._patterns import _Program as PatternSteps
from termsift.text._patterns import translated
from termsift.text._places import PlaceFinder
from termsift.text._rules import _CUTTING, CHECKS, CuttingRules, Rules

# The core is tested by itself: what it refuses, each SIMD target, and each way of counting.
__all__ = ["_core"]
# What counts hold: tests compare every bit, and make counts that no public function would make.
__all__ += ["Counts", "count_collection", "value_of"]
# The size of the blocks of matrices, and where they are added: tests watch what a block allocates.
__all__ += ["matrices", "tally"]
# The format of files of counts, with which tests forge files that have a correct checksum.
__all__ += ["counts_format", "sealed", "unsealed"]
# Curves, folds and metrics, which tests compute by hand, without a collection.
__all__ += ["METRICS", "TITLES", "check_ks", "curve_of", "folds_of", "metrics_of"]
# The training documents of a fold are watched.
__all__ += ["LabelledRows", "evaluation", "rankers_of"]
__all__ += ["corrected_t", "friedman", "holm", "nemenyi_difference", "ranks", "sign_test"]
# Numbers that results show only rounded or adjusted.
__all__ += ["adjusted_logs", "dispersion", "likeliest_shape", "log_chi2_sf", "log_gamma_ratio"]
# The registry and its types, of which functions, command line and docs are made.
__all__ += ["DESCRIBING", "EVENT_MODELS", "KEYNESS_ORDERS", "MODELS", "OCCURRENCES"]
__all__ += ["MethodName", "Model", "RankerName", "check_model", "find_method", "find_ranker"]
# The program, which can be imported without running.
__all__ += ["program"]
# The tables of rules, formats and commands, whose every entry is tested.
__all__ += [
    "CHECKS",
    "ENGLISH_STOP_WORDS",
    "FORMATS",
    "FORMAT_OF",
    "OF_DIALECTS",
    "READING",
    "_CUTTING",
    "running",
]
__all__ += ["AggregateOptions", "CuttingRules", "MethodOptions", "Rules", "scoring"]
# Patterns for the core, which of them it runs, their steps and their sets of characters.
__all__ += ["PatternSteps", "UntranslatedError", "of_node", "translated"]
# Readers and counters by themselves: blocks of texts.
__all__ += [
    "FixedColumns",
    "GrowingColumns",
    "count_blocks",
    "labelled_parts",
]
__all__ += ["text_blocks"]
# The rows by which a delimiter is chosen: faulty rows of the right width cannot be written easily.
__all__ += ["Row", "rows_alike"]
# Checks of arguments, with the values that they return.
__all__ += ["check_labels", "check_matrix", "plain_label"]
# What `find_passages` shows, but for the text around it.
__all__ += ["PlaceFinder"]
# Tools of the package: files, tables, HTML, messages.
__all__ += ["build_info", "check_replaceable", "existing", "html", "messages", "replacing"]
__all__ += ["write_csv", "write_json"]
# Parts of messages that many errors share.
__all__ += ["LEAVE_OUT", "NAMED", "SKIP"]

# The sizes and waits that tests make small, and the functions that tests let fail.
PLACES = {
    "block_texts": ["termsift.text._blocks._BLOCK_TEXTS"],
    "block_characters": ["termsift.text._blocks._BLOCK_CHARACTERS"],
    "texts_at_once": ["termsift.text._blocks._TEXTS_AT_ONCE"],
    "block_bytes": [
        "termsift.io._matrices.MATRIX_BYTES",
        "termsift.io._tables.BLOCK_BYTES",
        "termsift.io._class_folder.BLOCK_BYTES",
        "termsift.io._lines.BLOCK_BYTES",
    ],
    "longest_line": ["termsift.io._lines._LONGEST_LINE"],
    "block_cells": ["termsift._util.validation.arrays._BLOCK_CELLS"],
    "rows_at_once": ["termsift.io._tables._ROWS_AT_ONCE"],
    "most_unpacked": ["termsift.io._opening._MOST_UNPACKED"],
    "share_of_saving": ["termsift.io._checkpoint._SHARE"],
    "dense_cells": ["termsift._classify.posteriors._DENSE_CELLS"],
    "most_sorted": ["termsift._scores.class_terms._MOST_SORTED"],
    "entries_at_once": ["termsift._scores.dispersion._CHUNK_ENTRIES"],
    "patience": ["termsift._util.messages._PATIENCE"],
    "every": ["termsift._util.messages._EVERY"],
    "progress_of_scans": ["termsift.io._scan.progress"],
    "writing_of_columns": ["termsift.cli.output.write_columns"],
    "check_of_outputs": ["termsift.cli.output.check_replaceable"],
    "reading_of_counts": ["termsift.cli.inputs.read_counts"],
    "search_for_termsift": ["termsift.dask.find_spec"],
    "locks": ["termsift._util.files.fcntl"],
    "rules_of_a_sketch": ["termsift.text._sketch.read_rules"],
    "parser_of_re": ["termsift.text._patterns._parser"],
}
# The names of the columns of frequency lists, which no public function lists; and what rules make
# of the words of a list, which `counts_from_table` adds up.
__all__ += ["cut_words", "plain_name", "usual_column", "usual_names"]


def put(monkeypatch: Any, **values: Any) -> None:
    """Put each value in its place, named in `PLACES`, until the test ends."""
    for name, value in values.items():
        for place in PLACES[name]:
            monkeypatch.setattr(place, value)


def core_of(counts: ClassCounts) -> _core.Counts:
    """Return the core's counts, whose arrays show every bit."""
    return value_of(counts).core


def holding(value: Counts) -> ClassCounts:
    """Return counts that hold a value, which no public function would make."""
    return ClassCounts._of(value)


def largest_classes(counts: ClassCounts, n: int) -> list[int]:
    """Return the rows of the classes that tables show."""
    return class_terms.largest_classes(value_of(counts), n)


def dominant_class(counts: ClassCounts, *args: Any, **scoring: Any) -> Any:
    """Return the rows of the classes that the report names."""
    return class_terms.dominant_class(value_of(counts), *args, **scoring)


def rank_by(method: str, counts: ClassCounts, *args: Any, **options: Any) -> Any:
    """Return a ranking as the command line and cross-validation make it."""
    return rankers.rank_by(rankers.as_ranker(method), value_of(counts), *args, **options)


def scoring_of(counts: ClassCounts, *args: Any, **options: Any) -> scoring.Scoring:
    """Return a method's arguments for the core."""
    return scoring.Scoring.of(value_of(counts), *args, **options)


def passages_in(scan: ts.Scan, queries: list[str]) -> Any:
    """Return the passages in files, which ``termsift context`` shows."""
    return passages_of(Scanned(scan), queries, scan.rules)


def predictions_of(classifier: ts.NaiveBayes, scan: ts.Scan) -> Iterator[tuple[list[Any], Any]]:
    """Yield the predictions for each block of files, as ``termsift classify`` makes them."""
    for _, labels, log_probabilities in predictions(classifier, Scanned(scan)):
        yield labels, log_probabilities


def facts_about_pvalues(method: str, max_pvalue: float | None, n_tests: int) -> tuple[Any, ...]:
    """Return the test, the adjustment and the level that tables of terms by class state."""
    test = class_terms.marking_test(method, max_pvalue)
    return test and test.name, class_terms.adjustment(n_tests), ranking.SIGNIFICANT


def orders_by_documents() -> tuple[str, ...]:
    """Return the orders of keyness that compare documents."""
    return keyness.ORDERS_BY_DOCUMENTS


def note_about_pvalues(counts: Any, method: str, columns: Any) -> str:
    """Return what ``termsift rank --per-class`` writes below its table."""
    return rank_command._about_pvalues(counts, method, columns)


def usual_names(parameter: str) -> set[str]:
    """Return the names that the columns of a frequency list may have."""
    return {name for group in _USUAL[parameter] for name in group}


def orders_that_a_list_lacks() -> tuple[str, ...]:
    """Return the orders that ``termsift keyness --versus-list`` refuses."""
    return keyness_command._BY_DOCUMENTS
