"""``vlawe predict``: labels of documents."""

import csv
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
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
    in one field of .csv and .tsv, separated by |, and are lists elsewhere; other lists and objects
    stand there as JSON. The score is that of
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
    from vlawe.cli.familiarity import warn_of_unknown_words
    from vlawe.cli.labelled import each_label, tell_skipped

    classifier = options.open_classifier(model, vectors, jobs)
    begun = time.perf_counter()
    counts: Counter[str] = Counter()
    n_documents = 0
    with (
        reading.open(documents) as opened,
        progress_bar("Predicting", opened.size, unit="bytes", show=printing.bar) as bar,
        _writer(output, suffix) as write,
    ):
        for batch in opened.batches(all_columns=True):
            labels, scores = _answers(classifier, batch.column(opened.text_column))
            counts.update(map(str, each_label(labels)))
            n_documents += len(batch)
            write(_answered(classifier, batch, labels, scores))
            bar.update(opened.position)
        if classifier.word_encoder is not None:
            beside = [part.encoder for part in classifier.parts_]
            warn_of_unknown_words(classifier.word_encoder, opened.sample, beside=beside)
        if not printing.quiet:
            tell_skipped(opened)
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
        documents = counted(facts["documents"], "document")
        print_note(f"{documents} → {facts['output']}: {listed}; {seconds_of(facts['seconds'])}")


def _answers(classifier: "DocumentClassifier", texts: "pa.Array") -> tuple[list[Any], list[float]]:
    """Return the label (or tuple of labels) of each text, and its score or probability."""
    scores = classifier.all_scores(texts)
    encoding = classifier.encoding_
    decided, labels = encoding.decide(scores), classifier.labels_of(scores)
    if encoding.kind == "indicator":
        labels = [tuple(row.nonzero()[0].tolist()) for row in labels]
    elif not isinstance(labels, list):
        labels = labels.tolist()
    if classifier.probability:
        chances = classifier.probabilities(scores, encoding)
        best = chances.max(axis=1)
        if not encoding.multilabel:  # that of the label, which goes by the score
            column = {label: i for i, label in enumerate(encoding.classes.tolist())}
            best = [chances[row, column[label]] for row, label in enumerate(decided.tolist())]
    else:
        best = abs(scores[:, 0]) if encoding.kind == "binary" else scores.max(axis=1)
    return labels, [round(float(score), 6) for score in best]


def _answered(
    classifier: "DocumentClassifier",
    batch: "pa.RecordBatch",
    labels: list[Any],
    scores: list[float],
) -> "pa.Table":
    """Return a batch with two more columns: its labels and scores."""
    import pyarrow as pa

    kind = pa.array(classifier.classes_.tolist()).type
    if classifier.encoding_.multilabel:
        kind = pa.list_(kind)
    table = pa.Table.from_batches([batch])
    for name, column in (("label", pa.array(labels, kind)), ("score", pa.array(scores))):
        free = name if name not in batch.schema.names else f"predicted_{name}"
        if free in batch.schema.names:
            raise OutputError(f"the documents have a column {free!r} already; rename it")
        table = table.append_column(free, column)
    return table


@contextmanager
def _writer(output: str, suffix: str) -> "Iterator[Callable[[pa.Table], None]]":
    """Yield a function that writes the answers of a batch."""
    if output == "-":
        yield partial(_write_json_lines, sys.stdout)
        return
    with atomic_file(output) as temporary:
        if suffix == ".parquet":
            with _parquet(temporary) as write:
                yield write
            return
        with temporary.open("w", encoding="utf-8", newline="") as file:
            yield (
                partial(_write_json_lines, file) if suffix == ".jsonl" else _delimited(file, suffix)
            )


def _write_json_lines(file: TextIO, table: "pa.Table") -> None:
    # What an encoding lacks is escaped as JSON does it; the stream would do it in Python's way.
    ascii_only = "utf" not in (file.encoding or "").lower()
    for row in table.to_pylist():
        print(json.dumps(row, ensure_ascii=ascii_only, default=str), file=file)


def _delimited(file: TextIO, suffix: str) -> "Callable[[pa.Table], None]":
    writer = csv.writer(file, delimiter="," if suffix == ".csv" else "\t", lineterminator="\n")
    begun = False

    def write(table: "pa.Table") -> None:
        nonlocal begun
        if not begun:
            writer.writerow(table.column_names)
            begun = True
        for *row, label, score in zip(
            *(column.to_pylist() for column in table.columns), strict=True
        ):
            shown = "|".join(map(str, label)) if isinstance(label, list) else label
            writer.writerow([*map(_field, row), shown, score])

    return write


def _field(value: Any) -> Any:
    """Return a value as a field of a row: lists and objects as JSON."""
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return value


@contextmanager
def _parquet(path: Path) -> "Iterator[Callable[[pa.Table], None]]":
    import pyarrow.parquet

    with ExitStack() as opened:
        writer: Any = None

        def write(table: "pa.Table") -> None:
            nonlocal writer
            if writer is None:
                writer = opened.enter_context(
                    pyarrow.parquet.ParquetWriter(path, table.schema, compression="zstd")
                )
            writer.write_table(table)

        yield write
