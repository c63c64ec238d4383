"""The bags of an input, on the way to an encoder: as they are tokenised, or kept in a run's folder.

Texts go out as bags, batch by batch; when a batch is done its columns come back, and the state by
which an interrupted run finds its place again.
"""

import hashlib
import os
from collections import deque
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import pyarrow as pa

from vlawe.bag_spool import FORMS
from vlawe.cli.runs.files import GrowingFiles
from vlawe.cli.runs.folder import ResumeError, RunFolder
from vlawe.documents import TextBatch
from vlawe.system.progress import ProgressBar, Unit

if TYPE_CHECKING:
    from vlawe.cli.inputs.base import Input
    from vlawe.encoders import Encoder
    from vlawe.encoders.encoder import AnyBags
    from vlawe.vectors import WordVectors

KEPT_EVERY = 1.0
"""Seconds between two times that the bags so far are worth noting."""

_BEGINNING: dict[str, Any] = {"documents": 0, "texts": "", "complete": False}


class InputBags:
    """The documents of an input as bags of an encoder, made with a table if it needs one."""

    unit: Unit = "bytes"

    def __init__(
        self,
        documents: "Input",
        encoder: "Encoder",
        table: "WordVectors | None",
        *,
        all_columns: bool,
    ) -> None:
        self.documents = documents
        self.total = documents.size
        self._encoder = encoder
        self._table = table
        self.bag_type = encoder.bag_type
        self.all_columns = all_columns
        self._digest = _TextDigest()
        self._under_way = _UnderWay()

    def bags(self, bar: ProgressBar, after: Mapping[str, Any] = _BEGINNING) -> "Iterator[AnyBags]":
        """Yield the bags of documents that an earlier attempt, in the state ``after``, lacked.

        Raises ResumeError if the first documents are no longer those that it read.
        """
        return self._encoder.bags_of(self._texts(bar, after), self._table)

    def _texts(self, bar: ProgressBar, after: Mapping[str, Any]) -> Iterator[TextBatch]:
        n_left_out = after["documents"]
        for batch in self.documents.batches(all_columns=self.all_columns):
            column = batch.column(self.documents.text_column)
            n_before = max(0, min(len(batch), n_left_out - self._digest.n_documents))
            if n_before:
                self._digest.add(column[:n_before])
                if self._digest.n_documents == n_left_out and self.checksum != after["texts"]:
                    raise self._changed(n_left_out)
            self._under_way.add(batch.slice(n_before))
            yield from TextBatch.from_arrow(column[n_before:]).cut()
            bar.update(self.documents.position)
        if self._digest.n_documents < n_left_out:
            raise self._changed(n_left_out)

    def _changed(self, n_documents: int) -> ResumeError:
        return ResumeError(
            f"{self.documents.name}: the first {n_documents:,} documents are not those that the "
            "unfinished run has read; use --no-resume to begin again"
        )

    def done(self, n_documents: int) -> pa.RecordBatch:
        """Note that the next documents are done; return their columns."""
        columns = self._under_way.take(n_documents)
        self._digest.add(columns.column(self.documents.text_column))
        return columns

    @property
    def n_done(self) -> int:
        """How many documents are done."""
        return self._digest.n_documents

    @property
    def checksum(self) -> str:
        """What the texts of these documents are known by."""
        return self._digest.text()


