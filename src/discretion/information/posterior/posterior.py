"""The posterior of the population: the law of its shares, given the number of each output."""

from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discretion import limits
from discretion.adversaries.populations import (
    Dirichlet,
    DirichletMixture,
    PointMixture,
    PopulationLaw,
    as_population_law,
)
from discretion.channels.channel import Channel, System
from discretion.channels.storage.storage import check_size
from discretion.errors import InvalidValueError, TooLargeError, UnsupportedError
from discretion.escaping import short_repr
from discretion.information.posterior.gibbs import sample_tallies
from discretion.information.posterior.latent_tallies import latent_tallies, work
from discretion.information.posterior.marginals import KnownShares, Marginal
from discretion.information.posterior.updated_dirichlet import UpdatedDirichlet, log_evidence_of_values
from discretion.information.protocol import as_protocol
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.draws import Seed, generator
from discretion.validation import NotNumbersError, as_array, as_count, as_index

# Terms of a sum over people's possible values.
MAX_POSTERIOR_TERMS = 1 << 23

_SUM = "sum over what the people may hold"


@dataclass(frozen=True, eq=False)
class Diagnostics:
    """The mixing of the chains: R-hat and the effective sample size, one per value."""

    r_hat: Reals
    ess: Reals


@dataclass(frozen=True, eq=False)
class _Points:
    """A mixture of points, as the law of a population."""

    points: Reals
    weights: Reals

    @property
    def mean(self) -> Reals:
        return self.weights @ self.points

    @property
    def covariance(self) -> Reals:
        off = self.points - self.mean
        return (off.T * self.weights) @ off

    def marginal(self, x: int) -> KnownShares:
        return KnownShares(self.points[:, x], self.weights)

    def as_law(self) -> PointMixture:
        return PointMixture(self.points, self.weights)

    def sample(self, m: int, rng: np.random.Generator) -> Reals:
        return self.points[rng.choice(self.weights.size, size=m, p=self.weights / self.weights.sum())]


@dataclass(frozen=True, eq=False, repr=False)
class FrequencyPosterior:
    """The law of the population's shares P, given reports; `frequency_posterior` returns one.

    Attributes
    ----------
    method
        The method of computation.
    mean_error
        The Monte Carlo standard error of each mean: zeros if the posterior is exact.
    """

    method: str
    mean_error: Reals
    _law: UpdatedDirichlet | _Points
    _shares: Reals | None = field(default=None)

    @property
    def exact(self) -> bool:
        """Whether moments and probabilities are exact rather than means over chains."""
        return self._shares is None

    @cached_property
    def mean(self) -> Reals:
        """The mean of each share, shape ``(k,)``."""
        return _read_only(self._law.mean)

    @cached_property
    def covariance(self) -> Reals:
        """The covariance of the shares, shape ``(k, k)``."""
        return _read_only(self._law.covariance)

    def marginal(self, x: int) -> Marginal:
        """Return the law of the share of value x, in ``0..k-1``.

        It has ``.mean``, ``.variance``, ``.cdf(p)``, ``.density(p)``, ``.quantile(u)`` and ``.interval(level=0.95)``,
        the equal-tailed credible interval.
        """
        return self._law.marginal(as_index(x, "x", self.mean_error.size))

    def sample(self, m: int, rng: Seed = None) -> Reals:
        """Return m populations drawn from the posterior, shape ``(m, k)``."""
        return self._law.sample(as_count(m, "m", at_least=1), generator(rng))

    def as_population(self) -> PopulationLaw:
        """Return the posterior as a law of the population: the prior of the next reports, or of a measure.

        Returns
        -------
        PopulationLaw
            A `discretion.DirichletMixture`; a `discretion.Dirichlet` if it has one component; a
            `discretion.PointMixture` if the prior is one.

        Raises
        ------
        UnsupportedError
            If the posterior is not exact.

        Examples
        --------
        >>> import discretion as dc
        >>> krr = dc.RandomizedResponse(2, p=0.75)
        >>> first = dc.frequency_posterior(krr, [30, 10])
        >>> second = dc.frequency_posterior(krr, [20, 5], first.as_population())
        >>> abs(second.mean - dc.frequency_posterior(krr, [50, 15]).mean).max() < 1e-12
        np.True_
        """
        if not self.exact:
            raise UnsupportedError(
                "this posterior is sampled, and only an exact one can serve as a prior; add the counts of all reports "
                "of this protocol, and call frequency_posterior once"
            )
        return self._law.as_law()

    def diagnostics(self) -> Diagnostics:
        """Return R-hat (rank-normalized, near 1 if chains agree) and the bulk effective sample size, by ArviZ."""
        if self._shares is None:
            raise UnsupportedError("an exact posterior has no chains, and so no diagnostics")
        arviz = _array_stats()
        axes = {"chain_axis": 0, "draw_axis": 1}
        return Diagnostics(arviz.rhat(self._shares, **axes), arviz.ess(self._shares, **axes))

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "sampled"
        return f"FrequencyPosterior(k={self.mean_error.size}, {kind}: {self.method})"


