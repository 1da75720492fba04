"""Special uniques (SUDA): people whom a few of their values make unique, by person and by column.

A minimal unique of a person is a set of columns on which they are unique and without any one of which they are not. The
smaller it is, and the more of them a person has, the easier the person is to find by chance.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import comb, prod
from typing import Any

import numpy as np

from discretion import limits
from discretion.anonymity.people.coded import codes_of
from discretion.anonymity.people.conversion import People, as_population_of_rows
from discretion.errors import InvalidValueError, TooLargeError, UnsupportedError
from discretion.notebook import Tabular
from discretion.numerics.arrays import Booleans, Bytes, Codes, Integers, Reals
from discretion.numerics.equivalence_classes import Column, everybody, refined
from discretion.validation import as_count

# Rows that are grouped on sets of columns, for each set: about ten nanoseconds each.
MAX_ROWS_GROUPED = 5 * 10**9

_SEVERAL_ROWS = "special uniques are of people with one row each; make a table with a row per person"
# DIS-SUDA weighs a score by the power 1 + (8 - columns)/20, which must rise with it.
_MAX_WEIGHED = 27


@dataclass(frozen=True, eq=False)
class SpecialUniques(Tabular):
    """The people who are unique by few of their values.

    Parameters
    ----------
    columns
        The columns that the adversary knows.
    max_size
        The largest number of columns of a minimal unique.
    scores
        The SUDA score of each person, in the order of the table: the sum over the minimal uniques, where one of s
        columns counts ``Π_{i=s}^{M} (m - i)``, with the m columns and ``M = min(max_size, m - 1)``; 0 for a person who
        has none.
    sizes
        The number of columns of each person's smallest minimal unique, 0 for a person who has none.
    minimal_uniques
        The number of minimal uniques of each size, of one column first.
    contributions
        Column → the share of all scores from minimal uniques with this column. The shares add up to more than 1, since
        a minimal unique of s columns counts for each of them.
    unique_people
        The number of people who are unique on all columns together.
    pairs
        The number of equivalence classes of two people on all columns.
    """

    columns: tuple[str, ...]
    max_size: int
    scores: Reals
    sizes: Codes
    minimal_uniques: tuple[int, ...]
    contributions: dict[str, float]
    unique_people: int
    pairs: int

    @property
    def special_people(self) -> int:
        """How many people are unique by at most ``max_size`` of the columns."""
        return int(np.count_nonzero(self.sizes))

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers about the whole table, without those about single people."""
        return {
            "max_size": self.max_size,
            "special_people": self.special_people,
            "minimal_uniques": list(self.minimal_uniques),
            "highest_score": float(self.scores.max()),
            "contributions": self.contributions,
        }

    def intrusion_scores(self, sampling_fraction: float) -> Reals:
        """Estimate for each person the chance that a match with the population is correct: DIS-SUDA.

        ``1/(1 + (U/D - U)/(x^q Σ_j x_j^-q))`` for a person with the score x > 0, with U unique people, P pairs,
        the chance ``D = U π/(U π + 2P (1 - π))`` of a match on all columns, and ``q = 1 + (8 - m)/20``

        Parameters
        ----------
        sampling_fraction
            π, the share of the population that is in the table, assumed to be drawn at random; in (0, 1].

        Returns
        -------
        numpy.ndarray
            In [0, 1], 0 for a person who has no minimal unique. A heuristic without an interval: scores distribute D
            over the people who are unique.

        Raises
        ------
        UnsupportedError
            If there are more than 27 columns: then the exponent q would reverse the ranking of people.

        Notes
        -----
        Source: Skinner and Elliot, "A measure of disclosure risk for microdata", 2002, for D; Elliot and others, "SUDA:
        A program for detecting special uniques", 2005, and sdcMicro for the scores.

        Examples
        --------
        >>> import pyarrow as pa
        >>> few = special_uniques(pa.table({"sex": ["f", "f", "m", "m", "m"], "age": [30, 40, 30, 30, 50]}))
        >>> few.intrusion_scores(0.1).round(3).tolist()
        [0.143, 0.143, 0.0, 0.0, 0.143]
        """
        if not 0 < sampling_fraction <= 1:
            raise InvalidValueError(f"sampling_fraction must be above 0 and at most 1; got {sampling_fraction!r}")
        if len(self.columns) > _MAX_WEIGHED:
            raise UnsupportedError(
                f"DIS-SUDA is for at most {_MAX_WEIGHED} columns; got {len(self.columns)}; choose fewer columns"
            )
        chances = np.zeros(self.scores.size)
        scored = self.scores > 0
        if not scored.any():
            return chances
        power = 1 + (8 - len(self.columns)) / 20
        # The scores matter by their ratios only.
        weights = (self.scores[scored] / self.scores.max()) ** power
        odds_against = 2 * self.pairs * (1 - sampling_fraction) / sampling_fraction  # U/D - U
        chances[scored] = 1 / (1 + odds_against / (weights * (1 / weights).sum()))
        return chances


