"""`find_passages`: terms in context, in texts or in the files of a scan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Unpack

from termsift._util import validation
from termsift._util.faults import excluded, named, wrong_value
from termsift.io._scan import Scan, Scanned
from termsift.text._blocks import LabelledTexts
from termsift.text._documents import Documents
from termsift.text._passages import FoundPassages, passages_of
from termsift.text._rules import Rules, rules_of, shows


@shows(Rules)
def find_passages(
    texts: Any,
    y: Any = None,
    queries: str | Iterable[str] | Mapping[Any, str | Iterable[str]] = (),
    *,
    text: Any = None,
    label: Any = None,
    n_passages: int = 3,
    width: int = 60,
    one_per_document: bool = False,
    n_threads: int | None = None,
    **rules: Unpack[Rules],
) -> FoundPassages:
    """Find a few passages of each query in documents of each class.

    Parameters
    ----------
    texts, text, label
        As for `termsift.count_texts`. ``texts`` may also be a `Scan` of files, which has its own
        labels and rules. The scan is read in blocks.
    y : sequence of labels, or indicator matrix of shape (n_docs, n_classes)
        As for `termsift.count`.
    queries : str, sequence of str, or mapping
        Words or phrases to find. A query is a term of the counts, or a text that the rules turn
        into a term. If both occur, the query is a term of the counts. A mapping holds, for each
        class, the queries of the class. Without a mapping, all classes are searched for all
        queries.
    n_passages : int, default 3
        For each query and class, the first ``n_passages`` passages are returned.
    width : int, default 60
        The number of characters to show before the term, and also after the term.
    one_per_document : bool, default False
        Whether to show at most one passage of each query from a document.
    n_threads : int, optional
        As for `termsift.count`.
    **rules
        The rules that were used to count the terms, as for `termsift.count_texts`.

    Returns
    -------
    passages : FoundPassages, a dict
        For each class, a dict from query to passages. The list of passages is empty if no document
        of the class contains the query. ``print`` and notebooks show the passages as a table.

    Raises
    ------
    ValueError, TypeError
        As for `termsift.count_texts`, and if the rules hash terms, because hashes have no names.

    Notes
    -----
    The passages show the words, or the characters, that were counted, as the document writes them:
    a word that the rules reduce to its stem is shown as a whole. If a rule is a function, the
    function is called with parts of a document, too, to find out which part becomes which term. A
    term that stems from no part in particular, such as the length of the document, has no passage.
    If ``queries`` is a mapping, reading ends when every list of passages is full, unless a query
    that the rules would change may be a term of the counts, which a later document may hold.
    Memory grows only with the number of passages.

    Examples
    --------
    >>> import termsift as ts
    >>> texts = ["Bacon and eggs at noon", "Lunch at noon? Bacon!", "Free pills", "A free prize"]
    >>> found = ts.find_passages(texts, ["ham", "ham", "spam", "spam"], ["noon", "free"], width=9)
    >>> for passage in found["ham"]["noon"]:
    ...     print(f"{passage.before:>9}[{passage.match}]{passage.after}")
    …eggs at [noon]
    Lunch at [noon]? Bacon!
    >>> found["spam"]["noon"]
    []
    """
    one_per_document = validation.check_flag(one_per_document, "one_per_document")
    documents: Documents
    if isinstance(texts, Scan):
        others = {"y": y, "text": text, "label": label, **rules}
        if too_many := [name for name, value in others.items() if value is not None]:
            raise excluded(
                "a scan has labels and rules already: leave out {argument}",
                argument=named(too_many[0]),
            )
        if not texts.has_texts:
            raise wrong_value("{texts} is a scan of matrices, which hold no texts")
        documents, text_rules = Scanned(texts), texts.rules
    else:
        text_rules = rules_of(rules, find_passages)
        documents = LabelledTexts(texts, y, text=text, label=label)
    found = passages_of(
        documents,
        queries,
        text_rules,
        n_passages=n_passages,
        width=width,
        one_per_document=one_per_document,
        n_threads=n_threads,
    )
    if isinstance(documents, Scanned):
        documents.check_read(documents.n_docs)
    return FoundPassages(found)
