"""What is imported, and when."""

from __future__ import annotations

import subprocess
import sys
import textwrap


def test_no_call_imports_a_part_of_numpy_or_scipy() -> None:
    # OpenBLAS, which parts of scipy load, waits forever if it gets no memory. When a call begins,
    # the collection may have taken all memory.
    code = """
    import sys, tempfile, numpy as np, scipy.sparse as sp, termsift, termsift as ts
    X = sp.csr_array(np.random.default_rng(0).poisson(0.5, (60, 40)))
    y = np.arange(60) % 3
    before = set(sys.modules)
    counts = ts.count(X, y)
    termsift._scores.class_terms.class_columns(counts, "chi2", 3)
    for method in ts.methods():
        ranking = counts.rank(method.name)
        if method.is_test:
            counts.significance(method.name)
    counts.rank("md", policy="round_robin")
    counts.greedy(5)
    ts.conditional_gain(X, y, k=5)
    ts.cross_validate(X, y, "md", [5], cv=2)
    ts.selection_curve(ranking, X, y, X, y, [5])
    ts.choose_k(X, y, "md", cv=2)
    with tempfile.TemporaryDirectory() as folder:
        counts.save(f"{folder}/c.termsift")
        ts.load(f"{folder}/c.termsift")
        with open(f"{folder}/c.svm", "w") as file:
            file.write("1 1:2\\n2 2:1\\n")
        ts.count(ts.scan(f"{folder}/c.svm"))
        with open(f"{folder}/c.txt", "w") as file:
            file.write("ham\\tbacon\\nspam\\tpills\\n")
        ts.count(ts.scan(f"{folder}/c.txt"))
    print(*sorted(m for m in set(sys.modules) - before if m.startswith(("numpy", "scipy"))))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "\n"), done
