"""Figures of networks, read from the file that ``benchmarks/networks`` writes."""

import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

FILE = "networks.json"
"""Its name in the folder of the results page."""
_FACTS: dict[str, type] = {"title": str, "published": str, "dataset": str, "vectors": str}
_NUMBERS = ("accuracy", "n_test", "train_seconds", "documents_per_second", "columns")


@dataclass(frozen=True)
class NetworkFigure:
    """What was measured of a network on a data set: means over the folds that were trained."""

    title: str
    published: str
    """The system in the paper that it stands beside."""
    dataset: str
    vectors: str
    accuracy: float
    """In %."""
    n_folds: int
    n_test: int
    """The test documents of those folds."""
    minutes: float
    """After how many minutes no further fold was begun."""
    differs: str
    """In which ways it is not what its paper trained; "" where nothing is known."""
    cost: dict[str, float]
    """``train_seconds``, ``documents_per_second``, and ``columns`` of the last layer but one."""


def read_networks(path: str | os.PathLike[str]) -> list[NetworkFigure]:
    """Read the figures of networks; none if there is no such file.

    Raises
    ------
    ValueError
        If the file is not what ``benchmarks/networks`` writes; the message says what is wrong.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    try:
        facts = json.loads(text)
        return [_figure(result) for result in facts["results"]]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"{os.fspath(path)} is not a file of benchmarks/networks ({error!r}): measure again, "
            "or take it away"
        ) from error


def _figure(result: dict[str, Any]) -> NetworkFigure:
    for name, kind in _FACTS.items():
        if not isinstance(result[name], kind):
            raise TypeError(f"{name} must be of {kind.__name__}, got {result[name]!r}")
    folds = result["folds"]
    means = {name: mean(float(fold[name]) for fold in folds) for name in _NUMBERS}
    for name, value in means.items():
        if not (math.isfinite(value) and value >= 0):
            raise ValueError(f"{name} must be a number of at least 0, got {value}")
    if means["accuracy"] > 100:
        raise ValueError(f"an accuracy is in %, got {means['accuracy']}")
    return NetworkFigure(
        **{name: result[name] for name in _FACTS},
        accuracy=means["accuracy"],
        n_folds=len(folds),
        n_test=round(sum(fold["n_test"] for fold in folds)),
        minutes=float(result["minutes"]),
        differs=str(result.get("differs", "")),
        cost={name: means[name] for name in _NUMBERS[2:]},
    )
