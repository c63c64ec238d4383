"""Libraries that only some of the package needs: they come with extras, and are imported late."""

from importlib import import_module
from typing import Any


class MissingExtraError(ImportError):
    """A library is not installed; the message names the extra that brings it."""


def require(module: str, extra: str) -> Any:
    """Import a module that comes with an extra of the package.

    Raises
    ------
    MissingExtraError
        If it is not installed.

    Examples
    --------
    >>> from vlawe.system.extras import require
    >>> require("no_such_library", "plot")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    ...
    MissingExtraError: no_such_library is not installed: pip install 'vlawe[plot]'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        library = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != library:
            raise  # it is there, and lacks something itself
        raise MissingExtraError(
            f"{library} is not installed: pip install 'vlawe[{extra}]'", name=library
        ) from error
