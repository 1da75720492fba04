"""Numbers that must not be estimates."""

from fractions import Fraction

from discretion.estimate import Estimate

Answer = float | Fraction | Estimate


def exact(result: Answer) -> float:
    """Return a number that must be exact."""
    if isinstance(result, Estimate):
        raise TypeError(f"an exact number is needed here, got {result}")
    return float(result)
