"""Choose the recommended method, model, policy and naive Bayes, on training documents only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

import termsift as ts
from accuracy_at_k import rankings
from claims import MANY, table
from compare import markdown
from trials import (
    BINARY,
    FROM_DOCUMENTS,
    MULTINOMIAL,
    Collection,
    Estimate,
    Extent,
    Floats,
    Found,
    Ranker,
    evaluate,
    listed,
)


class Choice(NamedTuple):
    """The options of a ranking, and the event model of the naive Bayes classifier."""

    method: str
    model: str
    policy: str
    classifier: str

    def departures(self) -> int:
        """Return the number of options in which the choice differs from the paper's MD."""
        return sum(a != b for a, b in zip(self, PAPERS, strict=True))

    def __str__(self) -> str:
        return (
            f"`{self.method}` with model `{self.model}`, policy `{self.policy}` and "
            f"{self.classifier} naive Bayes"
        )


PAPERS = Choice("md", "multinomial", "top", "multinomial")
CLASSIFIERS = {"multinomial": MULTINOMIAL, "binary": BINARY}
# Maps a collection's name and a choice to an array of accuracies, with one row per fold.
Validated = Mapping[str, Mapping[Choice, Floats]]


# ---- choosing ------------------------------------------------------------------------------------


def validate(collections: Sequence[Collection], extent: Extent) -> Validated:
    """Return the accuracy for each fold of the training documents and each k."""
    tried = [each for each in rankings() if not extent.methods or each[0] in extent.methods]
    found: dict[str, dict[Choice, Floats]] = {each.name: {} for each in collections}
    for collection in collections:
        for classifier in CLASSIFIERS:
            curves = ts.cross_validate(
                *collection.training(),
                list(dict.fromkeys(method for method, _ in tried)),
                extent.ks,
                extent.n_folds,
                models=list(dict.fromkeys(options["model"] for _, options in tried)),
                policies=("top", "round_robin"),
                classifier=classifier,
            )
            for (method, options), curve in zip(tried, curves.values(), strict=True):
                policy = options.get("policy", "top")
                choice = Choice(method, options["model"], policy, classifier)
                found[collection.name][choice] = curve.runs["accuracy"]
    return found


def difference(validated: Validated, a: Choice, b: Choice) -> Estimate:
    """Return the accuracy of a minus the accuracy of b, averaged over all k and collections."""
    folds = ((of[a] - of[b]).mean(axis=1) for of in validated.values())
    return Estimate.over(map(Estimate.mean_of, folds))


def order(validated: Validated) -> list[Choice]:
    """Return all choices, from the most accurate to the least accurate."""
    (first, *_) = validated.values()
    return sorted(first, key=lambda choice: -difference(validated, choice, PAPERS).value)


def choose(validated: Validated) -> Choice:
    """Return, of the choices not significantly worse than the best, the one most like MD."""
    ordered = [each for each in order(validated) if each.method not in FROM_DOCUMENTS]
    alike = [each for each in ordered if difference(validated, ordered[0], each).sign <= 0]
    return min(alike, key=Choice.departures)


# ---- the section of the report -------------------------------------------------------------------


def section(collections: Sequence[Collection], extent: Extent) -> tuple[str, dict[str, Floats]]:
    """Return the section's text, and the gain on test documents for each collection and k."""
    validated = validate(collections, extent)
    chosen, ordered = choose(validated), order(validated)
    tested, gains = on_test_documents(collections, chosen, extent)
    text = f"""\
{len(ordered)} combinations are compared by {extent.n_folds}-fold cross-validation on the training
documents of {listed(validated)}. A combination has multinomial or binary naive Bayes, and either a
selector or a method with one of its models and policies. Combinations are ordered by their
accuracy, averaged over {len(extent.ks)} values of k and over the collections. Candidates for the
recommendation need only counts. If several candidates do not differ significantly from the
best candidate, the one most similar to the paper's MD is recommended. The number after ± is two
standard errors, estimated from the differences in the folds. The errors ignore that folds share
training documents. For a mean over collections, the errors of the collections are averaged, which
gives an upper bound.

**{told(validated, chosen)}** {of_documents(validated, chosen)}

{best_table(validated, ordered[:6])}

{robustness(validated, chosen, extent)} {of_naive_bayes(validated, chosen)}

This table has the gain of each model and policy of `md` over the paper's MD (`multinomial`, `top`),
with multinomial naive Bayes:

{models_table(validated)}

{tested}"""
    return text, gains


def told(validated: Validated, chosen: Choice) -> str:
    """Return a sentence that recommends the choice."""
    gain = difference(validated, chosen, PAPERS)
    if chosen == PAPERS:
        return "The paper's MD is recommended, since no combination is significantly better."
    return (
        f"The recommended combination is {chosen}. This combination gains {gain} points of "
        "accuracy over the paper's MD with multinomial naive Bayes."
    )


def of_documents(validated: Validated, chosen: Choice) -> str:
    """Return sentences that compare selectors of documents with the recommended choice."""
    (first, *_) = validated.values()
    sentences = []
    for method in FROM_DOCUMENTS:
        other = Choice(method, "multinomial", "top", chosen.classifier)
        if other in first:
            sentences.append(
                f"`{method}`, which needs the documents themselves, gains "
                f"{difference(validated, other, PAPERS)} points over MD and "
                f"{difference(validated, other, chosen)} points over the recommended combination. "
                f"The gains of `{method}` are somewhat too high, because its settings were "
                "chosen on folds of the same documents."
            )
    return " ".join(sentences)