class KeptBags:
    """The bags of an input, kept in a run's folder as they come, and all columns if it has them.

    To iterate is to get what is kept, by an earlier attempt or by this one, then what comes.
    """

    unit: Unit = "items"

    def __init__(self, coming: InputBags, run: RunFolder, bar: ProgressBar) -> None:
        self._coming = coming
        self._write, self._read = FORMS[coming.bag_type]
        self._bar = bar
        self._checkpoint = run.checkpoint("bags", KEPT_EVERY)
        earlier = self._checkpoint.read()
        self._state = _BEGINNING if earlier is None else earlier.facts
        if self.complete and self._state["input"] != coming.documents.source.stamp:
            raise ResumeError(
                f"{coming.documents.name} was changed since the unfinished run has read it; use "
                "--no-resume to begin again"
            )
        names = ("bags", "columns") if coming.all_columns else ("bags",)
        self._files = GrowingFiles(run.path, names, None if earlier is None else earlier.sizes)
        run.opened.callback(self._files.close)
        self._under_way = _UnderWay()

    @property
    def complete(self) -> bool:
        """Whether all documents are kept; then ``total`` says how many."""
        return bool(self._state["complete"])

    @property
    def total(self) -> int:
        """How many documents are kept."""
        return int(self._state["documents"])

    @property
    def checksum(self) -> str:
        """What the texts of these documents are known by."""
        return str(self._state["texts"])

    def __iter__(self) -> "Iterator[AnyBags]":
        yield from self.kept()
        if self.complete:
            return
        for bags in self._coming.bags(self._bar, self._state):
            self._write(self._files["bags"], bags)
            columns = self._coming.done(len(bags))
            if self._coming.all_columns:
                _write_columns(self._files["columns"], columns)
            if self._checkpoint.due():
                self._keep(complete=False)
            yield bags
        self._keep(complete=True)

    def _keep(self, *, complete: bool) -> None:
        self._state = {
            "documents": self._coming.n_done,
            "texts": self._coming.checksum,
            "complete": complete,
            "input": self._coming.documents.source.stamp,
        }
        self._checkpoint.keep(self._state, self._files)

    def kept(self, skip: int = 0) -> Iterator[Any]:
        """Yield the bags that are kept, without those of the first documents."""
        with self._files.read("bags") as file:
            yield from self._read(file, skip)

    def bags(self, bar: ProgressBar, after: Mapping[str, Any] = _BEGINNING) -> "Iterator[AnyBags]":
        """Yield what is kept of the documents that were not done in the state ``after``."""
        skip = after["documents"]
        bar.advance(skip)
        columns = self._kept_columns(skip)
        for bags in self.kept(skip):
            if self._coming.all_columns:
                self._under_way.add(next(columns))
            yield bags
            bar.advance(len(bags))

    def _kept_columns(self, skip: int) -> Iterator[pa.RecordBatch]:
        with self._files.read("columns") as file:
            while head := file.read(16):
                n_rows, size = np.frombuffer(head, np.int64).tolist()
                if skip and skip >= n_rows:
                    skip -= n_rows
                    file.seek(size, os.SEEK_CUR)
                    continue
                yield pa.ipc.open_stream(file.read(size)).read_next_batch().slice(skip)
                skip = 0

    def done(self, n_documents: int) -> pa.RecordBatch | None:
        """Return the columns of the next documents; None if they are not kept."""
        return self._under_way.take(n_documents) if self._coming.all_columns else None


class _UnderWay:
    """Documents that were read and are not done: in batches at one end, out at the other."""

    def __init__(self) -> None:
        self._batches: deque[pa.RecordBatch] = deque()

    def add(self, batch: pa.RecordBatch) -> None:
        if len(batch):
            self._batches.append(batch)

    def take(self, n_documents: int) -> pa.RecordBatch:
        taken: list[pa.RecordBatch] = []
        while n_documents:
            batch = self._batches.popleft()
            if n_documents < len(batch):
                self._batches.appendleft(batch.slice(n_documents))
            taken.append(batch.slice(0, n_documents))
            n_documents -= len(taken[-1])
        if len(taken) == 1:
            return taken[0]
        (joined,) = pa.Table.from_batches(taken).combine_chunks().to_batches()
        return joined


class _TextDigest:
    """A checksum of texts, however they are cut into batches."""

    def __init__(self) -> None:
        self.n_documents = 0
        self._content = hashlib.sha256()
        self._lengths = hashlib.sha256()

    def add(self, column: pa.Array) -> None:
        texts = TextBatch.from_arrow(column)
        offsets = texts.offsets
        self.n_documents += len(texts)
        self._content.update(texts.data[offsets[0] : offsets[-1]].data)
        self._lengths.update(np.diff(offsets).astype("<i8").data)

    def text(self) -> str:
        return self._content.hexdigest() + self._lengths.hexdigest()


def _write_columns(file: BinaryIO, columns: pa.RecordBatch) -> None:
    """Append a batch to a file: how many rows and bytes it has, then an Arrow stream of its own."""
    buffer = pa.BufferOutputStream()
    with pa.ipc.new_stream(buffer, columns.schema) as stream:
        stream.write_batch(columns)
    content = buffer.getvalue()
    file.write(np.array([len(columns), content.size], np.int64).tobytes())
    file.write(content)
