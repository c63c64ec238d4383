"""What people see: words coloured by their effects, styles and elements of pages, colours.

It works on plain data (words, effects, labels) and knows nothing of models.
"""

from functools import cache
from importlib.resources import files

from vlawe.pages.words import Word, text_pieces

__all__ = ["Word", "read_asset", "text_pieces"]


@cache
def read_asset(package: str, name: str) -> str:
    """Return the content of a style, script or page that lies in a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")
