"""Our vectorizers return scikit-learn's matrices up to the order of entries, and take frames."""

from __future__ import annotations

import copy
import io
import pickle
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction import text as theirs

import termsift as ts
from termsift.text import CountVectorizer, HashingVectorizer
from text_counts import case_of
from wording import raises

TEXTS = [
    "The Bacon, and the eggs: bacon!",
    "eggs for breakfast; 2 eggs for 1",
    "",
    "Buy pills now, buy the PILLS",
    "naïve größe_1 東京 e\u0301te\u0301 x-ray",
    "Οδυσσεύς ΟΔΟΣ \ud800 a\0b İstanbul",
    "the of and",
]
NEW = ["bacon pills bacon unheard", "", "the eggs THE EGGS for breakfast"]


def blanks(text: str) -> list[str]:
    return text.split()


def same(ours: Any, expected: Any) -> None:
    """Check that two matrices have equal kinds, dtypes and entries, in any order within a row."""
    assert type(ours) is type(expected)
    expected = expected.copy()
    expected.sort_indices()
    for part in ("data", "indices", "indptr"):
        mine, other = getattr(ours, part), getattr(expected, part)
        assert mine.dtype == other.dtype, part
        np.testing.assert_array_equal(mine, other)
    assert ours.shape == expected.shape
    assert ours.has_canonical_format


