"""Differencing: small counts that follow from published counts of the same people, even if small ones are withheld."""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from discretion import limits
from discretion.anonymity.ledgers.count_tables import CountTable
from discretion.errors import InvalidValueError, TooLargeError
from discretion.numerics.arrays import Reals
from discretion.validation import as_count

# Combinations of values of all columns together that people may have.
MAX_JOINT_CELLS = 20_000
# Sums of these that are bounded one by one, each by two integer programs.
MAX_DERIVED_SUMS = 50_000

# Any value of a column that no table lists.
_OTHER = object()
# The largest distance of a solver's whole number from a whole number.
_ROUNDING = 1e-6
# Tables of people that are examined before any cell is bounded.
_DRAWN = 8
# The most counts that a message names.
_SHOWN = 4

Cell = tuple[Any, ...]


@dataclass(frozen=True)
class DerivedCount:
    """The number of people with some values, as it follows from published counts.

    Parameters
    ----------
    values
        A column → the value.
    besides : Mapping
        A column → the values that these people do not have in it: all values that some table lists.
    low, high
        A lower and an upper bound on the number of people; equal where the count follows exactly.
    follows_from
        The published counts that it follows from, as text; empty if it needs all of them.
    tables
        The names of the tables with these counts.
    """

    values: Mapping[str, str | None]
    besides: Mapping[str, tuple[str | None, ...]]
    low: int
    high: int
    follows_from: tuple[str, ...]
    tables: tuple[str, ...]

    @property
    def is_exact(self) -> bool:
        """Whether the count is known exactly."""
        return self.low == self.high

    def __str__(self) -> str:
        number = f"{self.low:,}" if self.is_exact else f"between {self.low:,} and {self.high:,}"
        people = "person has" if self.high == 1 else "people have"
        parts = [*(f"{name} = {_shown(value)}" for name, value in self.values.items())]
        parts += [f"{name} other than {' or '.join(map(_shown, them))}" for name, them in self.besides.items()]
        shown = self.follows_from[:_SHOWN]
        more = len(self.follows_from) - len(shown)
        source = " and ".join((*shown, *([f"{more:,} more"] * (more > 0)))) or "all counts together"
        return f"{number} {people} {', '.join(parts)}: this follows from {source}"


def derived_counts(tables: Iterable[CountTable], k: int) -> tuple[DerivedCount, ...]:
    r"""Return the counts of fewer than k people that follow from several published tables of counts.

    The numbers of people with each combination v of values of all columns are integers ``x_v ≥ 0`` that no table
    contradicts; the number of people in a cell C is between

    ``min Σ_{v ∈ C} x_v`` and ``max Σ_{v ∈ C} x_v``.

    Parameters
    ----------
    tables
        The tables, of the same people at the same time.
    k
        A count is small if fewer people have it.

    Returns
    -------
    tuple[DerivedCount, ...]
        The cells of each table, and of each two tables together, that no table shows and that certainly hold 1 to k - 1
        people; and the blank cells of a table whose exact count follows. (A blank itself shows that its count is
        small.)

    Raises
    ------
    InvalidValueError
        If no people can have these counts.
    TooLargeError
        If there are more than 20,000 possible combinations of values, or more than 50,000 cells to bound.

    Notes
    -----
    If no table of all people lists all values of a column, its other values count as one more value. HiGHS solves an
    integer program for each bound; the tables of people that it finds on the way show for most cells that nothing
    follows. Source: Discretion; the audit of tables by their bounds is due to Dobra and Fienberg (2000).

    Examples
    --------
    >>> people = CountTable(["town"], {("A",): 25, ("B",): 40}, name="towns.csv")
    >>> women = CountTable(["town"], {("A",): 24, ("B",): 18}, where={"sex": "f"}, name="women.csv")
    >>> for count in derived_counts([people, women], k=10):
    ...     print(count)
    1 person has town = A, sex other than f: this follows from towns.csv (town = A: 25) and women.csv (town = A: 24)
    """
    given, k = tuple(tables), as_count(k, "k", at_least=1)
    if not given:
        return ()
    return tuple(_Differencing(given, k).derived())


@dataclass(frozen=True)
class _Published:
    """A cell of a table: the joint cells that it sums, with its bounds on their number of people."""

    table: CountTable
    values: Cell
    cells: tuple[int, ...]
    low: int
    high: int

    def __str__(self) -> str:
        values = ", ".join(
            f"{name} = {_shown(value)}" for name, value in zip(self.table.columns, self.values, strict=True)
        )
        number = f"{self.low:,}" if self.low == self.high else "blank" if self.low else "not listed"
        return f"{self.table.name} ({values or 'total'}: {number})"


