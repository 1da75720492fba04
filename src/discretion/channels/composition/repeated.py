"""Many uses of one channel on the same secret: only the count of each observation matters."""

import math
from dataclasses import dataclass
from functools import cached_property, singledispatch
from typing import Any, Protocol, overload

import numpy as np

from discretion import limits
from discretion.adversaries.knowledge import Knowledge
from discretion.channels.channel import Channel, Composable, System, as_system
from discretion.channels.storage import Dense, stored
from discretion.channels.storage.storage import MAX_FRACTIONS
from discretion.errors import TooLargeError
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.excess import deviance
from discretion.numerics.histograms.histograms import histogram_count, histograms
from discretion.numerics.laws.binomial import log_root, stirling_error
from discretion.validation import Fractions, as_crowd

# Probabilities of the tallies of a channel that is used repeatedly.
MAX_TALLY_ENTRIES = 1 << 23


class SeenByAdversaries(System, Protocol):
    """A system whose observation depends on the adversary's knowledge of the other users, such as a shuffled crowd."""

    def seen_by(self, knowledge: Knowledge, seed: int | None = None) -> System:
        """Return the system that an adversary with this knowledge sees."""
        ...


@overload
def repeated(system: SeenByAdversaries, n: int) -> SeenByAdversaries: ...
@overload
def repeated(system: System, n: int) -> System: ...
def repeated(system: System, n: int) -> System:
    """Return n independent uses of a system on the same secret, all of which the adversary sees.

    ``Cⁿ[x, (y_1, …, y_n)] = Π_i C[x, y_i]``, whose columns are proportional if they have the same tallies.

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system. Each use draws all randomness again, including the other users
        of a crowd that an adversary sees. A `discretion.Shuffled` by itself is a crowd that reports again: nobody's
        value changes, and ``repeated(crowd, n).seen_by(knowledge)`` is the adversary's observation of all rounds.
    n
        Number of uses, at least 1.

    Returns
    -------
    System
        The system itself for one use. Otherwise a `Repeated`, for which every measure is exact while the tallies can be
        listed. With more tallies, `discretion.bayes_security` is a certified `discretion.Estimate`, and other measures
        raise TooLargeError; for frequency oracles `discretion.bayes_security`, `discretion.privacy_profile` and
        `discretion.dp_epsilon` stay exact. For noise on numbers, a system whose privacy losses add up. For a crowd
        against `discretion.WorstAllButOne`, a system with certified bounds: the other users may hold other values in
        each use, or the same ones.

    Raises
    ------
    TooLargeError
        If n is more than ten thousand million.

    Notes
    -----
    Source: Bayes-sec, section IV: the parallel composition of a channel with itself, β*(Cⁿ) >= β*(C)ⁿ (Theorem 3).

    Examples
    --------
    >>> import discretion as dc
    >>> twice = repeated(Channel([[0.75, 0.25], [0.25, 0.75]]), 2)
    >>> twice.channel().matrix.round(12).tolist()
    [[0.5625, 0.375, 0.0625], [0.0625, 0.375, 0.5625]]
    >>> round(dc.bayes_security(repeated(Channel([[0.501, 0.499], [0.499, 0.501]]), 1000)), 6)
    0.949584
    """
    base, uses = as_system(system), as_crowd(n, "n")
    if isinstance(base, Repeated):
        base, uses = base.base, base.n * uses
    return base if uses == 1 else plan_repeated(base, uses)


@singledispatch
def plan_repeated(system: System, n: int) -> System:
    """Return the system of n > 1 uses of a system: its tallies, unless a package above registers another system."""
    return Repeated(system, n)


@dataclass(frozen=True)
class Repeated(Composable):
    """``n`` independent uses of the system ``base`` on the same secret; made by `repeated`."""

    base: System
    n: int

    @property
    def secrets(self) -> int:
        """The number of values of the secret."""
        return self.base.secrets

    @property
    def is_listed(self) -> bool:
        """Whether the tallies are few enough to list."""
        kinds = self.one_use.shape[1]
        return histogram_count(self.n, kinds) * max(self.secrets, kinds) <= limits.current().numbers(MAX_TALLY_ENTRIES)

    @property
    def is_exact(self) -> bool:
        """Whether one use is a channel of fractions whose tallies are few enough to stay fractions."""
        if self._reduced.storage.fractions is None:
            return False
        # They have n times as many digits.
        fractions = histogram_count(self.n, self._reduced.shape[1]) * self.secrets * self.n
        return fractions <= limits.current().numbers(MAX_FRACTIONS, each=128)

    @cached_property
    def _reduced(self) -> Channel:
        return self.base.channel().reduced()

    @cached_property
    def one_use(self) -> Channel:
        """The reduced channel of one use, with rows that sum to 1 as exactly as doubles allow.

        The error of a row's sum would count n times.
        """
        one, matrix = self._reduced, self._reduced.dense()
        return Channel.derived(Dense(matrix / matrix.sum(axis=1, keepdims=True)), one.inputs, one.outputs)

    def channel(self) -> Channel:
        """Return the channel from the secret to the tallies, or raise TooLargeError.

        Outputs are tuples of counts, one for each output of the reduced channel of one use. Probabilities under 1e-308
        are 0 in it, so that its ε is larger than the true ε: compute measures from this system instead. For a channel
        of fractions the entries are fractions, unless these would have more than about a million digits.
        """
        if self.is_exact:
            tallies, law = _exact_law(self.n, self._reduced.matrix)
            return Channel.derived(stored(law), self._reduced.inputs, tuple(map(tuple, tallies.tolist())))
        tallies, logarithms = self.log_law()
        return Channel.derived(Dense(np.exp(logarithms)), self.one_use.inputs, tuple(map(tuple, tallies.tolist())))

    def log_law(self) -> tuple[Integers, Reals]:
        """Return all tallies, one a row, and ``log P(tally | secret)``, which does not underflow as the channel does.

        It uses Loader's form of the multinomial, as `discretion.numerics.laws.binomial` does.
        """
        rows = self.one_use.dense()
        if not self.is_listed:
            raise TooLargeError(
                f"{self.n:,} uses of a channel with {rows.shape[0]:,} secrets and {rows.shape[1]:,} different columns "
                f"have over {limits.current().numbers(MAX_TALLY_ENTRIES):,} probabilities of tallies; take fewer uses, "
                "or call discretion.bayes_security, which then returns certified bounds"
            )
        tallies = histograms(self.n, rows.shape[1])
        logarithms = np.full((rows.shape[0], len(tallies)), float(stirling_error(self.n) + log_root(self.n)))
        for column, counts in zip(rows.T, tallies.T, strict=True):
            different, place = np.unique(counts, return_inverse=True)
            terms = -stirling_error(different) - log_root(different) - deviance(different, self.n * column[:, None])
            logarithms += terms[:, place]
        return tallies, logarithms


def _exact_law(n: int, rows: Any) -> tuple[Integers, Fractions]:
    """Return all tallies of n draws, and their probabilities under each row of fractions."""
    tallies = histograms(n, rows.shape[1])
    ways = [math.factorial(n) // math.prod(map(math.factorial, tally)) for tally in tallies.tolist()]
    law: Any = np.array(ways, dtype=object)
    for column, counts in zip(rows.T, tallies.T, strict=True):
        law = law * column[:, None] ** counts.astype(object)  # NumPy's whole numbers overflow as exponents
    return tallies, law
