"""Change the code at one place at a time, and tell which changes the tests notice.

python .ci/mutants.py [--places 500] [--seed 1] [--only python] [--workers 2] [--resume FILE]

Half of the places are in the C++ core, half in the Python package, in random order. One program
holds the changes of all places, so it is compiled once, and the variable MUTANT of the environment
turns one change on. Each quick test runs once to record which places it reaches. A place is tried
in a process of its own with the tests that reach it, first those of the core or of its module. Then
changes that these did not notice are tried with the tests of the other files, and at last with the
cases that only the full tier has. At the end, the tests that noticed changes run once more without
a change. If a test fails there, what it noticed is taken back, and those changes are tried again
without this test. Results are appended to a file of JSON lines. With ``--resume FILE``, places
whose changes were noticed are not tried again.

The sample changes little when the code does: a place is chosen by a hash of its line and change.

A change that no test can notice is listed in ``equivalent_mutants.txt`` with the reason.

The exit status is 1 if the tests notice less than 95 % of the changes. Needed are the packages of
the extra ``full``, and tree-sitter, tree-sitter-cpp, cmake, ninja and pybind11.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import importlib.util
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from enum import Enum
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest
from mutant_places import CPP_RUNTIME, MOST_PLACES, PYTHON_RUNTIME, Place, rewritten

ROOT = Path(__file__).resolve().parents[1]
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.txt")
MOST_SECONDS = 40.0  # of the tests that one change is tried with, unless only longer tests reach it
# The parent process has imported modules that pytest would rewrite.
USUAL = ["-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
FULL = "--full"
MOST_SECONDS_OF_FULL = 60  # after which the cases of the full tier have noticed nothing
LEAST_SHARE = 0.95
MOST_WAIT = 600.0  # seconds after which a change is taken for a lock that never opens
MOST_MEMORY = 64 << 30  # bytes of addresses, of which a test of 2^30 terms takes many
Key = tuple[str, str, str]

# ---- the sample and the program ----------------------------------------------------------------


def places_of(language: str, seed: int) -> list[Place]:
    """Return all places of a language in the order of a hash, so that new code moves no place."""
    files = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).split()
    folder, endings = {"python": ("python/termsift/", ".py"), "cpp": ("cpp/", (".cpp", ".hpp"))}[
        language
    ]
    chosen = [file for file in files if file.startswith(folder) and file.endswith(endings)]
    places = [
        place
        for file in chosen
        for place in rewritten(file, (ROOT / file).read_text("utf-8"), {})[1]
    ]
    return sorted(places, key=lambda place: sha256(repr((seed, *place.key)).encode()).digest())


class Program:
    """A copy of the code that holds the changes of places, which are numbered from 1."""

    def __init__(self, folder: Path, places: list[Place]) -> None:
        self.folder = folder
        self.python = folder / "python"
        self.places = dict(enumerate(places, start=1))
        self.is_changed = False  # since the last run
        for file in subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).split():
            self.write(file)
        (self.python / "termsift_mutants.py").write_text(PYTHON_RUNTIME)
        (folder / "cpp/include/termsift_mutants.hpp").write_text(CPP_RUNTIME)

    def write(self, file: str) -> None:
        """Write a file with the changes of its places. A file that stays equal keeps its date."""
        data = (ROOT / file).read_bytes()
        chosen = {place.rank: k for k, place in self.places.items() if place.file == file}
        if chosen:
            data = rewritten(file, data.decode(), chosen)[0].encode()
        path = self.folder / file
        if not path.exists() or path.read_bytes() != data:
            self.is_changed = True
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def configure(self) -> None:
        pybind = [sys.executable, "-m", "pybind11", "--cmakedir"]
        options = {
            "CMAKE_BUILD_TYPE": "Mutants",  # which has no flags but these
            "CMAKE_CXX_FLAGS": "-O1 -w -DNDEBUG",
            "CMAKE_CXX_COMPILER_LAUNCHER": shutil.which("ccache") or "",
            "TERMSIFT_BUILD_PYTHON": "ON",
            "Python_EXECUTABLE": sys.executable,
            "pybind11_DIR": subprocess.check_output(pybind, text=True).strip(),
        }
        given = [f"-D{name}={value}" for name, value in options.items()]
        command = ["cmake", "-S", self.folder, "-B", self.folder / "build", "-G", "Ninja", *given]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def build(self, *targets: str) -> list[Place]:
        """Build targets, or everything. Return the places that do not compile."""
        folder = self.folder / "build"
        command = ["cmake", "--build", folder, "-j", "2", "--", "-k", "0", *targets]
        left_out: list[Place] = []
        while (done := subprocess.run(command, capture_output=True, text=True)).returncode:
            pattern = rf"(?m)^{re.escape(str(self.folder))}/(.+?):(\d+):\d+: (?:fatal )?error"
            errors = {(file, int(line)) for file, line in re.findall(pattern, done.stdout)}
            wrong = [
                number
                for number, place in self.places.items()
                if any((place.file, line) in errors for line in place.lines)
            ]
            if not wrong:  # then every place of the files with errors is left out
                files = dict(errors)
                wrong = [k for k, place in self.places.items() if place.file in files]
            if not wrong:
                sys.exit(done.stdout[-5000:])
            gone = [self.places.pop(number) for number in wrong]
            for file in {place.file for place in gone}:
                self.write(file)
            left_out += gone
        for core in (folder / "cpp").glob("_core.*.so"):
            shutil.copy(core, self.python / "termsift")
        return left_out

    def environment(self, **more: str) -> dict[str, str]:
        # With CI set, Hypothesis tries the same examples in every run.
        usual = {"PYTHONPATH": str(self.python), "CI": "1", "OMP_WAIT_POLICY": "passive"}
        return {**os.environ, **usual, "PYTHONDONTWRITEBYTECODE": "", **more}

    def package_tests(self) -> list[str]:
        paths = sorted((self.folder / "tests").rglob("test_*.py"))
        names = [path.relative_to(self.folder).as_posix() for path in paths]
        return [name for name in names if not name.startswith("tests/scripts/")]

    def core_tests(self) -> list[Path]:
        return [path for path in sorted((self.folder / "build").glob("test_*")) if path.is_file()]


# ---- which tests reach which places ------------------------------------------------------------


def seconds_used() -> float:
    """Return the processor time of this process and of those that it waited for."""
    return sum(os.times()[:4])


def reached_by_processes(folder: Path) -> set[int]:
    """Return the places that finished processes have reached, and forget them."""
    found: set[int] = set()
    for path in folder.glob("*.*"):
        found.update(map(int, path.read_text().split()))
        path.unlink()
    return found


def cpp_variable(name: str, kind: type[ctypes._SimpleCData]) -> ctypes._SimpleCData | None:
    """Return a variable of the extension, which has none if no place is in C++."""
    from termsift import _core

    library = ctypes.CDLL(_core.__file__)
    return kind.in_dll(library, name) if hasattr(library, name) else None


class Recorder:
    """A plugin of pytest: appends each test that passes, its seconds and the places it reaches."""

    def __init__(self, path: Path, processes: Path) -> None:
        import termsift_mutants

        self.python = termsift_mutants.reached
        self.cpp = cpp_variable("mutant_reached", ctypes.c_ubyte * MOST_PLACES)
        self.path, self.processes = path, processes

    def write(self, test: str, seconds: float) -> None:
        marks = bytes(self.cpp) if self.cpp else b""
        places = self.python | {k for k, mark in enumerate(marks) if mark == 1}
        row = {
            "test": test,
            "seconds": round(seconds, 3),
            "reached": sorted(places | reached_by_processes(self.processes)),
            "cannot": [k for k, mark in enumerate(marks) if mark == 2],
        }
        self.forget()
        with self.path.open("a") as file:
            print(json.dumps(row), file=file)

    def forget(self) -> None:
        self.python.clear()
        if self.cpp:
            ctypes.memset(self.cpp, 0, MOST_PLACES)

    def pytest_collection_finish(self) -> None:
        self.write("import", 0.0)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        before = seconds_used()
        self.passed = False
        yield
        if self.passed:  # a test that reads the text of the code fails on the changed text
            self.write(item.nodeid, seconds_used() - before)
        self.forget()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.passed = report.passed and (self.passed or report.when != "teardown")


class Pass(Enum):
    """Which tests a place is tried with."""

    OWN = "those of its own files"
    OTHERS = "those of other files"
    FULL = "the cases that only the full tier has"


@dataclass
class Tests:
    """The tests that reach each place, as far as they were recorded."""

    path: Path
    files: set[str] = field(default_factory=set)  # of tests that were recorded
    seconds: dict[str, float] = field(default_factory=dict)
    reaching: dict[int, list[str]] = field(default_factory=dict)
    at_import: set[int] = field(default_factory=set)
    cannot: set[int] = field(default_factory=set)
    failing: set[str] = field(default_factory=set)  # without a change, so that they tell nothing

    def read(self) -> None:
        self.seconds, self.reaching = {}, {}
        for row in map(json.loads, self.path.read_text().splitlines()):
            if "files" in row:
                self.files.update(row["files"])
                continue
            self.cannot.update(row["cannot"])
            if row["test"] == "import":
                self.at_import.update(row["reached"])
                continue
            if row["test"] in self.failing:
                continue
            self.seconds[row["test"]] = row["seconds"]
            for number in row["reached"]:
                self.reaching.setdefault(number, []).append(row["test"])

    def of(self, number: int, own: set[str], of_pass: Pass) -> list[str]:
        """Return the tests for a place. Names without a case stand for all cases."""
        tests = set(self.reaching.get(number, []))
        if of_pass is Pass.OTHERS:
            tests -= set(self.of(number, own, Pass.OWN))
            return self.shortest(tests) or sorted(tests, key=self.seconds.__getitem__)[:1]
        reaching = self.shortest({test for test in tests if test.startswith("tests/")})
        if number in self.at_import:
            tests |= self.seconds.keys()  # each test of the module may need what the import made
        chosen = self.shortest({test for test in tests if test.split("::")[0] in own})
        if of_pass is Pass.OWN:
            return chosen
        of_package = [test for test in chosen + reaching if test.startswith("tests/")]
        return list(dict.fromkeys(test.split("[")[0] for test in of_package))

    def shortest(self, tests: set[str]) -> list[str]:
        kept: list[str] = []
        seconds = 0.0
        for test in sorted(tests, key=self.seconds.__getitem__):
            seconds += self.seconds[test]
            if seconds > MOST_SECONDS:
                break
            kept.append(test)
        return kept


def record_core(program: Program, tests: Tests) -> None:
    """Run the core's own tests once, and append which places each of them reaches."""
    processes = program.folder / "reached/core"
    processes.mkdir(parents=True, exist_ok=True)
    environment = program.environment(MUTANT_REACH=str(processes))
    with tests.path.open("a") as file:
        for test in program.core_tests():
            before = seconds_used()
            subprocess.run([test], env=environment, check=True, capture_output=True)
            row = {"test": str(test), "seconds": seconds_used() - before, "cannot": []}
            print(json.dumps({**row, "reached": [*reached_by_processes(processes)]}), file=file)


