"""Decimal numbers to float32, correctly rounded: the common ones compiled, the rest by Python.

The value of a token is defined as ``np.float32(float(token))``. The compiled code computes it
where a few operations provably give the same bits, and leaves every other token to `read_number`:

* A mantissa of at most 2**53 and a power of ten up to 10**22 are both exact as float64, so one
  multiplication or division of them rounds correctly (Clinger, 1990).
* With more digits, the same operation is off by less than three units in the last place of the
  float64. That cannot change the float32 unless the float64 lies that close to the middle between
  two float32, which its low bits show.
"""

import math
import re
from typing import Any

import numpy as np

from vlawe.system.compiling import compiled, inlined

_DECIMAL = re.compile(rb"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NOT_FINITE = re.compile(rb"[+-]?(?:inf|infinity|nan)", re.IGNORECASE)
_SHOWN = 40

_POWERS = np.array([float(f"1e{exponent}") for exponent in range(23)])
_LARGEST_POWER = 22
_EXACT = np.uint64(1 << 53)
_ROOM = np.uint64(10**18)  # below it, one more digit fits into 64 bits
_SMALLEST_NORMAL = 2.0**-126  # of float32; further down its spacing is another
_LARGEST_POWER_OF_TWO = 2.0**127
_LOW_BITS = np.int64((1 << 29) - 1)  # what float64 has and float32 has not
_MIDDLE = np.int64(1 << 28)
_MARGIN = np.int64(8)

_SPACE, _TAB, _RETURN = 32, 9, 13
_PLUS, _MINUS, _POINT, _ZERO, _SMALL_E = 43, 45, 46, 48, 101


def is_number(token: bytes) -> bool:
    """Tell whether a token is a finite decimal number (``1_0``, ``0x1p3``, ``nan`` are not)."""
    return _DECIMAL.fullmatch(token) is not None and math.isfinite(float(token))


def resembles_number(token: bytes) -> bool:
    """Tell whether a token was meant as a number: like `is_number`, but inf and nan are, too."""
    return (_DECIMAL.fullmatch(token) or _NOT_FINITE.fullmatch(token)) is not None


def read_number(token: bytes) -> np.float32:
    """Return the float32 that a token stands for; ValueError if it is not a finite number."""
    if not is_number(token):
        raise ValueError(f"{_show(token)} is not a finite number")
    with np.errstate(over="ignore"):
        number = np.float32(float(token))
    if not np.isfinite(number):
        raise ValueError(f"{_show(token)} is beyond the range of float32")
    return number


def _show(token: bytes) -> str:
    text = token[:_SHOWN].decode("utf-8", "backslashreplace")
    return repr(text) + ("…" if len(token) > _SHOWN else "")


@inlined
def _digits(data: Any, position: Any, stop: Any, mantissa: Any) -> Any:
    """Append digits to the mantissa; return it, where they end, and how many found no room."""
    dropped = 0
    while position < stop:
        digit = data[position] - _ZERO
        if digit < 0 or digit > 9:
            break
        if mantissa < _ROOM:
            mantissa = mantissa * np.uint64(10) + np.uint64(digit)
        else:
            dropped += 1
        position += 1
    return mantissa, position, dropped


@inlined
def _scale(mantissa: Any, exponent: Any, complete: Any) -> Any:
    """Return mantissa times ten to the exponent and whether its float32 is certain."""
    if mantissa == np.uint64(0) and complete:
        return 0.0, True
    if exponent < -_LARGEST_POWER or exponent > _LARGEST_POWER:
        return 0.0, False
    value = np.float64(mantissa)
    if exponent < 0:
        value /= _POWERS[-exponent]
    else:
        value *= _POWERS[exponent]
    if complete and mantissa <= _EXACT:
        return value, True
    low_bits = np.float64(value).view(np.int64) & _LOW_BITS
    certain = abs(low_bits - _MIDDLE) > _MARGIN
    return value, certain and _SMALLEST_NORMAL <= value <= _LARGEST_POWER_OF_TWO


@inlined
def _parse_number(data: Any, start: Any, stop: Any) -> Any:
    """Parse the number that begins at ``start``; return it, where it ends, whether it is certain.

    What ends it is for the caller to judge.
    """
    position = start
    negative = False
    if position < stop and (data[position] == _MINUS or data[position] == _PLUS):
        negative = data[position] == _MINUS
        position += 1
    first = position
    mantissa, position, dropped = _digits(data, position, stop, np.uint64(0))
    n_digits = position - first
    exponent = dropped
    if position < stop and data[position] == _POINT:
        first = position + 1
        mantissa, position, dropped_here = _digits(data, first, stop, mantissa)
        n_digits += position - first
        exponent -= position - first - dropped_here
        dropped += dropped_here
    if n_digits == 0:
        return 0.0, position, False
    if position < stop and (data[position] | 32) == _SMALL_E:
        position += 1
        sign = 1
        if position < stop and (data[position] == _MINUS or data[position] == _PLUS):
            sign = -1 if data[position] == _MINUS else 1
            position += 1
        first = position
        power, position, _ = _digits(data, position, stop, np.uint64(0))
        if position == first or power > np.uint64(1 << 30):
            return 0.0, position, False
        exponent += sign * np.int64(power)
    value, certain = _scale(mantissa, exponent, dropped == 0)
    return -value if negative else value, position, certain


@compiled
def parse_lines(
    data: Any, starts: Any, stops: Any, rows: Any, word_stops: Any, certain: Any
) -> None:
    """Parse the lines ``data[starts[i]:stops[i]]`` to ``rows`` (n, dim) and the ends of the words.

    ``certain`` (n,) is set to whether a line is in plain order: a word without separators, then
    exactly ``dim`` numbers, each preceded by one separator and of certain value, and white space
    at the end. All other lines, wrong ones among them, are for the caller to parse.
    """
    for line in range(len(starts)):
        stop = stops[line]
        row = rows[line]
        position = starts[line]
        while position < stop and data[position] != _SPACE and data[position] != _TAB:
            position += 1
        word_stops[line] = position
        good = position > starts[line]
        for column in range(len(row)):
            if position >= stop or (data[position] != _SPACE and data[position] != _TAB):
                good = False
            if not good:
                break
            value, position, good = _parse_number(data, position + 1, stop)
            row[column] = np.float32(value)
        while good and position < stop and data[position] in (_SPACE, _TAB, _RETURN):
            position += 1
        certain[line] = good and position == stop
