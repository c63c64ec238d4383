"""Bags that are read twice but tokenised once.

Fitting counts the words of all documents before it can encode the first one. For that second
look the bags, much smaller than texts or rows, wait in memory and beyond that in a temporary
file: a generator can be read, and memory stays bounded.
"""

import os
from collections.abc import Iterable, Iterator
from tempfile import SpooledTemporaryFile
from typing import IO

import numpy as np

from vlawe.bags import Bags

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


class BagSpool:
    """Batches of bags that come once and can be iterated again; a context manager."""

    def __init__(self, bags: Iterable[Bags], in_memory: int = _IN_MEMORY) -> None:
        self._file = SpooledTemporaryFile(max_size=in_memory, prefix="vlawe-")  # noqa: SIM115
        self._coming = iter(bags)
        self.n_documents = 0
        """How many documents have come."""

    def __enter__(self) -> "BagSpool":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[Bags]:
        """Yield what has come before, then what comes now."""
        self._file.seek(0)
        yield from read_bags(self._file)
        for bags in self._coming:
            write_bags(self._file, bags)
            self.n_documents += len(bags)
            yield bags
