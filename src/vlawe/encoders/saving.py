"""Encoders as folders: parameters, what was learned, and the word vectors or where they are."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vlawe.system.model_folder import (
    CONFIG,
    TENSORS,
    ModelError,
    error_in,
    new_model,
    plain_parameters,
    read_model,
    write_model,
)
from vlawe.vectors import VectorFormatError, WordVectors
from vlawe.version import __version__

if TYPE_CHECKING:
    from vlawe.encoders.base import DocumentEncoder
    from vlawe.tokenizer import Tokenizer

ENCODER = "an encoder"
VECTORS = "vectors.safetensors"

NOT_PARAMETERS = ("vectors", "tokenizer", "n_jobs")
"""Parameters that do not belong to the model: the table and the tokenizer are kept apart, and
the number of threads belongs to the machine."""


def save_encoder(
    encoder: "DocumentEncoder",
    folder: "str | os.PathLike[str]",
    *,
    include_vectors: bool | None = None,
) -> None:
    """Write a fitted encoder to a folder, which appears whole or not at all.

    Parameters
    ----------
    encoder : DocumentEncoder
    folder : path
        Replaced if it holds a model already; anything else there is an error.
    include_vectors : bool, optional
        Put the word vectors into the folder, too. None does unless they are the bundled ones.
        Without them, they are found again by their path, or given to `load_encoder`; their
        checksum must agree.
    """
    with new_model(folder) as temporary:
        write_encoder(encoder, temporary, include_vectors)


def write_encoder(encoder: "DocumentEncoder", folder: Path, include_vectors: bool | None) -> str:
    """Write an encoder into an empty folder; return the checksum of what it learned."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(encoder, "vectors_")
    table = encoder.vectors_
    vectors: dict[str, Any] = {
        "name": table.name,
        "words": len(table),
        "dimensions": table.dim,
        "sha256": table.sha256,
    }
    if include_vectors or (include_vectors is None and not table.is_bundled):
        table.save(folder / VECTORS)
        vectors["file"] = VECTORS
    elif table.is_bundled:
        vectors["bundled"] = True
    elif table.path is not None:
        vectors["path"] = str(table.path)
    content = {
        "parameters": plain_parameters(encoder, NOT_PARAMETERS),
        "custom_tokenizer": encoder.tokenizer is not None,
        "vectors": vectors,
    }
    card = _card(encoder, content)
    return write_model(folder, ENCODER, encoder, content, encoder.state(), card)


def load_encoder(
    folder: "str | os.PathLike[str]",
    *,
    vectors: "WordVectors | str | os.PathLike[str] | None" = None,
    tokenizer: "Tokenizer | None" = None,
) -> "DocumentEncoder":
    """Read an encoder that `save_encoder` wrote.

    Parameters
    ----------
    folder : path
    vectors : WordVectors or path, optional
        The word vectors, if they are not in the folder and no longer where they were.
    tokenizer : callable, optional
        The function that the model was fitted with, if it had one: code is not saved.

    Raises
    ------
    ModelError
        If a file is missing, changed, of a newer version, or does not fit the others.
    """
    folder = Path(folder)
    kind, config, state = read_model(folder, ENCODER)
    if not isinstance(config.get("vectors"), dict):
        raise error_in(folder, CONFIG, "lacks 'vectors'")
    if config.get("custom_tokenizer") and tokenizer is None:
        raise ModelError(
            f"{folder} was fitted with a tokenizer of its own, which is code and not saved; "
            "pass the same function as tokenizer="
        )
    if not config.get("custom_tokenizer") and tokenizer is not None:
        raise ModelError(f"{folder} was fitted with the package's own tokenizer; pass none")
    table = _find_vectors(folder, config["vectors"], vectors)
    try:
        encoder: DocumentEncoder = kind(vectors=table, tokenizer=tokenizer, **config["parameters"])
        encoder.vectors_ = encoder.checked_table()
        encoder.restore(state)
    except (TypeError, ValueError) as error:
        raise error_in(folder, CONFIG, f"does not fit {TENSORS}: {error}") from error
    # As it was before fitting, a model with the bundled table says so by None.
    encoder.vectors = None if table.is_bundled else table
    return encoder


def _find_vectors(
    folder: Path,
    wanted: dict[str, Any],
    given: "WordVectors | str | os.PathLike[str] | None",
) -> WordVectors:
    """Return the table that a configuration describes: given, bundled, or from its file."""
    if given is not None:
        table = given if isinstance(given, WordVectors) else WordVectors.load(given)
    elif wanted.get("bundled"):
        table = WordVectors.default()
    else:
        # Only the file's own name: a configuration cannot point outside its folder with it.
        path = folder / Path(wanted["file"]).name if "file" in wanted else wanted.get("path")
        if path is None or not Path(path).is_file():
            raise ModelError(
                f"{folder} needs the word vectors {wanted.get('name')!r} "
                f"(checksum {wanted.get('sha256')}), which are not "
                f"{'where they were' if path else 'in the folder'}; pass them as vectors="
            )
        try:
            table = WordVectors.load(path)
            if "file" in wanted:
                table.verify()
        except VectorFormatError as error:
            raise ModelError(str(error)) from error
    if table.sha256 != wanted.get("sha256"):
        raise ModelError(
            f"{folder} was fitted with the word vectors {wanted.get('name')!r} of checksum "
            f"{wanted.get('sha256')}, but {table.name!r} has {table.sha256}"
        )
    return table


def _card(encoder: "DocumentEncoder", config: dict[str, Any]) -> str:
    name, vectors = type(encoder).__name__, config["vectors"]
    where = "in this folder" if "file" in vectors else "not in this folder"
    parameters = "\n".join(
        f"| `{parameter}` | `{value!r}` |" for parameter, value in config["parameters"].items()
    )
    return f"""# {name} encoder

Turns a text into {encoder.n_features:,} numbers. Made with vlawe {__version__}.

```python
from vlawe import {name}

encoder = {name}.load("path/to/this/folder")
rows = encoder.transform(["a text", "another"])
```

| parameter | value |
|---|---|
{parameters}

Word vectors: {vectors["name"]}, {vectors["words"]:,} words of {vectors["dimensions"]} dimensions,
{where}; SHA-256 `{vectors["sha256"]}`.
"""
