"""``vlawe train``: a classifier of documents, kept as a model."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vlawe.cli import options
from vlawe.cli.display import counted, percent, print_facts, print_json, seconds_of, size_of
from vlawe.cli.errors import UsageError
from vlawe.cli.inputs import open_input
from vlawe.system.progress import progress_bar

if TYPE_CHECKING:
    from vlawe.classifier import DocumentClassifier
    from vlawe.vectors import WordVectors

_SHOWN_CLASSES = 12


def train(
    context: typer.Context,
    documents: options.InputArgument,
    model: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="MODEL",
            help="The model's folder. A model that is there already is replaced.",
        ),
    ],
    text_column: options.TextColumnOption = None,
    label_column: options.LabelColumnOption = "label",
    label_separator: options.LabelSeparatorOption = None,
    input_format: options.InputFormatOption = None,
    encoding: options.EncodingOption = "utf-8",
    parts: Annotated[
        options.Parts,
        typer.Option(help="What documents are compared by.", rich_help_panel="Fitting"),
    ] = options.Parts.both,
    codewords: options.CodewordsOption = 10,
    super_words: Annotated[
        int,
        typer.Option(min=1, help="Codewords of boswe.", rich_help_panel="Fitting"),
    ] = 500,
    penalty: Annotated[
        float,
        typer.Option("-C", "--penalty", help="Penalty of the SVM.", rich_help_panel="Fitting"),
    ] = 1.0,
    probability: Annotated[
        bool,
        typer.Option("--probability", help="Learn probabilities, too.", rich_help_panel="Fitting"),
    ] = False,
    cross_validate: Annotated[
        int | None,
        typer.Option(
            "--cross-validate",
            min=2,
            metavar="FOLDS",
            help="Also estimate how well it does on new documents, by cross-validation.",
            show_default=False,
            rich_help_panel="Fitting",
        ),
    ] = None,
    vectors: options.VectorsOption = None,
    include_vectors: Annotated[
        bool | None,
        typer.Option(
            "--include-vectors/--no-include-vectors",
            help="Put the word vectors into the model; else unless they are the bundled ones.",
            show_default=False,
        ),
    ] = None,
    seed: options.SeedOption = 0,
    jobs: options.JobsOption = None,
    json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Train a classifier on documents and their labels, and keep it as a model.

    The default is the paper's recipe: VLAWE compared linearly and BOSWE by the PQ kernel, weighed
    alike, and a support vector machine.
    """
    if penalty <= 0 or jobs == 0:
        raise UsageError("--penalty must be above 0, and --jobs not 0")
    unused = {options.Parts.vlawe: "super_words", options.Parts.boswe: "codewords"}.get(parts, "")
    if typed := options.given_options(context, (unused,)):
        raise UsageError(f"{typed[0]}: not with --parts {parts}")
    from vlawe.cli.labelled import balance, check_balance, is_multilabel, read_labelled
    from vlawe.system.model_folder import check_target
    from vlawe.tokenizer import tokenize

    check_target(model)
    show = False if quiet else None
    with open_input(
        documents, input_format=input_format, text_column=text_column, encoding=encoding
    ) as opened:
        with progress_bar("Reading", opened.size, unit="bytes", show=show) as bar:
            texts, labels = read_labelled(opened, label_column, label_separator, bar)
        check_balance(opened, labels)
    table = options.load_vectors(vectors, progress=show)
    classifier = _make(table, parts, codewords, super_words, penalty, probability, seed, jobs)
    facts: dict[str, Any] = {
        "input": documents,
        "documents": len(texts),
        "classes": {str(label): count for label, count in balance(labels).items()},
        "multilabel": is_multilabel(labels),
        "coverage": round(tokenize(texts, table, n_jobs=jobs).coverage, 6),
    }
    if cross_validate is not None:
        facts["cross_validation"] = _estimate(classifier, texts, labels, cross_validate, seed, show)
    begun = time.perf_counter()
    with progress_bar("Training", None, show=show):
        classifier.fit(texts, labels)
    facts["seconds"] = round(time.perf_counter() - begun, 3)
    facts["exact"] = classifier.exact_
    classifier.save(model, include_vectors=include_vectors)
    facts["model"] = str(model)
    facts["model_bytes"] = sum(f.stat().st_size for f in model.rglob("*") if f.is_file())
    if json:
        print_json(facts)
    elif not quiet:
        print_facts(_for_people(facts))


def _make(
    table: "WordVectors",
    parts: options.Parts,
    codewords: int,
    super_words: int,
    penalty: float,
    probability: bool,
    seed: int,
    jobs: int | None,
) -> "DocumentClassifier":
    from vlawe.classifier import DocumentClassifier
    from vlawe.encoders import BOSWE, VLAWE

    chosen: list[Any] = []
    if parts in (options.Parts.both, options.Parts.vlawe):
        encoder = VLAWE(table, codewords, n_jobs=jobs, random_state=seed)
        chosen.append(("vlawe", encoder, "linear"))
    if parts in (options.Parts.both, options.Parts.boswe):
        histogram = BOSWE(table, super_words, n_jobs=jobs, random_state=seed)
        chosen.append(("boswe", histogram, "pq"))
    return DocumentClassifier(
        chosen, C=penalty, probability=probability, n_jobs=jobs, random_state=seed
    )


def _estimate(
    classifier: "DocumentClassifier",
    texts: list[str],
    labels: list[Any],
    n_folds: int,
    seed: int,
    show: bool | None,
) -> dict[str, Any]:
    """Return the mean score over folds; everything is learned inside each."""
    import numpy as np
    from sklearn.base import clone

    from vlawe.classifier.folds import document_folds
    from vlawe.cli.labelled import is_multilabel

    scores = []
    with progress_bar("Cross-validating", n_folds, show=show) as bar:
        for train_rows, test_rows in document_folds(labels, n_folds, seed):
            model = clone(classifier).set_params(probability=False)
            model.fit([texts[i] for i in train_rows], [labels[i] for i in train_rows])
            score = model.score([texts[i] for i in test_rows], [labels[i] for i in test_rows])
            scores.append(score)
            bar.advance(1)
    return {
        "folds": n_folds,
        "metric": "micro F1" if is_multilabel(labels) else "accuracy",
        "mean": round(float(np.mean(scores)), 6),
        "std": round(float(np.std(scores)), 6),
    }


def _for_people(facts: dict[str, Any]) -> list[tuple[str, str]]:
    classes = list(facts["classes"].items())
    listed = ", ".join(f"{label} {count:,}" for label, count in classes[:_SHOWN_CLASSES])
    if len(classes) > _SHOWN_CLASSES:
        listed += f", and {len(classes) - _SHOWN_CLASSES} more"
    shown = [
        ("documents", f"{facts['documents']:,}"),
        (counted(len(classes), "class").replace("classs", "classes"), listed),
        ("tokens known", percent(facts["coverage"])),
    ]
    if "cross_validation" in facts:
        estimate = facts["cross_validation"]
        shown.append(
            (
                f"{estimate['folds']}-fold estimate",
                f"{estimate['metric']} {percent(estimate['mean'])} ± {100 * estimate['std']:.1f}",
            )
        )
    shown.append(("time", seconds_of(facts["seconds"])))
    shown.append(("model", f"{facts['model']}, {size_of(facts['model_bytes'])}"))
    return shown
