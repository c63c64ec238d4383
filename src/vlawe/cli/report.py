"""``vlawe report``: a page that shows what a model sees in labelled documents."""

import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from vlawe.cli import options
from vlawe.cli.display import counted, percent, print_json, print_note, seconds_of, size_of
from vlawe.cli.inputs import open_input
from vlawe.cli.outputs import check_target
from vlawe.cli.predict import set_jobs
from vlawe.system.files import atomic_file
from vlawe.system.progress import progress_bar


class Map(StrEnum):
    """How documents are placed in two dimensions."""

    pca = "pca"
    tsne = "tsne"


def report(
    model: options.ClassifierArgument,
    documents: options.InputArgument,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="OUT", help="The page to write, such as x.html."),
    ],
    text_column: options.TextColumnOption = None,
    label_column: options.LabelColumnOption = "label",
    label_separator: options.LabelSeparatorOption = None,
    input_format: options.InputFormatOption = None,
    encoding: options.EncodingOption = "utf-8",
    cross_validate: Annotated[
        int | None,
        typer.Option(
            "--cross-validate",
            min=2,
            metavar="FOLDS",
            help="Judge models like this one, each by documents that it was not trained on.",
            show_default=False,
        ),
    ] = None,
    learning_curve: Annotated[
        bool,
        typer.Option("--learning-curve", help="Also train on fewer documents, and show the curve."),
    ] = False,
    map_method: Annotated[
        Map, typer.Option("--map", help="How documents are placed; t-SNE takes minutes.")
    ] = Map.pca,
    mistakes: Annotated[
        int, typer.Option(min=0, metavar="N", help="Mistakes to show, the surest ones.")
    ] = 30,
    vectors: options.ModelVectorsOption = None,
    seed: Annotated[int, typer.Option(help="Seed of folds and of the map.")] = 0,
    jobs: options.JobsOption = None,
    json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Write a page that shows what a model sees in labelled documents.

    One file that needs no network: scores, a map of the documents, the codebook, and the mistakes
    that the model is surest of, word by word. It holds the documents' texts.
    """
    check_target(output, Path(documents))
    from vlawe.classifier.saving import load_classifier
    from vlawe.cli.labelled import check_kind, read_labelled
    from vlawe.report import ReportOptions, render_report, report_facts

    begun = time.perf_counter()
    classifier = load_classifier(model, vectors=options.vectors_path(vectors))
    set_jobs(classifier, jobs)
    show = False if quiet else None
    with open_input(
        documents, input_format=input_format, text_column=text_column, encoding=encoding
    ) as opened:
        with progress_bar("Reading", opened.size, unit="bytes", show=show) as bar:
            texts, labels = read_labelled(opened, label_column, label_separator, bar)
        check_kind(opened, labels, classifier)
    facts = report_facts(
        classifier,
        texts,
        labels,
        ReportOptions(
            cross_validate=cross_validate,
            learning_curve=learning_curve,
            map_method=map_method.value,
            n_mistakes=mistakes,
            random_state=seed,
            show_progress=show,
        ),
        model_name=model.resolve().name,
        data_name="standard input" if documents == "-" else Path(documents).name,
    )
    with atomic_file(output) as temporary:
        temporary.write_text(render_report(facts), encoding="utf-8")
    told = _told(facts, output, time.perf_counter() - begun)
    if json:
        print_json(told)
    elif not quiet:
        figure = "accuracy" if "accuracy" in told else "micro_f1"
        print_note(
            f"{counted(told['documents'], 'document')} → {output}: "
            f"{figure.replace('_f1', ' F1')} {percent(told[figure])} ({told['protocol']}), "
            f"{size_of(told['bytes'])}, {seconds_of(told['seconds'])}"
        )


def _told(facts: dict[str, Any], output: Path, seconds: float) -> dict[str, Any]:
    scores = facts["scores"]
    figures = ("accuracy", "micro_f1", "macro_f1")
    return {
        "output": str(output),
        "bytes": output.stat().st_size,
        "documents": facts["data"]["documents"],
        "protocol": facts["protocol"]["kind"],
        **{figure: scores[figure] for figure in figures if figure in scores},
        "wrong": facts["mistakes"]["n_wrong"],
        "seconds": round(seconds, 3),
    }
