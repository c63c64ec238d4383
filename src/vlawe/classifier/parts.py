"""The parts of a classifier: an encoder, the kernel that compares its rows, and its weight.

A trained part turns rows into scores: by weights where its kernel is linear, else by comparing
with rows that it keeps (support vectors or landmarks).
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from vlawe.classifier.linear_scores import add_dense_scores, add_sparse_scores, lengths_of
from vlawe.encoders import DocumentEncoder, Encoder
from vlawe.kernels import KERNELS, Kernel, normalize_kernel
from vlawe.system.gate import LARGEST_NUMBER, take, take_sparse
from vlawe.system.tensors import Tensors
from vlawe.vectors import WordVectors

PartList = Sequence[tuple[str, Encoder, str]]


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
    encoder: Encoder
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

    def scales(self, rows: Any) -> NDArray[np.float64]:
        """Return what rows are multiplied with to have the length ``√weight``; zero rows by 0."""
        lengths = lengths_of(self.in_one_form(rows))
        scales: NDArray[np.float64] = np.divide(
            np.sqrt(self.weight), lengths, out=np.zeros_like(lengths), where=lengths > 0
        )
        return scales

    def features(self, rows: Any) -> Any:
        """Return rows whose plain product is the normalised, weighted kernel (linear parts)."""
        scales = self.scales(rows)
        if not self.encoder.is_sparse:
            return rows * scales[:, None]
        scaled = sp.csr_array(rows, dtype=np.float64, copy=True)
        scaled.data *= np.repeat(scales, np.diff(scaled.indptr))
        return scaled

    def in_one_form(self, rows: Any) -> Any:
        """Return rows dense or CSR, as the encoder's are.

        Histograms come in either form, whichever is smaller: bits would differ.
        """
        return sp.csr_array(rows) if self.encoder.is_sparse else rows

    def gram(self, rows: Any, n_jobs: int | None) -> NDArray[np.float64]:
        """Return the normalised kernel of rows among themselves, not weighted."""
        gram: NDArray[np.float64] = self.kernel(rows, normalize=True, n_jobs=n_jobs)
        return gram

    def compare(self, rows: Any, kept: Any, n_jobs: int | None) -> NDArray[np.float64]:
        """Return the normalised kernel of rows with kept rows, not weighted."""
        products = self.kernel(rows, kept, n_jobs=n_jobs)
        return normalize_kernel(products, self.kernel.diagonal(rows), self.kernel.diagonal(kept))


def new_parts(given: PartList, weights: Sequence[float] | None, n_jobs: int | None) -> list[Part]:
    """Return parts to be fitted, of copies of the encoders; ValueError if they cannot be.

    Encoders have ``n_jobs`` threads unless they say otherwise. A table's file is read once.
    """
    if not len(given):
        raise ValueError("parts must have at least one (name, encoder, kernel)")
    for part in given:
        if not (isinstance(part, tuple | list) and len(part) == 3):
            raise ValueError(f"a part is (name, encoder, kernel), got {part!r}")
        name, encoder, kernel = part
        if not is_part_name(name):
            raise ValueError(
                f"a part's name is also that of its folder: letters, digits, dots, - and _, "
                f"got {name!r}"
            )
        if not isinstance(encoder, Encoder):
            raise ValueError(f"{encoder!r} is no encoder")
        if kernel not in KERNELS:
            raise ValueError(f"kernel must be one of {', '.join(KERNELS)}, got {kernel!r}")
    weights = [1 / len(given)] * len(given) if weights is None else list(weights)
    if len(weights) != len(given):
        raise ValueError(f"{len(given)} parts need as many weights, got {len(weights)}")
    if not all(0 <= weight <= LARGEST_NUMBER for weight in weights) or sum(weights) == 0:
        raise ValueError(f"weights must be at least 0, and not all 0, got {weights}")
    parts = []
    tables: dict[str, WordVectors] = {}
    for (name, encoder, kernel), weight in zip(given, weights, strict=True):
        own: Encoder = clone(encoder)
        if own.n_jobs is None:
            own.n_jobs = n_jobs
        if isinstance(own, DocumentEncoder) and isinstance(own.vectors, str | os.PathLike):
            path = os.fspath(own.vectors)
            if path not in tables:
                tables[path] = own.checked_table()
            own.vectors = tables[path]
        if weight > 0:  # a part of no weight has no say
            parts.append(Part(name, own, kernel, float(weight)))
    return parts


@dataclass(frozen=True)
class LinearScores:
    """Scores by one weight vector per class, ``weights`` (c, n_features)."""

    part: Part
    weights: NDArray[np.floating]

    def scores(self, rows: Any, n_jobs: int | None) -> NDArray[np.float64]:
        """Return the part's share of the scores (n, c)."""
        out = np.zeros((rows.shape[0], len(self.weights)))
        if self.part.encoder.is_sparse:
            sparse = self.part.in_one_form(rows)
            by_column = np.ascontiguousarray(self.weights.T)  # a view, see `in_order`
            add_sparse_scores(sparse.indptr, sparse.indices, sparse.data, by_column, out)
        else:
            add_dense_scores(np.ascontiguousarray(rows), self.weights, out)
        out *= self.part.scales(rows)[:, None]
        return out

    def state(self) -> Tensors:
        """Return what was learned, as named tensors.

        Most n-grams have no weight for most of many classes: of sparse parts, the weights that are
        not zero are kept, and a bit for each that says which these are.
        """
        name = f"{self.part.name}.weights"
        if not self.part.encoder.is_sparse:
            return {name: np.ascontiguousarray(self.weights)}
        there = self.weights != 0
        return {f"{name}.there": np.packbits(there), name: self.weights[there]}

    @classmethod
    def restore(cls, part: Part, state: Tensors, shape: tuple[int, int]) -> "LinearScores":
        """Take what `state` returned; ValueError if it does not fit."""
        name, kinds = f"{part.name}.weights", (np.float32, np.float64)
        if f"{name}.there" not in state:
            return cls(part, in_order(part, take(state, name, kinds, shape)))
        n_weights = shape[0] * shape[1]
        bits = take(state, f"{name}.there", np.uint8, (-(-n_weights // 8),))
        there = np.unpackbits(bits, count=n_weights).astype(bool).reshape(shape)
        values = take(state, name, kinds, (int(np.count_nonzero(there)),))
        weights = np.zeros(shape, values.dtype)
        weights[there] = values
        return cls(part, in_order(part, weights))


def in_order(part: Part, weights: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return weights (c, n_features) in the order in which a part's rows need them.

    Sparse rows need the weights of all classes for one column after the other.
    """
    return np.asfortranarray(weights) if part.encoder.is_sparse else np.ascontiguousarray(weights)


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

    def state(self) -> Tensors:
        """Return what was learned, as named tensors."""
        name = self.part.name
        return {
            f"{name}.dual": self.dual,
            f"{name}.kept.data": self.kept.data,
            f"{name}.kept.indices": self.kept.indices,
            f"{name}.kept.indptr": self.kept.indptr,
            f"{name}.kept.shape": np.array(self.kept.shape, np.int64),
        }


Scores = LinearScores | KeptScores


def restore_scores(part: Part, state: Tensors, n_columns: int) -> Scores:
    """Return the scores that gave a state; ValueError if it does not fit the part."""
    n_features = part.encoder.n_features
    if part.is_linear:
        return LinearScores.restore(part, state, (n_columns, n_features))
    most = np.iinfo(np.int32).max
    n_kept, n_own = take(
        state, f"{part.name}.kept.shape", np.int64, (2,), least=0, below=most
    ).tolist()
    if n_own != n_features:
        raise ValueError(f"the rows that {part.name!r} keeps have {n_own} columns")
    least = 0.0 if part.kernel.non_negative else None
    kept = take_sparse(
        state, f"{part.name}.kept", (np.float32, np.float64), (n_kept, n_features), least=least
    )
    return KeptScores(part, kept, take(state, f"{part.name}.dual", np.float64, (n_columns, n_kept)))


def exact_scores(part: Part, rows: Any, dual: NDArray[np.float64]) -> Scores:
    """Turn multipliers of training rows into a part's scores: fold them, or keep their rows."""
    if part.is_linear:
        features = part.features(rows)
        folded = (features.T @ dual.T).T if sp.issparse(features) else dual @ features
        return LinearScores(part, in_order(part, folded))
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
    def of(cls, part: Part, rows: Any, n_jobs: int | None) -> "Landmarks":
        """Take the rows of some training documents for landmarks."""
        kept = sp.csr_array(rows)
        values, vectors = np.linalg.eigh(part.gram(kept, n_jobs))
        sound = values > 1e-10 * max(values.max(), 0.0)
        return cls(part, kept, vectors[:, sound] / np.sqrt(values[sound]))

    def features(self, rows: Any, n_jobs: int | None) -> NDArray[np.float64]:
        """Return rows whose plain product approximates the weighted kernel."""
        products: NDArray[np.float64] = self.part.compare(rows, self.kept, n_jobs)
        features: NDArray[np.float64] = products @ self.projection
        features *= np.sqrt(self.part.weight)
        return features

    def scores(self, weights: NDArray[np.floating]) -> KeptScores:
        """Turn weights of the features (c, n) into the part's scores."""
        dual = weights.astype(np.float64) @ self.projection.T / np.sqrt(self.part.weight)
        return KeptScores(self.part, self.kept, np.ascontiguousarray(dual))
