"""From files of texts to their ranked terms, as whole processes, beside other programs.

Part of `text.py`. Every process reads a file and counts its words by class; ours and pandas with
scikit-learn print the twenty best terms too, the others the sum of the counts, and all sums agree.
The content is one table in several formats, with documents of its first 40,000 rows as files.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import shutil
import subprocess
import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from compare import THREADS, digits, markdown
from text_tables import Table

K = 20
N_FILES = 40_000  # of the folder
LARGE = 9  # copies of the table that a large file has

_WORDS = "r'\\b\\w\\w+\\b'"
PANDAS = f"""
import pandas as pd, numpy as np, sys
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import chi2
frame = pd.read_csv(sys.argv[1], keep_default_na=False)
vectorizer = CountVectorizer()
X = vectorizer.fit_transform(frame["text"])
score, _ = chi2(X, frame["label"])
print(*vectorizer.get_feature_names_out()[np.argsort(-score, kind="stable")[:{K}]], X.sum())
"""
POLARS = f"""
import polars as pl, sys
words = pl.col("text").str.to_lowercase().str.extract_all({_WORDS}).alias("word")
counts = pl.scan_csv(sys.argv[1]).select("label", words).explode("word")
print(counts.group_by("label", "word").len().collect()["len"].sum())
"""
DUCKDB = r"""
import duckdb, sys
with duckdb.connect(config={"threads": int(sys.argv[2])}) as connection:
    print(connection.sql(f'''select sum(n) from (select label, word, count(*) as n from (
        select label, unnest(regexp_extract_all(lower(text), '[\\p{{L}}\\p{{N}}_]{{2,}}')) as word
        from read_csv('{sys.argv[1]}')) group by all)''').fetchall()[0][0])
