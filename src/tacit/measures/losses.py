"""The privacy loss between two laws, on a grid that tells no less and on one that tells no more.

The loss of an observation is ``log dQ/dP``, and ``∫ max(0, Q - e^ε P) = E_Q max(0, 1 - e^(ε - loss))`` is convex in
``e^-loss`` and falls with it. So two laws on a grid bracket the true one, for sums of losses too:

- above, the masses of P and Q in each cell are split between its two ends so that both are kept: of that pair, which
  tells more, the true one is a noisy copy (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi, "Connect the dots", PoPETs
  2022);
- below, all outputs in the cell around each point are merged, and with them so much of a neighbouring cell as makes the
  loss that of the point: a noisy copy of the true pair. Where no neighbour has as much, the loss is rounded down.

Both errors are of second order in the step of the grid.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property, singledispatch
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.channels.channel import System
from tacit.numerics.laws.lattice_sums import Lattice

Reals = NDArray[np.float64]

# Into how many cells losses are cut to learn roughly how they are spread.
_SKETCHED = 1 << 9
# How often a cell is moved to where its loss is.
_RESTING = 12
# By how much of a step a loss may be rounded up.
ROUNDED_UP = 1e-9


class Cells(NamedTuple):
    """What Q has below the first edge and, from each edge to the next, Q and ``e^edge P``; the last cell has no end."""

    below: float
    q: Reals
    scaled_p: Reals


class Losses(ABC):
    """The loss ``log dQ/dP`` under Q, where P and Q are what two secrets make an observer see in one use."""

    @property
    @abstractmethod
    def largest(self) -> float:
        """The largest loss, or infinity."""

    @property
    def anchor(self) -> float:
        """A loss that a grid should have, since much mass may be there."""
        return 0.0

    @property
    def piles_up(self) -> int:
        """-1 where there is much mass next to the least loss, 1 where next to the largest, else 0."""
        return 0

    @property
    def atoms(self) -> tuple[Reals, Reals]:
        """Losses that have a mass of their own, from the least on, and their masses."""
        return np.zeros(0), np.zeros(0)

    @property
    def gap(self) -> float | None:
        """How far atoms are apart."""
        return None

    @abstractmethod
    def excess(self, epsilon: float) -> float:
        """Return ``∫ max(0, Q - e^ε P)`` for ε >= 0."""

    @abstractmethod
    def reach(self, negligible: float) -> tuple[float, float]:
        """Return a loss below which, and one above which, Q has no more than what is negligible."""

    @abstractmethod
    def cells(self, edges: Reals) -> Cells:
        """Return what both laws have between these losses but for the atoms."""

    def sketch(self) -> tuple[Reals, Reals]:
        """Return some losses and their masses, which are roughly those of all."""
        edges = self.spread()
        found = self.cells(edges)
        possible = found.q > 0
        ends = np.append(edges[1:], edges[-1])[possible]
        with np.errstate(divide="ignore"):
            inside = edges[possible] + np.log(found.q[possible]) - np.log(found.scaled_p[possible])
        losses, masses = self.atoms
        return np.append(np.minimum(inside, ends), losses), np.append(found.q[possible], masses)

    def spread(self) -> Reals:
        """Return losses at which the whole law can be cut to be sketched."""
        return np.linspace(*self.reach(0.0), _SKETCHED, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class LatticeLosses(Losses):
    """Losses that are ``offset + (first + i) · step``, with the masses of Q."""

    masses: Reals
    first: int
    step: float
    offset: float = 0.0

    @classmethod
    def from_half_steps(cls, masses: Reals, first: int, step: float) -> "LatticeLosses":
        """Return losses of which the first one is so many half steps."""
        return cls(masses, first // 2, step, first % 2 * step / 2)

    @cached_property
    def losses(self) -> Reals:
        """All losses."""
        return self.offset + self.step * (self.first + np.arange(self.masses.size, dtype=np.float64))

    @property
    def largest(self) -> float:
        """The last loss."""
        return float(self.losses[-1])

    @property
    def anchor(self) -> float:
        """The last loss."""
        return self.largest

    @property
    def atoms(self) -> tuple[Reals, Reals]:
        """All losses, and their masses."""
        return self.losses, self.masses

    @property
    def gap(self) -> float:
        """The step of the lattice."""
        return self.step

    def excess(self, epsilon: float) -> float:
        """Return ``∫ max(0, Q - e^ε P)`` for ε >= 0."""
        return -float(self.masses @ np.expm1(np.minimum(epsilon - self.losses, 0.0)))

    def reach(self, negligible: float) -> tuple[float, float]:
        """Return a loss below which, and one above which, Q has no more than what is negligible."""
        first = int(np.searchsorted(np.cumsum(self.masses), negligible))
        last = int(np.searchsorted(np.cumsum(self.masses[::-1]), negligible))
        return float(self.losses[first]), float(self.losses[-1 - last])

    def cells(self, edges: Reals) -> Cells:
        """Return what both laws have between these losses, the atoms included."""
        places = np.searchsorted(edges, self.losses, side="right") - 1
        inside = places >= 0
        places, q = places[inside], self.masses[inside]
        scaled = q * np.exp(edges[places] - self.losses[inside])
        below = float(self.masses[~inside].sum())
        return Cells(below, *(np.asarray(np.bincount(places, w, edges.size), dtype=np.float64) for w in (q, scaled)))

    def sketch(self) -> tuple[Reals, Reals]:
        """Return some losses and their masses, which are roughly those of all."""
        starts = np.arange(0, self.masses.size, 1 + self.masses.size // 4096)
        masses, moments = (np.add.reduceat(weights, starts) for weights in (self.masses, self.masses * self.losses))
        return np.where(masses > 0, moments / np.where(masses > 0, masses, 1.0), self.losses[starts]), masses


def told_sometimes(epsilon: float, share: float) -> LatticeLosses:
    """Return the losses ε, 0 and -ε of what shows the second of two secrets so often, the first less, or nothing."""
    other = share * math.exp(-epsilon)
    return LatticeLosses(np.array([other, max(0.0, 1 - share - other), share]), -1, epsilon)


@singledispatch
def leakiest_losses(system: System) -> LatticeLosses | None:
    """Return the losses, alike both ways, of two secrets of which those of any other two are noisy copies, if known."""
    return None


class GridLaw(NamedTuple):
    """A law of the losses ``offset + place · step``, and what Q has at an infinite loss, or at minus infinity."""

    lattice: Lattice
    offset: float
    step: float
    infinite: float = 0.0
    lost: float = 0.0


def exactly(losses: LatticeLosses) -> GridLaw:
    """Return the law of losses that are on a lattice, which is itself."""
    return GridLaw(Lattice(losses.masses, losses.first), losses.offset, losses.step)


def above(losses: Losses, step: float, negligible: float) -> GridLaw:
    """Return a law that tells no less than the losses do."""
    first, edges = _grid(losses, losses.anchor, step, negligible)
    found = _cells(losses, edges)
    q, scaled = found.q[:-1], found.scaled_p[:-1]
    up = np.clip((q - scaled) / -math.expm1(-step), 0.0, q)
    masses = np.append(q - up, min(found.scaled_p[-1], found.q[-1]))
    masses[1:] += up
    masses[0] += found.below
    atoms, weights = _atoms(losses, step)
    beyond = atoms > edges[-1]
    infinite = float(max(0.0, found.q[-1] - found.scaled_p[-1]) + weights[beyond].sum())
    atoms, weights = atoms[~beyond], weights[~beyond]
    places = np.clip(np.floor((atoms - losses.anchor) / step).astype(np.int64) - first, 0, edges.size - 2)
    up = weights * np.clip(np.expm1(np.minimum(edges[places] - atoms, 0.0)) / math.expm1(-step), 0.0, 1.0)
    masses += np.bincount(places, weights - up, masses.size) + np.bincount(places + 1, up, masses.size)
    return GridLaw(Lattice(masses, first, infinite), losses.anchor, step, infinite=infinite)


def below(losses: Losses, step: float, negligible: float) -> GridLaw:
    """Return a law that tells no more than the losses do."""
    anchor = _resting(losses, step)
    first, points = _grid(losses, anchor, step, negligible)
    found = _cells(losses, points - step / 2)
    q, scaled = found.q, found.scaled_p  # the last cell has no end: so its loss is rounded down
    surplus = q - math.exp(step / 2) * scaled
    higher = np.append(q[1:] - math.exp(-step / 2) * scaled[1:], 0.0)
    lower = np.append(0.0, math.exp(1.5 * step) * scaled[:-1] - q[:-1])
    falls_short = surplus < 0
    with np.errstate(divide="ignore", invalid="ignore"):
        taken = np.abs(surplus) / np.where(falls_short, higher, lower)
    settled = np.isfinite(taken) & (taken <= 0.5)
    from_above, from_below = (np.where(settled & sign, taken, 0.0) for sign in (falls_short, ~falls_short))
    given = np.append(0.0, from_above[:-1]) + np.append(from_below[1:], 0.0)
    from_below *= 1 - given  # of less of its own, a cell needs less of a neighbour's; from above, more does no harm
    kept = 1 - np.append(0.0, from_above[:-1]) - np.append(from_below[1:], 0.0)
    own = kept * q
    masses = np.append(0.0, np.where(settled | ~falls_short, own, 0.0))
    masses[:-1] += np.where(settled | ~falls_short, 0.0, own)
    masses[1:-1] += (from_above * np.append(q[1:], 0.0))[:-1]
    masses[2:] += (from_below * np.append(0.0, q[:-1]))[1:]
    atoms, weights = _atoms(losses, step)
    places = np.floor((atoms - anchor) / step + ROUNDED_UP).astype(np.int64) - first
    kept = places >= 0
    lost = found.below + float(weights[~kept].sum())
    masses += np.bincount(np.minimum(places[kept], points.size - 1) + 1, weights[kept], masses.size)
    return GridLaw(Lattice(masses, first - 1, lost), anchor, step, lost=lost)


def _grid(losses: Losses, anchor: float, step: float, negligible: float) -> tuple[int, Reals]:
    """Return the points of the grid and the first one's place, counted from the anchor."""
    least, largest = losses.reach(negligible)
    first, last = math.floor((least - anchor) / step - 2), math.ceil((largest - anchor) / step + 1)
    points: Reals = anchor + step * np.arange(first, last + 1, dtype=np.float64)
    return first, points


def _resting(losses: Losses, step: float) -> float:
    """Return a point that is the loss of the cell around it, where mass piles up and no cell beyond can make it so."""
    point = losses.anchor
    for _ in range(_RESTING * abs(losses.piles_up)):
        edges = point + losses.piles_up * -step / 2 - np.array([4 * step, 0.0] if losses.piles_up < 0 else [0.0])
        found = losses.cells(edges)
        if found.q[0] <= 0 or found.scaled_p[0] <= 0:
            return losses.anchor
        point = float(edges[0]) + math.log(found.q[0] / found.scaled_p[0]) - ROUNDED_UP * step
    return point


def _on_cells(losses: Losses, step: float) -> bool:
    return not isinstance(losses, LatticeLosses) or losses.step < 2 * step


def _cells(losses: Losses, edges: Reals) -> Cells:
    if _on_cells(losses, float(edges[1] - edges[0])):
        return losses.cells(edges)
    return Cells(0.0, np.zeros(edges.size), np.zeros(edges.size))


def _atoms(losses: Losses, step: float) -> tuple[Reals, Reals]:
    if isinstance(losses, LatticeLosses) and _on_cells(losses, step):
        return np.zeros(0), np.zeros(0)
    return losses.atoms
