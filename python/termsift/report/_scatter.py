"""Show terms by their frequency in two classes, in a chart that a script draws.

The script is part of the package. The page contains the hash of the script, so that browsers run no
other script. The data are JSON in an element, and characters that could end it are escaped.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib import resources

import numpy as np

from termsift._counts.class_counts import ClassCounts
from termsift._scores.methods import MethodName
from termsift._util.html import Child, clean, cut, element

_TERMS = 1200
_DISTINCTIVE = 600  # terms that tell classes apart; the others are the most frequent terms
_OTHERS = "-1"  # the value of the option for all other classes


def scatter(
    counts: ClassCounts, largest: Sequence[int], method: MethodName, n_threads: int | None
) -> dict[str, Child]:
    """Return the parts of the chart: the choices of classes, the data and the script."""
    labels = [cut(clean(counts.classes[c])) for c in largest]
    ours, theirs = (
        [element("option", label, value=str(i)) for i, label in enumerate(labels)] for _ in "ab"
    )
    if counts.n_classes == 2:
        theirs.reverse()  # browsers select the first option
    else:
        theirs.insert(0, element("option", "all other classes", value=_OTHERS))
    names, whole, tokens = counts.term_names, counts.collection_term_frequency, counts.class_tokens
    ranking = counts.rank(method, _DISTINCTIVE, policy="round_robin", n_threads=n_threads)
    frequent = np.argsort(-whole, kind="stable")[:_TERMS]
    others = frequent[~np.isin(frequent, ranking.indices)]
    terms = np.concatenate([ranking.indices, others])[:_TERMS]
    frequency = counts.term_frequency[np.array(largest, dtype=np.int64)][:, terms].toarray()
    data = {
        "terms": [cut(clean(i if names is None else names[i])) for i in terms.tolist()],
        "classes": [
            {"name": label, "tokens": tokens[c].item(), "counts": row.tolist()}
            for c, label, row in zip(largest, labels, frequency, strict=True)
        ],
        "all": {"tokens": whole.sum().item(), "counts": whole[terms].tolist()},
    }
    text = json.dumps(data, separators=(",", ":"))
    for character in "<>&":  # these characters could end the element or begin another
        text = text.replace(character, f"\\u{ord(character):04x}")
    script = resources.files("termsift.report").joinpath("scatter.js").read_text("utf-8")
    return {
        "ours": element("select", *ours, id="ours"),
        "theirs": element("select", *theirs, id="theirs"),
        "frequencies": element("script", text, id="frequencies", type="application/json"),
        "script": element("script", script),
        "script_hash": f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'",
    }
