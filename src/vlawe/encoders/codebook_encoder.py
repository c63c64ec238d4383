"""What encoders with a codebook share: its parameters, and learning it from counts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.codebook import Algorithm, Assign, Codebook
from vlawe.encoders.base import DocumentEncoder
from vlawe.system.checks import check_whole


class CodebookEncoder(DocumentEncoder):
    """An encoder that learns one codebook, or several with the same parameters."""

    n_codewords: int
    n_init: int
    kmeans: Algorithm
    assign: Assign
    random_state: Any

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
