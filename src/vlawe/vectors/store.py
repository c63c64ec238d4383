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
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vlawe.system.exchange import read_settled
from vlawe.system.files import atomic_file
from vlawe.system.tensors import Pieces, Tensors, map_tensors, write_pieces
from vlawe.vectors.errors import VectorFormatError
from vlawe.vectors.vocabulary import Vocabulary

FORMAT = "vlawe-vectors"
VERSION = 1

_WORDS = ("words.bytes", "words.offsets", "words.slots")
_INT8_TENSORS = ("scales", "blocks")
_UNKNOWN, _SPLIT = "unknown", "split"

Tensor: TypeAlias = "NDArray[Any] | Pieces"


def looks_stored(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file begins like a safetensors file."""
    with Path(path).open("rb") as file:
        start = file.read(9)
    return len(start) == 9 and start[8:] == b"{" and int.from_bytes(start[:8], "little") < 1 << 32


def digest(tensors: Mapping[str, Tensor]) -> str:
    """Return the SHA-256 of tensors: names, types, shapes and values."""
    total = hashlib.sha256()
    for name in sorted(tensors):
        tensor = Pieces.of(tensors[name])
        total.update(f"{name} {np.dtype(tensor.dtype).str} {tensor.shape}\n".encode())
        for array in tensor.arrays:
            total.update(np.ascontiguousarray(array).data.cast("B") if array.size else b"")
    return total.hexdigest()


def table_tensors(words: Vocabulary, stored: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors of a table: its words, and its rows as they are stored."""
    arrays = words.word_bytes, words.word_offsets, words.slots
    return {**dict(zip(_WORDS, arrays, strict=True)), **stored}


def write_store(
    path: str | os.PathLike[str], words: Vocabulary, stored: Mapping[str, Tensor], name: str
) -> None:
    """Write a table; the file appears whole or not at all."""
    tensors = table_tensors(words, stored)
    metadata = {"format": FORMAT, "version": str(VERSION), "name": name, "sha256": digest(tensors)}
    if words.splits_unknown:
        metadata[_UNKNOWN] = _SPLIT
    with atomic_file(path) as temporary:
        write_pieces(temporary, tensors, metadata)


@read_settled
def open_store(path: str | os.PathLike[str]) -> tuple[Vocabulary, Tensors, dict[str, str]]:
    """Map a table written by `write_store`; return its words, its stored rows and the metadata."""
    path = Path(path)
    try:
        tensors, metadata = map_tensors(path)
        _check_metadata(metadata)
        _check_tensors(tensors)
    except ValueError as error:
        raise VectorFormatError(path, "header", str(error)) from error
    try:
        words = Vocabulary(*(tensors.pop(key) for key in _WORDS))
        words = words.splitting(metadata.get(_UNKNOWN) == _SPLIT)
    except ValueError as error:  # pyarrow's ArrowInvalid is one
        raise VectorFormatError(path, "words", str(error)) from error
    return words, tensors, metadata


def _check_metadata(metadata: dict[str, str]) -> None:
    if metadata.get("format") != FORMAT:
        raise ValueError("a safetensors file, but not a table of word vectors of this package")
    if (version := metadata.get("version")) != str(VERSION):
        raise ValueError(
            f"written in version {version or '?'} of the format; this vlawe reads version "
            f"{VERSION}: update vlawe, or convert the original file again"
        )
    if "sha256" not in metadata:
        raise ValueError("the checksum is missing")


def _check_tensors(tensors: Tensors) -> None:
    is_int8 = "matrix" in tensors and tensors["matrix"].dtype == np.int8
    expected = (*_WORDS, "matrix", *(_INT8_TENSORS if is_int8 else ()))
    for name in expected:
        if name not in tensors:
            raise ValueError(f"the tensor {name!r} is missing")
    for name, tensor in tensors.items():
        if name not in expected or tensor.ndim == 0:
            shape = tensor.shape
            raise ValueError(f"the tensor {name!r} of shape {shape} does not belong to a table")
    matrix, n_words = tensors["matrix"], len(tensors["words.offsets"]) - 1
    if matrix.ndim != 2 or len(matrix) != n_words or matrix.size == 0:
        raise ValueError(f"the matrix has shape {matrix.shape} for {n_words} words")
    if is_int8:
        scales, blocks = tensors["scales"], tensors["blocks"]
        if scales.dtype != np.float32 or scales.shape != (n_words, len(blocks) - 1):
            raise ValueError(f"scales of shape {scales.shape} do not fit the matrix")
        edges = [0, *blocks[1:-1].tolist(), matrix.shape[1]]
        if blocks.dtype != np.int64 or blocks.tolist() != edges or sorted(edges) != edges:
            raise ValueError("the blocks do not divide the matrix's columns")
    elif matrix.dtype not in (np.float32, np.float16):
        raise ValueError(f"the matrix is of type {matrix.dtype}")
