"""Call every public function with wrong arguments.

Each argument in turn is replaced by values of every other kind. The call must work, or raise an
error and leave every object unchanged. The test finds all public functions of `termsift` and reads
the arguments from the signatures. A new function is tested if `GOOD` has a value for each of the
function's required arguments.

Guards: every public signature, and the checks of _util/validation.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import importlib
import inspect
import itertools
import math
import os
import pickle
import random
import traceback
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import termsift as ts
from private import core_of
from wording import raises

X = np.array([[1, 0, 2], [0, 1, 0], [1, 1, 0], [0, 2, 1], [3, 0, 0], [0, 1, 1]])
Y = ["ham", "spam", "ham", "spam", "ham", "spam"]

# ---- the values ----------------------------------------------------------------------------------


HOSTILE: dict[str, Callable[[], Any]] = {
    **{
        repr(value): functools.partial(copy.copy, value)
        for value in (
            *(None, True, 0, 1, -1, 1.5, 1e300, 5e-324, math.nan, math.inf, 2**63, 1j),
            *("", "x", "md", "\0", "\x1b[31m", "\udc80", b"x", (), (1,), (1, 2), ("x",), (None,)),
            *([], ["x"], [[1], [2, 3]], [1, "x"], [math.nan], [-1], {}, {"x": 1}, set(), range(3)),
            *(Path("nowhere"), int, len, slice(3), types.SimpleNamespace()),
        )
    },
    "generator": lambda: (i for i in range(6)),
    "ClassCounts": lambda: ts.count(X, Y),
    "Ranking": lambda: ts.count(X, Y).rank("md"),
    "empty Ranking": lambda: ts.count(X, Y).rank("md", 0),
    "0-d": lambda: np.array(3),
    "np.int64": lambda: np.int64(-5),
    "np.float32": lambda: np.float32(math.nan),
    "datetime64": lambda: np.datetime64("2020-01-01"),
    **{
        f"{shape} {dtype}": functools.partial(np.zeros, shape, dtype)
        for shape in ((0,), (6,), (6, 3), (6, 1), (2, 2, 2), (6, 0))
        for dtype in ("i8", "f2", "f8", "U1", "O", "c16", "M8[s]", "?")
    },
    "huge": lambda: np.full(6, 1e300),
    "tiny": lambda: np.full(6, 5e-324),
    "large": lambda: np.full(6, 2**62),
    "unsigned": lambda: np.full(6, 2**63, np.uint64),
    "nan": lambda: np.full(6, math.nan),
    "huge matrix": lambda: np.full((6, 3), 1e300),
    "large matrix": lambda: np.full((6, 3), 2**62),
    "masked": lambda: np.ma.masked_array(np.ones(6), [0, 0, 1, 0, 0, 0]),
    "csr": lambda: sp.csr_array(X),
    "csr of 0 rows": lambda: sp.csr_array((0, 3)),
    "csr of 1 column": lambda: sp.csr_array((6, 1)),
    "csr of nan": lambda: _with_data(np.full(10, math.nan)),
    "coo": lambda: sp.coo_array(X),
}


def _with_data(data: Any) -> Any:
    matrix = sp.csr_array(np.ones((5, 2), int))
    matrix.data = data
    return matrix


# ---- the functions -------------------------------------------------------------------------------


class Folds:
    def split(self, X: Any, y: Any) -> Any:
        yield [0, 1, 2, 3], [4, 5]


def counts() -> ts.ClassCounts:
    made = ts.count(X, Y)
    made.term_names = ["a", "b", "c"]
    return made


def curve() -> ts.Curve:
    return ts.cross_validate(X, Y, "md", cv=2)["md"]


def scan() -> ts.Scan:
    return ts.scan("collection.csv")


# A valid value for each required argument. Some optional arguments have a value too, because
# without it other arguments would be ignored.
GOOD: dict[str, Callable[[], Any]] = {
    "X": lambda: sp.csr_array(X),
    "frame": lambda: {"term": ["ant", "bee"], "label": ["ham", "egg"], "count": [1, 2]},
    "X_train": lambda: sp.csr_array(X),
    "X_test": lambda: sp.csr_array(X),
    "y": lambda: list(Y),
    "y_train": lambda: list(Y),
    "y_test": lambda: list(Y),
    "counts": counts,
    "classes": lambda: list(dict.fromkeys(Y)),
    "indices": lambda: [0, 2],
    "ranking": lambda: counts().rank("md"),
    "keyness": lambda: counts().keyness(Y[0]),
    "target": lambda: Y[0],
    "dispersion": lambda: (sp.csr_array(X), list(Y)),
    "other": lambda: counts().rank("md_chi2"),
    "parts": lambda: [counts(), counts()],
    "min_df": lambda: 1,
    "method": lambda: "md",
    "metric": lambda: "f1",
    "cv": lambda: 2,
    "terms": lambda: np.array([0, 1]),
    "n": lambda: 2,
    "curves": curve,
    "train": scan,
    "test": scan,
    "texts": lambda: ["some words", "more words"] * 3,
    "documents": lambda: [["some", "words"], ["more", "words"]],
    "source": counts,
    "scan": scan,
    "collections": lambda: {"one": (sp.csr_array(X), list(Y))},
}
PATHS: dict[str, Callable[[], Any]] = {
    "load": lambda: "counts.termsift",
    "save": lambda: "new.termsift",
    "to_csv": lambda: "new.csv",
    "scan": lambda: "collection.csv",
    "write_report": lambda: "new.html",
    "read_frequency_list": lambda: "list.csv",
    "read_names": lambda: "list.csv",
    "read_words": lambda: "list.csv",
}
_PATHLIKE = ("path", "paths")
OBJECTS: dict[str, Callable[[], Any]] = {
    "ClassCounts": counts,
    "Ranking": lambda: counts().rank("chi2"),
    "Curve": curve,
    "Curves": lambda: ts.cross_validate(X, Y, "md", cv=2),
    "ClassTerms": lambda: ts.distinctive_terms(counts(), k=2),
    "FoundPassages": lambda: ts.find_passages(["some words"], ["ham"], "some"),
    "Significance": lambda: counts().significance("chi2"),
    "Keyness": lambda: counts().keyness(Y[0]),
    "NaiveBayes": lambda: counts().naive_bayes(),
    "Predictions": lambda: ts.count(scan()).naive_bayes().classify(scan()),
    "Scan": scan,
    "Stability": lambda: ts.stability(X, Y, n_samples=2),
    "Collection": lambda: _io().read_collection(scan()),
    "TextRules": lambda: _text().TextRules(),
}
# Modules of docs/api.md with public functions. termsift.reference is left out, because it is a
# plain specification that hardly checks its arguments.
MODULES = ("io", "text", "plots", "report")


def _text() -> Any:
    return importlib.import_module("termsift.text")


def _io() -> Any:
    return importlib.import_module("termsift.io")


@functools.cache
def functions() -> dict[str, Callable[[], Callable[..., Any]]]:
    """Return makers of all public functions and methods; each method is bound to a new object."""
    found = of_selector()
    for module in (ts, *(importlib.import_module(f"termsift.{name}") for name in MODULES)):
        for name in module.__all__:
            member = getattr(module, name)
            if inspect.isclass(member):
                found |= methods_of(name, member) if name in OBJECTS else {}
            elif callable(member):
                place = "ts" if module is ts else module.__name__.removeprefix("termsift.")
                found[f"{place}.{name}"] = lambda member=member: member
    return found


def methods_of(name: str, kind: type) -> dict[str, Callable[[], Callable[..., Any]]]:
    """Return the public methods of a class, with the operators and the setters."""
    found: dict[str, Callable[[], Callable[..., Any]]] = {}
    for method, member in inspect.getmembers(kind):
        if inspect.isfunction(member) and not method.startswith("_"):
            found[f"{name}.{method}"] = lambda method=method: getattr(OBJECTS[name](), method)
        if isinstance(member, property) and member.fset is not None:
            found[f"{name}.{method}="] = functools.partial(_setter, name, method)
    return found


def _setter(name: str, attribute: str) -> Callable[..., Any]:
    target = OBJECTS[name]()

    def set_to(value: Any) -> None:
        setattr(target, attribute, value)

    set_to.__self__ = target  # type: ignore[attr-defined]
    return set_to


def of_selector() -> dict[str, Callable[[], Callable[..., Any]]]:
    """Return TermSelector's methods. For the constructor, also call fit, which checks arguments."""
    if importlib.util.find_spec("sklearn") is None:
        return {}

    def fitted(**parameters: Any) -> Any:
        return ts.TermSelector(**parameters).fit(X, Y)

    fitted.__signature__ = inspect.signature(ts.TermSelector)  # type: ignore[attr-defined]

    found: dict[str, Callable[[], Callable[..., Any]]] = {"TermSelector": lambda: fitted}
    for name in ("fit", "partial_fit"):
        found[f"TermSelector.{name}"] = lambda name=name: getattr(ts.TermSelector(k=2), name)
    return found


