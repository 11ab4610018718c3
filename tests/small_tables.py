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
# KL of term 0: 4/7 log 4 + 3/7 log(1/2) = 5/7 log 2, 1/7 log(1/4) + 6/7 log 2 = 4/7 log 2.
# (p - q)^2 of term 0 is 9/49. Divided by q (1-q) = 6/49 and 12/49: 3/2 and 3/4, with mean 9/8.
TWO = table([[3, 0, 1], [0, 3, 1]], [1, 1])
# Three classes, M = 2: p = (2, 1)/3, (1, 2)/3, (2, 2)/4; pi = 1/4, 1/4, 1/2.
# q_00 = (1/4 1/3 + 1/2 1/2) / (3/4) = 4/9, q_01 = (1/4 2/3 + 1/2 1/2) / (3/4) = 5/9, q_02 = 1/2.
# Class 0: p/q = 3/2, (1-p)/(1-q) = 3/5; class 1 has the two exchanged; class 2 has p = q.
# (p - q)^2 is 4/81. Divided by q (1-q) = 20/81 it is 1/5, and divided by p (1-p) = 18/81, 2/9.
THREE = table([[1, 0], [0, 1], [1, 1]], [1, 1, 2])
