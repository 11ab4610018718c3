"""The names of the columns of frequency lists, without files."""

from __future__ import annotations

import pytest

from private import plain_name, usual_column, usual_names

PARAMETERS = ("term", "count", "documents", "label")


def test_no_name_is_usual_for_two_columns() -> None:
    names = [name for parameter in PARAMETERS for name in usual_names(parameter)]
    assert len(names) == len(set(names))
    assert all(plain_name(name) == name for name in names)


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_the_names_of_the_arguments_go_first(parameter: str) -> None:
    for name in usual_names(parameter) - {parameter}:
        assert usual_column(["x", name, parameter.upper()], parameter) == 2
        assert usual_column(["x", name], parameter) == 1
    assert usual_column(["x", "y"], parameter) is None


def test_names_are_compared_without_case_blanks_and_marks() -> None:
    for written in ("Freq.", " freq ", "FREQ", "freq_"):
        assert plain_name(written) == "freq"
    assert plain_name("N-gram") == plain_name("n gram") == "ngram"
    assert plain_name("fréquence") == "fréquence"
    assert usual_column([0, 1, ("a", "b"), "Word"], "term") == 3  # the columns of a data frame
