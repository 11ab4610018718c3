"""Time and memory of whole processes that read files of texts and rank the terms.

`text.py` uses this module. Every process reads a file and counts its words by class. termsift, and
pandas with scikit-learn, print the twenty best terms. Other libraries only print the sum of the
counts. All terms and sums must agree. The files hold one or nine copies of a table,
in several formats.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from itertools import chain, repeat
from pathlib import Path
from statistics import median

from compare import THREADS, digits, markdown
from text_tables import Table

K = 20
N_FILES = 40_000  # Number of files in the class folders.
LARGE = 9  # Number of copies of the table in a large file.
SECONDS = 10.0  # A process is repeated until its runs have taken ten seconds.

_WORDS = "r'\\b\\w\\w+\\b'"
PANDAS = f"""
import pandas as pd, numpy as np, sys
from sklearn.datasets import load_files
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import chi2
path = sys.argv[1]
frame = READER
vectorizer = CountVectorizer()
X = vectorizer.fit_transform(frame["text"])
score, _ = chi2(X, frame["label"])
print(*vectorizer.get_feature_names_out()[np.argsort(-score, kind="stable")[:{K}]], X.sum())
"""
POLARS = f"""
import polars as pl, sys
path = sys.argv[1]
words = pl.col("text").str.to_lowercase().str.extract_all({_WORDS}).alias("word")
counts = READER.select("label", words).explode("word")
print(counts.group_by("label", "word").len().collect()["len"].sum())
"""
DUCKDB = r"""
import duckdb, sys
path = sys.argv[1]
words = r"regexp_extract_all(lower(text), '[\p{L}\p{N}_]{2,}')"
with duckdb.connect(config={"threads": int(sys.argv[2])}) as connection:
    print(connection.sql(f'''select sum(n) from (select label, word, count(*) as n from (
        select label, unnest({words}) as word from READER) group by all)''').fetchall()[0][0])
