"""``termsift compare``: the accuracy of a classifier with the first k terms of each method."""

from __future__ import annotations

import argparse
from functools import partial
from operator import methodcaller
from pathlib import Path
from typing import Any, TextIO, TypeAlias

import numpy as np

import termsift as ts
from termsift import io, plots, typing
from termsift._util import scipy
from termsift._util.extras import require
from termsift._util.files import check_replaceable, named_errors
from termsift._util.messages import logger
from termsift._util.validation import check_choice, check_one_class, naming
from termsift.cli import arguments, inputs, output

# The methods in the figures of Tang, Kay and He, and the selector that is best for few terms.
_COMPARED = ("md", "md_chi2", "df", "cet", "chi2", "gss", "conditional_gain")
_FOLDS = 10
_ONE_CLASS = "the classifier assigns each document to one class"
# The metrics that tables show, with their titles.
_METRICS: dict[typing.Metric, str] = {"accuracy": "accuracy", "f1": "weighted F1"}
_KS = (10, 20, 50, 100, 200, 500, 1000, 2000)
_MORE = """\
The classifier is naive Bayes with only the first k terms of a ranking. With --test, it is trained
on INPUT and classifies the documents of --test. Otherwise, it is trained anew for each fold, on
all other folds. "smallest k" is the least k whose value is within one standard error (s.e.) of the
best value. Methods that differ by less than one standard error may be equally good.

"""

_About: TypeAlias = dict[str, Any]  # the members of the JSON output that describe the evaluation


def add(commands: Any) -> None:
    """Add the parser of the command."""
    about = "evaluate methods by the accuracy of a classifier that uses the first k terms of each"
    parser = arguments.add_command(commands, "compare", _run, about, _MORE)
    arguments.add_input(parser, counts=False)
    title = "rankings (each method is combined with all models and policies that it has)"
    group = parser.add_argument_group(title)
    methods = tuple(ranker.name for ranker in (*ts.methods(), *ts.selectors()))
    for option, argument, names, usual in (
        ("--method", "methods", methods, _COMPARED),
        ("--model", "models", arguments.MODELS, arguments.MODELS[:1]),
        ("--policy", "policies", arguments.POLICIES, arguments.POLICIES[:1]),
    ):
        about = f"any of {', '.join(names)} (default: {','.join(usual)})"
        group.add_argument(
            option,
            dest=argument,
            type=methodcaller("split", ","),
            default=usual,
            metavar="NAME,...",
            help=about,
        )
    group = parser.add_argument_group("evaluation")
    ks = f"numbers of terms (default: {','.join(map(str, _KS))}, up to the number of all terms)"
    smoothing = "smoothing, for the classifier and the methods: add A to each count (default: 1)"
    group.add_argument("-k", "--k", dest="ks", type=arguments.numbers, metavar="N,...", help=ks)
    arguments.add_values(
        group,
        ("--alpha", arguments.number, "A", smoothing),
        ("--test", str, "FILE", "documents to classify instead of folds; read like INPUT"),
        ("--test-labels", str, "FILE", "labels of the documents of --test, one per line"),
        ("--cv", int, "N", f"number of folds (default: {_FOLDS})"),
        ("--random-state", int, "N", "seed for assigning documents to folds (default: 0)"),
    )
    arguments.add_choice(group, "--classifier", arguments.MODELS, "the model of the classifier")
    plot = "draw the curves too, to a file such as curves.svg (needs matplotlib)"
    arguments.add_values(output.add_output(parser), ("--plot", str, "FILE", plot))


def _run(args: argparse.Namespace) -> None:
    if args.test is None:
        arguments.refuse(args, "there is no --test", "test_labels")
    else:
        arguments.refuse(args, "--test takes the place of folds", "cv", "random_state")
    if args.plot is not None:
        _check_plot(args.plot)  # a wrong path fails before the computation
    rankers = {name: getattr(args, name) for name in ("methods", "models", "policies")}
    _check_names(args)  # an unknown name fails before the computation
    with output.answering(args) as answer:
        curves, about = _evaluated(args, rankers)
        write = partial(_write_table, curves=curves, about=about)
        answer(curves.columns(), write, about, "curves")
    if args.plot is not None:
        figure = plots.plot_curves(curves, metrics=list(_METRICS))
        title = _title(about).replace("; ", "\n")
        figure.suptitle(title, fontsize=9, wrap=True, parse_math=False)
        with named_errors(args.plot):
            figure.savefig(args.plot, dpi=200)


def _check_names(args: argparse.Namespace) -> None:
    methods = [ranker.name for ranker in (*ts.methods(), *ts.selectors())]
    known = {"methods": methods, "models": arguments.MODELS, "policies": arguments.POLICIES}
    for name, choices in known.items():
        for value in getattr(args, name):
            check_choice(value, choices, name)


