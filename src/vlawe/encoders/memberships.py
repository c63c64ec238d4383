"""Soft assignment: each word belongs to its nearest codewords, by shares.

For a word ``x`` and its r nearest codewords ``μ_i``, with ``s`` the mean squared distance of the
training documents' words to their nearest codeword::

    a_i ∝ exp(−‖x − μ_i‖² / (softness · s)),     Σ_i a_i = 1

As a word's codeword, its shares do not depend on the document: they are computed once for every
word of the table.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vlawe.codebook import Codebook
from vlawe.codebook.kmeans import squared_distance
from vlawe.system.compiling import compiled
from vlawe.system.gate import take
from vlawe.system.threads import resolve_jobs, run_threads
from vlawe.vectors import WordVectors

_wide = np.float64
_WORDS = 4096  # of the table, that one thread looks at a time


class MembershipArrays(NamedTuple):
    """The arrays of `Memberships`, as compiled functions take them."""

    codewords: NDArray[np.int32]
    shares: NDArray[np.float32]


@dataclass(frozen=True)
class Memberships:
    """The nearest codewords of every word of a table, and its shares in them.

    Attributes
    ----------
    codewords : ndarray of int32, shape (n, r)
        The nearest first.
    shares : ndarray of float32, shape (n, r)
        They add up to one for each word.
    """

    codewords: NDArray[np.int32]
    shares: NDArray[np.float32]

    @property
    def arrays(self) -> MembershipArrays:
        """Codewords and shares, as compiled functions take them."""
        return MembershipArrays(self.codewords, self.shares)

    @classmethod
    def of(
        cls,
        vectors: WordVectors,
        codebook: Codebook,
        n_nearest: int,
        softness: float,
        n_jobs: int | None,
    ) -> "Memberships":
        """Return the shares of every word of a table in the ``n_nearest`` codewords of a codebook.

        Where all words of the training documents are codewords, each belongs to its own alone.
        """
        n_nearest = min(n_nearest, len(codebook))
        scale = softness * codebook.inertia / max(1, int(codebook.counts.sum()))
        codewords = np.empty((len(vectors), n_nearest), np.int32)
        shares = np.empty((len(vectors), n_nearest), np.float32)

        def look(start: int) -> None:
            some = slice(start, start + _WORDS)
            _share(vectors.matrix[some], codebook.centroids, scale, codewords[some], shares[some])

        run_threads(look, range(0, len(vectors), _WORDS), resolve_jobs(n_jobs))
        return cls(codewords, shares)

    def state(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return the shares as named tensors."""
        return {f"{prefix}codewords": self.codewords, f"{prefix}shares": self.shares}

    @classmethod
    def restored(
        cls, state: dict[str, NDArray[Any]], prefix: str, n_words: int, n_codewords: int, r: int
    ) -> "Memberships":
        """Take what `state` returned; ValueError if it does not fit."""
        shape = (n_words, min(r, n_codewords))
        return cls(
            take(state, f"{prefix}codewords", np.int32, shape, least=0, below=n_codewords),
            take(state, f"{prefix}shares", np.float32, shape, least=0),
        )


@compiled
def _share(words: Any, centroids: Any, scale: Any, codewords: Any, shares: Any) -> None:
    """Write the nearest codewords of each word, and its shares in them; each word by itself."""
    n_nearest = codewords.shape[1]
    nearest = np.empty(n_nearest)
    for word in range(len(words)):
        row, own = words[word], codewords[word]
        n_found = 0
        for codeword in range(len(centroids)):
            distance = squared_distance(row, centroids[codeword])
            if n_found == n_nearest and distance >= nearest[n_nearest - 1]:
                continue
            n_found = min(n_found + 1, n_nearest)
            place = n_found - 1
            while place > 0 and nearest[place - 1] > distance:
                nearest[place] = nearest[place - 1]
                own[place] = own[place - 1]
                place -= 1
            nearest[place] = distance
            own[place] = codeword
        least, total = nearest[0], 0.0
        for place in range(n_nearest):
            further = nearest[place] - least
            share = np.exp(-further / scale) if scale > 0.0 else _wide(further == 0.0)
            nearest[place] = share
            total += share
        for place in range(n_nearest):
            shares[word, place] = nearest[place] / total
