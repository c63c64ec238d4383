"""Characters in UTF-8 bytes, compiled."""

from typing import Any

import numpy as np

from vlawe.system.compiling import index, inlined


@inlined
def decode(data: Any, i: Any, stop: Any) -> Any:
    """Return the code point at byte ``i`` and where the next begins; never reads past ``stop``."""
    point = np.int64(data[index(i)])
    following = i + 1
    if point >= 0x80:
        if point < 0xE0 and i + 1 < stop:
            point = (point & 0x1F) << 6 | (data[i + 1] & 0x3F)
            following = i + 2
        elif point < 0xF0 and i + 2 < stop:
            point = (point & 0x0F) << 12 | (data[i + 1] & 0x3F) << 6 | (data[i + 2] & 0x3F)
            following = i + 3
        elif i + 3 < stop:
            point = (point & 0x07) << 18 | (data[i + 1] & 0x3F) << 12
            point |= (data[i + 2] & 0x3F) << 6 | (data[i + 3] & 0x3F)
            point = min(point, np.int64(0x10FFFF))
            following = i + 4
        else:  # cut short: no character
            point = np.int64(0xFFFD)
            following = stop
    return point, following


@inlined
def encode(point: Any, out: Any, size: Any) -> Any:
    """Write a code point as UTF-8 at ``out[size:]`` and return the new size."""
    if point < 0x80:
        out[size] = point
        return size + 1
    if point < 0x800:
        out[size] = 0xC0 | point >> 6
    else:
        if point < 0x10000:
            out[size] = 0xE0 | point >> 12
        else:
            out[size] = 0xF0 | point >> 18
            size += 1
            out[size] = 0x80 | (point >> 12 & 0x3F)
        size += 1
        out[size] = 0x80 | (point >> 6 & 0x3F)
    size += 1
    out[size] = 0x80 | (point & 0x3F)
    return size + 1
