"""Reading labelled collections from files.

The ending of a file's name tells how it is read:

==================================  ================================================  ==========
ending                              content                                           compressed
==================================  ================================================  ==========
``.svm`` ``.svmlight`` ``.libsvm``  ``label index:count ...`` per line                yes
``.npz``                            a matrix by ``scipy.sparse.save_npz``             yes
``.mtx``                            Matrix Market                                     yes
``.csv`` ``.tsv``                   a table with quoting: a text and a label          yes
``.txt``                            ``label<TAB>text`` per line, never quoted         yes
``.jsonl`` ``.ndjson``              a JSON object per line: a text and a label        yes
``.json``                           the same, or an array of JSON objects             yes
``.parquet``                        a Parquet table: a text and a label               no
``.arrow`` ``.feather`` ``.ipc``    an Arrow table, a file or a stream                no
a folder                            a sub-folder per class, a file per document       no
==================================  ================================================  ==========

Compressed files end in ``.gz``, ``.zst`` (needs the extra ``termsift[zstd]``) or ``.zip`` (an
archive of one file). svmlight needs ``termsift[sklearn]``, and Parquet and Arrow need
``termsift[text]``.

**Matrices** have a row for each document and a column for each term. ``.npz`` and ``.mtx`` need a
file of labels; svmlight files hold their own labels (``1,3 5:2`` gives a document two) and count
indices from 1, or from 0 with ``index_base=0``.

**Tables** name their columns in a header, and ``text`` and ``label`` choose two of them. In a table
without header, both are column numbers from 1; ``.txt`` has no header by default (label 1, text 2).
Fields are separated by a comma (``.csv``) or a tab. If the header then lacks the columns, a comma,
semicolon, tab and bar are tried.

**Folders** of classes are laid out as for scikit-learn's ``load_files``. Classes and documents are
sorted by name. Hidden files and files beside the class folders are ignored.

Files are UTF-8; ``encoding`` chooses another encoding for texts. **Labels** are read as text and
mean the same in every format: JSON's ``1`` and ``"1"`` are one label, and its ``true`` is
``"true"``. If all labels of a collection are whole numbers of at most 18 digits, they become
integers in the end. Labels of svmlight files are numbers.

An error is one line that names the file and, where there is one, the line.
"""

from termsift.io._collection import Collection, read_collection
from termsift.io._demo import load_demo

__all__ = [
    "Collection",
    "load_demo",
    "read_collection",
]
