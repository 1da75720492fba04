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
