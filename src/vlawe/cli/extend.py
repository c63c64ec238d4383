"""``vlawe vectors extend``: rows for the words of texts that a fastText model lacks."""

import time
from pathlib import Path
from typing import Annotated, Any

from vlawe.cli import options
from vlawe.cli.display import print_note, seconds_of, size_of
from vlawe.cli.new_vectors import NewVectorsOption, StoredTypeOption, check_new_vectors


@options.takes_groups
def extend(
    model: Annotated[
        Path, options.argument("A fastText [bold].bin[/bold], plain.", metavar="MODEL")
    ],
    source: options.InputArgument,
    target: NewVectorsOption,
    *,
    limit: Annotated[
        int | None,
        options.optional("Of the model only the first N words.", min=1, metavar="N"),
    ] = None,
    dtype: StoredTypeOption = None,
    reading: options.Reading,
    printing: options.Printing,
) -> None:
    """Write a fastText model as a table that knows all words of your texts.

    Words that the model lacks get the mean of the rows of their n-grams of letters, as in fastText.
    """
    check_new_vectors(target, str(model), source)

    from vlawe.vectors import WordVectors

    begun = time.perf_counter()
    table = WordVectors.load(model, limit=limit, unknown="subwords", progress=printing.bar)
    with reading.open(source) as documents:
        extended = table.extended(documents.texts())
    extended.save(target, dtype=None if dtype is None else dtype.value)
    written = WordVectors.load(target)
    facts = {
        "model": str(model),
        "source": source,
        "target": str(target),
        "new": len(written) - len(table),
        "words": len(written),
        "dimensions": written.dim,
        "dtype": written.dtype,
        "target_bytes": target.stat().st_size,
        "sha256": written.sha256,
        "seconds": round(time.perf_counter() - begun, 3),
    }
    printing.print(facts, _print_extended)


def _print_extended(facts: dict[str, Any]) -> None:
    print_note(
        f"{facts['new']:,} new words, {facts['words']:,} in all; {facts['dimensions']:,} "
        f"dimensions, {facts['dtype']} → {facts['target']}: {size_of(facts['target_bytes'])}, "
        f"{seconds_of(facts['seconds'])}"
    )
