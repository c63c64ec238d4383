"""``results.json``: everything that is needed to audit a number."""

import json
import os
import platform
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from vlawe.reproduce.cell import FORMAT, Cell
from vlawe.reproduce.records import Results
from vlawe.reproduce.summary import Figure, summarise
from vlawe.system.files import atomic_file
from vlawe.system.threads import available_cores
from vlawe.version import __version__

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "pyarrow")


def audit(results: Results, *, seconds: float) -> dict[str, Any]:
    """Return what was measured, by which parameters, on what, with what.

    ``seconds`` is how long the run took, without measurements that were there before.
    """
    datasets = dict.fromkeys(cell.dataset for cell in results)
    tables = dict.fromkeys(cell.vectors for cell in results)
    methods = dict.fromkeys(cell.method for cell in results)
    protocols = dict.fromkeys(cell.protocol for cell in results)
    splits = {(cell.dataset.name, cell.seed, cell.fold): found for cell, found in results.items()}
    return {
        "format": FORMAT,
        "versions": {"vlawe": __version__, "python": platform.python_version()} | _versions(),
        "machine": {
            "processor": platform.processor() or platform.machine(),
            "cores": available_cores(),
            "system": platform.system(),
        },
        "seconds_of_this_run": round(seconds, 1),
        "seconds_of_measurements": round(sum(one.seconds for one in results.values()), 1),
        "datasets": {source.name: {"sha256": source.sha256} for source in datasets},
        "vectors": {source.name: {"sha256": source.sha256} for source in tables},
        "methods": {
            method.key: {"title": method.title, "parts": [part.facts for part in method.parts]}
            for method in methods
        },
        "protocols": {protocol.name: asdict(protocol) for protocol in protocols},
        "splits": [
            {
                "dataset": dataset,
                "seed": seed,
                "fold": fold,
                "n_train": found.n_train,
                "n_test": found.n_test,
                "sha256": found.split,
            }
            for (dataset, seed, fold), found in splits.items()
        ],
        "figures": [_figure_facts(figure) for figure in summarise(results).values()],
        "cells": [
            {
                **_names(cell),
                "seed": cell.seed,
                "fold": cell.fold,
                "scores": found.scores,
                "seconds": found.seconds,
                "cost": found.cost,
                "key": cell.key,
            }
            for cell, found in results.items()
        ],
    }


def _figure_facts(figure: Figure) -> dict[str, Any]:
    return {
        **_names(figure),
        "mean": figure.mean,
        "deviation": figure.deviation,
        "fold_deviation": figure.fold_deviation,
        "by_seed": {str(seed): score for seed, score in figure.by_seed.items()},
        "penalties": {str(seed): penalty for seed, penalty in figure.penalties.items()},
        "coverage": figure.coverage,
        "documents_without_a_known_word": figure.n_empty,
        "cost": figure.cost,
    }


def _names(of: Cell | Figure) -> dict[str, str]:
    return {
        "dataset": of.dataset.name,
        "vectors": of.vectors.name,
        "method": of.method.key,
        "protocol": of.protocol.name,
    }


def write_json(path: str | os.PathLike[str], facts: dict[str, Any]) -> None:
    """Write facts as JSON, a cell a line; the file appears whole or not at all."""
    parts = []
    for name, value in facts.items():
        if isinstance(value, list):
            lines = ",\n".join("  " + json.dumps(one) for one in value)
            parts.append(f" {json.dumps(name)}: [\n{lines}\n ]")
        else:
            parts.append(f" {json.dumps(name)}: {json.dumps(value)}")
    with atomic_file(Path(path)) as temporary:
        temporary.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def _versions() -> dict[str, str]:
    found = {}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # a system that has it under another name
            found[name] = "unknown"
    return found
