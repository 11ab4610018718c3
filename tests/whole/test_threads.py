"""Threads, forks and interruptions, also in processes that have other threads.

Guards: cpp/src/base/parallel.cpp, and _util/waiting.py.
"""

from __future__ import annotations

import functools
import os
import pickle
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp

import termsift as ts
from private import _core, core_of
from signals import interrupting, needs_timers


@functools.cache
def collection(
    n_docs: int = 1500, n_terms: int = 4000, kind: str = "int"
) -> tuple[sp.csr_array, np.ndarray]:
    rng = np.random.default_rng(n_docs)
    X = sp.random_array((n_docs, n_terms), density=0.02, random_state=rng, format="csr")
    X.data = rng.integers(1, 9, X.nnz) if kind == "int" else X.data
    return X, rng.integers(0, 11, n_docs)


@pytest.mark.parametrize("kind", ["int", "float"])
@pytest.mark.parametrize("layout", ["sorted", "unsorted"])
@pytest.mark.parametrize("n_threads", [2, 3, 7])
@pytest.mark.usefixtures("counting_path")
def test_counts_do_not_depend_on_threads(kind: str, layout: str, n_threads: int) -> None:
    X, y = collection(n_docs=6000, kind=kind)
    assert X.nnz > 7 * 2**16  # fewer entries would not use seven threads
    if layout == "unsorted":
        X = X.copy()
        X.indices = np.random.default_rng(0).permutation(X.indices)  # duplicates too
    assert ts.count(X, y, n_threads=n_threads) == ts.count(X, y, n_threads=1)


def run(code: str, **environment: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


needs_openmp = pytest.mark.skipif(
    _core.openmp_version() == "none", reason="built without OpenMP, whose settings are not read"
)


@needs_openmp
def test_omp_num_threads_is_respected() -> None:
    code = "from termsift import _core; print(_core.effective_n_threads(0))"
    assert run(code, OMP_NUM_THREADS="1") == "1"
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert 1 <= int(run(code, OMP_NUM_THREADS="64")) <= available  # a quota may allow fewer


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="only Linux limits a process")
def test_the_processors_of_the_process_are_respected() -> None:
    code = (
        "import os; os.sched_setaffinity(0, list(os.sched_getaffinity(0))[:1])\n"
        "from termsift import _core; print(_core.effective_n_threads(0))"
    )
    assert run(code) == "1"


@needs_openmp
def test_threadpoolctl_is_respected() -> None:
    threadpoolctl = pytest.importorskip("threadpoolctl")
    with threadpoolctl.threadpool_limits(limits=1, user_api="openmp"):
        assert _core.effective_n_threads(0) == 1


@needs_openmp
@pytest.mark.parametrize(
    ("chosen", "policy"),
    [({}, "PASSIVE"), ({"OMP_WAIT_POLICY": "active"}, "ACTIVE"), ({"GOMP_SPINCOUNT": "7"}, "7")],
)
def test_waiting_threads_sleep_unless_the_user_has_decided(
    chosen: dict[str, str], policy: str
) -> None:
    # GNU's OpenMP runtime prints its settings when the runtime is loaded.
    names = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")
    environment = {name: value for name, value in os.environ.items() if name not in names}
    environment |= {"OMP_DISPLAY_ENV": "verbose"} | chosen
    command = [sys.executable, "-c", "import termsift"]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    if "GOMP_SPINCOUNT" not in result.stderr:
        pytest.skip("another runtime than GNU's")
    assert f"{next(iter(chosen), 'OMP_WAIT_POLICY')} = '{policy}'" in result.stderr


@needs_openmp
@pytest.mark.parametrize(("chosen", "size"), [({}, 2**20), ({"OMP_STACKSIZE": "3M"}, 3 * 2**20)])
def test_threads_have_room_for_python_under_musl(chosen: dict[str, str], size: int) -> None:
    code = """
    from importlib.machinery import EXTENSION_SUFFIXES
    EXTENSION_SUFFIXES.append(".linux-musl.so")
    import termsift
    """
    environment = {name: v for name, v in os.environ.items() if not name.endswith("STACKSIZE")}
    environment |= {"OMP_DISPLAY_ENV": "verbose"} | chosen
    command = [sys.executable, "-c", textwrap.dedent(code)]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    if "GOMP_SPINCOUNT" not in result.stderr:
        pytest.skip("another runtime than GNU's")
    assert f"OMP_STACKSIZE = '{size}'" in result.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="the stacks of Linux")
