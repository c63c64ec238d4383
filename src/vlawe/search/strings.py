"""Strings by position, kept as UTF-8 bytes: the texts of an index, and what goes with them."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.system.gate import take, take_offsets
from vlawe.system.tensors import Pieces, Tensors


class StringColumn:
    """Strings in the order in which they came; each takes little more than its bytes."""

    def __init__(self) -> None:
        self._batches: list[tuple[NDArray[np.uint8], NDArray[np.int64]]] = []
        self._starts = [0]  # where each batch starts, and where the last one ends

    def __len__(self) -> int:
        return self._starts[-1]

    def append(self, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        """Take further strings: ``i`` is ``data[offsets[i]:offsets[i + 1]]``."""
        if len(offsets) > 1:
            self._batches.append((data[offsets[0] : offsets[-1]], offsets - offsets[0]))
            self._starts.append(self._starts[-1] + len(offsets) - 1)

    def extend(self, strings: Iterable[str]) -> None:
        """Take further strings."""
        encoded = [string.encode() for string in strings]
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(string) for string in encoded], out=offsets[1:])
        self.append(np.frombuffer(b"".join(encoded), np.uint8), offsets)

    def __getitem__(self, position: int) -> str:
        batch = bisect_right(self._starts, position) - 1
        data, offsets = self._batches[batch]
        within = position - self._starts[batch]
        # What this package writes is UTF-8; a file may have come from elsewhere.
        return data[offsets[within] : offsets[within + 1]].tobytes().decode(errors="replace")

    def truncate(self, n_strings: int) -> None:
        """Forget what was appended since there were ``n_strings``."""
        while self._starts[-1] > n_strings:
            self._starts.pop()
            self._batches.pop()

    def only(self, kept: NDArray[np.bool_]) -> "StringColumn":
        """Return the strings that are kept, in their order."""
        column = StringColumn()
        for start, (data, offsets) in zip(self._starts[:-1], self._batches, strict=True):
            own = kept[start : start + len(offsets) - 1]
            if own.all():
                column.append(data, offsets)
                continue
            lengths = np.diff(offsets)
            some = np.zeros(int(own.sum()) + 1, np.int64)
            np.cumsum(lengths[own], out=some[1:])
            column.append(data[np.repeat(own, lengths)], some)
        return column

    def pieces(self, name: str) -> dict[str, Pieces]:
        """Return the strings as tensors that are written batch by batch; none without a string."""
        if not len(self):
            return {}
        n_bytes = sum(len(data) for data, _ in self._batches)
        return {
            f"{name}.bytes": Pieces(np.uint8, (n_bytes,), (data for data, _ in self._batches)),
            f"{name}.offsets": Pieces(
                np.int64, (len(self) + 1,), end_to_end(offsets for _, offsets in self._batches)
            ),
        }

    def restore(self, tensors: Tensors, name: str, n_strings: int) -> None:
        """Take what `pieces` wrote, as it is mapped; ValueError if it cannot be."""
        if n_strings:
            data = take(tensors, f"{name}.bytes", np.uint8, (None,))
            self.append(
                data, take_offsets(tensors, f"{name}.offsets", np.int64, n_strings, len(data))
            )


def end_to_end(batches: Iterable[NDArray[Any]]) -> Iterator[NDArray[np.int64]]:
    """Yield the offsets of batches, each of which begins at 0, as those of one whole."""
    start = 0
    for offsets in batches:
        yield offsets[:-1].astype(np.int64) + start
        start += int(offsets[-1])
    yield np.array([start])
