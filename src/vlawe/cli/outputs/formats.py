"""Which writer an output gets, by the extension of its name, and what may stand in its way."""

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from vlawe.cli.outputs.errors import OutputError
from vlawe.system.files import publish

if TYPE_CHECKING:
    import pyarrow as pa

    from vlawe.cli.outputs.base import RowWriter
    from vlawe.cli.runs import RunFolder

EXTENSIONS = (".npy", ".npz", ".parquet")
"""The output formats."""


def check_target(path: Path, source: Path | None = None, *, folder: bool = False) -> None:
    """Raise an error now for what would fail when the work is done.

    Parameters
    ----------
    path : path
        What will be written.
    source : path, optional
        What will be read.
    folder : bool
        Whether a folder will be written, not a file.
    """
    if not path.parent.is_dir():
        raise OutputError(f"{path}: the folder {path.parent} does not exist")
    if path.is_dir() and not folder:
        raise IsADirectoryError(errno.EISDIR, "is a folder, not a file", str(path))
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path.parent))
    if source is not None and path.exists() and source.exists() and path.samefile(source):
        raise OutputError(f"{path}: is the input itself; choose another name for the output")


def choose_writer(path: Path, *, sparse: bool) -> "type[RowWriter]":
    """Return the writer for an extension, and for sparse or dense rows."""
    from vlawe.cli.outputs.numpy_files import NpyWriter, NpzWriter, SparseNpzWriter
    from vlawe.cli.outputs.parquet import ParquetWriter

    writers: tuple[type[RowWriter], ...] = (NpyWriter, NpzWriter, SparseNpzWriter, ParquetWriter)
    for writer in writers:
        if writer.extension == path.suffix.lower() and writer.takes_sparse == sparse:
            return writer
    if path.suffix.lower() in EXTENSIONS:
        raise OutputError(f"{path}: the rows of this encoder are sparse; write them to .npz")
    raise OutputError(f"{path}: unknown output format; known are {', '.join(EXTENSIONS)}")


@contextmanager
def open_output(
    writer: "type[RowWriter]",
    path: Path,
    n_columns: int,
    dtype: str,
    schema: "pa.Schema | None" = None,
    *,
    run: "RunFolder | None" = None,
    sizes: "Mapping[str, int] | None" = None,
) -> "Iterator[RowWriter]":
    """Write a file that appears, or replaces an earlier one, when the block has succeeded.

    Parameters
    ----------
    writer, n_columns, dtype, schema, sizes
        See `RowWriter`.
    path : path
        The file.
    run : RunFolder, optional
        Where the rows are until then; None is a temporary folder.
    """
    from vlawe.cli.runs import open_run

    with ExitStack() as stack:
        if run is None:
            run = stack.enter_context(open_run(path, {}, resume=False))
        opened = writer(run.path, n_columns, dtype, schema, sizes)
        stack.callback(opened.close)
        yield opened
        publish(opened.finish(), path)
