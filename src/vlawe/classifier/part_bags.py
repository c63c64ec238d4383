"""Documents as the bags of a classifier's parts, made once for the parts that agree on how."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import tee
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags, in_batches
from vlawe.documents import read
from vlawe.encoders import Encoder
from vlawe.encoders.encoder import AnyBags

_SCORED = 1024
"""Documents that are scored at a time: a kernel prepares the rows that it keeps for each batch."""


@dataclass(frozen=True)
class PartBags:
    """Documents as the bags of each part of a classifier, see `DocumentClassifier.tokenize`.

    ``distinct`` has them once for parts whose bags are the same (words of one table by one
    tokenizer, or the texts themselves), those of the first part first; ``of_part`` says which of
    them each part has.
    """

    distinct: Sequence[AnyBags]
    of_part: Sequence[int]

    def __len__(self) -> int:
        return len(self.distinct[0])

    def __iter__(self) -> Iterator[AnyBags]:
        """Iterate over the bags of each part."""
        return (self.distinct[number] for number in self.of_part)

    @property
    def words(self) -> Bags | None:
        """The first bags that are rows of a table, None if no part has a table."""
        return next((bags for bags in self.distinct if isinstance(bags, Bags)), None)

    def take(self, rows: NDArray[np.int64]) -> "PartBags":
        """Pick documents."""
        return PartBags([bags.take(rows) for bags in self.distinct], self.of_part)

    @classmethod
    def join(cls, parts: "Sequence[PartBags]") -> "PartBags":
        """Put documents of several collections end to end."""
        pieces = zip(*(part.distinct for part in parts), strict=True)
        return cls([type(own[0]).join(own) for own in pieces], parts[0].of_part)

    def __getitem__(self, documents: slice) -> "PartBags":
        return PartBags([bags[documents] for bags in self.distinct], self.of_part)

    def in_batches(self) -> "Iterator[PartBags]":
        """Iterate over batches of documents that are scored at a time."""
        for start in range(0, len(self), _SCORED):
            yield self[start : start + _SCORED]


def tokenize_parts(texts: Any, encoders: Sequence[Encoder]) -> PartBags:
    """Turn texts into the bags of each part's encoder; they are read once."""
    makers, of_part = _makers(encoders)
    streams = _streams(texts, makers)
    pairs = zip(makers, streams, strict=True)
    return PartBags([maker.bag_type.join(stream) for maker, stream in pairs], of_part)


def tokenize_part_batches(texts: Any, encoders: Sequence[Encoder]) -> Iterator[PartBags]:
    """Yield the bags of each part for batches of texts, which need not fit in memory."""
    makers, of_part = _makers(encoders)
    streams = (in_batches(stream, _SCORED) for stream in _streams(texts, makers))
    for bags in zip(*streams, strict=True):
        yield PartBags(bags, of_part)


def _makers(encoders: Sequence[Encoder]) -> tuple[list[Encoder], list[int]]:
    """Return an encoder for each way of making bags, and which of these ways each part has."""
    keys = [encoder.tokenizing for encoder in encoders]
    ways = list(dict.fromkeys(keys))
    return [encoders[keys.index(way)] for way in ways], [ways.index(key) for key in keys]


def _streams(texts: Any, makers: Sequence[Encoder]) -> list[Iterator[Any]]:
    copies = tee(read(texts), len(makers))
    return [maker.bags_of(batches) for maker, batches in zip(makers, copies, strict=True)]
