"""Tables of word vectors: reading, keeping and looking things up in them."""

from vlawe.vectors.convert import convert_vectors
from vlawe.vectors.errors import VectorFormatError
from vlawe.vectors.loading import BUNDLED
from vlawe.vectors.table import WordVectors
from vlawe.vectors.vocabulary import DuplicateWordError, Vocabulary

__all__ = [
    "BUNDLED",
    "DuplicateWordError",
    "VectorFormatError",
    "Vocabulary",
    "WordVectors",
    "convert_vectors",
]
