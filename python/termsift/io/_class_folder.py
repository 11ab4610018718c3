"""A folder with one sub-folder per class and one file per document."""

from __future__ import annotations

from pathlib import Path

from termsift._util.log import logger
from termsift.io._files import Complain, decoded_text
from termsift.io._source import TEXT_OPTIONS, Options
from termsift.io._texts import Rows, TextSource


class ClassFolder(TextSource):
    """A folder of class folders, laid out as for scikit-learn's ``load_files``."""

    takes = TEXT_OPTIONS
    why = "a folder of class folders has its own labels and terms, and no columns"

    def __init__(self, path: Path, labels: Path | None, options: Options) -> None:
        super().__init__(path, labels, options)
        folders = [entry for entry in _visible(path) if entry.is_dir()]
        if not folders:
            raise ValueError(
                f"{path}: expected one sub-folder per class with one file per document, or the "
                "arrays of termsift.save_csr; found no sub-folder and no indptr.npy"
            )
        self._documents = list[tuple[str, Path]]()
        for folder in folders:
            documents = _visible(folder)
            self._documents += [(folder.name, document) for document in documents]
            if not documents:
                logger.warning("%s: a class without documents is left out", folder)
        self.files = [document for _, document in self._documents if document.is_file()]

    def rows(self, complain: Complain) -> Rows:
        """Yield the documents in the order of the names of their classes and files."""
        n_bytes = 0
        self.bytes_read = lambda: n_bytes
        for label, file in self._documents:
            try:
                if not file.is_file():  # a folder, a pipe, a broken link
                    raise ValueError(f"{file}: expected a file, a document of the class {label!r}")
                text = decoded_text(file, self.options.encoding)
            except ValueError as error:
                complain(str(error))
            else:
                n_bytes += len(text)
                yield text, label


def _visible(folder: Path) -> list[Path]:
    """List a folder in order, without hidden entries, which are not documents."""
    return sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
