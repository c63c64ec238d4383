"""The parts of a classifier: an encoder, the kernel that compares its rows, and its weight.

A trained part turns rows into scores: by weights where its kernel is linear, else by comparing
with rows that it keeps (support vectors or landmarks).
"""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from vlawe.encoders import DocumentEncoder
from vlawe.kernels import KERNELS, Kernel, normalize_kernel


def is_part_name(name: Any) -> bool:
    """Tell whether a part can be called so: its encoder's folder has that name."""
    return isinstance(name, str) and re.fullmatch(r"(?!\.+$)[\w. -]+", name) is not None


@dataclass(frozen=True)
class Part:
    """A fitted encoder with its kernel and weight.

    All kernels are normalised, ``K(x, y) / √(K(x, x) K(y, y))``, so that a part weighs what its
    weight says.
    """

    name: str
    encoder: DocumentEncoder
    kernel_name: str
    weight: float

    @property
    def kernel(self) -> Kernel:
        """The kernel that compares rows."""
        return KERNELS[self.kernel_name]

    @property
    def is_linear(self) -> bool:
        """Whether scores can be had from one weight vector per class."""
        return self.kernel.linear

    def features(self, rows: Any) -> Any:
        """Return rows whose plain product is the normalised, weighted kernel (linear parts)."""
        from sklearn.preprocessing import normalize as normalize_rows  # takes long

        # Histograms come dense or sparse, whichever is smaller: one form, or bits would differ.
        rows = sp.csr_array(rows) if self.encoder.is_sparse else rows
        scaled = normalize_rows(rows.astype(np.float64))
        scaled *= np.sqrt(self.weight)
        return scaled

    def gram(self, rows: Any, n_jobs: int | None) -> NDArray[np.float64]:
        """Return the normalised kernel of rows among themselves, not weighted."""
        gram: NDArray[np.float64] = self.kernel(rows, normalize=True, n_jobs=n_jobs)
        return gram

    def compare(self, rows: Any, kept: Any, n_jobs: int | None) -> NDArray[np.float64]:
        """Return the normalised kernel of rows with kept rows, not weighted."""
        products = self.kernel(rows, kept, n_jobs=n_jobs)
        return normalize_kernel(products, self.kernel.diagonal(rows), self.kernel.diagonal(kept))


@dataclass(frozen=True)
class LinearScores:
    """Scores by one weight vector per class, ``weights`` (c, n_features)."""

    part: Part
    weights: NDArray[np.float64]

    def scores(self, rows: Any, n_jobs: int | None) -> NDArray[np.float64]:
        """Return the part's share of the scores (n, c)."""
        # Row by row in float64, so that a document's score does not depend on its neighbours.
        features = self.part.features(rows)
        if sp.issparse(features):
            return np.asarray(features @ self.weights.T)
        return np.stack([self.weights @ row for row in features])

    def tensors(self) -> dict[str, NDArray[Any]]:
        """Return what was learned, as named tensors."""
        return {"weights": self.weights}


@dataclass(frozen=True)
class KeptScores:
    """Scores by comparison with kept rows, with their multipliers ``dual`` (c, n_kept)."""

    part: Part
    kept: Any
    dual: NDArray[np.float64]

    def scores(self, rows: Any, n_jobs: int | None) -> NDArray[np.float64]:
        """Return the part's share of the scores (n, c)."""
        products = self.part.compare(rows, self.kept, n_jobs)
        return np.stack([self.part.weight * (self.dual @ row) for row in products])

    def tensors(self) -> dict[str, NDArray[Any]]:
        """Return what was learned, as named tensors."""
        return {
            "dual": self.dual,
            "kept.data": self.kept.data,
            "kept.indices": self.kept.indices,
            "kept.indptr": self.kept.indptr,
            "kept.shape": np.array(self.kept.shape, np.int64),
        }


Scores = LinearScores | KeptScores


def exact_scores(part: Part, rows: Any, dual: NDArray[np.float64]) -> Scores:
    """Turn multipliers of training rows into a part's scores: fold them, or keep their rows."""
    if part.is_linear:
        features = part.features(rows)
        folded = (features.T @ dual.T).T if sp.issparse(features) else dual @ features
        return LinearScores(part, np.ascontiguousarray(folded, np.float64))
    support = np.flatnonzero((dual != 0).any(axis=0))
    return KeptScores(part, sp.csr_array(rows[support]), np.ascontiguousarray(dual[:, support]))


@dataclass(frozen=True)
class Landmarks:
    """A Nyström map: features of a document by its kernel with a few training documents.

    With landmarks ``L`` and ``K_LL = U Λ Uᵀ``, ``φ(x) = K(x, L) U Λ^{-1/2}``, whose plain product
    approximates the kernel.
    """

    part: Part
    kept: Any
    projection: NDArray[np.float64]

    @classmethod
    def choose(
        cls, part: Part, rows: Any, n_landmarks: int, random_state: Any, n_jobs: int | None
    ) -> "Landmarks":
        """Draw landmarks among training rows."""
        from sklearn.utils import check_random_state

        generator = check_random_state(random_state)
        n_landmarks = min(n_landmarks, rows.shape[0])
        chosen = np.sort(generator.choice(rows.shape[0], n_landmarks, replace=False))
        kept = sp.csr_array(rows[chosen])
        values, vectors = np.linalg.eigh(part.gram(kept, n_jobs))
        sound = values > 1e-10 * max(values.max(), 0.0)
        return cls(part, kept, vectors[:, sound] / np.sqrt(values[sound]))

    def features(self, rows: Any, n_jobs: int | None) -> NDArray[np.float64]:
        """Return rows whose plain product approximates the weighted kernel."""
        products: NDArray[np.float64] = self.part.compare(rows, self.kept, n_jobs)
        features: NDArray[np.float64] = products @ self.projection
        features *= np.sqrt(self.part.weight)
        return features

    def scores(self, weights: NDArray[np.float64]) -> KeptScores:
        """Turn weights of the features (c, n) into the part's scores."""
        dual = weights @ self.projection.T / np.sqrt(self.part.weight)
        return KeptScores(self.part, self.kept, np.ascontiguousarray(dual))
