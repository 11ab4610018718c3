"""The same texts are counted alike, whatever holds them and in however many blocks they come."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.feature_extraction import text

import adversarial_texts
import termsift as ts
from termsift import _core
from text_counts import assert_equal, assert_equal_terms, assert_same_counts, labels_of, learned


@pytest.mark.parametrize("blocks", [1, 2, 7, 64])
@pytest.mark.parametrize("by_class", [False, True])
def test_blocks_of_texts(by_class: bool, blocks: int) -> None:
    texts = adversarial_texts.few()
    classes = labels_of(texts, 5).astype(np.int32)

    def counted(n_blocks: int) -> Any:
        counter = _core.TextCounter(_core.TextRules("word", True, None, 1, 2, []), by_class)
        for part in np.array_split(np.arange(len(texts)), n_blocks):
            some = _core.Texts.of_strings([texts[i] for i in part])
            counter.add(some, classes[part] if by_class else None, n_threads=2)
        counter.sort()
        frequencies = (counter.document_frequency(), counter.term_frequency())
        return counter, [counter.terms(), *(f.tolist() for f in frequencies)]

    whole, facts = counted(1)
    parts, same_facts = counted(blocks)
    assert facts == same_facts
    if by_class:
        found, wanted = parts.counts(5).to_arrays(), whole.counts(5).to_arrays()
        for name in wanted:
            np.testing.assert_array_equal(found[name], wanted[name], name)
    else:
        for array, same in zip(parts.matrix(), whole.matrix(), strict=True):
            np.testing.assert_array_equal(array, same)


def without_surrogates() -> list[str]:
    """Return texts that any library can hold."""
    return [t for t in adversarial_texts.few() if not any("\ud800" <= c <= "\udfff" for c in t)]


SOURCES: dict[str, Callable[[Any, list[str]], Any]] = {
    "tuple": lambda _, texts: tuple(texts),
    "generator": lambda _, texts: (t for t in texts),
    "numpy objects": lambda np, texts: np.array(texts, dtype=object),
    "numpy str_": lambda np, texts: np.array([t[:50].rstrip("\0") for t in texts]),
    "numpy StringDType": lambda np, texts: np.array(texts, dtype=np.dtypes.StringDType()),
    "pandas objects": lambda pandas, texts: pandas.Series(texts, dtype=object),
    "pandas str": lambda pandas, texts: pandas.Series(texts, dtype="str"),
    "pandas string": lambda pandas, texts: pandas.Series(texts, dtype="string"),
    "pandas string[pyarrow]": lambda pandas, texts: pandas.Series(texts, dtype="string[pyarrow]"),
    "pandas, shuffled index": lambda pandas, texts: pandas.Series(
        texts, index=range(len(texts), 0, -1)
    ),
    "pyarrow string": lambda pyarrow, texts: pyarrow.array(texts),
    "pyarrow large_string": lambda pyarrow, texts: pyarrow.array(texts, pyarrow.large_string()),
    "pyarrow string_view": lambda pyarrow, texts: pyarrow.array(texts, pyarrow.string_view()),
    "pyarrow dictionary": lambda pyarrow, texts: pyarrow.array(texts).dictionary_encode(),
    "pyarrow slice": lambda pyarrow, texts: pyarrow.array(["before", *texts, "after"])[1:-1],
    "pyarrow chunks": lambda pyarrow, texts: pyarrow.chunked_array(
        [texts[:9], [], texts[9:50], texts[50:]]
    ),
    "polars": lambda polars, texts: polars.Series(texts),
    "polars categories": lambda polars, texts: polars.Series(texts, dtype=polars.Categorical),
}


@pytest.mark.full(cases=len(SOURCES))
@pytest.mark.parametrize("kind", SOURCES)
def test_sources_of_every_kind(kind: str) -> None:
    module = kind.split()[0].rstrip(",")
    library = pytest.importorskip(module) if module not in ("tuple", "generator") else None
    texts = without_surrogates()
    given_texts = SOURCES[kind](library, texts)
    if kind == "numpy str_":
        texts = [t[:50].rstrip("\0") for t in texts]
    wanted, terms = learned(text, texts, {})
    wanted.sort_indices()
    X, names = learned(ts.text, given_texts, {})
    assert_equal_terms(names, terms)
    assert_equal(X, wanted)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "duckdb"])
def test_frames_of_texts_and_labels(library: str) -> None:
    module = pytest.importorskip(library)
    texts = [t.replace("\0", "") for t in without_surrogates()]
    labels = [f"class {i % 3}" for i in range(len(texts))]
    columns = {"n": list(range(len(texts))), "label": labels, "text": texts}
    if library == "duckdb":
        pyarrow = pytest.importorskip("pyarrow")
        with module.connect() as connection:
            connection.register("columns", pyarrow.table(columns))
            found = ts.count_texts(
                connection.sql("select * from columns order by n"), text="text", label="label"
            )
    else:
        frame = (module.table if library == "pyarrow" else module.DataFrame)(columns)
        found = ts.count_texts(frame, text="text", label="label")
    assert_same_counts(found, ts.count_texts(texts, labels))


def test_results_do_not_depend_on_the_seed_of_the_hash_tables() -> None:
    code = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
import adversarial_texts, termsift as ts
digest = hashlib.sha256()
for rules in ({}, {"ngram_range": (1, 3)}, {"analyzer": "char_wb", "ngram_range": (2, 3)}):
    vectorizer = ts.text.CountVectorizer(**rules, n_threads=2)
    X = vectorizer.fit_transform(adversarial_texts.few()[:150])
    for array in (X.data, X.indices, X.indptr):
        digest.update(array.tobytes())
    for name in vectorizer.get_feature_names_out():
        digest.update(name.encode("utf-8", "surrogatepass") + b"\\n")
print(digest.hexdigest())
"""
    folder = str(Path(adversarial_texts.__file__).parent)
    command = [sys.executable, "-c", code, folder]
    outputs = {subprocess.run(command, check=True, capture_output=True).stdout for _ in range(3)}
    assert len(outputs) == 1