def best_table(validated: Validated, choices: Sequence[Choice]) -> str:
    """Return a table of choices and their differences in accuracy from MD and the best choice."""
    rows = [
        [
            *choice,
            str(difference(validated, choice, PAPERS)),
            str(difference(validated, choice, choices[0])) if choice != choices[0] else "",
            *(f"{100 * (of[choice] - of[PAPERS]).mean():+.1f}" for of in validated.values()),
        ]
        for choice in choices
    ]
    header = ["method", "model", "policy", "naive Bayes", "minus MD", "minus the first"]
    return markdown([*header, *validated], rows)


def robustness(validated: Validated, chosen: Choice, extent: Extent) -> str:
    """Return sentences that say what would be chosen from each part of the results alone."""
    many = np.array(extent.ks) >= MANY
    parts: dict[str, Validated] = {
        f"k of {MANY} or more": {
            name: {choice: folds[:, many] for choice, folds in of.items()}
            for name, of in validated.items()
        }
    }
    for corpus, is_reuters in (("Reuters", True), ("20 Newsgroups", False)):
        of_corpus = {
            name: of for name, of in validated.items() if ("Reuters" in name) == is_reuters
        }
        if of_corpus:
            parts[f"the collections of {corpus}"] = of_corpus
    sentences = []
    for name, part in parts.items():
        other = choose(part)
        which = f"{other}, which gains {difference(part, other, chosen)} points there"
        sentences.append(
            f"With only {name}, the choice would be {'the same' if other == chosen else which}."
        )
    return " ".join(sentences)


def of_naive_bayes(validated: Validated, chosen: Choice) -> str:
    """Return sentences that say whether binary naive Bayes is recommended."""
    part = "includes" if chosen.classifier == "binary" else "does not include"
    multinomial, binary = (chosen._replace(classifier=name) for name in CLASSIFIERS)
    on_md = difference(validated, PAPERS._replace(classifier="binary"), PAPERS)
    return (
        f"The recommendation {part} binary naive Bayes. Compared with multinomial naive Bayes, "
        f"binary naive Bayes gains {difference(validated, binary, multinomial)} points with the "
        f"recommended ranking, and {on_md} points with the paper's MD."
    )


def models_table(validated: Validated) -> str:
    """Return a table with the gain of `md` over the paper's MD, for each model and policy."""
    (first, *_) = validated.values()
    of_md = [each for each in first if each.method == "md" and each.classifier == "multinomial"]
    policies = list(dict.fromkeys(choice.policy for choice in of_md))
    rows: dict[str, list[Estimate | str]] = {choice.model: [] for choice in of_md}
    for choice in of_md:
        rows[choice.model].append(difference(validated, choice, PAPERS))
    return table("model", policies, rows)


def on_test_documents(
    collections: Sequence[Collection], chosen: Choice, extent: Extent
) -> tuple[str, dict[str, Floats]]:
    """Return text about the accuracy gained over MD on test documents, and the gain for each k."""
    ranker = Ranker(chosen.method, {"model": chosen.model, "policy": chosen.policy})
    others = {method: Ranker(method) for method in FROM_DOCUMENTS}
    rankers = {"MD": Ranker("md"), "chosen": ranker, **others}
    ks = np.array(extent.ks)
    header = ["MD", "gain", "gain in F1", "values of k: better / level / worse"]
    header += [f"gain of `{method}`" for method in others]
    rows: dict[str, list[Estimate | str]] = {}
    gains: dict[str, Floats] = {}
    every: list[Estimate] = []
    of_others: dict[str, list[Estimate]] = {method: [] for method in others}
    for collection in collections:
        found: dict[str, dict[str, Found]] = {
            kind: evaluate(collection, rankers, classifier, ks.tolist(), extent.n_resamples)
            for kind, classifier in CLASSIFIERS.items()
            if kind in ("multinomial", chosen.classifier)
        }
        md, ours = found["multinomial"]["MD"], found[chosen.classifier]
        gain = ours["chosen"].values["accuracy"] - md.values["accuracy"]
        signs = [Estimate.of(of_k).sign for of_k in gain.T]
        gains[collection.name] = 100 * gain[0]
        every.append(Estimate.of(gain.mean(axis=1)))
        for method, of_method in of_others.items():
            of_method.append(Estimate.of(ours[method].mean() - md.mean()))
        rows[collection.name] = [
            f"{100 * md.mean()[0]:.1f}%",
            every[-1],
            Estimate.of(ours["chosen"].mean("F1") - md.mean("F1")),
            " / ".join(str(signs.count(sign)) for sign in (1, 0, -1)),
            *(of_method[-1] for of_method in of_others.values()),
        ]
    beside = (
        f". The mean gain of `{name}` is {Estimate.over(each)} points"
        for name, each in of_others.items()
    )
    mean_gain = Estimate.over(every)
    text = f"""\
The choice ignored the test documents. On the test documents, the recommended combination gains
{mean_gain} points over MD on average{"".join(beside)}:

{table("collection", header, rows)}"""
    return text, gains
