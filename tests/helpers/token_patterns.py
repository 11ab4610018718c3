"""Values of `token_pattern`: those in use, and those that the core leaves to Python."""

# ruff: noqa: RUF001 - patterns of other scripts

from __future__ import annotations

# Values of token_pattern in public code, and well-known patterns of tokenizers, that the core runs.
IN_USE = [
    r"(?u)\b\w\w+\b", r"(?u)\b\w+\b", r"\b\w+\b", r"\w+", r"\w{1,}", r"\w{2,}", r"\w", r"\S+",
    r"\S{2,}", r"[^\s]+", r"[^\s]{2,}", r"[\S]+", r"[^ ]+", r"(?u)[^ ]+", r"[^,]+", r"[^|]+", r".",
    r".+", r"[a-zA-Z]+", r"[a-zA-Z]", r"[a-zA-Z0-9]{3,}", r"[a-z]{5,}", r"[A-Za-z0-9\-]+",
    r"[A-Za-z0-9_-]+", r"[a-z][a-z\-]+", r"[a-zA-Z][a-zA-Z0-9_\-]{2,}", r"[a-zA-Z\-][a-zA-Z\-]{2,}",
    r"[a-zA-ZА-ЯЁа-яё]{2,}", "[\u0c80-\u0cff\\w]{2,}", r"[a-zA-Z.0-9+#-_/]*[^.\s]",
    r"[A-Za-z_][A-Za-z0-9_]*|[^\sA-Za-z0-9_]", r"[A-Za-z0-9]+(?=\s+)", r"\S+(?=\s+)",
    r"(?u)\b[a-zA-Z][a-zA-Z]+\b", r"(?u)\b[a-zA-Z_][a-zA-Z0-9_]+\b", r"\b[a-z][a-z]+\b",
    r"\b[^\d\W]{3,30}\b", r"(?u)(?<![@])#?\b\w\w+\b", r"(?u)\b\w\w\w+\b", r"(?u)\b[\w\#.-]+\b",
    r"(?u)\b[a-zA-Z0-9][a-zA-Z0-9+#.\-]*\b", r"(?u)\b[^0-9\s]{3,30}\b", r"(?u)\b[\w-]+\b",
    r"(?u)\b[\w.-]+\b", r"(?u)\b[a-zA-Zàèéìòù][a-zA-Zàèéìòù]{2,}\b", r"(?u)\b[\w\'-]+\b",
    r"(?u)\b[A-Za-z][A-Za-z+\-/\.%]*\b", r"(?u)\b[a-zA-ZÀ-ÿ][\w-]{2,}\b", r"\b[\w']+\b",
    r"(?u)\b[a-zA-Z][a-zA-Z0-9+#.-]*\b", r"\b[a-z0-9æøå]{2,}\b", r"\b([a-z_]\w+)\b",
    r"(?i)\b([a-z_]\w+)\b", r"(?u)\b([^\s]+)", r"(?u)\b[^\d\W]\w+\b", r"(?u)\b\w\w+\b|^[_\W]+$",
    r"\b(?:\d{1,3}\.){3}\d{1,3}\b|[^\w\s]", r"(?u)\b[a-z][a-z\+\#\.]{2,25}\b",
    r"(?u)(?<![äöüÄÖÜß\w])([äöüÄÖÜß\w]+)(?![äöüÄÖÜß\w])", r"\w{1,}'?[t]?",
    r"(?ui)\b\w*[a-z]{2}\w*\b", "(?u)\\b\\w\\w+\\b|[\u263a-\U0001f645]+?",
    r"(?u)\b[a-zA-Z_\':,]+[\s(){}\[\]=.]", r"(?u)\b\w\w +\b",
    r"(?u)(?:[가-힣]{1,}|[A-Za-z0-9]{2,})",
    r"(?u)\b[^;]+\b", r"(?u)\b[^\W\d_][\w-]+\b", r"(?u)\b[^\W\d_]{2,}\b", r"(?u)\b\w[\w'+/-]*\b",
    r"(?u)\b[\w@.\-]{2,}\b", r"\b\w+\b|\w+-\w+", r"(?u)\b[a-zA-ZÀ-ÿ_][a-zA-ZÀ-ÿ_]{2,}\b", r"word",
    r"\w+|[^\w\s]", r"\w+|[^\w\s]+", r"[\w\$]+|[^\w\s]", r"\w+|\$[\d\.]+|\S+",
    r"(?u)\W+|\$[\d\.]+|\S+", r"[A-z]+", r"\d{3}-\d{4}", r"\d+\.\d+|\d+|[^\d]+", r"[#@]?\w+",
    r"\w+(?:['-]\w+)*", r"(?:[A-Z]\.)+|\w+(?:-\w+)*|\$?\d+(?:\.\d+)?%?|\.\.\.|[][.,;\"'?():_`-]",
    r"[A-Za-z0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", r"[^\W_][\w\u0900-\u0963\u200c\u200d]+",
    r"\b(?:[$]?[A-Z]{2,10}|0x[a-fA-F0-9]{40})\b", r"https?://\S+|@\w+|#\w+|\w+(?:'\w+)?|[^\w\s]",
    r"#[a-zA-Z]\w{1,99}", r'-?"(?:[^"\\]|\\.)*"|\S+', r"[A-Za-z0-9+/_-]{6,}={0,2}",
    r"(?<=[0-9])[+\-\*^](?=[0-9-])", r"(?<=[a-z])\.(?=[A-Z])", r"\S+@\S+\.\w+", r"\w+$",
    r"(?m)^\w+", r"'s|'t|'re|'ve|'m|'ll|'d| ?[^\W\d_]+| ?\d+| ?[^\s\w]+|\s+(?!\S)|\s+", r"\w+@\w+",
    r"\w{3,200}",
]  # fmt: skip

# Patterns that Python must run: the empty text, several groups, groups within a part, references.
LEFT_TO_PYTHON = [
    r"\w*", r"", r"a|", r"(?=a)", r"\b(\w\w+\S+\w\w+)|\w\w+\b", r"(\w)(\w)", r"(\w)+x", r"(\w+) \1",
    r"[^\s]*(hosp|medic)[^\s]*", r"\w+(?=n't)", r"a(b*)", r"(?>a+)b", r"a++b", r"(?a:\w)x",
    r"(?<=ab)c", r"(a)?(?(1)b|c)", r"a(?=b(?i:c))", r"a(?=(?i:b)c)", r"a{7000}",
]  # fmt: skip
