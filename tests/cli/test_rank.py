"""`termsift rank`: it prints the lists that the functions return, in every format."""

from __future__ import annotations

import csv
import inspect
import json
from dataclasses import fields
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import termsift as ts
from collection_files import read_files
from private import facts_about_pvalues, note_about_pvalues, rank_by


@pytest.mark.parametrize(
    ("arguments", "rules"),
    [
        (["--stop-words", "english", "--min-df", "2"], {"stop_words": "english", "min_df": 2}),
        (["--ngram-range", "1,2"], {"ngram_range": (1, 2)}),
        (["--min-df", "5e-1"], {"min_df": 0.5}),
        (["--max-df", "1"], {"max_df": 1}),
        (["--max-df", "1.0"], {}),
        (["--max-features", "2"], {"max_features": 2}),
        (["--stop-words", "STOP"], {"stop_words": ["ball", "oil"]}),
        (["--lowercase"], {"lowercase": True}),
        (["--no-lowercase"], {"lowercase": False}),
        (["--analyzer", "char_wb", "--ngram-range", "3,3"],
         {"analyzer": "char_wb", "ngram_range": (3, 3)}),
        (["--token-pattern", r"\w+"], {"token_pattern": r"\w+"}),
        (["--strip-accents", "ascii", "--binary"], {"strip_accents": "ascii", "binary": True}),
        (["--normalize", "NFKC"], {"normalize": "NFKC"}),
        (["--hashing", "16"], {"hashing": 16}),
        (["--encoding", "latin-1"], {"encoding": "latin-1"}),
    ],
)  # fmt: skip
def test_text_rules_reach_the_reader(
    run: Any,
    table: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[object],
    rules: dict[str, Any],
) -> None:
    pytest.importorskip("sklearn")
    monkeypatch.chdir(table.parent)
    Path("STOP").write_text("ball\noil\n")
    table.write_text(table.read_text().replace("trade,ship", "trade,The Shîp à x ship"))
    collection = read_files("news.csv", **rules)
    counts = ts.count(collection.X, collection.y, term_names=collection.term_names)
    result = json.loads(run("rank", "news.csv", "--format", "json", *arguments).out)
    ranking = counts.rank()
    assert [term["index"] for term in result["terms"]] == list(ranking.indices)
    names = [None] * len(ranking) if counts.term_names is None else list(ranking.terms)
    assert [term["term"] for term in result["terms"]] == names
    compared = run(
        "compare", "news.csv", "--test", "news.csv", "--format", "json", "-k", 1, *arguments
    )
    assert json.loads(compared.out)["n_terms"] == counts.n_terms


def test_every_rule_but_functions_is_an_option(run: Any) -> None:
    shown = run("rank", "--help").out.replace("-", "_")
    for rule in fields(ts.text.TextRules):
        is_option = f"__{rule.name} " in shown or f"__{rule.name}," in shown
        others = {"tokenizer", "preprocessor", "vocabulary", "stem"}
        assert is_option != (rule.name in others), rule.name


