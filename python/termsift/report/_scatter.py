"""Show the terms by their frequency in two classes, in a chart that a script draws.

The script is part of the package. The page lets the browser run it and no other, by its hash. The
data are JSON, in which no character can end the element that holds them.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Hashable, Mapping, Sequence
from hashlib import sha256
from importlib import resources
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from termsift._counts.class_counts import ClassCounts
from termsift._scores.ranking import Ranking
from termsift._util.html import clean, cut, element

_TERMS = 1200
DISTINCTIVE = 600  # of these, taken from the classes in turns; the others are the most frequent
_OTHERS = "-1"  # the value of the option for all other classes


def read_script() -> tuple[str, str]:
    """Return the script, and the hash by which a page allows it."""
    text = resources.files("termsift.report").joinpath("scatter.js").read_text("utf-8")
    return text, f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def scatter(
    counts: ClassCounts, listed: Sequence[int], found: Mapping[Hashable, Ranking]
) -> Element:
    """Return the chart of the listed classes, with its controls and its data.

    ``found`` holds the distinctive terms of the listed classes, best first.
    """
    labels = [cut(clean(counts.classes[c])) for c in listed]
    ours, theirs = (
        [element("option", label, value=str(i)) for i, label in enumerate(labels)] for _ in "ab"
    )
    if counts.n_classes == 2:
        theirs.reverse()  # the first is chosen
    else:
        theirs.insert(0, element("option", "all other classes", value=_OTHERS))
    controls = element(
        "div",
        element("label", "class ", element("select", *ours, id="ours")),
        element("label", "compared with ", element("select", *theirs, id="theirs")),
        element("label", "find ", element("input", type="search", id="query")),
        class_="controls",
    )
    says = "Terms by their frequency in two classes. The tables list the leading terms."
    chart = element("svg", role="img", aria_label=says, id="scatter")
    said = element("p", id="said", class_="soft", aria_live="polite")
    compared = element("div", controls, said, chart, id="compared", class_="sheet", hidden="")
    terms = _chosen(counts, found)
    data = element("script", _json(_data(counts, listed, labels, terms)), id="frequencies")
    data.set("type", "application/json")
    without = element("noscript", element("p", "The chart needs JavaScript.", class_="soft"))
    return element("div", without, compared, data, element("script", read_script()[0]))


def _chosen(counts: ClassCounts, found: Mapping[Hashable, Ranking]) -> NDArray[np.int64]:
    """Return distinctive terms of all classes, taken in turns, and the most frequent terms."""
    columns = [ranking.indices.tolist() for ranking in found.values()]
    most = max(map(len, columns), default=0)
    in_turns = [of[turn] for turn in range(most) for of in columns if turn < len(of)]
    some = np.array(list(dict.fromkeys(in_turns))[:DISTINCTIVE], dtype=np.int64)
    frequent = np.argsort(-counts.collection_term_frequency, kind="stable")[:_TERMS]
    return np.concatenate([some, frequent[~np.isin(frequent, some)]])[:_TERMS]


def _data(
    counts: ClassCounts, listed: Sequence[int], labels: list[str], terms: NDArray[np.int64]
) -> dict[str, Any]:
    names = counts.term_names
    frequency = counts.term_frequency[np.array(listed, dtype=np.int64)][:, terms].toarray()
    whole, tokens = counts.collection_term_frequency, counts.class_tokens
    return {
        "terms": [cut(clean(i if names is None else names[i])) for i in terms.tolist()],
        "classes": [
            {"name": label, "tokens": _plain(tokens[c]), "counts": _plain(own)}
            for c, label, own in zip(listed, labels, frequency, strict=True)
        ],
        "all": {"tokens": _plain(whole.sum()), "counts": _plain(whole[terms])},
    }


def _plain(values: Any) -> Any:
    """Return counts as numbers for JSON; weights and logarithms have six digits."""
    if np.asarray(values).dtype.kind in "iu":
        return np.asarray(values).tolist()
    if np.ndim(values):
        return [float(f"{x:.6g}") for x in values.tolist()]
    return float(f"{float(values):.6g}")


def _json(data: dict[str, Any]) -> str:
    text = json.dumps(data, separators=(",", ":"))
    for character in "<>&":  # which could end the element, or begin another
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
