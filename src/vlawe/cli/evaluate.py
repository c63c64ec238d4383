"""``vlawe evaluate``: how well a model labels documents whose labels are known."""

from typing import Any

from vlawe.cli import options
from vlawe.cli.display import console, make_table, percent, present, print_facts, print_note
from vlawe.system.progress import progress_bar

_LARGEST_MATRIX = 12
"""Classes up to which the confusion matrix is shown; JSON has it for any number."""


@options.takes_groups
def evaluate(
    model: options.ClassifierArgument,
    documents: options.InputArgument,
    *,
    reading: options.LabelledReading,
    vectors: options.ModelVectorsOption = None,
    jobs: options.JobsOption = None,
    printing: options.Printing,
) -> None:
    """Compare a model's labels with those that documents have.

    Prints the accuracy, precision, recall and F1 of each class, and the confusion matrix; for
    several labels a document the micro- and macro-averaged F1. Says if the model was trained on
    these documents.
    """
    from vlawe.classifier.evaluation import evaluate_labels, named_labels
    from vlawe.cli.familiarity import warn_of_unknown_words
    from vlawe.cli.labelled import read_labelled_for
    from vlawe.report.protocol import protocol_of

    classifier = options.open_classifier(model, vectors, jobs)
    texts, labels = read_labelled_for(classifier, documents, reading, printing.bar)
    encoding = classifier.encoding_
    with progress_bar("Predicting", unit="time", show=printing.bar):
        bags = classifier.tokenize(texts)
        if bags.words is not None:
            beside = [part.encoder for part in classifier.parts_]
            share = bags.words.coverage
            warn_of_unknown_words(classifier.word_encoder, texts, share, beside=beside)
        found = named_labels(classifier.labels_of(classifier.all_scores_of_bags(bags)))
        protocol = protocol_of(classifier, bags.words)
    if protocol.kind in ("training", "overlap") and not printing.quiet:
        print_note(f"{protocol.title}. {protocol.text}")
    facts = {
        "input": documents,
        "documents": len(texts),
        "protocol": protocol.kind,
        **evaluate_labels(
            named_labels(labels),
            found,
            [str(name) for name in encoding.classes.tolist()],
            multilabel=encoding.multilabel,
        ),
    }
    present(facts, as_json=printing.json, for_people=_print)


def _print(facts: dict[str, Any]) -> None:
    figures = [name for name in ("accuracy", "micro_f1", "macro_f1") if name in facts]
    shown = [("documents", f"{facts['documents']:,}")]
    shown += [(name.replace("_f1", " F1"), percent(facts[name])) for name in figures]
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
