"""`termsift compare`: its numbers are those of the functions, and an error is one line."""

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
from termsift._evaluate.rankers import rank_by
from termsift._util import progress
from termsift.cli import compare, output
from termsift.io import Collection, read_collection, read_split

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
    return read_collection(texts)


def tables(out: str) -> list[list[list[str]]]:
    """Cut what is printed into its tables, and these into lines and cells."""
    blocks = out.split("\n\n")[1:]
    return [[line.split() for line in block.splitlines()] for block in blocks]


def shares(row: list[str]) -> list[float]:
    return [float(cell.rstrip("*")) for cell in row]


def read_csv(out: str) -> dict[str, dict[str, list[float]]]:
    """Return the columns of each method."""
    curves: dict[str, dict[str, list[float]]] = {}
    for row in csv.DictReader(StringIO(out)):
        columns = curves.setdefault(row.pop("method"), {name: [] for name in row})
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
    assert second == "Shares in per cent, the best of each column marked *."

    curves = ts.cross_validate(collection.X, collection.y, COMPARED, [5, 10, 20])
    *of_metrics, best = tables(result.out)
    for metric, title, (head, *rows) in zip(
        ("accuracy", "f1"), ("accuracy", "weighted F1"), of_metrics, strict=True
    ):
        assert " ".join(head) == f"{title} k = 5 10 20"
        assert [row[0] for row in rows] == COMPARED
        for name, *cells in rows:
            expected = 100 * curves[name].mean(metric)  # type: ignore[arg-type]
            np.testing.assert_allclose(shares(cells), expected, atol=0.0501)
        for column in range(1, 4):
            values = shares([row[column] for row in rows])
            marked = [row[column].endswith("*") for row in rows]
            assert marked == [value == max(values) for value in values]

    assert " ".join(best[0]) == "by accuracy best k % s.e. smallest k within one s.e. %"
    for row, (name, curve) in zip(best[1:], curves.items(), strict=True):
        at = dict(zip(curve.ks.tolist(), curve.accuracy, strict=True))
        error = dict(zip(curve.ks.tolist(), curve.standard_error("accuracy"), strict=True))
        k, smallest = curve.best_k(), curve.smallest_k()
        expected = [k, 100 * at[k], 100 * error[k], smallest, 100 * at[smallest]]
        assert row[0] == name
        np.testing.assert_allclose([float(cell) for cell in row[1:]], expected, atol=0.0501)


def test_values_that_print_alike_are_marked_alike() -> None:
    shares = {"a": [0.0811, 0.98, 0.5], "b": [0.0814, 1.0, 0.6], "c": [0.01, 0.09, 0.0]}
    curves = {
        name: ts.Curve(name, np.array([1, 2, 3]), {"accuracy": np.array([row])})
        for name, row in shares.items()
    }
    assert compare._metric_rows(curves, "accuracy", "") == [
        ["", "1 ", "2 ", "3 "],
        ["a", "8.1*", "98.0 ", "50.0 "],
        ["b", "8.1*", "100.0*", "60.0*"],
        ["c", "1.0 ", "9.0 ", "0.0 "],
    ]


def test_another_metric_has_its_table_and_decides_the_best(
    run: Any, texts: Path, collection: Collection
) -> None:
    result = run("compare", texts, "-k", "5,10,20", "--metric", "macro_recall", "--method", "chi2")
    found = tables(result.out)
    (curve,) = ts.cross_validate(collection.X, collection.y, ["chi2"], [5, 10, 20]).values()
    assert [" ".join(head[:2]) for head, *_ in found] == [
        "accuracy k",
        "weighted F1",
        "macro recall",
        "by macro",
    ]
    np.testing.assert_allclose(shares(found[2][1][1:]), 100 * curve.macro_recall, atol=0.0501)
    assert int(found[3][1][1]) == curve.best_k("macro_recall")
    assert int(found[3][1][4]) == curve.smallest_k("macro_recall")


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], {}),
        (["--method", "ig"], {"methods": ["ig"]}),
        (["--method", "ig,md"], {"methods": ["ig", "md"]}),
        (["--method", "ig", "--method", "greedy,md"], {"methods": ["ig", "greedy", "md"]}),
        (
            ["--model", "multinomial,poisson", "--policy", "top", "--policy", "round_robin"],
            {"models": ["multinomial", "poisson"], "policies": ["top", "round_robin"]},
        ),
        (["-k", "3,9"], {"ks": [3, 9]}),
        (["--k", "41"], {"ks": [41]}),
        (["--cv", "3"], {"cv": 3}),
        (["--cv", "4", "--repeats", "2"], {"cv": 4, "repeats": 2}),
        (["--random-state", "7"], {"random_state": 7}),
        (["--naive-bayes", "bernoulli"], {"naive_bayes": "bernoulli"}),
        (["--alpha", "0.1"], {"alpha": 0.1}),
        (["--threads", "2"], {}),
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


