"""The paper's claims about its results, with verdicts computed from termsift's results.

"The paper's methods" are MD and MD-chi2. The other methods are DF, CET, chi2 and GSS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import termsift as ts
from compare import markdown
from trials import MULTINOMIAL, SVM, Collection, Estimate, Floats, Found, Ints, listed

OTHERS = ("DF", "CET", "chi2", "GSS")
BOTH, SIX = ("MD", "MD-chi2"), ("MD", "MD-chi2", *OTHERS)
NEWS, ALT_COMP, TDT2 = "20 Newsgroups", "alt-comp", "TDT2-10"
REUTERS = ("Reuters-10", "Reuters-20", "Reuters-30")
HOLDS, PARTLY, FAILS, UNKNOWN = "holds", "holds in part", "does not hold", "cannot be tested"
MANY, FEW = 100, 20  # Many terms are at least 100, and few terms are at most 20.
ALIKE = 1.0  # Smaller differences, in percentage points, count as similar.

RULES = """\
Two methods are compared by the difference of their means over all k. A claim that methods are
"better" holds if they are ahead in most comparisons and behind in none. Such a claim holds in part
if the methods are ahead more often than behind. A claim that methods are the "best" is judged like
"better", but fails if they are behind in any comparison. "At least as well" holds if they are
behind in no comparison. "Usually" holds if they are behind in fewer than half of the comparisons.
The first line below a claim decides the verdict, but "consistently" needs all lines."""

Answers = Mapping[str, Found]
Judge = Callable[[Sequence[int]], str]  # verdict for signs (1: ahead, 0: level, -1: behind)


class Verdict(NamedTuple):
    """The verdict on a claim and the reason, in Markdown."""

    verdict: str
    found: str


class Claim(NamedTuple):
    """A quotation from the paper, its place in the paper, and the function that checks it."""

    where: str
    says: str
    check: Callable[[], Verdict]

    def checked(self) -> Verdict:
        """Return the verdict, or UNKNOWN if the collection is not available."""
        try:
            return self.check()
        except MissingCollectionError as missing:
            return Verdict(UNKNOWN, f"The collection {missing} is not available.")


class MissingCollectionError(Exception):
    """A collection is missing. The argument of this exception is its name."""


class Results(dict[tuple[str, str], Answers]):
    """Map a pair of a collection's name and a classifier's name to results."""

    def __missing__(self, key: tuple[str, str]) -> Answers:
        raise MissingCollectionError(key[0])


def all_or_some(right: Sequence[bool]) -> str:
    """Return HOLDS if all cases hold, PARTLY if some hold, and FAILS if none holds."""
    return HOLDS if all(right) else PARTLY if any(right) else FAILS


# ---- one method against another ------------------------------------------------------------------


def better(signs: Sequence[int]) -> str:
    """Judge by `RULES` the claim that the paper's methods are better."""
    if min(signs) >= 0 and 2 * sum(signs) > len(signs):
        return HOLDS
    return PARTLY if sum(signs) > 0 else FAILS


def best(signs: Sequence[int]) -> str:
    """Judge that the paper's methods are the best. One better method refutes this claim."""
    return FAILS if min(signs) < 0 else better(signs)


def no_worse(signs: Sequence[int]) -> str:
    """Judge the claim that no other method is better than the paper's methods."""
    return HOLDS if min(signs) >= 0 else better(signs)


def usually_no_worse(signs: Sequence[int]) -> str:
    """Judge the claim that the paper's methods are at least as good in most comparisons."""
    return HOLDS if 2 * sum(sign < 0 for sign in signs) < len(signs) else FAILS


class View(NamedTuple):
    """A metric, and a range for the number of terms k."""

    metric: str = "accuracy"
    least: int = 0
    most: int = 10**9

    def of(self, ks: Ints) -> NDArray[np.bool_]:
        """Return whether each number of terms is in the range."""
        return (ks >= self.least) & (ks <= self.most)

    def __str__(self) -> str:
        if self.least:
            return f"{self.metric}, from {self.least:,} terms up"
        return f"{self.metric}, up to {self.most:,} terms" if self.most < 10**9 else self.metric


