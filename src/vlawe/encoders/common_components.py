"""What SIF and USIF share: words weighted by how likely they are, and common components removed."""

from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vlawe.bags import Bags, in_batches
from vlawe.encoders.aggregate import aggregate_means
from vlawe.encoders.mapped_mean import MappedMean, map_words, zipf
from vlawe.encoders.pca import GROUP, ROWS, Panels, SecondMoments
from vlawe.system.checks import check_whole
from vlawe.system.gate import take
from vlawe.system.threads import map_threads, resolve_jobs

Frequencies = Literal["corpus", "ranks"]


def probabilities(counts: NDArray[np.int64], frequencies: Frequencies) -> NDArray[np.float64]:
    """Return how likely each word is: by its count in the texts (0 if never), or by its rank."""
    if frequencies == "ranks":
        return zipf(len(counts))
    if not counts.any():
        raise ValueError(
            "no known word occurs in the training documents, so none can be told to be frequent; "
            'use frequencies="ranks"'
        )
    shares: NDArray[np.float64] = counts / counts.sum()
    return shares


@dataclass(eq=False, repr=False)
class CommonComponentRemoval(MappedMean):
    """Base class of SIF and USIF; a subclass says how words and components are weighted."""

    _: KW_ONLY
    n_components: int = 1
    frequencies: Frequencies = "corpus"
    weights_: NDArray[np.float64] = field(init=False)
    components_: NDArray[np.float32] = field(init=False)
    removed_: NDArray[np.float64] = field(init=False)

    group_size = GROUP

    def check_params(self) -> None:
        """Raise ValueError for a parameter that cannot work."""
        super().check_params()
        if self.n_components != 0 or isinstance(self.n_components, bool):
            check_whole("n_components, if not 0,", self.n_components)
        if self.frequencies not in ("corpus", "ranks"):
            raise ValueError(f'frequencies must be "corpus" or "ranks", got {self.frequencies!r}')

    @property
    def looks_twice(self) -> bool:
        """Whether fitting needs the documents again: for their common components."""
        return self.n_components > 0

    @abstractmethod
    def _weigh(self, likely: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weight of each word, of which it is known how likely it is."""

    @abstractmethod
    def _strengths(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how much of each component is removed, of which the shares are known."""

    def _learn(self, counts: NDArray[np.int64], look_again: Callable[[], SecondMoments]) -> None:
        self.weights_ = self._weigh(probabilities(counts, self.frequencies))
        self._remove(np.zeros((0, self.vectors_.dim), np.float32), np.zeros(0))
        if self.n_components:
            moments = look_again()
            n_components = min(self.n_components, moments.n_rows, self.vectors_.dim)
            components, shares = moments.components(n_components)
            self._remove(components, self._strengths(shares))

    def _remove(self, components: NDArray[np.float32], strengths: NDArray[np.float64]) -> None:
        self.components_, self.removed_ = components, strengths
        self.__dict__.pop("_mapped", None)

    def _place_words(self, places: NDArray[np.int64]) -> bool:
        # New words were in no text and are behind the last rank: nothing weighs more.
        rarest = self.weights_.max(initial=0.0)
        self.weights_ = np.where(places >= 0, self.weights_[places], rarest)
        return True

    def look_again(self, bags: Iterable[Bags]) -> SecondMoments:
        """Return the second moments of the weighted means, before components are removed."""
        n_jobs, words = resolve_jobs(self.n_jobs), self._mapped

        def panels(batch: Bags) -> Panels:
            rows = np.empty((len(batch), self.n_features), np.float32)
            aggregate_means(batch.arrays, words, False, rows)
            return Panels.of(rows[:, None])

        batches = map_threads(panels, in_batches(bags, ROWS), n_jobs)
        return SecondMoments.of(batches, self.n_features, n_jobs)

    def map_words(self) -> NDArray[np.float32]:
        """Return ``w(t) (x_t − Σ_i λ_i c_i c_iᵀ x_t)`` of every word."""
        components = self.components_.astype(np.float64)
        mapping = np.eye(self.vectors_.dim) - components.T @ (self.removed_[:, None] * components)
        return map_words(self.vectors_.matrix, self.weights_, mapping, self.n_jobs)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what was learned, as named tensors."""
        return {
            "weights": self.weights_,
            "components": self.components_,
            "removed": self.removed_,
        }

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Take what `state` returned."""
        self.weights_ = take(state, "weights", np.float64, (len(self.vectors_),), least=0)
        removed = take(state, "removed", np.float64, (None,), least=0)
        if len(removed) > self.n_components:
            raise ValueError(f"{len(removed)} components are more than {self.n_components}")
        shape = (len(removed), self.vectors_.dim)
        self._remove(take(state, "components", np.float32, shape), removed)
