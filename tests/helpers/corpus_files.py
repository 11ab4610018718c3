"""Files of generated documents in the formats of the paper's corpora."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp


def write_corpus(path: Path, n_classes: int) -> None:
    """Write generated documents in the format of Deng Cai's files."""
    rng = np.random.default_rng(n_classes)
    y = np.repeat(np.arange(1, n_classes + 1), 15)
    p = np.exp(rng.standard_normal((n_classes, 2500)))
    fea = [rng.multinomial(600, p[c - 1] / p[c - 1].sum()) for c in y]
    is_test = np.arange(len(y)) % 3 == 0
    parts = {"trainIdx": np.flatnonzero(~is_test) + 1, "testIdx": np.flatnonzero(is_test) + 1}
    path.parent.mkdir(exist_ok=True)
    scipy.io.savemat(path, {"fea": sp.csc_array(np.array(fea, float)), "gnd": y, **parts})
