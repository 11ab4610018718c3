"""The page about a collection: its content, no loaded resources, and no text as markup."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import replace
from functools import partial
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import termsift as ts
from private import dominant_class, put
from report_pages import BEST, HOSTILE, Page, letters, write
from termsift.io import Collection
from termsift.report import write_report
from wording import raises


def written(source: Collection | ts.ClassCounts, folder: Path, **options: Any) -> Page:
    write(source, folder / "page.html", **options)
    return Page((folder / "page.html").read_text("utf-8"))


# ---- what the page shows -----------------------------------------------------------------------


def test_the_heading(tmp_path: Path) -> None:
    begins = written(letters(), tmp_path).text().split("Terms are scored")[0]
    heading = "Terms that tell 3 classes of 60 documents apart"
    assert begins == f"made-up letters {heading} Source: made-up letters. "
    titled = written(letters(), tmp_path, title="A & B").text()
    assert titled.startswith("A & B A & B Source: made-up letters. ")
    # Unlike a Collection, counts do not know the name of their source.
    counts = written(ts.count(letters().X, letters().y), tmp_path).text()
    assert counts.startswith(f"{heading} {heading} Terms are scored")


def test_the_figures(tmp_path: Path) -> None:
    collection = letters()
    page = written(collection, tmp_path)
    counts = ts.count(collection.X, collection.y)
    tokens = int(counts.class_tokens.sum())
    facts = [text for tag, text in page.texts if tag == "dd"][:5]
    assert facts == ["60", "3", "30", f"{tokens:,}", f"{tokens / 60:.1f}"]
    about = [text for tag, text in page.texts if tag == "p" and text.startswith("documents:")]
    assert about == [f"documents: 20 (33.3%), tokens: {n:,}" for n in counts.class_tokens]


def test_the_stability_of_the_best_terms(tmp_path: Path) -> None:
    collection = letters()
    found = ts.stability(collection.X, collection.y, "g2", 5, n_samples=20)
    page = written(collection, tmp_path, stability=found)
    head, *rows = page.tables[BEST]
    assert head[-1] == "probability"
    assert [row[-1] for row in rows[:5]] == [f"{p:.2f}" for p in found.probability]
    ranked = ts.count(collection.X, collection.y).rank("g2", 30).indices
    assert [row[-1] for row in rows] == [f"{p:.2f}" for p in found.probabilities[ranked]]
    assert "20 samples of the documents were ranked, too." in page.text()
    assert " ".join(found.summary.split()) in page.text()
    without = written(collection, tmp_path)
    assert without.tables[BEST][0] == head[:-1]


def test_the_stability_of_another_ranking_is_refused(tmp_path: Path) -> None:
    collection = letters()
    others = letters(n_terms=29)
    of_md = ts.stability(collection.X[::2], collection.y[::2], "md", 5, n_samples=2)
    for found in (of_md, ts.stability(others.X, others.y, "g2", 5, n_samples=2)):
        with raises(ValueError, "stability_of_another_ranking"):
            written(collection, tmp_path, stability=found)
    with raises(TypeError, "stability_type"):
        written(collection, tmp_path, stability=0.5)
    assert not list(tmp_path.iterdir())


def test_the_leading_terms_of_each_class(tmp_path: Path) -> None:
    collection = letters()
    page = written(collection, tmp_path, method="ig", k=4)
    counts = ts.count(collection.X, collection.y)
    for c, (label, found) in enumerate(ts.distinctive_terms(counts, "ig", 4).items()):
        head, *rows = page.tables[f"Leading terms of {label}"]
        assert head == ["term", "score", "here per million", "elsewhere per million"]
        assert [row[0] for row in rows] == [f"term {i}" for i in found.indices]
        here = counts.term_frequency.toarray()[c, found.indices]
        elsewhere = counts.collection_term_frequency[found.indices] - here
        tokens = int(counts.class_tokens[c]), int(counts.class_tokens.sum())
        for row, n, m in zip(rows, here.tolist(), elsewhere.tolist(), strict=True):
            rates = 1e6 * n / tokens[0], 1e6 * m / (tokens[1] - tokens[0])
            assert row[2:] == [f"{n} {rates[0]:,.0f}", f"{m} {rates[1]:,.0f}" if m else "0 0"]
        shown = [float(row[1]) for row in rows]
        np.testing.assert_allclose(shown, found.scores, rtol=0.0051)
    # All bars have one scale, so only the best term of all classes has a full bar.
    every = [
        score for found in ts.distinctive_terms(counts, "ig", 4).values() for score in found.scores
    ]
    bars = [style["style"] for style in page.all("span") if style.get("class") == "bar"]
    assert bars == [f"width:{100 * score / max(every):.1f}%" for score in every]


def test_terms_that_are_not_significant_are_marked_or_left_out(tmp_path: Path) -> None:
    collection = letters(n_docs=120)
    counts = ts.count(collection.X, collection.y)
    page = written(collection, tmp_path)
    for label, found in ts.distinctive_terms(counts, k=10).items():
        assert found.pvalues_adj is not None
        expected = [
            f"term {i}{' not significant' if p > 0.05 else ''}"
            for i, p in zip(found.indices, found.pvalues_adj, strict=True)
        ]
        assert [row[0] for row in page.tables[f"Leading terms of {label}"][1:]] == expected
    assert "that of the test g2, adjusted for the tests of all classes" in page.text()
    assert page.text().count(" not significant") > 3
    kept = written(collection, tmp_path, max_pvalue=0.05)
    assert kept.tables["Leading terms of class 0"][1:][0][0] == "term 0"
    assert kept.text().count(" not significant") == 1  # in the sentence
    plain = written(collection, tmp_path, method="md").text()
    assert "No term is tested for significance, because md is no test." in plain


def test_the_listed_classes(run: Any, tmp_path: Path) -> None:
    collection = letters()
    whole = written(collection, tmp_path)
    some = written(collection, tmp_path, classes=["class 2", "class 0"])
    captions = [caption for caption in some.tables if caption != BEST]
    assert captions == ["Leading terms of class 2", "Leading terms of class 0"]
    for caption in captions:  # Scores compare a class with all others, whatever is listed.
        cells = [[row[:2] for row in page.tables[caption]] for page in (some, whole)]
        assert cells[0] == cells[1]
    assert "Classes that are not listed: 1, with 20 documents." in some.text()
    saved, out = tmp_path / "letters.termsift", tmp_path / "page.html"
    ts.count(collection.X, collection.y, term_names=collection.term_names).save(saved)
    run("report", saved, "-o", out, "--classes", "class 2,class 0", "--max-pvalue", 1)
    assert [c for c in Page(out.read_text("utf-8")).tables if c != BEST] == captions
    assert "no class 'x'" in run("report", saved, "-o", out, "--classes", "x").complaint


def test_the_best_terms(tmp_path: Path) -> None:
    collection = letters()
    page = written(collection, tmp_path)
    counts = ts.count(collection.X, collection.y)
    counts.term_names = collection.term_names
    ranking = counts.rank("g2")
    head, *rows = page.tables[BEST]
    assert head == ["rank", "term", "score", "occurrences", "documents", "dominant class"]
    assert [row[1] for row in rows] == ranking.terms.tolist()
    assert [row[0] for row in rows] == [str(rank) for rank in range(1, 31)]
    occurrences, documents = collection.X.sum(axis=0), (collection.X > 0).sum(axis=0)
    assert [row[3] for row in rows] == [str(n) for n in occurrences[ranking.indices]]
    assert [row[4] for row in rows] == [str(n) for n in documents[ranking.indices]]
    dominant = dominant_class(counts, ranking.indices, "g2")
    shown = ["\N{EN DASH}" if c < 0 else f"class {c}" for c in dominant]
    assert [row[5] for row in rows] == shown


def test_scores_from_a_thousand_on_are_whole(tmp_path: Path) -> None:
    X = np.repeat([[1, 1], [1, 0]], [999, 1], axis=0)
    page = written(ts.count(X, [0, 1] * 500), tmp_path, method="df")
    assert [row[2] for row in page.tables[BEST][1:]] == ["1,000", "999"]


# ---- classes beside one another ----------------------------------------------------------------


def frequencies(page: Page) -> Any:
    """Return the data of the page's chart."""
    (data, _) = (text for tag, text in page.texts if tag == "script")
    return json.loads(data)


