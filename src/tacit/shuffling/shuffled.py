"""The shuffled collection: n users randomize their values, a shuffler shows the reports without their senders."""

from tacit.adversaries.knowledge import (
    AllButOne,
    Exchangeable,
    Knowledge,
    PartlyInformed,
    Uninformed,
    WorstAllButOne,
)
from tacit.channels.channel import Channel, System
from tacit.errors import InvalidValueError, UnsupportedError
from tacit.measures.measure import Crowd, plainest
from tacit.mechanisms.noise import ContinuousNoise
from tacit.mechanisms.subsampled_gaussian import SubsampledGaussian
from tacit.numerics.randomness import Seed
from tacit.shuffling.others import others
from tacit.shuffling.views import AmongExchangeable, AmongOthers, AmongWorst, View
from tacit.validation import as_crowd


class Shuffled(Crowd):
    """n users, the target among them, who report through a local mechanism and a shuffler.

    The secret is the target's value, the observation the histogram of all reports: by Shuffle's Propositions 9 and 12
    an arbitrary order of the reports tells nothing more.

    Parameters
    ----------
    mechanism
        A local mechanism or a channel from one user's value to her report.
    n
        Number of users, the target included, at least 1.

    Raises
    ------
    UnsupportedError
        If the mechanism is not a system, or is itself a shuffled one.
    InvalidValueError
        If n is not a whole number of at least 1.
    TooLargeError
        If n is over ten billion.

    Notes
    -----
    Source: Shuffle, sections III to VI. The shuffler commutes with the users' own randomizing, whatever it is.

    Examples
    --------
    >>> import tacit as tc
    >>> crowd = Shuffled(tc.RandomizedResponse(2, p=0.9), 200)
    >>> round(tc.posterior_vulnerability(crowd), 5)
    0.52254
    >>> round(tc.posterior_vulnerability(crowd, adversary=tc.AllButOne([100, 99])), 5)
    0.53782
    """

    def __init__(self, mechanism: System, n: int) -> None:
        continuous = isinstance(mechanism, ContinuousNoise | SubsampledGaussian)
        if continuous or not isinstance(mechanism, System):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UnsupportedError(
                "Shuffled needs a tacit.Channel or a mechanism that has one, with finitely many reports, got "
                f"{type(mechanism).__name__}; sort continuous reports into bins and give their tacit.Channel"
            )
        self._mechanism = mechanism
        if isinstance(mechanism, Crowd):
            raise UnsupportedError(
                "Shuffled needs what one user does to her own value, got a system that is shuffled already"
            )
        self._n = as_crowd(n, "n")

    @property
    def mechanism(self) -> System:
        """What each user does to her value."""
        return self._mechanism

    @property
    def n(self) -> int:
        """Number of users, the target included."""
        return self._n

    @property
    def secrets(self) -> int:
        """How many values the target can have."""
        return self._mechanism.secrets

    def seen_by(self, adversary: Knowledge | None, rng: Seed = None) -> View:
        """Return the system that an adversary with this knowledge of the others sees, None being Uninformed."""
        knowledge = Uninformed() if adversary is None else adversary
        self._check(knowledge)
        mechanism = plainest(self.mechanism)
        if isinstance(knowledge, WorstAllButOne):
            return AmongWorst(mechanism, self.n, rng)
        if isinstance(knowledge, Exchangeable):
            return AmongExchangeable(mechanism, self.n, knowledge, rng)
        return AmongOthers(mechanism, self.n, others(knowledge, self.n), rng)

    def channel(self, adversary: Knowledge | None = None) -> Channel:
        """Return the explicit channel from the target's value to the histogram of reports.

        Parameters
        ----------
        adversary
            What is known of the others; None means `tacit.Uninformed()`.

        Returns
        -------
        Channel
            Outputs are histograms, as tuples of counts; those left out hold less than 1e-17 of the probability.

        Raises
        ------
        TooLargeError
            If there are too many histograms to list.
        """
        return self.seen_by(adversary).channel()

    def _check(self, knowledge: Knowledge) -> None:
        k, n = self.secrets, self.n
        if not isinstance(knowledge, Knowledge):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UnsupportedError(
                "adversary must be tacit.Uninformed(), AllButOne(counts), PartlyInformed(counts), Exchangeable(alpha) "
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
                    f"{known}; n counts the target too"
                )

    def __repr__(self) -> str:
        return f"Shuffled({self.mechanism!r}, n={self.n})"


def _check_length(name: str, given: int, k: int) -> None:
    if given != k:
        raise InvalidValueError(f"{name} must have one entry per value ({k}), got {given}")
