"""The shuffled collection: n users randomize their values, and a shuffler shows the reports without their senders."""

from functools import cached_property

from numpy.typing import ArrayLike

from discretion.adversaries.knowledge import (
    AllButOne,
    Exchangeable,
    Knowledge,
    PartlyInformed,
    Uninformed,
    WorstAllButOne,
)
from discretion.adversaries.priors import as_prior
from discretion.channels.channel import Channel, Composable, System
from discretion.errors import InvalidPriorError, InvalidValueError, UnsupportedError
from discretion.escaping import short_repr
from discretion.measures.measure import plainest, prior_on, reported_alone
from discretion.measures.privacy_loss.differential_privacy import system_of_claim
from discretion.mechanisms.noise.additive import noise_on_two_values
from discretion.mechanisms.reporting import reporting
from discretion.numerics.arrays import Reals
from discretion.numerics.draws import fresh_seed
from discretion.shuffling.exchangeable import AmongExchangeable
from discretion.shuffling.known_others import AmongKnown
from discretion.shuffling.laws.groups import groups_of_others
from discretion.shuffling.views import View
from discretion.shuffling.worst_noise import NoiseAmongWorst
from discretion.shuffling.worst_others import AmongWorst
from discretion.validation import as_count, as_crowd


class Shuffled(Composable):
    """A crowd of n users, including the target, who report through a local mechanism and a shuffler.

    The secret is the target's value, and the observation is the histogram of all reports: by Shuffle's Propositions 9
    and 12 the order of shuffled reports reveals nothing more. Without `seen_by` the adversary is an outsider, to which
    the other users' values are i.i.d. uniform; `seen_by` returns the system for an adversary with other knowledge.

    Parameters
    ----------
    mechanism
        A local mechanism or a channel from one user's value to their report. For `discretion.Laplace` and
        `discretion.Gaussian` noise, whose reports are a continuum, δ(ε), ε(δ) and Bayes security have certified bounds
        against `discretion.WorstAllButOne`; each user's value is then 0 or the sensitivity.
    n
        Number of users, the target included, at least 1.

    Notes
    -----
    Source: Shuffle, sections III to VI. The shuffler commutes with the users' own randomization, for every mechanism.

    Examples
    --------
    >>> import discretion as dc
    >>> crowd = Shuffled(dc.RandomizedResponse(2, p=0.9), 200)
    >>> round(dc.posterior_vulnerability(crowd), 5)
    0.52254
    >>> round(dc.posterior_vulnerability(crowd.seen_by(dc.AllButOne([100, 99]))), 5)
    0.53782
    """

    def __init__(self, mechanism: System, n: int) -> None:
        if not isinstance(mechanism, System):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UnsupportedError(
                "Shuffled needs a discretion.Channel or a mechanism that has one, with finitely many reports, got "
                f"{type(mechanism).__name__}; sort continuous reports into bins and pass their discretion.Channel"
            )
        if noise_on_two_values(mechanism) is None:
            reporting(mechanism).check_shuffled()  # any other continuum of reports is refused as well
        self._mechanism = mechanism
        if isinstance(mechanism, Shuffled | View):
            raise UnsupportedError(
                "Shuffled needs the mechanism of a single user, got a system that is shuffled already"
            )
        self._n = as_crowd(n, "n")

    @property
    def mechanism(self) -> System:
        """The mechanism by which each user reports their value."""
        return self._mechanism

    @property
    def n(self) -> int:
        """The number of users, including the target."""
        return self._n

    @property
    def secrets(self) -> int:
        """The number of possible values of the target."""
        return self._mechanism.secrets

    @cached_property
    def by_outsider(self) -> View:
        """The system that an outsider sees, created once, so that a sampled result stays the same."""
        return self.seen_by(Uninformed())

    def seen_by(self, knowledge: Knowledge, seed: int | None = None) -> View:
        """Return the system that an adversary with this knowledge of the other users sees.

        Parameters
        ----------
        knowledge
            `discretion.Uninformed`, `discretion.AllButOne`, `discretion.PartlyInformed`, `discretion.Exchangeable` (of
            all users, the target included: measures then take no prior) or `discretion.WorstAllButOne`.
        seed
            The seed of samples for measures that need sampling, a whole number of at least 0: the same seed gives the
            same results. None draws a seed, once. The seed is kept as the ``seed`` of the system, so that repeated
            calls agree.

        Returns
        -------
        View
            A system for all measures.

        Raises
        ------
        InvalidPriorError, InvalidValueError
            If the knowledge has another number of values or users, or the seed is not such a number.
        UnsupportedError
            If it is not knowledge of a crowd.

        Examples
        --------
        >>> import discretion as dc
        >>> crowd = Shuffled(dc.RandomizedResponse(2, p=0.9), 200)
        >>> round(dc.leakage(crowd.seen_by(dc.WorstAllButOne())), 5)
        1.07566
        """
        self._check(knowledge)
        start = fresh_seed() if seed is None else as_count(seed, "seed", at_least=0)
        mechanism = plainest(self.mechanism)
        if isinstance(knowledge, WorstAllButOne):
            noise, users = noise_on_two_values(mechanism), knowledge.remaining(self.n)
            return (
                AmongWorst(mechanism, users, seed=start) if noise is None else NoiseAmongWorst(noise, users, seed=start)
            )
        reporting(mechanism)  # refuses noise with a density, and names the measures that take it
        if isinstance(knowledge, Exchangeable):
            return AmongExchangeable(mechanism, self.n, knowledge, seed=start)
        return AmongKnown(mechanism, self.n, groups_of_others(knowledge, self.n), seed=start)

    def channel(self) -> Channel:
        """Return the explicit channel from the target's value to the histogram of reports, as an outsider sees it.

        Returns
        -------
        Channel
            Outputs are histograms, as tuples of counts; the histograms that are left out have a total probability below
            1e-17.

        Raises
        ------
        TooLargeError
            If there are too many histograms to list.
        """
        return self.by_outsider.channel()

    def _check(self, knowledge: Knowledge) -> None:
        k, n = self.secrets, self.n
        if not isinstance(knowledge, Knowledge):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UnsupportedError(
                "knowledge must be discretion.Uninformed(), AllButOne(counts), PartlyInformed(counts), "
                "Exchangeable(alpha) "
                f"or WorstAllButOne(), got {type(knowledge).__name__}"
            )
        if isinstance(knowledge, Uninformed | PartlyInformed) and knowledge.population is not None:
            _check_length("population", len(knowledge.population), k)
        if isinstance(knowledge, Exchangeable):
            _check_length("alpha", len(knowledge.alpha), k)
        if isinstance(knowledge, AllButOne | PartlyInformed):
            _check_length("known_counts", len(knowledge.known_counts), k)
            known, all_others = sum(knowledge.known_counts), isinstance(knowledge, AllButOne)
            if known > n - 1 or (all_others and known < n - 1):
                raise InvalidValueError(
                    f"known_counts must sum to {'' if all_others else 'at most '}the n-1 = {n - 1} other users, got "
                    f"{short_repr(known)}; n counts the target too"
                )

    def __repr__(self) -> str:
        return f"Shuffled({self.mechanism!r}, n={self.n})"


def _check_length(name: str, given: int, k: int) -> None:
    if given != k:
        raise InvalidValueError(f"{name} must have one entry per value ({k}), got {given}")


@plainest.register
def _plainest_of_crowd(system: Shuffled) -> System:
    return system.by_outsider


@system_of_claim.register
def _claimed_of_crowd(system: Shuffled) -> System:
    raise UnsupportedError(
        "differential privacy is a claim against an adversary that knows all other users' values, and a crowd by "
        "itself is seen by an outsider; measure crowd.seen_by(dc.WorstAllButOne()), or another crowd.seen_by(…)"
    )


@reported_alone.register(Shuffled)
@reported_alone.register(View)
def _reported_alone_of_crowd(system: Shuffled | View) -> System:
    raise UnsupportedError(
        "a shuffler hides nothing about a population that the reports reveal; measure the mechanism alone, with n users"
    )


@prior_on.register
def _prior_among_exchangeable(system: AmongExchangeable, prior: ArrayLike | None) -> Reals | None:
    if prior is not None:
        raise InvalidPriorError(
            "an exchangeable target is drawn like all other users, so its prior is alpha/sum(alpha); leave prior out"
        )
    return as_prior(system.knowledge.prior, system.secrets)
