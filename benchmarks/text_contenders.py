"""The contenders of `text.py`, with functions that count texts and check the result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

import termsift as ts
from compare import THREADS
from text_tables import Table

# scikit-learn is so slow on n-grams that the tasks with n-grams use only a share of the texts.
TASKS: dict[str, tuple[float, dict[str, Any]]] = {
    "words": (1.0, {}),
    "(1, 2)-grams": (0.2, {"ngram_range": (1, 2)}),
    "char_wb (2, 4)": (0.1, {"analyzer": "char_wb", "ngram_range": (2, 4)}),
}
PEERS = ("polars", "duckdb", "lenlp", "tokenizers")


@dataclass(frozen=True)
class Contender:
    """A contender, with functions that run it and compare its result with CountVectorizer's."""

    name: str
    threads: int
    run: Callable[[], Any]
    # `check` asserts that a result equals CountVectorizer's. For a library that splits texts into
    # other words, `check` describes the difference instead.
    check: Callable[[Any, Expected], str] = field(default=lambda *_: "")


@dataclass(frozen=True)
class Expected:
    """The result of scikit-learn: its matrix with sorted rows, its terms, and the labels."""

    X: sp.csr_array
    terms: list[str]
    labels: list[str]

    @cached_property
    def counts(self) -> ts.ClassCounts:
        """The counts by class."""
        counts = ts.count(self.X, self.labels)
        counts.term_names = self.terms
        return counts

    @cached_property
    def by_class(self) -> set[tuple[str, str, int]]:
        """The triples (label, word, count) of all words of each class, as a set."""
        counts = self.counts
        rows, columns = counts.term_frequency.nonzero()
        values = counts.term_frequency[rows, columns]
        classes = [str(counts.classes[row]) for row in rows]
        words = [self.terms[column] for column in columns]
        return set(zip(classes, words, np.ravel(values).tolist(), strict=True))


def matrix_of(vectorizer: Any, texts: list[str]) -> tuple[Any, list[str]]:
    """Return a vectorizer's matrix of the texts, and its terms."""
    return vectorizer.fit_transform(texts), vectorizer.get_feature_names_out()


def assert_same_matrix(answer: Any, expected: Expected) -> str:
    X, terms = answer
    assert list(terms) == expected.terms
    assert X.shape == expected.X.shape
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(X, part), getattr(expected.X, part))
    return ""


def assert_same_counts(counts: ts.ClassCounts, expected: Expected) -> str:
    assert counts == expected.counts
    return ""


def assert_same_total(X: Any, expected: Expected) -> str:
    assert X.sum() == expected.X.sum()
    return ""


def differing(found: set[tuple[str, str, int]], expected: Expected) -> str:
    """Describe how a library's counts differ from the expected counts."""
    wanted = expected.by_class
    if found == wanted:
        return ""
    n_words = len({word for _, word, _ in found ^ wanted})
    return f" (counts {n_words:,} words differently)"


def counts_by_polars(texts: Any, labels: Any) -> Any:
    """Count the words of each class with polars."""
    import polars as pl

    frame = pl.DataFrame({"label": labels, "text": texts}).lazy()
    words = pl.col("text").str.to_lowercase().str.extract_all(r"\b\w\w+\b").alias("word")
    return frame.select("label", words).explode("word").group_by("label", "word").len().collect()


def counts_by_duckdb(arrow: Any, threads: int) -> Any:
    """Count the words of each class with duckdb, whose ``\\w`` matches only ASCII letters."""
    import duckdb

    with duckdb.connect(config={"threads": threads}) as connection:
        connection.register("arrow", arrow)
        return connection.sql(
            r"""select label, word, count(*) from (select label, unnest(regexp_extract_all(
            lower(text), '[\p{L}\p{N}_]{2,}')) as word from arrow) group by all"""
        ).to_arrow_table()


def rows_of(frame: Any) -> set[tuple[str, str, int]]:
    """Return a library's table of counts as a set of rows, without rows whose word is null."""
    columns = [column.to_pylist() for column in frame.columns]
    return {row for row in zip(*columns, strict=True) if row[1] is not None}


