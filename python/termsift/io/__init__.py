"""Reading labelled collections from files.

The ending of a file's name determines how the file is read:

==================================  ================================================  ==========
ending                              content                                           compressed
==================================  ================================================  ==========
``.svm`` ``.svmlight`` ``.libsvm``  ``label index:count ...`` per line                yes
``.npz``                            a matrix by ``scipy.sparse.save_npz``             yes
``.mtx``                            Matrix Market                                     yes
``.csv`` ``.tsv``                   a table with quoting: a text and a label          yes
``.txt``                            ``label<TAB>text`` per line, never quoted         yes
``.txt`` with ``labels``            a document per line, never quoted                 yes
``.jsonl`` ``.ndjson``              a JSON object per line: a text and a label        yes
``.json``                           JSON objects as above, an array of objects, or    yes
                                    an object that holds one such array
``.parquet``                        a Parquet table: a text and a label               no
``.arrow`` ``.feather`` ``.ipc``    an Arrow file or stream                           no
a folder of folders                 a sub-folder per class, a file per document       yes
a folder of files of one ending     the parts of one table, in order of their names   yes
==================================  ================================================  ==========

Compressed files are gzip, zstandard, bzip2, xz, or zip archives of one file, with the endings
``.gz``, ``.zst``, ``.bz2``, ``.xz`` and ``.zip``. Their first bytes tell how they are compressed,
so a gzip file whose name ends in ``.csv`` is read, too. Content that is no text, such as that of a
Parquet file or an Excel workbook, is refused by what it is. zstandard needs ``termsift[zstd]``,
and Parquet and Arrow files need ``termsift[text]``.

A path may be a pattern, such as ``data/*.csv``. The files that match a pattern, and the parts in a
folder, must have the same columns. In folders of parts, hidden and empty files, and files whose
names begin with an underscore, such as ``_SUCCESS`` of Spark, are left out.

**Matrices** have a row for each document and a column for each term. ``.npz`` and ``.mtx`` files
need a second file of labels. The svmlight line ``1,3 5:2`` is a document with the labels 1 and 3
and two occurrences of term 5. The first term has the number 1, or 0 if ``index_base=0``. A label
may also be a word, and a line may have a query id such as ``qid:7`` after the labels, and a comment
after ``#``. Files of the extreme classification repository, whose first line holds the numbers of
documents, terms and labels, are svmlight files whose indices and labels count from 0.

**Tables** name their columns in a header. The arguments ``text`` and ``label`` choose columns by
name or, in delimited tables, by number (from 1). If all columns are numbers, there is no header
unless ``header=True``. By default, a ``.txt`` file has no header; its column 1 holds the label, and
column 2 holds the text. Fields are separated by commas in ``.csv`` files, and by tabs in other
tables, or by the mark among comma, semicolon, tab and vertical bar that splits the header into the
columns or, without a header, the first rows alike. `termsift.scan` explains the options. The rows
that Qualtrics and SurveyMonkey write above the answers are left out. A ``.txt`` file whose first
column seems to hold the texts is refused unless ``text`` or ``label`` says which column is which.

**Lines.** With ``input_format="lines"``, each line of a text file is a document, and the name of
the file without its ending is the class of its documents, unless ``labels`` names a file whose line
i is the label of line i. Without ``labels``, blank lines are left out.

**Folders** of classes have the layout of scikit-learn's ``load_files``. Classes and documents are
sorted by name. Hidden files, what macOS and Windows add to folders, and files beside the class
folders, are ignored.

Files are read as UTF-8 unless ``encoding`` sets another encoding, or a mark of the order of bytes
tells UTF-16 or UTF-32. The encoding also applies to files of labels, names and words and to
frequency lists.

**Labels** are read as text, so a label is the same text in every format. In JSON, ``1``, ``1.0``
and ``"1"`` are the same label, and ``true`` is the label ``"true"``. A number with a fraction is no
label. If a column of a Parquet or Arrow file holds numbers of classes whose names a dataset of
Hugging Face has stored, these names are the labels. If all labels of a collection are whole numbers
of at most 18 digits, they are converted to integers. Labels of svmlight files are numbers,
unless one of them is a word.

An error message names the file and, if known, the line in the file.
"""

import importlib

# The module of each public name, which is imported when the name is first used.
_HOMES = {
    "Collection": "_collection",
    "load_demo": "_demo",
    "read_collection": "_collection",
    "read_frequency_list": "_frequency_list",
    "read_names": "_matrices",
    "read_split": "_collection",
    "read_words": "_frequency_list",
    "scan_demo": "_demo",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'termsift.io' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"termsift.io.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
