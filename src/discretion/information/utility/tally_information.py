"""I(Y⃗; T): the information of n reports on the people's own tallies."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from discretion import limits
from discretion.adversaries.populations import Dirichlet, DirichletMixture, PopulationLaw
from discretion.channels.channel import Channel, System
from discretion.errors import TooLargeError
from discretion.estimate import Estimate, highest, lowest
from discretion.information.entropies import TrueTallies
from discretion.information.privacy.average_privacy import plan_leaked
from discretion.information.protocol import NOTHING, merge_values, nobody_lies, reduced_matrix, tells_the_values
from discretion.information.utility.determinant_bounds import report_count
from discretion.information.utility.report_tables import (
    MAX_TALLY_CELLS,
    MAX_TALLY_TABLE,
    listing_work,
    most_listed,
    posterior_entropies,
)
from discretion.information.utility.sampled_tallies import (
    METHOD as SAMPLED,
    sampled_tally_information,
    tally_draws,
    tally_law,
)
from discretion.measures.measure import Method, Plan
from discretion.mechanisms.reporting import reporting
from discretion.numerics.arrays import Reals
from discretion.numerics.histograms.histograms import histogram_count, histograms, sequence_count

# Tallies of the people's values, in a population of some points.
MAX_TALLIES_LISTED = 1 << 20
# People whose tallies are sampled, where bounds would do.
MAX_USERS_SAMPLED = 1 << 14

Result = float | Estimate

_CELLS_AT_ONCE = 1 << 22
_LISTED = Method("both tallies listed", "exact")
_BOUNDED = "bounds by I(Y;P) and I(Y;P) + n I(X;Y|P)"


def tally_entropy(k: int, n: int, population: PopulationLaw) -> float:
    """Return ``H(T)``, the entropy of the people's tallies."""
    if isinstance(population, Dirichlet):
        return TrueTallies(population, n).entropy
    if histogram_count(n, k) > limits.current().numbers(MAX_TALLIES_LISTED, each=64):
        raise TooLargeError(
            f"the tallies of n = {n:,} people on {k} values are too many to list, as a "
            f"discretion.{type(population).__name__} requires; take a discretion.Dirichlet, or fewer people"
        )
    return float(entr(tally_law(histograms(n, k), population)).sum())


def plan_tally_information(
    system: System, n: int, population: PopulationLaw, information: Plan[Result], rng: np.random.Generator
) -> Plan[Result]:
    """Plan ``I(Y⃗; T)`` by listing both tallies, else by bounds from I(Y⃗; P), which ``information`` computes."""
    merged = merge_values(system, population)
    if merged is None:
        return Plan(NOTHING, lambda: 0.0)
    system, population = merged
    k, response, allowed = system.secrets, reporting(system).response, limits.current()
    most_cells = allowed.steps(MAX_TALLY_CELLS, each=8)
    if response is not None and nobody_lies(response, n):
        return Plan(Method("the tallies themselves", "exact"), lambda: tally_entropy(k, n, population))
    # With more tallies of values, not even the tallies of two kinds of report can be listed in addition.
    if isinstance(system, Channel) or histogram_count(n, k) <= most_cells:
        matrix = reduced_matrix(system)
        if tells_the_values(matrix):
            return Plan(Method("the tallies themselves", "exact"), lambda: tally_entropy(k, n, population))
        kinds = matrix.shape[1]
        cells = float(sequence_count(kinds - 1, n + 1))
        by_values, reports = histogram_count(n, k) * cells, histogram_count(n, kinds)
        by_reports = reports * listing_work(n, k)
        if reports <= most_listed() and by_reports <= min(by_values, most_cells):
            return Plan(_LISTED, lambda: _listed_by_posterior(matrix, n, population))
        if by_values <= most_cells and k * (n + 1) * cells <= allowed.numbers(MAX_TALLY_TABLE):
            return Plan(_LISTED, lambda: _listed(matrix, n, population))
    leaked = plan_leaked(system, population)
    draws = 0
    if not isinstance(population, DirichletMixture) and n <= allowed.steps(MAX_USERS_SAMPLED, each=1 << 12):
        by_formula = response is not None and isinstance(population, Dirichlet)
        draws = tally_draws(n, k, report_count(system), by_formula=by_formula)
    rung = "estimate" if draws or information.rung == "estimate" else "bound"

    def bounded() -> Estimate:
        entropy = tally_entropy(k, n, population)
        if not draws or isinstance(population, DirichletMixture):
            return _between(information.compute(), n * leaked.compute(), entropy)
        sampled = sampled_tally_information(
            reduced_matrix(system), n, population, entropy, rng, draws=draws, response=response
        )
        if not information.is_exact:
            return sampled
        return _between(information.compute(), n * leaked.compute(), entropy).narrowed(sampled)

    return Plan(Method(SAMPLED.name if draws else _BOUNDED, rung), bounded)


def _between(of_population: Result, private: float, entropy: float) -> Estimate:
    low, high = lowest(of_population), min(entropy, highest(of_population) + private)
    confidence = of_population.confidence if isinstance(of_population, Estimate) else None
    return replace(Estimate.between(min(low, high), high, _BOUNDED, safe="low"), confidence=confidence)


def _listed_by_posterior(matrix: Reals, n: int, population: PopulationLaw) -> float:
    """Return ``H(T) - H(T | S)``, the law of T for each S: fewer cells where reports are of many kinds."""
    listed = histograms(n, len(matrix))
    law = tally_law(listed, population)
    hidden, evidence = posterior_entropies(matrix, histograms(n, matrix.shape[1]), listed, law)
    return max(0.0, float(entr(law).sum() - np.exp(evidence) @ hidden))


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
    law = tally_law(listed, population)
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
