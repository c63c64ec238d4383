"""Search: the documents of a collection that are nearest to a text, by the cosine of their rows."""

from vlawe.search.document_index import DocumentIndex
from vlawe.search.hits import Hit, Pair
from vlawe.search.similarity import similarities, similarity_encoder

__all__ = ["DocumentIndex", "Hit", "Pair", "similarities", "similarity_encoder"]