def record(program: Program, files: list[str], path: Path) -> None:
    """Run files of quick tests once, and append which places each test reaches."""
    processes = program.folder / f"reached/{os.getpid()}"
    processes.mkdir(parents=True, exist_ok=True)
    os.environ.update(program.environment(MUTANT_REACH=str(processes)))
    recorder = Recorder(path, processes)
    recorder.forget()
    pytest.main([*USUAL, *files], plugins=[recorder])
    with path.open("a") as file:
        print(json.dumps({"files": files}), file=file)


def own_tests(program: Program, place: Place) -> set[str]:
    """Return the files of tests of a place's module, as tests/repository/test_rooms.py has them."""
    if not place.file.endswith(".py"):
        return {str(test) for test in program.core_tests()}
    rooms = importlib.import_module("test_rooms")
    module = place.file.removeprefix("python/termsift/").removesuffix(".py")
    if module in rooms.ELSEWHERE:
        return {f"tests/{name}" for name in rooms.ELSEWHERE[module]}
    return {path.relative_to(program.folder).as_posix() for path in rooms.own_tests(module)}


# ---- trials ------------------------------------------------------------------------------------


class Chosen:
    """A plugin of pytest: runs the chosen tests in their order, and keeps those that fail."""

    def __init__(self, tests: list[str]) -> None:
        self.ranks = {test: k for k, test in enumerate(tests)}
        self.failed: list[str] = []

    def rank(self, item: pytest.Item) -> int | None:
        """Return the place of a test in the list, which has its case, or stands for all cases."""
        return self.ranks.get(item.nodeid, self.ranks.get(item.nodeid.split("[")[0]))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        ranked = [(rank, item) for item in items if (rank := self.rank(item)) is not None]
        items[:] = [item for _, item in sorted(ranked, key=lambda pair: pair[0])]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)


