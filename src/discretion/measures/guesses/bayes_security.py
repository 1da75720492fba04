"""Bayes security: the share of its error that the adversary keeps, for the secrets that are easiest to distinguish."""

import itertools
import math
from collections.abc import Hashable, Iterable
from fractions import Fraction
from functools import partial, singledispatch

import numpy as np
from numpy.typing import ArrayLike

from discretion import limits
from discretion.adversaries.gains import Gain, IdentityGain, as_gain, gain_matrix
from discretion.adversaries.priors import prior_vector
from discretion.channels.channel import Channel, System
from discretion.errors import InvalidGainError, InvalidPriorError, InvalidValueError, TooLargeError
from discretion.estimate import Estimate, mapped
from discretion.measures.guesses.rational import IN_FRACTIONS, exact_bayes_security, exact_game, exact_pairs
from discretion.measures.guesses.vulnerability import plan_bayes_risk, plan_posterior_vulnerability
from discretion.measures.guesses.worst_prior import losses_of, way_to_worst, worst_share
from discretion.measures.measure import Method, Plan, as_plain, measure, prior_on
from discretion.numerics.arrays import Reals
from discretion.numerics.distances.pairwise import BY_ROWS, MAX_PAIRS_LISTED, FurthestRows
from discretion.validation import as_real

Pair = tuple[Hashable, Hashable]

TIED = Method("all pairs are tied", "closed form")


@measure(safe="low")
def bayes_security(
    system: System, prior: ArrayLike | None = None, gain: Gain | None = None
) -> Plan[float | Fraction | Estimate]:
    """Return the share of its guessing error that the adversary keeps: 1 if nothing leaks, 0 if everything does.

    ``β(π, C) = R*(π, C) / (1 - max_x π_x)``; without a prior the least over all priors,
    ``β*(C) = 1 - max_{a,b} TV(C_a, C_b)``. With a gain, the share of the loss in place of the error:
    ``β_ℓ(π, C) = Σ_y min_w Σ_x π_x C[x, y] ℓ(w, x) / min_w Σ_x π_x ℓ(w, x)``.

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system with k secrets. For a `discretion.Shuffled` the secret is the
        target's value, and ``crowd.seen_by`` sets the adversary's knowledge of the other users.
    prior
        Probabilities of the secrets, shape ``(k,)``; None means the worst prior, which is uniform on
        `leakiest_pair`; with a gain the function searches for it.
    gain
        None means identity, whose loss is 1 for a wrong guess. The loss of a guess is the largest gain minus its own,
        ``ℓ(w, x) = max g - g(w, x)``; a gain that is nowhere positive is a negative loss, ``ℓ = -g``.

    Returns
    -------
    float, Fraction or Estimate
        In [0, 1]. A Fraction for a channel of fractions, with a prior of fractions or whole numbers and no gain. An
        `Estimate` for crowds that are too large to sum over; one with certified bounds where the search for the worst
        prior for a gain would take too long.

    Raises
    ------
    InvalidPriorError
        If the prior has a single possible secret.
    InvalidGainError
        If the gain has another number of secrets, or one guess has no loss for any secret.
    TooLargeError, UnsupportedError
        If the object is not a system; for a gain, also if it has too many guesses or, without a prior, the explicit
        channel is too large.

    Notes
    -----
    Source: Bayes-sec, Theorems 1 and 2; Appendix F for other losses. A system with a single secret has β* = 1. For a
    gain, there is a worst prior at which the number of equally good guesses is the number of possible secrets.
    `discretion.security.bayes_security_of_losses` bounds it for gains that are too large for a matrix.

    Examples
    --------
    >>> import numpy as np, discretion as dc
    >>> round(bayes_security(dc.Channel([[0.9, 0.1], [0.2, 0.8]])), 12)
    0.3
    >>> round(bayes_security(dc.RandomizedResponse(3, p=0.5), gain=dc.gain_matrix(-np.eye(3))), 12)  # which it is not
    0.75
    """
    plain = as_plain(system)
    gain_function = as_gain(gain, plain.secrets)
    if not isinstance(gain_function, IdentityGain):
        return _of_losses(plain, prior, losses_of(gain_function))
    if prior is None:
        return exact_bayes_security(plain) or plan_bayes_security(plain)
    checked = prior_on(plain, prior)
    error = 1 - 1 / plain.secrets if checked is None else float(np.delete(checked, checked.argmax()).sum())
    if error <= 0:
        raise InvalidPriorError("Bayes security needs a prior with at least two possible secrets, got a prior with one")
    if (exact := exact_game(plain, prior, gain_function)) is not None:
        return Plan(IN_FRACTIONS, exact.kept)
    plan = plan_bayes_risk(plain, checked)
    return plan.then(lambda risk: mapped(risk, lambda lost: min(1.0, lost / error)))


