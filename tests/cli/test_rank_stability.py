"""`termsift rank --stability`: the columns of `ts.stability`."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import termsift as ts
from collection_files import read_files
from report_pages import BEST, Page


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ([], {}),
        (["--policy", "round_robin", "--model", "binary", "--alpha", 2, "--tf", "log"],
         {"policy": "round_robin", "model": "binary", "alpha": 2, "tf": "log"}),
        (["--method", "conditional_gain"], {"method": "conditional_gain"}),
        (["--method", "greedy"], {"method": "greedy"}),
    ],
)  # fmt: skip
def test_the_columns_are_those_of_the_function(
    run: Any, table: Path, options: list[Any], arguments: dict[str, Any]
) -> None:
    collection = read_files(table)
    arguments = {"term_names": collection.term_names, "k": 4, "n_samples": 20} | arguments
    found = ts.stability(collection.X, collection.y, random_state=5, **arguments)
    command = [
        "rank",
        table,
        "--stability",
        "--n-samples",
        20,
        "--random-state",
        5,
        "-k",
        4,
        *options,
    ]
    answer = json.loads(run(*command, "--format", "json").out)
    columns = {name: values.tolist() for name, values in found.columns().items()}
    assert {name: [term[name] for term in answer["terms"]] for name in columns} == columns
    low, high = found.overlap_interval
    assert answer["overlap"] == found.overlap
    assert (answer["overlap_low"], answer["overlap_high"]) == (low, high)
    assert (answer["floor"], answer["n_samples"], answer["n_ranked"]) == (found.floor, 20, 6)
    printed = run(*command).out
    assert found.summary in printed
    assert printed.splitlines()[0].split()[-3:] == ["probability", "rank_low", "rank_high"]


def test_the_list_is_the_same_without_stability(run: Any, table: Path) -> None:
    for options in ([], ["--method", "greedy"], ["--policy", "round_robin", "--method", "g2"]):
        without, with_it = (
            list(csv.reader(StringIO(run("rank", table, "--format", "csv", *more).out)))
            for more in (options, [*options, "--stability"])
        )
        n = len(without[0])
        assert [row[:n] for row in with_it] == without
        assert with_it[0][n:] == ["probability", "rank_low", "rank_high"]


def test_a_rank_beyond_the_ranked_terms_is_explained(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    rows = [f"{'ab'[d % 2]},{' '.join(f'w{d}x{t}' for t in range(120))}" for d in range(12)]
    path.write_text("\n".join(["label,text", *rows]))
    command = ["rank", path, "--stability", "-k", 3, "--method", "g2"]
    printed = run(*command).out
    assert "inf" in printed
    assert printed.endswith("The rank inf is beyond the 1,003 terms that each sample ranks.\n")
    answer = json.loads(run(*command, "--format", "json").out)
    assert answer["terms"][0]["rank_high"] is None


def test_documents_of_several_classes(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "c.svm"
    path.write_text("1 1:2\n2 2:1 3:1\n1,2 1:1 3:2\n1 4:1\n" * 3)
    answer = json.loads(run("rank", path, "--stability", "--format", "json").out)
    collection = read_files(path)
    found = ts.stability(collection.X, collection.y, k=1000).columns()
    assert [term["index"] for term in answer["terms"]] == found["index"].tolist()
    assert [term["probability"] for term in answer["terms"]] == found["probability"].tolist()
    complaint = run("rank", path, "--stability", "--method", "guided_gain").complaint
    assert "exactly one class" in complaint


def test_what_stability_does_not_have_is_refused(run: Any, table: Path, saved: Path) -> None:
    for options in (["--per-class"], ["--classes", "sport,trade"]):
        complaint = run("rank", table, "--stability", *options).complaint
        assert complaint == f"--stability ranks all documents, so leave out {options[0]}"
    complaint = run("rank", table, "--random-state", 1).complaint
    assert complaint == "there is no --stability, so leave out --random-state"
    complaint = run("rank", saved, "--stability").complaint
    assert complaint == f"{saved}: holds counts, not documents; pass texts or a matrix"
    complaint = run("rank", table, "--stability", "--n-samples", 1).complaint
    assert complaint == f"{table}: --n-samples must be at least 2, got 1"


def test_the_report_shows_the_same_probabilities(run: Any, table: Path, tmp_path: Path) -> None:
    collection = read_files(table)
    found = ts.stability(
        collection.X,
        collection.y,
        "ig",
        n_samples=10,
        random_state=3,
        term_names=collection.term_names,
    )
    command = ["report", table, "--method", "ig", "-o", tmp_path / "page.html"]
    run(*command, "--stability", "--n-samples", 10, "--random-state", 3)
    page = Page((tmp_path / "page.html").read_text("utf-8"))
    head, *rows = page.tables[BEST]
    shown = [(row[head.index("term")], row[head.index("probability")]) for row in rows]
    expected = zip(found.ranking.terms, found.probability, strict=True)
    assert shown == [(term, f"{p:.2f}") for term, p in expected]
    assert (
        run(*command, "--n-samples", 5).complaint
        == "there is no --stability, so leave out --n-samples"
    )
