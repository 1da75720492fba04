"""The release job: read a table, find its most useful version within a goal, write it, read it back and audit it."""

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
from discretion.jobs.persons import NO_PERSON, open_people, without_person
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
    """Write the most useful version of a table within a goal, and return its columns, its exposure and its cost.

    ``max m·H(columns)`` over the m people in the file: the joint information of its columns

    Parameters
    ----------
    table
        Any table that `discretion.Population` takes, of people with one row each.
    out
        The file to write: ``.parquet`` or ``.csv``. ``OUT.discretion.json`` in the same folder gets the options and the
        results.
    plan
        All options at once: the recommendation of an audit, ``audit(…).decision.plan``, or a file with a plan.
    columns
        The columns to choose from; None means all except those that name their person.
    k
        The file exposes a person if fewer than k people, that person included, share their values.
    budget
        The share of the people in the file who may be exposed, in [0, 1].
    sensitive
        The sensitive columns, whose guesses are limited and which the adversary does not know. They go out only if they
        are kept, and then unchanged.
    l
        The least number of values of each sensitive column that goes out in an equivalence class; people in a class
        with fewer values count as exposed. This and the next options are requirements on every equivalence class.
    entropy_l
        The entropy of each sensitive column that goes out is at least the logarithm of this number; above 1.
    recursive_c
        With l: the most common value of each sensitive column that goes out has fewer than c times as many people as
        the l-th most common and all rarer ones together.
    t
        The largest distance of the distribution of each sensitive column that goes out from that in the whole, as in
        :func:`~discretion.anonymity.t_closeness`; in [0, 1].
    t_distance
        The distance of two values for t: "equal", 1 for all; "ordered", by the places of numbers, of dates or of the
        lines of a hierarchy; or "hierarchical", by the level of the column's hierarchy on which they are the same.
    t_against
        The whole that t, beta_likeness and delta_disclosure compare with: "file", the people in the file; or "input",
        all people of the table, as ARX does.
    beta_likeness
        No value's share in a class may be more than 1 + beta times its share of the whole.
    delta_disclosure
        Each value's share in a class is between exp(-delta) and exp(delta) times its share of the whole, both excluded.
    guess_budget
        The most by which the share of correct guesses of each sensitive column may rise; 0.05 by default.
    certain_budget
        The share of the people whose value of a sensitive column may be certain; no limit by default.
    keep, drop
        Columns that always go out (unchanged or generalized), or never.
    redact
        Columns that may go out with their rare values blank, and with the decoys of
        :func:`~discretion.anonymity.redaction_rules`, so that a blank is no certain sign of a rare value.
    rules
        Redaction rules, one per line, as in ``["race: Other decoys 0.01"]``: the text that
        `discretion.spelling.spelled` writes for a :class:`~discretion.anonymity.RedactionRule`. All conditions are
        about the table before generalization.
    hierarchies
        A file or a folder of files with coarser values, as ARX writes them: ``value;coarser;coarsest``, each file
        named after its column; or an ARX project (``.deid``), whose hierarchies are read by column. The
        other columns are generalized by :func:`~discretion.anonymity.releasing.generalizations.generalizations_of`.
    bins
        The numbers at which the ranges of a column begin, as in ``["age=0,18,30,45,65"]``; other ranges merge these.
    missing
        The marks of a missing value, by default
        :data:`~discretion.anonymity.releasing.column_values.MARKS`.
    dates
        The order of day, month and year in dates of digits, "dmy", "mdy" or "ymd"; by default, as the values suggest.
    publish
        The columns that go out, each with its generalization, as in ``["sex", "age=in steps of 10"]``; a column without
        one goes out unchanged. No other column goes out, and nothing is searched for.
    max_suppressed
        The share of the people who may be left out, in [0, 1).
    suppress
        "rows", or "cells": these people keep their rows with the fewest values left blank that put them into large
        enough classes, and only people who are in none even with all of them blank are left out.
    target
        A column that analysts predict, which must be in the file: models trained on the table and on the file predict
        it for the same people. This needs scikit-learn (the extra ``predict``).
    utility
        The utility that the file maximizes: "information", as above; "columns", ``Σ_cells H(view) / H(finest view)``,
        the sum of the shares of each column's own entropy that are kept (a column that follows from another one, nearly
        or in full, adds nothing); "entropy", ``Σ_cells log2(n / n_cell)`` where ``n_cell`` of all n people have the
        same value as a cell; "precision", ``Σ_cells 1 − level/levels`` by the level of each column's generalization; or
        "discernibility", the number of ordered pairs of people whom the file distinguishes.
    person
        The column that names the persons, each with one row; it does not go out. "none" if every row is a person of its
        own, also if a column looks like the name of a person.
    header, delimiter, encoding
        The form of a CSV file, as for `discretion.Population`.
    ledger
        A file with the earlier publications about the same people. The release is written only if it keeps to its
        budget together with these, and it is then entered in the ledger. With ``person``, a copy of the rows with their
        persons is kept in the ledger's folder.
    seconds
        The time limit of the search; by default it ends after a number of steps, with the same file on every machine.
    progress
        A function that is called with the name of each step.
    memory
        The memory limit of the engine, as for `discretion.Population`.

    Returns
    -------
    Release
        The verdict on each column, and the numbers of the file.

    Raises
    ------
    InvalidTableError, UnknownColumnError
        If the table cannot be read, or lacks a column.
    MissedGoalError
        If no file keeps to the goal, or the one that was written misses it: no file is left then.

    Notes
    -----
    The exposure is that of the file's people among themselves. Each equivalence class is counted by Discretion's
    search, and again by the engine when the file is read back. Source: see :func:`most_useful_release`.

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
    """Write a table by these options, as `release` does, and compute the measures on request that gates name.

    With ``is_new`` an existing file is not replaced.
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
        candidates, seconds, lambda count: report(f"the most useful release: {count} columns so far"), to_proof=True
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
        checked, numbers = checked_table(
            written, order, secret, candidates.goal, values, written=Population(written), l=candidates.options.l
        )
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
    """Return the options of a plan, which excludes all other options; or these options, without a plan."""
    if plan is None:
        return options
    if others := options.arguments():
        raise InvalidValueError(f"a plan sets all options of a release; leave out the plan or {', '.join(others)}")
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
            f"the column {printable(name)} has lists or other nested values, so it cannot name persons in a ledger"
        )
    column, values = coded[name]
    return values.take(column.codes)


def _refuse_repeats(key: ColumnKind) -> None:
    """Raise an error that asks for the person, if a column repeats like the name of a person."""
    name = printable(key.column)
    raise InvalidValueError(
        f"the column {name} has {key.reason}, and a release needs a table with one row per person: if {name} names "
        "the person of a row, first make a table with one row per person; if every row is a person of its own, use "
        f"--person {NO_PERSON} (person=)"
    )


def _with_one_row_each(people: Population) -> Population:
    """Return people with one row each, without the column that names them, or raise an error for several rows."""
    if people.person is None:
        return people
    if people.rows > people.people:
        raise UnsupportedError(
            f"a release needs a table with one row per person, and by {printable(people.person)} {people.people:,} "
            f"people have {people.rows:,} rows: first make a table with one row per person"
        )
    return without_person(people)