def compared(
    judge: Judge,
    found: Mapping[str, Answers],
    ours: Sequence[str],
    others: Sequence[str],
    *views: View,
    by_all: bool = False,
) -> Verdict:
    """Report the verdict for each view, and return the first view's verdict with the report.

    If ``by_all`` is true and the views have different verdicts, return PARTLY as the verdict.
    A view is skipped if no tested number of terms is in the view's range.
    """
    (any_found, *_) = found.values()
    views = tuple(view for view in views if view.of(any_found[ours[0]].ks).any())

    who = f"{listed(ours)} {'is' if len(ours) == 1 else 'are'}"
    lines, verdicts = [], []
    for view in views:
        signs = [
            Estimate.of(of[a].mean(*view) - of[b].mean(*view)).sign
            for of in found.values()
            for a in ours
            for b in others
        ]
        ahead, level, behind = (signs.count(sign) for sign in (1, 0, -1))
        verdicts.append(judge(signs))
        counts = f"ahead in {ahead}, level in {level} and behind in {behind} of {len(signs)}"
        lines.append(f"- {view}: {who} {counts} comparisons ({verdicts[-1]})")
    agreed = verdicts[0] if len(set(verdicts)) == 1 or not by_all else PARTLY
    return Verdict(agreed, "\n".join(lines))


def table(corner: str, header: Sequence[str], rows: Mapping[str, Sequence[Estimate | str]]) -> str:
    """Return a Markdown table."""
    return markdown([corner, *header], [[name, *map(str, cells)] for name, cells in rows.items()])


# ---- other checks --------------------------------------------------------------------------------


def rises_with_terms(found: Answers) -> Verdict:
    """Check that the accuracy is highest with the largest number of terms."""
    curves = np.array([found[name].curve() for name in SIX])
    ks, steps = found["MD"].ks, np.diff(curves, axis=1)
    at_last = curves.argmax(axis=1) == len(ks) - 1
    return Verdict(
        all_or_some(at_last),
        f"{at_last.sum()} of {len(SIX)} methods are most accurate with {ks[-1]:,} terms. The "
        f"accuracy rises in {(steps > 0).sum()} of {steps.size} steps from one number of terms to "
        f"the next, and the largest decrease is {-min(steps.min(), 0):.1f} points.",
    )


def is_worst(collection: str, found: Answers, name: str) -> Verdict:
    """Check that all other methods are ahead of the given method."""
    others = [other for other in SIX if other != name]
    return compared(best, {collection: found}, others, [name], View())


def below_at_first(found: Answers, limit: float) -> Verdict:
    """Check that the accuracy with the smallest number of terms is below a limit."""
    values = {name: found[name].curve()[0] for name in SIX}
    cells = listed(f"{name} {value:.1f}%" for name, value in values.items())
    verdict = all_or_some([value < limit for value in values.values()])
    return Verdict(verdict, f"With {found['MD'].ks[0]} terms the accuracies are {cells}.")


def always_above(found: Answers, limit: float, collection: Collection) -> Verdict:
    """Check that the accuracy is above a limit for every number of terms."""
    values = {name: found[name].curve().min() for name in SIX}
    lowest = min(values, key=values.__getitem__)
    without = 100 * collection.largest_share
    told = ", so the claim is easy to meet" if without > limit else ""
    return Verdict(
        all_or_some([value > limit for value in values.values()]),
        f"The smallest accuracy is {values[lowest]:.1f}%, with {lowest}. A classifier that always "
        f"predicts the largest class has {without:.1f}%{told}.",
    )


def small_as_large(found: Mapping[str, Answers], few: int, many: int) -> Verdict:
    """Check that the paper's methods with few terms match other methods with many terms."""
    alike = [
        100 * (of[a].at(few) - of[b].at(many))[0] > -ALIKE
        for of in found.values()
        for a in BOTH
        for b in OTHERS
    ]
    lost = [100 * (of[b].at(many) - of[b].at(few))[0] for of in found.values() for b in OTHERS]
    return Verdict(
        all_or_some(alike),
        f"In {sum(alike)} of {len(alike)} comparisons, the paper's methods with {few} terms are "
        f"less than {ALIKE:.0f} point behind the other methods with {many:,} terms. The four "
        f"other methods are {min(lost):.1f} to {max(lost):.1f} points less accurate with {few} "
        f"terms than with {many:,}.",
    )


