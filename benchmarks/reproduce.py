"""Repeat the paper's experiments, and check each figure and each claim.

    python benchmarks/reproduce.py [DATA] [--tdt2 FILE] [--output FOLDER] [--quick]

The script writes paper.md and its plots into a folder. `benchmarks/corpora.py` describes the folder
DATA of the corpora. Missing corpora are skipped. ``--quick`` only checks that everything works. All
verdicts in paper.md are computed. paper.md contains no text of the corpora.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import scipy
import sklearn

import corpora
import recommend
import synthetic
import termsift as ts
from claims import (
    ALT_COMP,
    NEWS,
    REUTERS,
    RULES,
    TDT2,
    UNKNOWN,
    Claim,
    Results,
    Verdict,
    claims,
    table,
)
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
    Ranker,
    evaluate,
    listed,
)

# The classifier and the collections of each figure in the paper.
FIGURES: dict[str, tuple[Classifier, Sequence[str]]] = {
    "Figure 1": (MULTINOMIAL, [NEWS]),
    "Figure 2": (MULTINOMIAL, [ALT_COMP]),
    "Figure 3": (MULTINOMIAL, REUTERS),
    "Figure 4": (MULTINOMIAL, [TDT2]),
    "Figure 5": (SVM, REUTERS),
}
# The corpus of each collection with an official split, and the function that reads the collection.
SPLITS: dict[str, tuple[str, Callable[[], corpora.Split]]] = {
    NEWS: ("20 Newsgroups", corpora.newsgroups),
    ALT_COMP: ("20 Newsgroups", corpora.alt_comp),
    **{
        name: ("Reuters", partial(corpora.reuters, int(name.rpartition("-")[2])))
        for name in REUTERS
    },
}
PACKAGES = (ts, np, scipy, sklearn)
DRAWN = "Figure 1"  # The only figure that is drawn, because a table covers the others.
TRIAL = "**A quick trial, not the experiment.**"
CUT = (-10, 9)  # Limits of the y axis of plots of differences, in percentage points.


def collections(tdt2: Path | None) -> dict[str, Collection]:
    """Return the collections of the paper that are available."""
    found = {}
    for name, (corpus, load) in SPLITS.items():
        if reason := corpora.missing(corpus):
            print(f"skipped {name}: {reason}")
        else:
            found[name] = Collection.split(name, load())
    if tdt2 is None:
        print(f"skipped {TDT2}: name its file with --tdt2")
    else:
        found[TDT2] = Collection.folded(TDT2, *corpora.load_whole(tdt2, 10))
    return found


def measure(
    collections: Mapping[str, Collection],
    extent: Extent,
    rankers: Mapping[str, Ranker] = PAPER | AVERAGED | BEYOND,
) -> Results:
    """Return the results of rankings with the classifiers that the figures use."""
    results = Results()
    for classifier, ks in ((MULTINOMIAL, extent.ks), (SVM, extent.svm_ks)):
        wanted = {name for kind, names in FIGURES.values() if kind is classifier for name in names}
        for name, collection in collections.items():
            if name in wanted:
                print(f"{name}: {classifier.name}", flush=True)
                results[name, classifier.name] = evaluate(
                    collection, rankers, classifier, ks, extent.n_resamples
                )
    return results


# ---- plots ---------------------------------------------------------------------------------------


def less_md(title: str, found: Mapping[str, Found], names: Sequence[str]) -> Panel:
    """Return a panel with the accuracies of methods minus the accuracy of MD."""
    lines = {name: (found[name].ks, found[name].curve() - found["MD"].curve()) for name in names}
    return Panel(title, "accuracy over MD's, points", lines, limits=CUT)


def figure_of(name: str, results: Results) -> list[list[Panel]]:
    """Return a row of panels for each available collection that the figure shows."""
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
    checked = [each for each in checked if each[1].verdict != UNKNOWN]
    for where in dict.fromkeys(claim.where for claim, _ in checked):
        figure = drawn(where, figure_of(where, results)) if where == DRAWN else ""
        parts.append(f"## {where}\n\n{figure}{discussion(checked, where)}")
    if results:
        parts.append(f"## All methods\n\n{differences(results)}")
    if split := [each for each in collections.values() if len(each.folds) == 1]:
        print("recommendation", flush=True)
        text, gains = recommend.section(split, extent)
        lines = {name: (extent.ks, gain) for name, gain in gains.items()}
        panel = Panel("recommended", "accuracy over MD's, points", lines)
        parts.append(
            f"## The best method from counts\n\n{text}\n\n{drawn('Gain', [[panel]])}".rstrip()
        )
    parts.append(f"## Many documents\n\n{synthetic.section(quick=extent is QUICK)}")
    (folder / "paper.md").write_text("\n\n".join(parts) + "\n", "utf-8")
    print(f"wrote {folder / 'paper.md'}")


def introduction(collections: Mapping[str, Collection], extent: Extent) -> str:
    """Return the introduction, which describes the page, the measurements and the tables."""
    trial = f"{TRIAL}\n\n" if extent is QUICK else ""
    return f"""\
# The paper's experiments, repeated

{trial}Tang, Kay and He, "Toward Optimal Feature Selection in Naive Bayes for Text
Categorization", IEEE TKDE 28(9), 2016, compare their methods MD and MD-chi2 with four
other methods on three corpora. This page repeats the experiments of the paper.
`benchmarks/reproduce.py` writes the page and computes the verdict on each claim.
`benchmarks/paper_figures.py` draws all figures of the paper, and writes them beside
the claims about them. It tells which files it needs, and what it does without them.

