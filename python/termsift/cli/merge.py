"""``termsift merge``: merge files of counts into one."""

from __future__ import annotations

import argparse
from typing import Any

import termsift as ts
from termsift._util.printable import printable
from termsift._util.progress import progress
from termsift._util.validation import naming
from termsift.cli import arguments, inputs, output

_ABOUT = """\
Classes are matched by label. Terms are matched by name if they have names, else by index. Files
without names and with different numbers of terms are refused, unless --by-index says that index i
is the same term in all. Files are read one at a time. Drop terms of few documents here, not when
counting the shards: a term that is rare in one may be common in all.
"""


def add(commands: Any) -> None:
    """Add the parser of the command."""
    about = "merge files of counts, by termsift count, into one"
    parser = arguments.add_command(
        commands, "merge", _run, about, _ABOUT, "COUNTS ... -o FILE [options]"
    )
    parser.add_argument("inputs", metavar="COUNTS", nargs="+", help="files of counts")
    arguments.add_flag(parser, "--by-index", "match terms without names by index")
    rare = "drop terms in fewer than N of all documents (default: 1)"
    arguments.add_values(parser, ("--min-df", int, "N", rare))
    arguments.add_output_file(parser, "the counts", output.COUNTS_FILE)


def _run(args: argparse.Namespace) -> None:
    output.check_writable(args.output)
    inputs.refuse_repeated(args.inputs)
    first, *others = args.inputs
    counts = ts.load(first)
    with progress("merged", len(args.inputs), "files", already=1) as report:
        for done, path in enumerate(others, 2):
            part = ts.load(path)
            with naming(path):
                counts = ts.merge([counts, part], by_index=bool(args.by_index))
            if report is not None:
                report(done)
    if args.min_df is not None:
        counts = inputs.pruned(counts, args.min_df, args.output)
    counts.save(args.output)
    print(f"{printable(args.output)}: {output.summary(counts)}")
