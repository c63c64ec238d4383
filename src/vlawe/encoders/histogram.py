"""Histograms: how often each column occurs in each document, as sparse rows."""

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from numpy.typing import NDArray


def count_columns(
    columns: NDArray[np.int32], indptr: NDArray[np.int64], n_columns: int, dtype: npt.DTypeLike
) -> Any:
    """Count how often each column occurs in each document: csr_array (n, n_columns), sorted.

    ``columns`` has the column of each token, ``indptr[i]`` up to ``indptr[i + 1]`` for document
    ``i``; tokens of negative columns do not count.
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