@measure
def leakiest_pair(system: System) -> Plan[Pair]:
    """Return the two secrets that are easiest to distinguish, the first such pair if several are tied.

    They maximize ``TV(C_a, C_b)``; the uniform prior on them attains β*.

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system with at least two secrets.

    Returns
    -------
    tuple
        The labels of the two secrets, in the channel's order.

    Raises
    ------
    InvalidValueError
        If there is only one secret.

    Notes
    -----
    Source: Bayes-sec, Theorem 1.

    Examples
    --------
    >>> import discretion as dc
    >>> leakiest_pair(dc.Channel([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8]], inputs=["a", "b", "c"]))
    ('a', 'c')
    """
    checked = _with_two_secrets(as_plain(system))
    exact = exact_pairs(checked, 0.0)
    return plan_leakiest_pair(checked) if exact is None else exact.then(lambda pairs: _labelled(checked, pairs)[0])


@measure
def leakiest_pairs(system: System, tol: float = 1e-12) -> Plan[list[Pair]]:
    """Return all pairs of secrets that are as easy to distinguish as the leakiest pair.

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system with at least two secrets.
    tol
        Pairs whose total variation is within tol of the largest count as tied, at least 0.

    Returns
    -------
    list of tuple
        Pairs of labels, lowest first.

    Raises
    ------
    InvalidValueError
        If the tolerance is below 0.

    Notes
    -----
    The pair of a channel need not be that of its square (Bayes-sec, Proposition 1's example).

    Examples
    --------
    >>> import discretion as dc
    >>> leakiest_pairs(dc.Channel([[1, 0], [1, 0], [0, 1]]))
    [(0, 2), (1, 2)]
    """
    checked = _with_two_secrets(as_plain(system))
    tolerance = as_real(tol, "tol")
    if tolerance < 0:
        raise InvalidValueError(f"tol must be at least 0, got {tol!r}")
    exact = exact_pairs(checked, tolerance)
    return plan_leakiest_pairs(checked, tolerance) if exact is None else exact.then(partial(_labelled, checked))


def _of_losses(plain: System, prior: ArrayLike | None, losses: Reals) -> Plan[float | Estimate]:
    if not losses.any(axis=1).all():
        raise InvalidGainError(
            "Bayes security needs a gain whose guesses each have a loss for some secret; one of these has none"
        )
    if prior is None:
        return Plan(way_to_worst(losses), lambda: worst_share(plain.channel().storage, losses))
    law = prior_on(plain, prior)
    before = float((losses @ prior_vector(law, plain.secrets)).min())
    if before <= 0:
        raise InvalidPriorError("Bayes security needs a prior under which every guess has a loss, got another prior")
    plan = plan_posterior_vulnerability(plain, law, gain_matrix(-losses))
    return plan.then(lambda gained: mapped(gained, lambda gained_least: min(1.0, max(0.0, -gained_least / before))))


@singledispatch
def plan_bayes_security(system: System) -> Plan[float | Estimate]:
    """Plan β* by comparing the rows of the explicit channel."""
    return Plan(_way(system), lambda: max(0.0, 1 - _furthest(system).distance / 2))


@singledispatch
def plan_leakiest_pair(system: System) -> Plan[Pair]:
    """Plan the leakiest pair by comparing the rows of the explicit channel."""
    return Plan(_way(system), lambda: _labelled(system, [_furthest(system, 2e-12).first()])[0])


@singledispatch
def plan_leakiest_pairs(system: System, tolerance: float) -> Plan[list[Pair]]:
    """Plan all tied pairs by comparing the rows of the explicit channel."""
    return Plan(_way(system), lambda: _labelled(system, _furthest(system, 2 * tolerance).all()))


def all_pairs(secrets: int) -> list[tuple[int, int]]:
    """Return all pairs of this number of secrets, where all pairs are tied, or raise TooLargeError."""
    check_listed(math.comb(secrets, 2))
    return list(itertools.combinations(range(secrets), 2))


def check_listed(pairs: int) -> None:
    """Raise TooLargeError if there are too many pairs to list."""
    if pairs > limits.current().numbers(MAX_PAIRS_LISTED, each=16):
        raise TooLargeError(f"{pairs:,} pairs are tied, too many to list; use leakiest_pair, which returns the first")


def _way(system: System) -> Method:
    """Return the algorithm, which depends on the rows of an explicit channel."""
    return Method(system.storage.way_to_furthest_rows if isinstance(system, Channel) else BY_ROWS, "exact")


def _furthest(system: System, tolerance: float = 0.0) -> FurthestRows:
    return system.channel().storage.furthest_rows(tolerance)


def _labelled(system: System, pairs: Iterable[tuple[int, int]]) -> list[Pair]:
    labels = system.channel().inputs
    return [(labels[a], labels[b]) for a, b in pairs]


def _with_two_secrets(system: System) -> System:
    if system.secrets < 2:
        raise InvalidValueError("a pair needs at least two secrets, and the system has one")
    return system
