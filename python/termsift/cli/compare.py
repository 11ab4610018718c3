"""``termsift compare``: how well a classifier does with the first k terms of several methods."""

from __future__ import annotations

import argparse
import json
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TextIO, TypeAlias, cast

import numpy as np
import numpy.typing as npt

import termsift as ts
from termsift import io, plots
from termsift._evaluate.curve import METRICS, TITLES, Metric
from termsift._evaluate.evaluation import rankers_of
from termsift._scores.registry import MODELS, POLICIES
from termsift._evaluate.rankers import rank_by
from termsift._util.extras import require
from termsift._util.frames import (
    write_csv,
    write_json,
    write_json_lines,
    write_parquet,
)
from termsift._util.progress import progress
from termsift._util.validation import naming
from termsift.cli.arguments import (
    FOLDS,
    INPUT_FORMATS,
    above_zero,
    add_command,
    add_folds,
    add_input,
    add_names,
    add_output,
    folds_of,
    methods_help,
    one_of,
    positive,
    selectors_help,
)
from termsift.cli.inputs import (
    DEMO,
    count_collection,
    read_documents,
    reading_options,
    refuse_counts,
)
from termsift.cli.output import PARQUET, check_format, opened, write_table

_log = logging.getLogger("termsift")

_COMPARED = ("md", "md_chi2", "df", "cet", "chi2", "gss")  # the methods of the paper's figures

_KS = (10, 20, 50, 100, 200, 500, 1000, 2000)
_CURVE_MEANING = """\
what the numbers mean:
  A classifier, naive Bayes, is given the first k terms of a method's ranking and nothing else. How
  well it does with them says how good the ranking is. Documents are classified that neither the
  ranking nor the classifier has seen: those of --test, or those of each fold in turn after ranking
  and training on all others.
  accuracy     documents that are taken for what they are
  weighted F1  F1 of each class against the rest, weighted by the class's share of the documents
  s.e.         standard error of the mean over the folds
  Folds too differ by chance: of two values less than a standard error or two apart, either may be
  the better. Hence the smallest k that is within one standard error of the best.

csv, jsonl, parquet and json output:
  All metrics of each method at each k, as shares of 1; over folds also their standard deviations,
  as accuracy_std and so on. A row, or an object a line, for each method and k; json is one object,
  with a list for each method. parquet needs -o and pyarrow.

"""


# Curves by name, and in words and numbers what they are of: the members of the json output.


_Curves: TypeAlias = Mapping[str, ts.Curve]


_About: TypeAlias = dict[str, Any]


def add(commands: Any) -> None:
    """Add the parser of the command."""
    parser = add_command(
        commands,
        "compare",
        _run,
        "tell how well a classifier does with the first k terms of several methods",
        _CURVE_MEANING + methods_help() + selectors_help() + INPUT_FORMATS,
    )
    add_input(parser, counts=False)
    group = parser.add_argument_group(
        "rankings, each method with each model and policy that it has"
    )
    methods = [method.name for method in ts.methods()]
    methods += [selector.name for selector in ts.selectors()]
    add_names(group, "--method", methods, _COMPARED)
    add_names(group, "--model", MODELS, MODELS[:1])
    add_names(group, "--policy", POLICIES, POLICIES[:1])
    group = parser.add_argument_group("evaluation")
    group.add_argument(
        "-k",
        "--k",
        dest="ks",
        type=_ks,
        metavar="N,...",
        help=f"numbers of terms (default: {','.join(map(str, _KS))}, as far as there are terms)",
    )
    add_folds(group)
    group.add_argument(
        "--repeats", type=positive, metavar="N", help="how often to deal the folds (default: 1)"
    )
    group.add_argument(
        "--test", metavar="FILE", help="documents to classify, in place of folds; read as INPUT is"
    )
    group.add_argument("--test-labels", metavar="FILE", help="their labels, as --labels")
    group.add_argument(
        "--naive-bayes",
        type=one_of(MODELS),
        choices=MODELS,
        default=MODELS[0],
        help="what the classifier counts: occurrences; documents in their place (binary); a coin "
        f"(bernoulli) or a rate (poisson) for each document (default: {MODELS[0]})",
    )
    group.add_argument(
        "--alpha",
        type=above_zero,
        default=1.0,
        metavar="A",
        help="smoothing, of the methods too: A occurrences more of each term (default: 1)",
    )
    group.add_argument(
        "--metric",
        type=one_of(METRICS),
        choices=METRICS,
        default=METRICS[0],
        metavar="NAME",
        help=f"what the best k is best by: {', '.join(METRICS)} (default: {METRICS[0]})",
    )
    group = parser.add_argument_group("output")
    add_output(group, _CURVE_WRITERS)
    group.add_argument(
        "--plot", metavar="FILE", help="draw the curves too: .png or .svg (needs matplotlib)"
    )


