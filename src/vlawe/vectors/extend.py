"""Rows for the words that a table lacks, made of their n-grams of letters.

A table is *open* if it has n-grams (``unknown="subwords"``). It stays what it is, words and their
rows; further words make another table: with all of its words (`extend_table`), or with no others
than some texts have (`narrow_table`), which is as good for these texts and small.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from vlawe.documents import TextBatch, read
from vlawe.tokenizer.tokenizing import apply_tokenizer
from vlawe.tokenizer.tokens import known_and_unknown
from vlawe.vectors.errors import VectorFormatError
from vlawe.vectors.vocabulary import Vocabulary

if TYPE_CHECKING:
    from vlawe.tokenizer import Tokenizer
    from vlawe.vectors.table import WordVectors


def extend_table(
    table: "WordVectors", texts: Any, *, tokenizer: "Tokenizer | None" = None
) -> "WordVectors":
    """Return this table with rows for those words of texts that it lacks.

    For a fastText ``.bin`` that was loaded with ``unknown="subwords"``: a word that it lacks gets
    the mean of the rows of its n-grams of letters, as in fastText. The rows of this table come
    first and stay as they are; the new ones follow in the order of their UTF-8, so that the same
    words give the same table, whatever texts they stand in. Words without an n-gram stay unknown.

    Encoders do so themselves with the texts that `fit` and `transform` get. Where bags are made
    first (classifiers, clusters, the command), extend the table by all texts that are at hand:
    words that do not occur in training documents change nothing that is learned.

    Parameters
    ----------
    texts : iterable of str, or of lists of words
        Read once; a generator is fine.
    tokenizer : callable, optional
        As the encoder will have it.

    Raises
    ------
    ValueError
        If the table has no n-grams.
    """
    if table.subwords is None:
        raise ValueError(
            f"{table.name} has no n-grams of letters, of which rows of further words could be "
            'made; load a fastText .bin with unknown="subwords"'
        )
    return extended_by(table, (tokenized(batch, tokenizer) for batch in read(texts)))


def tokenized(batch: TextBatch, tokenizer: "Tokenizer | None") -> TextBatch:
    """Return a batch as it is looked up: a tokenizer of the user's is asked here, and only here."""
    return batch if tokenizer is None or batch.tokenized else apply_tokenizer(tokenizer, batch)


def extended_by(table: "WordVectors", batches: Iterable[TextBatch]) -> "WordVectors":
    """Return an open table with rows for those words of batches that it lacks, or itself."""
    unknown: set[str] = set()
    for batch in batches:
        unknown |= known_and_unknown(batch, table)[1]
    words, rows = _rows_of(table, unknown)
    if len(words) == 0:
        return table
    vocabulary = Vocabulary.from_arrow(pa.concat_arrays([table.words.to_arrow(), words]))
    return table.of_same_kind(vocabulary, np.concatenate([table.matrix, rows]))


def narrow_table(
    table: "WordVectors", batch: TextBatch
) -> "tuple[WordVectors, NDArray[np.int64]] | None":
    """Return a table of the words of a batch alone, and their rows in an open one, -1 if new.

    None if no word of the batch is new.
    """
    known, unknown = known_and_unknown(batch, table)
    words, rows = _rows_of(table, unknown)
    if len(words) == 0:
        return None
    vocabulary = Vocabulary.from_arrow(
        pa.concat_arrays([table.words.to_arrow().take(pa.array(known)), words])
    )
    places = np.concatenate([known.astype(np.int64), np.full(len(words), -1)])
    return table.of_same_kind(vocabulary, np.concatenate([table.matrix[known], rows])), places


def _rows_of(
    table: "WordVectors", tokens: set[str]
) -> tuple[pa.LargeStringArray, NDArray[np.float32]]:
    """Return those tokens that a table lacks and that have n-grams, and their rows."""
    assert table.subwords is not None
    words = pa.array(sorted(tokens, key=str.encode), pa.large_string())
    words = words.filter(pa.array(table.words.rows(words) < 0))
    rows = table.subwords.rows_of(words)
    finite = np.isfinite(rows).all(axis=1)
    if not finite.all():
        word = words[int(np.argmin(finite))].as_py()
        message = f"the rows of the n-grams of {word!r} are not finite"
        raise VectorFormatError(table.subwords.path, "matrix", message)
    has_ngrams = rows.any(axis=1)
    return words.filter(pa.array(has_ngrams)), rows[has_ngrams]
