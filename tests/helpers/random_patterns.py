"""Random regular expressions and texts, which are hard to match: loops, empty branches, flags."""

# ruff: noqa: RUF001 - letters that look like others are hard to match

from __future__ import annotations

import random
import re

# Characters of one case class, of several bytes, of no letter, and of the ends of ranges.
CHARACTERS = [
    *"aaabbcAkKsSiI1_-'. \n0\t\r\0\x7f\x80\x85\x1c\xa0",
    *"\u212aſßẞİıéÉσςΣµμ٣\u2028ŉﬅﬆкКᲀв\u0301中Ωω\u2126Å\u212båθϑϴꙋᲈꙊ",
    *"𝔸😀𐐀𐐨\ud800\udfff\U0010ffff",
]
CLASSES = [r"\w", r"\W", r"\d", r"\D", r"\s", r"\S"]
ANCHORS = [r"\b", r"\b", r"\B", "^", "$", r"\A", r"\Z"]
QUANTIFIERS = ["*", "+", "?", "*", "+", "{0}", "{1}", "{2}", "{0,1}", "{1,2}", "{2,3}", "{0,3}",
               "{2,}", "{,2}", "{1,}", "{3,5}"]  # fmt: skip
FLAGS = ["(?i)", "(?u)", "(?a)", "(?s)", "(?m)", "(?im)", "(?ia)", "(?is)", "(?x)"]
LOCAL_FLAGS = ["i", "a", "s", "m", "im", "-i", "i-s", "is-m", "u"]


class Generator:
    """Draws patterns and texts from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def _character(self, some: list[str]) -> str:
        c = self.random.choice(some)
        return re.escape(c) if self.random.random() < 0.8 else f"\\U{ord(c):08x}"

    def _class(self) -> str:
        items = []
        for _ in range(self.random.choice([1, 1, 2, 2, 3, 5])):
            kind = self.random.random()
            if kind < 0.35:
                items.append(self._character(CHARACTERS))
            elif kind < 0.6:
                ends = sorted(self.random.choices(CHARACTERS, k=2))
                items.append("-".join(f"\\U{ord(c):08x}" for c in ends))
            else:
                items.append(self.random.choice([*CLASSES, "a-z", "A-Z", "a-c", "0-9"]))
        return f"[{self.random.choice(['', '', '^'])}{''.join(items)}]"

    def _atom(self) -> str:
        kind = self.random.random()
        if kind < 0.4:
            return self._character(CHARACTERS[:16] if self.random.random() < 0.8 else CHARACTERS)
        if kind < 0.6:
            return self.random.choice([*CLASSES, ".", "[a-z]", "[ab]"])
        return self._class()

    def _look(self) -> str:
        inner, other = self._atom(), self._atom()
        if self.random.random() < 0.4:
            forms = ["{0}", "{0}+", "{0}|$", r"\s|$", r"\b{0}", "{0}*", "(?:{0}|{1})"]
            signs = ["(?=", "(?!"]
        else:
            forms, signs = ["{0}", "(?:{0}|{1})"], ["(?<=", "(?<!"]
        form = self.random.choice(forms)
        inside = form.replace("{0}", inner).replace("{1}", other)
        return f"{self.random.choice(signs)}{inside})"

    def _anchor(self) -> str:
        return self.random.choice(ANCHORS) if self.random.random() < 0.75 else self._look()

    def _quantifier(self) -> str:
        return self.random.choice(QUANTIFIERS) + self.random.choice(["", "", "?"])

    def _part(self, depth: int) -> str:
        kind = self.random.random()
        if depth == 0 or kind < 0.25:
            return self._atom() + (self._quantifier() if self.random.random() < 0.5 else "")
        if kind < 0.5:
            n = self.random.choice([1, 2, 2, 3])
            return "".join(self._part(depth - 1) for _ in range(n))
        if kind < 0.65:
            n = self.random.choice([2, 2, 3])
            full = [self._part(depth - 1) for _ in range(n)]
            branches = [part if self.random.random() < 0.93 else "" for part in full]
            quantifier = self._quantifier() if self.random.random() < 0.4 else ""
            return f"(?:{'|'.join(branches)}){quantifier}"
        if kind < 0.82:
            return f"(?:{self._part(depth - 1)}){self._quantifier()}"
        if kind < 0.87:
            return f"(?{self.random.choice(LOCAL_FLAGS)}:{self._part(depth - 1)})"
        if kind < 0.97:
            return self._anchor() + self._part(depth - 1)
        return self._part(depth - 1) + self._anchor()

    def pattern(self) -> str:
        """Return a pattern, which may be invalid."""
        pattern = self._part(self.random.choice([0, 1, 2, 2, 3, 3, 4]))
        kind = self.random.random()
        if kind < 0.1:
            pattern = self._anchor() + pattern + self._anchor()
        elif kind < 0.15:
            pattern = f"({pattern})"
        elif kind < 0.2:
            pattern = f"{self._anchor()}({pattern}){self._anchor()}"
        elif kind < 0.25:
            pattern = f"{self._atom()}({pattern}){self._atom()}"
        elif kind < 0.35:
            pattern += "|" + self._part(2)
        if self.random.random() < 0.3:
            pattern = self.random.choice(FLAGS) + pattern
        return pattern

    def texts(self, pattern: str, n: int) -> list[str]:
        """Return texts, some of which have the characters of the pattern."""
        own = re.findall(r"[^\\\[\](){}|*+?.^$]", pattern) or ["a"]
        texts = []
        for number in range(n):
            alphabets = [CHARACTERS, [*own, "a", " "], self.random.sample(CHARACTERS, 4)]
            alphabet = self.random.choice([*alphabets, list("ab"), list("aA -"), own])
            sizes = [0, 1, 2, 3, 5, 8, 12, 20] if number % 4 else [40, 64, 65, 130, 300]
            texts.append("".join(self.random.choices(alphabet, k=self.random.choice(sizes))))
        return texts
