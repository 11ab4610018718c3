"""Subclasses of scikit-learn's text vectorizers that cut and count texts with the core."""

from __future__ import annotations

import inspect
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial, wraps
from itertools import chain, count, pairwise, repeat
from operator import itemgetter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from termsift import _core
from termsift._util import scipy
from termsift._util.extras import is_from, require
from termsift._util.validation import (
    check_choice,
    check_n_threads,
    is_integer,
    number_of,
    object_array,
)
from termsift.text._advice import ENOUGH, about_words, warn
from termsift.text._blocks import UnlabelledTexts, is_frame, only_column, text_blocks
from termsift.text._cutting import TOKENS, TermLists
from termsift.text._documents import Documents, OneBlock
from termsift.text._matrices import counter_of, csr, kept_columns, stacked, strings
from termsift.text._rules import NormalForm
from termsift.text._terms import Arguments, limits, native_arguments, quick

if TYPE_CHECKING:
    from sklearn.feature_extraction import text as sklearn_text
else:
    sklearn_text = require("sklearn.feature_extraction.text", "sklearn", "a vectorizer")

from sklearn.base import _fit_context
from sklearn.preprocessing import normalize as scaled

try:  # the kind of sparse matrix that scikit-learn is configured to return
    from sklearn.utils import _align_api_if_sparse as as_configured
except ImportError:  # pragma: no cover - scikit-learn before 1.9
    # It always returns a csr_matrix.
    as_configured = scipy.sparse.csr_matrix

_ARGUMENT = "raw_documents"  # what scikit-learn calls the texts
# If a subclass overrides one of the methods that cut texts, the core cannot cut the texts.
_CUTTING = (
    "build_analyzer",
    "build_preprocessor",
    "build_tokenizer",
    "decode",
    "get_stop_words",
    "_char_ngrams",
    "_char_wb_ngrams",
    "_word_ngrams",
)


_BLANK = re.compile(" ")

# If a subclass overrides one of these methods, scikit-learn's method fit_transform must call them.
_COUNTING = ("_count_vocab", "_limit_features", "_sort_features")


class _Vocabulary(dict[str, int]):
    """The columns of terms, and a mark of their last change, so that an index can follow them.

    Until the first change, ``terms`` lists the terms in the order of the columns, unless a user
    gave the vocabulary. Copies and pickles are plain dicts.
    """

    last_change: object = None  # A new object for each change: threads could lose a number's step.
    terms: list[str] | None = None

    @classmethod
    def of(cls, terms: list[str]) -> _Vocabulary:
        """Return the vocabulary of terms in the order of their columns."""
        columns = cls(zip(terms, count()))
        columns.terms = terms
        return columns

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


