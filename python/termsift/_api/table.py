"""Counts from a table with columns of terms, labels and counts, such as a frequency list."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._api.class_counts import ClassCounts
from termsift._counts.adding import add_documents
from termsift._counts.counts import Counts
from termsift._util import validation
from termsift._util.extras import is_from, require
from termsift._util.faults import (
    Argument,
    Message,
    concerning,
    excluded,
    named,
    said,
    wrong_type,
    wrong_value,
)
from termsift._util.messages import levels_to_caller, logger
from termsift.io._list_columns import usual_column
from termsift.text import TextRules
from termsift.text._blocks import check_named
from termsift.text._listed_words import CutWords, cut_words

_SHOWN = 5  # so many terms are shown in a warning


def counts_from_table(
    frame: Any,
    *,
    term: Any = None,
    label: Any = None,
    count: Any = None,
    documents: Any = None,
    class_docs: Mapping[Any, int] | None = None,
    class_tokens: Mapping[Any, int] | None = None,
    rules: TextRules | None = None,
) -> ClassCounts:
    """Return the counts in a table, such as a frequency list or the result of a ``GROUP BY``.

    Parameters
    ----------
    frame : frame, or mapping of label to mapping of term to count
        A frame is a data frame of pandas or polars, an Arrow table or stream, a relation of duckdb,
        or a dict of columns. Each row says how often a term occurs in a class. Rows with the same
        label and term are added. A mapping is, for example, ``{"en": Counter(words)}``.
    term, label, count : str, optional
        The names of the columns. Counts are whole numbers, at least 0. By default, the columns have
        usual names in any case, such as ``Word``, ``class`` and ``Freq.``
    documents : str, optional
        The name of the column that tells how many documents of the class contain the term. This
        column requires ``class_docs``. By default, it has a usual name, such as ``docs`` or
        ``range``, if ``class_docs`` is given; otherwise the numbers of documents are unknown.
    class_docs : mapping of label to int, optional
        The number of documents of each class. This argument requires a column of documents.
    class_tokens : mapping of label to int, optional
        The number of occurrences of all terms, for each class whose list was cut off. Terms that a
        list leaves out count only in ``class_tokens``.
    rules : TextRules, optional
        The rules for texts, such as the ``rules`` of the counts to compare with. Each term of the
        table is cut by these rules like a text that occurs ``count`` times. So "The" and "the" are
        added if the rules lowercase texts, and words that the rules leave out of texts are left out
        of the table. By default, terms are taken as they are.

    Returns
    -------
    counts : ClassCounts
        The counts that `termsift.count_texts` returns for the texts behind the table. The terms
        are sorted and have names.

    Raises
    ------
    ValueError, TypeError
        For columns that are not clear, for a count that is negative, missing or not whole, for a
        missing term or label, for a total that is less than the listed counts, and similar errors.
        The error message names the column, the row and the value.
    CountOverflowError
        If the counts of a class sum to more than int64 can hold.

    Notes
    -----
    If the numbers of documents are unknown, everything that needs them raises ValueError: methods
    and models that count documents, the empirical class prior, ``n_docs``, ``class_docs`` and
    ``document_frequency``. `ClassCounts.keyness` and `ClassCounts.to_frame` show null for unknown
    numbers of documents. If classes are merged and the documents of one are unknown, the documents
    of the merged class are unknown too.

    The total of a list that was cut off is kept in sums, files, pickles and subsets. The model
    "binary" and `ClassCounts.greedy` need every term, and raise ValueError for such a list.

    With ``rules``, a term with blanks is an n-gram, whose words are listed by themselves. It is one
    term if the rules count such n-grams. Otherwise it stays as it is, and a warning says that it
    cannot match. Rules for characters and for hashes leave all terms as they are. If the rules
    unite terms, the numbers of documents are refused, because the terms may share documents.

    Examples
    --------
    >>> import termsift as ts
    >>> lists = {"sea": {"ship": 3, "the": 9}, "land": {"plough": 2, "the": 7}}
    >>> counts = ts.counts_from_table(lists, class_tokens={"sea": 400, "land": 300})
    >>> counts
    <ClassCounts of unknown documents: 2 classes x 3 terms, 4 pairs, exact>
    >>> found = counts.keyness("sea").to_frame()
    >>> found[["term", "n_target", "n_reference", "df_target"]]
         term  n_target  n_reference df_target
    0    ship         3            0      None
    1  plough         0            2      None
    2     the         9            7      None
    """
    coder = validation.LabelCoder(None, "label")
    names = {"term": term, "label": label, "count": count, "documents": documents}
    if isinstance(frame, Mapping) and all(isinstance(of, Mapping) for of in frame.values()):
        _check_both(documents, class_docs)
        if documents is not None:
            raise excluded(
                "{documents} must name a column of a {frame}, but a mapping of mappings has none"
            )
        names = {parameter: parameter for parameter in names}
        sizes = [len(of_class) for of_class in frame.values()]
        codes = np.repeat(coder.codes(list(frame)), sizes)
        columns = {"term": [name for of_class in frame.values() for name in of_class]}
        columns["count"] = [n for of_class in frame.values() for n in of_class.values()]
    else:
        frame, names = _named_columns(frame, names, with_documents=class_docs is not None)
        _check_both(names.get("documents"), class_docs)
        columns = _columns(frame, names)
        with validation.naming(f"column {names['label']!r}"):
            codes = coder.codes(columns["label"])
    terms, of_term = _terms(columns["term"], names["term"])

    def place(row: int) -> str:
        return f"row {row}, term {terms[of_term[row]]!r} of class {coder.classes[codes[row]]!r}"

    occurrences = _whole(columns["count"], names["count"], place, "count")
    classes = coder.classes
    held = _summed(classes, codes, of_term, len(terms), occurrences)
    listed = _per_class(held, "term_frequency", np.sum)
    totals = _totals(class_tokens, "class_tokens", classes, listed)
    in_documents = None
    if "documents" in columns:
        in_documents = _whole(columns["documents"], names["documents"], place, "documents")
        _check_documents(in_documents, occurrences, names["documents"], place)
    if rules is not None:
        validation.check_kind(rules, TextRules, "rules")
    if rules is not None and rules.analyzer == "word" and rules.hashing is None:
        cut = _cut(terms, rules)
        if in_documents is not None:
            _check_separate(terms, cut, codes, of_term, classes)
        terms, contents = cut.terms, cut.contents[of_term]
        held = _summed_contents(classes, codes, contents, occurrences)
        if in_documents is not None:
            contents.data.fill(1)
            of_documents = _summed_contents(classes, codes, contents, in_documents)
    elif in_documents is not None:
        of_documents = _summed(classes, codes, of_term, len(terms), in_documents)
    if in_documents is None:
        held["document_frequency"] = np.zeros_like(held["term_frequency"])
        held["class_docs"] = np.zeros_like(held["class_docs"])
    else:
        held["document_frequency"] = of_documents["term_frequency"]
    held["unlisted_tokens"] = totals - np.array(listed, dtype=np.int64)
    if class_docs is not None:
        least = np.array(_per_class(held, "document_frequency", _largest), dtype=np.int64)
        least = np.maximum(least, totals > 0)
        held["class_docs"] = _totals(class_docs, "class_docs", classes, least.tolist())
    held["n_docs"] = sum(held["class_docs"].tolist())
    counts, term_names = _core.Counts.from_arrays(**held), validation.object_array(terms)
    state = Counts(counts, classes, term_names, "raw")
    return ClassCounts._of(state.in_order(coder.ordered))


def _check_both(documents: Any, class_docs: Any) -> None:
    if (documents is None) != (class_docs is None):
        given, other = "documents", "class_docs"
        if documents is None:
            given, other = other, given
        raise excluded(
            "{given} needs {other}: pass both or neither", given=named(given), other=named(other)
        )


def _per_class(held: dict[str, Any], name: str, total: Any) -> list[Any]:
    """Return a total of each class over its pairs."""
    return [total(held[name][slice(*ends)]) for ends in pairwise(held["indptr"].tolist())]


def _largest(values: NDArray[Any]) -> Any:
    return values.max(initial=0)


def _check_documents(
    in_documents: NDArray[np.int64], occurrences: NDArray[np.int64], column: Any, place: Any
) -> None:
    """Check that a term is in no more documents than it has occurrences."""
    wrong = (in_documents > occurrences) | ((in_documents == 0) & (occurrences > 0))
    if wrong.any():
        row = int(np.argmax(wrong))
        error = wrong_value(
            "column {column!r} has {n} at {place}, expected from 1 to {most}, the occurrences "
            "of the term",
            column=column,
            n=in_documents[row],
            place=place(row),
            most=occurrences[row],
        )
        raise concerning(error, "documents")


# ---- the columns of a frame ----------------------------------------------------------------------


def _named_columns(
    frame: Any, names: dict[str, Any], with_documents: bool
) -> tuple[Any, dict[str, Any]]:
    """Return a frame whose columns have names, and the names of the columns to read.

    Columns that the caller did not name have usual names.
    """
    if not (isinstance(frame, Mapping) or is_from(frame, "pandas") or is_from(frame, "polars")):
        if not hasattr(frame, "__arrow_c_stream__"):
            raise wrong_type(
                "{frame} is {kind}, expected a data frame, an Arrow table or stream, a dict of "
                "columns, or a mapping of label to mapping of term to count",
                kind=validation.a_kind(frame),
            )
        pyarrow = require("pyarrow", "arrow", f"reading the columns of a {type(frame).__name__}")
        frame = pyarrow.RecordBatchReader.from_stream(frame).read_all()
    elif isinstance(frame, Mapping) and all(map(np.isscalar, frame.values())):
        raise wrong_type("{frame} maps terms to counts, expected {{label: {{term: count}}}}")
    by_name = isinstance(frame, Mapping)
    in_frame = frame if by_name else getattr(frame, "column_names", getattr(frame, "columns", ()))
    in_frame, names = list(in_frame), dict(names)
    for parameter, name in names.items():
        if name is None and (parameter != "documents" or with_documents):
            found = usual_column(in_frame, parameter)
            usual = None if parameter == "documents" else parameter
            names[parameter] = usual if found is None else in_frame[found]
    names = {parameter: name for parameter, name in names.items() if name is not None}
    check_named(in_frame, names)
    return frame, names


def _columns(frame: Any, names: dict[str, Any]) -> dict[str, Any]:
    """Return a dict from each parameter to its column of the frame, with one value per row."""
    columns = {
        parameter: validation.label_sequence(frame[name], Message(f"column {name!r}"))
        for parameter, name in names.items()
    }
    n_rows = len(columns["term"])
    for parameter, values in columns.items():
        if len(values) != n_rows:
            name = names[parameter]
            rows = validation.number_of(len(values), "row")
            text = f"column {name!r} has {rows}, expected {n_rows}"
            raise concerning(ValueError(text), "frame", parameter)
    return columns


def _terms(values: Any, name: Any) -> tuple[list[str], NDArray[np.int64]]:
    """Return the sorted terms, and the place of each row's term among the sorted terms."""
    codes, distinct, first = validation.distinct_labels(values)
    for value, row in zip(distinct, first, strict=True):
        if not isinstance(value, str):
            text = (
                f"column {name!r} has {validation.shown(value)} at row {row}, expected a term; "
                "pandas reads words such as null as missing unless keep_default_na=False"
            )
            raise concerning(ValueError(text), "term", "frame")
    order = sorted(range(len(distinct)), key=distinct.__getitem__)
    number_of = np.empty(len(distinct), dtype=np.int64)
    number_of[order] = np.arange(len(distinct))
    return [distinct[i] for i in order], number_of[codes]


