"""Kernels: Gram matrices of document vectors.

Every kernel takes rows of X, or of X and Y, dense or sparse, and returns float64 (n, m), the
same bits whatever ``n_jobs``. `KERNELS` has them by name.
"""

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
from vlawe.kernels.registry import KERNELS, Kernel
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
