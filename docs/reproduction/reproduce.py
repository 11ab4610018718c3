"""The paper's experiments again: its figures, claim by claim, what is better, and a simulation.

    python docs/reproduction/reproduce.py [DATA] [--tdt2 FILE] [--output FOLDER] [--quick]

Writes README.md and its plots into a folder. DATA holds the corpora as `corpora.py` wants them, and
what is not there is skipped. ``--quick`` asks whether all this works. The report holds numbers,
nothing of the corpora, and its verdicts are computed from them.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import scipy
import sklearn

import corpora
import recommend
import synthetic
import termsift as ts
from claims import ALT_COMP, NEWS, REUTERS, RULES, TDT2, Claim, Results, Verdict, claims, table
from compare import ROOT
from figures import Panel, plot
from trials import (
    AVERAGED,
    BEYOND,
    FULL,
    METRICS,
    MULTINOMIAL,
    PAPER,
    QUICK,
    SVM,
    Classifier,
    Collection,
    Estimate,
    Extent,
    Found,
    evaluate,
    listed,
)

FIGURES: dict[str, tuple[Classifier, Sequence[str]]] = {  # of the paper
    "Figure 1": (MULTINOMIAL, [NEWS]),
    "Figure 2": (MULTINOMIAL, [ALT_COMP]),
    "Figure 3": (MULTINOMIAL, REUTERS),
    "Figure 4": (MULTINOMIAL, [TDT2]),
    "Figure 5": (SVM, REUTERS),
}
PACKAGES = (ts, np, scipy, sklearn)
CUT = (-10, 9)  # points: where plots of differences end


def collections(tdt2: Path | None) -> dict[str, Collection]:
    """Give what is at hand of the paper's collections."""
    splits = {NEWS: ("20 Newsgroups", corpora.newsgroups)}
    splits[ALT_COMP] = ("20 Newsgroups", corpora.alt_comp)
    for name in REUTERS:
        splits[name] = ("Reuters", partial(corpora.reuters, int(name.rpartition("-")[2])))
    found = {}
    for name, (corpus, load) in splits.items():
        if reason := corpora.missing(corpus):
            print(f"skipped {name}: {reason}")
        else:
            found[name] = Collection.split(name, load())
    if tdt2 is None:
        print(f"skipped {TDT2}: --tdt2 says where its file is")
    else:
        found[TDT2] = Collection.folded(TDT2, *corpora.load_whole(tdt2, 10))
    return found


def measure(collections: Mapping[str, Collection], extent: Extent) -> Results:
    """Give what the classifiers of the figures made of all rankings."""
    results = Results()
    for classifier, ks in ((MULTINOMIAL, extent.ks), (SVM, extent.svm_ks)):
        wanted = {name for kind, names in FIGURES.values() if kind is classifier for name in names}
        for name, collection in collections.items():
            if name in wanted:
                print(f"{name}: {classifier.name}", flush=True)
                rankers = PAPER | AVERAGED | BEYOND
                results[name, classifier.name] = evaluate(
                    collection, rankers, classifier, ks, extent.n_resamples
                )
    return results


# ---- plots ---------------------------------------------------------------------------------------


def less_md(title: str, found: Mapping[str, Found], names: Sequence[str]) -> Panel:
    """Plot accuracies less MD's."""
    lines = {name: (found[name].ks, found[name].curve() - found["MD"].curve()) for name in names}
    return Panel(title, "% accuracy less MD's", lines, limits=CUT)


def figure_of(name: str, results: Results) -> list[list[Panel]]:
    """Give a row for each collection of a figure of the paper, if at hand."""
    classifier, names = FIGURES[name]
    rows = []
    for collection in names:
        if (collection, classifier.name) in results:
            found = results[collection, classifier.name]
            title = f"{collection}, {classifier.name}"
            row = []
            for metric in METRICS:
                lines = {name: (found[name].ks, found[name].curve(metric)) for name in PAPER}
                row.append(Panel(title, f"% {metric}", lines))
            rows.append([*row, less_md(title, found, list(PAPER))])
    return rows


def figure_beyond(results: Results) -> list[list[Panel]]:
    """Give rows of what methods that the paper does not have gain on MD."""
    panels = [
        less_md(f"{collection}, {classifier}", found, ["MD", *BEYOND])
        for (collection, classifier), found in results.items()
    ]
    return [panels[i : i + 3] for i in range(0, len(panels), 3)]


# ---- the report ----------------------------------------------------------------------------------


def report(
    folder: Path, collections: Mapping[str, Collection], results: Results, extent: Extent
) -> None:
    """Write the plots and the text."""
    folder.mkdir(parents=True, exist_ok=True)

    def drawn(title: str, panels: list[list[Panel]]) -> str:
        if not panels:
            return ""
        file = f"{title.lower().replace(' ', '_')}.svg"
        plot(folder / file, panels)
        return f"![{title}]({file})\n\n"

    checked = [(claim, claim.checked()) for claim in claims(results, collections) if collections]
    parts = [introduction(collections, extent)]
    if checked:
        parts.append(f"## The claims\n\n{RULES}\n\n{summary(checked)}")
    for where in dict.fromkeys(claim.where for claim, _ in checked):
        figure = drawn(where, figure_of(where, results)) if where in FIGURES else ""
        parts.append(f"## {where}\n\n{figure}{discussion(checked, where)}")
    if results:
        parts.append(
            f"## All methods\n\n{drawn('Beyond', figure_beyond(results))}{tables(results)}"
        )
    if split := [each for each in collections.values() if len(each.folds) == 1]:
        print("recommendation", flush=True)
        text, gains = recommend.section(split, extent)
        lines = {name: (extent.ks, gain) for name, gain in gains.items()}
        panel = Panel("recommended", "% accuracy less MD's", lines)
        parts.append(f"## What to use\n\n{text}\n\n{drawn('Gain', [[panel]])}".rstrip())
    print("synthetic collections", flush=True)
    text, panels = synthetic.section(quick=extent is QUICK)
    parts.append(f"## Known distributions\n\n{drawn('Synthetic', panels)}{text}")
    (folder / "README.md").write_text("\n\n".join(parts) + "\n", "utf-8")
    print(f"wrote {folder / 'README.md'}")