def special_uniques(P: People, columns: Iterable[str] | None = None, max_size: int = 3) -> SpecialUniques:
    """Return the people who are unique by few of their values, with the SUDA score of each person.

    Parameters
    ----------
    P
        The people, with one row each.
    columns
        The columns that the adversary knows; None is all columns.
    max_size
        The largest number of columns of a minimal unique, at least 1; the number of all columns finds all of them.

    Raises
    ------
    InvalidValueError
        If there is no column.
    UnsupportedError
        If the people of P have several rows, or their rows are in another process.
    TooLargeError
        If there are too many sets of columns: grouping all people on each set would take minutes.

    Notes
    -----
    Null is a value, as everywhere; sdcMicro leaves a null out of all minimal uniques. With ``max_size`` of all columns
    and no nulls, scores and contributions are those of sdcMicro's ``suda2``. Source: Elliot, Manning and Ford, "A
    computational algorithm for handling the special uniques problem", 2002; Manning, Haglin and Keane, "A recursive
    search algorithm for statistical disclosure assessment", 2008.

    Examples
    --------
    >>> few = special_uniques("example:adult", ["sex", "race", "workclass", "education"], max_size=3)
    >>> few.special_people, few.minimal_uniques, float(few.scores.max())
    (90, (0, 10, 91), 3.0)
    >>> round(few.contributions["race"], 3)
    0.757
    """
    population = as_population_of_rows(P, _SEVERAL_ROWS)
    chosen = population.known(columns)
    if not chosen:
        raise InvalidValueError("special_uniques needs at least one column")
    size = min(as_count(max_size, "max_size", at_least=1), len(chosen))
    _check_work(len(chosen), size, population.people)
    codes = [*codes_of(population, chosen, "special uniques").values()]
    last = min(size, len(chosen) - 1)
    scores, sizes = np.zeros(population.people), np.zeros(population.people, np.int32)
    many, parts = Counter[int](), np.zeros(len(chosen))
    for places, rows in minimal_uniques(codes, size):
        score = float(prod(len(chosen) - i for i in range(len(places), last + 1)))
        scores[rows] += score
        sizes[rows] = np.where(sizes[rows] == 0, len(places), np.minimum(sizes[rows], len(places)))
        many[len(places)] += rows.size
        parts[list(places)] += score * rows.size
    total = math.fsum(scores.tolist())
    shares = parts / total if total else parts
    classes = population.class_sizes(chosen)
    scores.flags.writeable = sizes.flags.writeable = False
    return SpecialUniques(
        chosen,
        size,
        scores,
        sizes,
        tuple(many[i] for i in range(1, size + 1)),
        dict(zip(chosen, shares.tolist(), strict=True)),
        classes.unique,
        int(classes.counts[classes.sizes == 2].sum()),
    )


