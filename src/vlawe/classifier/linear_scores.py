"""Rows times weights, compiled: each row by itself, so that its scores are its own."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.system.compiling import compiled, index, inlined_reassociating


@inlined_reassociating
def _product(rows: Any, row: Any, weights: Any, label: Any) -> Any:
    total = 0.0
    for j in range(rows.shape[1]):
        total += np.float64(rows[row, j]) * np.float64(weights[label, j])
    return total


@compiled
def add_dense_scores(rows: Any, weights: Any, out: Any) -> None:
    """Add the products of rows (n, d) with weights (c, d) to ``out`` (n, c)."""
    for row in range(len(rows)):
        for label in range(len(weights)):
            out[row, label] += _product(rows, row, weights, label)


@compiled
def add_sparse_scores(indptr: Any, columns: Any, values: Any, weights: Any, out: Any) -> None:
    """Add the products of CSR rows with weights (n_columns, c) to ``out`` (n, c)."""
    for row in range(len(out)):
        for place in range(indptr[row], indptr[row + 1]):
            column = index(columns[place])
            for label in range(weights.shape[1]):
                out[row, label] += np.float64(values[place]) * np.float64(weights[column, label])


@compiled
def _square_dense(rows: Any, out: Any) -> None:
    for row in range(len(rows)):
        out[row] = _product(rows, row, rows, row)


@compiled
def _square_sparse(indptr: Any, values: Any, out: Any) -> None:
    for row in range(len(out)):
        for place in range(indptr[row], indptr[row + 1]):
            out[row] += np.float64(values[place]) * np.float64(values[place])


def lengths_of(rows: Any) -> NDArray[np.float64]:
    """Return the length of each row, dense or CSR."""
    squares = np.zeros(rows.shape[0])
    if sp.issparse(rows):
        _square_sparse(rows.indptr, rows.data, squares)
    else:
        _square_dense(np.ascontiguousarray(rows), squares)
    return np.sqrt(squares)