def test_the_data_of_the_chart(tmp_path: Path) -> None:
    collection = letters()
    data = frequencies(written(collection, tmp_path))
    X, y = collection.X.toarray(), np.array(collection.y)
    assert sorted(data["terms"]) == sorted(f"term {i}" for i in range(30))
    columns = [int(term.removeprefix("term ")) for term in data["terms"]]
    assert [own["name"] for own in data["classes"]] == ["class 0", "class 1", "class 2"]
    for own in data["classes"]:
        rows = X[y == own["name"]]
        assert own["counts"] == rows.sum(axis=0)[columns].tolist()
        assert own["tokens"] == rows.sum()
    assert data["all"] == {"tokens": X.sum(), "counts": X.sum(axis=0)[columns].tolist()}


def test_two_classes_are_compared_with_each_other(tmp_path: Path) -> None:
    chosen = [
        [text for tag, text in written(letters(n), tmp_path).texts if tag == "option"]
        for n in (2, 3)
    ]
    names = ["class 0", "class 1", "class 2"]
    assert chosen == [[*names[:2], *names[1::-1]], [*names, "all other classes", *names]]


def test_the_chart_of_weighted_counts(tmp_path: Path) -> None:
    collection = letters()
    counts = ts.count(collection.X, collection.y, np.full(60, 1 / 3))
    data = frequencies(written(counts, tmp_path))
    whole = frequencies(written(collection, tmp_path))
    assert data["all"]["tokens"] == pytest.approx(whole["all"]["tokens"] / 3, rel=1e-5)


