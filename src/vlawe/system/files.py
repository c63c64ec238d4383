"""Files and folders that appear whole or not at all, also after the machine has gone down.

What is written is forced to the disk before it is renamed, and the folder that it is renamed in
after: a name never leads to something that is not there yet.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from vlawe.system.exchange import finish_exchange, replace_folder
from vlawe.system.interruptions import uninterrupted
from vlawe.system.under_way import under_way

_OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path beside ``path``, which becomes ``path`` if the block succeeds.

    Whatever stood at ``path`` stays untouched until then; after an error or an interruption the
    temporary file is gone. What a process that was killed has left is removed by the next one.
    """
    target = Path(path)
    with naming(target), under_way(target) as temporary:
        yield temporary
        publish(temporary, target)


def publish(temporary: Path, target: Path) -> None:
    """Let a file that is written wholly take its place, on the same disk."""
    with uninterrupted():
        force(temporary)
        temporary.replace(target)
        force(target.parent)


@contextmanager
def atomic_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary folder beside ``path``, which becomes ``path`` if the block succeeds.

    An earlier folder at ``path`` is replaced as a whole; the caller decides whether it may be.
    """
    target = Path(path)
    finish_exchange(target)
    with naming(target), under_way(target, folder=True) as temporary:
        yield temporary
        with uninterrupted():
            force_all(temporary)
            replace_folder(temporary, target)
            force(target.parent)


def force(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    if os.name == "nt" and path.is_dir():  # which cannot be opened there
        return
    opened = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(opened)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # a disk that cannot
            raise
    finally:
        os.close(opened)


def force_all(folder: Path) -> None:
    """Wait until all that is in a folder is on the disk."""
    for place, _, names in os.walk(folder, topdown=False):
        for name in names:
            force(Path(place, name))
        force(Path(place))


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let errors of the disk, which is full, say what was being written."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno in _OF_THE_DISK:
            error.filename = str(path)
        raise


def open_own(path: Path, mode: str, buffering: int = -1) -> Any:
    """Open a file in bytes unless it is a link, which in a shared folder may lead anywhere."""

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)

    return open(path, mode, buffering, opener=opener)
