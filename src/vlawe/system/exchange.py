"""A folder takes the place of another one, and readers beside it never see neither or half.

Where the system can, the two change places in one step. Elsewhere the old one is renamed away
first; if the process ends between the two renames, whoever opens or writes the folder next finishes
what was begun, and says so.
"""

import ctypes
import errno
import os
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from vlawe.system.under_way import OLD, PART, left_behind, remove, try_to_hold

P = ParamSpec("P")
R = TypeVar("R")

_HERE, _EXCHANGE = -100, 2
_ATTEMPTS = 50
_RACES = (errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST)
"""What happens if another process does the same in the same moment."""
_PAUSE = 0.01


def replace_folder(new: Path, target: Path) -> None:
    """Let a folder take a place, where another one may be; that one is removed.

    The caller holds ``new``, whose name is one of `vlawe.system.under_way`.
    """
    for left in reversed(range(_ATTEMPTS)):
        try:
            if not os.path.lexists(target):
                new.rename(target)
            elif exchange(new, target):
                remove(new)
            else:
                _replace_in_two_steps(new, target)
        except OSError as error:
            if not left or error.errno not in _RACES or not new.exists():
                raise
        else:
            return


def _replace_in_two_steps(new: Path, target: Path) -> None:
    old = new.with_suffix(OLD)
    target.rename(old)
    try:
        new.rename(target)
    except BaseException:
        old.rename(target)
        raise
    remove(old)


def exchange(one: Path, other: Path) -> bool:
    """Let two paths change places in one step; False if this system, or this disk, cannot."""
    function = _renameat2()
    if function is None:
        return False
    if function(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP):
        return False
    raise OSError(number, os.strerror(number), str(one), None, str(other))


@cache
def _renameat2() -> Any:
    try:
        function = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):  # not Linux, or an old one
        return None
    function.argtypes = [
        *(ctypes.c_int, ctypes.c_char_p),
        *(ctypes.c_int, ctypes.c_char_p),
        ctypes.c_uint,
    ]
    return function


def finish_exchange(target: Path) -> None:
    """Finish what a process that ended between two renames had begun, with a warning."""
    for old in left_behind(target, OLD):
        new = old.with_suffix(PART)
        for _ in range(_ATTEMPTS):
            if os.path.lexists(target):
                break
            lock = try_to_hold(new) if new.exists() else None
            if lock is None and new.exists():
                time.sleep(_PAUSE)  # its process is still at it
                continue
            try:
                (new if lock is not None else old).rename(target)
            except OSError as error:
                if error.errno not in _RACES:
                    raise
                continue
            finally:
                if lock is not None:
                    os.close(lock)
            what = "completed" if lock is not None else "undone"
            warnings.warn(
                f"{target}: was being replaced when the process ended; that is {what} now",
                stacklevel=2,
            )
        if os.path.lexists(target) and not new.exists():
            remove(old)


# -------------------------------------------------------------------------------------- readers


def read_settled(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function that reads a file or folder begin again if that is replaced meanwhile.

    The path is its first argument. Of several files it might otherwise have read some of the old
    folder and some of the new one.
    """

    @wraps(function)
    def read(*arguments: P.args, **options: P.kwargs) -> R:
        path = Path(arguments[0] if arguments else options["folder"])  # type: ignore[arg-type]
        for left in reversed(range(_ATTEMPTS)):
            if not path.exists():
                finish_exchange(path)
            with _same(path) as is_same:
                try:
                    result = function(*arguments, **options)
                except (OSError, ValueError):
                    if is_same() or not left:
                        raise
                else:
                    if is_same():
                        return result
        raise OSError(errno.EBUSY, "is replaced again and again", str(path))

    return read


@contextmanager
def _same(path: Path) -> Iterator[Callable[[], bool]]:
    """Yield a function that tells whether the path still leads to the same file or folder."""
    try:
        # While it is open, no other one can get its number.
        opened = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:  # it is not there, or cannot be opened; what reads it says so
        yield lambda: not path.exists()
        return

    def is_same() -> bool:
        try:
            return os.path.samestat(os.fstat(opened), path.stat())
        except OSError:
            return False

    try:
        yield is_same
    finally:
        os.close(opened)