def introduction(collections: Mapping[str, Collection], extent: Extent) -> str:
    """Say what was measured, and how to read it."""
    rows = {name: described(collection) for name, collection in collections.items()}
    header = ["documents", "terms", "classes", "largest class"]
    trial = "**A quick trial, not the experiment.**\n\n" if extent is QUICK else ""
    return f"""\
# The paper's experiments again

{trial}Tang, Kay and He, "Toward Optimal Feature Selection in Naive Bayes for Text
Categorization", IEEE TKDE 28(9), 2016, compare MD and MD-chi2 with four other methods on three
corpora. This page does so again. `docs/reproduction/reproduce.py` writes it, and computes every
verdict from the numbers beside it.

{table("collection", header, rows)}

- Deng Cai's files, as in the paper, with their splits into training and test documents; terms in
  fewer than 2 documents are left out. "largest class" is its share of the test documents.
- Terms are ranked on the training documents. Classifiers are scikit-learn's on the occurrences of
  the first k terms: MultinomialNB and, as the paper says no more than "SVM", LinearSVC with C = 1.
- Means are over {len(extent.ks)} numbers of terms from {extent.ks[0]} to {extent.ks[-1]:,} in a
  geometric series, {len(extent.svm_ks)} for the SVM. How the paper spaces its own it does not say;
  if evenly, few of them are small, hence the views "from 100 terms up".
- Plots of differences are cut at {CUT[0]} and {CUT[1]} points.
- F1 is that of each class against the rest, weighted by the class's share, as in the paper.
- ± is two standard errors, by {extent.n_resamples} resamples of the test documents, with the
  training documents as they are. A smaller difference is called level.
- How the classes' values become a term's score the paper does not say of CET, chi2 and GSS: here
  the sum for CET, the largest for chi2 and GSS; "averaged" is the mean weighted by the classes'
  shares.

With {", ".join(f"{package.__name__} {package.__version__}" for package in PACKAGES)}."""


def described(collection: Collection) -> list[str]:
    """Give the cells of a collection's row."""
    train, test = collection.folds[0]
    documents = f"{len(train):,} + {len(test):,}"
    if len(collection.folds) > 1:
        documents = f"{len(collection.y):,} in {len(collection.folds)} folds"
    n_classes = len(np.unique(collection.y))
    n_terms = f"{collection.X.shape[1]:,}"
    return [documents, n_terms, str(n_classes), f"{collection.largest_share:.1%}"]


def summary(checked: Sequence[tuple[Claim, Verdict]]) -> str:
    """Give a row a claim."""
    rows = (f"| {claim.where} | {claim.says} | {found.verdict} |" for claim, found in checked)
    table = "\n".join(["| where | the paper says | here it |", "|---|---|---|", *rows])
    verdicts = Counter(found.verdict for _, found in checked)
    counts = listed(f'{n} "{verdict}"' for verdict, n in verdicts.most_common())
    return f"{table}\n\nIn all {counts}."


def discussion(checked: Sequence[tuple[Claim, Verdict]], where: str) -> str:
    """Give each claim of a place, and what was found."""
    return "\n\n".join(
        f'"{claim.says}": **{found.verdict}.**\n\n{found.found}'
        for claim, found in checked
        if claim.where == where
    )


def tables(results: Results) -> str:
    """Give each method's mean difference to MD, and its accuracy with some numbers of terms."""
    header = [f"{collection}, {classifier}" for collection, classifier in results]
    differences: dict[str, list[str]] = {name: [] for name in PAPER | AVERAGED | BEYOND}
    values: dict[str, list[str]] = {name: [] for name in differences}
    for found in results.values():
        md = found["MD"].mean()
        for name, of in found.items():
            mean = f"{100 * md[0]:.1f}%" if name == "MD" else str(Estimate.of(of.mean() - md))
            differences[name].append(mean)
            some = (f"{100 * of.at(k)[0]:.1f}" for k in (10, 100, 1000) if k in of.ks)
            values[name].append(" / ".join(some))
    return f"""\
Mean accuracy less MD's, in points:

{table("method", header, differences)}

Accuracy with 10 / 100 / 1,000 terms, in per cent:

{table("method", header, values)}"""


# ---- the command line ----------------------------------------------------------------------------


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", nargs="?", type=Path, help="default: as corpora.py says")
    parser.add_argument("--tdt2", type=Path, help="TDT2.mat")
    parser.add_argument("--output", type=Path, help="default: docs/reproduction; quick: build/...")
    parser.add_argument("--quick", action="store_true", help="little of everything")
    args = parser.parse_args(argv)
    args.output = args.output or ROOT / ("build" if args.quick else "docs") / "reproduction"
    return args


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and write."""
    args = arguments(argv)
    if args.data:
        corpora.FOLDER = args.data
    extent = QUICK if args.quick else FULL
    found = collections(args.tdt2)
    report(args.output, found, measure(found, extent), extent)


if __name__ == "__main__":
    main()