"""
_CSV = {
    "pandas": "pd.read_csv(path, keep_default_na=False)",
    "polars": "pl.scan_csv(path)",
    "duckdb": "read_csv('{path}')",
}
READERS = {
    "CSV": _CSV,
    "quoted CSV": _CSV,
    "CSV, gzip": _CSV,
    "JSON lines": {
        "pandas": "pd.read_json(path, lines=True, dtype=False)",
        "polars": "pl.scan_ndjson(path)",
        "duckdb": "read_json('{path}')",
    },
    "Parquet": {
        "pandas": "pd.read_parquet(path)",
        "polars": "pl.scan_parquet(path)",
        "duckdb": "read_parquet('{path}')",
    },
    "40,000 files": {
        "pandas": "load_files(path, encoding='utf-8')\n"
        "frame.update(text=frame.data, label=frame.target)"
    },
}

Rows = list[tuple[str, str]]


def files_of(table: Table, folder: Path) -> dict[tuple[str, int], Path]:
    """Write files that do not exist yet, and return all files by format and number of copies."""
    rows = list(zip(table.labels, table.texts, strict=True))
    makers: dict[str, tuple[str, Callable[[Path, Rows, int], None]]] = {
        "CSV": (".csv", _write_csv),
        "quoted CSV": (".quoted.csv", partial(_write_csv, quoting=csv.QUOTE_ALL)),
        "CSV, gzip": (".csv.gz", _write_csv),
        "JSON lines": (".jsonl", _write_json_lines),
        "40,000 files": ("-files", _write_files),
    }
    if find_spec("pyarrow") is not None:
        makers["Parquet"] = (".parquet", _write_parquet)
    paths = {}
    for copies in (1, LARGE):
        for name, (ending, make) in makers.items():
            path = folder / f"{table.path.stem}{'' if copies == 1 else '-large'}{ending}"
            paths[name, copies] = path
            if not path.exists():
                unfinished = path.with_name(f"{os.getpid()}-{path.name}")
                make(unfinished, rows, copies)
                unfinished.rename(path)
    return paths


def _write_csv(path: Path, rows: Rows, copies: int, quoting: int = csv.QUOTE_MINIMAL) -> None:
    opener = partial(gzip.open, compresslevel=6) if path.suffix == ".gz" else open
    with opener(path, "wt", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=quoting, lineterminator="\n")
        writer.writerow(("label", "text"))
        writer.writerows(chain.from_iterable(repeat(rows, copies)))


def _write_json_lines(path: Path, rows: Rows, copies: int) -> None:
    lines = [json.dumps({"label": label, "text": text}) + "\n" for label, text in rows]
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(chain.from_iterable(repeat(lines, copies)))


def _write_files(path: Path, rows: Rows, copies: int) -> None:
    texts_of: dict[str, list[str]] = defaultdict(list)
    for label, text in rows:
        texts_of[label].append(text)
    n_texts = -(-len(rows) // N_FILES)  # in a file
    for label, texts in texts_of.items():
        (path / label).mkdir(parents=True)
        for first in range(0, len(texts), n_texts):
            content = "\n".join(texts[first : first + n_texts] * copies)
            (path / label / f"{first:06}.txt").write_text(content, "utf-8")


def _write_parquet(path: Path, rows: Rows, copies: int) -> None:
    import pyarrow
    from pyarrow import parquet

    labels, texts = zip(*rows, strict=True)
    table = pyarrow.table({"label": labels, "text": pyarrow.array(texts, pyarrow.large_string())})
    with parquet.ParquetWriter(path, table.schema, compression="zstd") as writer:
        for _ in range(copies):
            writer.write_table(table)


# This small program starts the measured process. The peak memory of a process includes the memory
# of its parent at the fork, so the parent must be small.
_LAUNCHER = """
import os, sys, time
began = time.perf_counter()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
print("\\n", time.perf_counter() - began, usage.ru_maxrss * 1.024 / 1e3)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def run(command: list[str]) -> tuple[float, float, list[str]]:
    """Run a process, and return its seconds, its peak megabytes and the words that it prints."""
    done = subprocess.run(
        [sys.executable, "-S", "-c", _LAUNCHER, *command],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    *printed, seconds, peak = done.stdout.split()
    return float(seconds), float(peak), printed


def commands_of(name: str, path: Path, *, large: bool) -> dict[tuple[str, int], list[str]]:
    """Return the commands that read a file, by contender and number of threads."""
    options = ["--text", "text", "--label", "label"] if path.is_file() else []
    rank = [sys.executable, "-m", "termsift", "rank", str(path), *options, "-k", str(K)]
    rank += ["--method", "chi2_counts", "--threads"]
    commands = {("`termsift rank`", n): [*rank, str(n)] for n in THREADS}
    readers = READERS[name]
    peers = [("pandas, scikit-learn, `chi2`", PANDAS, [1])] if not large or name == "CSV" else []
    peers += [
        ("polars, counts only", POLARS, THREADS[-1:]),
        ("duckdb, counts only", DUCKDB, list(THREADS)),
    ]
    for contender, code, threads in peers:
        package = contender.split(",")[0]
        if package in readers and find_spec(package) is not None:
            script = code.replace("READER", readers[package])
            for n in threads:
                commands[contender, n] = [sys.executable, "-c", script, str(path), str(n)]
    if path.suffix == ".csv" and shutil.which("wc") is not None:
        commands["`wc -w`", 1] = ["wc", "-w", str(path)]
    return commands


def imports_of(contender: str, name: str) -> float:
    """Return the megabytes that the imports of a contender take."""
    code = {"pandas": PANDAS, "polars": POLARS, "duckdb": DUCKDB}.get(contender.split(",")[0], "")
    if "wc" in contender:
        return 0.0
    imports = [line for line in code.splitlines() if line.startswith(("import", "from"))]
    if "rank" in contender:
        modules = "termsift.cli.rank", "numpy", "pyarrow.compute", "pyarrow.parquet"
        imports = [f"import {module}" for module in modules[: 4 if name == "Parquet" else 2]]
    return run([sys.executable, "-c", "\n".join(imports)])[1]


def whole_processes(
    table: Table, folder: Path, rounds: int
) -> tuple[str, list[str], list[list[str]]]:
    """Return the title, the header and the rows of the table of whole processes."""
    rows = []
    for (name, copies), path in files_of(table, folder).items():
        commands = commands_of(name, path, large=copies > 1)
        seen: dict[tuple[str, int], list[tuple[float, float, list[str]]]] = {}
        for _ in range(rounds):
            for which, command in commands.items():
                if sum(seconds for seconds, _, _ in seen.get(which, [])) < SECONDS:
                    seen.setdefault(which, []).append(run(command))
        printed = {which: runs[0][2] for which, runs in seen.items()}
        best = [sorted(terms_of(words)) for (who, _), words in printed.items() if "rank" in who]
        best += [sorted(words[:K]) for (who, _), words in printed.items() if "pandas" in who]
        assert all(terms == best[0] for terms in best), best
        sums = {words[-1] for (who, _), words in printed.items() if "," in who}
        assert len(sums) <= 1, (name, sums)
        for (who, threads), runs in seen.items():
            seconds = median(run[0] for run in runs)
            size = bytes_of(path) / 1e6
            cells = [digits(seconds, 3), digits(size / seconds, 3)]
            peak = max(0.0, max(run[1] for run in runs) - imports_of(who, name))
            title = name if copies == 1 else f"{name}, {copies} times"
            rows.append([title, who, str(threads), *cells, digits(peak, 3), str(len(runs))])
    megabytes = table.path.stat().st_size / 1e6
    header = ["file", "whole process", "threads", "median s", "MB/s", "peak MB above imports"]
    title = (
        f"Each process reads the table {table.name} ({megabytes:,.0f} MB as CSV) and prints the "
        f"{K} best terms,\nunless the process's name says otherwise"
    )
    return title, [*header, "rounds"], rows


def terms_of(printed: list[str]) -> list[str]:
    """Return the terms in the output of `termsift rank`, whose columns are rank, score and term."""
    return printed[5::3]


def bytes_of(path: Path) -> int:
    """Return the size of a file, or of the files in a folder of folders."""
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.glob("*/*"))


def summary(header: list[str], rows: list[list[str]]) -> str:
    """Return the table with all thread numbers of a contender in one row."""
    joined: dict[tuple[str, str], list[list[str]]] = {}
    for row in rows:
        joined.setdefault((row[0], row[1]), []).append(row[2:6])
    cells = [
        [*which, *(" / ".join(column) for column in zip(*parts, strict=True))]
        for which, parts in joined.items()
    ]
    return markdown(header[:6], cells)
