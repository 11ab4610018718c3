"""``termsift classify``: predict the classes of documents by naive Bayes from counts."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any, get_args

import termsift as ts
from termsift import typing
from termsift._util.messages import logger
from termsift._util.validation import naming, object_array
from termsift.cli import arguments, inputs, output
from termsift.cli.rank import K

_MORE = """\
The file of counts stores the rules and the encoding of its texts, so do not pass the rules again.
--encoding is needed only if the encoding of INPUT is another. INPUT needs
labels, as in the other commands. At the end, the command prints the accuracy, which is the share
of correct predictions. With --no-labels, INPUT has no labels, and a folder holds the documents
themselves and no class folders.

"""


def add(commands: Any) -> None:
    """Add the parser of the command."""
    about = "classify documents by naive Bayes, from a file of counts"
    usage = "INPUT --counts FILE [options]"
    parser = arguments.add_command(commands, "classify", _run, about, _MORE, usage)
    unlabelled = "INPUT has no labels; write only predictions"
    arguments.add_input(parser, counts=False, unlabelled=unlabelled)
    group = parser.add_argument_group("classifier")
    counts = f"counts of the training documents, FILE{output.COUNTS_FILE}"
    group.add_argument("--counts", metavar="FILE", required=True, help=counts)
    arguments.add_choice(group, "--model", get_args(typing.BayesModel), "the model of naive Bayes")
    arguments.add_values(group, arguments.ALPHA)
    group = parser.add_argument_group("terms")
    how_many = f"use only the best N terms (default: all; {K} with --method)"
    arguments.add_values(group, ("-k --k", int, "N", how_many))
    rankers = *ts.methods(), *ts.selectors()
    names = [ranker.name for ranker in rankers if not ranker.reads_documents]
    arguments.add_choice(group, "--method", names, arguments.METHOD)
    policies = "best terms of all, or of each class in turn"
    arguments.add_choice(group, "--policy", arguments.POLICIES, policies)
    output.add_output(parser)


def _run(args: argparse.Namespace) -> None:
    arguments.refuse(args, f"{args.counts}: stores the rules for texts", *inputs.RULES)
    with output.answering(args) as answer:
        options = arguments.given(args, "model", "alpha")
        counts, terms = ts.load(args.counts), None
        if chosen := arguments.given(args, "k", "method", "policy"):
            terms = counts.rank(**{"k": K, **chosen})
        classifier = counts.naive_bayes(terms, n_threads=args.n_threads, **options)
        scan = inputs.scan_of(args)
        if args.encoding is None and counts.encoding is not None and scan.has_texts:
            args.encoding = counts.encoding
            says = "%s is read as %s, like the texts of %s; --encoding names another encoding"
            logger.warning(says, args.source, args.encoding, args.counts)
            scan = inputs.scan_of(args)
        with naming(args.input):
            found = classifier.classify(scan)
        inputs.log_read(args, scan)
        columns: dict[str, Any] = {"document": found.documents + 1}
        if (places := scan.places(found.documents.tolist())) is not None:
            columns["file"] = object_array(places)
        columns |= {"label": found.labels, "log_probability": found.log_probabilities}
        shown = {"document": "d", "file": "", "label": "", "log_probability": ".6g"}
        write = partial(output.write_columns, columns=columns, formats=shown, titles={})
        head = {} if found.is_right is None else {"accuracy": found.accuracy}
        answer(columns, write, head, "documents")
        if found.is_right is not None:
            n_right = int(found.is_right.sum())
            share = f"{n_right:,} of {len(found):,} predictions equal the label in {args.source}"
            logger.warning("%s: accuracy %.4f", share, found.accuracy)
            if not {*map(str, found.known)} & {*map(str, counts.classes)}:
                logger.warning("warning: no label in %s is a class of %s", args.source, args.counts)
