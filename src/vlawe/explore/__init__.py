"""The explorer: a local page that shows what a model makes of a text, as it is typed."""

from vlawe.explore.explorer import Explorer
from vlawe.explore.server import LocalServer

__all__ = ["Explorer", "LocalServer"]
