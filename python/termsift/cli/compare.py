"""``termsift compare``: the accuracy of naive Bayes with the first k terms of each method."""

from __future__ import annotations

import argparse
from functools import partial
from operator import methodcaller
from pathlib import Path
from textwrap import wrap
from typing import Any, TextIO, TypeAlias

import numpy as np

import termsift as ts
from termsift import io, plots, typing
from termsift._util import scipy
from termsift._util.extras import require
from termsift._util.faults import concerning
from termsift._util.files import check_replaceable, replacing, text_output
from termsift._util.messages import logger
from termsift._util.validation import check_choice, check_one_class, naming
from termsift.cli import arguments, inputs, output

# The methods in the figures of Tang, Kay and He, and the selector that is best for few terms.
_COMPARED = ("md", "md_chi2", "df", "cet", "chi2", "gss", "conditional_gain")
_FOLDS = 10
_LETTERS = 110  # of a line of the title of a plot
_ONE_CLASS = "the classifier assigns each document to one class"
# The metrics that tables show, with their titles.
_METRICS: dict[typing.Metric, str] = {"accuracy": "accuracy", "f1": "weighted F1"}
_KS = (10, 20, 50, 100, 200, 500, 1000, 2000)
_MORE = """\
The classifier is naive Bayes with only the first k terms of a ranking. With --test, it is trained
on INPUT and classifies the documents of --test. Otherwise, it is trained anew for each fold, on
all other folds. "smallest k" is the least k whose value is within one standard error (s.e.) of the
best value. The last table compares each method with the best in the mean over all k: the
difference, its interval at 95% (±), and the p-value of no difference, adjusted for the number of
methods. Several INPUTs are several collections, whose means over k make one table.

"""

_About: TypeAlias = dict[str, Any]  # the members of the JSON output that describe the evaluation


def add(commands: Any) -> None:
    """Add the parser of the command."""
    about = "evaluate methods by the accuracy of a classifier that uses the first k terms of each"
    parser = arguments.add_command(commands, "compare", _run, about, _MORE)
    arguments.add_input(parser, counts=False, several=True)
    title = "rankings (a method without options is combined with all its models and policies)"
    group = parser.add_argument_group(title)
    methods = tuple(ranker.name for ranker in (*ts.methods(), *ts.selectors()))
    for option, argument, names, usual in (
        ("--method", "methods", methods, _COMPARED),
        ("--model", "models", arguments.MODELS, arguments.MODELS[:1]),
        ("--policy", "policies", arguments.POLICIES, arguments.POLICIES[:1]),
    ):
        about = f"any of {', '.join(names)} (default: {','.join(usual)})"
        if argument == "methods":
            about += "; with options as in 'md binary round_robin,chi2 mean,ndm document'"
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
    smoothing = "smoothing of the methods: add A to each count (default: 1)"
    of_bayes = "smoothing of the classifier (default: 1)"
    group.add_argument("-k", "--k", dest="ks", type=arguments.numbers, metavar="N,...", help=ks)
    arguments.add_values(
        group,
        ("--alpha", arguments.number, "A", smoothing),
        ("--classifier-alpha", arguments.number, "A", of_bayes),
        ("--test", str, "FILE", "documents to classify instead of folds; read like INPUT"),
        ("--test-labels", str, "FILE", "labels of the documents of --test, one per line"),
        ("--cv", int, "N", f"number of folds (default: {_FOLDS})"),
        ("--random-state", int, "N", "seed for assigning documents to folds (default: 0)"),
    )
    arguments.add_choice(group, "--classifier", arguments.MODELS, "the model of the classifier")
    plot = "draw the curves too, to a file such as curves.svg (needs matplotlib)"
    latex = "write the tables for LaTeX too, with the best values in bold"
    options = ("--plot", str, "FILE", plot), ("--latex", str, "FILE", latex)
    arguments.add_values(output.add_output(parser), *options)


