"""The check job: count a file of people, all its columns together, and hold it to a policy."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from discretion.anonymity import (
    DerivedCount,
    JointExposure,
    Ledger,
    Population,
    derived_counts,
    joint_exposure,
    read_count_table,
    read_ledger,
    wildcard_groups,
)
from discretion.errors import InvalidValueError, UnknownColumnError, UnsupportedError, one_of
from discretion.input_files import without_password
from discretion.jobs.check.policy import Policy
from discretion.jobs.check.result import ColumnsRule, MissingRule, NumberRule, PolicyCheck, PolicyChecks
from discretion.jobs.gates import Gate, Number, judged, numbers_in
from discretion.jobs.persons import open_people
from discretion.jobs.table_measures import OF_TABLE_ALONE, OF_WILDCARDS, sensitive_measures
from discretion.jobs.table_numbers import EngineCounts, TableNumbers, hidden_by_sensitive
from discretion.presenting.names import listed, table_name
from discretion.presenting.numbers import people as said

# A column with more values than this share of the people names them.
_NAMING = 0.5
# The remedy if a bound on the joint exposure leaves a rule open.
_SETTLED = "a person column, in the file and in each table of the ledger: people are followed by it, and counted"


def check(
    table: Any,
    policy: Policy,
    gates: Sequence[Gate] = (),
    *,
    person: str | None = None,
    ledger: str | Path | Ledger | None = None,
    memory: int | str | None = None,
) -> PolicyCheck:
    r"""Check whether a file of people keeps to a policy.

    Parameters
    ----------
    table
        Any table that `discretion.Population` takes.
    policy
        The policy.
    gates
        Further gates on the file.
    person
        The column that names a person with several rows, or "none" if every row is a person of its own; by default, the
        one of the policy.
    ledger
        The earlier publications about the same people, or the file that lists them; by default, those of the policy.
    memory
        The memory limit of the engine, as for `discretion.Population`.

    Raises
    ------
    InvalidTableError, UnknownColumnError
        If the table cannot be read, or lacks the person's column.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from discretion.jobs.check import read_policy
    >>> path = pathlib.Path(tempfile.mkdtemp(), "discretion.toml")
    >>> _ = path.write_text('columns = ["age", "sex"]\nk = 2')
    >>> print(check("example:adult", read_policy(path)).rules[1])
    FAILED line 2, k: k_anonymity 1 < 2
    """
    if None not in (person, policy.person) and person != policy.person:
        raise InvalidValueError(
            f"the policy has person = {policy.person!r}, but person is {person!r}; leave one of them out"
        )
    published = _ledger(policy, ledger)
    if policy.counts is not None:
        return _check_counts(table, policy, gates, published)
    people = open_people(table, None, person or policy.person, policy.form, memory=memory)
    if people.person is not None and people.person in policy.sensitive:
        raise InvalidValueError(f"the column {people.person!r} names the persons, so it cannot be sensitive")
    columns = people.columns
    present = tuple(name for name in policy.sensitive if name in columns)
    quantities = TableNumbers(EngineCounts(people), columns, present, k=policy.k, l=policy.l)
    why = {name: str(UnknownColumnError(name, columns)) for name in policy.sensitive if name not in present}
    missing = {measure: name for name in why for measure in sensitive_measures(name, OF_TABLE_ALONE)}
    measures = dict.fromkeys(gate.measure for gate in [*(gate for _, gate in policy.gates), *gates])
    wild: dict[str, Number] = {}
    if any(measure in OF_WILDCARDS for measure in measures):
        known = [name for name in columns if name not in present]
        wild = numbers_in(wildcard_groups(people, policy.wildcards, known, policy.k).to_dict())
    numbers: dict[str, Number | None] = wild | {
        measure: None if measure in missing else quantities[one_of(measure, quantities, "measure here called")]
        for measure in measures
        if measure not in wild
    }
    rules: list[ColumnsRule | NumberRule | MissingRule] = [*_of_columns(people, policy)]
    for rule, gate in policy.gates:
        line = policy.lines[rule]
        if gate.measure in missing:
            name = missing[gate.measure]
            rules.append(MissingRule(line, rule, name, why[name], policy.missing))
        else:
            rules.append(NumberRule(line, rule, *judged([gate], numbers)))
    together = None
    if published is not None:
        together = joint_exposure(people, published, policy.k, sensitive=policy.sensitive)
        rules.extend(_of_ledger(together, policy))
    name = table_name(table)
    verdicts = judged(gates, numbers, missing={measure: why[each] for measure, each in missing.items()}, of=name)
    return PolicyCheck(
        table=name,
        policy=policy.path,
        people=people.people,
        columns=columns,
        rules=tuple(rules),
        gates=verdicts,
        notes=(
            *_notes(people, present, quantities, [*(gate for _, gate in policy.gates), *gates]),
            *(() if together is None else _ledger_notes(together)),
        ),
    )


def check_files(
    files: Iterable[str],
    policy: Policy,
    gates: Sequence[Gate],
    *,
    person: str | None,
    ledger: str | None,
    memory: int | str | None,
) -> PolicyChecks:
    """Check whether each of several files keeps to a policy."""
    published = _ledger(policy, ledger)
    checks: list[PolicyCheck] = []
    for file in dict.fromkeys(files):
        name = without_password(file)
        try:
            checks.append(check(file, policy, gates, person=person, ledger=published, memory=memory))
        except InvalidValueError as error:
            if name in str(error):
                raise
            raise InvalidValueError(f"{name!r}: {error}") from None
    return PolicyChecks(tuple(checks))


def _ledger(policy: Policy, ledger: str | Path | Ledger | None) -> Ledger | None:
    """Return the ledger, given by the caller or by the policy."""
    if isinstance(ledger, Ledger):
        return ledger
    if ledger is not None and policy.ledger is not None and Path(ledger).resolve() != Path(policy.ledger).resolve():
        raise InvalidValueError(
            f"the policy has ledger = {policy.ledger!r}, but ledger is {str(ledger)!r}; leave one of them out"
        )
    path = policy.ledger if ledger is None else ledger
    return None if path is None else read_ledger(path)


def _of_ledger(together: JointExposure, policy: Policy) -> Iterator[NumberRule]:
    """Yield the rules on the exposure of a file together with all earlier publications."""
    budget = next((gate.limit for rule, gate in policy.gates if rule == "budget"), Fraction(0))
    exposed, nobody = together.exposed_people, Fraction(0)
    gates = [Gate("joint_exposure", ">", budget), Gate("joint_left", ">", budget), Gate("joint_found", ">", nobody)]
    numbers: dict[str, Number | None] = {
        "joint_exposure": Fraction(exposed, together.people) if isinstance(exposed, int) else together.exposure,
        "joint_left": Fraction(together.left, together.people),
        "joint_found": sum(together.found.values()),
    }
    line = policy.lines.get("ledger")
    yield from (NumberRule(line, "ledger", verdict) for verdict in judged(gates, numbers, _SETTLED))


def _ledger_notes(together: JointExposure) -> Iterator[str]:
    """Yield notes on the people exposed by the file alone, those in earlier tables, and those found by a difference."""
    if isinstance(together.exposed_people, int):
        found = f"by itself the file exposes {said(together.alone)}, and together with the ledger "
        if together.exposed_people:
            exposed = said(together.exposed_people)
            yield f"{found}{exposed}: fewer than {together.k} are in the same tables with the same values"
        else:
            yield f"{found}nobody: for each person, at least {together.k} are in the same tables with the same values"
    for name, both in together.in_both.items():
        yield f"{name} has {both:,} of the {said(together.people)} in the file"
    if together.left:
        yield f"people of earlier tables who stand out because they are not in the file: {together.left:,}"
    for name, found in together.found.items():
        if found:
            yield f"the difference with {name} singles out {said(found)} who came or went"


def _check_counts(table: Any, policy: Policy, gates: Sequence[Gate], ledger: Ledger | None) -> PolicyCheck:
    """Check whether a table of counts keeps to a policy: it has no small count, and none follows from it."""
    form, name = policy.counts, table_name(table)
    assert form is not None
    if gates:
        raise InvalidValueError("a table of counts has no measures; leave out --fail-over")
    if not isinstance(table, str | Path):
        raise UnsupportedError(f"a table of counts must be a CSV file, got {type(table).__name__}; save it as CSV")
    counts = read_count_table(table, form.column, k=policy.k, where=form.where, complete=form.complete)
    shown = [count for count in counts.counts.values() if count]
    smallest: dict[str, Number | None] = {"smallest_count": min(shown, default=policy.k)}
    rules = [*_rules_of_columns((form.column, *counts.columns), counts.columns, policy)]
    for key, gate in policy.gates:
        small = judged([replace(gate, measure="smallest_count")], smallest)
        rules.extend(NumberRule(policy.lines[key], key, verdict) for verdict in small)
    notes: list[str] = []
    if ledger is not None:
        before = {_cell(count) for count in derived_counts(ledger.counts, policy.k)}
        derived = [count for count in derived_counts([*ledger.counts, counts], policy.k) if _cell(count) not in before]
        gate = Gate("derived_counts", ">", Fraction(0))
        line = policy.lines.get("ledger")
        rules.extend(NumberRule(line, "ledger", each) for each in judged([gate], {"derived_counts": len(derived)}))
        by = {(tuple(sorted({*count.values, *count.besides})), count.tables) for count in derived}
        notes = [
            f"a count by {listed(columns) or 'no column'} of fewer than {policy.k} people follows from "
            f"{' and '.join(tables)}"
            for columns, tables in sorted(by)
        ]
    return PolicyCheck(name, policy.path, sum(shown), counts.columns, tuple(rules), (), tuple(notes))


def _cell(count: DerivedCount) -> tuple[Any, ...]:
    return frozenset(count.values.items()), frozenset(count.besides), count.low, count.high


def _notes(
    people: Population, sensitive: tuple[str, ...], numbers: Mapping[str, Number], gates: Sequence[Gate]
) -> Iterator[str]:
    """Yield notes on parts that were not checked, and on assumptions about the adversary's knowledge."""
    for part in people.left_out:
        yield f"not checked: {part}"
    if people.person is not None:
        yield (
            f"{listed((people.person,))} is in the file, but the numbers do not count it: an adversary that knows it "
            "finds the person; publish the file without it"
        )
    for name in sensitive:
        values = people.class_sizes([name]).classes
        if values > _NAMING * people.people:
            yield (
                f"{listed((name,))} is sensitive, so the adversary is assumed not to know it; its {values:,} values "
                f"of {people.people:,} people mostly identify their person to an adversary that does"
            )
    if (hidden := hidden_by_sensitive(gates, numbers, sensitive)) is not None:
        yield hidden


def _of_columns(people: Population, policy: Policy) -> Iterator[ColumnsRule | NumberRule]:
    """Yield the rules on the file's columns, with the person's column, and on those that describe a person."""
    columns = people.columns
    yield from _rules_of_columns(columns if people.person is None else (people.person, *columns), columns, policy)


def _rules_of_columns(
    whole: tuple[str, ...], columns: tuple[str, ...], policy: Policy
) -> Iterator[ColumnsRule | NumberRule]:
    """Yield the rules on a file's columns, and on those of them that describe people."""
    if policy.columns is not None:
        yield ColumnsRule(policy.lines["columns"], "columns", policy.columns, _beyond(whole, policy.columns))
    if policy.together is not None:
        nearest = min(policy.together, key=lambda allowed: len(_beyond(columns, allowed)))
        yield ColumnsRule(policy.lines["together"], "together", nearest, _beyond(columns, nearest))


def _beyond(columns: tuple[str, ...], allowed: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(column for column in columns if column not in allowed)
