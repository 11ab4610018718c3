"""Texts counted with Dask are the counts of all texts at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts

dask = pytest.importorskip("dask")
bag = pytest.importorskip("dask.bag")

WORDS = ["eggs", "bacon", "ÉTÉ", "pills", "Σίσυφος", "日本", "x", "a-b", "don't", "under_score"]


def collection(n_docs: int = 60) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(3)
    texts = [
        " ".join(rng.choice(WORDS[: 2 + d * 8 // n_docs], rng.integers(0, 9)))
        for d in range(n_docs)
    ]
    # The last classes and words occur late, so they are absent from the first parts.
    return texts, [f"class {c}" for c in rng.integers(0, 2 + np.arange(n_docs) * 3 // n_docs)]


TEXTS, Y = collection()
CUTS = [0, 20, 20, 21, 60]  # a part without documents, and one of a single document
PARTS = [(TEXTS[a:b], Y[a:b]) for a, b in pairwise(CUTS)]
RULES: dict[str, dict[str, Any]] = {
    "words": {},
    "min_df": {"min_df": 3},
    "shares": {"min_df": 0.2, "max_df": 0.4},
    "max_features": {"max_features": 4},
    "binary": {"binary": True, "max_features": 4},
    "pairs": {"ngram_range": (1, 2), "stop_words": ["eggs"]},
    "vocabulary": {"vocabulary": ["pills", "eggs", "absent"]},
    "hashing": {"hashing": 16},
    "tokenizer": {"tokenizer": str.split},
}


@pytest.fixture(autouse=True)
def synchronous() -> Iterator[None]:
    with dask.config.set(scheduler="synchronous"):
        yield


def pairs() -> dict[str, Any]:
    return {"texts": bag.from_sequence(zip(TEXTS, Y, strict=True), npartitions=4)}


def records() -> dict[str, Any]:
    listed = [{"body": text, "stars": label} for text, label in zip(TEXTS, Y, strict=True)]
    return {"texts": bag.from_sequence(listed, npartitions=7), "text": "body", "label": "stars"}


def two_bags() -> dict[str, Any]:
    return {name: bag.from_sequence(x, npartitions=5) for name, x in (("texts", TEXTS), ("y", Y))}


def dask_frame() -> Any:
    pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"body": TEXTS, "id": range(len(Y)), "stars": Y})
    return dask.dataframe.from_pandas(frame, npartitions=3)


def frame() -> dict[str, Any]:
    return {"texts": dask_frame(), "text": "body", "label": "stars"}


def series() -> dict[str, Any]:
    return {"texts": dask_frame().body, "y": dask_frame().stars}


def local_pairs() -> dict[str, Any]:
    return {"texts": PARTS}


def delayed_pairs() -> dict[str, Any]:
    lazy = [dask.delayed(part, traverse=False) for part in PARTS]
    return {"texts": [*lazy[:2], tuple(map(dask.delayed, PARTS[2])), PARTS[3]]}


def delayed_tables() -> dict[str, Any]:
    pa = pytest.importorskip("pyarrow")
    make = dask.delayed(lambda part: pa.table({"body": part[0], "stars": part[1]}))
    full = [make(dask.delayed(part, traverse=False)) for part in PARTS if part[0]]
    return {"texts": full, "text": "body", "label": "stars"}


def delayed_frames() -> dict[str, Any]:
    pandas = pytest.importorskip("pandas")
    make = dask.delayed(
        lambda part: pandas.DataFrame({"body": part[0], "stars": part[1]}, dtype=object)
    )
    lazy = [make(dask.delayed(part, traverse=False)) for part in PARTS]
    return {"texts": lazy, "text": "body", "label": "stars"}


KINDS: list[Callable[[], dict[str, Any]]] = [
    pairs,
    records,
    two_bags,
    frame,
    series,
    local_pairs,
    delayed_pairs,
    delayed_tables,
    delayed_frames,
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("rules", RULES.values(), ids=list(RULES))
def test_the_counts_are_those_of_all_texts(
    kind: Callable[[], dict[str, Any]], rules: dict[str, Any]
) -> None:
    whole = ts.count_texts(TEXTS, Y, **rules)
    assert ts.dask.count_texts(**kind(), split_every=2, **rules) == whole
    assert ts.dask.count_texts(**kind(), **rules) == whole


def test_classes_tf_and_what_is_missing() -> None:
    classes = ["unseen", *sorted(set(Y), reverse=True)]
    whole = ts.count_texts(TEXTS, Y, classes=classes, tf="binary")
    assert ts.dask.count_texts(PARTS, classes=classes, tf="binary") == whole
    texts, y = [*TEXTS[:9], None], [None, *Y[1:10]]
    parts = [(texts[:5], y[:5]), (texts[5:], y[5:])]
    with pytest.raises(ValueError, match="part 0: the label of document 0 is missing: None"):
        ts.dask.count_texts(parts[:1])
    with pytest.raises(ValueError, match="part 0: the text of document 4 is missing: on_m"):
        ts.dask.count_texts(parts[1:])
    kept = ts.count_texts(TEXTS[1:9], Y[1:9])
    assert ts.dask.count_texts(parts, on_missing="skip") == kept
    listed = [
        {"body": t} if label is None else {"body": t, "stars": label}
        for t, label in zip(texts, y, strict=True)
    ]
    in_bag = bag.from_sequence(listed, npartitions=2)
    assert ts.dask.count_texts(in_bag, text="body", label="stars", on_missing="skip") == kept


def test_labels_of_several_kinds_stay_what_they_are() -> None:
    # merge() would turn the numbers of one part into strings if another has strings.
    parts = [(["aa bb"], [1]), (["bb cc"], ["1"]), (["aa"], [2])]
    assert ts.dask.count_texts(parts) == ts.count_texts(["aa bb", "bb cc", "aa"], [1, "1", 2])


def test_logarithms_depend_only_on_the_parts() -> None:
    counts = [ts.dask.count_texts(PARTS, tf="log", split_every=2) for _ in range(2)]
    assert counts[0] == counts[1]
    whole = ts.count_texts(TEXTS, Y, tf="log")
    got, expected = (c.term_frequency.toarray() for c in (counts[0], whole))
    np.testing.assert_allclose(got, expected, 1e-14)


@pytest.mark.parametrize(
    ("texts", "options", "error", "message"),
    [
        ([], {}, ValueError, "no parts, expected at least one"),
        ([TEXTS], {}, TypeError, r"part 0: expected \(texts, y\), or a frame .* got a list"),
        ([3], {}, TypeError, r"part 0: expected \(texts, y\), or a frame .* got an int"),
        ([(["eggs"], [1]), ([5], [1])], {}, TypeError, "part 1: texts has an int at 0"),
        ([(["eggs"], [1, 2])], {}, ValueError, "part 0: y has 2 labels for 1 documents"),
        (PARTS, {"y": Y}, TypeError, "parts bring their own"),
        (TEXTS[0], {}, TypeError, "texts must be a dask data frame, series or bag, or a list"),
        (PARTS, {"classes": ["class 0"]}, ValueError, "part .: the label of document .* not in c"),
        (PARTS, {"max_features": 3, "tf": "log"}, ValueError, "max_features needs tf='raw'"),
        (PARTS, {"nonsense": 3}, TypeError, "texts have no rule 'nonsense'"),
        (PARTS, {"split_every": 1}, ValueError, "split_every must be at least 2, got 1"),
        ([(["", "x"], [1, 2])], {}, ValueError, "empty vocabulary; no text has a word"),
        (PARTS, {"min_df": 61}, ValueError, "and there are 60 documents; lower min_df"),
    ],
)
def test_what_is_refused(
    texts: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        ts.dask.count_texts(texts, **options)


def test_elements_of_bags_that_are_refused() -> None:
    def of(*elements: Any) -> Any:
        return bag.from_sequence(elements, npartitions=1)

    with pytest.raises(TypeError, match=r"partition 0: element 1 is a str, expected a pair"):
        ts.dask.count_texts(of(("eggs", 1), "eggs"))
    with pytest.raises(TypeError, match=r"partition 0: element 0 is a tuple, expected a record"):
        ts.dask.count_texts(of(("eggs", 1)), text="body", label="stars")
    with pytest.raises(ValueError, match="y must be a dask collection of 1 partitions"):
        ts.dask.count_texts(of("eggs"), y=["ham"])


def test_worker_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    folder = str(Path(ts.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")]))
    with (
        dask.config.set(temporary_directory=str(tmp_path)),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        whole = ts.count_texts(TEXTS, Y, ngram_range=(1, 2), min_df=2)
        rules = ts.text.TextRules(ngram_range=(1, 2), min_df=2)
        assert ts.dask.count_texts(PARTS, client=client, rules=rules, split_every=2) == whole
        held = client.scatter(PARTS)
        assert ts.dask.count_texts(held, client=client, rules=rules) == whole
        with pytest.raises(ValueError, match="part 1: the label of document 0 is missing"):
            ts.dask.count_texts([PARTS[0], (["eggs"], [None])], client=client)
