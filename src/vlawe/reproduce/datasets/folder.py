"""Where the archives of the data sets are."""

import os
import sys
from pathlib import Path

VARIABLE = "VLAWE_DATA"


def data_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder of the archives: the given one, else VLAWE_DATA, else the user's cache.

    It need not exist.
    """
    if folder is not None:
        return Path(folder)
    if named := os.environ.get(VARIABLE):
        return Path(named)
    return _user_cache() / "vlawe" / "datasets"


def _user_cache() -> Path:
    if sys.platform == "win32":
        named, usual = os.environ.get("LOCALAPPDATA"), Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        named, usual = None, Path.home() / "Library" / "Caches"
    else:
        named, usual = os.environ.get("XDG_CACHE_HOME"), Path.home() / ".cache"
    # The XDG specification says to pass over a relative path.
    return Path(named) if named and Path(named).is_absolute() else usual
