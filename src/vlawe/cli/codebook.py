"""``vlawe codebook``: what the codewords of a model stand for."""

from typing import Annotated, Any

from vlawe.cli import options
from vlawe.cli.display import console, make_table, percent, present


def codebook(
    model: options.ModelArgument,
    number: Annotated[int, options.option("Words a codeword.", "-n", "--number", min=1)] = 10,
    vectors: options.ModelVectorsOption = None,
    json: options.JsonOption = False,
) -> None:
    """Show what the codewords of a model stand for.

    Their share of the words that the model was fitted to, and the words of the table that are
    nearest to them, the nearest first.
    """
    encoder: Any = options.open_encoder(model, vectors, jobs=None)
    if not hasattr(encoder, "codebook_"):
        raise ValueError(f"{model}: a {type(encoder).__name__} has no codebook")
    present(describe_codebook(encoder, number), as_json=json, for_people=print_codebook)


def describe_codebook(encoder: Any, n_words: int) -> list[dict[str, Any]]:
    """Return number, count, share and nearest words of each codeword, the largest share first."""
    codewords = encoder.codebook_
    names = codewords.nearest_words(encoder.vectors_, n_words)
    total = max(1, int(codewords.counts.sum()))
    return [
        {
            "codeword": int(number),
            "count": int(codewords.counts[number]),
            "share": round(float(codewords.counts[number] / total), 6),
            "words": names[number],
        }
        for number in (-codewords.counts).argsort(kind="stable")
    ]


def print_codebook(described: list[dict[str, Any]], *, title: str | None = None) -> None:
    """Print the codewords as a table."""
    from rich.text import Text

    table = make_table(
        "codeword", "share", "nearest words", right=("codeword", "share"), title=title
    )
    for codeword in described:
        table.add_row(
            str(codeword["codeword"]), percent(codeword["share"]), Text(" ".join(codeword["words"]))
        )
    console().print(table)