def _noting(name: str) -> Callable[..., Any]:
    """Return a method of dict that notes that the vocabulary changes."""
    method = getattr(dict, name)

    @wraps(method)
    def change(self: _Vocabulary, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        finally:
            self.last_change = object()
            self.terms = None

    return change


for _name in ("__setitem__", "__delitem__", "__ior__", "clear", "pop", "popitem", "setdefault",
              "update"):  # fmt: skip
    setattr(_Vocabulary, _name, _noting(_name))


class _Learned:
    """The terms that a fit has learned, in the order of their columns.

    One object holds what follows from one fit, so a fit in another thread replaces all of it.
    """

    def __init__(self, terms: list[str]) -> None:
        self._terms = terms

    @property
    def terms(self) -> list[str] | None:
        """The terms, or None if a user has changed the vocabulary."""
        vocabulary = vars(self).get("_vocabulary")
        return self._terms if vocabulary is None else vocabulary.terms

    @property
    def vocabulary(self) -> _Vocabulary:
        """The column of each term, which is made when it is first read."""
        own = vars(self)
        if "_vocabulary" not in own:
            own.setdefault("_vocabulary", _Vocabulary.of(self._terms))  # the same for all threads
        return own["_vocabulary"]  # type: ignore[no-any-return]

    @property
    def columns(self) -> list[str] | _Vocabulary:
        """The terms, or the vocabulary if a user has changed it."""
        terms = self.terms
        return self.vocabulary if terms is None else terms

    @property
    def stored(self) -> dict[str, int]:
        """A copy of the vocabulary, for pickles."""
        terms = self.terms
        return dict(self.vocabulary if terms is None else zip(terms, count()))


class _Way(NamedTuple):
    """How documents become terms: by the rules for the core, and by a function before them.

    ``prepare`` makes a text of a document, which the core cuts. ``cut`` makes terms of a document,
    which the core counts. If both are None, the core cuts the documents themselves.
    """

    rules: Arguments
    prepare: Callable[[Any], str] | None = None
    cut: Callable[[Any], Any] | None = None


class _CutByCore:
    """The methods of both vectorizers that use the core."""

    def _overrides(self: Any, names: Iterable[str]) -> set[str]:
        """Return which of these methods a subclass, or the user, has replaced."""

        def usual(name: str) -> Any:
            ours = vars(CountVectorizer).get(name) or vars(_CutByCore).get(name)
            return ours or getattr(sklearn_text.CountVectorizer, name)

        return {n for n in names if getattr(getattr(self, n), "__func__", None) is not usual(n)}

    def _way(self: Any) -> _Way:
        """Return how documents become terms. Warn about the rules or refuse them as scikit-learn.

        The core does as much of the work as it can.
        """
        cut = self.build_analyzer()  # this call may warn about the rules or raise an error
        replaced = self._overrides(_CUTTING)
        if not replaced:
            native = native_arguments(self, self.get_stop_words())
            if native is not None:
                return _Way(native)
        if replaced <= {"build_preprocessor", "decode"}:
            after = SimpleNamespace(**vars(self))
            after.preprocessor = after.strip_accents = after.normalize = None
            after.lowercase = False
            native = native_arguments(after, self.get_stop_words())
            if native is not None:
                return _Way(native, partial(_text, self.decode, self.build_preprocessor()))
        return _Way(TOKENS, cut=cut if replaced else quick(self, cut))

    def build_preprocessor(self: Any) -> Any:
        """Return scikit-learn's function that prepares texts, after the rule ``normalize``."""
        if self.normalize is not None:
            check_choice(self.normalize, get_args(NormalForm), "normalize")
        prepare = super().build_preprocessor()  # type: ignore[misc]
        if self.normalize is None or self.preprocessor is not None:
            return prepare
        return partial(_normalised, form=self.normalize, prepare=prepare)

    def _documents(self: Any, way: _Way, documents: Any) -> Documents:
        """Return the documents as a stream of what the core cuts."""
        if way.prepare is not None:
            prepare = way.prepare  # whose StopIteration is an error in a generator
            return UnlabelledTexts(prepare(document) for document in self._iterable(documents))
        if self.input == "content":
            if getattr(documents, "dtype", None) == np.dtype(object):
                documents = documents.tolist()
            if isinstance(documents, (list, tuple)):
                with suppress(TypeError):  # `of_strings` raises a TypeError for bytes
                    return OneBlock(_core.Texts.of_strings(documents))
            elif _is_column(documents):
                return UnlabelledTexts(documents, argument=_ARGUMENT)
        return UnlabelledTexts(map(self.decode, documents), argument=_ARGUMENT)

    def _iterable(self: Any, documents: Any) -> Any:
        """Return documents over which scikit-learn can iterate."""
        # A function may read lists, numbers or missing values. All other rules read strings.
        reads_strings = self.preprocessor is None and not callable(self.analyzer)
        if not _is_column(documents):
            return documents
        if reads_strings or not hasattr(documents, "__iter__"):
            return chain.from_iterable(map(strings, text_blocks(documents, _ARGUMENT)))
        column = only_column(documents, _ARGUMENT) if is_frame(documents) else documents
        return (value.as_py() for value in column) if is_from(column, "pyarrow") else column

    def _in_dtype(
        self: Any, X: Any, usual: Any, terms: list[str] | dict[str, int]
    ) -> scipy.sparse.csr_array:
        """Return counts in the vectorizer's dtype. A count outside the dtype is an error."""
        dtype = np.dtype(usual if self.dtype is None else self.dtype)
        if self.binary:
            np.clip(X.data, -1, 1, out=X.data)
        data = X.data.astype(dtype, copy=False)
        if data is not X.data and dtype.kind != "b" and (data != X.data).any():
            entry = int(np.argmax(data != X.data))
            row = int(np.searchsorted(X.indptr, entry, side="right")) - 1
            column, value = int(X.indices[entry]), X.data[entry]
            pairs = zip(terms, count()) if isinstance(terms, list) else terms.items()
            term = next((repr(t) for t, c in pairs if c == column), f"column {column}")
            raise _core.CountOverflowError(
                f"the count of {term} in document {row} is {value}, which does not fit {dtype}: "
                "pass a wider dtype, such as numpy.int64"
            )
        if self.binary:
            data.fill(1)
        return scipy.sparse.csr_array((data, X.indices, X.indptr), shape=X.shape, dtype=dtype)


def _text(decode: Callable[[Any], Any], prepare: Callable[[Any], Any], document: Any) -> str:
    """Return the text of a document, or raise the error that scikit-learn's patterns raise."""
    text = prepare(decode(document))
    if not isinstance(text, str):
        _BLANK.findall(text)
    return text  # type: ignore[no-any-return]


def _normalised(text: str, form: NormalForm, prepare: Callable[[str], str]) -> str:
    return prepare(unicodedata.normalize(form, text))


class CountVectorizer(_CutByCore, sklearn_text.CountVectorizer):  # type: ignore[misc]
    """Count the terms of texts in a matrix, as scikit-learn's ``CountVectorizer`` does.

    This class is derived from the class of the installed scikit-learn, and has its parameters,
    attributes, methods, errors and results. This class is much faster than scikit-learn's. If a
    function cuts the texts, or one of the few patterns that the core cannot run, most of the
    time is theirs. Five things differ from scikit-learn. The column indices of each row are
    sorted. ``vocabulary_`` lists the terms in the order of their columns, and is made when it
    is first read. A document that is not a text raises a TypeError, unless a function reads it.
    A count that does not fit a narrow ``dtype`` raises a CountOverflowError, where scikit-learn
    returns a wrong count. Terms of a function that are no strings are counted by scikit-learn.

    Parameters
    ----------
    n_threads : int, optional
        As for `termsift.count`.
    normalize : {"NFC", "NFKC"}, optional
        As for `termsift.text.TextRules`. With a ``preprocessor`` or a callable ``analyzer``, it has
        no effect.
    **parameters
        The parameters of scikit-learn's ``CountVectorizer``.

    Attributes
    ----------
    vocabulary_ : dict of str to int
        The column of each term.
    fixed_vocabulary_ : bool
        Whether the terms come from the parameter ``vocabulary``.

    Notes
    -----
    Documents may also be in an object with the Arrow C stream interface, such as a column of
    pyarrow, polars or duckdb. A class with the bases ``TfidfVectorizer`` (of scikit-learn) and this
    class, in that order, also uses termsift's compiled counting code.

    Counting needs as much memory as `termsift.count_texts`, plus the matrix and the terms as
    strings. More than 2^31 - 1 terms are an error.

    Examples
    --------
    >>> vectorizer = CountVectorizer(ngram_range=(1, 2))
    >>> vectorizer.fit_transform(["Bacon and eggs", "eggs, eggs"]).toarray()
    array([[1, 1, 1, 1, 1, 0],
           [0, 0, 0, 0, 2, 1]])
    >>> vectorizer.get_feature_names_out()
    array(['and', 'and eggs', 'bacon', 'bacon and', 'eggs', 'eggs eggs'],
          dtype=object)
    """

    def __init__(
        self,
        *,
        n_threads: int | None = None,
        normalize: NormalForm | None = None,
        **parameters: Any,
    ) -> None:
        super().__init__(**parameters)
        self.n_threads = n_threads
        self.normalize = normalize

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:
        """Learn the terms of documents and return the matrix of their counts.

        Parameters
        ----------
        raw_documents : iterable
            Texts, files, or file names, depending on ``input``.
        y : None
            Ignored.

        Returns
        -------
        X : sparse matrix of shape (n_documents, n_terms)
            The occurrences of each term in each document.
        """
        if (
            isinstance(raw_documents, str)
            or self.vocabulary is not None
            or self._overrides(_COUNTING)
        ):
            X = super().fit_transform(self._iterable(raw_documents))
            X.sort_indices()
            return X
        self._validate_ngram_range()
        self._warn_for_unused_params()
        self._validate_vocabulary()
        way, threads = self._way(), check_n_threads(self.n_threads)
        rules = _core.TextRules(*way.rules)
        if way.cut is None:
            documents = self._documents(way, raw_documents)
            with documents.placing():
                counter, n_docs = counter_of(documents.texts(), rules, threads)
        else:
            lists = TermLists(self._iterable(raw_documents), way.cut)
            counter, n_docs = counter_of(lists.blocks(), rules, threads)
            if lists.rest is not None:
                return self._fit_any_terms(chain(_lists_of(counter, threads), lists.rest))
        if not counter.n_terms:  # the error messages in this method are scikit-learn's
            raise ValueError("empty vocabulary; perhaps the documents only contain stop words")
        warn(about_words(self, counter, ENOUGH))
        low, high = limits(self, n_docs)
        if high < low:
            raise ValueError("max_df corresponds to < documents than min_df")
        kept = kept_columns(self, counter, n_docs, threads, np.dtype(self.dtype or np.intc))
        terms = counter.terms(kept)
        if not terms:
            cure = "Try a lower min_df or a higher max_df."
            raise ValueError(f"After pruning, no terms remain. {cure}")
        X = self._in_dtype(csr(counter.matrix(kept, threads), len(terms)), np.intc, terms)
        self._learned = _Learned(terms)
        self.__dict__.pop("vocabulary_", None)
        return as_configured(X)

    @property
    def vocabulary_(self) -> dict[str, int]:
        """The column of each term, which is made of the learned terms when it is first read."""
        own = self.__dict__
        if (learned := own.get("_learned")) is not None:
            own.setdefault("vocabulary_", learned.vocabulary)  # where scikit-learn's is found
            return learned.vocabulary  # type: ignore[no-any-return]
        try:
            return own["vocabulary_"]  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(f"{type(self).__name__!r} has no 'vocabulary_' yet") from None

    @vocabulary_.setter
    def vocabulary_(self, columns: dict[str, int]) -> None:
        self.__dict__["vocabulary_"] = columns
        self.__dict__.pop("_learned", None)

    @vocabulary_.deleter
    def vocabulary_(self) -> None:
        for name in ("_learned", "vocabulary_"):
            self.__dict__.pop(name, None)

    def _check_vocabulary(self) -> None:
        learned = vars(self).get("_learned")
        if learned is None or not learned.terms:
            super()._check_vocabulary()

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the terms in the order of their columns.

        Parameters
        ----------
        input_features : array-like of str or None
            Ignored.

        Returns
        -------
        names : ndarray of object
            The terms.
        """
        learned = vars(self).get("_learned")
        if learned is None or (terms := learned.terms) is None:
            return super().get_feature_names_out()  # type: ignore[no-any-return]
        return object_array(terms)

    def inverse_transform(self, X: Any) -> list[NDArray[Any]]:
        """Return the terms of each document.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_terms)
            Counts of terms.

        Returns
        -------
        terms : list of n_documents ndarrays of str
            The terms whose counts in a document are not zero.
        """
        self._check_vocabulary()
        # scikit-learn's method reads the vocabulary twice, and another thread may fit in between.
        of_one_fit = sklearn_text.CountVectorizer()
        of_one_fit.vocabulary_ = dict(self.vocabulary_)
        return of_one_fit.inverse_transform(X)  # type: ignore[no-any-return]

    def _fit_any_terms(self, lists: Iterable[Iterable[Any]]) -> Any:
        """Count lists of any terms by scikit-learn."""
        names = ("binary", "dtype", "min_df", "max_df", "max_features")
        rules = {name: getattr(self, name) for name in names}
        counting = sklearn_text.CountVectorizer(analyzer=itemgetter(0), **rules)
        X = counting.fit_transform((terms,) for terms in lists)
        X.sort_indices()
        self.vocabulary_ = _Vocabulary(counting.vocabulary_)
        return X

    def _count_vocab(self, raw_documents: Any, fixed_vocab: bool) -> tuple[dict[str, int], Any]:
        """Count terms for scikit-learn's methods. The core counts if the vocabulary is fixed."""
        X = self._in_columns(raw_documents) if fixed_vocab else None
        if X is not None:
            return self.vocabulary_, X
        terms, X = super()._count_vocab(self._iterable(raw_documents), fixed_vocab)
        _check_columns(X, terms)
        return terms, X

    def transform(self, raw_documents: Any) -> Any:
        """Return the matrix of the counts of the terms that were learned or given.

        Parameters
        ----------
        raw_documents : iterable
            Texts, files, or file names, depending on ``input``.

        Returns
        -------
        X : sparse matrix of shape (n_documents, n_terms)
            The occurrences of each term in each document.
        """
        X = None
        if not isinstance(raw_documents, str) and not self._overrides(("_count_vocab",)):
            self._check_vocabulary()
            X = self._in_columns(raw_documents)
        if X is None:
            return super().transform(raw_documents)
        if self.binary:
            X.data.fill(1)
        return X

    def _in_columns(self, raw_documents: Any) -> Any:
        """Return the counts of known terms, or None if the core does not support the vocabulary."""
        way = self._way()
        index, terms = self._index(way.rules)
        if index is None:
            return None
        threads = check_n_threads(self.n_threads)
        if way.cut is None:
            documents = self._documents(way, raw_documents)
            with documents.placing():
                rows = (index.matrix(block, threads) for block in documents.texts())
                X = stacked(rows, len(terms))
            return as_configured(self._in_dtype(X, np.intc, terms))
        lists = TermLists(self._iterable(raw_documents), way.cut)
        X = stacked((index.matrix(block, threads) for block in lists.blocks()), len(terms))
        X = as_configured(self._in_dtype(X, np.intc, terms))
        if lists.rest is not None:
            counting = sklearn_text.CountVectorizer(analyzer=itemgetter(0), dtype=self.dtype)
            in_order = isinstance(terms, list)
            counting.vocabulary_ = dict(zip(terms, count())) if in_order else terms
            _, last = counting._count_vocab(((terms,) for terms in lists.rest), True)
            X = as_configured(scipy.sparse.vstack([X, last], format="csr"))
            X.sort_indices()
        return X

    def _index(self, native: Arguments) -> tuple[_core.TextIndex | None, Any]:
        """Return the index of the vocabulary, and the vocabulary or its terms in their order.

        The index is None if the core does not support the vocabulary.
        """
        learned = vars(self).get("_learned")
        columns: Any = self.vocabulary_ if learned is None else learned.columns
        # A plain dict, which only the user can have assigned, is compared with a copy.
        content: Any = dict(columns) if type(columns) is dict else None
        if isinstance(columns, _Vocabulary):
            columns, content = columns.terms or columns, columns.last_change
        made_for, vocabulary, index = getattr(self, "_made", (None, None, None))
        if made_for == (native, content) and vocabulary is columns:
            return index, columns
        terms, in_order = columns, True
        if not isinstance(columns, list):
            column_of = dict(columns)  # stays as it is, even if another thread changes the dict
            terms = sorted(column_of, key=column_of.__getitem__)
            in_order = all(column_of[term] == column for column, term in enumerate(terms))
            in_order = in_order and all(isinstance(term, str) for term in terms)
        index = _core.TextIndex(_core.TextRules(*native), terms) if in_order else None
        self._made = (native, content), columns, index  # a single assignment is safe for threads
        return index, columns

    def _validate_vocabulary(self) -> None:
        super()._validate_vocabulary()
        if self.fixed_vocabulary_:
            self.vocabulary_ = _Vocabulary(self.vocabulary_)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the index, which is rebuilt on demand."""
        state = dict(super().__getstate__())
        state.pop("_made", None)
        if (learned := state.pop("_learned", None)) is not None:
            state["vocabulary_"] = learned.stored
        if type(state.get("vocabulary_")) is _Vocabulary:
            state["vocabulary_"] = dict(state["vocabulary_"])
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if type(getattr(self, "vocabulary_", None)) is dict:
            self.vocabulary_ = _Vocabulary(self.vocabulary_)


class HashingVectorizer(_CutByCore, sklearn_text.HashingVectorizer):  # type: ignore[misc]
    """Count the hashes of terms in a matrix, as scikit-learn's ``HashingVectorizer`` does.

    This class is derived from the class of the installed scikit-learn, and has its parameters,
    methods, errors and results. This class is much faster than scikit-learn's. If a function
    cuts the texts, or one of the few patterns that the core cannot run, most of the time is
    theirs. Two things differ from scikit-learn. A document that is not a text raises a
    TypeError, unless a function reads it. A count that does not fit ``dtype`` raises a
    CountOverflowError.

    Parameters
    ----------
    n_threads : int, optional
        As for `termsift.count`.
    normalize : {"NFC", "NFKC"}, optional
        As for `termsift.text.TextRules`. With a ``preprocessor`` or a callable ``analyzer``, it has
        no effect.
    **parameters
        The parameters of scikit-learn's ``HashingVectorizer``.

    Examples
    --------
    >>> vectorizer = HashingVectorizer(n_features=4, alternate_sign=False, norm=None)
    >>> vectorizer.transform(["Bacon and eggs", "eggs, eggs"]).toarray()
    array([[0., 2., 1., 0.],
           [0., 2., 0., 0.]])
    """

    def __init__(
        self,
        *,
        n_threads: int | None = None,
        normalize: NormalForm | None = None,
        **parameters: Any,
    ) -> None:
        super().__init__(**parameters)
        self.n_threads = n_threads
        self.normalize = normalize

    def transform(self, X: Any) -> Any:
        """Count the hashed terms of documents, and return the matrix of counts.

        Parameters
        ----------
        X : iterable
            Texts, files, or file names, depending on ``input``.

        Returns
        -------
        X : sparse matrix of shape (n_documents, n_features)
            Counts. Each row has unit norm unless ``norm`` is None.
        """
        if not (is_integer(self.n_features) and self.n_features > 0):
            self._validate_params()  # scikit-learn's hasher divides by n_features
        if isinstance(X, str) or self.n_features >= 2**31:
            return super().transform(self._iterable(X))
        self._validate_ngram_range()
        # In a bool matrix every count is True, so counts of opposite signs must not cancel.
        sign = bool(self.alternate_sign) and np.dtype(self.dtype).kind != "b"
        way, threads, width = self._way(), check_n_threads(self.n_threads), int(self.n_features)
        rules = _core.TextRules(*way.rules)

        def counted(blocks: Iterable[_core.Texts]) -> scipy.sparse.csr_array:
            rows = (_core.hashed_matrix(rules, texts, width, sign, threads) for texts in blocks)
            return self._in_dtype(stacked(rows, width), np.float64, {})

        if way.cut is None:
            documents = self._documents(way, X)
            with documents.placing():
                counts = counted(documents.texts())
        else:
            lists = TermLists(self._iterable(X), way.cut, hashed=True)
            counts = counted(lists.blocks())
            if lists.rest is not None:
                last = self._get_hasher().transform(lists.rest)
                if self.binary:
                    last.data.fill(1)
                counts = scipy.sparse.csr_array(scipy.sparse.vstack([counts, last], format="csr"))
        if not counts.shape[0]:
            return super().transform([])  # raises scikit-learn's error
        if self.norm is not None:
            counts = scaled(counts, norm=self.norm, copy=False)
        return as_configured(counts)


def _with_ours(ours: Any, parent: Any) -> None:
    """Add the parent's parameters to the signature, where scikit-learn reads parameters."""
    of_parent, added = (inspect.signature(one.__init__).parameters for one in (parent, ours))
    shown = [*of_parent.values(), added["n_threads"], added["normalize"]]
    ours.__init__.__signature__ = inspect.Signature(shown)


