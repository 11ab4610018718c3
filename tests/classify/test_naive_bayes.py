"""`ClassCounts.naive_bayes` compared with scikit-learn and with fitting again."""

from __future__ import annotations

import pickle
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import termsift as ts
from counts_files import HEADER_SIZE, sealed
from private import _core, count_blocks, holding, put, text_blocks, value_of
from wording import raises

rng = np.random.default_rng(7)
X = rng.poisson(0.4, (40, 15))
Y = rng.integers(0, 4, 40).tolist()
TERMS = [9, 1, 3, 14, 0]
MODELS = ["multinomial", "binary", "bernoulli", "poisson", "complement"]
TEXTS = ["Bacon and eggs", "Eggs, eggs!", "Cheap pills, cheap prize", "Cheap eggs", ""]
LABELS = ["ham", "ham", "spam", "spam", "ham"]


def theirs(model: str) -> Any:
    bayes = pytest.importorskip("sklearn.naive_bayes")
    names = {"bernoulli": "BernoulliNB", "complement": "ComplementNB"}
    return getattr(bayes, names.get(model, "MultinomialNB"))(alpha=0.3)


@pytest.mark.parametrize("dense_cells", [0, 1 << 24])
@pytest.mark.parametrize("tf", ["raw", "log"])
@pytest.mark.parametrize("model", ["multinomial", "binary", "bernoulli", "complement"])
def test_it_is_scikit_learns_fit_on_the_chosen_columns(
    model: str, tf: str, dense_cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch, dense_cells=dense_cells)
    chosen = X[:, TERMS] > 0 if model == "binary" else X[:, TERMS]
    chosen = np.log1p(chosen) if tf == "log" and model != "binary" else chosen
    fitted = theirs(model).fit(chosen, Y)
    found = ts.count(X, Y, tf=tf).naive_bayes(TERMS, model=model, alpha=0.3)  # type: ignore[arg-type]
    assert_allclose(found.predict_log_proba(X), fitted.predict_log_proba(chosen), rtol=1e-12)
    assert_allclose(found.predict_proba(X), fitted.predict_proba(chosen), rtol=1e-12)
    assert_array_equal(found.predict(sparse.csc_array(X)), fitted.predict(chosen))
    assert found.score(X, Y) == fitted.score(chosen, Y)


