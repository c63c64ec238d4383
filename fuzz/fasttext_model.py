"""Models of fastText whose numbers do not fit one another, see `vlawe.vectors.fasttext`."""

import struct
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from mutation import Choices
from vlawe import VectorFormatError, WordVectors

_DIM = 2
_WORDS = [b"red", b"green", "blüe".encode(), b"</s>", b"\xff", b"", b"red"]


@cache
def _path() -> Path:
    return Path(tempfile.mkdtemp(prefix="vlawe-fuzz-")) / "model.bin"


def _model(choose: Choices) -> bytes:
    words = _WORDS[: 1 + choose.number(len(_WORDS))]
    n_buckets, shortest, longest = choose.number(9), choose.number(4), choose.number(5)
    n_rows = len(words) + n_buckets
    kind = 1 + choose.number(3)
    sizes = {  # in the order of the file; how many bytes, and the number
        "magic and version": [(4, 793712314), (4, 11 + choose.number(2))],
        "arguments": [(4, _DIM), *[(4, 1)] * 6, (4, kind), (4, n_buckets), (4, shortest),
                      (4, longest), (4, 100)],
        "dictionary": [(4, len(words)), (4, len(words)), (4, 0), (8, 10), (8, -1 % 2**64)],
        "matrix": [(1, 0), (8, n_rows), (8, _DIM)],
    }  # fmt: skip
    numbers = np.linspace(-1, 1, n_rows * _DIM, dtype="<f4")
    for _ in range(choose.number(4)):
        if choose.number(3) == 0:
            some = choose.some([np.nan, np.inf, 3e38, -3e38])
            numbers[choose.number(len(numbers))] = some
            continue
        part = sizes[choose.some(sorted(sizes))]
        place = choose.number(len(part))
        part[place] = part[place][0], choose.edge()
    packed = {
        name: b"".join((n % (1 << 8 * size)).to_bytes(size, "little") for size, n in part)
        for name, part in sizes.items()
    }
    entries = b"".join(word + b"\0" + bytes(9) for word in words)
    content = packed["magic and version"] + packed["arguments"] + struct.pack("<d", 1e-4)
    content += packed["dictionary"] + entries + packed["matrix"] + numbers.tobytes()
    return content[: choose.number(len(content))] if choose.number(8) == 1 else content


def load(data: bytes) -> None:
    """Read a model, and make rows of unknown words; VectorFormatError is fine."""
    _path().write_bytes(_model(Choices(data)))
    try:
        table = WordVectors.load(_path())
        assert np.isfinite(table.matrix).all()
        table = WordVectors.load(_path(), unknown="subwords")
        table = table.extended(["red greenish übel", "</s>"])
    except VectorFormatError:
        return
    except ValueError as error:
        if "without n-grams" not in str(error):
            raise
    assert np.isfinite(table.matrix).all()