def variadic() -> dict[str, list[str]]:
    """Return the names of arguments that a ``**`` parameter accepts, by the parameter's name."""
    rules = [field.name for field in dataclasses.fields(_text().TextRules)]
    scoring = ["model", "alpha", "class_prior", "n_threads", "noncentrality"]
    reading = ["term_names", "text", "label", "encoding", "on_error", "n_threads"]
    counting = ["text", "label", "classes", "rules", "n_threads"]
    names = {
        "params": ["terms", "model", "alpha", "class_prior", "n_threads"],
        "scoring": scoring,
        "options": ["noncentrality"],
        "reading": reading + rules,
        "counting": counting + rules,
        "evaluation": ["ks", "cv", "random_state", "alpha", "n_threads"],
        "rules": rules,
        "keywords": rules,
    }
    return {name: [*of_name, "nonsense"] for name, of_name in names.items()}


def arguments_of(name: str, function: Callable[..., Any]) -> tuple[list[Any], dict[str, Any]]:
    """Return valid values of the required arguments, and the names of all arguments."""
    good: dict[str, Any] = {}
    names: list[Any] = []
    for argument in inspect.signature(function).parameters.values():
        if argument.kind is argument.VAR_KEYWORD:
            names += variadic()[argument.name]
            if argument.name == "evaluation":
                good["cv"] = GOOD["cv"]()
            continue
        names.append(argument.name)
        if argument.name in _PATHLIKE and argument.default is argument.empty:
            good[argument.name] = PATHS[name.rpartition(".")[2]]()
        elif argument.default is argument.empty or argument.name in ("cv", "y"):
            if argument.name == "value":
                good["value"] = ["a", "b", "c"]
            elif argument.name not in GOOD:
                raise AssertionError(f"GOOD has no value for the argument {argument.name!r}")
            else:
                good[argument.name] = GOOD[argument.name]()
    return names, good


