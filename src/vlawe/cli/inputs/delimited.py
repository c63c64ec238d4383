"""Documents in CSV and TSV files."""

import csv
import io
import re
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.csv

from vlawe.cli.inputs.base import Input, Layout
from vlawe.cli.inputs.delimiters import find_delimiter, split_header
from vlawe.cli.inputs.source import InputError, Source
from vlawe.cli.inputs.text import LARGEST_ROW, open_text

_SEPARATOR_LINE = re.compile(r"sep=([^\"\r\n])\s*")
"""What spreadsheets write before the header, so that they find the delimiter again."""


class Delimited(Input):
    """Rows of fields with a header; a field may stand in double quotes and then hold newlines.

    A delimiter that is not stated is found in the header; ``usual`` is the one to expect.

    All columns are strings as they are written: ``007`` and ``NA`` stay what they are. Blank
    lines are skipped.
    """

    def __init__(self, source: Source, layout: Layout, *, usual: str = ",") -> None:
        super().__init__(source, layout)
        self._usual = usual
        self._delimiter = layout.delimiter or usual

    def _read(self, all_columns: bool) -> Iterator[pa.RecordBatch]:
        with open_text(self.source, self.layout.encoding) as stream:
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
        lines = self._header_lines(stream)
        stated = self.layout.delimiter
        if lines and (match := _SEPARATOR_LINE.fullmatch(lines[0])):
            stated, lines = stated or match[1], self._header_lines(stream)
        self._delimiter = stated or find_delimiter(lines, self._usual, self.text_column)
        try:
            return split_header(lines, self._delimiter)
        except csv.Error as error:
            raise InputError(f"{self.name}: header: {error}") from error

    def _header_lines(self, stream: io.BufferedReader) -> list[str]:
        """Read the lines of the first row that is not blank; a quoted field may have several."""
        lines: list[str] = []
        n_quotes = n_bytes = 0
        while line := stream.readline():
            if not lines and not line.strip():
                continue
            lines.append(line.decode())
            n_quotes += line.count(b'"')
            n_bytes += len(line)
            if n_quotes % 2 == 0 or n_bytes > LARGEST_ROW:
                break
        return lines

    def _open(
        self, stream: io.BufferedReader, columns: list[str], all_columns: bool
    ) -> "pyarrow.csv.CSVStreamingReader":
        return pyarrow.csv.open_csv(
            stream,
            # Only a single thread can number a row that is wrong; a row must fit in a block.
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
        shown = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "pipes"}
        by = shown.get(self._delimiter, repr(self._delimiter))
        return InputError(
            f"{self.name}: {message.replace('CSV parse error: Row #', 'row ')} (read as separated "
            f"by {by}: state another with --delimiter, or put the field in double quotes)"
        )
