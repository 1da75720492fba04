"""Channels on whole datasets: the paper's N, S, Sʳ and Nʳ, as explicit matrices if they are small.

A dataset is a tuple of n values in 0..k-1, in lexicographic order; a histogram is a tuple of k counts, those with most
of the first value first (Tables Ib and Ic of Shuffle; the other tables swap two datasets). If N does not fit in memory,
its measures are computed from one user's, since they factorize by users.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from discretion import limits
from discretion.adversaries.gains import Gain, IdentityGain
from discretion.channels.channel import Channel, Composable, System, as_system
from discretion.channels.composition.repeated import Repeated
from discretion.channels.storage.storage import check_size
from discretion.errors import TooLargeError
from discretion.estimate import Estimate, bracketed, highest, lowest, mapped
from discretion.measures.guesses.bayes_security import plan_bayes_security
from discretion.measures.guesses.capacities import plan_multiplicative_bayes_capacity
from discretion.measures.guesses.vulnerability import Prior, plan_bayes_risk, plan_posterior_vulnerability
from discretion.measures.information.mutual_information import plan_mutual_information
from discretion.measures.measure import Method, Plan
from discretion.measures.privacy_loss.differential_privacy import (
    Profile,
    plan_ldp_epsilon,
    plan_privacy_profile,
    plan_renyi,
)
from discretion.measures.privacy_loss.losses import leakiest_losses
from discretion.numerics.histograms.histograms import histogram_count, histogram_law, histograms, places, sequence_count
from discretion.validation import MAX_ENTRIES, as_count

Dataset = tuple[int, ...]

# Users of datasets that are measured user by user.
MAX_DATASET_USERS = 10**7

_WAY_OUT = "take fewer users or values, or discretion.Shuffled, which never builds it"

Result = Plan[float | Estimate]
THEOREM_3 = Method("Bayes-sec Theorem 3 from one user, and all with the same two values", "bound")


@dataclass(frozen=True, eq=False)
class IndependentUsers(Composable):
    """The channel N of n users from their dataset to all reports; made by `discretion.shuffling.dataset_channel`."""

    mechanism: System
    n: int

    @property
    def secrets(self) -> int:
        """The number of datasets."""
        return self.mechanism.secrets**self.n

    def channel(self) -> Channel:
        """Raise TooLargeError, since the matrix would not fit in memory."""
        raise TooLargeError(
            f"the channel of {self.n:,} users with {self.mechanism.secrets:,} values would have more than "
            f"{limits.current().numbers(MAX_ENTRIES):,} entries; take fewer users or values, a measure of the uniform "
            "prior that factorizes by users, or discretion.Shuffled, which never builds it"
        )


def _each_user(system: IndependentUsers, plan: Result, function: Callable[[float], float]) -> Result:
    return plan.named(f"of each of {system.n:,} users: {plan.method.name}").then(lambda one: mapped(one, function))


@plan_posterior_vulnerability.register
def _vulnerability_of_independent_users(system: IndependentUsers, prior: Prior, gain: Gain) -> Result:
    if prior is not None or not isinstance(gain, IdentityGain):
        return plan_posterior_vulnerability.dispatch(object)(system, prior, gain)
    one = plan_posterior_vulnerability(system.mechanism, None, IdentityGain(system.mechanism.secrets))
    return _each_user(system, one, lambda right: right**system.n)


@plan_bayes_risk.register
def _bayes_risk_of_independent_users(system: IndependentUsers, prior: Prior) -> Result:
    if prior is not None:
        return plan_bayes_risk.dispatch(object)(system, prior)
    one = plan_bayes_risk(system.mechanism, None)
    return _each_user(system, one, lambda wrong: -math.expm1(system.n * math.log1p(-wrong)) if wrong < 1 else 1.0)


@plan_multiplicative_bayes_capacity.register
def _bayes_capacity_of_independent_users(system: IndependentUsers) -> Result:
    def power(factor: float) -> float:
        try:
            return factor**system.n
        except OverflowError:
            raise TooLargeError(
                f"the capacity is {factor:.6g} to the power of {system.n:,}, which is more than a double holds; take "
                "the logarithm for one user, times the number of users"
            ) from None

    return _each_user(system, plan_multiplicative_bayes_capacity(system.mechanism), power)


@plan_mutual_information.register
def _information_of_independent_users(system: IndependentUsers, prior: Prior) -> Result:
    if prior is not None:
        return plan_mutual_information.dispatch(object)(system, prior)
    return _each_user(system, plan_mutual_information(system.mechanism, None), lambda nats: system.n * nats)


@plan_ldp_epsilon.register
def _ldp_epsilon_of_independent_users(system: IndependentUsers) -> Plan[float]:
    return plan_ldp_epsilon(Repeated(system.mechanism, system.n))


@plan_renyi.register
def _renyi_of_independent_users(system: IndependentUsers, order: float) -> Plan[float | Estimate]:
    return plan_renyi(Repeated(system.mechanism, system.n), order)


@plan_privacy_profile.register
def _privacy_profile_of_independent_users(system: IndependentUsers) -> Plan[Profile]:
    # Of any two values of each user, what the leakiest two show is told apart at least as well.
    if leakiest_losses(system.mechanism) is None:
        return plan_privacy_profile.dispatch(object)(system)
    return plan_privacy_profile(Repeated(system.mechanism, system.n))


@plan_bayes_security.register
def _bayes_security_of_independent_users(system: IndependentUsers) -> Result:
    same = plan_bayes_security(Repeated(system.mechanism, system.n))
    if leakiest_losses(system.mechanism) is not None:
        return same
    one = plan_bayes_security(system.mechanism)

    def bounds() -> Estimate:
        alone, together = one.compute(), same.compute()
        return bracketed(lowest(alone) ** system.n, highest(together), [alone, together], THEOREM_3.name)

    return Plan(THEOREM_3, bounds)


def full_shuffle_channel(n: int, k: int) -> Channel:
    """Return the shuffle channel S from datasets to datasets: ``S[x, y] = 1/#h(x)`` if ``h(y) = h(x)``, else 0.

    Parameters
    ----------
    n
        Number of users, at least 1.
    k
        Number of values, at least 1.

    Returns
    -------
    Channel
        Shape ``(k^n, k^n)``.

    Notes
    -----
    Source: Shuffle, Definition 7; ``#h(x)`` is the number of datasets with x's histogram (a permutation has
    probability 1/n! only when the entries are distinct).

    Examples
    --------
    >>> full_shuffle_channel(2, 2).matrix.tolist()
    [[1.0, 0.0, 0.0, 0.0], [0.0, 0.5, 0.5, 0.0], [0.0, 0.5, 0.5, 0.0], [0.0, 0.0, 0.0, 1.0]]
    """
    reduced = reduced_shuffle_channel(n, k)
    datasets = reduced.shape[0]
    check_size(datasets, datasets, f"the shuffle channel of {n} users and {k} values", _WAY_OUT)
    rows = reduced.dense()
    return Channel((rows / rows.sum(axis=0)) @ rows.T, reduced.inputs, reduced.inputs)


def reduced_shuffle_channel(n: int, k: int) -> Channel:
    """Return the reduced shuffle channel Sʳ from datasets to histograms: it shows the histogram.

    Parameters
    ----------
    n
        Number of users, at least 1.
    k
        Number of values, at least 1.

    Returns
    -------
    Channel
        Shape ``(k^n, C(n+k-1, k-1))``; it leaks the same as `full_shuffle_channel` (Shuffle, Proposition 9).

    Notes
    -----
    Source: Shuffle, Definition 8.

    Examples
    --------
    >>> reduced_shuffle_channel(2, 2).matrix.tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    n, k = as_count(n, "n", at_least=1), as_count(k, "k", at_least=1)
    check_size(
        sequence_count(n, k),
        histogram_count(n, k),
        f"the reduced shuffle channel of {n} users and {k} values",
        _WAY_OUT,
    )
    datasets = list(itertools.product(range(k), repeat=n))
    outputs = _histogram_labels(n, k)
    column = {histogram: z for z, histogram in enumerate(outputs)}
    matrix = np.zeros((len(datasets), len(outputs)))
    for x, dataset in enumerate(datasets):
        matrix[x, column[tuple(dataset.count(value) for value in range(k))]] = 1.0
    return Channel(matrix, datasets, outputs)