@pytest.mark.parametrize("prior", ["empirical", "uniform", [1, 2, 3, 4]])
@pytest.mark.parametrize("model", MODELS[:4])
def test_leaving_one_out_is_refitting_without_it(model: str, prior: Any) -> None:
    options: dict[str, Any] = {"model": model, "alpha": 0.3, "class_prior": prior}
    doubled = sparse.csr_array(sparse.hstack([X, sparse.csr_array((40, 1))]))
    found = ts.count(doubled, Y).naive_bayes(TERMS, **options).leave_one_out(doubled, Y)
    for row in range(len(Y)):
        others = np.arange(len(Y)) != row
        refitted = ts.count(X[others], [Y[d] for d in np.flatnonzero(others)])
        one = refitted.naive_bayes(TERMS, **options).predict_log_proba(X[[row]])
        assert_allclose(found[[row]], one, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("model", MODELS[:4])
def test_the_only_document_of_a_class_has_no_class_without_itself(model: Any) -> None:
    labels = [9, *Y[1:]]
    found = ts.count(X, labels).naive_bayes(model=model).leave_one_out(X, labels)
    assert np.isneginf(found[0]).tolist() == [False] * 4 + [True]
    assert np.isfinite(found[1:]).all()


@pytest.mark.parametrize("model", MODELS[:4])
def test_its_score_is_that_of_the_curve_and_its_posteriors_those_of_the_reference(
    model: Any,
) -> None:
    counts = ts.count(X[:25], Y[:25])
    ranking = counts.rank("md")
    curve = ts.selection_curve(ranking, X[:25], Y[:25], X[25:], Y[25:], [5], classifier=model)
    classifier = counts.naive_bayes(ranking[:5], model=model)
    assert classifier.score(X[25:], Y[25:]) == curve.accuracy[0]
    reference = ts.reference.count(X[:25], Y[:25])
    log_proba = classifier.predict_log_proba(X[25:])
    for row, document in enumerate(X[25:].tolist()):
        terms = {i: x for i, x in enumerate(document) if x}
        chosen = ranking.indices[:5].tolist()
        pairs = ts.reference.log_posteriors(reference, terms, chosen, model=model)
        expected = np.array([log for log, _ in pairs])
        assert_allclose(np.diff(log_proba[row]), np.diff(expected), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("model", MODELS[:4])
def test_leaving_one_out_is_the_references(model: Any) -> None:
    rows, labels = X[:12].tolist(), Y[:12]
    found = ts.count(rows, labels).naive_bayes(TERMS, model=model).leave_one_out(rows, labels)
    expected = np.array(ts.reference.leave_one_out(rows, labels, TERMS, model=model))
    expected -= np.logaddexp.reduce(expected, axis=1, keepdims=True)
    assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


def test_leaving_out_none_of_no_documents() -> None:
    classifier = ts.count(np.eye(3, dtype=int), [0, 1, 1]).naive_bayes()
    assert classifier.leave_one_out(np.zeros((0, 3), int), []).shape == (0, 2)


# ---- texts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"ngram_range": (1, np.int64(2)), "stop_words": ["and"], "min_df": 2},
        {"hashing": 50},
        {"analyzer": "char", "lowercase": False, "binary": True},
    ],
    ids=repr,
)
def test_texts_and_their_matrix_agree_in_every_form(rules: dict[str, Any], tmp_path: Path) -> None:
    counts = ts.count_texts(TEXTS, LABELS, **rules)
    counts.save(tmp_path / "c.termsift")
    vocabulary = None if counts.term_names is None else counts.term_names.tolist()
    others = {name: rule for name, rule in rules.items() if name != "min_df"}
    matrix, _ = count_blocks(
        text_blocks(TEXTS), ts.text.TextRules(**others, vocabulary=vocabulary), 0
    )
    chosen = counts.rank("md", k=3)
    expected = counts.naive_bayes(chosen).predict_log_proba(TEXTS)
    of_matrix = counts.naive_bayes(chosen).predict_log_proba(matrix)
    assert_allclose(expected, of_matrix, rtol=1e-12, atol=1e-14)
    pickled = pickle.loads(pickle.dumps(counts))
    for same in (counts, ts.load(tmp_path / "c.termsift"), pickled, counts + counts - counts):
        classifier = same.naive_bayes(chosen)
        for texts in (TEXTS, tuple(TEXTS), np.array(TEXTS), iter(TEXTS)):
            assert_array_equal(classifier.predict_log_proba(texts), expected)
        again = pickle.loads(pickle.dumps(classifier))
        assert_array_equal(again.predict_log_proba(TEXTS), expected)
        left = classifier.leave_one_out(iter(TEXTS), LABELS)
        assert_array_equal(left, classifier.leave_one_out(matrix, LABELS))


def test_a_pickle_holds_the_weights_once() -> None:
    n = 64  # classes, so that rows need no padding
    counts = ts.count(np.eye(n, 1000, dtype=int), range(n))
    weights = n * 1000 * 8
    assert weights < len(pickle.dumps(counts.naive_bayes())) < 1.5 * weights


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 2), (2, 3)])
def test_sums_of_texts_are_products_of_their_matrix(
    ngram_range: tuple[int, int], binary: bool
) -> None:
    words = np.array([f"{letter}{letter}" for letter in "abcdefghijkl"] + ["w" * 20])
    sizes = [0, 3, 40_000, 1, 200, 30_000]  # some texts exceed the core's pieces of 64 KiB
    texts = [" ".join(rng.choice(words, size)) for size in sizes]
    vocabulary = ts.count_texts(texts, range(6), ngram_range=ngram_range).term_names[::2].tolist()
    rules = ts.text.TextRules(ngram_range=ngram_range, vocabulary=vocabulary)
    matrix, _ = count_blocks(text_blocks(texts), rules, 0)
    index = _core.TextIndex(rules.native, vocabulary)
    for n in (1, 3, 8, 21):
        weights = rng.integers(-9, 9, (len(vocabulary), n)).astype(float)
        expected = (matrix > 0 if binary else matrix) @ weights
        for threads in (1, 2):
            found = index.sums(_core.Texts.of_strings(texts), weights, binary, threads)
            assert_array_equal(found, expected)
    # Other documents and the SIMD target must not change any bit of a document's result.
    weights = rng.normal(size=(len(vocabulary), 21))
    found = index.sums(_core.Texts.of_strings(texts), weights, binary)
    for row, text in enumerate(texts):
        alone = index.sums(_core.Texts.of_strings([text]), weights, binary)
        assert_array_equal(alone[0], found[row])
    before = _core.simd_target()
    for target in _core.simd_targets():
        _core.use_simd_target(target)
        assert_array_equal(index.sums(_core.Texts.of_strings(texts), weights, binary), found)
    _core.use_simd_target(before)
    with pytest.raises(_core.BadTextError):
        index.sums(_core.Texts.of_bytes([b"aa aa bb", b"aa \xff"]), weights, binary)
    assert_array_equal(index.sums(_core.Texts.of_strings(texts), weights, binary), found)


