"""Read the paper's corpora, which are not part of termsift.

The environment variable TERMSIFT_DATA names the folder of the corpora. The default is
``../shared/data`` beside the checkout. `20 Newsgroups` and `Reuters` are Deng Cai's ``.mat`` files
with the variables ``fea``, ``gnd``, ``trainIdx`` and ``testIdx``, whose indices and classes start
at 1. `unigrams` has all words of 20 Newsgroups, and `uni- and bigrams` also has all bigrams. These
two are ``.npz`` files of CSR arrays, each with a file ``.classes.txt``. `R8`, `TREC` and `reviews`
are texts with one line ``label<TAB>text`` per document, in a training file and a test file.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

FOLDER = Path(
    os.environ.get("TERMSIFT_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)
FILES = {
    "20 Newsgroups": "20newsgroups_cai/20Newsgroups.mat",
    "Reuters": "reuters21578_cai/Reuters21578.mat",
    "unigrams": "20newsgroups_text/20ng_unigram_df2.npz",
    "uni- and bigrams": "20newsgroups_text/20ng_uni_bigram_df1.npz",
    "R8": "r8_text/train.txt",
    "TREC": "trec_text/train.txt",
    "reviews": "mr_text/train.txt",
}
TEXTS = ("unigrams", "uni- and bigrams")


@dataclass(frozen=True)
class Split:
    """A collection, split into training and test documents."""

    X_train: sp.csr_array
    y_train: np.ndarray[Any, Any]
    X_test: sp.csr_array
    y_test: np.ndarray[Any, Any]


def missing(name: str) -> str | None:
    """Return why the corpus cannot be read, or None if it can be."""
    path = FOLDER / FILES[name]
    return None if path.exists() else f"{name} is not here: no {FILES[name]} in TERMSIFT_DATA"


def load(path: Path, largest_classes: int | None = None) -> Split:
    """Read the official split of a ``.mat`` file.

    If ``largest_classes`` is n, only the first n classes are read. The files store counts as
    doubles, and `load` converts the counts to int64. Terms in fewer than 2 documents of the
    split are dropped, as in the paper.
    """
    X, y, mat = _read(path)
    keep = y <= (largest_classes or y.max())
    train, test = (mat[name].ravel() - 1 for name in ("trainIdx", "testIdx"))
    train, test = train[keep[train]], test[keep[test]]
    X = X[:, _in_two_documents(X[np.r_[train, test]])]
    return Split(X[train], y[train], X[test], y[test])


def as_distributed(name: str) -> tuple[sp.csr_array, np.ndarray[Any, Any]]:
    """Return all documents of a ``.mat`` file with the dtypes of the file, float64 and uint8."""
    mat = scipy.io.loadmat(FOLDER / FILES[name])
    return sp.csr_array(mat["fea"]), mat["gnd"].ravel()


def load_whole(
    path: Path, largest_classes: int | None = None
) -> tuple[sp.csr_array, np.ndarray[Any, Any]]:
    """Read a ``.mat`` file without a split, with the classes and terms that `load` would keep."""
    X, y, _ = _read(path)
    keep = y <= (largest_classes or y.max())
    X, y = X[keep], y[keep]
    return X[:, _in_two_documents(X)], y


def _read(path: Path) -> tuple[sp.csr_array, np.ndarray[Any, Any], dict[str, Any]]:
    mat = scipy.io.loadmat(path)
    X = sp.csr_array(mat["fea"])
    counts = X.data.astype(np.int64)
    if not np.array_equal(counts, X.data):
        raise ValueError(f"{path}: expected whole numbers")
    X.data = counts
    return X, mat["gnd"].ravel(), mat


def _in_two_documents(X: sp.csr_array) -> np.ndarray[Any, Any]:
    return np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]) >= 2)


def newsgroups() -> Split:
    """Return 20 Newsgroups with its 20 classes."""
    return load(FOLDER / FILES["20 Newsgroups"])


def alt_comp() -> Split:
    """Return two classes of 20 Newsgroups: alt.atheism, and the five comp.* groups together."""
    split = load(FOLDER / FILES["20 Newsgroups"], 6)  # the first six groups: alt.atheism and comp.*
    return replace(split, y_train=np.minimum(split.y_train, 2), y_test=np.minimum(split.y_test, 2))


def newsgroups_text(name: str) -> tuple[sp.csr_array, np.ndarray[Any, Any]]:
    """Return 20 Newsgroups with all words, or with all words and bigrams, and the labels."""
    path = FOLDER / FILES[name]
    arrays = np.load(path)
    X = sp.csr_array(
        (arrays["data"], arrays["indices"], arrays["indptr"]), shape=tuple(arrays["shape"])
    )
    groups = np.array(path.with_suffix(".classes.txt").read_text("utf-8").split())
    return X, groups[arrays["y"]]


def reuters(largest_classes: int = 10) -> Split:
    """Return the 10, 20 or 30 largest classes of Reuters-21578 ModApte."""
    return load(FOLDER / FILES["Reuters"], largest_classes)


def lines(name: str, token_pattern: str) -> Split:
    """Read a file of `label<TAB>text` lines, and split the texts with CountVectorizer."""
    from sklearn.feature_extraction.text import CountVectorizer  # needed only here

    train = FOLDER / FILES[name]
    files = [path.read_text("utf-8").splitlines() for path in (train, train.with_name("test.txt"))]
    labels, texts = zip(*(line.split("\t", 1) for lines in files for line in lines), strict=True)
    y, n = np.array(labels), len(files[0])
    vectorizer = CountVectorizer(min_df=2, token_pattern=token_pattern)
    X = sp.csr_array(vectorizer.fit_transform(texts))
    return Split(X[:n], y[:n], X[n:], y[n:])


def r8() -> Split:
    """Return R8 of Reuters-21578: eight classes, and words of two or more letters."""
    return lines("R8", r"(?u)\b\w\w+\b")


def trec() -> Split:
    """Return the TREC questions: six classes of answers, and all words."""
    return lines("TREC", r"(?u)\b\w+\b")


def reviews() -> Split:
    """Return positive and negative sentences of movie reviews, with all words."""
    return lines("reviews", r"(?u)\b\w+\b")