def _whole(values: Any, name: Any, place: Any, argument: str) -> NDArray[np.int64]:
    """Return a column of whole numbers as int64, without changing a value.

    The ``argument`` names the column.
    """
    if not isinstance(values, list):
        numbers = np.asarray(values)
    elif {*map(type, values)} == {int} and min(values) >= 0 and max(values) < 2**63:
        numbers = np.array(values, dtype=np.int64)
    else:  # numpy might change a value
        numbers = validation.object_array(values)
    if numbers.dtype.kind in "biuf":
        right = (numbers >= 0) & (numbers < 2**63) & (numbers == np.floor(numbers))
    else:
        right = np.fromiter(map(_is_whole, numbers.tolist()), dtype=bool, count=len(numbers))
    if not right.all():
        row = int(np.argmin(right))
        text = (
            f"column {name!r} has {validation.shown(numbers[row])} at {place(row)}, expected a "
            "whole number from 0 to 2^63 - 1; multiply relative frequencies by the number of "
            "tokens in the corpus, and round them"
        )
        raise concerning(ValueError(text), argument, "frame")
    return numbers.astype(np.int64)


def _is_whole(value: Any) -> bool:
    try:
        return not isinstance(value, str) and value == int(value) and 0 <= value < 2**63
    except (TypeError, ValueError, OverflowError):  # missing, NaN, infinite
        return False