def test_threads_of_small_stacks_have_room_for_python() -> None:
    # New threads have stacks of the soft limit, of which termsift makes at least 1 MiB.
    code = """
    import resource, subprocess, sys
    limits = 256 << 10, resource.getrlimit(resource.RLIMIT_STACK)[1]
    count = "ts.count_texts(['a bb ' * 99] * 9999, ['x'] * 9999, n_threads=2)"
    command = [sys.executable, "-c", f"import termsift as ts; print({count}.n_docs)"]
    limit = lambda: resource.setrlimit(resource.RLIMIT_STACK, limits)
    sys.exit(subprocess.run(command, preexec_fn=limit).returncode)
    """
    assert run(code) == "9999"


def test_the_environment_is_left_alone() -> None:
    code = """
    import os
    from importlib.machinery import EXTENSION_SUFFIXES
    EXTENSION_SUFFIXES.append(".linux-musl.so")
    before = dict(os.environ)
    import termsift, numpy as np
    termsift.md(np.eye(3, dtype=int), [0, 1, 1])
    print(before == dict(os.environ))
    """
    assert run(code) == "True"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_system_that_allows_no_more_threads() -> None:
    if _core.compiler().startswith("Clang") and _core.openmp_version() != "none":
        pytest.skip("LLVM's OpenMP needs more memory than our test of the threads takes")
    # Memory only suffices for the stacks of a few threads. OpenMP alone would end the process.
    code = """
    import resource, numpy as np, scipy.sparse as sp, termsift as ts
    X = sp.csr_array(np.random.default_rng(0).poisson(1.0, (600, 2000)))
    y = np.arange(600) % 9
    expected = ts.count(X, y, n_threads=1)
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (used + (40 << 20), most))
    print(ts.count(X, y, n_threads=8) == expected)
    """
    assert run(code) == "True"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_works() -> None:
    # A child has none of its parent's OpenMP threads, and must not wait for them.
    code = """
    import os, numpy as np, scipy.sparse as sp, termsift as ts
    X = sp.csr_array(np.random.default_rng(0).poisson(0.5, (300, 2000)))
    y = np.arange(300) % 9
    before = ts.count(X, y, n_threads=2)
    scores = before.score("md", n_threads=2)
    child = os.fork()
    if child == 0:
        same = ts.count(X, y, n_threads=2) == before
        same &= bool((before.score("md", n_threads=2) == scores).all())
        os._exit(0 if same else 1)
    print(os.waitpid(child, 0)[1])
    """
    assert run(code, PYTHONWARNINGS="ignore") == "0"


@needs_timers
@pytest.mark.usefixtures("counting_path")
@pytest.mark.parametrize("n_threads", [1, 2])
def test_ctrl_c_stops_and_changes_nothing(n_threads: int) -> None:
    X, y = collection(n_docs=4000)
    counts = ts.count(X, y)
    before = counts + ts.count(X[:0], y[:0])

    def forever() -> None:
        while True:  # until the signal interrupts a call
            core_of(counts).merge(core_of(counts), n_threads)
            ts.count(X, y, n_threads=n_threads)

    with pytest.raises(KeyboardInterrupt), interrupting(0.1):
        forever()
    assert counts == before


@needs_timers
@pytest.mark.parametrize("n_threads", [1, 2])
def test_ctrl_c_stops_within_a_call(n_threads: int) -> None:
    # A single call takes a second or more: 5,000 classes each have a few of 200,000 terms, and
    # without smoothing every pair of a class and a term is read.
    n_classes, n_terms = 5000, 200_000
    X = sp.csr_array(
        (
            np.ones(40 * n_classes, dtype=np.int64),
            np.random.default_rng(0).integers(0, n_terms, 40 * n_classes),
            np.arange(n_classes + 1) * 40,
        ),
        shape=(n_classes, n_terms),
    )
    counts = ts.count(X, np.arange(n_classes))
    with pytest.raises(KeyboardInterrupt), interrupting(0.2):
        counts.score("md", alpha=0.0, n_threads=n_threads)


