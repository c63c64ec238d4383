"""Documents without a known word: their rows are zero, and a warning counts them."""

import sys
import warnings

from vlawe.bags import Bags


class EmptyDocumentWarning(UserWarning):
    """Some documents have no word that the table knows, so their rows are zero."""


class EmptyDocuments:
    """Counts documents without a known word, to warn of them in the end."""

    def __init__(self, n_documents: int = 0, n_empty: int = 0) -> None:
        self.n_documents = n_documents
        self.n_empty = n_empty

    def add(self, bags: Bags) -> None:
        """Count those of a batch."""
        self.n_documents += len(bags)
        self.n_empty += bags.n_empty

    def warn(self) -> None:
        """Warn if there were any."""
        if self.n_empty:
            warnings.warn(
                f"{self.n_empty:,} of {self.n_documents:,} documents have no known word; "
                "their rows are zero",
                EmptyDocumentWarning,
                stacklevel=_level_of_user(),
            )


def _level_of_user() -> int:
    """Return how far above its caller the code is that is neither ours nor scikit-learn's."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in (
        "vlawe",
        "sklearn",
    ):
        level, frame = level + 1, frame.f_back
    return level
