"""Gram matrices of all documents of a data set, as float32, and what protocols do to them.

A hundred million kernel values a matrix are the bulk of the work. float32 halves the time of the
products and the memory; its rounding is ten thousand times below the tolerance at which the
machines stop. Matrices are made stripe by stripe up to the diagonal, then mirrored.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.preprocessing import normalize

from vlawe.kernels import pq_kernel
from vlawe.reproduce.methods import Part
from vlawe.reproduce.protocol import EXPONENT
from vlawe.system.compiling import compiled

Gram = NDArray[np.float32]
Groups = tuple[NDArray[np.int64], ...]
"""Row numbers, in groups. Stripes do not cross from one group to the next, so that the values of
the first, the training documents, are computed as if there were no others, to the last bit."""

_STRIPE = 256


def part_gram(part: Part, rows: Any, groups: Groups, out: Gram) -> None:
    """Write the normalised kernel of all rows with all rows; zero rows stay zero.

    The rows come in the order of the groups, and are changed: covariances of ten thousand documents
    take two gigabytes, of which there is one copy.
    """
    if part.encoder == "boswe":
        counts = sp.csr_array(rows)
        stripe = partial(pq_kernel, normalize=True, n_jobs=1)
        _fill(lambda a, b: stripe(counts[a:b], counts[:b]), groups, out)
        return
    unit = normalize(rows, copy=False)
    if part.sizes:
        _sum_of_blocks(unit.reshape(len(unit), sum(part.sizes), -1), groups, out)
    elif sp.issparse(unit):
        _fill(lambda a, b: (unit[a:b] @ unit[:b].T).toarray(), groups, out)
    else:
        _fill(lambda a, b: unit[a:b] @ unit[:b].T, groups, out)


def _stripes(sizes: list[int]) -> Iterator[tuple[int, int]]:
    start = 0
    for size in sizes:
        end = start + size
        while start < end:
            stop = min(start + _STRIPE, end)
            yield start, stop
            start = stop


def _fill(stripe: Callable[[int, int], NDArray[Any]], groups: Groups, out: Gram) -> None:
    """Write a symmetric matrix; ``stripe(a, b)`` are its rows a to b, up to column b, in order."""
    order = np.concatenate(groups)
    for start, stop in _stripes([len(group) for group in groups]):
        _put_at(out, order[start:stop], order[:stop], stripe(start, stop))
    _mirror(out, order)


def _sum_of_blocks(blocks: NDArray[np.float32], groups: Groups, out: Gram) -> None:
    """Write ``Σ_i B_i B_iᵀ`` of a codebook's blocks (n, k, d), without the zeros.

    A sentence has words of few codewords: of thirty, less than half. The block of a codeword is
    multiplied for those documents alone that have a word of it.
    """
    order = np.concatenate(groups)
    ends = np.cumsum([len(group) for group in groups])
    out[:] = 0
    for i in range(blocks.shape[1]):
        present = np.flatnonzero(blocks[:, i].any(axis=1))
        own, places = blocks[present, i], order[present]
        sizes = np.diff(np.searchsorted(present, ends), prepend=0)
        for start, stop in _stripes(sizes.tolist()):
            products = own[start:stop] @ own[:stop].T
            _add_at(out, places[start:stop], places[:stop], products)
    _mirror(out, order)


@compiled
def _put_at(gram: Any, rows: Any, columns: Any, values: Any) -> None:
    for i in range(len(rows)):
        target = gram[rows[i]]
        source = values[i]
        for j in range(len(columns)):
            target[columns[j]] = source[j]


@compiled
def _add_at(gram: Any, rows: Any, columns: Any, values: Any) -> None:
    for i in range(len(rows)):
        target = gram[rows[i]]
        source = values[i]
        for j in range(len(columns)):
            target[columns[j]] += source[j]


@compiled
def _mirror(gram: Any, order: Any) -> None:
    """Copy each row's values with earlier rows to those rows, in tiles that fit in the cache."""
    side = 64
    for top in range(0, len(order), side):
        for left in range(0, top + 1, side):
            for i in range(top, min(top + side, len(order))):
                for j in range(left, min(left + side, i)):
                    gram[order[j], order[i]] = gram[order[i], order[j]]


def exponential(gram: Gram, out: Gram) -> None:
    """Write ``exp(−1.5 (1 − K))``; ``out`` may be the kernel itself."""
    np.subtract(gram, np.float32(1), out=out)
    out *= np.float32(EXPONENT)
    np.exp(out, out=out)


def product(gram: Gram, out: Gram) -> None:
    """Write ``K Kᵀ``."""
    _fill(lambda a, b: gram[a:b] @ gram[:b].T, (np.arange(len(gram)),), out)


@compiled
def take_block(gram: Any, rows: Any, columns: Any, out: Any) -> None:
    """Write some rows and columns to ``out``, float64."""
    for i in range(len(rows)):
        source = gram[rows[i]]
        target = out[i]
        for j in range(len(columns)):
            target[j] = source[columns[j]]
