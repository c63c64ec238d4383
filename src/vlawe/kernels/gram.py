"""Gram matrices, tile by tile.

A matrix is cut into blocks of columns and each block into tiles of rows. A tile is computed by
one thread, straight into its place in the result; where both sides are the same rows, only tiles
on and below the diagonal are computed, and each is copied to its mirror place while it is still
in the cache. The grid does not depend on the number of threads, so neither do the results.
"""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vlawe.kernels.scaling import divide_by_lengths, split_lengths
from vlawe.system.compiling import compiled
from vlawe.system.threads import resolve_jobs, run_threads

Diagonals: TypeAlias = "tuple[NDArray[np.float64], NDArray[np.float64]]"
Fill: TypeAlias = "Callable[[slice, NDArray[np.float64]], None]"
"""Write some rows of a block of columns to their place in the whole result."""

_ROWS_OF_A_TASK = 2048
"""What is prepared for a block of columns is used for so many rows."""


def gram_matrix(
    prepare: Callable[[slice], Fill],
    diagonals: Diagonals,
    *,
    symmetric: bool,
    normalize: bool,
    n_jobs: int | None,
    width: int,
    height: int = 128,
) -> NDArray[np.float64]:
    """Return the kernel of every row of X with every row of Y.

    Parameters
    ----------
    prepare : callable
        From a slice of columns (rows of Y) to the function that fills their tiles.
    diagonals : pair of ndarray of float64, shapes (n,) and (m,)
        ``K(x, x)`` of the rows of X and ``K(y, y)`` of those of Y.
    symmetric : bool
        Whether Y is X.
    normalize : bool
        Divide by ``sqrt(K(x, x) K(y, y))``.
    n_jobs : int or None
        Threads; None is all cores.
    width, height : int
        Columns and rows of a tile.

    Returns
    -------
    ndarray of float64, shape (n, m)
    """
    n_rows, n_columns = map(len, diagonals)
    out = np.empty((n_rows, n_columns), np.float64)
    lengths = tuple(map(split_lengths, diagonals)) if normalize else None

    def compute(task: tuple[slice, slice]) -> None:
        columns, rows = task
        fill = prepare(columns)
        for tile in _tiles(columns, rows, height, symmetric):
            fill(tile, out)
            on_diagonal = symmetric and tile == columns
            if on_diagonal:
                np.fill_diagonal(out[tile, columns], diagonals[0][tile])
            if lengths is not None:
                divide_by_lengths(
                    out, tile.start, tile.stop, columns.start, columns.stop, *lengths[0],
                    *lengths[1],
                )  # fmt: skip
            if symmetric and not on_diagonal:
                _mirror(out, tile.start, tile.stop, columns.start, columns.stop)

    run_threads(compute, _tasks(n_rows, n_columns, width, symmetric), resolve_jobs(n_jobs))
    return out


def slices(start: int, stop: int, step: int) -> Iterator[slice]:
    """Cut a range into slices of ``step``, the last one shorter."""
    for begin in range(start, stop, step):
        yield slice(begin, min(begin + step, stop))


def _tasks(n_rows: int, n_columns: int, width: int, symmetric: bool
           ) -> Iterator[tuple[slice, slice]]:  # fmt: skip
    for columns in slices(0, n_columns, width):
        for rows in slices(columns.start if symmetric else 0, n_rows, _ROWS_OF_A_TASK):
            yield columns, rows


def _tiles(columns: slice, rows: slice, height: int, symmetric: bool) -> Iterator[slice]:
    """Cut the rows of a task into tiles; the one on the diagonal is a tile by itself."""
    if symmetric and rows.start == columns.start:
        return chain([columns], slices(columns.stop, rows.stop, height))
    return slices(rows.start, rows.stop, height)


@compiled
def _mirror(out: Any, start: Any, stop: Any, first: Any, last: Any) -> None:
    """Copy ``out[start:stop, first:last]`` to ``out[first:last, start:stop]``.

    Eight by eight numbers: a line of the cache each way.
    """
    for i in range(start, stop, 8):
        for j in range(first, last, 8):
            for column in range(j, min(j + 8, last)):
                for row in range(i, min(i + 8, stop)):
                    out[column, row] = out[row, column]
