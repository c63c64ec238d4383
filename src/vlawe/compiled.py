"""How the package compiles its loops: decorators around numba's ``njit``.

Kernels release the interpreter lock, so that plain threads run them side by side, and are cached
on disk, so that they are compiled once per machine.
"""

from typing import Any

from numba import njit

_options: dict[str, Any] = {"nogil": True, "cache": True}
_without_memory: dict[str, Any] = {**_options, "_nrt": False}

kernel = njit(**_options)
"""A function that Python calls; it may allocate arrays."""

inner = njit(**_without_memory)
"""A function that only kernels call and that allocates nothing.

Without numba's run time for memory, arrays are passed and indexed as plain pointers; counting
references at every call made the tokenizer three times slower.
"""

inner_reassociating = njit(**_without_memory, fastmath={"reassoc"})
"""The same, where sums may be added in lanes: the order is fixed when the code is compiled."""
