"""Bags that are read twice but tokenised once.

Fitting counts the words of all documents before it can encode the first one. For that second
look the bags, much smaller than texts or rows, wait in memory and beyond that in a temporary
file: a generator can be read, and memory stays bounded.
"""

import os
from collections.abc import Iterable, Iterator
from tempfile import SpooledTemporaryFile
from typing import IO, Any

import numpy as np

from vlawe.bags import Bags
from vlawe.documents import TextBatch

_IN_MEMORY = 1 << 28


def write_bags(file: IO[bytes], bags: Bags) -> None:
    """Append a batch of bags to a file: how many documents and words, then its arrays."""
    file.write(np.array([len(bags), len(bags.ids)], np.int64).tobytes())
    for array in (bags.ids, bags.indptr, bags.n_unknown):
        file.write(array.tobytes())


def read_bags(file: IO[bytes], skip: int = 0) -> Iterator[Bags]:
    """Yield the batches that `write_bags` wrote, without the first ``skip`` documents."""
    while head := file.read(16):
        n_documents, n_ids = np.frombuffer(head, np.int64).tolist()
        if skip and skip >= n_documents:
            skip -= n_documents
            file.seek(4 * n_ids + 8 * (2 * n_documents + 1), os.SEEK_CUR)
            continue
        ids = np.frombuffer(file.read(4 * n_ids), np.int32)
        indptr = np.frombuffer(file.read(8 * (n_documents + 1)), np.int64)
        n_unknown = np.frombuffer(file.read(8 * n_documents), np.int64)
        # Writable like fresh ones, so that functions are compiled once.
        bags = Bags(ids.copy(), indptr.copy(), n_unknown.copy())
        yield bags[skip:] if skip else bags
        skip = 0


def write_texts(file: IO[bytes], batch: TextBatch) -> None:
    """Append a batch of texts to a file: its numbers, then its arrays."""
    data = batch.data[batch.offsets[0] : batch.offsets[-1]]
    numbers = [len(batch), len(batch.offsets), len(data), batch.tokenized, batch.first_row]
    for array in (np.array(numbers), batch.offsets - batch.offsets[0], batch.documents, data):
        file.write(array.tobytes())


def read_texts(file: IO[bytes], skip: int = 0) -> Iterator[TextBatch]:
    """Yield the batches that `write_texts` wrote, without the first ``skip`` documents."""
    while head := file.read(40):
        n_documents, n_offsets, n_bytes, tokenized, first_row = np.frombuffer(head, np.int64)
        if skip and skip >= n_documents:
            skip -= int(n_documents)
            file.seek(8 * int(n_offsets + n_documents + 1) + int(n_bytes), os.SEEK_CUR)
            continue
        offsets = np.frombuffer(file.read(8 * n_offsets), np.int64).copy()
        documents = np.frombuffer(file.read(8 * (n_documents + 1)), np.int64).copy()
        data = np.frombuffer(file.read(n_bytes), np.uint8)
        batch = TextBatch(data, offsets, documents, bool(tokenized), int(first_row))
        yield batch[skip:] if skip else batch
        skip = 0


FORMS: dict[type, tuple[Any, Any]] = {
    Bags: (write_bags, read_bags),
    TextBatch: (write_texts, read_texts),
}
"""How batches of each kind are written to a file, and read from it."""


class BagSpool:
    """Batches of bags that come once and can be iterated again; a context manager."""

    def __init__(self, bags: Iterable[Any], in_memory: int = _IN_MEMORY) -> None:
        self._file = SpooledTemporaryFile(max_size=in_memory, prefix="vlawe-")  # noqa: SIM115
        self._coming = iter(bags)
        self._read: Any = read_bags
        self.n_documents = 0
        """How many documents have come."""

    def __enter__(self) -> "BagSpool":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[Any]:
        """Yield what has come before, then what comes now."""
        self._file.seek(0)
        yield from self._read(self._file)
        for bags in self._coming:
            write, self._read = FORMS[type(bags)]
            write(self._file, bags)
            self.n_documents += len(bags)
            yield bags
