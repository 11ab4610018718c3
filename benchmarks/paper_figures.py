"""Draw every figure of the paper, and write it beside the paper's claims about it.

    python benchmarks/paper_figures.py [DATA] [--tdt2 FILE] [--output FOLDER] [--quick]

The script writes figures.md and an SVG for each figure into a folder. Each claim has our numbers
and a verdict. The corpora are not part of termsift: the script tells which files are missing, where
they come from, and what it does without them. ``--quick`` computes everything on small parts of the
corpora in less than a minute. `reproduce.py` writes docs/paper.md, which has more than the figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import corpora
import reproduce
from claims import RULES, TDT2, Claim, Results, Verdict, claims
from compare import ROOT
from figures import plot
from trials import AVERAGED, BEYOND, FULL, PAPER, QUICK, Collection, Extent, listed

PAGE = "figures.md"
RANKERS = PAPER | AVERAGED | {"greedy": BEYOND["greedy"]}  # What the claims are about.
EVERY = 8  # A quick run has every eighth document.

ORIGIN = """\
Deng Cai prepared the three corpora of the paper. They come from his page, as files of MATLAB.
termsift does not pass them on, because no licence is stated."""


class Needed(NamedTuple):
    """A file of documents: where it is expected, what it holds, and whether it is there."""

    place: str
    holds: str
    collections: Sequence[str]
    is_there: bool

    @property
    def figures(self) -> list[str]:
        """The figures that show collections of the file."""
        shown = reproduce.FIGURES.items()
        return [figure for figure, (_, names) in shown if {*names} & {*self.collections}]

    def __str__(self) -> str:
        file = f"{self.place} ({self.holds}; {listed(self.collections)})"
        if self.is_there:
            return f"- {file}: found."
        figures = listed(self.figures)
        return f"- {file}: missing. Without it, no claim about {figures} can be tested."


# The variables of the files, and how to recognise the files.
HOLDS = {
    "20 Newsgroups": "`fea` of 18,846 x 26,214, `gnd`, `trainIdx`, `testIdx`",
    "Reuters": "`fea` of 8,293 x 18,933, `gnd`, `trainIdx`, `testIdx`",
    "TDT2": "`fea`, and `gnd` with the classes sorted by size",
}


def needed(tdt2: Path | None) -> list[Needed]:
    """Return the files that the figures need."""
    files = []
    for corpus in dict.fromkeys(corpus for corpus, _ in reproduce.SPLITS.values()):
        names = [name for name, (of, _) in reproduce.SPLITS.items() if of == corpus]
        place = f"`{corpora.FILES[corpus]}` in the folder DATA"
        files.append(Needed(place, HOLDS[corpus], names, corpora.missing(corpus) is None))
    place = "`TDT2.mat`, named by `--tdt2`"
    return [*files, Needed(place, HOLDS["TDT2"], [TDT2], tdt2 is not None)]


def part(collection: Collection) -> Collection:
    """Return every eighth document of the training and of the test documents."""
    return replace(collection, folds=[(a[::EVERY], b[::EVERY]) for a, b in collection.folds])


def report(
    folder: Path,
    files: Sequence[Needed],
    collections: Mapping[str, Collection],
    results: Results,
    extent: Extent,
) -> None:
    """Write the figures and the page."""
    folder.mkdir(parents=True, exist_ok=True)
    checked = [(claim, claim.checked()) for claim in claims(results, collections)]
    parts = [introduction(files)]
    if collections:
        parts.append(reproduce.measurements(collections, extent))
    if extent is QUICK:
        parts.insert(1, f"{reproduce.TRIAL} This run used one in {EVERY} documents.")
    parts.append(f"## The claims\n\n{RULES}\n\n{reproduce.summary(checked)}")
    parts += [section(folder, where, checked, results) for where in places(checked)]
    (folder / PAGE).write_text("\n\n".join(parts) + "\n", "utf-8")
    print(f"wrote {folder / PAGE}")


def introduction(files: Sequence[Needed]) -> str:
    """Return what the page is about, and which files it was made from."""
    return f"""\
# The paper's figures, beside its claims

Tang, Kay and He, "Toward Optimal Feature Selection in Naive Bayes for Text
Categorization", IEEE TKDE 28(9), 2016, show five figures. This page draws each of them anew, beside
what the paper says about it, our numbers, and the verdict. `benchmarks/paper_figures.py` wrote the
page. `docs/paper.md` has the verdicts of our own run, and more methods.

## The files

{ORIGIN}

{chr(10).join(map(str, files))}"""


def places(checked: Sequence[tuple[Claim, Verdict]]) -> list[str]:
    """Return the figures, then the sections of the paper with other claims."""
    return list(dict.fromkeys([*reproduce.FIGURES, *(claim.where for claim, _ in checked)]))


def section(
    folder: Path, where: str, checked: Sequence[tuple[Claim, Verdict]], results: Results
) -> str:
    """Draw a figure of the paper, and return it with the claims about it."""
    parts = [f"## {where}"]
    if where in reproduce.FIGURES:
        if panels := reproduce.figure_of(where, results):
            file = f"{where.lower().replace(' ', '_')}.svg"
            plot(folder / file, panels)
            parts.append(f"![{where}]({file})")
        else:
            parts.append("This figure cannot be drawn, because its documents are missing.")
    return "\n\n".join([*parts, reproduce.discussion(checked, where)])


def main(argv: Sequence[str] | None = None) -> None:
    """Say which files are missing, compute, and write the page."""
    folder = ROOT / "build/paper_figures"
    args = reproduce.arguments(argv, __doc__, folder, folder)
    if args.data:
        corpora.FOLDER = args.data
    files = needed(args.tdt2)
    print(f"DATA is {corpora.FOLDER}. {' '.join(ORIGIN.split())}", *files, sep="\n")
    collections, extent = reproduce.collections(args.tdt2), FULL
    if args.quick:
        collections, extent = {name: part(each) for name, each in collections.items()}, QUICK
    report(args.output, files, collections, reproduce.measure(collections, extent, RANKERS), extent)


if __name__ == "__main__":
    main()
