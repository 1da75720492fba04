"""The release: a table read, its most useful version within a goal found, written, read back and audited."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from discretion import __version__
from discretion.anonymity import ColumnKind, Population, read_ledger
from discretion.anonymity.people.coded import in_process
from discretion.anonymity.releasing.column_values import DateOrder
from discretion.anonymity.releasing.suppression import Suppress
from discretion.anonymity.releasing.utility import Utility
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.escaping import printable
from discretion.jobs.options.tables import Against, ReleaseOptions, ValueDistance
from discretion.jobs.persons import NO_PERSON, open_people, with_columns
from discretion.jobs.release.candidates import candidates_of
from discretion.jobs.release.comparison import blanked_columns, column_distributions
from discretion.jobs.release.decision import decide_release
from discretion.jobs.release.file import as_bytes, check_suffix, read_back, values_in_file
from discretion.jobs.release.ledger import beside_ledger, copy_of
from discretion.jobs.release.plan import read_plan
from discretion.jobs.release.prediction import check_target, predict_target
from discretion.jobs.release.result import Release
from discretion.jobs.release.verification import checked_table, compared_models, compared_numbers
from discretion.presenting.files import check_new, check_not_an_input, put_checked, writable
from discretion.presenting.json_answers import finite
from discretion.presenting.names import table_name
from discretion.tables.counting.codes import column_values
from discretion.tables.ibis_tables import rows_in_process
from discretion.tables.layouts.headers import Header
from discretion.tables.locations import files_read

# How long the search may take, by default: at least, at most, and for how many people a second between.
_BRIEF, _LONG, _PEOPLE_A_SECOND = 5.0, 30.0, 50_000


def release(
    table: Any,
    out: str | Path,
    plan: str | Path | ReleaseOptions | None = None,
    *,
    columns: Sequence[str] | None = None,
    k: int = 10,
    budget: float = 0.01,
    sensitive: str | Sequence[str] = (),
    l: int = 1,  # noqa: E741 - as it is called
    entropy_l: float | None = None,
    recursive_c: float | None = None,
    t: float | None = None,
    t_distance: ValueDistance = "equal",
    t_against: Against = "file",
    beta_likeness: float | None = None,
    delta_disclosure: float | None = None,
    guess_budget: float | None = None,
    certain_budget: float | None = None,
    keep: Sequence[str] = (),
    drop: Sequence[str] = (),
    redact: Sequence[str] = (),
    rules: Sequence[str] = (),
    hierarchies: str | Path | None = None,
    bins: Sequence[str] = (),
    missing: Sequence[str] = (),
    dates: DateOrder | None = None,
    publish: Sequence[str] = (),
    max_suppressed: float = 0.02,
    suppress: Suppress = "rows",
    target: str | None = None,
    utility: Utility = "information",
    person: str | None = None,
    header: Header = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    ledger: str | Path | None = None,
    seconds: float | None = None,
    progress: Callable[[str], None] | None = None,
    memory: int | str | None = None,
) -> Release:
    """Write the most useful version of a table that keeps to a goal, and return what was done and what it cost.

    ``max m·H(columns)`` over the m people in the file: the information that its columns carry together

    Parameters
    ----------
    table
        Anything that `discretion.Population` takes, of people with one row each.
    out
        The file to write: ``.parquet`` or ``.csv``. Beside it goes ``OUT.discretion.json``, with the options and
        the results.
    plan
        All options at once: what an audit recommends, as ``audit(…).decision.plan``, or a file that it wrote.
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
    recursive_c
        With l: in a group the commonest value of each of these that goes out has fewer than c times as many people as
        the l-th commonest and all rarer ones together.
    t
        How far the distribution of each of these that goes out may be in a group from that in the whole, as in
        :func:`~discretion.anonymity.t_closeness`; in [0, 1].
    t_distance
        How far values are from each other for t: "equal", all 1; "ordered", numbers, dates or the lines of a hierarchy
        by their places; or "hierarchical", by the level of the column's hierarchy on which they are in one group.
    t_against
        The whole that t, beta_likeness and delta_disclosure compare with: "file", the people in it; or "input", all
        people of the table, as ARX does.
    beta_likeness
        No value's share in a group may be more than 1 + beta times its share of the whole.
    delta_disclosure
        Each value's share in a group is between exp(-delta) and exp(delta) times its share of the whole, both excluded.
    guess_budget
        By how much the share of right guesses of each may rise; 0.05 by default.
    certain_budget
        Of which share of the people each may be known for certain; no limit by default.
    keep, drop
        Columns that go out in some view, or in none.
    redact
        Columns that may go out with their rare values blank, and with as many decoys as
        :func:`~discretion.anonymity.redaction_rules` has, so that a blank is no sign of a rare value.
    rules
        Rules of who has a column blank, a line each, as in ``["race: Other decoys 0.01"]``: how
        `discretion.spelling.spelled` writes a :class:`~discretion.anonymity.RedactionRule`. All conditions are about
        the table as it is.
    hierarchies
        A file or a folder of files with coarser views of values, as ARX writes them: ``value;coarser;coarsest``, each
        named after its column; or an ARX project (``.deid``), whose hierarchies are read by column. The
        other columns are coarsened as :func:`~discretion.anonymity.releasing.generalizations.generalizations_of` does.
    bins
        The numbers at which the ranges of a column begin, as in ``["age=0,18,30,45,65"]``; other ranges are coarser.
    missing
        The marks of a missing value, by default
        :data:`~discretion.anonymity.releasing.column_values.MARKS`.
    dates
        The order of day, month and year in dates of digits, "dmy", "mdy" or "ymd"; by default what the column shows.
    publish
        The columns that go out and the generalization of each, as in ``["sex", "age=in steps of 10"]``; a column by
        itself goes out as it is. Nothing else goes out, and nothing is searched for.
    max_suppressed
        The share of the people who may be left out, in [0, 1).
    suppress
        "rows", or "cells": of these people the fewest values are left blank that put them into groups, and only who is
        in none with all of them blank is left out.
    target
        A column that analysts predict, which must be in the file: models of the table and of the file predict it for
        the same people. Needs scikit-learn (the extra ``predict``).
    utility
        What the file keeps most of: "information", as above; "columns", ``Σ_cells H(view) / H(finest view)``, the share
        of each column's own entropy that is kept, added up, repeated columns counted once: a column that follows from
        another one, nearly or in full, adds nothing; "entropy", ``Σ_cells log2(n / n_cell)`` where ``n_cell`` of all n
        show what a cell does; "precision", ``Σ_cells 1 − level/levels`` by how much coarser each column's view is; or
        "discernibility", the ordered pairs of people whom it distinguishes.
    person
        The column that names the persons, of whom each has one row; it does not go out. "none" if every row is a person
        of its own, whatever a column looks like.
    header, delimiter, encoding
        How a CSV file is written, as for `discretion.Population`.
    ledger
        A file of what was published before about the same people. The release keeps to its budget together with that,
        or nothing is written; and it is entered there. With ``person``, a copy of the rows with their persons is kept
        beside the ledger.
    seconds
        How long the search may take; by default it ends after a number of steps, on every machine with the same file.
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
        If no file keeps to the goal, or the one that was written misses it: no file is left then.

    Notes
    -----
    The exposure is that of the file's people among themselves. Each group is counted by Discretion's search, and again
    by the engine in what is read back. Source: see :func:`most_useful_release`.

    Examples
    --------
    >>> import tempfile
    >>> out = f"{tempfile.mkdtemp()}/out.csv"
    >>> result = release("example:adult", out, columns=["sex", "capital_gain"], budget=0, max_suppressed=0)
    >>> [(each.column, each.how) for each in result.columns if each.verdict != "drop"]
    [('sex', 'as it is'), ('capital_gain', 'in 12 ranges')]
    >>> result.suppressed, result.checked.smallest_class, result.ended
    (0, 21, 'proved')
    """
    options = options_of_plan(plan, ReleaseOptions.of_parameters(locals()))
    return run_release(table, out, options, ledger=ledger, seconds=seconds, progress=progress, memory=memory)


def run_release(
    table: Any,
    out: str | Path,
    options: ReleaseOptions,
    *,
    ledger: str | Path | None = None,
    seconds: float | None = None,
    progress: Callable[[str], None] | None = None,
    memory: int | str | None = None,
    gated: Sequence[str] = (),
    is_new: bool = False,
) -> Release:
    """Write a table by these options, as `release` does, and count the numbers on request that gates are of.

    With ``is_new`` no file is replaced.
    """
    suffix, target, beside = check_suffix(str(out)), writable(str(out)), writable(f"{out}.discretion.json")
    if is_new:
        check_new(target, beside)
    read = files_read(str(table)) if isinstance(table, str | Path) else []
    published = None if ledger is None else read_ledger(ledger)
    listed = () if published is None else (entry.table for entry in published.tables)
    read += [*filter(None, [options.hierarchies, ledger]), *listed]
    for written in (str(out), f"{out}.discretion.json"):
        check_not_an_input(written, *read)
    report: Callable[[str], None] = progress or (lambda _: None)
    report("reading the table")
    people = open_people(table, None, options.person, options.form, memory=memory, repeats=_refuse_repeats)
    columns = (options.columns,) if isinstance(options.columns, str) else options.columns or ()
    if people.person in (*columns, *options.keep, *options.sensitive):
        raise InvalidValueError(
            f"the column {printable(str(people.person))} names the persons and does not go out; leave it out of "
            "columns, keep and sensitive"
        )
    people, persons = people if published is None else _in_process_with_persons(people, memory), None
    if published is not None and people.person is not None:
        copy_of(target, Path(str(ledger)).resolve())
        persons = people.person, _persons(people)
    people = in_process(_with_one_row_each(people), memory)
    candidates = candidates_of(people, options, report)
    check_target(candidates)
    models = compared_models(candidates, gated)
    report("the most useful release")
    decision = decide_release(
        candidates, seconds, lambda count: report(f"the most useful release: {count} columns so far")
    )
    released = None
    if published is not None:
        report("joining with the ledger")
        released = beside_ledger(decision, published, persons)
    report("predicting the target" if options.target is not None else "comparing before and after")
    distributions, prediction = column_distributions(decision), predict_target(decision)
    blanks = blanked_columns(decision)
    report("writing, and reading it back")
    order, secret = [*decision.shown], [*candidates.secrets]
    content = as_bytes(decision.table.select(order), suffix)
    result: list[Release] = []

    def check(file: BinaryIO) -> Mapping[Path, list[str | bytes]]:
        if is_new:  # still
            check_new(target, beside)
        written = read_back(file, suffix)
        for name in (name for name in secret if name not in order):
            written = written.append_column(name, decision.table[name])
        values = {name: values_in_file(candidates.values[name], suffix) for name in candidates.guarded}
        checked, numbers = checked_table(written, order, secret, candidates.goal, values, l=candidates.options.l)
        inside = {
            name: candidates.values[name].to_pylist()
            for name in {model.column for model in models.values()} - {*values}
        }
        numbers |= compared_numbers(written, order, secret, models, values | inside)
        result.append(
            Release(
                table=table_name(table),
                out=str(out),
                goal={**candidates.options.inputs(), "hierarchies": candidates.hierarchies},
                people=candidates.people.people,
                suppressed=decision.suppressed,
                columns=decision.columns,
                publish=decision.publish,
                **decision.costs,
                checked=checked,
                sha256=hashlib.sha256(content).hexdigest(),
                version=__version__,
                numbers=numbers,
                left_out=candidates.people.left_out,
                distributions=distributions,
                prediction=prediction,
                blanks=blanks,
                joint=None if released is None else released.joint,
            )
        )
        record = {"schema_version": 1, **result[0].to_dict()}
        entered: Mapping[Path, list[str | bytes]] = {} if released is None else released.files(target, content)
        return {
            beside: [json.dumps(finite(record), ensure_ascii=False, indent=2, allow_nan=False) + "\n"],
            **entered,
        }

    put_checked(target, [content], check, continued=[] if ledger is None else [Path(ledger).resolve()])
    return result[0]


def options_of_plan(plan: str | Path | ReleaseOptions | None, options: ReleaseOptions) -> ReleaseOptions:
    """Return the options of a plan, beside which no others are given; or these, without a plan."""
    if plan is None:
        return options
    if others := options.arguments():
        raise InvalidValueError(f"a plan has all options of a release; leave out the plan or {', '.join(others)}")
    return plan if isinstance(plan, ReleaseOptions) else read_plan(plan)


def _in_process_with_persons(people: Population, memory: int | str | None) -> Population:
    """Return people whose rows are in this process, with the column that names them."""
    return people.with_rows(lambda rows: rows_in_process(rows, memory), people.person)


def _persons(people: Population) -> Any:
    """Return the person of each row as an Arrow array."""
    name = people.person
    assert name is not None
    coded = people.read_rows(lambda rows, length: column_values(rows, [name], length))
    if coded is None:
        raise UnsupportedError(
            f"the column {printable(name)} cannot be numbered, so it cannot name persons in a ledger"
        )
    column, values = coded[name]
    return values.take(column.codes)


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
