"""`termsift compare`: it prints the numbers that the functions return, and one line per error."""

from __future__ import annotations

import csv
import json
import random
import sys
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import termsift as ts
from collection_files import read_files, read_splits
from private import put, rank_by
from termsift.io import Collection

COMPARED = ["md", "md_chi2", "df", "cet", "chi2", "gss", "conditional_gain"]


def write_texts(path: Path, n_docs: int, seed: int, classes: str = "abc") -> Path:
    """Write a table of documents in which the words of their class are frequent."""
    rng = random.Random(seed)
    words = [f"word{i}" for i in range(40)]
    lines = ["label,text"]
    for d in range(n_docs):
        c = d % len(classes)
        leaning = words[10 * c : 10 * c + 10]
        text = rng.choices(words, k=7) + rng.choices(leaning, k=3) + [f"only{seed}"]
        lines.append(f"{classes[c]},{' '.join(text)}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    return write_texts(tmp_path / "texts.csv", 60, 1)


@pytest.fixture
def collection(texts: Path) -> Collection:
    return read_files(texts)


def tables(out: str) -> list[list[list[str]]]:
    """Split the printed output into tables, and the tables into lines and cells."""
    blocks = out.split("\n\n")[1:]
    return [[line.split() for line in block.splitlines()] for block in blocks]


def shares(row: list[str]) -> list[float]:
    return [float(cell.rstrip("*")) for cell in row]


def read_csv(out: str) -> dict[str, dict[str, list[float]]]:
    """Return the columns of each method."""
    curves: dict[str, dict[str, list[float]]] = {}
    for row in csv.DictReader(StringIO(out)):
        columns = curves.setdefault(row.pop("ranking"), {name: [] for name in row})
        for name, value in row.items():
            columns[name].append(float(value))
    return curves


def as_columns(curves: Mapping[str, ts.Curve]) -> dict[str, dict[str, list[float]]]:
    return {
        name: {column: values.tolist() for column, values in curve.columns().items()}
        for name, curve in curves.items()
    }


# ------------------------------------------------------------------------------ cross-validation


def test_the_table_equals_cross_validation(run: Any, texts: Path, collection: Collection) -> None:
    result = run("compare", texts, "-k", "20,5,10,5")
    assert (result.code, result.err) == (0, "")
    first, second = result.out.splitlines()[:2]
    assert first == (
        f"{texts}: 60 documents, 41 terms; multinomial naive Bayes, 10-fold cross-validation."
    )
    assert second == "All values are percentages. A * marks the best of a column."

    curves = ts.cross_validate(collection.X, collection.y, COMPARED, [5, 10, 20])
    titles = {"accuracy": "accuracy", "f1": "weighted F1"}
    *found, certain = tables(result.out)
    for (metric, title), (head, *rows) in zip(titles.items(), found, strict=True):
        assert " ".join(head) == f"{title} k = 5 10 20 best k s.e. smallest k"
        assert [row[0] for row in rows] == COMPARED
        for name, *cells, best, error, smallest in rows:
            curve: Any = curves[name]
            np.testing.assert_allclose(shares(cells), 100 * curve.mean(metric), atol=0.0501)
            assert (int(best), int(smallest)) == (curve.best_k(metric), curve.smallest_k(metric))
            at_best = curve.standard_error(metric)[curve.ks.tolist().index(int(best))]
            assert float(error) == pytest.approx(100 * at_best, abs=0.0501)
        for column in range(1, 4):
            values = shares([row[column] for row in rows])
            marked = [row[column].endswith("*") for row in rows]
            assert marked == [value == max(values) for value in values]

    assert len(certain) == 1 + len(COMPARED)
    assert " ".join(certain[0]) == "mean accuracy ± to the best ± p"
    columns = curves.certainty().columns()
    for row, (name, *cells) in enumerate(certain[1:]):
        assert name == COMPARED[row]
        half = columns["high"][row] - columns["mean"][row]
        gap = columns["difference_high"][row] - columns["difference"][row]
        shown = [columns["mean"][row], half, columns["difference"][row], gap]
        np.testing.assert_allclose(shares(cells[:4]), 100 * np.array(shown), atol=0.0501)
        assert float(cells[4]) == pytest.approx(columns["pvalue_adj"][row], rel=0.06)


def test_two_folds_have_a_spread_and_all_terms_are_a_usual_k(run: Any, tmp_path: Path) -> None:
    words = " ".join(f"word{i}" for i in range(20))
    path = tmp_path / "texts.csv"
    path.write_text("label,text\n" + "".join(f"{label},{words}\n" for label in "abab"))
    head = tables(run("compare", path, "--method", "md", "--cv", 2).out)[0][0]
    assert " ".join(head) == "accuracy k = 10 20 best k s.e. smallest k"


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], {}),
        (["--method", "ig,md"], {"methods": ["ig", "md"]}),
        (
            ["--model", "multinomial,poisson", "--policy", "top,round_robin"],
            {"models": ["multinomial", "poisson"], "policies": ["top", "round_robin"]},
        ),
        (["-k", "9,3"], {"ks": [3, 9]}),
        (["--cv", "4"], {"cv": 4}),
        (["--random-state", "7"], {"random_state": 7}),
        (["--classifier", "bernoulli"], {"classifier": "bernoulli"}),
        (["--alpha", "0.1"], {"alpha": 0.1}),
        (["--classifier-alpha", "0.1"], {"classifier_alpha": 0.1}),
    ],
)
def test_options_reach_cross_validation(
    run: Any, texts: Path, collection: Collection, arguments: list[str], options: dict[str, Any]
) -> None:
    result = run("compare", texts, "--format", "csv", *arguments)
    assert (result.code, result.err) == (0, "")
    options = {"methods": COMPARED, "ks": [10, 20], **options}
    curves = ts.cross_validate(collection.X, collection.y, **options)
    assert read_csv(result.out) == as_columns(curves)
    # On this collection, each tested option changes the output.
    is_usual = result.out == run("compare", texts, "--format", "csv").out
    assert is_usual == (not arguments)


