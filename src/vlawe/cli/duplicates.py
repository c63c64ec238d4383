"""``vlawe duplicates``: the pairs of documents of a corpus that are nearly the same."""

import json
from typing import TYPE_CHECKING, Annotated, Any

from vlawe.cli import comparing, options
from vlawe.cli.display import counted, print_note
from vlawe.cli.index import add_documents

if TYPE_CHECKING:
    from vlawe.search import Hit, Pair


@options.takes_groups
def duplicates(
    documents: options.InputArgument,
    *,
    threshold: Annotated[
        float, options.option("The least cosine of a pair, above 0 and at most 1.")
    ] = 0.9,
    model: comparing.ModelOption = None,
    reading: options.Reading,
    vectors: comparing.VectorsOption = None,
    jobs: options.JobsOption = None,
    printing: options.Printing,
) -> None:
    """Print the pairs of documents whose vectors are nearly the same, as they are found.

    A line is the cosine, the two documents, counted from 0, and their texts, separated by tabs;
    with --json each line is an object of JSON. Every document is compared with every other.
    """
    from vlawe.search import DocumentIndex

    index = DocumentIndex(comparing.open_encoder(model, vectors, jobs))
    index.duplicates(threshold)  # an error before anything is read
    with reading.open(documents) as opened:
        add_documents(index, opened, printing.bar)
    n_pairs = 0
    for pair in index.duplicates(threshold):
        print(json.dumps(_facts(pair), ensure_ascii=False) if printing.json else _line(pair))
        n_pairs += 1
    if not (printing.json or printing.quiet):
        print_note(f"{counted(n_pairs, 'pair')} in {counted(len(index), 'document')}")


def _facts(pair: "Pair") -> dict[str, Any]:
    def described(hit: "Hit") -> dict[str, Any]:
        return {"position": hit.position, "text": hit.text, "metadata": hit.metadata}

    first, second = described(pair.first), described(pair.second)
    return {"score": round(pair.score, 6), "first": first, "second": second}


def _line(pair: "Pair") -> str:
    texts = [_one_line(hit.text or "") for hit in (pair.first, pair.second)]
    return "\t".join(
        [f"{pair.score:.4f}", str(pair.first.position), str(pair.second.position), *texts]
    )


def _one_line(text: str) -> str:
    """Return a text without what would end the line or the field, or steer a terminal."""
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()
