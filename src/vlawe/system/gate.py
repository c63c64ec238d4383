"""The gate: what comes from a file is checked here, by kind, before anything else sees it.

Files may come from strangers, who can also make their checksums. So nothing in them is believed:
only regular files inside their folder are opened (a device or a pipe would hang), JSON is bounded
and plain, and every tensor is declared by the call that takes it: type, shape, range, offsets. The
same calls run when a model is saved (`Declared`), so that what is written can be read again.

All checks raise ValueError; callers add the file's name.
"""

import io
import json
import math
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST_JSON = 1 << 26
"""Bytes of a JSON file, at most."""
LARGEST_NUMBER = 1e18
"""What no number of a tensor is beyond: squares and their sums are numbers of float32, too."""
_DIGITS = 100
"""What no whole number of JSON has more of: seeds are long, but all are numbers of float64, too."""
_AT_ONCE = 1 << 20
_SHOWN = 80

Shape = tuple[int | None, ...]
"""The shape that a tensor must have; None where any length will do."""


# --------------------------------------------------------------------------------------- files


def inside(folder: Path, *names: str) -> Path:
    """Return the path of something in a folder; ValueError if a name or a link leads out of it."""
    path = folder.joinpath(*names)
    if not path.resolve().is_relative_to(folder.resolve()):
        raise ValueError("leads out of its folder; put a copy of what it points to in its place")
    return path


def open_regular(path: Path) -> io.BufferedReader:
    """Open a file to read its bytes; ValueError if it is a device, a pipe or a folder."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise ValueError("is no regular file but a folder, a device or a pipe")
    return open(handle, "rb")  # noqa: PTH123


def read_json(path: Path) -> Any:
    """Return what a JSON file holds; ValueError if it is too large or not plain JSON."""
    with open_regular(path) as file:
        content = file.read(LARGEST_JSON + 1)
    if len(content) > LARGEST_JSON:
        raise ValueError(f"has more than {LARGEST_JSON:,} bytes")
    try:
        return json.loads(
            content.decode(), parse_constant=_no_number, parse_float=_finite, parse_int=_whole
        )
    except RecursionError:
        raise ValueError("is not JSON: too deeply nested") from None
    except ValueError as error:  # not JSON, or not UTF-8
        raise ValueError(f"is not JSON: {error}") from error


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):  # 1e999
        raise ValueError(f"{shown(text)} is beyond all numbers")
    return number


def _whole(text: str) -> int:
    if len(text) > _DIGITS:
        raise ValueError(f"{shown(text)} is beyond all numbers")
    return int(text)


def shown(value: Any) -> str:
    """Return a value from a file as one short line that cannot steer a terminal."""
    text = ascii(str(value)[: _SHOWN + 1])[1:-1]
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def number_of(
    what: str, value: Any, *, least: float = 0, most: float = LARGEST_NUMBER, whole: bool = False
) -> Any:
    """Return a value from a file if it is a number within bounds; ValueError if it is not."""
    is_number = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
    if not is_number or not least <= value <= most:
        raise ValueError(f"{what} cannot be {shown(value)}")
    return value


# ---------------------------------------------------------------------------------- parameters


def check_parameters(defaults: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Check that parameters from a file are among some, each of the kind of its default.

    Their ranges are for the checks of ``fit``.
    """
    for name, value in given.items():
        if name not in defaults:
            raise ValueError(f"{shown(name)} is no parameter that a file may set")
        kinds = _kinds_like(defaults[name])
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise ValueError(f"the parameter {name} cannot be {shown(value)}")
        if isinstance(value, list) and not all(isinstance(one, str | int | float) for one in value):
            raise ValueError(f"the parameter {name} cannot be {shown(value)}")


def _kinds_like(default: Any) -> tuple[type, ...]:
    if isinstance(default, bool):
        return (bool,)
    if isinstance(default, int):
        return int, type(None)  # a random_state that is no number is saved as null
    if isinstance(default, float):
        return int, float
    if isinstance(default, tuple):  # which JSON writes as a list
        return (list,)
    kinds = str, bool, type(None)
    return kinds if isinstance(default, str) else (*kinds, int, float)


# ------------------------------------------------------------------------------------- tensors


class Declared(dict[str, NDArray[Any]]):
    """Named tensors, which `take` must take all: what nobody declares does not belong there."""

    def __init__(self, tensors: Mapping[str, NDArray[Any]]) -> None:
        super().__init__(tensors)
        self.taken: set[str] = set()

    def check_all_taken(self) -> None:
        """Raise ValueError if there is a tensor that nobody took."""
        if left := sorted(self.keys() - self.taken):
            raise ValueError(f"the tensor {shown(left[0])!r} does not belong there")