def test_every_option_makes_a_difference(run: Any, texts: Path) -> None:
    """The collection is one on which each of the options above makes a difference."""
    plain = run("compare", texts, "--format", "csv").out
    for option in (
        ["--cv", "3"],
        ["--repeats", "2"],
        ["--random-state", "7"],
        ["--naive-bayes", "bernoulli"],
        ["--alpha", "0.1"],
    ):
        assert run("compare", texts, "--format", "csv", *option).out != plain


def test_as_json(run: Any, texts: Path, collection: Collection) -> None:
    arguments = ["--method", "md", "--policy", "top,round_robin", "--format", "json"]
    result = json.loads(run("compare", texts, *arguments, "--cv", "5", "--metric", "f1").out)
    curves = ts.cross_validate(
        collection.X, collection.y, ["md"], [10, 20], 5, policies=["top", "round_robin"]
    )
    assert result == {
        "input": str(texts),
        "n_docs": 60,
        "n_terms": 41,
        "naive_bayes": "multinomial",
        "alpha": 1.0,
        "metric": "f1",
        "cv": 5,
        "repeats": 1,
        "random_state": 0,
        "curves": [
            {
                "method": name,
                "best_k": curves[name].best_k("f1"),
                "smallest_k": curves[name].smallest_k("f1"),
                **columns,
            }
            for name, columns in as_columns(curves).items()
        ],
    }


def test_few_terms_are_evaluated_at_every_number(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text("label,text\n" + "a,oil ship\nb,ball oil\n" * 10)
    columns = read_csv(run("compare", path, "--method", "md", "--format", "csv").out)
    assert columns["md"]["k"] == [1, 2, 3]


def test_the_usual_numbers_as_far_as_there_are_terms(run: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    sparse.save_npz(tmp_path / "c.npz", sparse.csr_array(rng.poisson(0.5, (40, 500))))
    (tmp_path / "y").write_text("a\nb\n" * 20)
    arguments = ["compare", tmp_path / "c.npz", "--labels", tmp_path / "y", "--method", "df"]
    result = run(*arguments, "--format", "csv")
    assert read_csv(result.out)["df"]["k"] == [10, 20, 50, 100, 200, 500]


def test_the_demo(run: Any, monkeypatch: pytest.MonkeyPatch, collection: Collection) -> None:
    monkeypatch.setattr(ts.io, "load_demo", lambda: collection)
    result = run("compare", "demo", "--method", "md", "--format", "csv")
    curves = ts.cross_validate(collection.X, collection.y, ["md"], [10, 20])
    assert read_csv(result.out) == as_columns(curves)


@pytest.mark.filterwarnings("default")
def test_a_rare_class_leads_to_a_warning(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "rare.csv"
    path.write_text("label,text\n" + "a,oil ship\nb,ball oil\n" * 10 + "c,team\n")
    result = run("compare", path)
    assert result.code == 0
    assert result.err == (
        "termsift: warning: class 'c' has 1 document, fewer than the 10 folds: "
        "some folds are without it\n"
    )


def test_names_have_the_model_before_the_policy(collection: Collection) -> None:
    # The order must not depend on the order of sets.
    models = ["multinomial", "binary", "bernoulli", "poisson"]
    curves = ts.cross_validate(
        collection.X, collection.y, "md", [5], models=models, policies=["round_robin"]
    )
    assert list(curves) == ["md round_robin", *(f"md {model} round_robin" for model in models[1:])]


# ----------------------------------------------------------------------------------------- split


@pytest.fixture
def held_out(tmp_path: Path) -> Path:
    return write_texts(tmp_path / "test.csv", 30, 2)


def curves_of_split(train: Path, test: Path, ks: list[int], **options: Any) -> dict[str, ts.Curve]:
    known, new = read_split(train, test)
    return {
        method: ts.selection_curve(
            rank_by(
                method,
                ts.count(known.X, known.y),
                known.X,
                known.y,
                alpha=options.get("alpha", 1.0),
            ),
            known.X,
            known.y,
            new.X,
            new.y,
            ks,
            **options,
        )
        for method in COMPARED
    }


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], {}),
        (["--naive-bayes", "poisson", "--alpha", "0.3"], {"naive_bayes": "poisson", "alpha": 0.3}),
    ],
)
def test_a_split_equals_selection_curve(
    run: Any, texts: Path, held_out: Path, arguments: list[str], options: dict[str, Any]
) -> None:
    arguments = ["compare", texts, "--test", held_out, "-k", "5,10,20", *arguments]
    curves = curves_of_split(texts, held_out, [5, 10, 20], **options)
    result = run(*arguments, "--format", "csv")
    assert (result.code, result.err) == (0, "")
    assert read_csv(result.out) == as_columns(curves)

    result = json.loads(run(*arguments, "--format", "json").out)
    assert (result["test"], result["n_test_docs"], result["n_terms"]) == (str(held_out), 30, 41)
    for line, (name, columns) in zip(result["curves"], as_columns(curves).items(), strict=True):
        # There is no best k, because a test set must not decide it.
        assert line == {"method": name, **columns}

    out = run(*arguments).out
    assert f"naive Bayes, tested on 30 documents of {held_out}.\n" in out
    found = tables(out)
    assert len(found) == 2
    for row in found[0][1:]:
        np.testing.assert_allclose(shares(row[1:]), 100 * curves[row[0]].accuracy, atol=0.0501)


