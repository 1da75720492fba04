"""Bounds of Bayes security from differential privacy, and of differential privacy from Bayes security.

Each bound uses the parameters alone. Some mechanism attains it, unless its documentation states otherwise.
"""

import math

from discretion.errors import InvalidValueError
from discretion.estimate import Estimate, highest, lowest, mapped, quantity
from discretion.validation import as_count, as_crowd, as_epsilon, as_probability, as_real


@quantity
def bayes_security_of_ldp(epsilon: float, delta: float = 0.0) -> float:
    """Return the least Bayes security of an (ε, δ)-locally differentially private system: ``2(1-δ) / (1+e^ε)``.

    Parameters
    ----------
    epsilon
        ε >= 0; infinity is fine.
    delta
        δ in [0, 1].

    Returns
    -------
    float
        In [0, 1]; β(π, C) is at least this for every prior.

    Notes
    -----
    Source: Bayes-sec, Theorem 5, and Corollary 2 for the two secrets that are adjacent databases of an (ε, δ)-DP
    mechanism. Attained by ``[[δ, 0, (1-δ)p, (1-δ)(1-p)], [0, δ, (1-δ)(1-p), (1-δ)p]]`` with ``p = e^ε/(1+e^ε)``, the
    dominating pair of Kairouz, Oh and Viswanath, ICML 2015.

    Examples
    --------
    >>> round(bayes_security_of_ldp(1.0), 6), round(bayes_security_of_ldp(1.0, delta=0.1), 6)
    (0.537883, 0.484095)
    """
    rarity = math.exp(-as_epsilon(epsilon))
    return (1 - as_probability(delta, "delta")) * (2 * rarity / (1 + rarity))


@quantity
def bayes_security_of_databases(epsilon: float, people: int, values: int, prior_maximum: float | None = None) -> float:
    """Return the least Bayes security of an ε-differentially private mechanism when the secret is a whole database.

    ``β(π, K) >= (1 - max π · (v e^ε / (v-1+e^ε))ⁿ) / (1 - max π)``, or 0 where that is negative.

    Parameters
    ----------
    epsilon
        ε >= 0, for databases that differ in one person's value; infinity is fine.
    people
        The largest number of people in the database, n >= 1.
    values
        The number of values that a person can have, v >= 2; being absent is one of them.
    prior_maximum
        The probability of the likeliest of the vⁿ databases, in [1/vⁿ, 1); None means the uniform prior.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    InvalidValueError
        If no prior on the databases has this largest probability.
    TooLargeError
        If people or values are more than ten thousand million.

    Notes
    -----
    Source: Bayes-sec, Corollary 1. Attained under the uniform prior, by n people who each use v-ary randomized
    response; under other priors it holds, and may be loose.

    Examples
    --------
    >>> round(bayes_security_of_databases(1.0, people=10, values=2), 6)
    0.957331
    """
    level = as_epsilon(epsilon)
    n, v = as_crowd(people, "people"), as_crowd(as_count(values, "values", at_least=2), "values")
    rarity = math.exp(-level)
    if prior_maximum is None:  # where max π · (…)ⁿ is the probability that all tell the truth
        return -math.expm1(-n * math.log1p((v - 1) * rarity)) / -math.expm1(-n * math.log(v))
    likeliest = as_real(prior_maximum, "prior_maximum")
    if not 0 < likeliest < 1 or math.log(likeliest) < -n * math.log(v) * (1 + 1e-12):
        raise InvalidValueError(
            f"prior_maximum must be in [1/values**people, 1), for some database is at least as likely as the mean one, "
            f"got {prior_maximum!r}"
        )
    log_leakage = n * math.log1p((v - 1) * -math.expm1(-level) / (1 + (v - 1) * rarity))
    return max(0.0, -math.expm1(min(0.0, math.log(likeliest) + log_leakage)) / (1 - likeliest))


@quantity
def membership_advantage(epsilon: float, delta: float = 0.0) -> float:
    """Return the largest advantage of deciding whether a person is in the data: ``(e^ε - 1 + 2δ) / (e^ε + 1)``.

    Parameters
    ----------
    epsilon, delta
        Of the (ε, δ)-differentially private mechanism, as for `bayes_security_of_ldp`.

    Returns
    -------
    float
        In [0, 1]: the true positive rate minus the false positive rate, which is one minus the Bayes security of the
        two adjacent databases.

    Notes
    -----
    Source: Bayes-sec, section V-D; Humphries et al., CSF 2023, for δ > 0. Attained: see `bayes_security_of_ldp`.

    Examples
    --------
    >>> round(membership_advantage(1.0), 6), round(yeom_advantage(1.0), 6)
    (0.462117, 1.0)
    """
    level, share = as_epsilon(epsilon), as_probability(delta, "delta")
    return math.tanh(level / 2) * (1 - share) + share


