"""The files that pages are made of."""

from functools import cache
from importlib.resources import files


@cache
def read_asset(package: str, name: str) -> str:
    """Return the content of a style, script or page that lies in a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")
