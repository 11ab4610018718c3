"""What scikit-learn asks of an estimator, without importing scikit-learn.

scikit-learn needs no common base class: it calls the methods of `Estimator`. An import of
scikit-learn takes a second, so only methods that scikit-learn itself calls import it.
"""

from __future__ import annotations

import copy
import inspect
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, NoReturn, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from termsift._util import validation
from termsift._util.faults import concerning, wrong_value

_Any = TypeVar("_Any")
_Request: TypeAlias = bool | str | None
_UNCHANGED = "$UNCHANGED$"  # scikit-learn's word for a request that stays as it is


class NotFittedError(ValueError, AttributeError):
    """The estimator is used before it is fitted.

    If scikit-learn is loaded, its exception of the same name and the same bases is raised instead.
    """


class DataConversionWarning(UserWarning):
    """The data are converted, as by scikit-learn's warning of the same name."""


def of_sklearn(kind: type) -> Any:
    """Return scikit-learn's exception or warning of the same name if scikit-learn is loaded."""
    return getattr(sys.modules.get("sklearn.exceptions"), kind.__name__, kind)


def raise_not_fitted(message: str) -> NoReturn:
    """Raise the NotFittedError that the caller can catch."""
    raise of_sklearn(NotFittedError)(message)


def without_column(y: Any) -> Any:
    """Return labels in one dimension. A column vector causes scikit-learn's warning."""
    if not isinstance(y, np.ndarray) or y.shape[1:] != (1,):
        return y
    message = (
        "A column-vector y was passed when a 1d array was expected: change the shape of y to "
        "(n_samples,), as y.ravel() does"
    )
    warnings.warn(message, of_sklearn(DataConversionWarning), stacklevel=3)
    return y.ravel()


def refuse_continuous(classes: Iterable[Any]) -> None:
    """Raise an error for the target of a regression, as scikit-learn's classifiers do."""
    for label in classes:
        if isinstance(label, float) and not label.is_integer():
            raise wrong_value(
                "Unknown label type: continuous. {y} has {label!r}, expected classes: a label that "
                "is a float must be a whole number, so pass strings, or bin the values",
                label=label,
            )


def check_feature_names(X: Any, fitted: NDArray[np.object_]) -> None:
    """Check that a data frame has the columns of the fitted frame, in the same order.

    The messages begin like those of scikit-learn. An X without names is not checked.
    """
    names, known = validation.column_names(X), fitted.tolist()
    if names is None or names == known:
        return
    lines = ["The feature names should match those that were passed during fit."]
    for what, of in (
        ("Feature names unseen at fit time:", set(names) - set(known)),
        ("Feature names seen at fit time, yet now missing:", set(known) - set(names)),
    ):
        if of:
            lines += [what, *(f"- {name}" for name in sorted(of)[:5]), *["- ..."] * (len(of) > 5)]
    if len(lines) == 1:
        place = next(i for i, name in enumerate(names) if name != known[i])
        lines += [
            "Feature names must be in the same order as they were in fit.",
            f"Column {place} of X is {names[place]!r}, expected {known[place]!r}: bring the "
            "columns of the frame into the same order",
        ]
    raise concerning(ValueError("\n".join([*lines, ""])), "X")


def snapshot(estimator: _Any) -> _Any:
    """Return a copy with the present attributes, which no fit in another thread changes."""
    copied = object.__new__(type(estimator))
    vars(copied).update(vars(estimator))
    return copied


@contextmanager
def replaced_at_once(estimator: _Any) -> Iterator[_Any]:
    """Yield a copy to fit, whose attributes replace the estimator's if fitting succeeds.

    A thread that uses the estimator meanwhile reads all attributes of before or of after the fit.
    """
    fitted = snapshot(estimator)
    yield fitted
    estimator.__dict__ = vars(fitted)


class Estimator:
    """The parameters and the metadata requests of an estimator."""

    _weighted: ClassVar[Sequence[str]] = ()  # The methods that take sample_weight.

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return list(inspect.signature(cls).parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters for the next `fit`."""
        known = self._parameter_names()
        for name in params:
            if name not in known:
                error = ValueError(
                    f"Invalid parameter {name!r} for {type(self).__name__}, expected one of "
                    f"{', '.join(known)}{validation.did_you_mean(name, known)}"
                )
                raise concerning(error, name)
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def get_metadata_routing(self) -> Any:
        """Return which metadata each method requests, for scikit-learn's metadata routing."""
        from sklearn.utils.metadata_routing import MetadataRequest

        if (stored := getattr(self, "_metadata_request", None)) is not None:
            return copy.deepcopy(stored)
        requests = MetadataRequest(owner=self)
        for method in self._weighted:
            getattr(requests, method).add_request(param="sample_weight", alias=None)
        return requests

    def _request(self, method: str, sample_weight: _Request) -> Self:
        from sklearn import get_config

        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "metadata routing is off: call sklearn.set_config(enable_metadata_routing=True)"
            )
        if sample_weight != _UNCHANGED:
            requests = self.get_metadata_routing()
            getattr(requests, method).add_request(param="sample_weight", alias=sample_weight)
            self._metadata_request = requests  # clone copies this attribute
        return self

    def set_fit_request(self, *, sample_weight: _Request = _UNCHANGED) -> Self:
        """Request that a pipeline or a search passes ``sample_weight`` to `fit`, or does not."""
        return self._request("fit", sample_weight)

    def set_partial_fit_request(self, *, sample_weight: _Request = _UNCHANGED) -> Self:
        """Request that scikit-learn passes ``sample_weight`` to `partial_fit`, or does not."""
        return self._request("partial_fit", sample_weight)

    def set_score_request(self, *, sample_weight: _Request = _UNCHANGED) -> Self:
        """Request that a pipeline or a search passes ``sample_weight`` to `score`, or does not."""
        return self._request("score", sample_weight)
