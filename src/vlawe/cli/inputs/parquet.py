"""Documents in a Parquet file."""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet
import pyarrow.types

from vlawe.cli.inputs.base import Input, Layout
from vlawe.cli.inputs.source import InputError, Source

_ROWS = 4096


class Parquet(Input):
    """A column of strings in a Parquet file; the types of the other columns are kept."""

    def __init__(self, source: Source, layout: Layout) -> None:
        super().__init__(source, layout)
        self._share_read = 0.0

    @property
    def position(self) -> int:
        """About how many of its bytes have been read: in proportion to the rows."""
        return int(self._share_read * (self.size or 0))

    def _read(self, all_columns: bool) -> Iterator[pa.RecordBatch]:
        self._share_read = 0.0
        with self.source.open(seekable=True) as opened:
            try:
                with pyarrow.parquet.ParquetFile(opened) as file:
                    self._check(file.schema_arrow)
                    columns = None if all_columns else [self.text_column]
                    n_rows = 0
                    for batch in file.iter_batches(_ROWS, columns=columns, use_threads=False):
                        batch.validate(full=True)  # Arrow takes any bytes for strings
                        n_rows += len(batch)
                        self._share_read = n_rows / max(n_rows, file.metadata.num_rows, 1)
                        yield batch
            except (
                *(pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError),
                UnicodeDecodeError,  # in the names of columns
            ) as error:
                if isinstance(error, OSError) and error.errno is not None:
                    raise  # the disk's fault, not the file's
                message = f"{self.name}: not a Parquet file that can be read: {error}"
                raise InputError(message) from error

    def _check(self, schema: pa.Schema) -> None:
        self.check_columns(schema.names)
        kind = schema.field(self.text_column).type
        value = kind.value_type if pyarrow.types.is_dictionary(kind) else kind
        is_text = (
            pyarrow.types.is_string(value)
            or pyarrow.types.is_large_string(value)
            or pyarrow.types.is_string_view(value)
        )
        if not is_text:
            raise InputError(
                f"{self.name}: the column {self.text_column!r} must be of strings, not of {kind}"
            )
