"""Texts counted by class are the counts of the matrix that scikit-learn makes of them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import termsift as ts
from termsift._util.validation import LabelCoder

vectorizers = pytest.importorskip("sklearn.feature_extraction.text")

TEXTS = [
    "Bacon and eggs",
    "eggs, eggs! EGGS",
    "",
    "a b c 1 2 3",  # no word of two characters
    "naïve façade ÜNÏ ΣΊΣΥΦΟΣ İstanbul",
    "don't snake_case 42 x2 日本語 日本 привет",
    "nul\0inside word\ud800surrogate",
    "and " * 70 + "bacon",
    "x" * 300 + " y" * 3,
    "eggs",
    "  \t\n",
    "Ready-to-eat bacon; ready, eggs",
]
Y = ["ham", "ham", "none", "none", "far", "far", "odd", "ham", "odd", "spam", "none", "ham"]
RULES: dict[str, dict[str, Any]] = {
    "words": {},
    "cased": {"lowercase": False},
    "pairs": {"ngram_range": (1, 2)},
    "triples": {"ngram_range": (2, 3)},
    "characters": {"analyzer": "char", "ngram_range": (1, 3)},
    "characters in words": {"analyzer": "char_wb", "ngram_range": (2, 4)},
    "stop words": {"stop_words": ["and", "eggs"]},
    "accents": {"strip_accents": "unicode"},
    "ASCII": {"strip_accents": "ascii"},
    "binary": {"binary": True},
    "min_df": {"min_df": 2},
    "shares": {"min_df": 0.1, "max_df": 0.3},
    "max_features": {"max_features": 5},
    "binary max_features": {"binary": True, "max_features": 5},
    "vocabulary": {"vocabulary": ["eggs", "bacon", "absent"]},
    "tokenizer": {"tokenizer": str.split, "token_pattern": None},
    "pattern": {"token_pattern": r"[a-z']+"},
    "preprocessor": {"preprocessor": str.upper},
    "analyzer": {"analyzer": lambda text: text.split("e")},
}


def own(rules: dict[str, Any]) -> dict[str, Any]:
    """Return rules as `TextRules` takes them: a pattern that is not used is left out."""
    return {name: rule for name, rule in rules.items() if rule is not None}


def by_matrix(
    texts: Iterable[str],
    y: Any,
    weights: Any = None,
    tf: Any = "raw",
    classes: Any = None,
    **rules: Any,
) -> ts.ClassCounts:
    """Count the matrix of scikit-learn's vectorizer."""
    vectorizer = vectorizers.CountVectorizer(**rules)
    X = vectorizer.fit_transform(texts)
    counts = ts.count(X, y, weights, classes, tf=tf)
    counts.term_names = vectorizer.get_feature_names_out()
    return counts


# ---- the counts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("n_threads", [1, 2, 3])
@pytest.mark.parametrize("rules", RULES.values(), ids=list(RULES))
@pytest.mark.filterwarnings("ignore:The parameter 'token_pattern' will not be used")
def test_counts_are_those_of_the_matrix(rules: dict[str, Any], n_threads: int) -> None:
    for tf in ("raw", "binary", "log"):
        expected = by_matrix(TEXTS, Y, tf=tf, **rules)
        counts = ts.count_texts(TEXTS, Y, tf=tf, n_threads=n_threads, **own(rules))
        assert counts == expected
        assert counts.tf == tf
        assert counts.n_docs == len(TEXTS)  # with those that have no word


WEIGHTS = [None, [1, 2, 0, 1, 3, 1, 1, 0, 2, 1, 1, 5], np.linspace(0, 2, len(Y))]
INDICATOR = np.random.default_rng(0).integers(0, 2, (len(Y), 3))


@pytest.mark.parametrize("rules", ["words", "min_df", "max_features", "vocabulary", "tokenizer"])
@pytest.mark.parametrize("weights", WEIGHTS, ids=["none", "integers", "fractions"])
@pytest.mark.parametrize("y", [Y, INDICATOR, sp.csr_array(INDICATOR)], ids=["y", "dense", "sparse"])
@pytest.mark.filterwarnings("ignore:The parameter 'token_pattern' will not be used")
def test_weights_and_indicator_matrices(rules: str, weights: Any, y: Any) -> None:
    for tf in ("raw", "binary", "log"):
        expected = by_matrix(TEXTS, y, weights, tf, **RULES[rules])
        assert (
            ts.count_texts(TEXTS, y, sample_weight=weights, tf=tf, **own(RULES[rules])) == expected
        )


