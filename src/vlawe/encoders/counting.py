"""Counting: words of all documents or of each class, compiled; columns of each document."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.system.compiling import compiled


@compiled
def _add_words(ids: Any, counts: Any) -> None:
    for word in ids:
        counts[word] += 1


@compiled
def _add_words_of_classes(
    ids: Any, indptr: Any, classes: Any, class_indptr: Any, counts: Any
) -> None:
    for document in range(len(indptr) - 1):
        bag = ids[indptr[document] : indptr[document + 1]]
        for position in range(class_indptr[document], class_indptr[document + 1]):
            row = counts[classes[position]]
            for word in bag:
                row[word] += 1


def count_words(
    batches: Iterable[Bags], n_words: int, membership: Any = None
) -> tuple[NDArray[np.int64], int]:
    """Count how often each word of a table occurs; return that and the number of documents.

    With ``membership``, CSR of bool (n_documents, n_classes), counts are (n_classes, n_words), else
    (n_words,); ValueError if there are more documents, or fewer, than it knows.
    """
    shape = (n_words,) if membership is None else (membership.shape[1], n_words)
    counts = np.zeros(shape, np.int64)
    n_documents = 0
    for bags in batches:
        stop = n_documents + len(bags)
        if membership is None:
            _add_words(bags.ids, counts)
        elif stop <= membership.shape[0]:  # else refused below
            own = membership[n_documents:stop]
            indices, indptr = own.indices.astype(np.int64), own.indptr.astype(np.int64)
            _add_words_of_classes(bags.ids, bags.indptr, indices, indptr, counts)
        n_documents = stop
    if membership is not None and membership.shape[0] != n_documents:
        raise ValueError(f"{n_documents} documents have {membership.shape[0]} labels")
    return counts, n_documents


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
