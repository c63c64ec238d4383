"""What encoders share whose rows are dense, and what those share that learn nothing."""

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.encoders.base import DocumentEncoder
from vlawe.encoders.rows import computed_rows, store_rows


class DenseRows(DocumentEncoder):
    """An encoder that writes its rows to an array of float32 or float64."""

    def encode_batch(self, bags: Bags, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Turn bags into rows, in ``out`` if given."""
        if out is None:
            out = np.empty((len(bags), self.n_features), self.dtype)
        rows = computed_rows(out)
        self.write_rows(bags, rows)
        return store_rows(rows, out)

    @abstractmethod
    def write_rows(self, bags: Bags, out: NDArray[Any]) -> None:
        """Write the row of each bag to ``out`` (n, n_features), C-contiguous."""


@dataclass(eq=False, repr=False)
class PoolingEncoder(DenseRows):
    """An encoder that learns nothing from the texts; ``fit`` opens the table."""

    _: KW_ONLY
    normalize: bool = False

    def check_params(self) -> None:
        """Raise ValueError for a parameter that cannot work."""
        if self.dtype == "int8" and not self.normalize:
            raise ValueError("int8 rows keep their direction only: use normalize=True")

    def _learn(self, counts: NDArray[np.int64], look_again: Any) -> None:
        """Learn nothing."""

    def _place_words(self, places: NDArray[np.int64]) -> bool:
        return True
