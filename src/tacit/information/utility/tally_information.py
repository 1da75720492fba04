"""I(Y⃗; T): what n reports tell of the people's own tallies."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from tacit import limits
from tacit.adversaries.populations import Dirichlet, PopulationLaw
from tacit.channels.channel import Channel, System
from tacit.errors import TooLargeError
from tacit.estimate import Estimate, highest, lowest
from tacit.information.entropies import TrueTallies
from tacit.information.privacy.average_privacy import plan_leaked
from tacit.information.protocol import NOTHING, merge_values, nobody_lies, reduced_matrix, tells_the_values
from tacit.information.utility.sampled_tallies import METHOD as SAMPLED, tallies_told
from tacit.measures.measure import Method, Plan
from tacit.mechanisms.reporting import reporting
from tacit.numerics.histograms.histograms import dirichlet_multinomial_pmf, histogram_count, histograms
from tacit.numerics.laws.binomial import multinomial_pmf
from tacit.numerics.means.simplex import lattice_simplex

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]
Result = float | Estimate

_CELLS_AT_ONCE = 1 << 22
_POINTS = 1 << 10
_BOUNDED = "bounds by I(Y;P) and I(Y;P) + n I(X;Y|P), the value for normal tallies"


def tally_entropy(k: int, n: int, population: PopulationLaw) -> float:
    """Return ``H(T)``, the entropy of the people's tallies."""
    if isinstance(population, Dirichlet):
        return TrueTallies(population, n).entropy
    if histogram_count(n, k) > limits.current().most_tallies_listed:
        raise TooLargeError(
            f"the tallies of n = {n:,} people on {k} values are too many to list, which takes a tacit.PointMixture; "
            "take a tacit.Dirichlet, or fewer people"
        )
    return float(entr(_tally_law(histograms(n, k), population)).sum())


def plan_tally_information(
    system: System, n: int, population: PopulationLaw, told: Plan[Result], rng: np.random.Generator
) -> Plan[Result]:
    """Plan ``I(Y⃗; T)`` by listing both tallies, else by bounds from I(Y⃗; P), which ``told`` gives."""
    merged = merge_values(system, population)
    if merged is None:
        return Plan(NOTHING, lambda: 0.0)
    system, population = merged
    k, response, allowed = system.secrets, reporting(system).response, limits.current()
    if response is not None and nobody_lies(response, n):
        return Plan(Method("the tallies themselves", "exact"), lambda: tally_entropy(k, n, population))
    # Where there are more tallies of values, not even those of two kinds of report can be listed beside them.
    if isinstance(system, Channel) or histogram_count(n, k) <= allowed.most_tally_cells:
        matrix = reduced_matrix(system)
        if tells_the_values(matrix):
            return Plan(Method("the tallies themselves", "exact"), lambda: tally_entropy(k, n, population))
        cells = float(n + 1) ** (matrix.shape[1] - 1)
        table = k * (n + 1) * cells
        if histogram_count(n, k) * cells <= allowed.most_tally_cells and table <= allowed.most_tally_table:
            return Plan(Method("both tallies listed", "exact"), lambda: _listed(matrix, n, population))
    leaked = plan_leaked(system, population)
    bound = Method(_BOUNDED, "estimate" if told.rung == "estimate" else "bound")

    def bounded() -> Estimate:
        beyond = _beyond_population(reduced_matrix(system), population, rng) if n > 1 else 0.0
        entropy, of_population = tally_entropy(k, n, population), told.compute()
        bounds = _between(of_population, beyond, n * leaked.compute(), entropy)
        if response is None or not isinstance(population, Dirichlet) or n > allowed.most_users_sampled:
            return bounds
        sampled = tallies_told(response, n, population, entropy, rng)
        return _within(sampled, bounds) if isinstance(of_population, float) else sampled

    is_sampled = response is not None and isinstance(population, Dirichlet) and n <= allowed.most_users_sampled
    return Plan(SAMPLED if is_sampled else bound, bounded)