def _check_plot(path: str) -> None:
    require("matplotlib", "plot", "--plot")
    from matplotlib.backend_bases import FigureCanvasBase

    ending, known = Path(path).suffix[1:].lower(), FigureCanvasBase.get_supported_filetypes()
    if ending and ending not in known:
        cure = f"expected one of {', '.join(sorted(known))}"
        raise ValueError(f"{path}: unknown ending {ending!r} for a plot, {cure}")
    check_replaceable(path)


def _evaluated(args: argparse.Namespace, rankers: dict[str, Any]) -> tuple[ts.Curves, _About]:
    usual: _About = {"classifier": arguments.MODELS[0], "alpha": 1.0}
    options = usual | arguments.given(args, *usual)
    folds: _About = {"cv": _FOLDS, "random_state": 0}
    if args.test is None:
        train = inputs.read_documents(args)
        X, y, source = train.X, train.y, train.source
        how = folds = folds | arguments.given(args, *folds)
    else:
        first = inputs.scan_of(args)
        args.input, args.labels = args.test, args.test_labels
        args.option_of = {"labels": "test_labels"}  # in messages about the test documents
        train, test = io.read_split(first, inputs.scan_of(args))
        X, y, source = _stacked(train, test)
        rows = np.arange(X.shape[0])
        folds = {"cv": [np.split(rows, train.X.shape[:1])]}
        how = {"test": test.source, "n_test_docs": test.X.shape[0]}
    n_docs, n_terms = train.X.shape
    with naming(source):
        ks = args.ks or [k for k in _KS if k <= n_terms] or None  # ks=None evaluates every k
        found = ts.cross_validate(
            X, y, ks=ks, n_threads=args.n_threads, **rankers, **options, **folds
        )
    return found, {"input": train.source, "n_docs": n_docs, "n_terms": n_terms, **options, **how}


def _stacked(train: io.Collection, test: io.Collection) -> tuple[Any, Any, str]:
    """Return the documents of both collections, their labels and their source."""
    ys: list[Any] = [train.y, test.y]
    for part, y in zip((train, test), ys, strict=True):
        with naming(part.source):
            check_one_class(y, part.X.shape[0], _ONE_CLASS)
    unknown = np.count_nonzero(~np.isin(ys[1], ys[0]))
    if unknown:
        why = "have labels that no training document has, and count as errors"
        logger.warning("%s: %d of %d documents %s", test.source, unknown, len(ys[1]), why)
    X = scipy.sparse.vstack([train.X, test.X], format="csr")
    return X, np.concatenate(ys), f"{train.source} and {test.source}"


def _title(about: _About) -> str:
    """Describe the collection and the evaluation in words."""
    if "cv" in about:
        how = f"{about['cv']}-fold cross-validation"
    else:
        how = f"tested on {about['n_test_docs']:,} documents of {about['test']}"
    return (
        f"{about['input']}: {about['n_docs']:,} documents, {about['n_terms']:,} terms; "
        f"{about['classifier']} naive Bayes, {how}"
    )


def _write_table(out: TextIO, curves: ts.Curves, about: _About) -> None:
    out.write(f"{_title(about)}.\nAll values are percentages. A * marks the best of a column.\n")
    width = max(map(len, _METRICS.values()))
    for metric, title in _METRICS.items():
        out.write("\n")
        rows = _metric_rows(curves, metric, f"{title:<{width}}  k =")
        output.write_table(out, rows, "<" + ">" * (len(rows[0]) - 1))


def _metric_rows(curves: ts.Curves, metric: typing.Metric, head: str) -> list[list[str]]:
    """Return the table of a metric. If there are folds, add `best_k` and `smallest_k`."""
    ks = next(iter(curves.values())).ks
    shares = {
        name: [f"{100 * x:.1f}" for x in curve.mean(metric)] for name, curve in curves.items()
    }
    best = [max(column, key=float) for column in zip(*shares.values(), strict=True)]
    rows = [[head, *(f"{k:,} " for k in ks)]]
    for name, row in shares.items():  # mark every value that prints the same as the best
        rows.append([name, *(x + (" ", "*")[x == top] for x, top in zip(row, best, strict=True))])
    for row, curve in zip(rows[1:], curves.values(), strict=True):
        if curve.n_runs > 1:
            k, smallest = curve.best_k(metric), curve.smallest_k(metric)
            error = curve.standard_error(metric)[curve.ks == k].item()
            row += [f"{k:,}", f"{100 * error:.1f}", f"{smallest:,}"]
    rows[0] += ["best k", "s.e.", "smallest k"] if len(rows[-1]) > len(rows[0]) else []
    return rows
