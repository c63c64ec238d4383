"""``vlawe evaluate``: how well a model labels documents whose labels are known."""

from typing import TYPE_CHECKING, Any

from vlawe.cli import options
from vlawe.cli.display import console, make_table, percent, print_facts, print_json
from vlawe.cli.inputs import open_input
from vlawe.cli.predict import set_jobs
from vlawe.progress import progress_bar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vlawe.classifier import DocumentClassifier

_LARGEST_MATRIX = 12
"""Classes up to which the confusion matrix is shown; JSON has it for any number."""


def evaluate(
    model: options.ClassifierArgument,
    documents: options.InputArgument,
    text_column: options.TextColumnOption = None,
    label_column: options.LabelColumnOption = "label",
    label_separator: options.LabelSeparatorOption = None,
    input_format: options.InputFormatOption = None,
    encoding: options.EncodingOption = "utf-8",
    vectors: options.ModelVectorsOption = None,
    jobs: options.JobsOption = None,
    json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Compare a model's labels with those that documents have.

    Prints the accuracy, precision, recall and F1 of each class, and the confusion matrix; for
    several labels a document the micro- and macro-averaged F1.
    """
    from vlawe.cli.inputs.errors import InputError
    from vlawe.cli.labelled import is_multilabel, read_labelled
    from vlawe.persistence import load_classifier

    classifier = load_classifier(model, vectors=options.vectors_path(vectors))
    set_jobs(classifier, jobs)
    show = False if quiet else None
    with open_input(
        documents, input_format=input_format, text_column=text_column, encoding=encoding
    ) as opened:
        with progress_bar("Reading", opened.size, unit="bytes", show=show) as bar:
            texts, labels = read_labelled(opened, label_column, label_separator, bar)
        if is_multilabel(labels) != classifier._encoding.multilabel:
            wanted = "any number of labels" if classifier._encoding.multilabel else "one label"
            raise InputError(
                f"{opened.name}: the model gives a document {wanted}, the data do not "
                "(see --label-separator)"
            )
    with progress_bar("Predicting", None, show=show):
        facts = {"input": documents, "documents": len(texts), **_facts(classifier, texts, labels)}
    if json:
        print_json(facts)
    else:
        _print(facts)


def _facts(classifier: "DocumentClassifier", texts: list[str], labels: list[Any]) -> dict[str, Any]:
    import numpy as np
    from sklearn.metrics import confusion_matrix, f1_score

    from vlawe.classifier.labels import LabelEncoding

    encoding = classifier._encoding
    predicted = classifier.predict(texts)
    if encoding.multilabel:
        sets = LabelEncoding("label sets", encoding.classes)
        wanted_sets = _as_classes(labels, encoding.classes)
        wider = sets.with_classes_of(wanted_sets)
        truth = wider.signs(wanted_sets) > 0
        answer = encoding.signs(predicted) > 0
        answer = np.pad(answer, ((0, 0), (0, truth.shape[1] - answer.shape[1])))
        names = [str(name) for name in wider.classes.tolist()]
        return {
            "unknown_labels": names[encoding.n_columns :],
            "micro_f1": float(f1_score(truth, answer, average="micro", zero_division=0)),
            "macro_f1": float(f1_score(truth, answer, average="macro", zero_division=0)),
            "classes": _per_class(truth, answer, names),
        }
    found = [str(label) for label in predicted.tolist()]
    wanted = [str(label) for label in labels]
    names = sorted({*map(str, encoding.classes.tolist()), *wanted})
    truth = _columns(wanted, names)
    answer = _columns(found, names)
    right = sum(a == b for a, b in zip(found, wanted, strict=True))
    return {
        "accuracy": right / len(wanted),
        "macro_f1": float(f1_score(truth, answer, average="macro", zero_division=0)),
        "unknown_labels": sorted(set(wanted) - set(map(str, encoding.classes.tolist()))),
        "classes": _per_class(truth, answer, names),
        "confusion_matrix": confusion_matrix(wanted, found, labels=names).tolist(),
    }


def _as_classes(labels: list[Any], classes: "NDArray[Any]") -> list[Any]:
    """Return label sets in the type of the classes: those of a CSV are strings."""
    by_name = {str(name): name for name in classes.tolist()}
    return [tuple(by_name.get(str(one), one) for one in label) for label in labels]


def _columns(labels: list[str], names: list[str]) -> "NDArray[np.bool_]":
    import numpy as np

    return np.array([[label == name for name in names] for label in labels])


def _per_class(
    truth: "NDArray[np.bool_]", answer: "NDArray[np.bool_]", names: list[str]
) -> dict[str, Any]:
    from sklearn.metrics import precision_recall_fscore_support

    figures = precision_recall_fscore_support(truth, answer, zero_division=0)
    return {
        name: {
            "precision": float(precision),
            "recall": float(recall),
            "f1": float(f1),
            "documents": int(support),
        }
        for name, precision, recall, f1, support in zip(names, *figures, strict=True)
    }


def _print(facts: dict[str, Any]) -> None:
    shown = [("documents", f"{facts['documents']:,}")]
    for name, title in (("accuracy", "accuracy"), ("micro_f1", "micro F1"),
                        ("macro_f1", "macro F1")):  # fmt: skip
        if name in facts:
            shown.append((title, percent(facts[name])))
    if facts.get("unknown_labels"):
        shown.append(("labels unknown to the model", ", ".join(facts["unknown_labels"])))
    print_facts(shown)
    numbers = ("precision", "recall", "F1", "documents")
    table = make_table("class", *numbers, right=numbers)
    for name, figures in facts["classes"].items():
        shares = [percent(figures[key]) for key in ("precision", "recall", "f1")]
        table.add_row(name, *shares, f"{figures['documents']:,}")
    console().print(table)
    names = list(facts["classes"])
    if "confusion_matrix" in facts and len(names) <= _LARGEST_MATRIX:
        title = "Confusion matrix: rows are the true labels, columns the predicted ones"
        matrix = make_table("", *names, right=names, title=title)
        for name, row in zip(names, facts["confusion_matrix"], strict=True):
            matrix.add_row(name, *(f"{count:,}" if count else "·" for count in row))
        console().print(matrix)
