"""One object in several Python threads at once, and lists and dicts that change under a call.

Every test holds with and without a GIL, whatever the order of the threads: a result is that of one
serial order of the calls.

Guards: _util/estimator.py, _api/class_counts.py, text/_vectorizers.py, text/_rules.py,
cpp/bindings/register_labels.cpp, and cpp/bindings/register_texts.cpp.
"""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import sysconfig
import textwrap
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts
from private import Scanned, _core

ROUNDS = 20
N_DOCS = 180
STEP = 20  # the number of documents of an update
TEXTS = [f"a{d % 7} b{d % 5} common" for d in range(N_DOCS)]
OTHER_TEXTS = [f"b{d % 4} c{d % 3} c{d % 3}" for d in range(N_DOCS)]
Y = ["pear", "fig", "plum"] * (N_DOCS // 3)
OTHER_Y = ["plum", "pear", "pear"] * (N_DOCS // 3)
X = np.random.default_rng(0).poisson(0.5, (N_DOCS, 12))
OTHER_X = np.random.default_rng(1).poisson(0.5, (N_DOCS, 12))
NAMES = [f"t{i}" for i in range(12)]


@pytest.fixture(autouse=True)
def switches() -> Iterator[None]:
    """Let a GIL, if there is one, pass from thread to thread much more often than usual."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Return the results of calls that begin together, each in a thread of its own."""
    barrier = threading.Barrier(len(calls))

    def result(call: Callable[[], Any]) -> Any:
        barrier.wait(60)
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(result, call) for call in calls]]


@contextmanager
def repeating(change: Callable[[], object]) -> Iterator[None]:
    """Call a function over and over in another thread, and at least once before the block."""
    stop, has_begun = threading.Event(), threading.Event()

    def repeat() -> None:
        while not stop.is_set():
            change()
            has_begun.set()

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(repeat)
        while not (has_begun.wait(0.1) or future.done()):
            pass
        try:
            yield
        finally:
            stop.set()
        future.result()


def alternating(*calls: Callable[[], object]) -> Callable[[], None]:
    """Return a function that makes all calls in order."""

    def all_of_them() -> None:
        for call in calls:
            call()

    return all_of_them


