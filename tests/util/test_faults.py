"""Messages know their arguments, and the errors that carry them stay Python's own."""

from __future__ import annotations

import ast
import copy
import pickle
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import termsift as ts
from termsift._util.faults import Argument, Message, blaming, concerning, said, wrong_value
from termsift._util.validation import naming

PACKAGE = Path(ts.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))


def test_fields_without_a_value_are_arguments() -> None:
    message = said(
        "{max_memory} needs {min_df=} of {n:,}, not {given!r}", min_df=2, n=9000, given="{x}"
    )
    assert message == "max_memory needs min_df=2 of 9,000, not '{x}'"
    assert message.arguments == ("max_memory", "min_df")
    assert message.shown(lambda argument: argument.name.upper()) == (
        "MAX_MEMORY needs MIN_DF of 9,000, not '{x}'"
    )


def test_values_stand_in_the_template_or_nowhere() -> None:
    message = said("{analyzer='word'}, {text=}")
    assert message == "analyzer='word', text="
    assert message.parts == (Argument("analyzer", ("word",)), ", ", Argument("text", ()))


def test_a_message_within_a_message_keeps_its_arguments() -> None:
    inner = wrong_value("{k} is wrong")
    assert said("{place}: {error}", place="{f}", error=inner).arguments == ("k",)
    with pytest.raises(ValueError, match=r"^f: k is wrong$") as error, naming("f"):
        raise inner
    assert error.value.argument == "k"  # type: ignore[attr-defined]


def test_another_argument_is_blamed_in_place_of_one() -> None:
    error = concerning(ValueError("k is wrong"), "k", "n")
    with suppress(ValueError), blaming("y", instead_of="n"):
        raise error
    assert (error.argument, error.arguments) == ("k", ("k", "n"))  # type: ignore[attr-defined]
    with suppress(ValueError), blaming("y", instead_of="k"):
        raise error
    assert (error.argument, error.arguments) == ("y", ("y", "n"))  # type: ignore[attr-defined]


def test_errors_are_pythons_own() -> None:
    error = concerning(wrong_value("{k} is {value}", value=2), "n")
    for one in (error, pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(one) is ValueError
        assert (str(one), one.arguments) == ("k is 2", ("n", "k"))
        assert isinstance(one.args[0], Message)
        assert one.args[0].arguments == ("k",)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: ts.count([[1]], ["a"], tf="x"), "tf"),
        (lambda: ts.count([[-1]], ["a"]), "X"),
        (lambda: ts.count([[1]], [None]), "y"),
        (lambda: ts.count_texts(["a"], ["b"], min_df=-1), "min_df"),
        (lambda: ts.count([[1, 2]], ["a"]).rank("nothing"), "method"),
    ],
)
def test_arguments(call: Any, argument: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011 the test is about the attribute
        call()
    assert error.value.argument == argument  # type: ignore[attr-defined]


def strings(path: Path) -> list[str]:
    """Return the strings of a module that are no docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    bodies = (
        n for n in ast.walk(tree) if isinstance(n, ast.Module | ast.ClassDef | ast.FunctionDef)
    )
    docstrings = {
        id(node.body[0].value)
        for node in bodies
        if node.body and isinstance(node.body[0], ast.Expr)
    }
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return [n.value for n in nodes if isinstance(n.value, str) and id(n) not in docstrings]


@pytest.mark.parametrize("path", [path for path in MODULES if "cli" not in path.parts])
def test_the_library_speaks_of_no_option_of_the_shell(path: Path) -> None:
    assert not [text for text in strings(path) if re.search(r"--[a-z]", text)]


def test_messages_are_templates_and_no_f_strings() -> None:
    makers = {"said", "wrong_value", "wrong_type", "excluded"}
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in makers and node.args:
                assert not isinstance(node.args[0], ast.JoinedStr), f"{path}:{node.lineno}"


def test_the_shell_reads_no_messages() -> None:
    """The only pattern of the shell is that of a negative number among its arguments."""
    found = [
        ast.unparse(node)
        for path in MODULES
        if "cli" in path.parts
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.")
    ]
    assert sorted(found) == ["re.compile('-\\\\.?\\\\d')", "re.match('-[^-]', first)"]