def _within(sampled: Estimate, bounds: Estimate) -> Estimate:
    """Return the tighter end of both, the bounds being certain."""
    low = min(max(sampled.low, bounds.low), bounds.high)
    high = max(min(sampled.high, bounds.high), low)
    return replace(sampled, value=min(max(sampled.value, low), high), low=low, high=high)


def _tally_law(listed: Integers, population: PopulationLaw) -> Reals:
    if isinstance(population, Dirichlet):
        return dirichlet_multinomial_pmf(listed, population.alpha)
    laws = np.stack([multinomial_pmf(listed, point) for point in population.points])
    return population.weights @ laws


def _listed(matrix: Reals, n: int, population: PopulationLaw) -> float:
    """Return ``H(S) - H(S | T)``, the law of S for each T by Fourier transforms on a box that holds every tally."""
    k, reports = matrix.shape
    box = (n + 1,) * (reports - 1)
    steps = [np.exp(-2j * math.pi * np.arange(n + 1) / (n + 1)).reshape([-1 if a == y else 1 for a in range(len(box))])
             for y in range(reports - 1)]  # fmt: skip
    powers: list[NDArray[np.complexfloating]] = []
    for row in matrix:
        transform = np.full(box, row[-1], dtype=np.complex128)
        for probability, step in zip(row[:-1], steps, strict=True):
            transform += probability * step
        ones = np.ones((1, *box), dtype=np.complex128)
        powers.append(np.cumprod(np.concatenate([ones, np.broadcast_to(transform, (n, *box))]), axis=0))
    listed = histograms(n, k)
    law = _tally_law(listed, population)
    marginal, noise = np.zeros(box), 0.0
    at_once = max(1, _CELLS_AT_ONCE // math.prod(box))
    for start in range(0, len(listed), at_once):
        part = listed[start : start + at_once]
        transforms = np.prod([power[counts] for power, counts in zip(powers, part.T, strict=True)], axis=0)
        laws = np.maximum(np.fft.ifftn(transforms, axes=range(1, reports)).real, 0.0)
        weights = law[start : start + at_once]
        marginal += np.tensordot(weights, laws, axes=1)
        noise += float(weights @ entr(laws).reshape(len(part), -1).sum(axis=1))
    return max(0.0, float(entr(marginal).sum()) - noise)


def _beyond_population(matrix: Reals, population: PopulationLaw, rng: np.random.Generator) -> float:
    """Return ``I(Y⃗; T | P)`` as it is for many people, when tallies are normal: half the log-ratio of their variances.

    Given T a report varies by the noise only; one kind of report is left out, since tallies sum to n.
    """
    points, weights = (
        (lattice_simplex(population.alpha, _POINTS, rng), np.full(_POINTS, 1 / _POINTS))
        if isinstance(population, Dirichlet)
        else (population.points, population.weights)
    )
    rows = matrix[:, :-1]
    noises = np.einsum("xy,yz->xyz", rows, np.eye(rows.shape[1])) - rows[:, :, None] * rows[:, None, :]
    means = points @ rows
    whole = np.einsum("ny,yz->nyz", means, np.eye(rows.shape[1])) - means[:, :, None] * means[:, None, :]
    noise = np.einsum("nx,xyz->nyz", points, noises)
    with np.errstate(divide="ignore"):
        spread, left = np.linalg.slogdet(whole)[1], np.linalg.slogdet(noise)[1]
    # Where reports do not vary at all they tell no tally either.
    return float(weights @ np.subtract(spread, left, out=np.zeros_like(spread), where=np.isfinite(spread))) / 2


def _between(of_population: Result, beyond: float, private: float, entropy: float) -> Estimate:
    low, high = lowest(of_population), min(entropy, highest(of_population) + private)
    low = min(low, high)
    confidence = of_population.confidence if isinstance(of_population, Estimate) else None
    normal = float(of_population) + beyond
    return Estimate(min(max(normal, low), high) if beyond < math.inf else high, low, high, confidence, _BOUNDED)