# ---- passages ----------------------------------------------------------------------------------

TEXTS = ["Bacon and eggs at noon", "Lunch at noon? Bacon!", "Free <b>pills</b>", "A free prize"]
KINDS = ["ham", "ham", "spam", "spam"]


def test_passages_of_the_leading_terms(tmp_path: Path) -> None:
    counts = ts.count_texts(TEXTS, KINDS)
    page = written(counts, tmp_path, k=2, passages=partial(ts.find_passages, TEXTS, KINDS))
    leading = {
        label: ranking.terms.tolist()
        for label, ranking in ts.distinctive_terms(counts, k=2).items()
    }
    found = ts.find_passages(TEXTS, KINDS, leading)
    expected = [p for of_class in found.values() for ps in of_class.values() for p in ps]
    assert [text for tag, text in page.texts if tag == "mark"] == [p.match for p in expected]
    for passage in expected:
        assert passage.before + passage.match + passage.after in page.text()
    assert not page.all("b")
    titles = [text for tag, text in page.texts if tag == "bdi"]
    assert {*leading["ham"], *leading["spam"]} <= {*titles}
    without = written(counts, tmp_path, k=2)
    assert not without.all("details")
    assert without.tables == page.tables


@pytest.mark.parametrize(
    ("pattern", "shown"),
    [
        (r"[#@]?\w+", "<mark>#Ham</mark>-eggs"),
        (r"#(\w+)", "#<mark>Ham</mark>-eggs"),
        (r"#?\w+(?:-\w+)*", "<mark>#Ham-eggs</mark>"),
        (r"(?<=m-)\w+", "#Ham-<mark>eggs</mark>"),
        (r"\w{3}\b", "#<mark>Ham</mark>-eggs"),
    ],
)
def test_marks_are_the_tokens_of_a_pattern(tmp_path: Path, pattern: str, shown: str) -> None:
    texts, kinds, rules = ["We don't eat #Ham-eggs", "a"], ["x", "y"], {"token_pattern": pattern}
    find = partial(ts.find_passages, texts, kinds, **rules)
    written(ts.count_texts(texts, kinds, **rules), tmp_path, k=9, passages=find)
    (page,) = tmp_path.iterdir()
    assert shown in page.read_text(encoding="utf-8")


# ---- what is left out --------------------------------------------------------------------------


def test_a_page_on_counts(run: Any, tmp_path: Path) -> None:
    collection = letters()
    counts = ts.count(collection.X, collection.y)
    counts.term_names = collection.term_names
    saved, out = tmp_path / "letters.termsift", tmp_path / "page.html"
    counts.save(saved)
    complaint = run("report", saved, "--passages", 2, "-o", out).complaint
    assert complaint == f"{saved}: holds no texts, so leave out --passages"
    result = run("report", saved, "-o", out)
    assert (result.code, result.err) == (0, "")
    page = Page(out.read_text("utf-8"))
    of_documents = written(collection, tmp_path)
    for caption in ("Leading terms of class 1", BEST):
        assert page.tables[caption] == of_documents.tables[caption]


