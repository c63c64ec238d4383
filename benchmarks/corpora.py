"""What the benchmarks encode, and with which table: sentences, long documents, d = 300."""

from dataclasses import dataclass

from synthetic import sentences
from vlawe import WordVectors
from vlawe.reproduce.datasets import load

KINDS = ("sentences", "long documents")


@dataclass(frozen=True)
class Corpus:
    """Texts of one kind.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    name : str
        Which data sets the texts are of.
    texts : list of str
    times : int
        How often the data sets are repeated in them.
    """

    kind: str
    name: str
    texts: list[str]
    times: int


def corpus(kind: str, times: int, limit: int | None = None) -> Corpus:
    """Return the sentences of MR and Subj, or the long reviews of RT-2k, repeated.

    ``limit`` takes that many of the texts, at most, before they are repeated.
    """
    name, texts = sentences() if kind == "sentences" else ("RT-2k", load("RT-2k").texts)
    return Corpus(kind, name, texts[:limit] * times, times)


def narrow_table() -> WordVectors:
    """Return the bundled table: d = 300."""
    return WordVectors.default()
