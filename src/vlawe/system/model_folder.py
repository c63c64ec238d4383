"""A model is a sealed folder: ``config.json`` and ``model.safetensors``, each with a checksum.

``config.json`` says what the model is (format version, class, parameters) and the checksum of
``model.safetensors``, which holds what was learned, and in turn the checksum of everything else in
``config.json``. ``README.md`` is the model card for people. Nothing is ever unpickled.

A folder names the class of its model, which is looked for among those that `saved_as` was told.
"""

import hashlib
import inspect
import json
import os
from collections import defaultdict
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from vlawe.system.exchange import finish_exchange
from vlawe.system.files import atomic_folder
from vlawe.system.gate import Declared, check_parameters, inside, open_regular, read_json, shown
from vlawe.system.tensors import TensorFileError, Tensors, map_tensors, write_pieces
from vlawe.version import __version__

FORMAT = "vlawe-model"
VERSION = 1
CONFIG, TENSORS, CARD = "config.json", "model.safetensors", "README.md"

_classes: dict[str, dict[str, type[Any]]] = defaultdict(dict)


class ModelError(ValueError):
    """A model folder cannot be read or written; the message names the file and what to do."""


def error_in(folder: Path, file: str, message: object) -> ModelError:
    """Return the error of a file in a model folder."""
    return ModelError(f"{folder / file}: {message}")


def saved_as(kind: str, *classes: type[Any]) -> None:
    """Let folders of a kind ("an encoder") hold models of these classes."""
    _classes[kind].update({own.__name__: own for own in classes})


# ------------------------------------------------------------------------------------- writing


def plain_parameters(estimator: Any, left_out: tuple[str, ...]) -> dict[str, Any]:
    """Return an estimator's parameters as JSON can hold them."""
    parameters = estimator.get_params(deep=False).items()
    return {name: _plain(value) for name, value in parameters if name not in left_out}


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, np.dtype):
        return value.name
    if isinstance(value, np.generic):
        value = value.item()
    # What is none of these is a RandomState, whose one use was in fitting.
    return value if isinstance(value, str | int | float) else None


def new_model(folder: "str | os.PathLike[str]") -> AbstractContextManager[Path]:
    """Open a folder to write a model to, which then appears whole or not at all."""
    return atomic_folder(check_target(folder))


def check_target(folder: "str | os.PathLike[str]") -> Path:
    """Return the path of a model to write; ModelError if something else is there."""
    target = Path(folder)
    finish_exchange(target)
    if target.exists() and not _is_model(target):
        raise ModelError(f"{target} exists and is not a model; choose another folder")
    if not target.parent.is_dir():
        raise ModelError(f"the folder {target.parent} does not exist")
    return target


def _is_model(folder: Path) -> bool:
    """Tell whether a folder holds a model, of whatever version: only such a one is replaced."""
    try:
        return bool(read_json(folder / CONFIG)["format"] == FORMAT)
    except (OSError, ValueError, TypeError, LookupError):
        return False


def write_model(
    folder: Path, kind: str, model: object, content: dict[str, Any], tensors: Tensors, card: str
) -> str:
    """Write configuration, tensors and model card into a folder: same content, same bytes.

    But for the card, which has a date.

    Returns the checksum of the tensors; ModelError if the model's class would not be found again.
    """
    name = type(model).__name__
    if _classes[kind].get(name) is not type(model):
        raise ModelError(f"{name} is a class of your own, which could not be loaded again")
    config = {"format": FORMAT, "version": VERSION, "vlawe": __version__, "class": name, **content}
    write_pieces(folder / TENSORS, tensors, {"format": FORMAT, "config": config_digest(config)})
    config["sha256"] = file_digest(folder / TENSORS)
    (folder / CONFIG).write_text(
        json.dumps(config, indent=2, allow_nan=False) + "\n", encoding="utf-8"
    )
    (folder / CARD).write_text(card, encoding="utf-8")
    return str(config["sha256"])


def made_with() -> str:
    """Return the sentence of a model card that says when and with which version it was made."""
    return f"Made with vlawe {__version__} on {datetime.now(UTC):%Y-%m-%d}."


# ------------------------------------------------------------------------------------- reading


def read_config(folder: Path) -> dict[str, Any]:
    """Read and check the configuration of a model folder."""
    if not folder.is_dir():
        raise ModelError(
            f"there is no model folder {folder}; the commands vlawe train, fit and index write "
            "one, and so does save()"
        )
    try:
        config = read_json(inside(folder, CONFIG))
    except FileNotFoundError as error:
        raise error_in(folder, CONFIG, "is missing: this is not a model folder") from error
    except ValueError as error:
        raise error_in(folder, CONFIG, error) from error
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        raise error_in(folder, CONFIG, "is not the configuration of a vlawe model")
    if config.get("version") != VERSION:
        raise error_in(
            folder,
            CONFIG,
            f"is of format version {shown(config.get('version'))}, written by vlawe "
            f"{shown(config.get('vlawe'))}; vlawe {__version__} reads version {VERSION}: "
            "update vlawe",
        )
    return config


def read_model(folder: Path, kind: str) -> tuple[type[Any], dict[str, Any], Declared]:
    """Return class, configuration and tensors of a folder; ModelError if anything was changed."""
    config = read_config(folder)
    name = config.get("class")
    if not isinstance(name, str) or name not in _classes[kind]:
        raise error_in(folder, CONFIG, f"holds a {shown(name)}, not {kind}")
    if not isinstance(config.get("parameters"), dict):
        raise error_in(folder, CONFIG, "lacks 'parameters'")
    check_unchanged(folder, TENSORS, config.get("sha256"))
    try:
        mapped, metadata = map_tensors(folder / TENSORS)
    except TensorFileError as error:
        raise error_in(folder, TENSORS, f"is not a safetensors file: {error}") from error
    if metadata.get("config") != config_digest(config):
        raise error_in(folder, CONFIG, f"was changed: its checksum is not as in {TENSORS}")
    # Copies: a model does not depend on what becomes of its file.
    tensors = {name: np.array(tensor) for name, tensor in mapped.items()}
    return _classes[kind][name], config, Declared(tensors)


def file_parameters(kind: type[Any], config: dict[str, Any], left_out: tuple[str, ...]) -> Any:
    """Return the parameters of a model of a class; ValueError if they are not such as it has."""
    defaults = inspect.signature(kind).parameters.items()
    own = {name: parameter.default for name, parameter in defaults if name not in left_out}
    check_parameters(own, config["parameters"])
    given = config["parameters"].items()
    return {name: tuple(one) if isinstance(one, list) else one for name, one in given}


def check_unchanged(folder: Path, file: str, sha256: str | None) -> None:
    """Raise ModelError unless a file of a model is there and has the checksum."""
    try:
        found = file_digest(inside(folder, file))
    except FileNotFoundError as error:
        raise error_in(folder, file, "is missing") from error
    except ValueError as error:
        raise error_in(folder, file, error) from error
    if found != sha256:
        raise error_in(folder, file, f"was changed: its checksum is {found}, not as in {CONFIG}")


def check_belongs(folder: Path, sha256: str | None) -> None:
    """Raise ModelError unless a model inside another one is the one that was put there."""
    if read_config(folder).get("sha256") != sha256:
        raise error_in(folder, TENSORS, "belongs to another model")


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def config_digest(config: dict[str, Any]) -> str:
    """Return the SHA-256 of a configuration, its own entry of the tensors' checksum left out."""
    rest = {name: value for name, value in config.items() if name != "sha256"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()
