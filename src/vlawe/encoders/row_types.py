"""The types that the numbers of dense rows can have, and rows of types that compiled code lacks."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.quantization import quantize_rows

Rows = Any
"""Encoded documents: a NumPy array or a SciPy CSR matrix, a row a document."""

FLOAT_TYPES = ("float16", "float32", "float64")
ROW_TYPES = (*FLOAT_TYPES, "int8")


def computed_rows(out: NDArray[Any]) -> NDArray[Any]:
    """Return where compiled code writes rows that `store_rows` then puts into ``out``.

    It has neither float16 nor int8: those are made of float32.
    """
    narrow = out.dtype in (np.float16, np.int8)
    return np.empty(out.shape, np.float32) if narrow else out


def store_rows(rows: NDArray[Any], out: NDArray[Any]) -> NDArray[Any]:
    """Put computed rows into ``out`` and return it."""
    if out.dtype == np.int8:
        quantize_rows(rows.astype(np.float32, copy=False), out, np.empty(len(out), np.float32))
    elif rows is not out:
        out[:] = rows
    return out
