"""Plots: lines show the curves and differ even without colour; files are reproducible."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import termsift as ts
from collection_files import read_files
from private import METRICS, TITLES
from termsift.plots import plot_curves, plot_keyness, plot_ranking
from wording import raises

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def X() -> Any:
    return np.random.default_rng(0).poisson(0.5, (40, 30))


@pytest.fixture(scope="module")
def curves(X: Any) -> dict[str, ts.Curve]:
    return ts.cross_validate(X, ["a", "b"] * 20, ["md", "ig", "greedy"], [2, 5, 10, 20], cv=4)


@pytest.fixture
def one_run(X: Any) -> ts.Curve:
    y = ["a", "b"] * 20
    return ts.selection_curve(ts.count(X, y).rank("md"), X, y, X, y)


@pytest.fixture
def without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)


def many(n: int) -> dict[str, ts.Curve]:
    runs = {metric: np.full((1, 2), 0.5) for metric in METRICS}
    return {f"method {i}": ts.Curve(f"{i}", np.array([1, 9]), runs) for i in range(n)}


# ------------------------------------------------------------------------------------- the lines


def test_the_lines_are_the_curves(curves: dict[str, ts.Curve]) -> None:
    metrics = ["accuracy", "f1", "macro_f1"]
    figure = plot_curves(curves, metrics=metrics)  # type: ignore[arg-type]
    for axes, metric in zip(figure.axes, metrics, strict=True):
        assert axes.get_title(loc="left") == TITLES[metric]  # type: ignore[index]
        assert axes.get_xscale() == "log"
        assert axes.get_xlabel() == "number of terms"
        assert list(axes.get_xticks()) == [2, 5, 10, 20]
        for line, (name, curve) in zip(axes.lines, curves.items(), strict=True):
            assert line.get_label() == name
            np.testing.assert_array_equal(line.get_xdata(), curve.ks)
            np.testing.assert_array_equal(line.get_ydata(), 100 * curve.mean(metric))
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == list(curves)


def test_all_panels_share_their_axes_of_terms(curves: dict[str, ts.Curve]) -> None:
    first, *others = plot_curves(curves).axes
    assert others
    for axes in others:
        assert first.get_shared_x_axes().joined(first, axes)
        assert first.get_shared_y_axes().joined(first, axes)


def test_the_shade_is_a_standard_error(curves: dict[str, ts.Curve], one_run: ts.Curve) -> None:
    axes = plot_curves(curves).axes[1]
    for shade, curve in zip(axes.collections, curves.values(), strict=True):
        corners = shade.get_paths()[0].vertices
        for k, mean, error in zip(
            curve.ks, curve.mean("f1"), curve.standard_error("f1"), strict=True
        ):
            at = corners[corners[:, 0] == k, 1]
            np.testing.assert_allclose(at.min(), 100 * (mean - error))
            np.testing.assert_allclose(at.max(), 100 * (mean + error))
    assert not plot_curves(one_run).axes[0].collections  # a single run has no error band


def test_lines_differ_without_colour_too() -> None:
    lines = plot_curves(many(56)).axes[0].lines
    styles = [(line.get_color(), line.get_marker(), line._dash_pattern) for line in lines]
    styles = [(c, m, None if dash is None else tuple(dash)) for c, m, (_, dash) in styles]
    assert len(set(styles)) == 56
    assert len({marker for _, marker, _ in styles[:8]}) == 8
    # Each pair of colour and dashes, and each pair of marker and dashes, belongs to one line.
    assert len({(colour, dashes) for colour, _, dashes in styles[:35]}) == 35
    assert len({(marker, dashes) for _, marker, dashes in styles[:40]}) == 40


def test_curves_in_every_container_are_drawn(
    curves: dict[str, ts.Curve], one_run: ts.Curve
) -> None:
    def names(figure: Any) -> list[str]:
        return [line.get_label() for line in figure.axes[0].lines]

    assert names(plot_curves(curves)) == ["md", "ig", "greedy"]
    assert names(plot_curves({"ours": curves["md"]})) == ["ours"]
    assert len(names(plot_curves(one_run))) == 1
    assert not plot_curves(one_run).legends
    with raises(ValueError, "nothing_to_draw_no_curves", argument="curves"):
        plot_curves({})
    with raises(ValueError, "nothing_to_draw_no_curves", argument="curves"):
        plot_curves(curves, metrics=[])
    with raises(ValueError, "metric_must_be_one_of", argument="metrics"):
        plot_curves(curves, metrics=["auc"])  # type: ignore[list-item]


def test_a_method_keeps_its_style_if_a_collection_lacks_it(curves: dict[str, ts.Curve]) -> None:
    both, one = ts.Curves({n: curves[n] for n in ("md", "ig")}), ts.Curves({"ig": curves["ig"]})
    upper, _, lower, _ = plot_curves(ts.Comparison({"both": both, "one": one})).axes
    assert [line.get_label() for line in upper.lines] == ["md", "ig"]
    (line,) = lower.lines
    assert line.get_label() == "ig"
    assert line.get_color() == upper.lines[1].get_color()
    np.testing.assert_array_equal(line.get_ydata(), upper.lines[1].get_ydata())


# -------------------------------------------------------------------------------------- the bars


@pytest.fixture
def counts(X: Any) -> ts.ClassCounts:
    counts = ts.count(X, ["a", "b"] * 20)
    counts.term_names = [f"term {i}" for i in range(30)]
    return counts


def bars(axes: Any) -> tuple[list[str], list[float]]:
    labels = [label.get_text() for label in axes.get_yticklabels()]
    return labels, [bar.get_width() for bar in axes.patches]


def test_the_bars_are_the_scores(counts: ts.ClassCounts) -> None:
    ranking = counts.rank("ig")
    (axes,) = plot_ranking(ranking, k=7).axes
    assert bars(axes) == (ranking.terms[:7].tolist(), ranking.scores[:7].tolist())
    bottom, top = axes.get_ylim()
    assert bottom > top  # the best term is on top
    assert axes.figure.get_supxlabel() == "score (ig)"
    assert len(plot_ranking(ranking, k=99).axes[0].patches) == 30
    counts.term_names = None
    (axes,) = plot_ranking(counts.rank("ig", 2)).axes
    assert bars(axes)[0] == [str(i) for i in ranking.indices[:2]]


def test_the_panels_are_the_classes(counts: ts.ClassCounts) -> None:
    rankings = ts.distinctive_terms(counts, "chi2", classes=["b", "a"])
    figure = plot_ranking(rankings, k=4)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["b", "a"]
    assert figure.get_supxlabel() == "score (chi2)"
    for axes, ranking in zip(figure.axes, rankings.values(), strict=True):
        assert bars(axes) == (ranking.terms[:4].tolist(), ranking.scores[:4].tolist())
    assert len({axes.get_xlim() for axes in figure.axes}) == 1  # one scale for all classes
    both = plot_ranking({"md": counts.rank("md"), "ig": counts.rank("ig")})
    assert len({axes.get_xlim() for axes in both.axes}) == 2  # scores of two methods
    many = ts.count(np.eye(4, dtype=int), range(4))
    assert len(plot_ranking(ts.distinctive_terms(many)).axes) == 4  # of six places


def test_infinite_scores_have_a_bar() -> None:
    ranking = ts.count(np.array([[4, 1, 0], [0, 1, 2]]), ["a", "b"]).rank("odds_ratio")
    assert np.isinf(ranking.scores[0])
    (axes,) = plot_ranking(ranking).axes
    assert np.all(np.isfinite(bars(axes)[1]))
    assert axes.texts[0].get_text() == "\N{INFINITY}"


def test_a_bar_without_end_is_a_little_longer_than_the_others() -> None:
    ranking = ts.count(np.array([[4, 1, 0], [0, 1, 2]]), ["a", "b"]).rank("odds_ratio")
    for largest in (0.5, 8.0):
        scores = np.array([np.inf, largest, 0.0])
        (axes,) = plot_ranking(replace(ranking, scores=scores)).axes
        assert bars(axes)[1] == [1.05 * largest, largest, 0.0]


def test_names_of_bars_are_shown_literally(counts: ts.ClassCounts, tmp_path: Path) -> None:
    names = ["$x^{$", "two\nlines", "x" * 500]
    counts.term_names = names * 10
    figure = plot_ranking(counts.rank("md"), k=30)
    shown = {label.get_text() for label in figure.axes[0].get_yticklabels()}
    assert shown == {"$x^{$", "two\\nlines", "x" * 23 + "…"}
    figure.savefig(tmp_path / "b.svg")  # and later too


def test_nothing_to_draw_is_refused(counts: ts.ClassCounts) -> None:
    with raises(ValueError, "nothing_to_draw_no_terms", argument="ranking"):
        plot_ranking(counts.rank("md", 0))
    with raises(ValueError, "nothing_to_draw_no_terms", argument="ranking"):
        plot_ranking({})


# ------------------------------------------------------------------------------- wrong arguments


def test_wrong_arguments(counts: ts.ClassCounts, one_run: ts.Curve) -> None:
    ranking = counts.rank("md")
    plot: Any
    for plot, first, options, key, argument in (
        (plot_curves, "md", {}, "curves_must_be_a_curve_got", "curves"),
        (plot_curves, {"a": 1}, {}, "curves_must_be_a_curve_got_2", "curves"),
        (plot_curves, one_run, {"metrics": 5}, "metrics_must_hold_words_got_5", "metrics"),
        (plot_ranking, counts, {}, "ranking_must_be_a_ranking_got", "ranking"),
        (plot_ranking, ranking, {"k": 2.5}, "k_must_be_an_integer_got", "k"),
        (plot_ranking, {"a": 1}, {}, "ranking_must_be_a_ranking_got_2", "ranking"),
        (plot_keyness, ranking, {}, "keyness_must_be_a_keyness_got", "keyness"),
    ):
        with raises(TypeError, key, argument=argument):
            plot(first, **options)


@pytest.mark.usefixtures("without_matplotlib")
def test_without_matplotlib(one_run: ts.Curve) -> None:
    key = "plot_curves_needs_matplotlib_pip_install_termsif"
    with raises(ImportError, key):
        plot_curves(one_run)
    with raises(ImportError, "plot_ranking_needs_matplotlib"):
        plot_ranking(ts.Ranking(np.arange(1), np.ones(1), np.arange(1), "md"))


# ------------------------------------------------------------------------------ termsift compare


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.csv"
    path.write_text("label,text\n" + "a,oil ship oil\nb,ball oil team\na,price ship\n" * 10)
    return path


def test_compare_draws(run: Any, texts: Path, tmp_path: Path) -> None:
    arguments = ["compare", texts, "--method", "md,ig"]
    result = run(*arguments, "--plot", tmp_path / "a.png")
    assert (result.code, result.err) == (0, "")
    assert result.out == run(*arguments).out  # the table is still printed

    collection = read_files(texts)
    figure = plot_curves(ts.cross_validate(collection.X, collection.y, ["md", "ig"]))
    title = f"{texts}: 30 documents, 5 terms\nmultinomial naive Bayes, 10-fold cross-validation"
    figure.suptitle(title, fontsize=9, wrap=True, parse_math=False)
    figure.savefig(tmp_path / "b.png", dpi=200)
    drawn, expected = ((tmp_path / f"{name}.png").read_bytes() for name in "ab")
    assert drawn == expected


def test_a_plot_that_cannot_be_written_is_refused_before_the_work(
    run: Any, texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ts, "cross_validate", None)
    complaint = run("compare", texts, "--plot", tmp_path / "a.xyz").complaint
    assert "a.xyz: unknown ending 'xyz' for a plot, expected one of" in complaint
    assert "no such folder" in run("compare", texts, "--plot", tmp_path / "no" / "a.svg").complaint


@pytest.mark.usefixtures("without_matplotlib")
def test_compare_without_matplotlib(
    run: Any, texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("compare", texts).code == 0
    monkeypatch.setattr(ts, "cross_validate", None)
    complaint = run("compare", texts, "--plot", tmp_path / "a.png").complaint
    cure = "pip install 'termsift[plot]', or pip install matplotlib"
    assert complaint == f"--plot needs matplotlib: {cure}"


def test_key_terms_stand_on_both_sides() -> None:
    X = np.array([[9, 1, 0, 2], [1, 2, 6, 4]])
    counts = ts.count(X, ["ham", "spam"], term_names=["bacon", "and", "pills", "free"])
    found = counts.keyness("ham", "spam")
    figure = plot_keyness(found, k=2)
    (axes,) = figure.axes
    widths = [bar.get_width() for bar in axes.patches]
    assert [width > 0 for width in widths] == [True, False, False]
    assert widths == pytest.approx(found.table["log_ratio"][[0, 1, 2]].tolist())
    sides = {text.get_text() for text in axes.texts}
    assert sides == {"more in ham", "more in spam"}
    assert len({bar.get_facecolor() for bar in axes.patches}) == 2
    with raises(ValueError, "nothing_to_draw_no_terms", argument="keyness"):
        plot_keyness(counts.keyness("ham", "spam", min_count=99))


def test_key_terms_are_in_the_order_of_their_bars() -> None:
    names = ["bacon", "ham", "the", "pills", "of"]
    X = np.array([[9, 200, 900, 0, 300], [1, 50, 500, 5, 500]])
    found = ts.count(X, ["a", "b"], term_names=names).keyness("a")
    (axes,) = plot_keyness(found).axes
    drawn = [bar.get_width() for bar in axes.patches]
    n_more = int(np.count_nonzero(found.table["sign"] > 0))
    assert drawn[:n_more] == sorted(drawn[:n_more], reverse=True)
    assert drawn[n_more:] == sorted(drawn[n_more:])
    shown = [label.get_text() for label in axes.get_yticklabels()]
    assert shown[:n_more] != found.terms[:n_more].tolist()
    effects = dict(zip(found.terms, found.table["log_ratio"], strict=True))
    assert dict(zip(shown, drawn, strict=True)) == effects
