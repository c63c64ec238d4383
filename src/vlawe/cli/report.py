"""``vlawe report``: a page that shows what a model sees in labelled documents."""

import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from vlawe.cli import options
from vlawe.cli.display import counted, percent, print_note, seconds_of, size_of
from vlawe.cli.outputs.target import check_target
from vlawe.system.files import atomic_file


class Map(StrEnum):
    """How documents are placed in two dimensions."""

    scores = "scores"
    pca = "pca"
    tsne = "tsne"


@options.takes_groups
def report(
    model: options.ClassifierArgument,
    documents: options.InputArgument,
    output: Annotated[
        Path, options.option("The page to write, such as x.html.", "-o", "--output", metavar="OUT")
    ],
    *,
    reading: options.LabelledReading,
    cross_validate: Annotated[
        int | None,
        options.optional(
            "Judge models like this one, each by documents that it was not trained on.",
            "--cross-validate",
            min=2,
            metavar="FOLDS",
        ),
    ] = None,
    learning_curve: Annotated[
        bool,
        options.option("Also train on fewer documents, and show the curve.", "--learning-curve"),
    ] = False,
    map_method: Annotated[
        Map,
        options.option(
            "How documents are placed: by the model's scores, by principal components of their "
            "vectors, or by t-SNE, which takes minutes.",
            "--map",
        ),
    ] = Map.scores,
    mistakes: Annotated[
        int, options.option("Mistakes to show, the surest ones.", min=0, metavar="N")
    ] = 30,
    vectors: options.ModelVectorsOption = None,
    seed: Annotated[int, options.option("Seed of folds and of the map.")] = 0,
    jobs: options.JobsOption = None,
    printing: options.Printing,
) -> None:
    """Write a page that shows what a model sees in labelled documents.

    One file that needs no network: scores, a map of the documents, the codebook, and the mistakes
    that the model is surest of, word by word. It holds the documents' texts.
    """
    check_target(output, Path(documents))
    from vlawe.cli.labelled import read_labelled_for, short_name
    from vlawe.report import ReportOptions, render_report, report_facts

    begun = time.perf_counter()
    classifier = options.open_classifier(model, vectors, jobs)
    texts, labels = read_labelled_for(classifier, documents, reading, printing.bar)
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
            show_progress=printing.bar,
        ),
        model_name=model.resolve().name,
        data_name=short_name(documents),
    )
    with atomic_file(output) as temporary:
        temporary.write_text(render_report(facts), encoding="utf-8")
    scores = facts["scores"]
    told = {
        "output": str(output),
        "bytes": output.stat().st_size,
        "documents": facts["data"]["documents"],
        "protocol": facts["protocol"]["kind"],
        **{name: scores[name] for name in ("accuracy", "micro_f1", "macro_f1") if name in scores},
        "wrong": facts["mistakes"]["n_wrong"],
        "seconds": round(time.perf_counter() - begun, 3),
    }
    printing.print(told, _print)


def _print(told: dict[str, Any]) -> None:
    figure = "accuracy" if "accuracy" in told else "micro_f1"
    print_note(
        f"{counted(told['documents'], 'document')} → {told['output']}: "
        f"{figure.replace('_f1', ' F1')} {percent(told[figure])} ({told['protocol']}), "
        f"{size_of(told['bytes'])}, {seconds_of(told['seconds'])}"
    )
