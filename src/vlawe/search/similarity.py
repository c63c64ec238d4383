"""How alike texts are: the encoder that compares best, and the cosines of pairs."""

import os
from itertools import zip_longest
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.documents import BATCH_ROWS
from vlawe.encoders import Encoder, WhitenedMean
from vlawe.encoders.base import resolve_vectors
from vlawe.search.rows import row_lengths
from vlawe.vectors import WordVectors

TABLE = "similar-en"
"""The bundled table to compare texts with."""


def similarity_encoder(
    vectors: "WordVectors | str | os.PathLike[str] | None" = None, *, n_jobs: int | None = None
) -> WhitenedMean:
    """Return the encoder that compares texts best, ready for use: it learns from no texts.

    It is a `WhitenedMean` over the bundled table ``similar-en``, or over another one; see
    ``benchmarks/similarity.py``, which compares it with others.

    Examples
    --------
    >>> from vlawe.search import similarity_encoder
    >>> similarity_encoder().transform(["A child rides a horse."]).shape
    (1, 256)
    """
    table = resolve_vectors(TABLE if vectors is None else vectors)
    encoder = WhitenedMean(table, normalize=True, n_jobs=n_jobs)
    encoder.fit_counts(np.zeros(len(table), np.int64))
    if table.subwords is not None:  # counts are of a closed table; texts may have further words
        encoder.reopen(table, encoder.state())
    return encoder


def similarities(first: Any, second: Any, encoder: Encoder | None = None) -> NDArray[np.float64]:
    """Return the cosine of each text with the one at the same place in another collection.

    Parameters
    ----------
    first, second : iterable of str, or of lists of words
        As many texts in each; read in batches, so streams are fine.
    encoder : Encoder, optional
        A fitted encoder; None is `similarity_encoder`.

    Returns
    -------
    ndarray of float64
        From -1 to 1; 0 where one of the two has no known word.

    Examples
    --------
    >>> from vlawe.search import similarities
    >>> first = ["A child rides a horse.", "The train was late."]
    >>> similarities(first, ["Kids ride horses.", "Fresh bread and butter"]).round(1)
    array([0.9, 0.1])
    """
    encoder = similarity_encoder() if encoder is None else encoder
    batches = (encoder.transform_batches(texts, batch_size=BATCH_ROWS) for texts in (first, second))
    found = [np.zeros(0)]
    for mine, others in zip_longest(*batches):
        if mine is None or others is None or mine.shape != others.shape:
            raise ValueError("texts are compared in pairs: there must be as many of both")
        found.append(_cosines(mine, others))
    return np.concatenate(found)


def _cosines(first: Any, second: Any) -> NDArray[np.float64]:
    """Return the cosine of each row with the one at the same place; 0 where a row is zero."""
    wide = first.astype(np.float64)
    product = wide.multiply(second) if sp.issparse(wide) else wide * second
    lengths = row_lengths(first) * row_lengths(second)
    sums = np.asarray(product.sum(axis=1)).ravel()
    cosines = np.zeros(len(lengths))
    np.divide(sums, lengths, out=cosines, where=lengths > 0)
    return cosines.clip(-1.0, 1.0)
