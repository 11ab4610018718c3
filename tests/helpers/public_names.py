"""The public functions, classes and methods, as a user writes their names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import termsift as ts

MODULES = ("io", "plots", "report", "text")
CLUSTERS = ("dask", "spark")  # they need libraries that may be missing


def public_callables() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Return functions, classes and methods, as a script calls them and as they are."""
    modules = {f"ts.{name}": import_module(f"termsift.{name}") for name in MODULES}
    for name in CLUSTERS:
        try:
            modules[f"ts.{name}"] = import_module(f"termsift.{name}")
        except ImportError:
            continue
    for place, module in {"ts": ts, **modules}.items():
        for name in module.__all__:
            member = getattr(module, name)
            if inspect.isfunction(member):
                yield f"{place}.{name}", member
            elif inspect.isclass(member):
                for method, function in inspect.getmembers(member, inspect.isfunction):
                    if function.__module__.startswith("termsift") and method[0] != "_":
                        yield f"{place}.{name}.{method}", function
    yield "ts.NaiveBayes", ts.NaiveBayes
    yield "ts.text.TextRules", ts.text.TextRules
    if "TermSelector" in dir(ts):
        yield "ts.TermSelector", ts.TermSelector
