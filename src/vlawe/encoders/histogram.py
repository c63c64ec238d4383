"""Histograms: how often each column occurs in each document, as sparse rows."""

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from numpy.typing import NDArray


def count_columns(
    columns: NDArray[np.int32], indptr: NDArray[np.int64], n_columns: int, dtype: npt.DTypeLike
) -> Any:
    """Count each document's columns.

    Parameters
    ----------
    columns : ndarray of int32
        The column of each token, document after document; tokens of negative ones do not count.
    indptr : ndarray of int64, shape (n + 1,)
        Document ``i`` has the tokens ``indptr[i]`` up to ``indptr[i + 1]``.
    n_columns : int
    dtype : float type

    Returns
    -------
    csr_array of shape (n, n_columns), with sorted columns
    """
    counted = columns >= 0
    before = np.zeros(len(columns) + 1, np.int32)  # scikit-learn's SVC takes no other type
    np.cumsum(counted, out=before[1:])
    rows = sp.csr_array(
        (np.ones(before[-1], dtype), columns[counted], before[indptr]),
        shape=(len(indptr) - 1, n_columns),
    )
    rows.sum_duplicates()
    return rows
