"""The best mechanism for a goal, a question that LDP-info leaves open in section 11."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
from numpy.typing import ArrayLike

from discretion.adversaries.populations import (
    Dirichlet,
    DirichletMixture,
    PointMixture,
    PopulationLaw,
    as_population_law,
)
from discretion.channels.channel import Channel
from discretion.errors import InvalidGainError, InvalidPriorError, InvalidValueError, UnsupportedError
from discretion.escaping import short_repr
from discretion.estimate import Estimate
from discretion.information.design.finite import DistributionGoal
from discretion.information.design.frontier import erasure
from discretion.information.design.goals import Goal, InformationGoal, LossGoal, Optimum, UtilityGoal
from discretion.information.design.privacy import private
from discretion.information.design.staircase import Columns, orbits_of
from discretion.information.entropies import as_density, value_entropy
from discretion.information.privacy.average_privacy import average_privacy
from discretion.mechanisms.mechanism import as_values
from discretion.mechanisms.protocols.randomized_response import RandomizedResponse
from discretion.mechanisms.protocols.subset_selection import SubsetSelection
from discretion.numerics.arrays import Reals
from discretion.numerics.draws import Seed, generator
from discretion.validation import NotNumbersError, as_crowd, as_epsilon, as_probability, as_reals

_ROUNDING = 1e-12
_OBJECTIVES = ("asymptotic_utility", "distribution_utility", "mutual_information")


@dataclass(frozen=True)
class ReportKind:
    """One kind of a mechanism's reports: the reports that favor the same values to the same degree.

    Parameters
    ----------
    size
        The number of favored values.
    members
        The favored values; None for all sets of that size, each as often as another.
    epsilon
        A report of this kind is e^ε times as likely from a favored value as from any other value.
    weight
        The share of these reports among all reports, if all values are equally common.
    """

    size: int
    members: tuple[int, ...] | None
    epsilon: float
    weight: float


@dataclass(frozen=True, eq=False)
class Design:
    """The best mechanism for a goal, with a certified bound on its distance from the optimum.

    Parameters
    ----------
    mechanism
        A `discretion.RandomizedResponse` or a `discretion.SubsetSelection` if it is exactly one, else a
        `discretion.Channel`.
    value
        The optimum. An `Estimate` where only a quadrature or bounds are available; its lower bound is then the lower
        bound of this mechanism's value. Where the gap covers only mechanisms on a grid, the value of this mechanism.
    gap
        An upper bound on how much better the value of another mechanism can be.
    certificate
        The set of other mechanisms that the gap covers, in words.
    kinds
        The kinds of the mechanism's reports.
    """

    mechanism: RandomizedResponse | SubsetSelection | Channel
    value: float | Estimate
    gap: float
    certificate: str
    kinds: tuple[ReportKind, ...]


def optimal_mechanism(  # noqa: PLR0917 - the public contract
    k: int,
    objective: str | ArrayLike = "asymptotic_utility",
    epsilon: float | None = None,
    min_average_privacy: float | None = None,
    population: PopulationLaw | None = None,
    rng: Seed = None,
    n: int | None = None,
) -> Design:
    """Return the best mechanism for a goal, under a bound on ε, on average privacy, or on both.

    ``max_θ F(C)`` or ``min_θ R(π, C)`` over channels C with columns ``θ_j s_j``, for ``Σ_j θ_j s_j = 1``

    Parameters
    ----------
    k
        Number of values, at least 2.
    objective
        ``"asymptotic_utility"`` (the largest `discretion.information.asymptotic_utility`), ``"distribution_utility"``
        (the largest `discretion.information.distribution_utility` of n reports), ``"mutual_information"`` (the largest
        of a value and its report), or a loss matrix ``ℓ(w, x)``, shape ``(guesses, k)`` (the least expected loss of the
        best guess w at a value x, given its report). For the last two the law of the value is the population's mean.
    epsilon
        The mechanism must satisfy ε-local differential privacy; None sets no limit on ε.
    min_average_privacy
        The least `discretion.information.average_privacy` that the mechanism may have, in [0, 1]; None or 0 sets no
        limit.
    population
        The law of the population's shares; None is Jeffreys' prior. The asymptotic utility needs a
        `discretion.Dirichlet`.
    rng
        A generator or a seed, used where a mean is taken over random points; None draws a fresh seed.
    n
        Number of reports, at least 1; only for the distribution utility.

    Returns
    -------
    Design
        The mechanism, the optimum, the duality gap, and the set of mechanisms that the gap covers.

    Raises
    ------
    InvalidValueError
        If neither ``epsilon`` nor ``min_average_privacy`` is given.
    InvalidPriorError
        If ``min_average_privacy`` is positive and the population determines everybody's value.
    InvalidGainError
        If the loss matrix does not have k columns of finite numbers.
    UnsupportedError
        If the population has no density and the objective is the asymptotic utility.
    TooLargeError
        If k is over the limit of the objective: for the asymptotic utility 1,000,000 under a symmetric law, else 8; for
        the distribution utility of two or more reports 8; for the distribution utility of one report, for the mutual
        information, and for a loss under average privacy 1000 where all values (and, for a loss, all errors) are
        equivalent, else 12. If a loss matrix has over 16,384 entries.

    Notes
    -----
    Source: LDP-info, section 11, which states this as an open question. Under ε-LDP, columns s with entries 1 and e^ε
    suffice (Kairouz, Oh, Viswanath, Extremal Mechanisms for Local Differential Privacy, NIPS 2014). Information, loss
    and the distribution utility of one report are then linear in θ; the asymptotic utility is concave, so that its
    optimum is a D-optimal design. Where all values are equivalent, a mixture of subset selections is optimal. For more
    than 12 such values the function returns the best single size, with certified bounds on the optimum. The
    distribution utility of two or more reports is not concave: the function returns the best mechanism that it found,
    with an upper bound over all mechanisms.

    Under average privacy the entries are free, and the search uses a grid of them. Under a symmetric Dirichlet law with
    α up to 1, such as Jeffreys' prior, no mechanism with average privacy S has an effective participation above 1 - S.
    Without a bound on ε, the most useful mechanism is then *erasure*: it sends the value with probability 1 - S, and
    otherwise an empty report. Under other laws better mechanisms exist. Source: Discretion; the proof is in
    ``discretion.information.design.frontier``.

    Examples
    --------
    >>> design = optimal_mechanism(6, "mutual_information", epsilon=1)
    >>> design.mechanism, round(design.value, 6), design.gap
    (SubsetSelection(k=6, epsilon=1, size=2), 0.123284, 0.0)
    >>> optimal_mechanism(3, epsilon=2).mechanism
    RandomizedResponse(k=3, epsilon=2)
    >>> optimal_mechanism(2, min_average_privacy=0.75).mechanism.dense().tolist()
    [[0.25, 0.0, 0.75], [0.0, 0.25, 0.75]]
    """
    k = as_values(k)
    if epsilon is None and min_average_privacy is None:
        raise InvalidValueError(
            "optimal_mechanism needs epsilon, min_average_privacy or both: without them the optimum is to report the "
            "truth"
        )
    most = math.inf if epsilon is None else as_epsilon(epsilon)
    privacy = 0.0 if min_average_privacy is None else as_probability(min_average_privacy, "min_average_privacy")
    law = as_population_law(population, k)
    if isinstance(law, DirichletMixture):
        raise UnsupportedError(
            "optimal_mechanism takes a discretion.Dirichlet or a discretion.PointMixture, got a "
            "discretion.DirichletMixture; take one of its components, or compare mechanisms by their measures"
        )
    goal = _goal(objective, law, n, rng)
    if privacy > 0 and value_entropy(law) == 0:
        raise InvalidPriorError(
            "the population determines everybody's value, so that nothing is private; leave min_average_privacy out"
        )
    return _design(goal, _best(goal, most, privacy))


def _goal(objective: str | ArrayLike, law: Dirichlet | PointMixture, n: int | None, rng: Seed) -> Goal:
    if isinstance(objective, str) and objective == "distribution_utility":
        if n is None:
            raise InvalidValueError("the distribution utility needs n, the number of reports; give n=1 or more")
        return DistributionGoal(law, as_crowd(n, "n"), generator(rng))
    if n is not None:
        raise InvalidValueError(
            f"n={short_repr(n)} is the number of reports for the distribution utility; leave it out, or take "
            "objective='distribution_utility'"
        )
    if not isinstance(objective, str):
        return LossGoal(law, _as_loss(objective, law.k))
    if objective == "mutual_information":
        return InformationGoal(law)
    if objective == "asymptotic_utility":
        return UtilityGoal(as_density(law), generator(rng))
    nearest = get_close_matches(objective, _OBJECTIVES, n=1)
    *names, last = map(repr, _OBJECTIVES)
    raise InvalidValueError(
        f"objective must be {', '.join(names)}, {last} or a loss matrix, got {objective!r}"
        + (f"; did you mean {nearest[0]!r}?" if nearest else "")
    )


def _as_loss(objective: ArrayLike, k: int) -> Reals:
    try:
        loss = as_reals(objective)
    except NotNumbersError:
        raise InvalidGainError("a loss matrix must hold numbers in rows of equal length") from None
    if loss.ndim != 2 or loss.shape[0] == 0 or loss.shape[1] != k:
        raise InvalidGainError(
            f"a loss matrix needs a row per guess and a column per value ({k}), got an array of shape {loss.shape}"
        )
    if not np.isfinite(loss).all():
        w, x = (int(i) for i in np.argwhere(~np.isfinite(loss))[0])
        raise InvalidGainError(f"a loss must be a number, got {loss[w, x]} for guess {w} and value {x}")
    return loss


def _best(goal: Goal, epsilon: float, privacy: float) -> Optimum:
    if epsilon == 0 or privacy == 1:
        if isinstance(goal, UtilityGoal):
            raise InvalidValueError(
                "where reports may reveal nothing the asymptotic utility of every mechanism is -inf; allow an epsilon "
                "above 0 and a min_average_privacy below 1"
            )
        return _response(goal, 0.0, "over all mechanisms that reveal nothing")
    if epsilon == math.inf and privacy == 0:
        return _response(goal, math.inf, "over all mechanisms: none reveals more than the truth")
    if epsilon < math.inf:
        protocol = _best_under(goal, epsilon)
        if privacy == 0 or average_privacy(_mechanism(protocol.columns, protocol.weights), goal.law) >= privacy:
            return protocol
    return goal.private(epsilon, privacy) or private(goal, epsilon, privacy)


def _best_under(goal: Goal, epsilon: float) -> Optimum:
    if goal.law.k == 2:
        return _response(goal, epsilon, "over all ε-LDP mechanisms: on two values each is k-RR and then some noise")
    return goal.under(epsilon)


def _response(goal: Goal, epsilon: float, certificate: str) -> Optimum:
    response = orbits_of(goal.law.k, np.ones(1, dtype=np.int64), np.array([epsilon]))
    return Optimum(response, np.ones(1), 0.0, certificate)


def _design(goal: Goal, optimum: Optimum) -> Design:
    mechanism = _mechanism(optimum.columns, optimum.weights)
    value = optimum.value
    if value is None:
        value = goal.value(mechanism)
        if optimum.error is not None:
            value = goal.optimum(value, optimum.gap + optimum.error)
    return Design(mechanism, value, optimum.gap, optimum.certificate, tuple(_kinds(mechanism, optimum)))


def _mechanism(columns: Columns, weights: Reals) -> RandomizedResponse | SubsetSelection | Channel:
    """Return the mixture as a named mechanism if it is one: all sets of one size, each as often as another."""
    k, size, epsilon = columns.k, int(columns.sizes[0]), float(columns.epsilons[0])
    sets = 1 if columns.members is None else math.comb(k, size)
    alike = np.ptp(columns.sizes) == 0 and (columns.epsilons == epsilon).all() and np.ptp(weights) <= _ROUNDING
    if columns.members is None and columns.epsilons.tolist() == [math.inf, 0.0] and (columns.sizes == 1).all():
        return erasure(k, float(weights[0]))
    if len(columns) != sets or not alike:
        return Channel(columns.matrix(weights))
    return RandomizedResponse(k, epsilon) if size == 1 else SubsetSelection(k, epsilon, size)


def _kinds(mechanism: RandomizedResponse | SubsetSelection | Channel, optimum: Optimum) -> Iterator[ReportKind]:
    columns = optimum.columns
    if not isinstance(mechanism, Channel):
        yield ReportKind(int(columns.sizes[0]), None, float(columns.epsilons[0]), 1.0)
        return
    for j in range(len(columns)):
        members = None if columns.members is None else tuple(np.flatnonzero(columns.members[j]).tolist())
        yield ReportKind(int(columns.sizes[j]), members, float(columns.epsilons[j]), float(optimum.weights[j]))