def _run(args: argparse.Namespace) -> None:
    inputs.refuse_repeated(args.inputs)
    if len(args.inputs) > 1:
        arguments.refuse(args, "--test needs one INPUT", "test")
    if args.test is None:
        arguments.refuse(args, "there is no --test", "test_labels")
    else:
        arguments.refuse(args, "--test takes the place of folds", "cv", "random_state")
    if args.plot is not None:
        _check_plot(args.plot)  # a wrong path fails before the computation
    if args.latex is not None:
        check_replaceable(args.latex)
    rankers = {name: getattr(args, name) for name in ("methods", "models", "policies")}
    _check_names(args)  # an unknown name fails before the computation
    found: ts.Curves | ts.Comparison
    with output.answering(args) as answer:
        if len(args.inputs) > 1:
            found, about = _of_several(args, rankers)
        else:
            args.input = args.inputs[0]
            found, about = _evaluated(args, rankers)
        write: Any = _write_comparison if isinstance(found, ts.Comparison) else _write_tables
        write = partial(write, found=found, about=about)
        answer(found.columns(), write, about, "curves")
    if args.latex is not None:
        with text_output(args.latex) as file:
            file.write("\n\n".join(found.to_latex(metric) for metric in _METRICS) + "\n")
    if args.plot is not None:
        figure = plots.plot_curves(found, metrics=list(_METRICS))
        # Wrapping by matplotlib would read a $ in a name as the beginning of a formula.
        lines = [line for part in _title(about).split("; ") for line in wrap(part, _LETTERS)]
        figure.suptitle("\n".join(lines), fontsize=9, parse_math=False)
        with replacing(args.plot) as file:
            figure.savefig(file, format=_ending(args.plot) or None, dpi=200)
    if isinstance(found, ts.Comparison) and len(found) < len(args.inputs):
        n = len(args.inputs) - len(found)
        why = "for the reasons above"
        raise ValueError(f"{n} of {len(args.inputs)} collections are left out, {why}")


def _check_names(args: argparse.Namespace) -> None:
    for value in args.methods:
        try:
            ts.method(value)
        except (TypeError, ValueError) as error:
            raise concerning(error, "methods") from None
    known = {"models": arguments.MODELS, "policies": arguments.POLICIES}
    for name, choices in known.items():
        for value in getattr(args, name):
            check_choice(value, choices, name)


def _check_plot(path: str) -> None:
    require("matplotlib", "plot", "--plot")
    from matplotlib.backend_bases import FigureCanvasBase

    ending, known = _ending(path), FigureCanvasBase.get_supported_filetypes()
    if ending and ending not in known:
        cure = f"expected one of {', '.join(sorted(known))}"
        raise ValueError(f"{path}: unknown ending {ending!r} for a plot, {cure}")
    check_replaceable(path)


def _ending(path: str) -> str:
    return Path(path).suffix[1:].lower()


def _options(args: argparse.Namespace) -> tuple[_About, _About]:
    """Return the options of the evaluation, and those of the folds."""
    usual: _About = {"classifier": arguments.MODELS[0], "alpha": 1.0, "classifier_alpha": 1.0}
    folds: _About = {"cv": _FOLDS, "random_state": 0}
    return usual | arguments.given(args, *usual), folds | arguments.given(args, *folds)


def _of_several(args: argparse.Namespace, rankers: dict[str, Any]) -> tuple[ts.Comparison, _About]:
    """Evaluate several collections, which are read one after the other."""
    options, folds = _options(args)
    if args.labels is not None and len(args.labels) != len(args.inputs):
        n = len(args.inputs)
        raise ValueError(f"got {len(args.labels)} times --labels for {n} INPUTs; give one for each")
    stems = [Path(path).stem for path in args.inputs]
    names = stems if len({*stems}) == len(stems) else args.inputs
    read: list[_About] = []

    def collection(number: int) -> tuple[Any, Any]:
        own = argparse.Namespace(**vars(args))
        own.input = own.source = args.inputs[number]
        own.labels = args.labels and [args.labels[number]]
        found = inputs.read_documents(own)
        n_docs, n_terms = found.X.shape
        read.append(
            {"name": names[number], "input": own.input, "n_docs": n_docs, "n_terms": n_terms}
        )
        return found.X, found.y

    collections = {name: partial(collection, number) for number, name in enumerate(names)}
    ks = args.ks or _KS
    found = ts.compare(collections, ks=ks, n_threads=args.n_threads, **rankers, **options, **folds)
    evaluated = [one for one in read if one["name"] in found]
    return found, {"collections": evaluated, **options, **folds}