def test_documents_of_several_labels(tmp_path: Path) -> None:
    y = sparse.csr_array(np.array([[1, 1], [1, 0], [0, 1], [0, 1]]))
    X = sparse.csr_array(np.array([[3, 0, 1], [2, 0, 0], [0, 2, 1], [0, 3, 1]]))
    page = written(Collection(X, y, None, "letters", ["ham", "spam"]), tmp_path)
    facts = [text for tag, text in page.texts if tag == "dd"]
    assert facts[:5] == ["4", "2", "3", "13", "3.2"]  # Documents of two classes count once.
    # Terms without names have numbers. Four documents prove nothing.
    assert page.tables["Leading terms of ham"][1][0] == "0 not significant"


def test_a_page_is_bounded(tmp_path: Path) -> None:
    page = written(letters(n_classes=200, n_terms=1500, n_docs=1001), tmp_path)
    assert len(page.all("article")) == 24
    assert "Leading terms of class 0" in page.tables  # the first of equally large classes
    assert "Classes that are not listed: 176, with 880 documents." in page.text()
    assert "These are the best 500 of 1,500 terms." in page.text()
    assert len(page.tables[BEST]) == 1 + 500
    data = frequencies(page)
    assert len(data["classes"]) == 24
    assert len(set(data["terms"])) == len(data["terms"]) == 1200
    # The chart has the most distinctive term of each class.
    assert {f"term {c}" for c in range(24)} <= set(data["terms"])


@pytest.mark.parametrize(
    ("X", "labels"),
    [
        ([[1], [2], [1], [0]], list("aabb")),  # A collection of a single term.
        ([[0, 0], [0, 0], [0, 0], [0, 0]], list("aabb")),  # Documents without terms.
        ([[1.5, 0], [0, 2.25], [3, 0], [0, 1]], list("abab")),
        ([[1, 0], [0, 2], [3, 0], [0, 1]], [1, "a", 1, "a"]),
    ],
    ids=["one term", "no tokens", "fractions", "labels of two kinds"],
)
def test_small_collections(tmp_path: Path, X: list[list[float]], labels: list[object]) -> None:
    y = np.array(labels, dtype=object)
    page = written(Collection(sparse.csr_array(X), y, None, "edge"), tmp_path)
    assert "nan" not in re.findall(r"\w+", page.text().lower())
    assert len(page.tables[BEST]) == 1 + len(X[0])


@pytest.mark.parametrize("method", [entry.name for entry in ts.methods()])
def test_every_method_has_a_page(tmp_path: Path, method: str) -> None:
    # Some methods give an infinite score to a term of one class. The term "zebra" never occurs.
    X = sparse.csr_array(np.array([[3, 0, 1, 0], [2, 0, 0, 0], [0, 2, 1, 0], [0, 3, 1, 0]]))
    names = np.array(["bacon", "viagra", "the", "zebra"], dtype=object)
    y = np.array(["ham", "ham", "spam", "spam"], dtype=object)
    page = written(Collection(X, y, names, "letters"), tmp_path, method=method)
    assert "nan" not in re.findall(r"\w+", page.text().lower())
    assert "width:100.0%" in [found.get("style") for found in page.all("span")]
    rows = page.tables[BEST][1:]
    assert {row[1]: row[5] for row in rows}["zebra"] == "\N{EN DASH}"
    assert {row[1]: row[5] for row in rows}["bacon"] == "ham"


# ---- what a page must be -----------------------------------------------------------------------


