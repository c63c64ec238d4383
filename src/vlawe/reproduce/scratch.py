"""Memory for large matrices, used again and again.

Fresh memory of half a gigabyte costs more time, page by page, than some of the kernels that fill
it.
"""

from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray


class Scratch:
    """Lends arrays whose memory it has back after use."""

    def __init__(self) -> None:
        self._free: list[NDArray[np.uint8]] = []

    def take(self, shape: tuple[int, ...], dtype: npt.DTypeLike) -> NDArray[Any]:
        """Return an array of anything."""
        n_bytes = prod(shape) * np.dtype(dtype).itemsize
        self._free.sort(key=len)
        for i, memory in enumerate(self._free):
            if len(memory) >= n_bytes:
                del self._free[i]
                break
        else:
            if self._free:
                del self._free[0]  # too small for what is done now
            memory = np.empty(n_bytes, np.uint8)
        return memory[:n_bytes].view(dtype).reshape(shape)

    def give(self, array: NDArray[Any]) -> None:
        """Take back an array that `take` returned; nobody may use it any more."""
        memory = array.base
        assert isinstance(memory, np.ndarray)
        self._free.append(memory)
