"""The paper's experiments: the parts that compute verdicts, and a quick run."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("mpmath")

from sklearn.metrics import accuracy_score, f1_score

import claims
import corpora
import recommend
import reproduce
import synthetic
import trials
from corpus_files import write_corpus


def test_metrics_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    truth, answers = rng.integers(0, 4, 50), rng.integers(0, 5, (3, 50))
    weights = trials.resampled(50, 4)
    assert (weights[0] == 1).all()
    assert (weights.sum(axis=1) == 50).all()
    found = trials.metrics(truth, answers, weights)
    for (row, k), accuracy in np.ndenumerate(found["accuracy"]):
        drawn = np.repeat(np.arange(50), weights[row].astype(int))
        y, asked = truth[drawn], answers[k, drawn]
        assert accuracy == pytest.approx(accuracy_score(y, asked))
        f1 = f1_score(y, asked, average="weighted", zero_division=0)
        assert found["F1"][row, k] == pytest.approx(f1)


@pytest.mark.parametrize(
    ("judge", "signs", "verdict"),
    [
        (claims.better, [1, 1], claims.HOLDS),
        (claims.better, [1, 1, -1], claims.PARTLY),
        (claims.better, [1, 0, -1], claims.FAILS),
        (claims.best, [1, 1, -1], claims.FAILS),
        (claims.best, [1, 0, 1], claims.HOLDS),
        (claims.best, [1, 0], claims.PARTLY),
        (claims.no_worse, [0, 0], claims.HOLDS),
        (claims.no_worse, [0, -1], claims.FAILS),
        (claims.usually_no_worse, [0, 1, -1], claims.HOLDS),
        (claims.usually_no_worse, [1, -1], claims.FAILS),
    ],
)
def test_verdicts(judge: claims.Judge, signs: list[int], verdict: str) -> None:
    assert judge(signs) == verdict


def test_the_recommended_is_the_nearest_of_the_best() -> None:
    rng = np.random.default_rng(0)
    best = recommend.Choice("chi2", "multinomial", "round_robin", "binary")
    near = recommend.PAPERS._replace(policy="round_robin")
    means = {recommend.PAPERS: 0.5, best: 0.8, near: 0.7999}
    folds = {choice: mean + 0.01 * rng.standard_normal((10, 2)) for choice, mean in means.items()}
    assert recommend.choose({"a": folds}) == near
    means[near] = 0.7
    folds = {choice: mean + 0.01 * rng.standard_normal((10, 2)) for choice, mean in means.items()}
    assert recommend.choose({"a": folds, "b": folds}) == best


def test_similar_classes_share_their_first_terms() -> None:
    shape = synthetic.Shape(n_classes=3, n_terms=100, k=10, spread=0.001, repetitions=5)
    assert synthetic.shared(shape) == 1
    assert synthetic.shared(replace(shape, spread=2.0)) < 1


@pytest.fixture(params=["made up", "nothing"])
def data(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """Return the arguments that name the folder of the corpora."""
    if request.param == "nothing":
        return [str(tmp_path)]
    write_corpus(tmp_path / corpora.FILES["20 Newsgroups"], 20)
    write_corpus(tmp_path / corpora.FILES["Reuters"], 30)
    write_corpus(tmp_path / "TDT2.mat", 11)
    return [str(tmp_path), "--tdt2", str(tmp_path / "TDT2.mat")]


@pytest.mark.full
def test_the_experiments_run(
    data: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(corpora, "FOLDER", corpora.FOLDER)  # FOLDER is restored after the test
    folder = tmp_path / "report"
    reproduce.main([*data, "--quick", "--output", str(folder)])
    text = (folder / "paper.md").read_text("utf-8")
    shown = set(re.findall(r"\((\w+\.svg)\)", text))
    assert shown == {path.name for path in folder.glob("*.svg")}
    assert "nan" not in text
    assert "## Many documents" in text
    nothing = len(data) == 1
    assert ("## The claims" in text) != nothing
    assert ("The recommended combination is" in text or "MD is recommended" in text) != nothing
    assert f"| {claims.UNKNOWN} |" not in text
    assert shown == (set() if nothing else {"figure_1.svg", "gain.svg"})