# ---- the rules for texts -------------------------------------------------------------------------


def _cut(terms: list[str], rules: TextRules) -> CutWords:
    """Return what the rules make of terms, and warn about terms that cannot match."""
    if rules.names_functions:
        raise wrong_value(
            "{rules} has only the name of a function: pass termsift.text.TextRules with the "
            "function itself"
        )
    cut = cut_words(terms, rules)
    logger.info("the rules cut %d terms of the table into %d", len(terms), len(cut.terms))
    if cut.alien:
        message = said(
            "{n:,} of {n_terms:,} terms of the table cannot match texts that are cut by these "
            "rules: {words}; choose {ngram_range} so that texts have such n-grams, or leave the "
            "terms out",
            n=len(cut.alien),
            n_terms=len(terms),
            words=validation.listed([terms[i] for i in cut.alien[:_SHOWN]]),
        )
        warnings.warn(message, stacklevel=levels_to_caller())
    return cut


def _check_separate(
    terms: list[str],
    cut: CutWords,
    codes: NDArray[Any],
    of_term: NDArray[np.int64],
    classes: list[Hashable],
) -> None:
    """Check that the rules unite no terms of a class, since these may share documents."""
    pairs = np.unique(np.stack([codes.astype(np.int64), of_term]), axis=1)
    contents = cut.contents[pairs[1]]
    of_class = np.repeat(pairs[0], np.diff(contents.indptr))
    source = np.repeat(pairs[1], np.diff(contents.indptr))
    order = np.lexsort((contents.indices, of_class))
    a, b = order[:-1], order[1:]
    same = (of_class[a] == of_class[b]) & (contents.indices[a] == contents.indices[b])
    if same.any():
        at = int(np.argmax(same))
        raise wrong_value(
            "{rules} unite {first!r} and {second!r} of class {label!r}, which may share documents, "
            "so leave out {documents} and {class_docs}",
            first=terms[source[a[at]]],
            second=terms[source[b[at]]],
            label=classes[of_class[a[at]]],
        )


