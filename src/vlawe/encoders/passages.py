"""Texts that were read as one, encoded batch by batch: all their bags are made first.

Looking up words and adding up their vectors drive each other's tables out of the cache, so a thread
that does one of them for long is faster than one that changes with every batch. Each thread makes
the bags of its share of the texts; then all of them encode the batches, in order. Few texts are cut
into smaller batches, so that no thread waits long for the last one.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from vlawe.bags import Bags
from vlawe.documents import TextBatch
from vlawe.system.threads import Shared, resolve_jobs
from vlawe.tokenizer import tokenize_batch, word_batches

if TYPE_CHECKING:
    from vlawe.encoders.base import DocumentEncoder

_FOR_A_THREAD = 4  # passages, at least, of texts that were read as one …
_SMALL_BYTES = 1 << 14  # … unless they would have fewer bytes


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
    n_least = 1 if n_jobs == 1 else _FOR_A_THREAD * n_jobs
    for batch in word_batches(batches, encoder.tokenizer):
        size = min(batch_size, batch.part_size(n_least, _SMALL_BYTES))
        texts = list(batch.shares(n_jobs, size))
        shares = Shared(partial(tokenize_batch, vectors=encoder.vectors_), texts)
        for share, own in enumerate(texts):
            for start in range(0, len(own), size):
                yield Passage(shares, share, start, min(start + size, len(own)))
