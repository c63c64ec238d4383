"""Measurements that nobody made, for the tables, pictures and pages that show them."""

import numpy as np

from vlawe.reproduce.cell import Measurement, Source
from vlawe.reproduce.datasets import DATASETS
from vlawe.reproduce.outcome import Outcome
from vlawe.reproduce.plan import Request, make_plan

BUNDLED, GLOVE = Source("default-en", "1"), Source("glove-6b", "2", "glove")


def make_outcome(**options) -> Outcome:
    """The outcome of a whole run, or of what the request's options say."""
    datasets = [Source(name, name) for name in options.pop("datasets", DATASETS)]
    request = Request(datasets, options.pop("vectors", [BUNDLED, GLOVE]), **options)
    plan = make_plan(request)
    generator = np.random.default_rng(0)
    results = {
        cell: Measurement(
            scores={f"{penalty:g}": float(score) for penalty, score in zip(
                cell.protocol.penalties,
                generator.normal(80, 2, len(cell.protocol.penalties)),
                strict=True,
            )},
            split=f"{cell.dataset.name} {cell.seed} {cell.fold}",
            n_train=90,
            n_test=10,
            coverage=0.975,
            n_empty=3,
            seconds=1.5,
            cost={
                "train_seconds": float(generator.lognormal(1, 2)),
                "documents_per_second": float(generator.lognormal(10, 2)),
                "columns": 300,
            },
        )
        for cell in plan.cells
    }  # fmt: skip
    return Outcome(request, plan, results)
