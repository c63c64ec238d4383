"""Documents with labels: a table whose columns are named."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vlawe.cli.display import counted, print_note
from vlawe.cli.inputs import InputError
from vlawe.cli.inputs.source import listing
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
    they are ``required``, labels that are missing are None. Rows that ``--skip-missing`` leaves out
    are counted by a note.
    """
    texts: list[str] = []
    labels: list[Any] = []
    n_without_label = 0
    column = reading.label_column
    with progress_bar("Reading", documents.size, unit="bytes", show=show) as bar:
        for batch in documents.batches(all_columns=True):
            if column not in batch.schema.names and required:
                raise InputError(
                    f"{documents.name}: there is no column {column!r}; the columns are "
                    f"{listing(batch.schema.names)} (choose one with --label-column)"
                )
            own = list(_labels_of(batch, column, reading.label_separator))
            kept = list(range(len(own)))
            if required and (missing := [row for row in kept if own[row] is None]):
                if not reading.skip_missing:
                    row = documents.n_rows - len(batch) + missing[0] + 1
                    raise documents.missing(row, "label", column)
                n_without_label += len(missing)
                kept = [row for row in kept if own[row] is not None]
            read = batch.column(documents.text_column).to_pylist()
            texts += [read[row] for row in kept]
            labels += [own[row] for row in kept]
            bar.update(documents.position)
    if reading.skip_missing and show is not False:
        tell_skipped(documents, n_without_label)
    if not texts:
        raise InputError(f"{documents.name}: no row has a label (column {column!r})")
    return texts, labels


def tell_skipped(documents: "Input", n_without_label: int = 0) -> None:
    """Say how many rows were left out because something was missing."""
    lacks = (documents.n_skipped, "text"), (n_without_label, "label")
    for n, what in lacks:
        if n:
            print_note(f"{documents.name}: {counted(n, 'row')} without a {what} left out")


def _labels_of(batch: "pa.RecordBatch", column: str, separator: str | None) -> Iterator[Any]:
    """Yield the label of each row, or the tuple of its labels; None where there is none."""
    if column not in batch.schema.names:
        yield from [None] * len(batch)
        return
    for label in batch.column(column).to_pylist():
        if isinstance(label, list):
            yield tuple(label)
        elif separator is not None:
            text = "" if label is None else str(label)
            yield tuple(part.strip() for part in text.split(separator) if part.strip())
        else:
            yield None if _is_missing(label) else label


def _is_missing(label: Any) -> bool:
    is_nan = label != label  # noqa: PLR0124  (as data frames write what is missing)
    return label is None or is_nan or (isinstance(label, str) and not label.strip())


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
        row = labels.index(single[0]) + 1
        place = f"{documents.name}: "
        if documents.n_rows == len(labels):  # none was left out
            place += f"{documents.row_name} {row}: "
        raise InputError(
            f"{place}the label {single[0]!r} has this single example; give it more, or take it out"
        )
