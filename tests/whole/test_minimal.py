"""A short test of a wheel that needs few packages.

Guards: the wheel as a whole.
"""

from __future__ import annotations

import platform
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import termsift as ts
from termsift.report import write_report

X = sp.csr_array(np.array([[3, 1, 0, 0], [1, 2, 0, 0], [0, 1, 4, 0]]))
Y = ["ham", "ham", "spam"]


def test_counts() -> None:
    counts = ts.count(X, Y)
    assert counts.classes == ["ham", "spam"]
    assert counts.term_frequency.toarray().tolist() == [[4, 3, 0, 0], [0, 1, 4, 0]]
    assert counts.document_frequency.toarray().tolist() == [[2, 2, 0, 0], [0, 1, 1, 0]]
    assert counts.class_docs.tolist() == [2, 1]
    assert counts.class_tokens.tolist() == [7, 5]
    assert (counts.n_docs, counts.n_classes, counts.n_terms) == (3, 2, 4)


def test_scores_equal_the_reference(method: str) -> None:
    counts = ts.count(X, Y)
    expected = ts.reference.score(ts.reference.count(X, Y), method)
    np.testing.assert_allclose(counts.score(method), expected, rtol=1e-13)


def test_ranking() -> None:
    ranking = ts.count(X, Y).rank("md", k=2)
    assert ranking.indices.tolist() == [2, 0]
    assert ranking.scores[0] >= ranking.scores[1] > 0


def test_report(tmp_path: Path) -> None:
    write_report(ts.count(X, Y), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "<bdi>spam</bdi>" in page
    assert page.endswith("</html>\n")


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match=r"-1 at row 0, column 1"):
        ts.count(np.array([[0, -1]]), ["ham"])


def test_several_threads_return_the_same_bits() -> None:
    rng = np.random.default_rng(0)
    big = sp.csr_array(rng.poisson(0.2, (400, 3000)))
    labels = rng.integers(0, 7, 400)
    one, many = (ts.count(big, labels, n_threads=n) for n in (1, 4))
    assert one == many
    assert one.score("md", n_threads=1).tobytes() == many.score("md", n_threads=4).tobytes()


def test_show_versions(capsys: pytest.CaptureFixture[str]) -> None:
    ts.show_versions()
    printed = capsys.readouterr().out
    assert ts.__version__ in printed
    assert "threads set by: " in printed
    assert f"python: {platform.python_version()}\n" in printed