def dataset_channel(mechanism: System, n: int) -> Channel | IndependentUsers:
    """Return the channel N from datasets to datasets: every user randomizes their own value.

    ``N[x, y] = Π_i Q[x_i, y_i]``

    Parameters
    ----------
    mechanism
        A local mechanism or a channel Q, with k values and m kinds of report.
    n
        Number of users, at least 1.

    Returns
    -------
    Channel or IndependentUsers
        Shape ``(k^n, m^n)``. If that would not fit in memory, a system without an explicit matrix, whose measures under
        the uniform prior factorize by users: guesses and capacities multiply; information, ε and Rényi divergences add
        up.

    Raises
    ------
    TooLargeError
        If the number of users is over ten million, beyond which the number of datasets is not computed.

    Notes
    -----
    Source: Shuffle, Definition 10, for any local randomizer.

    Examples
    --------
    >>> import discretion as dc
    >>> dataset_channel(dc.RandomizedResponse(2, p=0.75), 2).matrix[0].tolist()
    [0.5625, 0.1875, 0.1875, 0.0625]
    """
    base, n = as_system(mechanism), as_count(n, "n", at_least=1)
    try:
        channel = base.channel()
        k, m = channel.shape
        check_size(sequence_count(n, k), sequence_count(n, m), f"the channel of {n} users with {k} values", _WAY_OUT)
    except TooLargeError:
        if n > MAX_DATASET_USERS:
            raise TooLargeError(
                f"the datasets of {n:,} users are too many to count; take at most {MAX_DATASET_USERS:,} users"
            ) from None
        return IndependentUsers(base, n)
    product = reduce(np.kron, [channel.dense()] * n)
    return Channel(product, itertools.product(range(k), repeat=n), itertools.product(range(m), repeat=n))


