"""A curve of attacks against itself and the measures: what it inverts it must answer forwards, from one law."""

import math
from collections.abc import Iterator
from typing import Any

import discretion as dc
from discretion.measures.attack_curves.curve import AttackCurve
from sweep.channels import a_system
from sweep.draws import Draw
from sweep.question import Agreement

# What rounding may add: of a number, and next to 1.
_RELATIVE, _ABSOLUTE = 1e-9, 1e-11


def questions(draw: Draw) -> Iterator[Agreement]:
    kind = draw.either(*_KINDS)
    system = _KINDS[kind](draw)
    is_curve = isinstance(system, AttackCurve)
    curve = system if is_curve else dc.tradeoff(system)
    deltas = [draw.either(draw.scale(1e-300, 1), draw.scale(1e-14, 1), 1 - draw.scale(1e-13, 0.5)) for _ in range(3)]
    for delta in deltas:
        yield Agreement(f"{kind} {system!r}: epsilon({delta!r}) and back", lambda d=delta: inverted(curve, d))
    rates = [draw.either(draw.scale(1e-300, 1), draw.between(0, 1)) for _ in range(2)]
    epsilons = [draw.epsilon() for _ in range(2)]
    for rate, epsilon in zip(rates, epsilons, strict=True):
        yield Agreement(f"{kind} {system!r}: {rate!r}, {epsilon!r}", lambda r=rate, e=epsilon: above_lines(curve, r, e))
    if not is_curve:
        yield Agreement(
            f"{kind} {system!r}: beside the measures", lambda: beside(curve, system, deltas[0], epsilons[0])
        )


def ends(answer: Any) -> tuple[float, float]:
    return (answer.low, answer.high) if isinstance(answer, dc.Estimate) else (float(answer), float(answer))


def inverted(curve: AttackCurve, delta: float) -> str | None:
    """δ at the upper end of ε is no more than δ, and just below the lower end no less."""
    low, high = ends(found := curve.epsilon(delta))
    after, before = 0.0, math.inf
    if math.isfinite(high):
        after = ends(curve.delta(high * (1 + _RELATIVE) + _ABSOLUTE))[0]
    if (below := low * (1 - _RELATIVE) - _ABSOLUTE) > 0:
        before = ends(curve.delta(below if math.isfinite(low) else 1e308))[1]
    if after <= delta * (1 + _RELATIVE) and before >= delta * (1 - _RELATIVE):
        return None
    return f"ε is {found!r}, and δ {after!r} there and {before!r} just below"


def above_lines(curve: AttackCurve, rate: float, epsilon: float) -> str | None:
    """The curve is above the line of slope ``-e^ε`` that δ(ε) gives, and both of its readings agree."""
    missed, hit = curve.at(rate), curve.true_positive_rate(rate)
    if not overlap(1 - missed if isinstance(missed, dc.Estimate) else 1 - float(missed), hit):
        return f"misses {missed!r} and finds {hit!r}"
    least = 1 - ends(curve.delta(epsilon))[1] - math.exp(min(epsilon, 700.0)) * rate
    if ends(missed)[1] < least - _ABSOLUTE or not 0 <= ends(missed)[0] <= 1 - rate + _ABSOLUTE:
        return f"misses {missed!r}, which should be between {least!r} and {1 - rate!r}"
    return None


def beside(curve: AttackCurve, system: Any, delta: float, epsilon: float) -> str | None:
    """The measures say the same."""
    least = curve.epsilon(delta)
    pairs = {
        # Where the profile is flat or next to 1, a float's promise of δ leaves more than one of ε.
        "ε": (least, dc.dp_epsilon(system, delta)) if not near(system, least, delta) else (0.0, 0.0),
        "δ": (curve.delta(epsilon), dc.privacy_profile(system, epsilon)),
        "β*": (curve.bayes_security, dc.bayes_security(system)),
        "advantage": (curve.advantage, dc.privacy_profile(system, 0.0)),
    }
    faults = [f"{name} is {one!r} and {other!r}" for name, (one, other) in pairs.items() if not overlap(one, other)]
    return "; ".join(faults) or None


