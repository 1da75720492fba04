"""The shuffled collection: n users randomize their values, a shuffler shows the reports without their senders."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.adversaries.knowledge import AllButOne, Knowledge, Uninformed
from tacit.channels.channel import Channel, System, as_system
from tacit.errors import InvalidValueError, TooLargeError, UnsupportedError
from tacit.measures.measure import Crowd
from tacit.numerics.histograms import (
    add_draw,
    binary_law,
    histogram_count,
    histogram_law,
    histograms,
    places,
    sequence_count,
)
from tacit.numerics.matrices import dense
from tacit.validation import as_crowd

Reals = NDArray[np.float64]

# Some seconds and a gigabyte, at most.
MAX_LISTED = 1 << 20
MAX_ADDITIONS = 1 << 28


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
        self._mechanism = as_system(mechanism)
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

    def knowledge(self, adversary: Knowledge | None) -> Knowledge:
        """Return what the adversary knows, None being Uninformed, after checking that it fits this crowd."""
        if adversary is None:
            return Uninformed()
        if isinstance(adversary, Uninformed) and adversary.population is not None:
            _check_length("population", len(adversary.population), self.secrets)
        if isinstance(adversary, AllButOne):
            _check_length("known_counts", len(adversary.known_counts), self.secrets)
            known = sum(adversary.known_counts)
            if known != self.n - 1:
                raise InvalidValueError(
                    f"known_counts must sum to the n-1 = {self.n - 1} other users, got {known}; n counts the target too"
                )
        return adversary

    def channel(self, adversary: Knowledge | None = None) -> Channel:
        """Return the explicit channel from the target's value to the histogram of reports.

        Parameters
        ----------
        adversary
            What is known of the others; None means `tacit.Uninformed()`.

        Returns
        -------
        Channel
            Outputs are histograms, as tuples of counts. With two kinds of report the outputs are those that hold all
            but 1e-21 of the probability.

        Raises
        ------
        TooLargeError
            If there are more than two kinds of report and too many histograms to list.
        """
        knowledge = self.knowledge(adversary)
        self.check_listable(knowledge)
        counts, laws = self._others(knowledge)
        if self._rows.shape[1] == 2:
            return self._binary_channel(*binary_law(counts, laws))
        return self._listed_channel(counts, laws)

    def is_listable(self, knowledge: Knowledge) -> bool:
        """Whether the explicit channel fits in memory and in some seconds."""
        try:
            m = self._rows.shape[1]
        except TooLargeError:
            return False
        if m == 2:
            return True
        counts, _ = self._others(knowledge)
        cells = sequence_count(m - 1, self.n + 1)
        additions = cells * (self.secrets * m + sum(histogram_count(count, m) for count in counts[1:]))
        return histogram_count(self.n, m) <= MAX_LISTED and additions <= MAX_ADDITIONS

    def check_listable(self, knowledge: Knowledge) -> None:
        """Refuse, saying what can be computed, if the explicit channel does not fit."""
        if not self.is_listable(knowledge):
            raise TooLargeError(
                f"the histograms of {self.n:,} users with {self.secrets:,} values are too many to list; take fewer "
                "users or two kinds of report, or k-RR with a uniform prior and population, which has a closed form"
            )

    def __repr__(self) -> str:
        return f"Shuffled({self.mechanism!r}, n={self.n})"

    @cached_property
    def _rows(self) -> Reals:
        return dense(self._mechanism.channel().matrix)

    def _others(self, knowledge: Knowledge) -> tuple[tuple[int, ...], Reals]:
        """Return the others as groups of users with the same law of their report."""
        if isinstance(knowledge, AllButOne):
            # The first group is listed and the others are added to it: so the largest goes first.
            order = sorted(range(self.secrets), key=lambda x: -knowledge.known_counts[x])
            return tuple(knowledge.known_counts[x] for x in order), self._rows[order]
        if isinstance(knowledge, Uninformed):
            k = self.secrets
            population = np.full(k, 1 / k) if knowledge.population is None else np.array(knowledge.population)
            return (self.n - 1,), (population @ self._rows)[None, :]
        raise UnsupportedError(f"a shuffled collection has no explicit channel for {type(knowledge).__name__}")

    def _binary_channel(self, first: int, others: Reals) -> Channel:
        seconds = np.arange(first, first + others.size + 1)
        stays, moves = np.append(others, 0.0), np.append(0.0, others)
        rows = self._rows[:, :1] * stays + self._rows[:, 1:] * moves
        return Channel(rows, self._inputs, [(self.n - int(second), int(second)) for second in seconds])

    def _listed_channel(self, counts: tuple[int, ...], laws: Reals) -> Channel:
        others = histogram_law(counts, laws)
        listed = histograms(self.n, self._rows.shape[1])
        index = places(listed)
        rows = np.stack([add_draw(others, row)[index] for row in self._rows])
        return Channel(rows, self._inputs, [tuple(histogram) for histogram in listed.tolist()])

    @property
    def _inputs(self) -> tuple[Any, ...]:
        return self._mechanism.channel().inputs


def _check_length(name: str, given: int, k: int) -> None:
    if given != k:
        raise InvalidValueError(f"{name} must have one entry per value ({k}), got {given}")