def frequency_posterior(
    system: System, counts: ArrayLike, population: PopulationLaw | None = None, rng: Seed = None
) -> FrequencyPosterior:
    """Return the law of the population's shares P, given the number of reports of each output.

    ``f(p | y) ∝ f(p) Π_y (Σ_x C[x, y] p_x)^s_y``

    Parameters
    ----------
    system
        A channel or a mechanism whose channel can be written down.
    counts
        The number of reports of each output: a whole number per column of ``system.channel()``, in its order. For k-RR
        ``aggregate`` returns these counts.
    population
        The law of P before any report: a `discretion.Dirichlet`, a `discretion.PointMixture` or a
        `discretion.DirichletMixture`, such as the posterior of earlier reports (`as_population`); None means Jeffreys'
        prior.
    rng
        A generator or a seed; used only for sums that are too long to add up, which are sampled.

    Returns
    -------
    FrequencyPosterior
        ``.mean``, ``.covariance``, ``.marginal(x)``, ``.sample(m, rng)``; ``.as_population()``, the prior of the next
        reports; ``.exact``, ``.method``, ``.mean_error`` and ``.diagnostics()`` describe its precision.

    Raises
    ------
    UnsupportedError
        If the system is not a local protocol of one person.
    TooLargeError
        If the population is a mixture of Dirichlet laws and the sums over all of them are too long, since these are
        not sampled.

    Notes
    -----
    Source: LDP-info, Proposition 9.1. Under a Dirichlet(α) prior the posterior is a mixture of Dirichlet(α + t) over
    the possible tallies t of the people's values. Reports that are equally likely from all values carry no information.
    Reports that only one value sends are counted as that value. For the other reports, the sum over their senders'
    values is exact where it is short (up to about 2900 such reports for k = 2, 250 for k = 3, 12 for k = 10).
    Otherwise 32 Gibbs chains run until the standard error of every mean is 1 % of its standard deviation, or for about
    fifteen seconds; ``.mean_error`` has the standard errors that they reached.

    Examples
    --------
    >>> import discretion as dc
    >>> posterior = dc.frequency_posterior(dc.RandomizedResponse(2, p=0.75), [30, 10])
    >>> posterior.exact, posterior.mean.round(4).tolist()
    (True, [0.9248, 0.0752])
    >>> [round(end, 4) for end in posterior.marginal(0).interval()]
    [0.7067, 0.9999]
    """
    protocol = as_protocol(system)
    prior = as_population_law(population, protocol.secrets)
    random = generator(rng)
    likelihoods, seen = observed_outputs(protocol.channel(), counts)
    if isinstance(prior, PointMixture):
        return _among_points(prior, likelihoods, seen)
    return _under_dirichlet(prior, likelihoods, seen, random)


def observed_outputs(channel: Channel, counts: ArrayLike) -> tuple[Reals, Integers]:
    """Return the likelihoods of the outputs with a count above 0, ``(k, outputs)``, and their counts."""
    k, outputs = channel.shape
    given = _as_array(counts)
    if given.shape != (outputs,) or given.dtype.kind not in "iu" or given.min() < 0:
        raise InvalidValueError(
            f"counts must be {outputs:,} whole numbers of at least 0, one per output of the channel, got "
            f"{short_repr(counts)}"
        )
    if sum(given.tolist()) > (most := limits.current().people):
        raise TooLargeError(f"counts must sum to at most {most:,} reports")
    seen = np.flatnonzero(given)
    check_size(
        k, seen.size, f"the likelihoods of {seen.size:,} different reports", "take a mechanism with fewer outputs"
    )
    likelihoods = channel.storage.columns(seen).dense()
    never = likelihoods.max(axis=0, initial=0.0) == 0
    if never.any():
        raise InvalidValueError(
            f"output {channel.outputs[seen[never][0]]!r} is never sent, but its count is above 0; check their order"
        )
    return likelihoods, given[seen].astype(np.int64)


def _as_array(counts: ArrayLike) -> NDArray[Any]:
    try:
        return as_array(counts)
    except NotNumbersError:
        return np.asarray(None)


