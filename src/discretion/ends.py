"""What two ends of a bound say of the number between them."""

import math
from typing import Literal

End = Literal["low", "high"]

# The relative error of a float.
PROMISED = 1e-10
# The ends of an interval that still have a middle: at most this factor, and this share of the possible range, apart.
_MAX_RATIO, _MAX_SHARE = 2.0, 0.1


def are_far_apart(low: float, high: float, span: float = math.inf) -> bool:
    """Return whether two ends are too far from each other for a number between them to say anything.

    Examples
    --------
    >>> are_far_apart(0.5, 0.7), are_far_apart(0.5, 0.7, span=1.0), are_far_apart(0.0, 1e-9)
    (False, True, True)
    >>> are_far_apart(0.5, math.inf), are_far_apart(math.inf, math.inf)
    (True, False)
    """
    if are_alike(low, high):
        return False
    smaller, larger = sorted((abs(low), abs(high)))
    return low <= 0 <= high or larger > _MAX_RATIO * smaller or high - low > _MAX_SHARE * span


def quoted(value: float, low: float, high: float, safe: End, span: float = math.inf) -> float:
    """Return the number to quote of certified ends: a value between close ones, else the safe end."""
    if not are_far_apart(low, high, span):
        return min(high, max(low, value))
    near = low if safe == "low" else high
    return value if low <= value <= high and are_alike(value, near) else near


def are_alike(value: float, other: float) -> bool:
    """Return whether two numbers are the same but for what a float may have lost.

    Examples
    --------
    >>> are_alike(0.5, 0.5 + 1e-13), are_alike(0.5, math.inf), are_alike(math.inf, math.inf)
    (True, False, True)
    """
    off = abs(value - other) if value != other else 0.0
    return off < math.inf and off <= max(1e-12, PROMISED * max(abs(value), abs(other)))


def other_end(end: End) -> End:
    """Return the end across from this one."""
    return "low" if end == "high" else "high"
