"""``vlawe explain``: what each word of a text does to a model's answer."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from vlawe.cli import options
from vlawe.cli.display import console, make_table, print_json, print_note

if TYPE_CHECKING:
    from vlawe.classifier import Explanation

_LONGEST_NAME = 255
"""Characters up to which a text may be meant as the name of a file."""


def explain(
    model: options.ClassifierArgument,
    text: Annotated[
        str, options.argument("The text. [bold]-[/bold] is standard input.", metavar="TEXT")
    ],
    number: Annotated[
        int, options.option("Words in the table, strongest first.", "-n", "--number", min=1)
    ] = 15,
    vectors: options.ModelVectorsOption = None,
    json: options.JsonOption = False,
) -> None:
    """Show how much each word of a text speaks for the predicted label, or against it.

    The effect of a word is the score of the text minus its score without that word. Words that
    the model does not know are underlined.
    """
    classifier = options.open_classifier(model, vectors)
    if len(text) < _LONGEST_NAME and Path(text).is_file():
        print_note(f"{text} is explained as a text; for what is in the file: - < {text}")
    explanation = classifier.explain(sys.stdin.read() if text == "-" else text)
    if json:
        print_json(explanation.to_dict())
    else:
        _print(explanation, number)


def _print(explanation: "Explanation", number: int) -> None:
    output = console()
    output.print(explanation)
    known = [word for word in explanation.words if word.known]
    label = explanation.label
    known.sort(key=lambda word: -abs(word.effects[label]))
    table = make_table("word", f"for {label}", "codeword", right=(f"for {label}", "codeword"))
    for word in known[:number]:
        codeword = "" if word.codeword is None else str(word.codeword)
        table.add_row(word.word, f"{word.effects[label]:+.4f}", codeword)
    output.print(table)
    unknown = [word.word for word in explanation.words if not word.known]
    if unknown:
        output.print(f"unknown: {' '.join(unknown)}")