def test_rules_of_a_forged_file_are_refused(tmp_path: Path) -> None:
    counts = ts.count_texts(TEXTS, LABELS)
    counts = holding(replace(value_of(counts), rules=ts.text.TextRules(ngram_range=(1, 2))))
    forged = counts.to_bytes().replace(b'"ngram_range": [1, 2]', b'"ngram_range": [2, 1]')
    with raises(ValueError, "wrong_checksum"):
        ts.load(forged)
    with raises(ValueError, "damaged_ngram_range_must_be"):
        ts.load(sealed(tmp_path / "forged", forged[HEADER_SIZE:]))


def test_a_scan_keeps_the_rules_as_a_list_does(tmp_path: Path) -> None:
    rows = [f'{label},"{text}"' for text, label in zip(TEXTS, LABELS, strict=True)]
    (tmp_path / "mail.csv").write_text("\n".join(["label,text", *rows]) + "\n")
    scanned = ts.count(ts.scan(tmp_path / "mail.csv", ngram_range=(1, 2))).naive_bayes()
    listed = ts.count_texts(TEXTS, LABELS, ngram_range=(1, 2)).naive_bayes()
    assert_array_equal(scanned.predict_log_proba(TEXTS), listed.predict_log_proba(TEXTS))


@pytest.mark.parametrize(
    "counts",
    [
        ts.count(X, Y),
        pickle.loads(pickle.dumps(ts.count_texts(TEXTS, LABELS, analyzer=str.split))),
        ts.count_texts(TEXTS, LABELS, hashing=50).with_min_df(2),
    ],
    ids=["matrix", "function", "hashes"],
)
def test_counts_without_rules_refuse_texts(counts: ts.ClassCounts) -> None:
    with raises(ValueError, "hold_no_rules_for_them", argument="X"):
        counts.naive_bayes().predict(TEXTS)


# ---- scikit-learn --------------------------------------------------------------------------------


def test_rounding_of_subtracted_fractions_is_no_occurrence() -> None:
    # (0.7 + 0.1) - 0.7 is less than 0.1, so without the second row the count would be below 0.
    X, y = np.array([[0.7, 1], [0.1, 1], [0, 2], [0, 1]]), [0, 0, 0, 1]
    rest = ts.count(X, y) - ts.count(X[:1], y[:1])
    found, expected = (
        counts.naive_bayes().leave_one_out(X[1:], y[1:])
        for counts in (rest, ts.count(X[1:], y[1:]))
    )
    assert_allclose(found, expected, rtol=1e-12)


def test_it_works_in_pipelines_and_searches() -> None:
    base = pytest.importorskip("sklearn.base")
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline

    counts = ts.count_texts(TEXTS, LABELS)
    vectorizer = ts.text.CountVectorizer().fit(TEXTS)
    pipeline = make_pipeline(vectorizer, counts.naive_bayes())
    assert pipeline.predict(["eggs", "pills"]).tolist() == ["ham", "spam"]
    classifier = counts.naive_bayes([0, 2], alpha=0.5)
    clone = base.clone(classifier)
    with raises(AttributeError, "not_fitted"):
        clone.predict(TEXTS)
    assert base.is_classifier(clone)
    assert clone.get_params() == classifier.get_params()
    matrix = vectorizer.transform(TEXTS)
    fitted = clone.fit(matrix, LABELS)
    assert_array_equal(fitted.predict_proba(matrix), classifier.predict_proba(matrix))
    search = GridSearchCV(ts.NaiveBayes(), {"alpha": [0.1, 1], "model": ["complement"]}, cv=2)
    assert search.fit(X, Y).best_params_["model"] == "complement"


