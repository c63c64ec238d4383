"""Tables of word vectors: reading, keeping and looking things up in them."""

from vlawe.vectors.errors import VectorFormatError
from vlawe.vectors.table import WordVectors
from vlawe.vectors.vocabulary import DuplicateWordError, Vocabulary

__all__ = ["DuplicateWordError", "VectorFormatError", "Vocabulary", "WordVectors"]
