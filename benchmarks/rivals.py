"""Compare guided gain with conditional gain and with selectors that train a classifier.

    python benchmarks/rivals.py [DATA] [--tdt2 FILE] [--quick]

The script writes the tables of docs/rivals.md. With ``--quick`` it prints a few tables instead.
`benchmarks/corpora.py` describes the folder DATA of the corpora. Missing corpora are skipped. The
trained selectors take a minute per collection, so their choices are cached in the folder
TERMSIFT_CACHE (`benchmarks/workloads.py`).
"""

from __future__ import annotations

import argparse
import warnings
import zlib
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy
import scipy.sparse as sp
import sklearn
from numpy.typing import NDArray
from scipy.stats import binomtest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC, l1_min_c

import corpora
import termsift as ts
from compare import ROOT, markdown, put_between
from reproduce import collections, described
from trials import Collection, Estimate, Ints, listed, ranked
from workloads import CACHE

MARKER = "rivals"
PAGE = ROOT / "docs" / "rivals.md"
KS = (10, 20, 50, 100, 200, 500, 1000, 2000)
QUICK_KS = (10, 200)
OURS = "guided gain"
MANY = 200  # At least 200 terms count as many.
SURE = 0.05  # Significance level of all comparisons with one rival together.
STEPS = 5  # Number of values of C per factor of ten on the L1 path.

Bools = NDArray[np.bool_]
Choose = Callable[[sp.csr_array, Ints, int], Ints]  # a function that chooses k terms


# ---- rankings ------------------------------------------------------------------------------------


def damped(X: sp.csr_array) -> sp.csr_array:
    """Return log(1 + x) with rows of length 1, the input of the linear classifiers."""
    return normalize(X.log1p())


def svm_weights(X: sp.csr_array, y: Ints, k: int) -> Ints:
    """Order terms by their largest absolute weight for any class."""
    weights = np.abs(LinearSVC(random_state=0).fit(damped(X), y).coef_).max(axis=0)
    return np.argsort(-weights, kind="stable")[:k]


def l1_path(X: sp.csr_array, y: Ints, k: int) -> Ints:
    """Order terms by the smallest C at which their weight is not 0, and then by this weight.

    C rises to 10. A term keeps its rank even if its weight is 0 at a larger C. Fewer than k terms
    are returned if fewer terms get a weight. The classifiers need not converge, because the
    set of terms stops changing long before the weights stop changing.
    """
    Z = damped(X)
    first = l1_min_c(Z, y)
    chosen = np.array([], dtype=np.int64)
    for C in np.geomspace(first, 10, 1 + round(STEPS * np.log10(10 / first))):
        machine = LinearSVC(penalty="l1", dual=False, C=C, tol=1e-2, max_iter=500, random_state=0)
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            weights = np.abs(machine.fit(Z, y).coef_).max(axis=0)
        weights[chosen] = 0
        order = np.argsort(-weights, kind="stable")
        chosen = np.r_[chosen, order[: np.count_nonzero(weights)]]
        if len(chosen) >= k:
            break
    return chosen[:k]


def svm_rfe(X: sp.csr_array, y: Ints, k: int) -> Ints:
    """Order terms by recursive elimination: drop the half with smaller weights, and train again.

    Terms that are dropped in the same step are ordered by their weights.
    """
    kept = np.arange(X.shape[1])
    order: list[Ints] = []
    while len(kept) > 10:
        weights = np.abs(LinearSVC(random_state=0).fit(damped(X[:, kept]), y).coef_).max(axis=0)
        kept = kept[np.argsort(-weights, kind="stable")]
        half = len(kept) // 2
        order.insert(0, kept[half:])
        kept = kept[:half]
    return np.concatenate([kept, *order])[:k]


RIVALS: dict[str, Choose] = {
    "SVM weights": svm_weights,
    "SVM-RFE": svm_rfe,
    "L1 path": l1_path,
}
METHODS = {OURS: "guided_gain", "conditional gain": "conditional_gain", "MD": "md", "IG": "ig"}
OTHERS = ("conditional gain", *RIVALS, "MD", "IG")
COMPARED = ("conditional gain", *RIVALS)  # Columns in the tables by collection.
JUDGES = ("naive Bayes", "SVM")  # Classifiers in the tables by collection.


def rankings(X: sp.csr_array, y: Ints, k: int) -> dict[str, Ints]:
    """Return the first k terms of every method."""
    counts = ts.count(X, y)
    ours = {name: ranked(method, counts, X, y, k).indices for name, method in METHODS.items()}
    return ours | {name: kept(name, choose, X, y, k) for name, choose in RIVALS.items()}


