"""``vlawe keywords``: the words that say what texts are about."""

import json as json_text
from typing import TYPE_CHECKING, Annotated, Any

from vlawe.cli import comparing, options
from vlawe.cli.display import console, make_table, percent, print_json
from vlawe.cli.errors import UsageError

if TYPE_CHECKING:
    from vlawe.search import Keyword

_ALL = ""
"""The group of all documents where there are no groups."""


@options.takes_groups
def keywords(
    text_or_documents: Annotated[
        str,
        options.argument(
            "A text; or a file of documents, as for [bold]vlawe encode[/bold]. "
            "[bold]-[/bold] is documents on standard input.",
            metavar="TEXT|INPUT",
        ),
    ],
    *,
    number: Annotated[
        int, options.option("Words to show, the largest share first.", "-n", "--number", min=1)
    ] = 10,
    label_column: Annotated[
        str | None,
        options.optional(
            "A column of the documents: the words of each of its values, against all other "
            "documents.",
            metavar="NAME",
        ),
    ] = None,
    label_separator: Annotated[
        str | None,
        options.optional("What separates several values of a document.", metavar="TEXT"),
    ] = None,
    each: Annotated[
        bool, options.option("A line for each document: its position and its words.", "--each")
    ] = False,
    reading: options.Reading,
    vectors: Annotated[
        str | None,
        options.optional(
            "The word vectors to compare with; else [bold]similar-en[/bold].", metavar="PATH"
        ),
    ] = None,
    jobs: options.JobsOption = None,
    json: options.JsonOption = False,
) -> None:
    """Show the words that say what a text, or a group of documents, is about.

    A word's share is its part in the direction of the text's vector, that by which texts are
    compared; those of all words add up to 100 %. A file of documents is one group, or several
    (--label-column), or each document is by itself (--each).
    """
    if each and label_column is not None:
        raise UsageError("--each and --label-column exclude one another")
    is_file = comparing.is_documents(text_or_documents)
    if not is_file and (each or label_column is not None):
        raise UsageError(
            f"{text_or_documents!r} is a text; --each and --label-column are for documents"
        )
    settings = {"vectors": _table(vectors), "n_jobs": jobs}
    if each:
        _print_each(text_or_documents, reading, number, settings, json)
        return
    if is_file:
        groups = _of_groups(
            text_or_documents, reading, label_column, label_separator, number, settings
        )
    else:
        from vlawe.search import keywords as keywords_of_text

        groups = {_ALL: keywords_of_text(text_or_documents, number, **settings)}
    if not json:
        _print(groups)
    elif label_column is None:
        print_json({"keywords": _facts(groups.get(_ALL, []))})
    else:
        print_json({"groups": {str(group): _facts(own) for group, own in groups.items()}})


def _table(vectors: str | None) -> Any:
    return None if vectors is None else options.load_vectors(vectors)


def _of_groups(
    path: str,
    reading: options.Reading,
    column: str | None,
    separator: str | None,
    number: int,
    settings: dict[str, Any],
) -> "dict[Any, list[Keyword]]":
    """Return the keywords of the groups of documents, or of all as one."""
    from vlawe.cli.labelled import read_labelled
    from vlawe.search import group_keywords

    with reading.open(path) as documents:
        if column is None:
            texts = list(documents.texts())
            labels = [_ALL] * len(texts)
        else:
            labelled = options.LabelledReading(
                label_column=column, label_separator=separator, skip_missing=reading.skip_missing
            )
            texts, labels = read_labelled(documents, labelled, show=False)
    return group_keywords(texts, labels, number, **settings)


def _print_each(
    path: str, reading: options.Reading, number: int, settings: dict[str, Any], as_json: bool
) -> None:
    from vlawe.search import keywords_of_each

    with reading.open(path) as documents:
        for position, found in enumerate(keywords_of_each(documents.texts(), number, **settings)):
            if as_json:
                line = {"position": position, "keywords": _facts(found)}
                print(json_text.dumps(line, ensure_ascii=False))
            else:
                print(position, ", ".join(keyword.word for keyword in found), sep="\t")


def _facts(found: "list[Keyword]") -> list[dict[str, Any]]:
    return [{"word": keyword.word, "share": round(keyword.share, 6)} for keyword in found]


def _print(groups: "dict[Any, list[Keyword]]") -> None:
    from rich.text import Text

    for group, found in groups.items():
        table = make_table("word", "share", right=("share",), title=str(group) or None)
        for keyword in found:
            table.add_row(Text(keyword.word), percent(keyword.share))
        console().print(table)
