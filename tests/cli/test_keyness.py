"""``termsift keyness``: the key terms of one corpus compared with another."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import termsift as ts
from private import orders_by_documents, orders_that_a_list_lacks

TEXTS = ["bacon eggs bacon", "bacon and eggs", "free pills", "free prize and pills", "and news"]
LABELS = ["ham", "ham", "spam", "spam", "news"]


@pytest.fixture
def mail(tmp_path: Path) -> Path:
    path = tmp_path / "mail.csv"
    rows = [f"{text},{label}" for text, label in zip(TEXTS, LABELS, strict=True)]
    path.write_text("\n".join(["text,label", *rows]) + "\n")
    return path


def records(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(text)))


def test_the_table_has_both_directions(run: Any, mail: Path) -> None:
    result = run("keyness", mail, "ham", "spam")
    assert (result.code, result.err) == (0, "")
    first, head, *rows = result.out.splitlines()
    assert first == "more in ham:"
    names = ["in ham", "per million", "in spam", "per million", "log_ratio", "g2", "pvalue_adj"]
    assert " ".join(head.split()) == " ".join(
        ["term", *names, "documents in ham", "documents in spam"]
    )
    cut = rows.index("")
    assert [row.split()[0] for row in rows[:cut]] == ["bacon", "eggs"]
    assert rows[cut + 1] == "more in spam:"
    assert {row.split()[0] for row in rows[cut + 3 :]} == {"free", "pills", "prize"}


def test_other_formats_have_every_column_of_python(run: Any, mail: Path, tmp_path: Path) -> None:
    found = ts.count_texts(TEXTS, LABELS).keyness("ham", ["spam", "news"], sort="log_ratio")
    arguments = ("keyness", mail, "ham", "spam,news", "--sort", "log_ratio")
    rows = records(run(*arguments, "--format", "csv").out)
    assert [row["term"] for row in rows] == found.table["term"].tolist()
    assert list(rows[0]) == list(found.columns())
    assert [float(row["g2"]) for row in rows] == found.table["g2"].tolist()
    path = tmp_path / "key.json"
    assert run(*arguments, "-o", path).code == 0
    answer = json.loads(path.read_text())
    assert (answer["target"], answer["reference"]) == (["ham"], ["news", "spam"][::-1])
    assert [term["term"] for term in answer["terms"]] == found.table["term"].tolist()
    assert answer["terms"][0]["relative_risk"] is None  # JSON has no infinity


def test_the_reference_is_all_others_by_default(run: Any, mail: Path) -> None:
    alone = run("keyness", mail, "ham", "--format", "csv").out
    assert alone == run("keyness", mail, "ham", "news,spam", "--format", "csv").out
    assert run("keyness", mail, "ham", "-k", 1, "--format", "csv").out.count("\n") == 3


def test_dispersion_and_filters(run: Any, mail: Path) -> None:
    arguments = ("keyness", mail, "ham", "--format", "csv")
    rows = records(run(*arguments, "--dispersion").out)
    X = ts.text.CountVectorizer().fit_transform(TEXTS)
    expected = ts.count(X, LABELS).keyness("ham", dispersion=(X, LABELS))
    assert [float(row["dp_target"]) for row in rows[:2]] == expected.table["dp_target"][:2].tolist()
    expected = ts.count(X, LABELS).keyness("ham", dispersion=(X, LABELS), sort="rank_sum")
    rows = records(run(*arguments, "--sort", "rank_sum").out)
    assert [float(row["rank_sum"]) for row in rows] == expected.table["rank_sum"].tolist()
    kept = records(run(*arguments, "--min-count", 3, "--direction", "over").out)
    assert [row["term"] for row in kept] == ["bacon"]
    rows = records(run(*arguments, "--level", 0.5, "--sort", "lrc").out)
    expected = ts.count_texts(TEXTS, LABELS).keyness("ham", level=0.5, sort="lrc")
    assert [float(row["lrc"]) for row in rows] == expected.table["lrc"].tolist()


def test_similar_terms_are_one_list(run: Any, mail: Path) -> None:
    result = run("keyness", mail, "ham", "spam", "--similar", "-k", 2)
    first, head, *rows = result.out.splitlines()
    assert first == "alike in ham, spam:"
    assert head.split()[-1] == "log_ratio_most"
    expected = ts.count_texts(TEXTS, LABELS).keyness("ham", "spam", k=2, similar=True)
    assert [row.split()[0] for row in rows] == expected.table["term"].tolist()


def test_counts_will_do_but_not_for_dispersion(run: Any, mail: Path, tmp_path: Path) -> None:
    saved = tmp_path / "mail.termsift"
    ts.count_texts(TEXTS, LABELS).save(saved)
    plain = run("keyness", mail, "ham", "spam", "--format", "csv").out
    assert run("keyness", saved, "ham", "spam", "--format", "csv").out == plain
    assert "documents" in run("keyness", saved, "ham", "--dispersion").complaint


def test_a_table_without_rows_says_why(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "mail.csv"
    path.write_text("text,label\nbacon eggs,ham\neggs bacon,spam\n")
    assert run("keyness", path, "ham").out == "ham and spam use 2 terms equally often\n"
    none = "no term of ham and spam is left to list\n"
    assert run("keyness", path, "ham", "--min-count", "9").out == none
    none = "no term is surely used about equally often in ham and in spam\n"
    assert run("keyness", path, "ham", "--similar", "--min-count", "9").out == none
    assert run("keyness", path, "ham", "--min-count", "9", "--format", "csv").out.count("\n") == 1


def test_classes_may_follow_options(run: Any, mail: Path) -> None:
    options = ("--text", "text", "--format", "csv")
    for classes in (("ham",), ("ham", "spam")):
        expected = run("keyness", mail, *classes, *options).out
        assert run("keyness", mail, *options, *classes).out == expected
    assert run("keyness", mail, "ham", *options, "spam").out == expected
    for wrong, rest in ((("ham", "spam", "news"), "news"), (("--foo", "ham"), "--foo")):
        result = run("keyness", mail, *options, *wrong)
        assert result.code == 2
        assert f"unrecognized arguments: {rest}" in result.err  # before 3.14 also "ham"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["hem"], "no class 'hem', expected one of 'ham', 'news', 'spam'; did you mean 'ham'?"),
        (["ham", "ham"], "class 'ham' is in both TARGET and REFERENCE"),
        (["ham,spam,news"], "TARGET has all classes, so no class is left for the REFERENCE"),
    ],
)
def test_wrong_classes(run: Any, mail: Path, arguments: list[str], complaint: str) -> None:
    assert complaint in run("keyness", mail, *arguments).complaint


# ---- a frequency list ----------------------------------------------------------------------------

LISTS = {
    "list.csv": "count,pos,term\n9,NN,news\n2,NN,bacon\n1,NN,news\n",
    "list.tsv": "word\tn\nnews\t10\nbacon\t2\n",
    "bare.tsv": "news\t10\nbacon\t2\n",
    "list.txt": 'news\t9\n\nnews\t1\nbacon\t2\n"\t0\n',
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_the_reference(run: Any, mail: Path, name: str) -> None:
    path = mail.with_name(name)
    path.write_text(LISTS[name])
    listed = ts.counts_from_table({name: {"news": 10, "bacon": 2}})
    for given, classes in (([], ["ham", "news", "spam"]), (["ham,spam"], ["ham", "spam"])):
        result = run("keyness", mail, *given, "--versus-list", path, "--format", "csv")
        assert (result.code, result.err) == (0, "")
        texts = ts.count_texts(TEXTS, LABELS).subset(classes)
        expected = ts.merge([texts, listed]).keyness(classes, name)
        rows = {row["term"]: row for row in records(result.out)}
        assert [float(rows[term]["g2"]) for term in expected.terms] == pytest.approx(
            expected.table["g2"].tolist()
        )
        assert {row["df_reference"] for row in rows.values()} == {""}
    shown = run("keyness", mail, "--versus-list", path)
    assert f"more in {name}:" in shown.out
    saved = run("keyness", mail, "--versus-list", path, "--format", "json")
    assert json.loads(saved.out)["n_docs"] is None


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (
            "news\tten\nbacon\tx\n",
            [],
            "line 2: expected a term and a whole number, found 'bacon\\tx'",
        ),
        ("news\t0.5\n", [], "line 1: expected a term and a whole number, found 'news\\t0.5'"),
        ("news\t10\nbacon\n", [], "line 2: expected 2 fields, found 1"),
        ("news\t-1\n", [], "has -1 at row 0, term 'news'"),
        ("news\t1\n", ["ham", "spam"], "the list is the reference, so leave out spam"),
        ("news\t1\n", ["--dispersion"], "has no documents, so leave out --dispersion"),
        ("news\t1\n", ["--sort", "zeta"], "has no documents, so leave out --sort"),
        ("", [], "list.tsv: the list has no tokens"),
        ("news\t0\n", [], "list.tsv: the list has no tokens"),
        ("news\t9\n", ["--list-tokens", 8], "--list-tokens must be at least 9, got 8"),
    ],
)
def test_faults_of_a_list_are_named(
    run: Any, mail: Path, text: str, arguments: list[str], message: str
) -> None:
    path = mail.with_name("list.tsv")
    path.write_text(text)
    result = run("keyness", mail, *arguments, "--versus-list", path)
    assert result.code == 1
    assert message in result.err
    assert "list.tsv" in result.err


def test_a_list_that_was_cut_off_has_its_total(run: Any, mail: Path) -> None:
    path = mail.with_name("list.tsv")
    path.write_text("news\t10\nbacon\t2\n")
    command = ("keyness", mail, "--versus-list", path, "--list-tokens", 1200, "--format", "json")
    assert json.loads(run(*command).out)["tokens"] == [14, 1200]
    assert "there is no --versus-list" in run("keyness", mail, "ham", "--list-tokens", 9).err


def test_a_target_or_a_list_is_needed(run: Any, mail: Path) -> None:
    result = run("keyness", mail)
    assert result.code == 1
    assert "pass the class TARGET, or a list to compare with (--versus-list)" in result.err


def test_a_file_of_unknown_documents_is_described(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "lists.termsift"
    ts.counts_from_table({"a": {"x": 2}, "b": {"x": 1, "y": 7}}).save(path)
    assert "unknown documents, 2 terms, 2 classes, 10 tokens" in run("info", path).out
    ranked = run("rank", path, "--method", "g2_counts", "--format", "json")
    assert json.loads(ranked.out)["n_docs"] is None
    assert "which are unknown" in run("rank", path, "--method", "chi2").err
    assert "more in a:" in run("keyness", path, "a", "b").out


def test_the_orders_by_documents_are_those_of_the_library() -> None:
    assert orders_that_a_list_lacks() == orders_by_documents()
