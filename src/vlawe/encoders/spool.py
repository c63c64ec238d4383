"""Bags that are read twice but tokenised once.

Fitting counts the words of all documents before it can encode the first one. For that second
look the bags, much smaller than texts or rows, wait in memory and beyond that in a temporary
file: a generator can be read, and memory stays bounded.
"""

from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from types import TracebackType

import numpy as np

from vlawe.bags import Bags

_IN_MEMORY = 1 << 28


class BagSpool:
    """Keeps bags, batch by batch, and yields them again; a context manager."""

    def __init__(self, in_memory: int = _IN_MEMORY) -> None:
        self._file = SpooledTemporaryFile(max_size=in_memory, prefix="vlawe-")  # noqa: SIM115
        self._sizes: list[tuple[int, int]] = []

    def __enter__(self) -> "BagSpool":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    @property
    def n_documents(self) -> int:
        """How many documents have been kept."""
        return sum(n_documents for n_documents, _ in self._sizes)

    def append(self, bags: Bags) -> None:
        """Keep a batch."""
        for array in (bags.ids, bags.indptr, bags.n_unknown):
            self._file.write(array.tobytes())
        self._sizes.append((len(bags), len(bags.ids)))

    def __iter__(self) -> Iterator[Bags]:
        self._file.seek(0)
        for n_documents, n_ids in self._sizes:
            ids = np.frombuffer(self._file.read(4 * n_ids), np.int32)
            indptr = np.frombuffer(self._file.read(8 * (n_documents + 1)), np.int64)
            n_unknown = np.frombuffer(self._file.read(8 * n_documents), np.int64)
            # Writable like fresh ones, so that kernels are compiled once.
            yield Bags(ids.copy(), indptr.copy(), n_unknown.copy())
