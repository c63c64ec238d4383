"""``vlawe explain``: what each word of a text does to a model's answer."""

import json as json_format
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from vlawe.cli import options
from vlawe.cli.display import console, make_table, print_json, print_note
from vlawe.cli.errors import UsageError

if TYPE_CHECKING:
    from vlawe.classifier import DocumentClassifier, Explanation

_LONGEST_NAME = 255
"""Characters up to which a text may be meant as the name of a file."""
_MOST_COLUMNS = 8
"""Labels that a table has columns for."""


@options.takes_groups
def explain(
    model: options.ClassifierArgument,
    text: Annotated[
        str | None,
        options.argument("The text. [bold]-[/bold] is standard input.", metavar="TEXT"),
    ] = None,
    *,
    file: Annotated[
        str | None,
        options.optional(
            "Explain each document of a file, in any format of the other commands.",
            "--file",
            metavar="INPUT",
        ),
    ] = None,
    label: Annotated[
        str | None,
        options.optional(
            "Speak of this label; else of the one of the highest score.", "--label", metavar="NAME"
        ),
    ] = None,
    all_labels: Annotated[
        bool, options.option("A column for each label, not for one.", "--all-labels")
    ] = False,
    number: Annotated[
        int, options.option("Words in the table, strongest first.", "-n", "--number", min=1)
    ] = 15,
    reading: options.Reading,
    vectors: options.ModelVectorsOption = None,
    json: options.JsonOption = False,
) -> None:
    """Show how much each word of a text speaks for the predicted label, or against it.

    The effect of a word is the score of the text minus its score without that word. Words that
    the word vectors do not know are underlined; n-grams may know them all the same. Of a file each
    document is explained by its strongest words; with --json by a line for each.
    """
    if (text is None) == (file is None):
        raise UsageError("give a text, or --file INPUT for the documents of a file")
    classifier = options.open_classifier(model, vectors)
    chosen = None if label is None else _class_of(classifier, label, model)
    if file is not None:
        _explain_each(classifier, file, reading, chosen, json)
        return
    if text == "-":
        text = sys.stdin.read()
    elif text and len(text) < _LONGEST_NAME and Path(text).is_file():
        print_note(f"{text} is explained as a text; for the documents in the file: --file {text}")
    explanation = _explained(classifier, text or "", chosen)
    if json:
        print_json(explanation.to_dict())
    else:
        _print(explanation, number, all_labels)


def _class_of(classifier: "DocumentClassifier", label: str, model: Path) -> Any:
    """Return the class of this name; UsageError if there is none."""
    by_name = {str(own): own for own in classifier.classes_.tolist()}
    if label not in by_name:
        raise UsageError(f"{model} has no label {label!r}; it has {', '.join(by_name)}")
    return by_name[label]


def _explained(classifier: "DocumentClassifier", text: str, chosen: Any) -> "Explanation":
    explanation = classifier.explain(text)
    return explanation if chosen is None else explanation.towards(chosen)


def _explain_each(
    classifier: "DocumentClassifier", file: str, reading: options.Reading, chosen: Any, json: bool
) -> None:
    output = console()
    n = 0
    with reading.open(file) as documents:
        for batch in documents.batches():
            for text in batch.column(documents.text_column).to_pylist():
                n += 1
                explanation = _explained(classifier, text, chosen)
                if json:
                    print(json_format.dumps(explanation.to_dict()))
                else:
                    output.print(f"{n}. {explanation}", soft_wrap=True)


def _print(explanation: "Explanation", number: int, all_labels: bool) -> None:
    from rich.text import Text

    output = console()
    output.print(explanation)
    labels = [explanation.label]
    if all_labels:
        labels = sorted(explanation.scores, key=lambda own: -explanation.scores[own])
        if len(labels) > _MOST_COLUMNS:
            print_note(f"the {_MOST_COLUMNS} labels of the highest scores; --json has all")
        labels = labels[:_MOST_COLUMNS]
    shown = [word for word in explanation.words if word.known or any(word.effects.values())]
    shown.sort(key=lambda word: -max(abs(word.effects[own]) for own in labels))
    names = [str(own) for own in labels] if all_labels else [f"for {labels[0]}", "codeword"]
    table = make_table("word", *names, right=names)
    for word in shown[:number]:
        figures = [f"{word.effects[own]:+.{3 if all_labels else 4}f}" for own in labels]
        if not all_labels:
            figures.append("" if word.codeword is None else str(word.codeword))
        table.add_row(Text(word.word), *figures)
    output.print(table)
    by_ngrams = [word.word for word in shown if not word.known]
    if by_ngrams:
        output.print(f"not in the word vectors, known by n-grams: {' '.join(by_ngrams)}")
    unknown = [word.word for word in explanation.words if word not in shown]
    if unknown:
        output.print(f"unknown: {' '.join(unknown)}")
