"""`termsift rank`: its lists are those of the functions, in every format."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from dataclasses import fields
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts
from termsift._evaluate.rankers import rank_by
from termsift._scores.class_terms import class_columns
from termsift.cli import output
from termsift.cli.inputs import RULES
from termsift.io import read_collection

# ----------------------------------------------------------------------------------------- rank


@pytest.mark.parametrize(
    ("arguments", "rules"),
    [
        (["--preset", "paper"], {"stop_words": "english", "min_df": 2}),
        (["--preset", "paper", "--min-df", 1], {"stop_words": "english"}),
        (["--ngram-range", "1,2"], {"ngram_range": (1, 2)}),
        (["--ngram-range", "2"], {"ngram_range": (2, 2)}),
        (["--min-df", "0.5"], {"min_df": 0.5}),
        (["--min-df", "5e-1"], {"min_df": 0.5}),
        (["--max-df", "1"], {"max_df": 1}),
        (["--max-df", "1.0"], {}),
        (["--stop-words", "english"], {"stop_words": "english"}),
        (["--stop-words", "STOP"], {"stop_words": ["ball", "oil"]}),
        (["--lowercase"], {"lowercase": True}),
        (["--no-lowercase"], {"lowercase": False}),
        (["--analyzer", "char_wb", "--ngram-range", "3"],
         {"analyzer": "char_wb", "ngram_range": (3, 3)}),
        (["--token-pattern", r"\w+"], {"token_pattern": r"\w+"}),
        (["--strip-accents", "unicode"], {"strip_accents": "unicode"}),
        (["--strip-accents", "ascii", "--binary"], {"strip_accents": "ascii", "binary": True}),
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
    collection = read_collection("news.csv", **rules)
    counts = ts.count(collection.X, collection.y)
    counts.term_names = collection.term_names
    result = json.loads(run("rank", "news.csv", "--format", "json", *arguments).out)
    ranking = counts.rank()
    assert [term["index"] for term in result["terms"]] == list(ranking.indices)
    names = [None] * len(ranking) if ranking.terms is None else list(ranking.terms)
    assert [term["term"] for term in result["terms"]] == names
    assert f" {counts.n_terms:,} terms" in run("info", "news.csv", *arguments).out
    compared = run(
        "compare", "news.csv", "--test", "news.csv", "--format", "json", "-k", 1, *arguments
    )
    assert json.loads(compared.out)["n_terms"] == counts.n_terms


def test_a_collection_of_one_class_is_named(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("label,text\na,oil\na,ship\n")
    for method in ("md", "greedy"):
        complaint = run("rank", path, "--method", method).complaint
        assert complaint.startswith(f"{path}: scores compare classes: at least two")
    assert "fewer than two classes" in run("rank", path, "--method", "conditional_gain").err
    assert ": 2 documents, 2 terms, 1 class, 2 tokens;\n" in run("info", path).out


@pytest.mark.parametrize("method", ["df", "tfidf"])
def test_methods_that_compare_no_classes_rank_the_terms_of_one(
    run: Any, tmp_path: Path, method: str
) -> None:
    path = tmp_path / "c.csv"
    path.write_text("label,text\na,oil\na,ship\na,ship ship\n")
    for options in ([], ["--per-class"], ["--policy", "round_robin"], ["--aggregate", "max"]):
        result = run("rank", path, "--method", method, "--format", "json", *options)
        assert {term["term"] for term in json.loads(result.out)["terms"]} == {"oil", "ship"}


def test_every_rule_but_functions_is_an_option() -> None:
    of_texts = {rule.name for rule in fields(ts.text.TextRules)}
    assert of_texts - {"tokenizer", "preprocessor", "vocabulary"} == set(RULES)


def test_rank_a_folder(run: Any, tmp_path: Path) -> None:
    for label, text in (("sport", "ball goal"), ("trade", "oil")):
        (tmp_path / "news" / label).mkdir(parents=True)
        (tmp_path / "news" / label / "1").write_text(text)
    lines = run("rank", tmp_path / "news").out.splitlines()
    assert sorted(line.split()[2] for line in lines[1:]) == ["ball", "goal", "oil"]


def test_rank_as_a_table(run: Any, table: Path, counts: ts.ClassCounts) -> None:
    result = run("rank", table, "-k", 3)
    assert result.code == 0
    assert result.err == ""
    ranking = counts.rank("md", k=3)
    header, *lines = result.out.splitlines()
    assert header.split() == ["rank", "score", "term"]
    assert ranking.terms is not None
    assert [line.split() for line in lines] == [
        [str(i + 1), f"{ranking.scores[i]:.6g}", ranking.terms[i]] for i in range(3)
    ]
    assert len({line.index(term) for line, term in zip(lines, ranking.terms, strict=True)}) == 1


def test_rank_without_names_shows_indices(run: Any, matrix: tuple[Path, Path]) -> None:
    result = run("rank", matrix[0], "--labels", matrix[1])
    header, *lines = result.out.splitlines()
    assert header.split() == ["rank", "score", "index"]
    assert sorted(int(line.split()[2]) for line in lines) == [0, 1, 2]


def test_rank_as_csv(run: Any, table: Path, counts: ts.ClassCounts) -> None:
    result = run("rank", table, "--format", "csv", "--method", "md_chi2")
    rows = list(csv.DictReader(StringIO(result.out)))
    ranking = counts.rank("md_chi2")
    assert ranking.terms is not None
    assert [row["term"] for row in rows] == list(ranking.terms)
    assert [int(row["rank"]) for row in rows] == list(range(1, counts.n_terms + 1))
    assert [int(row["index"]) for row in rows] == list(ranking.indices)
    assert [float(row["score"]) for row in rows] == list(ranking.scores)


def test_rank_as_json(run: Any, table: Path, counts: ts.ClassCounts) -> None:
    result = run("rank", table, "--format", "json", "-k", 2)
    ranking = counts.rank("md", k=2)
    assert ranking.terms is not None
    assert json.loads(result.out) == {
        "method": "md",
        "policy": "top",
        "model": "multinomial",
        "n_docs": 5,
        "n_terms": 6,
        "classes": ["sport", "trade"],
        "terms": [
            {
                "rank": i + 1,
                "index": ranking.indices[i],
                "term": ranking.terms[i],
                "score": ranking.scores[i],
            }
            for i in range(2)
        ],
    }


def test_json_of_unnamed_terms_and_number_labels(run: Any, matrix: tuple[Path, Path]) -> None:
    result = json.loads(run("rank", matrix[0], "--labels", matrix[1], "--format", "json").out)
    assert result["classes"] == [7, 8]
    assert [term["term"] for term in result["terms"]] == [None] * 3


def test_json_has_no_infinity(run: Any, table: Path) -> None:
    arguments = ("rank", table, "--format", "json", "--alpha", "0")
    result = run(*arguments)
    assert result.code == 0

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    scores = [term["score"] for term in json.loads(result.out, parse_constant=refuse)["terms"]]
    assert None in scores


def test_the_other_formats_hold_what_json_holds(run: Any, table: Path, tmp_path: Path) -> None:
    terms = json.loads(run("rank", table, "--format", "json").out)["terms"]
    lines = run("rank", table, "--format", "jsonl").out.splitlines()
    assert [json.loads(line) for line in lines] == terms
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "out.parquet"
    result = run("rank", table, "--format", "parquet", "-o", path)
    assert (result.code, result.out) == (0, "")
    assert parquet.read_table(path).to_pylist() == terms


def test_missing_pyarrow_is_reported_before_the_work(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    result = run("rank", tmp_path / "absent", "--format", "parquet", "-o", tmp_path / "out")
    expected = (
        "--format parquet needs pyarrow: pip install 'termsift[arrow]', or pip install pyarrow"
    )
    assert result.complaint == expected


def test_the_terms_of_each_class(run: Any, table: Path, counts: ts.ClassCounts) -> None:
    whole = ("rank", table, "--per-class", "-k", 3, "--method", "chi2")
    arguments = (*whole, "--direction", "both", "--format")
    columns = class_columns(counts, "chi2", 3)
    expected = [
        dict(zip(columns, row, strict=True))
        for row in zip(*(values.tolist() for values in columns.values()), strict=True)
    ]
    result = json.loads(run(*arguments, "json").out)
    assert result["terms"] == expected
    assert (result["method"], result["classes"]) == ("chi2", ["sport", "trade"])
    assert "policy" not in result
    lines = run(*arguments, "jsonl").out.splitlines()
    assert [json.loads(line) for line in lines] == expected
    rows = list(csv.DictReader(StringIO(run(*arguments, "csv").out)))
    assert list(rows[0]) == list(columns)
    assert [float(row["pvalue_adj"]) for row in rows] == columns["pvalue_adj"].tolist()

    header, *shown = [line.split() for line in run(*arguments, "table").out.splitlines()]
    assert header == ["class", "rank", "score", "sign", "term", "n_class", "n_rest", "df_class",
                      "df_rest", "pvalue_adj"]  # fmt: skip
    assert [row[4] for row in shown] == columns["term"].tolist()
    assert [row[3] for row in shown] == ["-0+"[sign + 1] for sign in columns["sign"]]

    for options, sign in (((), 1), (("--direction", "under"), -1)):
        lines = run(*whole, "--format", "jsonl", *options).out.splitlines()
        own = class_columns(counts, "chi2", 3, direction="over" if sign == 1 else "under")
        assert [json.loads(line)["term"] for line in lines] == own["term"].tolist()
        assert {json.loads(line)["sign"] for line in lines} == {sign}


def test_the_terms_of_each_class_without_names(run: Any, matrix: tuple[Path, Path]) -> None:
    both = ("--per-class", "--direction", "both")
    lines = run("rank", matrix[0], "--labels", matrix[1], *both).out.splitlines()
    assert lines[0].split()[:5] == ["class", "rank", "score", "sign", "index"]
    assert [line.split()[0] for line in lines[1:]] == ["7"] * 3 + ["8"] * 3


def test_a_p_value_that_underflows_is_not_shown_as_zero(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("label,text\n" + "a,ham\n" * 2000 + "b,eggs\n" * 2000)
    arguments = ("rank", path, "--per-class", "--method", "chi2", "-k", 1)
    rows = [line.split() for line in run(*arguments).out.splitlines()]
    assert [row[-1] for row in rows] == ["pvalue_adj", "<5e-324", "<5e-324"]
    found = [json.loads(line) for line in run(*arguments, "--format", "jsonl").out.splitlines()]
    assert [round(row["log_pvalue"], 3) for row in found] == [-2004.373] * 2


def test_twenty_terms_of_each_class(run: Any, tmp_path: Path) -> None:
    words = " ".join(f"word{i}" for i in range(30))
    path = tmp_path / "c.csv"
    path.write_text(f"label,text\na,{words}\nb,other\n")
    both = ("--per-class", "--direction", "both")
    assert len(run("rank", path, *both).out.splitlines()) == 1 + 2 * 20
    assert len(run("rank", path).out.splitlines()) == 1 + 31


def test_a_terminal_shows_twenty_terms(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = " ".join(f"word{i}" for i in range(30))
    path = tmp_path / "c.csv"
    path.write_text(f"label,text\na,{words}\nb,other\n")
    monkeypatch.setattr("termsift.cli.output.is_shown", lambda args: args.output is None)
    result = run("rank", path)
    assert len(result.out.splitlines()) == 1 + 20
    assert result.err == "termsift: the best of 31 terms by md\n"
    assert len(run("rank", path, "-k", 25).out.splitlines()) == 1 + 25
    run("rank", path, "-o", tmp_path / "all.csv")
    assert len((tmp_path / "all.csv").read_text().splitlines()) == 1 + 31


def test_only_a_table_on_a_terminal_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    for path, format_, shown in (
        (None, "table", True),
        ("-", "table", True),
        (None, "csv", False),
        ("top.txt", "table", False),
    ):
        args = argparse.Namespace(output=path, format=format_)
        assert output.is_shown(args) is shown
    monkeypatch.setattr(sys.stdout, "isatty", lambda: False, raising=False)
    assert not output.is_shown(argparse.Namespace(output=None, format="table"))


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], {}),
        (["--alpha", "0.5"], {"alpha": 0.5}),
        (["--alpha", "0.5,30"], {"alpha": (0.5, 30.0)}),
        (["--class-prior", "empirical"], {}),
        (["--class-prior", "uniform"], {"class_prior": [0.5, 0.5]}),
        (["--aggregate", "sum"], {"aggregate": "sum"}),
        (["--aggregate", "mean"], {"aggregate": "mean"}),
        (["--aggregate", "max"], {"aggregate": "max"}),
        (["--threads", "2"], {}),
        *((["--model", model], {"model": model}) for model in ts.methods()[0].models),
    ],
)
def test_options_reach_the_score(
    run: Any, table: Path, counts: ts.ClassCounts, arguments: list[str], options: dict[str, Any]
) -> None:
    result = run("rank", table, "--format", "csv", *arguments)
    scores = [float(row["score"]) for row in csv.DictReader(StringIO(result.out))]
    assert scores == list(counts.rank("md", **options).scores)


@pytest.mark.parametrize("method", ts.methods(), ids=lambda method: method.name)
def test_every_method_and_every_value_of_its_options(
    run: Any, table: Path, counts: ts.ClassCounts, method: Any
) -> None:
    for option, values in [("k", (6,)), *method.options.items()]:
        for value in values:
            flag = f"-{option}" if option == "k" else f"--{option.replace('_', '-')}"
            result = run("rank", table, "--method", method.name, "--format", "csv", flag, value)
            scores = [float(row["score"]) for row in csv.DictReader(StringIO(result.out))]
            assert scores == list(counts.rank(method.name, **{option: value}).scores)


@pytest.mark.parametrize("selector", ts.selectors(), ids=lambda selector: selector.name)
def test_every_selector(run: Any, table: Path, counts: ts.ClassCounts, selector: Any) -> None:
    result = run("rank", table, "--method", selector.name, "--format", "json", "-k", 4)
    collection = read_collection(table)
    ranking = rank_by(selector.name, counts, collection.X, collection.y, 4)
    found = json.loads(result.out)
    assert (found["method"], found.get("informative")) == (selector.name, ranking.informative)
    assert [term["index"] for term in found["terms"]] == list(ranking.indices)
    assert [term["score"] for term in found["terms"]] == list(ranking.scores)
    assert [term["term"] for term in found["terms"]] == list(ranking.terms)


def test_the_rank_from_which_on_terms_add_nothing(
    run: Any, table: Path, counts: ts.ClassCounts
) -> None:
    ranking = counts.rank("greedy")
    assert ranking.informative is not None
    assert ranking.informative < len(ranking)
    result = run("rank", table, "--method", "greedy", "-k", len(ranking))
    last = f"From rank {ranking.informative + 1} on no term adds anything.\n"
    assert result.out.endswith("\n" + last)
    assert last not in run("rank", table, "--method", "greedy", "-k", 1).out


@pytest.mark.parametrize(
    "given", [("--alpha", "0.5"), ("--class-prior", "uniform"), ("--tf", "log")]
)
def test_selectors_that_read_documents_refuse_options_of_probabilities(
    run: Any, table: Path, given: tuple[str, str]
) -> None:
    result = run("rank", table, "--method", "conditional_gain", *given)
    assert result.code == 2
    assert result.err.endswith(f"argument {given[0]}: not for --method conditional_gain\n")


def test_selectors_that_read_documents_refuse_counts(
    run: Any, counts: ts.ClassCounts, tmp_path: Path
) -> None:
    counts.save(tmp_path / "saved.termsift")
    result = run("rank", tmp_path / "saved.termsift", "--method", "conditional_gain")
    assert result.code == 1
    assert "holds counts, expected the documents themselves" in result.err


@pytest.mark.parametrize("tf", ["raw", "log", "binary"])
def test_how_an_entry_counts(run: Any, table: Path, tmp_path: Path, tf: Any) -> None:
    collection = read_collection(table)
    counts = ts.count(collection.X, collection.y, tf=tf)
    result = run("rank", table, "--tf", tf, "--format", "csv")
    scores = [float(row["score"]) for row in csv.DictReader(StringIO(result.out))]
    assert scores == list(counts.rank("md").scores)

    counts.save(tmp_path / "saved.termsift")
    result = run("rank", tmp_path / "saved.termsift", "--tf", tf)
    assert result.code == 1
    assert result.err.endswith("holds counts, so leave out --tf\n")


def test_round_robin(run: Any, table: Path, counts: ts.ClassCounts) -> None:
    result = run("rank", table, "--method", "ig", "--policy", "round_robin", "--format", "json")
    ranking = counts.rank("ig", 1000, policy="round_robin")
    found = json.loads(result.out)
    assert (found["method"], found["policy"]) == ("ig", "round_robin")
    assert [term["index"] for term in found["terms"]] == list(ranking.indices)


def test_json_names_the_model(run: Any, table: Path) -> None:
    found = run("rank", table, "--model", "poisson", "--format", "json").out
    assert json.loads(found)["model"] == "poisson"


def test_saved_counts_rank_as_the_collection_does(run: Any, table: Path, saved: Path) -> None:
    assert run("rank", saved).out == run("rank", table).out


def test_names_for_saved_counts(run: Any, saved: Path, tmp_path: Path) -> None:
    terms = tmp_path / "terms.txt"
    terms.write_text("".join(f"name{i}\n" for i in range(6)))
    assert "name" in run("rank", saved, "--terms", terms, "-k", 1).out


def test_names_for_a_matrix(run: Any, matrix: tuple[Path, Path], tmp_path: Path) -> None:
    terms = tmp_path / "terms.txt"
    terms.write_text("a b\n\x1b[31mred\nü\n")
    result = run("rank", matrix[0], "--labels", matrix[1], "--terms", terms)
    assert sorted(line.split(None, 2)[2] for line in result.out.splitlines()[1:]) == [
        r"\x1b[31mred",  # nothing in a name reaches the terminal as a command
        "a b",
        "ü",
    ]


def test_columns_by_number(run: Any, tmp_path: Path, table: Path) -> None:
    path = tmp_path / "news.tsv"
    path.write_text(table.read_text().partition("\n")[2].replace(",", "\t"))
    result = run("rank", path, "--text", "2", "--label", "1")
    assert result.out == run("rank", table).out


def test_svmlight_with_several_labels(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "c.svm"
    path.write_text("1,3 1:2\n3 2:1\n1 1:1\n")
    result = json.loads(run("rank", path, "--format", "json").out)
    assert result["classes"] == [1, 3]
    assert result["n_docs"] == 3


# ---------------------------------------------------------------------------------- rank -k auto


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """Documents in which a few words depend on the class and all others do not."""
    rng = np.random.default_rng(9)
    lines = ["label,text"]
    for d in range(60):
        words = [f"class{d % 3}x{i}" for i in range(8) if rng.random() < 0.3]
        noise = [f"noise{i}" for i in rng.integers(0, 30, 12)]
        lines.append(f"{'abc'[d % 3]},{' '.join(words + noise)}")
    path = tmp_path / "texts.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(
    ("arguments", "method", "options"),
    [
        ([], "md", {}),
        (["--method", "df"], "df", {}),
        (["--method", "greedy"], "greedy", {}),
        (["--policy", "round_robin"], "md", {"policy": "round_robin"}),
        (["--model", "bernoulli", "--alpha", "0.1"], "md", {"model": "bernoulli", "alpha": 0.1}),
        (["--threads", "2"], "md", {}),
        (["--cv", "5"], "md", {"cv": 5}),
        (["--random-state", "3"], "md", {"random_state": 3}),
    ],
)
def test_rank_chooses_k(
    run: Any, texts: Path, arguments: list[str], method: str, options: dict[str, Any]
) -> None:
    result = run("rank", texts, "--k", "auto", "--format", "json", *arguments)
    assert result.code == 0
    collection = read_collection(texts)
    k = ts.choose_k(collection.X, collection.y, method, **options)
    assert 1 < k < collection.X.shape[1]
    of_ranking = {
        name: value for name, value in options.items() if name not in ("cv", "random_state")
    }
    ranking = ts.count(collection.X, collection.y).rank(method, k, **of_ranking)
    assert [term["index"] for term in json.loads(result.out)["terms"]] == list(ranking.indices)
    assert result.err == (
        f"termsift: k = {k}, the smallest within one standard error of the best accuracy "
        f"(multinomial naive Bayes, {options.get('cv', 10)}-fold cross-validation)\n"
    )


def test_choices_of_k_differ(run: Any, texts: Path) -> None:
    """The documents are such that each option above makes a difference."""
    chosen = {
        run("rank", texts, "-k", "auto", *option).err
        for option in (
            [],
            ["--method", "df"],
            ["--method", "greedy"],
            ["--policy", "round_robin"],
            ["--model", "bernoulli"],
            ["--model", "bernoulli", "--alpha", "0.1"],
            ["--cv", "5"],
            ["--random-state", "3"],
        )
    }
    assert len(chosen) == 8


@pytest.mark.parametrize("option", ["--cv", "--random-state"])
def test_options_of_folds_need_k_auto(run: Any, option: str) -> None:
    result = run("rank", "x", "-k", "20", option, "5")
    assert result.code == 2
    assert result.err.endswith(f"argument {option}: only with -k auto\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--aggregate", "max"], "argument --aggregate: not with -k auto"),
        (["--class-prior", "uniform"], "argument --class-prior: not with -k auto"),
        (["--tf", "log"], "argument --tf: not with -k auto"),
        (
            ["--method", "md_chi2", "--noncentrality", "pearson"],
            "argument --noncentrality: not with -k auto",
        ),
    ],
)
def test_options_that_k_auto_refuses(run: Any, arguments: list[str], message: str) -> None:
    result = run("rank", "x", "-k", "auto", *arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.endswith(f"{message}\n")


def test_k_auto_needs_documents(run: Any, table: Path, saved: Path) -> None:
    expected = f"{saved}: holds counts, expected the documents themselves"
    assert run("rank", saved, "-k", "auto").complaint == expected
    expected = f"{table}: cv = 10 folds are more than the 3 documents of the largest class; lower"
    assert run("rank", table, "-k", "auto").complaint == f"{expected} cv (--cv)"


# ------------------------------------------------------------------------------- chosen classes


@pytest.fixture
def four_classes(tmp_path: Path) -> Path:
    path = tmp_path / "four.csv"
    lines = ["a,oil ship", "a,oil", "b,ship tax", "c,tax tax", "d,wheat oil", "1,wheat"]
    path.write_text("\n".join(["label,text", *lines]) + "\n")
    return path


def test_chosen_classes(run: Any, four_classes: Path) -> None:
    collection = read_collection(four_classes)
    whole = ts.count(collection.X, collection.y, term_names=collection.term_names)
    for options, classes in (
        (["--classes", "a,b"], ["a", "b"]),
        (["--classes", "1,c,d"], ["1", "c", "d"]),
    ):
        result = json.loads(run("rank", four_classes, "--format", "json", *options).out)
        expected = whole.subset(classes)
        assert result["classes"] == expected.classes
        assert result["n_docs"] == expected.n_docs
        ranking = expected.rank("md")
        assert [term["term"] for term in result["terms"]] == list(ranking.terms)
        assert [term["score"] for term in result["terms"]] == list(ranking.scores)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--classes", "a,x"], "four.csv: there is no class 'x'"),
        (["--classes", "a"], "four.csv: scores compare classes: at least two with documents"),
    ],
)
def test_wrong_choices_of_classes(
    run: Any, four_classes: Path, options: list[str], message: str
) -> None:
    assert message in run("rank", four_classes, *options).complaint