def margins_grow(found: Mapping[str, Answers]) -> Verdict:
    """Check that the lead of the paper's methods grows with the number of classes."""

    def margins(others: Sequence[str], least: int = 0) -> list[Estimate]:
        def mean(of: Answers, names: Sequence[str]) -> Floats:
            means: Floats = np.mean([of[name].mean(least=least) for name in names], axis=0)
            return means

        return [Estimate.of(mean(of, BOTH) - mean(of, others)) for of in found.values()]

    averaged = ["chi2 averaged" if name == "chi2" else name for name in OTHERS]
    rows = {
        "the four others": margins(OTHERS),
        f"the four others, from {MANY} terms up": margins(OTHERS, MANY),
        "the four others, with chi2 averaged": margins(averaged),
    }
    grows = [b.value > a.value for a, b in pairwise(rows["the four others"])]
    return Verdict(
        all_or_some(grows),
        f"The mean lead of MD and MD-chi2 grows in {sum(grows)} of {len(grows)} steps from fewer "
        "to more classes."
        f"\n\n{table('mean lead in accuracy over', list(found), rows)}",
    )


def as_printed(found: Answers, printed: Mapping[str, float], k: int) -> Verdict:
    """Compare our percentages with the percentages that the paper prints."""
    values = {name: 100 * found[name].at(k)[0] for name in printed}
    cells = listed(f"{name} {values[name]:.2f}% (printed: {printed[name]}%)" for name in printed)
    near = [abs(values[name] - figure) < ALIKE for name, figure in printed.items()]
    told = f"{cells}. A difference of less than {ALIKE:.0f} point counts as equal."
    return Verdict(all_or_some(near), told)


def needs_more(found: Answers, names: Sequence[str], k: int, claimed: int) -> Verdict:
    """Check how many terms other methods need for the accuracy that MD has with k terms."""
    goal, ks = 100 * found["MD"].at(k)[0], found["MD"].ks
    reached = {name: ks[found[name].curve() >= goal] for name in names}
    told = listed(
        f"{name} needs {enough[0]:,}" if len(enough) else f"{ks[-1]:,} are not enough for {name}"
        for name, enough in reached.items()
    )
    right = [not len(enough) or enough[0] >= claimed for enough in reached.values()]
    return Verdict(all_or_some(right), f"To reach MD's {goal:.1f}% with {k} terms, {told}.")


def first_terms(collection: Collection, method: str) -> Ints:
    """Rank the terms of the training documents of the first fold."""
    train, _ = collection.folds[0]
    return ts.count(collection.X[train], collection.y[train]).rank(method, 1000).indices


def shared_with_md(collections: Mapping[str, Collection], method: str) -> str:
    """Return a table with the shares of a method's first terms that are also MD's first terms."""
    ks = (10, 100, 1000)
    rows = {}
    for name, collection in collections.items():
        ours, mds = first_terms(collection, method), first_terms(collection, "md")
        rows[name] = [f"{len(np.intersect1d(ours[:k], mds[:k])) / k:.0%}" for k in ks]
    return table(f"shared first k terms of `{method}` and MD, k =", [f"{k:,}" for k in ks], rows)


def greedy_alike(collections: Mapping[str, Collection], found: Mapping[str, Answers]) -> Verdict:
    """Check that the second term of the greedy algorithm is also the second term of MD."""
    same = [
        bool(first_terms(each, "greedy")[1] == first_terms(each, "md")[1])
        for each in collections.values()
    ]
    _, accuracy = compared(no_worse, found, ["greedy"], ["MD"], View())
    return Verdict(
        all_or_some(same),
        f"`greedy` and MD have the same second term on {sum(same)} of {len(same)} collections."
        f"\n\n{shared_with_md(collections, 'greedy')}\n\n`greedy` comes nearer than MD to the "
        "largest possible divergence. One could claim that the terms of `greedy` are at least as "
        f"good for classification as MD's:\n\n{accuracy}",
    )


def chi2_bounded(collections: Mapping[str, Collection], found: Mapping[str, Answers]) -> Verdict:
    """Check that MD-chi2 is no better than MD on most collections."""
    verdict, text = compared(
        usually_no_worse, found, ["MD"], ["MD-chi2"], View(), View(least=MANY), View("F1")
    )
    return Verdict(verdict, f"{text}\n\n{shared_with_md(collections, 'md_chi2')}")


# ---- what the paper says -------------------------------------------------------------------------


