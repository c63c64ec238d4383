"""Encoders as folders: parameters, what was learned, and the word vectors or where they are."""

import os
import warnings
from copy import copy
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vlawe.encoders.coverage import Coverage
from vlawe.system.exchange import read_settled
from vlawe.system.gate import Declared, inside, shown
from vlawe.system.model_folder import (
    CONFIG,
    TENSORS,
    ModelError,
    error_in,
    file_parameters,
    made_with,
    new_model,
    plain_parameters,
    read_model,
    write_model,
)
from vlawe.vectors import BUNDLED, VectorFormatError, WordVectors
from vlawe.vectors.loading import FORMER
from vlawe.vectors.places import PLACES, find_table
from vlawe.vectors.table import open_table

if TYPE_CHECKING:
    from vlawe.encoders.encoder import Encoder
    from vlawe.tokenizer import Tokenizer

ENCODER = "an encoder"
VECTORS = "vectors.safetensors"
_COMPARED = 1000
"""Words whose rows are compared before n-grams of another file are believed to belong to them."""
_SUBWORDS_MISSING = (
    "{folder} was fitted with n-grams of letters, which make rows of unknown words; they stay in "
    "the fastText .bin, and without them unknown words stay unknown: pass "
    'vectors=WordVectors.load(FILE, unknown="subwords")'
)

NOT_PARAMETERS = ("vectors", "tokenizer", "n_jobs")
"""Parameters that do not belong to the model: the table and the tokenizer are kept apart, and
the number of threads belongs to the machine."""


def save_encoder(
    encoder: "Encoder",
    folder: "str | os.PathLike[str]",
    *,
    include_vectors: bool | None = None,
) -> None:
    """Write a fitted encoder to a folder, which appears whole or not at all.

    Parameters
    ----------
    encoder : Encoder
    folder : path
        Replaced if it holds a model already; anything else there is an error.
    include_vectors : bool, optional
        Put the word vectors into the folder, too. None does unless they are the bundled ones.
        Without them, they are found again by their checksum: given to `load_encoder`, or in a
        folder that the environment variable ``VLAWE_VECTORS`` names. N-grams of letters, as a
        fastText ``.bin`` has them, never go along: they stay in that file.
    """
    with new_model(folder) as temporary:
        write_encoder(encoder, temporary, include_vectors)


