"""``vlawe vectors learn``: word vectors of one's own texts."""

import time
from enum import StrEnum
from typing import Annotated, Any

from vlawe.cli import options
from vlawe.cli.display import print_note, seconds_of, size_of
from vlawe.cli.new_vectors import NewVectorsOption, StoredTypeOption, check_new_vectors


class Method(StrEnum):
    """How word vectors are learned."""

    word2vec = "word2vec"
    fasttext = "fasttext"


@options.takes_groups
def learn(
    source: options.InputArgument,
    target: NewVectorsOption,
    *,
    method: Annotated[
        Method, options.option("fasttext also learns from n-grams of letters; it is slower.")
    ] = Method.word2vec,
    dimensions: Annotated[
        int, options.option("Numbers a word.", "-d", "--dimensions", min=1)
    ] = 100,
    window: Annotated[int, options.option("How many words on each side are near.", min=1)] = 5,
    min_count: Annotated[int, options.option("Leave out words that occur less often.", min=1)] = 2,
    epochs: Annotated[int, options.option("How often the texts are gone through.", min=1)] = 20,
    beside: Annotated[
        str | None,
        options.optional(
            "Put what is learned beside this table, such as [bold]default[/bold]: all words of "
            "both, the columns of both, rows of comparable length.",
            "--with",
            metavar="TABLE",
        ),
    ] = None,
    seed: Annotated[int, options.option("Seed; the same seed gives the same table.", min=0)] = 0,
    dtype: StoredTypeOption = None,
    reading: options.Reading,
    printing: options.Printing,
) -> None:
    r"""Learn word vectors from texts of your own, whose words no ready table has.

    By gensim, which comes with [bold]pip install 'vlawe\[learn]'[/bold]; on one thread, so that
    the same texts and seed give the same table. All words are held in memory, four bytes each.
    """
    check_new_vectors(target, source, options.vectors_path(beside))

    from vlawe.vectors import WordVectors

    begun = time.perf_counter()
    known = None if beside is None else options.load_vectors(beside, progress=printing.bar)
    with reading.open(source) as documents:
        table = WordVectors.learn(
            documents.texts(),
            method=method.value,
            dim=dimensions,
            window=window,
            min_count=min_count,
            epochs=epochs,
            known=known,
            random_state=seed,
            name=target.stem,
            progress=printing.bar,
        )
    facts: dict[str, Any] = {
        "source": source,
        "target": str(target),
        "method": method.value,
        "learned": len(table),
        "new": len(table) if known is None else sum(word not in known for word in table.words),
        "with": None if known is None else known.name,
        "seed": seed,
    }
    if known is not None:
        table = WordVectors.concatenate(known, table, balance=True, name=target.stem)
    table.save(target, dtype=None if dtype is None else dtype.value)
    table = WordVectors.load(target)
    facts |= {
        "words": len(table),
        "dimensions": table.dim,
        "dtype": table.dtype,
        "target_bytes": target.stat().st_size,
        "sha256": table.sha256,
        "seconds": round(time.perf_counter() - begun, 3),
    }
    printing.print(facts, _print_learned)


def _print_learned(facts: dict[str, Any]) -> None:
    both = ""
    if facts["with"] is not None:
        both = f", {facts['new']:,} of which {facts['with']} lacks; with it {facts['words']:,}"
    print_note(
        f"{facts['learned']:,} words learned{both}; {facts['dimensions']:,} dimensions, "
        f"{facts['dtype']} → {facts['target']}: {size_of(facts['target_bytes'])}, "
        f"{seconds_of(facts['seconds'])}"
    )