def test_a_split_by_every_model_and_policy(run: Any, texts: Path, held_out: Path) -> None:
    arguments = ["--method", "md,ig", "--model", "multinomial,binary", "--format", "csv"]
    result = run("compare", texts, "--test", held_out, *arguments, "--policy", "top,round_robin")
    found = read_csv(result.out)
    known, new = read_split(texts, held_out)
    counts = ts.count(known.X, known.y)
    for name, options in (
        ("md", {}),
        ("md round_robin", {"policy": "round_robin"}),
        ("md binary", {"model": "binary"}),
        ("md binary round_robin", {"model": "binary", "policy": "round_robin"}),
        ("ig", {}),
        ("ig round_robin", {"policy": "round_robin"}),
    ):
        ranking = counts.rank(name.split()[0], **options)
        curve = ts.selection_curve(ranking, known.X, known.y, new.X, new.y, [10, 20])
        assert found.pop(name) == as_columns({"": curve})[""]
    assert not found


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

    expected = f"{tmp_path / 'test.npz'}: has no labels; give a file with one label"
    assert run(*arguments).complaint.startswith(expected)


@pytest.mark.parametrize("split", [False, True])
def test_progress_is_for_a_terminal(
    run: Any, texts: Path, held_out: Path, monkeypatch: pytest.MonkeyPatch, split: bool
) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    monkeypatch.setattr(progress, "_EVERY", 0.0)
    arguments = ["compare", texts, *(["--test", held_out] if split else [])]
    assert run(*arguments).err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    total = 7 if split else 70
    assert f"\rtermsift: evaluated {total} of {total} rankings\r " in run(*arguments).err


# ----------------------------------------------------------------------------------- how it ends


@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_the_output_file(run: Any, texts: Path, tmp_path: Path, form: str) -> None:
    target = tmp_path / "curves"
    result = run("compare", texts, "--format", form, "-o", target)
    assert (result.code, result.out, result.err) == (0, "", "")
    assert target.read_bytes().decode() == run("compare", texts, "--format", form).out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: INPUT"),
        (["x", "--metric", "auc"], "argument --metric: invalid choice: 'auc'"),
        (["x", "--naive-bayes", "normal"], "argument --naive-bayes: invalid choice: 'normal'"),
        (["x", "--format", "xml"], "argument --format: invalid choice: 'xml'"),
        (["x", "--test", "y", "--cv", "5"], "argument --cv: not with --test"),
        (["x", "--test", "y", "--repeats", "5"], "argument --repeats: not with --test"),
        (["x", "--test", "y", "--random-state", "5"], "argument --random-state: not with --test"),
        (["x", "--test-labels", "y"], "argument --test-labels: only with --test"),
        (["demo", "--test", "y"], "argument --test: not with demo"),
    ],
)
def test_wrong_usage(run: Any, arguments: list[str], message: str) -> None:
    result = run("compare", *arguments)
    assert (result.code, result.out) == (2, "")
    assert message in result.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-k", "5,1042"], "texts.csv: ks has 1042, expected numbers in [1, 41], the terms ranked"),
        (["--cv", "21"], "cv = 21 folds are more than the 20 documents of the largest class"),
        (["--threads", "9999"], "n_threads must be in [1, 4096], got 9999"),
        (["--test", "absent.csv"], "absent.csv: no such file"),
        (["-o", "absent/curves"], "absent: no such folder, to write curves to"),
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


def test_counts_have_no_documents(run: Any, tmp_path: Path, collection: Collection) -> None:
    path = tmp_path / "c.termsift"
    ts.count(collection.X, collection.y).save(path)
    expected = f"{path}: holds counts, expected the documents themselves"
    assert run("compare", path).complaint == expected
    assert run("compare", path, "--test", path).complaint == expected


@pytest.mark.parametrize("split", [False, True])
def test_documents_of_several_classes(run: Any, tmp_path: Path, split: bool) -> None:
    path = tmp_path / "c.svm"
    path.write_text("1,3 1:2\n3 2:1\n1 1:1\n")
    arguments = ["compare", path, *(["--test", path] if split else [])]
    name = f"{path} and {path}: y_train" if split else f"{path}: y"
    assert run(*arguments).complaint.startswith(
        f"{name} is an indicator matrix, expected one label per document (document 0 has 2): "
    )


def test_no_terms(run: Any, tmp_path: Path) -> None:
    sparse.save_npz(tmp_path / "c.npz", sparse.csr_array((4, 0), dtype=np.int64))
    (tmp_path / "y").write_text("a\nb\na\nb\n")
    arguments = ["compare", tmp_path / "c.npz", "--labels", tmp_path / "y", "--cv", "2"]
    assert run(*arguments).complaint == (f"{tmp_path / 'c.npz'}: there are no terms to choose from")


def test_a_failure_leaves_the_old_file(
    run: Any, texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "curves"
    target.write_text("old")

    def fail(out: Any, *_: object) -> None:
        out.write("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(output.WRITERS, "table", fail)
    assert run("compare", texts, "-o", target).complaint == f"{target}: No space left on device"
    assert target.read_text() == "old"
