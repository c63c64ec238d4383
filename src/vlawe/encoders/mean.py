"""The mean of a document's word vectors."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.encoders.aggregate import aggregate_means
from vlawe.encoders.base import DocumentEncoder
from vlawe.encoders.rows import computed_rows, store_rows


@dataclass(eq=False, repr=False)
class MeanVector(DocumentEncoder):
    """Mean of the word vectors: ``(1/n) Σ_t x_t``.

    It learns nothing from the texts; ``fit`` opens the table.

    Parameters
    ----------
    vectors : WordVectors, path or None
        The table of word vectors; None is the bundled one.
    normalize : bool, default=False
        Give each row unit length.
    tokenizer : callable or None, default=None
        A function from a text to its words, in place of the package's own rules.
    dtype : {"float32", "float64", "float16", "int8"}, default="float32"
        Type of the rows. int8 keeps a row's direction: whole numbers from -127 to 127 in
        proportion to it, see `vlawe.quantization`;
        only with ``normalize``.
    batch_size : int or None, default=None
        Documents encoded at a time, at most; None is 256.
    n_jobs : int or None, default=None
        Threads; None is all cores.

    Attributes
    ----------
    vectors_ : WordVectors
        The table in use.

    Examples
    --------
    >>> from vlawe import MeanVector, WordVectors
    >>> table = WordVectors(["red", "blue"], [[1, 0], [0, 1]])
    >>> MeanVector(table).fit_transform(["red blue blue blue", "Red"])
    array([[0.25, 0.75],
           [1.  , 0.  ]], dtype=float32)
    """

    _: KW_ONLY
    normalize: bool = False

    def check_params(self) -> None:
        """Raise ValueError for a parameter that cannot work."""
        if self.dtype == "int8" and not self.normalize:
            raise ValueError("int8 rows keep their direction only: use normalize=True")

    def _learn(self, counts: NDArray[np.int64], look_again: Any) -> None:
        """Learn nothing: a mean has no parameters."""

    def _place_words(self, places: NDArray[np.int64]) -> bool:
        return True

    def encode_batch(self, bags: Bags, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Turn bags into rows, in ``out`` if given."""
        if out is None:
            out = np.empty((len(bags), self.n_features), self.dtype)
        rows = computed_rows(out)
        aggregate_means(bags.arrays, self.vectors_.matrix, bool(self.normalize), rows)
        return store_rows(rows, out)

    @property
    def n_features(self) -> int:
        """How many columns the rows have."""
        return self.vectors_.dim

    def _feature_names(self) -> list[str]:
        return [f"mean{i}" for i in range(self.n_features)]
