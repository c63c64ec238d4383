"""How much of the documents a table knows; a warning counts those without a known word."""

import sys
import warnings
from dataclasses import dataclass
from typing import Any

from vlawe.bags import Bags


class EmptyDocumentWarning(UserWarning):
    """Some documents have no word that the table knows, so their rows are zero."""


@dataclass
class Coverage:
    """Counts of documents, of tokens that a table has or lacks, and of documents without one."""

    documents: int = 0
    known: int = 0
    unknown: int = 0
    empty: int = 0

    def add(self, bags: Bags) -> None:
        """Count a batch."""
        self.documents += len(bags)
        self.known += len(bags.ids)
        self.unknown += int(bags.n_unknown.sum())
        self.empty += bags.n_empty

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.known + self.unknown

    @property
    def share(self) -> float:
        """The share of the tokens that the table has; 1.0 where there are no tokens."""
        return self.known / self.tokens if self.tokens else 1.0

    def facts(self) -> dict[str, Any]:
        """Return the counts by the names that they have in JSON output."""
        return {
            "documents": self.documents,
            "tokens": self.tokens,
            "known_tokens": self.known,
            "coverage": round(self.share, 6),
            "documents_without_known_word": self.empty,
        }

    def warn(self) -> None:
        """Warn if there were documents without a known word."""
        if self.empty:
            warnings.warn(
                f"{self.empty:,} of {self.documents:,} documents have no known word; "
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
