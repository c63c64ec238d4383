"""Counting words, compiled: of all documents, or of each group of them."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.bag_spool import BagSpool
from vlawe.bags import Bags
from vlawe.system.compiling import compiled

COUNTED_AT_ONCE = 4096
"""Documents in a batch where no rows are made of them, at most; threads share it."""
SHARED_BYTES = 1 << 16
"""Bytes of text that a thread looks up before it pays to wake another one."""


@compiled
def _add_words(ids: Any, counts: Any) -> None:
    for word in ids:
        counts[word] += 1


@compiled
def _add_words_of_groups(ids: Any, indptr: Any, groups: Any, group_indptr: Any, counts: Any
                         ) -> None:  # fmt: skip
    for document in range(len(indptr) - 1):
        bag = ids[indptr[document] : indptr[document + 1]]
        for position in range(group_indptr[document], group_indptr[document + 1]):
            row = counts[groups[position]]
            for word in bag:
                row[word] += 1


def add_words(bags: Bags, membership: Any, counts: NDArray[np.int64]) -> None:
    """Add the words of bags to counts (n_groups, n_words).

    ``membership`` is CSR (n_documents, n_groups); None puts all documents in the one group.
    """
    if membership is None:
        _add_words(bags.ids, counts[0])
    else:
        groups, indptr = membership.indices.astype(np.int64), membership.indptr.astype(np.int64)
        _add_words_of_groups(bags.ids, bags.indptr, groups, indptr, counts)


def count_words(
    batches: Iterable[Bags], n_words: int, membership: Any = None, spool: BagSpool | None = None
) -> tuple[NDArray[np.int64], int]:
    """Count how often each word of a table occurs; return that and the number of documents.

    Parameters
    ----------
    batches : iterable of Bags
    n_words : int
        Words of the table.
    membership : CSR of bool, shape (n_documents, n_groups), optional
        Which document is of which group. Counts are then (n_groups, n_words), else (n_words,).
    spool : BagSpool, optional
        Keeps the bags.

    Raises
    ------
    ValueError
        If there are more documents, or fewer, than ``membership`` knows.
    """
    n_groups = 1 if membership is None else membership.shape[1]
    counts = np.zeros((n_groups, n_words), np.int64)
    n_documents = 0
    for bags in batches:
        stop = n_documents + len(bags)
        if membership is None:
            add_words(bags, None, counts)
        elif stop <= membership.shape[0]:  # else refused below
            add_words(bags, membership[n_documents:stop], counts)
        n_documents = stop
        if spool is not None:
            spool.append(bags)
    if membership is None:
        return counts[0], n_documents
    if membership.shape[0] != n_documents:
        raise ValueError(f"{n_documents} documents have {membership.shape[0]} labels")
    return counts, n_documents
