"""Several noises on the same value, all of which an observer sees."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, reduce

from tacit.channels.channel import Channel, System
from tacit.channels.composition.products import parallel, plan_parallel
from tacit.channels.composition.repeated import Repeated, plan_repeated
from tacit.measures.bayes_security import Pair
from tacit.measures.composed_losses import BothWays
from tacit.measures.losses import Losses
from tacit.measures.measure import Method, Plan
from tacit.measures.privacy import plan_renyi
from tacit.mechanisms.noise.additive import AdditiveNoise, no_channel
from tacit.mechanisms.noise.gaussian import Gaussian
from tacit.mechanisms.noise.gaussian_losses import GaussianLosses
from tacit.mechanisms.noise.subsampled_gaussian import SubsampledGaussian
from tacit.mechanisms.noise.two_laws import ClosedForm, TwoLaws

Noise = AdditiveNoise | SubsampledGaussian


@dataclass(frozen=True)
class ComposedNoise(TwoLaws):
    """Independent noises, each so many times, on the same value; made by `tacit.repeated` and `tacit.parallel`.

    The secrets are the two furthest values of each: where sensitivities differ, they are those of several questions
    about the same two databases.

    Notes
    -----
    Of any two values that a noise protects the furthest are the easiest to tell apart, whatever else is seen: of what
    they show, what others show is a noisy copy. So the measures of this pair hold for all. Gaussian noises are as one,
    with ``μ = √Σ (Δ/σ)²``. Of discrete noises alike, privacy losses are summed over a lattice; else they are bounded
    from both sides on a grid.
    """

    parts: tuple[tuple[Noise, int], ...]

    @property
    def is_continuous(self) -> bool:
        """Whether any part is."""
        return any(part.is_continuous for part, _ in self.parts)

    @property
    def furthest(self) -> Pair:
        """The values that all parts have in common, or two numbers."""
        pairs = {part.furthest for part, _ in self.parts}
        return pairs.pop() if len(pairs) == 1 else (0, 1)

    @property
    def epsilon(self) -> float:
        """The sum of all."""
        return math.fsum(count * _largest_loss(part) for part, count in self.parts)

    @property
    def losses(self) -> BothWays:
        """The privacy losses of the sum."""
        return self._losses

    @cached_property
    def _losses(self) -> BothWays:
        others = [(*_both_ways(part), count * _uses(part)) for part, count in self.parts if _mu(part) == 0]
        if self._mu > 0:
            others.append((GaussianLosses(self._mu), GaussianLosses(self._mu), 1))
        return BothWays.of(others)

    def closed_form(self, reverse: bool) -> ClosedForm | None:
        """Return that of one Gaussian noise, if all are Gaussian."""
        return Gaussian(1 / self._mu) if all(_mu(part) > 0 for part, _ in self.parts) else None

    @property
    def _mu(self) -> float:
        return math.hypot(*(math.sqrt(count) * _mu(part) for part, count in self.parts))

    def channel(self) -> Channel:
        """Return the channel of discrete noises, or say why there is none."""
        if self.is_continuous:
            raise no_channel(self, "bayes_security, mutual_information, privacy_profile")
        channels = [part.channel() if count == 1 else Repeated(part, count).channel() for part, count in self.parts]
        return reduce(parallel, channels).channel()


def _largest_loss(part: Noise) -> float:
    return part.renyi(math.inf) if isinstance(part, AdditiveNoise) else part.epsilon


def _mu(part: Noise) -> float:
    """Return the μ of a Gaussian noise, 0 of all else."""
    if isinstance(part, Gaussian):
        return part.mu
    return math.sqrt(part.steps) / part.sigma if isinstance(part, SubsampledGaussian) and part.rate == 1 else 0.0


def _both_ways(part: Noise) -> tuple[Losses, Losses]:
    if isinstance(part, SubsampledGaussian):
        return part.losses.forwards.parts[0][0], part.losses.backwards.parts[0][0]
    losses = part.losses
    return losses, losses


def _uses(part: Noise) -> int:
    return part.steps if isinstance(part, SubsampledGaussian) else 1


def composed(parts: Iterable[tuple[Noise, int]]) -> ComposedNoise:
    """Return noises side by side, those alike counted together."""
    counts: Counter[Noise] = Counter()
    for part, count in parts:
        counts[part] += count
    return ComposedNoise(tuple(counts.items()))


def _parts(system: System) -> tuple[tuple[Noise, int], ...] | None:
    """Return the noises of two secrets that a system is made of, or None if it is none."""
    if isinstance(system, ComposedNoise):
        return system.parts
    return ((system, 1),) if isinstance(system, AdditiveNoise | SubsampledGaussian) and system.secrets == 2 else None


@plan_repeated.register(AdditiveNoise)
@plan_repeated.register(TwoLaws)
def _(system: AdditiveNoise | TwoLaws, n: int) -> System:
    parts = _parts(system)
    return Repeated(system, n) if parts is None else composed((part, n * count) for part, count in parts)


@plan_parallel.register(AdditiveNoise)
@plan_parallel.register(TwoLaws)
def _(first: AdditiveNoise | TwoLaws, second: System) -> System | None:
    left, right = _parts(first), _parts(second)
    if left is None or right is None:
        return None
    return composed((*left, *right))


@plan_renyi.register
def _(system: ComposedNoise, order: float) -> Plan[float]:
    plans = [(plan_renyi(part, order), count) for part, count in system.parts]
    return Plan(
        Method("sum over the noises", "exact"), lambda: math.fsum(count * plan.compute() for plan, count in plans)
    )