KINDS: dict[str, Callable[[list[str]], Any]] = {
    "list": list,
    "tuple": tuple,
    "generator": lambda texts: (text for text in texts),
    "object array": lambda texts: np.array(texts, dtype=object),
}


@pytest.mark.parametrize("size", [1, 5, len(TEXTS), 100])
@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_blocks_of_texts_add_up(
    kind: Callable[[list[str]], Any], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("termsift.text._blocks._BLOCK_TEXTS", size)
    monkeypatch.setattr("termsift.text._blocks._TEXTS_AT_ONCE", size)
    for rules in (RULES["words"], RULES["min_df"], RULES["analyzer"], RULES["vocabulary"]):
        for weights in WEIGHTS:
            expected = by_matrix(TEXTS, Y, weights, **rules)
            assert ts.count_texts(kind(TEXTS), Y, sample_weight=weights, **rules) == expected


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_many_classes(n_threads: int) -> None:
    rng = np.random.default_rng(1)
    texts = [f"w{a} w{b} w{a}" for a, b in rng.integers(10, 300, (12_000, 2))]
    y = rng.integers(0, 5_000, 12_000)
    assert ts.count_texts(texts, y, n_threads=n_threads) == by_matrix(texts, y)


@pytest.mark.parametrize("texts", [["one word"], ["", "word"], ["word", "", ""], ["aa"] * 1000])
def test_small_collections(texts: list[str]) -> None:
    y = [0, 1, 0][: len(texts)] if len(texts) < 4 else [1] * len(texts)
    assert ts.count_texts(texts, y) == by_matrix(texts, y)


@pytest.mark.parametrize("tf", ["raw", "log"])
@pytest.mark.parametrize("texts", [[], [""], ["a", "b c"]])
def test_texts_without_terms_are_refused_as_by_scikit_learn(texts: list[str], tf: Any) -> None:
    y = [0] * len(texts)
    with pytest.raises(ValueError, match="empty vocabulary"):
        vectorizers.CountVectorizer().fit_transform(texts)
    with pytest.raises(ValueError, match="empty vocabulary; no text has a word of two or more"):
        ts.count_texts(texts, y, tf=tf)


def test_hashed_terms_have_no_names() -> None:
    X = vectorizers.HashingVectorizer(
        n_features=32, alternate_sign=False, norm=None, dtype=np.int64
    ).transform(TEXTS)
    assert ts.count_texts(TEXTS, Y, hashing=32) == ts.count(X, Y)
    assert ts.count_texts([], [], hashing=32).n_terms == 32


def test_rules_and_keywords_are_one_or_the_other() -> None:
    rules = ts.text.TextRules(ngram_range=(1, 2), min_df=2)
    assert ts.count_texts(TEXTS, Y, rules=rules) == by_matrix(
        TEXTS, Y, ngram_range=(1, 2), min_df=2
    )
    with pytest.raises(TypeError, match="leave out min_df, or rules"):
        ts.count_texts(TEXTS, Y, rules=rules, min_df=1)
    with pytest.raises(TypeError, match="rules must be a TextRules, got dict"):
        ts.count_texts(TEXTS, Y, rules={"min_df": 2})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"no rule .ngram., .* did you mean .ngram_range"):
        ts.count_texts(TEXTS, Y, ngram=(1, 2))


# ---- classes -------------------------------------------------------------------------------------

LABELS: list[list[Any]] = [
    [1, "a", (2, 3), 1.5, True, b"x"],
    [True, 1, 1.0, 0, False, 2],
    list("fedcba"),
    [np.int64(3), 3, np.str_("a"), "a", np.float32(0.1), 0.1],
    [frozenset([1]), frozenset([1, 2]), frozenset([2]), 1, 2, 3],
]


@pytest.mark.parametrize("y", LABELS, ids=repr)
def test_classes_are_named_and_ordered_as_by_count(y: list[Any]) -> None:
    texts = TEXTS[:6]
    for given in (y, np.fromiter(y, dtype=object, count=len(y))):
        counts = ts.count_texts(texts, given)
        assert counts == by_matrix(texts, y)
        assert list(map(repr, counts.classes)) == list(map(repr, by_matrix(texts, y).classes))


