"""Speed of counting words by a regular expression, against scikit-learn and other libraries.

    python benchmarks/patterns.py [--quick] [--write]

termsift counts R8 x 25 (texts of `text_tables.py`, in memory) by class and by document. Slower
contenders count one copy of R8. All of them take turns in one process, and must find the same words
as scikit-learn. A contender without a result cannot run the pattern, or finds other words. Speeds
are those of processor time, since others may use the machine. ``--quick`` only checks that it runs.
"""

from __future__ import annotations

import argparse
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import duckdb
import polars
import pyarrow as pa
import regex
import tokenizers
from sklearn.feature_extraction.text import CountVectorizer

import corpora
import termsift as ts
from compare import ROOT, conditions, put_between

MARKER = "patterns"
DEFAULT = r"(?u)\b\w\w+\b"
# Patterns that people use, of every mechanism: one class, boundaries, loops, signs, lookaheads.
PATTERNS = (
    DEFAULT,
    r"(?u)\b\w+\b",
    r"\S+",
    r"[a-z]+",
    r"\w+(?:['-]\w+)*",
    r"(?u)\b[^\W\d_]{3,}\b",
    r"[#@]?\w+",
    r"[^\W_][\w\u0900-\u0963\u200c\u200d]+",
    r"(?u)\b[a-zA-Z][a-zA-Z0-9+#.-]*\b",
    r"\w+|[^\w\s]",
    r"[A-Za-z0-9]+(?=\s+)",
    r"(?i)\b([a-z_]\w+)\b",
    r"'s|'t|'re|'ve|'m|'ll|'d|[^\W\d_]+|\d+|[^\s\w]+",
)
COPIES, ROUNDS = 25, 5

Words = Counter[str]


def by_class(texts: list[str], labels: list[str], pattern: str, n_threads: int) -> Words:
    """Count with termsift, by class."""
    counts = ts.count_texts(texts, labels, token_pattern=pattern, n_threads=n_threads)
    return Counter(dict(zip(counts.term_names, counts.term_frequency.sum(axis=0), strict=True)))


def by_document(vectorizer: Any, texts: list[str]) -> Words:
    """Count with a CountVectorizer, by document."""
    X = vectorizer.fit_transform(texts)
    return Counter(dict(zip(vectorizer.get_feature_names_out(), X.sum(axis=0).flat, strict=True)))


def by_findall(module: Any, texts: list[str], pattern: str) -> Words:
    """Count what `findall` of a module finds."""
    find, words = module.compile(pattern).findall, Words()
    for text in texts:
        words.update(find(text.lower()))
    return words


def by_polars(texts: list[str], pattern: str) -> Words:
    """Count what polars extracts."""
    frame = polars.DataFrame({"text": texts})
    found = polars.col("text").str.to_lowercase().str.extract_all(pattern.removeprefix("(?u)"))
    words = frame.select(found.explode(empty_as_null=False)).to_series().drop_nulls()
    return Counter(dict(words.value_counts().iter_rows()))


def by_duckdb(texts: list[str], pattern: str) -> Words:
    """Count what duckdb extracts, on one thread."""
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("texts", pa.table({"text": pa.array(texts)}))
        query = (
            "select word, count(*) from (select unnest(regexp_extract_all(lower(text), ?)) as word "
            "from texts) group by word"
        )
        return Counter(dict(connection.execute(query, [pattern.removeprefix("(?u)")]).fetchall()))


def by_tokenizers(texts: list[str], pattern: str) -> Words:
    """Count the pieces of the library tokenizers, which keeps what lies between words as pieces."""
    regular = tokenizers.Regex(pattern.removeprefix("(?u)"))
    inverted = tokenizers.pre_tokenizers.Split(regular, "removed", invert=True)
    words = Words()
    for text in texts:
        words.update(word for word, _ in inverted.pre_tokenize_str(text.lower()))
    return words


def peers(texts: list[str], pattern: str) -> dict[str, Callable[[], Words]]:
    """Return the contenders that count one copy of the texts."""
    return {
        "scikit-learn": lambda: by_document(CountVectorizer(token_pattern=pattern), texts),
        "`re` and Counter": partial(by_findall, re, texts, pattern),
        "`regex` and Counter": partial(by_findall, regex, texts, pattern),
        "polars": partial(by_polars, texts, pattern),
        "duckdb": partial(by_duckdb, texts, pattern),
        "tokenizers": partial(by_tokenizers, texts, pattern),
    }


