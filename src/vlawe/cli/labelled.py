"""Documents with labels: a table whose columns are named."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vlawe.cli.inputs import InputError
from vlawe.system.progress import progress_bar

if TYPE_CHECKING:
    import pyarrow as pa

    from vlawe.classifier import DocumentClassifier
    from vlawe.cli.inputs.base import Input
    from vlawe.cli.options import LabelledReading


def read_labelled(
    documents: "Input", reading: "LabelledReading", show: bool | None, *, required: bool = True
) -> tuple[list[str], list[Any]]:
    """Read all texts and labels; InputError names the row where a label is missing.

    With a separator, or where the labels are lists, each document has a tuple of labels. Unless
    they are ``required``, labels that are missing are None.
    """
    texts: list[str] = []
    labels: list[Any] = []
    column = reading.label_column
    with progress_bar("Reading", documents.size, unit="bytes", show=show) as bar:
        for batch in documents.batches(all_columns=True):
            texts += batch.column(documents.text_column).to_pylist()
            bar.update(documents.position)
            if column not in batch.schema.names:
                if not required:
                    labels += [None] * len(batch)
                    continue
                listed = ", ".join(map(repr, batch.schema.names))
                raise InputError(
                    f"{documents.name}: there is no column {column!r}; the columns are {listed} "
                    "(choose one with --label-column)"
                )
            for label in _labels_of(batch, column, reading.label_separator):
                missing = label is None or label == ""
                if missing and required:
                    message = f"the label (column {column!r}) is missing"
                    raise documents.error(len(labels) + 1, message)
                labels.append(None if missing else label)
    return texts, labels


def _labels_of(batch: "pa.RecordBatch", column: str, separator: str | None) -> Iterator[Any]:
    for label in batch.column(column).to_pylist():
        if isinstance(label, list):
            yield tuple(label)
        elif separator is not None:
            text = "" if label is None else str(label)
            yield tuple(part.strip() for part in text.split(separator) if part.strip())
        else:
            yield label


def read_labelled_for(
    classifier: "DocumentClassifier", path: str, reading: "LabelledReading", show: bool | None
) -> tuple[list[str], list[Any]]:
    """Read texts and labels; InputError unless they have as many each as the model gives."""
    with reading.open(path) as documents:
        texts, labels = read_labelled(documents, reading, show)
    multilabel = classifier.encoding_.multilabel
    if is_multilabel(labels) != multilabel:
        wanted = "any number of labels" if multilabel else "one label"
        raise InputError(
            f"{documents.name}: the model gives a document {wanted}, the data do not "
            "(see --label-separator)"
        )
    return texts, labels


def short_name(path: str) -> str:
    """Return what documents are called on a page."""
    return "standard input" if path == "-" else Path(path).name


def is_multilabel(labels: list[Any]) -> bool:
    """Tell whether documents have tuples of labels."""
    return bool(labels) and isinstance(labels[0], tuple)


def each_label(labels: list[Any]) -> Iterator[Any]:
    """Yield every label of every document."""
    for label in labels:
        yield from label if isinstance(label, tuple) else (label,)


def balance(labels: list[Any]) -> dict[Any, int]:
    """Return how many documents have each label, most frequent first."""
    counts = Counter(each_label(labels))
    return dict(sorted(counts.items(), key=lambda item: (-item[1], str(item[0]))))


def check_balance(documents: "Input", labels: list[Any]) -> None:
    """Raise InputError if there is one class only, or a label has a single example."""
    counts = balance(labels)
    if len(counts) < 2:
        found = f"only {next(iter(counts))!r}" if counts else "none"
        raise InputError(
            f"{documents.name}: a classifier needs at least two labels, there is {found}"
        )
    single = [label for label, count in counts.items() if count == 1]
    if single and not is_multilabel(labels):
        raise documents.error(
            labels.index(single[0]) + 1,
            f"the label {single[0]!r} has this single example; give it more, or take it out",
        )