def _run(args: argparse.Namespace) -> None:
    for option in (*FOLDS, "repeats"):
        if args.test is not None and getattr(args, option) is not None:
            args.usage_error(f"argument --{option.replace('_', '-')}: not with --test")
    if args.test is None and args.test_labels is not None:
        args.usage_error("argument --test-labels: only with --test")
    if args.test is not None and args.input == DEMO:
        args.usage_error(f"argument --test: not with {DEMO}")
    if args.plot is not None:
        require("matplotlib", "plot", "--plot")  # told before the work
        plots.check_path(args.plot)
    check_format(args)
    with opened(args.output, text=args.format != PARQUET) as out:
        curves, about = _cross_validated(args) if args.test is None else _tested(args)
        _CURVE_WRITERS[args.format](out, curves, about)
        if args.plot is not None:
            title = _compared(about).replace("; ", "\n")
            plots.plot_curves(curves, args.plot, metrics=_metrics(args.metric), title=title)


def _ks(text: str) -> list[int]:
    return sorted({positive(part) for part in text.split(",")})


def _cross_validated(args: argparse.Namespace) -> tuple[_Curves, _About]:
    collection = read_documents(args)
    how = {**folds_of(args), "repeats": args.repeats or 1}
    ks = _fitting_ks(args, collection)
    with naming(collection.source):
        curves = ts.cross_validate(
            collection.X,
            collection.y,
            args.method,
            ks,
            models=args.model,
            policies=args.policy,
            naive_bayes=args.naive_bayes,
            alpha=args.alpha,
            n_threads=args.threads,
            **how,
        )
    return curves, {**_about(args, collection), **how}


def _tested(args: argparse.Namespace) -> tuple[_Curves, _About]:
    refuse_counts(args)
    _log.info("reading %s and %s", args.input, args.test)
    options = reading_options(args)
    train, test = io.read_split(args.input, args.test, test_labels=args.test_labels, **options)
    ks = _fitting_ks(args, train)
    rankers = rankers_of(args.method, args.model, args.policy)
    counts = count_collection(train, args.threads)
    curves = {}
    with progress("evaluated", len(rankers), "rankings") as report:
        for name, (method, options) in rankers.items():
            ranking = rank_by(
                method,
                counts,
                train.X,
                train.y,
                ks[-1] if ks else None,
                alpha=args.alpha,
                n_threads=args.threads,
                **options,
            )
            curve = ts.selection_curve(
                ranking,
                train.X,
                train.y,
                test.X,
                test.y,
                ks,
                naive_bayes=args.naive_bayes,
                alpha=args.alpha,
                n_threads=args.threads,
            )
            curves[name] = replace(curve, name=name)
            if report is not None:
                report(len(curves))
    _tell_unknown_labels(train, test)
    return curves, {**_about(args, train), "test": test.source, "n_test_docs": test.X.shape[0]}


def _fitting_ks(args: argparse.Namespace, collection: io.Collection) -> list[int] | None:
    """Give the numbers of terms asked for, or the usual ones; None, every one, of few terms."""
    n_terms = collection.X.shape[1]
    ks: list[int] | None = args.ks
    if ks is None:
        return [k for k in _KS if k <= n_terms] or None
    if ks[-1] > n_terms:
        raise ValueError(
            f"-k has {ks[-1]:,}, expected at most {n_terms:,}, the terms of {collection.source}"
        )
    return ks


def _about(args: argparse.Namespace, collection: io.Collection) -> _About:
    n_docs, n_terms = collection.X.shape
    return {
        "input": collection.source,
        "n_docs": n_docs,
        "n_terms": n_terms,
        "naive_bayes": args.naive_bayes,
        "alpha": args.alpha,
        "metric": args.metric,
    }