def failing_tests(tests: list[str], *options: str) -> list[str]:
    """Run tests of the package. Return those that fail."""
    plugin = Chosen(tests)
    files = list(dict.fromkeys(test.split("::")[0] for test in tests))
    code = pytest.main([*USUAL, *options, *files], plugins=[plugin])
    return plugin.failed or ([] if code == 0 else [f"pytest ended with {int(code)}"])


def failing_test(tests: list[str], *options: str) -> str:
    """Run tests of the package until one fails. Return it after the options, or an empty text."""
    failing = failing_tests(tests, "-x", *options)
    return " ".join([*options, failing[0]]) if failing else ""


def limit_memory() -> None:
    """Limit the memory of this process. A test may change the limit, as without this program."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, resource.RLIM_INFINITY))


def try_place(
    program: Program,
    number: int,
    tests: list[str],
    is_at_import: bool,
    seconds: int,
    options: tuple[str, ...] = (),
) -> str:
    """Return what notices the change, or an empty text."""
    os.environ.update(program.environment(MUTANT=str(number)))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))  # ends a loop without an end
    limit_memory()
    of_core = [test for test in tests if not test.startswith("tests/")]
    of_package = [test for test in tests if test.startswith("tests/")]
    for test in of_core:
        if code := subprocess.run([test], check=False).returncode:
            return f"{Path(test).name} ended with {code}"
    if not of_package:
        return ""
    if is_at_import:
        code = (
            f"import json, sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
            "import mutants; sys.exit(mutants.failing_test(*json.load(sys.stdin)) or None)"
        )
        command = [sys.executable, "-c", code]
        given = json.dumps([of_package, *options])
        done = subprocess.run(command, input=given, text=True, stderr=subprocess.PIPE, check=False)
        if done.returncode < 0:
            return signal.Signals(-done.returncode).name
        said = done.stderr.strip().splitlines() or [f"Python ended with {done.returncode}"]
        return said[-1] if done.returncode else ""
    import termsift_mutants

    termsift_mutants.active = number
    if (active := cpp_variable("mutant_active", ctypes.c_int)) is not None:
        active.value = number
    return failing_test(of_package, *options)


@dataclass
class Job:
    """A process that tries one place, or that records tests if the number is 0."""

    number: int
    process: int
    answer: Path
    started: float = field(default_factory=time.monotonic)

    def is_late(self) -> bool:
        return time.monotonic() - self.started > MOST_WAIT


def start(program: Program, number: int, work: Callable[[], str | None]) -> Job:
    answer = program.folder / f"answers/{number}"
    answer.parent.mkdir(exist_ok=True)
    if process := os.fork():
        return Job(number, process, answer)
    try:
        os.setpgid(0, 0)
        log = os.open(f"{answer}.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        answer.write_text(work() or "")
    except BaseException as error:
        answer.write_text(f"{type(error).__name__}: {error}")
    finally:
        os._exit(0)


def finished(jobs: list[Job]) -> tuple[Job, str]:
    """Wait for a job. Return it, and what noticed its change."""
    while True:
        for job in jobs:
            if job.is_late():
                os.killpg(job.process, signal.SIGKILL)
            done, status = os.waitpid(job.process, os.WNOHANG)
            if done:
                is_ended = os.WIFSIGNALED(status)
                name = signal.Signals(os.WTERMSIG(status)).name if is_ended else ""
                return job, name or job.answer.read_text()
        time.sleep(0.05)


class Results:
    """The file of results: one line of JSON for each place that was tried."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        rows = {(row["file"], row["text"], row["change"]): row for row in map(json.loads, lines)}
        self.of = {key: row["result"] for key, row in rows.items()}
        self.by = {key: row["by"] for key, row in rows.items()}

    def add(self, place: Place, result: str, by: str = "") -> None:
        self.of[place.key], self.by[place.key] = result, by
        with self.path.open("a", encoding="utf-8") as file:
            print(json.dumps({**asdict(place), "result": result, "by": by}), file=file)
        print(f"{result}: {place.file}:{place.line}: {place.change} ({by})", flush=True)

    def is_done(self, place: Place) -> bool:
        return self.of.get(place.key) in ("killed", "not compiled")

    def totals(self, places: list[Place]) -> Counter[str]:
        """Return how many changes of places have each result, where a listed change is equivalent.

        The file may have results of an earlier state of the code too.
        """
        known = equivalents()
        results = ((place.key, self.of.get(place.key, "not tried")) for place in places)
        return Counter(
            "equivalent" if result != "killed" and key in known else result
            for key, result in results
        )


