"""Safetensors files that need not fit in memory: written in pieces, opened by memory map."""

import json
from collections.abc import Iterable, Mapping
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vlawe.system.gate import open_regular

Tensors = dict[str, NDArray[Any]]

_CODES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "U64": "<u8", "I32": "<i4"}
_SMALL = {"U16": "<u2", "I8": "|i1", "U8": "|u1"}
_TYPES = {name: np.dtype(code) for name, code in (_CODES | _SMALL).items()}
_NAMES = {dtype: name for name, dtype in _TYPES.items()}
_LARGEST_HEADER = 1 << 20


class TensorFileError(ValueError):
    """A file is not a whole safetensors file of tensors that this package knows."""


class Pieces(NamedTuple):
    """A tensor to be written as it comes: arrays of a type, together of a shape."""

    dtype: Any
    shape: tuple[int, ...]
    arrays: Iterable[NDArray[Any]]

    @classmethod
    def of(cls, tensor: "NDArray[Any] | Pieces") -> "Pieces":
        """Return an array as the one piece of a tensor."""
        if isinstance(tensor, Pieces):
            return tensor
        return cls(tensor.dtype, tensor.shape, [tensor])


def write_pieces(
    path: Path, tensors: Mapping[str, NDArray[Any] | Pieces], metadata: Mapping[str, str]
) -> None:
    """Write a safetensors file; of its tensors only one piece at a time need be in memory.

    ValueError if the pieces of a tensor are of another size than its shape says.
    """
    pieces = {name: Pieces.of(tensor) for name, tensor in tensors.items()}
    # The widest numbers first, so that each tensor begins at a multiple of its numbers' size.
    names = sorted(pieces, key=lambda name: (-np.dtype(pieces[name].dtype).itemsize, name))
    header: dict[str, Any] = {"__metadata__": dict(metadata)}
    stop = 0
    for name in names:
        dtype, shape = np.dtype(pieces[name].dtype), pieces[name].shape
        start, stop = stop, stop + prod(shape) * dtype.itemsize
        place = {"dtype": _NAMES[dtype], "shape": list(shape), "data_offsets": [start, stop]}
        header[name] = place
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name in names:
            begin = file.tell()
            for array in pieces[name].arrays:
                if array.size:
                    file.write(np.ascontiguousarray(array, pieces[name].dtype).data.cast("B"))
            start, stop = header[name]["data_offsets"]
            if (written := file.tell() - begin) != stop - start:
                raise ValueError(
                    f"the pieces of {name!r} have {written:,} bytes, not {stop - start:,}"
                )


def map_tensors(path: Path) -> tuple[Tensors, dict[str, str]]:
    """Map a safetensors file; return its tensors, which cannot be written to, and its metadata.

    TensorFileError if the header does not fit the file, or it is no regular file.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with open_regular(path) as file:
            length = int.from_bytes(file.read(8), "little")
            text = file.read(min(length, _LARGEST_HEADER))
    except ValueError as error:
        raise TensorFileError(str(error)) from error
    try:
        # The library proves the header consistent with the file's length; it would also copy the
        # tensors, so their places are then read from the header and mapped.
        with safe_open(path, framework="np"):
            pass
    except SafetensorError as error:
        raise TensorFileError(f"not a whole safetensors file: {error}") from error
    if length > _LARGEST_HEADER:
        raise TensorFileError(f"a header of {length:,} bytes is no table's")
    header = json.loads(text)
    metadata = header.pop("__metadata__", None) or {}
    data = np.zeros(0, np.uint8)
    if any(place["data_offsets"][1] for place in header.values()):
        data = np.memmap(path, np.uint8, "r", offset=8 + length)
    tensors: Tensors = {}
    for name, place in header.items():
        if place["dtype"] not in _TYPES:
            raise TensorFileError(f"{name} is of type {place['dtype']}")
        start, stop = place["data_offsets"]
        flat = np.asarray(data[start:stop]).view(_TYPES[place["dtype"]])
        try:
            tensors[name] = flat.reshape(place["shape"])
        except (ValueError, OverflowError) as error:  # no bytes, but one of its lengths is immense
            raise TensorFileError(f"{name} has the shape {place['shape']}") from error
        tensors[name].flags.writeable = False
    return tensors, metadata