def outcome(call: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a call, or the kind and the message of its error."""
    try:
        return call(*arguments)
    except Exception as error:
        return type(error), str(error)


def plain(value: Any) -> Any:
    """Return a result as values that == compares."""
    if isinstance(value, dict):
        return {name: plain(column) for name, column in value.items()}
    if isinstance(value, ts.Ranking):
        return plain(value.indices), plain(value.scores), plain(value.terms)
    dense = value.toarray() if hasattr(value, "toarray") else value
    return dense.tolist() if isinstance(dense, np.ndarray) else dense


# ---- one object of counts ------------------------------------------------------------------------


def test_updates_of_several_threads_add_up() -> None:
    counts = ts.count(X[:1], Y[:1])
    threads = 6

    def add(first: int) -> None:
        for d in range(first + 1, N_DOCS, threads):
            counts.update(X[d : d + 1], Y[d : d + 1], n_threads=1)

    at_once(*[lambda first=first: add(first) for first in range(threads)])
    assert counts == ts.count(X, Y)


def follow(
    read: Callable[[], Any], expected: Sequence[Any], writes: Sequence[Callable[[], object]]
) -> None:
    """Read while another thread writes. No result may be older than the one before it."""
    done = threading.Event()

    def write() -> None:
        try:
            for each in writes:
                each()
        finally:
            done.set()

    def follow() -> None:
        at, is_last = 0, False
        while not is_last:
            is_last = done.is_set()
            result = read()
            later = [i for i in range(at, len(expected)) if expected[i] == result]
            assert later, result
            at = later[0]
        assert result == expected[-1]

    at_once(write, follow, follow)


OF_COUNTS: dict[str, Callable[[ts.ClassCounts], Any]] = {
    "rank": lambda counts: plain(counts.rank("md", 5, n_threads=1)),
    "score": lambda counts: plain(counts.score("chi2", n_threads=1)),
    "class_scores": lambda counts: plain(counts.class_scores("md", n_threads=1)),
    "keyness": lambda counts: plain(counts.keyness("fig", n_threads=1).columns()),
    "significance": lambda counts: plain(counts.significance(n_threads=1).statistics),
    "columns": lambda counts: plain(counts.columns("md", 3, n_threads=1)),
    "term_frequency": lambda counts: plain(counts.term_frequency),
    "subset": lambda counts: counts.subset({"fruit": ["fig", "plum"], "pear": "pear"}),
    "with_min_df": lambda counts: counts.with_min_df(2),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda counts: pickle.loads(pickle.dumps(counts)),
    "plus": lambda counts: counts + ts.count(OTHER_X, OTHER_Y),
    "minus": lambda counts: counts - ts.count(X[:STEP], Y[:STEP], term_names=NAMES),
    "merge": lambda counts: ts.merge([counts, ts.count(OTHER_X, OTHER_Y, term_names=NAMES)]),
    "naive_bayes": lambda counts: plain(counts.naive_bayes(n_threads=1).predict(OTHER_X)),
    "str": str,
    "repr": repr,
}


@pytest.mark.full(cases=20)
@pytest.mark.parametrize("name", OF_COUNTS)
def test_readers_of_counts_follow_the_updates(name: str) -> None:
    read = OF_COUNTS[name]
    ends = range(STEP, N_DOCS + 1, STEP)
    states = [ts.count(X[:end], Y[:end], term_names=NAMES) for end in ends]
    counts = copy.copy(states[0])
    writes = [
        lambda end=end: counts.update(X[end - STEP : end], Y[end - STEP : end], n_threads=1)
        for end in ends[1:]
    ]
    follow(lambda: read(counts), [read(state) for state in states], writes)


def test_saved_counts_follow_the_updates(tmp_path: Path) -> None:
    ends = range(STEP, N_DOCS + 1, STEP)
    states = [ts.count(X[:end], Y[:end]) for end in ends]
    counts = copy.copy(states[0])
    writes = [
        lambda end=end: counts.update(X[end - STEP : end], Y[end - STEP : end]) for end in ends[1:]
    ]

    def saved() -> ts.ClassCounts:
        path = tmp_path / f"{threading.get_ident()}.npz"
        counts.save(path)
        return ts.load(path)

    follow(saved, states, writes)


def test_a_file_that_several_threads_save_is_complete(tmp_path: Path) -> None:
    states = [ts.count(X[:end], Y[:end]) for end in (60, 120, 180)]
    path = tmp_path / "counts"
    states[0].save(path)
    with repeating(alternating(*[lambda counts=counts: counts.save(path) for counts in states])):
        for _ in range(ROUNDS):
            states[1].save(path)
            assert ts.load(path) in states
    assert [entry.name for entry in tmp_path.iterdir()] == ["counts"]


def test_names_and_counts_change_together() -> None:
    counts = ts.count(X, Y, term_names=NAMES)
    other = [name.upper() for name in NAMES]
    expected = [plain(counts.rank("md", 5))]
    counts.term_names = other
    expected.append(plain(counts.rank("md", 5)))

    def name(names: list[str]) -> None:
        counts.term_names = names

    with repeating(alternating(lambda: name(NAMES), lambda: name(other))):
        for _ in range(ROUNDS):
            assert plain(counts.rank("md", 5)) in expected


# ---- lists and dicts that change under a call ----------------------------------------------------


def counted(counts: ts.ClassCounts) -> Any:
    return counts, counts.rules


COUNTS = ts.count(X, Y, term_names=NAMES)
OF_TEXTS = ts.count_texts(TEXTS, Y)
WORDS = ["a1", "b2", "common", "c1"]

# A function of a list, and two contents of the list.
LISTS: dict[str, tuple[Callable[[Any], Any], list[Any], list[Any]]] = {
    "texts": (lambda texts: counted(ts.count_texts(texts, Y)), TEXTS, OTHER_TEXTS),
    "fewer texts": (lambda texts: counted(ts.count_texts(texts, Y)), TEXTS, OTHER_TEXTS[:-2]),
    "no texts": (lambda texts: plain(OF_TEXTS.naive_bayes().predict(texts)), TEXTS, []),
    "a missing text": (
        lambda texts: counted(ts.count_texts(texts, Y, tokenizer=str.split, token_pattern=None)),
        TEXTS,
        [*OTHER_TEXTS[:-1], None],
    ),
    "labels": (lambda y: counted(ts.count_texts(TEXTS, y)), Y, OTHER_Y),
    "labels of a matrix": (lambda y: ts.count(X, y), Y, OTHER_Y),
    "labels that are numbers": (
        lambda y: ts.count(X, y),
        [1, 2] * (N_DOCS // 2),
        [3, 2.5, 2] * (N_DOCS // 3),
    ),
    "classes": (
        lambda classes: ts.count(X, Y, classes=classes),
        ["fig", "pear", "plum"],
        ["plum", "fig", "pear", "apple"],
    ),
    "weights": (lambda w: ts.count(X, Y, sample_weight=w), [1] * N_DOCS, [2] * N_DOCS),
    "rows": (lambda rows: ts.count(rows, Y), X.tolist(), OTHER_X.tolist()),
    "names": (lambda names: ts.count(X, Y, term_names=names), NAMES, NAMES[::-1]),
    "stop words": (
        lambda words: counted(ts.count_texts(TEXTS, Y, stop_words=words)),
        ["a1", "a2"],
        ["common"],
    ),
    "vocabulary": (
        lambda words: counted(ts.count_texts(TEXTS, Y, vocabulary=words)),
        WORDS,
        WORDS[2::-1],
    ),
    "subset": (COUNTS.subset, ["fig", "pear"], ["plum"]),
    "terms": (lambda terms: plain(COUNTS.naive_bayes(terms).predict(X)), NAMES[:6], NAMES[5:]),
    "sketch": (
        lambda texts: ts.sketch_texts(texts, min_df=2, n_bytes=1000).to_bytes(),
        TEXTS,
        OTHER_TEXTS,
    ),
    "passages": (
        lambda texts: repr(ts.find_passages(texts, Y, ["common", "c1"])),
        TEXTS,
        OTHER_TEXTS,
    ),
}


@pytest.mark.full(cases=20)
@pytest.mark.parametrize("name", LISTS)
def test_a_list_that_changes_under_a_call(name: str) -> None:
    call, one, other = LISTS[name]
    expected = [outcome(call, list(one)), outcome(call, list(other))]
    changing = list(one)

    def become(content: list[Any]) -> None:
        changing[:] = content

    with repeating(alternating(lambda: become(other), lambda: become(one))):
        for _ in range(ROUNDS):
            found = outcome(call, changing)
            assert found in expected, found


@pytest.mark.filterwarnings("ignore:20 documents have 20 different labels")
def test_tokens_of_a_list_that_changes() -> None:
    one, other = ["a", "b", "b"] * 20, ["c"] * 50
    tokens = list(one)

    def become(content: list[str]) -> None:
        tokens[:] = content

    rules: dict[str, Any] = {"tokenizer": lambda _: tokens, "token_pattern": None}
    vocabulary = ["a", "b", "c"]
    with repeating(alternating(lambda: become(other), lambda: become(one))):
        for _ in range(ROUNDS):
            counts = ts.count_texts(["x"] * 20, range(20), vocabulary=vocabulary, **rules)
            for row in counts.term_frequency.toarray().tolist():
                assert row in ([20, 40, 0], [0, 0, 50])


# A function of a dict, and two contents of the dict with the same keys.
DICTS: dict[str, tuple[Callable[[Any], Any], dict[Any, Any], dict[Any, Any]]] = {
    "priors": (
        lambda prior: plain(COUNTS.class_scores("md", class_prior=prior)),
        {"fig": 0.8, "pear": 0.1, "plum": 0.1},
        {"fig": 0.1, "pear": 0.8, "plum": 0.1},
    ),
    "groups": (
        COUNTS.subset,
        {"one": ["fig", "pear"], "two": ["plum"]},
        {"one": ["fig"], "two": ["pear", "plum"]},
    ),
    "vocabulary": (
        lambda columns: counted(ts.count_texts(TEXTS, Y, vocabulary=columns)),
        {word: i for i, word in enumerate(WORDS)},
        {word: 3 - i for i, word in enumerate(WORDS)},
    ),
    "queries": (
        lambda queries: repr(ts.find_passages(TEXTS, Y, queries)),
        {"fig": ["a1"], "plum": ["b2"]},
        {"fig": ["b2"], "plum": ["a1"]},
    ),
}


@pytest.mark.parametrize("name", DICTS)
def test_a_dict_that_changes_under_a_call(name: str) -> None:
    call, one, other = DICTS[name]
    expected = [outcome(call, dict(one)), outcome(call, dict(other))]
    changing = dict(one)
    with repeating(alternating(lambda: changing.update(other), lambda: changing.update(one))):
        for _ in range(ROUNDS):
            found = outcome(call, changing)
            assert found in expected, found


def test_rules_keep_a_copy_of_words() -> None:
    stop_words, vocabulary = ["a1"], {"b2": 0, "common": 1}
    rules = ts.text.TextRules(stop_words=stop_words, vocabulary=vocabulary)
    stop_words.append("b2")
    vocabulary["a1"] = 2
    assert (rules.stop_words, rules.vocabulary) == (["a1"], {"b2": 0, "common": 1})


def test_a_label_whose_place_in_memory_another_label_takes() -> None:
    """The core remembers the numbers of labels by their places in memory."""

    class Label:
        def __init__(self, name: str, act: Callable[[], None] = lambda: None) -> None:
            self.name, self.act = name, act

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Label) and self.name == other.name

        def __hash__(self) -> int:
            self.act()
            return hash(self.name)

    y = np.empty(4, dtype=object)

    def replace() -> None:
        y[1] = None  # frees the label
        y[3] = Label("b")  # which may take its place

    y[:] = [Label("a"), Label("a"), Label("c", replace), Label("a")]
    codes, firsts = _core.number_labels(y)
    assert (codes.tolist(), firsts.tolist()) == ([0, 0, 1, 2], [0, 2, 3])


# ---- estimators ----------------------------------------------------------------------------------


def test_a_classifier_that_is_fitted_while_it_predicts() -> None:
    # The labels of the fits differ, so codes of one fit with the labels of the other are found.
    fits = [(X, Y), (OTHER_X, [f"a{label}" for label in OTHER_Y])]
    reads: list[Callable[[Any], Any]] = [
        lambda model: plain(model.predict(X)),
        lambda model: plain(model.predict_proba(X)),
        lambda model: plain(pickle.loads(pickle.dumps(model)).predict(X)),
        lambda model: plain(copy.deepcopy(model).feature_log_prob_),
        lambda model: model.predict(X).tolist() + model.predict_log_proba(X[:0]).tolist(),
    ]
    models = [ts.NaiveBayes(n_threads=1).fit(*fit) for fit in fits]
    model = ts.NaiveBayes(n_threads=1).fit(*fits[0])
    for read in reads:
        expected = [read(each) for each in models]
        with repeating(alternating(*[lambda fit=fit: model.fit(*fit) for fit in fits[::-1]])):
            for _ in range(ROUNDS):
                assert read(model) in expected


def test_a_classifier_that_learns_while_it_classifies_texts() -> None:
    counts = ts.count_texts(TEXTS[:60], Y[:60])
    later = [f"{label}s" for label in Y]
    rows = np.eye(counts.n_terms, dtype=int)

    def learned(n: int) -> ts.NaiveBayes:
        model = counts.naive_bayes(n_threads=1)
        for i in range(n):
            model.partial_fit(rows[i : i + 1], later[i : i + 1])
        return model

    def read(model: ts.NaiveBayes) -> Any:
        return plain(model.predict(TEXTS)), len(model.predict_proba(TEXTS[:1])[0])

    steps = 8
    predicted = [plain(learned(n).predict_proba(TEXTS[:20])) for n in range(steps + 1)]
    model = learned(0)
    writes = [
        lambda i=i: model.partial_fit(rows[i : i + 1], later[i : i + 1]) for i in range(steps)
    ]
    follow(lambda: plain(model.predict_proba(TEXTS[:20])), predicted, writes)
    assert read(model) == read(learned(steps))


def test_what_a_classifier_makes_of_a_fit_is_of_that_fit() -> None:
    """A thread makes the index for texts late, when another thread has fitted the model anew."""
    counts = ts.count_texts(TEXTS, Y)
    rows = np.eye(counts.n_terms, dtype=int)
    for _ in range(ROUNDS):
        model = counts.naive_bayes(n_threads=1)
        at_once(
            partial(model.predict, TEXTS[:3]),
            partial(model.partial_fit, 50 * rows, ["fig"] * len(rows)),
            partial(model.predict, TEXTS[:3]),
        )
        again = counts.naive_bayes(n_threads=1).partial_fit(50 * rows, ["fig"] * len(rows))
        assert plain(model.predict_proba(TEXTS)) == plain(again.predict_proba(TEXTS))


@pytest.mark.parametrize("method", ["md", "conditional_gain"])
def test_a_selector_that_is_fitted_while_it_selects(method: str) -> None:
    pytest.importorskip("sklearn")
    wider = np.hstack([OTHER_X, X])
    fits = [(X, Y), (OTHER_X, OTHER_Y), (wider, Y)]

    def selector(fit: tuple[Any, Any]) -> ts.TermSelector:
        return ts.TermSelector(method, k=4, n_threads=1).fit(*fit)

    reads: list[Callable[[Any], Any]] = [
        lambda selector: plain(selector.transform(X)),
        lambda selector: plain(selector.ranking_),
        lambda selector: plain(selector.get_support()),
        lambda selector: selector.get_feature_names_out().tolist(),
        lambda selector: plain(pickle.loads(pickle.dumps(selector)).ranking_),
    ]
    if method == "md":
        reads.append(lambda selector: plain(selector.scores_))
    changing = selector(fits[0])
    for read in reads:
        expected = [outcome(read, selector(fit)) for fit in fits]
        with repeating(alternating(*[lambda fit=fit: changing.fit(*fit) for fit in fits[::-1]])):
            for _ in range(ROUNDS):
                found = outcome(read, changing)
                assert found in expected, found


def test_the_names_of_a_selector_are_of_one_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn")
    selector = ts.TermSelector(k=4, n_threads=1).fit(X, Y)
    expected = selector.get_feature_names_out().tolist()
    usual = ts.TermSelector._get_support_mask

    def fits_before(read: ts.TermSelector) -> Any:
        selector.fit(np.hstack([OTHER_X, X]), Y)
        return usual(read)

    monkeypatch.setattr(ts.TermSelector, "_get_support_mask", fits_before)
    assert selector.get_feature_names_out().tolist() == expected


def test_a_selector_ranks_late_in_several_threads() -> None:
    pytest.importorskip("sklearn")
    expected = plain(ts.TermSelector(k=4).fit(X, Y).ranking_)
    for _ in range(ROUNDS):
        selector = ts.TermSelector(k=4, n_threads=1).partial_fit(X, Y)
        reads = [partial(getattr, selector, "ranking_")] * 4
        found = at_once(*reads, partial(selector.fit, X, Y))
        assert [plain(ranking) for ranking in found[:4]] == [expected] * 4
        assert plain(selector.ranking_) == expected


def test_a_selector_whose_fit_fails_selects_as_before() -> None:
    pytest.importorskip("sklearn")
    selector = ts.TermSelector(k=4, n_threads=1).fit(X, Y)
    expected = plain(selector.transform(X))
    with repeating(lambda: outcome(selector.fit, X[:, :3], ["fig"] * N_DOCS)):
        for _ in range(ROUNDS):
            assert plain(selector.transform(X)) == expected


OF_VECTORIZERS: dict[str, Callable[[Any], Any]] = {
    "transform": lambda vectorizer: plain(vectorizer.transform(TEXTS)),
    "names": lambda vectorizer: plain(vectorizer.get_feature_names_out()),
    "vocabulary": lambda vectorizer: dict(vectorizer.vocabulary_),
    "pickle": lambda vectorizer: plain(pickle.loads(pickle.dumps(vectorizer)).transform(TEXTS)),
    "inverse": lambda vectorizer: vectorizer.inverse_transform(np.eye(3, dtype=int))[0].tolist(),
}


@pytest.mark.full(cases=10)
@pytest.mark.parametrize("name", OF_VECTORIZERS)
def test_a_vectorizer_that_is_fitted_while_it_counts(name: str) -> None:
    pytest.importorskip("sklearn")
    read = OF_VECTORIZERS[name]
    collections = TEXTS, OTHER_TEXTS[:50]

    def vectorizer(texts: list[str]) -> Any:
        return ts.text.CountVectorizer(n_threads=1, token_pattern=r"\S+").fit(texts)

    expected = [outcome(read, vectorizer(texts)) for texts in collections]
    changing = vectorizer(TEXTS)
    fits = [lambda texts=texts: changing.fit(texts) for texts in collections[::-1]]
    with repeating(alternating(*fits)):
        for _ in range(ROUNDS):
            found = outcome(read, changing)
            assert found in expected, found


def test_the_terms_of_documents_are_of_one_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn")
    vectorizer = ts.text.CountVectorizer().fit(["apple bear"])
    fits = cycle([{"apple": 0, "bear": 1}, {"cat": 1, "dog": 0}])
    monkeypatch.setattr(type(vectorizer), "vocabulary_", property(lambda _: next(fits)))
    assert [terms.tolist() for terms in vectorizer.inverse_transform(np.eye(2))] in (
        [["apple"], ["bear"]],
        [["dog"], ["cat"]],
    )


def test_a_vocabulary_is_made_once_and_is_of_the_last_fit() -> None:
    pytest.importorskip("sklearn")
    vectorizer = ts.text.CountVectorizer(n_threads=1)
    for _ in range(ROUNDS):
        vectorizer.fit(TEXTS)
        made = at_once(*[lambda: vectorizer.vocabulary_] * 4)
        assert len(set(map(id, made))) == 1
        vectorizer.fit(TEXTS)
        at_once(lambda: vectorizer.fit(OTHER_TEXTS), *[lambda: vectorizer.vocabulary_] * 2)
        assert list(vectorizer.vocabulary_) == ["b0", "b1", "b2", "b3", "c0", "c1", "c2"]
        assert vectorizer.transform(OTHER_TEXTS[:1]).toarray().tolist() == [[1, 0, 0, 0, 2, 0, 0]]


def test_a_vocabulary_that_is_changed_while_its_vectorizer_counts() -> None:
    pytest.importorskip("sklearn")
    vectorizer = ts.text.CountVectorizer(n_threads=1).fit(TEXTS)
    one = dict(vectorizer.vocabulary_)
    other = {term: len(one) - 1 - column for term, column in one.items()}
    before = vectorizer.transform(TEXTS).toarray()
    expected = [before.tolist(), before[:, ::-1].tolist()]
    columns = vectorizer.vocabulary_
    with repeating(alternating(lambda: columns.update(other), lambda: columns.update(one))):
        for _ in range(ROUNDS):
            assert plain(vectorizer.transform(TEXTS)) in expected
    columns.update(other)
    assert plain(vectorizer.transform(TEXTS)) == expected[1]


# ---- what all threads share ----------------------------------------------------------------------


def test_a_sketch_that_several_threads_update() -> None:
    parts = [TEXTS, OTHER_TEXTS, TEXTS[:50], OTHER_TEXTS[:9]]
    expected = ts.sketch_texts([text for part in parts for text in part], n_bytes=500).to_bytes()
    for _ in range(ROUNDS):
        sketch = ts.sketch_texts([], n_bytes=500)
        at_once(*[partial(sketch.update, part) for part in parts])
        assert sketch.to_bytes() == expected
        whole = ts.TermSketch.from_bytes(sketch.to_bytes())
        with repeating(partial(whole.update, ["a"])):
            ts.TermSketch.from_bytes(whole.to_bytes())


def test_a_scan_that_several_threads_count(tmp_path: Path) -> None:
    path = tmp_path / "fruit.tsv"
    rows = (f"{label}\t{text}" for label, text in zip(Y, TEXTS, strict=True))
    path.write_text("\n".join(["label\ttext", *rows]))
    scan = ts.scan(path)
    expected = ts.count(ts.scan(path))
    for _ in range(3):
        found = at_once(*[lambda: ts.count(scan)] * 4, *[lambda: repr(scan)] * 2)
        assert found[:4] == [expected] * 4


def test_two_readings_of_a_scan_leave_each_other_alone(tmp_path: Path) -> None:
    for name in ("one", "two"):
        rows = [f"{label}\t{text}" for label, text in zip(Y[:9], TEXTS[:9], strict=True)]
        (tmp_path / f"{name}.tsv").write_text("\n".join(["label\ttext", *rows, "no tab"]))
    scan = ts.scan(tmp_path / "*.tsv", on_error="skip")

    def numbers(blocks: list[Any]) -> list[int]:
        return [int(row) for block in blocks for row in block.rows]

    one = iter(Scanned(scan))
    first = next(one)
    other = numbers([*Scanned(scan)])
    assert scan.n_skipped == 2
    assert numbers([first, *one]) == other == [*range(9), *range(10, 19)]
    assert scan.n_skipped == 2


def test_a_pattern_that_several_threads_use_first() -> None:
    for i in range(ROUNDS):
        pattern = rf"[a-z0-9]{{2,{20 + i}}}"  # each round has a new pattern
        found = at_once(*[partial(ts.count_texts, TEXTS, Y, token_pattern=pattern)] * 4)
        assert found == [OF_TEXTS] * 4


def run(code: str) -> str:
    command = [sys.executable, "-c", textwrap.dedent(code)]
    environment = {name: v for name, v in os.environ.items() if name != "PYTHON_GIL"}
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_several_threads_import_the_package_at_once() -> None:
    code = """
    import sys, threading
    import termsift as ts
    sys.setswitchinterval(1e-6)
    names = sorted({name for names in ts._HOMES.values() for name in names} - {"TermSelector"})
    barrier, failed = threading.Barrier(8), []
    def work(first):
        barrier.wait()
        try:
            for name in names[first:] + names[:first]:
                getattr(ts, name)
            for method in ts.methods():
                getattr(ts, method.name)
        except BaseException as error:
            failed.append(error)
    threads = [threading.Thread(target=work, args=(5 * i % len(names),)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(failed)
    """
    assert run(code) == "[]"


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="a build with a GIL")
def test_the_package_leaves_the_gil_off() -> None:
    code = """
    import sys
    import termsift as ts
    for name in ts.__all__:
        getattr(ts, name)
    for name in ts._MODULES:
        getattr(ts, name)
    counts = ts.count_texts(["ham eggs", "spam"], ["a", "b"])
    counts.columns("md"), counts.naive_bayes().predict(["ham"]), counts.keyness("a")
    print(sys._is_gil_enabled())
    """
    assert run(code) == "False"