def equivalents() -> set[Key]:
    """Return the keys of the list of changes that no test can notice."""
    found = set()
    for entry in EQUIVALENT.read_text("utf-8").split("\n\n"):
        if not entry.startswith("#"):
            head, text = entry.strip().splitlines()[:2]
            file, change = head.split(": ", 1)
            found.add((file, text.strip(), change))
    return found


def try_places(
    program: Program, order: list[int], tests: Tests, results: Results, workers: int, of_pass: Pass
) -> None:
    """Try the places whose changes were not noticed with the tests of a pass."""
    waiting = deque(number for number in order if number in program.places)
    listed = equivalents()
    running: list[Job] = []
    while waiting or running:
        if waiting and len(running) < workers:
            number = waiting.popleft()
            place = program.places[number]
            if not results.is_done(place):
                own = own_tests(program, place)
                record_missing(program, tests, {file for file in own if file.startswith("tests/")})
                chosen = tests.of(number, own, of_pass)
                if of_pass is Pass.FULL and place.key in listed:
                    chosen = []  # which saves an hour
                options: tuple[str, ...] = (FULL,) if of_pass is Pass.FULL else ()
                usual = sum(tests.seconds.get(test, 0.0) for test in chosen)
                seconds = MOST_SECONDS_OF_FULL if options else int(3 * usual + 20)
                is_at_import = number in tests.at_import
                work = partial(try_place, program, number, chosen, is_at_import, seconds, options)
                running.append(start(program, number, work))
            continue
        job, by = finished(running)
        running.remove(job)
        place = program.places[job.number]
        is_full = of_pass is Pass.FULL
        # Cases of the full tier may take longer than their time, or fail without a change.
        if is_full and by in {"SIGKILL", "SIGXCPU", *tests.failing}:
            by = ""
        if by:
            results.add(place, "killed", by)
        elif is_full and (n := len(tests.reaching.get(job.number, []))):
            results.add(place, "survived", f"{n} tests reach it")
        elif is_full:
            results.add(place, "not compiled" if job.number in tests.cannot else "unreached")


