"""Counting, loading and merging: the functions that return `ClassCounts`."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Unpack

from termsift._api.class_counts import ClassCounts, value_of
from termsift._counts import file
from termsift._counts.adding import TermFrequency, add_documents
from termsift._counts.counts import Counts
from termsift._counts.documents import (
    count_scan,
    counted_within,
    finished,
    part_within,
)
from termsift._util import validation
from termsift._util.faults import blaming, concerning, excluded, named, wrong_type
from termsift._util.files import existing, named_errors
from termsift.io._scan import Scan
from termsift.text import TextRules
from termsift.text._blocks import LabelledTexts
from termsift.text._rules import Rules, check_same_rules, rules_of, shows
from termsift.text._sketch import TermSketch

if TYPE_CHECKING:
    from typing_extensions import Buffer


def count(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    classes: Iterable[Hashable] | None = None,
    *,
    tf: TermFrequency = "raw",
    term_names: Iterable[str] | None = None,
    n_threads: int | None = None,
) -> ClassCounts:
    """Count the terms of a labelled collection by class.

    Parameters
    ----------
    X : CSR or CSC matrix or array, or dense array, of shape (n_docs, n_terms)
        How often each term occurs in each document: booleans, integers or floats, none negative.
        Duplicate entries are summed. CSR arrays are not copied. Dense input is read in blocks of
        rows and may be a file: a numpy.memmap or a dataset of h5py or zarr. The columns of a data
        frame name the terms. Nullable numbers, decimals and other objects are counted if int64 or
        float64 holds them exactly. X may also be a `Scan` of files, which has its own labels and
        names.
    y : sequence of n_docs labels, or indicator matrix of shape (n_docs, n_classes)
        Labels are hashable values, and equal labels are one class, such as ``1``, ``1.0`` and
        ``True``, while ``1`` and ``"1"`` are two classes. In an indicator matrix of zeros and ones,
        a document counts in each of its classes. An array of shape (n_docs, 1) is refused, because
        it could hold labels or be an indicator matrix.
    sample_weight : array of shape (n_docs,), optional
        A document of weight w counts as w documents. True and False are 1 and 0.
    classes : sequence of labels, optional
        The classes in the order of the result. A label outside ``classes`` is an error. The default
        is the sorted list of the labels that occur. For an indicator matrix, ``classes`` names the
        columns, by default as a data frame does, or else 0, 1, ...
    tf : {"raw", "log", "binary"}
        How an entry x > 0 is counted: as x, log(1 + x) or 1, times the document's weight. The
        result stores the value of ``tf`` as an attribute.
    term_names : sequence of n_terms str, optional
        The names of the terms, such as ``vectorizer.get_feature_names_out()``.
    n_threads : int, optional
        The number of threads, by default one for each processor that this process may use. CPU
        affinity, cgroup quotas, OMP_NUM_THREADS and threadpoolctl are respected.

    Returns
    -------
    counts : ClassCounts
        Exact int64 counts if X and the weights hold booleans or integers, else float64 counts. With
        tf="binary", the type of X does not matter. With tf="log", counts are always float64.

    Raises
    ------
    ValueError
        For a malformed matrix, a negative, infinite or NaN value, too few or too many labels, and
        similar errors. The error message names the row, the column and the value.
    CountOverflowError
        If an exact count would exceed int64. The error is also an OverflowError and a ValueError.
    TypeError
        For a dtype or kind of input that cannot be counted.

    Notes
    -----
    The time is O(nnz + n_docs + pairs), for the nnz nonzero entries of X, and the pairs of a class
    and a term that occurs in it. The result is bit for bit the same for any number of threads,
    because floats are added in document order. The extra memory is at most 128 MiB, plus 4 to 28
    bytes for each term and thread, plus 8 bytes for each class and for each document.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> counts = ts.count(np.array([[2, 1, 0], [0, 1, 1], [1, 0, 0]]), ["ham", "spam", "ham"])
    >>> counts.classes
    ['ham', 'spam']
    >>> counts.term_frequency.toarray()
    array([[3, 1, 0],
           [0, 1, 1]])
    """
    tf = validation.check_tf(tf)  # type: ignore[assignment]
    if isinstance(X, Scan):
        others = {"y": y, "sample_weight": sample_weight, "classes": classes}
        others["term_names"] = term_names
        if too_many := [name for name, value in others.items() if value is not None]:
            raise excluded(
                "a scan has labels and names already: leave out {argument}",
                argument=named(too_many[0]),
            )
        return ClassCounts._of(count_scan(X, tf, n_threads))
    if y is None:
        cure = "; for files use termsift.scan" if isinstance(X, (str, os.PathLike)) else ""
        raise wrong_type(
            "{y} must hold a label for each document in order, got None{cure}", cure=cure
        )
    threads = validation.check_n_threads(n_threads)
    matrix = validation.check_matrix(X, threads, keep_csc=True)
    labels = validation.check_labels(y, matrix.n_docs, classes)
    weights = validation.check_weights(sample_weight, matrix.n_docs)
    names = validation.term_names_of(X, term_names, matrix.n_terms)
    core = add_documents(None, matrix, labels, weights, tf, threads)
    return ClassCounts._of(Counts(core, labels.classes, names, tf))


@shows(Rules)
def count_texts(
    texts: Any,
    y: Any = None,
    *,
    text: Any = None,
    label: Any = None,
    classes: Iterable[Hashable] | None = None,
    tf: TermFrequency = "raw",
    sketch: TermSketch | None = None,
    max_memory: int | None = None,
    n_threads: int | None = None,
    **rules: Unpack[Rules],
) -> ClassCounts:
    """Count the terms of labelled texts by class.

    Parameters
    ----------
    texts : iterable of str, or frame
        The documents: a list, a generator, a numpy array, a pandas or polars Series, or anything
        with the Arrow stream interface. The documents are read once, in blocks. If ``text`` is
        given, ``texts`` is a data frame, an Arrow table, a stream of tables, or a dataset of
        Hugging Face.
    y : sequence of labels, or indicator matrix of shape (n_docs, n_classes)
        As for `termsift.count`.
    text, label : str, optional
        The names of the columns with texts and labels, if ``texts`` is a frame. If ``text`` is a
        list, such as ``["title", "body"]``, the texts of these columns are joined with a blank.
        There, a missing value counts as an empty text if another column has a text.
    classes, tf, n_threads
        As for `termsift.count`.
    sketch : TermSketch, optional
        The result of `sketch_texts`. The rules of the sketch cut the texts into terms. A term is
        counted only if it may be in at least ``sketch.min_df`` documents. The counts may include
        some rarer terms, which `ClassCounts.with_min_df` drops.
    max_memory : int, optional
        The approximate number of bytes that counting may take. If all terms need more memory, the
        texts are read a second time, without counting rare terms. The argument ``max_memory`` needs
        ``min_df``, and texts that can be read twice, so not an iterator.
    **rules
        How texts are cut into terms, and which terms are kept, such as ``ngram_range=(1, 2)``. The
        rules have the same names as in `termsift.text.TextRules` and scikit-learn's
        ``CountVectorizer``.

    Returns
    -------
    counts : ClassCounts
        The same counts, bit for bit, as `termsift.count` returns for the matrix
        ``termsift.text.CountVectorizer(**rules).fit_transform(texts)``, which knows all rules but
        ``hashing`` and ``stem``. The terms are sorted and have names, but hashed terms have no
        names. If a ``vocabulary`` is given, it determines the columns of the terms. If no document
        has a term, a warning says so.

    Raises
    ------
    ValueError, CountOverflowError, TypeError
        As for `termsift.count`, and for a missing text or label, for a text that is not a string,
        and for rules that `termsift.text.TextRules` refuses.

    See Also
    --------
    merge : Add the counts of further texts, with terms matched by name.
    sketch_texts : Find the terms that may be frequent, if memory cannot hold all terms.

    Notes
    -----
    The compiled core counts terms by class, which is faster than making a matrix of each block of
    texts. A matrix of each block is made only for ``tf="log"``, ``hashing`` or a ``vocabulary``.
    Rules that are functions run at Python's speed, but the core counts the terms that they return.
    The function ``stem`` is called once for each distinct word.
    Each thread of the core needs 95 to 150 bytes for each distinct word.

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
    """
    if sketch is not None:
        if rules or max_memory is not None:
            error = excluded("a {sketch} has its own rules, so leave out rules and {max_memory}")
            raise concerning(error, "sketch", *rules)
        validation.check_kind(sketch, TermSketch, "sketch")
        text_rules = sketch.rules
        cutting = sketch.counting_rules()
    else:
        text_rules = cutting = rules_of(rules, count_texts)
    if max_memory is not None and isinstance(texts, Iterator):
        raise excluded("{max_memory} may read {texts} twice, but an iterator can be read only once")
    y, classes = (list(v) if isinstance(v, Iterator) else v for v in (y, classes))

    def opened(verb: str, limit: int | None) -> LabelledTexts:
        part_bytes = None if limit is None else part_within(limit)
        return LabelledTexts(
            texts, y, text=text, label=label, classes=classes, part_bytes=part_bytes
        )

    counts, documents = counted_within(max_memory, cutting, tf, n_threads, opened, sketch=sketch)
    return ClassCounts._of(finished(counts, text_rules, documents, sketched=sketch is not None))


def load(source: str | os.PathLike[str] | Buffer) -> ClassCounts:
    """Load counts that `ClassCounts.save` wrote or `ClassCounts.to_bytes` returned.

    Parameters
    ----------
    source : path, bytes, or another buffer
        The path of the file, or its bytes in any object with a buffer, such as a ``bytearray``, a
        ``memoryview`` or a ``pyarrow.Buffer``. Loading executes nothing from the file.

    Returns
    -------
    counts : ClassCounts

    Raises
    ------
    FileNotFoundError, ValueError, TypeError
        If there is no such file, or if it is a folder, a pipe or a device; if the file is damaged,
        truncated or of another version, or does not hold counts; or if ``source`` is neither a path
        nor a buffer.
    """
    with blaming("source"):
        if isinstance(source, (str, os.PathLike)):
            path = existing(source, "source")
            with named_errors(path), open(path, "rb") as saved:
                return ClassCounts._of(file.read_from(saved, os.fspath(source)))
        data = validation.check_bytes(source, "source", "a path or bytes")
        return ClassCounts._of(file.read_bytes(data, "the bytes"))


def merge(parts: Iterable[ClassCounts | tuple[str, ClassCounts]]) -> ClassCounts:
    """Merge the counts of several collections, whatever their classes and vocabularies.

    Parameters
    ----------
    parts : iterable of ClassCounts, or of pairs of a name and ClassCounts
        At least one part. If a generator loads the parts, only the sum and one part are in memory.
        Errors call a part by its name, such as its path. A part without name has its number.

    Returns
    -------
    counts : ClassCounts
        Classes are matched by label. If the labels of one part are strings, the integer labels of
        the other parts become strings too, as if all parts came from one text file. If the names of
        the terms differ, terms are matched by name. If every part has sorted terms, the merged
        terms are sorted. If some part has unsorted terms, the terms of the first part are followed
        by the new terms of each further part.

    Raises
    ------
    ValueError
        If the parts differ in ``tf``, in a rule that cut their texts or in the number of unnamed
        terms, if only some parts have names (``a + b`` adds such parts by index), or if terms are
        matched by name and a part contains a name twice.

    Notes
    -----
    Exact counts are added exactly. Float counts are added part by part, so they may differ by
    rounding from the counts of all documents at once.

    Examples
    --------
    >>> import numpy as np, termsift as ts
    >>> a, b = ts.count(np.array([[2, 1]]), ["ham"]), ts.count(np.array([[3, 4]]), ["spam"])
    >>> a.term_names, b.term_names = ["egg", "tea"], ["jam", "tea"]
    >>> counts = ts.merge([a, b])
    >>> list(counts.term_names), counts.term_frequency.toarray().tolist()
    (['egg', 'jam', 'tea'], [[2, 0, 1], [0, 3, 4]])
    """
    listed = validation.check_iterable(parts, "parts", "ClassCounts")
    merged: Counts | None = None
    named_rules: tuple[str, TextRules] | None = None  # the first rules, and the name of their part
    for number, given in enumerate(listed):
        name, part = _named_part(given, number)
        if not isinstance(part, ClassCounts):
            text = f"{name} is {validation.a_kind(part)}, expected ClassCounts"
            raise concerning(TypeError(text), "parts")
        held = value_of(part)
        if held.rules is not None:
            named_rules = named_rules or (name, held.rules)
            with blaming("parts"):
                check_same_rules(held.rules, named_rules[1], name, named_rules[0])
        if merged is not None:
            a = _with_strings_for_numbers(merged, held)
            b = _with_strings_for_numbers(held, merged)
            with validation.naming(f"{name} and the parts before it"):
                held = a.united(b)
        merged = held
    if merged is None:
        raise concerning(ValueError("expected at least one part to merge, got none"), "parts")
    return ClassCounts._of(merged)


def _named_part(part: Any, number: int) -> tuple[str, Any]:
    """Return the name of a part in errors, and the part itself."""
    if isinstance(part, tuple) and len(part) == 2 and isinstance(part[0], str):
        return part
    return f"part {number}", part


def _with_strings_for_numbers(counts: Counts, others: Counts) -> Counts:
    """Convert integer labels to strings if another part has labels that are strings.

    A reader turns labels into integers if all labels in its file are whole numbers.
    """
    are_numbers = all(type(label) is int for label in counts.classes)
    if others.classes and are_numbers and all(isinstance(label, str) for label in others.classes):
        return counts.renamed([str(label) for label in counts.classes])
    return counts


def nothing(tf: str) -> ClassCounts:
    """Return empty counts, to which other counts can be added."""
    return ClassCounts._of(Counts.nothing(tf))