def outcome(call: Callable[[], Any]) -> tuple[Any, list[str]]:
    """Return the result or the exception of a call, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = call()
        except (ValueError, TypeError, AttributeError, StopIteration, UnicodeError) as error:
            result = type(error).__name__, str(error)
    return result, [str(one.message) for one in caught]


# Arguments of vectorizers that both libraries must accept, or both libraries must refuse.
PARAMETERS: list[dict[str, Any]] = [
    {},
    {"ngram_range": (1, 2)},
    {"ngram_range": (2, 3), "stop_words": ["the", "and"]},
    {"ngram_range": (2, 1)},
    {"ngram_range": (0, 1)},
    {"ngram_range": [1, 1]},
    {"stop_words": "english"},
    {"stop_words": ["THE", "eggs for", "It's"]},
    {"stop_words": [1, "the"]},
    {"stop_words": "german"},
    {"lowercase": False},
    {"lowercase": 1},
    {"strip_accents": "ascii"},
    {"strip_accents": "unicode"},
    {"strip_accents": "latin"},
    {"strip_accents": str.swapcase},
    {"analyzer": "char", "ngram_range": (1, 3)},
    {"analyzer": "char_wb", "ngram_range": (2, 4), "stop_words": ["a"]},
    {"analyzer": "char", "token_pattern": "unused"},
    {"analyzer": "words"},
    {"analyzer": blanks},
    {"analyzer": blanks, "ngram_range": (1, 2)},
    {"token_pattern": r"\w"},
    {"token_pattern": r"(\w)(\w)"},
    {"token_pattern": None},
    {"tokenizer": blanks},
    {"preprocessor": str.upper},
    {"binary": True},
    {"dtype": np.float32},
    {"dtype": np.int8},
    {"dtype": None},
    {"dtype": bool, "binary": True},
]
COUNTED: list[dict[str, Any]] = [
    {"min_df": 2},
    {"min_df": 0.4, "max_df": 0.5},
    {"min_df": 5, "max_df": 0.1},
    {"min_df": 7},
    {"min_df": 0},
    {"max_df": 1},
    {"max_features": 4},
    {"max_features": 4, "binary": True, "dtype": np.float32},
    {"max_features": 4, "min_df": 2},
    {"vocabulary": ["the", "eggs", "EGGS", "the eggs"], "min_df": 7},
    {"vocabulary": {"the": 1, "eggs for": 0}, "ngram_range": (1, 2)},
    {"vocabulary": {"the": 1, "eggs": 1}},
    {"vocabulary": {"the": 1}},
    {"vocabulary": []},
    {"vocabulary": ["the", "the"]},
    {"vocabulary": {"the", "eggs"}, "binary": True},
    {"vocabulary": ["the", 3, ("a", "b")]},
]


@pytest.mark.parametrize("parameters", [*PARAMETERS, *COUNTED], ids=case_of)
def test_count_vectorizer_is_that_of_scikit_learn(parameters: dict[str, Any]) -> None:
    ours, other = CountVectorizer(n_threads=2, **parameters), theirs.CountVectorizer(**parameters)
    for name, texts in (("transform", NEW), ("fit_transform", TEXTS), ("transform", NEW),
                        ("fit_transform", []), ("transform", []), ("fit_transform", ["a", "the"]),
                        ("transform", "text"), ("fit_transform", "text")):  # fmt: skip
        mine, warned = outcome(lambda: getattr(ours, name)(texts))  # noqa: B023
        expected, also = outcome(lambda: getattr(other, name)(texts))  # noqa: B023
        if isinstance(expected, tuple):
            assert mine[0] == expected[0]
            assert mine[1].startswith(expected[1])
        else:
            same(mine, expected)
        assert warned == also
        fitted = {key for key in vars(other) if key.endswith("_")}
        assert {key: getattr(ours, key) for key in fitted} == {
            key: getattr(other, key) for key in fitted
        }
        assert fitted == {key for key in vars(ours) if key.endswith("_")}
    if hasattr(other, "vocabulary_"):
        names = outcome(ours.get_feature_names_out)[0], outcome(other.get_feature_names_out)[0]
        np.testing.assert_array_equal(*names)


@pytest.mark.parametrize(
    "parameters",
    [
        *PARAMETERS,
        {"alternate_sign": False},
        {"alternate_sign": False, "norm": None, "n_features": 2},
        {"norm": None, "n_features": 2},
        {"norm": "l1", "n_features": 8, "analyzer": "char"},
        {"n_features": 2**31 - 1},
        {"n_features": 2**31},
        {"norm": None, "n_features": 1, "binary": True},
        {"norm": "max"},
    ],
    ids=case_of,
)
def test_hashing_vectorizer_is_that_of_scikit_learn(parameters: dict[str, Any]) -> None:
    ours = HashingVectorizer(n_threads=2, **parameters)
    other = theirs.HashingVectorizer(**parameters)
    # scikit-learn cannot hash an n-gram of characters with a lone surrogate. No word has one.
    has_words = parameters.get("analyzer", "word") == "word"
    clean = [text for text in TEXTS if has_words or "\ud800" not in text]
    for name, texts in (("transform", NEW), ("fit_transform", clean), ("transform", []),
                        ("transform", "text"), ("fit", "text")):  # fmt: skip
        mine, warned = outcome(lambda: getattr(ours, name)(texts))  # noqa: B023
        expected, also = outcome(lambda: getattr(other, name)(texts))  # noqa: B023
        if isinstance(expected, tuple):
            assert mine[0] == expected[0]
        else:
            same(mine, expected)
        assert warned == also


@pytest.mark.parametrize("kind", [CountVectorizer, HashingVectorizer])
def test_documents_of_every_kind(kind: Any, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    texts = [text for text in TEXTS if "\ud800" not in text]
    expected = kind().fit_transform(texts)
    data = [text.encode() for text in texts]
    for documents in (
        tuple(texts), iter(texts), (text for text in texts), dict.fromkeys(texts), data, iter(data),
        [texts[0], *data[1:]], np.array(texts), np.array(texts, dtype=object),
        pandas.Series(texts), pandas.Series(texts, dtype=object), pandas.Series(data, index=data),
        pyarrow.array(texts), pyarrow.chunked_array([texts[:3], texts[3:]]),
        pyarrow.array(texts, pyarrow.large_string()),
    ):  # fmt: skip
        same(kind().fit_transform(documents), expected)
    assert kind(analyzer=blanks).fit_transform(pyarrow.array(["a b"])).nnz == 2
    files = [tmp_path / str(number) for number in range(len(texts))]
    for file, content in zip(files, data, strict=True):
        file.write_bytes(content)
    same(kind(input="filename").fit_transform(files), expected)
    same(kind(input="filename").fit_transform(map(str, files)), expected)
    same(kind(input="file").fit_transform(map(io.BytesIO, data)), expected)
    same(kind(input="file").fit_transform(map(io.StringIO, texts)), expected)
    latin = [text.encode("latin-1", "replace") for text in texts]
    fitted = kind(encoding="latin-1").fit_transform(latin)
    decoded = [text.decode("latin-1") for text in latin]
    same(fitted, kind().fit_transform(decoded))
    with pytest.raises(UnicodeDecodeError, match="codec can't decode"):
        kind(encoding="ascii").fit_transform(data)
    assert kind(encoding="ascii", decode_error="ignore").fit_transform(data).shape[0] == len(data)
    with pytest.raises(FileNotFoundError):
        kind(input="filename").fit_transform([tmp_path / "none"])


@pytest.mark.parametrize("kind", [CountVectorizer, HashingVectorizer])
@pytest.mark.parametrize("wrong", [None, 5, ["the"], float("nan")], ids=str)
def test_documents_that_are_no_texts_are_refused_by_place(kind: Any, wrong: Any) -> None:
    # scikit-learn raises an AttributeError, because None has no method 'lower'.
    with raises((TypeError, ValueError), "raw_documents_has_no_string", argument="raw_documents"):
        kind().fit_transform(["a text", wrong])
    with raises(ValueError, "np_nan_is_an_invalid_document"):
        kind().fit_transform(["a text", np.nan])


@pytest.mark.parametrize("kind", [CountVectorizer, HashingVectorizer])
@pytest.mark.parametrize(
    "cut",
    [{}, {"tokenizer": blanks, "token_pattern": None}, {"analyzer": blanks}],
    ids=["core", "tokenizer", "analyzer"],
)
def test_a_frame_stands_for_its_only_column(kind: Any, cut: Any) -> None:
    texts = [text for text in TEXTS if "\ud800" not in text]
    libraries = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}
    for library, frame in libraries.items():
        make = getattr(pytest.importorskip(library), frame)
        # scikit-learn would take a frame's column names for documents.
        same(kind(**cut).fit_transform(make({"body": texts})), kind(**cut).fit_transform(texts))
        with raises(TypeError, "with_the_columns_id_body", argument="raw_documents"):
            kind(**cut).fit_transform(make({"id": texts, "body": texts}))


@pytest.mark.parametrize("rules", [{}, {"tokenizer": blanks, "token_pattern": None}])
def test_a_missing_text_of_a_column_is_named(rules: dict[str, Any]) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    for column in (pyarrow.array(["aa b", None]), pyarrow.chunked_array([["aa b"], [None]])):
        with raises(ValueError, "raw_documents_has_a_missing_value_at_1"):
            CountVectorizer(**rules).fit_transform(column)


def columns_that_python_reads() -> list[tuple[Any, Any]]:
    """Return pairs of documents and an analyzer or preprocessor that reads them."""
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    lists = [["aa", "b"], ["b"], []]
    rows = [{"a": "x y"}, {"a": "z"}]
    arrow = pandas.ArrowDtype(pyarrow.list_(pyarrow.string()))
    return [
        *((kind, {"analyzer": list}) for kind in (
            polars.Series(lists), pandas.Series(lists), pandas.Series(lists, dtype=arrow),
            pyarrow.array(lists), pyarrow.chunked_array([lists[:1], lists[1:]]),
        )),
        *((kind, {"analyzer": lambda row: row["a"].split()}) for kind in (
            polars.Series(rows), pandas.Series(rows), pyarrow.array(rows),
        )),
        *((kind, {"analyzer": lambda number: [str(number)]}) for kind in (
            polars.Series([1, 2]), pandas.Series([1, 2]), pandas.Series([1, 2], dtype="Int64"),
            np.array([1, 2]), pyarrow.array([1, 2]),
        )),
        *((kind, {"preprocessor": lambda text: text or "none"}) for kind in (
            polars.Series(["aa", None]), pandas.Series(["aa", None], dtype=object),
            pyarrow.array(["aa", None]), np.array(["aa", None], dtype=object),
        )),
    ]  # fmt: skip


@pytest.mark.parametrize("vectorizer", ["CountVectorizer", "HashingVectorizer"])
def test_functions_read_columns_as_by_scikit_learn(vectorizer: str) -> None:
    for documents, rules in columns_that_python_reads():
        values = documents
        if type(documents).__module__.startswith("pyarrow"):
            values = documents.to_pylist()  # scikit-learn would pass scalars of Arrow
        same(
            getattr(ts.text, vectorizer)(**rules).fit_transform(documents),
            getattr(theirs, vectorizer)(**rules).fit_transform(values),
        )


@pytest.mark.parametrize("n_features", [0, -1, 1.5])
def test_a_wrong_number_of_columns_is_refused_by_name(n_features: Any) -> None:
    for rules in ({}, {"analyzer": blanks}):
        with pytest.raises(ValueError, match=r"'n_features' .* in the range \[1, 2147483647\)"):
            HashingVectorizer(n_features=n_features, **rules).transform(["bacon"])


DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]


@pytest.mark.skipif(
    not hasattr(np.dtypes, "StringDType"), reason="with numpy 1, scikit-learn's counts wrap around"
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_counts_as_that_of_scikit_learn(dtype: str) -> None:
    rng = np.random.default_rng(5)
    words = np.array([a + b for a in "abcd" for b in "xyz"])
    texts = [" ".join(rng.choice(words, n)) for n in rng.integers(0, 100, 30)]
    limits: list[dict[str, Any]] = [{}, {"max_features": 4}, {"min_df": 24, "max_df": 28}]
    cuts: list[dict[str, Any]] = [{}, {"token_pattern": r"\w+"}, {"binary": True}]
    hashed: list[dict[str, Any]] = [{}, {"norm": None}, {"norm": None, "alternate_sign": False}]
    cases = [("CountVectorizer", {**limit, **cut}) for limit in limits for cut in cuts]
    cases += [
        ("HashingVectorizer", {"n_features": 4, **how, **cut}) for how in hashed for cut in cuts
    ]
    for name, parameters in cases:
        ours, other = (
            getattr(module, name)(dtype=np.dtype(dtype), **parameters)
            for module in (ts.text, theirs)
        )
        for call in ("fit_transform", "transform"):
            try:
                expected = getattr(other, call)(texts)
            except (ValueError, TypeError, OverflowError):
                with pytest.raises((ValueError, TypeError, OverflowError)):
                    getattr(ours, call)(texts)
            else:
                same(getattr(ours, call)(texts), expected)


def test_a_count_that_does_not_fit_is_refused() -> None:
    texts = ["bb", "bb " + "aa " * 256]
    for dtype, call in (("int8", "fit_transform"), ("uint8", "transform")):
        ours = CountVectorizer(dtype=np.dtype(dtype)).fit(["aa bb cc"])
        with raises(ts.CountOverflowError, "the_count_of_aa_in_document", at=f" {dtype}: "):
            getattr(ours, call)(texts)
        assert list(ours.vocabulary_) == ["aa", "bb", "cc"]
        assert CountVectorizer(dtype=bool, max_features=1).fit(texts).vocabulary_ == {"bb": 0}
    with raises(ts.CountOverflowError, "column_1_in_document_1", at="column 1"):
        HashingVectorizer(n_features=8, dtype=np.int8, alternate_sign=False).transform(texts)
    with raises(ts.CountOverflowError, "which_does_not_fit_uint8", at="column 5"):
        HashingVectorizer(n_features=8, dtype=np.uint8).transform(TEXTS)


def test_copies_are_fitted_and_hold_no_index() -> None:
    vectorizer = CountVectorizer(ngram_range=(1, 2)).fit(TEXTS)
    expected = vectorizer.transform(NEW)  # which makes the index
    for copied in (
        pickle.loads(pickle.dumps(vectorizer)),
        copy.copy(vectorizer),
        copy.deepcopy(vectorizer),
    ):
        same(copied.transform(NEW), expected)
    same(vectorizer.transform(NEW), expected)  # the original still has its own index
    fresh = clone(vectorizer)
    assert not hasattr(fresh, "vocabulary_")
    assert fresh.get_params() == vectorizer.get_params()
    assert set(fresh.get_params()) == {
        *theirs.CountVectorizer().get_params(),
        "n_threads",
        "normalize",
    }
    same(fresh.fit(TEXTS).transform(NEW), expected)
    given = CountVectorizer(vocabulary=["eggs", "bacon"])
    expected = given.transform(NEW)  # which learns the vocabulary
    assert type(given.__getstate__()["vocabulary_"]) is dict
    same(pickle.loads(pickle.dumps(given)).transform(NEW), expected)
    assert repr(CountVectorizer(n_threads=2)) == "CountVectorizer(n_threads=2)"


def test_the_index_follows_the_parameters_and_the_vocabulary() -> None:
    ours, other = CountVectorizer().fit(TEXTS), theirs.CountVectorizer().fit(TEXTS)
    same(ours.transform(NEW), other.transform(NEW))
    for change in ({"lowercase": False}, {"stop_words": ["the"]}, {"binary": True},
                   {"analyzer": "char"}, {"analyzer": blanks}, {"analyzer": "word"}):  # fmt: skip
        same(ours.set_params(**change).transform(NEW), other.set_params(**change).transform(NEW))
    for vocabulary in ({"unheard": 1, "bacon": 0}, {"eggs": 1, "pills": 0}):
        for vectorizer in (ours, other):
            vectorizer.set_params(stop_words=None).vocabulary_ = vocabulary
        same(ours.transform(NEW), other.transform(NEW))


CHANGES: list[Callable[[Any], Any]] = [
    lambda words: words.__setitem__("zebra", len(words)),
    lambda words: words.update(zebra=len(words)),
    lambda words: words.update({"zebra": words.pop("pills")}),  # as many words as before
    lambda words: words.__ior__({"zebra": len(words)}),
    lambda words: words.setdefault("zebra", len(words)),
    lambda words: words.__delitem__(max(words, key=words.get)),
    # The order of the vocabulary differs between versions of scikit-learn.
    lambda words: (words.clear(), words.update(bacon=0, zebra=1), words.popitem()),
    lambda words: words.update({word: len(words) - 1 - n for word, n in words.items()}),
    lambda words: (words.clear(), words.update(zebra=0)),
]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("state", ["fitted", "given", "assigned", "pickled", "copied"])
def test_the_index_follows_changes_of_the_vocabulary(
    change: Callable[[Any], Any], state: str
) -> None:
    texts, found = ["bacon pills eggs"], []
    for module in (theirs, ts.text):
        words = ["bacon", "eggs", "pills"] if state == "given" else None
        vectorizer: Any = module.CountVectorizer(vocabulary=words).fit(texts)
        if state == "assigned":
            vectorizer.vocabulary_ = dict(vectorizer.vocabulary_)
        if state == "pickled":
            vectorizer = pickle.loads(pickle.dumps(vectorizer))
        if state == "copied":
            vectorizer = copy.deepcopy(vectorizer)
        columns = vectorizer.vocabulary_
        vectorizer.transform(texts)  # makes the index
        change(columns)
        found.append(vectorizer.transform(["zebra bacon", "pills and eggs"]).toarray().tolist())
    assert found[0] == found[1]
    assert type(pickle.loads(pickle.dumps(columns))) is dict


@pytest.mark.parametrize("given", [{}, {"analyzer": blanks}])
def test_a_vocabulary_with_a_gap_makes_no_entry_beyond_the_matrix(given: dict[str, Any]) -> None:
    vectorizer = CountVectorizer(**given).fit(["bacon eggs pills"])
    del vectorizer.vocabulary_["bacon"]
    assert vectorizer.transform(["eggs eggs"]).toarray().tolist() == [[0, 2]]
    key = "vocabulary_gives_pills_the_column_2"
    with raises(ValueError, key):  # scipy would write beyond the array
        vectorizer.transform(["eggs", "pills"])
    vectorizer.vocabulary_["pills"] = -1
    with raises(ValueError, "vocabulary_gives_pills_the_column_1"):
        vectorizer.transform(["pills"])


def test_the_vocabulary_is_made_when_it_is_first_read() -> None:
    expected = theirs.CountVectorizer().fit(TEXTS)
    vectorizer = CountVectorizer().fit(TEXTS)
    same(vectorizer.transform(NEW), expected.transform(NEW))
    names = vectorizer.get_feature_names_out()
    np.testing.assert_array_equal(names, expected.get_feature_names_out())
    assert names.dtype == object
    unread = pickle.loads(pickle.dumps(vectorizer)), copy.deepcopy(vectorizer)
    assert "vocabulary_" not in vars(vectorizer)
    words = vectorizer.vocabulary_
    assert isinstance(words, dict)
    assert words is vectorizer.vocabulary_ is vars(vectorizer)["vocabulary_"]
    assert words == expected.vocabulary_
    index = vectorizer._made[2]
    same(vectorizer.transform(NEW), expected.transform(NEW))
    assert vectorizer._made[2] is index  # reading makes no new index
    for copied in unread:
        assert copied.vocabulary_ == words
        same(copied.transform(NEW), expected.transform(NEW))
    for first in (lambda: None, lambda: vectorizer.vocabulary_):
        vectorizer.fit(["new words"])
        first()
        assert list(vectorizer.get_feature_names_out()) == ["new", "words"]
        vectorizer.vocabulary_ = {"assigned": 0}
        assert vectorizer.transform(["assigned words"]).toarray().tolist() == [[1]]
        assert list(vectorizer.get_feature_names_out()) == ["assigned"]
        del vectorizer.vocabulary_
        assert not hasattr(vectorizer, "vocabulary_")
        with pytest.raises(NotFittedError):
            vectorizer.transform(["words"])
    with raises(AttributeError, "countvectorizer_has_no_vocabulary"):
        _ = CountVectorizer().vocabulary_


def test_threads_read_one_vocabulary() -> None:
    texts = [" ".join(f"w{i}" for i in range(5000))]
    for _ in range(20):
        vectorizer, found = CountVectorizer().fit(texts), list[Any]()
        start = threading.Barrier(4)

        def read(start: Any = start, found: Any = found, vectorizer: Any = vectorizer) -> None:
            start.wait()
            found.append(vectorizer.vocabulary_)

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 4
        assert len(set(map(id, found))) == 1
        assert len(found[0]) == 5000


def test_new_words_of_a_growing_vectorizer_are_counted() -> None:
    pytest.importorskip("bertopic.vectorizers")
    from bertopic.vectorizers import OnlineCountVectorizer

    class Fast(OnlineCountVectorizer, CountVectorizer):
        pass

    grown: list[Any] = []
    for kind in (OnlineCountVectorizer, Fast):
        vectorizer = kind()
        for batch in (["cat dog"], ["zebra dog"]):
            vectorizer.partial_fit(batch)
            X = vectorizer.update_bow(batch)
        grown.append((dict(vectorizer.vocabulary_), X.toarray().tolist()))
    assert grown[0] == grown[1]


class Stemming(CountVectorizer):
    """A derived vectorizer like those in scikit-learn's user guide."""

    def build_analyzer(self) -> Callable[[str], list[str]]:
        analyze = super().build_analyzer()
        return lambda text: [word.rstrip("s") for word in analyze(text)]