def record_missing(program: Program, tests: Tests, files: set[str]) -> None:
    """Record the files of tests that were not recorded before."""
    if missing := sorted(files - tests.files):
        fault = finished([start(program, 0, partial(record, program, missing, tests.path))])[1]
        if fault:
            sys.exit(f"{missing}: {fault}")
        tests.read()


def take_back(program: Program, tests: Tests, results: Results) -> list[int]:
    """Run the tests that noticed changes without a change. Leave out those that fail from now on.

    Return the places that were taken back, because only failing tests noticed their changes.
    """
    places = program.places
    noticed = [k for k, place in places.items() if results.of.get(place.key) == "killed"]
    noticed_by = {k: results.by[places[k].key] for k in noticed}
    known = {by for by in noticed_by.values() if by.removeprefix(f"{FULL} ").startswith("tests/")}
    runs: dict[str, list[str]] = {}  # the tests of each file, and apart from them those of --full
    for by in sorted(known):
        runs.setdefault(by.split("::")[0], []).append(by)

    def work(run: list[str]) -> str:
        os.environ.update(program.environment(MUTANT="0"))
        limit_memory()
        options = [FULL] if run[0].startswith(FULL) else []
        names = [by.removeprefix(f"{FULL} ") for by in run]
        return "\n".join(" ".join([*options, name]) for name in failing_tests(names, *options))

    failing: set[str] = set()
    for run in runs.values():
        failing.update(finished([start(program, 0, partial(work, run))])[1].splitlines())
    if others := failing - known:
        sys.exit(f"tests do not run without a change: {sorted(others)}")
    taken_back = [k for k in noticed if noticed_by[k] in failing]
    for k in taken_back:
        results.add(places[k], "error", f"{noticed_by[k]} fails without the change")
    tests.failing |= failing
    tests.read()
    return taken_back


