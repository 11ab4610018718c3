"""The metadata for users and package indexes, and its links."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import termsift as ts
from private import _core

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]
SOURCE = PROJECT["urls"]["Source"]
README = (ROOT / "README.md").read_text("utf-8")
CITATION = (ROOT / "CITATION.cff").read_text("utf-8")
PLACES = """
    *.md *.cff *.toml .ci/*/*.yaml .github/*/*.yml
    benchmarks/*.md docs/**/*.md docs/*.py python/**/*.py
"""
TEXTS = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for place in PLACES.split()
    for path in sorted(ROOT.glob(place))
}


def links(text: str) -> list[str]:
    return re.findall(r"\]\(<?([^)>\s]+)|(?:src|href)=\"([^\"]+)\"|(?m:^\[[^\]]+\]: *(\S+))", text)


def anchors(page: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"(?m)^#+ +(.+)$", page)
    return {
        re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings
    }


PAGES = [name for name in TEXTS if name.endswith(".md")]


@pytest.mark.parametrize("name", PAGES)
def test_links_name_files_and_headings(name: str) -> None:
    # Catches an absolute address, and a link to a page or section that was moved or renamed.
    for link in map("".join, links(TEXTS[name])):
        if not link.startswith("https:") and not link.startswith("http:"):
            path, _, anchor = link.partition("#")
            target = ROOT / Path(name).parent / path if path else ROOT / name
            assert target.is_file(), link
            if anchor and name != "docs/commands.md":  # conf.py makes its headings
                assert anchor in anchors(target.read_text("utf-8")), link


def test_the_readme_of_the_index_has_no_relative_links() -> None:
    # This test repeats what hatch-fancy-pypi-readme does in the build. check_wheel.py checks the
    # README of the built wheel.
    config = PYPROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    text = f"{README}\nSource: {SOURCE}"
    for each in config["substitutions"]:
        text = re.sub(each["pattern"], each["replacement"], text, flags=re.DOTALL)
    found = ["".join(link) for link in links(text)]
    assert len(found) > 20
    assert f"{SOURCE}/raw/main/docs/demo.svg" in found
    assert f"{SOURCE}/blob/main/docs/methods.md#which-method" in found
    assert [link for link in found if not link.startswith("https://")] == []


def test_the_address_of_the_project_stands_once() -> None:
    # Catches a second placeholder for the address, which would be forgotten at publication.
    of_projects = r"(?:raw\.)?github(?:usercontent)?\.com/[\w.-]+/termsift\b"
    named = [name for name, text in TEXTS.items() for _ in re.findall(of_projects, text)]
    assert named == ["pyproject.toml"]
    assert "`OWNER` in `pyproject.toml`" in TEXTS["CONTRIBUTING.md"] or "/OWNER/" not in SOURCE


def test_classifiers_name_the_versions_that_have_wheels() -> None:
    # Wheels must be built for the Python versions that the package index lists.
    of_version = r"Programming Language :: Python :: (3)\.(\d+)"
    found = [re.fullmatch(of_version, classifier) for classifier in PROJECT["classifiers"]]
    versions = [match[1] + match[2] for match in found if match]
    built = PYPROJECT["tool"]["cibuildwheel"]["build"].split()
    assert [f"cp{version}-*" for version in versions] == [tag for tag in built if "t-" not in tag]
    assert f"cp{versions[-1]}t-*" in built


def test_versions_agree() -> None:
    version = PROJECT["version"]
    assert ts.__version__ == _core.__version__ == version
    assert re.search(rf"(?m)^version: {version}$", CITATION)
    assert re.findall(r"version = \{(.+?)\}", README) == [version]
    recipe = (ROOT / ".ci/conda/recipe.yaml").read_text("utf-8")
    assert re.search(rf"(?m)^  version: {version}$", recipe)
    assert f"\n## {version} " in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_citation_describes_the_package() -> None:
    assert re.findall(r"(?m)^title: (.+)$", CITATION) == [PROJECT["name"]]
    assert re.findall(r"(?m)^license: (.+)$", CITATION) == [PROJECT["license"]]
    assert re.findall(r"(?m)^abstract: >-\n  (.+)$", CITATION) == [PROJECT["description"]]
    assert re.findall(r"(?m)^  - name: (.+)$", CITATION) == [a["name"] for a in PROJECT["authors"]]
    keywords = CITATION.partition("\nkeywords:\n")[2].partition("\nlicense:")[0]
    assert re.findall(r"(?m)^  - (.+)$", keywords) == PROJECT["keywords"]


def test_bibtex_cites_what_the_citation_names() -> None:
    package, paper = re.findall(r"(?ms)^@\w+\{(.+?)\}$", README)
    assert f"author = {{{{{PROJECT['authors'][0]['name']}}}}}" in package
    licence = (ROOT / "LICENSE").read_text("utf-8")
    assert re.findall(r"year = \{(\d+)\}", package) == re.findall(r"Copyright \(c\) (\d+)", licence)
    reference = CITATION.partition("\nreferences:\n")[2]
    plain = re.sub(r"[{}]", "", paper)
    for field in ("title", "journal", "volume", "year", "doi"):
        (value,) = re.findall(rf"(?m)^ +(?:- )?{field}: (.+)$", reference)
        assert f"{field} = {value}" in plain
    (start,), (end,) = (re.findall(rf" {name}: (\d+)", reference) for name in ("start", "end"))
    assert f"pages = {start}--{end}" in plain
    names = zip(
        re.findall(r"family-names: (.+)", reference),
        re.findall(r"given-names: (.+)", reference),
        strict=True,
    )
    assert f"author = {' and '.join(map(', '.join, names))}," in plain


def test_the_recipe_needs_what_the_package_needs() -> None:
    recipe = (ROOT / ".ci/conda/recipe.yaml").read_text("utf-8")
    build = PYPROJECT["build-system"]["requires"]
    for requirement in (*PROJECT["dependencies"], *build):
        name, least = requirement.split(">=")
        assert f"- {name} >={least}\n" in recipe


def test_a_package_has_one_lower_bound() -> None:
    # The oldest versions that are tested (.ci/oldest.py) must be those that every file names.
    bounds: dict[str, set[str]] = {}
    for name, text in TEXTS.items():
        if name.endswith((".toml", ".yaml", ".yml")):
            for package, bound in re.findall(r"([\w.-]+)(?:\[\w+\])? ?>=([\d.]+)", text):
                bounds.setdefault(package, set()).add(bound)
    assert len(bounds) > 20
    assert {package: found for package, found in bounds.items() if len(found) > 1} == {}


def test_each_lower_bound_becomes_a_version_to_test() -> None:
    printed = subprocess.run(
        [sys.executable, ROOT / ".ci/oldest.py"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    extras = PROJECT["optional-dependencies"].values()
    build = PYPROJECT["build-system"]["requires"]
    for requirement in (*build, *PROJECT["dependencies"], *(o for extra in extras for o in extra)):
        name, _, least = requirement.partition(">=")
        assert not least or f"{name.partition('[')[0]}=={least}" in printed


def test_promises_name_tests_that_exist() -> None:
    # A promise whose test was deleted or renamed would be kept by nothing.
    files: dict[str, list[Path]] = {}
    places = ("tests/**/*.*", "benchmarks/*.py", ".ci/*.py")
    for path in (path for place in places for path in ROOT.glob(place)):
        files.setdefault(path.name, []).append(path)
    rows = re.findall(r"(?m)^\| (?!promise|---)(.+?) \| (.+?) \|", TEXTS["docs/promises.md"])
    assert len(rows) > 40
    for promise, tests in rows:
        named = re.findall(r"`([\w./]+\.(?:py|cpp))(?:::(\w+))?`", tests)
        assert named or re.match(r"the .* tests\b", tests), promise
        for name, test in named:
            found = [p for p in files.get(Path(name).name, []) if p.as_posix().endswith(name)]
            assert found, f"{promise}: {name}"
            assert not test or any(f"def {test}(" in p.read_text("utf-8") for p in found), test