def ours(task: str, data: Table) -> Iterator[Contender]:
    """Return our contenders."""
    texts, labels = data.texts, data.labels
    _, rules = TASKS[task]
    for n in THREADS:
        vectorizer = ts.text.CountVectorizer(**rules, n_threads=n)
        run: Callable[[], Any] = partial(matrix_of, vectorizer, texts)
        yield Contender("termsift, matrix", n, run, assert_same_matrix)
    for n in THREADS:
        run = partial(ts.count_texts, texts, labels, **rules, n_threads=n)
        yield Contender("termsift, by class", n, run, assert_same_counts)
    hashing: dict[str, Any] = {"alternate_sign": False, "norm": None, **rules}
    for n in THREADS:
        hasher = ts.text.HashingVectorizer(**hashing, n_threads=n)
        yield Contender("termsift, hashing", n, partial(hasher.transform, texts), assert_same_total)


def sklearns(task: str, data: Table) -> Iterator[Contender]:
    """Return scikit-learn's contenders."""
    rules = TASKS[task][1]
    run: Callable[[], Any] = partial(matrix_of, CountVectorizer(**rules), data.texts)
    yield Contender("CountVectorizer", 1, run, _assert_same_unsorted)
    hasher = HashingVectorizer(alternate_sign=False, norm=None, **rules)
    run = partial(hasher.transform, data.texts)
    yield Contender("HashingVectorizer", 1, run, assert_same_total)


def _assert_same_unsorted(answer: Any, expected: Expected) -> str:
    answer[0].sort_indices()
    return assert_same_matrix(answer, expected)


def peers(task: str, data: Table) -> Iterator[Contender]:
    """Return the contenders of installed libraries, with the texts in each library's format."""
    every = THREADS[-1]
    if task != "words":
        return
    with suppress(ImportError):
        import polars as pl

        columns = pl.Series(data.texts), pl.Series(data.labels)
        yield Contender(
            "polars, by class",
            every,
            partial(counts_by_polars, *columns),
            lambda frame, expected: differing(rows_of(frame.to_arrow()), expected),
        )
    with suppress(ImportError):
        import duckdb  # noqa: F401
        import pyarrow as pa

        arrow = pa.table({"label": data.labels, "text": pa.array(data.texts, pa.large_string())})
        for n in THREADS:
            yield Contender(
                "duckdb, by class",
                n,
                partial(counts_by_duckdb, arrow, n),
                lambda frame, expected: differing(rows_of(frame), expected),
            )
    with suppress(ImportError):
        from lenlp.sparse import CountVectorizer as Lenlp

        yield Contender(
            "lenlp, matrix",
            every,
            lambda: Lenlp().fit_transform(data.texts),
            lambda X, expected: f" ({X.sum() / expected.X.sum() - 1:+.1%} tokens)",
        )
    with suppress(ImportError):
        yield tokenized(data.texts)


def tokenized(texts: list[str]) -> Contender:
    """Return a contender that only looks up known words with the library `tokenizers`."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.WordLevel(unk_token="?"))
    tokenizer.normalizer = normalizers.Lowercase()
    cut = pre_tokenizers.Split(Regex(r"\w\w+"), behavior="removed", invert=True)
    tokenizer.pre_tokenizer = cut
    trainer = trainers.WordLevelTrainer(vocab_size=2**31, special_tokens=["?"], show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)

    def check(encodings: Any, expected: Expected) -> str:
        tokens = sum(len(encoding) for encoding in encodings)
        return (
            "" if tokens == expected.X.sum() else f" ({tokens / expected.X.sum() - 1:+.1%} tokens)"
        )

    run = partial(tokenizer.encode_batch_fast, texts)
    return Contender("tokenizers, ids of known words only", THREADS[-1], run, check)


def contenders(task: str, data: Table) -> list[Contender]:
    """Return all contenders, in the order of the table."""
    return [*sklearns(task, data), *ours(task, data), *peers(task, data)]
