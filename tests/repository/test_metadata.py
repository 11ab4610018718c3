"""The metadata that people and package indexes read, and the links in it."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]
SOURCE = PROJECT["urls"]["Source"]
# The address of an image in the repository: an index shows the image itself, not a page about it.
RAW = SOURCE.replace("//github.com/", "//raw.githubusercontent.com/")
README = (ROOT / "README.md").read_text("utf-8")
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


def test_the_readme_has_no_relative_links() -> None:
    # Catches a link that is dead on a package index.
    found = ["".join(link) for link in links(README)]
    assert len(found) > 20
    of_sections = {f"#{anchor}" for anchor in anchors(README)}
    assert [link for link in found if not link.startswith("https://")] == [
        link for link in found if link in of_sections
    ]


def test_images_of_the_readme_are_raw_files() -> None:
    # Catches an image that an index would show as broken: the address of a page about it.
    images = re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", README)
    assert images
    assert all(image.startswith(f"{RAW}/main/") for image in images)


def test_links_into_the_repository_name_files_and_headings() -> None:
    # Catches a page that has moved, and a section that has another name now.
    for name, text in TEXTS.items():
        for base in (f"{SOURCE}/blob/main/", f"{RAW}/main/"):
            for path, anchor in re.findall(re.escape(base) + r"([^\s)#\"]+)(#[^\s)\"]+)?", text):
                assert (ROOT / path).is_file(), f"{name}: {path}"
                if anchor:
                    assert anchor[1:] in anchors((ROOT / path).read_text("utf-8")), (
                        f"{name}: {anchor}"
                    )


def test_the_source_is_the_only_address_of_the_project() -> None:
    # Catches a second placeholder, which would be forgotten at publication.
    of_projects = r"https://(?:raw\.)?github(?:usercontent)?\.com/[\w.-]+/termsift\b"
    for name, text in TEXTS.items():
        assert set(re.findall(of_projects, text)) <= {SOURCE, RAW}, name
        assert not re.search(r"//(?:\w+\.)?example\.(?:com|net|org|invalid)", text), name


def test_contributing_names_the_files_with_the_placeholder() -> None:
    # Catches a file in which a person would not replace it.
    with_placeholder = {name for name, text in TEXTS.items() if "/OWNER/" in text}
    step = re.search(r"(?s)replace `OWNER` in (.+?),\n", TEXTS["CONTRIBUTING.md"])
    named = set(re.findall(r"`([^`]+)`", step[1])) if step else set()
    assert with_placeholder == (named if "/OWNER/" in SOURCE else set())


def test_classifiers_name_the_versions_that_have_wheels() -> None:
    # Catches a Python for which wheels are built but which no index lists, and the reverse.
    of_version = r"Programming Language :: Python :: (3)\.(\d+)"
    found = [re.fullmatch(of_version, classifier) for classifier in PROJECT["classifiers"]]
    versions = [match[1] + match[2] for match in found if match]
    built = PYPROJECT["tool"]["cibuildwheel"]["build"].split()
    assert [f"cp{version}-*" for version in versions] == [tag for tag in built if "t-" not in tag]
    assert f"cp{versions[-1]}t-*" in built


def test_versions_agree() -> None:
    version = PROJECT["version"]
    assert re.search(rf"(?m)^version: {version}$", (ROOT / "CITATION.cff").read_text("utf-8"))
    recipe = (ROOT / ".ci/conda/recipe.yaml").read_text("utf-8")
    assert re.search(rf"(?m)^  version: {version}$", recipe)
    assert f"\n## {version} " in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_recipe_needs_what_the_package_needs() -> None:
    recipe = (ROOT / ".ci/conda/recipe.yaml").read_text("utf-8")
    build = PYPROJECT["build-system"]["requires"]
    for requirement in (*PROJECT["dependencies"], *build):
        name, least = requirement.split(">=")
        assert f"- {name} >={least}\n" in recipe
