"""Tables of labelled texts in CSV files: generated texts, and the texts of R8.

The tables are written once, into the cache folder of `workloads.py`. termsift does not contain R8.
The table of R8 is left out if `corpora.py` does not find R8.
"""

from __future__ import annotations

import csv
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import corpora
import workloads
from workloads import Shape, generate

# Each pair of a consonant and a vowel is a syllable. Chinese words have one to three characters.
ALPHABETS = {
    "accented Latin": ("bcçdfghklmnñprřsštvwz", "aeiouaeiouáéíóúàèòùâêîôäëöüøå"),
    "Cyrillic": ("бвгджзклмнпрстфхцчшщ", "аеиоуыэюяё"),
    "Greek": ("βγδζθκλμνξπρστφχψ", "αεηιουωάέήίόύώ"),
}
OF_A_SCRIPT = Shape(100_000, 80_000, 8, 60, 1.05, 0.3, 11)
SIZE_OF_MANY = 10_000_000  # Number of distinct words in the table "many words".
COPIES = 25  # Number of copies of R8 in the table of R8.


@dataclass(frozen=True)
class Table:
    """Texts with labels, and the file that holds both."""

    name: str
    path: Path
    labels: list[str]
    texts: list[str]

    @property
    def megabytes(self) -> float:
        """The size of the texts in UTF-8, in millions of bytes."""
        return sum(len(text) if text.isascii() else len(text.encode()) for text in self.texts) / 1e6

    def part(self, share: float) -> Table:
        """Return a table of the first documents, which are a given share of all documents."""
        n = max(1, int(len(self.texts) * share))
        return Table(self.name, self.path, self.labels[:n], self.texts[:n])


Rows = Iterator[tuple[str, str]]


def copies_of_r8(quick: bool) -> Rows:
    """Yield many copies of R8's texts. In each copy, two of a hundred words are new."""
    train = corpora.FOLDER / corpora.FILES["R8"]
    files = [path.read_text("utf-8").splitlines() for path in (train, train.with_name("test.txt"))]
    rows = [line.split("\t", 1) for lines in files for line in lines]
    rng = random.Random(1)
    for copy in range(1 if quick else COPIES):
        for label, text in rows:
            words = (word if rng.random() > 0.02 else f"{word}{copy}" for word in text.split())
            yield label, " ".join(words)


def words_of(script: str, n: int) -> list[str]:
    """Return distinct words of a script, ordered by length."""
    rng = random.Random(script)
    found: set[str] = set()
    while len(found) < n:
        if script == "CJK":
            signs = rng.choices((1, 2, 3, 4), (1, 8, 4, 2))[0]
            found.add("".join(chr(0x4E00 + int(rng.random() ** 2 * 5000)) for _ in range(signs)))
        else:
            consonants, vowels = ALPHABETS[script]
            syllables = rng.choices((1, 2, 3, 4, 5), (1, 4, 8, 5, 2))[0]
            word = "".join(rng.choice(consonants) + rng.choice(vowels) for _ in range(syllables))
            found.add(word + rng.choice(["", "", rng.choice(consonants)]))
    return sorted(found, key=lambda word: (len(word), word))


def of_script(script: str, quick: bool) -> Rows:
    """Return texts of generated words with capitals and punctuation. Frequent words are short."""
    shape = OF_A_SCRIPT.smaller(100) if quick else OF_A_SCRIPT
    data, indices, indptr, y = generate(shape)
    frequency = np.bincount(indices, data, shape.n_terms)
    words = np.empty(shape.n_terms, dtype=object)
    words[np.argsort(-frequency, kind="stable")] = words_of(script, shape.n_terms)
    rng = np.random.default_rng(shape.seed)
    marks = np.array([" ", " ", " ", " ", " ", " ", ", ", ". ", " - ", "; "], dtype=object)
    for document, label in enumerate(y):
        row = slice(indptr[document], indptr[document + 1])
        chosen = words[rng.permutation(np.repeat(indices[row], data[row]))]
        between = rng.integers(0, len(marks), len(chosen))
        spelled = [
            word.capitalize() if mark in (0, 7) else word
            for word, mark in zip(chosen, between, strict=True)
        ]
        pairs = zip(spelled, marks[between], strict=True)
        yield f"class {label}", "".join(part for pair in pairs for part in pair)


def many_words(quick: bool) -> Rows:
    """Return texts with ten million distinct words, and half as many repeated words."""
    n = SIZE_OF_MANY // (100 if quick else 1)
    rng = np.random.default_rng(3)
    # Each word is a number in hexadecimal digits. The numbers are permuted by multiplication
    # modulo a prime.
    order = np.r_[rng.permutation(n), (rng.random(n // 2) ** 4 * n).astype(np.int64)]
    order = (rng.permutation(order) * 7_368_787 + 1) % 16_777_213
    for document, part in enumerate(np.array_split(order, len(order) // 100)):
        yield f"class {document % 20}", " ".join([f"{number:x}q" for number in part.tolist()])


MAKERS: dict[str, Callable[[bool], Rows]] = {
    "R8 x 25": copies_of_r8,
    **{script: partial(of_script, script) for script in (*ALPHABETS, "CJK")},
    "many words": many_words,
}


def table(name: str, quick: bool) -> Table:
    """Return a table, and write its file first if it is missing."""
    path = workloads.CACHE / f"text-{name.replace(' ', '-')}{'-quick' if quick else ''}.csv"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}")
        with open(unfinished, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["label", "text"])
            writer.writerows(MAKERS[name](quick))
        unfinished.rename(path)
    with open(path, newline="", encoding="utf-8") as file:
        labels, texts = zip(*list(csv.reader(file))[1:], strict=True)
    return Table(name, path, list(labels), list(texts))
