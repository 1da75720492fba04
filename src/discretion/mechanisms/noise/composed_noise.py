"""The composition of several noises on the same value with reports of it: an observer sees all of them."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, reduce

from discretion.channels.channel import Channel, System
from discretion.channels.composition.products import parallel
from discretion.channels.composition.repeated import Repeated, plan_repeated, repeated
from discretion.channels.composition.restriction import restricted
from discretion.estimate import Estimate, largest
from discretion.measures.guesses.bayes_security import Pair
from discretion.measures.measure import Method, Plan
from discretion.measures.privacy_loss.composed_losses import LossPair
from discretion.measures.privacy_loss.differential_privacy import plan_renyi
from discretion.measures.privacy_loss.losses import Losses
from discretion.mechanisms.noise.additive import AdditiveNoise, no_channel_error
from discretion.mechanisms.noise.gaussian import Gaussian
from discretion.mechanisms.noise.gaussian_losses import GaussianLosses
from discretion.mechanisms.noise.report_pairs import ClosedForm, MixedForm, ReportPair
from discretion.mechanisms.noise.subsampled_gaussian import SubsampledGaussian
from discretion.mechanisms.noise.two_secret_measures import TwoLaws

Noise = AdditiveNoise | SubsampledGaussian
Part = Noise | ReportPair


@dataclass(frozen=True)
class ComposedNoise(TwoLaws):
    """Independent noises on the same value, each used a number of times.

    `discretion.repeated` and `discretion.parallel` return it.

    The secrets are the two furthest values of each noise. Noises with different sensitivities stand for several
    questions about the same two databases. Parts may also be the reports of two secrets of a channel, a mechanism or a
    crowd: the first secret goes with the first value of the noise.

    Notes
    -----
    Of all pairs of values that a noise protects, the two furthest values are the easiest to distinguish, with any other
    observations: the observation of another pair is a noisy copy of theirs. So the measures of this pair hold for all
    pairs. Gaussian noises are equivalent to one, with ``μ = √Σ (Δ/σ)²``. For equal discrete noises, privacy losses are
    summed over a lattice; for other noises, they are bounded from both sides on a grid. Reports together with one noise
    in closed form have a closed form, too: that of the noise at each of the reports' privacy losses.
    """

    parts: tuple[tuple[Part, int], ...]

    def __repr__(self) -> str:
        return " & ".join(repr(part) if count == 1 else f"{count:,} × {part!r}" for part, count in self.parts)

    @property
    def is_continuous(self) -> bool:
        """Whether the observations of any part are a continuum."""
        return any(part.is_continuous for part, _ in self._noises)

    @property
    def furthest_pair(self) -> Pair:
        """The labels of the reports' secrets, or the values that all noises have in common, or two numbers."""
        reports = {part.labels for part, _ in self.parts if isinstance(part, ReportPair)} - {(0, 1)}
        pairs = reports or {part.furthest_pair for part, _ in self._noises}
        return pairs.pop() if len(pairs) == 1 else (0, 1)

    @property
    def epsilon(self) -> float:
        """The sum of the parts' largest losses, in the direction in which it is larger."""
        sums = zip(*(_largest_losses(part, count) for part, count in self.parts), strict=True)
        return max(math.fsum(way) for way in sums)

    @property
    def _noises(self) -> list[tuple[Noise, int]]:
        return [(part, count) for part, count in self.parts if not isinstance(part, ReportPair)]

    @property
    def losses(self) -> LossPair:
        """The privacy losses of the sum."""
        return self._losses

    @cached_property
    def _losses(self) -> LossPair:
        losses = [_both_ways(part, count) for part, count in self.parts if _mu(part) == 0]
        if self._mu > 0:
            losses.append((GaussianLosses(self._mu), GaussianLosses(self._mu), 1))
        return LossPair.from_parts(losses)

    def closed_form(self, reverse: bool) -> ClosedForm | None:
        """Return the closed form of a single or Gaussian noise, at each of the reports' losses; else None."""
        return self._closed_forms[reverse]

    @cached_property
    def _closed_forms(self) -> tuple[ClosedForm | None, ClosedForm | None]:
        forwards_form, backwards_form = (self._noise_form(reverse) for reverse in (False, True))
        pairs = [part.losses for part, _ in self.parts if isinstance(part, ReportPair)]
        if forwards_form is None or backwards_form is None or any(count > 1 for _, _, count in pairs):
            return None, None
        if not pairs:
            return forwards_form, backwards_form
        return (
            MixedForm.from_forms(forwards_form, backwards_form, [forwards for forwards, _, _ in pairs]),
            MixedForm.from_forms(backwards_form, forwards_form, [backwards for _, backwards, _ in pairs]),
        )

    def _noise_form(self, reverse: bool) -> ClosedForm | None:
        if all(_mu(part) > 0 for part, _ in self._noises):
            return Gaussian(1 / self._mu)
        (part, count), *rest = self._noises
        if rest or count > 1:
            return None
        return part if isinstance(part, AdditiveNoise) else part.closed_form(reverse)

    @property
    def _mu(self) -> float:
        return math.hypot(*(math.sqrt(count) * _mu(part) for part, count in self.parts))

    def channel(self) -> Channel:
        """Return the channel of discrete noises and reports, or raise an error that shows why there is none."""
        if self.is_continuous:
            raise no_channel_error(self)
        channels = [_channel(part, count) for part, count in self.parts]
        return reduce(parallel, channels).channel()


