"""Documents in CSV and TSV files."""

import csv
import io
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.csv

from vlawe.cli.inputs.base import TEXT, Input
from vlawe.cli.inputs.source import InputError, Source
from vlawe.cli.inputs.text import open_text

LARGEST_ROW = 1 << 25
"""Bytes of a row, at most: Arrow parses blocks of this size, and a row must fit in one."""


class Delimited(Input):
    """Rows of fields with a header; a field may stand in double quotes and then hold newlines.

    All columns are strings as they are written: ``007`` and ``NA`` stay what they are. Blank
    lines are skipped.
    """

    def __init__(
        self,
        source: Source,
        text_column: str = TEXT,
        encoding: str = "utf-8",
        *,
        delimiter: str = ",",
    ) -> None:
        super().__init__(source, text_column, encoding)
        self._delimiter = delimiter

    def _read(self, all_columns: bool) -> Iterator[pa.RecordBatch]:
        with open_text(self.source, self.encoding) as stream:
            columns = self._header(stream)
            if not columns or not stream.peek(1):
                return
            self.check_columns(columns)
            try:
                yield from self._open(stream, columns, all_columns)
            except pa.ArrowInvalid as error:
                raise self._explained(error) from error

    def _header(self, stream: io.BufferedReader) -> list[str]:
        """Read the header, and not a byte more; Arrow then reads on from there."""
        lines = (line.decode() for line in iter(stream.readline, b""))
        try:
            rows = csv.reader(lines, delimiter=self._delimiter, strict=True)
            return next((row for row in rows if row), [])
        except csv.Error as error:
            raise InputError(f"{self.name}: header: {error}") from error

    def _open(
        self, stream: io.BufferedReader, columns: list[str], all_columns: bool
    ) -> "pyarrow.csv.CSVStreamingReader":
        return pyarrow.csv.open_csv(
            stream,
            # Only a single thread can number a row that is wrong.
            pyarrow.csv.ReadOptions(
                use_threads=False, block_size=LARGEST_ROW, column_names=columns
            ),
            pyarrow.csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
            pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(columns, pa.string()),
                include_columns=columns if all_columns else [self.text_column],
                strings_can_be_null=False,
                check_utf8=False,  # the stream has done so
            ),
        )

    def _explained(self, error: pa.ArrowInvalid) -> InputError:
        message = str(error)
        if "straddl" in message:
            return InputError(
                f"{self.name}: a row has more than {LARGEST_ROW >> 20} MB; is there a quote that "
                "is never closed?"
            )
        return InputError(f"{self.name}: {message.replace('CSV parse error: Row #', 'row ')}")
