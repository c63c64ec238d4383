"""Texts to rows where a table makes rows of unknown words: of an open table, see `vlawe.vectors`.

Bags are rows of a table, and so a batch of texts with further words has a table of its own: that of
its words alone, small, made for the batch and forgotten after it. A word's row, its codeword and
its shares depend on the word alone, so a document's row does not depend on its batch.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from vlawe.bags import Bags, in_batches
from vlawe.documents import TextBatch
from vlawe.encoders.coverage import Coverage
from vlawe.encoders.rows import Rows
from vlawe.system.threads import map_threads, resolve_jobs
from vlawe.vectors.extend import tokenized

if TYPE_CHECKING:
    from vlawe.encoders.base import DocumentEncoder


def rows_of_open(
    encoder: "DocumentEncoder", batches: Iterable[TextBatch], size: int
) -> Iterator[Rows]:
    """Yield the rows of batches of so many documents; each batch is encoded by one thread."""
    counted = Coverage()

    def encode(batch: TextBatch) -> tuple[Bags, Rows]:
        own = encoder.for_words_of(batch)
        bags = Bags.join(own.bags_of([batch]))
        return bags, own.encode_batch(bags)

    split = (tokenized(batch, encoder.tokenizer) for batch in batches)
    jobs = resolve_jobs(encoder.n_jobs)
    for bags, rows in map_threads(encode, in_batches(split, size), jobs):
        counted.add(bags)
        yield rows
    counted.warn(encoder.known)
