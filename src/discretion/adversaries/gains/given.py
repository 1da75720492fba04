"""A gain as a measure is given it."""

from discretion.adversaries.gains.gain import Gain
from discretion.adversaries.gains.identity import IdentityGain
from discretion.errors import InvalidGainError, UnsupportedError


def as_gain(gain: Gain | None, k: int) -> Gain:
    """Return the gain on k secrets; None means identity."""
    if gain is None:
        return IdentityGain(k)
    if not isinstance(gain, Gain):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UnsupportedError(
            f"gain must be None or a gain function, got {type(gain).__name__}; wrap a matrix with "
            f"discretion.gain_matrix, "
            "a function with discretion.gain_function"
        )
    if gain.secrets != k:
        raise InvalidGainError(f"the gain is over {gain.secrets} secrets and the system has {k}")
    return gain
