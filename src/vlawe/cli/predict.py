"""``vlawe predict``: labels of documents."""

import csv
import json as json_module
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from vlawe.cli import options
from vlawe.cli.display import counted, print_json, print_note, seconds_of
from vlawe.cli.errors import UsageError
from vlawe.cli.inputs import open_input
from vlawe.cli.outputs import OutputError, check_target
from vlawe.system.files import atomic_file
from vlawe.system.progress import progress_bar

if TYPE_CHECKING:
    import pyarrow as pa

    from vlawe.classifier import DocumentClassifier

_FORMATS = (".csv", ".tsv", ".jsonl", ".parquet")


def predict(
    model: options.ClassifierArgument,
    documents: options.InputArgument,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="OUT",
            help="Where to write: .csv, .tsv, .jsonl or .parquet, with all columns of the input, "
            "label and score. [bold]-[/bold] is standard output, as JSON lines.",
        ),
    ],
    text_column: options.TextColumnOption = None,
    input_format: options.InputFormatOption = None,
    encoding: options.EncodingOption = "utf-8",
    vectors: options.ModelVectorsOption = None,
    jobs: options.JobsOption = None,
    json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Predict the label of each document.

    Documents are read, classified and written as they come. Several labels of a document stand
    in one field of .csv and .tsv, separated by |, and are lists elsewhere. The score is that of
    the label (the highest of all labels); with a model that learned probabilities it is one. If
    the documents have a column label (or score) already, predicted_label is added instead.
    """
    suffix = ".jsonl" if output == "-" else Path(output).suffix.lower()
    if suffix not in _FORMATS:
        raise UsageError(f"{output}: unknown output format; name it *{', *'.join(_FORMATS)}, or -")
    if output == "-" and json:
        raise UsageError("--json and -o - both write to standard output")
    if output != "-":
        check_target(Path(output), Path(documents))
    from vlawe.classifier.saving import load_classifier

    classifier = load_classifier(model, vectors=options.vectors_path(vectors))
    set_jobs(classifier, jobs)
    begun = time.perf_counter()
    counts: dict[str, int] = {}
    n_documents = 0
    with open_input(
        documents, input_format=input_format, text_column=text_column, encoding=encoding
    ) as opened:
        show = False if quiet else None
        with (
            progress_bar("Predicting", opened.size, unit="bytes", show=show) as bar,
            _writer(output, suffix, classifier) as write,
        ):
            for batch in opened.batches(all_columns=True):
                texts = batch.column(opened.text_column).to_pylist()
                labels, scores = _answers(classifier, texts)
                for label in labels:
                    for one in label if isinstance(label, tuple) else (label,):
                        counts[str(one)] = counts.get(str(one), 0) + 1
                n_documents += len(batch)
                write(batch, labels, scores)
                bar.update(opened.position)
    facts: dict[str, Any] = {
        "input": documents,
        "output": output,
        "documents": n_documents,
        "predicted": dict(sorted(counts.items(), key=lambda item: -item[1])),
        "seconds": round(time.perf_counter() - begun, 3),
    }
    if json:
        print_json(facts)
    elif not quiet and output != "-":
        listed = ", ".join(f"{label} {n:,}" for label, n in list(facts["predicted"].items())[:12])
        print_note(
            f"{counted(n_documents, 'document')} → {output}: {listed}; "
            f"{seconds_of(facts['seconds'])}"
        )


def set_jobs(classifier: "DocumentClassifier", jobs: int | None) -> None:
    """Let a loaded model and its encoders use so many threads."""
    if jobs == 0:
        raise UsageError("--jobs must not be 0")
    classifier.set_params(n_jobs=jobs)
    for part in classifier.parts_:
        part.encoder.set_params(n_jobs=jobs)


def _answers(classifier: "DocumentClassifier", texts: list[str]) -> tuple[list[Any], list[float]]:
    """Return the label (or tuple of labels) of each text, and its score or probability."""
    scores = classifier.all_scores(texts)
    encoding = classifier.encoding_
    labels = encoding.decide(scores)
    if encoding.kind == "indicator":
        labels = [tuple(row.nonzero()[0].tolist()) for row in labels]
    elif not isinstance(labels, list):
        labels = labels.tolist()
    if classifier.probability:
        chances = classifier.probabilities(scores, encoding)
        best = chances.max(axis=1)
        if not encoding.multilabel:  # that of the label, which goes by the score
            column = {label: i for i, label in enumerate(encoding.classes.tolist())}
            best = [chances[row, column[label]] for row, label in enumerate(labels)]
    else:
        best = abs(scores[:, 0]) if encoding.kind == "binary" else scores.max(axis=1)
    return labels, [round(float(score), 6) for score in best]


@contextmanager
def _writer(output: str, suffix: str, classifier: "DocumentClassifier") -> "Iterator[Any]":
    """Yield a function that writes a batch with its labels and scores."""
    if output == "-":
        yield _json_lines(sys.stdout)
        return
    with atomic_file(output) as temporary:
        if suffix == ".parquet":
            with _parquet(temporary, classifier) as write:
                yield write
            return
        with temporary.open("w", encoding="utf-8", newline="") as file:
            yield _json_lines(file) if suffix == ".jsonl" else _delimited(file, suffix)


def _added_columns(batch: "pa.RecordBatch") -> list[str]:
    """Return the names of the two columns to add."""
    taken = set(batch.schema.names)
    names = [name if name not in taken else f"predicted_{name}" for name in ("label", "score")]
    for name in names:
        if name in taken:
            raise OutputError(f"the documents have a column {name!r} already; rename it")
    return names


def _json_lines(file: TextIO) -> Any:
    def write(batch: "pa.RecordBatch", labels: list[Any], scores: list[float]) -> None:
        label_name, score_name = _added_columns(batch)
        for row, label, score in zip(batch.to_pylist(), labels, scores, strict=True):
            line = {**row, label_name: label, score_name: score}
            print(json_module.dumps(line, ensure_ascii=False, default=str), file=file)

    return write


def _delimited(file: TextIO, suffix: str) -> Any:
    writer = csv.writer(file, delimiter="," if suffix == ".csv" else "\t", lineterminator="\n")
    begun = False

    def write(batch: "pa.RecordBatch", labels: list[Any], scores: list[float]) -> None:
        nonlocal begun
        if not begun:
            writer.writerow([*batch.schema.names, *_added_columns(batch)])
            begun = True
        rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
        for row, label, score in zip(rows, labels, scores, strict=True):
            shown = "|".join(map(str, label)) if isinstance(label, tuple) else label
            writer.writerow([*row, shown, score])

    return write


@contextmanager
def _parquet(path: Path, classifier: "DocumentClassifier") -> "Iterator[Any]":
    import pyarrow as pa
    import pyarrow.parquet

    kind = pa.array(classifier.classes_.tolist()).type
    if classifier.encoding_.multilabel:
        kind = pa.list_(kind)
    writer: Any = None

    def write(batch: "pa.RecordBatch", labels: list[Any], scores: list[float]) -> None:
        nonlocal writer
        label_name, score_name = _added_columns(batch)
        answers = [list(label) if isinstance(label, tuple) else label for label in labels]
        table = pa.Table.from_batches([batch])
        table = table.append_column(label_name, pa.array(answers, kind))
        table = table.append_column(score_name, pa.array(scores, pa.float64()))
        if writer is None:
            writer = pyarrow.parquet.ParquetWriter(path, table.schema, compression="zstd")
        writer.write_table(table)

    try:
        yield write
    finally:
        if writer is not None:
            writer.close()