class Lower(CountVectorizer):
    def decode(self, doc: Any) -> Any:
        return super().decode(doc).replace("o", "0")


def test_what_a_subclass_cuts_is_kept() -> None:
    assert Stemming().fit(["eggs egg"]).vocabulary_ == {"egg": 0}
    assert Lower().fit(["oo"]).vocabulary_ == {"00": 0}
    vectorizer = CountVectorizer()
    vectorizer.build_tokenizer = lambda: blanks
    assert vectorizer.fit(["a b"]).vocabulary_ == {"a": 0, "b": 1}


def test_the_core_cuts_unless_it_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise AssertionError("Python cuts a text")

    monkeypatch.setattr(theirs, "_analyze", fail)
    CountVectorizer().fit(TEXTS).transform(NEW)
    CountVectorizer(vocabulary=["the"]).fit_transform(iter(TEXTS))
    HashingVectorizer().transform(NEW)
    CountVectorizer(preprocessor=str.upper).fit(TEXTS).transform(NEW)
    with pytest.raises(AssertionError, match="Python cuts a text"):
        CountVectorizer(analyzer=blanks).fit(TEXTS)


def test_functions_cut_normal_forms() -> None:
    decomposed, plain = "e\u0301te\u0301", "\xe9t\xe9"
    vectorizer = CountVectorizer(normalize="NFC", tokenizer=blanks, token_pattern=None)
    assert list(vectorizer.fit([decomposed]).vocabulary_) == [plain]
    assert vectorizer.build_preprocessor()(decomposed.upper()) == plain


def test_threads_share_a_vectorizer() -> None:
    vectorizer = CountVectorizer(n_threads=1).fit(TEXTS)
    expected = vectorizer.transform(NEW).toarray()
    found: list[Any] = []
    threads = [
        threading.Thread(target=lambda: found.append(vectorizer.transform(NEW).toarray()))
        for _ in range(8)
    ]
    vectorizer = copy.copy(vectorizer)  # a copy has no index yet, so all threads make one
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    for matrix in found:
        np.testing.assert_array_equal(matrix, expected)


def test_a_lazy_frame_is_refused() -> None:
    frame = pytest.importorskip("polars").LazyFrame({"text": ["ripe plum"]})
    with raises(TypeError, "raw_documents_is_a_lazyframe", argument="raw_documents"):
        CountVectorizer().fit_transform(frame)
