"""The diff job: compare two tables of people, and measure the exposure of both together."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np

from discretion.anonymity import ClassSizes, ColumnKind, Population
from discretion.anonymity.exposure.bounds import rounded_outward
from discretion.anonymity.pairs.differences import changes, differencing, match_rows, revealed_values
from discretion.anonymity.pairs.join import Side, exposed_if_the_same, joined_exposed, joined_exposed_bound
from discretion.anonymity.pairs.pair import PairedTable, TablePair, open_pair
from discretion.errors import InvalidTableError, InvalidValueError
from discretion.escaping import printable
from discretion.estimate import Estimate
from discretion.jobs.diff.parts import ComparedColumns, Join, SideExposure, Without
from discretion.jobs.diff.result import Diff
from discretion.jobs.gates import Number
from discretion.jobs.options.tables import DiffOptions
from discretion.jobs.persons import NO_PERSON, check_whose_rows, person_column, whose_rows
from discretion.jobs.table_measures import GuessReport
from discretion.jobs.table_numbers import CodedCounts, TableNumbers
from discretion.numerics.equivalence_classes import Column, best_guesses, everybody
from discretion.presenting.names import table_name
from discretion.tables.layouts.headers import Header
from discretion.tables.layouts.names import distinct_names, names_among
from discretion.tables.streams import STANDARD_INPUT
from discretion.validation import as_count, as_probability

_METHOD = "flow through small cells"
# With up to this many columns, each is left out in turn.
_TRIED = 32


def diff(
    old: Any,
    new: Any,
    columns: Sequence[str] | None = None,
    *,
    person: str | None = None,
    sensitive: str | Sequence[str] = (),
    k: int = 10,
    budget: float = 0.01,
    header: Header = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    progress: Callable[[str], None] | None = None,
    memory: int | str | None = None,
) -> Diff:
    r"""Compare two tables of people, and return the exposure of both together.

    For values v of the shared columns that o_v people have in the old table and n_v in the new one, ``Σ min(o_v, n_v)``
    rows match and ``d_v = n_v - o_v`` people came. A person is singled out if fewer than k people with the same values
    came or went.

    Parameters
    ----------
    old, new
        The published table, and the table to publish in addition to it: each any table that `discretion.Population`
        takes whose rows are in this process. The same columns have the same names. If one table has a column in steps,
        months, years or with rare values merged, as `discretion.release` writes them, both are compared in that form.
    columns
        The columns to compare, each in at least one of the tables; None means all.
    person
        A column of both tables that names the persons and is not published. With it, the people who came, went and
        changed are counted exactly, and so is the exposure by a join, which otherwise has a certified bound. "none" if
        every row is a person of its own.
    sensitive
        Columns that the adversary does not know in advance.
    k
        A person is exposed if fewer than k people share their values, and singled out if fewer than k people with the
        same values come or go.
    budget
        The share of the new table's people who may be exposed, in [0, 1].
    header, delimiter, encoding
        The form of both files if they are CSV, as for `discretion.Population`.
    progress
        A function that is called with the name of each step.
    memory
        The memory limit of the engine, as for `discretion.Population`.

    Returns
    -------
    Diff
        The comparison. Counts are exact; ``join`` is a certified bound, or exact with ``person``.

    Raises
    ------
    InvalidTableError, UnknownColumnError
        If a table cannot be read or lacks a column, or both share no column whose values can be compared.

    Notes
    -----
    Values of both tables are equal if they are equal in their type, or as text if the types differ. Source: Discretion;
    for the join, see :func:`discretion.anonymity.pairs.join.joined_exposed_bound`.

    Examples
    --------
    >>> result = diff("example:adult", "example:adult", ["age", "sex", "race"])
    >>> result.is_the_same, result.found, result.matching.in_both, result.matching.linked
    (True, 0, 32561, 65)
    """
    return run_diff(old, new, DiffOptions.of_parameters(locals()), progress=progress, memory=memory)


def run_diff(
    old: Any,
    new: Any,
    options: DiffOptions,
    *,
    progress: Callable[[str], None] | None = None,
    memory: int | str | None = None,
) -> Diff:
    """Compare two tables by these options, as `diff` does."""
    k, budget = as_count(options.k, "k", at_least=1), as_probability(options.budget, "budget")
    secrets, columns = distinct_names(options.sensitive), options.columns
    if all(isinstance(table, str) and table in STANDARD_INPUT for table in (old, new)):
        raise InvalidValueError("standard input can be only one of the tables; name a file for the other")
    wanted = None if columns is None else tuple(dict.fromkeys([*distinct_names(columns), *secrets]))
    report: Callable[[str], None] = progress or (lambda _: None)
    report("reading both tables")
    whose = person_column(options.person)
    tables: list[tuple[tuple[str, ...], ColumnKind | None]] = []
    not_read: list[str] = []

    def look(people: Population) -> None:
        keys: list[ColumnKind] = []
        check_whose_rows(people, options.person, keys.append)
        tables.append((people.columns, next(iter(keys), None)))
        not_read.extend(f"{('OLD', 'NEW')[len(tables) - 1]}: {part}" for part in people.left_out)

    pair = open_pair(old, new, wanted, whose, options.form, memory=memory, look=look)
    _check_persons(tables)
    names_among(secrets, tuple(dict.fromkeys([*pair.old.columns, *pair.new.columns])))
    names = [table_name(table, f"the {type(table).__name__}") for table in (old, new)]
    result = _Compared(pair, secrets, k, budget, report).result(names[0], names[1], whose)
    return replace(result, not_read=tuple(not_read))


def _check_persons(tables: Sequence[tuple[tuple[str, ...], ColumnKind | None]]) -> None:
    """Raise an error that asks for the person, if a column repeats like the name of a person."""
    for which, (_, key) in zip(("OLD", "NEW"), tables, strict=True):
        if key is not None and all(key.column in columns for columns, _ in tables):
            raise InvalidValueError(f"{which}: {whose_rows(key)}")
        if key is not None:
            name = printable(key.column)
            raise InvalidValueError(
                f"{which}: the column {name} has {key.reason}, and the other table has no such column, so people "
                f"cannot be followed by it: use --person {NO_PERSON} (person=) if every row is a person of its own; "
                "otherwise first make tables with one row per person"
            )


class _Compared:
    """Counts the exposure of two tables together, and without each column if it is too high."""

    def __init__(
        self, pair: TablePair, secrets: tuple[str, ...], k: int, budget: float, report: Callable[[str], None]
    ) -> None:
        self._pair, self._secrets, self._k, self._budget, self._report = pair, secrets, k, budget, report
        self._shared = self._known(pair.shared)
        if not self._shared:
            raise InvalidTableError(
                "all columns that the two tables share are sensitive, so there is none to match rows by; name fewer "
                "sensitive columns"
            )

    def _known(self, columns: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in columns if name not in self._secrets)

    def result(self, old: str, new: str, person: str | None) -> Diff:
        """Return the counts."""
        pair, k = self._pair, self._k
        self._report("matching rows")
        whole = pair.classes(pair.shared)
        alike = pair.classes(self._shared)
        known_old, known_new = (side.classes(self._known(side.columns)) for side in (pair.old, pair.new))
        sides = Side(known_old, alike[0]), Side(known_new, alike[1])
        self._report("joining")
        result = Diff(
            old=old,
            new=new,
            k=k,
            budget=self._budget,
            sensitive=self._secrets,
            person=person,
            columns=self._columns(),
            before=self._measured(pair.old, known_old),
            after=self._measured(pair.new, known_new),
            shared_before=self._of(alike[0]),
            shared_after=self._of(alike[1]),
            matching=match_rows(*whole, k),
            differencing=differencing(*alike, k),
            values_told={name: self._told(alike, name) for name in self._secrets if name in pair.shared},
            changes=None if person is None else changes(pair.old, pair.new, whole),
            join=self._join(*sides),
            old_numbers=self._numbers(pair.old),
            new_numbers=self._numbers(pair.new),
        )
        if result.decision == "publish" or len(self._known(pair.new.columns)) > _TRIED:
            return result
        return replace(result, without=self._without(result, sides))

    def _numbers(self, side: PairedTable) -> Mapping[str, Number]:
        secrets = [name for name in self._secrets if name in side.columns]
        return dict(TableNumbers(CodedCounts(side), tuple(side.columns), secrets, k=self._k))

    def _columns(self) -> ComparedColumns:
        pair = self._pair
        return ComparedColumns(
            shared=tuple(pair.shared),
            only_old=tuple(name for name in pair.old.columns if name not in pair.new.columns),
            only_new=tuple(name for name in pair.new.columns if name not in pair.old.columns),
            left_out=pair.left_out,
            coarsened=pair.coarsened,
            retyped=pair.retyped,
            overlaps={name: shares for name, shares in pair.overlaps.items() if min(shares) < 1},
        )

    def _of(self, classes: Column, guesses: tuple[GuessReport, ...] = ()) -> SideExposure:
        sizes = ClassSizes.from_counts(np.bincount(classes.codes))
        exposed = sizes.exposed(k=self._k)
        return SideExposure(sizes.people, exposed / sizes.people, exposed, sizes.unique, sizes.smallest, guesses)

    def _measured(self, side: PairedTable, known: Column) -> SideExposure:
        guesses: list[GuessReport] = []
        for name in self._secrets:
            if name in side.columns:
                values = side.classes([name])
                before, _ = best_guesses(everybody(side.people), values)
                after, certain = best_guesses(known, values)
                guesses.append(GuessReport(name, before / side.people, after / side.people, certain))
        return self._of(known, tuple(guesses))

    def _told(self, alike: tuple[Column, Column], name: str) -> int:
        values = self._pair.classes([name])
        return revealed_values((alike[0], values[0]), (alike[1], values[1]))

    def _join(self, old: Side, new: Side) -> Join | None:
        if not (_adds(old) and _adds(new)):
            return None
        pair, people = self._pair, self._pair.new.people
        low, high = joined_exposed_bound(old, new, self._k)
        bound = rounded_outward(Fraction(low, people), Fraction(high, people), _METHOD)
        sizes = [side.shared.sizes() for side in (old, new)]
        same = np.array_equal(sizes[0], sizes[1])
        least = exposed_if_the_same(old, new, self._k) if same else None
        if pair.new.persons is not None:
            exposed = joined_exposed(pair.old, pair.new, (old, new), self._k)
            return Join(exposed / people, exposed, bound, least)
        return Join(bound, Estimate(high, low, high, None, _METHOD), bound, least)

    def _without(self, result: Diff, sides: tuple[Side, Side]) -> tuple[Without, ...]:
        """Return the exposure of the new table without each column, the columns with the least exposure first."""
        pair, shared = self._pair, self._shared
        own = tuple(name for name in self._known(pair.new.columns) if name not in shared)
        of_shared = zip(shared, pair.without_each(shared), strict=True)
        alikes = chain(of_shared, ((name, (sides[0].shared, sides[1].shared)) for name in own))
        ways: list[Without] = []
        for (name, alike), known in zip(alikes, pair.new.without_each((*shared, *own)), strict=True):
            self._report(f"without {name}")
            if shared == (name,) or len(shared) + len(own) == 1:
                continue
            counts = differencing(*alike, self._k)
            join = self._join(replace(sides[0], shared=alike[0]), Side(known, alike[1]))
            most = None if join is None else join.most
            ways.append(Without(name, counts.added_found + counts.removed_found, self._of(known).exposure, most))
        counts_found = not result.is_of_others
        return tuple(sorted(ways, key=lambda way: (counts_found * way.found, max(way.exposure, way.join or 0.0))))


def _adds(side: Side) -> bool:
    """Return whether a table's own columns distinguish people who share the columns of both tables."""
    shared = np.count_nonzero(np.bincount(side.shared.codes))
    return bool(np.count_nonzero(np.bincount(side.known.codes)) > shared)
