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
    from vlawe.vectors import WordVectors

_SHOWN_CLASSES = 12


class RecipeName(StrEnum):
    """What a classifier compares documents by."""

    default = "default"
    paper = "paper"
    vlawe = "vlawe"
    boswe = "boswe"


class ClassWeight(StrEnum):
    """How much the documents of a class count."""

    equal = "equal"
    balanced = "balanced"


class Weights(StrEnum):
    """How much each part counts."""

    equal = "equal"
    auto = "auto"


_UNUSED = {
    RecipeName.default: ("super_words",),
    RecipeName.vlawe: ("super_words",),
    RecipeName.boswe: ("codewords",),
}
"""Options that mean nothing to a recipe."""


@options.takes_groups
def train(
    context: typer.Context,
    documents: options.InputArgument,
    model: options.NewModelOption,
    *,
    reading: options.LabelledReading,
    recipe: Annotated[
        RecipeName,
        options.option(
            "What documents are compared by: VLAWE, mean and n-grams; VLAWE and BOSWE as in the "
            "paper; or one of these.",
            panel=options.FITTING,
        ),
    ] = RecipeName.default,
    codewords: Annotated[
        int | None,
        options.optional(
            "Codewords of vlawe; else 5 beside n-grams, 10 in the paper's recipe.",
            "-k",
            "--codewords",
            min=1,
            panel=options.FITTING,
        ),
    ] = None,
    super_words: Annotated[
        int, options.option("Codewords of boswe.", min=1, panel=options.FITTING)
    ] = 500,
    penalty: Annotated[
        str,
        options.option(
            "Penalty of the SVM, or auto: chosen inside the training documents.",
            "-C",
            "--penalty",
            metavar="NUMBER|auto",
            panel=options.FITTING,
        ),
    ] = "1",
    weights: Annotated[
        Weights,
        options.option(
            "Weights of the parts; auto: chosen inside the training documents.",
            panel=options.FITTING,
        ),
    ] = Weights.equal,
    class_weight: Annotated[
        ClassWeight,
        options.option("Let rare classes count as much as others.", panel=options.FITTING),
    ] = ClassWeight.equal,
    sure: Annotated[
        float | None,
        options.optional(
            "Answer “unsure” unless at least this share of such answers is right.",
            "--sure",
            metavar="SHARE",
            panel=options.FITTING,
        ),
    ] = None,
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

    It compares documents by VLAWE, the mean of the word vectors, n-grams of words and n-grams of
    letters, and learns a linear support vector machine. `--recipe paper` is the paper's: VLAWE
    compared linearly and BOSWE by the PQ kernel.
    """
    begun = time.perf_counter()
    if typed := options.given_options(context, _UNUSED.get(recipe, ())):
        raise UsageError(f"{typed[0]}: not with --recipe {recipe}")
    if sure is not None and not 0 < sure < 1:
        raise UsageError("--sure must be between 0 and 1")
    from vlawe.classifier import DocumentClassifier
    from vlawe.cli.familiarity import warn_of_unknown_words
    from vlawe.cli.labelled import balance, check_balance, is_multilabel, read_labelled
    from vlawe.encoders import MeanVector
    from vlawe.system.model_folder import check_target

    check_target(model)
    with reading.open(documents) as opened:
        texts, labels = read_labelled(opened, reading, printing.bar)
        check_balance(opened, labels)
    table = options.load_vectors(vectors, progress=printing.bar)
    classifier = DocumentClassifier(
        _parts(recipe, table, codewords, super_words, seed),
        None if weights == Weights.equal else "auto",
        _penalty(penalty),
        class_weight=None if class_weight == ClassWeight.equal else "balanced",
        probability=probability,
        sure=sure,
        n_jobs=jobs,
        random_state=seed,
    )
    with progress_bar("Tokenizing", unit="time", show=printing.bar):
        bags = classifier.tokenize(texts)
    if bags.words is not None:
        beside = [encoder for _, encoder, _ in classifier.parts or ()]
        warn_of_unknown_words(MeanVector(table), texts, bags.words.coverage, beside=beside)
    facts: dict[str, Any] = {
        "input": documents,
        "documents": len(texts),
        "classes": {str(label): count for label, count in balance(labels).items()},
        "multilabel": is_multilabel(labels),
        "coverage": None if bags.words is None else round(bags.words.coverage, 6),
        "recipe": str(recipe),
    }
    if cross_validate is not None:
        facts["cross_validation"] = {
            "folds": cross_validate,
            "metric": "micro F1" if facts["multilabel"] else "accuracy",
            **_estimate(classifier, bags, labels, cross_validate, seed, printing.bar),
        }
    with progress_bar("Training", unit="time", show=printing.bar):
        classifier.fit_bags(bags, labels)
    classifier.estimate_ = facts.get("cross_validation")
    facts["penalty"] = classifier.C_
    facts["weights"] = {part.name: round(part.weight, 4) for part in classifier.parts_}
    if classifier.choice_ is not None:
        facts["chosen"] = str(classifier.choice_)
    if classifier.margin_ is not None:
        facts["margin"] = classifier.margin_
    facts["exact"] = classifier.exact_
    classifier.save(model, include_vectors=include_vectors)
    facts["seconds"] = round(time.perf_counter() - begun, 3)
    facts["model"] = str(model)
    facts["model_bytes"] = folder_size(model)
    printing.print(facts, _print)


def _parts(
    recipe: RecipeName, table: "WordVectors", codewords: int | None, super_words: int, seed: int
) -> Any:
    """Return the parts of a recipe, with the options that were given."""
    from vlawe.classifier import default_parts, paper_parts

    if recipe == RecipeName.default:
        parts = list(default_parts(table))
    else:
        parts = [part for part in paper_parts(table) if recipe in (RecipeName.paper, part[0])]
    for name, encoder, _ in parts:
        if name in ("vlawe", "boswe"):
            size = codewords if name == "vlawe" else super_words
            encoder.set_params(n_codewords=size or encoder.n_codewords, random_state=seed)
    return parts


def _penalty(given: str) -> "float | str":
    """Return the penalty that was typed."""
    if given == "auto":
        return given
    try:
        penalty = float(given)
    except ValueError:
        penalty = 0.0
    if not 0 < penalty < float("inf"):
        raise UsageError(f"--penalty must be a number above 0, or auto, got {given}")
    return penalty


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
        ("recipe", f"{facts['recipe']}: {', '.join(facts['weights'])}, C = {facts['penalty']:g}"),
    ]
    if "chosen" in facts:
        shown.append(("chosen", facts["chosen"]))
    if "cross_validation" in facts:
        estimate = facts["cross_validation"]
        score = f"{percent(estimate['mean'])} ± {100 * estimate['std']:.1f}"
        shown.append((f"{estimate['folds']}-fold estimate", f"{estimate['metric']} {score}"))
    shown.append(("time", seconds_of(facts["seconds"])))
    shown.append(("model", f"{facts['model']}, {size_of(facts['model_bytes'])}"))
    print_facts(shown)
