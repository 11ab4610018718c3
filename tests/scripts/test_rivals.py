"""The comparison with trained selectors: significance tests, the selectors, a quick run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("sklearn")
pytest.importorskip("mpmath")

import corpora
import rivals
import trials
from corpus_files import write_corpus


def told_apart(n_docs: int = 60) -> tuple[sp.csr_array, np.ndarray]:
    """Return documents of three classes. Each of terms 0, 1 and 2 marks a class, term 0 best."""
    rng = np.random.default_rng(0)
    y = np.arange(n_docs) % 3
    X = rng.poisson(0.5, (n_docs, 12))
    for c, often in enumerate((8, 5, 3)):
        X[:, c] = rng.poisson(np.where(y == c, often, 0.2))
    return sp.csr_array(X), y


def test_mcnemar_is_a_sign_test() -> None:
    ours, theirs = np.array([1] * 6 + [0, 0, 1], bool), np.array([0] * 5 + [1, 1, 0, 1], bool)
    # In 5 documents only our classifier is right, and in 1 only theirs: p = 2 (1 + 6) / 2^6.
    assert rivals.mcnemar(ours, theirs) == pytest.approx(14 / 64)
    assert rivals.mcnemar(theirs, ours) == rivals.mcnemar(ours, theirs)
    assert rivals.mcnemar(ours, ours) == 1


def test_holm_steps_down() -> None:
    # By hand: 0.01 becomes 3 * 0.01, 0.03 becomes 2 * 0.03, and 0.04 must not become less.
    np.testing.assert_allclose(rivals.holm([0.04, 0.01, 0.03]), [0.06, 0.03, 0.06])
    np.testing.assert_allclose(rivals.holm([0.9, 0.8]), [1, 1])
    assert rivals.holm([]).shape == (0,)


@pytest.mark.parametrize("choose", rivals.RIVALS.values(), ids=[*rivals.RIVALS])
def test_trained_selectors_find_the_telling_terms(choose: rivals.Choose) -> None:
    X, y = told_apart()
    terms = choose(X, y, 5)
    assert set(terms[:3]) == {0, 1, 2}
    assert len(set(terms.tolist())) == 5
    np.testing.assert_array_equal(choose(X, y, 5), terms)
    np.testing.assert_array_equal(choose(X, y, 3), terms[:3])


def test_cells_mark_significant_differences() -> None:
    always, never = np.ones((1, 40), bool), np.zeros((1, 40), bool)
    hits = {("a", "naive Bayes", method): always for method in (rivals.OURS, *rivals.OTHERS)}
    hits["a", "naive Bayes", "SVM weights"] = never
    cells = rivals.compared(hits)
    assert cells["a", "naive Bayes", "SVM weights"] == [rivals.Cell(100, True)]
    assert [cell.sign for cell in cells["a", "naive Bayes", "MD"]] == [0]
    assert rivals.losses(cells, [10]) == ""
    hits["a", "naive Bayes", rivals.OURS] = never
    cells = rivals.compared(hits)
    assert [cell.sign for cell in cells["a", "naive Bayes", "L1 path"]] == [-1]
    losses = rivals.losses(cells, [10]).splitlines()
    assert "- L1 path on a with naive Bayes: k = 10 (-100.0)" in losses


def test_classifiers_are_right_on_separable_documents() -> None:
    X, y = told_apart()
    documents = np.arange(60)
    collection = trials.Collection("made up", X, y, [(documents[:40], documents[40:])])
    hits, f1 = rivals.results_of(collection, [3, 12])
    assert len(hits) == len(f1) == 4 * 7
    for of_method in hits.values():
        assert of_method.shape == (2, 20)
        assert of_method.mean() > 0.8
    assert min(of_method.min() for of_method in f1.values()) > 0.6
    assert rivals.macro_f1(f1, [3, 12]).count("/ -") == 2 * 5


def test_the_page_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(corpora, "FOLDER", corpora.FOLDER)  # FOLDER is restored after the test
    monkeypatch.setattr(rivals, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(rivals, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(rivals, "KS", (2, 5, 200))
    before = "before\n\n<!-- rivals: begin -->\n\nold\n\n<!-- rivals: end -->\n\nafter\n"
    rivals.PAGE.write_text(before)
    write_corpus(tmp_path / corpora.FILES["20 Newsgroups"], 6)
    rivals.main([str(tmp_path), "--quick"])
    assert "nan" not in capsys.readouterr().out
    assert rivals.PAGE.read_text() == before
    rivals.main([str(tmp_path)])
    printed, page = capsys.readouterr().out, rivals.PAGE.read_text("utf-8")
    assert "skipped Reuters-10" in printed
    assert "old" not in page
    assert page.startswith("before")
    assert page.endswith("after\n")
    assert "| 20 Newsgroups, naive Bayes" in page
    assert "nan" not in page
