"""Codebooks as named tensors, and back."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.codebook import Codebook
from vlawe.system.model_folder import take
from vlawe.vectors import WordVectors


def codebook_state(codebook: Codebook, prefix: str = "codebook.") -> dict[str, NDArray[Any]]:
    """Return a codebook as named tensors."""
    return {
        f"{prefix}centroids": codebook.centroids,
        f"{prefix}assignment": codebook.assignment,
        f"{prefix}counts": codebook.counts,
        f"{prefix}inertia": np.array([codebook.inertia]),
    }


def codebook_from(
    state: dict[str, NDArray[Any]], prefix: str, vectors: WordVectors, size: int | None = None
) -> Codebook:
    """Return the codebook that `codebook_state` named, of ``size`` codewords if given."""
    if size is None:
        size = len(state.get(f"{prefix}centroids", ()))
    return Codebook(
        take(state, f"{prefix}centroids", np.float32, (size, vectors.dim)),
        take(state, f"{prefix}assignment", np.int32, (len(vectors),)),
        take(state, f"{prefix}counts", np.int64, (size,)),
        float(take(state, f"{prefix}inertia", np.float64, (1,))[0]),
    )
