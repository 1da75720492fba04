"""The privacy of mechanisms and the utility of their reports as ε varies."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import discretion as dc
from discretion.channels import System
from discretion.errors import InvalidValueError
from discretion.jobs.monitor import Monitor
from discretion.mechanisms import own_measures, reporting
from discretion.spelling import family_of
from discretion.spelling.numbers import numbers_of

# The most values of a mechanism whose utility is drawn: with more, a channel takes minutes.
MAX_VALUES_DRAWN = 10

EPSILONS = (0.25, 0.5, 1.0, 2.0, 4.0)


Point = dict[str, Any]


def has_worth(system: System) -> bool:
    """Return whether the utility of a report is computed within about a second."""
    return 2 <= system.secrets <= MAX_VALUES_DRAWN or reporting(system).response is not None


def epsilons_of(text: str) -> list[float]:
    """Return the ε of the points of curves."""
    epsilons = numbers_of(text, "--epsilons", float)
    for epsilon in epsilons:
        if not 0 < epsilon < math.inf:
            raise InvalidValueError(f"--epsilons must be above 0 and finite, got {epsilon:g}")
    return epsilons


def is_drawable(systems: Iterable[System], users: int | None) -> bool:
    """Return whether one of the mechanisms has something to draw."""
    return any(has_worth(system) or "frequency_error" in own_measures(system, users) for system in systems)


def check_drawable(systems: Iterable[System], users: int | None) -> None:
    """Raise an error if none of the mechanisms has anything to draw."""
    if not is_drawable(systems, users):
        raise InvalidValueError(
            f"there is nothing to draw: the utility of a report is drawn for krr and for up to {MAX_VALUES_DRAWN} "
            "values, and with --users N the standard error of mechanisms other than channel:FILE"
        )


@dataclass(frozen=True)
class Tradeoff:
    """The points of each mechanism's curve by ε, and those of the best mechanism, or the reason why there are none."""

    curves: Mapping[str, Sequence[Point]]
    best: Sequence[Point] | str


def tradeoff(
    systems: Mapping[str, System], epsilons: Iterable[float], users: int | None, rng: int | None, monitor: Monitor
) -> Tradeoff:
    """Return the curves of mechanisms by their spelling, at common ε and at each one's own ε (marked as given)."""
    drawn = _Drawn(systems, epsilons, users, rng, monitor)
    return Tradeoff({name: drawn.curve(name) for name in systems}, drawn.best())


class _Drawn:
    """The computation of the points of a chart."""

    def __init__(
        self,
        systems: Mapping[str, System],
        epsilons: Iterable[float],
        users: int | None,
        rng: int | None,
        monitor: Monitor,
    ) -> None:
        self._systems, self._users, self._rng, self._monitor = systems, users, rng, monitor
        with monitor.step("where the mechanisms are"):
            self._own = {name: dc.ldp_epsilon(system) for name, system in systems.items()}
        self._epsilons = sorted({*epsilons, *(epsilon for epsilon in self._own.values() if 0 < epsilon < math.inf)})

    def curve(self, name: str) -> list[Point]:
        """Return the points of a mechanism, with the given one marked."""
        system, own = self._systems[name], self._own[name]
        mechanisms: dict[float, System] = {own: system}
        try:
            family = family_of(name)
        except InvalidValueError:  # no ε that could vary
            pass
        else:
            mechanisms |= {epsilon: family(epsilon) for epsilon in self._epsilons if epsilon != own}
        points: list[Point] = []
        for epsilon in sorted(mechanisms):
            with self._monitor.step(f"{name}: ε = {epsilon:g}"):
                points.append(self._point(epsilon, mechanisms[epsilon]) | {"given": epsilon == own})
        return points

    def best(self) -> list[Point] | str:
        """Return the points of the best mechanism at each ε, or the reason why there are none."""
        sizes = {system.secrets for system in self._systems.values()}
        if len(sizes) > 1:
            return "the mechanisms have different numbers of values"
        (k,) = sizes
        if not 2 <= k <= MAX_VALUES_DRAWN:
            return f"the best mechanism is computed for 2 to {MAX_VALUES_DRAWN} values only"
        return [self._best(k, epsilon) for epsilon in self._epsilons]

    def _point(self, epsilon: float, system: System) -> Point:
        point: Point = {"epsilon": epsilon, "worst_case_privacy": dc.information.worst_case_privacy(system)}
        if system.secrets > 1:
            point["average_privacy"] = dc.information.average_privacy(system)
        if has_worth(system):
            point["effective_participation"] = dc.information.effective_participation(system, rng=self._rng)
        if (error := own_measures(system, self._users).get("frequency_error")) is not None:
            point["frequency_error"] = error()
        return point

    def _best(self, k: int, epsilon: float) -> Point:
        with self._monitor.step(f"the best of all mechanisms: ε = {epsilon:g}"):
            design = dc.optimal_mechanism(k, epsilon=epsilon, rng=self._rng)
            return self._point(epsilon, design.mechanism) | {"gap": design.gap}
