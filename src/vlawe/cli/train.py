"""``vlawe train``: a classifier of documents, kept as a model."""

import time
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vlawe.cli import options
from vlawe.cli.display import (
    counted,
    folder_size,
    percent,
    print_facts,
    seconds_of,
    several,
    size_of,
)
from vlawe.cli.errors import UsageError
from vlawe.system.progress import progress_bar

if TYPE_CHECKING:
    from vlawe.classifier import DocumentClassifier
    from vlawe.classifier.part_bags import PartBags

_SHOWN_CLASSES = 12


class Parts(StrEnum):
    """What a classifier compares documents by."""

    both = "both"
    vlawe = "vlawe"
    boswe = "boswe"


@options.takes_groups
def train(
    context: typer.Context,
    documents: options.InputArgument,
    model: options.NewModelOption,
    *,
    reading: options.LabelledReading,
    parts: Annotated[
        Parts, options.option("What documents are compared by.", panel=options.FITTING)
    ] = Parts.both,
    codewords: options.CodewordsOption = 10,
    super_words: Annotated[
        int, options.option("Codewords of boswe.", min=1, panel=options.FITTING)
    ] = 500,
    penalty: Annotated[
        float, options.option("Penalty of the SVM.", "-C", "--penalty", panel=options.FITTING)
    ] = 1.0,
    probability: Annotated[
        bool, options.option("Learn probabilities, too.", "--probability", panel=options.FITTING)
    ] = False,
    cross_validate: Annotated[
        int | None,
        options.optional(
            "Also estimate how well it does on new documents, by cross-validation.",
            "--cross-validate",
            min=2,
            metavar="FOLDS",
            panel=options.FITTING,
        ),
    ] = None,
    vectors: options.VectorsOption = None,
    include_vectors: options.IncludeVectorsOption = None,
    seed: options.SeedOption = 0,
    jobs: options.JobsOption = None,
    printing: options.Printing,
) -> None:
    """Train a classifier on documents and their labels, and keep it as a model.

    The default is the paper's recipe: VLAWE compared linearly and BOSWE by the PQ kernel, weighed
    alike, and a support vector machine.
    """
    if penalty <= 0:
        raise UsageError("--penalty must be above 0, and --jobs not 0")
    unused = {Parts.vlawe: "super_words", Parts.boswe: "codewords"}.get(parts, "")
    if typed := options.given_options(context, (unused,)):
        raise UsageError(f"{typed[0]}: not with --parts {parts}")
    from vlawe.classifier import DocumentClassifier
    from vlawe.cli.labelled import balance, check_balance, is_multilabel, read_labelled
    from vlawe.encoders import BOSWE, VLAWE
    from vlawe.system.model_folder import check_target

    check_target(model)
    with reading.open(documents) as opened:
        texts, labels = read_labelled(opened, reading, printing.bar)
        check_balance(opened, labels)
    table = options.load_vectors(vectors, progress=printing.bar)
    of_both = [
        ("vlawe", VLAWE(table, codewords, n_jobs=jobs, random_state=seed), "linear"),
        ("boswe", BOSWE(table, super_words, n_jobs=jobs, random_state=seed), "pq"),
    ]
    classifier = DocumentClassifier(
        [part for part in of_both if parts in (Parts.both, part[0])],
        C=penalty,
        probability=probability,
        n_jobs=jobs,
        random_state=seed,
    )
    bags = classifier.tokenize(texts)
    facts: dict[str, Any] = {
        "input": documents,
        "documents": len(texts),
        "classes": {str(label): count for label, count in balance(labels).items()},
        "multilabel": is_multilabel(labels),
        "coverage": round(next(iter(bags)).coverage, 6),
    }
    if cross_validate is not None:
        facts["cross_validation"] = {
            "folds": cross_validate,
            "metric": "micro F1" if facts["multilabel"] else "accuracy",
            **_estimate(classifier, bags, labels, cross_validate, seed, printing.bar),
        }
    begun = time.perf_counter()
    with progress_bar("Training", None, show=printing.bar):
        classifier.fit_bags(bags, labels)
    facts["seconds"] = round(time.perf_counter() - begun, 3)
    facts["exact"] = classifier.exact_
    classifier.save(model, include_vectors=include_vectors)
    facts["model"] = str(model)
    facts["model_bytes"] = folder_size(model)
    printing.print(facts, _print)


def _estimate(
    classifier: "DocumentClassifier",
    bags: "PartBags",
    labels: list[Any],
    n_folds: int,
    seed: int,
    show: bool | None,
) -> dict[str, float]:
    """Return mean and deviation of the score over folds; everything is learned inside each."""
    import numpy as np

    from vlawe.classifier.folds import cross_validated

    scores = []
    with progress_bar("Cross-validating", n_folds, show=show) as bar:
        for rows, model in cross_validated(classifier, bags, labels, n_folds, seed):
            scores.append(model.score_bags(bags.take(rows), [labels[row] for row in rows]))
            bar.advance(1)
    return {"mean": round(float(np.mean(scores)), 6), "std": round(float(np.std(scores)), 6)}


def _print(facts: dict[str, Any]) -> None:
    classes = facts["classes"]
    shown = [
        ("documents", f"{facts['documents']:,}"),
        (counted(len(classes), "class"), several(classes, _SHOWN_CLASSES)),
        ("tokens known", percent(facts["coverage"])),
    ]
    if "cross_validation" in facts:
        estimate = facts["cross_validation"]
        score = f"{percent(estimate['mean'])} ± {100 * estimate['std']:.1f}"
        shown.append((f"{estimate['folds']}-fold estimate", f"{estimate['metric']} {score}"))
    shown.append(("time", seconds_of(facts["seconds"])))
    shown.append(("model", f"{facts['model']}, {size_of(facts['model_bytes'])}"))
    print_facts(shown)
