"""Sums over groups of documents, by workers: what Newton's method asks for in each pass."""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.classifier.newton import Slopes
from vlawe.dask.collections import delayed
from vlawe.dask.groups import curvature_of_group, slopes_of_group
from vlawe.system.extras import require

distributed = require("distributed", "dask")

_ADDED = 8
"""Groups whose sums are added up at a time."""
_SHARE = 0.3
"""The share of the workers' memory that rows may take."""
_WITHOUT = 1 << 29
"""Bytes of rows that are kept without a cluster."""


@dataclass
class ClusterSums:
    """Sums over groups of documents, added up in a fixed order by the workers.

    Groups are bags, and ``making`` then turns them into rows; or rows.
    """

    groups: Sequence[Any]
    answers: Sequence[Any]
    making: Any

    def slopes(self, columns: NDArray[np.int64], weights: NDArray[np.float64]) -> Slopes:
        """Return the losses at weights (n_features + 1, c), and what pulls at them."""
        total: Slopes = self._sum(slopes_of_group, columns, weights)
        return total

    def curvature(
        self,
        columns: NDArray[np.int64],
        weights: NDArray[np.float64],
        directions: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return the sum of ``2 c (x·v) x`` over documents within their margins."""
        total: NDArray[np.float64] = self._sum(curvature_of_group, columns, weights, directions)
        return total

    def _sum(self, function: Callable[..., Any], columns: NDArray[np.int64], *where: Any) -> Any:
        shared = share((columns, *where))
        found = [
            delayed(function)(group, own, self.making, shared)
            for group, own in zip(self.groups, self.answers, strict=True)
        ]
        return sum_in_order(found).compute()


def sum_in_order(found: Sequence[Any]) -> Any:
    """Return the sum of what tasks return, which workers add up in a fixed order."""
    while len(found) > 1:
        found = [
            delayed(add_in_order)(found[first : first + _ADDED])
            for first in range(0, len(found), _ADDED)
        ]
    return found[0]


def add_in_order(parts: list[Any]) -> Any:
    """Return the sum of parts, one after the other."""
    return reduce(operator.add, parts)


def share(thing: Any) -> Any:
    """Return something as tasks take it: sent to all workers once, if there is a cluster."""
    client = _client()
    if client is None:
        return delayed(thing, traverse=False)
    (shared,) = client.scatter([thing], broadcast=True, hash=False)
    return shared


def _client() -> Any:
    try:
        return distributed.default_client()
    except ValueError:
        return None


def room_for_rows() -> float:
    """Return how many bytes of rows the workers may keep."""
    client = _client()
    if client is None:
        return _WITHOUT
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return _SHARE * sum(own["memory_limit"] for own in workers) or _WITHOUT
