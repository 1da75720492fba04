"""The posterior of a population by Gibbs sampling: draw the people's values given the reports, then the population.

A report y has the likelihood ``m_y + Σ_x e_xy P_x`` with ``m_y = min_x C[x, y]`` and ``e = C - m``. Each step draws the
report either as uninformative, with probability proportional to ``m_y``, or as sent by a holder of x, with probability
proportional to ``e_xy P_x``. Given the tallies t of the holders, P has the law Dirichlet(α + t). (Uninformative reports
are left out of t, which is exact, and mixes the faster the less information a report has.) So the posterior is the mean
of Dirichlet(α + t) over the chain's tallies.
"""

from typing import NamedTuple

import numpy as np

from discretion import limits
from discretion.errors import TooLargeError
from discretion.information.posterior.updated_dirichlet import component_means, log_dirichlet
from discretion.numerics.arrays import Integers, Reals

# Numbers that a sampler draws: a quarter of a minute.
MAX_NUMBERS_SAMPLED = 1 << 28
# Numbers that it keeps; some draws are kept in any case.
MAX_NUMBERS_KEPT = 1 << 24

CHAINS = 32
PRECISION = 0.01

_FIRST_STEPS = 64
_KEPT = 1 << 10
# Drawing a number takes some 50 ns; the fixed cost of a step equals that of drawing this many numbers.
_NUMBERS_A_STEP = 1500


class Draws(NamedTuple):
    """The kept draws of the chains: tallies and shares, each ``(chains, draws, k)``, and the Monte Carlo error."""

    tallies: Integers
    shares: Reals
    mean_error: Reals


def sample_tallies(likelihoods: Reals, counts: Integers, alpha: Reals, rng: np.random.Generator) -> Draws:
    """Draw tallies of true values, given the count of each output, until the posterior mean is precise enough.

    Chains start at populations drawn from Jeffreys' prior, which is wider than the posterior. They run in stretches,
    each as long as all stretches before it. Only the last stretch counts, since it has forgotten the start. The chains
    stop when no mean errs by more than a hundredth of its standard deviation, or when the next stretch would take too
    long.

    Parameters
    ----------
    likelihoods
        ``C[x, y]``, shape ``(k, outputs)``; every column has a positive entry, and its entries are not all equal.
    counts
        The number of reports of each output.
    alpha
        The prior's parameters, shape ``(k,)``.
    """
    k = alpha.size
    chains = _Chains(likelihoods, counts, alpha, rng)
    step_costs = CHAINS * chains.numbers + _NUMBERS_A_STEP
    left = limits.current().steps(MAX_NUMBERS_SAMPLED, each=4) // step_costs - _FIRST_STEPS
    if left < _FIRST_STEPS:
        raise TooLargeError(
            f"{counts.size:,} different reports on {k:,} values are too many for sampling; take fewer values or a "
            "mechanism with fewer outputs, or estimate the shares instead"
        )
    most_kept = max(_FIRST_STEPS, min(_KEPT, limits.current().numbers(MAX_NUMBERS_KEPT) // (CHAINS * k)))
    chains.run(_FIRST_STEPS, most_kept)
    steps = _FIRST_STEPS
    while True:
        tallies, shares = chains.run(steps, most_kept)
        left -= steps
        steps *= 2
        error, deviation = _spread(alpha, tallies)
        if (error <= PRECISION * deviation).all() or left < steps:
            return Draws(tallies, shares, error)


def _spread(alpha: Reals, tallies: Integers) -> tuple[Reals, Reals]:
    """Return the standard error of the posterior mean, from the spread of the chains' means, and the deviation."""
    means = component_means(alpha, tallies)
    error = means.mean(axis=1).std(axis=0, ddof=1) / np.sqrt(CHAINS)
    sizes = alpha.sum() + tallies.sum(axis=2, keepdims=True) + 1
    within = (means * (1 - means) / sizes).mean(axis=(0, 1))
    return error, np.sqrt(within + means.var(axis=(0, 1)))


class _Chains:
    """The state of parallel chains; for every output they consider only the values that it supports."""

    def __init__(self, likelihoods: Reals, counts: Integers, alpha: Reals, rng: np.random.Generator) -> None:
        nothing = likelihoods.min(axis=0)
        excess = likelihoods - nothing
        most = int((excess > 0).sum(axis=0).max())
        self._values = np.argsort(-excess, axis=0, kind="stable")[:most]
        with np.errstate(divide="ignore"):
            self._log_nothing = np.log(nothing)
            self._log_excess = np.log(np.take_along_axis(excess, self._values, axis=0))
        self._cells = np.arange(CHAINS)[:, None, None] * alpha.size + self._values
        self._counts, self._alpha, self._rng = counts, alpha, rng
        self._log_shares = log_dirichlet(np.full((CHAINS, alpha.size), 0.5), rng)
        self.numbers = self._values.size + 2 * alpha.size

    def run(self, steps: int, most_kept: int) -> tuple[Integers, Reals]:
        """Take a number of steps, and return the tallies and shares of at most ``most_kept`` of them, evenly spaced."""
        every = -(-steps // most_kept)
        kept = steps // every
        tallies = np.empty((CHAINS, kept, self._alpha.size), dtype=np.int64)
        shares = np.empty(tallies.shape)
        for step in range(steps):
            drawn = self._draw_tallies()
            if step % every == 0 and step // every < kept:
                tallies[:, step // every], shares[:, step // every] = drawn, np.exp(self._log_shares)
            self._log_shares = log_dirichlet(self._alpha + drawn, self._rng)
        return tallies, shares

    def _draw_tallies(self) -> Integers:
        scores = np.empty((CHAINS, len(self._values) + 1, self._counts.size))
        scores[:, :-1] = self._log_excess + self._log_shares[:, self._values]
        scores[:, -1] = self._log_nothing
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        # Added up from the end, so that a probability given what comes after it is exactly 1 where nothing does.
        after = np.cumsum(weights[:, ::-1], axis=1)[:, ::-1]
        hits = np.divide(weights, after, out=np.ones_like(after), where=after > 0)
        left = np.broadcast_to(self._counts, (CHAINS, self._counts.size))
        drawn = np.empty(self._cells.shape, dtype=np.int64)
        for place in range(len(self._values)):
            drawn[:, place] = self._rng.binomial(left, hits[:, place])
            left = left - drawn[:, place]
        tallies = np.bincount(self._cells.ravel(), drawn.ravel(), minlength=CHAINS * self._alpha.size)
        return tallies.astype(np.int64).reshape(CHAINS, -1)
