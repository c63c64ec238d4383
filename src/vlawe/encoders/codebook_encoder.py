"""What encoders with a codebook share: its parameters, learning it from counts, keeping it."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.codebook import Algorithm, Assign, Codebook
from vlawe.encoders.base import DocumentEncoder
from vlawe.system.checks import check_whole
from vlawe.system.model_folder import take
from vlawe.vectors import WordVectors


@dataclass(eq=False, repr=False)
class CodebookEncoder(DocumentEncoder):
    """An encoder that learns one codebook, or several with the same parameters."""

    n_codewords: int = 10
    _: KW_ONLY
    n_init: int = 1
    kmeans: Algorithm = "lloyd"
    assign: Assign = "exact"
    random_state: Any = 0

    def check_params(self) -> None:
        """Raise ValueError for a parameter that cannot work."""
        for name in ("n_codewords", "n_init"):
            check_whole(name, getattr(self, name))
        for name, known in (("kmeans", ("lloyd", "elkan")), ("assign", ("exact", "forest"))):
            if getattr(self, name) not in known:
                choices = " or ".join(f'"{choice}"' for choice in known)
                raise ValueError(f"{name} must be {choices}, got {getattr(self, name)!r}")

    def learn_codebook(self, counts: NDArray[np.int64], n_codewords: int) -> Codebook:
        """Cluster the words of ``vectors_``, weighted by their counts."""
        return Codebook.learn(
            self.vectors_,
            counts,
            n_codewords,
            n_init=self.n_init,
            algorithm=self.kmeans,
            assign=self.assign,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )


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
