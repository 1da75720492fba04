"""Several rounds of a collection from the same people: their values stay, their noise is drawn again."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations_with_replacement

import numpy as np

from discretion import limits
from discretion.adversaries.knowledge import Knowledge, Uninformed
from discretion.channels.channel import Channel, Composable, System
from discretion.channels.composition.repeated import Repeated, plan_repeated
from discretion.channels.storage import Dense
from discretion.errors import TooLargeError, UnsupportedError
from discretion.measures.measure import Plan, plainest, reported_alone
from discretion.measures.privacy_loss.differential_privacy import plan_ldp_epsilon, system_of_claim
from discretion.numerics.arrays import Reals
from discretion.numerics.histograms.histograms import histogram_count, histograms
from discretion.shuffling.crowd import Shuffled
from discretion.shuffling.known_others import MAX_CROWD_CELLS, AmongKnown, known_groups
from discretion.shuffling.laws.groups import Group, holders
from discretion.shuffling.laws.report_histograms import MAX_TERMS_ADDED
from discretion.shuffling.worst_others import AmongWorst


class Rounds(Composable):
    """A crowd whose users, including the target, report in every round; made by `discretion.repeated`.

    Nobody's value changes between rounds. Without `seen_by` the adversary is an outsider.
    """

    def __init__(self, crowd: Shuffled, n: int) -> None:
        self.crowd, self.n = crowd, n

    @property
    def secrets(self) -> int:
        """The number of possible values of the target."""
        return self.crowd.secrets

    @cached_property
    def by_outsider(self) -> System:
        """The system that an outsider sees over all rounds."""
        return self.seen_by(Uninformed())

    def seen_by(self, knowledge: Knowledge, seed: int | None = None) -> System:
        """Return the system that an adversary with this knowledge of the other users sees over all rounds.

        For an adversary that knows all other users' values, the rounds are independent uses of the system of one round.
        For other adversaries each round also reveals something about the other users, who are the same in the next
        round.

        Parameters
        ----------
        knowledge, seed
            As for ``crowd.seen_by``: `discretion.AllButOne`, `discretion.PartlyInformed`, `discretion.Uninformed`, or
            `discretion.WorstAllButOne`, for which some measures have certified bounds.

        Raises
        ------
        UnsupportedError
            If the other users are exchangeable; specify their values or law instead.

        Examples
        --------
        >>> import discretion as dc
        >>> crowd = dc.Shuffled(dc.RandomizedResponse(2, epsilon=1), 5)
        >>> same, others_anew = dc.repeated(crowd, 3), dc.repeated(crowd.seen_by(dc.Uninformed()), 3)
        >>> round(dc.bayes_security(same), 5), round(dc.bayes_security(others_anew), 5)
        (0.75572, 0.71119)
        """
        view = self.crowd.seen_by(knowledge, seed)
        if isinstance(view, AmongWorst):
            return plan_repeated(view, self.n)
        if not isinstance(view, AmongKnown):
            raise UnsupportedError(
                f"several rounds are not supported for {type(knowledge).__name__}; specify the others' values "
                "with discretion.AllButOne, or their law with discretion.Uninformed"
            )
        if all(group.value is not None for group in view.groups):
            return Repeated(view, self.n)
        return AmongTheSame(view, self.n)

    def channel(self) -> Channel:
        """Return the explicit channel to the histograms of all rounds, for an outsider."""
        return self.by_outsider.channel()

    def __repr__(self) -> str:
        return f"Rounds({self.crowd!r}, n={self.n})"


@dataclass(frozen=True, eq=False)
class AmongTheSame(Composable):
    """Several rounds among the same other users, some of whose values are not known."""

    once: AmongKnown
    n: int

    @property
    def secrets(self) -> int:
        """The number of possible values of the target."""
        return self.once.secrets

    def channel(self) -> Channel:
        """Return the explicit channel from the target's value to the histograms of all rounds, or raise TooLargeError.

        ``P(h_1, …, h_n | x) = Σ_c P(c) Π_r P(h_r | x, c)`` over the counts c of the others' values. Outputs are the
        sets of histograms, since the order of the rounds reveals nothing.
        """
        explicit = self.once.mechanism.channel()
        listed = self._histograms(explicit.shape[1])
        drawn: list[tuple[int, ...]] = list(combinations_with_replacement(range(len(listed)), self.n))
        orders = np.array([math.factorial(self.n) // _copies(rounds) for rounds in drawn], dtype=np.float64)
        places, law = np.array(drawn, dtype=np.int64), np.zeros((self.secrets, len(drawn)))
        for weight, counts in self._value_counts():
            rows = (
                AmongKnown(self.once.mechanism, self.once.n, known_groups(counts), seed=self.once.seed)
                .channel()
                .dense()
            )
            law += weight * reduce(np.multiply, (rows[:, place] for place in places.T))
        outputs = tuple(tuple(listed[place] for place in rounds) for rounds in drawn)
        return Channel.derived(Dense(law * orders), explicit.inputs, outputs)

    @property
    def _strangers(self) -> Group:
        """The other users whose values are not known."""
        return next(group for group in self.once.groups if group.value is None)

    def _histograms(self, reports: int) -> list[tuple[int, ...]]:
        """Return all histograms of a round, if the histograms of all rounds can be listed."""
        cells = histogram_count(self.n, int(histogram_count(self.once.n, reports))) * self.secrets
        ways, allowed = histogram_count(self._strangers.count, self.secrets), limits.current()
        if cells > allowed.numbers(MAX_CROWD_CELLS) or cells * self.n * ways > allowed.steps(MAX_TERMS_ADDED):
            raise TooLargeError(
                f"the histograms of {self.n} rounds of {self.once.n:,} users cannot all be listed for all values of "
                "the others; take fewer users or rounds, or specify the others' values with discretion.AllButOne: for "
                "an adversary that knows them, rounds are independent"
            )
        return [tuple(histogram) for histogram in histograms(self.once.n, reports).tolist()]

    def _value_counts(self) -> Iterator[tuple[float, tuple[int, ...]]]:
        """Yield the possible counts of the others' values, each with its probability."""
        known = holders(self.secrets, self.once.groups)
        law = self._strangers.law(self.secrets)
        for counts in histograms(self._strangers.count, self.secrets):
            yield _multinomial(counts.tolist(), law), tuple((known + counts).tolist())