def test_as_json(run: Any, texts: Path, collection: Collection) -> None:
    arguments = ["--method", "md", "--policy", "top,round_robin", "--format", "json"]
    result = json.loads(run("compare", texts, *arguments, "--cv", "5").out)
    curves = ts.cross_validate(
        collection.X, collection.y, ["md"], [10, 20], 5, policies=["top", "round_robin"]
    )
    assert result == {
        "input": str(texts),
        "n_docs": 60,
        "n_terms": 41,
        "classifier": "multinomial",
        "alpha": 1.0,
        "classifier_alpha": 1.0,
        "cv": 5,
        "random_state": 0,
        "curves": [
            {"ranking": name, **{column: values[row] for column, values in columns.items()}}
            for name, columns in as_columns(curves).items()
            for row in range(2)
        ],
    }


# ----------------------------------------------------------------------------------------- split


@pytest.fixture
def held_out(tmp_path: Path) -> Path:
    return write_texts(tmp_path / "test.csv", 30, 2)


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], {}),
        (["--alpha", "0.3"], {"alpha": 0.3}),
        (
            ["--classifier", "poisson", "--classifier-alpha", "0.3"],
            {"classifier": "poisson", "classifier_alpha": 0.3},
        ),
    ],
)
def test_a_split_equals_selection_curve(
    run: Any, texts: Path, held_out: Path, arguments: list[str], options: dict[str, Any]
) -> None:
    arguments = ["compare", texts, "--test", held_out, "-k", "5,10,20", *arguments]
    known, new = read_splits(texts, held_out)
    counts, alpha = ts.count(known.X, known.y), options.pop("alpha", 1.0)
    curves = {}
    for method in COMPARED:
        ranking = rank_by(method, counts, known.X, known.y, alpha=alpha)
        split = known.X, known.y, new.X, new.y
        curves[method] = ts.selection_curve(ranking, *split, [5, 10, 20], **options)
    result = run(*arguments, "--format", "csv")
    assert (result.code, result.err) == (0, "")
    assert read_csv(result.out) == as_columns(curves)

    result = json.loads(run(*arguments, "--format", "json").out)
    assert (result["test"], result["n_test_docs"], result["n_terms"]) == (str(held_out), 30, 41)

    out = run(*arguments).out
    assert f"naive Bayes, tested on 30 documents of {held_out}.\n" in out
    found = tables(out)
    assert len(found) == 2  # no table of the best k, because a test set must not decide the best k
    for row in found[0][1:]:
        np.testing.assert_allclose(shares(row[1:]), 100 * curves[row[0]].accuracy, atol=0.0501)