def write_encoder(encoder: "Encoder", folder: Path, include_vectors: bool | None) -> str:
    """Write an encoder into an empty folder; return the checksum of what it learned."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(encoder)
    table = encoder.table
    content: dict[str, Any] = {
        "parameters": plain_parameters(encoder, NOT_PARAMETERS),
        "custom_tokenizer": encoder.tokenizer is not None,
        "vectors": None if table is None else _write_vectors(table, folder, include_vectors),
    }
    if encoder.training_ is not None:
        content["training"] = asdict(encoder.training_)
    # What could not be loaded is not saved.
    file_parameters(type(encoder), content, NOT_PARAMETERS)
    state = Declared(encoder.state())
    copy(encoder).reopen(table, state)
    state.check_all_taken()
    return write_model(folder, ENCODER, encoder, content, state, _card(encoder, content))


def _write_vectors(table: WordVectors, folder: Path, included: bool | None) -> dict[str, Any]:
    """Write word vectors if they go along; return how they are found again."""
    vectors: dict[str, Any] = {
        "name": table.name,
        "words": len(table),
        "dimensions": table.dim,
        "sha256": table.sha256,
    }
    if table.subwords is not None:
        vectors["subwords"] = True
    if included or (included is None and not table.is_bundled):
        table.save(folder / VECTORS)
        vectors["file"] = VECTORS
    elif table.is_bundled:
        vectors["bundled"] = True
    return vectors


@read_settled
def load_encoder(
    folder: "str | os.PathLike[str]",
    *,
    vectors: "WordVectors | str | os.PathLike[str] | None" = None,
    tokenizer: "Tokenizer | None" = None,
) -> "Encoder":
    """Read an encoder that `save_encoder` wrote.

    Parameters
    ----------
    folder : path
    vectors : WordVectors or path, optional
        The word vectors, if they are not in the folder. Else they are looked for by their
        checksum, among the bundled tables and in the folders that ``VLAWE_VECTORS`` names; never
        where a file says. An encoder that needs none takes no notice. An encoder that was fitted
        with n-grams of letters (``unknown="subwords"``) gets them by a table that was loaded
        with them; without, a warning says that unknown words stay unknown.
    tokenizer : callable, optional
        The function that the model was fitted with, if it had one: code is not saved.

    Raises
    ------
    ModelError
        If a file is missing, changed, of a newer version, or does not fit the others.
    """
    folder = Path(folder)
    kind, config, state = read_model(folder, ENCODER)
    if kind.has_table and not isinstance(config.get("vectors"), dict):
        raise error_in(folder, CONFIG, "lacks 'vectors'")
    if config.get("custom_tokenizer") and tokenizer is None:
        raise ModelError(
            f"{folder} was fitted with a tokenizer of its own, which is code and not saved; "
            "pass the same function as tokenizer="
        )
    if not config.get("custom_tokenizer") and tokenizer is not None:
        raise ModelError(f"{folder} was fitted with the package's own tokenizer; pass none")
    table = {}
    if kind.has_table:
        table["vectors"] = _find_vectors(folder, config["vectors"], vectors)
    try:
        parameters = file_parameters(kind, config, NOT_PARAMETERS)
        encoder: Encoder = kind(**table, tokenizer=tokenizer, **parameters)
        checked = encoder.checked_table()
        encoder.reopen(table.get("vectors", checked), state)
        if "training" in config:
            encoder.training_ = Coverage.of_file(config["training"])
        state.check_all_taken()
    except (TypeError, ValueError, OverflowError) as error:
        raise error_in(folder, CONFIG, f"does not fit {TENSORS}: {error}") from error
    return encoder


def _find_vectors(
    folder: Path,
    wanted: dict[str, Any],
    given: "WordVectors | str | os.PathLike[str] | None",
) -> WordVectors:
    """Return the table that a configuration describes: given, in the folder, bundled, or found.

    A configuration says which table, by name and checksum, and never where it is: only the user
    chooses places.
    """
    name, sha256 = wanted.get("name"), wanted.get("sha256")
    if not isinstance(name, str) or not isinstance(sha256, str):
        raise error_in(folder, CONFIG, "names no word vectors by name and checksum")
    needs = f"{folder} needs the word vectors {shown(name)!r} (checksum {shown(sha256)}), which"
    if given is not None and not isinstance(given, WordVectors):
        given = WordVectors.load(given)
    subwords = given.subwords if given is not None else None
    if wanted.get("subwords") and subwords is None:
        warnings.warn(_SUBWORDS_MISSING.format(folder=folder), UserWarning, stacklevel=4)
    # With the words that it was fitted to, which the file of the n-grams need not have.
    fitted = subwords is not None and "file" in wanted
    if given is not None and not fitted:
        table = given
    elif "file" in wanted:
        if wanted["file"] != VECTORS or not (folder / VECTORS).exists():
            raise ModelError(f"{needs} are not in the folder; pass them as vectors=")
        try:
            table = open_table(inside(folder, VECTORS))
            table.verify()
        except VectorFormatError as error:
            raise ModelError(str(error)) from error
        except ValueError as error:
            raise error_in(folder, VECTORS, error) from error
    elif wanted.get("bundled") and name in BUNDLED:
        table = WordVectors.bundled(name)
    elif (found := find_table(sha256)) is not None:
        table = found
    elif wanted.get("bundled"):
        raise ModelError(
            f"{needs} another version of vlawe bundled: pass that "
            f"version's vlawe/data/{shown(name)}.safetensors as vectors= (--vectors)"
            + (f"; it is had so, {FORMER[name]}" if name in FORMER else "")
        )
    else:
        raise ModelError(
            f"{needs} are not in the folder; pass them as vectors=, or name their folder in "
            f"{PLACES}"
        )
    if table.sha256 != sha256:
        raise ModelError(
            f"{folder} was fitted with the word vectors {shown(name)!r} of checksum "
            f"{shown(sha256)}, but {table.name!r} has {table.sha256}"
        )
    if given is not None and fitted:
        _check_same_rows(folder, table, given)
        return table.with_subwords(given.subwords)
    return table


def _check_same_rows(folder: Path, table: WordVectors, given: WordVectors) -> None:
    """Raise ModelError unless the words that two tables share have the same rows."""
    words = given.words[:_COMPARED]
    rows = table.words.rows(words)
    if table.dim != given.dim or not np.array_equal(
        table.matrix[rows[rows >= 0]], given.matrix[: len(words)][rows >= 0]
    ):
        raise ModelError(
            f"{folder} was fitted with other word vectors than {given.name!r}, whose n-grams were "
            "given: words that both have differ in their rows"
        )


def _card(encoder: "Encoder", config: dict[str, Any]) -> str:
    name, vectors = type(encoder).__name__, config["vectors"]
    parameters = "\n".join(
        f"| `{parameter}` | `{value!r}` |" for parameter, value in config["parameters"].items()
    )
    needed = ['"path/to/this/folder"']
    if vectors and not vectors.keys() & {"file", "bundled"}:
        needed.append(f'vectors="path/to/{vectors["name"]}"')
    if config["custom_tokenizer"]:
        needed.append("tokenizer=your_function")
    return f"""# {name} encoder

Turns a text into {encoder.n_features:,} numbers. {made_with()}
{_training_line(encoder.training_)}
```python
from vlawe import {name}

encoder = {name}.load({", ".join(needed)})
rows = encoder.transform(["a text", "another"])
```

On the command line: `vlawe encode texts.csv -o rows.npy --model path/to/this/folder`.

| parameter | value |
|---|---|
{parameters}
{_vectors_line(vectors) if vectors else ""}"""


def _training_line(training: Coverage | None) -> str:
    if training is None:
        return ""
    known = f", of whose {training.tokens:,} words {100 * training.share:.1f} % were known"
    empty = f"; {training.empty:,} had no known word" if training.empty else ""
    return f"""
Learned from {training.documents:,} documents{known if training.tokens else ""}{empty}.
"""


def _vectors_line(vectors: dict[str, Any]) -> str:
    where = "in this folder" if "file" in vectors else "not in this folder"
    where = "which come with vlawe" if "bundled" in vectors else where
    return f"""
Word vectors: {vectors["name"]}, {vectors["words"]:,} words of {vectors["dimensions"]} dimensions,
{where}; SHA-256 `{vectors["sha256"]}`.
"""
