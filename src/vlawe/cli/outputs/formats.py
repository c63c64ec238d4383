"""Which writer an output gets, by the extension of its name."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import pyarrow as pa

from vlawe.cli.outputs.base import RowWriter
from vlawe.cli.outputs.numpy_files import NpyWriter, NpzWriter, SparseNpzWriter
from vlawe.cli.outputs.parquet import ParquetWriter
from vlawe.cli.outputs.target import EXTENSIONS, OutputError
from vlawe.system.files import publish

_WRITERS: tuple[type[RowWriter], ...] = (NpyWriter, NpzWriter, SparseNpzWriter, ParquetWriter)


def choose_writer(path: Path, *, sparse: bool) -> type[RowWriter]:
    """Return the writer for an extension, and for sparse or dense rows."""
    for writer in _WRITERS:
        if writer.extension == path.suffix.lower() and writer.takes_sparse == sparse:
            return writer
    if path.suffix.lower() in EXTENSIONS:
        raise OutputError(f"{path}: the rows of this encoder are sparse; write them to .npz")
    raise OutputError(f"{path}: unknown output format; known are {', '.join(EXTENSIONS)}")


@contextmanager
def open_output(
    writer: type[RowWriter],
    path: Path,
    folder: Path,
    n_columns: int,
    dtype: str,
    schema: pa.Schema | None = None,
    sizes: Mapping[str, int] | None = None,
) -> Iterator[RowWriter]:
    """Write a file that appears, or replaces an earlier one, when the block has succeeded.

    Until then the rows are in ``folder``; for the other parameters see `RowWriter`.
    """
    with closing(writer(folder, n_columns, dtype, schema, sizes)) as opened:
        opened.begin()
        yield opened
        publish(opened.finish(), path)
