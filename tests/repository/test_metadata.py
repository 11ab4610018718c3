"""The metadata that people and package indexes read, and the links in it."""

import re
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
SOURCE = PROJECT["urls"]["Source"]
# The address of an image in the repository: an index shows the image itself, not a page about it.
RAW = SOURCE.replace("//github.com/", "//raw.githubusercontent.com/")
FILES = ["README.md", "CITATION.cff", ".ci/conda/recipe.yaml", "pyproject.toml"]


def links(text: str) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", text)


def test_the_readme_has_no_relative_links() -> None:
    # Catches a link that is dead on a package index.
    relative = [link for link in links((ROOT / "README.md").read_text("utf-8")) if "//" not in link]
    assert [link for link in relative if not link.startswith("#")] == []


def test_links_into_the_repository_name_files() -> None:
    # Catches a page that has moved.
    for name in FILES:
        text = (ROOT / name).read_text("utf-8")
        for base in (f"{SOURCE}/blob/main/", f"{RAW}/main/"):
            for path in re.findall(re.escape(base) + r"([^\s)#\"]+)", text):
                assert (ROOT / path).is_file(), f"{name}: {path}"


def test_the_source_is_the_only_address_of_the_project() -> None:
    # Catches a second placeholder, which would be forgotten at publication.
    owner = urlsplit(SOURCE).path.split("/")[1]
    addresses = {SOURCE, RAW}
    for name in FILES:
        text = (ROOT / name).read_text("utf-8")
        found = set(
            re.findall(r"https://(?:raw\.)?github(?:usercontent)?\.com/[\w.-]+/termsift", text)
        )
        assert found <= addresses, name
        assert text.count(owner) == sum(text.count(address) for address in addresses) + (
            name == "pyproject.toml"  # whose comment explains the placeholder
        ), name


def test_versions_agree() -> None:
    version = PROJECT["version"]
    assert re.search(rf"(?m)^version: {version}$", (ROOT / "CITATION.cff").read_text("utf-8"))
    recipe = (ROOT / ".ci/conda/recipe.yaml").read_text("utf-8")
    assert re.search(rf"(?m)^  version: {version}$", recipe)
    assert f"\n## {version} " in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_recipe_needs_what_the_package_needs() -> None:
    recipe = (ROOT / ".ci/conda/recipe.yaml").read_text("utf-8")
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
    for requirement in (*PROJECT["dependencies"], *build):
        name, least = requirement.split(">=")
        assert f"- {name} >={least}\n" in recipe
