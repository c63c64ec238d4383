"""Reading members of zip and tar archives into memory; nothing is ever extracted to disk."""

import gzip
import io
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from vlawe.reproduce.datasets.catalog import DataError

MAX_BYTES = 256 * 2**20
"""What an archive may unpack to; the largest of the five holds 28 MB."""

_DAMAGE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    EOFError,
    OSError,  # gzip's, and of reading
    NotImplementedError,  # zipfile's, for other compressions
    RuntimeError,  # zipfile's, for encryption
)


def read_zip(path: Path, wanted: str) -> dict[str, bytes]:
    """Return the files of a zip archive whose names match a pattern, in the order of names."""
    members: dict[str, bytes] = {}
    with _damage_reported(path), zipfile.ZipFile(path) as archive:
        room = MAX_BYTES
        for info in archive.infolist():
            if PurePosixPath(info.filename).match(wanted) and not info.is_dir():
                with archive.open(info) as member:
                    content = members[info.filename] = member.read(room + 1)
                room -= len(content)
                _check_room(path, room)
    return _sorted(path, wanted, members)


def read_tar(path: Path, wanted: str) -> dict[str, bytes]:
    """Return the plain files of a gzipped tar archive whose names match, in the order of names."""
    members: dict[str, bytes] = {}
    with _damage_reported(path):
        # All of it before any member: only at its end does gzip compare its checksum.
        with gzip.open(path) as file:
            content = file.read(MAX_BYTES + 1)
        _check_room(path, MAX_BYTES - len(content))
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
            for info in archive:
                if PurePosixPath(info.name).match(wanted) and info.isreg():
                    member = archive.extractfile(info)
                    assert member is not None  # a plain file has contents
                    members[info.name] = member.read()
    return _sorted(path, wanted, members)


@contextmanager
def _damage_reported(path: Path) -> Iterator[None]:
    try:
        yield
    except _DAMAGE as error:
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise DataError(
            f"{path}: the archive is damaged, or is none ({reason}); `vlawe datasets download` "
            "gets it anew when it is removed"
        ) from error


def _check_room(path: Path, room: int) -> None:
    if room < 0:
        raise DataError(f"{path}: the archive unpacks to more than {MAX_BYTES:,} bytes")


def _sorted(path: Path, wanted: str, members: dict[str, bytes]) -> dict[str, bytes]:
    if not members:
        raise DataError(f"{path}: the archive has no file {wanted}")
    return dict(sorted(members.items()))
