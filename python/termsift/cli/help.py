"""``termsift help``: pages that several commands share, and the help of a command."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import termsift as ts
from termsift.cli import arguments, output

_USES = """\
which method to use:
  to describe classes                          g2, as rank --per-class and report do
  to choose terms, with the documents at hand  conditional_gain
  to choose terms from counts                  md --model binary --policy round_robin
  to compare two classes or corpora            termsift keyness
  to test for significance                     chi2 or g2 with --per-class; p-values are adjusted

"""
_METHODS = """\
methods; p and q are the term's probability within a class and outside it; of the n documents,
A are in the class with the term, B in others with it, C in the class without it, D neither;
n_c = A + C, d_i = A + B, det = AD - BC; the term has l_ic occurrences in the class, l_i in all:
"""
_SELECTORS = "methods that choose one term after the other, given those chosen before it:\n"
_INPUT = """\
kinds of input, recognised by the ending of the name:
  .csv .tsv               a table with header, columns 'text' and 'label' or --text and --label
  .txt                    lines of label<TAB>text, without header or quoting
  .jsonl .ndjson          lines of JSON objects, keys 'text' and 'label' or --text and --label
  .json                   the same, or an array of such objects
  .parquet .arrow .feather .ipc  a table with the same columns (needs pyarrow)
  .svm .svmlight .libsvm  lines of label index:count ...; --terms names the terms
  .npz .mtx               a matrix of documents x terms (scipy sparse, Matrix Market) with --labels
  a folder                one sub-folder per class, one file per document
  -                       standard input, whose format --input-format names
  .termsift               counts that termsift saved, but not for compare
or the word demo: the docstrings of Python's standard library, as termsift demo shows them.

Files of text and .mtx may also end in .gz, in .zip (of one file) or in .zst (needs backports.zstd).
Files are UTF-8, texts are in --encoding. Numbers such as --text 2 --label 1 are columns of a table
without header. The indices of an svmlight file count from 1, or from 0 with --index-base 0.
"""
_OUTPUT = """\
what the score means:
  The higher the score, the better the term tells the classes apart. Terms with equal scores are
  listed by index, which counts the columns from 0 as scipy does, even those of an svmlight file,
  whose own indices count from 1. Compare only scores of one method on one collection. With --policy
  round_robin a score is the term's score in the class that gave it its place. By 'greedy' it is the
  divergence in nats of a term and all before it. By 'conditional_gain' it is how much the term
  lowered the documents' log losses when it was chosen, in nats; it may be negative. By
  'guided_gain' a loss counts by what a linear machine makes of the term.

rank --per-class:
  Each class has its own list, by the score of the class. The sign is + if the class has more of the
  term than the other classes and - if it has less; --direction lists either or both. n_class and
  n_rest are the occurrences of the term in the class and outside it; df_class and df_rest are the
  documents with it. Tests have p-values, adjusted for one test of each class and term. For p-values
  per term use counts.significance in Python.

keyness:
  n_target and n_reference are the occurrences of the term in both corpora, df_target and
  df_reference the documents with it. Effect sizes: log_ratio is log2 of the ratio of relative
  frequencies, with half an occurrence in place of none; percent_diff, relative_risk, odds_ratio and
  simple_maths are other scales of it; _low and _high are the ends of confidence intervals.
  Evidence: g2 is the log-likelihood ratio, pvalue_adj its adjusted p-value, bic the Bayes factor.
  With --dispersion, dp is Gries' deviation of proportions, 0 for a term that all documents share
  alike and near 1 for one of a single document; juilland is Juilland's D, 1 and 0 in these cases.

compare:
  Naive Bayes knows only the first k terms of a method's ranking, and classifies documents that are
  new to the ranking and to it: those of --test, or those of each fold after training on all others.
  accuracy     share of documents classified correctly
  weighted F1  F1 of each class against the rest, weighted by the class's share of the documents
  s.e.         standard error of the mean over the folds
  If two values differ by less than one or two standard errors, either method may be the better.

formats:
  csv and parquet have one row per term, or per method and k (parquet needs -o and pyarrow); jsonl
  has one object per line; json is one object, which also says how the answer was made:
  {"method": ..., "policy": ..., "model": ..., "n_docs": ..., "n_terms": ..., "classes": [...],
   "informative": ..., "terms": [{"rank": 1, "index": ..., "term": ..., "score": ...}, ...]}
  "term" is null if terms have no names. JSON has no infinity: an infinite score is null.
  "informative" is how many terms add something, by 'greedy' only; the rest follow by index. With
  --per-class the terms also have "class" and the other columns, and there is no "policy". The json
  of compare has one list per method, and over folds the standard deviations of all metrics.
"""


def methods_page() -> str:
    """Return what every method and selector computes, and which to use."""
    described = _listed(_METHODS, ts.methods()) + "\n" + _listed(_SELECTORS, ts.selectors())
    return _USES + described


def _listed(title: str, rankers: Sequence[ts.Method | ts.Selector]) -> str:
    wrap = partial(textwrap.fill, width=98, subsequent_indent=" " * 20, break_on_hyphens=False)
    lines = (
        wrap(f"  {ranker.name:<18}{ranker.title}") + "\n" + wrap(f"{'':20}{ranker.formula}")
        for ranker in rankers
    )
    return title + "\n".join(lines) + "\n"


PAGES: dict[str, Callable[[], str]] = {
    "methods": methods_page,
    "input": lambda: _INPUT,
    "output": lambda: _OUTPUT,
}


def add(commands: Any) -> None:
    """Add the parser of the command."""
    about = "explain the methods, the kinds of input, the output, or a command"
    parser = arguments.add_command(commands, "help", _run, about, "", usage="[TOPIC]")
    topics = [*PAGES, *commands.choices]
    listed = f"{', '.join(topics)} (default: an overview)"
    parser.add_argument("topic", nargs="?", choices=topics, metavar="TOPIC", help=listed)
    parser.set_defaults(parser_of=commands.choices.__getitem__)


def _run(args: argparse.Namespace) -> None:
    page = args.overview if args.topic is None else PAGES.get(args.topic)
    output.standard_output().write((page or args.parser_of(args.topic).format_help)())
