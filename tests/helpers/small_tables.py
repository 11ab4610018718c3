"""Small tables of counts, for arithmetic by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

INF = math.inf


def table(term_frequency, class_docs):
    """Return counts that hold only the parts that a score reads."""
    return SimpleNamespace(term_frequency=np.array(term_frequency), class_docs=np.array(class_docs))


# Two classes of 4 tokens, M = 3: p = (4, 1, 2)/7 and (1, 4, 2)/7.
# Term 0 has the KL divergences 4/7 log 4 + 3/7 log(1/2) = 5/7 log 2 in class 0, and
# 1/7 log(1/4) + 6/7 log 2 = 4/7 log 2 in class 1. Its values (p - q)^2 / (q (1-q)) are
# 9/6 = 3/2 and 9/12 = 3/4, with the mean 9/8.
TWO = table([[3, 0, 1], [0, 3, 1]], [1, 1])
# Three classes with two terms have p = (2, 1)/3, (1, 2)/3 and (2, 2)/4, and priors 1/4, 1/4, 1/2.
# So q_00 is (1/4 1/3 + 1/2 1/2) / (3/4) = 4/9, q_01 is 5/9, and q_02 is 1/2.
# In class 0, p/q is 3/2 and (1-p)/(1-q) is 3/5 for term 0, and class 1 swaps the two quotients.
# In class 2, p equals q.
# For classes 0 and 1, (p - q)^2 / (q (1-q)) is 4/20 = 1/5, and (p - q)^2 / (p (1-p)) is 4/18 = 2/9.
THREE = table([[1, 0], [0, 1], [1, 1]], [1, 1, 2])
