"""What may stand in the way of an output."""

import errno
import os
from pathlib import Path

EXTENSIONS = (".npy", ".npz", ".parquet")
"""The formats of rows."""


class OutputError(ValueError):
    """Something cannot be written as asked; the message names the file and what to do."""


def check_target(path: Path, source: Path | None = None) -> None:
    """Raise an error now for what would fail when the work on ``source`` is done."""
    if not path.parent.is_dir():
        raise OutputError(f"{path}: the folder {path.parent} does not exist")
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, not a file", str(path))
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path.parent))
    if source is not None and path.exists() and source.exists() and path.samefile(source):
        raise OutputError(f"{path}: is the input itself; choose another name for the output")
