"""Quick runs of the scripts for the pages about wrong labels and about target data."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("mpmath")

import compare
import target_data
import wrong_labels


def test_suspicion_by_hand() -> None:
    log_proba = np.log([[0.5, 0.2, 0.3], [0.1, 0.8, 0.1]])
    found = wrong_labels.suspicion(log_proba, np.array([0, 2]), np.array([2, 4]))
    np.testing.assert_allclose(found, [np.log(0.3 / 0.5) / 2, np.log(8) / 4])


def test_planted_labels_are_wrong() -> None:
    labels, is_wrong = wrong_labels.planted(np.arange(100) % 3, 0.1)
    assert is_wrong.sum() == 10
    assert ((labels != np.arange(100) % 3) == is_wrong).all()


@pytest.mark.parametrize("script", [wrong_labels, target_data])
def test_a_quick_run(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    compare.around(script.PAGE, script.MARKER)
    if script is target_data:  # the DSIR package may not be installed
        monkeypatch.setitem(script.WAYS, "DSIR", script.by_termsift)
    script.main(["--quick"])
    shown = capsys.readouterr().out
    assert "made up" in shown
    assert "nan" not in shown