def _tell_unknown_labels(train: io.Collection, test: io.Collection) -> None:
    known, labels = (cast("npt.NDArray[Any]", part.y).tolist() for part in (train, test))
    unknown = len(labels) - sum(map(set(known).__contains__, labels))
    if unknown:
        _log.warning(
            "%s: %d of %d documents have labels that no training document has, and count as errors",
            test.source,
            unknown,
            len(labels),
        )


def _write_curves_table(out: TextIO, curves: _Curves, about: _About) -> None:
    out.write(f"{_compared(about)}.\nShares in per cent, the best of each column marked *.\n")
    best_by: Metric = about["metric"]
    metrics = _metrics(best_by)
    width = max(len(TITLES[metric]) for metric in metrics)
    for metric in metrics:
        out.write("\n")
        rows = _metric_rows(curves, metric, f"{TITLES[metric]:<{width}}  k =")
        write_table(out, rows, "<" + ">" * (len(rows[0]) - 1))
    if "cv" in about:
        out.write("\n")
        write_table(out, _best_rows(curves, best_by), "<>>>>>")


def _metrics(best_by: Metric) -> list[Metric]:
    """Give the metrics to show."""
    return list(dict.fromkeys(("accuracy", "f1", best_by)))


def _compared(about: _About) -> str:
    """Say what the curves are of."""
    if "cv" in about:
        repeated = f", {about['repeats']} times" if about["repeats"] > 1 else ""
        how = f"{about['cv']}-fold cross-validation{repeated}"
    else:
        how = f"tested on {about['n_test_docs']:,} documents of {about['test']}"
    return (
        f"{about['input']}: {about['n_docs']:,} documents, {about['n_terms']:,} terms; "
        f"{about['naive_bayes']} naive Bayes, {how}"
    )


def _metric_rows(curves: _Curves, metric: Metric, head: str) -> list[list[str]]:
    """Give the table of a metric: a row a method, a column a k."""
    ks = next(iter(curves.values())).ks
    shares = {name: [_percent(x) for x in curve.mean(metric)] for name, curve in curves.items()}
    best = [max(column, key=float) for column in zip(*shares.values(), strict=True)]
    rows = [[head, *(f"{k:,} " for k in ks)]]
    for name, row in shares.items():  # what reads as equal is marked alike
        rows.append([name, *(x + (" ", "*")[x == top] for x, top in zip(row, best, strict=True))])
    return rows


def _best_rows(curves: _Curves, metric: Metric) -> list[list[str]]:
    """Give the table of the k that are best by a metric."""
    rows = [[f"by {TITLES[metric]}", "best k", "%", "s.e.", "smallest k within one s.e.", "%"]]
    for name, curve in curves.items():
        mean = dict(zip(curve.ks.tolist(), curve.mean(metric), strict=True))
        error = dict(zip(curve.ks.tolist(), curve.standard_error(metric), strict=True))
        best, smallest = curve.best_k(metric), curve.smallest_k(metric)
        cells = f"{best:,}", _percent(mean[best]), _percent(error[best])
        rows.append([name, *cells, f"{smallest:,}", _percent(mean[smallest])])
    return rows


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _columns(curves: _Curves) -> dict[str, npt.NDArray[Any]]:
    """Give the columns of all curves, one under the other."""
    names = np.array(list(curves), dtype=object)
    tables = [curve.columns() for curve in curves.values()]
    columns = {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
    return {"method": np.repeat(names, [len(curve) for curve in curves.values()]), **columns}


def _json_curves(curves: _Curves, about: _About) -> Iterator[str]:
    """Iterate over the curves as JSON objects."""
    for name, curve in curves.items():
        line: dict[str, Any] = {"method": name}
        if "cv" in about:  # by the documents that one reports on, nothing should be chosen
            metric: Metric = about["metric"]
            line |= {"best_k": curve.best_k(metric), "smallest_k": curve.smallest_k(metric)}
        columns = {column: values.tolist() for column, values in curve.columns().items()}
        yield json.dumps({**line, **columns})


_CURVE_WRITERS: dict[str, Callable[[Any, _Curves, _About], None]] = {
    "table": _write_curves_table,
    "csv": lambda out, curves, about: write_csv(out, _columns(curves)),
    "jsonl": lambda out, curves, about: write_json_lines(out, _columns(curves)),
    "json": lambda out, curves, about: write_json(
        out, about, "curves", _json_curves(curves, about)
    ),
    PARQUET: lambda out, curves, about: write_parquet(out, _columns(curves)),
}
