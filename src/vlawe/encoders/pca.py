"""Uncentred PCA, learned from all training rows in one streaming pass.

The components are the leading eigenvectors of ``Σ x xᵀ``. Batches of a fixed number of rows are
summed in float32, batches are added in float64 to groups of a fixed number of rows, and groups to
the whole, in the order of the rows. So the sum has the same bits whatever the batches of the
caller, the number of threads, and the machines that sum the groups. It differs from a sum in
float64 by less than 1e-6 of its largest number, which is what the components' float32 can tell.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vlawe.encoders.tiles import HEIGHT, WIDTH, is_zero, make_moments
from vlawe.system.compiling import compiled, index
from vlawe.system.threads import one_native_thread, run_threads

ROWS = 512
"""Rows that are summed at a time, in float32."""
GROUP = 16 * ROWS
"""Rows that are summed by themselves, by one machine, before they are added to the whole."""


class Panels(NamedTuple):
    """A batch of rows by codewords, without the blocks that are zero, as `_add_stripes` takes it.

    ``numbers`` (k, panels, n, `WIDTH`) float32: of a codeword some columns (a panel) of all its
    blocks; ``documents`` (k, n) int64: whose they are; ``n_blocks`` (k,) int64: how many.
    """

    numbers: NDArray[np.float32]
    documents: NDArray[np.int64]
    n_blocks: NDArray[np.int64]

    @classmethod
    def of(cls, rows: NDArray[np.float32]) -> "Panels":
        """Put rows of blocks, (n, k, d), in order."""
        n, k, d = rows.shape
        panels = cls(
            np.zeros((k, -(-d // WIDTH), n, WIDTH), np.float32),
            np.empty((k, n), np.int64),
            np.empty(k, np.int64),
        )
        _put_in_panels(rows, *panels)
        return panels


@dataclass(frozen=True)
class SecondMoments:
    """``Σ x xᵀ`` of some rows: the lower triangle, and how many rows there were.

    Moments of whole groups, added up in the order of the rows, have the bits of the whole.
    """

    gram: NDArray[np.float64]
    n_rows: int

    @classmethod
    def of(cls, batches: Iterable[Panels], n_features: int, n_jobs: int) -> "SecondMoments":
        """Add up batches of `ROWS` rows of so many columns, of which the last may have fewer."""
        whole, group = None, np.zeros((n_features, n_features))
        n_rows = 0
        for panels in batches:
            if n_rows and n_rows % GROUP == 0:
                whole = group if whole is None else whole + group
                group = np.zeros_like(group)
            _add_batch(panels, group, n_jobs)
            n_rows += panels.documents.shape[1]
        return cls(group if whole is None else whole + group, n_rows)

    def __add__(self, later: "SecondMoments") -> "SecondMoments":
        return SecondMoments(self.gram + later.gram, self.n_rows + later.n_rows)

    def components(self, n_components: int) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """Return the leading components (n_components, n_features) and the share of each."""
        from scipy.linalg import eigh

        n_features = len(self.gram)
        most = min(self.n_rows, n_features)
        if n_components > most:
            raise ValueError(
                f"n_components={n_components} is more than {self.n_rows} documents of "
                f"{n_features} columns allow; the most is {most}"
            )
        total = float(np.trace(self.gram))
        scale = 1.0 / total if total > 0 else 1.0
        with one_native_thread():
            values, columns = eigh(
                (self.gram * scale).astype(np.float32),
                lower=True,
                overwrite_a=True,
                subset_by_index=[n_features - n_components, n_features - 1],
            )
        components = columns.T[::-1]
        # An eigenvector has no sign of its own: make its largest entry positive.
        largest = np.abs(components).argmax(axis=1)
        signs = np.where(components[np.arange(n_components), largest] < 0, -1.0, 1.0)
        shares = np.maximum(values[::-1], 0).astype(np.float64)
        return np.ascontiguousarray(components * signs[:, None], np.float32), shares


def _add_batch(panels: Panels, gram: NDArray[np.float64], n_jobs: int) -> None:
    """Add to the lower triangle of ``gram``: stripes of it, each by one thread."""
    n_tasks = 4 * n_jobs

    def add_stripes(first: int) -> None:
        _add_stripes(*panels, first, n_tasks, gram)

    run_threads(add_stripes, range(n_tasks), n_jobs)


@compiled
def _put_in_panels(rows: Any, numbers: Any, documents: Any, n_blocks: Any) -> None:
    """Copy the blocks that are not zero."""
    n, k, d = rows.shape
    for codeword in range(k):
        n_own = np.int64(0)
        for document in range(n):
            block = rows[document, codeword]
            if is_zero(block):
                continue
            documents[codeword, n_own] = document
            for start in range(0, d, WIDTH):
                panel = numbers[codeword, start // WIDTH, n_own]
                for j in range(min(WIDTH, d - start)):
                    panel[j] = block[start + j]
            n_own += 1
        n_blocks[codeword] = n_own


@compiled
def _add_stripes(
    numbers: Any, documents: Any, n_blocks: Any, first: Any, step: Any, gram: Any
) -> None:
    """Add the stripes of every so many panels: long ones and short ones."""
    k, n_panels = numbers.shape[:2]
    for stripe in range(first, k * n_panels, step):
        codeword, panel = stripe // n_panels, stripe % n_panels
        _add_stripe(numbers, documents, n_blocks, codeword, panel, gram)


@compiled
def _add_stripe(
    numbers: Any, documents: Any, n_blocks: Any, codeword: Any, panel: Any, gram: Any
) -> None:
    """Add ``Σ x yᵀ`` of a panel's columns ``x`` and those ``y`` of all panels up to it.

    For two codewords it is summed over the documents that have words of both, in their order.
    """
    k, n_panels, n, _ = numbers.shape
    d = len(gram) // k
    size = n * WIDTH
    lefts, rights = np.empty(n, np.int64), np.empty(n, np.int64)
    tile = np.empty((HEIGHT, WIDTH), np.float32)
    for other in range(codeword + 1):
        n_both = _find_both(
            documents[codeword, : n_blocks[codeword]], documents[other, : n_blocks[other]],
            lefts, rights,
        )  # fmt: skip
        if n_both == 0:
            continue
        last = panel if other == codeword else n_panels - 1
        for other_panel in range(last + 1):
            right = (other * n_panels + other_panel) * size
            first_column = other_panel * WIDTH
            n_columns = min(WIDTH, d - first_column)
            for offset in range(0, min(WIDTH, d - panel * WIDTH), HEIGHT):
                left = (codeword * n_panels + panel) * size + offset
                make_moments(numbers, lefts, left, rights, right, n_both, tile)
                for r in range(min(HEIGHT, d - panel * WIDTH - offset)):
                    own = tile[r]
                    begin = other * d + first_column
                    row = gram[codeword * d + panel * WIDTH + offset + r]
                    sums = row[begin : begin + n_columns]
                    for j in range(n_columns):
                        sums[j] += own[j]


@compiled
def _find_both(mine: Any, others: Any, lefts: Any, rights: Any) -> Any:
    """List where in their panels the documents stand that two codewords share."""
    n, at = np.int64(0), np.int64(0)
    for position in range(len(mine)):
        while at < len(others) and others[index(at)] < mine[position]:
            at += 1
        if at < len(others) and others[index(at)] == mine[position]:
            lefts[index(n)] = position * WIDTH
            rights[index(n)] = at * WIDTH
            n += 1
    return n