def test_listed_classes_may_have_no_documents() -> None:
    classes = ["unseen", *sorted(set(Y), reverse=True)]
    for tf in ("raw", "log"):
        expected = by_matrix(TEXTS, Y, tf=tf, classes=classes)
        assert ts.count_texts(TEXTS, Y, tf=tf, classes=classes) == expected
    y = np.arange(len(TEXTS))
    assert ts.count_texts(TEXTS, y, classes=range(20)).classes == list(range(20))


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (Y[1:], None),
        ([*Y, "ham"], None),
        ([*Y[:-1], None], None),
        ([*Y[:-1], float("nan")], None),
        ([*Y[:-1], ["ham"]], None),
        ([*Y[:-1], {}], None),
        ([*Y[:-1], (1, None)], None),
        (Y, ["ham", "spam"]),
        (Y, ["ham", "ham"]),
        ("labels", None),
        ({"ham"}, None),
        (np.ones((len(Y), 1)), None),
        (np.full((len(Y), 2), 2), None),
        (np.ones((3, 2)), None),
    ],
)
def test_wrong_labels_are_refused_as_by_count(y: Any, classes: Any) -> None:
    X = np.ones((len(TEXTS), 1), dtype=int)
    with pytest.raises((ValueError, TypeError)) as expected:
        ts.count(X, y, classes=classes)
    with pytest.raises(expected.type, match=f"^{re.escape(str(expected.value))}$"):
        ts.count_texts(TEXTS, y, classes=classes)


@pytest.mark.parametrize("n_labels", [len(TEXTS) - 1, len(TEXTS) + 1])
def test_labels_for_more_or_fewer_texts_than_come_are_refused(n_labels: int) -> None:
    y = (Y * 2)[:n_labels]
    with pytest.raises(ValueError, match=f"there are {n_labels} labels or weights for"):
        ts.count_texts((text for text in TEXTS), y)


@pytest.mark.parametrize("given", [*itertools.product([True, False], repeat=2)])
def test_labels_are_coded_one_by_one_or_once_each(given: tuple[bool, bool]) -> None:
    fixed, again = given
    for y in LABELS:
        coders = [LabelCoder([*dict.fromkeys(y)] if fixed else None) for _ in range(2)]
        for _ in range(1 + again):
            fast = coders[0].codes(y)
            slow = coders[1]._codes_one_by_one(y, 0, False)
            np.testing.assert_array_equal(fast, slow)
        assert list(map(repr, coders[0].classes)) == list(map(repr, coders[1].classes))


# ---- what is missing -----------------------------------------------------------------------------


def test_missing_labels_are_skipped_on_request() -> None:
    y: list[Any] = [*Y]
    y[0] = None
    y[5] = float("nan")
    kept = [i for i in range(len(Y)) if i not in (0, 5)]
    weights = np.arange(len(Y)) % 4
    with pytest.raises(ValueError, match="the label of document 0 is missing: None"):
        ts.count_texts(TEXTS, y)
    for tf, w in itertools.product(["raw", "log"], [None, weights]):
        got = ts.count_texts(TEXTS, y, tf=tf, sample_weight=w, on_missing="skip", min_df=2)  # type: ignore[arg-type]
        assert got == by_matrix(
            [TEXTS[i] for i in kept],
            [Y[i] for i in kept],
            None if w is None else w[kept],
            tf,
            min_df=2,
        )
    assert got.n_docs == weights[kept].sum()
    with pytest.raises(ValueError, match="on_missing must be 'raise' or 'skip', got 'drop'"):
        ts.count_texts(TEXTS, Y, on_missing="drop")  # type: ignore[arg-type]


# ---- frames --------------------------------------------------------------------------------------

ENCODABLE = [text.replace("\ud800", "?") for text in TEXTS]  # Arrow holds no lone surrogate


def arrow_stream(columns: dict[str, Any]) -> Any:
    """Return a stream of tables that is read once, in batches of three rows."""
    pa = pytest.importorskip("pyarrow")
    table = pa.table(columns)
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=3))


