"""Arrow strings as NumPy arrays that share their memory."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def to_buffers(strings: pa.LargeStringArray) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return (data, offsets): string ``i`` is ``data[offsets[i]:offsets[i + 1]]``."""
    _, offset_buffer, data_buffer = strings.buffers()
    offsets = np.zeros(1, np.int64)
    if len(strings):
        offsets = np.frombuffer(offset_buffer, np.int64)
        offsets = offsets[strings.offset : strings.offset + len(strings) + 1].copy()
    data = np.frombuffer(data_buffer or b"", np.uint8)
    data.flags.writeable = False  # one compiled variant, whoever owns the buffer
    return data, offsets


def from_buffers(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> pa.LargeStringArray:
    """Return strings as an Arrow array; ArrowInvalid if one is not UTF-8."""
    buffers = pa.py_buffer(offsets), pa.py_buffer(data)
    strings = pa.LargeStringArray.from_buffers(len(offsets) - 1, *buffers)
    strings.validate(full=True)
    return strings


def runs(
    offsets: NDArray[np.int64], numbers: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the places ``offsets[i] … offsets[i + 1]`` of each number ``i``, and their offsets."""
    lengths = np.diff(offsets)[numbers]
    own = offsets_of(lengths)
    return np.repeat(offsets[:-1][numbers] - own[:-1], lengths) + np.arange(own[-1]), own


def offsets_of(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where strings of these lengths begin and end when they are laid end to end."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets
