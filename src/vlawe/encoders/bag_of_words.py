"""Bag of words: how often each word occurs in a document."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.encoders.base import DocumentEncoder
from vlawe.encoders.counting import count_columns
from vlawe.system.gate import take


@dataclass(eq=False, repr=False)
class BagOfWords(DocumentEncoder):
    """Counts of words, as a baseline on the same tokens as the other encoders.

    Columns are the words of the table that occur in the training documents; words that the
    table lacks are not counted.

    Parameters
    ----------
    vectors : WordVectors, path or None
        The table whose words are counted; None is the bundled one.
    min_count : int, default=1
        Leave out words that occur less often in the training documents.
    binary : bool, default=False
        Say only whether a word occurs.
    normalize : bool, default=True
        Give each row unit length.
    tokenizer : callable or None, default=None
        A function from a text to its words, in place of the package's own rules.
    dtype : {"float32", "float64"}, default="float32"
        Type of the rows.
    batch_size : int or None, default=None
        Documents encoded at a time, at most; None is 256.
    n_jobs : int or None, default=None
        Threads of the tokenizer; None is all cores.

    Attributes
    ----------
    columns_ : ndarray of int32
        The row of the table that each column counts.
    vectors_ : WordVectors
        The table in use.

    Examples
    --------
    >>> from vlawe import BagOfWords
    >>> encoder = BagOfWords(normalize=False)
    >>> encoder.fit_transform(["red, red wine", "blue wine"]).toarray()
    array([[1., 2., 0., 1.],
           [0., 0., 1., 1.]], dtype=float32)
    >>> encoder.get_feature_names_out()
    array([',', 'red', 'blue', 'wine'], dtype=object)
    """

    is_sparse = True

    _: KW_ONLY
    min_count: int = 1
    binary: bool = False
    normalize: bool = True

    def check_params(self) -> None:
        """Raise ValueError for a parameter that cannot work."""
        if self.dtype in ("float16", "int8"):
            raise ValueError(f"sparse rows are float32 or float64, not {self.dtype}")
        if not isinstance(self.min_count, int | np.integer) or self.min_count < 1:
            raise ValueError(f"min_count must be at least 1, got {self.min_count!r}")

    def _learn(self, counts: NDArray[np.int64], look_again: Any) -> None:
        self.columns_ = np.flatnonzero(counts >= self.min_count).astype(np.int32)
        if len(self.columns_) == 0:
            raise ValueError(
                f"no known word occurs {self.min_count} times or more in the training documents"
            )

    def encode_batch(self, bags: Bags, out: NDArray[Any] | None = None) -> Any:
        """Turn bags into rows, in ``out`` if given."""
        column_of = np.full(len(self.vectors_), -1, np.int32)
        column_of[self.columns_] = np.arange(len(self.columns_), dtype=np.int32)
        rows = count_columns(column_of[bags.ids], bags.indptr, len(self.columns_), self.dtype)
        if self.binary:
            rows.data[:] = 1
        if not self.normalize or len(bags) == 0:
            return rows
        from sklearn.preprocessing import normalize as normalize_rows  # takes long

        return normalize_rows(rows, copy=False)

    @property
    def n_features(self) -> int:
        """How many columns the rows have."""
        return len(self.columns_)

    def _feature_names(self) -> list[str]:
        return [self.vectors_.words[int(row)] for row in self.columns_]

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what was learned, as named tensors."""
        return {"columns": self.columns_}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Take what `state` returned."""
        columns = take(state, "columns", np.int32, (None,), least=0, below=len(self.vectors_))
        if len(columns) == 0 or (columns[1:] <= columns[:-1]).any():
            raise ValueError("the tensor 'columns' must rise, and not be empty")
        self.columns_ = columns
