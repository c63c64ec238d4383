"""Texts that were read as one, encoded batch by batch: all their bags are made first.

Looking up words and adding up their vectors drive each other's tables out of the cache, so a thread
that does one of them for long is faster than one that changes with every batch. Each thread makes
the bags of its share of the texts; then all of them encode the batches, in order.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from vlawe.bags import Bags
from vlawe.documents import TextBatch
from vlawe.parallel import Shared, resolve_jobs
from vlawe.tokenizer import tokenize_batch, word_batches

if TYPE_CHECKING:
    from vlawe.encoders.base import DocumentEncoder


class Passage:
    """Some consecutive texts of those that were read as one."""

    __slots__ = ("_share", "_shares", "_start", "_stop")

    def __init__(self, shares: Shared[TextBatch, Bags], share: int, start: int, stop: int) -> None:
        self._shares, self._share = shares, share
        self._start, self._stop = start, stop

    def __len__(self) -> int:
        return self._stop - self._start

    def bags(self) -> Bags:
        """Return their bags, after those of all shares that no other thread has begun."""
        return self._shares[self._share][self._start : self._stop]


def passages(
    encoder: "DocumentEncoder", batches: Iterable[TextBatch], batch_size: int
) -> Iterator[Passage]:
    """Cut texts, as they were read, into passages of at most ``batch_size`` documents."""
    n_jobs = resolve_jobs(encoder.n_jobs)
    for batch in word_batches(batches, encoder.tokenizer):
        texts = list(batch.shares(n_jobs, batch_size))
        shares = Shared(partial(tokenize_batch, vectors=encoder.vectors_), texts)
        for share, own in enumerate(texts):
            for start in range(0, len(own), batch_size):
                yield Passage(shares, share, start, min(start + batch_size, len(own)))
