"""A data set: texts, labels, and its own split if it has one."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

Labels = list[str] | list[tuple[str, ...]]


@dataclass(frozen=True)
class Dataset:
    """Labelled documents, in the order of their archive.

    Parameters
    ----------
    name : str
        Its name in the catalog, such as ``"MR"``.
    texts : list of str
        The documents.
    labels : list of str, or list of tuple of str
        One label a document, or several.
    n_train : int or None
        The first so many documents are for training, the rest for testing. None: the set has no
        split of its own.
    metric : {"accuracy", "micro-F1"}
        What the paper measures on it.
    """

    name: str
    texts: list[str]
    labels: Labels
    n_train: int | None
    metric: str

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def multilabel(self) -> bool:
        """Whether a document may have several labels."""
        return bool(self.labels) and not isinstance(self.labels[0], str)

    @property
    def classes(self) -> list[str]:
        """The distinct labels, sorted."""
        return sorted({label for labels in self._label_sets() for label in labels})

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the documents: one line of JSON each, ``[[labels], text]``.

        It depends on what was read, not on how the archive was packed.
        """
        digest = hashlib.sha256()
        for labels, text in zip(self._label_sets(), self.texts, strict=True):
            digest.update(json.dumps([labels, text]).encode() + b"\n")
        return digest.hexdigest()

    def _label_sets(self) -> Iterator[tuple[str, ...]]:
        for labels in self.labels:
            yield (labels,) if isinstance(labels, str) else labels
