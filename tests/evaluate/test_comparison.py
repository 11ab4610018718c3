"""`compare`: several collections at once, and their tables of LaTeX."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import termsift as ts
from wording import raises, warns

RNG = np.random.default_rng(9)
Y = np.array(["ham", "news", "spam"] * 12)
X = RNG.poisson(RNG.gamma(0.4, 1.0, (3, 20))[np.arange(36) % 3])
KS = [1, 5, 20]


def test_each_collection_is_cross_validated_alone() -> None:
    collections = {"one": (X, Y), "two": lambda: (X[:, :10], Y)}
    found = ts.compare(collections, ["md", "df"], KS, 3, 7, classifier="binary")
    assert list(found) == ["one", "two"]
    one = ts.cross_validate(X, Y, ["md", "df"], KS, 3, 7, classifier="binary")
    two = ts.cross_validate(X[:, :10], Y, ["md", "df"], [1, 5], 3, 7, classifier="binary")
    for name, expected in (("one", one), ("two", two)):
        for ranking, curve in expected.items():
            assert_array_equal(found[name][ranking].runs["f1"], curve.runs["f1"])
    columns = found.columns()
    assert columns["collection"].tolist() == ["one"] * 6 + ["two"] * 4
    assert_array_equal(columns["k"], [1, 5, 20, 1, 5, 20, 1, 5, 1, 5])
    assert {len(values) for values in columns.values()} == {10}
    assert "two:" in str(found)


def unreadable() -> Any:
    raise OSError("the disk is gone")


def test_a_collection_that_cannot_be_read_is_named_and_the_rest_kept() -> None:
    for wrong in (unreadable, lambda: (X, Y[:3]), lambda: X, (X, ["ham"] * 36), ("ab", Y)):
        with warns(UserWarning, "a_collection_is_left_out") as seen:
            found = ts.compare({"bad": wrong, "good": (X, Y)}, ks=KS, cv=3)
        assert list(found) == ["good"]
        assert seen[-1].filename == __file__
    with warns(UserWarning, "an_unreadable_collection_is_left_out"):
        ts.compare({"bad": unreadable, "good": (X, Y)}, ks=KS, cv=3)
    with raises(OSError, "the_disk_is_gone") as caught:
        ts.compare({"bad": unreadable}, ks=KS, cv=3)
    assert "collection bad" in caught.value.__notes__[0]


def test_too_little_memory_ends_the_comparison() -> None:
    """The next collection would need memory, too."""

    def too_large() -> Any:
        raise MemoryError

    with pytest.raises(MemoryError):
        ts.compare({"large": too_large, "good": (X, Y)}, ks=KS, cv=3)


@pytest.mark.parametrize(
    ("options", "error", "key"),
    [
        ({"collections": {}}, ValueError, "collections_is_empty"),
        ({"collections": [(X, Y)]}, TypeError, "collections_must_be_a_mapping"),
        ({"collections": {"a": "a.csv"}}, TypeError, "a_collection_must_be_a_pair"),
        ({"ks": ["5"]}, TypeError, "each_of_ks_must_be_an_integer_5"),
        ({"alpha": -1}, ValueError, "alpha_must_be_finite_and_not"),
        ({"methods": "nope"}, ValueError, "no_method_nope_expected_one_of"),
        ({"classifier": "x"}, ValueError, "classifier_must_be_one_of_multinomial"),
    ],
)
def test_wrong_arguments_fail_before_any_collection(options: Any, error: Any, key: str) -> None:
    with raises(error, key):
        ts.compare(**{"collections": {"a": (X, Y)}, **options})


def test_iterators_serve_every_collection() -> None:
    folds = [(np.arange(24), np.arange(24, 36)), (np.arange(12, 36), np.arange(12))]
    lists: dict[str, Any] = {"methods": ["md", "df"], "models": ["binary"], "cv": folds}
    once = {name: iter(values) for name, values in lists.items()}
    collections = {"one": (X, Y), "two": (X, Y)}
    expected, found = (
        ts.compare(collections, ks=KS, **lists),
        ts.compare(collections, ks=KS, **once),
    )
    assert list(found["two"]) == list(expected["two"]) == ["md binary", "df"]
    assert_array_equal(found["two"]["df"].accuracy, expected["one"]["df"].accuracy)


def test_what_collections_have_in_common_is_compared() -> None:
    def sometimes(counts: ts.ClassCounts) -> Any:
        return counts.score("md") if counts.n_terms == 20 else np.ones(1)

    collections = {"wide": (X, Y), "narrow": (X[:, :10], Y)}
    with warns(UserWarning, "a_method_is_left_out_of_a_collection"):
        found = ts.compare(collections, ["md", "df", sometimes], ks=KS, cv=3)
    agreement = found.agreement()
    assert agreement.left_out == ["sometimes"]
    assert "Left out, because a collection lacks them: sometimes." in str(agreement)
    # Only k = 1 and 5 are those of both.
    assert_array_equal(agreement.values[0, 0], found["wide"]["md"].accuracy[:2].mean())
    assert f"{100 * agreement.values[0, 0]:.1f}" in found.to_latex().splitlines()[6].split(" & ")[1]
    with raises(ValueError, "a_collection_has_no_such_k"):
        found.agreement(k=20)


def test_collections_that_the_package_reads(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    words = ["egg", "bacon", "pill"]
    path.write_text("label,text\n" + "".join(f"{'ab'[d % 2]},{words[d % 3]}\n" for d in range(12)))
    read = ts.io.read_collection(ts.scan(path))
    found = ts.compare({"read": read, "pair": (read.X, read.y)}, ks=[1, 2], cv=2)
    assert_array_equal(found["read"]["md"].accuracy, found["pair"]["md"].accuracy)


def test_a_table_of_latex() -> None:
    runs = {"a_1": [[0.9], [0.8]], "b&c": [[0.8], [0.9]], "d": [[0.1], [0.1]]}
    curves = ts.Curves({n: ts.Curve(n, [10], {"accuracy": r}) for n, r in runs.items()})
    notes = 2
    lines = ts.Comparison({"50% of R8": curves, "x": curves}).to_latex(k=10).splitlines()[notes:]
    assert lines == [
        r"\begin{tabular}{lrrrr}",
        r"\toprule",
        r"accuracy & 50\% of R8 & x & mean & mean rank \\",
        r"\midrule",
        r"a\_1 & \textbf{85.0} & \textbf{85.0} & \textbf{85.0} & 1.50 \\",
        r"b\&c & \textbf{85.0} & \textbf{85.0} & \textbf{85.0} & 1.50 \\",
        r"d & 10.0$^\circ$ & 10.0$^\circ$ & 10.0 & 3.00 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    assert "mean rank" not in ts.Comparison(x=curves).to_latex()
    hostile = {"[1] *": curves["d"], "* a--b\n\nc": curves["d"], r"\~^{}": curves["d"]}
    rows = ts.Comparison({3: ts.Curves(hostile)}).to_latex().splitlines()[notes + 4 : notes + 7]  # type: ignore[dict-item]
    assert [row.partition(" & ")[0] for row in rows] == [
        "{}[1] *",
        "{}* a-{}-b c",
        r"\textbackslash{}\textasciitilde{}\textasciicircum{}\{\}",
    ]
    with raises(ValueError, "no_collections_to_show"):
        ts.Comparison().to_latex()
