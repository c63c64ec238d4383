"""Tables made of other libraries' objects."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from vlawe.vectors.table import WordVectors


def from_gensim(
    cls: "type[WordVectors]", keyed_vectors: Any, *, name: str = "gensim"
) -> "WordVectors":
    """Take the words and vectors of a gensim ``KeyedVectors`` (or a model's ``.wv``)."""
    keyed_vectors = getattr(keyed_vectors, "wv", keyed_vectors)
    return cls(keyed_vectors.index_to_key, keyed_vectors.vectors, name=name)


def from_spacy(cls: "type[WordVectors]", source: Any, *, name: str | None = None) -> "WordVectors":
    """Take the words and vectors of a spaCy pipeline (``nlp``) or vocabulary (``nlp.vocab``).

    A pruned spaCy table maps several words to one row; each gets a row of its own here.
    """
    vocab = getattr(source, "vocab", source)
    table = vocab.vectors
    keys = sorted(table.key2row, key=lambda key: (table.key2row[key], key))
    if not keys:
        raise ValueError("this spaCy vocabulary has no word vectors; load a model that has")
    words = [vocab.strings[key] for key in keys]
    rows = np.asarray(table.data)[[table.key2row[key] for key in keys]]
    return cls(words, rows, name=name or getattr(table, "name", None) or "spacy")
