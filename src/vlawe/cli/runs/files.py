"""Files that only grow, and can be cut back to a size that they had."""

import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from vlawe.system.files import open_own


class GrowingFiles:
    """Files of a folder to which a run appends.

    With ``sizes`` it goes on with the files that are there, cut to these; else with empty ones.
    """

    def __init__(
        self, folder: Path, names: Iterable[str], sizes: Mapping[str, int] | None = None
    ) -> None:
        self.folder = folder
        self._files: dict[str, BinaryIO] = {}
        with ExitStack() as opened:
            for name in names:
                file = open_own(folder / name, "wb" if sizes is None else "rb+")
                self._files[name] = opened.enter_context(file)
                if sizes is not None:
                    file.truncate(sizes[name])
                    file.seek(0, os.SEEK_END)
            self._opened = opened.pop_all()

    def __getitem__(self, name: str) -> BinaryIO:
        return self._files[name]

    def read(self, name: str) -> BinaryIO:
        """Open one of the files to read all that was written."""
        self._files[name].flush()
        return (self.folder / name).open("rb")

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
