"""A sealed folder: ``config.json`` and ``model.safetensors`` that hold each other's checksums."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from vlawe import __version__
from vlawe.system.tensors import Pieces, write_pieces

FORMAT = "vlawe-model"
VERSION = 1
CONFIG, TENSORS, CARD = "config.json", "model.safetensors", "README.md"


class ModelError(ValueError):
    """A model folder cannot be read or written; the message names the file and what to do."""


def error_in(folder: Path, file: str, message: str) -> ModelError:
    """Return the error of a file in a model folder."""
    return ModelError(f"{folder / file}: {message}")


def check_target(folder: "str | os.PathLike[str]") -> Path:
    """Return the path of a model to write; ModelError if something else is there."""
    target = Path(folder)
    if target.exists() and not is_model(target):
        raise ModelError(f"{target} exists and is not a model; choose another folder")
    if not target.parent.is_dir():
        raise ModelError(f"the folder {target.parent} does not exist")
    return target


def is_model(folder: Path) -> bool:
    """Tell whether a folder holds a model, of whatever version: only such a one is replaced."""
    try:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(config, dict) and config.get("format") == FORMAT


def write_sealed(
    folder: Path, content: dict[str, Any], tensors: dict[str, NDArray[Any]], card: str
) -> None:
    """Write configuration, tensors and model card into a folder: same content, same bytes."""
    config = {"format": FORMAT, "version": VERSION, "vlawe": __version__, **content}
    pieces = {
        name: Pieces(tensor.dtype, tensor.shape, [tensor]) for name, tensor in tensors.items()
    }
    write_pieces(folder / TENSORS, pieces, {"format": FORMAT, "config": config_digest(config)})
    config["sha256"] = file_digest(folder / TENSORS)
    (folder / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    (folder / CARD).write_text(card, encoding="utf-8")


def read_config(folder: Path) -> dict[str, Any]:
    """Read and check the configuration of a model folder."""
    if not folder.is_dir():
        raise ModelError(f"there is no model folder {folder}")
    try:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise error_in(folder, CONFIG, "is missing: this is not a model folder") from error
    except ValueError as error:  # not JSON, or not UTF-8
        raise error_in(folder, CONFIG, f"is not JSON: {error}") from error
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        raise error_in(folder, CONFIG, "is not the configuration of a vlawe model")
    if config.get("version") != VERSION:
        raise error_in(
            folder,
            CONFIG,
            f"is of format version {config.get('version')!r}, written by vlawe "
            f"{config.get('vlawe')}; vlawe {__version__} reads version {VERSION}: update vlawe",
        )
    return config


def read_tensors(folder: Path, config: dict[str, Any]) -> dict[str, NDArray[Any]]:
    """Read the tensors of a model folder, and check that nothing was changed."""
    from safetensors import SafetensorError, safe_open

    path = folder / TENSORS
    try:
        found = file_digest(path)
    except FileNotFoundError as error:
        raise error_in(folder, TENSORS, "is missing") from error
    if found != config.get("sha256"):
        message = f"was changed: its checksum is {found}, not as in {CONFIG}"
        raise error_in(folder, TENSORS, message)
    try:
        with safe_open(path, framework="np") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise error_in(folder, TENSORS, f"is not a safetensors file: {error}") from error
    if metadata.get("config") != config_digest(config):
        raise error_in(folder, CONFIG, f"was changed: its checksum is not as in {TENSORS}")
    return tensors


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def config_digest(config: dict[str, Any]) -> str:
    """Return the SHA-256 of a configuration, its own entry of the tensors' checksum left out."""
    rest = {name: value for name, value in config.items() if name != "sha256"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()
