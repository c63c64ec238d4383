"""Weighted sums of kernels."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray


def combine_kernels(
    kernels: Sequence[ArrayLike], weights: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Return the weighted sum ``Σ_k w_k K_k`` of kernel matrices.

    Parameters
    ----------
    kernels : sequence of array-like, shape (n, m)
    weights : array-like, one number per kernel, or None
        Not negative (a sum of kernels is a kernel only then); None is ``1 / len(kernels)`` each.

    Returns
    -------
    ndarray of float64, shape (n, m)

    Examples
    --------
    >>> from vlawe.kernels import combine_kernels
    >>> combine_kernels([[[1.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]]])
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    matrices = [np.asarray(matrix) for matrix in kernels]
    if not matrices:
        raise ValueError("there are no kernels to combine")
    for number, matrix in enumerate(matrices):
        if matrix.ndim != 2 or matrix.shape != matrices[0].shape:
            raise ValueError(
                f"kernels must be matrices of one shape: kernel 0 has {matrices[0].shape}, "
                f"kernel {number} has {matrix.shape}"
            )
    numbers = np.full(len(matrices), 1 / len(matrices)) if weights is None else np.array(weights)
    if numbers.shape != (len(matrices),):
        raise ValueError(f"{len(matrices)} kernels need as many weights, got {numbers.shape}")
    if numbers.dtype.kind not in "iuf" or not np.isfinite(numbers).all() or numbers.min() < 0:
        raise ValueError(f"weights must be finite and not negative, got {weights!r}")
    out = np.zeros(matrices[0].shape, np.float64)
    for i in range(len(out)):  # row by row: no second matrix
        for matrix, weight in zip(matrices, numbers, strict=True):
            out[i] += weight * matrix[i]
    return out
