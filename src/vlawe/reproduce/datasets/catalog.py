"""What is known of each data set before it is read: ``catalog.json``, typed."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files


class DataError(ValueError):
    """A data set cannot be had: its archive is missing, damaged, or not what it should be."""


@dataclass(frozen=True)
class DatasetInfo:
    """An entry of the catalog.

    Parameters
    ----------
    name : str
        The paper's name of the set, such as ``"RT-2k"``.
    title : str
        What the set is called by those who made it.
    description : str
        What its documents and labels are.
    archive : str
        The name of its file.
    size, sha256 : int, str
        Bytes and checksum of the file as it is distributed.
    addresses : tuple of str
        Where that file is to be had, the preferred place first.
    documents_sha256 : str
        Checksum of the documents as they are read, see `Dataset.sha256`. An archive that was
        packed anew has another ``sha256``, but the same documents.
    n_documents : int
        How many there are, training and test together; of pairs, how many of those.
    n_train : int or None
        How many of them the set itself gives for training; None if it has no split.
    n_classes : int
        How many labels there are; 0 for pairs of sentences.
    metric : {"accuracy", "micro-F1", "Spearman"}
        What the paper measures on it; of pairs of sentences the correlation with judgements.
    licence : str
        The terms of use, as the makers state them.
    citation : str
        The publication to cite.
    note : str
        What else to know; may be empty.
    """

    name: str
    title: str
    description: str
    archive: str
    size: int
    sha256: str
    addresses: tuple[str, ...]
    documents_sha256: str
    n_documents: int
    n_train: int | None
    n_classes: int
    metric: str
    licence: str
    citation: str
    note: str

    @property
    def has_split(self) -> bool:
        """Whether the set itself says which documents are for training and which for testing."""
        return self.n_train is not None


_CATALOG = json.loads((files(__package__) / "catalog.json").read_text(encoding="utf-8"))


def _entries(kind: str) -> dict[str, DatasetInfo]:
    return {
        entry["name"]: DatasetInfo(**{**entry, "addresses": tuple(entry["addresses"])})
        for entry in _CATALOG[kind]
    }


DATASETS = _entries("datasets")
"""The data sets by name, in the order of the paper's columns."""
PAIRS = _entries("pairs")
"""Sets of judged pairs of sentences, by name."""


def find_dataset(name: str, among: Mapping[str, DatasetInfo] = DATASETS) -> DatasetInfo:
    """Return the entry of a data set, whatever the case and punctuation of its name.

    Examples
    --------
    >>> find_dataset("rt2k").name, find_dataset("reuters-21578").name
    ('RT-2k', 'Reuters')
    """
    known = {}
    for info in among.values():
        known[_plain(info.archive.split(".")[0])] = known[_plain(info.name)] = info
    if (plain := _plain(name)) in known:
        return known[plain]
    close = get_close_matches(plain, known, n=1)
    hint = f"; did you mean {known[close[0]].name}?" if close else ""
    raise DataError(f"no data set is called {name!r}; there are {', '.join(among)}{hint}")


def _plain(name: str) -> str:
    return re.sub(r"[^0-9a-z]", "", name.lower())
