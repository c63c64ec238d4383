"""Search: the documents of a collection that are nearest to a text, by the cosine of their rows."""

from vlawe.search.document_index import DocumentIndex
from vlawe.search.hits import Hit, Pair
from vlawe.search.similarity import similarities, similarity_encoder
from vlawe.search.word_shares import Keyword, group_keywords, keywords, keywords_of_each

__all__ = [
    "DocumentIndex",
    "Hit",
    "Keyword",
    "Pair",
    "group_keywords",
    "keywords",
    "keywords_of_each",
    "similarities",
    "similarity_encoder",
]
