"""Tables side by side: all their words, and their columns one after the other."""

from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vlawe.vectors.vocabulary import Vocabulary

if TYPE_CHECKING:
    from vlawe.vectors.table import WordVectors


def concatenate_tables(
    cls: "type[WordVectors]",
    *tables: "WordVectors | Iterable[WordVectors]",
    balance: bool = False,
    name: str | None = None,
) -> "WordVectors":
    """Put tables side by side: all their words, and their columns one after the other.

    Words come in the order of the first table that has them. The row of word ``w`` is

        ``[s_1 x_1(w), s_2 x_2(w), …]``,  ``s_b = 1``, or with ``balance`` ``1 / mean_v ‖x_b(v)‖``

    where ``x_b(w)`` is its row in table ``b``, or zero if that table lacks it, and the mean is over
    the words ``v`` that have a row other than zero there.

    Parameters
    ----------
    *tables : WordVectors
        Two or more, or one collection of them.
    balance : bool, default=False
        Make the scales of the tables comparable: rows of each get unit length on average.
        Distances, and so codewords, are otherwise decided by the table with the longer rows.
    name : str, optional
        What to call the result; else the names of the tables, with ``+`` between them.

    Examples
    --------
    >>> from vlawe import WordVectors
    >>> a = WordVectors(["red", "blue"], [[3, 4], [0, 15]])
    >>> b = WordVectors(["red", "green"], [[5], [7]])
    >>> WordVectors.concatenate(a, b).matrix.tolist()
    [[3.0, 4.0, 5.0], [0.0, 15.0, 0.0], [0.0, 0.0, 7.0]]
    >>> WordVectors.concatenate(a, b, balance=True)["blue"].tolist()
    [0.0, 1.5, 0.0]
    """
    flat = [one for some in tables for one in (some if isinstance(some, Iterable) else [some])]
    if not flat:
        raise ValueError("nothing to concatenate")
    vocabulary = Vocabulary.from_words(dict.fromkeys(chain(*(table.words for table in flat))))
    matrix = np.zeros((len(vocabulary), sum(table.dim for table in flat)), np.float32)
    column = 0
    for table in flat:
        rows = vocabulary.find(table.words.word_bytes, table.words.word_offsets)
        block = matrix[:, column : column + table.dim]
        block[rows] = table.matrix
        if balance:
            block *= _scale(table.matrix)
        column += table.dim
    return cls(vocabulary, matrix, name=name or "+".join(table.name for table in flat))


def _scale(matrix: NDArray[np.float32]) -> np.float32:
    """Return what makes the mean length of rows one; rows of zeros do not count."""
    lengths = np.linalg.norm(matrix, axis=1).astype(np.float64)
    mean = lengths[lengths > 0].mean() if lengths.any() else 1.0
    return np.float32(1 / mean)
