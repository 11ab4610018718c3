r"""The scores in plain Python, written from the equations: the specification of termsift.

Nothing here is fast and nothing here is shared with the compiled path. Read this package to learn
what a number means; compare with it to learn whether a faster number is right. The formula of each
method is a function of its name in ``termsift.reference.formulas``; what it reads stands in
``tables``, documents become counts in ``counting``, values scores in ``scoring``, which side of the
others a class is on in ``directions``, scores p-values in ``pvalues`` and rankings in ``ranking``;
``choosing`` is Algorithm 1, ``conditional`` chooses by conditional gain, and ``classifying`` tells
how well naive Bayes does with a ranking.

Symbols, after Tang, Kay and He, "Toward Optimal Feature Selection in Naive Bayes for Text
Categorization", IEEE TKDE 28(9), 2016. N classes c and k, M terms i:

==========  ======================================================================================
``l_ic``    occurrences of term i in class c (term frequency)
``l_c``     occurrences of all terms in class c, sum_i l_ic
``d_ic``    documents of class c that contain term i (document frequency)
``n_c``     documents of class c
``b1, b2``  smoothing; Laplace's, the default, is b1 = 1 and b2 = M
``p_ic``    (l_ic + b1) / (l_c + b2), the probability of term i in class c
``pi_c``    prior of class c; n_c / sum_k n_k unless given
``q_ic``    sum_{k != c} pi_k p_ik / (1 - pi_c), its probability outside class c
``l_i``     occurrences of term i in the collection, each document counted once
``d_i``     documents of the collection with term i, each counted once
``n``       documents of the collection, each counted once
``L``       sum_i l_i
``A, B``    documents with term i: of class c, d_ic, and others, d_i - d_ic
``C, D``    documents without term i: of class c, n_c - A, and others, n - n_c - B
``det``     A n - d_i n_c = A D - C B
==========  ======================================================================================

Logarithms are natural, 0 log 0 = 0, log 0 = -inf, x/0 and x log(x/0) are inf for x > 0, and
0/0 = 0 where it is the whole value. Nothing is NaN.

Notes
-----
Counts of integers are exact. Scores are the formulas as they stand, in float64, and a formula that
subtracts nearly equal numbers loses what they have in common: `md` is off by some 1e-16 for each
class, whatever its size. That is 1e-12 to 1e-10 of an ordinary score, and all of it for a term that
barely tells the classes apart: its score may even come out below 0. `md_chi2` is off by about 1e-16
``|p + q| / |p - q|``, relative to itself. The other methods read exact fractions and are as good as
their logarithms; differences of them (``ig``, ``g2``), or of quantiles (``bns``), lose as `md`
does. `greedy` and its divergences, where rounding would decide between equals, have exact
probabilities and logarithms of sixty digits.

Examples
--------
>>> from termsift import reference
>>> X = [[2, 0, 1], [1, 0, 0], [0, 3, 1]]
>>> y = ["sport", "sport", "trade"]
>>> counts = reference.count(X, y)
>>> counts.term_frequency
array([[3, 0, 1],
       [0, 3, 1]])
>>> reference.score(counts).round(4)
array([0.8912, 0.8912, 0.    ])
>>> reference.rank(reference.score(counts), k=2)
array([0, 1])
"""

from termsift.reference.choosing import divergence, greedy, same_first_term
from termsift.reference.classifying import (
    cross_validate,
    log_posteriors,
    predict,
    selection_curve,
)
from termsift.reference.conditional import conditional_gain, likeliest_shape
from termsift.reference.counting import ReferenceCounts, SupportsScoring, count
from termsift.reference.directions import class_directions
from termsift.reference.formulas import METHODS
from termsift.reference.functions import md, md_chi2
from termsift.reference.pvalues import Significance, adjusted, log_pvalue, significance
from termsift.reference.ranking import rank, round_robin
from termsift.reference.scoring import class_scores, score

__all__ = [
    "METHODS",
    "ReferenceCounts",
    "Significance",
    "SupportsScoring",
    "adjusted",
    "class_directions",
    "class_scores",
    "conditional_gain",
    "count",
    "cross_validate",
    "divergence",
    "greedy",
    "log_posteriors",
    "likeliest_shape",
    "log_pvalue",
    "md",
    "md_chi2",
    "predict",
    "rank",
    "round_robin",
    "same_first_term",
    "score",
    "selection_curve",
    "significance",
]