# ---- the verdict ---------------------------------------------------------------------------------


def called(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Call a function, some of whose arguments may have no keyword."""
    named = inspect.signature(function).parameters.values()
    first = [arguments.pop(a.name) for a in named if a.kind is a.POSITIONAL_ONLY]
    return function(*first, **arguments)


def faults_of(name: str, argument: str, value_name: str) -> list[str]:
    """Call with one wrong argument, and return a description of any fault in the outcome."""
    function = functions()[name]()
    _, good = arguments_of(name, function)
    objects = [getattr(function, "__self__", None), *good.values()]
    before = list(map(state, objects))
    with warnings.catch_warnings(action="ignore"):
        try:
            result = called(function, {**good, argument: HOSTILE[value_name]()})
            if isinstance(result, types.GeneratorType | Iterator):
                list(itertools.islice(result, 10))
        except (AssertionError, SystemError, RecursionError) as error:
            return [repr(error)]
        except Exception as error:
            if list(map(state, objects)) != before:
                return [f"changed an object, and raised {error!r}"]
    return []


# Errors that are about another argument, or about no single one. The keys are arguments.
OTHERS = {
    # The numbers of documents differ, and the message names the argument that comes later.
    # Naive Bayes classifies texts too. A usual alpha or step is too small or large for huge counts.
    "X": {"y", "X_test", "texts", "alpha", "step"},
    "X_train": {"y_train", "X_test"},
    "value": {"term_names"},  # of a setter
    # Weights of 0 leave no documents, and huge weights make huge counts.
    "sample_weight": {"X", "y", "alpha", "step"},
    "curves": {"metrics"},
    "shape": {"step"},  # each must suit the other
}


def blame_of(name: str, argument: str, value_name: str) -> list[str]:
    """Call with one wrong argument, and return a description of an error that names others."""
    function = functions()[name]()
    _, good = arguments_of(name, function)
    if name.endswith("find_passages"):
        good.setdefault("queries", "words")
    with warnings.catch_warnings(action="ignore"):
        try:
            result = called(function, {**good, argument: HOSTILE[value_name]()})
            if isinstance(result, types.GeneratorType | Iterator):
                list(itertools.islice(result, 10))
        except (ValueError, TypeError) as error:
            raised_at = Path(traceback.extract_tb(error.__traceback__)[-1].filename)
            if not raised_at.is_relative_to(PACKAGE):
                return []  # a library, or a function of the caller
            if argument in VALUES_OF_CALLERS and not hasattr(error, "argument"):
                return []
            blamed = set(getattr(error, "arguments", ()))
            if not blamed & {argument, *OTHERS.get(argument, ())}:
                return [f"blamed {sorted(blamed)}: {error!r}"]
        except Exception:
            return []
    return []


PACKAGE = Path(str(ts.__file__)).parent
# Functions of the caller, which raise errors of their own while texts are read.
VALUES_OF_CALLERS = ("preprocessor", "stem", "tokenizer", "analyzer", "strip_accents", "passages")


def state(value: Any) -> Any:
    """Return the parts of an object that can be compared."""
    if isinstance(value, ts.ClassCounts):
        arrays = core_of(value).to_arrays()
        names = None if value.term_names is None else list(value.term_names)
        return {n: np.asarray(a).tobytes() for n, a in arrays.items()}, value.classes, names
    if isinstance(value, ts.Scan):
        return value.n_skipped, value.skipped
    if type(value).__name__ == "TermSelector":
        return sorted(vars(value))
    try:
        return pickle.dumps(value)
    except Exception:
        return None


# ---- the tests -----------------------------------------------------------------------------------

PER_FUNCTION = int(os.environ.get("HOSTILE_ARGUMENTS", "60"))  # calls; 0 for all


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a folder with all kinds of files that functions read, and work in this folder."""
    monkeypatch.chdir(tmp_path)
    Path("collection.csv").write_text("text,label\nham eggs,a\nspam eggs,b\nham spam,a\nspam,b\n")
    Path("names.txt").write_text("a\nb\n")
    Path("list.csv").write_text("term,count\nham,2\n")
    counts().save("counts.termsift")


def cases(name: str) -> list[tuple[str, str]]:
    names, _ = arguments_of(name, functions()[name]())
    every = [
        (argument, value)
        for argument in names
        for value in HOSTILE
        if argument != "repeats" or not value.isdecimal()  # large numbers of repeats take too long
    ]
    if not PER_FUNCTION or len(every) <= PER_FUNCTION:
        return every
    return random.Random(name).sample(every, PER_FUNCTION)


@pytest.mark.parametrize("name", list(functions()))
def test_hostile_arguments(name: str) -> None:
    faults = []
    for argument, value in cases(name):
        faults += [f"{argument}={value}: {fault}" for fault in faults_of(name, argument, value)]
    assert not faults, f"{len(faults)} faults\n" + "\n".join(faults)


@pytest.mark.parametrize("name", list(functions()))
def test_errors_carry_the_wrong_argument(name: str) -> None:
    faults = []
    for argument, value in cases(name):
        faults += [f"{argument}={value}: {fault}" for fault in blame_of(name, argument, value)]
    assert not faults, f"{len(faults)} faults\n" + "\n".join(faults)


def test_the_number_of_an_open_file_is_no_path() -> None:
    # A bug once took an integer for an open file's descriptor, and read and closed that file.
    with raises(TypeError, "source_must_be_a_path_2", argument="source"):
        ts.load(10**6)  # type: ignore[arg-type]