def _channel(part: Part, count: int) -> Channel:
    if isinstance(part, ReportPair):
        return restricted(repeated(part.reports.system, part.reports.uses), part.labels)
    return part.channel() if count == 1 else Repeated(part, count).channel()


def _largest_losses(part: Part, count: int) -> tuple[float, float]:
    """Return the largest losses of Q against P, and of P against Q."""
    if isinstance(part, AdditiveNoise):
        largest = count * part.renyi(math.inf)
        return largest, largest
    forwards, backwards, uses = _both_ways(part, count)
    return uses * forwards.largest, uses * backwards.largest


def _mu(part: Part) -> float:
    """Return the μ of a Gaussian noise, and 0 for any other part."""
    if isinstance(part, Gaussian):
        return part.mu
    return math.sqrt(part.steps) / part.sigma if isinstance(part, SubsampledGaussian) and part.rate == 1 else 0.0


def _both_ways(part: Part, count: int) -> tuple[Losses, Losses, int]:
    """Return the losses of Q against P and of P against Q, and the number of times that they are added."""
    if isinstance(part, SubsampledGaussian):
        return part.losses.forwards.parts[0][0], part.losses.backwards.parts[0][0], count * part.steps
    if isinstance(part, ReportPair):
        forwards, backwards, uses = part.losses
        return forwards, backwards, count * uses
    losses = part.losses
    return losses, losses, count


def compose_noises(parts: Iterable[tuple[Part, int]]) -> ComposedNoise:
    """Return the composition of noises and reports; equal noises are merged and counted."""
    counts: Counter[Part] = Counter()
    for part, count in parts:
        counts[part] += count
    return ComposedNoise(tuple(counts.items()))


def as_parts(system: System) -> tuple[tuple[Part, int], ...] | None:
    """Return the noises and reports of two secrets that a system consists of, or None if it has other parts."""
    if isinstance(system, ComposedNoise):
        return system.parts
    return ((system, 1),) if isinstance(system, AdditiveNoise | SubsampledGaussian) and system.secrets == 2 else None


def repeated_part(part: Part, count: int, n: int) -> tuple[Part, int]:
    """Return n times as many uses of a part."""
    return (part.repeated(n), count) if isinstance(part, ReportPair) else (part, n * count)


@plan_repeated.register(AdditiveNoise)
@plan_repeated.register(TwoLaws)
def _repeated_of_additive_noise(system: AdditiveNoise | TwoLaws, n: int) -> System:
    parts = as_parts(system)
    return (
        Repeated(system, n) if parts is None else compose_noises(repeated_part(part, count, n) for part, count in parts)
    )


@plan_renyi.register
def _renyi_of_composed_noise(system: ComposedNoise, order: float) -> Plan[float | Estimate]:
    def divergence() -> float | Estimate:
        ways = [
            [count * _divergence(part, order, reverse) for part, count in system.parts] for reverse in (False, True)
        ]
        return largest(sum(way) for way in ways)

    return Plan(Method("sum over the noises", "exact"), divergence)


def _divergence(part: Part, order: float, reverse: bool) -> float | Estimate:
    """Return the Rényi divergence of Q from P, or in reverse of P from Q."""
    return part.renyi(order) if isinstance(part, AdditiveNoise) else part.divergence(order, reverse)
