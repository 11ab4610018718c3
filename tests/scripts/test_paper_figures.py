"""The paper's figures by one command: with all files, with some of them, and with none."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("sklearn")
pytest.importorskip("mpmath")

import claims
import corpora
import paper_figures
import reproduce
import trials
from corpus_files import write_corpus

FIGURES = [*reproduce.FIGURES]


@pytest.fixture
def data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return an empty folder for the corpora."""
    monkeypatch.setattr(corpora, "FOLDER", tmp_path)
    return tmp_path


def write(data: Path, corpus: str, n_classes: int) -> None:
    write_corpus(data / corpora.FILES[corpus], n_classes)


def test_each_missing_file_is_named_with_the_figures_that_need_it(data: Path) -> None:
    write(data, "Reuters", 30)
    news, reuters, tdt2 = paper_figures.needed(None)
    assert [each.is_there for each in (news, reuters, tdt2)] == [False, True, False]
    assert news.figures == ["Figure 1", "Figure 2"]
    assert reuters.figures == ["Figure 3", "Figure 5"]
    assert tdt2.figures == ["Figure 4"]
    assert "20Newsgroups.mat" in str(news)
    assert "no claim about Figure 1 and Figure 2 can be tested" in str(news)
    assert str(reuters).endswith("found.")
    assert "--tdt2" in str(tdt2)
    assert paper_figures.needed(data / "TDT2.mat")[-1].is_there


def test_a_quick_run_has_every_eighth_document() -> None:
    X, y = sp.csr_array(np.eye(40, dtype=int)), np.arange(40) % 2
    folds = [(np.arange(32), np.arange(32, 40)), (np.arange(8, 40), np.arange(8))]
    part = paper_figures.part(trials.Collection("made up", X, y, folds))
    found = [(train.tolist(), test.tolist()) for train, test in part.folds]
    assert found == [([0, 8, 16, 24], [32]), ([8, 16, 24, 32], [0])]


def run(data: Path, *more: str) -> tuple[str, set[str]]:
    """Return the page of a quick run, and the names of its figures."""
    pytest.importorskip("matplotlib")
    folder = data / "figures"
    paper_figures.main([str(data), "--quick", "--output", str(folder), *more])
    text = (folder / paper_figures.PAGE).read_text("utf-8")
    shown = set(re.findall(r"\((\w+\.svg)\)", text))
    assert shown == {path.name for path in folder.glob("*.svg")}
    assert str(data) not in text
    assert "nan" not in text
    return text, shown


def test_without_files_every_claim_says_why_it_cannot_be_tested(
    data: Path, capsys: pytest.CaptureFixture
) -> None:
    text, shown = run(data)
    assert shown == set()
    n_claims = len(claims.claims(claims.Results(), {}))
    assert text.count(f"| {claims.UNKNOWN} |") == n_claims
    assert text.count(f": **{claims.UNKNOWN}.**\n\nThe collection ") == n_claims
    assert text.count("cannot be drawn") == len(FIGURES)
    assert capsys.readouterr().out.count("missing. Without it") == 3


@pytest.mark.full
def test_with_all_files_each_figure_stands_beside_its_claims(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paper_figures, "EVERY", 1)  # the files are small
    write(data, "20 Newsgroups", 20)
    write(data, "Reuters", 30)
    write_corpus(data / "TDT2.mat", 11)
    text, shown = run(data, "--tdt2", str(data / "TDT2.mat"))
    assert shown == {f"{figure.lower().replace(' ', '_')}.svg" for figure in FIGURES}
    assert claims.UNKNOWN not in text
    assert "cannot be drawn" not in text
    for figure in FIGURES:
        section = text.split(f"\n## {figure}\n")[1].split("\n## ")[0]
        assert section.startswith(f"\n![{figure}]")
        assert re.search(r"\d", section.split("**", 2)[2])  # our numbers
        assert text.count(f"| {figure} | ") == section.count('": **')