def test_no_text_becomes_markup(tmp_path: Path) -> None:
    plain = written(letters(n_terms=20), tmp_path)
    collection = letters(n_terms=20)
    assert collection.term_names is not None
    collection.term_names[: len(HOSTILE)] = HOSTILE
    labels = np.array([HOSTILE[int(str(label)[-1])] for label in collection.y], dtype=object)
    hostile = Collection(collection.X, labels, collection.term_names, HOSTILE[1])
    page = written(hostile, tmp_path)
    # Hostile names change the order of the classes, but must not change which elements there are.
    assert sorted(tag for tag, _ in page.elements) == sorted(tag for tag, _ in plain.elements)
    assert all(not name.startswith("on") for _, found in page.elements for name in found)
    terms = [row[1] for row in page.tables[BEST][1:]]
    for term in HOSTILE[:-1]:
        assert term in terms
    assert "bell\ufffd, nul\ufffd, half \ufffd" in terms
    isolated = [text for tag, text in page.texts if tag == "bdi"]
    assert {*HOSTILE[:7]} <= {*isolated}
    assert "\x00" not in page.source
    _, rest = page.source.split('id="frequencies"')
    assert not set("<>&") & set(rest.partition(">")[2].partition("</script>")[0])


def test_it_loads_nothing(tmp_path: Path) -> None:
    page = written(letters(), tmp_path)
    loads = ("src", "srcset", "action", "data", "poster", "background")
    for tag, attributes in page.elements:
        assert tag not in ("link", "iframe", "img", "object", "embed", "base", "form")
        assert not set(attributes) & set(loads)
        assert str(attributes.get("href", "#")).startswith("#")
    style = "".join(text for tag, text in page.texts if tag == "style")
    assert "url(" not in style
    assert "@import" not in style
    data, own = page.all("script")
    assert data["type"] == "application/json"
    assert own == {}
    *_, script = (text for tag, text in page.texts if tag == "script")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    (policy,) = (a["content"] for a in page.all("meta") if "http-equiv" in a)
    expected = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    assert policy == expected  # the browser runs no other script


def test_the_same_input_returns_the_same_bytes(tmp_path: Path) -> None:
    first = written(letters(), tmp_path, n_threads=1)
    assert written(letters(), tmp_path, n_threads=2).source == first.source


def test_wrong_arguments(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("old")
    for options, key, argument in (
        ({"k": 0}, "k_must_be_at_least_1", "k"),
        ({"method": "nonsense"}, "no_method_nonsense", "method"),
    ):
        with raises(ValueError, key, argument=argument):
            write(letters(), path, **options)  # type: ignore[arg-type]
    with raises(TypeError, "counts_must_be_a_classcounts", argument="counts"):
        write_report(np.eye(2), path)  # type: ignore[arg-type]
    with raises(ValueError, "two_classes_with_documents"):
        write(letters(n_classes=1), path)
    assert path.read_text() == "old"


def test_the_command_line(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, page = tmp_path / "a.csv", tmp_path / "a.html"
    table.write_text("label,text\na,größe ship\nb,ball team\n", "utf-8")
    assert run("report", table, "-o", page).code == 0
    assert run("report", table, "-o", "-").out == page.read_text("utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.html"]
    assert "arguments are required: -o/--output" in run("report", table).err
    # Passages have as much text around a term as the command's own option would give.
    text = "ball " + "x" * 30 + " team " + "y" * 80
    table.write_text(f"label,text\na,größe ship\nb,{text}\n", "utf-8")
    (passage,) = ts.find_passages([text], ["b"], ["team"], width=50)["b"]["team"]
    assert (
        passage.before + "<mark>team</mark>" + passage.after in run("report", table, "-o", "-").out
    )
    # A wrong path is refused before the work begins.
    put(monkeypatch, reading_of_counts=None)
    path = tmp_path / "absent" / "page.html"
    complaint = run("report", table, "-o", path).complaint
    assert complaint == f"{path.parent}: no such folder; cannot write page.html"


def test_to_an_open_file(tmp_path: Path) -> None:
    page = StringIO()
    write(letters(), page)
    write(letters(), tmp_path / "page.html")
    assert page.getvalue() == (tmp_path / "page.html").read_text("utf-8")
    with raises(TypeError, "path_must_be_a_str", argument="path"):
        write(letters(), None)  # type: ignore[arg-type]


def test_long_names_are_cut(tmp_path: Path) -> None:
    source = letters()
    names = np.array([f"{'term' * 1250} {i}" for i in range(30)], dtype=object)
    long = replace(source, y=[f"{'class' * 1000} {label}" for label in source.y], term_names=names)
    page = written(long, tmp_path)
    assert max(len(text) for tag, text in page.texts if tag == "bdi") == 120
    whole = {attributes["title"] for attributes in page.all("bdi") if "title" in attributes}
    assert whole >= {*names[:3], *set(long.y)}
