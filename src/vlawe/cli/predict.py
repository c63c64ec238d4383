"""``vlawe predict``: labels of documents."""

import csv
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

from vlawe.cli import options
from vlawe.cli.display import counted, print_note, seconds_of
from vlawe.cli.errors import UsageError
from vlawe.cli.outputs.target import OutputError, check_target
from vlawe.system.files import atomic_file
from vlawe.system.progress import progress_bar

if TYPE_CHECKING:
    import pyarrow as pa

    from vlawe.classifier import DocumentClassifier

Write = Callable[["pa.RecordBatch", list[Any], list[float]], None]
"""Writes a batch with its labels and scores."""

_FORMATS = (".csv", ".tsv", ".jsonl", ".parquet")


@options.takes_groups
def predict(
    model: options.ClassifierArgument,
    documents: options.InputArgument,
    output: Annotated[
        str,
        options.option(
            "Where to write: .csv, .tsv, .jsonl or .parquet, with all columns of the input, "
            "label and score. [bold]-[/bold] is standard output, as JSON lines.",
            "-o",
            "--output",
            metavar="OUT",
        ),
    ],
    *,
    reading: options.Reading,
    vectors: options.ModelVectorsOption = None,
    jobs: options.JobsOption = None,
    printing: options.Printing,
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
    if output == "-" and printing.json:
        raise UsageError("--json and -o - both write to standard output")
    if output != "-":
        check_target(Path(output), Path(documents))
    from vlawe.cli.labelled import each_label

    classifier = options.open_classifier(model, vectors, jobs)
    begun = time.perf_counter()
    counts: Counter[str] = Counter()
    n_documents = 0
    with (
        reading.open(documents) as opened,
        progress_bar("Predicting", opened.size, unit="bytes", show=printing.bar) as bar,
        _writer(output, suffix, classifier) as write,
    ):
        for batch in opened.batches(all_columns=True):
            labels, scores = _answers(classifier, batch.column(opened.text_column))
            counts.update(map(str, each_label(labels)))
            n_documents += len(batch)
            write(batch, labels, scores)
            bar.update(opened.position)
    facts: dict[str, Any] = {
        "input": documents,
        "output": output,
        "documents": n_documents,
        "predicted": dict(counts.most_common()),
        "seconds": round(time.perf_counter() - begun, 3),
    }
    printing.print(facts, _print)


def _print(facts: dict[str, Any]) -> None:
    if facts["output"] != "-":
        listed = ", ".join(f"{label} {n:,}" for label, n in list(facts["predicted"].items())[:12])
        print_note(
            f"{counted(facts['documents'], 'document')} → {facts['output']}: {listed}; "
            f"{seconds_of(facts['seconds'])}"
        )


def _answers(classifier: "DocumentClassifier", texts: "pa.Array") -> tuple[list[Any], list[float]]:
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
def _writer(output: str, suffix: str, classifier: "DocumentClassifier") -> Iterator[Write]:
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


def _json_lines(file: TextIO) -> Write:
    def write(batch: "pa.RecordBatch", labels: list[Any], scores: list[float]) -> None:
        label_name, score_name = _added_columns(batch)
        for row, label, score in zip(batch.to_pylist(), labels, scores, strict=True):
            line = {**row, label_name: label, score_name: score}
            print(json.dumps(line, ensure_ascii=False, default=str), file=file)

    return write


def _delimited(file: TextIO, suffix: str) -> Write:
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
def _parquet(path: Path, classifier: "DocumentClassifier") -> Iterator[Write]:
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