def kept(name: str, choose: Choose, X: sp.csr_array, y: Ints, k: int) -> Ints:
    """Return a rival's terms from the cache, or compute and cache them."""
    parts = (X.data, X.indices, X.indptr, y)
    sums = [zlib.crc32(np.ascontiguousarray(part, dtype=np.int64)) for part in parts]
    key = zlib.crc32(repr((name, STEPS, k, sums, sklearn.__version__)).encode())
    path = CACHE / f"rival-{key:08x}.npy"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".part.npy")
        np.save(partial, choose(X, y, k))
        partial.replace(path)
    return np.load(path)


# ---- accuracy of classifiers ---------------------------------------------------------------------


class Trained(NamedTuple):
    """A classifier, and the function that turns occurrences into its input."""

    estimator: object
    sees: Callable[[sp.csr_array], sp.csr_array]


CLASSIFIERS = {
    "naive Bayes": Trained(MultinomialNB(), lambda X: X),
    "complement naive Bayes": Trained(ComplementNB(), lambda X: X),
    "SVM": Trained(LinearSVC(random_state=0, dual=False), damped),
    "logistic regression": Trained(LogisticRegression(C=10, max_iter=300, tol=1e-3), damped),
}
Hits = Mapping[tuple[str, str, str], Bools]  # (collection, classifier, method): (ks, documents)


MacroF1 = Mapping[tuple[str, str, str], NDArray[np.float64]]  # keys as in Hits: (ks,)


def results_of(
    collection: Collection, ks: Sequence[int]
) -> tuple[dict[tuple[str, str, str], Bools], dict[tuple[str, str, str], NDArray[np.float64]]]:
    """Return whether each test document is classified correctly, and the macro-averaged F1.

    There is one result for each classifier, method and k. F1 is averaged over folds.
    """
    found: dict[tuple[str, str, str], list[Bools]] = {}
    f1: dict[tuple[str, str, str], list[list[float]]] = {}
    for train, test in collection.folds:
        X_train, X_test = collection.X[train], collection.X[test]
        y_train, y_test = collection.y[train], collection.y[test]
        for method, terms in rankings(X_train, y_train, max(ks)).items():
            for name, (estimator, sees) in CLASSIFIERS.items():
                right, of_classes = [], []
                for k in ks:
                    few = terms[:k]
                    model = clone(estimator).fit(sees(X_train[:, few]), y_train)
                    predicted = model.predict(sees(X_test[:, few]))
                    right.append(predicted == y_test)
                    of_classes.append(f1_score(y_test, predicted, average="macro", zero_division=0))
                key = (collection.name, name, method)
                found.setdefault(key, []).append(np.array(right))
                f1.setdefault(key, []).append(of_classes)
    hits = {key: np.concatenate(of_folds, axis=1) for key, of_folds in found.items()}
    return hits, {key: np.mean(of_folds, axis=0) for key, of_folds in f1.items()}


def mcnemar(ours: Bools, theirs: Bools) -> float:
    """Return the exact p-value of McNemar's test, which compares two classifiers."""
    only_ours, only_theirs = int((ours & ~theirs).sum()), int((theirs & ~ours).sum())
    if only_ours + only_theirs == 0:
        return 1.0
    return float(binomtest(only_ours, only_ours + only_theirs).pvalue)


def holm(pvalues: Sequence[float]) -> NDArray[np.float64]:
    """Adjust p-values for multiple tests by Holm's step-down procedure."""
    p = np.array(pvalues)
    order = np.argsort(p)
    raised = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)).clip(max=1)
    corrected = np.empty_like(p)
    corrected[order] = raised
    return corrected


class Cell(NamedTuple):
    """Guided gain's lead over a rival in percentage points, and whether it is significant."""

    difference: float
    is_sure: bool

    @property
    def sign(self) -> int:
        """1 if guided gain is significantly ahead, -1 if it is significantly behind, else 0."""
        return int(np.sign(self.difference)) if self.is_sure else 0


Cells = Mapping[tuple[str, str, str], Sequence[Cell]]  # keys (collection, classifier, rival)


def compared(hits: Hits) -> dict[tuple[str, str, str], list[Cell]]:
    """Compare guided gain with each rival. All p-values of a rival are adjusted together."""
    cells: dict[tuple[str, str, str], list[Cell]] = {}
    for rival in OTHERS:
        keys = [key for key in hits if key[2] == rival]
        pairs = [list(zip(hits[(*key[:2], OURS)], hits[key], strict=True)) for key in keys]
        sure = holm([mcnemar(*pair) for pair in chain(*pairs)]) <= SURE
        sure_of = iter(sure.tolist())
        for key, of_key in zip(keys, pairs, strict=True):
            cells[key] = [Cell(100 * (a.mean() - b.mean()), next(sure_of)) for a, b in of_key]
    return cells


# ---- the page ------------------------------------------------------------------------------------


