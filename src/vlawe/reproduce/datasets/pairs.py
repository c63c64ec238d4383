"""Pairs of sentences that people judged by how much they mean the same."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from vlawe.reproduce.datasets.catalog import DataError

_JUDGEMENT, _FIRST, _SECOND = 4, 5, 6
_HIGHEST = 5.0


@dataclass(frozen=True)
class SentencePairs:
    """Pairs of sentences with judgements, in the order of their file.

    Parameters
    ----------
    name : str
        Its name in the catalog, such as ``"STS-dev"``.
    first, second : list of str
        The sentences.
    judgements : list of float
        How much the two mean the same, from 0 to 5: the mean of several judges.
    """

    name: str
    first: list[str]
    second: list[str]
    judgements: list[float]

    def __len__(self) -> int:
        return len(self.judgements)

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the pairs: one line of JSON each, ``[judgement, first, second]``."""
        digest = hashlib.sha256()
        for pair in zip(self.judgements, self.first, self.second, strict=True):
            digest.update(json.dumps(pair).encode() + b"\n")
        return digest.hexdigest()


def read_pairs(name: str, path: Path) -> SentencePairs:
    """Read the layout of the STS benchmark: tab-separated, the judgement in the fifth column.

    Quotation marks are characters of the sentences. Further columns say where these are from.
    """
    pairs = SentencePairs(name, [], [], [])
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: byte {error.start} is not UTF-8") from error
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        fields = line.split("\t")
        try:
            judgement = float(fields[_JUDGEMENT])
            sentences = fields[_FIRST], fields[_SECOND]
        except (IndexError, ValueError):
            judgement = -1.0
        if not 0 <= judgement <= _HIGHEST:
            raise DataError(
                f"{path}: line {number} has no judgement from 0 to 5 and two sentences "
                "in its columns 5 to 7"
            )
        pairs.judgements.append(judgement)
        pairs.first.append(sentences[0])
        pairs.second.append(sentences[1])
    return pairs
