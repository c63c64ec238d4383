"""Documents through an encoder, batch by batch, with a count of what the word vectors know."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vlawe.bags import Bags
from vlawe.cli.runs import ResumeError
from vlawe.documents import BATCH_BYTES, DEFAULT_BATCH_SIZE, TextBatch
from vlawe.encoders.empty_documents import EmptyDocuments
from vlawe.encoders.streaming import stream_rows
from vlawe.tokenizer import tokenize_batch

if TYPE_CHECKING:
    import pyarrow as pa

    from vlawe.cli.inputs.base import Input
    from vlawe.encoders import DocumentEncoder
    from vlawe.system.progress import ProgressBar
    from vlawe.vectors import WordVectors


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

    def add(self, bags: Bags) -> None:
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


@dataclass(frozen=True)
class Done:
    """Documents that a run is through with.

    Attributes
    ----------
    coverage : Coverage
        What was counted in them.
    texts : str
        A checksum of their texts, by which they are known again.
    """

    coverage: Coverage
    texts: str

    def facts(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        return {"coverage": asdict(self.coverage), "texts": self.texts}

    @classmethod
    def of(cls, facts: dict[str, Any]) -> "Done":
        """Return what `facts` returned."""
        return cls(Coverage(**facts["coverage"]), facts["texts"])


@dataclass(frozen=True)
class Piece:
    """Some consecutive documents, the work of one thread.

    Attributes
    ----------
    columns : RecordBatch or None
        Their columns, if these are wanted.
    batch : TextBatch or Bags
        Their texts, or words.
    texts : str
        The checksum of all texts up to and with these.
    """

    columns: "pa.RecordBatch | None"
    batch: TextBatch | Bags
    texts: str = ""

    def bags(self, table: "WordVectors") -> Bags:
        """Return the documents as bags of a table's words."""
        return self.batch if isinstance(self.batch, Bags) else tokenize_batch(self.batch, table)


def read_pieces(
    documents: "Input",
    batch_size: int | None,
    bar: "ProgressBar",
    *,
    all_columns: bool,
    after: Done | None = None,
) -> Iterator[Piece]:
    """Yield documents in batches for one thread each, as columns and as texts.

    Parameters
    ----------
    documents : Input
    batch_size : int, optional
        Documents in a batch, at most.
    bar : ProgressBar
    all_columns : bool
        Whether to read all columns, not only the texts.
    after : Done, optional
        Leave out the first documents: those that an earlier attempt was through with.

    Raises
    ------
    ResumeError
        If the first documents are no longer those that the earlier attempt read.
    """
    n_left_out = 0 if after is None else after.coverage.documents
    digest = _TextDigest()
    for batch in documents.batches(all_columns=all_columns):
        n_before = max(0, min(len(batch), n_left_out - digest.n_documents))
        if n_before:
            digest.add(batch.column(documents.text_column)[:n_before])
            if after and digest.n_documents == n_left_out and digest.text() != after.texts:
                raise _changed(documents, n_left_out)
        rest = batch.slice(n_before)
        for piece in _bounded(rest, documents.text_column, batch_size or DEFAULT_BATCH_SIZE):
            texts = digest.add(piece.column(documents.text_column))
            yield Piece(piece, texts, digest.text())
        bar.update(documents.position)
    if digest.n_documents < n_left_out:
        raise _changed(documents, n_left_out)


class _TextDigest:
    """A checksum of texts, however they are cut into batches."""

    def __init__(self) -> None:
        self.n_documents = 0
        self._content = hashlib.sha256()
        self._lengths = hashlib.sha256()

    def add(self, column: "pa.Array") -> TextBatch:
        """Add texts; they are returned as the tokenizer takes them."""
        texts = TextBatch.from_arrow(column)
        offsets = texts.offsets
        self.n_documents += len(texts)
        self._content.update(texts.data[offsets[0] : offsets[-1]].data)
        self._lengths.update(np.diff(offsets).astype("<i8").data)
        return texts

    def text(self) -> str:
        return self._content.hexdigest() + self._lengths.hexdigest()


def _changed(documents: "Input", n_documents: int) -> ResumeError:
    return ResumeError(
        f"{documents.name}: the first {n_documents:,} documents are not those that the unfinished "
        "run has read; use --no-resume to begin again"
    )


def _bounded(batch: "pa.RecordBatch", text_column: str, size: int) -> "Iterator[pa.RecordBatch]":
    """Cut a batch into slices of at most ``size`` documents and about 1 MiB of text."""
    for start in range(0, len(batch), size):
        piece = batch.slice(start, size)
        if len(piece) == 1 or piece.column(text_column).nbytes <= BATCH_BYTES:
            yield piece
        else:
            yield from _bounded(piece, text_column, (len(piece) + 1) // 2)


def encode(
    encoder: "DocumentEncoder", pieces: Iterable[Piece], coverage: Coverage
) -> Iterator[tuple[Piece, Any]]:
    """Yield each piece and its rows; counts tokens in ``coverage``.

    Warns in the end if there were documents without a known word, as the encoder would. Dense rows
    are valid only until the next ones are asked for.
    """
    size = encoder.batch_size or DEFAULT_BATCH_SIZE
    rows = stream_rows(encoder, pieces, lambda piece: piece.bags(encoder.vectors_), size)
    for piece, bags, own in rows:
        coverage.add(bags)
        yield piece, own
    EmptyDocuments(coverage.documents, coverage.empty).warn()