@quantity
def yeom_advantage(epsilon: float) -> float:
    """Return Yeom's looser bound of the membership advantage under ε-differential privacy: ``e^ε - 1``, at most 1.

    Parameters
    ----------
    epsilon
        ε >= 0; infinity is fine.

    Returns
    -------
    float
        In [0, 1]; at least `membership_advantage`, which should be used instead.

    Notes
    -----
    Source: Yeom, Giacomelli, Fredrikson and Jha, CSF 2018, Theorem 1; drawn in Figure 4 of Bayes-sec.

    Examples
    --------
    >>> round(yeom_advantage(0.5), 6)
    0.648721
    """
    return min(1.0, math.expm1(min(1.0, as_epsilon(epsilon))))


@quantity
def delta_of_bayes_security(bayes_security: float | Estimate, epsilon: float = 0.0) -> float | Estimate:
    """Return the least δ with which a system of this Bayes security can be (ε, δ)-locally differentially private.

    ``δ = max(0, 1 - β*(1+e^ε)/2)``; at ε = 0 every system has exactly this one, ``1 - β*``.

    Parameters
    ----------
    bayes_security
        β* in [0, 1], or an `Estimate` of it.
    epsilon
        ε >= 0; infinity is fine.

    Returns
    -------
    float or Estimate
        In [0, 1]. The least δ of a given system at ε lies between this and ``1 - β*``. Both are attained by some
        system; `discretion.privacy_profile` computes the δ of a given one.

    Notes
    -----
    Source: Bayes-sec, Proposition 2, whose converse holds too; beyond ε = 0 `bayes_security_of_ldp`, inverted.

    Examples
    --------
    >>> delta_of_bayes_security(0.75), round(delta_of_bayes_security(0.75, epsilon=0.25), 6)
    (0.25, 0.14349)
    """
    level = as_epsilon(epsilon)

    def delta(beta: float) -> float:
        if beta == 0:
            return 1.0
        # From e^ε β* = 2 - β* on, δ is 0, so a larger product, which may overflow, need not be computed.
        growth = math.expm1(level) * beta if level < 1 else math.exp(min(1.0, level + math.log(beta))) - beta
        return max(0.0, (1 - beta) - growth / 2)

    return mapped(_as_security(bayes_security), delta)


@quantity
def epsilon_of_bayes_security(bayes_security: float | Estimate, delta: float = 0.0) -> float | Estimate:
    """Return the least ε with which a system of this Bayes security can be (ε, δ)-locally differentially private.

    ``ε = max(0, log((2(1-δ) - β*) / β*))``

    Parameters
    ----------
    bayes_security
        β* in [0, 1], or an `Estimate` of it.
    delta
        δ in [0, 1].

    Returns
    -------
    float or Estimate
        At least 0. For δ below ``1 - β*`` there is no upper limit: where one observation excludes a secret, ε is
        infinite for any β*.

    Notes
    -----
    Source: Bayes-sec, Theorem 5, inverted.

    Examples
    --------
    >>> round(epsilon_of_bayes_security(0.5), 6)
    1.098612
    """
    share = as_probability(delta, "delta")

    def epsilon(beta: float) -> float:
        if beta >= 1 - share:
            return 0.0
        return math.log(2 * (1 - share) - beta) - math.log(beta) if beta > 0 else math.inf

    return mapped(_as_security(bayes_security), epsilon)


@quantity
def success_probability(bayes_security: float | Estimate) -> float | Estimate:
    """Return the success probability of the best guess between the two leakiest, equally likely secrets: ``1 - β*/2``.

    Parameters
    ----------
    bayes_security
        β* in [0, 1], or an `Estimate` of it.

    Returns
    -------
    float or Estimate
        In [1/2, 1].

    Notes
    -----
    Source: Bayes-sec, Table II. The table does not mention that the number holds for these two secrets and this prior
    only.

    Examples
    --------
    >>> success_probability(0.5)
    0.75
    """
    return 1 - _as_security(bayes_security) / 2


def _as_security(result: float | Estimate) -> float | Estimate:
    if not isinstance(result, Estimate):
        return as_probability(result, "bayes_security")
    as_probability(lowest(result), "bayes_security")
    as_probability(highest(result), "bayes_security")
    return result