# ---- odd shapes and errors -----------------------------------------------------------------------


@pytest.mark.parametrize("model", MODELS)
def test_one_term_one_document_and_classes_without_documents(model: Any) -> None:
    one = ts.count([[2]], ["a"], classes=["b", "a"]).naive_bayes(model=model)
    assert_array_equal(one.predict_log_proba([[5]]), [[-np.inf, 0]])
    assert one.predict(sparse.csr_array((0, 1))).tolist() == []
    assert one.predict_proba(sparse.csr_array((0, 1))).shape == (0, 2)
    assert np.isneginf(ts.count(X, Y).naive_bayes(model=model).predict_log_proba(X)).sum() == 0


def test_five_thousand_classes() -> None:
    eye = sparse.eye_array(5000, 6000, dtype=int, format="csr")
    classifier = ts.count(eye, range(5000)).naive_bayes()
    assert classifier.predict(eye[::500]).tolist() == list(range(0, 5000, 500))


def test_duplicate_entries_are_one() -> None:
    parts = ([1, 1, 1], [2, 2, 0], [0, 3])
    twice = sparse.csr_array(parts, shape=(1, 15))
    once = sparse.csr_array(twice.toarray())
    for model in MODELS:
        classifier = ts.count(X, Y).naive_bayes(model=model)  # type: ignore[arg-type]
        assert_array_equal(classifier.predict_proba(twice), classifier.predict_proba(once))


def test_a_document_that_was_not_counted_is_named_by_its_row() -> None:
    """Documents are computed in parts of 2^21 pairs of an entry and a class."""
    X, y = np.ones((40, 1 << 15), dtype=np.int8), ["a", "b"] * 20
    classifier = ts.count(X, y).naive_bayes()
    X[38, 5] = 99
    with raises(ValueError, "x_has_99_at_row_38", argument="X"):
        classifier.leave_one_out(X, y)


def test_a_given_prior_is_shared_by_the_classes_with_documents() -> None:
    bayes = ts.NaiveBayes(class_prior=[1, 1, 2])
    bayes.partial_fit([[2, 1], [0, 1]], ["a", "b"], classes=["a", "b", "c"])
    assert np.exp(bayes.class_log_prior_).tolist() == pytest.approx([0.5, 0.5, 0])


@pytest.mark.parametrize(
    ("terms", "options", "key", "argument"),
    [
        ([15], {}, "terms_has_15_at_position_0", "terms"),
        ([1, 1], {}, "terms_has_1_twice_expected_each", "terms"),
        ([], {}, "there_are_no_terms_expected_at", "terms"),
        (["eggs"], {}, "terms_holds_names_but_the_counts", "terms"),
        (None, {"model": "gaussian"}, "model_must_be_one_of", "model"),
        (None, {"alpha": 0}, "alpha_must_be_positive_and_finite", "alpha"),
        (None, {"class_prior": [0, 0, 0, 0]}, "class_prior_is_0_for_every_class", "class_prior"),
    ],
)
def test_errors_of_arguments(
    terms: Any, options: dict[str, Any], key: str, argument: str | None
) -> None:
    with raises(ValueError, key, argument=argument):
        ts.count(X, Y).naive_bayes(terms, **options)


def test_complement_has_no_prior() -> None:
    with raises(TypeError, "has_no_prior", argument="model"):
        ts.count(X, Y).naive_bayes(model="complement", class_prior="uniform")


def test_terms_by_name() -> None:
    counts = ts.count_texts(TEXTS, LABELS)
    named, columns = counts.naive_bayes(["pills", "eggs"]), counts.naive_bayes([3, 4])
    assert_array_equal(named.predict_proba(TEXTS), columns.predict_proba(TEXTS))
    with raises(ValueError, "did_you_mean_pills", argument="terms"):
        counts.naive_bayes(["pill"])


