"""``termsift classify``: the classes of documents, by naive Bayes from counts."""

from __future__ import annotations

import argparse
from contextlib import closing
from functools import partial
from typing import Any

import numpy as np

import termsift as ts
from termsift._classify.posteriors import BAYES_MODELS
from termsift._util.log import logger
from termsift._util.tabular import object_array
from termsift._util.validation import naming
from termsift.cli import arguments, inputs, output
from termsift.io._source import TextBlock

_MORE = """\
The file of counts has the rules of its texts, so INPUT takes no options for them. It has labels as
for the other commands. The share of them that is predicted is printed at the end.

"""


def add(commands: Any) -> None:
    """Add the parser of the command."""
    about = "classify documents by naive Bayes, from a file of counts"
    usage = "INPUT --counts FILE [options]"
    parser = arguments.add_command(commands, "classify", _run, about, _MORE, usage)
    arguments.add_input(parser, counts=False)
    group = parser.add_argument_group("classifier")
    counts = f"counts of the training documents, FILE{output.COUNTS_FILE}"
    group.add_argument("--counts", metavar="FILE", required=True, help=counts)
    arguments.add_choice(group, "--model", BAYES_MODELS, "the model of naive Bayes")
    smoothing = "smoothing: A more occurrences of each term (default: 1)"
    arguments.add_values(group, ("--alpha", arguments.number, "A", smoothing))
    output.add_output(parser)


def _run(args: argparse.Namespace) -> None:
    arguments.refuse(args, f"{args.counts}: has the rules of its texts", *inputs.RULES)
    with output.answering(args) as answer:
        options = arguments.given(args, "model", "alpha")
        classifier = ts.load(args.counts).naive_bayes(n_threads=args.threads, **options)
        scan, labels, logs, n_right = inputs.scan_of(args), [], [], 0
        with closing(scan._blocks("classified")) as blocks, naming(args.source):
            for block in blocks:
                if isinstance(block, TextBlock):
                    X, known = block.texts, [[label] for label in block.y.tolist()]
                else:
                    X, ends = block.X, np.cumsum(block.n_labels)[:-1]
                    known = [part.tolist() for part in np.split(block.labels, ends)]
                    if X.shape[1] < classifier.n_features_in_:  # svmlight ends at its last entry
                        X.resize(len(block), classifier.n_features_in_)
                predicted = classifier.predict(X).tolist()
                logs.append(classifier.predict_log_proba(X).max(axis=1))
                pairs = zip(predicted, known, strict=True)
                n_right += sum(str(label) in map(str, own) for label, own in pairs)
                labels += predicted
        scan._check_read(len(labels))
        inputs.log_skipped(scan)
        columns = {
            "document": np.arange(1, len(labels) + 1),
            "label": object_array(labels),
            "log_probability": np.concatenate(logs),
        }
        shown = {"document": "d", "label": "", "log_probability": ".6g"}
        write = partial(output.write_columns, columns=columns, formats=shown)
        answer(columns, write, {"accuracy": n_right / len(labels)}, "documents")
        share = f"{n_right:,} of {len(labels):,} documents have the label of {args.source}"
        logger.warning("%s: accuracy %.4f", share, n_right / len(labels))
