"""Whether the archives at hand hold the documents that they should."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from vlawe.reproduce.datasets.catalog import PAIRS, DataError, DatasetInfo
from vlawe.reproduce.datasets.loading import archive_path, data_folder, load_entry, load_judged


@dataclass(frozen=True)
class Verification:
    """What was found of a data set."""

    name: str
    path: Path
    """Where its archive is, or should be."""
    sha256: str | None
    """The archive's checksum; None if there is no such file."""
    as_distributed: bool
    """Whether that is the checksum of the catalog. An archive that was packed anew is another
    file, but may hold the same documents."""
    problem: str | None
    """What is wrong with it; None if its documents are those of the catalog."""

    @property
    def good(self) -> bool:
        """Whether the documents are those of the catalog."""
        return self.problem is None


def verify(info: DatasetInfo, folder: str | os.PathLike[str] | None = None) -> Verification:
    """Compare the archive of a data set in a folder, and its documents, with the catalog."""
    path = data_folder(folder) / info.archive
    found: str | None = None
    problem: str | None = None
    try:
        found = file_sha256(archive_path(info, folder))
        load = load_judged if info.name in PAIRS else load_entry
        if load(info, folder).sha256 != info.documents_sha256:
            problem = f"{path}: the documents of {info.name} are not those expected"
    except DataError as error:
        problem = str(error)
    return Verification(info.name, path, found, found == info.sha256, problem)


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
