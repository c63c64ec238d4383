"""Files that only grow, and can be cut back to a size that they had."""

import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO


class GrowingFiles:
    """Files of a folder to which a run appends.

    Parameters
    ----------
    folder : path
    names : iterable of str
    sizes : mapping of str to int, optional
        Go on with the files that are there, cut to these sizes; without, begin with empty ones.
    """

    def __init__(
        self, folder: Path, names: Iterable[str], sizes: Mapping[str, int] | None = None
    ) -> None:
        self._files: dict[str, BinaryIO] = {}
        self._opened = ExitStack()
        try:
            for name in names:
                file = (folder / name).open("wb" if sizes is None else "rb+")
                self._files[name] = self._opened.enter_context(file)
                if sizes is not None:
                    file.truncate(sizes[name])
                    file.seek(0, os.SEEK_END)
        except BaseException:
            self.close()
            raise

    def __getitem__(self, name: str) -> BinaryIO:
        return self._files[name]

    def sizes(self) -> dict[str, int]:
        """Hand all that was written to the system, and return how long the files are."""
        for file in self._files.values():
            file.flush()
        return {name: os.fstat(file.fileno()).st_size for name, file in self._files.items()}

    def sync(self) -> None:
        """Wait until the system has written to the disk what it was handed."""
        for file in self._files.values():
            os.fsync(file.fileno())

    def close(self) -> None:
        """Close the files."""
        self._opened.close()


def are_there(folder: Path, sizes: Mapping[str, int]) -> bool:
    """Tell whether a folder has files that are at least so long."""
    paths = {folder / name: size for name, size in sizes.items()}
    return all(path.is_file() and path.stat().st_size >= size for path, size in paths.items())
