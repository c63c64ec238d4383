"""SWEM: simple word-embedding models (Shen et al., 2018), pooling without anything learned.

For the words ``x_1 … x_n`` of a document, column by column::

    average        (1/n) Σ_t x_t
    max            max_t x_t
    concatenate    both side by side
    hierarchical   max_s (1/w) Σ_{t=s}^{s+w-1} x_t      over windows of w consecutive words
"""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags
from vlawe.encoders.dense import PoolingEncoder
from vlawe.encoders.pool import pool_powers, pool_windows
from vlawe.system.checks import check_whole

_POWERS = {
    "average": (1.0,),
    "max": (np.inf,),
    "concatenate": (1.0, np.inf),
}
"""The power means that a kind of pooling puts side by side."""
_HIERARCHICAL = "hierarchical"


@dataclass(eq=False, repr=False)
class SWEM(PoolingEncoder):
    """Average, largest, or both, of each column of the word vectors; or of windows of words.

    It learns nothing from the texts; ``fit`` opens the table.

    Parameters
    ----------
    vectors : WordVectors, path or None
        The table of word vectors; None is the bundled one.
    pooling : {"average", "max", "concatenate", "hierarchical"}, default="concatenate"
        What is taken of each column: its mean, its largest number, both side by side, or the
        largest of the means of ``window`` consecutive words, which alone knows the order of words.
    window : int, default=5
        Words of a window, of "hierarchical" only. A document of fewer words is one window.
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
    PowerMeans : Other means of each column, side by side.

    Examples
    --------
    >>> from vlawe import SWEM, WordVectors
    >>> table = WordVectors(["red", "blue"], [[1, 0], [0, 1]])
    >>> SWEM(table).fit_transform(["red blue blue blue", "Red"])
    array([[0.25, 0.75, 1.  , 1.  ],
           [1.  , 0.  , 1.  , 0.  ]], dtype=float32)
    >>> SWEM(table, "hierarchical", window=2).fit_transform(["red blue blue red red"])
    array([[1., 1.]], dtype=float32)
    """

    pooling: Literal["average", "max", "concatenate", "hierarchical"] = "concatenate"
    _: KW_ONLY
    window: int = 5

    def check_params(self) -> None:
        """Raise ValueError for a parameter that cannot work."""
        super().check_params()
        if self.pooling not in (*_POWERS, _HIERARCHICAL):
            raise ValueError(
                f"pooling must be one of {', '.join(_POWERS)}, {_HIERARCHICAL}, "
                f"got {self.pooling!r}"
            )
        check_whole("window", self.window)

    def write_rows(self, bags: Bags, out: NDArray[Any]) -> None:
        """Write the row of each bag to ``out``."""
        matrix, unit = self.vectors_.matrix, bool(self.normalize)
        if self.pooling == _HIERARCHICAL:
            pool_windows(bags.arrays, matrix, int(self.window), unit, out)
        else:
            pool_powers(bags.arrays, matrix, np.array(_POWERS[self.pooling]), unit, out)

    @property
    def n_features(self) -> int:
        """How many columns the rows have."""
        return len(_POWERS.get(self.pooling, (1.0,))) * self.vectors_.dim

    def _feature_names(self) -> list[str]:
        kinds = ["average", "max"] if self.pooling == "concatenate" else [self.pooling]
        return [f"{kind}{j}" for kind in kinds for j in range(self.vectors_.dim)]