_with_ours(CountVectorizer, sklearn_text.CountVectorizer)
_with_ours(HashingVectorizer, sklearn_text.HashingVectorizer)


def _lists_of(counter: _core.TextCounter, n_threads: int) -> Iterator[Iterator[str]]:
    """Yield the terms of each document that a counter has counted."""
    terms, (data, indices, indptr) = counter.terms(), counter.matrix(None, n_threads)
    for start, end in pairwise(indptr.tolist()):
        row = zip(indices[start:end].tolist(), data[start:end].tolist(), strict=True)
        yield chain.from_iterable(repeat(terms[column], n) for column, n in row)


def _check_columns(X: Any, vocabulary: dict[str, int]) -> None:
    """Raise ValueError for entries beyond the shape, with which scipy would write beyond arrays.

    scikit-learn makes such entries after an edit that leaves a gap in the columns of a vocabulary.
    """
    n_terms = X.shape[1]
    if X.nnz and not 0 <= X.indices.min() <= X.indices.max() < n_terms:
        term = next(t for t, column in vocabulary.items() if not 0 <= column < n_terms)
        raise ValueError(
            f"vocabulary_ gives {term!r} the column {vocabulary[term]}, but has "
            f"{number_of(n_terms, 'term')}: number their columns from 0 without a gap"
        )


def _is_column(documents: Any) -> bool:
    """Return whether documents are an array of strings, a frame or a column of Arrow."""
    if type(documents).__name__ == "LazyFrame":  # it is refused, and has no rows yet
        return True
    if is_frame(documents) and is_from(documents, "pandas"):
        return True
    if isinstance(documents, np.ndarray):
        return documents.dtype.kind in "UT"
    is_arrow = hasattr(documents, "__arrow_c_stream__") or hasattr(documents, "__arrow_c_array__")
    return is_arrow and getattr(documents, "dtype", None) != np.dtype(object)