def load_package(program: Program, tests: Tests) -> None:
    """Import what the tests import, so that the processes of the trials need not."""
    check = Path(__file__).with_name("check_import.py")
    subprocess.run([sys.executable, check, program.python], env=program.environment(), check=True)
    os.chdir(program.folder)
    sys.dont_write_bytecode = False  # pytest need not rewrite the tests for each process
    for folder in ("tests/repository", "tests/helpers", "python"):
        sys.path.insert(0, str(program.folder / folder))
    helpers = [path.stem for path in (program.folder / "tests/helpers").glob("*.py")]
    libraries = ["hypothesis", "scipy.stats", "sklearn.pipeline", "pandas", "matplotlib.pyplot"]
    plugins = ["pytest_benchmark.plugin", "xdist.plugin", "_hypothesis_pytestplugin"]
    for name in (*libraries, *plugins):
        importlib.import_module(name)
    for path in sorted((program.python / "termsift").rglob("*.py")):
        module = path.relative_to(program.python).with_suffix("").as_posix().replace("/", ".")
        if not module.endswith(("__main__", "spark", "dask")):
            importlib.import_module(module.removesuffix(".__init__"))
    for name in helpers:
        importlib.import_module(name)
    Recorder(tests.path, program.folder / "reached").write("import", 0.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--places", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=("cpp", "python"))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--work", type=Path, default=ROOT / "build/mutants", help="a folder")
    parser.add_argument("--resume", type=Path, help="results of an interrupted run")
    options = parser.parse_args()

    languages = [options.only] if options.only else ["cpp", "python"]
    n = options.places // len(languages)
    # More places of C++ are chosen, since some do not compile.
    most = {"cpp": n + n // 4, "python": n}
    chosen = [p for name in languages for p in places_of(name, options.seed)[: most[name]]]
    program = Program(options.work.resolve(), chosen)
    if options.resume is None:
        (program.folder / "results.jsonl").unlink(missing_ok=True)
    results = Results((options.resume or program.folder / "results.jsonl").resolve())
    order = list(program.places)
    random.Random(options.seed).shuffle(order)
    tests = Tests(program.folder / "reach.jsonl")
    if program.is_changed or not tests.path.exists():
        tests.path.write_text("")
    program.configure()
    if "cpp" in languages:
        suites = sorted(path.stem for path in (ROOT / "tests/core").glob("test_*.cpp"))
        for place in program.build(*suites):
            results.add(place, "not compiled")
        record_core(program, tests)
        of_core = [k for k in order if k <= most["cpp"]]
        tests.read()
        try_places(program, of_core, tests, results, options.workers, Pass.OWN)
    for place in program.build("_core"):
        results.add(place, "not compiled")
    load_package(program, tests)
    tests.read()
    of_package = [k for k in order if k in program.places and program.places[k].file[-3:] == ".py"]
    try_places(program, of_package, tests, results, options.workers, Pass.OWN)
    record_missing(program, tests, set(program.package_tests()))
    try_places(program, order, tests, results, options.workers, Pass.OTHERS)
    try_places(program, order, tests, results, options.workers, Pass.FULL)
    if taken_back := take_back(program, tests, results):
        for of_pass in Pass:
            try_places(program, taken_back, tests, results, options.workers, of_pass)
    n = results.totals(chosen)
    share = n["killed"] / max(1, n["killed"] + n["survived"] + n["unreached"])
    print(f"{dict(n)}: the tests notice {share:.1%} of the changes that a test can notice")
    sys.exit(share < LEAST_SHARE)


if __name__ == "__main__":
    main()
