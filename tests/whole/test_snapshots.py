"""Every result is that of one state of the counts, whatever another thread does meanwhile.

Guards: _api, and every function that reads counts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse as sp

import termsift as ts
from private import value_of

PACKAGE = str(Path(ts.__file__).parent)


def before() -> ts.ClassCounts:
    X = np.array([[4, 1, 0], [0, 1, 2], [2, 0, 2]])
    return ts.count(X, ["ham", "spam", "spam"], term_names=["bacon", "and", "pills"])


def after() -> ts.ClassCounts:
    """Return counts of one more class and one more term."""
    X = np.array([[4, 1, 0, 0], [0, 1, 2, 0], [2, 0, 2, 0], [1, 1, 1, 3]])
    names = ["bacon", "and", "pills", "goal"]
    return ts.count(X, ["ham", "spam", "spam", "a new class"], term_names=names)


def in_bytes(counts: ts.ClassCounts, tmp_path: Path) -> bytes:
    counts.save(tmp_path / "c.termsift")
    return (tmp_path / "c.termsift").read_bytes()


def predictions(classifier: ts.NaiveBayes) -> Any:
    matrix = np.eye(classifier.n_features_in_, dtype=int)
    return classifier.classes_, classifier.predict_proba(matrix)


def report(counts: ts.ClassCounts, tmp_path: Path) -> str:
    write_report = pytest.importorskip("termsift.report").write_report
    write_report(counts, tmp_path / "r.html")
    return (tmp_path / "r.html").read_text(encoding="utf-8")


READERS: dict[str, Callable[[ts.ClassCounts, Path], Any]] = {
    **{
        name: lambda counts, _, name=name: getattr(counts, name)
        for name, of_class in vars(ts.ClassCounts).items()
        if isinstance(of_class, property) and not name.startswith("_")
    },
    "class_scores": lambda counts, _: counts.class_scores("md"),
    "score": lambda counts, _: counts.score("chi2", aggregate="mean"),
    "rank": lambda counts, _: counts.rank("ig", k=2),
    "rank by turns": lambda counts, _: counts.rank("md", k=2, policy="round_robin"),
    "rank greedily": lambda counts, _: counts.rank("greedy", k=2),
    "greedy": lambda counts, _: counts.greedy(),
    "greedy of rates": lambda counts, _: counts.greedy(model="poisson"),
    "keyness": lambda counts, _: counts.keyness("ham"),
    "naive_bayes": lambda counts, _: predictions(counts.naive_bayes()),
    "significance": lambda counts, _: counts.significance("g2"),
    "significance per class": lambda counts, _: counts.significance("chi2_counts", per_class=True),
    "columns": lambda counts, _: counts.columns("g2"),
    "to_frame": lambda counts, _: counts.to_frame("g2", library="pandas"),
    "subset": lambda counts, _: counts.subset(["spam", "ham"]),
    "with_min_df": lambda counts, _: counts.with_min_df(2),
    "save": in_bytes,
    "to_bytes": lambda counts, _: counts.to_bytes(),
    "repr": lambda counts, _: repr(counts),
    "print": lambda counts, _: str(counts),
    "notebook": lambda counts, _: counts._repr_html_(),
    "+ itself": lambda counts, _: counts + counts,
    "- itself": lambda counts, _: counts - counts,
    "+": lambda counts, _: counts + before(),
    "-": lambda counts, _: counts - before(),
    "==": lambda counts, _: counts == before(),
    "distinctive_terms": lambda counts, _: ts.distinctive_terms(counts, k=2),
    "merge": lambda counts, _: ts.merge([counts]),
    "report": report,
}
WRITERS = {"update"}
MOMENTS = 60  # of each call


def plain(value: Any) -> Any:
    """Return a result in values that are equal if the results are."""
    if isinstance(value, ts.ClassCounts):
        return value.to_bytes()
    if sp.issparse(value):
        return value.shape, value.toarray().tolist()
    if isinstance(value, np.ndarray):
        return value.shape, plain(value.tolist())
    if hasattr(value, "to_dict"):  # a frame
        return plain(value.to_dict("list"))
    if is_dataclass(value):
        held = {name: part for name, part in vars(value).items() if not name.startswith("_")}
        return plain([held, getattr(value, "pvalues_adj", None)])
    if isinstance(value, dict):
        return [*map(plain, value), *map(plain, value.values())]
    if isinstance(value, (list, tuple)):
        return [*map(plain, value)]
    return repr(value)


def read_while(
    read: Callable[..., Any], counts: ts.ClassCounts, folder: Path, at: int
) -> tuple[Any, int]:
    """Replace the state before line ``at`` of the package runs; return the result and the lines."""
    new, n_lines = value_of(after()), 0

    def trace(frame: Any, event: str, _: Any) -> Any:
        nonlocal n_lines
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        if event == "line":
            if n_lines == at:
                counts._value = new  # what an update in another thread does
            n_lines += 1
        return trace

    usual = sys.gettrace()
    sys.settrace(trace)
    try:
        result = read(counts, folder)
    finally:
        sys.settrace(usual)
    return plain(result), n_lines


@pytest.mark.parametrize("name", READERS)
def test_an_update_at_any_moment_gives_the_result_of_one_state(name: str, tmp_path: Path) -> None:
    if name == "to_frame":
        pytest.importorskip("pandas")
    read = READERS[name]
    old, new = (plain(read(counts, tmp_path)) for counts in (before(), after()))
    assert old != new or name in ("encoding", "has_documents", "rules", "tf")
    _, n_lines = read_while(read, before(), tmp_path, -1)
    for at in range(0, n_lines, max(1, n_lines // MOMENTS)):
        result, _ = read_while(read, before(), tmp_path, at)
        assert result in (old, new), f"line {at} of {n_lines}"


def test_every_public_reader_is_tested() -> None:
    public = {name for name in dir(ts.ClassCounts) if not name.startswith("_")}
    assert public - {*READERS} == WRITERS