def test_errors_of_documents() -> None:
    classifier = ts.count(X, Y).naive_bayes(TERMS)
    complement = ts.count(X, Y).naive_bayes(model="complement")
    half = ts.count([[1, 0], [0, 1]], ["a", "b"], sample_weight=[0.5, 2]).naive_bayes()
    bad = X.astype(float)
    bad[2, 3] = np.nan
    for call, key, argument in (
        (
            lambda: classifier.predict(X[:, :5]),
            "x_has_5_features_but_naivebayes",
            "X",
        ),
        (lambda: classifier.predict(bad), "input_x_contains_nan_x_has", None),
        (
            lambda: classifier.predict(-(X > 0).astype(int)),
            "negative_values_in_data_passed_to",
            None,
        ),
        (lambda: classifier.predict(np.full((2, 15), 1e308)), "x_has_counts_at_row_0", None),
        (lambda: classifier.score(X[:0], []), "there_are_no_documents_expected_some", "X"),
        (lambda: classifier.leave_one_out(X + 9 * (X > 0), Y), "x_has_11_at_row_0", "X"),
        (
            lambda: complement.leave_one_out(X, Y),
            "model_complement_has_no_leave_one_out_use",
            "model",
        ),
        (lambda: classifier.leave_one_out(X, [7] * 40), "the_label_of_document_0_is", "y"),
        (lambda: half.leave_one_out([[1, 0]], ["a"]), "the_class_of_row_0_has_no_document", "y"),
        (
            lambda: classifier.leave_one_out(X, np.ones((40, 4), int)),
            "y_is_an_indicator_matrix_expected",
            "y",
        ),
    ):
        with raises(ValueError, key, argument=argument):
            call()
    with raises(ValueError, "needs_a_class_with_documents"):
        ts.count(np.zeros((0, 2)), [], classes=["a"]).naive_bayes()


def test_lists_without_documents_or_terms_are_refused() -> None:
    table = {"sea": {"ship": 3}, "land": {"plough": 2}}
    known = ts.count_texts(["plum"], ["tree"])
    for counts in (ts.counts_from_table(table), ts.merge([ts.counts_from_table(table), known])):
        with raises(ValueError, "naive_bayes_needs_the_documents", at="class 'land'"):
            counts.naive_bayes()
    rows = {"term": ["ship"], "label": ["sea"], "count": [3], "df": [2]}
    options: Any = {"documents": "df", "class_docs": {"sea": 2}, "class_tokens": {"sea": 9}}
    with raises(ValueError, "naive_bayes_needs_every_term", at="class 'sea'"):
        ts.counts_from_table(rows, **options).naive_bayes()


def test_a_single_document_cannot_be_left_out() -> None:
    with raises(ValueError, "needs_two_documents_or_more", argument="X"):
        ts.count_texts(["aa bb"], ["a"]).naive_bayes().leave_one_out(["aa bb"], ["a"])


def test_a_class_of_less_than_one_document_has_none_to_leave_out() -> None:
    X, y = np.array([[1, 2], [3, 0]]), ["a", "b"]
    classifier = ts.count(X, y, [1, 0.5]).naive_bayes()
    with raises(ValueError, "the_class_of_row_1_has", argument="y"):
        classifier.leave_one_out(np.array([[1, 2], [1, 0]]), y)


