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

from vlawe.kernels.scaling import Lengths, Tile, divide_by_lengths
from vlawe.system.compiling import compiled
from vlawe.system.threads import resolve_jobs, run_threads

Fill: TypeAlias = "Callable[[slice, NDArray[np.float64]], None]"
"""Write some rows of a block of columns to their place in the whole result."""

_ROWS_OF_A_TASK = 2048
"""What is prepared for a block of columns is used for so many rows."""


def gram_matrix(
    prepare: Callable[[slice], Fill],
    diagonals: tuple[NDArray[np.float64], NDArray[np.float64]],
    *,
    symmetric: bool,
    normalize: bool,
    n_jobs: int | None,
    width: int,
    height: int = 128,
) -> NDArray[np.float64]:
    """Return the kernel of every row of X with every row of Y.

    ``prepare`` makes, of a slice of columns (rows of Y), the function that fills their tiles, of
    ``width`` columns and ``height`` rows. ``diagonals`` are ``K(x, x)`` (n,) of the rows of X and
    ``K(y, y)`` (m,) of those of Y; ``symmetric`` says that Y is X.
    """
    n_rows, n_columns = map(len, diagonals)
    out = np.empty((n_rows, n_columns), np.float64)
    lengths = tuple(map(Lengths.of, diagonals)) if normalize else None

    def compute(task: tuple[slice, slice]) -> None:
        columns, rows = task
        fill = prepare(columns)
        for some in _tiles(columns, rows, height, symmetric):
            fill(some, out)
            tile = Tile.of(some, columns)
            on_diagonal = symmetric and some == columns
            if on_diagonal:
                np.fill_diagonal(out[some, columns], diagonals[0][some])
            if lengths is not None:
                divide_by_lengths(out, tile, *lengths)
            if symmetric and not on_diagonal:
                _mirror(out, tile)

    tasks = (
        (columns, rows)
        for columns in slices(0, n_columns, width)
        for rows in slices(columns.start if symmetric else 0, n_rows, _ROWS_OF_A_TASK)
    )
    run_threads(compute, tasks, resolve_jobs(n_jobs))
    return out


def slices(start: int, stop: int, step: int) -> Iterator[slice]:
    """Cut a range into slices of ``step``, the last one shorter."""
    for begin in range(start, stop, step):
        yield slice(begin, min(begin + step, stop))


def _tiles(columns: slice, rows: slice, height: int, symmetric: bool) -> Iterator[slice]:
    """Cut the rows of a task into tiles; the one on the diagonal is a tile by itself."""
    if symmetric and rows.start == columns.start:
        return chain([columns], slices(columns.stop, rows.stop, height))
    return slices(rows.start, rows.stop, height)


@compiled
def _mirror(out: Any, tile: Any) -> None:
    """Copy a tile to its mirror place, eight by eight numbers: a line of the cache each way."""
    for i in range(tile.start, tile.stop, 8):
        for j in range(tile.first, tile.last, 8):
            for column in range(j, min(j + 8, tile.last)):
                for row in range(i, min(i + 8, tile.stop)):
                    out[column, row] = out[row, column]
