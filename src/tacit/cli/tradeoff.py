"""``tacit compare --chart``: what mechanisms keep private and what their reports are worth, as ε varies."""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import tacit as tc
from tacit.channels import System
from tacit.cli.options import as_family, as_numbers
from tacit.cli.output import Progress
from tacit.errors import InvalidValueError
from tacit.mechanisms import Mechanism, RandomizedResponse

EPSILONS = (0.25, 0.5, 1.0, 2.0, 4.0)
FORMATS = ("svg", "png", "pdf", "html")

# Beyond, an explicit channel takes minutes.
MOST_VALUES = 10

Point = dict[str, Any]


def has_worth(system: System) -> bool:
    """Whether what a report is worth takes no more than a second or so."""
    return isinstance(system, RandomizedResponse) or 2 <= system.secrets <= MOST_VALUES


def as_chart_format(path: str) -> str:
    """Return the format that a file's name asks for."""
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        raise InvalidValueError(f"--chart must name a file that ends in .{', .'.join(FORMATS)}, got {path}")
    return suffix


def as_epsilons(text: str) -> list[float]:
    """Return the ε at which curves have their points."""
    epsilons = as_numbers(text, "--epsilons", float)
    for epsilon in epsilons:
        if not 0 < epsilon < math.inf:
            raise InvalidValueError(f"--epsilons must be above 0 and finite, got {epsilon:g}")
    return epsilons


def check_drawable(systems: Iterable[System], users: int | None) -> None:
    """Refuse mechanisms of which there is nothing to draw."""
    given = list(systems)
    if not any(map(has_worth, given)) and (users is None or not any(isinstance(system, Mechanism) for system in given)):
        raise InvalidValueError(
            f"there is nothing to draw: a report's worth is drawn for krr and for up to {MOST_VALUES} values, and with "
            "--users N the standard error of mechanisms that are not a channel:FILE"
        )


class Tradeoff:
    """The points of the curves of mechanisms, each at the same ε and at its own."""

    def __init__(
        self, systems: Mapping[str, System], epsilons: Iterable[float], users: int | None, rng: int | None
    ) -> None:
        self._systems, self._users, self._rng = systems, users, rng
        self._own = {name: tc.ldp_epsilon(system) for name, system in systems.items()}
        self._epsilons = sorted({*epsilons, *(epsilon for epsilon in self._own.values() if 0 < epsilon < math.inf)})

    def curves(self, progress: Progress) -> dict[str, list[Point]]:
        """Return the points of each mechanism in the order of ε, the one that was given marked."""
        return {name: self._curve(name, progress) for name in self._systems}

    def best(self, progress: Progress) -> list[Point] | str:
        """Return the points of the best mechanism under each ε, or why there are none."""
        sizes = {system.secrets for system in self._systems.values()}
        if len(sizes) > 1:
            return "the mechanisms have different numbers of values"
        (k,) = sizes
        if not 2 <= k <= MOST_VALUES:
            return f"the best mechanism is looked for among up to {MOST_VALUES} values"
        return [self._best(k, epsilon, progress) for epsilon in self._epsilons]

    def _curve(self, name: str, progress: Progress) -> list[Point]:
        system, own = self._systems[name], self._own[name]
        mechanisms = {own: system}
        try:
            family = as_family(name)
        except InvalidValueError:  # no ε that could vary
            pass
        else:
            mechanisms |= {epsilon: family(epsilon) for epsilon in self._epsilons if epsilon != own}
        points: list[Point] = []
        for epsilon in sorted(mechanisms):
            progress(f"{name}: ε = {epsilon:g}")
            points.append(self._point(epsilon, mechanisms[epsilon]) | {"given": epsilon == own})
        return points

    def _point(self, epsilon: float, system: System) -> Point:
        point: Point = {"epsilon": epsilon, "worst_case_privacy": tc.worst_case_privacy(system)}
        if system.secrets > 1:
            point["average_privacy"] = tc.average_privacy(system)
        if has_worth(system):
            point["effective_participation"] = tc.effective_participation(system, rng=self._rng)
        if self._users is not None and isinstance(system, Mechanism):
            point["frequency_error"] = tc.frequency_error(system, self._users)._asdict()
        return point

    def _best(self, k: int, epsilon: float, progress: Progress) -> Point:
        progress(f"the best of all mechanisms: ε = {epsilon:g}")
        design = tc.optimal_mechanism(k, epsilon=epsilon, rng=self._rng)
        return self._point(epsilon, design.mechanism) | {"gap": design.gap}
