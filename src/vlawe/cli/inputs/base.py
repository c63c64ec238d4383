"""The base class of the input formats: documents as Arrow record batches."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar, Self

import pyarrow as pa

from vlawe.cli.inputs.source import InputError, Source, listing

TEXT = "text"
"""The column of the texts, unless another is named."""


SAMPLE = 500
"""Texts that are remembered, to show what is in them."""


@dataclass(frozen=True)
class Layout:
    """What is stated of how documents stand in a file; None is found by looking.

    ``text_column`` is the column of the texts, ``encoding`` and ``delimiter`` are those of a text
    file; others do not look at them. ``skip_missing`` is to leave out rows without a text.
    """

    text_column: str = TEXT
    encoding: str | None = None
    delimiter: str | None = None
    skip_missing: bool = False


class Input(ABC):
    """Documents in a file, one a row, with their other columns.

    ``n_rows`` counts the rows that have been read, ``n_skipped`` those of them that were left out,
    and ``sample`` has the first texts.
    """

    row_name: ClassVar[str] = "row"
    """What a row is called in messages; rows count from 1."""

    def __init__(self, source: Source, layout: Layout) -> None:
        self.source = source
        self.layout = layout
        self.text_column = layout.text_column
        self.n_rows = self.n_skipped = 0
        self.sample: list[str] = []
        self._begun: tuple[pa.RecordBatch, Generator[pa.RecordBatch]] | None = None

    @property
    def name(self) -> str:
        """What to call it in messages."""
        return self.source.name

    @property
    def size(self) -> int | None:
        """Its size in bytes, as stored; None if that is not known."""
        return self.source.size

    @property
    def position(self) -> int:
        """About how many of these bytes have been read."""
        return self.source.position

    def batches(self, *, all_columns: bool = False) -> Generator[pa.RecordBatch]:
        """Read it from its beginning, in batches of about a megabyte or more, of one schema.

        Raises InputError where something cannot be read, a text is missing, or there is no
        document at all.
        """
        if self._begun is not None:
            (first, rest), self._begun = self._begun, None
            for batch in chain([first], rest):
                yield batch if all_columns else batch.select([self.text_column])
            return
        self.n_rows = self.n_skipped = 0
        self.sample = []
        for batch in self._read(all_columns):
            rows = self._with_text(batch)
            self.n_rows += len(batch)
            self.n_skipped += len(batch) - len(rows)
            if len(self.sample) < SAMPLE:
                self.sample += rows.column(self.text_column)[:SAMPLE].to_pylist()
            if len(rows):
                yield rows
        if self.n_rows == self.n_skipped:
            none = "there are no documents in it"
            if self.n_rows:
                none = (
                    f"none of its {self.n_rows:,} rows has a text ({self.text_column!r}); name its "
                )
                none += "column (--text-column)"
            raise InputError(f"{self.name}: {none}")

    def _with_text(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the rows that have a text; InputError if one has none that may not be skipped."""
        texts = batch.column(self.text_column)
        if self.layout.skip_missing:
            import pyarrow.compute

            written = pyarrow.compute.utf8_trim_whitespace(texts.cast(pa.string()))
            return batch.filter(pyarrow.compute.not_equal(written, ""))  # a null is neither
        if texts.null_count:
            row = self.n_rows + texts.is_null().index(pa.scalar(True)).as_py() + 1
            raise self.missing(row, "text", self.text_column)
        return batch

    def texts(self) -> Iterator[str]:
        """Read the texts alone."""
        for batch in self.batches():
            yield from batch.column(self.text_column).to_pylist()

    def schema(self) -> pa.Schema:
        """Return the schema of the batches with all columns.

        The file is not read twice for it: the next to ask for batches gets that of the schema, too.
        """
        if self._begun is None:
            batches = self.batches(all_columns=True)
            self._begun = next(batches), batches
        return self._begun[0].schema

    @abstractmethod
    def _read(self, all_columns: bool) -> Iterator[pa.RecordBatch]:
        """Yield the batches; the text column is one of strings."""

    def error(self, row: int, message: str) -> InputError:
        """Return the error of a row, counted from 1."""
        return InputError(f"{self.name}: {self.row_name} {row}: {message}")

    def missing(self, row: int, what: str, column: str) -> InputError:
        """Return the error of a row, counted from 1, that lacks its text or label."""
        return self.error(
            row, f"the {what} (column {column!r}) is missing; --skip-missing leaves such rows out"
        )

    def check_columns(self, columns: Sequence[str]) -> None:
        """Raise InputError if the text column is not among the columns, or one stands twice."""
        twice = sorted(column for column, n in Counter(columns).items() if n > 1)
        if twice:
            raise InputError(f"{self.name}: the column {twice[0]!r} stands there twice; rename one")
        if self.text_column not in columns:
            raise InputError(
                f"{self.name}: there is no column {self.text_column!r}; the columns are "
                f"{listing(columns)} (choose one with --text-column)"
            )

    def close(self) -> None:
        """Let go of temporary files."""
        if self._begun is not None:
            self._begun[1].close()
        self.source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
