"""Accuracy of classifiers on the first k terms of rankings, with standard errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

import termsift as ts
from corpora import Split

METRICS = ("accuracy", "F1")
# Names of the selectors that read documents instead of counts.
FROM_DOCUMENTS = tuple(entry.name for entry in ts.selectors() if entry.reads_documents)
Floats = NDArray[np.float64]
Ints = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Extent:
    """How much a run computes; empty ``methods`` stand for all methods."""

    ks: tuple[int, ...]
    svm_ks: tuple[int, ...]
    n_resamples: int
    n_folds: int
    methods: tuple[str, ...] = ()


# The numbers of terms form a geometric series, so each order of magnitude has the same weight. R10
# is Renard's standard series of rounded numbers.
R10 = (10, 12, 16, 20, 25, 32, 40, 50, 63, 80)
KS = (*R10, 100, 125, 160, 200, 250, 315, 400, 500, 630, 800, 1000, 1250, 1600, 2000)
FULL = Extent(KS, (*KS[::2], KS[-1]), 400, 10)
QUICK = Extent((10, 100, 200, 1000), (10, 100), 20, 3, ("md", "ig", "conditional_gain"))


class Ranker(NamedTuple):
    """A method or selector with its options."""

    method: str
    options: Mapping[str, str] = {}


PAPER = {
    "MD": Ranker("md"),
    "MD-chi2": Ranker("md_chi2"),
    "DF": Ranker("df"),
    "CET": Ranker("cet"),
    "chi2": Ranker("chi2"),
    "GSS": Ranker("gss"),
}
# The paper does not say how the class values of chi2 and GSS become a score. By default, the score
# is the largest class value. The rankers "chi2 averaged" and "GSS averaged" use the mean instead.
AVERAGED = {
    "chi2 averaged": Ranker("chi2", {"aggregate": "mean"}),
    "GSS averaged": Ranker("gss", {"aggregate": "mean"}),
}
BEYOND = {
    "MD binary": Ranker("md", {"model": "binary"}),
    "MD round robin": Ranker("md", {"policy": "round_robin"}),
    "MD binary round robin": Ranker("md", {"model": "binary", "policy": "round_robin"}),
    "IG": Ranker("ig"),
    "greedy": Ranker("greedy"),
    "conditional gain": Ranker("conditional_gain"),
}


@dataclass(frozen=True)
class Classifier:
    """A classifier, with its model in `termsift.selection_curve` if it has one."""

    name: str
    estimator: Any
    model: str | None = None

    def sees(self, X: sp.csr_array) -> sp.csr_array:
        """Return the classifier's input: the counts X, or 0 and 1 for a binary model."""
        return X.sign() if self.model == "binary" else X


MULTINOMIAL = Classifier("naive Bayes", MultinomialNB(), "multinomial")
BINARY = Classifier("binary naive Bayes", MultinomialNB(), "binary")
SVM = Classifier("SVM", LinearSVC(dual=False, max_iter=10_000))  # 1,000 iterations may be too few


@dataclass(frozen=True)
class Collection:
    """A collection with its folds for testing. An official split counts as one fold."""

    name: str
    X: sp.csr_array
    y: Ints  # codes from 0
    folds: Sequence[tuple[Ints, Ints]]

    @classmethod
    def split(cls, name: str, split: Split) -> Collection:
        """Return a collection with an official split."""
        X = sp.vstack([split.X_train, split.X_test], format="csr")
        _, y = np.unique(np.r_[split.y_train, split.y_test], return_inverse=True)
        documents = np.arange(X.shape[0])
        n_trained = split.X_train.shape[0]
        return cls(name, X, y, [(documents[:n_trained], documents[n_trained:])])

    @classmethod
    def folded(cls, name: str, X: sp.csr_array, labels: Ints) -> Collection:
        """Return a collection without an official split, with ten folds as in the paper."""
        _, y = np.unique(labels, return_inverse=True)
        folds = StratifiedKFold(10, shuffle=True, random_state=0)
        return cls(name, X, y, list(folds.split(X, y)))

    @property
    def tested(self) -> Ints:
        """The classes of the test documents of all folds."""
        return np.concatenate([self.y[test] for _, test in self.folds])

    @property
    def largest_share(self) -> float:
        """The share of the largest class, which is the accuracy of always predicting this class."""
        return float(np.bincount(self.tested).max() / len(self.tested))

    def training(self) -> tuple[sp.csr_array, Ints]:
        """Return the training documents of an official split."""
        ((train, _),) = self.folds
        return self.X[train], self.y[train]


@dataclass(frozen=True)
class Found:
    """The results of a classifier on a ranking, for several numbers of terms.

    ``values`` has arrays of accuracy and of weighted F1 with the shape (1 + resamples, ks). Row 0
    is computed on the test documents, and each other row on a resample of the test documents. The
    resamples are the same for every ranking.
    """

    ks: Ints
    values: Mapping[str, Floats]

    def curve(self, metric: str = "accuracy") -> Floats:
        """Return a metric for each k, in per cent."""
        return 100 * self.values[metric][0]

    def mean(self, metric: str = "accuracy", least: int = 0, most: int = 10**9) -> Floats:
        """Return the mean of a metric over a range of k, with the shape (1 + resamples,)."""
        return self.values[metric][:, (self.ks >= least) & (self.ks <= most)].mean(axis=1)

    def at(self, k: int) -> Floats:
        """Return the accuracy with k terms, of shape (1 + resamples,)."""
        return self.mean(least=k, most=k)