def test_calls_at_the_same_time_have_their_own_windows() -> None:
    # A window of 32 MiB or more is kept for the next call. Simultaneous calls must not share it.
    n, length = 9_000, 1_000
    X = sp.csr_array(
        (
            np.ones(n * length, np.int8),
            np.tile(np.arange(length, dtype=np.int32), n),
            np.arange(n + 1) * length,
        )
    )
    labels = [np.arange(n) % k for k in (2, 3, 5)]
    expected = [np.bincount(y) for y in labels]
    with ThreadPoolExecutor(3) as pool:
        for _ in range(2):
            results = pool.map(lambda y: ts.count(X, y, n_threads=1), labels)
            for counts, n_docs in zip(results, expected, strict=True):
                assert (counts.term_frequency.toarray() == n_docs[:, None]).all()


def test_exit_while_a_daemon_thread_counts() -> None:
    # The process must not crash if a thread waits for the GIL while the interpreter exits.
    code = """
    import threading, time, numpy as np, scipy.sparse as sp, termsift as ts
    ts._core.default_window_bytes = 1 << 16
    n = 20_000
    indices = np.random.default_rng(0).integers(0, 2000, 10 * n, dtype=np.int32)
    X = sp.csr_array((np.ones(10 * n, np.int32), indices, np.arange(n + 1) * 10), shape=(n, 2000))
    y = np.arange(n) % 7
    def count():
        while True:
            ts.count(X, y)
    for _ in range(2):
        threading.Thread(target=count, daemon=True).start()
    time.sleep(0.1)
    print("done")
    """
    assert run(code) == "done"


def test_who_reads_while_others_update_has_all_of_before_or_after() -> None:
    # Each update adds a class. So the test fails if a reader gets counts of one moment with the
    # classes of another moment.
    X, _ = collection(n_docs=60)
    counts = ts.count(X[:2], [0, 1])
    stop = threading.Event()
    wrong: list[object] = []

    def read() -> None:
        while not stop.is_set():
            try:
                copy = pickle.loads(pickle.dumps(counts))
                total = counts + copy
                assert len(copy.classes) == copy.term_frequency.shape[0] == copy.n_docs
                assert total.n_docs >= 2 * copy.n_docs
                assert len(total.classes) == total.term_frequency.shape[0]
                counts.score("md", n_threads=1)
            except Exception as error:
                wrong.append(error)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for d in range(2, 60):
        counts.update(X[d : d + 1], [d])
    stop.set()
    for reader in readers:
        reader.join()
    assert wrong == []
    assert counts == ts.count(X, np.arange(60))


def test_who_updates_waits_for_the_update_of_another_thread() -> None:
    """Otherwise the documents of one of the two would be lost."""
    counts = ts.count([[1]], ["a"])
    other = threading.Thread(target=counts.update, args=([[2]], ["b"]))

    def labels() -> Iterator[str]:  # are read in the middle of an update
        other.start()
        other.join(0.2)
        yield "c"

    counts.update([[4]], labels())
    other.join()
    assert counts == ts.count([[1], [2], [4]], ["a", "b", "c"])


@pytest.mark.full(cases=1)
@pytest.mark.parametrize("order", ["sklearn, termsift", "termsift, sklearn"])
def test_beside_another_openmp_runtime(order: str) -> None:
    pytest.importorskip("sklearn")
    code = f"""
    import {order.replace("sklearn", "sklearn.cluster")}
    import numpy as np, scipy.sparse as sp, sklearn.cluster, termsift as ts
    X = sp.csr_array(np.random.default_rng(0).poisson(0.5, (300, 2000)))
    y = np.arange(300) % 9
    before = ts.count(X, y, n_threads=2)
    sklearn.cluster.KMeans(3, n_init=1, random_state=0).fit(X[:, :20].toarray().astype(float))
    print(ts.count(X, y, n_threads=2) == before)
    """
    assert run(code) == "True"
