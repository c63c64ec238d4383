"""Concatenated power means of word vectors (Rücklé et al., 2018).

For the words ``x_1 … x_n`` of a document and each power ``p``, column by column::

    m_p = ((1/n) Σ_t x_t^p)^(1/p),     m_min = min_t x_t,     m_max = max_t x_t

side by side. Odd roots of negative numbers are negative.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.encoders.dense import PoolingEncoder
from vlawe.encoders.pool import pool_powers
from vlawe.system.checks import check_whole

_EXTREMES = {"min": -np.inf, "max": np.inf}


@dataclass(eq=False, repr=False)
class PowerMeans(PoolingEncoder):
    """Power means of each column of the word vectors, side by side.

    It learns nothing from the texts; ``fit`` opens the table.

    Parameters
    ----------
    vectors : WordVectors, path or None
        The table of word vectors; None is the bundled one.
    powers : sequence, default=("min", 1, "max")
        Whole numbers of at least 1 (1 is the mean), "min" and "max", in the order of the columns.
    normalize : bool, default=False
        Give each row unit length.
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
    vectors_ : WordVectors
        The table in use.

    See Also
    --------
    SWEM : The mean, the largest number, or both.

    Examples
    --------
    >>> from vlawe import PowerMeans, WordVectors
    >>> table = WordVectors(["red", "blue"], [[1, 0], [0, 2]])
    >>> PowerMeans(table, (1, 2, "max")).fit_transform(["red blue red blue"]).round(2)
    array([[0.5 , 1.  , 0.71, 1.41, 1.  , 2.  ]], dtype=float32)
    """

    powers: Sequence[int | str] = ("min", 1, "max")
    _: KW_ONLY

    def check_params(self) -> None:
        """Raise ValueError for a parameter that cannot work."""
        super().check_params()
        if not isinstance(self.powers, list | tuple) or len(self.powers) == 0:
            raise ValueError(f"powers must be several, such as (1, 3), got {self.powers!r}")
        for power in self.powers:
            if power not in _EXTREMES:
                check_whole('each of powers, if not "min" or "max",', power)
        if len(set(self.powers)) < len(self.powers):
            raise ValueError(f"powers must differ, got {self.powers!r}")

    def write_rows(self, bags: Bags, out: NDArray[Any]) -> None:
        """Write the row of each bag to ``out``."""
        powers = np.array([_EXTREMES[p] if isinstance(p, str) else float(p) for p in self.powers])
        pool_powers(bags.arrays, self.vectors_.matrix, powers, bool(self.normalize), out)

    @property
    def n_features(self) -> int:
        """How many columns the rows have."""
        return len(self.powers) * self.vectors_.dim

    def _feature_names(self) -> list[str]:
        return [f"power_{power}_{j}" for power in self.powers for j in range(self.vectors_.dim)]
