"""A model is a folder: ``config.json``, ``model.safetensors``, ``README.md``; nothing is unpickled.

``config.json`` says what the model is (format version, class, parameters), which word vectors it
needs (inside the folder, or by name and checksum) and the checksum of ``model.safetensors``,
which holds what was learned, and in turn the checksum of everything else in ``config.json``.
``README.md`` is the model card for people.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vlawe import __version__
from vlawe.atomic import atomic_folder
from vlawe.vectors import VectorFormatError, WordVectors

if TYPE_CHECKING:
    from vlawe.encoders import DocumentEncoder
    from vlawe.tokenizer import Tokenizer

FORMAT = "vlawe-model"
VERSION = 1
CONFIG, TENSORS, CARD, VECTORS = (
    "config.json",
    "model.safetensors",
    "README.md",
    "vectors.safetensors",
)

_NOT_PARAMETERS = ("vectors", "tokenizer", "n_jobs")
"""Parameters that do not belong to the model: the table and the tokenizer are kept apart, and
the number of threads belongs to the machine."""


class ModelError(ValueError):
    """A model folder cannot be read or written; the message names the file and what to do."""


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
    from safetensors.numpy import save_file
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(encoder, "vectors_")
    target = Path(folder)
    if target.exists() and not (target / CONFIG).is_file():
        raise ModelError(f"{target} exists and is not a model; choose another folder")
    if not target.parent.is_dir():
        raise ModelError(f"the folder {target.parent} does not exist")
    vectors = encoder.vectors_
    if include_vectors is None:
        include_vectors = not vectors.is_bundled
    config = {
        "format": FORMAT,
        "version": VERSION,
        "vlawe": __version__,
        "class": type(encoder).__name__,
        "parameters": _parameters(encoder),
        "custom_tokenizer": encoder.tokenizer is not None,
        "vectors": _describe_vectors(vectors, include_vectors),
    }
    with atomic_folder(target) as temporary:
        state = {name: np.ascontiguousarray(tensor) for name, tensor in encoder._state().items()}
        metadata = {"format": FORMAT, "config": _config_digest(config)}
        save_file(state, temporary / TENSORS, metadata)
        if include_vectors:
            vectors.save(temporary / VECTORS)
        config["sha256"] = _file_digest(temporary / TENSORS)
        (temporary / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
        (temporary / CARD).write_text(_card(encoder, config), encoding="utf-8")


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
    config = _read_config(folder)
    kind = getattr(encoders, str(config.get("class")), None)
    if not (isinstance(kind, type) and issubclass(kind, encoders.DocumentEncoder)):
        raise _error(folder, CONFIG, f"unknown class {config.get('class')!r}")
    if config.get("custom_tokenizer") and tokenizer is None:
        raise ModelError(
            f"{folder} was fitted with a tokenizer of its own, which is code and not saved; "
            "pass the same function as tokenizer="
        )
    if not config.get("custom_tokenizer") and tokenizer is not None:
        raise ModelError(f"{folder} was fitted with the package's own tokenizer; pass none")
    state = _read_tensors(folder, config)
    table = _find_vectors(folder, config, vectors)
    try:
        encoder = kind(vectors=table, tokenizer=tokenizer, **config["parameters"])
        encoder._prepare()
        encoder._restore(state)
    except (TypeError, ValueError) as error:
        raise _error(folder, CONFIG, f"does not fit {TENSORS}: {error}") from error
    # As it was before fitting, a model with the bundled table says so by None.
    encoder.vectors = None if table.is_bundled else table
    return encoder


def _parameters(encoder: "DocumentEncoder") -> dict[str, Any]:
    return {
        name: _plain(value)
        for name, value in encoder.get_params(deep=False).items()
        if name not in _NOT_PARAMETERS
    }


def _plain(value: Any) -> str | float | None:
    """Return a parameter as JSON can hold it."""
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


def _read_config(folder: Path) -> dict[str, Any]:
    if not folder.is_dir():
        raise ModelError(f"there is no model folder {folder}")
    try:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise _error(folder, CONFIG, "is missing: this is not a model folder") from error
    except ValueError as error:  # not JSON, or not UTF-8
        raise _error(folder, CONFIG, f"is not JSON: {error}") from error
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        raise _error(folder, CONFIG, "is not the configuration of a vlawe model")
    if config.get("version") != VERSION:
        raise _error(
            folder,
            CONFIG,
            f"is of format version {config.get('version')!r}, written by vlawe "
            f"{config.get('vlawe')}; vlawe {__version__} reads version {VERSION}: update vlawe",
        )
    for name in ("parameters", "vectors"):
        if not isinstance(config.get(name), dict):
            raise _error(folder, CONFIG, f"lacks {name!r}")
    return config


def _read_tensors(folder: Path, config: dict[str, Any]) -> dict[str, NDArray[Any]]:
    from safetensors import SafetensorError, safe_open

    path = folder / TENSORS
    try:
        found = _file_digest(path)
    except FileNotFoundError as error:
        raise _error(folder, TENSORS, "is missing") from error
    if found != config.get("sha256"):
        raise _error(folder, TENSORS, f"was changed: its checksum is {found}, not as in {CONFIG}")
    try:
        with safe_open(path, framework="np") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise _error(folder, TENSORS, f"is not a safetensors file: {error}") from error
    if metadata.get("config") != _config_digest(config):
        raise _error(folder, CONFIG, f"was changed: its checksum is not as in {TENSORS}")
    return tensors


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


def _error(folder: Path, file: str, message: str) -> ModelError:
    return ModelError(f"{folder / file}: {message}")


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _config_digest(config: dict[str, Any]) -> str:
    rest = {name: value for name, value in config.items() if name != "sha256"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _card(encoder: "DocumentEncoder", config: dict[str, Any]) -> str:
    vectors = config["vectors"]
    where = "in this folder" if "file" in vectors else "not in this folder"
    parameters = "\n".join(
        f"| `{name}` | `{value!r}` |" for name, value in config["parameters"].items()
    )
    return f"""# {config["class"]} encoder

Turns a text into {encoder._n_features:,} numbers. Made with vlawe {config["vlawe"]}.

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