def near(system: Any, epsilon: Any, delta: float) -> bool:
    return math.isfinite(float(epsilon)) and overlap(dc.privacy_profile(system, float(epsilon)), delta)


def overlap(one: Any, other: Any) -> bool:
    (low, high), (least, most) = ends(one), ends(other)
    if math.inf in (low, least):
        return high == most == math.inf
    off = _RELATIVE * max(abs(low), abs(least)) + _ABSOLUTE
    return low <= most + off and least <= high + off


def _channel(draw: Draw) -> Any:
    return a_system(draw, most=4)[0].answer()


def _noise(draw: Draw) -> Any:
    ratio, epsilon = draw.either(draw.scale(1e-3, 40), draw.scale(0.01, 1e3)), draw.epsilon() or 1.0
    return draw.either(
        lambda: dc.Gaussian(1 / min(ratio, 40)),
        lambda: dc.Laplace(1 / ratio),
        lambda: dc.Geometric(epsilon, draw.whole(1, 4)),
        lambda: dc.DiscreteGaussian(draw.scale(0.1, 3), draw.whole(1, 3)),
        lambda: dc.SubsampledGaussian(draw.scale(0.3, 10), draw.scale(1e-3, 1), 1),
    )()


def _mixed(draw: Draw) -> Any:
    noise = draw.either(
        lambda: dc.Laplace(draw.scale(0.05, 20)),
        lambda: dc.Gaussian(draw.scale(0.2, 20)),
        lambda: dc.SubsampledGaussian(draw.scale(0.4, 5), draw.scale(0.01, 1), 1),
    )()
    if draw.chance(0.04):
        noise = dc.repeated(noise, draw.whole(2, 30))
    k = draw.either(2, 2, 3)
    matrix = [draw.distribution(draw.whole(2, 4))]
    matrix += [draw.distribution(len(matrix[0])) for _ in range(k - 1)]
    return draw.either(dc.RandomizedResponse(k, epsilon=draw.between(0.01, 8)), dc.Channel(matrix)) & noise


def _repeated(draw: Draw) -> Any:
    epsilon, n = draw.either(draw.scale(0.01, 500), draw.between(0.01, 6)), draw.whole(2, 6)
    return draw.either(
        lambda: dc.repeated(dc.RandomizedResponse(draw.whole(2, 5), epsilon=epsilon), n),
        lambda: dc.repeated(dc.Geometric(epsilon, 1), n),
        lambda: dc.repeated(dc.Channel([draw.distribution(3), draw.distribution(3)]), n),
        lambda: dc.RandomizedResponse(3, epsilon=epsilon) & dc.RandomizedResponse(3, epsilon=2 * epsilon),
    )()


def _crowd(draw: Draw) -> Any:
    k, n = draw.whole(2, 3), draw.whole(2, 5)
    crowd = dc.Shuffled(dc.RandomizedResponse(k, epsilon=draw.either(draw.between(0.1, 5), 300.0)), n)
    return crowd.seen_by(draw.either(dc.WorstAllButOne(), dc.AllButOne(draw.counts(n - 1, k))))


def _guarantee(draw: Draw) -> AttackCurve:
    return dc.security.tradeoff_of_dp(draw.epsilon(), draw.either(0.0, draw.scale(1e-12, 1)))


def _composed(draw: Draw) -> AttackCurve:
    matrix = [draw.distribution(3), draw.distribution(3)]
    return _guarantee(draw).compose(dc.tradeoff(dc.Channel(matrix)))


def _samples(draw: Draw) -> AttackCurve:
    size, apart, levels = draw.size(2, 500), draw.between(0, 4), draw.either(3, 1000)
    x, y = ([round(draw.rng.gauss(mean, 1) * levels) for _ in range(size)] for mean in (0, apart))
    return dc.blackbox.estimate_tradeoff(x, y)


_KINDS = {
    "channel": _channel,
    "noise": _noise,
    "mixed": _mixed,
    "repeated": _repeated,
    "crowd": _crowd,
    "guarantee": _guarantee,
    "composed": _composed,
    "samples": _samples,
}
