"""A description of counts that hold only some of the terms."""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn, Self

from termsift.text import TextRules


class PartOfTerms(NamedTuple):
    """The terms in some buckets; see the rule ``buckets`` of `TextRules`."""

    n_buckets: int
    buckets: tuple[int, ...]
    has_totals: bool = False  # whether class_tokens includes the tokens of all terms
    n_others: int | None = None  # the number of other terms, or None if unknown

    @classmethod
    def of(cls, rules: TextRules) -> Self | None:
        """Return the part that the rules keep, or None for all terms."""
        if rules.buckets is None:
            return None
        n, numbers = rules.buckets
        return None if len(numbers) == n else cls(n, tuple(numbers))

    @classmethod
    def read(cls, values: Any) -> Self:
        """Return the part that was written as JSON."""
        n, numbers, has_totals, n_others = values
        _, checked = TextRules(buckets=(n, numbers)).buckets or (n, ())
        if type(has_totals) is not bool or type(n_others) not in (int, type(None)):
            raise ValueError("its buckets are invalid")
        return cls(n, tuple(checked), has_totals, n_others)

    def __str__(self) -> str:
        totals = ", with totals of all terms" if self.has_totals else ""
        return f"the terms of {len(self.buckets):,} of {self.n_buckets:,} buckets{totals}"

    def refuse(self, what: str) -> NoReturn:
        """Raise the error of a function that needs all terms."""
        raise ValueError(
            f"{what} needs all terms, but these counts hold {self}: merge the counts of all "
            "buckets first"
        )

    def n_others_for(self, method: str, *, smooths: bool) -> int:
        """Return the number of other terms, or 0 if the method does not need this number.

        Raise ValueError if the totals do not include all terms.
        """
        if not self.has_totals:
            raise ValueError(
                f"{method} needs the tokens of all terms, but these counts hold {self}: see "
                "ClassCounts.within"
            )
        if smooths and self.n_others is None:
            raise ValueError(
                f"{method} needs the number of all terms, which hashed counts do not have; for "
                "smoothing, pass alpha=(b1, b2)"
            )
        return (self.n_others or 0) if smooths else 0

    @staticmethod
    def of_both(a: PartOfTerms | None, b: PartOfTerms | None) -> PartOfTerms:
        """Return the union of two parts without a common bucket; ``n_others`` is not set."""
        if a is None or b is None or a.n_buckets != b.n_buckets:
            raise ValueError(f"cannot merge {a or 'all terms'} with {b or 'all terms'}")
        if both := set(a.buckets).intersection(b.buckets):
            raise ValueError(
                f"both counts have bucket {min(both)}: counts of different documents must have the "
                "same buckets, and counts of the same documents must have different buckets"
            )
        buckets = tuple(sorted(a.buckets + b.buckets))
        return PartOfTerms(a.n_buckets, buckets, a.has_totals and b.has_totals)
