"""Rounds of questions by value: people with rare values answer "other"; each round distinguishes more values."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations

import numpy as np

from discretion.anonymity.choosing.choices import Columns
from discretion.anonymity.choosing.partial_tables import coarser, kept_in, lost_in, most_exposed_in, sizes_in
from discretion.anonymity.exposure.bounds import exposed_below
from discretion.anonymity.people.conversion import People, as_population_of_rows
from discretion.anonymity.people.records import Kept, Places, Records
from discretion.errors import InvalidValueError
from discretion.numerics.arrays import Integers
from discretion.tables.counting.threshold import Threshold, least_unexposed, most_exposed
from discretion.validation import as_count

# The weight of a person whom a question may expose, relative to one whom it is expected to expose.
_PROMISED = 0.1
# The most cells of a table to ask for: people spread over more cells stand out anyway.
_MOST_CELLS = 1 << 16


@dataclass(frozen=True)
class ValueQuestion:
    """A question about several columns; a person with a less frequent value of a column answers "other".

    Parameters
    ----------
    columns
        The columns.
    kept
        How many of the most frequent values of each column are distinguished.
    certified
        An upper bound on the share of the people whom the answers expose, by the answers to earlier questions.
    exposure
        The share of the people whom the answers exposed, exact.
    cells
        The number of possible combinations of answers.
    bits
        The entropy of the answers: their information about a person, on average.
    """

    columns: Columns
    kept: Kept
    certified: float
    exposure: float
    cells: int
    bits: float


@dataclass(frozen=True)
class ValueRound:
    """A round of questions by value: its questions, the people exposed so far, and the release that is certified.

    Parameters
    ----------
    number
        The number of the round, from 1 on; the first round asks for each column by itself.
    questions
        The questions of the round.
    exposed_at_most
        An upper bound on the share of the people whom all questions about several columns so far exposed: the sum of
        their exposures, or 1 if that is less.
    release
        The most informative table that is certified to be within the budget after the round; its ``exposure`` is that
        of the people who were asked. None if there is no such table of several columns.
    """

    number: int
    questions: tuple[ValueQuestion, ...]
    exposed_at_most: float
    release: ValueQuestion | None


def value_rounds(
    P: People,
    budget: Threshold,
    k: int | None = None,
    threshold: Threshold | None = None,
    columns: Iterable[str] | None = None,
    *,
    rounds: int = 3,
    most_columns: int = 3,
) -> tuple[ValueRound, ...]:
    """Return the rounds of a curator that asks about combinations of values, and never about unsafe ones.

    Round 1 asks for each column by itself. Each later round asks about pairs of columns, and about three or more where
    all sets with one column less were asked, for as many values as the budget allows: people with rare values answer
    "other". The exposure of all earlier questions about several columns, plus the bounds for those of the round, is
    within the budget *together*; a question that distinguishes more values replaces the earlier one of the same
    columns.

    Parameters
    ----------
    P
        The people who answer, with one row each.
    budget
        The share of the people in [0, 1] whom all answers about several columns may expose together.
    k, threshold
        Exactly one. A person is exposed if their equivalence class has fewer than k people, or fewer than this share
        of all people, in [0, 1].
    columns
        The columns to ask for; None is all of them.
    rounds
        The largest number of rounds, at least 1.
    most_columns
        The largest number of columns of a question, at least 2.

    Returns
    -------
    tuple
        One :class:`ValueRound` per round. The rounds end before the first round without a safe question.

    Raises
    ------
    InvalidValueError
        If there is no column to ask for.
    UnsupportedError
        If the people of P have several rows.

    Notes
    -----
    The bound for a question is :func:`~discretion.anonymity.choosing.partial_tables.most_exposed_in`, over all tables
    that agree with the known answers. Once a question is answered, its exposure is known, and the rest of its bound
    returns to the budget. Questions distinguish the values of a column in the order of how many people have them. The
    first round has no bound. Each question counts by itself: this assumes that answers to different questions are not
    linked, for example because they come through a shuffler. Source: Anonymity, section 8.2; the bound and the order:
    Discretion.

    Examples
    --------
    >>> from discretion.anonymity import Population
    >>> adult = Population("example:adult", columns=["sex", "income", "race", "workclass"])
    >>> for each in value_rounds(adult, budget=0.01, k=10):
    ...     print(each.number, len(each.questions), each.release.kept, round(each.release.bits, 2))
    1 4 (1, 1, 4, 1) 3.34
    2 6 (1, 1, 4, 1) 3.34
    3 4 (1, 1, 2, 6) 3.99
    """
    population = as_population_of_rows(
        P,
        "a question is about a person's one value of a column, but people with several rows have several values; use "
        "a table with a row per person",
    )
    least = least_unexposed(population.people, k, threshold)
    chosen = population.known(columns)
    if not chosen:
        raise InvalidValueError("value_rounds needs at least one column to ask for")
    rounds = as_count(rounds, "rounds", at_least=1)
    most_columns = as_count(most_columns, "most_columns", at_least=2)
    records = Records.of(*population.coded_classes(chosen))
    singles = [records.table((place,), (most,)) for place, most in enumerate(records.most_kept)]
    allowed = most_exposed(records.people, budget)
    curator = ValueCurator(singles, records.people, least, allowed, most_columns)
    first = {(place,): (kept_in(table), records.people) for place, table in enumerate(singles)}
    done = [_round(1, first, records, chosen, curator)]
    while len(done) < rounds and (asked := curator.plan()):
        for places, (kept, _) in asked.items():
            curator.learn(places, records.table(places, kept))
        done.append(_round(len(done) + 1, asked, records, chosen, curator))
    return tuple(done)


def _round(number: int, asked: "Questions", records: Records, names: Columns, curator: "ValueCurator") -> ValueRound:
    """Return the questions of a round to the people with these records, and the release that it certifies."""

    def question(places: Places, kept: Kept, bound: int) -> ValueQuestion:
        sizes = sizes_in(records.table(places, kept))
        return ValueQuestion(
            columns=tuple(names[place] for place in places),
            kept=kept,
            certified=bound / records.people,
            exposure=exposed_below(sizes, curator.least) / records.people,
            cells=_cells(kept),
            bits=sizes.entropy,
        )

    release = curator.release()
    return ValueRound(
        number=number,
        questions=tuple(question(places, *each) for places, each in sorted(asked.items())),
        exposed_at_most=min(records.people, curator.exposed) / records.people,
        release=None if release is None or len(release[0]) < 2 else question(*release),
    )


#: Columns → how many values of each a question about them tells apart, and how many people it exposes at most.
Questions = Mapping[Places, tuple[Kept, int]]


class ValueCurator:
    """The answers so far, with the questions that are safe to ask next.

    Parameters
    ----------
    singles
        The number of people with each value of each column, the most frequent first.
    people
        The number of people; people who are missing from a table may have any values.
    least
        A person is exposed if their equivalence class has fewer than this many people.
    allowed
        The largest number of people whom all answers about several columns may expose together.
    most_columns
        The largest number of columns of a question.
    """

    def __init__(self, singles: Sequence[Integers], people: int, least: int, allowed: int, most_columns: int) -> None:
        self.least = least
        self._people, self._allowed, self._most_columns = people, allowed, most_columns
        self._most_kept = tuple(table.size - 1 for table in singles)
        self._tables: dict[Places, Integers] = {(place,): table for place, table in enumerate(singles)}
        self._exposed: dict[Places, int] = {}
        self._released: dict[int, int] | None = None

    def learn(self, places: Places, table: Integers) -> None:
        """Take the answers to a question: for each column the most frequent values first, and "other" last."""
        self._tables[places] = table
        exposed = exposed_below(sizes_in(table), self.least) + lost_in(table, self._people)
        self._exposed[places] = exposed

    @property
    def exposed(self) -> int:
        """An upper bound on the people whom all questions about several columns exposed: the sum over the questions."""
        return sum(self._exposed.values())

    def plan(self) -> dict[Places, tuple[Kept, int]]:
        """Return the questions to ask next, with a bound on the people whom each exposes: together within the budget.

        Each step adds the question with the most information per person whom it may expose, as long as it fits in the
        budget.
        """
        planned: dict[Places, tuple[Kept, int]] = {}
        left = self._allowed - self.exposed
        offers = {
            places: self._offers(places, self._kept(places), self._exposed.get(places, 0))
            for places in self._candidates()
        }
        while fitting := [offer for several in offers.values() for offer in several if offer.cost <= left]:
            best = max(fitting, key=lambda offer: offer.worth)
            left -= best.cost
            planned[best.places] = best.kept, best.bound
            offers[best.places] = self._offers(best.places, best.kept, best.bound)
        return planned

    def _candidates(self) -> Iterator[Places]:
        """Yield the sets of columns with several values whose parts with one column less were all asked for."""
        telling = [place for place, most in enumerate(self._most_kept) if most]
        for size in range(2, min(self._most_columns, len(telling)) + 1):
            for places in combinations(telling, size):
                if all(below in self._tables for below in combinations(places, size - 1)):
                    yield places

    def _kept(self, places: Places) -> Kept:
        """Return the number of values of each column that the known table of these columns distinguishes."""
        return kept_in(self._tables[places]) if places in self._tables else (0,) * len(places)

    def _offers(self, places: Places, start: Kept, exposed: int) -> "list[_Offer]":
        """Return the finer questions about some columns: one more value of a column, all of one, or all of all.

        A question includes no value that was "other" in a question about a part of the columns.
        """
        parts = [dict(zip(part, self._kept(part), strict=True)) for part in combinations(places, len(places) - 1)]
        most = tuple(min(part[place] for part in parts if place in part) for place in places)
        return [
            self._offer(places, kept, start, exposed)
            for kept in _finer(tuple(max(1, each) for each in start), most)
            if kept != start
        ]

    def _offer(self, places: Places, kept: Kept, start: Kept, exposed: int) -> "_Offer":
        alone = sum(self._bits(place, each) for place, each in zip(places, kept, strict=True))
        before = sum(self._bits(place, each) for place, each in zip(places, start, strict=True))
        bound = self._bound(places, kept)
        return _Offer(places, kept, bound, bound - exposed, alone - before, self._expected(places, kept))

    def _expected(self, places: Places, kept: Kept) -> float:
        """Return the expected number of people whom independent columns expose: ``Σ m·P(Po(m) ≤ k - 2)``."""
        from scipy.special import gammaincc  # noqa: PLC0415

        people = self._people
        alone = (coarser(self._tables[place,], (each,)) / people for place, each in zip(places, kept, strict=True))
        means = people * reduce(np.multiply.outer, alone)
        return float((means * gammaincc(self.least - 1, means)).sum()) if self.least > 1 else 0.0

    def _bound(self, places: Places, kept: Kept) -> int:
        return most_exposed_in(places, kept, self._tables, self._people, self.least)

    def _bits(self, place: int, kept: int) -> float:
        return sizes_in(coarser(self._tables[place,], (kept,))).entropy

    def release(self) -> tuple[Places, Kept, int] | None:
        """Return a table that is certified to be within the budget, and the bound on the people whom it exposes.

        From no column, and from each known table, the search adds information while the bound fits. The result is the
        most informative table of several columns, or of one column if there is no other; None if there is none.
        """
        starts: list[dict[int, int]] = [
            {}, *(dict(zip(places, kept_in(table), strict=True)) for places, table in self._tables.items())
        ]  # fmt: skip
        if self._released is not None:
            starts.append(self._released)
        found = [self._grown(told, self._bound(tuple(told), tuple(told.values()))) for told in starts]
        certified = [(told, bound) for told, bound in found if told and bound <= self._allowed]
        if not certified:
            return None
        told, bound = max(certified, key=lambda each: (len(each[0]) > 1, _rounded(self._most_bits(each[0]))))
        if len(told) > 1:
            self._released = told
        return tuple(told), tuple(told.values()), bound

    def _most_bits(self, told: dict[int, int]) -> float:
        """Return an upper bound on the bits of a table: ``Σ_j H_j - Σ I`` over a tree of pairs that were asked for.

        The tree has the largest sum (Chow and Liu), with the pairs as coarse as the questions were.
        """
        shared: list[tuple[float, Places]] = []
        for places in combinations(told, 2):
            if places in self._tables:
                kept = tuple(min(told[place], most) for place, most in zip(places, self._kept(places), strict=True))
                apart = sum(self._bits(place, each) for place, each in zip(places, kept, strict=True))
                shared.append((apart - sizes_in(coarser(self._tables[places], kept)).entropy, places))
        most, part_of = sum(self._bits(*each) for each in told.items()), {place: {place} for place in told}
        for bits, (one, other) in sorted(shared, reverse=True):
            if part_of[one] is not part_of[other]:
                most -= bits
                joined = part_of[one] | part_of[other]
                part_of |= dict.fromkeys(joined, joined)
        return most

    def _grown(self, told: dict[int, int], bound: int) -> tuple[dict[int, int], int]:
        """Return a table that distinguishes as many more values as are certified to be within the budget."""
        while True:
            offers: list[_Offer] = []
            for place, most in enumerate(self._most_kept):
                had = told.get(place, 0)
                for step in {min(had + 1, most), most} - {had}:
                    finer = dict(sorted({**told, place: step}.items()))
                    places, kept = tuple(finer), tuple(finer.values())
                    if _cells(kept) <= _MOST_CELLS and (exposed := self._bound(places, kept)) <= self._allowed:
                        gain = self._most_bits(finer) - self._most_bits(told)
                        offers.append(_Offer(places, kept, exposed, exposed - bound, gain, 0.0))
            if not offers:
                return told, bound
            best = max(offers, key=lambda offer: offer.worth)
            told, bound = dict(zip(best.places, best.kept, strict=True)), best.bound


@dataclass(frozen=True)
class _Offer:
    """A finer question.

    Parameters
    ----------
    places, kept
        The question.
    bound
        An upper bound on the people whom it exposes.
    cost
        The increase of that bound over the earlier question.
    told : float
        The additional bits of information about the columns, each by itself.
    expected
        The expected number of people whom it exposes if the columns are independent.
    """

    places: Places
    kept: Kept
    bound: int
    cost: int
    told: float
    expected: float

    @property
    def worth(self) -> tuple[float, float]:
        """The information per person who may be exposed; if nobody more may be, infinity and the information.

        A person who is exposed stays exposed; a person who may be exposed but is not leaves budget for later questions.
        """
        price = self.expected + _PROMISED * self.cost
        return _rounded(self.told / price) if self.cost > 0 else math.inf, _rounded(self.told)


def _rounded(number: float) -> float:
    """Return a number rounded to nine digits: ties are then the same on machines whose sums differ in the last bits."""
    return float(f"{number:.9g}")


def _finer(least: Kept, most: Kept) -> list[Kept]:
    """Return the coarsest question and finer ones: one more value of a column, all of one, or all of all columns."""
    finer = {least, most}
    for j, kept in enumerate(least):
        finer |= {(*least[:j], step, *least[j + 1 :]) for step in (min(kept + 1, most[j]), most[j])}
    return sorted(kept for kept in finer if _cells(kept) <= _MOST_CELLS)


def _cells(kept: Kept) -> int:
    return math.prod(most + 1 for most in kept)
