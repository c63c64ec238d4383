"""Documents that are needed twice but read once: their bags, and their columns if wanted."""

import os
from collections.abc import Iterator, Mapping
from itertools import repeat
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from vlawe.bag_spool import read_bags, write_bags
from vlawe.bags import Bags
from vlawe.cli.runs.files import GrowingFiles

_BAGS, _COLUMNS = "bags", "columns"


class DocumentSpool:
    """Keeps documents, batch by batch, in files of a run's folder, and yields them again.

    Parameters
    ----------
    folder : path
    columns : bool
        Whether the documents' columns are kept, too.
    sizes : mapping of str to int, optional
        Go on with files of these sizes; see `GrowingFiles`.
    n_documents : int
        How many documents are in these files.

    Attributes
    ----------
    files : GrowingFiles
    n_documents : int
        How many documents have been kept.
    """

    def __init__(
        self,
        folder: Path,
        *,
        columns: bool,
        sizes: Mapping[str, int] | None = None,
        n_documents: int = 0,
    ) -> None:
        self.n_documents = n_documents
        self._folder = folder
        self._names = (_BAGS, _COLUMNS) if columns else (_BAGS,)
        self.files = GrowingFiles(folder, self._names, sizes)

    def append(self, columns: pa.RecordBatch, bags: Bags) -> None:
        """Keep a batch of documents."""
        write_bags(self.files[_BAGS], bags)
        self.n_documents += len(bags)
        if _COLUMNS in self._names:
            buffer = pa.BufferOutputStream()
            with pa.ipc.new_stream(buffer, columns.schema) as stream:
                stream.write_batch(columns)
            content = buffer.getvalue()
            file = self.files[_COLUMNS]
            file.write(len(columns).to_bytes(8, "little") + content.size.to_bytes(8, "little"))
            file.write(content)

    def bags(self, skip: int = 0) -> Iterator[Bags]:
        """Yield the batches of bags, without the first ``skip`` documents."""
        self.files.sizes()
        with (self._folder / _BAGS).open("rb") as file:
            yield from read_bags(file, skip)

    def documents(self, skip: int = 0) -> Iterator[tuple[pa.RecordBatch | None, Bags]]:
        """Yield the batches: columns (None if they were not kept) and bags."""
        if _COLUMNS not in self._names:
            yield from zip(repeat(None), self.bags(skip), strict=False)
            return
        self.files.sizes()
        with (self._folder / _COLUMNS).open("rb") as file:
            yield from zip(_read_columns(file, skip), self.bags(skip), strict=True)

    def close(self) -> None:
        """Close the files."""
        self.files.close()


def _read_columns(file: BinaryIO, skip: int) -> Iterator[pa.RecordBatch]:
    while head := file.read(16):
        n_rows, size = int.from_bytes(head[:8], "little"), int.from_bytes(head[8:], "little")
        if skip and skip >= n_rows:
            skip -= n_rows
            file.seek(size, os.SEEK_CUR)
            continue
        batch = pa.ipc.open_stream(file.read(size)).read_next_batch()
        yield batch.slice(skip)
        skip = 0
