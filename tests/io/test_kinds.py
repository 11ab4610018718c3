"""A file is known by its first bytes, whatever its name says, wherever a file is opened."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import termsift as ts
from collection_files import complaint, read_files
from file_kinds import zstandard
from wording import WORDING, fits, raises

TABLE = b"text,label\nbacon eggs,ham\nfree pills,spam\n"
COUNTS = ts.count_texts(["bacon eggs", "free pills"], ["ham", "spam"])


def zipped(**members: bytes) -> bytes:
    """Return a zip archive. A double underscore in a name stands for a slash, one for a point."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), content)
    return file.getvalue()


def in_archive(content: bytes) -> bytes:
    return zipped(a_csv=content)


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard,
    "zip": in_archive,
}
CUTTABLE = {ending: pack for ending, pack in PACKED.items() if ending != "zst"}


def table_of_pyarrow(form: str) -> bytes:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"text": ["bacon eggs", "free pills"], "label": ["ham", "spam"]})
    file = io.BytesIO()
    if form == "parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, file)
        return file.getvalue()
    ipc = pytest.importorskip("pyarrow.ipc")
    with (ipc.new_stream if form == "stream" else ipc.new_file)(file, table.schema) as writer:
        writer.write_table(table)
    return file.getvalue()


# ---- compressed content --------------------------------------------------------------------------


@pytest.mark.parametrize("ending", PACKED)
@pytest.mark.parametrize("name", ["c.csv", "c.csv.{}", "c.csv.gz"])
def test_compressed_content_is_read_under_any_name(tmp_path: Path, ending: str, name: str) -> None:
    path = tmp_path / name.format(ending)
    path.write_bytes(PACKED[ending](TABLE))
    assert ts.count(ts.scan(path)) == COUNTS


@pytest.mark.parametrize("ending", PACKED)
def test_every_door_decompresses(run: Any, tmp_path: Path, ending: str) -> None:
    pack = PACKED[ending]
    words, lists, matrix = tmp_path / "words.txt", tmp_path / "list.tsv", tmp_path / "c.mtx"
    words.write_bytes(pack(b"bacon\neggs\n"))
    assert list(ts.io.read_names(words)) == ["bacon", "eggs"]
    lists.write_bytes(pack(b"bacon\t7\neggs\t5\n"))
    assert ts.io.read_frequency_list(lists) == {"term": ["bacon", "eggs"], "count": [7, 5]}
    matrix.write_bytes(pack(b"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 3\n"))
    labels = tmp_path / "labels"
    labels.write_bytes(pack(b"a\nb\n"))
    assert read_files(matrix, labels=labels, term_names=words).X.toarray().tolist() == [
        [3, 0],
        [0, 0],
    ]
    table = tmp_path / "c.csv"
    table.write_bytes(TABLE)
    assert run("rank", table, "--stop-words", words, "--format", "csv").out.count("\n") == 3
    document = tmp_path / "news/ham/a.txt"
    document.parent.mkdir(parents=True)
    document.write_bytes(pack(b"bacon eggs"))
    assert read_files(tmp_path / "news").X.sum() == 2


def test_the_file_in_an_archive_tells_the_kind(tmp_path: Path) -> None:
    path = tmp_path / "mail.zip"
    path.write_bytes(zipped(mail__a_csv=TABLE))
    assert ts.count(ts.scan(path)) == COUNTS


def test_what_macos_adds_to_an_archive_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "mail.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mail/", b"")
        archive.writestr("mail/a.csv", TABLE)
        archive.writestr("mail/.DS_Store", b"x")
        archive.writestr("__MACOSX/mail/._a.csv", b"x")
    assert ts.count(ts.scan(path)) == COUNTS


def test_archives_that_hold_no_single_file(tmp_path: Path) -> None:
    path = tmp_path / "c.zip"
    expected = "c.zip: expected an archive of one file, found {}; unpack it, and pass its folder"
    path.write_bytes(zipped(a_csv=TABLE, b_csv=TABLE))
    assert complaint(path).startswith(expected.format("2: 'a.csv', 'b.csv'"))
    path.write_bytes(zipped())
    assert complaint(path).startswith(expected.format("none"))
    locked = bytearray(zipped(a_csv=TABLE))
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        locked[locked.index(signature) + place] |= 1  # the flag of encryption
    path.write_bytes(locked)
    assert complaint(path) == "c.zip: a.csv is encrypted; unpack the archive"
    path.write_bytes(zipped(a_csv=TABLE) + zipped(b_csv=TABLE))  # Python sees the last archive
    assert complaint(path).startswith("c.zip: holds other data before the archive")


