"""Checks of parameters that are the same everywhere."""

from typing import Any

import numpy as np


def check_whole(name: str, value: Any) -> None:
    """Raise ValueError unless a parameter is a whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")
