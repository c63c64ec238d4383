"""What encoders with a codebook share: its parameters, learning it from counts, keeping it."""

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.codebook import WEIGHTS, Algorithm, Assign, Codebook, Weights
from vlawe.encoders.base import DocumentEncoder
from vlawe.encoders.coverage import level_of_user
from vlawe.system.checks import check_whole
from vlawe.system.gate import take
from vlawe.vectors import WordVectors


class SmallCodebookWarning(UserWarning):
    """The documents have fewer distinct words than the codebook was to have codewords."""


@dataclass(eq=False, repr=False)
class CodebookEncoder(DocumentEncoder):
    """An encoder that learns one codebook, or several with the same parameters."""

    n_codewords: int = 10
    _: KW_ONLY
    codebook_weights: Weights = "occurrences"
    n_init: int = 1
    kmeans: Algorithm = "lloyd"
    assign: Assign = "exact"
    random_state: Any = 0

    def check_params(self) -> None:
        """Raise ValueError for a parameter that cannot work."""
        check_whole("n_codewords", self.n_codewords)
        self.check_clustering()

    def check_clustering(self) -> None:
        """Raise ValueError for a parameter of k-means that cannot work."""
        check_whole("n_init", self.n_init)
        for name, known in (
            ("codebook_weights", WEIGHTS),
            ("kmeans", ("lloyd", "elkan")),
            ("assign", ("exact", "forest")),
        ):
            if getattr(self, name) not in known:
                choices = " or ".join(f'"{choice}"' for choice in known)
                raise ValueError(f"{name} must be {choices}, got {getattr(self, name)!r}")

    def learn_codebook(self, counts: NDArray[np.int64], n_codewords: int) -> Codebook:
        """Cluster the words of ``vectors_`` that occur; warn if they are fewer than codewords."""
        codebook = Codebook.learn(
            self.vectors_,
            counts,
            n_codewords,
            weights=self.codebook_weights,
            n_init=self.n_init,
            algorithm=self.kmeans,
            assign=self.assign,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )
        if len(codebook) < n_codewords:
            warnings.warn(
                f"{type(self).__name__} has {len(codebook):,} codewords, not "
                f"n_codewords={n_codewords}: the documents have no more distinct words that the "
                "word vectors know",
                SmallCodebookWarning,
                stacklevel=level_of_user(),
            )
        return codebook


def codebook_state(codebook: Codebook, prefix: str = "codebook.") -> dict[str, NDArray[Any]]:
    """Return a codebook as named tensors."""
    return {
        f"{prefix}centroids": codebook.centroids,
        f"{prefix}assignment": codebook.assignment,
        f"{prefix}counts": codebook.counts,
        f"{prefix}inertia": np.array([codebook.inertia]),
    }


def codebook_from(
    state: dict[str, NDArray[Any]], prefix: str, vectors: WordVectors, most: int
) -> Codebook:
    """Return the codebook that `codebook_state` named, of at most so many codewords."""
    centroids = take(state, f"{prefix}centroids", np.float32, (None, vectors.dim))
    size = checked_size(f"{prefix}centroids", len(centroids), most)
    return Codebook(
        centroids,
        take(state, f"{prefix}assignment", np.int32, (len(vectors),), least=0, below=size),
        take(state, f"{prefix}counts", np.int64, (size,), least=0),
        float(take(state, f"{prefix}inertia", np.float64, (1,), least=0)[0]),
        vectors,
    )


def checked_size(name: str, size: int, most: int) -> int:
    """Return the number of codewords in a file; ValueError if there can be no so many."""
    if not 1 <= size <= most:
        raise ValueError(f"the tensor {name!r} has {size:,} codewords, expected 1 to {most:,}")
    return size
