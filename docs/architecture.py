"""The stages of the package and of the core: python docs/architecture.py prints who imports whom.

tests/repository/test_architecture.py checks that every file imports or includes only files of its
own stage and of the stages below it, in the order of the two lists of floors here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]

# The stages of the package, bottom up; those on one floor do not import each other. "termsift" is
# __init__.py, the public names. The command line imports it, as a user would; no other stage does.
PACKAGE_FLOORS = [
    ["_core"],
    ["_util"],
    ["text"],
    ["io"],
    ["_scores"],
    ["_select", "_classify"],
    ["_counts"],
    ["_evaluate"],
    ["_term_selector", "plots", "report", "dask", "spark"],
    ["reference"],
    ["termsift"],
    ["cli"],
    ["__main__"],
]

# The stages of the core, bottom up: the folders of cpp/src and the bindings.
CORE_FLOORS = [
    ["base"],
    ["simd"],
    ["reading", "counting"],
    ["text", "scoring", "machines"],
    ["contingency"],
    ["ranking"],
    ["greedy", "gain", "bayes"],
    ["bindings"],
]

# A public header belongs to the stage of the source with its name. These have no such source.
HEADERS = {
    "arrow_c": "reading",
    "characters": "text",
    "csr_view": "counting",
    "double_double": "base",
    "fold": "base",
    "large_memory": "base",
    "runtime": "simd",
    "text_rules": "text",
    "texts": "base",
    "types": "base",
    "utf8": "base",
}

Graph = dict[str, set[str]]  # from each file to the files that it imports or includes
StageOf = Callable[[str], str]


def package_imports() -> Graph:
    """Return what each module imports, also within functions, but not for type checkers only."""
    paths = sorted((ROOT / "python/termsift").rglob("*.py"))
    names = [path.relative_to(ROOT / "python").with_suffix("").as_posix() for path in paths]
    modules = [name.replace("/", ".").removesuffix(".__init__") for name in names]
    known = {*modules, "termsift._core"}
    graph: Graph = {"termsift._core": set()}
    for module, path in zip(modules, paths, strict=True):
        found = graph[module] = set()
        tree = ast.parse(path.read_text("utf-8"))
        # Type hints may name a class of a later stage.
        tree.body = [node for node in tree.body if not _is_for_type_checkers(node)]
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found.update(known.intersection(alias.name for alias in node.names))
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    name = f"{node.module}.{alias.name}"
                    found.update(known.intersection([name if name in known else node.module]))
    return graph


def _is_for_type_checkers(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def package_stage(module: str) -> str:
    """Return the stage of a module: its folder, or itself where it lies in no folder."""
    return module.split(".")[1] if "." in module else module


def core_includes() -> Graph:
    """Return what each file of the core and of the bindings includes, by paths within cpp/."""
    graph: Graph = {}
    for path in sorted((ROOT / "cpp").rglob("*.[ch]pp")):
        included = re.findall(r'(?m)^#\s*include "(.+)"', path.read_text("utf-8"))
        places = [
            f"{folder}/{name}" for name in included for folder in ("src", "include", "bindings")
        ]
        found = {place for place in places if (ROOT / "cpp" / place).exists()}
        graph[path.relative_to(ROOT / "cpp").as_posix()] = found
    return graph


def core_stage(path: str) -> str:
    """Return the stage of a file of the core: its folder, or that of its source for a header."""
    folder, stage = path.split("/")[:2]
    if folder == "bindings":
        return folder
    if folder == "src":
        return stage
    sources = [source.parent.name for source in (ROOT / "cpp/src").glob(f"*/{Path(path).stem}.cpp")]
    return sources[0] if sources else HEADERS.get(Path(path).stem, "")


def upward(graph: Graph, floors: list[list[str]], stage_of: StageOf) -> list[str]:
    """Return each import that does not run downward, as "importer -> imported"."""
    floor = {stage: number for number, stages in enumerate(floors) for stage in stages}
    return [
        f"{importer} -> {imported}"
        for importer in graph
        for imported in sorted(graph[importer])
        if stage_of(importer) != stage_of(imported)
        and floor[stage_of(importer)] <= floor[stage_of(imported)]
    ]


def draw(graph: Graph, floors: list[list[str]], stage_of: StageOf) -> str:
    """Return the stages from top to bottom, each with the number of its files and its imports."""
    lines = []
    for stages in reversed(floors):
        for stage in stages:
            files = [file for file in graph if stage_of(file) == stage]
            used = {stage_of(imported) for file in files for imported in graph[file]} - {stage}
            below = [below for floor in reversed(floors) for below in floor if below in used]
            lines.append(f"{stage:20} {len(files):3} files   {', '.join(below)}".rstrip())
    return "\n".join(lines)


if __name__ == "__main__":
    print("package: stages and what they import\n")
    print(draw(package_imports(), PACKAGE_FLOORS, package_stage))
    print("\ncore: stages and what they include\n")
    print(draw(core_includes(), CORE_FLOORS, core_stage))
