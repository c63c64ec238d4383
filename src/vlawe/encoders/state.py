"""What encoders learned, as named tensors, and back."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.codebook import Codebook
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


def take(
    state: dict[str, NDArray[Any]], name: str, dtype: type[np.generic], shape: tuple[int, ...]
) -> NDArray[Any]:
    """Return a tensor of a saved encoder; ValueError if it is missing or of another form."""
    if name not in state:
        raise ValueError(f"the tensor {name!r} is missing")
    tensor = state[name]
    if tensor.dtype != dtype or tensor.shape != shape:
        raise ValueError(
            f"the tensor {name!r} is {tensor.dtype} of shape {tensor.shape}, "
            f"expected {np.dtype(dtype)} of shape {shape}"
        )
    if tensor.dtype.kind == "f" and not np.isfinite(tensor).all():
        raise ValueError(f"the tensor {name!r} has a number that is not finite")
    return tensor