def _copies(histograms_of_rounds: tuple[int, ...]) -> int:
    return math.prod(math.factorial(histograms_of_rounds.count(one)) for one in {*histograms_of_rounds})


def _multinomial(counts: list[int], law: Reals) -> float:
    ways = math.factorial(sum(counts)) // math.prod(map(math.factorial, counts))
    return ways * math.prod(float(p) ** c for p, c in zip(law, counts, strict=True))


@plan_repeated.register
def _repeated_of_crowd(system: Shuffled, n: int) -> System:
    return Rounds(system, n)


@plan_repeated.register
def _repeated_of_rounds(system: Rounds, n: int) -> System:
    return Rounds(system.crowd, n * system.n)


@plainest.register
def _plainest_of_rounds(system: Rounds) -> System:
    return system.by_outsider


@system_of_claim.register
def _claimed_of_rounds(system: Rounds) -> System:
    return system_of_claim(system.crowd)


@reported_alone.register(Rounds)
@reported_alone.register(AmongTheSame)
def _reported_alone_of_rounds(system: Rounds | AmongTheSame) -> System:
    return reported_alone(system.crowd if isinstance(system, Rounds) else system.once)


@plan_ldp_epsilon.register
def _ldp_epsilon_among_the_same(system: AmongTheSame) -> Plan[float]:
    # As of one round: it is largest where everybody sends the same report in every round.
    plan = plan_ldp_epsilon(system.once)
    return plan.then(lambda once: system.n * once)