# ---- the core ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dense_cells", [0, 1 << 24], ids=["pairs", "dense"])
@pytest.mark.parametrize("model", MODELS)
def test_no_bit_depends_on_threads_targets_types_or_order(
    model: Any, dense_cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch, dense_cells=dense_cells)
    many = rng.poisson(0.3, (1500, 40))
    labels = rng.integers(0, 13, 1500)
    counts = ts.count(many, labels)
    for terms in (None, list(range(3, 40, 4))):
        classifier = counts.naive_bayes(terms, model=model, n_threads=1)
        expected = classifier.predict_joint_log_proba(many)
        predicted = classifier.predict(many)
        best = expected.max(axis=1, keepdims=True)
        ties = expected >= best - 2.0**-44 * np.abs(best)
        assert_array_equal(predicted, classifier.classes_[ties.argmax(axis=1)])
        alone = np.concatenate([classifier.predict_joint_log_proba(many[[d]]) for d in range(30)])
        assert_array_equal(alone, expected[:30])
        rows = sparse.csr_array(many)
        mixed = rows[:, ::-1][:, ::-1]  # scipy leaves the entries of a row unsorted
        halves = sparse.csr_array(
            (np.repeat(rows.data / 2, 2), np.repeat(rows.indices, 2), 2 * rows.indptr), rows.shape
        )
        types = [rows.astype(t) for t in (np.int8, np.uint16, np.int32, np.float32, np.float64)]
        wide = sparse.csr_array(rows)
        wide.indptr, wide.indices = rows.indptr.astype(np.int64), rows.indices.astype(np.int64)
        for threads in (1, 2, 5):
            classifier.set_params(n_threads=threads)
            for form in (rows, mixed, halves, wide, *types):
                assert_array_equal(classifier.predict_joint_log_proba(form), expected)
                assert_array_equal(classifier.predict(form), predicted)
        before = _core.simd_target()
        for target in _core.simd_targets():
            _core.use_simd_target(target)
            assert_array_equal(classifier.predict_joint_log_proba(rows), expected)
        _core.use_simd_target(before)


def test_many_classes_take_little_memory() -> None:
    # Log posteriors of all documents at once would take 3 GB.
    n = 20_000
    eye = sparse.eye_array(n, dtype=int, format="csr")
    classifier = ts.count(eye, range(n)).naive_bayes()
    tracemalloc.start()
    assert classifier.predict(eye).tolist() == list(range(n))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 10_000_000


def test_the_score_compares_labels_of_any_kind() -> None:
    # numpy compared dates and tuples element by element, which raised an error.
    labels = [np.datetime64("2020-01-01"), ("a", 1), "x", 2.0]
    classifier = ts.NaiveBayes().fit(np.eye(4, dtype=int), labels)
    assert classifier.score(np.eye(4, dtype=int), labels) == 1
    assert classifier.score(np.eye(4, dtype=int), [*labels[:2], "y", 2]) == 0.75


# ---- without scikit-learn ------------------------------------------------------------------------


def test_it_needs_no_scikit_learn() -> None:
    code = """
import sys
sys.modules["sklearn"] = None  # an import of scikit-learn fails
import numpy as np, termsift as ts
X, y = np.array([[3, 0], [0, 2]]), ["ham", "spam"]
try:
    ts.NaiveBayes().predict(X)
except ValueError as error:
    assert isinstance(error, AttributeError) and type(error).__name__ == "NotFittedError"
fitted = ts.NaiveBayes().set_params(alpha=0.5).fit(X, y).partial_fit(X, y)
assert fitted.predict(X).tolist() == y and fitted.get_params()["alpha"] == 0.5
assert fitted.score(X, y) == 1 and fitted.feature_log_prob_.shape == (2, 2)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("model", ["multinomial", "poisson"])
def test_leaving_one_out_of_logarithms_is_fitting_to_the_others(model: Any) -> None:
    classifier = ts.count(X, Y, tf="log").naive_bayes(TERMS, model=model)
    found = classifier.leave_one_out(X, Y)
    for row in range(len(X)):
        others, labels = np.delete(X, row, axis=0), Y[:row] + Y[row + 1 :]
        again = ts.count(others, labels, tf="log").naive_bayes(TERMS, model=model)
        expected = again.predict_log_proba(X[row : row + 1])[0]
        assert_allclose(found[row], expected, rtol=1e-9)


def test_leaving_one_out_needs_the_labels() -> None:
    for counts, documents in ((ts.count(X, Y), X), (ts.count_texts(TEXTS, LABELS), TEXTS)):
        with raises(TypeError, "leave_one_out_needs_labels", argument="y"):
            counts.naive_bayes().leave_one_out(documents, None)


def test_labels_keep_a_null_character_at_their_end() -> None:
    labels = ["ham", "ham\0", "spam"]
    classifier = ts.count(np.eye(3, dtype=int), labels).naive_bayes()
    assert classifier.classes_.tolist() == labels
    assert classifier.predict(np.eye(3, dtype=int)).tolist() == labels
