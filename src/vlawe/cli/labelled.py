"""Documents with labels: a table whose columns are named."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from vlawe.cli.inputs.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

    from vlawe.classifier import DocumentClassifier
    from vlawe.cli.inputs.base import Input
    from vlawe.system.progress import ProgressBar

LABEL = "label"
"""The column of the labels, unless another is named."""


def read_labelled(
    documents: "Input",
    label_column: str,
    separator: str | None,
    bar: "ProgressBar",
    *,
    required: bool = True,
) -> tuple[list[str], list[Any]]:
    """Read all texts and labels.

    With a ``separator``, or where the labels are lists, each document has a tuple of labels.
    Unless they are ``required``, labels that are missing are None.

    Raises
    ------
    InputError
        If there is no such column, or a label is missing; it names the row.
    """
    texts: list[str] = []
    labels: list[Any] = []
    for batch in documents.batches(all_columns=True):
        texts += batch.column(documents.text_column).to_pylist()
        bar.update(documents.position)
        if label_column not in batch.schema.names:
            if not required:
                labels += [None] * len(batch)
                continue
            listed = ", ".join(map(repr, batch.schema.names))
            raise InputError(
                f"{documents.name}: there is no column {label_column!r}; the columns are {listed} "
                "(choose one with --label-column)"
            )
        for label in _labels_of(batch, label_column, separator):
            missing = label is None or label == ""
            if missing and required:
                message = f"the label (column {label_column!r}) is missing"
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


def is_multilabel(labels: list[Any]) -> bool:
    """Tell whether documents have tuples of labels."""
    return bool(labels) and isinstance(labels[0], tuple)


def check_kind(documents: "Input", labels: list[Any], classifier: "DocumentClassifier") -> None:
    """Raise InputError unless documents have as many labels each as the model gives."""
    multilabel = classifier._encoding.multilabel
    if is_multilabel(labels) != multilabel:
        wanted = "any number of labels" if multilabel else "one label"
        raise InputError(
            f"{documents.name}: the model gives a document {wanted}, the data do not "
            "(see --label-separator)"
        )


def balance(labels: list[Any]) -> dict[Any, int]:
    """Return how many documents have each label, most frequent first."""
    counts: dict[Any, int] = {}
    for label in labels:
        for one in label if isinstance(label, tuple) else (label,):
            counts[one] = counts.get(one, 0) + 1
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
        row = labels.index(single[0]) + 1
        raise documents.error(
            row,
            f"the label {single[0]!r} has this single example; give it more, or take it out",
        )