def _evaluated(args: argparse.Namespace, rankers: dict[str, Any]) -> tuple[ts.Curves, _About]:
    options, how = _options(args)
    folds = how
    if args.test is None:
        train = inputs.read_documents(args)
        X, y, source = train.X, train.y, train.source
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
    if "collections" in about:
        what = "; ".join(
            f"{one['name']}: {one['n_docs']:,} documents, {one['n_terms']:,} terms"
            for one in about["collections"]
        )
        return f"{what}; {about['classifier']} naive Bayes, {about['cv']}-fold cross-validation"
    if "cv" in about:
        how = f"{about['cv']}-fold cross-validation"
    else:
        how = f"tested on {about['n_test_docs']:,} documents of {about['test']}"
    return (
        f"{about['input']}: {about['n_docs']:,} documents, {about['n_terms']:,} terms; "
        f"{about['classifier']} naive Bayes, {how}"
    )


def _write_comparison(out: TextIO, found: ts.Comparison, about: _About) -> None:
    """Write the tables of several collections, or those of the only one that is left."""
    if len(found) > 1:
        _write_agreement(out, found, about)
        return
    (curves,) = found.values()
    _write_tables(out, curves, about)


def _write_agreement(out: TextIO, found: ts.Comparison, about: _About) -> None:
    """Write a table of each metric, with a column for each collection."""
    out.write(f"{_title(about)}.\nAll values are percentages, means over the k that all have. ")
    out.write("A * marks the best of a column.\n")
    width = max(map(len, _METRICS.values()))
    for metric, title in _METRICS.items():
        agreement = found.agreement(metric)
        table = agreement.columns()
        values = np.vstack([agreement.values, table["mean"]])
        shares = [[f"{100 * x:.1f}" for x in of] for of in values]
        best = [max(of, key=float) for of in shares]
        heads = [f"{name} " for name in agreement.collections] + ["mean "]
        rows = [[f"{title:<{width}}", *heads, "mean rank", "wins", "losses", "p"]]
        for row, name in enumerate(agreement.rankings):
            cells = [of[row] + " *"[of[row] == top] for of, top in zip(shares, best, strict=True)]
            counted = [f"{table[key][row]:,}" for key in ("wins", "losses")]
            end = [f"{table['mean_rank'][row]:.2f}", *counted, f"{table['pvalue_adj'][row]:.2g}"]
            rows.append([name, *cells, *end])
        out.write("\n")
        output.write_table(out, rows, "<" + ">" * (len(rows[0]) - 1))
        out.write(
            f"Wins and losses are those against {agreement.reference}, with Holm's p of the sign "
            f"test.\n{agreement.summary}\n"
        )


def _write_tables(out: TextIO, found: ts.Curves, about: _About) -> None:
    out.write(f"{_title(about)}.\nAll values are percentages. A * marks the best of a column.\n")
    width = max(map(len, _METRICS.values()))
    for metric, title in _METRICS.items():
        out.write("\n")
        rows = _metric_rows(found, metric, f"{title:<{width}}  k =")
        output.write_table(out, rows, "<" + ">" * (len(rows[0]) - 1))
    if all(curve.n_runs > 1 for curve in found.values()):
        out.write("\n")
        rows = _certain_rows(found)
        output.write_table(out, rows, "<" + ">" * (len(rows[0]) - 1))


def _certain_rows(curves: ts.Curves) -> list[list[str]]:
    """Return the table of the mean accuracies over all k, and of their differences to the best."""
    table = curves.certainty().columns()
    rows = [["mean accuracy", "", "±", "to the best", "±", "p"]]
    for row, name in enumerate(curves):

        def half(high: str, middle: str, row: int = row) -> str:
            return f"{100 * (table[high][row] - table[middle][row]):.1f}"

        mean, difference = (f"{100 * table[key][row]:.1f}" for key in ("mean", "difference"))
        halves = half("high", "mean"), half("difference_high", "difference")
        pvalue = f"{table['pvalue_adj'][row]:.2g}"
        rows.append([name, mean, halves[0], difference, halves[1], pvalue])
    return rows


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
