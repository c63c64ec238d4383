"""What the pages for people share: words coloured by their effects, styles, elements."""

from vlawe.pages.assets import read_asset
from vlawe.pages.words import text_pieces

__all__ = ["read_asset", "text_pieces"]
