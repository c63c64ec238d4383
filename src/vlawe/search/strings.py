"""Strings by position, kept as UTF-8 bytes: the texts of an index, and what goes with them."""

from bisect import bisect_right
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


class StringColumn:
    """Strings in the order in which they came; each takes little more than its bytes."""

    def __init__(self) -> None:
        self._pieces: list[tuple[NDArray[np.uint8], NDArray[np.int64]]] = []
        self._starts = [0]  # where each piece starts, and where the last one ends

    def __len__(self) -> int:
        return self._starts[-1]

    def append(self, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        """Take further strings: ``i`` is ``data[offsets[i]:offsets[i + 1]]``."""
        if len(offsets) > 1:
            self._pieces.append((data[offsets[0] : offsets[-1]], offsets - offsets[0]))
            self._starts.append(self._starts[-1] + len(offsets) - 1)

    def extend(self, strings: Iterable[str]) -> None:
        """Take further strings."""
        encoded = [string.encode() for string in strings]
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(string) for string in encoded], out=offsets[1:])
        self.append(np.frombuffer(b"".join(encoded), np.uint8), offsets)

    def __getitem__(self, position: int) -> str:
        piece = bisect_right(self._starts, position) - 1
        data, offsets = self._pieces[piece]
        within = position - self._starts[piece]
        # What this package writes is UTF-8; a file may have come from elsewhere.
        return data[offsets[within] : offsets[within + 1]].tobytes().decode(errors="replace")

    def truncate(self, n_strings: int) -> None:
        """Forget what was appended since there were ``n_strings``."""
        while self._starts[-1] > n_strings:
            self._starts.pop()
            self._pieces.pop()

    @property
    def n_bytes(self) -> int:
        """How many bytes the strings have."""
        return sum(len(data) for data, _ in self._pieces)

    def data(self) -> Iterable[NDArray[np.uint8]]:
        """Yield the bytes, piece by piece."""
        for data, _ in self._pieces:
            yield data

    def offsets(self) -> Iterable[NDArray[np.int64]]:
        """Yield where each string starts in the bytes, and at last where the last one ends."""
        start = 0
        for data, offsets in self._pieces:
            yield offsets[:-1] + start
            start += len(data)
        yield np.array([start])