FRAMES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": lambda columns: pytest.importorskip("pandas").DataFrame(columns),
    "polars": lambda columns: pytest.importorskip("polars").DataFrame(columns),
    "table": lambda columns: pytest.importorskip("pyarrow").table(columns),
    "stream": arrow_stream,
}


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize("make", FRAMES.values(), ids=list(FRAMES))
def test_frames(
    make: Callable[[dict[str, Any]], Any], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("termsift.text._blocks._BLOCK_TEXTS", size)
    numbers = [label.count("a") * 3 - 2 for label in Y]
    for labels in (Y, numbers, [str(n) for n in numbers]):
        columns = {"body": ENCODABLE, "id": list(range(len(Y))), "stars": labels}
        for rules in (RULES["words"], RULES["shares"], RULES["analyzer"]):
            for weights in WEIGHTS:
                got = ts.count_texts(
                    make(columns), text="body", label="stars", sample_weight=weights, **rules
                )
                expected = by_matrix(ENCODABLE, labels, weights, **rules)
                assert got == expected
                assert list(map(type, got.classes)) == list(map(type, expected.classes))
    fixed = ["spam", *sorted(set(Y) - {"spam"}), "unseen"]
    columns["stars"] = Y
    got = ts.count_texts(make(columns), text="body", label="stars", classes=fixed)
    assert got == by_matrix(ENCODABLE, Y, classes=fixed)
    assert ts.count_texts(make(columns), Y, text="body") == by_matrix(ENCODABLE, Y)


@pytest.mark.parametrize("size", [1, 4, 1000])
@pytest.mark.parametrize("make", FRAMES.values(), ids=list(FRAMES))
def test_missing_values_of_frames(
    make: Callable[[dict[str, Any]], Any], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("termsift.text._blocks._BLOCK_TEXTS", size)
    texts: list[Any] = [*ENCODABLE]
    labels: list[Any] = [*Y]
    texts[4] = texts[11] = labels[7] = None
    columns = {"body": texts, "stars": labels}
    with pytest.raises(ValueError, match="the text of document 4 is missing: pass on_missing="):
        ts.count_texts(make({**columns, "stars": Y}), text="body", label="stars")
    with pytest.raises(ValueError, match=r"the label of document 7 is missing: (None|nan)"):
        ts.count_texts(make({**columns, "body": ENCODABLE}), text="body", label="stars")
    kept = [i for i in range(len(Y)) if i not in (4, 7, 11)]
    expected = by_matrix([ENCODABLE[i] for i in kept], [Y[i] for i in kept])
    skipping: dict[str, Any] = {"text": "body", "on_missing": "skip"}
    assert ts.count_texts(make(columns), label="stars", **skipping) == expected
    assert ts.count_texts(make(columns), labels, **skipping) == expected
    none = {name: ["", None, None] for name in columns}
    with pytest.raises(ValueError, match="empty vocabulary"):
        ts.count_texts(make(none), [1, 2, 3], **skipping)


def test_a_class_outside_of_the_list_is_named_with_its_document() -> None:
    columns = {"body": ENCODABLE, "stars": Y}
    with pytest.raises(ValueError, match="the label of document 9 is 'spam', which is not in cl"):
        ts.count_texts(
            arrow_stream(columns),
            text="body",
            label="stars",
            classes=["ham", "none", "far", "odd"],
        )


def test_labels_come_from_one_place() -> None:
    for arguments in ({}, {"y": Y, "label": "label"}):
        with pytest.raises(TypeError, match="either as y, or as the name of their column"):
            ts.count_texts(TEXTS, **arguments)


# ---- updates -------------------------------------------------------------------------------------


@pytest.mark.parametrize("tf", ["raw", "binary", "log"])
@pytest.mark.parametrize("rules", ["words", "pairs", "vocabulary", "analyzer"])
@pytest.mark.parametrize("cut", [0, 1, 5, 11, 12])
def test_updates_unite_the_words(tf: Any, rules: str, cut: int) -> None:
    counts = ts.count(np.empty((0, 0), dtype=int), [], tf=tf)
    for part in (slice(cut), slice(cut, None)):
        assert counts.update_texts(TEXTS[part], Y[part], **RULES[rules]) is counts
    expected = by_matrix(TEXTS, Y, tf=tf, **RULES[rules])
    if tf == "log":  # sums of fractions are rounded in another order
        assert list(counts.term_names) == list(expected.term_names)  # type: ignore[arg-type]
        np.testing.assert_allclose(
            counts.term_frequency.toarray(), expected.term_frequency.toarray(), 1e-14
        )
    else:
        assert counts == expected


def test_updates_add_classes_and_weights() -> None:
    counts = ts.count_texts(["aa bb"], [2], classes=[2, 1])
    counts.update_texts(["bb cc", "dd"], [0, 2], sample_weight=[2, 0])
    assert counts.classes == [2, 1, 0]
    assert counts.term_frequency.toarray().tolist() == [[1, 1, 0, 0], [0, 0, 0, 0], [0, 2, 2, 0]]
    hashed = ts.count_texts(TEXTS[:3], Y[:3], hashing=16)
    assert hashed.update_texts(TEXTS[3:], Y[3:], hashing=16) == ts.count_texts(TEXTS, Y, hashing=16)


@pytest.mark.parametrize(
    ("texts", "y", "options", "message"),
    [
        (["eggs", 3], [0, 1], {}, "texts has a int at 1|3"),
        (["eggs"], [None], {}, "the label of document 0 is missing"),
        (["eggs"], [0], {"min_df": 2}, "use with_min_df when all texts are counted"),
        (["eggs"], [0], {"max_features": 2}, "use with_min_df"),
        (["eggs"], [0], {"hashing": 4}, "not all with names"),
        (["eggs"], [0], {"sample_weight": [-1]}, "sample_weight has -1 at row 0"),
        (["eggs"], [0], {"sample_weight": [2**63 - 1]}, r"exceeds 2\^63 - 1"),
    ],
)
def test_an_update_that_fails_changes_nothing(
    texts: Any, y: Any, options: dict[str, Any], message: str
) -> None:
    counts = ts.count_texts(["eggs eggs"], [0])
    before = counts + counts - counts
    with pytest.raises((ValueError, TypeError), match=message):
        counts.update_texts(texts, y, **options)
    assert counts == before


def test_counts_without_names_take_no_texts() -> None:
    counts = ts.count(np.eye(2, dtype=int), [0, 1])
    with pytest.raises(ValueError, match="2 and 1 terms, not all with names"):
        counts.update_texts(["eggs"], [0])


def test_collections_add_up_by_word() -> None:
    shards = [ts.count_texts(TEXTS[i::3], Y[i::3]) for i in range(3)]
    assert ts.merge(shards) == ts.count_texts(TEXTS, Y)


# ---- texts in place of a matrix ------------------------------------------------------------------

HOLDERS: dict[str, Callable[[list[str]], Any]] = {
    "list": list,
    "tuple": tuple,
    "bytes": lambda texts: [text.encode() for text in texts],
    "array": np.array,
    "object array": lambda texts: np.array(texts, dtype=object),
    "StringDType": lambda texts: np.array(texts, dtype=np.dtypes.StringDType()),
    "series": lambda texts: pytest.importorskip("pandas").Series(texts),
    "frame": lambda texts: pytest.importorskip("pandas").DataFrame({"text": texts}),
    "polars": lambda texts: pytest.importorskip("polars").Series(texts),
    "polars frame": lambda texts: pytest.importorskip("polars").DataFrame({"text": texts}),
    "arrow": lambda texts: pytest.importorskip("pyarrow").array(texts),
    "arrow table": lambda texts: pytest.importorskip("pyarrow").table({"text": texts}),
}


@pytest.mark.parametrize("holder", HOLDERS.values(), ids=list(HOLDERS))
def test_texts_in_place_of_a_matrix_are_refused_with_the_cure(
    holder: Callable[[list[str]], Any],
) -> None:
    X, y = holder(["good eggs", "bad ham", "eggs"]), [0, 1, 0]
    message = r"X holds texts, .* termsift\.count_texts, or put termsift\.text\.CountVectorizer"
    for call in (ts.count, ts.md, ts.chi2, ts.cross_validate, ts.TermSelector().fit):
        with pytest.raises(TypeError, match=message):
            call(X, y)
    with pytest.raises(TypeError, match=message):
        ts.count(np.eye(3), y).update(X, y)


def test_long_texts_are_refused_before_they_are_padded() -> None:
    with pytest.raises(TypeError, match="X holds texts"):
        ts.count(["x" * 2**20] + ["y"] * 2**20, [0] * (2**20 + 1))  # padded: 4 TiB


# ---- texts in a pipeline -------------------------------------------------------------------------


def test_a_selector_after_a_vectorizer_of_either_library() -> None:
    from sklearn.model_selection import GridSearchCV, cross_validate
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    rng = np.random.default_rng(2)
    words = np.array([f"word{i}" for i in range(60)])
    y = rng.integers(0, 3, 90)
    texts = [" ".join(rng.choice(words[label * 10 : label * 10 + 40], 12)) for label in y]
    scores, names, predicted = [], [], []
    for library in (ts.text, vectorizers):
        model = make_pipeline(library.CountVectorizer(), ts.TermSelector(k=20), MultinomialNB())
        scores.append(cross_validate(model, texts, y, cv=4)["test_score"].tolist())
        grid = {"countvectorizer__min_df": [1, 8], "termselector__k": [2, 30]}
        searched = GridSearchCV(model, grid, cv=3).fit(texts, y)
        predicted.append([searched.best_params_, searched.predict(texts).tolist()])
        names.append(model.fit(texts, y)[:-1].get_feature_names_out().tolist())
    assert scores[0] == scores[1]
    assert predicted[0] == predicted[1]
    assert names[0] == names[1]
    ranking = ts.count_texts(texts, y).rank("md", k=20)
    assert set(names[0]) == set(ranking.terms)
    with pytest.raises(TypeError, match=r"put termsift\.text\.CountVectorizer before"):
        make_pipeline(ts.TermSelector(k=2), MultinomialNB()).fit(texts, y)
