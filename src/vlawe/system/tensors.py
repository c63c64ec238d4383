"""Safetensors files that need not fit in memory: written in pieces, opened by memory map."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Tensors = dict[str, NDArray[Any]]

_NAMES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "U64": "<u8", "I32": "<i4",
    "I8": "|i1", "U8": "|u1",
}  # fmt: skip
_LARGEST_HEADER = 1 << 20


class TensorFileError(ValueError):
    """A file is not a whole safetensors file of tensors that this package knows."""


@dataclass(frozen=True)
class Pieces:
    """A tensor to be written as it comes.

    Attributes
    ----------
    dtype : NumPy type
    shape : tuple of int
        Of the whole.
    arrays : iterable of ndarray
        What to write one after the other, of that type; together of that shape.
    """

    dtype: Any
    shape: tuple[int, ...]
    arrays: Iterable[NDArray[Any]]


def write_pieces(path: Path, tensors: Mapping[str, Pieces], metadata: Mapping[str, str]) -> None:
    """Write a safetensors file; of its tensors only one piece at a time need be in memory.

    Raises
    ------
    ValueError
        If the pieces of a tensor are of another size than its shape says.
    """
    names = {np.dtype(code): name for name, code in _NAMES.items()}
    # The widest numbers first, so that each tensor begins at a multiple of its numbers' size.
    ordered = sorted(tensors.items(), key=lambda item: (-np.dtype(item[1].dtype).itemsize, item[0]))
    header: dict[str, Any] = {"__metadata__": dict(metadata)}
    stop = 0
    for name, pieces in ordered:
        dtype = np.dtype(pieces.dtype)
        start, stop = stop, stop + prod(pieces.shape) * dtype.itemsize
        header[name] = {
            "dtype": names[dtype], "shape": list(pieces.shape), "data_offsets": [start, stop],
        }  # fmt: skip
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name, pieces in ordered:
            begin = file.tell()
            for array in pieces.arrays:
                if array.size:
                    file.write(np.ascontiguousarray(array, pieces.dtype).data.cast("B"))
            start, stop = header[name]["data_offsets"]
            if (written := file.tell() - begin) != stop - start:
                raise ValueError(
                    f"the pieces of {name!r} have {written:,} bytes, not {stop - start:,}"
                )


def map_tensors(path: Path) -> tuple[Tensors, dict[str, str]]:
    """Map a safetensors file; return its tensors, which cannot be written to, and its metadata.

    Raises
    ------
    TensorFileError
        If the header does not fit the file.
    """
    from safetensors import SafetensorError, safe_open

    try:
        # The library proves the header consistent with the file's length; it would also copy the
        # tensors, so their places are then read from the header and mapped.
        with safe_open(path, framework="np"):
            pass
    except SafetensorError as error:
        raise TensorFileError(f"not a whole safetensors file: {error}") from error
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > _LARGEST_HEADER:
            raise TensorFileError(f"a header of {length:,} bytes is no table's")
        header = json.loads(file.read(length))
    metadata = header.pop("__metadata__", None) or {}
    data = np.zeros(0, np.uint8)
    if any(place["data_offsets"][1] for place in header.values()):
        data = np.memmap(path, np.uint8, "r", offset=8 + length)
    tensors: Tensors = {}
    for name, place in header.items():
        if place["dtype"] not in _NAMES:
            raise TensorFileError(f"{name} is of type {place['dtype']}")
        start, stop = place["data_offsets"]
        flat = np.asarray(data[start:stop]).view(_NAMES[place["dtype"]])
        tensors[name] = flat.reshape(place["shape"])
        tensors[name].flags.writeable = False
    return tensors, metadata
