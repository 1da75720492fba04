"""The posterior of the tally: the law of the number of these respondents with each value, given their reports."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from discretion import limits
from discretion.adversaries.populations import Dirichlet, PointMixture, PopulationLaw, as_population_law
from discretion.channels.channel import System
from discretion.channels.storage.storage import check_size
from discretion.errors import TooLargeError, UnsupportedError
from discretion.information.posterior.latent_tallies import latent_tallies, work
from discretion.information.posterior.posterior import MAX_POSTERIOR_TERMS, observed_outputs
from discretion.information.posterior.updated_dirichlet import log_evidence_of_values
from discretion.information.protocol import as_protocol
from discretion.numerics.arrays import Integers, Reals
from discretion.validation import as_index


@dataclass(frozen=True, eq=False, repr=False)
class TallyPosterior:
    """The law of the tally T of n respondents' values, given their reports; `tally_posterior` returns one.

    Attributes
    ----------
    tallies
        The possible tallies, shape ``(tallies, k)``.
    probabilities
        The probability of each, shape ``(tallies,)``.
    """

    tallies: Integers
    probabilities: Reals

    @property
    def n(self) -> int:
        """The number of respondents."""
        return int(self.tallies[0].sum())

    @cached_property
    def mean(self) -> Reals:
        """The mean number of respondents with each value, shape ``(k,)``."""
        return self.probabilities @ self.tallies

    @cached_property
    def covariance(self) -> Reals:
        """The covariance of the numbers of respondents with each value, shape ``(k, k)``."""
        off = self.tallies - self.mean
        return (off.T * self.probabilities) @ off

    def marginal(self, x: int) -> Reals:
        """Return the probabilities of 0 to n respondents with value x, shape ``(n+1,)``."""
        held = self.tallies[:, as_index(x, "x", self.tallies.shape[1])]
        check_size(
            1, self.n + 1, f"the probabilities of 0 to {self.n:,} respondents", "read the tallies and probabilities"
        )
        probabilities = np.zeros(self.n + 1)
        np.add.at(probabilities, held, self.probabilities)
        return probabilities

    def __repr__(self) -> str:
        return f"TallyPosterior(k={self.tallies.shape[1]}, n={self.n})"


def tally_posterior(system: System, counts: ArrayLike, population: PopulationLaw | None = None) -> TallyPosterior:
    """Return the law of the respondents' own tally T, given the number of each output.

    ``P(t | y) ∝ B(α + t)/B(α) [z^t] Π_y (Σ_x C[x, y] z_x)^s_y``

    Parameters
    ----------
    system
        A channel or a mechanism whose channel can be written down.
    counts
        The number of reports of each output, in the order of ``system.channel()``.
    population
        The law of the population's shares P, from which the respondents are drawn: a `discretion.Dirichlet` or a
        `discretion.DirichletMixture`; None is Jeffreys' prior.

    Returns
    -------
    TallyPosterior
        ``.mean``, ``.covariance``, ``.marginal(x)``; exact.

    Raises
    ------
    UnsupportedError
        If the system is not a local protocol of one person, or the population is a mixture of points.
    TooLargeError
        If the sum over all tallies is too long, since it is not sampled.

    Notes
    -----
    Source: LDP-info, equation 9.4, where T is the index of the sum. `frequency_posterior` returns the law of the shares
    of the population from which the respondents are drawn; its spread includes that of the draw. Reports that are
    equally likely from all values count here, since their senders have values, too.

    Examples
    --------
    >>> import discretion as dc
    >>> posterior = tally_posterior(dc.RandomizedResponse(2, p=0.75), [7, 3])
    >>> posterior.mean.round(3).tolist()
    [8.167, 1.833]
    >>> posterior.marginal(1)[:3].round(3).tolist()  # none, one or two respondents with value 1
    [0.338, 0.202, 0.158]
    """
    protocol = as_protocol(system)
    prior = as_population_law(population, protocol.secrets)
    if isinstance(prior, PointMixture):
        raise UnsupportedError(
            "tally_posterior takes a discretion.Dirichlet or a discretion.DirichletMixture, got a "
            "discretion.PointMixture; take a discretion.Dirichlet with large parameters about the point"
        )
    likelihoods, seen = observed_outputs(protocol.channel(), counts)
    certain = (likelihoods > 0).sum(axis=0) == 1
    own = np.zeros((1, prior.k), dtype=np.int64)
    np.add.at(own[0], likelihoods[:, certain].argmax(axis=0), seen[certain])
    alpha, weights = (prior.alpha[None], np.ones(1)) if isinstance(prior, Dirichlet) else (prior.alpha, prior.weights)
    alpha, weights = alpha[weights > 0], weights[weights > 0]
    unsure = int(seen[~certain].sum())
    if len(alpha) * work(unsure, prior.k) > limits.current().steps(MAX_POSTERIOR_TERMS, each=8):
        raise TooLargeError(
            f"the tallies of {unsure:,} respondents on {prior.k:,} values under {len(alpha):,} Dirichlet laws are too "
            "many to sum over; take fewer reports, or frequency_posterior, which samples the shares"
        )
    latent, given, evidence = latent_tallies(likelihoods[:, ~certain], seen[~certain], alpha + own)
    logs = np.log(weights) + [log_evidence_of_values(row, own[0]) for row in alpha] + evidence
    likely = np.exp(logs - logs.max())
    return TallyPosterior(own + latent, likely / likely.sum() @ given)