# ---- sums ----------------------------------------------------------------------------------------


def _summed(
    classes: list[Hashable],
    codes: NDArray[Any],
    terms: NDArray[np.int64],
    n_terms: int,
    values: NDArray[np.int64],
) -> dict[str, Any]:
    """Return the count arrays of a table. Each row counts as a document with a single term."""
    return _added(classes, codes, np.arange(len(codes) + 1), terms, values, n_terms)


def _summed_contents(
    classes: list[Hashable], codes: NDArray[Any], contents: Any, values: NDArray[np.int64]
) -> dict[str, Any]:
    """Return the count arrays of a table of which each row holds several terms, or none.

    A term that a row holds twice is repeated, so that the core finds a sum that is too large.
    """
    times = contents.data.astype(np.int64)
    terms = np.repeat(contents.indices.astype(np.int64), times)
    ends = np.concatenate([[0], np.cumsum(times)])[contents.indptr]
    of_rows = np.repeat(values, np.diff(ends))
    return _added(classes, codes, ends, terms, of_rows, contents.shape[1])


def _added(
    classes: list[Hashable],
    codes: NDArray[Any],
    indptr: NDArray[np.int64],
    terms: NDArray[np.int64],
    values: NDArray[np.int64],
    n_terms: int,
) -> dict[str, Any]:
    matrix = validation.Csr(indptr, terms, values, len(codes), n_terms)
    labels = validation.Labels(classes, codes, None)
    try:
        return {**add_documents(None, matrix, labels, None, "raw", 0).to_arrays()}
    except _core.CountOverflowError:
        raise _core.CountOverflowError("the counts of a class sum to more than 2^63 - 1") from None


def _totals(given: Any, name: str, classes: list[Hashable], listed: list[Any]) -> _core.Int64s:
    """Return the total of each class; raise an error if a given total is less than ``listed``."""
    if given is not None and not hasattr(given, "keys"):
        raise wrong_type(
            "{name} must map each label to a total, got {given}",
            name=named(name),
            given=validation.shown(given),
        )
    totals = {} if given is None else dict(given)
    known = set(classes)
    for label in totals:
        if label not in known:
            raise wrong_value(
                "{name}: there is no class {label!r} in the table", name=named(name), label=label
            )
    found = list[int]()
    for label, least in zip(classes, listed, strict=True):
        if label not in totals and name == "class_docs":
            raise wrong_value(
                "{name} lacks class {label!r}, expected every class of the table",
                name=named(name),
                label=label,
            )
        total = totals.get(label, least)
        if not (validation.is_integer(total) and least <= total < 2**63):
            what = Message(Argument(name), f"[{label!r}], for which {least} are listed,")
            validation.check_integer(total, what, least, 2**63 - 1)  # raises an error
        found.append(int(total))
    return np.array(found, dtype=np.int64)
