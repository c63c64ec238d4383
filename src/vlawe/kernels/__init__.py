"""Kernels: Gram matrices of document vectors.

Every kernel takes rows of X, or of X and Y, dense or sparse, and returns float64 (n, m), the
same bits whatever ``n_jobs``. `KERNELS` has them by name.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.kernels.additive import (
    intersection_diagonal,
    intersection_kernel,
    jensen_shannon_diagonal,
    jensen_shannon_kernel,
)
from vlawe.kernels.combine import combine_kernels
from vlawe.kernels.pq import pq_diagonal, pq_kernel
from vlawe.kernels.products import (
    hellinger_diagonal,
    hellinger_kernel,
    linear_diagonal,
    linear_kernel,
)
from vlawe.kernels.scaling import normalize_kernel

__all__ = [
    "KERNELS",
    "Kernel",
    "combine_kernels",
    "hellinger_diagonal",
    "hellinger_kernel",
    "intersection_diagonal",
    "intersection_kernel",
    "jensen_shannon_diagonal",
    "jensen_shannon_kernel",
    "linear_diagonal",
    "linear_kernel",
    "normalize_kernel",
    "pq_diagonal",
    "pq_kernel",
]


@dataclass(frozen=True)
class Kernel:
    """A kernel and what is known of it."""

    name: str
    gram: Callable[..., NDArray[np.float64]]
    """``gram(X, Y=None, *, normalize=False, n_jobs=None)``; calling the kernel calls it."""
    diagonal: Callable[[Any], NDArray[np.float64]]
    """``K(x, x)`` of each row: what `normalize_kernel` needs for test rows with training rows."""
    linear: bool = False
    """Whether it is the inner product of the rows as they are."""
    non_negative: bool = False
    """Whether rows must not have negative values."""

    def __call__(
        self, X: Any, Y: Any = None, *, normalize: bool = False, n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Return the kernel of every row of X with every row of Y (None is X)."""
        return self.gram(X, Y, normalize=normalize, n_jobs=n_jobs)


_KERNELS = (
    Kernel("linear", linear_kernel, linear_diagonal, linear=True),
    Kernel("pq", pq_kernel, pq_diagonal),
    Kernel("hellinger", hellinger_kernel, hellinger_diagonal, non_negative=True),
    Kernel("intersection", intersection_kernel, intersection_diagonal, non_negative=True),
    Kernel("jensen_shannon", jensen_shannon_kernel, jensen_shannon_diagonal, non_negative=True),
)

KERNELS: Mapping[str, Kernel] = MappingProxyType({kernel.name: kernel for kernel in _KERNELS})
"""Kernels by name: linear, pq, hellinger, intersection, jensen_shannon."""
