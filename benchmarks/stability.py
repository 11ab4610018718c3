"""Compare the stability of rankings of a half of 20 Newsgroups with the ranking of the other half.

    python benchmarks/stability.py

The script prints the table of docs/evaluation.md: means over four random cuts into halves. For the
training documents, it also prints the time of `ts.stability` and the number of terms above its
floor. `benchmarks/corpora.py` describes where the documents are.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp

import corpora
import termsift as ts
from compare import markdown

K, CUTS = 200, 4
RANKERS: dict[str, dict[str, Any]] = {
    "`md`": {"method": "md"},
    "`md`, binary": {"method": "md", "model": "binary"},
    "`chi2`": {"method": "chi2"},
    "`ig`": {"method": "ig"},
}
ROWS = (
    "`overlap` of two samples",
    "overlap of the two halves",
    "terms with a probability of at least 0.9",
    "of these, among the first 200 of the other half",
    "the same for probabilities from 0.5 to 0.9",
    "the same for probabilities below 0.5",
    "ranks in the other half from `rank_low` to `rank_high`",
)


def of_halves(X: Any, y: Any, seed: int, options: dict[str, Any]) -> list[float]:
    """Return a value for each of `ROWS`, for one cut of the documents."""
    order = np.random.default_rng(seed).permutation(len(y))
    here, there = order[::2], order[1::2]
    found = ts.stability(X[here], y[here], k=K, n_threads=1, **options)
    others = np.argsort(ts.count(X[there], y[there]).rank(**options).indices) + 1
    ranks, p = others[found.ranking.indices], found.probability
    is_first = ranks <= K
    sure, likely, doubtful = p >= 0.9, (p >= 0.5) & (p < 0.9), p < 0.5
    within = (ranks >= found.rank_low) & (ranks <= found.rank_high)
    shares = [is_first[group].mean() for group in (sure, likely, doubtful)]
    return [found.overlap, is_first.mean(), sure.sum(), *shares, within.mean()]


def main() -> None:
    """Print the table, and what the training documents give."""
    split = corpora.newsgroups()
    X = sp.csr_array(sp.vstack([split.X_train, split.X_test]))
    y = np.concatenate([split.y_train, split.y_test])
    columns = [
        np.mean([of_halves(X, y, cut, options) for cut in range(CUTS)], axis=0)
        for options in RANKERS.values()
    ]
    rows = [
        [name, *(f"{value:.0f}" if value > 1 else f"{value:.0%}" for value in values)]
        for name, values in zip(ROWS, np.transpose(columns), strict=True)
    ]
    print(markdown(["", *RANKERS], rows))
    for method in ("md", "chi2"):
        times = []
        for _ in range(3):
            start = perf_counter()
            found = ts.stability(split.X_train, split.y_train, method, K, n_threads=1)
            times.append(perf_counter() - start)
        scores = ts.count(split.X_train, split.y_train).score(method)
        above = np.count_nonzero(scores > found.floor)
        print(f"{method}: {min(times):.2f} s, {above:,} of {len(scores):,} terms above the floor")


if __name__ == "__main__":
    main()
