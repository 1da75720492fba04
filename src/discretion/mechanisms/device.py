"""The recipe of a device that makes a report by itself: coins as exact thresholds, and the work of a report."""

from typing import NamedTuple


class DeviceWork(NamedTuple):
    """The most work that one report takes on a device, not counting draws that are rejected and repeated.

    ``random_draws`` is the number of coin flips and uniform whole numbers.
    """

    random_draws: int
    hash_evaluations: int = 0


def coin(one: float, zero: float) -> dict[str, int | str]:
    """Return a coin with these probabilities of its faces, which a device can flip without floating-point numbers.

    The device draws as many random bytes as the threshold has. The rarer face comes up if these bytes are below the
    threshold, both read as big-endian numbers. So its probability is exactly the threshold over 256 to the power of the
    number of bytes, which equals the given double. An empty threshold means that the rarer face never comes up.
    `discretion.numerics.draws.coin_flips` flips the same coin.

    Parameters
    ----------
    one, zero
        The probabilities of the two faces; the threshold comes from the smaller one.

    Returns
    -------
    dict
        ``rarer_face``, 0 or 1, and ``threshold``, in hex.

    Examples
    --------
    >>> coin(0.75, 0.25), coin(0.0, 1.0)
    ({'rarer_face': 0, 'threshold': '40'}, {'rarer_face': 1, 'threshold': ''})
    """
    digits, rest = bytearray(), min(one, zero)
    while rest > 0:  # scaling by 256 rounds none of a double's digits away
        digits.append(int(256 * rest))
        rest = 256 * rest - digits[-1]
    return {"rarer_face": int(zero >= one), "threshold": digits.hex()}
