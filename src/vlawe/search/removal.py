"""Which documents of an index stay where some are removed."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray


def kept_documents(
    n_documents: int,
    positions: int | Iterable[int] | None,
    where: Callable[[Any], Any] | None,
    metadata: Callable[[int], Any],
) -> NDArray[np.bool_]:
    """Return for each document whether it stays.

    ``positions`` are those of documents to remove, or ``where`` tells it of what ``metadata``
    returns for a position. TypeError or ValueError if neither or both are given, or a position is
    none.
    """
    if (positions is None) == (where is None):
        raise TypeError("say which documents: positions, or where=function of their metadata")
    if where is not None:
        return np.array([not where(metadata(i)) for i in range(n_documents)], np.bool_)
    given = np.atleast_1d(
        np.asarray(list(positions) if isinstance(positions, Iterable) else positions)
    )
    if given.size and (given.dtype.kind not in "iu" or given.ndim != 1):
        raise TypeError(
            f"positions are whole numbers, got {given.ravel()[0].item()!r}; of a mask take "
            "numpy.flatnonzero(mask)"
        )
    wrong = (given < 0) | (given >= n_documents)
    if wrong.any():
        raise ValueError(
            f"there is no document {given[wrong][0]} among {n_documents:,}, counted from 0"
        )
    kept = np.ones(n_documents, np.bool_)
    kept[given.astype(np.int64)] = False
    return kept
