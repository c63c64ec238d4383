"""Inputs out of inputs: bytes that are changed here and there, and choices that bytes make."""

from random import Random
from typing import Any

_EDGES = (0, 1, 2, 7, 8, 127, 128, 255, 256, 65_535, 2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63)
_LONGEST = 4096


def mutate(seed: bytes, other: bytes, random: Random) -> bytes:
    """Return a seed with a few changes; some bytes may come from another one."""
    data = bytearray(seed)
    for _ in range(random.choice((1, 1, 2, 3, 8))):
        place = random.randrange(len(data) + 1)
        kind = random.randrange(7)
        if kind == 0 and data:
            data[place % len(data)] ^= 1 << random.randrange(8)
        elif kind == 1 and data:
            data[place % len(data)] = random.randrange(256)
        elif kind == 2:
            data[place:place] = random.randbytes(random.choice((1, 2, 4, 16)))
        elif kind == 3:
            del data[place : place + random.choice((1, 2, 8, 64))]
        elif kind == 4 and other:
            start = random.randrange(len(other))
            data[place:place] = other[start : start + random.choice((1, 4, 16, 128))]
        elif kind == 5:
            size = random.choice((1, 2, 4, 8))
            number = (random.choice(_EDGES) - random.randrange(2)) % (1 << 8 * size)
            data[place : place + size] = number.to_bytes(size, "little")
        elif kind == 6 and data:
            stop = min(len(data), place + random.choice((1, 4, 32)))
            data[place:place] = data[place:stop] * random.choice((1, 2, 50))
    return bytes(data[:_LONGEST])


class Choices:
    """What bytes choose, one after the other; zeros when they are used up."""

    def __init__(self, data: bytes) -> None:
        self._data, self._place = data, 0

    def number(self, below: int) -> int:
        """Choose a whole number from 0."""
        size = max(1, ((below - 1).bit_length() + 7) // 8)
        part = self._data[self._place : self._place + size]
        self._place += size
        return int.from_bytes(part, "little") % below

    def edge(self) -> int:
        """Choose a number that programs tend to get wrong, or any of 64 bits."""
        which = self.number(3 * len(_EDGES))
        if which >= 2 * len(_EDGES):
            return self.number(1 << 64) - (1 << 63)
        edge = _EDGES[which // 2]
        return -edge if which % 2 else edge

    def some(self, things: list[Any]) -> Any:
        """Choose one of some things."""
        return things[self.number(len(things))]

    @property
    def over(self) -> bool:
        """Whether all bytes are used."""
        return self._place >= len(self._data)
