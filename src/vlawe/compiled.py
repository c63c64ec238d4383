"""How the package compiles its loops: decorators around numba's ``njit``.

Kernels release the interpreter lock, so that plain threads run them side by side, and are cached
on disk, so that they are compiled once per machine.
"""

from numba import njit

kernel = njit(nogil=True, cache=True)
"""A function that Python calls; it may allocate arrays."""

inner = njit(nogil=True, cache=True, _nrt=False)
"""A function that only kernels call and that allocates nothing.

Without numba's run time for memory, arrays are passed and indexed as plain pointers; counting
references at every call made the tokenizer three times slower.
"""

inner_reassociating = njit(nogil=True, cache=True, _nrt=False, fastmath={"reassoc"})
"""The same, where sums may be added in lanes: the order is fixed when the code is compiled."""
