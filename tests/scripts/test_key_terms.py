"""The comparison of key terms: measures against manual results, and a run on a small corpus."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("sklearn")
pytest.importorskip("mpmath")

import compare
import corpora
import key_terms
import termsift as ts


def test_the_measures_by_hand() -> None:
    X = sp.csr_array([[1, 1, 0], [1, 0, 1]])
    cut = key_terms.Cut(
        corpora.Split(X, np.array([1, 2]), X, np.array([1, 2])), ["the", "ox", "ax"]
    )
    # Both classes list term 0, a stop word in both documents. In the test documents, terms 1 and 2
    # occur only in the class that lists them.
    found = key_terms.measures(cut, [np.array([0, 1]), np.array([0, 2])], ts.count(X, [1, 2]))
    assert found == (2 / 4, 3 / 4, 2 / 4)


def test_the_table_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    compare.around(key_terms.PAGE, key_terms.MARKER)
    monkeypatch.setattr(corpora, "FOLDER", corpora.FOLDER)  # FOLDER is restored after the test
    monkeypatch.setattr(key_terms, "library", lambda name: Path(key_terms.__file__).parents[1])
    monkeypatch.setattr(key_terms, "PAGE", tmp_path / "page.md")
    marker = key_terms.MARKER
    key_terms.PAGE.write_text(f"<!-- {marker}: begin -->old<!-- {marker}: end -->")
    (tmp_path / "r8_text").mkdir()
    lines = [f"{word}\t{word} and {word} {i}" for i in range(12) for word in ("ship", "grain")]
    for name in ("train.txt", "test.txt"):
        (tmp_path / "r8_text" / name).write_text("\n".join(lines))
    key_terms.main([str(tmp_path)])
    assert "skipped TREC" in capsys.readouterr().out
    page = key_terms.PAGE.read_text("utf-8")
    assert "| `lrc_docs` " in page
    assert "old" not in page
