"""Gram matrices of all documents of a data set, as float32, and what protocols do to them.

A hundred million kernel values a matrix are the bulk of the work. float32 halves the time of the
products and the memory; its rounding is ten thousand times below the tolerance at which the
machines stop. Matrices are made stripe by stripe up to the diagonal, then mirrored.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.preprocessing import normalize

from vlawe.compiled import kernel
from vlawe.kernels import pq_kernel
from vlawe.reproduce.methods import Part
from vlawe.reproduce.protocol import EXPONENT

Gram = NDArray[np.float32]

_STRIPE = 256


def part_gram(part: Part, rows: Any, out: Gram) -> None:
    """Write the normalised kernel of all rows with all rows; zero rows stay zero."""
    if part.kernel == "pq":
        rows = sp.csr_array(rows)
        _fill(lambda a, b: pq_kernel(rows[a:b], rows[:b], normalize=True, n_jobs=1), out)
        return
    unit = normalize(rows)
    if part.encoder == "vlawe" and not part.n_components:
        _sum_of_blocks(unit.reshape(len(unit), part.n_codewords, -1), out)
    elif sp.issparse(unit):
        _fill(lambda a, b: (unit[a:b] @ unit[:b].T).toarray(), out)
    else:
        _fill(lambda a, b: unit[a:b] @ unit[:b].T, out)


def _fill(stripe: Callable[[int, int], NDArray[Any]], out: Gram) -> None:
    """Write a symmetric matrix; ``stripe(a, b)`` are its rows a to b, up to column b."""
    for start in range(0, len(out), _STRIPE):
        stop = min(start + _STRIPE, len(out))
        out[start:stop, :stop] = stripe(start, stop)
    _mirror(out)


def _sum_of_blocks(blocks: NDArray[np.float32], out: Gram) -> None:
    """Write ``Σ_i B_i B_iᵀ`` of VLAWE's blocks (n, k, d), without the zeros.

    A sentence has words of few codewords: of thirty, less than half. The block of a codeword is
    multiplied for those documents alone that have a word of it.
    """
    out[:] = 0
    for i in range(blocks.shape[1]):
        present = np.flatnonzero(blocks[:, i].any(axis=1))
        own = blocks[present, i]
        for start in range(0, len(own), _STRIPE):
            stop = min(start + _STRIPE, len(own))
            _add_at(out, present[start:stop], present[:stop], own[start:stop] @ own[:stop].T)
    _mirror(out)


@kernel
def _add_at(gram: Any, rows: Any, columns: Any, products: Any) -> None:
    for i in range(len(rows)):
        target = gram[rows[i]]
        source = products[i]
        for j in range(len(columns)):
            target[columns[j]] += source[j]


@kernel
def _mirror(gram: Any) -> None:
    """Copy what is below the diagonal to above it, in tiles that fit in the cache."""
    side = 64
    for top in range(0, len(gram), side):
        for left in range(0, top + 1, side):
            for i in range(top, min(top + side, len(gram))):
                for j in range(left, min(left + side, i)):
                    gram[j, i] = gram[i, j]


def exponential(gram: Gram, out: Gram) -> None:
    """Write ``exp(−1.5 (1 − K))``; ``out`` may be the kernel itself."""
    np.subtract(gram, np.float32(1), out=out)
    out *= np.float32(EXPONENT)
    np.exp(out, out=out)


def product(gram: Gram, out: Gram) -> None:
    """Write ``K Kᵀ``."""
    _fill(lambda a, b: gram[a:b] @ gram[:b].T, out)


@kernel
def take_block(gram: Any, rows: Any, columns: Any, out: Any) -> None:
    """Write some rows and columns to ``out``, float64."""
    for i in range(len(rows)):
        source = gram[rows[i]]
        target = out[i]
        for j in range(len(columns)):
            target[j] = source[columns[j]]