def test_archives_with_a_wrong_offset(tmp_path: Path) -> None:
    content = zipped(a_csv=TABLE)
    end = content.index(b"PK\x05\x06")
    path = tmp_path / "c.zip"
    for offset in (1 << 30, len(content) + 9):
        path.write_bytes(content[: end + 16] + offset.to_bytes(4, "little") + content[end + 20 :])
        assert complaint(path).startswith("c.zip: damaged")


@pytest.mark.parametrize("ending", CUTTABLE)
def test_damaged_content_is_one_sentence(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "c.csv"
    whole = CUTTABLE[ending](TABLE + b"".join(b"word%d,ham\n" % i for i in range(9999)))
    for size in (*range(20, 200, 9), len(whole) - 9, len(whole) - 1):
        path.write_bytes(whole[:size])
        assert complaint(path).startswith("c.csv: damaged")
    flipped = 0
    for place in range(40, len(whole) - 100, len(whole) // 29):
        content = bytearray(whole)
        content[place] ^= 0x55
        path.write_bytes(content)
        assert re.match(r"c\.csv(: damaged|, lines? \d)", complaint(path))
        flipped += 1
    assert flipped > 20


def test_a_name_of_compressed_files_over_plain_content(tmp_path: Path) -> None:
    path = tmp_path / "c.csv.gz"
    path.write_bytes(TABLE)
    expected = "c.csv.gz: is not compressed, although its name ends in .gz; rename it to c.csv"
    assert complaint(path) == expected


def test_content_compressed_twice(tmp_path: Path) -> None:
    path = tmp_path / "c.csv.gz"
    path.write_bytes(gzip.compress(bz2.compress(TABLE)))
    expected = "c.csv.gz: is compressed twice (bz2 within), expected text; decompress it once"
    assert complaint(path) == expected


def test_memory_is_bounded(tmp_path: Path) -> None:
    import tracemalloc

    path = tmp_path / "c.csv"
    with bz2.open(path, "wb") as file:
        file.write(b"text,label\n")
        for _ in range(16):
            file.write(b"bacon eggs,ham\n" * (1 << 16))
    scan = ts.scan(path)
    tracemalloc.start()
    assert ts.count(scan).n_docs == 16 << 16
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 23  # of 16 MB


def test_standard_input_may_be_compressed(
    run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from types import SimpleNamespace

    for content, form in ((gzip.compress(TABLE), "csv"), (in_archive(TABLE), "csv")):
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(content)))
        result = run("info", "-", "--input-format", form)
        assert (result.code, "2 documents" in result.out) == (0, True)
    parquet = table_of_pyarrow("parquet")
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(parquet)))
    result = run("info", "-", "--input-format", "csv")
    assert result.code == 1
    assert result.err.endswith("or pass --input-format parquet\n")


# ---- content that is no text ---------------------------------------------------------------------

OFFICE = {"[Content_Types].xml": b"x", "word/document.xml": b"x"}


