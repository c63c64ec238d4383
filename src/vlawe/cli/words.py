"""``vlawe words``: the words that speak most for each label."""

from typing import TYPE_CHECKING, Annotated

from vlawe.cli import options
from vlawe.cli.display import console, make_table, present
from vlawe.cli.errors import UsageError

if TYPE_CHECKING:
    from vlawe.classifier.top_words import TopWords


def words(
    model: options.ClassifierArgument,
    number: Annotated[int, options.option("Words a label.", "-n", "--number", min=1)] = 10,
    label: Annotated[
        str | None, options.optional("Of this label only.", "--label", metavar="NAME")
    ] = None,
    vectors: options.ModelVectorsOption = None,
    json: options.JsonOption = False,
) -> None:
    """Show the words that speak most for each label of a model, the strongest first.

    A word has the effect that it has as a text of its own: by how much it raises the score of the
    label; of more than two labels, by how much more than those of the others, on average.
    """
    found = options.open_classifier(model, vectors).top_words(number)
    named = {str(name): own for name, own in found.items()}
    if label is not None:
        if label not in named:
            raise UsageError(f"{model} has no label {label!r}; it has {', '.join(named)}")
        named = {label: named[label]}
    facts = {
        name: [{"word": word, "effect": effect} for word, effect in own]
        for name, own in named.items()
    }
    present(facts, as_json=json, for_people=lambda _: _print(type(found)(named)))


def _print(found: "TopWords") -> None:
    from rich.text import Text

    table = make_table("label", "words")
    for label, own in found.items():
        listed = ", ".join(f"{word}\u00a0{effect:+.2f}" for word, effect in own)
        table.add_row(Text(str(label)), Text(listed or "none"))
    console().print(table)