@dataclass(frozen=True)
class Estimate:
    """A value in percentage points, and two standard errors of the value."""

    value: float
    error: float

    @classmethod
    def of(cls, sample: Floats) -> Estimate:
        """Estimate the error of the value ``sample[0]`` from its resamples ``sample[1:]``."""
        return cls(100 * float(sample[0]), 200 * float(sample[1:].std(ddof=1)))

    @classmethod
    def mean_of(cls, runs: Floats) -> Estimate:
        """Estimate the mean of independent runs, and the error of the mean."""
        return cls(100 * float(runs.mean()), 200 * float(runs.std(ddof=1) / np.sqrt(len(runs))))

    @classmethod
    def over(cls, estimates: Iterable[Estimate]) -> Estimate:
        """Average estimates. The error of an average is at most the mean of the errors."""
        pairs = [(each.value, each.error) for each in estimates]
        return cls(*np.mean(pairs, axis=0).tolist())

    @property
    def sign(self) -> int:
        """The sign of the value if the value is larger than its error, otherwise 0."""
        return int(self.value > self.error) - int(self.value < -self.error)

    def __str__(self) -> str:
        return f"{self.value:+.1f} ± {self.error:.1f}"


def resampled(n_docs: int, n_resamples: int) -> Floats:
    """Return weights of documents: a row of ones, and a row for each resample with replacement."""
    drawn = np.random.default_rng(0).multinomial(n_docs, np.full(n_docs, 1 / n_docs), n_resamples)
    return np.vstack([np.ones(n_docs), drawn])


def metrics(truth: Ints, answers: Ints, weights: Floats) -> dict[str, Floats]:
    """Return the accuracy and the weighted F1 for each resample and k.

    ``answers`` has the predicted classes, with the shape (ks, documents).
    """
    n_docs, n_classes = len(truth), max(truth.max(), answers.max()) + 1

    def per_class(classes: Ints, some: NDArray[np.bool_] | bool = True) -> Floats:
        data = np.broadcast_to(some, n_docs).astype(float)
        table = sp.csr_array((data, classes, np.arange(n_docs + 1)), shape=(n_docs, n_classes))
        return weights @ table

    support = per_class(truth)
    accuracy, f1 = (np.empty((len(weights), len(answers))) for _ in METRICS)
    for i, answer in enumerate(answers):
        hits, either = per_class(truth, answer == truth), support + per_class(answer)
        of_class = np.divide(2 * hits, either, out=np.zeros_like(hits), where=either > 0)
        accuracy[:, i] = hits.sum(axis=1) / n_docs
        f1[:, i] = (of_class * support).sum(axis=1) / n_docs
    return {"accuracy": accuracy, "F1": f1}


def evaluate(
    collection: Collection,
    rankers: Mapping[str, Ranker],
    classifier: Classifier,
    ks: Sequence[int],
    n_resamples: int,
) -> dict[str, Found]:
    """Rank terms, train scikit-learn's classifier on the first k, and classify the test documents.

    For naive Bayes, the results must agree with `termsift.selection_curve`.
    """
    answers: dict[str, list[Ints]] = {name: [] for name in rankers}
    for train, test in collection.folds:
        X_train, X_test = collection.X[train], collection.X[test]
        y_train, y_test = collection.y[train], collection.y[test]
        counts = ts.count(X_train, y_train)
        for name, ranker in rankers.items():
            documents = X_train, y_train
            ranking = ranked(ranker.method, counts, *documents, max(ks), **ranker.options)
            X_few, X_asked = (classifier.sees(X[:, ranking.indices]) for X in (X_train, X_test))
            models = (clone(classifier.estimator).fit(X_few[:, :k], y_train) for k in ks)
            answered = np.array(
                [m.predict(X_asked[:, :k]) for m, k in zip(models, ks, strict=True)]
            )
            answers[name].append(answered)
            if kind := classifier.model:
                curve = ts.selection_curve(ranking, *documents, X_test, y_test, ks, classifier=kind)
                mine = metrics(y_test, answered, np.ones((1, len(test))))
                for metric, theirs in zip(METRICS, (curve.accuracy, curve.mean("f1")), strict=True):
                    # scikit-learn may break ties differently, so two predictions may differ.
                    np.testing.assert_allclose(theirs, mine[metric][0], atol=2 / len(test))
    truth, weights = collection.tested, resampled(len(collection.tested), n_resamples)
    return {
        name: Found(np.array(ks), metrics(truth, np.concatenate(of_folds, axis=1), weights))
        for name, of_folds in answers.items()
    }


def ranked(
    method: str, counts: ts.ClassCounts, X: sp.csr_array, y: Ints, k: int, **options: str
) -> ts.Ranking:
    """Return the first k terms by a method of counts or a selector that reads documents."""
    if method in FROM_DOCUMENTS:
        choose = {"conditional_gain": ts.conditional_gain, "guided_gain": ts.guided_gain}
        return choose[method](X, y, k)
    return counts.rank(method, k, **options)


def listed(items: Iterable[str]) -> str:
    """Join with commas and "and"."""
    *others, end = items
    return f"{', '.join(others)} and {end}" if others else end
