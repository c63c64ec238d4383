"""What people see: words coloured by their effects, styles and elements of pages, colours.

It works on plain data (words, effects, labels) and knows nothing of models.
"""

from vlawe.pages.assets import read_asset
from vlawe.pages.words import Word, text_pieces

__all__ = ["Word", "read_asset", "text_pieces"]
