"""Search: the documents of a collection that are nearest to a text, by the cosine of their rows."""

from vlawe.search.document_index import DocumentIndex, Hit

__all__ = ["DocumentIndex", "Hit"]
