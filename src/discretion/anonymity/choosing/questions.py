"""Questions to people, and the information in their answers: about a person's record, and about the whole table.

A question is about some columns; less frequent values of each may be one answer, and each answer may be randomized. The
answers come through a shuffler: their recipient learns how many people gave each answer, but not which people.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from discretion import limits
from discretion.anonymity.people.records import Kept, Places, Records
from discretion.errors import TooLargeError
from discretion.estimate import Estimate
from discretion.numerics.arrays import Reals
from discretion.numerics.laws.binomial import stirling_error

# Entries of a table of shares, of all combinations of answers.
MAX_ANSWERS_COMBINED = 1 << 24
# From this number on, the error of Stirling's formula is below double precision.
_LARGE = 1 << 60


@dataclass(frozen=True)
class Question:
    """A question about some columns, in which everybody with a less frequent value of a column answers "other".

    Parameters
    ----------
    places
        The columns, by their places among those of the records, in order.
    kept
        How many of the most frequent values of each column are distinguished.
    coins
        For each column the probability of each answer (columns) given the true one (rows); empty if nothing is
        randomized. The randomness of different columns is independent.
    """

    places: Places
    kept: Kept
    coins: tuple[Reals, ...] = field(default=(), compare=False)

    @property
    def cells(self) -> int:
        """The number of possible combinations of answers."""
        return math.prod(most + 1 for most in self.kept)

    def record_bits(self, records: Records) -> float:
        """Return the mutual information in bits between the record of a person drawn at random and the answer.

        ``I = H(answer) - Σ_j Σ_v p_j(v) H(answer on j | v)``
        """
        if not self.coins:
            return records.class_sizes(self.places, self.kept).entropy
        if self.cells > (most := limits.current().numbers(MAX_ANSWERS_COMBINED)):
            raise TooLargeError(
                f"{self.cells:,} combinations of randomized answers are more than {most:,}; ask for fewer columns"
            )
        shares: Reals = records.table(self.places, self.kept) / records.people
        noise = 0.0
        for axis, coins in enumerate(self.coins):
            alone = shares.sum(axis=tuple(other for other in range(shares.ndim) if other != axis))
            noise += float(alone @ _entropies(coins))
        for coins in self.coins:  # each time the first axis is answered, and put last
            shares = np.tensordot(shares, coins, (0, 0))
        return max(0.0, float(_entropies(shares.reshape(1, -1))[0]) - noise)

    def table_bits(self, people: int) -> float | Estimate:
        """Return the capacity in bits of the answers of this many people about their table, for any prior.

        The capacity is the largest mutual information between the table and the numbers of people with each answer,
        over all laws of the table. Without randomization it is ``log₂ C(n + cells - 1, n)``, the logarithm of the
        number of possible histograms.
        """
        exact = histogram_bits(people, self.cells)
        if not self.coins:
            return exact
        high = min(exact, people * sum(map(_most_bits, self.coins)))
        return Estimate.between(
            min(high, sum(_least_bits(people, coins) for coins in self.coins)),
            high,
            "capacity of randomized answers",
        )


def linked(questions: Sequence[Question]) -> Question:
    """Return the question with the information of all of these, none of them randomized, if answers were linked."""
    most: dict[int, int] = {}
    for question in questions:
        for place, kept in zip(question.places, question.kept, strict=True):
            most[place] = max(kept, most.get(place, 0))
    return Question(tuple(sorted(most)), tuple(most[place] for place in sorted(most)))


def table_bits_of(questions: Sequence[Question], people: int) -> float | Estimate:
    """Return the capacity in bits of the answers to some questions about the table, for any prior.

    The lower bound is the capacity of questions without a common column: the sum over them, since any of their
    histograms go together. The upper bound is the sum over the questions that do not follow from another one, or the
    capacity of all answers if they were linked.
    """
    if len(questions) == 1:
        return questions[0].table_bits(people)
    finest = [one for one in dict.fromkeys(questions) if not any(_is_part(one, other) for other in questions)]
    bits = {one: histogram_bits(people, one.cells) for one in finest}
    low = max((sum(map(bits.__getitem__, apart)) for apart in _apart(finest)), default=0.0)
    high = min(sum(bits.values()), histogram_bits(people, linked(finest).cells))
    return high if math.isclose(low, high, rel_tol=1e-12) else Estimate.between(low, high, "numbers of histograms")


def histogram_bits(people: int, cells: int) -> float:
    """Return the logarithm of the number of histograms of this many people: ``log₂ C(n + cells - 1, n)``.

    Examples
    --------
    >>> round(histogram_bits(3, 2), 12), round(histogram_bits(48_842, 1440), 3)
    (2.0, 9417.066)
    """
    a, b = people, cells - 1
    if not b:
        return 0.0
    share = a / b
    nats = a * (math.log1p(b / a) if b < a else math.log(a + b) - math.log(a))
    nats += a * (math.log1p(share) / share if share else 1.0)
    nats -= (math.log(2 * math.pi * a) - math.log1p(share)) / 2
    errors = stirling_error(np.array([min(each, _LARGE) for each in (a + b, a, b)], np.float64))
    return float(nats + errors[0] - errors[1] - errors[2]) / math.log(2)


def _is_part(one: Question, other: Question) -> bool:
    """Return whether the answer to one question follows from the answer to another, finer one."""
    most = dict(zip(other.places, other.kept, strict=True))
    return one != other and all(kept <= most.get(place, -1) for place, kept in zip(one.places, one.kept, strict=True))


def _apart(questions: Sequence[Question]) -> Iterator[tuple[Question, ...]]:
    """Yield sets of questions such that no two share a column: from each question, add greedily the ones that fit."""
    by_cells = sorted(questions, key=lambda question: -question.cells)
    for first in by_cells:
        apart, used = [first], set(first.places)
        for question in by_cells:
            if used.isdisjoint(question.places):
                apart.append(question)
                used.update(question.places)
        yield tuple(apart)


def _entropies(laws: Reals) -> Reals:
    from scipy.special import entr  # noqa: PLC0415

    return np.asarray(entr(laws).sum(axis=1) / math.log(2))


def _most_bits(coins: Reals) -> float:
    """Return an upper bound on the bits of a randomized answer: ``max_v D(answer | v ‖ q)``, for any law q."""
    from scipy.special import rel_entr  # noqa: PLC0415

    divergences = np.asarray(rel_entr(coins, coins.mean(axis=0)), np.float64).sum(axis=1)
    return float(divergences.max() / math.log(2))


def _least_bits(people: int, coins: Reals) -> float:
    """Return a lower bound on the bits of randomized answers on a column, if all its histograms are equally likely.

    ``H(m) - Σ_v ½ log₂ 2πe (Var m̂_v + 1/12)`` over all values but one, for unbiased estimates m̂ of the histogram m:
    no integer with this variance around its estimate has more entropy (Cover and Thomas, Problem 8.7).
    """
    values = coins.shape[0]
    if np.linalg.matrix_rank(coins) < values:
        return 0.0
    undone = np.linalg.inv(coins)
    # Each value has n/values people on average, and each of them adds the variance of one answer's estimate.
    spreads: Reals = np.maximum(0.0, coins @ undone**2 - np.eye(values))
    variances: Reals = people / values * spreads.sum(axis=0)
    unknown: Reals = np.sort(np.log2(2 * math.pi * math.e * (variances + 1 / 12)) / 2)[:-1]
    return max(0.0, histogram_bits(people, values) - float(unknown.sum()))
