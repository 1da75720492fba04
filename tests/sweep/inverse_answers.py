"""The ε of a δ against the δ of an ε, of every kind of system: each must hold what the other one says."""

import math
from collections.abc import Iterator
from typing import Any

import discretion as dc
from support.lowering import lowered
from sweep.channels import a_system
from sweep.draws import Draw
from sweep.question import Agreement

# What rounding may add: of a number, and next to 1; and by how much a δ that is a float may be between its bounds.
_RELATIVE, _ABSOLUTE, _SETTLED = 1e-9, 1e-12, 1e-6
# Most sums are on a grid of so few points that thousands are made in a minute: then bounds are wide, and as true.
_FEW_POINTS, _OFTEN = 1 << 13, 0.99


def questions(draw: Draw) -> Iterator[Agreement]:
    kind = draw.either(*_KINDS)
    system, few = _KINDS[kind](draw), draw.chance(_OFTEN)
    delta = draw.either(draw.delta() or 1e-9, draw.scale(1e-12, 1), 1 - draw.scale(1e-14, 0.5))
    epsilon = draw.either(draw.epsilon(), draw.between(0, 700))
    asked = f"{kind} {system!r}{' on few points' if few else ''}: "
    yield Agreement(f"{asked}dp_epsilon({delta!r}) and back", lambda: _on_grid(few, inverted, system, delta))
    yield Agreement(f"{asked}privacy_profile({epsilon!r}) and back", lambda: _on_grid(few, regained, system, epsilon))


def _on_grid(few: bool, agree: Any, *given: Any) -> str | None:
    with lowered(**{"MAX_LOSS_POINTS": _FEW_POINTS} if few else {}):
        return agree(*given)


def ends(answer: Any) -> tuple[float, float]:
    return (answer.low, answer.high) if isinstance(answer, dc.Estimate) else (float(answer), float(answer))


def inverted(system: Any, delta: float) -> str | None:
    """δ at the upper end of ε is no more than δ, and just below the lower end no less."""
    low, high = ends(found := dc.dp_epsilon(system, delta))
    after, before = 0.0, math.inf
    if math.isfinite(high):
        after = ends(dc.privacy_profile(system, high * (1 + _RELATIVE) + _ABSOLUTE))[0]
    if (below := low * (1 - _RELATIVE) - _ABSOLUTE) > 0:
        before = ends(dc.privacy_profile(system, below if math.isfinite(low) else 1e308))[1]
    if after <= delta * (1 + _SETTLED) and before >= delta * (1 - _SETTLED):
        return None
    return f"ε is {found!r}, and δ {after!r} there and {before!r} just below"


def regained(system: Any, epsilon: float) -> str | None:
    """With the δ that an ε has, no more than this ε is needed; and some more with less."""
    _, high = ends(found := dc.privacy_profile(system, epsilon))
    if high < 1e-300:
        return None
    least = ends(dc.dp_epsilon(system, min(1.0, high * (1 + _SETTLED))))[0]
    if least <= epsilon * (1 + _RELATIVE) + _ABSOLUTE:
        return None
    return f"δ is {found!r}, for which ε is {least!r} at least"


def _protocol(draw: Draw) -> Any:
    return a_system(draw, most=4)[0].answer()


def _noise(draw: Draw, most: int = 4) -> Any:
    sensitivity = draw.either(1, draw.whole(1, most))
    return draw.either(
        lambda: dc.Gaussian(draw.scale(0.05, 30) * sensitivity, sensitivity),
        lambda: dc.Laplace(draw.scale(1 / 700, 100) * sensitivity, sensitivity),
        lambda: dc.Geometric(draw.scale(1e-3, 600 / sensitivity), sensitivity),
        lambda: dc.DiscreteGaussian(draw.scale(0.05, 5), sensitivity),
    )()


def _sgd(draw: Draw) -> Any:
    rate = draw.either(draw.scale(1e-4, 1), draw.scale(1e-4, 0.1), 1 - draw.scale(1e-4, 0.5), 1.0)
    return dc.SubsampledGaussian(draw.scale(0.05, 20), rate, draw.size(1, 20_000))


def _repeated(draw: Draw) -> Any:
    return (
        dc.repeated(_protocol(draw), draw.size(1, 12))
        if draw.chance(0.3)
        else dc.repeated(_noise(draw), draw.size(1, 300))
    )


def _side_by_side(draw: Draw) -> Any:
    if draw.chance(0.3):
        k = draw.whole(2, 3)
        return dc.RandomizedResponse(k, draw.epsilon()) & dc.RandomizedResponse(k, draw.epsilon())
    first = draw.either(_sgd(draw), _of_two(draw), dc.repeated(_of_two(draw), draw.size(1, 100)))
    whole = first & draw.either(_sgd, _of_two)(draw)
    return whole & _of_two(draw) if draw.chance(0.2) else whole


def _of_two(draw: Draw) -> Any:
    return _noise(draw, most=1)


_KINDS = {
    "protocol": _protocol,
    "noise": _noise,
    "DP-SGD": _sgd,
    "repeated": _repeated,
    "side by side": _side_by_side,
}
