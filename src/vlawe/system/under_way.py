"""Files and folders that are being written: beside their target, under a name of their own.

``.rows.npy.1a2b3c4d.part`` is on the way to ``rows.npy``. Who writes it holds a lock on it, which
the system lets go when the process ends, in whatever way: what nobody holds was left behind, and
the next one who writes the same target removes it.
"""

import errno
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from vlawe.system.interruptions import uninterrupted

try:
    import fcntl
except ImportError:  # not on Windows, where what was left behind stays
    fcntl = None  # type: ignore[assignment]

_CAN_LOCK: bool = fcntl is not None

PART, OLD = ".part", ".old"

_ATTEMPTS = 100


@contextmanager
def under_way(target: Path, *, folder: bool = False, mode: int = 0o777) -> Iterator[Path]:
    """Yield an empty file or folder beside ``target``; what is there in the end is removed.

    So the block renames it when it is whole.
    """
    remove_left_behind(target)
    made: tuple[Path, int] | None = None
    try:
        with uninterrupted():
            made = _new(target, folder, mode)
        # Control-C that waited for the end of that block comes here.
        yield made[0]
    finally:
        if made is not None:
            with uninterrupted():
                remove(made[0])
                os.close(made[1])


def _new(target: Path, folder: bool, mode: int) -> tuple[Path, int]:
    for _ in range(_ATTEMPTS):
        path = target.with_name(f".{target.name}.{secrets.token_hex(4)}{PART}")
        with suppress(FileExistsError):
            if folder:
                path.mkdir(mode)
            else:
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode & 0o666))
            lock = try_to_hold(path)
            if lock is not None:
                return path, lock
        # Another process, which removes what nobody holds, was there before the lock.
    raise FileExistsError(errno.EEXIST, "there is no free name for what is written", str(target))


def try_to_hold(path: Path) -> int | None:
    """Return a descriptor that holds a file or folder; None if it is held, gone or a link."""
    if not _CAN_LOCK:
        return os.open(os.devnull, os.O_RDONLY)
    try:
        lock = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(lock), path.lstat()):
            return lock
    except OSError as error:
        if error.errno in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):
            return lock  # a disk without locks
    os.close(lock)
    return None


def left_behind(target: Path, suffix: str) -> list[Path]:
    """Return what is, or was, on its way to ``target`` and belongs to this user."""
    pattern = re.compile(rf"\.{re.escape(target.name)}\.[a-z0-9_]{{8}}{re.escape(suffix)}")
    with suppress(OSError), os.scandir(target.parent) as entries:
        return [
            target.with_name(entry.name)
            for entry in entries
            if pattern.fullmatch(entry.name) and _is_own(entry.stat(follow_symlinks=False))
        ]
    return []


def _is_own(found: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or found.st_uid == os.geteuid()


def remove_left_behind(target: Path) -> None:
    """Remove what processes that were killed on the way to ``target`` have left."""
    if not _CAN_LOCK:
        return
    for path in left_behind(target, PART):
        if path.with_suffix(OLD).exists():
            continue  # two folders that were to change places
        with uninterrupted():
            lock = try_to_hold(path)
            if lock is not None:
                remove(path)
                os.close(lock)


def discard(path: Path) -> None:
    """Remove a folder in such a way that it is never there by halves."""
    name = path.with_name(f".{path.name.removesuffix(PART)}.{secrets.token_hex(4)}{PART}")
    with uninterrupted():
        try:
            path.rename(name)
        except OSError:
            name = path
        remove(name)


def remove(path: Path) -> None:
    """Remove a file, a folder or a link, if it is there and can be."""
    with suppress(OSError):
        if stat.S_ISDIR(path.lstat().st_mode):
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()
