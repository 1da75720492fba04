"""Everybody's values from one population that the adversary does not know, only its Dirichlet law.

To who knows the population, the target's value is independent of the others'. So crowds too large to list are sampled
with their population: telling it to the adversary bounds her gain from above, and any way of guessing without it from
below.
"""

import numpy as np

from discretion import limits
from discretion.adversaries.gains import Gain
from discretion.estimate import Estimate
from discretion.measures.measure import Method
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.laws.binomial_limits import empirical_bernstein
from discretion.shuffling.known_others import AmongExchangeable

SANDWICHED = Method("Monte Carlo between guesses that know the population and guesses that estimate it", "estimate")

CONFIDENCE = 0.95

_CELLS, _CHUNK = 1 << 24, 1 << 20
_FEWEST = 1 << 12


def sampled_vulnerability(view: AmongExchangeable, gain: Gain, rng: np.random.Generator) -> Estimate:
    """Return the gain of the best guess, between what the population's being known would make it and what guesses make.

    Each draw is a population, the values and the reports. The posterior law given the population too is linear in the
    histogram; an adversary who does not know it may still take the one that the reports suggest, and guess by that.
    """
    rows = view.mechanism.channel().dense()
    k, m = rows.shape
    count = int(max(_FEWEST, min(_CELLS // (m + k), limits.current().most_crowds_drawn)))
    inverse = np.linalg.pinv(rows)
    known, guessed = np.empty(count), np.empty(count)
    at_once = max(1, _CHUNK // (m + k))
    for start in range(0, count, at_once):
        part = slice(start, min(start + at_once, count))
        populations = rng.dirichlet(view.alpha, size=part.stop - part.start)
        laws = populations @ rows
        counts = rng.multinomial(view.n, laws / laws.sum(axis=1, keepdims=True))
        posterior = _posterior(rows, populations, counts)
        suggested = np.maximum((counts / view.n) @ inverse, 0) * view.n + view.alpha
        guess = _posterior(rows, suggested / suggested.sum(axis=1, keepdims=True), counts)
        known[part] = gain.best(posterior.T)
        guessed[part] = gain.gain_of_best(guess.T, posterior.T)
    width, misses = gain.width, (1 - CONFIDENCE) / 2
    above, off_above = empirical_bernstein(known, width, misses)
    below, off_below = empirical_bernstein(guessed, width, misses)
    blind = float(gain.best(np.array(view.knowledge.prior)[:, None])[0])
    low, high = max(blind, below - off_below), max(blind, above + off_above)
    return Estimate(min(max((below + above) / 2, low), high), low, high, CONFIDENCE, SANDWICHED.name)


def _posterior(rows: Reals, populations: Reals, counts: Integers) -> Reals:
    laws = populations @ rows
    said = np.divide(counts, laws, out=np.zeros_like(laws), where=laws > 0) @ rows.T
    posterior = populations * said
    return posterior / posterior.sum(axis=1, keepdims=True)
