"""The best tests between two laws with finitely many outcomes: a polygon of false negatives over false positives.

By Neyman and Pearson's lemma the best tests accuse at the outcomes with the largest likelihood ratios: each outcome is
a segment of the curve, the steepest first, of width P and depth Q.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discretion.measures.privacy_loss.divergences import logarithms
from discretion.numerics.arrays import Reals, inner_product
from discretion.numerics.convex_hulls import Measured, lower_hull

_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Polygon:
    """Outcomes by falling likelihood ratio: the masses of P and Q at each, and ``log Q/P``."""

    p: Reals
    q: Reals
    losses: Reals

    @classmethod
    def from_logs(cls, log_p: Reals, log_q: Reals) -> "Polygon":
        """Return the best tests of Q against P, given the logarithms of both laws."""
        possible = (log_p > -math.inf) | (log_q > -math.inf)
        log_p, log_q = log_p[possible], log_q[possible]
        losses = log_q - log_p
        order = np.argsort(-losses, kind="stable")
        return cls(np.exp(log_p[order]), np.exp(log_q[order]), losses[order])

    @classmethod
    def from_steps(cls, p: Reals, q: Reals) -> "Polygon":
        """Return the polygon of segments with these widths and depths, the steepest first."""
        possible = (p > 0) | (q > 0)
        p, q = np.maximum(p[possible], 0.0), np.maximum(q[possible], 0.0)
        return cls(p, q, logarithms(q) - logarithms(p))

    @classmethod
    def from_points(cls, false_positives: Reals, false_negatives: Reals) -> "Polygon":
        """Return the lower convex hull of these points and of blind accusation, which accuses with a probability."""
        x = Measured.from_values(np.concatenate([[0.0], false_positives, [1.0]]))
        y = Measured.from_values(np.concatenate([[1.0], false_negatives, [0.0]]))
        corners = lower_hull(x, y)
        return cls.from_steps(x.steps(corners), -y.steps(corners))

    @property
    def description(self) -> str:
        """The method of computation, in a few words."""
        return f"exact, a polygon of {self.p.size:,} segments"

    @property
    def reversed(self) -> "Polygon":
        """The polygon with P and Q exchanged."""
        return Polygon(self.q[::-1], self.p[::-1], -self.losses[::-1])

    @cached_property
    def false_positives(self) -> Reals:
        """The mass of P up to each corner, from 0 on."""
        return np.append(0.0, np.cumsum(self.p))

    @cached_property
    def true_positives(self) -> Reals:
        """The mass of Q up to each corner."""
        return np.append(0.0, np.cumsum(self.q))

    @cached_property
    def false_negatives(self) -> Reals:
        """The mass of Q beyond each corner, in full relative precision."""
        return np.append(np.cumsum(self.q[::-1])[::-1], 0.0)

    @cached_property
    def true_negatives(self) -> Reals:
        """The mass of P beyond each corner."""
        return np.append(np.cumsum(self.p[::-1])[::-1], 0.0)

    def misses(self, rate: float) -> float:
        """Return the least false negatives with this rate of false positives."""
        corner, over = self._place(rate)
        misses = self.false_negatives[corner]
        return min(1.0, max(0.0, float(misses if not over else misses - over * self.q[corner])))

    def hits(self, rate: float) -> float:
        """Return the largest rate of true positives with this rate of false positives, in full relative precision."""
        corner, over = self._place(rate)
        hits = self.true_positives[corner]
        return min(1.0, max(0.0, float(hits if not over else hits + over * self.q[corner])))

    def excess(self, epsilon: float) -> float:
        """Return the larger of ``∫ max(0, Q - e^ε P)`` and ``∫ max(0, P - e^ε Q)`` for ε >= 0."""
        if math.isinf(epsilon):
            return min(
                1.0, max(float(self.q[self.losses == math.inf].sum()), float(self.p[self.losses == -math.inf].sum()))
            )
        ways = ((self.q, self.losses), (self.p, -self.losses))
        excesses = (-inner_product(mass, np.expm1(np.minimum(epsilon - losses, 0.0))) for mass, losses in ways)
        return min(1.0, max(0.0, *excesses))

    @property
    def has_rare_outcomes(self) -> bool:
        """Whether some outcome is possible under a law, although its probability underflows to 0."""
        few = (np.minimum(self.p, self.q) <= _TINY) & (np.maximum(self.p, self.q) > _TINY)
        return bool((few & np.isfinite(self.losses)).any())

    @property
    def overlap(self) -> float:
        """The overlap ``∫ min(P, Q)`` of the two laws."""
        return min(1.0, float(np.minimum(self.p, self.q).sum()))

    def epsilon(self, delta: float) -> float:
        """Return the least ε >= 0 at which `excess` is at most δ."""
        return max(0.0, *(way.least_epsilon(delta) for way in (self, self.reversed)))

    def least_epsilon(self, delta: float) -> float:
        """Return the least such ε in one direction: ``hits - e^ε false positives <= δ`` at all corners."""
        # For a δ near 1, 1 - δ and the misses have more precision.
        surplus_of_misses = (1 - delta) - self.false_negatives
        surplus = np.where(self.true_positives > 0.5, surplus_of_misses, self.true_positives - delta)
        above = surplus > 0
        if not above.any():
            return 0.0
        log_ratios = logarithms(surplus[above]) - self._log_false_positives[above]
        return float(min(log_ratios.max(), self.losses[0]))

    @cached_property
    def _log_false_positives(self) -> Reals:
        """The logarithms of P's mass up to each corner, also where that mass underflows."""
        with np.errstate(invalid="ignore"):  # outcomes with no mass add nothing
            log_p = np.where(
                self.p > _TINY,
                logarithms(self.p),
                np.nan_to_num(logarithms(self.q) - self.losses, nan=-math.inf, posinf=math.inf, neginf=-math.inf),
            )
        few = np.append(-math.inf, np.logaddexp.accumulate(log_p))
        return np.where(self.false_positives > _TINY, logarithms(self.false_positives), few)

    def normal_shift(self, least: float) -> float:
        """Return the least μ of two normal laws whose curve is nowhere above this one, rates below the least aside.

        A normal curve is convex, and so below a chord if it is below the chord's two endpoints: the corners decide.
        """
        if least <= 0 and (self.q[self.losses == math.inf].any() or self.p[self.losses == -math.inf].any()):
            return math.inf
        shift = max(0.0, float(self.shifts(least).max(initial=0.0)))
        if least <= 0:
            return shift
        ends = np.array([[least, self.misses(least)], [self.reversed.misses(least), least]])
        return max(shift, float(_quantiles(ends, 1 - ends, least).sum(axis=1).max()))

    def shifts(self, least: float) -> Reals:
        """Return the μ of the normal curve through each inner corner; the least rate replaces all smaller rates."""
        rates = (self.false_positives, self.true_negatives), (self.false_negatives, self.true_positives)
        measurable = np.min(rates, axis=(0, 1))[1:-1] > _TINY  # smaller rates have fewer digits
        shifts = sum(_quantiles(rate[1:-1], other[1:-1], least) for rate, other in rates)
        return np.where(measurable, shifts, -math.inf)

    def composed(self, other: "Polygon") -> "Polygon":
        """Return the best tests of an adversary who sees an outcome of both."""
        with np.errstate(invalid="ignore"):
            losses = np.add.outer(self.losses, other.losses).ravel()
        p, q = np.multiply.outer(self.p, other.p).ravel(), np.multiply.outer(self.q, other.q).ravel()
        possible = ~np.isnan(losses)
        order = np.argsort(-losses[possible], kind="stable")
        return Polygon(p[possible][order], q[possible][order], losses[possible][order])

    def _place(self, rate: float) -> tuple[int, float]:
        """Return the last corner with at most this rate of false positives, and the fraction of the next segment."""
        if rate <= 0:
            return int(np.count_nonzero(self.losses == math.inf)), 0.0
        corner = int(np.searchsorted(self.false_positives, rate, side="right")) - 1
        if corner >= self.p.size:
            return corner, 0.0
        return corner, float((rate - self.false_positives[corner]) / self.p[corner])


