"""Checks of parameters that many classes have."""

from typing import Any

import numpy as np


def check_whole(name: str, value: Any) -> None:
    """Raise ValueError unless a parameter is a whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")


def check_positive(name: str, value: Any) -> None:
    """Raise ValueError unless a parameter is a number above zero."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not number or not 0 < value < np.inf:
        raise ValueError(f"{name} must be a number above 0, got {value!r}")
