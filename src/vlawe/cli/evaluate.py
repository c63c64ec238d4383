"""``vlawe evaluate``: how well a model labels documents whose labels are known."""

from typing import Any

from vlawe.cli import options
from vlawe.cli.display import console, make_table, percent, print_facts, print_json
from vlawe.cli.inputs import open_input
from vlawe.cli.predict import set_jobs
from vlawe.system.progress import progress_bar

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
    from vlawe.classifier.evaluation import evaluate_labels, named_labels
    from vlawe.classifier.saving import load_classifier
    from vlawe.cli.labelled import check_kind, read_labelled

    classifier = load_classifier(model, vectors=options.vectors_path(vectors))
    set_jobs(classifier, jobs)
    show = False if quiet else None
    with open_input(
        documents, input_format=input_format, text_column=text_column, encoding=encoding
    ) as opened:
        with progress_bar("Reading", opened.size, unit="bytes", show=show) as bar:
            texts, labels = read_labelled(opened, label_column, label_separator, bar)
        check_kind(opened, labels, classifier)
    labelling = classifier._encoding
    with progress_bar("Predicting", None, show=show):
        found = named_labels(classifier.predict(texts))
    facts = {
        "input": documents,
        "documents": len(texts),
        **evaluate_labels(
            named_labels(labels),
            found,
            [str(name) for name in labelling.classes.tolist()],
            multilabel=labelling.multilabel,
        ),
    }
    if json:
        print_json(facts)
    else:
        _print(facts)


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
