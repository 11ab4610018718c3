"""``termsift merge``: merge files of counts into one."""

from __future__ import annotations

import argparse
from typing import Any

import termsift as ts
from termsift._util.messages import printable
from termsift.cli import arguments, inputs, output

_MORE = """\
Classes are matched by label. Terms are matched by name, or by index if no file has names. The rules
that cut the texts must be the same in all files. Files are read one at a time. Drop rare terms with
this command and not with count, because a term that is rare in one part may be common in the whole.
"""


def add(commands: Any) -> None:
    """Add the parser of the command."""
    about = "merge files of counts into one"
    usage = "COUNTS ... -o FILE [options]"
    parser = arguments.add_command(commands, "merge", _run, about, _MORE, usage)
    parser.add_argument("inputs", metavar="COUNTS", nargs="+", help="files of counts")
    rare = "drop terms in fewer than N of all documents (default: 1)"
    arguments.add_values(parser, ("--min-df", int, "N", rare))
    arguments.add_output_file(parser, f"the counts, FILE{output.COUNTS_FILE}")


def _run(args: argparse.Namespace) -> None:
    output.check_counts_file(args.output)
    inputs.refuse_repeated(args.inputs)
    first = args.inputs[0]
    counts = ts.merge((printable(path), ts.load(path)) for path in args.inputs)
    if args.min_df is not None:
        if counts.term_names is None:
            raise ValueError(
                f"{first}: its terms have no names, and dropping some would change the indices of "
                "the others; leave out --min-df"
            )
        counts = counts.with_min_df(args.min_df)
    counts.save(args.output)
    output.tell(args.output, counts)
