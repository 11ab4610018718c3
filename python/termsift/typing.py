"""The values of arguments as types, for annotations of your own functions.

`typing.get_args` lists the values of a type. If one of the values is the default of an argument,
it comes first. For example:

>>> from typing import get_args
>>> import termsift as ts
>>> from termsift.typing import Model, Policy
>>> def best_terms(counts: ts.ClassCounts, model: Model, policy: Policy = "top") -> ts.Ranking:
...     return counts.rank("md", k=1000, model=model, policy=policy)
>>> get_args(Model)
('multinomial', 'binary', 'bernoulli', 'poisson')
"""

from __future__ import annotations

from termsift._classify.naive_bayes import BayesModel as BayesModel
from termsift._counts.adding import TermFrequency as TermFrequency
from termsift._evaluate.curve import Metric as Metric
from termsift._scores.keyness import Direction as Direction
from termsift._scores.keyness import KeynessOrder as KeynessOrder
from termsift._scores.methods import DescriberName as DescriberName
from termsift._scores.methods import MethodName as MethodName
from termsift._scores.methods import Model as Model
from termsift._scores.methods import RankerName as RankerName
from termsift._scores.registry import Policy as Policy
from termsift.io._scan import Format as Format
from termsift.text._rules import Accents as Accents
from termsift.text._rules import Analyzer as Analyzer
from termsift.text._rules import NormalForm as NormalForm

__all__ = [
    "Accents",
    "Analyzer",
    "BayesModel",
    "DescriberName",
    "Direction",
    "Format",
    "KeynessOrder",
    "MethodName",
    "Metric",
    "Model",
    "NormalForm",
    "Policy",
    "RankerName",
    "TermFrequency",
]
