r"""The scores in plain Python, written from the equations: the specification of termsift.

This package is not fast, and it shares no code with the compiled core. Read the package to learn
what a number means, or to check the results of a faster computation. The modules are listed in the
order in which data passes through them:

===============  =================================================================================
``counting``     documents and labels to counts
``tables``       the input of the formulas: probabilities, and the cells of contingency tables
``formulas``     one function for each method
``scoring``      the values of a term for the classes, and their aggregate
``directions``   whether a class has more of a term than the others
``pvalues``      tests of significance
``ranking``      scores to rankings
``choosing``     Algorithm 1
``conditional``  conditional gain
``classifying``  accuracy of naive Bayes on the first k terms
===============  =================================================================================

The symbols are those of Tang, Kay and He, "Toward Optimal Feature Selection in Naive Bayes for Text
Categorization", IEEE TKDE 28(9), 2016. There are N classes, with indices c and k, and M terms, with
the index i:

==========  ======================================================================================
``l_ic``    occurrences of term i in class c (term frequency)
``l_c``     occurrences of all terms in class c, sum_i l_ic
``d_ic``    documents of class c that contain term i (document frequency)
``n_c``     documents of class c
``b1, b2``  smoothing; Laplace's, the default, is b1 = 1 and b2 = M
``p_ic``    (l_ic + b1) / (l_c + b2), the probability of term i in class c
``pi_c``    prior of class c; n_c / sum_k n_k unless given
``q_ic``    sum_{k != c} pi_k p_ik / (1 - pi_c), the probability of term i outside class c
``l_i``     occurrences of term i in the collection, where each document counts once
``d_i``     documents of the collection with term i
``n``       documents of the collection
``L``       sum_i l_i
``A, B``    documents with term i: A = d_ic in class c and B = d_i - d_ic outside it
``C, D``    documents without term i: C = n_c - A in class c and D = n - n_c - B outside it
``det``     A n - d_i n_c = A D - C B
==========  ======================================================================================

Logarithms are natural. By convention 0 log 0 = 0 and log 0 = -inf. For x > 0, x/0 and x log(x/0)
are inf. A value 0/0 is replaced by 0. No value is NaN.

Notes
-----
Integer counts are exact. The formulas of ``md`` and ``md_chi2`` are evaluated in float64 without
changes, so a difference of nearly equal numbers loses digits. The absolute error of ``md`` is about
1e-16 for each class. The relative error of a typical ``md`` score is 1e-12 to 1e-10. If a term
hardly distinguishes the classes, the relative error of ``md`` is larger, and the score may even be
below 0. The relative error of ``md_chi2`` is about 1e-16 ``|p_ic + q_ic| / |p_ic - q_ic|``. All
other methods use exact fractions, and most are as accurate as the logarithm function. But ``ig``
and ``g2`` subtract logarithms, ``bns`` subtracts quantiles, and all three methods lose digits.
`greedy` and `divergence` use exact probabilities and logarithms with sixty digits, because rounding
would otherwise decide between equally good terms.

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
    leave_one_out,
    log_posteriors,
    predict,
    selection_curve,
)
from termsift.reference.conditional import conditional_gain, guided_gain, likeliest_shape
from termsift.reference.counting import ReferenceCounts, count, count_table
from termsift.reference.directions import class_directions
from termsift.reference.formulas import METHODS
from termsift.reference.keyness import (
    dispersion_of,
    exact_log_ratio,
    key_of,
    keyness_of,
    rank_sum_of,
)
from termsift.reference.machines import document_vectors, linear_machines
from termsift.reference.pvalues import Significance, adjusted, log_pvalue, significance
from termsift.reference.ranking import rank, round_robin
from termsift.reference.scoring import class_scores, score

__all__ = [
    "METHODS",
    "ReferenceCounts",
    "Significance",
    "adjusted",
    "class_directions",
    "class_scores",
    "conditional_gain",
    "count",
    "count_table",
    "cross_validate",
    "dispersion_of",
    "divergence",
    "document_vectors",
    "exact_log_ratio",
    "greedy",
    "guided_gain",
    "leave_one_out",
    "log_posteriors",
    "key_of",
    "keyness_of",
    "likeliest_shape",
    "linear_machines",
    "log_pvalue",
    "predict",
    "rank",
    "rank_sum_of",
    "round_robin",
    "same_first_term",
    "score",
    "selection_curve",
    "significance",
]
