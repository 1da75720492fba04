"""The protocols that the paper compares, by its names for them."""

from collections.abc import Callable, Mapping

import tacit as tc

Family = Callable[[int, float], tc.RandomizedResponse | tc.UnaryEncoding]

ENCODINGS: Mapping[str, Callable[[int, float], tc.UnaryEncoding]] = {
    "basic RAPPOR": tc.UnaryEncoding.rappor,
    "OUE": tc.UnaryEncoding.oue,
    "BLH": tc.UnaryEncoding.blh,
}
PROTOCOLS: Mapping[str, Family] = {"GRR": tc.RandomizedResponse, **ENCODINGS}

# Where numbers are sampled, the same ones are printed every time.
SEED = 2020


def exact(result: float | tc.Estimate) -> float:
    """Return a number that must be exact."""
    if isinstance(result, tc.Estimate):
        raise TypeError(f"an exact number is needed here, got {result}")
    return result