def ours(
    texts: list[str], labels: list[str], pattern: str, n_threads: int
) -> dict[str, Callable[[], Words]]:
    """Return termsift's ways to count."""
    vectorizer = ts.text.CountVectorizer(token_pattern=pattern, n_threads=n_threads)
    return {
        "by class": partial(by_class, texts, labels, pattern, n_threads),
        "by document": partial(by_document, vectorizer, texts),
    }


def agreeing(contenders: dict[str, Callable[[], Words]]) -> dict[str, Callable[[], Words]]:
    """Return the contenders that find the words that the first one finds."""
    expected: Words | None = None
    kept = {}
    for name, run in contenders.items():
        try:
            words = run()
        except Exception as error:
            print(f"{name}: {str(error).splitlines()[0]}")
            continue
        expected = words if expected is None else expected
        if words == expected:
            kept[name] = run
    return kept


def seconds(run: Callable[[], Words], *, wall: bool = False) -> float:
    """Return the time of a run."""
    clock = time.perf_counter if wall else time.process_time
    started = clock()
    run()
    return clock() - started


def texts_of_r8() -> tuple[list[str], list[str]]:
    """Return the texts and labels of R8."""
    folder = (corpora.FOLDER / corpora.FILES["R8"]).parent
    lines = [
        line.split("\t", 1)
        for name in ("train.txt", "test.txt")
        for line in (folder / name).read_text("utf-8").splitlines()
    ]
    return [text for _, text in lines], [label for label, _ in lines]


def measure(*, quick: bool) -> str:
    """Return the table of speeds in MB/s."""
    texts, labels = texts_of_r8()
    n_copies, n_rounds = (1, 1) if quick else (COPIES, ROUNDS)
    many, of_many = texts * n_copies, labels * n_copies
    size = sum(map(len, texts)) / 1e6
    speeds: dict[str, dict[str, float]] = {}
    for pattern in PATTERNS[: 3 if quick else None]:
        one = agreeing(peers(texts, pattern) | ours(texts, labels, pattern, 1))
        assert {"by class", "by document"} <= set(one), pattern
        for n_threads in (1, 2):
            for run in ours(many, of_many, pattern, n_threads).values():
                assert sum(run().values()) == n_copies * sum(one["scikit-learn"]().values())
        once = {name: run for name, run in one.items() if name not in ("by class", "by document")}
        times = {name: [seconds(run) for _ in range(1 + (not quick))] for name, run in once.items()}
        of_row = {name: size / min(some) for name, some in times.items()}
        rows: dict[str, list[float]] = {}
        for _ in range(n_rounds):
            for name, run in ours(many, of_many, pattern, 1).items():
                rows.setdefault(name, []).append(seconds(run))
                rows.setdefault(f"{name}, wall", []).append(seconds(run, wall=True))
            for name, run in ours(many, of_many, DEFAULT, 1).items():
                rows.setdefault(f"{name}, default", []).append(seconds(run))
            both = ours(many, of_many, pattern, 2)["by class"]
            rows.setdefault("by class, 2 threads", []).append(seconds(both, wall=True))
        median = {name: statistics.median(some) for name, some in rows.items()}
        of_row |= {name: n_copies * size / median[name] for name in ("by class", "by document")}
        of_row["of the default's time"] = median["by class"] / median["by class, default"]
        of_row["2 threads"] = median["by class, wall"] / median["by class, 2 threads"]
        of_row["times scikit-learn"] = of_row["by document"] / of_row["scikit-learn"]
        speeds[pattern] = of_row
        print(pattern, {name: round(value, 2) for name, value in of_row.items()}, flush=True)
    return table(speeds)


COLUMNS = (
    "by class",
    "of the default's time",
    "2 threads",
    "by document",
    "times scikit-learn",
    "scikit-learn",
    "`re` and Counter",
    "`regex` and Counter",
    "polars",
    "duckdb",
    "tokenizers",
)


def table(speeds: dict[str, dict[str, float]]) -> str:
    """Return the table with a row for each pattern."""
    lines = [f"| pattern | {' | '.join(COLUMNS)} |", "|---|" + "--:|" * len(COLUMNS)]
    for pattern, of_row in speeds.items():
        cells = [f"{of_row[name]:.3g}" if name in of_row else "-" for name in COLUMNS]
        lines.append(f"| `{pattern.replace('|', chr(92) + '|')}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Print the table, and write it with --write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="only check that it works")
    parser.add_argument("--write", action="store_true", help="write the table of the README")
    args = parser.parse_args()
    found = measure(quick=args.quick)
    print(found)
    if args.write:
        put_between(ROOT / "benchmarks" / "README.md", MARKER, f"{conditions()}\n\n{found}")


if __name__ == "__main__":
    main()
