"""The package's own file of word vectors: one safetensors file, opened by memory map.

Tensors: ``words.bytes``, ``words.offsets``, ``words.slots`` (see `vocabulary`), ``matrix``
(float32, float16 or int8), and for int8 also ``scales`` (n, b) with the columns where their
blocks begin and end in ``blocks`` (b + 1,): ``value = int8 * scale``. Opening reads the header
and checks the words; the rows are read when they are used, and processes share their pages.
"""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vlawe.system.files import atomic_file
from vlawe.system.tensors import Pieces, TensorFileError, Tensors, map_tensors, write_pieces
from vlawe.vectors.errors import VectorFormatError

FORMAT = "vlawe-vectors"
VERSION = 1

_TENSORS = ("words.bytes", "words.offsets", "words.slots", "matrix")
_INT8_TENSORS = ("scales", "blocks")


def looks_stored(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file begins like a safetensors file."""
    with Path(path).open("rb") as file:
        start = file.read(9)
    return len(start) == 9 and start[8:] == b"{" and int.from_bytes(start[:8], "little") < 1 << 32


def digest(tensors: Mapping[str, NDArray[Any] | Pieces]) -> str:
    """Return the SHA-256 of tensors: names, types, shapes and values."""
    total = hashlib.sha256()
    for name in sorted(tensors):
        tensor = _in_pieces(tensors[name])
        total.update(f"{name} {np.dtype(tensor.dtype).str} {tensor.shape}\n".encode())
        for array in tensor.arrays:
            total.update(np.ascontiguousarray(array).data.cast("B") if array.size else b"")
    return total.hexdigest()


def write_store(
    path: str | os.PathLike[str],
    tensors: Mapping[str, NDArray[Any] | Pieces],
    *,
    name: str,
    sha256: str,
) -> None:
    """Write a table; the file appears whole or not at all."""
    metadata = {"format": FORMAT, "version": str(VERSION), "name": name, "sha256": sha256}
    with atomic_file(path) as temporary:
        write_pieces(temporary, {key: _in_pieces(t) for key, t in tensors.items()}, metadata)


def _in_pieces(tensor: NDArray[Any] | Pieces) -> Pieces:
    return tensor if isinstance(tensor, Pieces) else Pieces(tensor.dtype, tensor.shape, [tensor])


def open_store(path: str | os.PathLike[str]) -> tuple[Tensors, dict[str, str]]:
    """Map a table written by `write_store`; return its tensors and the file's metadata."""
    path = Path(path)
    try:
        tensors, metadata = map_tensors(path)
    except TensorFileError as error:
        raise VectorFormatError(path, "header", str(error)) from error
    _check_metadata(path, metadata)
    _check_tensors(path, tensors)
    return tensors, metadata


def _check_metadata(path: Path, metadata: dict[str, str]) -> None:
    if metadata.get("format") != FORMAT:
        raise VectorFormatError(
            path, "header", "a safetensors file, but not a table of word vectors of this package"
        )
    version = metadata.get("version", "")
    if version != str(VERSION):
        raise VectorFormatError(
            path,
            "header",
            f"written in version {version or '?'} of the format; this vlawe reads version "
            f"{VERSION}: update vlawe, or convert the original file again",
        )
    if "sha256" not in metadata:
        raise VectorFormatError(path, "header", "the checksum is missing")


def _check_tensors(path: Path, tensors: Tensors) -> None:
    def refuse(message: str) -> VectorFormatError:
        return VectorFormatError(path, "header", message)

    is_int8 = "matrix" in tensors and tensors["matrix"].dtype == np.int8
    expected = _TENSORS + (_INT8_TENSORS if is_int8 else ())
    for name in expected:
        if name not in tensors:
            raise refuse(f"the tensor {name!r} is missing")
    for name, tensor in tensors.items():
        if name not in expected or tensor.ndim == 0:
            raise refuse(f"the tensor {name!r} of shape {tensor.shape} does not belong to a table")
    matrix = tensors["matrix"]
    n_words = len(tensors["words.offsets"]) - 1
    if matrix.ndim != 2 or len(matrix) != n_words or matrix.size == 0:
        raise refuse(f"the matrix has shape {matrix.shape} for {n_words} words")
    if is_int8:
        scales, blocks = tensors["scales"], tensors["blocks"]
        if scales.dtype != np.float32 or scales.shape != (n_words, len(blocks) - 1):
            raise refuse(f"scales of shape {scales.shape} do not fit the matrix")
        edges = [0, *blocks[1:-1].tolist(), matrix.shape[1]]
        if blocks.dtype != np.int64 or blocks.tolist() != edges or sorted(edges) != edges:
            raise refuse("the blocks do not divide the matrix's columns")
    elif matrix.dtype not in (np.float32, np.float16):
        raise refuse(f"the matrix is of type {matrix.dtype}")