def claims(results: Results, collections: Mapping[str, Collection]) -> list[Claim]:
    """Return the claims about the paper's figures, then two claims of its earlier sections."""

    def bayes(*names: str) -> dict[str, Answers]:
        return {name: results[name, MULTINOMIAL.name] for name in names or [NEWS]}

    def svm(*names: str) -> dict[str, Answers]:
        return {name: results[name, SVM.name] for name in names}

    every, many, by_f1, many_by_f1 = View(), View(least=MANY), View("F1"), View("F1", MANY)
    all_views = (every, many, by_f1)
    others = ("MD-chi2", *OTHERS)
    checks: list[tuple[str, str, Callable[[], Verdict]]] = [
        (
            "Figure 1",
            "the performance is improved when more features are selected",
            lambda: rises_with_terms(bayes()[NEWS]),
        ),
        (
            "Figure 1",
            "The proposed two approaches commonly perform better than others",
            lambda: compared(better, bayes(), BOTH, OTHERS, *all_views),
        ),
        (
            "Figure 1",
            "the proposed MD method performs better than the others",
            lambda: compared(best, bayes(), ["MD"], others, *all_views),
        ),
        (
            "Figure 1",
            "The DF method is the worst one",
            lambda: is_worst(NEWS, bayes()[NEWS], "DF"),
        ),
        (
            "Figure 1",
            "lower than 20% when a small subset of features are selected",
            lambda: below_at_first(bayes()[NEWS], 20),
        ),
        (
            "Figure 2",
            "the MD-chi2 is the best one among all others",
            lambda: compared(best, bayes(ALT_COMP), ["MD-chi2"], ("MD", *OTHERS), every, many),
        ),
        (
            "Figure 2",
            "[by F1] MD and its asymptotic chi2 statistic are the best two approaches",
            lambda: compared(best, bayes(ALT_COMP), BOTH, OTHERS, by_f1, many_by_f1),
        ),
        (
            "Figure 2",
            "the accuracy of the alt-comp data set is higher than 80%",
            lambda: always_above(bayes(ALT_COMP)[ALT_COMP], 80, collections[ALT_COMP]),
        ),
        (
            "Figure 3",
            "the performance improvement of the proposed two approaches",
            lambda: compared(better, bayes(*REUTERS), BOTH, OTHERS, *all_views),
        ),
        (
            "Figure 3",
            "with the first 200 selected features [...] similar performance as other four existing "
            "approaches with the first 1000",
            lambda: small_as_large(bayes(*REUTERS), 200, 1000),
        ),
        (
            "Figure 3",
            "improvement [...] is increased [...] when more categories are considered",
            lambda: margins_grow(bayes(*REUTERS)),
        ),
        (
            "Figure 4",
            "the proposed MD and MD-chi2 outperform all the others",
            lambda: compared(better, bayes(TDT2), BOTH, OTHERS, *all_views),
        ),
        (
            "Figure 4",
            "when the first 100 features are selected, the MD obtains [...] 96.46%, and the "
            "MD-chi2 has 95.76%",
            lambda: as_printed(bayes(TDT2)[TDT2], {"MD": 96.46, "MD-chi2": 95.76}, 100),
        ),
        (
            "Figure 4",
            "[for] GSS and chi2, the first 1000 features need to be selected to achieve the same",
            lambda: needs_more(bayes(TDT2)[TDT2], ("GSS", "chi2"), 100, 1000),
        ),
        (
            "Figure 5",
            "at least as well as previously existing methods at a very small feature size",
            lambda: compared(no_worse, svm(*REUTERS), BOTH, OTHERS, View(most=FEW)),
        ),
        (
            "Figure 5",
            "and are consistently better when the feature size increases",
            lambda: compared(
                better, svm(*REUTERS), BOTH, OTHERS, many, View(least=1000), by_all=True
            ),
        ),
        (
            "Section 4.2",
            "At the second step in Algorithm 1, the feature e2 [MD's second] is usually selected",
            lambda: greedy_alike(collections, bayes(*collections)),
        ),
        (
            "Section 4.4",
            "[MD-chi2] is usually bounded by the approach in Algorithm 3 [MD]",
            lambda: chi2_bounded(collections, bayes(*collections)),
        ),
    ]
    return [Claim(*check) for check in checks]
