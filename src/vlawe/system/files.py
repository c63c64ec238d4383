"""Files and folders that appear whole or not at all."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path beside ``path``, which becomes ``path`` if the block succeeds.

    Whatever stood at ``path`` stays untouched until then; after an error or an interruption the
    temporary file is gone.
    """
    target = Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        publish(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def publish(temporary: Path, target: Path) -> None:
    """Let a file that is written wholly take its place, on the same disk."""
    with temporary.open("rb") as written:
        os.fsync(written.fileno())
    temporary.chmod(new_file_mode())
    temporary.replace(target)


@contextmanager
def atomic_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary folder beside ``path``, which becomes ``path`` if the block succeeds.

    An earlier folder at ``path`` is replaced as a whole; the caller decides whether it may be.
    """
    target = Path(path)
    temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent))
    old = temporary.with_suffix(".old")
    try:
        yield temporary
        temporary.chmod(0o777 & ~_umask())
        if target.exists():
            target.rename(old)  # a folder cannot be renamed onto one that has files
        try:
            temporary.rename(target)
        except BaseException:
            if old.exists():
                old.rename(target)
            raise
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    shutil.rmtree(old, ignore_errors=True)


def new_file_mode() -> int:
    """Return the permissions that an ordinary new file would have."""
    return 0o666 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
