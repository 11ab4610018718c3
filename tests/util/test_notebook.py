"""What a notebook shows: tables of results, figures at the end of their cell, and progress."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import termsift as ts
from private import METRICS, messages, put
from report_pages import HOSTILE, Page


@pytest.fixture
def counts() -> ts.ClassCounts:
    X = np.random.default_rng(0).poisson(0.5, (60, 20))
    counts = ts.count(X, np.arange(60) % 12)
    counts.term_names = [*HOSTILE, *(f"term {i}" for i in range(20 - len(HOSTILE)))]
    return counts


# ---- tables --------------------------------------------------------------------------------------


def tables(result: Any) -> dict[str, list[list[str]]]:
    """Return the tables of a result in a notebook, which must equal the printed ones."""
    page = Page(result._repr_html_())
    assert {tag for tag, _ in page.elements} <= {
        *("div", "table", "caption", "thead", "tbody", "tr", "th", "td", "bdi", "p")
    }
    # print() escapes control characters and cuts names, so only short plain cells are compared.
    printed = " ".join(str(result).split())
    for rows in page.tables.values():
        for row in rows:
            for cell in row:
                if len(cell) < 20 and cell.isascii() and cell.isprintable():
                    assert " ".join(cell.split()) in printed
    return page.tables


def test_counts(counts: ts.ClassCounts) -> None:
    ((caption, (head, *rows)),) = tables(counts).items()
    assert f"<{caption}>" == repr(counts)
    assert head == ["class", "documents", "tokens"]
    assert rows == [[str(c), "5", str(counts.class_tokens[c])] for c in range(10)]
    assert Page(counts._repr_html_()).text().endswith("2 more")
    assert str(counts).endswith("\n... 2 more")
    listed = ts.counts_from_table({"a": {"x": 2}, "b": {"x": 1, "y": 7}})
    ((_, (head, *rows)),) = tables(listed).items()
    assert (head, rows) == (["class", "tokens"], [["b", "8"], ["a", "2"]])


def test_a_ranking(counts: ts.ClassCounts) -> None:
    ranking = counts.rank("md")
    ((caption, (head, *rows)),) = tables(ranking).items()
    assert caption == "Ranking of 20 terms by md"
    assert head == ["rank", "term", "score"]
    for place, (row, score) in enumerate(zip(rows, ranking.scores, strict=False), start=1):
        assert [row[0], row[2]] == [str(place), f"{score:.6g}"]
    assert len(rows) == 10
    assert Page(ranking._repr_html_()).text().endswith("10 more")
    counts.term_names = None
    turns = counts.rank("md", 3, policy="round_robin")
    ((_, (head, *rows)),) = tables(turns).items()
    assert head == ["rank", "index", "score", "class"]
    assert [row[1] for row in rows] == [str(i) for i in turns.indices]
    assert [row[3] for row in rows] == [str(label) for label in turns.chosen_by]  # type: ignore[union-attr]
    assert len(tables(turns[:0])["Ranking of 0 terms by md, policy=round_robin"]) == 1


def test_key_terms_have_a_table_for_each_side(counts: ts.ClassCounts) -> None:
    found = counts.keyness(0)
    first, second = tables(found).items()
    assert first[0] == "more in 0"
    assert second[0].startswith("more in 1, 2, 3 and 8 more")
    assert first[1][0][:3] == ["term", "in 0", "per million"]
    assert not tables(counts.keyness(0, min_count=999))


def test_tests(counts: ts.ClassCounts) -> None:
    for per_class in (False, True):
        found = counts.significance("g2", per_class=per_class)
        ((caption, (head, *rows)),) = tables(found).items()
        assert f"<{caption}>" == repr(found)
        assert head == ["term", "class", "sign", "statistic", "pvalue", "pvalue_adj"]
        best = np.sort(found.statistics.ravel())[::-1][:10]
        assert [row[3] for row in rows] == [f"{value:.6g}" for value in best]
        place = np.unravel_index(found.log_pvalues.argmin(), found.statistics.shape)
        label = counts.classes[place[0]] if per_class else found.chosen_by[place[0]]  # type: ignore[index]
        assert rows[0][1] == str(label)
        assert rows[0][5] == f"{found.pvalues_adj[place]:.4g}"


def test_curves() -> None:
    X, y = np.random.default_rng(0).poisson(0.5, (40, 30)), ["a", "b"] * 20
    curves = ts.cross_validate(X, y, ["md", "ig"], cv=4)
    ((caption, (head, *rows)),) = tables(curves["md"]).items()
    assert f"<{caption}>" == repr(curves["md"])
    assert head == ["k", "accuracy", "standard error", "weighted F1"]
    assert [rows[0][0], rows[-1][0]] == ["1", "30"]
    for k, accuracy, error, _ in rows:
        assert accuracy == f"{curves['md'].accuracy[int(k) - 1]:.4f}"
        assert error == f"{curves['md'].standard_error('accuracy')[int(k) - 1]:.4f}"
    ((_, (head, *rows)),) = tables(curves).items()
    assert head == ["ranking", "k = 1", "k = 7", "k = 13", "k = 18", "k = 24", "k = 30"]
    assert [row[0] for row in rows] == ["md", "ig"]
    assert str(type(curves)(md=curves["md"])).startswith("<Accuracy of 1 ranking>\n")
    assert rows[1][1] == f"{curves['ig'].accuracy[0]:.4f}"
    one_run = ts.selection_curve([1, 0], X, y, X, y)
    assert next(iter(tables(one_run).values()))[0] == ["k", "accuracy", "weighted F1"]
    nothing = {metric: np.empty((1, 0)) for metric in METRICS}
    assert len(next(iter(tables(ts.Curve("md", one_run.ks[:0], nothing)).values()))) == 1
    assert pickle.loads(pickle.dumps(curves)).keys() == curves.keys()


def test_lists_of_classes(counts: ts.ClassCounts) -> None:
    found = ts.distinctive_terms(counts, k=3, classes=[7, 3])
    assert found == {**found}  # it is a dict as before
    ((caption, (head, *rows)),) = tables(found).items()
    assert (caption, head) == ("Terms of 2 classes by key", ["class", "terms"])
    assert [row[0] for row in rows] == ["7", "3"]
    # 60 documents prove nothing, so every term is marked.
    shown = [messages.printable(term, 24) for term, _ in found[7]]
    assert rows[0][1] == ", ".join(f"({name})" for name in shown)
    assert str(found).endswith("parentheses are not significant: pvalue_adj is above 0.05.")
    X = np.diag([*[1000] * 50, 2])
    X[:50, 50], X[50, 0] = 9, 50
    unproved = ts.distinctive_terms(ts.count(X, range(51)), "g2_counts")
    assert "(50)" in str(type(unproved)({50: unproved[50]}))
    assert str(unproved).endswith("... 1 more")  # class 50, the only one with a mark, is not shown
    plain = ts.distinctive_terms(counts, "md", k=3)  # no test
    assert "parentheses" not in str(plain)
    assert str(ts.distinctive_terms(counts, k=0, classes=[1])).startswith("<Terms of 1 class")
    longer = tables(ts.distinctive_terms(counts, "md"))["Terms of 12 classes by md"]
    assert any(row[1].endswith(", ...") for row in longer)


def test_passages() -> None:
    texts = ["Lunch at noon? The <b>bacon</b> is on me.", "Could you bring bacon and eggs?", "Free"]
    found = ts.find_passages(texts, ["ham", "ham", "spam"], ["bacon", "free"], width=9)
    assert found["ham"]["free"] == []
    ((caption, (head, *rows)),) = tables(found).items()
    assert caption == "3 passages in 2 classes"
    assert head == ["class", "document", "before", "match", "after"]
    expected = [
        [label, str(p.document), p.before, p.match, p.after]
        for label, of_class in found.items()
        for of_term in of_class.values()
        for p in of_term
    ]
    assert rows == expected
    lines = str(found).splitlines()[2:4]
    assert lines[0].index(" bacon ") == lines[1].index(" bacon ")  # one below the other


def test_names_are_no_markup() -> None:
    of_classes = ts.count(np.eye(len(HOSTILE), dtype=int), HOSTILE, term_names=HOSTILE)
    ((_, (_, *rows)),) = tables(of_classes).items()
    assert {*HOSTILE[:7]} <= {row[0] for row in rows}
    for result in (
        of_classes.rank("md"),
        of_classes.keyness(HOSTILE[0], HOSTILE[1]),
        ts.distinctive_terms(of_classes),
        of_classes.significance("chi2"),
    ):
        assert tables(result)


# ---- figures and progress ------------------------------------------------------------------------


class Notebook:
    """What termsift uses of IPython in a notebook."""

    def __init__(self) -> None:
        self.shown: list[Any] = []
        self.kernel = object()
        self.callbacks: list[Callable[[Any], None]] = []
        self.events = SimpleNamespace(
            register=lambda _, show: self.callbacks.append(show),
            unregister=lambda _, show: self.callbacks.remove(show),
        )
        self.display_formatter = SimpleNamespace(formatters={"image/png": set(), "text/html": {}})

    def end_of_cell(self, value: Any = None) -> None:
        for show in [*self.callbacks]:
            show(SimpleNamespace(result=value))

    def display(self, data: Any, raw: bool = False, display_id: bool = False) -> Any:
        place = len(self.shown)
        self.shown.append(data)
        return SimpleNamespace(update=lambda data, raw: self.shown.__setitem__(place, data))


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    made = Notebook()

    def select(shell: Notebook, formats: set[str]) -> None:
        from matplotlib.figure import Figure

        assert (shell, formats) == (made, {"png"})
        shell.display_formatter.formatters["image/png"].add(Figure)

    for name, attributes in {
        "IPython": {"get_ipython": lambda: made, "version_info": (9, 0)},
        "IPython.display": {"display": made.display},
        "IPython.core": {},
        "IPython.core.pylabtools": {"select_figure_formats": select},
    }.items():
        module = ModuleType(name)
        module.__dict__.update(attributes)
        monkeypatch.setitem(sys.modules, name, module)
    return made


def test_a_figure_shows_at_the_end_of_its_cell(notebook: Notebook, counts: ts.ClassCounts) -> None:
    pytest.importorskip("matplotlib")
    from termsift.plots import plot_keyness, plot_ranking

    figure = plot_ranking(counts.rank("md"))
    figure.suptitle("a title that the cell adds")
    assert notebook.shown == []
    other = plot_keyness(counts.keyness(0))
    notebook.end_of_cell("a value")
    assert notebook.shown == [figure, other]
    notebook.end_of_cell()
    assert notebook.shown == [figure, other]  # each figure shows once
    assert notebook.callbacks == []  # and nothing holds it
    last = plot_ranking(counts.rank("md"))
    notebook.end_of_cell(last)  # which the notebook shows itself
    assert notebook.shown == [figure, other]
    assert (
        "matplotlib.pyplot" not in sys.modules or not sys.modules["matplotlib.pyplot"].get_fignums()
    )


def test_how_the_user_draws_figures_is_kept(notebook: Notebook, counts: ts.ClassCounts) -> None:
    figure = pytest.importorskip("matplotlib.figure")
    from termsift.plots import plot_ranking

    notebook.display_formatter.formatters["image/svg+xml"] = {figure.Figure}
    plot_ranking(counts.rank("md"))
    assert notebook.display_formatter.formatters["image/png"] == set()


def test_a_terminal_and_a_script_show_no_figure(
    notebook: Notebook, counts: ts.ClassCounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    from termsift.plots import plot_ranking

    notebook.kernel = None  # as in IPython on a terminal
    plot_ranking(counts.rank("md"))
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", lambda: None)
    plot_ranking(counts.rank("md"))
    assert notebook.callbacks == []


def test_progress_shows_in_a_notebook(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, patience=0.0)
    put(monkeypatch, every=0.0)
    lines: list[Any] = []
    keep = notebook.display

    def display(data: Any, **options: Any) -> Any:
        handle = keep(data, **options)
        lines.append(data)

        def update(data: Any, raw: bool) -> None:
            lines.append(data)
            handle.update(data, raw=raw)

        return SimpleNamespace(update=update)

    monkeypatch.setattr(sys.modules["IPython.display"], "display", display)
    X, y = np.random.default_rng(0).poisson(0.5, (40, 30)), ["a", "b"] * 20
    ts.cross_validate(X, y, ["md", "ig"], [1, 2], cv=4)
    expected = [f"termsift: evaluated {done} of 8 rankings" for done in range(1, 9)]
    assert [line["text/plain"] for line in lines] == [*expected, ""]
    assert notebook.shown == [{"text/plain": "", "text/html": ""}]  # one line, which is cleared


def test_short_work_shows_no_progress(notebook: Notebook) -> None:
    X, y = np.random.default_rng(0).poisson(0.5, (40, 30)), ["a", "b"] * 20
    ts.cross_validate(X, y, ["md"], [1, 2], cv=2)
    assert notebook.shown == []
