"""Pickle, copy, joblib and skops keep every object, and the core's objects refuse to be copied.

Guards: the pickles of all public classes, and cpp/bindings.
"""

from __future__ import annotations

import copy
import copyreg
import functools
import io
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import termsift as ts
from private import _core, translated
from wording import raises

TEXTS = ["Bacon and eggs", "Eggs, eggs!", "Cheap pills", "cheap bacon"]
LABELS = ["ham", "ham", "spam", "spam"]
X = np.array([[3, 0, 1], [1, 0, 0], [0, 3, 1], [0, 0, 2]])
BASE = _core.Counts.__mro__[1]  # the class from which every class of pybind11 is derived
CLASSES = [c for c in vars(_core).values() if isinstance(c, type) and issubclass(c, BASE)]
counts_of_texts = functools.cache(functools.partial(ts.count_texts, TEXTS, LABELS))


def by_joblib(value: Any) -> Any:
    joblib = pytest.importorskip("joblib")
    file = io.BytesIO()
    joblib.dump(value, file)
    file.seek(0)
    return joblib.load(file)


def by_skops(value: Any) -> Any:
    skops = pytest.importorskip("skops.io")
    data = skops.dumps(value)
    return skops.loads(data, trusted=skops.get_untrusted_types(data=data))


WAYS: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "protocol 0": lambda value: pickle.loads(pickle.dumps(value, 0)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "joblib": by_joblib,
    "skops": by_skops,
}


def vectorizer(name: str) -> Any:
    pytest.importorskip("sklearn")
    fitted = getattr(ts.text, name)().fit(TEXTS)
    fitted.transform(TEXTS)  # so that the vectorizer holds an index of the core
    return fitted


def naive_bayes_that_has_predicted() -> Any:
    model = counts_of_texts().naive_bayes()
    model.predict(TEXTS)  # so that the model holds an index of the core
    return model


# What to make, and what must be the same after the round trip.
MADE: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "counts": (lambda: ts.count(X, LABELS), lambda c: (c.to_bytes(), c.score("md").tolist())),
    "counts of texts": (counts_of_texts, lambda c: (c.to_bytes(), c.naive_bayes().predict(TEXTS))),
    "fractions": (lambda: ts.count(X, LABELS, tf="log"), ts.ClassCounts.to_bytes),
    "several labels": (
        lambda: ts.count(X, [[1, 1], [1, 0], [0, 0], [0, 1]]),
        ts.ClassCounts.to_bytes,
    ),
    "ranking": (lambda: counts_of_texts().rank("md"), lambda r: (r.terms, r.scores)),
    "keyness": (lambda: counts_of_texts().keyness("ham"), lambda k: vars(k)),
    "significance": (lambda: counts_of_texts().significance("chi2"), lambda s: s.pvalues),
    "selector": (
        lambda: ts.TermSelector("md", k=2).fit(X, LABELS),
        lambda s: (s.transform(X), s.ranking_.indices, s.counts_.to_bytes()),
    ),
    "naive Bayes": (
        naive_bayes_that_has_predicted,
        lambda m: (m.predict(TEXTS), m.predict_log_proba(TEXTS)),
    ),
    "fitted naive Bayes": (lambda: ts.NaiveBayes().fit(X, LABELS), lambda m: m.predict_proba(X)),
    "sketch": (lambda: ts.sketch_texts(TEXTS, n_bytes=1000), ts.TermSketch.to_bytes),
    "CountVectorizer": (
        lambda: vectorizer("CountVectorizer"),
        lambda v: v.transform(TEXTS).toarray(),
    ),
    "HashingVectorizer": (
        lambda: vectorizer("HashingVectorizer"),
        lambda v: v.transform(TEXTS).toarray(),
    ),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("what", MADE)
def test_a_round_trip_keeps_every_object(what: str, way: str) -> None:
    make, content = MADE[what]
    made = make()
    again = WAYS[way](made)
    assert type(again) is type(made)
    assert repr(again) == repr(made)
    np.testing.assert_equal(content(again), content(made))


@pytest.mark.parametrize("way", WAYS)
def test_restored_counts_can_be_updated(way: str) -> None:
    # Catches a state without the lock of updates, and a copy that shares its updates.
    counts = ts.count(X, LABELS)
    again = WAYS[way](counts)
    again.update(X, LABELS)
    assert (again.n_docs, counts.n_docs) == (8, 4)


@pytest.mark.parametrize("made", CLASSES, ids=lambda c: c.__name__)
def test_no_object_of_the_core_is_made_without_its_content(made: Any) -> None:
    # Each of these returned an object whose first use read memory that nothing had set.
    for make in (made.__new__, copyreg.__newobj__):  # type: ignore[attr-defined]
        with raises(TypeError, "no_content_before_init"):
            make(made)
    for make in (BASE.__new__, object.__new__):
        with pytest.raises(TypeError, match="not safe"):
            make(made)


def objects_of_the_core() -> dict[type, Any]:
    """Return one object of each class of the core, except those that only others are made of."""
    rules = _core.TextRules("word", True, None, 1, 1, [])
    made = {
        _core.Counts: _core.Counts(2, True),
        _core.GrowingCounts: _core.GrowingCounts(_core.Counts(2, True)),
        _core.Texts: _core.Texts.of_strings(["a"]),
        _core.TextRules: rules,
        _core.TokenPattern: translated(r"\w+").native,  # type: ignore[union-attr]
        _core.TermSketch: _core.TermSketch(8),
        _core.TextCounter: _core.TextCounter(rules),
        _core.TextIndex: _core.TextIndex(rules, ["a"]),
        _core.DelimitedTable: _core.DelimitedTable(io.BytesIO().readinto, "x.csv", quote=None),
        _core.MarketFile: _core.MarketFile(io.BytesIO().readinto, "x.mtx"),
        _core.SvmlightFile: _core.SvmlightFile(io.BytesIO().readinto, "x.svm"),
        _core.JsonTable: _core.JsonTable(io.BytesIO().readinto, "x.json", texts=["a"], label="b"),
    }
    enumerations = [c for c in CLASSES if hasattr(c, "__members__")]
    return made | {c: next(iter(c.__members__.values())) for c in enumerations}  # type: ignore[attr-defined]


def test_every_object_of_the_core_refuses_to_be_copied() -> None:
    # The inherited __reduce__ ended the process, which skops, and so MLflow, call for every object.
    made = objects_of_the_core()
    assert set(CLASSES) - set(made) == {_core.Table}
    for value in made.values():
        for refuse in (
            value.__reduce__,
            lambda value=value: value.__reduce_ex__(0),
            lambda value=value: copy.copy(value),
            lambda value=value: copy.deepcopy(value),
            lambda value=value: pickle.dumps(value, 0),
            lambda value=value: pickle.dumps(value),
        ):
            with raises(TypeError, "cannot_pickle_or_copy"):
                refuse()
