"""How much of the documents a table knows; a warning counts those without a known word."""

import sys
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import asdict, astuple, dataclass
from typing import Any, Self

from vlawe.bags import Bags
from vlawe.system.gate import number_of, shown


class EmptyDocumentWarning(UserWarning):
    """Some documents have no word that the table knows, so their rows are zero."""


@dataclass
class Coverage:
    """Counts of documents, of tokens that a table has or lacks, and of documents without one."""

    documents: int = 0
    known: int = 0
    unknown: int = 0
    empty: int = 0

    def add(self, bags: Any) -> None:
        """Count a batch of bags; of texts, which have no table, the documents alone."""
        self.documents += len(bags)
        if isinstance(bags, Bags):
            self.known += len(bags.ids)
            self.unknown += int(bags.n_unknown.sum())
            self.empty += bags.n_empty

    def counted(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield batches, each counted as it comes."""
        for bags in batches:
            self.add(bags)
            yield bags

    @classmethod
    def sum(cls, parts: "Iterable[Coverage]") -> Self:
        """Return the counts of several collections of documents together."""
        return cls(*map(sum, zip(*map(astuple, parts), strict=True)))

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

    @classmethod
    def of_file(cls, counts: Any) -> Self:
        """Return the coverage that a file holds as a dictionary; ValueError if it holds none."""
        names = asdict(cls())
        if not isinstance(counts, dict) or counts.keys() != names.keys():
            raise ValueError(f"expected counts of {', '.join(names)}, got {shown(counts)}")
        for name, count in counts.items():
            number_of(f"the count {name!r}", count, whole=True)
        return cls(**counts)

    def warn(self, known: str = "known word", then: str = "their rows are zero") -> None:
        """Warn if there were documents without a known word, or what else they need.

        ``then`` is what becomes of them.
        """
        if self.empty:
            warnings.warn(
                f"{self.empty:,} of {self.documents:,} documents have no {known}; {then}",
                EmptyDocumentWarning,
                stacklevel=level_of_user(),
            )


def level_of_user() -> int:
    """Return how far above its caller the code is that is neither ours nor scikit-learn's."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in (
        "vlawe",
        "sklearn",
    ):
        level, frame = level + 1, frame.f_back
    return level