def take(
    tensors: Mapping[str, NDArray[Any]],
    name: str,
    dtype: Any,
    shape: Shape,
    *,
    least: float | None = None,
    below: float | None = None,
    finite: bool = True,
) -> NDArray[Any]:
    """Return a tensor that must be so: this call is its declaration.

    Parameters
    ----------
    tensors : mapping of names to arrays
    name : str
    dtype : type, or tuple of types
    shape : tuple
        None stands for any length.
    least, below : number, optional
        What no number in it may be less than; what all must be below.
    finite : bool, default=True
        Whether all numbers must be finite, and none beyond `LARGEST_NUMBER`. With False, and
        neither ``least`` nor ``below``, it is not read: it may be mapped, and large.

    Raises
    ------
    ValueError
        If it is missing, or is not so.
    """
    if name not in tensors:
        raise ValueError(f"the tensor {name!r} is missing")
    tensor = tensors[name]
    kinds = [np.dtype(kind) for kind in (dtype if isinstance(dtype, tuple) else (dtype,))]
    fits = len(shape) == tensor.ndim and all(
        wanted in (None, found) for wanted, found in zip(shape, tensor.shape, strict=True)
    )
    if tensor.dtype not in kinds or not fits:
        raise ValueError(
            f"the tensor {name!r} is {tensor.dtype} of shape {tensor.shape}, "
            f"expected {' or '.join(map(str, kinds))} of shape {shape}"
        )
    if finite or least is not None or below is not None:
        check_numbers(name, tensor, least=least, below=below)
    if isinstance(tensors, Declared):
        tensors.taken.add(name)
    return tensor


def check_numbers(
    name: str, tensor: NDArray[Any], *, least: float | None = None, below: float | None = None
) -> None:
    """Check that numbers are finite, and within bounds if given; a part at a time."""
    if tensor.dtype.kind != "f" and least is None and below is None:
        return
    step = max(1, _AT_ONCE // max(1, int(np.prod(tensor.shape[1:], dtype=np.float64))))
    for start in range(0, len(tensor) if tensor.size else 0, step):
        part = tensor[start : start + step]
        if part.dtype.kind == "f" and not np.isfinite(part).all():
            raise ValueError(f"the tensor {name!r} has a number that is not finite")
        if part.dtype.kind == "f" and max(part.max(), -part.min()) > LARGEST_NUMBER:
            raise ValueError(f"the tensor {name!r} has a number beyond {LARGEST_NUMBER:g}")
        if least is not None and part.min() < least:
            raise ValueError(f"the tensor {name!r} has {part.min()}, expected at least {least}")
        if below is not None and part.max() >= below:
            raise ValueError(f"the tensor {name!r} has {part.max()}, expected less than {below:,}")


def check_offsets(what: str, offsets: NDArray[Any], length: int) -> None:
    """Check that offsets start at 0, never fall, and end at the length of what they divide.

    They are compared, not subtracted: a difference can wrap around.
    """
    if (
        offsets.ndim != 1
        or not len(offsets)
        or int(offsets[0]) != 0
        or int(offsets[-1]) != length
        or (offsets[1:] < offsets[:-1]).any()
    ):
        raise ValueError(f"the {what} do not divide their {length:,} values")


def take_offsets(
    tensors: Mapping[str, NDArray[Any]], name: str, dtype: Any, n: int | None, length: int
) -> NDArray[Any]:
    """Return offsets of ``n`` runs that divide ``length`` values, see `check_offsets`."""
    offsets = take(tensors, name, dtype, (None if n is None else n + 1,))
    check_offsets(f"tensor {name!r}", offsets, length)
    return offsets


def take_sparse(
    tensors: Mapping[str, NDArray[Any]],
    name: str,
    dtype: Any,
    shape: tuple[int, int],
    *,
    least: float | None = None,
) -> Any:
    """Return a sparse matrix (csr_array) that must be so; ValueError as for `take`."""
    from scipy.sparse import csr_array

    data = take(tensors, f"{name}.data", dtype, (None,), least=least)
    kinds = (np.int32, np.int64)
    indices = take(tensors, f"{name}.indices", kinds, (len(data),), least=0, below=shape[1])
    indptr = take_offsets(tensors, f"{name}.indptr", kinds, shape[0], len(data))
    return csr_array((data, indices, indptr), shape=shape)