def reduced_dataset_channel(mechanism: System, n: int) -> Channel:
    """Return the reduced channel Nʳ from the histogram of values to the histogram of reports.

    Parameters
    ----------
    mechanism
        A local mechanism or a channel, with k values and m kinds of report.
    n
        Number of users, at least 1.

    Returns
    -------
    Channel
        Shape ``(C(n+k-1, k-1), C(n+m-1, m-1))``.

    Notes
    -----
    Source: Shuffle, Definition 23; ``N Sʳ = Sʳ Nʳ`` (Proposition 26). Rows 2 and 3 of the paper's Table IV have an
    erroneous factor 1/3.

    Examples
    --------
    >>> import discretion as dc
    >>> reduced_dataset_channel(dc.RandomizedResponse(2, p=0.75), 2).matrix.round(6).tolist()[1]
    [0.1875, 0.625, 0.1875]
    """
    rows = as_system(mechanism).channel().dense()
    n = as_count(n, "n", at_least=1)
    k, m = rows.shape
    what = f"the reduced channel of {n} users with {k} values"
    check_size(histogram_count(n, k), max(histogram_count(n, m), sequence_count(m - 1, n + 1)), what, _WAY_OUT)
    index = places(histograms(n, m))
    inputs = _histogram_labels(n, k)
    return Channel([histogram_law(counts, rows)[index] for counts in inputs], inputs, _histogram_labels(n, m))


def _histogram_labels(n: int, k: int) -> list[Dataset]:
    return [tuple(histogram) for histogram in histograms(n, k).tolist()]
