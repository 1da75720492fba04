"""The protocols that the paper compares, by its names for them."""

from collections.abc import Callable, Mapping

import discretion as dc

Family = Callable[[int, float], dc.RandomizedResponse | dc.UnaryEncoding]

ENCODINGS: Mapping[str, Callable[[int, float], dc.UnaryEncoding]] = {
    "basic RAPPOR": dc.UnaryEncoding.rappor,
    "OUE": dc.UnaryEncoding.oue,
    "BLH": dc.UnaryEncoding.blh,
}
PROTOCOLS: Mapping[str, Family] = {"GRR": dc.RandomizedResponse, **ENCODINGS}

# Where numbers are sampled, the same ones are printed every time.
SEED = 2020
