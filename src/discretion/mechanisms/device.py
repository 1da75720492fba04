"""What a device needs to make a report by itself: coins as exact thresholds, and how much work a report is."""

from typing import NamedTuple


class DeviceWork(NamedTuple):
    """The work that one report takes on a device, at most but for numbers that are drawn again.

    ``random_draws`` counts flips of a coin and uniform whole numbers.
    """

    random_draws: int
    hash_evaluations: int = 0


def coin(one: float, zero: float) -> dict[str, int | str]:
    """Return a coin with these probabilities of its faces, as a device flips it without floating-point numbers.

    The device draws as many random bytes as the threshold has. The rarer face comes up if they are below it, both as
    big-endian numbers; so its probability is exactly the threshold over 256 to the power of its bytes, which is the
    double given. An empty threshold is a face that never comes up. `discretion.numerics.draws.coin_flips` flips the
    same coin.

    Parameters
    ----------
    one, zero
        The probabilities of both faces, of which the smaller one is taken.

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
