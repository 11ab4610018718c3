"""Folders of part files and patterns of names are read as one collection, in sorted order."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import pytest

import termsift as ts
from collection_files import complaint, read_files
from wording import raises, warns

HEAD = "text,label\n"
ROWS = ["bacon eggs,ham\n", "free pills,spam\n", "more eggs,ham\n"]
COUNTS = ts.count_texts(["bacon eggs", "free pills", "more eggs"], ["ham", "spam", "ham"])


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    """Write a folder as Spark does: parts, of which some are empty, a marker, and checksums."""
    folder = tmp_path / "mail"
    for number, row in enumerate(ROWS):
        write(folder / f"part-{number:05}-0ac1.csv", HEAD + row)
        write(folder / f".part-{number:05}-0ac1.csv.crc", b"crc\0")
    write(folder / "part-00003-0ac1.csv", b"")
    write(folder / "_SUCCESS", b"")
    return folder


def test_a_folder_of_parts(parts: Path) -> None:
    scan = ts.scan(parts)
    assert ts.count(scan) == COUNTS
    assert read_files(parts).y.tolist() == ["ham", "spam", "ham"]  # in the order of the names
    assert scan.n_bytes == sum(len(HEAD + row) for row in ROWS)


def test_the_shell_reads_a_folder_and_a_quoted_pattern(run: Any, parts: Path) -> None:
    for given in (parts, f"{parts}/*.csv", f"{parts}/part-0000[012]*"):
        result = run("info", given)
        assert (result.code, result.err) == (0, "")
        assert "3 documents" in result.out
    result = run("info", f"{parts}/*.tsv")
    assert result.err.endswith("mail/*.tsv: no file matches this pattern\n")


@pytest.mark.parametrize("kind", ["jsonl", "csv.gz", "svm", "tsv"])
def test_parts_of_other_kinds(tmp_path: Path, kind: str) -> None:
    contents = {
        "jsonl": ['{"text":"ant bee","label":1}\n', '{"text":"bee","label":2}\n'],
        "csv.gz": ["text,label\nant bee,1\n", "text,label\nbee,2\n"],
        "svm": ["1 1:1 2:1\n", "2 2:1\n"],
        "tsv": ["text\tlabel\nant bee\t1\n", "text\tlabel\nbee\t2\n"],
    }[kind]
    for number, content in enumerate(contents):
        write(tmp_path / f"parts/part-{number}.{kind}", content)
    assert ts.count(ts.scan(tmp_path / "parts")).term_frequency.toarray().tolist() == [
        [1, 1],
        [0, 1],
    ]


def test_parts_of_parquet(tmp_path: Path) -> None:
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    folder = tmp_path / "mail"
    folder.mkdir()
    for number, row in enumerate(ROWS):
        text, label = row.strip().split(",")
        table = pyarrow.table({"text": [text], "label": [label]})
        parquet.write_table(table, folder / f"part-{number}.snappy.parquet")
    write(folder / "_metadata", b"PAR1")
    assert ts.count(ts.scan(folder)) == COUNTS
    other = pyarrow.table({"text": ["a"], "label": ["b"], "more": [1]})
    parquet.write_table(other, folder / "part-3.snappy.parquet")
    with raises(ValueError, "other_columns_of_parquet"):
        ts.count(ts.scan(folder))


def test_folders_named_after_values(tmp_path: Path) -> None:
    for number, row in enumerate(ROWS):
        write(tmp_path / f"mail/year={2020 + number}/month=1/part-0.csv", HEAD + row)
    write(tmp_path / "mail/_SUCCESS", b"")
    assert ts.count(ts.scan(tmp_path / "mail")) == COUNTS
    assert ts.count(ts.scan(tmp_path / "mail/**/*.csv")) == COUNTS
    write(tmp_path / "classes/a=b/1.txt", "oil")
    write(tmp_path / "classes/c=d/1.txt", "ball")
    assert ts.count(ts.scan(tmp_path / "classes")).classes == ["a=b", "c=d"]
    write(tmp_path / "classes/c=d/old/1.txt", "ball")  # so these files are no parts of a table
    write(tmp_path / "classes/a=b/1.csv", "oil")
    with warns(UserWarning, "tables_in_class_folders", at="a=b/1.csv"):
        counts = ts.count(ts.scan(tmp_path / "classes", on_error="skip"))
    assert (counts.classes, counts.class_docs.tolist()) == (["a=b", "c=d"], [2, 1])


def test_columns_in_another_order_are_the_same(parts: Path) -> None:
    write(parts / "part-00001-0ac1.csv", "label,text\nspam,free pills\n")
    assert ts.count(ts.scan(parts)) == COUNTS


def test_columns_that_are_chosen_by_number_are_in_one_order(parts: Path) -> None:
    write(parts / "part-00001-0ac1.csv", "label,text\nspam,free pills\n")
    for options in ({"text": 1, "label": 2, "header": True}, {"text": "text", "label": 2}):
        with raises(ValueError, "columns_of_a_part_in_another_order"):
            ts.count(ts.scan(parts, **options))


def test_a_file_with_other_columns_is_named(parts: Path) -> None:
    write(parts / "part-00001-0ac1.csv", "text,label,id\nfree pills,spam,7\n")
    with raises(ValueError, "other_columns_of_a_part"):
        ts.count(ts.scan(parts))
    with raises(ValueError, "other_columns_of_a_part"):
        ts.count(ts.scan(f"{parts}/part*"))
    write(parts / "part-00001-0ac1.csv", "free pills,spam\n")
    with raises(ValueError, "a_part_without_a_header", argument="text", at="line 1"):
        ts.count(ts.scan(parts))


def test_the_number_of_columns_without_a_header(tmp_path: Path) -> None:
    for number, row in enumerate(ROWS):
        write(tmp_path / f"mail/{number}.csv", row)
    assert ts.count(ts.scan(tmp_path / "mail", text=1, label=2)) == COUNTS
    write(tmp_path / "mail/3.csv", "one,more,field\n")
    with raises(ValueError, "other_number_of_columns"):
        ts.count(ts.scan(tmp_path / "mail", text=1, label=2))


def test_a_table_beside_its_compressed_form(parts: Path) -> None:
    write(parts / "part-00001-0ac1.csv.gz", HEAD + ROWS[1])
    with raises(ValueError, "the_same_table_compressed"):
        ts.scan(parts)


def test_files_of_several_kinds(parts: Path) -> None:
    write(parts / "README.md", "not a part")
    message = complaint(parts)
    assert message.startswith("mail: holds files of several kinds, 'README.md', 'part-")
    assert message.endswith("pass those to read, as in mail/*.csv")
    assert ts.count(ts.scan(f"{parts}/*.csv")) == COUNTS


def test_text_files_of_a_folder_may_be_three_things(run: Any, tmp_path: Path) -> None:
    write(tmp_path / "news/sport.txt", "ball goal\nteam\n")
    write(tmp_path / "news/trade.txt", "oil\n")
    with raises(ValueError, "text_files_in_a_folder", argument="input_format"):
        ts.scan(tmp_path / "news")
    told = run("info", tmp_path / "news").err
    for option in ("--input-format lines", "--no-labels", "--input-format txt"):
        assert f"{option} if each" in told
    by_name = ts.count(ts.scan(tmp_path / "news", input_format="lines"))
    assert by_name == ts.count_texts(["ball goal", "team", "oil"], ["sport", "sport", "trade"])
    whole = ts.count(ts.scan(tmp_path / "news", label=False))
    assert (whole.n_docs, whole.classes) == (2, [""])
    write(tmp_path / "news/sport.txt", "s\tball goal\ns\tteam\n")
    write(tmp_path / "news/trade.txt", "t\toil\n")
    labelled = ts.count(ts.scan(tmp_path / "news", input_format="txt"))
    assert labelled == ts.count_texts(["ball goal", "team", "oil"], ["s", "s", "t"])


def test_folders_of_classes_stay_what_they_are(tmp_path: Path) -> None:
    write(tmp_path / "news/sport/1.csv", "text,label\n")
    write(tmp_path / "news/trade/1.csv", "oil")
    write(tmp_path / "news/part.csv", HEAD + ROWS[0])
    with warns(UserWarning, "tables_in_class_folders", at="sport/1.csv"):
        assert ts.count(ts.scan(tmp_path / "news")).classes == ["sport", "trade"]


def test_patterns(tmp_path: Path, parts: Path) -> None:
    write(tmp_path / "mail[1].csv", HEAD + ROWS[0])
    assert ts.count(ts.scan(tmp_path / "mail[1].csv")).n_docs == 1  # the name of a file
    with raises(FileNotFoundError, "no_file_matches_this_pattern", argument="paths"):
        ts.scan([tmp_path / "mail[1].csv", f"{parts}/*.tsv"])
    both = ts.scan([f"{parts}/*.csv", tmp_path / "mail[1].csv"])
    assert ts.count(both).n_docs == 4
    with raises(ValueError, "labels_of_a_folder", argument="labels"):
        ts.scan(parts, labels=tmp_path / "mail[1].csv")


def test_a_matrix_of_a_pattern_has_its_own_labels(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / f"{name}.txt", "one text\nanother text\n")
        write(tmp_path / f"{name}.labels", "x\ny\n")
    labels = sorted(tmp_path.glob("*.labels"))
    counts = ts.count(ts.scan(f"{tmp_path}{os.sep}*.txt", labels=labels))
    assert counts.class_docs.tolist() == [2, 2]


def test_bad_rows_are_named_by_their_file_and_its_own_lines(parts: Path) -> None:
    write(parts / "part-00001-0ac1.csv", f"{HEAD}one,two,three\n{ROWS[1]}x\n")
    scan = ts.scan(parts, on_error="skip")
    assert ts.count(scan) == COUNTS
    assert scan.n_skipped == 2
    places = [Path(message.partition(": ")[0]).name for message in scan.skipped]
    assert places == ["part-00001-0ac1.csv, line 2", "part-00001-0ac1.csv, line 4"]


def test_a_job_over_parts_resumes(tmp_path: Path, parts: Path) -> None:
    options: dict[str, Any] = {"min_df": 2, "max_memory": 1 << 24}
    whole = ts.count(ts.scan(parts, **options))
    counts = ts.count(ts.scan(parts, checkpoint=tmp_path / "state", **options))
    assert counts == whole == COUNTS.with_min_df(2)
    assert ts.count(ts.scan(parts, checkpoint=tmp_path / "state", **options)) == whole


def test_documents_of_parts_are_named_by_file_and_row(run: Any, tmp_path: Path) -> None:
    folder = tmp_path / "mail"
    write(folder / "a.csv", f"{HEAD}one,two,three\n{ROWS[0]}{ROWS[1]}")
    write(folder / "b.csv", HEAD + ROWS[2])
    options = "--on-error", "skip", "--format", "csv"
    found = run("context", folder, "eggs", *options).out.splitlines()[1:]
    places = [line.split('"')[1].replace(f"{folder}{os.sep}", "") for line in found]
    assert places == ["a.csv, row 2", "b.csv, row 1"]
    counts = tmp_path / "c.termsift"
    assert run("count", folder, "--on-error", "skip", "-o", counts).code == 0
    rows = run("classify", folder, "--counts", counts, *options).out.splitlines()[1:]
    assert [row.partition(",")[0] for row in rows] == ["2", "3", "4"]
    assert [row.split('"')[1].partition(", ")[2] for row in rows] == ["row 2", "row 3", "row 1"]


def test_an_error_about_a_text_names_its_file_and_row(tmp_path: Path) -> None:
    for name in "ab":
        write(tmp_path / f"mail/{name}.csv", HEAD + ROWS[0] + ROWS[1])

    def refuse(text: str) -> list[str]:
        if seen.append(text) or len(seen) == 4:
            return [3]  # type: ignore[list-item]
        return text.split()

    seen: list[str] = []
    with raises(TypeError, "returned_no_strings", argument="analyzer", at="b.csv, row 2: "):
        ts.count(ts.scan(tmp_path / "mail", analyzer=refuse))


def test_a_dataset_for_each_split_is_refused_with_the_splits(tmp_path: Path) -> None:
    pyarrow, ipc = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.ipc")
    folder = tmp_path / "sms"
    for split, rows in {"test": ROWS[2:], "train": ROWS[:2]}.items():  # as save_to_disk does
        columns = zip(*(row.strip().split(",") for row in rows), strict=True)
        table = pyarrow.table(dict(zip(("text", "label"), map(list, columns), strict=True)))
        write(folder / split / "state.json", "{}")
        write(folder / split / "dataset_info.json", "{}")
        with ipc.new_stream(folder / split / "data-00000-of-00001.arrow", table.schema) as writer:
            writer.write_table(table)
    write(folder / "dataset_dict.json", '{"splits": ["train", "test"]}')
    for options in ({}, {"on_error": "skip"}, {"label": False}):
        with raises(ValueError, "a_dataset_for_each_split", at=str(folder / "train")):
            ts.scan(folder, **options)
    assert ts.count(ts.scan(folder / "train")).n_docs == 2
    assert ts.count(ts.scan(folder / "*" / "*.arrow")) == COUNTS
