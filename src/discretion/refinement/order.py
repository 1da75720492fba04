"""The order of several systems by refinement."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Any

from discretion.adversaries.gains import Gain, identity_gain
from discretion.adversaries.priors import uniform
from discretion.channels.channel import Channel, System, as_system
from discretion.errors import InvalidValueError, TooLargeError, UnsupportedError
from discretion.measures.guesses.vulnerability import posterior_vulnerability
from discretion.notebook import Chartable, Tabular
from discretion.numerics.arrays import Reals
from discretion.refinement.nearest import TOLERANCE
from discretion.refinement.pair import ChannelPair
from discretion.refinement.refines import refines
from discretion.refinement.verdict import Refinement, Witness

Names = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Order(Tabular, Chartable):
    """Several systems in the order of refinement; ``.chart()`` draws it as a Hasse diagram.

    Parameters
    ----------
    names
        The names of the systems.
    relations
        For each two systems, in either order, whether the second refines the first.

    Examples
    --------
    >>> import discretion as dc
    >>> from discretion.refinement import compare_all
    >>> order = compare_all({p: dc.RandomizedResponse(3, p=float(p)) for p in ("0.9", "0.7", "0.8")})
    >>> order.covers
    ((('0.9',), ('0.8',)), (('0.8',), ('0.7',)))
    """

    names: tuple[str, ...]
    relations: Mapping[Names, Refinement[Witness]]

    def __repr__(self) -> str:
        return f"Order({len(self.names)} systems in {len(self.classes)} classes, {len(self.covers)} next safer)"

    @cached_property
    def classes(self) -> tuple[tuple[str, ...], ...]:
        """The systems, grouped by equal leakage to every adversary."""
        classes: dict[str, tuple[str, ...]] = {}
        for name in self.names:
            alike = (other for other in self.names if other == name or self._same(name, other))
            classes.setdefault(min(members := tuple(alike), key=self.names.index), members)
        return tuple(classes.values())

    @cached_property
    def covers(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """The edges of the Hasse diagram: each class with each class that is next safer."""
        below = {
            (low[0], high[0])
            for low, high in permutations(self.classes, 2)
            if self.relations[low[0], high[0]].holds is True
        }
        middle = [members[0] for members in self.classes]
        return tuple(
            (low, high)
            for low, high in permutations(self.classes, 2)
            if (low[0], high[0]) in below and not any((low[0], m) in below and (m, high[0]) in below for m in middle)
        )

    @cached_property
    def incomparable(self) -> tuple[Names, ...]:
        """The pairs of systems of which neither refines the other: neither is safer against every adversary."""
        return tuple(two for two in self._pairs if all(each.holds is False for each in self._both(two)))

    @cached_property
    def undecided(self) -> Mapping[Names, str]:
        """The pairs of systems with an undecided verdict, and the reason."""
        return {
            two: next(each.reason for each in self._both(two) if each.holds is None)
            for two in self._pairs
            if any(each.holds is None for each in self._both(two))
        }

    @property
    def _pairs(self) -> list[Names]:
        return [two for two in permutations(self.names, 2) if self.names.index(two[0]) < self.names.index(two[1])]

    def _both(self, two: Names) -> tuple[Refinement[Witness], Refinement[Witness]]:
        return self.relations[two], self.relations[two[1], two[0]]

    def _same(self, name: str, other: str) -> bool:
        return all(each.holds is True for each in self._both((name, other)))

    def to_dict(self) -> dict[str, Any]:
        """Return the order as a dictionary for JSON."""
        return {
            "classes": [list(members) for members in self.classes],
            "covers": [{"refined": list(low), "by": list(high)} for low, high in self.covers],
            "incomparable": [
                {"pair": list(two), "gaps": [each.to_dict()["gap"] for each in self._both(two)]}
                for two in self.incomparable
            ],
            "undecided": [{"pair": list(two), "reason": reason} for two, reason in self.undecided.items()],
        }


def compare_all(systems: Mapping[str, System]) -> Order:
    """Compare all pairs of several systems by refinement.

    Parameters
    ----------
    systems
        The systems by name, at least one; with the same secrets, as for `discretion.refines`.

    Returns
    -------
    Order
        With the proof for each two systems. Proofs carry over: two post-processings in a row are one, and an adversary
        that proves one pair not to hold can prove others. Pairs that are undecided or too large are in ``undecided``.

    Raises
    ------
    InvalidValueError, UnsupportedError
        If there is no system, or the systems have no names.

    Examples
    --------
    >>> import discretion as dc
    >>> found = compare_all({"half": dc.Channel([[1, 0], [0.5, 0.5]]), "response": dc.RandomizedResponse(2, p=0.75)})
    >>> found.incomparable
    (('half', 'response'),)
    """
    if not isinstance(systems, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UnsupportedError(f"systems must be a mapping from names to systems, got {type(systems).__name__}")
    if not systems:
        raise InvalidValueError("a comparison needs at least one system, got none")
    channels: dict[str, System] = {name: _written_out(system) for name, system in systems.items()}
    k = next(iter(channels.values())).secrets
    adversaries: list[tuple[Reals, Gain]] = [(uniform(k), identity_gain(k))]
    relations: dict[Names, Refinement[Witness]] = {}
    # Neighbours first: what is further apart then often follows.
    ranked = sorted(channels, key=lambda name: _guess(channels[name]))
    for first, second in sorted(
        permutations(channels, 2), key=lambda two: abs(ranked.index(two[0]) - ranked.index(two[1]))
    ):
        relation = _known(first, second, channels, relations, adversaries)
        if relation is None:
            relation = refines(channels[first], channels[second])
        relations[first, second] = relation
        if isinstance(relation.witness, Witness):
            adversaries.append((relation.witness.prior, relation.witness.gain))
    return Order(tuple(channels), relations)


def _written_out(system: System) -> System:
    """Return the explicit channel, once for all pairs, or the system itself if its channel is too large."""
    try:
        return as_system(system).channel()
    except TooLargeError:
        return system


def _guess(system: System) -> float:
    return float(posterior_vulnerability(system)) if isinstance(system, Channel) else 0.0


def _known(
    first: str,
    second: str,
    channels: Mapping[str, System],
    relations: Mapping[Names, Refinement[Witness]],
    adversaries: list[tuple[Reals, Gain]],
) -> Refinement[Witness] | None:
    """Return the relation, if it follows from the proofs of other pairs."""
    if not all(isinstance(channels[name], Channel) for name in (first, second)):
        return None
    pair = ChannelPair(channels[first], channels[second])
    for prior, gain in adversaries:
        if (witness := pair.evaluate_witness(prior, gain)).gap > pair.allowed:
            return Refinement(False, witness=witness)
    for middle in channels:
        steps = [relations.get(step) for step in ((first, middle), (middle, second))]
        factors = [each.certificate.factor for each in steps if each is not None and each.certificate is not None]
        if len(factors) == 2:
            certificate = pair.evaluate_factor(factors[0].matrix @ factors[1].matrix)
            if certificate.residual <= TOLERANCE:
                return Refinement(True, certificate=certificate)
    return None
