"""List the stages of package and core. python docs/architecture.py prints imports between stages.

The lists PACKAGE_FLOORS and CORE_FLOORS have the stages from bottom to top. Each line of a list is
a floor: a group of stages that do not import each other. tests/repository/test_architecture.py
checks that every file imports or includes only files of its own stage and of lower floors.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]

# The stages of the package. The stage "termsift" is __init__.py, which has the public names. Only
# the command line imports __init__.py.
PACKAGE_FLOORS = [
    ["_core"],
    ["_util"],
    ["text"],
    ["io"],
    ["_counts"],
    ["_scores"],
    ["_select", "_classify"],
    ["_rank"],
    ["_api"],
    ["_evaluate"],
    ["_term_selector", "plots", "report", "dask", "spark"],
    ["typing"],
    ["reference"],
    ["termsift"],
    ["cli"],
    ["__main__"],
]

# The stages of the core: the folders of cpp/src, and the bindings.
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

# The stages of public headers that have no source file of the same name. Any other public header
# belongs to the stage of its source file.
HEADERS = {
    "arrow_c": "reading",
    "characters": "text",
    "csr_view": "counting",
    "double_double": "base",
    "fold": "base",
    "large_memory": "base",
    "matrix_reader": "reading",
    "runtime": "simd",
    "text_rules": "text",
    "texts": "base",
    "types": "base",
    "utf8": "base",
}

Graph = dict[str, set[str]]  # maps each file to the files that it imports or includes
StageOf = Callable[[str], str]


def package_imports() -> Graph:
    """Return the imports of each module, with imports for type checkers."""
    paths = sorted((ROOT / "python/termsift").rglob("*.py"))
    names = [path.relative_to(ROOT / "python").with_suffix("").as_posix() for path in paths]
    modules = [name.replace("/", ".").removesuffix(".__init__") for name in names]
    known = {*modules, "termsift._core"}
    graph: Graph = {"termsift._core": set()}
    for module, path in zip(modules, paths, strict=True):
        found = graph[module] = set()
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found.update(known.intersection(alias.name for alias in node.names))
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    name = f"{node.module}.{alias.name}"
                    found.update(known.intersection([name if name in known else node.module]))
    return graph


def package_stage(module: str) -> str:
    """Return the stage of a module: its folder, or its own name if it is in no folder."""
    return module.split(".")[1] if "." in module else module


def core_includes() -> Graph:
    """Return the includes of each file of the core and the bindings, as paths within cpp/."""
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
    """Return the stage of a file of the core. A public header has its source file's stage."""
    folder, stage = path.split("/")[:2]
    if folder == "bindings":
        return folder
    if folder == "src":
        return stage
    sources = [source.parent.name for source in (ROOT / "cpp/src").glob(f"*/{Path(path).stem}.cpp")]
    return sources[0] if sources else HEADERS.get(Path(path).stem, "")


def upward(graph: Graph, floors: list[list[str]], stage_of: StageOf) -> list[str]:
    """Return imports of another stage on the same or a higher floor, as "importer -> imported"."""
    floor = {stage: number for number, stages in enumerate(floors) for stage in stages}
    return [
        f"{importer} -> {imported}"
        for importer in graph
        for imported in sorted(graph[importer])
        if stage_of(importer) != stage_of(imported)
        and floor[stage_of(importer)] <= floor[stage_of(imported)]
    ]


def draw(graph: Graph, floors: list[list[str]], stage_of: StageOf) -> str:
    """Return a line for each stage, from top to bottom: its name, number of files, and imports."""
    lines = []
    for stages in reversed(floors):
        for stage in stages:
            files = [file for file in graph if stage_of(file) == stage]
            used = {stage_of(imported) for file in files for imported in graph[file]} - {stage}
            below = [below for floor in reversed(floors) for below in floor if below in used]
            lines.append(f"{stage:20} {len(files):3} files   {', '.join(below)}".rstrip())
    return "\n".join(lines)


if __name__ == "__main__":
    print("package: stages and their imports\n")
    print(draw(package_imports(), PACKAGE_FLOORS, package_stage))
    print("\ncore: stages and their includes\n")
    print(draw(core_includes(), CORE_FLOORS, core_stage))
