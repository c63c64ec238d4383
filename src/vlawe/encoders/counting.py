"""The compiled counting of words: of all documents, or of each group of them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.compiled import kernel


@kernel
def _add_words(ids: Any, counts: Any) -> None:
    for word in ids:
        counts[word] += 1


@kernel
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
        _add_words_of_groups(
            bags.ids,
            bags.indptr,
            membership.indices.astype(np.int64),
            membership.indptr.astype(np.int64),
            counts,
        )
