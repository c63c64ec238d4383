"""Threads over slices of documents.

Compiled kernels release the interpreter lock, so plain threads use every core. Each slice is
computed by itself and written to its own place: results do not depend on the number of threads.
"""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
R = TypeVar("R")


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def resolve_jobs(n_jobs: int | None) -> int:
    """Return a number of threads: None is every core, negative counts from there (-1 is all)."""
    if n_jobs is None:
        return available_cores()
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None or a whole number other than 0, got {n_jobs!r}")
    return int(n_jobs) if n_jobs > 0 else max(1, available_cores() + 1 + int(n_jobs))


def map_threads(function: Callable[[T], R], items: Iterable[T], n_jobs: int) -> list[R]:
    """Return ``[function(item) for item in items]``, computed by ``n_jobs`` threads."""
    items = list(items)
    if n_jobs == 1 or len(items) < 2:
        return [function(item) for item in items]
    with ThreadPoolExecutor(min(n_jobs, len(items))) as pool:
        return list(pool.map(function, items))


def slices(offsets: NDArray[np.integer], n_slices: int) -> list[tuple[int, int]]:
    """Cut documents into at most ``n_slices`` runs of about equal size.

    ``offsets`` (n + 1,) says where each document begins, in bytes or tokens. Returns pairs
    (start, stop) of document numbers; none is empty.
    """
    n_documents = len(offsets) - 1
    if n_documents <= 0:
        return []
    # A document weighs its size plus one, so that many empty ones are shared out, too.
    weights = offsets.astype(np.int64) - int(offsets[0]) + np.arange(n_documents + 1)
    cuts = np.searchsorted(weights, np.linspace(0, weights[-1], n_slices + 1)[1:-1])
    edges = np.unique(np.concatenate([[0], cuts, [n_documents]]))
    return [(int(start), int(stop)) for start, stop in zip(edges[:-1], edges[1:], strict=True)]