def archive_of(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


FOREIGN: dict[str, tuple[Callable[[], bytes], str]] = {
    "parquet": (lambda: table_of_pyarrow("parquet"), "is_a_parquet_file"),
    "arrow": (lambda: table_of_pyarrow("file"), "is_an_arrow_file"),
    "stream": (lambda: table_of_pyarrow("stream"), "is_an_arrow_file"),
    "excel": (lambda: archive_of({**OFFICE, "xl/workbook.xml": b"x"}), "is_an_excel_workbook"),
    "word": (lambda: archive_of(OFFICE), "is_an_office_document"),
    "odt": (lambda: archive_of({"mimetype": b"x"}), "is_an_office_document"),
    "xls": (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "is_an_old_office_document"),
    "pdf": (lambda: b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "is_a_pdf_document"),
    "sqlite": (lambda: b"SQLite format 3\0" + bytes(99), "is_an_sqlite_database"),
    "feather": (lambda: b"FEA1\0\0", "is_a_feather_file_of_version_1"),
    "arrays": (lambda: archive_of({"data.npy": b"x"}), "holds_arrays_of_numpy"),
    "tar": (lambda: bytes(257) + b"ustar\0" + bytes(99), "is_a_tar_archive"),
}


# What is plain text by its characters, and may be a document in a folder.
PLAIN = {
    "lfs": (
        lambda: b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1\n",
        "is_a_pointer_of_git_lfs",
    ),
    "rtf": (lambda: b"{\\rtf1\\ansi bacon}", "is_an_rtf_document"),
}


def assert_named(message: str, name: str, key: str) -> None:
    """Assert that a complaint names a file of this content, without its folder."""
    assert fits(message, WORDING[key])
    assert message.startswith(f"{name}: ")


@pytest.mark.parametrize("kind", FOREIGN)
def test_content_that_is_no_text_is_named_with_the_cure(tmp_path: Path, kind: str) -> None:
    make, key = FOREIGN[kind]
    path = tmp_path / "c.csv"
    path.write_bytes(make())
    assert_named(complaint(path), path.name, key)
    if kind in ("parquet", "arrow", "stream"):
        assert "input_format='" in complaint(path)
    if not make().startswith(b"PK"):  # an archive within would be compressed twice
        path.write_bytes(gzip.compress(make()))
        assert_named(complaint(path), path.name, key)


@pytest.mark.parametrize("kind", FOREIGN)
def test_every_door_names_content_that_is_no_text(tmp_path: Path, kind: str) -> None:
    make, key = FOREIGN[kind]
    content = make()
    names, lists = tmp_path / "names.txt", tmp_path / "list.tsv"
    names.write_bytes(content)
    lists.write_bytes(content)
    # The file has the right name of a table, but no table may be in its place.
    key_of_lists = "is_no_text_but_a_table" if kind in ("parquet", "arrow", "stream") else key
    doors = (ts.io.read_names, names), (ts.io.read_frequency_list, lists), (ts.io.read_words, lists)
    for read, path in doors:
        with raises(ValueError, key_of_lists, at=f"{path}: "):
            read(path)
    for ending in ("svm", "mtx", "jsonl", "txt"):
        path = tmp_path / f"c.{ending}"
        path.write_bytes(content)
        options = {"labels": names} if ending == "mtx" else {}
        assert_named(complaint(path, **options), path.name, key)
    document = tmp_path / "news/ham/a.txt"
    document.parent.mkdir(parents=True)
    document.write_bytes(content)
    complained = complaint(tmp_path / "news")
    assert_named(complained, str(document.relative_to(tmp_path)), key_of_lists)
    scan = ts.scan(tmp_path / "news", on_error="skip")
    with raises(ValueError, "every_document_is_left_out", at=f"{document}: "):
        ts.count(scan)


@pytest.mark.parametrize("kind", PLAIN)
def test_plain_text_that_is_none_of_the_kind(tmp_path: Path, kind: str) -> None:
    make, key = PLAIN[kind]
    for ending in ("csv", "svm", "mtx", "jsonl", "json", "txt", "csv.gz"):
        path = tmp_path / f"c.{ending}"
        path.write_bytes(gzip.compress(make()) if ending.endswith("gz") else make())
        assert_named(complaint(path, label=False), path.name, key)
    with raises(ValueError, key, at=f"{path}: "):
        ts.io.read_frequency_list(path)
    document = tmp_path / "news/ham/a.rtf"
    document.parent.mkdir(parents=True)
    document.write_bytes(make())
    if kind == "rtf":
        assert_named(complaint(tmp_path / "news"), "news/ham/a.rtf", key)


def test_a_table_in_a_class_folder_is_not_told_to_take_its_own_name(tmp_path: Path) -> None:
    for form, ending in (("parquet", "parquet"), ("file", "arrow"), ("file", "feather")):
        path = tmp_path / ending / "ham" / f"a.{ending}"
        path.parent.mkdir(parents=True)
        path.write_bytes(table_of_pyarrow(form))
        with raises(ValueError, "is_a_table_by_itself", at=f"{path}: "):
            ts.count(ts.scan(tmp_path / ending))


def test_an_unknown_ending_tells_what_the_content_is(tmp_path: Path) -> None:
    path = tmp_path / "mail.xlsx"
    path.write_bytes(FOREIGN["excel"][0]())
    assert complaint(path).startswith("mail.xlsx: is an Excel workbook, expected text; save")


def test_texts_that_begin_like_other_files_are_texts(tmp_path: Path) -> None:
    for start in ("PAR1", "ARROW1", "BZh9", "GIF", "Obj"):
        path = tmp_path / "c.csv"
        path.write_text(f"{start},text,label\n1,bacon eggs,ham\n2,free pills,spam\n")
        assert ts.count(ts.scan(path)) == COUNTS


def test_no_text_in_utf_8_is_taken_for_other_content(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    starts = "%PDF-1.7", "%PDF-1.7\n%", "FEA1", "BZh91AY&SY", "BZh91AY&SY café", "Obj\x01"
    for start in starts:
        path.write_text(f"{start}\ntext,label\nbacon eggs,ham\nfree pills,spam\n", encoding="utf-8")
        lines = 2 if "\n" in start else 1
        assert ts.count(ts.scan(path, skip_lines=lines)) == COUNTS


def test_a_pdf_of_plain_characters_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_bytes(b"%PDF-1.1\n1 0 obj\n<< /Type /Catalog >>\nendobj\n")
    assert_named(complaint(path), path.name, "is_a_pdf_document")


# ---- Parquet and Arrow ---------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["parquet", "file", "stream"])
@pytest.mark.parametrize("ending", ["parquet", "arrow", "feather", "ipc"])
def test_tables_of_pyarrow_are_told_apart(tmp_path: Path, form: str, ending: str) -> None:
    path = tmp_path / f"c.{ending}"
    path.write_bytes(table_of_pyarrow(form))
    assert ts.count(ts.scan(path)) == COUNTS


def test_other_content_in_place_of_a_table_of_pyarrow(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "c.parquet"
    start = "c.parquet: expected a Parquet or Arrow file, found "
    path.write_bytes(TABLE)
    expected = "text; name it after its format, or pass input_format, such as 'csv'"
    assert complaint(path) == start + expected
    path.write_bytes(gzip.compress(table_of_pyarrow("parquet")))
    assert complaint(path) == f"{start}content compressed as .gz; decompress it"
    path.write_bytes(b"FEA1" + bytes(9))
    expected = "a Feather file of version 1; write it again as version 2 or Parquet"
    assert complaint(path) == start + expected
    path.write_bytes(b"\0\1\2\3" * 99)
    assert complaint(path).startswith("c.parquet: damaged, or not a table: ")


@pytest.mark.parametrize("cut", [9, 40, 200, 300])
def test_a_stream_that_is_cut_short(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "c.arrow"
    path.write_bytes(table_of_pyarrow("stream")[:cut])
    assert complaint(path).startswith("c.arrow: damaged, or not a table: ")


def test_a_stream_that_declares_too_many_bytes(tmp_path: Path) -> None:
    path, content = tmp_path / "c.arrow", table_of_pyarrow("stream")
    place = content.index(b"\xff\xff\xff\xff", 4)  # the message of the first record batch
    errors = set[type]()
    for at in range(place, place + 64, 4):
        huge = (1 << 45).to_bytes(8, "little")
        path.write_bytes(content[:at] + huge + content[at + 8 :])
        with pytest.raises((ValueError, MemoryError)) as caught:
            read_files(path)
        assert str(caught.value).startswith(f"{path}: ")
        errors.add(caught.type)
    assert errors == {ValueError, MemoryError}


# ---- names of classes ----------------------------------------------------------------------------


def stored_names(names: Any, kind: str = "ClassLabel") -> dict[str, str]:
    """Return the metadata in which datasets of Hugging Face store the names of classes."""
    import json

    features = {"text": {"dtype": "string"}, "label": {"names": names, "_type": kind}}
    return {"huggingface": json.dumps({"info": {"features": features}})}


def numbered(folder: Path, form: str, labels: list[int | None], metadata: Any) -> Path:
    """Write texts whose labels are the numbers of classes."""
    pyarrow = pytest.importorskip("pyarrow")
    texts = ["bacon eggs", "free pills", "more eggs"]
    schema = pyarrow.schema([("text", pyarrow.string()), ("label", pyarrow.int64())], metadata)
    table = pyarrow.table({"text": texts, "label": labels}, schema=schema)
    path = folder / f"c.{form}"
    if form == "parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, path)
        return path
    with pytest.importorskip("pyarrow.ipc").new_stream(str(path), schema) as writer:
        writer.write_table(table)
    return path


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_numbers_of_classes_become_their_names(tmp_path: Path, form: str) -> None:
    path = numbered(tmp_path, form, [1, 0, 1], stored_names(["spam", "ham"]))
    counts = ts.count(ts.scan(path))
    assert (counts.classes, counts.class_docs.tolist()) == (["ham", "spam"], [2, 1])
    stars = numbered(tmp_path, form, [4, 0, 4], stored_names(["1", "2", "3", "4", "5"]))
    assert ts.count(ts.scan(stars)).classes == [1, 5]


@pytest.mark.parametrize("form", ["parquet", "arrow"])
@pytest.mark.parametrize("wrong", [-1, 2, None])
def test_a_number_of_no_class_is_a_bad_row(tmp_path: Path, form: str, wrong: int | None) -> None:
    path = numbered(tmp_path, form, [1, wrong, 1], stored_names(["spam", "ham"]))
    shown = repr(None if wrong is None else str(wrong))
    expected = f"row 2: the label is {shown}, expected the number of a class, from 0 to 1"
    assert complaint(path) == f"c.{form}, {expected}"
    scan = ts.scan(path, on_error="skip")
    assert ts.count(scan).class_docs.tolist() == [2]
    assert scan.n_skipped == 1
    assert scan.skipped[0].endswith(expected)


@pytest.mark.parametrize(
    "metadata",
    [
        {"huggingface": "{"},
        {"huggingface": "[" * 100_000},
        {"huggingface": "{}"},
        {"huggingface": '{"info": {"features": {"label": 3}}}'},
        stored_names(["ham", "ham"]),
        stored_names([1, 2]),
        stored_names(None),
        stored_names(["spam", "ham"], kind="Value"),
    ],
)
def test_metadata_without_names_leave_the_numbers(tmp_path: Path, metadata: Any) -> None:
    path = numbered(tmp_path, "parquet", [1, 0, 1], metadata)
    assert ts.count(ts.scan(path)).classes == [0, 1]


def test_a_folder_that_hugging_face_saved(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    features = datasets.Features(
        {"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["spam", "ham"])}
    )
    columns = {"text": ["bacon eggs", "free pills", "more eggs"], "label": [1, 0, 1]}
    dataset = datasets.Dataset.from_dict(columns, features=features)
    dataset.save_to_disk(str(tmp_path / "saved"), num_shards=2)
    dataset.to_parquet(str(tmp_path / "c.parquet"))
    expected = ts.count_texts(columns["text"], ["ham", "spam", "ham"])
    assert ts.count(ts.scan(tmp_path / "saved")) == expected
    splits = datasets.DatasetDict({"train": dataset, "test": dataset})
    splits.save_to_disk(str(tmp_path / "splits"))
    assert complaint(tmp_path / "splits").startswith(
        "splits: holds a dataset for each of its splits, 'test', 'train'; pass one of them"
    )
    assert ts.count(ts.scan(tmp_path / "splits" / "train")) == expected
    assert ts.count(ts.scan(tmp_path / "c.parquet")) == expected
    assert ts.count_texts(dataset, text="text", label="label") == expected
    chosen = dataset.select([2, 0])  # the table of the dataset is in another order
    of_chosen = ts.count_texts(["more eggs", "bacon eggs"], ["ham", "ham"])
    assert ts.count_texts(chosen, text="text", label="label") == of_chosen
    table = pytest.importorskip("pyarrow.parquet").read_table(tmp_path / "c.parquet")
    assert ts.count_texts(table, text="text", label="label") == expected


# ---- encodings -----------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_mark_of_the_order_of_bytes_tells_the_encoding(tmp_path: Path, encoding: str) -> None:
    content = "text,label\nbacon größe,ham\nfree pills,spam\n".encode(encoding)
    path = tmp_path / "c.csv"
    path.write_bytes(content)
    expected = ts.count_texts(["bacon größe", "free pills"], ["ham", "spam"])
    assert ts.count(ts.scan(path)) == expected
    names = tmp_path / "names.txt"
    names.write_bytes("größe\n".encode(encoding))
    assert list(ts.io.read_names(names)) == ["größe"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_mark_overrides_the_encoding_of_other_files(tmp_path: Path, encoding: str) -> None:
    """The option --encoding is for all files, and the texts may have no mark."""
    path = tmp_path / "c.csv"
    path.write_bytes("text,label\nbacon größe,ham\nfree pills,spam\n".encode(encoding))
    expected = ts.count_texts(["bacon größe", "free pills"], ["ham", "spam"])
    assert ts.count(ts.scan(path, encoding="latin-1")) == expected
    frequencies = tmp_path / "list.csv"
    frequencies.write_bytes("word,count\ngröße,5\n".encode(encoding))
    table = ts.io.read_frequency_list(frequencies, encoding="cp1252")
    assert table == {"term": ["größe"], "count": [5]}


@pytest.mark.parametrize("order", ["le", "be"])
@pytest.mark.parametrize("width", ["16", "32"])
@pytest.mark.parametrize("words", ["bacon eggs", "größe straße", "天气很好 一"])
def test_wide_characters_without_a_mark_are_named(
    tmp_path: Path, width: str, order: str, words: str
) -> None:
    path, encoding = tmp_path / "c.csv", f"utf-{width}-{order}"
    path.write_bytes(f"text,label\n{words},ham\n".encode(encoding))
    fault = f"is UTF-{width} without a mark of the order of bytes, expected UTF-8"
    assert complaint(path) == f"c.csv: {fault}; pass encoding={encoding!r}"
    assert ts.count(ts.scan(path, encoding=encoding)).n_docs == 1
    names = tmp_path / "names.txt"
    names.write_bytes("bacon\n".encode(encoding))
    with raises(ValueError, "wide_names", argument="encoding", at=repr(encoding)):
        ts.io.read_names(names)
    document = tmp_path / "news/ham/a"
    document.parent.mkdir(parents=True)
    document.write_bytes("bacon and eggs".encode(encoding))
    with raises(ValueError, "wide_document", argument="encoding"):
        read_files(tmp_path / "news")
    assert read_files(tmp_path / "news", encoding=encoding).X.sum() == 3


def test_two_letters_in_ten_characters_tell_utf_16(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("ab天气很好天气很好".encode("utf-16-le"))
    fault = "is UTF-16 without a mark of the order of bytes, expected UTF-8"
    assert complaint(path) == f"a.txt: {fault}; pass encoding='utf-16-le'"
    # U+4E00 has a zero byte where letters have none. One for eight letters is not too many.
    path.write_bytes("abcdefgh天气天气天气天气天气天一".encode("utf-16-le"))
    assert complaint(path) == f"a.txt: {fault}; pass encoding='utf-16-le'"


MATRICES = [
    ("c.svm", "1 1:2 300:1\n2 1:1\n3 7:1 # größe\n"),
    ("c.mtx", "%%MatrixMarket matrix coordinate integer general\n% größe\n2 3 1\n2 3 1\n"),
]


@pytest.mark.parametrize(("name", "text"), MATRICES)
def test_encodings_of_matrices(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    options: Any = {"label": False}
    path.write_text(text, encoding="utf-8")
    expected = ts.count(ts.scan(path, **options))
    assert expected.n_docs > 1
    for encoding in ("utf-16", "utf-32"):
        path.write_bytes(text.encode(encoding))
        assert ts.count(ts.scan(path, **options)) == expected
    for encoding in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
        path.write_bytes(text.encode(encoding))
        fault = f"is {encoding[:6].upper()} without a mark of the order of bytes, expected UTF-8"
        is_market = name == "c.mtx"  # no encoding is named for a file without words
        key, argument = ("wide_matrix", None) if is_market else ("wide_svmlight", "encoding")
        with raises(ValueError, key, argument=argument, at=fault):
            ts.count(ts.scan(path, **options, on_error="skip"))
        if not is_market:
            assert ts.count(ts.scan(path, **options, encoding=encoding)) == expected


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize(("name", "text"), MATRICES)
def test_carriage_returns_that_end_the_lines_of_matrices(
    tmp_path: Path, name: str, text: str, encoding: str
) -> None:
    path = tmp_path / name
    path.write_bytes(text.replace("\n", "\r").encode(encoding))
    with raises(ValueError, "matrix_with_carriage_returns"):
        ts.count(ts.scan(path, label=False, on_error="skip"))
    path.write_bytes(text.replace("\n", "\r\n").encode(encoding))
    assert ts.count(ts.scan(path, label=False)).n_docs > 1


def test_zero_bytes_in_utf_8_are_characters(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_bytes(b"text,label\nba\0con eggs,ham\nfree\0,spam\n")
    assert list(ts.count(ts.scan(path)).term_names) == ["ba", "con", "eggs", "free"]
