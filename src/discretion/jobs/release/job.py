"""The release: a table read, its most useful version within a goal found, written, read back and audited."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from discretion import __version__
from discretion.anonymity import ColumnKind, Population, RedactionRule, column_kinds, redaction_rules
from discretion.anonymity.choosing.problem import check_kept_or_dropped
from discretion.anonymity.people.column_kinds import NAMING
from discretion.anonymity.releasing.generalizations import (
    REDACTED,
    Generalization,
    generalizations_of,
    identity_generalization,
    redact_column,
)
from discretion.anonymity.releasing.hierarchies import Hierarchy, generalizations_by, read_hierarchies
from discretion.anonymity.releasing.search import most_useful_release
from discretion.anonymity.releasing.suppression import Suppress
from discretion.anonymity.releasing.utility import Utility
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.escaping import printable
from discretion.jobs.options.tables import ReleaseOptions
from discretion.jobs.persons import NO_PERSON, open_people, with_columns
from discretion.jobs.release.costs import costs_of
from discretion.jobs.release.file import as_bytes, check_suffix, read_back, table_of
from discretion.jobs.release.goal import release_goal
from discretion.jobs.release.nearest import nearest
from discretion.jobs.release.result import Release, ReleasedColumn
from discretion.jobs.release.verification import checked_table
from discretion.numerics.arrays import Booleans
from discretion.numerics.equivalence_classes import Column
from discretion.numerics.search.explored_ideals import Ended
from discretion.presenting.files import check_not_an_input, put_checked, writable
from discretion.presenting.names import table_name
from discretion.tables.counting.codes import column_values
from discretion.tables.layouts.headers import Header
from discretion.tables.layouts.names import distinct_names
from discretion.tables.locations import files_read

# How long the search may take, by default: at least, at most, and for how many people a second between.
_BRIEF, _LONG, _PEOPLE_A_SECOND = 5.0, 30.0, 50_000


def release(
    table: Any,
    out: str | Path,
    columns: Sequence[str] | None = None,
    *,
    k: int = 10,
    budget: float = 0.01,
    sensitive: str | Sequence[str] = (),
    l: int = 1,  # noqa: E741 - as it is called
    entropy_l: float | None = None,
    t: float | None = None,
    guess_budget: float | None = None,
    certain_budget: float | None = None,
    keep: Sequence[str] = (),
    drop: Sequence[str] = (),
    redact: Sequence[str] = (),
    hierarchies: str | Path | None = None,
    max_suppressed: float = 0.02,
    suppress: Suppress = "rows",
    utility: Utility = "entropy",
    person: str | None = None,
    header: Header = None,
    seconds: float | None = None,
    progress: Callable[[str], None] | None = None,
    memory: int | str | None = None,
) -> Release:
    """Write the most useful version of a table that keeps to a goal, and return what was done and what it cost.

    ``max Σ_rows Σ_columns log2(n / n_cell)`` over cells in the file, where ``n_cell`` of all n show what a cell does

    Parameters
    ----------
    table
        Anything that `discretion.Population` takes, of people with one row each.
    out
        The file to write: ``.parquet`` or ``.csv``. Beside it goes ``OUT.discretion.json``, with the options and
        the results.
    columns
        The columns to choose from; None is all, those aside that name their person.
    k
        Who is in a group of fewer people alike in the file is exposed.
    budget
        The share of the people in the file who may be, in [0, 1].
    sensitive
        The columns whose guessing is limited, which nobody is supposed to know. They go out only if they are kept, and
        then as they are.
    l
        How many values of each of these that goes out a group has at least, lest its people count as exposed.
    entropy_l
        What the entropy of each of these that goes out is the logarithm of in a group, at least; above 1.
    t
        How far each of these that goes out may be spread in a group from how it is in the file, as in
        :func:`~discretion.anonymity.t_closeness`; in [0, 1].
    guess_budget
        By how much the share of right guesses of each may rise; 0.05 by default.
    certain_budget
        Of which share of the people each may be known for certain; no limit by default.
    keep, drop
        Columns that go out in some view, or in none.
    redact
        Columns that may go out with their rare values blank, and with as many decoys as
        :func:`~discretion.anonymity.redaction_rules` has, so that a blank is no sign of a rare value.
    hierarchies
        A file or a folder of files with coarser views of values, as ARX writes them: ``value;coarser;coarsest``. The
        other columns are coarsened as :func:`~discretion.anonymity.releasing.generalizations.generalizations_of` does.
    max_suppressed
        The share of the people who may be left out, in [0, 1).
    suppress
        "rows", or "cells": of these people the fewest values are left blank that put them into groups, and only who is
        in none with all of them blank is left out.
    utility
        What the file is to keep most of: "entropy", as above; "precision", ``Σ_cells 1 − level/levels`` by how much
        coarser each column's view is; or "discernibility", the ordered pairs of people whom it distinguishes.
    person
        The column that names the persons, of whom each has one row; it does not go out. "none" if every row is a person
        of its own, whatever a column looks like.
    header
        What a file's first line is, as for `discretion.Population`.
    seconds
        How long the search may take; by default 5, or one for each 50,000 people, up to 30.
    progress
        Called with what is being worked on.
    memory
        As for `discretion.Population`.

    Returns
    -------
    Release
        What became of each column, and what the file shows.

    Raises
    ------
    InvalidTableError, UnknownColumnError
        If the table cannot be read as it stands, or lacks a column.
    MissedGoalError
        If what was written misses the goal: nothing is left of it then.

    Notes
    -----
    The exposure is that of the file's people among themselves. Each group is counted by Discretion's search, and again
    by the engine in what is read back. Source: see :func:`most_useful_release`.

    Examples
    --------
    >>> import tempfile
    >>> out = f"{tempfile.mkdtemp()}/out.csv"
    >>> result = release("example:adult", out, ["sex", "capital_gain"], budget=0, max_suppressed=0)
    >>> [(each.column, each.how) for each in result.columns if each.verdict != "drop"]
    [('sex', 'as it is'), ('capital_gain', 'in steps of 50000')]
    >>> result.suppressed, result.checked.smallest_class, result.ended
    (0, 22, 'proved')
    """
    options = ReleaseOptions.of_parameters(locals())
    return run_release(table, out, options, seconds=seconds, progress=progress, memory=memory)


def run_release(
    table: Any,
    out: str | Path,
    options: ReleaseOptions,
    *,
    seconds: float | None = None,
    progress: Callable[[str], None] | None = None,
    memory: int | str | None = None,
) -> Release:
    """Write a table by these options, as `release` does."""
    suffix, target, beside = check_suffix(str(out)), writable(str(out)), writable(f"{out}.discretion.json")
    read = files_read(str(table)) if isinstance(table, str | Path) else []
    for written in (str(out), f"{out}.discretion.json"):
        check_not_an_input(written, *read, *([] if options.hierarchies is None else [options.hierarchies]))
    report: Callable[[str], None] = progress or (lambda _: None)
    named = (*options.sensitive, *options.keep, *options.drop, *options.redact)
    wanted = None if options.columns is None else list(dict.fromkeys([*distinct_names(options.columns), *named]))
    report("reading the table")
    people = open_people(table, wanted, options.person, options.header, memory=memory, repeats=_refuse_repeats)
    people = _with_one_row_each(people)
    kept, dropped, secret, hidden = map(people.known, (options.keep, options.drop, options.sensitive, options.redact))
    options = replace(options, keep=kept, drop=dropped, sensitive=secret, redact=hidden)
    guarded = [name for name in secret if name in kept]
    goal, most_suppressed, options = release_goal(people.people, guarded, options)
    known, reasons = _known(people, options)
    if not_known := next((name for name in hidden if name not in known), None):
        raise InvalidValueError(
            f"the column {not_known!r} cannot be redacted: it does not go out; keep it, or leave it"
        )
    report("the views of each column")
    coded = people.read_rows(lambda rows, length: column_values(rows, [*known, *secret], length))
    if coded is None:
        raise UnsupportedError(
            "no release can be made of this table: its rows are not in this process, they are too many, or a column "
            "holds lists or the like; pass the rows themselves, fewer columns, or name such a column with drop"
        )
    coarsenings = {} if options.hierarchies is None else read_hierarchies(options.hierarchies, known)
    never = _rare_rows({name: coded[name][0] for name in guarded}, goal.k, people.people)
    if (missing := int(never.sum())) > most_suppressed:
        raise InvalidValueError(
            f"{missing:,} people have a value of {', '.join(guarded)} that fewer than {goal.k} have, and no such value "
            f"goes out; max_suppressed lets {most_suppressed:,} people be left out: raise it, or do not keep the column"
        )
    codes = {name: Column(column.codes[~never], column.count) for name, (column, _) in coded.items()}
    values = {name: labels for name, (_, labels) in coded.items()}
    given = {name: identity_generalization(codes[name], values[name].to_pylist()) for name in known}
    views = _views(given, coarsenings, redaction_rules(people, goal.k, hidden), goal.k)
    report("the most useful release")
    best = most_useful_release(
        views, {name: codes[name] for name in secret}, goal, people.people - missing,
        keep=[name for name in kept if name not in secret], most_suppressed=most_suppressed - missing,
        suppress=options.suppress, utility=options.utility,
        time_limit=search_seconds(people.people) if seconds is None else seconds,
        progress=lambda count: report(f"the most useful release: {count} columns so far"),
    )  # fmt: skip
    if best is None or not best.views:
        raise InvalidValueError(
            nearest(views, {name: codes[name] for name in secret}, goal, kept, most_suppressed - missing)
            if views else _none_left(reasons)
        )  # fmt: skip
    beside_them = {name: identity_generalization(codes[name], ()) for name in secret}
    constants = {name: some[0] for name, some in views.items() if not some[0].bits}  # which go out for nothing
    shown = {**constants, **best.views, **{name: beside_them[name] for name in guarded}}
    order = [name for name in people.columns if name in shown]
    report("writing, and reading it back")
    whole = table_of({**shown, **beside_them}, values, list(dict.fromkeys([*order, *secret])), best)
    content = as_bytes(whole.select(order), suffix)
    result: list[Release] = []

    def check(file: BinaryIO) -> Mapping[Path, list[str | bytes]]:
        written = read_back(file, suffix)
        for name in (name for name in secret if name not in order):
            written = written.append_column(name, whole[name])
        checked, numbers = checked_table(written, order, secret, goal)
        result.append(
            Release(
                table=table_name(table),
                out=str(out),
                goal={**options.inputs(), "hierarchies": sorted(coarsenings)},
                people=people.people,
                suppressed=missing + int(best.cut.out.sum()),
                columns=tuple(_columns(people, whole, shown, reasons, best.ended)),
                **costs_of(
                    people,
                    views,
                    best,
                    options.utility,
                    sensitive=secret,
                    guarded=[beside_them[name] for name in guarded],
                ),
                checked=checked,
                sha256=hashlib.sha256(content).hexdigest(),
                version=__version__,
                numbers=numbers,
                left_out=people.left_out,
            )
        )
        record = {"schema_version": 1, **result[0].to_dict()}
        return {beside: [json.dumps(record, ensure_ascii=False, indent=2) + "\n"]}

    put_checked(target, [content], check)
    return result[0]


def _refuse_repeats(key: ColumnKind) -> None:
    """Refuse to release rows as people while a column repeats as the name of a person does."""
    name = printable(key.column)
    raise InvalidValueError(
        f"the column {name} has {key.reason}, and a release is of people with one row each: if {name} names the person "
        f"whose row it is, first make a table with one row a person; if every row is a person of its own, use --person "
        f"{NO_PERSON} (person=)"
    )


def _with_one_row_each(people: Population) -> Population:
    """Return people with one row each, without the column that names them, or refuse those with several."""
    if people.person is None:
        return people
    if people.rows > people.people:
        raise UnsupportedError(
            f"a release is of people with one row each, and by {printable(people.person)} {people.people:,} people "
            f"have {people.rows:,} rows: first make a table with one row a person"
        )
    return with_columns(people.with_rows(lambda rows: rows, None), people.columns)


def search_seconds(people: int) -> float:
    """Return how long the search may take by default."""
    return min(max(_BRIEF, people / _PEOPLE_A_SECOND), _LONG)


def _rare_rows(secrets: Mapping[str, Column], k: int, people: int) -> Booleans:
    """Return which people have a value of a column that fewer than k have, once these are left out."""
    left = np.ones(people, bool)
    while True:
        few = np.zeros(people, bool)
        for column in secrets.values():
            few |= (np.bincount(column.codes[left], minlength=column.count) < k)[column.codes] & left
        if not few.any():
            return ~left
        left &= ~few


def _known(people: Population, options: ReleaseOptions) -> tuple[list[str], dict[str, str]]:
    """Return the columns that may go out and that somebody may know; and of each other one why it does not."""
    kept, dropped, secret = options.keep, options.drop, options.sensitive
    check_kept_or_dropped(kept, dropped)
    chosen = list(dict.fromkeys([*people.known(options.columns), *kept]))
    reasons = {name: "not among the columns" for name in people.columns if name not in chosen}
    reasons |= {name: "sensitive: goes out only if kept" for name in secret if name not in kept}
    reasons |= dict.fromkeys(dropped, "by --drop")
    for kind in column_kinds(people, [name for name in chosen if name not in (*reasons, *kept)]):
        if kind.kind in NAMING:
            reasons[kind.column] = f"{kind.kind}: {kind.reason}"
    return [name for name in chosen if name not in reasons and name not in secret], reasons


def _views(
    given: Mapping[str, Generalization],
    coarsenings: Mapping[str, Hierarchy],
    rules: Sequence[RedactionRule],
    k: int,
) -> dict[str, Sequence[Generalization]]:
    """Return the generalizations of each column, by its hierarchy if it has one, its rare values redacted by a rule."""
    redacts = {rule.column: rule for rule in rules}
    first = {name: redact_column(view, redacts[name]) if name in redacts else view for name, view in given.items()}
    return {
        name: generalizations_by(coarsenings[name], name, view) if name in coarsenings else generalizations_of(view, k)
        for name, view in first.items()
    }


def _none_left(reasons: Mapping[str, str]) -> str:
    """Return that no column may go out, and why."""
    name, why = next(iter(reasons.items()), ("", ""))
    if not name:
        return "each column is sensitive, so that none is left that somebody may know; name fewer with sensitive"
    return f"no column is left to go out ({name!r}: {why}); keep one, or drop fewer"


def _columns(
    people: Population, table: Any, shown: Mapping[str, Generalization], reasons: Mapping[str, str], ended: Ended
) -> Iterator[ReleasedColumn]:
    """Yield what became of each column."""
    no_view = (
        "no generalization fits beside the others"
        if ended == "proved"
        else "no generalization within the goal was found"
    )
    for name in people.columns:
        whole = people.class_sizes([name]).entropy
        if name in shown:
            view = shown[name]
            verdict = "publish" if view.is_as_it_was else "redact" if view.how == REDACTED else "coarsen"
            how = view.how if view.blank is None or verdict == "redact" else f"{view.how}, {REDACTED}"
            yield ReleasedColumn(name, verdict, how, whole, max(0.0, whole - view.bits), len(table[name].unique()))
        else:
            why = reasons.get(name, no_view)
            yield ReleasedColumn(name, "drop", why, whole, whole, 0)
