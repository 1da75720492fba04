"""Numbers that must not be estimates."""

from tacit.estimate import Estimate


def exact(result: float | Estimate) -> float:
    """Return a number that must be exact."""
    if isinstance(result, Estimate):
        raise TypeError(f"an exact number is needed here, got {result}")
    return result