class _Differencing:
    """Bounds on the sums of joint cells by the counts of all tables."""

    def __init__(self, tables: Sequence[CountTable], k: int) -> None:
        from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import, as all of SciPy

        self._tables, self._k = tables, k
        self._columns = tuple(dict.fromkeys(name for table in tables for name in (*table.columns, *table.where)))
        self._cells = self._joint_cells()
        self._published = tuple(self._constraints())
        if not self._cells:
            self._contradiction()
        rows = [row for row, each in enumerate(self._published) for _ in each.cells]
        places = [place for each in self._published for place in each.cells]
        shape = len(self._published), len(self._cells)
        self._matrix = csr_array((np.ones(len(rows)), (rows, places)), shape=shape)
        self._low = np.array([each.low for each in self._published], float)
        self._high = np.array([each.high for each in self._published], float)
        most = np.full(len(self._cells), math.inf)
        np.minimum.at(most, places, self._high[rows])
        self._most = np.where(np.isinf(most), k, most)  # whom nothing counts: k of them are not few any more

    def derived(self) -> Iterator[DerivedCount]:
        """Yield the small counts that follow, in the order of the tables."""
        open_targets = dict(self._targets())
        blank = {each.cells for each in self._published if 1 == each.low < each.high}
        seen: dict[tuple[int, ...], int] = {}

        def settle(people: Reals) -> None:
            """Drop each sum for which this table of people shows that no small count follows."""
            for cells in [*open_targets]:
                size = round(float(people[list(cells)].sum()))
                if size == 0 or size >= self._k or (cells in blank and seen.setdefault(cells, size) != size):
                    del open_targets[cells]

        settle(self._best(np.zeros(len(self._cells))))  # whether there are such people at all
        rng = np.random.default_rng(0)
        for _ in range(_DRAWN * bool(open_targets)):
            settle(self._best(rng.choice([-1.0, 0.0, 1.0], len(self._cells))))
        order = [*open_targets]
        for cells in order:
            for sign in (1.0, -1.0):
                if cells in open_targets:
                    settle(self._best(self._indicator(cells, sign)))
            if cells in open_targets:
                yield self._count(cells, open_targets[cells])

    def _count(self, cells: tuple[int, ...], target: tuple[tuple[str, ...], Cell]) -> DerivedCount:
        low, high = (round(float(self._best(self._indicator(cells, sign))[list(cells)].sum())) for sign in (1.0, -1.0))
        used = self._used(cells, low, high)
        names, values = target
        return DerivedCount(
            {name: value for name, value in zip(names, values, strict=True) if value is not _OTHER},
            {name: self._listed(name) for name, value in zip(names, values, strict=True) if value is _OTHER},
            low,
            high,
            tuple(map(str, used)),
            tuple(dict.fromkeys(each.table.name for each in used or self._published)),
        )

    def _used(self, cells: tuple[int, ...], low: int, high: int) -> tuple[_Published, ...]:
        """Return the counts from which both bounds follow by linear programs; none if the bounds need integers."""
        from scipy.optimize import linprog  # noqa: PLC0415
        from scipy.sparse import vstack  # noqa: PLC0415

        used: set[int] = set()
        exact, ranged = np.flatnonzero(self._low == self._high), np.flatnonzero(self._low < self._high)
        for sign, end in ((1.0, low), (-1.0, high)):
            result = cast(Any, linprog)(
                self._indicator(cells, sign),
                A_eq=self._matrix[exact] if exact.size else None,
                b_eq=self._low[exact] if exact.size else None,
                A_ub=vstack([self._matrix[ranged], -self._matrix[ranged]]) if ranged.size else None,
                b_ub=np.concatenate((self._high[ranged], -self._low[ranged])) if ranged.size else None,
                method="highs",
            )
            bound = math.ceil(result.fun - _ROUNDING) if sign > 0 else math.floor(-result.fun + _ROUNDING)
            if bound != end:
                return ()
            for places, duals in (
                (exact, result.eqlin.marginals),
                (np.tile(ranged, 2), result.ineqlin.marginals),
            ):
                used.update(places[np.abs(np.asarray(duals)) > _ROUNDING].tolist() if len(places) else ())
        return tuple(self._published[place] for place in sorted(used))

    def _best(self, objective: Reals) -> Reals:
        """Return the number of people in each joint cell that minimizes the objective and that no table contradicts."""
        from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415

        result = cast(Any, milp)(
            objective,
            constraints=LinearConstraint(cast(Any, self._matrix), self._low, self._high),
            integrality=np.ones(len(self._cells), np.int64),
            bounds=Bounds(0, cast(Any, self._most)),
            options={"mip_rel_gap": 0},
        )
        if result.x is None:
            self._contradiction()
        return np.rint(np.asarray(result.x, float))

    def _contradiction(self) -> None:
        raise InvalidValueError(
            "no people can have these counts: they contradict each other; give tables of the same people at the same "
            "time, with k, where and complete as they were published"
        )

    def _indicator(self, cells: tuple[int, ...], sign: float) -> Reals:
        objective = np.zeros(len(self._cells))
        objective[list(cells)] = sign
        return objective

    def _targets(self) -> Iterator[tuple[tuple[int, ...], tuple[tuple[str, ...], Cell]]]:
        """Yield the sums of joint cells that no table shows, by the columns of each table and of each two tables."""
        shown = {each.cells for each in self._published if each.low == each.high}
        wholes = [frozenset((*table.columns, *table.where)) for table in self._tables]
        margins = dict.fromkeys([*wholes, *(one | other for one, other in itertools.combinations(wholes, 2))])
        done, most = set(shown), limits.current().steps(MAX_DERIVED_SUMS, each=1 << 20)
        for margin in margins:
            names = tuple(name for name in self._columns if name in margin)
            for values, cells in self._sums(names).items():
                if cells not in done:
                    done.add(cells)
                    if len(done) - len(shown) > most:
                        raise TooLargeError(
                            f"the tables have more than {most:,} cells to bound; give fewer tables or columns at once"
                        )
                    yield cells, (names, values)

    def _sums(self, names: Sequence[str]) -> dict[Cell, tuple[int, ...]]:
        """Return the joint cells that have the same values of some columns."""
        places = [self._columns.index(name) for name in names]
        sums: dict[Cell, list[int]] = {}
        for number, cell in enumerate(self._cells):
            sums.setdefault(tuple(cell[place] for place in places), []).append(number)
        return {values: tuple(cells) for values, cells in sums.items()}

    def _constraints(self) -> Iterator[_Published]:
        for table in self._tables:
            names = (*table.columns, *table.where)
            sums = self._sums(names)
            condition = tuple(table.where.values())
            for values, count in table.counts.items():
                low, high = (1, table.k - 1) if count is None else (count, count)
                cells = sums.get((*values, *condition), ())
                if low and not cells:
                    self._contradiction()
                if cells:
                    yield _Published(table, values, cells, low, high)
            if not table.complete:
                for whole, cells in sums.items():
                    values = whole[: len(table.columns)]
                    if whole[len(table.columns) :] == condition and values not in table.counts and _OTHER not in values:
                        yield _Published(table, values, cells, 0, table.k - 1)

    def _joint_cells(self) -> tuple[Cell, ...]:
        """Return the possible combinations of values of all columns."""
        most = limits.current().steps(MAX_JOINT_CELLS, each=1 << 20)
        known = [self._allowed(table) for table in self._tables if table.complete]
        cells: list[Cell] = [()]
        for depth, name in enumerate(self._columns, 1):
            values: list[Any] = [*self._listed(name)]
            if not any(name in table.columns and table.complete and not table.where for table in self._tables):
                values.append(_OTHER)
            ready = [rule for rule in known if max(rule[0], default=-1) == depth - 1]
            extended: list[Cell] = []
            for cell in cells:
                extended += [new for value in values if _is_allowed(new := (*cell, value), ready)]
                if len(extended) > most:
                    raise TooLargeError(
                        f"people may have more than {most:,} combinations of values of "
                        f"{', '.join(self._columns)}; give tables of fewer columns, or fewer values, at once"
                    )
            cells = extended
        return tuple(cells)

    def _allowed(self, table: CountTable) -> tuple[tuple[int, ...], int, Cell, frozenset[Cell]]:
        """Return the places of a complete table's columns, their number, its condition, and the cells with people."""
        places = tuple(self._columns.index(name) for name in (*table.columns, *table.where))
        some = frozenset(values for values, count in table.counts.items() if count != 0)
        return places, len(table.columns), tuple(table.where.values()), some

    def _listed(self, name: str) -> tuple[str | None, ...]:
        """Return the values of a column that some table lists."""
        values: dict[str | None, None] = {}
        for table in self._tables:
            if name in table.columns:
                place = table.columns.index(name)
                values |= dict.fromkeys(each[place] for each in table.counts)
            elif name in table.where:
                values[table.where[name]] = None
        return tuple(values)


def _is_allowed(cell: Cell, rules: Iterable[tuple[tuple[int, ...], int, Cell, frozenset[Cell]]]) -> bool:
    for places, columns, condition, some in rules:
        values = tuple(cell[place] for place in places)
        if values[columns:] == condition and values[:columns] not in some:
            return False
    return True


def _shown(value: str | None) -> str:
    return "no value" if value is None else value
