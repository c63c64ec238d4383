"""Folders and tables as a stranger makes them: changed, and with checksums that agree again."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file

from vlawe.system.model_folder import CONFIG, TENSORS, config_digest, file_digest
from vlawe.vectors.store import digest

DOCUMENTS = "documents.safetensors"
GOOD = {"format": "vlawe-vectors", "version": "1", "name": "forged"}


def forge_table(path: Path, tensors: dict[str, np.ndarray]) -> None:
    """Write a table of any tensors, with their checksum."""
    save_file(tensors, path, GOOD | {"sha256": digest(tensors)})


def forge(
    folder: Path,
    tensors: dict[str, np.ndarray] | None = None,
    documents: dict[str, np.ndarray] | None = None,
    **changes: Any,
) -> None:
    """Change tensors, documents and configuration of a folder, and seal it anew."""
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8")) | changes
    if documents is not None:
        save_file(load_file(folder / DOCUMENTS) | documents, folder / DOCUMENTS)
        config["documents_sha256"] = file_digest(folder / DOCUMENTS)
    own = load_file(folder / TENSORS) | (tensors or {})
    save_file(own, folder / TENSORS, {"config": config_digest(config)})
    config["sha256"] = file_digest(folder / TENSORS)
    (folder / CONFIG).write_text(json.dumps(config), encoding="utf-8")


def reseal_part(folder: Path, name: str) -> None:
    """Let a classifier's folder agree with a part's that was changed."""
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    own = json.loads((folder / "encoders" / name / CONFIG).read_text(encoding="utf-8"))
    for part in config["parts"]:
        if part["name"] == name:
            part["sha256"] = own["sha256"]
    forge(folder, parts=config["parts"])