def test_a_collection_of_one_class_is_named(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("label,text\na,oil\na,ship\n")
    for method in ("md", "greedy", "conditional_gain", "guided_gain"):
        complaint = run("rank", path, "--method", method).complaint
        assert complaint.startswith(f"{path}: scores need at least two classes")
    for options in ([], ["--policy", "round_robin"]):  # df compares no classes
        result = run("rank", path, "--method", "df", "--format", "json", *options)
        assert {term["term"] for term in json.loads(result.out)["terms"]} == {"oil", "ship"}


# ---- formats -------------------------------------------------------------------------------------


def test_every_format_holds_the_ranking(
    run: Any, table: Path, tmp_path: Path, counts: ts.ClassCounts
) -> None:
    ranking = counts.rank("md", k=3)
    columns = ranking.columns()
    expected = [
        dict(zip(columns, row, strict=True))
        for row in zip(*(values.tolist() for values in columns.values()), strict=True)
    ]
    whole = json.loads(run("rank", table, "-k", 3, "--format", "json").out)
    about = {"method": "md", "policy": "top", "model": "multinomial", "n_docs": 5, "n_terms": 6}
    assert whole == {**about, "classes": ["sport", "trade"], "terms": expected}
    text = run("rank", table, "-k", 3, "--format", "csv").out
    rows = list(csv.DictReader(StringIO(text)))
    assert rows == [{name: str(value) for name, value in row.items()} for row in expected]
    result = run("rank", table, "-k", 3)
    assert (result.code, result.err) == (0, "")
    header, *shown = result.out.splitlines()
    assert header.split() == ["rank", "score", "term"]
    assert [line.split() for line in shown] == [
        [str(row["rank"]), f"{row['score']:.6g}", row["term"]] for row in expected
    ]
    assert len({line.index(row["term"]) for line, row in zip(shown, expected, strict=True)}) == 1


def test_terms_without_names(run: Any, matrix: tuple[Path, Path], tmp_path: Path) -> None:
    command = ("rank", matrix[0], "--labels", matrix[1])
    header, *lines = run(*command).out.splitlines()
    assert header.split() == ["rank", "score", "index"]
    assert sorted(int(line.split()[2]) for line in lines) == [0, 1, 2]
    assert run(*command, "--format", "csv").out.startswith("rank,term,index,score\n1,,")
    result = json.loads(run(*command, "--format", "json").out)
    assert result["classes"] == [7, 8]
    assert [term["term"] for term in result["terms"]] == [None] * 3
    lines = run(*command, "--per-class").out.splitlines()
    assert lines[0].split()[:4] == ["class", "rank", "score", "index"]
    assert {line.split()[0] for line in lines[1:-1]} == {"7", "8"}
    assert lines[-1].startswith("Not significant (pvalue_adj above 0.05): ")
    names = tmp_path / "terms.txt"
    names.write_text("a b\n\x1b[31mred\nü\n")
    lines = run(*command, "--term-names", names).out.splitlines()[1:]
    # A control character in a term's name must not reach the terminal.
    assert sorted(line.split(None, 2)[2] for line in lines) == [r"\x1b[31mred", "a b", "ü"]


def test_json_has_no_infinity(run: Any, table: Path) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    result = run("rank", table, "--format", "json", "--alpha", "0")
    terms = json.loads(result.out, parse_constant=refuse)["terms"]
    assert None in [term["score"] for term in terms]


def test_the_terms_of_each_class(run: Any, table: Path, counts: ts.ClassCounts) -> None:
    whole = ("rank", table, "--per-class", "-k", 3, "--method", "chi2")
    arguments = (*whole, "--format")
    columns = counts.columns("chi2", 3)
    expected = [
        dict(zip(columns, row, strict=True))
        for row in zip(*(values.tolist() for values in columns.values()), strict=True)
    ]
    result = json.loads(run(*arguments, "json").out)
    assert result["terms"] == expected
    assert (result["method"], result["classes"]) == ("chi2", ["sport", "trade"])
    assert "policy" not in result
    rows = list(csv.DictReader(StringIO(run(*arguments, "csv").out)))
    assert list(rows[0]) == list(columns)
    header, *shown = [line.split() for line in run(*arguments, "table").out.splitlines()]
    assert " ".join(header) == (
        "class rank score term n_class per million n_rest per million df_class df_rest pvalue_adj"
    )
    *shown, note = shown
    assert [row[3] for row in shown] == columns["term"].tolist()
    rates = columns["per_million_class"]
    assert [row[5] for row in shown] == [f"{rate:,.1f}" for rate in rates]
    assert "p-values of chi2, adjusted for all classes and terms by Benjamini" in " ".join(note)


def test_terms_that_are_not_significant_are_marked_or_left_out(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    rows = ["a,oil ship", "a,oil price", "b,ball team", "b,ball ship"] * 10
    path.write_text("\n".join(["label,text", *rows, "a,rare"]) + "\n")
    command = ("rank", path, "--per-class")
    _, *lines, note = run(*command).out.splitlines()
    assert note == (
        "Not significant (pvalue_adj above 0.05): 2 of 6 terms; p-values of g2, adjusted for all "
        "classes and terms by Benjamini and Hochberg's method. Leave them out with --max-pvalue "
        "0.05."
    )
    _, *kept = run(*command, "--max-pvalue", 0.05).out.splitlines()
    significant = [line for line in lines if line.split()[3] not in ("rare", "ship")]
    assert [line.split() for line in kept] == [line.split() for line in significant]
    assert "0.05" not in run(*command, "--method", "md").out  # no test, so nothing is marked
    _, *of_md = run(*command, "--method", "md", "--max-pvalue", 0.05).out.splitlines()
    assert {line.split()[3] for line in of_md} == {line.split()[3] for line in kept}
    assert run(*command, "--max-pvalue", 0).out.split()[:4] == ["class", "rank", "score", "term"]


def test_terms_that_are_not_significant_are_left_out_of_a_ranking(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    rows = ["a,oil ship", "a,oil price", "b,ball team", "b,ball ship"] * 10
    path.write_text("\n".join(["label,text", *rows, "a,rare"]) + "\n")
    command = ("rank", path, "--max-pvalue", 0.05, "--method")
    collection = read_files(path)
    counts = ts.count(collection.X, collection.y, term_names=collection.term_names)
    for method in (one.name for one in ts.methods() if one.is_test):
        columns = counts.rank(method, max_pvalue=0.05).columns()
        expected = [
            dict(zip(columns, row, strict=True))
            for row in zip(*(values.tolist() for values in columns.values()), strict=True)
        ]
        assert json.loads(run(*command, method, "--format", "json").out)["terms"] == expected
        rows_of_csv = list(csv.DictReader(StringIO(run(*command, method, "--format", "csv").out)))
        assert rows_of_csv == [{key: str(one) for key, one in row.items()} for row in expected]
        header, *lines = run(*command, method).out.splitlines()
        assert header.split() == ["rank", "score", "term", "pvalue_adj"]
        assert [line.split()[2] for line in lines] == columns["term"].tolist()
        assert {"oil", "ball"} <= {*columns["term"]} < {*counts.term_names}
        shorter = run(*command, method, "-k", 1).out.splitlines()
        assert [line.split() for line in shorter] == [header.split(), lines[0].split()]
    for method in ("md", "greedy"):
        complaint = run(*command, method).complaint
        assert complaint == (
            f"{path}: --max-pvalue needs a test of significance, and --method {method} is none: "
            "use one of chi2, g2, chi2_counts, g2_counts"
        )
    complaint = run(*command, "conditional_gain").complaint
    assert complaint == "--method conditional_gain reads the documents, so leave out --max-pvalue"


def test_key_orders_the_terms_of_each_class(run: Any, table: Path, counts: ts.ClassCounts) -> None:
    rows = list(csv.DictReader(StringIO(run("rank", table, "--per-class", "--format", "csv").out)))
    columns = counts.columns("key", len(rows))
    assert [float(row["score"]) for row in rows] == columns["score"].tolist()
    assert "add --per-class" in run("rank", table, "--method", "key").complaint


def test_how_many_terms(run: Any, tmp_path: Path) -> None:
    words = " ".join(f"word{i}" for i in range(30))
    path = tmp_path / "c.csv"
    path.write_text(f"label,text\na,{words}\nb,other\n")
    assert len(run("rank", path, "--per-class", "--method", "md").out.splitlines()) == 1 + 20 + 1
    assert len(run("rank", path).out.splitlines()) == 1 + 20
    for k in (25, 0):
        assert len(run("rank", path, "-k", k).out.splitlines()) == 1 + k
    assert len(run("rank", path, "--format", "csv").out.splitlines()) == 1 + 31
    run("rank", path, "-o", tmp_path / "all.txt")
    assert len((tmp_path / "all.txt").read_text().splitlines()) == 1 + 20


# ---- options -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (["--alpha", "0.5"], {"alpha": 0.5}),
        (["--policy", "round_robin"], {"policy": "round_robin"}),
        (["--threads", "2"], {}),
        *((["--model", model], {"model": model}) for model in ts.methods()[0].models),
    ],
)
def test_options_reach_the_score(
    run: Any, table: Path, counts: ts.ClassCounts, arguments: list[str], options: dict[str, Any]
) -> None:
    found = json.loads(run("rank", table, "--format", "json", *arguments).out)
    ranking = counts.rank("md", **options)
    assert [term["score"] for term in found["terms"]] == list(ranking.scores)
    assert [term["index"] for term in found["terms"]] == list(ranking.indices)
    for name in ("model", "policy"):
        assert found[name] == options.get(name, {"model": "multinomial", "policy": "top"}[name])


@pytest.mark.parametrize("method", ts.methods(), ids=lambda method: method.name)
def test_every_method(run: Any, table: Path, counts: ts.ClassCounts, method: Any) -> None:
    result = run("rank", table, "--method", method.name, "--format", "csv", "-k", 6)
    scores = [float(row["score"]) for row in csv.DictReader(StringIO(result.out))]
    assert scores == list(counts.rank(method.name, 6).scores)


@pytest.mark.parametrize("selector", ts.selectors(), ids=lambda selector: selector.name)
def test_every_selector(
    run: Any, table: Path, saved: Path, counts: ts.ClassCounts, selector: Any
) -> None:
    command = ("rank", table, "--method", selector.name)
    collection = read_files(table)
    ranking = rank_by(selector.name, counts, collection.X, collection.y)
    found = json.loads(run(*command, "--format", "json").out)
    assert (found["method"], found.get("informative")) == (selector.name, ranking.informative)
    assert [term["index"] for term in found["terms"]] == list(ranking.indices)
    assert [term["score"] for term in found["terms"]] == list(ranking.scores)
    assert [term["term"] for term in found["terms"]] == list(ranking.terms)
    if ranking.informative is not None:
        last = f"The terms from rank {ranking.informative + 1} on add no information.\n"
        assert run(*command).out.endswith("\n" + last)
        assert last not in run(*command, "-k", 1).out
    if selector.reads_documents:
        for given in (["--alpha", "1"], ["--tf", "log"], ["--per-class"], ["--classes", "a"]):
            complaint = run(*command, *given).complaint
            assert complaint.endswith(f"reads the documents, so leave out {given[0]}")
        complaint = run("rank", saved, "--method", selector.name).complaint
        assert complaint == f"{saved}: holds counts, not documents; pass texts or a matrix"


@pytest.mark.parametrize("tf", ["raw", "log", "binary"])
def test_how_an_entry_counts(run: Any, table: Path, saved: Path, tf: Any) -> None:
    collection = read_files(table)
    counts = ts.count(collection.X, collection.y, tf=tf)
    result = run("rank", table, "--tf", tf, "--format", "csv")
    scores = [float(row["score"]) for row in csv.DictReader(StringIO(result.out))]
    assert scores == list(counts.rank("md").scores)
    complaint = run("rank", saved, "--tf", tf).complaint
    assert complaint == f"{saved}: holds counts, so leave out --tf"


# ---- inputs --------------------------------------------------------------------------------------


def test_saved_counts_rank_as_the_collection_does(
    run: Any, table: Path, saved: Path, tmp_path: Path
) -> None:
    assert run("rank", saved).out == run("rank", table).out
    names = tmp_path / "terms.txt"
    names.write_text("".join(f"name{i}\n" for i in range(6)))
    assert "name" in run("rank", saved, "--term-names", names, "-k", 1).out


def test_a_folder_and_svmlight_with_several_labels(run: Any, tmp_path: Path) -> None:
    for label, text in (("sport", "ball goal"), ("trade", "oil")):
        (tmp_path / "news" / label).mkdir(parents=True)
        (tmp_path / "news" / label / "1").write_text(text)
    lines = run("rank", tmp_path / "news").out.splitlines()
    assert sorted(line.split()[2] for line in lines[1:]) == ["ball", "goal", "oil"]
    path = tmp_path / "c.svm"
    path.write_text("1,3 1:2\n3 2:1\n1 1:1\n")
    result = json.loads(run("rank", path, "--format", "json").out)
    assert (result["classes"], result["n_docs"]) == ([1, 3], 3)


def test_chosen_classes(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "four.csv"
    lines = ["a,oil ship", "a,oil", "b,ship tax", "c,tax tax", "d,wheat oil", "1,wheat"]
    path.write_text("\n".join(["label,text", *lines]) + "\n")
    collection = read_files(path)
    whole = ts.count(collection.X, collection.y, term_names=collection.term_names)
    for names in ("a,b", "1,c,d"):
        result = json.loads(run("rank", path, "--format", "json", "--classes", names).out)
        expected = whole.subset(names.split(","))
        assert (result["classes"], result["n_docs"]) == (expected.classes, expected.n_docs)
        ranking = expected.rank("md")
        assert [term["term"] for term in result["terms"]] == list(ranking.terms)
        assert [term["score"] for term in result["terms"]] == list(ranking.scores)
    assert "four.csv: there is no class 'x'" in run("rank", path, "--classes", "a,x").complaint
    assert "at least two" in run("rank", path, "--classes", "a").complaint


def test_the_methods_of_the_command_are_the_defaults_of_the_library(run: Any) -> None:
    usual = [
        inspect.signature(function).parameters["method"].default
        for function in (ts.distinctive_terms, ts.ClassCounts.columns, ts.ClassCounts.to_frame)
    ]
    assert usual == ["key"] * 3
    assert "(default: md, or key with --per-class)" in " ".join(run("rank", "--help").out.split())


@pytest.mark.parametrize(
    "option", [["--model", "binary"], ["--policy", "round_robin"]], ids=lambda option: option[0]
)
def test_selectors_of_documents_have_no_model_and_no_policy(
    run: Any, table: Path, option: list[str]
) -> None:
    usual = {"--model": "multinomial", "--policy": "top"}[option[0]]
    command = ("rank", table, "--method", "conditional_gain", option[0])
    assert run(*command, usual).code == 0
    assert run(*command, option[1]).complaint.endswith(
        f"--method conditional_gain reads the documents, so leave out {option[0]}"
    )


def test_what_the_command_says_about_pvalues_is_what_the_library_does() -> None:
    for method in ["key", *(entry.name for entry in ts.methods())]:
        for n_classes, n_terms in ((2, 3), (4, 2**22), (4, 2**22 + 1)):
            counts: Any = SimpleNamespace(n_classes=n_classes, n_terms=n_terms)
            columns = {"pvalue_adj": np.array([0.01, 0.2])}
            note = note_about_pvalues(counts, method, columns)
            test, adjustment, level = facts_about_pvalues(method, 1.0, n_classes * n_terms)
            assert f"(pvalue_adj above {level}): 1 of 2 terms; p-values of {test}," in note
            assert f"by {adjustment} method" in note
    assert note_about_pvalues(counts, "md", {}) == ""
