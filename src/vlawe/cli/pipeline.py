"""Documents through an encoder, batch by batch, with a count of what the word vectors know."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vlawe.documents import BATCH_BYTES, DEFAULT_BATCH_SIZE, TextBatch
from vlawe.encoders.empty_documents import EmptyDocuments
from vlawe.encoders.spool import BagSpool
from vlawe.parallel import map_threads, n_under_way, resolve_jobs

if TYPE_CHECKING:
    import pyarrow as pa

    from vlawe.bags import Bags
    from vlawe.cli.inputs.base import Input
    from vlawe.encoders import DocumentEncoder
    from vlawe.progress import ProgressBar


@dataclass
class Coverage:
    """How much of the documents the word vectors know.

    Attributes
    ----------
    documents, known, unknown, empty : int
        Documents; tokens that the table has; tokens that it lacks; documents without one that it
        has.
    """

    documents: int = 0
    known: int = 0
    unknown: int = 0
    empty: int = 0

    def add(self, bags: "Bags") -> None:
        """Count a batch."""
        self.documents += len(bags)
        self.known += len(bags.ids)
        self.unknown += int(bags.n_unknown.sum())
        self.empty += bags.n_empty

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.known + self.unknown

    @property
    def share(self) -> float:
        """The share of the tokens that the table has; 1.0 where there are no tokens."""
        return self.known / self.tokens if self.tokens else 1.0

    def facts(self) -> dict[str, Any]:
        """Return the counts by the names that they have in JSON output."""
        return {
            "documents": self.documents,
            "tokens": self.tokens,
            "known_tokens": self.known,
            "coverage": round(self.share, 6),
            "documents_without_known_word": self.empty,
        }


class CountingSpool(BagSpool):
    """A spool that counts the bags it is given, and keeps them only if they are needed again."""

    def __init__(self, coverage: Coverage, *, keep: bool) -> None:
        super().__init__()
        self._coverage = coverage
        self._keep = keep

    def append(self, bags: "Bags") -> None:
        """Count a batch, and keep it if asked."""
        self._coverage.add(bags)
        if self._keep:
            super().append(bags)


def fit(
    encoder: "DocumentEncoder", documents: "Input", spool: BagSpool | None, bar: "ProgressBar"
) -> None:
    """Fit an encoder to documents; their bags go to the spool, if there is one."""

    def texts() -> Iterator[str]:
        for batch in documents.batches():
            yield from batch.column(documents.text_column).to_pylist()
            bar.update(documents.position)

    if spool is None:
        encoder.fit(texts())
    else:
        encoder._fit(texts(), None, spool)


def kept_pieces(spool: BagSpool, bar: "ProgressBar") -> "Iterator[tuple[None, Bags]]":
    """Yield documents that are tokenised already."""
    for bags in spool:
        yield None, bags
        bar.advance(len(bags))


def read_pieces(
    documents: "Input", batch_size: int | None, bar: "ProgressBar", *, all_columns: bool
) -> "Iterator[tuple[pa.RecordBatch, TextBatch]]":
    """Yield documents in batches for one thread each, as columns and as texts."""
    for batch in documents.batches(all_columns=all_columns):
        for piece in _bounded(batch, documents.text_column, batch_size or DEFAULT_BATCH_SIZE):
            yield piece, TextBatch.from_arrow(piece.column(documents.text_column))
        bar.update(documents.position)


def _bounded(batch: "pa.RecordBatch", text_column: str, size: int) -> "Iterator[pa.RecordBatch]":
    """Cut a batch into slices of at most ``size`` documents and about 1 MiB of text."""
    for start in range(0, len(batch), size):
        piece = batch.slice(start, size)
        if len(piece) == 1 or piece.column(text_column).nbytes <= BATCH_BYTES:
            yield piece
        else:
            yield from _bounded(piece, text_column, (len(piece) + 1) // 2)


def encode(
    encoder: "DocumentEncoder",
    batches: "Iterable[tuple[pa.RecordBatch | None, TextBatch | Bags]]",
    coverage: Coverage,
) -> "Iterator[tuple[pa.RecordBatch | None, Any]]":
    """Yield each batch's columns (if it has any) and rows; counts tokens in ``coverage``.

    Warns in the end if there were documents without a known word, as the encoder would. Dense rows
    are valid only until the next ones are asked for: a few buffers are used again and again, as
    fresh memory costs more than encoding a sentence.
    """
    import numpy as np

    n_jobs = resolve_jobs(encoder.n_jobs)
    buffers: list[Any] = [None] * n_under_way(n_jobs)

    def work(
        numbered: "tuple[int, tuple[pa.RecordBatch | None, TextBatch | Bags]]",
    ) -> "tuple[pa.RecordBatch | None, Bags, Any]":
        number, (columns, batch) = numbered
        bags = encoder._bags(batch)
        if encoder._sparse:
            return columns, bags, encoder._encode(bags)
        slot = number % len(buffers)
        if buffers[slot] is None or len(buffers[slot]) < len(bags):
            buffers[slot] = np.empty((len(bags), encoder._n_features), encoder.dtype)
        return columns, bags, encoder._encode(bags, buffers[slot][: len(bags)])

    empty = EmptyDocuments()
    for columns, bags, rows in map_threads(work, enumerate(batches), n_jobs):
        empty.add(bags)
        coverage.add(bags)
        yield columns, rows
    empty.warn()