@dataclass(frozen=True, eq=False)
class Envelope(Polygon):
    """The polygon below others, some of whose outcomes are too rare for a double.

    The polygon has lost the probabilities of these outcomes, but its members have them: ε is the largest of theirs.
    """

    members: tuple[Polygon, ...]

    def excess(self, epsilon: float) -> float:
        """Return the largest excess of the members."""
        return max(member.excess(epsilon) for member in self.members)

    def epsilon(self, delta: float) -> float:
        """Return the largest ε of the members."""
        return max(member.epsilon(delta) for member in self.members)


def best_of_polygons(polygons: Sequence[Polygon]) -> Polygon:
    """Return the lower hull of several polygons: the best tests of any of them, and their mixtures."""
    if not polygons:
        return Polygon.from_steps(np.ones(1), np.ones(1))
    hull = _hull(polygons)
    parts = [part for one in polygons for part in (one.members if isinstance(one, Envelope) else (one,))]
    rare = [part for part in parts if part.has_rare_outcomes]
    if not rare:
        return hull
    usual = [part for part in parts if not part.has_rare_outcomes]
    return Envelope(hull.p, hull.q, hull.losses, tuple(rare + ([_hull(usual)] if usual else [])))


def _hull(polygons: Sequence[Polygon]) -> Polygon:
    fp, tn, fn, tp = (
        np.concatenate([getattr(polygon, name) for polygon in polygons])
        for name in ("false_positives", "true_negatives", "false_negatives", "true_positives")
    )
    losses = np.concatenate([np.append(math.nan, polygon.losses) for polygon in polygons])
    x, falling = Measured(fp, tn), Measured(tp, fn)
    corners = lower_hull(x, Measured(fn, tp))
    p, q = x.steps(corners), falling.steps(corners)
    # A segment of one outcome keeps its loss, even where its masses underflow.
    before, after = corners[:-1], corners[1:]
    single = (after == before + 1) & ~np.isnan(losses[after])
    return Polygon(p, q, np.where(single, losses[after], logarithms(q) - logarithms(p)))


def _quantiles(rates: Reals, complements: Reals, least: float) -> Reals:
    """Return ``-Φ⁻¹`` of rates, given their complements; the least rate replaces all smaller rates."""
    from scipy.special import ndtri  # noqa: PLC0415 - nobody else should wait for it

    low = max(least, _TINY)
    return np.where(rates < 0.5, -ndtri(np.maximum(rates, low)), ndtri(np.clip(complements, _TINY, 1.0 - least)))
