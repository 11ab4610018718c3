"""A call that gets no more memory raises MemoryError, changes nothing, and works afterwards.

Guards: the core's allocations and cpp/bindings, as called from Python. tests/core lets each
allocation of the core fail; here the system refuses memory to the whole process.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

# Memory that is freed goes back to the system, so that each call has to ask for it again.
UNCACHED = {
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": "16384",
    "MALLOC_TRIM_THRESHOLD_": "0",
    "MALLOC_TOP_PAD_": "0",
}

# Each call runs with less and less memory beyond what the process has, until it succeeds.
CODE = """
    import resource, sys
    import numpy as np, scipy.sparse as sp, termsift as ts

    n_threads = int(sys.argv[1])
    rng = np.random.default_rng(0)
    X = sp.random_array((3000, 40_000), density=0.003, random_state=rng, format="csr")
    X.data = rng.integers(1, 9, X.nnz)
    y = rng.integers(0, 40, 3000)
    words = np.array([f"word{i}" for i in range(30_000)])
    texts = [" ".join(words[rng.integers(0, 30_000, 200)]) for _ in range(1500)]
    labels = rng.integers(0, 9, 1500)
    counts = ts.count(X, y)
    saved = counts.to_bytes()
    unlimited = resource.getrlimit(resource.RLIMIT_AS)
    calls = {
        "count": lambda: ts.count(X, y, n_threads=n_threads),
        "merge": lambda: counts + counts,
        "columns": lambda: ts.count(X.tocsc(), y, n_threads=n_threads),
        "score": lambda: counts.score("md", n_threads=n_threads),
        "class scores": lambda: counts.class_scores("md", n_threads=n_threads),
        "rank": lambda: counts.rank("g2", n_threads=n_threads).indices,
        "greedy": lambda: counts.greedy(50, n_threads=n_threads).indices,
        "gain": lambda: ts.conditional_gain(X, y, k=5, n_threads=n_threads).indices,
        "bayes": lambda: counts.naive_bayes().predict(X),
        "texts": lambda: ts.count_texts(texts, labels, n_threads=n_threads),
        "load": lambda: ts.load(saved),
    }

    def used():
        return int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()

    def same(a, b):
        return a == b if isinstance(a, ts.ClassCounts) else bool((np.asarray(a) == b).all())

    for name, call in calls.items():
        expected, n_failed = call(), 0
        for more in (0, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28):
            print(name, more, file=sys.stderr, flush=True)
            found = None
            resource.setrlimit(resource.RLIMIT_AS, (used() + more, unlimited[1]))
            try:
                found = call()
            except MemoryError:
                n_failed += 1
            finally:
                resource.setrlimit(resource.RLIMIT_AS, unlimited)
            assert found is None or same(found, expected), (name, more)
            found = None
            assert same(call(), expected), (name, more)
        assert counts.to_bytes() == saved, name
        print(name, n_failed)
"""


@pytest.mark.parametrize("n_threads", [1, 2])
def test_each_call_with_little_memory(n_threads: int, tmp_path: Path) -> None:
    code = tmp_path / "code.py"
    code.write_text(textwrap.dedent(CODE))
    done = subprocess.run(
        [sys.executable, str(code), str(n_threads)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, **UNCACHED},
    )
    assert done.returncode == 0, f"{done.returncode} in {done.stderr[-500:]}"
    failed = dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())
    assert len(failed) == 11
    assert sum(map(int, failed.values())) > 5
