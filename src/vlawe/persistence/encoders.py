"""Encoders as folders: parameters, what was learned, and the word vectors or where they are."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vlawe import __version__
from vlawe.system.files import atomic_folder
from vlawe.system.model_folder import (
    CONFIG,
    TENSORS,
    ModelError,
    check_target,
    error_in,
    read_config,
    read_tensors,
    write_sealed,
)
from vlawe.vectors import VectorFormatError, WordVectors

if TYPE_CHECKING:
    from vlawe.encoders import DocumentEncoder
    from vlawe.tokenizer import Tokenizer

VECTORS = "vectors.safetensors"

_NOT_PARAMETERS = ("vectors", "tokenizer", "n_jobs")
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
    target = check_target(folder)
    with atomic_folder(target) as temporary:
        write_encoder(encoder, temporary, include_vectors)


def write_encoder(encoder: "DocumentEncoder", folder: Path, include_vectors: bool | None) -> None:
    """Write an encoder into an empty folder."""
    from sklearn.utils.validation import check_is_fitted

    from vlawe import encoders

    check_is_fitted(encoder, "vectors_")
    if getattr(encoders, type(encoder).__name__, None) is not type(encoder):
        raise ModelError(
            f"{type(encoder).__name__} is a class of your own, which could not be loaded again"
        )
    vectors = encoder.vectors_
    if include_vectors is None:
        include_vectors = not vectors.is_bundled
    content = {
        "class": type(encoder).__name__,
        "parameters": plain_parameters(encoder, _NOT_PARAMETERS),
        "custom_tokenizer": encoder.tokenizer is not None,
        "vectors": _describe_vectors(vectors, include_vectors),
    }
    if include_vectors:
        vectors.save(folder / VECTORS)
    write_sealed(folder, content, encoder.state(), _card(encoder, content))


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
    from vlawe import encoders

    folder = Path(folder)
    config = read_config(folder)
    kind = getattr(encoders, str(config.get("class")), None)
    if not (isinstance(kind, type) and issubclass(kind, encoders.DocumentEncoder)):
        raise error_in(folder, CONFIG, f"holds a {config.get('class')}, not an encoder")
    for name in ("parameters", "vectors"):
        if not isinstance(config.get(name), dict):
            raise error_in(folder, CONFIG, f"lacks {name!r}")
    if config.get("custom_tokenizer") and tokenizer is None:
        raise ModelError(
            f"{folder} was fitted with a tokenizer of its own, which is code and not saved; "
            "pass the same function as tokenizer="
        )
    if not config.get("custom_tokenizer") and tokenizer is not None:
        raise ModelError(f"{folder} was fitted with the package's own tokenizer; pass none")
    state = read_tensors(folder, config)
    table = _find_vectors(folder, config, vectors)
    try:
        encoder = kind(vectors=table, tokenizer=tokenizer, **config["parameters"])
        encoder.vectors_ = encoder.checked_table()
        encoder.restore(state)
    except (TypeError, ValueError) as error:
        raise error_in(folder, CONFIG, f"does not fit {TENSORS}: {error}") from error
    # As it was before fitting, a model with the bundled table says so by None.
    encoder.vectors = None if table.is_bundled else table
    return encoder


def plain_parameters(estimator: Any, left_out: tuple[str, ...]) -> dict[str, Any]:
    """Return an estimator's parameters as JSON can hold them."""
    return {
        name: _plain(value)
        for name, value in estimator.get_params(deep=False).items()
        if name not in left_out
    }


def _plain(value: Any) -> str | float | None:
    if isinstance(value, np.dtype):
        return value.name
    if isinstance(value, np.generic):
        value = value.item()
    # What is none of these is a RandomState, whose one use was in fitting.
    return value if isinstance(value, str | int | float) else None


def _describe_vectors(vectors: WordVectors, include: bool) -> dict[str, Any]:
    description: dict[str, Any] = {
        "name": vectors.name,
        "words": len(vectors),
        "dimensions": vectors.dim,
        "sha256": vectors.sha256,
    }
    if include:
        description["file"] = VECTORS
    elif vectors.is_bundled:
        description["bundled"] = True
    elif vectors.path is not None:
        description["path"] = str(vectors.path)
    return description


def _find_vectors(
    folder: Path,
    config: dict[str, Any],
    given: "WordVectors | str | os.PathLike[str] | None",
) -> WordVectors:
    wanted = config["vectors"]
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
    vectors = config["vectors"]
    where = "in this folder" if "file" in vectors else "not in this folder"
    parameters = "\n".join(
        f"| `{name}` | `{value!r}` |" for name, value in config["parameters"].items()
    )
    return f"""# {config["class"]} encoder

Turns a text into {encoder.n_features:,} numbers. Made with vlawe {__version__}.

```python
from vlawe import {config["class"]}

encoder = {config["class"]}.load("path/to/this/folder")
rows = encoder.transform(["a text", "another"])
```

| parameter | value |
|---|---|
{parameters}

Word vectors: {vectors["name"]}, {vectors["words"]:,} words of {vectors["dimensions"]} dimensions,
{where}; SHA-256 `{vectors["sha256"]}`.
"""
