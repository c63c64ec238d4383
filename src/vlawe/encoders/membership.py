"""Which document is of which class."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray


def class_membership(y: Any) -> tuple[NDArray[Any], Any]:
    """Return the classes, and which document is of which (n, n_classes), as CSR of bool.

    ``y`` has one label a document, or is an indicator matrix.
    """
    if sp.issparse(y) or np.ndim(y) == 2:
        membership = sp.csr_array(y, dtype=bool, copy=True)
        membership.eliminate_zeros()
        return np.arange(membership.shape[1]), membership
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ValueError("labels must be one a document, or an indicator matrix")
    classes, codes = np.unique(labels, return_inverse=True)
    n = len(labels)
    membership = sp.csr_array(
        (np.ones(n, bool), codes.astype(np.int32), np.arange(n + 1)), shape=(n, len(classes))
    )
    return classes, membership