{measurements(collections, extent)}"""


def measurements(collections: Mapping[str, Collection], extent: Extent) -> str:
    """Return the sizes of the collections, and how they are ranked, classified and compared."""
    rows = {name: described(collection) for name, collection in collections.items()}
    header = ["documents", "terms", "classes", "largest class"]
    return f"""\
{table("collection", header, rows)}

- The files are Deng Cai's, which the paper used too, with his splits into training and test
  documents. Terms in fewer than 2 documents are left out. The column "largest class" has the share
  of the largest class among the test documents.
- Terms are ranked on the training documents. The naive Bayes classifier is scikit-learn's
  MultinomialNB. The SVM, which the paper does not specify, is LinearSVC with C = 1. Both
  classifiers are trained on the numbers of occurrences of the k best terms.
- Means are over {len(extent.ks)} values of k from {extent.ks[0]} to {extent.ks[-1]:,} for naive
  Bayes, and over {len(extent.svm_ks)} for the SVM. The values of k form a geometric series. The
  paper's values of k may be evenly spaced and thus mostly large, so some results are also given
  "from 100 terms up".
- Plots of differences show the range from {CUT[0]} to {CUT[1]} percentage points.
- F1 is computed for each class against all others. The mean over the classes uses their shares of
  the documents as weights, as in the paper.
- The number after ± is two standard errors, estimated from {extent.n_resamples} resamples of the
  test documents. Two methods are called level if they differ by at most two standard errors.
- CET, chi2 and GSS have a value for each term and class. The paper does not say how the values of a
  term become its score. On this page CET takes the sum of the values, while chi2 and GSS take the
  largest value. An "averaged" score is the mean of the values, weighted by the classes' shares.

Versions: {", ".join(f"{package.__name__} {package.__version__}" for package in PACKAGES)}."""


def described(collection: Collection) -> list[str]:
    """Return the cells of a collection in the table of collections."""
    train, test = collection.folds[0]
    documents = f"{len(train):,} + {len(test):,}"
    if len(collection.folds) > 1:
        documents = f"{len(collection.y):,} in {len(collection.folds)} folds"
    n_classes = len(np.unique(collection.y))
    n_terms = f"{collection.X.shape[1]:,}"
    return [documents, n_terms, str(n_classes), f"{collection.largest_share:.1%}"]


def summary(checked: Sequence[tuple[Claim, Verdict]]) -> str:
    """Return a table with one row per claim."""
    rows = (f"| {claim.where} | {claim.says} | {found.verdict} |" for claim, found in checked)
    table = "\n".join(["| where | the paper says | verdict |", "|---|---|---|", *rows])
    verdicts = Counter(found.verdict for _, found in checked)
    counts = listed(f'{n} "{verdict}"' for verdict, n in verdicts.most_common())
    missing = dict.fromkeys(found.found for _, found in checked if found.verdict == UNKNOWN)
    return f"{table}\n\n{' '.join([f'In total: {counts}.', *missing])}"


def discussion(checked: Sequence[tuple[Claim, Verdict]], where: str) -> str:
    """Return the claims that the paper makes in one place, with their verdicts and reasons."""
    return "\n\n".join(
        f'"{claim.says}": **{found.verdict}.**\n\n{found.found}'
        for claim, found in checked
        if claim.where == where
    )


def differences(results: Results) -> str:
    """Return a table with the mean difference between each method and MD."""
    header = [f"{collection}, {classifier}" for collection, classifier in results]
    rows: dict[str, list[str]] = {name: [] for name in PAPER | AVERAGED | BEYOND}
    for found in results.values():
        md = found["MD"].mean()
        for name, of in found.items():
            mean = f"{100 * md[0]:.1f}%" if name == "MD" else str(Estimate.of(of.mean() - md))
            rows[name].append(mean)
    return f"""\
The first row has MD's mean accuracy. All other rows have the difference from MD's, in points:

{table("method", header, rows)}"""


# ---- the command line ----------------------------------------------------------------------------


def arguments(
    argv: Sequence[str] | None = None,
    about: str | None = __doc__,
    output: Path = ROOT / "docs",
    trial: Path = ROOT / "build/reproduction",
) -> argparse.Namespace:
    """Read the command line. A full run writes into ``output``, and a quick run into ``trial``."""
    parser = argparse.ArgumentParser(description=(about or "").splitlines()[0])
    parser.add_argument(
        "data",
        nargs="?",
        type=Path,
        help="folder of the corpora; benchmarks/corpora.py describes it and the default",
    )
    parser.add_argument("--tdt2", type=Path, help="the file TDT2.mat")
    short, short_trial = (folder.relative_to(ROOT) for folder in (output, trial))
    default = f"{short}, or {short_trial} with --quick"
    parser.add_argument("--output", type=Path, help=f"folder; default: {default}")
    parser.add_argument("--quick", action="store_true", help="run a small part of everything")
    args = parser.parse_args(argv)
    args.output = args.output or (trial if args.quick else output)
    return args


def main(argv: Sequence[str] | None = None) -> None:
    """Run the experiments and write the report."""
    args = arguments(argv)
    if args.data:
        corpora.FOLDER = args.data
    extent = QUICK if args.quick else FULL
    found = collections(args.tdt2)
    report(args.output, found, measure(found, extent), extent)


if __name__ == "__main__":
    main()