def minimal_uniques(columns: Sequence[Column], max_size: int) -> Iterator[tuple[tuple[int, ...], Integers]]:
    """Yield sets of columns by their places, and the rows for which each set is a minimal unique.

    Each set comes after those that it contains.

    Examples
    --------
    >>> a, b = Column(np.array([0, 0, 1], np.int32), 2), Column(np.array([0, 1, 0], np.int32), 2)
    >>> [(places, rows.tolist()) for places, rows in minimal_uniques([a, b], 2)]
    [((1,), [1]), ((0,), [2]), ((0, 1), [0])]
    """
    classes = everybody(columns[0].codes.size)
    for column in columns:
        classes = refined(classes, column)
    alone = np.bincount(classes.codes)[classes.codes] == 1
    if alone.any():
        rows = np.arange(alone.size, dtype=np.int64)
        yield from _Search(columns, max_size, alone).extend((), rows, everybody(alone.size))


@dataclass
class _Search:
    """A depth-first search from the last column to the first, so that each set comes after all that it contains.

    Parameters
    ----------
    columns, max_size
        The columns to search, and the largest size of a set.
    alone
        Whether each row is unique on all columns: no other row has a minimal unique.
    unique
        Set of columns → a bit for each row: whether it is unique on them.
    """

    columns: Sequence[Column]
    max_size: int
    alone: Booleans
    unique: dict[tuple[int, ...], Bytes] = field(default_factory=dict[tuple[int, ...], "Bytes"])

    def extend(
        self, places: tuple[int, ...], rows: Integers, classes: Column
    ) -> Iterator[tuple[tuple[int, ...], Integers]]:
        """Yield the minimal uniques that add columns to these; no row is alone in its class on these."""
        for place in reversed(range(places[-1] + 1 if places else 0, len(self.columns))):
            finer = _group(classes, self.columns[place], rows)
            many = finer.sizes()
            several = (many > 1)[finer.codes]
            both, found = (*places, place), rows[~several]
            minimal = found[self._are_minimal(both, found)]
            if minimal.size:
                yield both, minimal
            if len(both) == self.max_size:
                continue
            flags = np.zeros(self.alone.size, np.bool_)
            flags[found] = True
            self.unique[both] = np.packbits(flags) | self.unique.get(places, np.uint8(0))
            # Only rows that are unique on all columns count, and those that they are to be distinguished from.
            awaited = np.bincount(finer.codes, self.alone[rows] & several, finer.count) > 0
            if awaited.any():
                kept = awaited[finer.codes]
                numbers = np.cumsum(awaited, dtype=np.int32) - np.int32(1)
                left = Column(numbers[finer.codes[kept]], int(numbers[-1]) + 1)
                yield from self.extend(both, rows[kept], left)

    def _are_minimal(self, places: tuple[int, ...], rows: Integers) -> Booleans:
        """Return for each row, unique on these places but not on all except the last, whether the set is minimal."""
        minimal = np.ones(rows.size, np.bool_)
        for i in range(len(places) - 1):
            without = self.unique.get(places[:i] + places[i + 1 :])
            if without is None:  # all rows that count were unique on fewer columns already
                return np.zeros(rows.size, np.bool_)
            minimal &= (without[rows >> 3] >> (7 - (rows & 7)) & 1) == 0
        return minimal


def _group(classes: Column, by: Column, rows: Integers) -> Column:
    """Return the classes of some rows, refined by a column; with few rows, renumber its codes first to save cells."""
    codes, count = by.codes[rows], by.count
    if count > rows.size:
        values, codes = np.unique(codes, return_inverse=True)
        count = values.size
    return refined(classes, Column(codes, count))


def _check_work(columns: int, size: int, people: int) -> None:
    sets = sum(comb(columns, i) for i in range(1, size + 1))
    most = limits.current().steps(MAX_ROWS_GROUPED)
    kept = sum(comb(columns, i) for i in range(1, size)) * (people // 8 + 1)
    if sets * people > most or kept > limits.current().bytes:
        raise TooLargeError(
            f"{columns:,} columns have {sets:,} sets of at most {size:,} columns; grouping {people:,} people on each "
            f"takes more than {most:,} rows or too much memory; choose fewer columns, a smaller max_size or a sample"
        )
