"""The comparison of lists that describe classes, run on one collection."""

from __future__ import annotations

from pathlib import Path

import pytest

from private import DESCRIBING

pytest.importorskip("sklearn")
pytest.importorskip("mpmath")

import compare
import describing


def test_the_page_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    assert DESCRIBING in describing.METHODS
    marker = describing.MARKER
    compare.around(describing.PAGE, marker)
    demo = describing.load_demo()
    counts = describing.ts.count(demo.X, demo.y)
    counts.term_names = demo.term_names
    monkeypatch.setattr(describing, "collections", lambda: {"Some": counts})
    monkeypatch.setattr(describing, "PAGE", tmp_path / "page.md")
    describing.PAGE.write_text(f"<!-- {marker}: begin -->old<!-- {marker}: end -->")
    describing.main(["--quick"])
    assert "| `g2` | " in capsys.readouterr().out
    describing.main([])
    page = describing.PAGE.read_text("utf-8")
    assert "**Some**" in page
    assert "old" not in page
