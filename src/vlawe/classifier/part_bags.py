"""Documents as bags, tokenised once for the parts of a classifier that agree on how."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import tee
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags, in_batches
from vlawe.documents import read
from vlawe.tokenizer import Tokenizer, tokenize_batches
from vlawe.vectors import WordVectors

Tokenizing = tuple[WordVectors, Tokenizer | None]
"""What parts must agree on to have the same bags."""

_SCORED = 1024
"""Documents that are scored at a time: a kernel prepares the rows that it keeps for each batch."""


@dataclass(frozen=True)
class PartBags:
    """Documents as the bags of each part of a classifier, see `DocumentClassifier.tokenize`.

    ``distinct`` has them once for each table and tokenizer, that of the first part first;
    ``of_part`` says which of them each part has.
    """

    distinct: Sequence[Bags]
    of_part: Sequence[int]

    def __len__(self) -> int:
        return len(self.distinct[0])

    def __iter__(self) -> Iterator[Bags]:
        """Iterate over the bags of each part."""
        return (self.distinct[number] for number in self.of_part)

    def take(self, rows: NDArray[np.int64]) -> "PartBags":
        """Pick documents."""
        return PartBags([bags.take(rows) for bags in self.distinct], self.of_part)

    def in_batches(self) -> "Iterator[PartBags]":
        """Iterate over batches of documents that are scored at a time."""
        for start in range(0, len(self), _SCORED):
            some = [bags[start : start + _SCORED] for bags in self.distinct]
            yield PartBags(some, self.of_part)


def tokenize_parts(texts: Any, parts: Sequence[Tokenizing], n_jobs: int | None) -> PartBags:
    """Turn texts into the bags of each part; they are read once."""
    streams, of_part = _streams(texts, parts, n_jobs)
    return PartBags([Bags.join(stream) for stream in streams], of_part)


def tokenize_part_batches(
    texts: Any, parts: Sequence[Tokenizing], n_jobs: int | None
) -> Iterator[PartBags]:
    """Yield the bags of each part for batches of texts, which need not fit in memory."""
    streams, of_part = _streams(texts, parts, n_jobs)
    for bags in zip(*(in_batches(stream, _SCORED) for stream in streams), strict=True):
        yield PartBags(bags, of_part)


def _streams(
    texts: Any, parts: Sequence[Tokenizing], n_jobs: int | None
) -> tuple[list[Iterator[Bags]], list[int]]:
    """Return batches of bags for each table and tokenizer, and which of them each part has."""
    keys = [(id(table), id(tokenizer)) for table, tokenizer in parts]
    distinct = dict(zip(keys, parts, strict=True))
    copies = tee(read(texts), len(distinct))
    streams = [
        tokenize_batches(batches, table, tokenizer=tokenizer, n_jobs=n_jobs)
        for batches, (table, tokenizer) in zip(copies, distinct.values(), strict=True)
    ]
    return streams, [list(distinct).index(key) for key in keys]
