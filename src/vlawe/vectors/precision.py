"""How the rows of a table are stored: as float32, as float16, or as int8 with scales."""

from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vlawe.quantization import quantize
from vlawe.system.tensors import Tensors
from vlawe.system.threads import resolve_jobs, run_threads

StoredDtype = Literal["float32", "float16", "int8"]

_ROWS_AT_ONCE = 1024


def narrow(matrix: NDArray[np.float32], dtype: str) -> Tensors:
    """Store rows as a type: ``matrix``, and for int8 also ``scales`` and ``blocks``.

    Each row is stored by itself, whatever rows stand beside it.
    """
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


def widen(stored: Tensors) -> NDArray[np.float32]:
    """Return stored rows as float32."""
    matrix = np.empty(stored["matrix"].shape, np.float32)

    def fill(start: int) -> None:
        rows = slice(start, start + _ROWS_AT_ONCE)
        part = take(stored, rows)
        matrix[rows] = part["matrix"]
        if "scales" in part:
            blocks = pairwise(part["blocks"])
            for (first, last), scales in zip(blocks, part["scales"].T, strict=True):
                matrix[rows, first:last] *= scales[:, None]

    run_threads(fill, range(0, len(matrix), _ROWS_AT_ONCE), resolve_jobs(None))
    return matrix


def check_finite(stored: Tensors) -> None:
    """Raise ValueError if a stored row is not finite; memory stays bounded."""
    for start in range(0, len(stored["matrix"]), _ROWS_AT_ONCE):
        with np.errstate(all="ignore"):
            rows = widen(take(stored, slice(start, start + _ROWS_AT_ONCE)))
        if not np.isfinite(rows).all():
            row = start + int(np.argmin(np.isfinite(rows).all(axis=1)))
            raise ValueError(f"the numbers of row {row} are not finite")


def take(stored: Tensors, rows: "slice | NDArray[np.integer]") -> Tensors:
    """Return some of the stored rows."""
    return {key: tensor if key == "blocks" else tensor[rows] for key, tensor in stored.items()}
