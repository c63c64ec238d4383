"""The squared distance of two vectors, in compiled code."""

from typing import Any

import numpy as np

from vlawe.system.compiling import inlined_reassociating

_wide = np.float64


@inlined_reassociating
def squared_distance(a: Any, b: Any) -> Any:
    """Return the squared Euclidean distance, in float64."""
    squared = 0.0
    for j in range(len(a)):
        difference = _wide(a[j]) - _wide(b[j])
        squared += difference * difference
    return squared
