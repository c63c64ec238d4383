"""Rows onto the components of PCA, block by block: compiled, the same for every batch.

A document's block of a codeword of which it has no word is zero. So for each codeword only the
documents that have one are multiplied with its part of the components, some columns of it (a
panel) at a time, which stays in a cache. Blocks are summed in float32, each number by itself (see
`tiles`), and the sums of blocks are added in the order of the codewords. So a row's bits depend
neither on its place in the batch nor on what else is there.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.encoders.tiles import HEIGHT, WIDTH, add_projections, is_zero
from vlawe.system.compiling import compiled, index


def in_panels(components: NDArray[np.float32], n_blocks: int) -> NDArray[np.float32]:
    """Return components (c, k·d) as `project` takes them: (k, panels, d, `WIDTH`), zeros added."""
    c, n_features = components.shape
    n_panels = -(-c // WIDTH)
    wide = np.zeros((n_features, n_panels * WIDTH), np.float32)
    wide[:, :c] = components.T
    panels = wide.reshape(n_blocks, n_features // n_blocks, n_panels, WIDTH)
    return np.ascontiguousarray(panels.transpose(0, 2, 1, 3))


@compiled
def project(rows: Any, basis: Any, out: Any) -> None:
    """Write the projections of ``rows`` with unit length (or zero) to ``out``.

    ``rows`` (n, k·d) float32, ``basis`` by `in_panels`, ``out`` (n, c) float32 or float64.
    """
    (n, n_columns), (k, n_panels, d, _) = out.shape, basis.shape
    width = n_panels * WIDTH
    # The rows that fill the last tile are the first; what comes of them has a row of its own.
    sums = np.zeros((n + 1, width), np.float32)
    begins = np.empty(n + HEIGHT, np.int64)
    ends = np.empty(n + HEIGHT, np.int64)
    blocks = rows.reshape((n, k, d))
    for codeword in range(k):
        n_own = np.int64(0)
        for document in range(n):
            if not is_zero(blocks[document, codeword]):
                begins[index(n_own)] = (document * k + codeword) * d
                ends[index(n_own)] = document * width
                n_own += 1
        begins[n_own : n_own + HEIGHT] = 0
        ends[n_own : n_own + HEIGHT] = n * width
        for panel in range(n_panels):
            begin = (codeword * n_panels + panel) * d * WIDTH
            for first in range(0, n_own, HEIGHT):
                add_projections(rows, begins, first, basis, begin, d, sums, ends)
            for position in range(n_own + HEIGHT):
                ends[position] += WIDTH
    for document in range(n):
        row = sums[document]
        squares = 0.0
        for j in range(n_columns):
            squares += np.float64(row[j]) * np.float64(row[j])
        factor = 1.0 / np.sqrt(squares) if squares > 0.0 else 0.0
        for j in range(n_columns):
            out[document, j] = row[j] * factor
