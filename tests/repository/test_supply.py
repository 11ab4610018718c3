"""What guards the way from the sources to a release: workflows, pinned tools and lists of parts."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
FOLDER = ROOT / ".github/workflows"
WORKFLOWS = {path.name: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.yml"))}
REQUIREMENTS = ROOT / ".github/requirements"
LOCKS = {path.name: path.read_text("utf-8") for path in sorted(REQUIREMENTS.glob("*.txt"))}
SOURCES = {path.name: path.read_text("utf-8") for path in sorted(REQUIREMENTS.glob("*.in"))}

ALL = (
    "arrow",
    "dask",
    "full",
    "gzip",
    "pandas",
    "plot",
    "polars",
    "zstd",
)  # the extras of the tiers

each_workflow = pytest.mark.parametrize("name", WORKFLOWS)


def jobs(name: str) -> dict[str, str]:
    """Return the text of each job of a workflow."""
    _, _, text = WORKFLOWS[name].partition("\njobs:\n")
    parts = re.split(r"(?m)^  ([\w-]+):\n", text)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def names(requirements: str) -> set[str]:
    """Return the packages that a file of requirements names."""
    found = re.findall(r"(?m)^([\w.-]+)", requirements)
    return {re.sub(r"[._-]+", "-", name).lower() for name in found}


def needs(name: str, job: str) -> set[str]:
    """Return the jobs that must pass before a job starts."""
    found = re.search(r"(?m)^    needs: \[?([\w, -]+)\]?$", jobs(name)[job])
    direct = found[1].split(", ") if found else []
    return set(direct).union(*(needs(name, each) for each in direct))


@each_workflow
def test_actions_are_pinned_by_hash(name: str) -> None:
    # A tag can be moved to other code, a hash cannot. The comment is what Dependabot keeps current.
    used = re.findall(r"\buses: *(.+)", WORKFLOWS[name])
    assert used
    for action in used:
        assert action.startswith("./.github/") or re.fullmatch(
            r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action
        ), action


def test_an_action_has_one_version() -> None:
    pins: dict[str, set[str]] = {}
    for text in WORKFLOWS.values():
        for action, pin in re.findall(r"uses: ([\w.-]+/[\w.-]+)[\w./-]*@(.+)", text):
            pins.setdefault(action, set()).add(pin)
    assert {action: found for action, found in pins.items() if len(found) > 1} == {}


@each_workflow
def test_jobs_have_the_rights_that_they_state(name: str) -> None:
    assert "\npermissions: {}\n" in WORKFLOWS[name].partition("\njobs:\n")[0]
    for job, text in jobs(name).items():
        (rights,) = re.findall(r"(?m)^    permissions:\n((?:      .+\n)+)", text)
        for right in re.findall(r"([\w-]+): write", rights):
            allowed = {
                "codeql.yml": {"analyze": {"security-events"}},
                "release.yml": {
                    "attest": {"attestations", "id-token"},
                    "publish": {"attestations", "id-token"},
                    "release": {"contents"},
                },
                "scorecard.yml": {"scorecard": {"id-token", "security-events"}},
            }
            assert right in allowed[name][job], f"{job}: {right}"


@each_workflow
def test_nothing_from_outside_can_steer_a_workflow(name: str) -> None:
    text = WORKFLOWS[name]
    assert "pull_request_target" not in text
    assert "workflow_run" not in text
    assert "secrets." not in text
    assert text.count("actions/checkout@") == text.count("persist-credentials: false")
    # Texts that others choose, such as titles and names of branches, must not become commands.
    commands = re.findall(r"(?m)^ *- run: (.+(?:\n {8,}.+)*)", text)
    for command in commands:
        assert re.findall(r"\$\{\{(?! matrix\.)", command) == [], command


def test_what_is_published_has_passed_all_tests() -> None:
    release = jobs("release.yml")
    assert "uses: ./.github/workflows/tests.yml\n" in release["tests"]
    assert "\n  workflow_call:" in WORKFLOWS["tests.yml"]
    before = {"tests", "wheels", "again", "sdist"}
    assert needs("release.yml", "check") == before
    assert needs("release.yml", "publish") == before | {"check", "attest"}
    publishers = [job for job, text in release.items() if "gh-action-pypi-publish@" in text]
    assert publishers == ["publish"]
    assert "if: github.ref_type == 'tag'\n" in release["publish"]
    assert "environment: pypi\n" in release["publish"]


def test_a_release_is_checked_built_again_and_attested() -> None:
    release = jobs("release.yml")
    assert "- run: python .ci/check_wheel.py wheelhouse/*.whl\n" in release["wheels"]
    assert '- run: cmp again/*.whl "first/$(basename again/*.whl)"\n' in release["again"]
    subjects = {"attest": "dist/*.whl\n          sbom-path: termsift-", "publish": "dist/*\n"}
    for job, subject in subjects.items():
        assert "uses: actions/attest@" in release[job]
        assert f"subject-path: {subject}" in release[job]
        assert {"attestations: write", "id-token: write"} <= {
            line.partition(" #")[0].strip() for line in release[job].splitlines()
        }


@each_workflow
def test_workflows_install_what_is_pinned_by_hash(name: str) -> None:
    for job, text in jobs(name).items():
        if job != "oldest":  # which pip resolves from the lower bounds
            for command in re.findall(r"\bpip install (.+)", text):
                assert "--require-hashes" in command or "--no-deps" in command, command


@pytest.mark.parametrize("name", LOCKS)
def test_locked_packages_are_pinned_by_hash(name: str) -> None:
    entries = re.findall(r"(?m)^\w.+(?:\n .+)*", LOCKS[name])
    assert len(entries) > 5
    pinned = r"[\w.-]+==[\w.]+( ; .+)? \\\n( +--hash=sha256:[0-9a-f]{64}( \\\n)?)+"
    assert [entry for entry in entries if not re.fullmatch(pinned, entry)] == []
    source = Path(name).with_suffix(".in").name
    assert f"{source} -o .github/requirements/{name}\n" in LOCKS[name]
    assert names(SOURCES[source]) <= names(LOCKS[name])


def test_a_locked_package_has_the_same_versions_everywhere() -> None:
    # pip installs several of these files at once, but those of the tiers alone.
    found: dict[str, set[frozenset[str]]] = {}
    for text in (text for name, text in LOCKS.items() if name != "tiers.txt"):
        pins: dict[str, set[str]] = {}
        for package, version in re.findall(r"(?m)^([\w.-]+)==(\S+)", text):
            pins.setdefault(package, set()).add(version)
        for package, versions in pins.items():
            found.setdefault(package, set()).add(frozenset(versions))
    assert {package: each for package, each in found.items() if len(each) > 1} == {}


def test_what_is_locked_is_what_the_package_asks_for() -> None:
    def asked(requirements: list[str]) -> set[str]:
        return {re.split(r"[\[>; ]", each)[0].lower() for each in requirements}

    project = PYPROJECT["project"]
    build = asked(PYPROJECT["build-system"]["requires"])
    assert names(SOURCES["build.in"]) == build | {"cmake", "ninja"}
    run = asked(project["dependencies"])
    assert names(SOURCES["wheel.in"]) == run | {"hypothesis", "pytest"}
    extras = project["optional-dependencies"]
    tests = asked(extras["test"]) | asked(extras["sklearn"])
    assert names(SOURCES["tests.in"]) == (run | tests) - {"termsift"}
    full = tests.union(*(asked(extras[name]) for name in ALL))
    missing = {each.replace(".", "-") for each in full} - {"termsift"} - names(SOURCES["tiers.in"])
    assert missing == set()


def test_dependabot_keeps_every_pin_current() -> None:
    text = (ROOT / ".github/dependabot.yml").read_text("utf-8")
    found = re.findall(r"package-ecosystem: (\S+)\n +directory: (\S+)", text)
    assert found == [("github-actions", "/"), ("uv", "/.github/requirements")]


def test_wheels_are_built_with_pinned_tools() -> None:
    config = PYPROJECT["tool"]["cibuildwheel"]
    assert config["build-frontend"] == {"name": "build", "args": ["--no-isolation"]}
    for step, locked in {"before-build": "build.txt", "before-test": "wheel.txt"}.items():
        assert f"--require-hashes -r {{project}}/.github/requirements/{locked}" in config[step]
    assert "test-requires" not in config


def test_every_fuzz_target_is_built_and_has_seeds() -> None:
    # .clusterfuzzlite/build.sh packs the seeds of each target for OSS-Fuzz.
    folder = ROOT / "tests/core/fuzz"
    targets = {path.stem.removeprefix("fuzz_") for path in folder.glob("fuzz_*.cpp")}
    (built,) = re.findall(
        r"foreach\(target ([\w ]+)\)", (ROOT / "CMakeLists.txt").read_text("utf-8")
    )
    assert set(built.split()) == targets
    assert {path.name for path in (folder / "seeds").iterdir()} == targets


def wheel_with(path: Path, files: dict[str, str]) -> Path:
    with ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def own_list(version: str = "3.1.0") -> str:
    """Return the list that CMake makes of its template."""
    template = (ROOT / "cpp/bindings/parts.cdx.json.in").read_text("utf-8")
    filled = template.replace("@SKBUILD_PROJECT_VERSION_FULL@", "0.1.0")
    return filled.replace("@pybind11_VERSION@", version)


AUDITWHEEL = {
    "specVersion": "1.4",
    "components": [
        {"bom-ref": "pkg:pypi/termsift@0.1.0?file_name=a.whl", "name": "termsift"},
        {"bom-ref": "pkg:rpm/almalinux/libgomp@8.5.0", "name": "libgomp", "version": "8.5.0"},
    ],
}


def test_the_list_of_parts_names_what_the_wheels_hold(tmp_path: Path) -> None:
    folder = "termsift-0.1.0.dist-info/sboms"
    files = {f"{folder}/termsift.cdx.json": own_list()}
    files[f"{folder}/auditwheel.cdx.json"] = json.dumps(AUDITWHEEL)
    wheels = [wheel_with(tmp_path / f"{n}.whl", files) for n in "ab"]
    printed = subprocess.run(
        [sys.executable, ROOT / ".ci/sbom.py", *wheels], capture_output=True, text=True, check=True
    ).stdout
    bom = json.loads(printed)
    assert bom["metadata"] == json.loads(own_list())["metadata"]
    refs = ["pkg:pypi/pybind11@3.1.0", "pkg:rpm/almalinux/libgomp@8.5.0"]
    assert [part["bom-ref"] for part in bom["components"]] == refs
    assert bom["dependencies"][0] == {"ref": "pkg:pypi/termsift@0.1.0", "dependsOn": refs}


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({}, ""),
        ({"sboms/termsift.cdx.json": None}, "expected one file"),
        ({"sboms/termsift.cdx.json": '{"components": []}'}, "no list in sboms/ names pybind11"),
        ({"sboms/auditwheel.cdx.json": None}, "auditwheel"),
        ({"sboms/auditwheel.cdx.json": '{"components": []}'}, "no list in sboms/ names libgomp"),
        ({"_core.so": "/home/me/termsift/cpp/src/base/parallel.cpp"}, "has paths of the machine"),
    ],
)
def test_a_wheel_that_hides_a_part_is_refused(
    tmp_path: Path, changed: dict[str, str | None], complaint: str
) -> None:
    info = "termsift-0.1.0.dist-info"
    lists = {name: text for name, text in changed.items() if name != "_core.so"}
    files: dict[str, str | None] = {
        "METADATA": "",
        "licenses/LICENSE": "",
        "sboms/termsift.cdx.json": own_list(),
        "sboms/auditwheel.cdx.json": json.dumps(AUDITWHEEL),
        **lists,
    }
    package = ["py.typed", "__init__.pyi", "text/__init__.pyi", "_core.pyi"]
    contents = {f"termsift/{name}": "" for name in package}
    contents["termsift/_core.abi.so"] = changed.get("_core.so") or ""
    contents["termsift.libs/libgomp-f9a9ad78.so.1.0.0"] = ""
    contents |= {f"{info}/{name}": text for name, text in files.items() if text is not None}
    wheel = wheel_with(tmp_path / "termsift-0.1.0-cp311-cp311-linux_x86_64.whl", contents)
    run = subprocess.run(
        [sys.executable, ROOT / ".ci/check_wheel.py", wheel], capture_output=True, text=True
    )
    assert complaint in run.stderr
    assert bool(complaint) == bool(run.returncode), run.stderr
