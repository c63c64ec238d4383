"""A data set as bags of a table's words: tokenised once, for all folds, seeds and rows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.reproduce.datasets import Dataset
from vlawe.tokenizer import tokenize
from vlawe.vectors import WordVectors


@dataclass(frozen=True)
class Documents:
    """A data set and its words in a table.

    The table has only those words that occur in the data set, in the order of the whole one: the
    others change no number, and would cost time at every codebook.
    """

    dataset: Dataset
    vectors: WordVectors
    bags: Bags

    @classmethod
    def prepare(cls, dataset: Dataset, table: WordVectors) -> "Documents":
        """Tokenise a data set with a table."""
        bags = tokenize(dataset.texts, table)
        occurring = np.unique(bags.ids)
        if len(occurring) == 0:
            raise ValueError(f"{table.name} knows no word of {dataset.name}")
        vectors = table.select(keep=[table.words[int(row)] for row in occurring])
        ids = np.searchsorted(occurring, bags.ids).astype(np.int32)
        return cls(dataset, vectors, Bags(ids, bags.indptr, bags.n_unknown))

    def __len__(self) -> int:
        return len(self.bags)

    def labels(self, rows: NDArray[np.int64]) -> list[str] | list[tuple[str, ...]]:
        """Return the labels of some documents."""
        return [self.dataset.labels[row] for row in rows]
