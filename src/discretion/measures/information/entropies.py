"""Uncertainty of the secret, before and after the observation: Shannon's and guessing entropy."""

from functools import singledispatch

import numpy as np
from numpy.typing import ArrayLike

from discretion.adversaries.priors import as_distribution, prior_vector
from discretion.channels.channel import System
from discretion.estimate import Estimate, mapped, quantity
from discretion.measures.guesses.vulnerability import EXPLICIT, Prior, of_joint, plan_bayes_risk
from discretion.measures.information.mutual_information import Unit, nats_in, plan_mutual_information
from discretion.measures.measure import Plan, as_plain, measure, prior_on
from discretion.numerics.arrays import Reals


@quantity
def prior_entropy(prior: ArrayLike, unit: Unit = "nats") -> float:
    """Return Shannon's entropy of the secret: ``H(π) = -Σ_x π_x log π_x``.

    Parameters
    ----------
    prior
        Probabilities of the k secrets, shape ``(k,)``.
    unit
        ``"nats"`` or ``"bits"``.

    Returns
    -------
    float
        In ``[0, log k]``.

    Notes
    -----
    Source: Shannon, A mathematical theory of communication (1948).

    Examples
    --------
    >>> prior_entropy([0.5, 0.25, 0.25], unit="bits")
    1.5
    """
    return _entropy(as_distribution(prior, "prior")) / nats_in(unit)


@measure(safe="low")
def posterior_entropy(
    system: System,
    prior: ArrayLike | None = None,
    unit: Unit = "nats",
) -> Plan[float | Estimate]:
    """Return the conditional entropy of the secret given the system's output, on average over the outputs.

    ``H(X | Y) = H(π) - I(X; Y)``

    Parameters
    ----------
    system, prior, unit
        As for `discretion.mutual_information`.

    Returns
    -------
    float or Estimate
        In ``[0, H(π)]``; an `Estimate` where the mutual information is one.

    Notes
    -----
    For a crowd with the worst values of the other users, it is the least conditional entropy. Source: Shannon (1948).

    Examples
    --------
    >>> import discretion as dc
    >>> posterior_entropy(dc.Channel([[1, 0], [1, 0], [0, 1], [0, 1]]), unit="bits")
    1.0
    """
    per = nats_in(unit)
    plain = as_plain(system)
    law = prior_on(plain, prior)
    before = _entropy(prior_vector(law, plain.secrets))
    return plan_mutual_information(plain, law).then(
        lambda information: mapped(information, lambda nats: min(before, max(0.0, before - nats)) / per)
    )


@quantity
def prior_guessing_entropy(prior: ArrayLike) -> float:
    """Return the guessing entropy, the mean number of guesses, the likeliest first: ``G(π) = Σ_i i π_(i)``.

    Parameters
    ----------
    prior
        Probabilities of the k secrets, shape ``(k,)``.

    Returns
    -------
    float
        In ``[1, (k + 1)/2]``.

    Notes
    -----
    The adversary learns after each guess whether it is correct. Source: Massey, Guessing and entropy (1994).

    Examples
    --------
    >>> prior_guessing_entropy([0.25, 0.5, 0.25])
    1.75
    """
    law = as_distribution(prior, "prior")
    return float(np.sort(law)[::-1] @ _ranks(law.size))


@measure(safe="low")
def posterior_guessing_entropy(system: System, prior: ArrayLike | None = None) -> Plan[float | Estimate]:
    """Return the posterior guessing entropy: the mean number of guesses after the observation.

    ``G[π ▷ C] = Σ_y Σ_i i J_(i)y``, where ``J_(i)y`` is the i-th largest of ``π_x C[x, y]``.

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system with k secrets.
    prior
        Probabilities of the secrets, shape ``(k,)``; None means uniform.

    Returns
    -------
    float or Estimate
        In ``[1, G(π)]``. For two secrets it is 1 plus the Bayes risk, and an `Estimate` where that is one.

    Raises
    ------
    TooLargeError, UnsupportedError
        If the object is not a system, or has at least three secrets and an explicit channel that is too large.

    Notes
    -----
    It is the sum over t from 0 to k - 1 of the probability that t tries do not name the secret. Source: Köpf and Basin,
    An information-theoretic model for adaptive side-channel attacks (2007).

    Examples
    --------
    >>> import discretion as dc
    >>> posterior_guessing_entropy(dc.Channel([[1, 0], [1, 0], [0, 1], [0, 1]]))
    1.5
    """
    plain = as_plain(system)
    law = prior_on(plain, prior)
    if plain.secrets == 2:
        return plan_bayes_risk(plain, law).then(lambda risk: 1 + risk)
    return plan_posterior_guessing_entropy(plain, law)


@singledispatch
def plan_posterior_guessing_entropy(system: System, prior: Prior) -> Plan[float | Estimate]:
    """Plan G[π ▷ C] by summing over the explicit channel."""
    ranks = _ranks(system.secrets)
    return Plan(EXPLICIT, lambda: of_joint(system, prior, lambda joint: float(joint.ranked_sums(ranks).sum())))


def _entropy(law: Reals) -> float:
    possible = law[law > 0]
    return max(0.0, -float(possible @ np.log(possible)))


def _ranks(k: int) -> Reals:
    return np.arange(1.0, k + 1)
