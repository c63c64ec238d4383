"""Rows as int8: whole numbers from −127 to 127, in proportion to the row, and one scale a row.

``value ≈ code · scale``, where the scale is the row's largest value (without its sign) over 127.
The scale is the same for a whole row, so cosines can be had from the codes alone; and where rows
are of unit length, it is one over the length of the codes.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from vlawe.system.compiling import compiled

_LARGEST = np.float32(127)


@compiled
def quantize_rows(rows: Any, codes: Any, scales: Any) -> None:
    """Write the codes (n, d) and scales (n,) of float32 ``rows`` (n, d)."""
    for i in range(len(rows)):
        row, own = rows[i], codes[i]
        largest = np.float32(0)
        for j in range(len(row)):
            largest = max(largest, abs(row[j]))
        scale = largest / _LARGEST
        scales[i] = scale
        divisor = scale if scale > np.float32(0) else np.float32(1)
        for j in range(len(row)):
            # A scale too small for all digits of float32 may leave more than 127.
            own[j] = np.int8(max(min(np.rint(row[j] / divisor), _LARGEST), -_LARGEST))


def quantize(rows: npt.ArrayLike) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return rows as codes and scales.

    Parameters
    ----------
    rows : array-like, shape (n, d)
        Finite numbers.

    Returns
    -------
    codes : ndarray of int8, shape (n, d)
        From -127 to 127; the largest of a row is one of these, unless the row is zero.
    scales : ndarray of float32, shape (n,)

    Examples
    --------
    >>> from vlawe.quantization import dequantize, quantize
    >>> codes, scales = quantize([[0.6, -0.8], [0.0, 0.0]])
    >>> codes
    array([[  95, -127],
           [   0,    0]], dtype=int8)
    >>> dequantize(codes, scales).round(2)
    array([[ 0.6, -0.8],
           [ 0. ,  0. ]], dtype=float32)
    """
    wide = np.ascontiguousarray(rows, np.float32)
    if wide.ndim != 2:
        raise ValueError(f"expected rows of numbers, got the shape {wide.shape}")
    if not np.isfinite(wide).all():
        bad = int(np.argmin(np.isfinite(wide).all(axis=1)))
        raise ValueError(f"row {bad} has a number that is not finite in float32")
    codes = np.empty(wide.shape, np.int8)
    scales = np.empty(len(wide), np.float32)
    quantize_rows(wide, codes, scales)
    return codes, scales


def dequantize(
    codes: NDArray[np.int8], scales: NDArray[np.float32] | None = None
) -> NDArray[np.float32]:
    """Return codes as float32 rows: times their scales, or without these of unit length.

    Parameters
    ----------
    codes : ndarray of int8, shape (n, d)
    scales : ndarray of float32, shape (n,), optional
        Not needed for rows that are of unit length, as those of VLAWE.

    Examples
    --------
    >>> from vlawe import VLAWE
    >>> from vlawe.quantization import dequantize
    >>> texts = ["a cold soup with bread", "the train leaves at noon"]
    >>> codes = VLAWE(n_codewords=3, dtype="int8").fit_transform(texts)
    >>> rows = dequantize(codes)
    >>> exact = VLAWE(n_codewords=3).fit_transform(texts)
    >>> bool(abs(rows - exact).max() < 0.001)
    True
    """
    rows = np.asarray(codes).astype(np.float32)
    if scales is None:
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
        scales = np.divide(1.0, lengths, out=np.zeros(len(rows)), where=lengths > 0).astype(
            np.float32
        )
    with np.errstate(over="ignore"):  # 127 times the rounded scale of the largest float32
        rows *= np.asarray(scales, np.float32)[:, None]
    largest = np.finfo(np.float32).max
    return np.clip(rows, -largest, largest, out=rows)
