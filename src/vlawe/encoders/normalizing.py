"""Power normalisation and unit length of sums, compiled: how the rows of several encoders end."""

from typing import Any

import numpy as np

from vlawe.system.compiling import inlined_reassociating


@inlined_reassociating
def write_normalized(sums: Any, alpha: Any, unit: Any, row: Any) -> None:
    """Set ``row`` to ``sign(z)|z|^alpha`` of the sums ``z`` (changed), of unit length if asked."""
    squares = 0.0
    if alpha == 0.5 and unit:  # roots of the row's own type: of float64 they take most of the time
        for j in range(len(sums)):
            squares += abs(sums[j])
        share = 1.0 / squares if squares > 1e-75 else 0.0
        for j in range(len(sums)):
            number = row.dtype.type(sums[j] * share)
            root = np.sqrt(abs(number))
            row[j] = root if number > 0.0 else -root
        return
    for j in range(len(sums)):
        number = sums[j]
        if alpha == 0.5:
            number = np.copysign(np.sqrt(abs(number)), number)
        elif alpha != 1.0:
            number = np.copysign(abs(number) ** alpha, number)
        squares += number * number
        sums[j] = number
    factor = 1.0
    if unit:
        factor = 1.0 / np.sqrt(squares) if squares > 1e-75 else 0.0
    for j in range(len(sums)):
        row[j] = sums[j] * factor


def check_alpha(alpha: Any) -> None:
    """Raise ValueError for a power that cannot work."""
    if not isinstance(alpha, int | float | np.number) or not 0 < alpha <= 1:
        raise ValueError(f"alpha must be above 0 and at most 1, got {alpha!r}")
