"""Count the terms of texts in a matrix with a row for each text."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from termsift._util.validation import check_iterable, check_kind, check_words

if TYPE_CHECKING:
    import numpy.typing as npt


def count_words(
    documents: Iterable[Iterable[str]], names: npt.NDArray[np.object_] | None = None
) -> tuple[sparse.csr_array, npt.NDArray[np.object_]]:
    """Count the words of each document.

    Parameters
    ----------
    documents : iterable of iterables of str
        The words of each document, which are read once and one document at a time.
    names : ndarray of str of shape (n_terms,), optional
        The words to count, one per column. By default all words, sorted.

    Returns
    -------
    X, names
        As by ``TextRules.count``.

    Examples
    --------
    >>> X, names = count_words([["b", "a", "b"], [], ["c"]])
    >>> names.tolist(), X.toarray().tolist()
    (['a', 'b', 'c'], [[1, 2, 0], [0, 0, 0], [0, 0, 1]])
    """
    # The column of each word: as given, or in order of first appearance.
    seen: dict[str, int] = {}
    if names is not None:
        for column, name in enumerate(check_words(names, "names")):
            check_kind(name, str, "each of names")
            seen[name] = column
    rows = GrowingRows(seen, grows=names is None)
    expected = "an iterable of words for each document"
    for number, words in enumerate(check_iterable(documents, "documents", expected)):
        try:
            rows.add(words)
        except TypeError:
            raise TypeError(
                f"documents has {words!r} at {number}, expected an iterable of words"
            ) from None
    X = rows.matrix()
    if names is None:
        names = np.empty(len(seen), dtype=object)
        names[:] = sorted(seen)
        column_of = np.empty(len(seen), dtype=np.int64)
        column_of[[seen[word] for word in names]] = np.arange(len(seen))
        X = sparse.csr_array((X.data, column_of[X.indices], X.indptr), shape=X.shape)
    X.sort_indices()
    return X, names


class GrowingRows:
    """Rows of counts, one per document. New words join the columns ``seen`` if it ``grows``."""

    def __init__(self, seen: dict[str, int], *, grows: bool = True) -> None:
        self._seen, self._grows = seen, grows
        self._columns, self._occurrences = array("q"), array("q")
        self._row_ends = array("q", [0])

    @property
    def n_entries(self) -> int:
        """Number of entries so far: the pairs of a document and a word in it."""
        return len(self._columns)

    def add(self, words: Iterable[str]) -> None:
        """Count the words of another document."""
        seen, columns, occurrences = self._seen, self._columns, self._occurrences
        for word, times in Counter(words).items():
            if self._grows:
                columns.append(seen.setdefault(word, len(seen)))
            elif word in seen:
                columns.append(seen[word])
            else:
                continue
            occurrences.append(times)
        self._row_ends.append(len(columns))

    def matrix(self) -> sparse.csr_array:
        """Return the matrix of the documents, with unsorted column indices."""
        parts = self._occurrences, self._columns, self._row_ends
        data, indices, indptr = (np.array(part, dtype=np.int64) for part in parts)
        shape = len(self._row_ends) - 1, len(self._seen)
        return sparse.csr_array((data, indices, indptr), shape=shape)
