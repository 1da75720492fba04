"""Certified bounds of the Bayes security, for systems with too many pairs of secrets to compare."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal

from discretion.channels.channel import System
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.measures.measure import Method, Plan, as_plain, measure
from discretion.numerics.distances.l1_bounds import Bracket, Rows, around_first, around_mean, by_l2, by_pivots

Way = Literal["pivots", "mean row", "first row", "l2"]

_WAYS: Mapping[str, tuple[str, Callable[[Rows], Bracket]]] = MappingProxyType(
    {
        "pivots": ("the triangle inequality through rows far apart (Bayes-sec VII-D)", by_pivots),
        "mean row": ("the furthest row from the mean row (Bayes-sec Proposition 5)", around_mean),
        "first row": ("the furthest row from the first one (Bayes-sec Proposition 5)", around_first),
        "l2": ("the largest Euclidean distance of rows (Bayes-sec VII-C)", by_l2),
    }
)
# Those that take time linear in the secrets.
_LINEAR = ("pivots", "mean row")


@measure(safe="low")
def bayes_security_bounds(system: System, by: Way | None = None) -> Plan[Estimate]:
    """Return certified bounds of the least Bayes security β*.

    With d the largest L1 distance of a row to a point q, ``1 - d <= β*``, and ``β* <= 1 - d/2`` if q is in the convex
    hull of the rows; with e the largest Euclidean distance of two of m-columned rows, ``1 - √m e/2 <= β* <= 1 - e/2``;
    and through any row p, ``1 - TV(a, p) - TV(p, b) <= β(a, b)``.

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system with k secrets and m observations.
    by
        ``"mean row"`` or ``"first row"`` as q; ``"pivots"``, up to 64 rows far from one another; ``"l2"``, whose time
        is quadratic in k. None takes the better of the bounds by mean row and by pivots, in time O(k m).

    Returns
    -------
    Estimate
        Certified, in [0, 1]. Its value is the lower bound, which never overstates the security.

    Raises
    ------
    InvalidValueError
        If ``by`` is not one of these.

    Notes
    -----
    Source: Bayes-sec, section VII-C, Proposition 5, and section VII-D. `bayes_security` is exact.

    Examples
    --------
    >>> import discretion as dc
    >>> bounds = bayes_security_bounds(dc.RandomizedResponse(10, epsilon=0.5), by="mean row")
    >>> round(bounds.low, 4), round(bounds.high, 4)
    (0.8903, 0.9452)
    """
    if by is not None and by not in tuple(_WAYS):
        raise InvalidValueError(f"by must be {', '.join(map(repr, _WAYS))} or None, got {by!r}")
    plain = as_plain(system)
    chosen = _LINEAR if by is None else (by,)
    names = " and ".join(_WAYS[name][0] for name in chosen)
    return Plan(Method(names, "bound"), lambda: _best(plain.channel().storage, chosen))


def _best(rows: Rows, ways: tuple[str, ...]) -> Estimate:
    bounds = {name: _WAYS[name][1](rows) for name in ways}
    least, most = (max(bounds, key=lambda name: bounds[name].least), min(bounds, key=lambda name: bounds[name].most))
    high = _security(bounds[least].least)
    low = min(high, _security(bounds[most].most))
    methods = {f"low: {_WAYS[most][0]}", f"high: {_WAYS[least][0]}"} if most != least else {_WAYS[least][0]}
    return Estimate(low, low, high, None, "; ".join(sorted(methods, reverse=True)))


def _security(distance: float) -> float:
    return min(1.0, max(0.0, 1 - distance / 2))
