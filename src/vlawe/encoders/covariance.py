"""The covariance of a document's word vectors (Torki, 2018).

For the words ``x_1 … x_n`` of a document and their mean ``m``::

    C = (1/n) Σ_t (x_t − m)(x_t − m)ᵀ
    row = upper triangle of C, row by row, what is beside the diagonal times √2

so that the product of two rows is that of the whole matrices (Frobenius). A document of one word
has no covariance: its row is zero, unless the mean or the words stand beside it.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.encoders.dense import PoolingEncoder
from vlawe.encoders.pool import give_unit_length
from vlawe.system.compiling import compiled, inlined
from vlawe.system.gate import take

_wide = np.float64


@inlined
def _centre(bag: Any, matrix: Any, mean: Any, centred: Any) -> None:
    """Set ``mean`` to the mean of some words, and ``centred`` to the words without it.

    Three rows of zeros follow.
    """
    mean[:] = 0.0
    for t in range(len(bag)):
        row = matrix[bag[t]]
        for j in range(len(mean)):
            mean[j] += row[j]
    for j in range(len(mean)):
        mean[j] /= len(bag)
    for t in range(len(bag)):
        row, target = matrix[bag[t]], centred[t]
        for j in range(len(mean)):
            target[j] = row[j] - mean[j]
    centred[len(bag) : len(bag) + 3] = 0.0


@compiled
def _covariances(bags: Any, matrix: Any, columns: Any, parts: Any, out: Any) -> None:
    """Write covariance, mean and counts of words of each bag to ``out``, as ``parts`` says.

    ``columns`` says where the count of each word of the table stands, -1 for nowhere; ``parts`` is
    (with mean, number of words that are counted, unit length).
    """
    with_mean, n_counted, unit = parts
    d = matrix.shape[1]
    n_triangle = d * (d + 1) // 2
    n_first = n_triangle + d if with_mean else n_triangle
    longest = 1
    for document in range(len(bags.indptr) - 1):
        longest = max(longest, bags.indptr[document + 1] - bags.indptr[document])
    mean, sums, centred = np.empty(d), np.empty(d), np.empty((longest + 3, d))
    for document in range(len(bags.indptr) - 1):
        bag = bags.ids[bags.indptr[document] : bags.indptr[document + 1]]
        row = out[document]
        row[:] = 0
        if len(bag) == 0:
            continue
        _centre(bag, matrix, mean, centred)
        place = 0
        for i in range(d):
            sums[i:] = 0.0
            for t in range(0, len(bag), 4):  # four words share a pass over the sums
                a, b, c, e = centred[t], centred[t + 1], centred[t + 2], centred[t + 3]
                p, q, r, s = a[i], b[i], c[i], e[i]
                for j in range(i, d):
                    sums[j] += (p * a[j] + q * b[j]) + (r * c[j] + s * e[j])
            row[place] = sums[i] / len(bag)
            factor = np.sqrt(2.0) / len(bag)
            for j in range(i + 1, d):
                row[place + j - i] = sums[j] * factor
            place += d - i
        if with_mean:
            for j in range(d):
                row[n_triangle + j] = mean[j]
        if n_counted:
            for t in range(len(bag)):
                if columns[bag[t]] >= 0:
                    row[n_first + columns[bag[t]]] += 1
        if unit:  # of each part first, so that none drowns the others
            give_unit_length(row[:n_triangle])
            give_unit_length(row[n_triangle:n_first])
            give_unit_length(row[n_first:])
            give_unit_length(row)


@dataclass(eq=False, repr=False)
class Covariance(PoolingEncoder):
    """Covariances of the columns of the word vectors; mean and counts of words beside them.

    Rows are long: d(d + 1)/2 numbers for d dimensions, 45,150 for 300. A narrow table serves well.

    Parameters
    ----------
    vectors : WordVectors, path or None
        The table of word vectors; None is the bundled one.
    mean : bool, default=False
        Put the mean of the word vectors beside the covariances.
    bag_of_words : bool, default=False
        Put counts of the words beside them that occur in the training documents.
    normalize : bool, default=True
        Give each of these parts unit length, and then the row.
    tokenizer : callable or None, default=None
        A function from a text to its words, in place of the package's own rules.
    dtype : {"float32", "float64", "float16", "int8"}, default="float32"
        Type of the rows; int8 only with ``normalize``.
    batch_size : int or None, default=None
        Documents encoded at a time, at most; None is 256.
    n_jobs : int or None, default=None
        Threads; None is all cores.

    Attributes
    ----------
    columns_ : ndarray of int32
        The words of the table that are counted; none without ``bag_of_words``.
    vectors_ : WordVectors
        The table in use.

    Examples
    --------
    >>> from vlawe import Covariance, WordVectors
    >>> table = WordVectors(["red", "blue"], [[1, 0], [0, 1]])
    >>> Covariance(table, normalize=False).fit_transform(["red blue"]).round(2)
    array([[ 0.25, -0.35,  0.25]], dtype=float32)
    """

    _: KW_ONLY
    mean: bool = False
    bag_of_words: bool = False
    normalize: bool = True

    def _learn(self, counts: NDArray[np.int64], look_again: Any) -> None:
        seen = np.flatnonzero(counts) if self.bag_of_words else np.zeros(0)
        self.columns_ = seen.astype(np.int32)

    def _place_words(self, places: NDArray[np.int64]) -> bool:
        return not self.bag_of_words  # whose columns are words of the whole table

    def write_rows(self, bags: Bags, out: NDArray[Any]) -> None:
        """Write the row of each bag to ``out``."""
        column_of = np.full(len(self.vectors_), -1, np.int32)
        column_of[self.columns_] = np.arange(len(self.columns_), dtype=np.int32)
        parts = (bool(self.mean), len(self.columns_), bool(self.normalize))
        _covariances(bags.arrays, self.vectors_.matrix, column_of, parts, out)

    @property
    def n_features(self) -> int:
        """How many columns the rows have."""
        d = self.vectors_.dim
        return d * (d + 1) // 2 + (d if self.mean else 0) + len(self.columns_)

    def _feature_names(self) -> list[str]:
        d = self.vectors_.dim
        names = [f"cov{i}_{j}" for i in range(d) for j in range(i, d)]
        names += [f"mean{j}" for j in range(d) if self.mean]
        return names + [f"word_{self.vectors_.words[int(row)]}" for row in self.columns_]

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what was learned, as named tensors."""
        return {"columns": self.columns_}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Take what `state` returned."""
        shape = (None if self.bag_of_words else 0,)
        columns = take(state, "columns", np.int32, shape, least=0, below=len(self.vectors_))
        if (columns[1:] <= columns[:-1]).any():
            raise ValueError("the tensor 'columns' must rise")
        self.columns_ = columns