def test_unknown_test_labels_count_as_errors(run: Any, texts: Path, tmp_path: Path) -> None:
    test = write_texts(tmp_path / "test.csv", 40, 2, classes="abcd")
    arguments = ["compare", texts, "--method", "md", "-k", "20", "--format", "csv"]
    result = run(*arguments, "--test", test)
    assert result.err == (
        f"termsift: {test}: 10 of 40 documents have labels that no training document has, "
        "and count as errors\n"
    )
    (accuracy,) = read_csv(result.out)["md"]["accuracy"]
    lines = [line for line in test.read_text().splitlines() if not line.startswith("d,")]
    test.write_text("\n".join(lines) + "\n")
    (of_known,) = read_csv(run(*arguments, "--test", test).out)["md"]["accuracy"]
    assert accuracy == pytest.approx(of_known * 30 / 40)


def test_a_split_of_matrices(run: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X, y = sparse.csr_array(rng.poisson(0.5, (40, 12))), ["a", "b"] * 20
    for name, rows in (("train", slice(0, 30)), ("test", slice(30, 40))):
        sparse.save_npz(tmp_path / f"{name}.npz", X[rows])
        (tmp_path / f"{name}.labels").write_text("".join(f"{label}\n" for label in y[rows]))
    arguments = ["compare", tmp_path / "train.npz", "--labels", tmp_path / "train.labels"]
    arguments += ["--test", tmp_path / "test.npz", "--method", "md", "--format", "csv"]
    result = run(*arguments, "--test-labels", tmp_path / "test.labels")
    ranking = ts.count(X[:30], y[:30]).rank("md")
    curve = ts.selection_curve(ranking, X[:30], y[:30], X[30:], y[30:], [10])
    assert read_csv(result.out) == as_columns({"md": curve})

    expected = f"{tmp_path / 'test.npz'}: has no labels; pass --test-labels with a file of "
    assert run(*arguments).complaint == f"{expected}one label per line"


def test_progress_is_for_a_terminal(run: Any, texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, patience=0.0)
    put(monkeypatch, every=0.0)
    assert run("compare", texts).err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert "\rtermsift: evaluated 70 of 70 rankings\r " in run("compare", texts).err


# ------------------------------------------------------------------------- several collections


def test_several_collections_make_one_table(run: Any, tmp_path: Path) -> None:
    paths = [write_texts(tmp_path / f"{name}.csv", 30, seed) for seed, name in enumerate("abcd")]
    arguments = ["compare", *paths, "--method", "md,df,chi2", "-k", "5,10,900", "--cv", "5"]
    collections = {path.stem: (found.X, found.y) for path in paths for found in [read_files(path)]}
    expected = ts.compare(collections, ["md", "df", "chi2"], [5, 10, 900], 5)
    result = run(*arguments, "--format", "csv")
    assert (result.code, result.err) == (0, "")
    rows = list(csv.DictReader(StringIO(result.out)))
    assert [row["collection"] for row in rows] == expected.columns()["collection"].tolist()
    np.testing.assert_array_equal(
        [float(row["accuracy"]) for row in rows], expected.columns()["accuracy"]
    )
    result = json.loads(run(*arguments, "--format", "json").out)
    assert [one["n_docs"] for one in result["collections"]] == [30] * 4
    assert result["cv"] == 5

    latex = tmp_path / "table.tex"
    out = run(*arguments, "--latex", latex).out
    assert (
        latex.read_text()
        == "\n\n".join([expected.to_latex("accuracy"), expected.to_latex("f1")]) + "\n"
    )
    head, *rows = (line.split() for line in out.split("\n\n")[1].splitlines()[:4])
    assert head == ["accuracy", "a", "b", "c", "d", "mean", "mean", "rank", "wins", "losses", "p"]
    agreement = expected.agreement()
    for row, (name, *cells) in enumerate(rows):
        assert name == agreement.rankings[row]
        values = [*agreement.values[:, row], agreement.table["mean"][row]]
        np.testing.assert_allclose(shares(cells[:5]), 100 * np.array(values), atol=0.0501)
        assert cells[6:8] == [str(agreement.table[key][row]) for key in ("wins", "losses")]
    assert "Friedman" in out


@pytest.mark.filterwarnings("default::UserWarning")
def test_one_of_several_collections_may_be_unreadable(run: Any, tmp_path: Path) -> None:
    paths = [write_texts(tmp_path / f"{name}.csv", 30, seed) for seed, name in enumerate("ab")]
    broken = tmp_path / "broken.csv"
    broken.write_text("label,text\na,b,c,d\n")
    result = run("compare", *paths, broken, "--method", "md,df", "-k", "5")
    # The others are written, and the code says that something is missing.
    assert result.code == 1
    assert "the collection broken is left out: " in result.err
    assert "1 of 3 collections are left out, for the reasons above" in result.err
    assert "a: 30 documents" in result.out
    assert "broken:" not in result.out
    # If only one is left, its tables are those of a single collection.
    alone = run("compare", paths[0], "--method", "md,df", "-k", "5").out
    left = run("compare", paths[0], broken, "--method", "md,df", "-k", "5")
    assert left.out.split("\n\n")[1:] == alone.split("\n\n")[1:]
    csv_of_one = run("compare", paths[0], broken, "--method", "md", "-k", "5", "--format", "csv")
    assert csv_of_one.out.startswith("collection,ranking,k,")
    broken_too = run("compare", broken, broken.parent, "-k", "5")
    assert (broken_too.code, broken_too.out) == (1, "")
    assert "--test needs one INPUT" in run("compare", *paths, "--test", paths[0]).complaint
    several = run("compare", *paths, "--labels", paths[0])
    assert "got 1 times --labels for 2 INPUTs; give one for each" in several.complaint


def test_a_table_for_latex(run: Any, texts: Path, collection: Collection) -> None:
    latex = texts.parent / "table.tex"
    assert run("compare", texts, "--method", "md,df", "-k", "5", "--latex", latex).code == 0
    curves = ts.cross_validate(collection.X, collection.y, ["md", "df"], [5])
    assert latex.read_text().startswith(curves.to_latex("accuracy"))
    # No output may be an input, nor the file of another output.
    before = texts.read_text()
    assert "is an input too" in run("compare", texts, "-k", "5", "--latex", texts).complaint
    assert texts.read_text() == before
    both = run("compare", texts, "-k", "5", "--latex", latex, "-o", latex).complaint
    assert "is the file of two outputs" in both


def test_a_plot_has_panels_for_each_collection(run: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    paths = [write_texts(tmp_path / f"{name}.csv", 30, seed) for seed, name in enumerate("ab")]
    plot = tmp_path / "curves.svg"
    command = ["compare", *paths, "--method", "md,df", "-k", "5,10", "--cv", "5", "--plot", plot]
    assert run(*command).code == 0
    assert plot.read_text().count("weighted F1") == 2


def test_a_name_in_the_title_of_a_plot_is_no_formula(run: Any, texts: Path) -> None:
    pytest.importorskip("matplotlib")
    path = texts.rename(texts.with_name("$\\frac{$.csv"))
    plot = texts.with_name("plot.png")
    assert run("compare", path, "--method", "md", "-k", "5", "--plot", plot).code == 0


def test_methods_have_options(run: Any, texts: Path, collection: Collection) -> None:
    names = ["md binary round_robin", "chi2 mean", "ndm document"]
    out = run("compare", texts, "--method", ",".join(names), "-k", "5", "--format", "csv").out
    expected = ts.cross_validate(collection.X, collection.y, names, [5])
    assert read_csv(out) == as_columns(expected)


# ----------------------------------------------------------------------------------- how it ends


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["-k", "5,1042"],
            "texts.csv: each of -k must be in [1, 41], got 1042",
        ),
        (
            ["--cv", "21"],
            "--cv 21 makes more folds than the largest class has documents; pass at most --cv 20",
        ),
        (["--test", "absent.csv"], "absent.csv: no such file"),
        (["--test", "y", "--cv", "5"], "--test takes the place of folds, so leave out --cv"),
        (["--test-labels", "y"], "there is no --test, so leave out --test-labels"),
    ],
)
def test_errors_are_one_line(
    run: Any,
    texts: Path,
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(texts.parent)
    result = run("compare", texts, *arguments)
    assert message in result.complaint
    assert result.out == ""


def test_inputs_without_single_labels_or_terms(run: Any, tmp_path: Path, saved: Path) -> None:
    expected = f"{saved}: holds counts, not documents; pass texts or a matrix"
    assert run("compare", saved, "--test", saved).complaint == expected
    several = tmp_path / "c.svm"
    several.write_text("1,3 1:2\n3 2:1\n1 1:1\n")
    for options in ([], ["--test", several]):
        complaint = run("compare", several, *options).complaint
        assert complaint.startswith(
            f"{several}: y is an indicator matrix, expected one label per document (document "
        )
    sparse.save_npz(tmp_path / "c.npz", sparse.csr_array((4, 0), dtype=np.int64))
    (tmp_path / "y").write_text("a\nb\na\nb\n")
    arguments = ["compare", tmp_path / "c.npz", "--labels", tmp_path / "y", "--cv", "2"]
    assert run(*arguments).complaint == f"{tmp_path / 'c.npz'}: there are no terms to choose from"