"""


def files_of(table: Table, folder: Path) -> dict[str, Path]:
    """Return the table in every format, after writing the files that are missing."""
    rows = list(zip(table.labels, table.texts, strict=True))
    stem = folder / table.path.stem
    paths = {"CSV": table.path}
    makers = {
        "quoted CSV": (".quoted.csv", lambda path: _write_quoted(path, rows)),
        "JSON lines": (".jsonl", lambda path: _write_json_lines(path, rows)),
        "CSV, gzip": (".csv.gz", lambda path: _write_gzip(path, table.path)),
        "a folder of 40,000 files": ("-folder", lambda path: _write_folder(path, rows)),
    }
    for name, ending in (("CSV", ""), ("quoted CSV", ".quoted"), ("JSON lines", "")):
        suffix = ".jsonl" if name == "JSON lines" else ".csv"
        source = table.path if name == "CSV" else Path(f"{stem}{ending}{suffix}")
        large = f"{ending}.large{suffix}", partial(_write_copies, source=source)
        makers[f"{name}, {LARGE} times"] = large
    if find_spec("pyarrow") is not None:
        makers["Parquet"] = (".parquet", lambda path: _write_parquet(path, rows))
    for name, (ending, make) in makers.items():
        paths[name] = Path(f"{stem}{ending}")
        if not paths[name].exists():
            unfinished = paths[name].with_name(f"{os.getpid()}-{paths[name].name}")
            make(unfinished)
            unfinished.rename(paths[name])
    return paths


def _write_quoted(path: Path, rows: list[tuple[str, str]]) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerows([("label", "text"), *rows])


def _write_json_lines(path: Path, rows: list[tuple[str, str]]) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps({"label": row[0], "text": row[1]}) + "\n" for row in rows)


def _write_gzip(path: Path, source: Path) -> None:
    with open(source, "rb") as plain, gzip.open(path, "wb", compresslevel=6) as packed:
        shutil.copyfileobj(plain, packed)


def _write_folder(path: Path, rows: list[tuple[str, str]]) -> None:
    for number, (label, text) in enumerate(rows[:N_FILES]):
        (path / label).mkdir(parents=True, exist_ok=True)
        (path / label / f"{number:06}.txt").write_text(text, "utf-8")


def _write_copies(path: Path, source: Path) -> None:
    first, _, rest = source.read_bytes().partition(b"\n")
    header = b"" if source.suffix == ".jsonl" else first + b"\n"
    with open(path, "wb") as file:
        file.write(header)
        file.writelines([rest if header else first + b"\n" + rest] * LARGE)


def _write_parquet(path: Path, rows: list[tuple[str, str]]) -> None:
    import pyarrow
    from pyarrow import parquet

    labels, texts = zip(*rows, strict=True)
    table = pyarrow.table({"label": labels, "text": pyarrow.array(texts, pyarrow.large_string())})
    parquet.write_table(table, path, compression="zstd")


# Starts a process from a small one: its peak memory would begin with that of its parent.
_LAUNCHER = """
import os, sys, time
began = time.perf_counter()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
print("\\n", time.perf_counter() - began, usage.ru_maxrss * 1.024 / 1e3)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def run(command: list[str]) -> tuple[float, float, list[str]]:
    """Return the seconds and the peak megabytes of a process, and the words that it prints."""
    done = subprocess.run(
        [sys.executable, "-S", "-c", _LAUNCHER, *command],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    *printed, seconds, peak = done.stdout.split()
    return float(seconds), float(peak), printed


def commands_of(name: str, path: Path) -> dict[tuple[str, int], list[str]]:
    """Return the processes that read a file, by contender and number of threads."""
    python = [sys.executable, "-c"]
    options = ["--text", "text", "--label", "label"] if path.is_file() else []
    rank = [sys.executable, "-m", "termsift", "rank", str(path), *options, "-k", str(K)]
    rank += ["--method", "chi2_counts", "--threads"]
    commands = {("`termsift rank`", n): [*rank, str(n)] for n in THREADS}
    if name == "CSV":
        commands["pandas, scikit-learn, `chi2`", 1] = [*python, PANDAS, str(path)]
    if name.startswith("CSV") and path.suffix == ".csv":
        if find_spec("polars") is not None:
            commands["polars, counts only", THREADS[-1]] = [*python, POLARS, str(path)]
        if find_spec("duckdb") is not None and name == "CSV":
            for n in THREADS:
                commands["duckdb, counts only", n] = [*python, DUCKDB, str(path), str(n)]
        if shutil.which("wc") is not None:
            commands["`wc -w`", 1] = ["wc", "-w", str(path)]
    return commands


def imports_of(contender: str) -> float:
    """Return the megabytes that a contender takes before it reads anything."""
    code = {"pandas": PANDAS, "polars": POLARS, "duckdb": DUCKDB}.get(contender.split(",")[0])
    if code is None:
        command = [sys.executable, "-m", "termsift", "rank", "--help"]
        return 0.0 if "wc" in contender else run(command)[1]
    imports = [line for line in code.splitlines() if line.startswith(("import", "from"))]
    return run([sys.executable, "-c", "\n".join(imports)])[1]


def whole_processes(
    table: Table, folder: Path, rounds: int
) -> tuple[str, list[str], list[list[str]]]:
    """Return the title, the header and the rows of the table of whole processes."""
    rows = []
    sums: set[str] = set()
    for name, path in files_of(table, folder).items():
        commands = commands_of(name, path)
        seen: dict[tuple[str, int], list[tuple[float, float, list[str]]]] = {}
        for _ in range(rounds):
            for which, command in commands.items():
                if sum(seconds for seconds, _, _ in seen.get(which, [])) < 30:
                    seen.setdefault(which, []).append(run(command))
        printed = {which: runs[0][2] for which, runs in seen.items()}
        best = [sorted(terms_of(words)) for (who, _), words in printed.items() if "rank" in who]
        best += [sorted(words[:K]) for (who, _), words in printed.items() if "pandas" in who]
        assert all(terms == best[0] for terms in best), best
        if name == "CSV":
            sums |= {words[-1] for (who, _), words in printed.items() if "," in who}
        for (who, threads), runs in seen.items():
            seconds = median(run[0] for run in runs)
            size = bytes_of(path) / 1e6
            cells = [digits(seconds, 3), digits(size / seconds, 3)]
            peak = max(0.0, max(run[1] for run in runs) - imports_of(who))
            rows.append([name, who, str(threads), *cells, digits(peak, 3), str(len(runs))])
    assert len(sums) <= 1, sums
    megabytes = table.path.stat().st_size / 1e6
    header = ["file", "whole process", "threads", "median s", "MB/s", "peak MB above imports"]
    return f"{table.name}: {megabytes:,.0f} MB of CSV", [*header, "rounds"], rows


def terms_of(printed: list[str]) -> list[str]:
    """Return the terms of the table that `termsift rank` prints: rank, score, term."""
    return printed[5::3]


def bytes_of(path: Path) -> int:
    """Return the size of a file, or of the files in a folder of folders."""
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.glob("*/*"))


def summary(header: list[str], rows: list[list[str]]) -> str:
    """Return the table with the threads of a contender in one row."""
    joined: dict[tuple[str, str], list[list[str]]] = {}
    for row in rows:
        joined.setdefault((row[0], row[1]), []).append(row[2:6])
    cells = [
        [*which, *(" / ".join(column) for column in zip(*parts, strict=True))]
        for which, parts in joined.items()
    ]
    return markdown(header[:6], cells)
