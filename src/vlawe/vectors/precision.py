"""How the rows of a table are stored: as float32, as float16, or as int8 with scales."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vlawe.quantization import quantize

StoredDtype = Literal["float32", "float16", "int8"]

Stored = dict[str, NDArray[Any]]
"""Rows as they are stored: ``matrix``, and for int8 also ``scales`` and ``blocks``, see `store`."""


def narrow(matrix: NDArray[np.float32], dtype: str) -> Stored:
    """Store rows as a type; each row is stored by itself, whatever rows stand beside it."""
    if dtype == "float32":
        return {"matrix": matrix}
    if dtype == "float16":
        with np.errstate(over="ignore"):
            half = matrix.astype(np.float16)
        if not np.isfinite(half).all():
            raise ValueError("values beyond 65,504 do not fit float16; use float32 or int8")
        return {"matrix": half}
    if dtype == "int8":
        codes, scales = quantize(matrix)
        blocks = np.array([0, matrix.shape[1]], np.int64)
        return {"matrix": codes, "scales": scales[:, None], "blocks": blocks}
    raise ValueError(f'dtype must be "float32", "float16" or "int8", got {dtype!r}')


def widen(stored: Stored) -> NDArray[np.float32]:
    """Return stored rows as float32."""
    matrix: NDArray[np.float32] = stored["matrix"].astype(np.float32)
    if "scales" in stored:
        blocks = stored["blocks"]
        for block, scales in enumerate(stored["scales"].T):
            matrix[:, blocks[block] : blocks[block + 1]] *= scales[:, None]
    return matrix


def take(stored: Stored, rows: "slice | NDArray[np.integer]") -> Stored:
    """Return some of the stored rows."""
    return {key: tensor if key == "blocks" else tensor[rows] for key, tensor in stored.items()}