def summary(cells: Cells) -> str:
    """Return a table with the mean lead over each rival, and the numbers of cells."""
    rows = []
    for rival in OTHERS:
        for classifier in CLASSIFIERS:
            of_rival = list(
                chain(*(row for key, row in cells.items() if key[1:] == (classifier, rival)))
            )
            signs = [cell.sign for cell in of_rival]
            counts = " / ".join(str(signs.count(sign)) for sign in (1, 0, -1))
            higher = sum(cell.difference > 0 for cell in of_rival)
            mean = np.mean([cell.difference for cell in of_rival])
            rows.append(
                [f"{rival}, {classifier}", f"{mean:+.2f}", counts, f"{higher} of {len(of_rival)}"]
            )
    header = [f"lead of {OURS} over", "mean, points", "surely ahead / level / surely behind"]
    return markdown([*header, "more accurate in"], rows)


def by_range(hits: Hits, ks: Sequence[int]) -> str:
    """Return a table with the lead over each rival, averaged over few and over many terms.

    The mean lead may be significant even if the lead in no single cell is significant.
    """
    rows = []
    for name, classifier in dict.fromkeys(key[:2] for key in hits if key[1] in JUDGES):
        row = [f"{name}, {classifier}"]
        for rival in COMPARED:
            ours, theirs = (hits[name, classifier, method] for method in (OURS, rival))
            difference = ours.astype(float) - theirs
            for part in (np.array(ks) < MANY, np.array(ks) >= MANY):
                of_document = difference[part].mean(axis=0)
                row.append(str(Estimate.mean_of(of_document)))
        rows.append(row)
    header = [f"{rival}, {part}" for rival in COMPARED for part in ("fewer", "more")]
    return markdown(["", *header], rows)


def macro_f1(f1: MacroF1, ks: Sequence[int]) -> str:
    """Return a table with the macro F1 in per cent, averaged over few and over many terms."""
    rows = []
    methods = (OURS, *COMPARED)
    for name, classifier in dict.fromkeys(key[:2] for key in f1 if key[1] in JUDGES):
        row = [f"{name}, {classifier}"]
        for method in methods:
            values = 100 * f1[name, classifier, method]
            parts = [values[np.array(ks) < MANY], values[np.array(ks) >= MANY]]
            row.append(" / ".join(f"{part.mean():.1f}" if len(part) else "-" for part in parts))
        rows.append(row)
    return markdown(["", *methods], rows)


def losses(cells: Cells, ks: Sequence[int]) -> str:
    """Return a list of the cells in which a rival is significantly better than guided gain."""
    lines = []
    for rival in COMPARED:
        for (name, classifier, other), row in cells.items():
            behind = [
                f"{k:,} ({cell.difference:+.1f})"
                for k, cell in zip(ks, row, strict=True)
                if cell.sign < 0
            ]
            if other == rival and behind:
                lines.append(f"- {rival} on {name} with {classifier}: k = {listed(behind)}")
    return "\n".join(lines)


def report(collections: Mapping[str, Collection], ks: Sequence[int]) -> str:
    """Run the comparison and return the text."""
    hits: dict[tuple[str, str, str], Bools] = {}
    f1: dict[tuple[str, str, str], NDArray[np.float64]] = {}
    for name, collection in collections.items():
        print(name, flush=True)
        of_hits, of_f1 = results_of(collection, ks)
        hits |= of_hits
        f1 |= of_f1
    cells = compared(hits)
    rows = [[name, *described(collection)] for name, collection in collections.items()]
    header = ["collection", "training + test", "terms", "classes", "largest class"]
    packages = (ts, np, scipy, sklearn)
    return f"""\
Versions: {", ".join(f"{package.__name__} {package.__version__}" for package in packages)}.

{markdown(header, rows)}

{summary(cells)}

The next table shows the lead of {OURS} in points, ± two standard errors over the test documents.
"fewer" is the mean over all k below {MANY}, and "more" is the mean over all other k:

{by_range(hits, ks)}

The last table shows the macro-averaged F1 in per cent: the mean over all k below {MANY} / the mean
over all other k.

{macro_f1(f1, ks)}

In these cells, guided gain is surely behind another selector, by the points in parentheses:

{losses(cells, ks)}"""


def main(argv: Sequence[str] | None = None) -> None:
    """Run the comparison and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "data",
        nargs="?",
        type=Path,
        help="folder of the corpora; benchmarks/corpora.py describes it and the default",
    )
    parser.add_argument("--tdt2", type=Path, help="the file TDT2.mat")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="use two numbers of terms, and print instead of writing",
    )
    args = parser.parse_args(argv)
    if args.data:
        corpora.FOLDER = args.data
    found = collections(args.tdt2)
    for name, load in (("R8", corpora.r8), ("TREC", corpora.trec), ("reviews", corpora.reviews)):
        if reason := corpora.missing(name):
            print(f"skipped {name}: {reason}")
        else:
            found[name] = Collection.split(name, load())
    if not found:
        return
    text = report(found, QUICK_KS if args.quick else KS)
    if args.quick:
        print(text)
    else:
        put_between(PAGE, MARKER, text)
        print(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
