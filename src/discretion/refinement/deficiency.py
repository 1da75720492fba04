"""Le Cam's deficiency: the most that an adversary gains more from one system than from another."""

from discretion.channels.channel import System
from discretion.estimate import Estimate, quantity, settled
from discretion.refinement.nearest import TOLERANCE, Nearest
from discretion.refinement.pair import ChannelPair

_METHOD = "linear program of the nearest factor, with both bounds evaluated again"


@quantity
def deficiency(C: System, D: System) -> float | Estimate:
    """Return Le Cam's deficiency of C: the most that an adversary with gains in [0, 1] gains more from D than from C.

    ``δ(C, D) = min_R max_x TV((C R)_x, D_x) = max_{π, 0 <= g <= 1} V_g[π ▷ D] - V_g[π ▷ C]``

    Parameters
    ----------
    C, D
        As for `discretion.refines`.

    Returns
    -------
    float or Estimate
        In [0, 1]. It is 0 exactly if ``C ⊑ D`` by `discretion.refines`: then no adversary gains more from D than from
        C. The most that an adversary gains more from C is ``deficiency(D, C)``. The result is a certified `Estimate` if
        rounding keeps the bounds further apart than the precision of a float: its upper bound is the total variation
        that remains with a channel R, its lower bound is the gain of an adversary.

    Notes
    -----
    Le Cam, 1964. By the minimax theorem both expressions are equal: they are the two sides of a linear program.

    Examples
    --------
    >>> import discretion as dc
    >>> C, D = dc.RandomizedResponse(3, p=0.9), dc.RandomizedResponse(3, p=0.8)
    >>> deficiency(C, D), round(deficiency(D, C), 12)
    (0.0, 0.1)
    """
    pair = ChannelPair(C, D)
    nearest = pair.nearest
    nearest.search(_is_settled)
    high = float(pair.certificate(nearest.factor).residual)
    if high <= TOLERANCE:
        return 0.0
    low = max(0.0, float(pair.witness(nearest.gain).gap))
    high = max(high, low)
    return settled(Estimate.between(low, high, _METHOD))


def _is_settled(nearest: Nearest) -> bool:
    return nearest.high <= TOLERANCE or (nearest.low > TOLERANCE and nearest.high - nearest.low <= TOLERANCE)
