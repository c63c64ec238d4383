"""Partitions of a corpus, counted and encoded wherever they are: plain functions for any cluster.

A cluster counts the words of its partitions, adds up the counts, learns once from the sum, and
encodes its partitions::

    counts = merge(*(count(texts, vectors) for texts in partitions))
    encoder = VLAWE(vectors).fit_counts(counts)
    rows = [encode_batch(texts, encoder) for texts in partitions]

The result has the bits of ``VLAWE(vectors).fit(corpus).transform(corpus)``, however the corpus is
cut. Each function runs on one thread, because clusters run a task on each core, and depends on
its arguments alone. Arguments and results can be pickled; a table opened from the package's own
file goes as its path and checksum, and is opened once in a process.
"""

import copy
import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from vlawe.documents import read
from vlawe.encoders.base import DocumentEncoder, resolve_vectors
from vlawe.encoders.counting import count_words
from vlawe.encoders.encoder import Encoder
from vlawe.encoders.rows import Rows
from vlawe.system.model_folder import read_config
from vlawe.tokenizer import Tokenizer, tokenize_batches
from vlawe.vectors import WordVectors


def count(
    texts: Any,
    vectors: "WordVectors | str | os.PathLike[str] | None" = None,
    tokenizer: Tokenizer | None = None,
) -> NDArray[np.int64]:
    """Return how often each word of a table occurs in some texts, int64, shape (n_words,).

    Parameters
    ----------
    texts : iterable of str, or of lists of words
        A partition of a corpus.
    vectors : WordVectors, path or None
        The table; None is the bundled one.
    tokenizer : callable or None
        The encoder's own, if it has one.

    Examples
    --------
    >>> from vlawe import WordVectors
    >>> from vlawe.partitions import count, merge
    >>> table = WordVectors(["red", "green", "blue"], [[1, 0], [0, 1], [0.6, 0.8]])
    >>> merge(count(["red, red!", "green"], table), count(["Red and blue"], table))
    array([3, 1, 1])
    """
    table = resolve_vectors(vectors)
    bags = tokenize_batches(read(texts), table, tokenizer=tokenizer, n_jobs=1)
    return count_words(bags, len(table))[0]


def merge(*counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sum of counts that `count` made with one table, as a new array.

    The order does not matter: sums of whole numbers are exact.
    """
    if not counts:
        raise ValueError("there are no counts to merge")
    total = np.zeros_like(counts[0], np.int64)
    for part in counts:
        if np.shape(part) != total.shape or part.dtype.kind not in "iu":
            raise ValueError(
                f"counts of one table are {len(total):,} whole numbers, "
                f"got {np.asarray(part).dtype} of shape {np.shape(part)}"
            )
        total += part
    return total


def encode_batch(texts: Any, model: "Encoder | str | os.PathLike[str]") -> Rows:
    """Return a row for each text, as the encoder's ``transform`` does.

    Parameters
    ----------
    texts : iterable of str, or of lists of words
        A partition of a corpus.
    model : Encoder or path
        A fitted encoder, or the folder of a saved one, which is read once in a process. (An
        encoder with a tokenizer of its own cannot be read from its folder alone: pass it itself.)

    Examples
    --------
    >>> from vlawe import MeanVector
    >>> from vlawe.partitions import encode_batch
    >>> encode_batch(["red wine", "a blue door"], MeanVector().fit_counts(count([]))).shape
    (2, 300)
    """
    return task_copy(open_encoder(model)).transform(texts)


def open_encoder(model: "Encoder | str | os.PathLike[str]") -> Encoder:
    """Return an encoder: itself, or read from its folder once in a process."""
    if isinstance(model, Encoder):
        return model
    if not isinstance(model, str | os.PathLike):
        raise TypeError(f"expected an encoder or the folder of a saved one, got {model!r}")
    folder = Path(model).resolve()
    return _read(folder, json.dumps(read_config(folder)))


@lru_cache(maxsize=4)
def _read(folder: Path, _config: str) -> Encoder:
    """Read an encoder; its configuration, which has the model's checksum, marks a new model."""
    return Encoder.load(folder)


def task_copy(encoder: Encoder) -> Encoder:
    """Return a shallow copy of a fitted encoder that uses one thread, and no table but its own."""
    check_is_fitted(encoder)
    copied: Encoder = copy.copy(encoder).set_params(n_jobs=1)
    if isinstance(copied, DocumentEncoder):
        copied.vectors = copied.vectors_
    return copied
