"""The comparison of lists that describe classes: its parts, and a quick run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("sklearn")
pytest.importorskip("mpmath")

import compare
import corpora
import describing
from corpus_files import write_corpus
from termsift._scores.registry import DESCRIBING


def test_the_measures_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(describing, "COMMON", 1)
    X = sp.csr_array([[4, 0, 1], [4, 0, 1], [0, 4, 1], [0, 4, 1]])
    unseen = sp.csr_array([[3, 0, 0], [4, 1, 0]])
    split = corpora.Split(X, np.array([1, 1, 2, 2]), unseen, np.array([1, 2]))
    # Class 1 lists term 0 and class 2 term 1. Of the 3 and 5 unseen occurrences, class 1 has 3 of
    # term 0, and class 2 has 4. Term 1 occurs once, in class 2.
    ratios = np.log2([3.5 / 3.5 * 5.5 / 4.5, 1.5 / 5.5 * 3.5 / 0.5])
    common, less, mean = describing.measures(split, "g2")
    assert (common, less) == (0, 0)
    assert mean == pytest.approx(ratios.mean())


def test_the_page_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    assert DESCRIBING in describing.METHODS
    for marker in describing.MARKERS:
        compare.around(describing.PAGE, marker)
    monkeypatch.setattr(corpora, "FOLDER", corpora.FOLDER)  # restores what the run sets
    demo = describing.load_demo()
    counts = describing.ts.count(demo.X, demo.y)
    counts.term_names = demo.term_names
    monkeypatch.setattr(describing, "collections", lambda: {"Some": counts})
    monkeypatch.setattr(describing, "PAGE", tmp_path / "page.md")
    places = [f"<!-- {m}: begin -->old<!-- {m}: end -->" for m in describing.MARKERS]
    describing.PAGE.write_text("\n".join(places))
    write_corpus(tmp_path / corpora.FILES["20 Newsgroups"], 6)
    describing.main(["--quick"])
    assert "| `g2` | " in capsys.readouterr().out
    describing.main([str(tmp_path)])
    page = describing.PAGE.read_text("utf-8")
    assert "skipped R8" in capsys.readouterr().out
    assert "**Some**" in page
    assert "| 20 Newsgroups, short classes |" in page
    assert "old" not in page
    assert "nan" not in page