def _under_dirichlet(
    prior: Dirichlet | DirichletMixture, likelihoods: Reals, counts: Integers, rng: np.random.Generator
) -> FrequencyPosterior:
    k = prior.k
    telling = np.ptp(likelihoods, axis=0) > 0
    certain = (likelihoods > 0).sum(axis=0) == 1
    tallies = np.zeros((1, k), dtype=np.int64)
    np.add.at(tallies[0], likelihoods[:, certain].argmax(axis=0), counts[certain])
    doubtful = telling & ~certain
    likelihoods, counts = likelihoods[:, doubtful], counts[doubtful]
    if isinstance(prior, DirichletMixture):
        return _under_dirichlet_mixture(prior, likelihoods, counts, tallies)
    alpha = prior.alpha[None]
    if not doubtful.any():
        return _exact(UpdatedDirichlet(alpha, tallies, np.ones(1)), "conjugate update")
    if _terms(counts, k) <= limits.current().steps(MAX_POSTERIOR_TERMS, each=8):
        latent, weights, _ = latent_tallies(likelihoods, counts, alpha + tallies)
        return _exact(UpdatedDirichlet(alpha, tallies + latent, weights[0]), _SUM)
    drawn = sample_tallies(likelihoods, counts, prior.alpha + tallies[0], rng)
    rows = drawn.tallies.reshape(-1, k)
    law = UpdatedDirichlet(alpha, tallies + rows, np.full(len(rows), 1 / len(rows)))
    return FrequencyPosterior("Gibbs sampling", _read_only(drawn.mean_error), law, drawn.shares)


def _under_dirichlet_mixture(
    prior: DirichletMixture, likelihoods: Reals, counts: Integers, certain: Integers
) -> FrequencyPosterior:
    """Return the components' posteriors, each weighted by its prior weight times its evidence of the reports."""
    possible = prior.weights > 0
    alpha, logs = prior.alpha[possible], np.log(prior.weights[possible])
    if len(alpha) * _terms(counts, prior.k) > limits.current().steps(MAX_POSTERIOR_TERMS, each=8):
        raise TooLargeError(
            f"{int(counts.sum()):,} reports under a mixture of {len(alpha):,} Dirichlet laws on {prior.k:,} values are "
            "too many to sum over; take fewer reports or components, or, if the mixture is the posterior of reports "
            "of the same protocol, add the counts of all reports and start from the first prior"
        )
    logs += [log_evidence_of_values(row, certain[0]) for row in alpha]
    latent, weights, evidence = latent_tallies(likelihoods, counts, alpha + certain)
    logs += evidence
    likely = np.exp(logs - logs.max())
    joint: Reals = (likely / likely.sum())[:, None] * weights
    component, tally = np.nonzero(joint)
    law = UpdatedDirichlet(alpha[component], certain + latent[tally], joint[component, tally])
    return _exact(law, _SUM)


def _terms(counts: Integers, k: int) -> float:
    """Return the number of terms of the sum over the possible values of the people with these reports."""
    return work(int(counts.sum()), k)


def _among_points(prior: PointMixture, likelihoods: Reals, counts: Integers) -> FrequencyPosterior:
    with np.errstate(divide="ignore"):
        logs = np.log(prior.weights)
        rough = logs + np.log(prior.points @ likelihoods) @ counts
        if rough.max() == -np.inf:
            raise InvalidValueError(
                "counts are impossible under every point of the population; add one that allows them"
            )
        logs += _log_ratios(prior.points, int(rough.argmax()), likelihoods) @ counts
    weights = np.exp(logs - logs.max())
    return _exact(_Points(prior.points, weights / weights.sum()), "Bayes' rule among the points")


def _log_ratios(points: Reals, reference: int, likelihoods: Reals) -> Reals:
    """Return ``log(q_y / r_y)`` of each point's outputs against a reference's, with full precision for near points."""
    theirs, own = points @ likelihoods, points[reference] @ likelihoods
    apart = (points - points[reference]) @ likelihoods
    near = np.abs(apart) < own / 2
    return np.where(near, np.log1p(np.where(near, apart / own, 0.0)), np.log(theirs / own))


def _exact(law: UpdatedDirichlet | _Points, method: str) -> FrequencyPosterior:
    return FrequencyPosterior(method, _read_only(np.zeros(law.mean.size)), law)


def _read_only(array: Reals) -> Reals:
    array.setflags(write=False)
    return array


def _array_stats() -> Any:
    try:
        return import_module("arviz_stats.base").array_stats
    except ImportError as error:
        raise UnsupportedError(
            "diagnostics need the package arviz-stats; install Discretion with its extra posterior (uv run --extra "
            "posterior)"
        ) from error
