"""A file of people counted as it stands, all its columns together, and held to a policy."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from discretion.anonymity import Population, wildcard_groups
from discretion.errors import InvalidValueError, UnknownColumnError, one_of
from discretion.input_files import without_password
from discretion.jobs.check.policy import Policy
from discretion.jobs.check.result import ColumnsRule, MissingRule, NumberRule, PolicyCheck, PolicyChecks
from discretion.jobs.gates import Gate, Number, judged, numbers_in
from discretion.jobs.persons import open_people
from discretion.jobs.table_measures import OF_TABLE_ALONE, OF_WILDCARDS, sensitive_measures
from discretion.jobs.table_numbers import EngineCounts, TableNumbers, hidden_by_sensitive
from discretion.presenting.names import listed, table_name

# A column with more values than this share of the people names them.
_NAMING = 0.5


def check(
    table: Any,
    policy: Policy,
    gates: Sequence[Gate] = (),
    *,
    person: str | None = None,
    memory: int | str | None = None,
) -> PolicyCheck:
    r"""Return whether a file of people keeps to a policy.

    Parameters
    ----------
    table
        Anything that `discretion.Population` takes.
    policy
        What it may give away.
    gates
        What must not be beside it.
    person
        The column that names a person with several rows, or "none" if every row is a person of its own; what the policy
        has by default.
    memory
        As for `discretion.Population`.

    Raises
    ------
    InvalidTableError, UnknownColumnError
        If the table cannot be read as it stands, or lacks the person's column.

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
            f"the policy has person = {policy.person!r}, and person is {person!r}; leave one of them"
        )
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
    name = table_name(table)
    verdicts = judged(gates, numbers, missing={measure: why[each] for measure, each in missing.items()}, of=name)
    return PolicyCheck(
        table=name,
        policy=policy.path,
        people=people.people,
        columns=columns,
        rules=tuple(rules),
        gates=verdicts,
        notes=tuple(_notes(people, present, quantities, [*(gate for _, gate in policy.gates), *gates])),
    )


def check_files(
    files: Iterable[str], policy: Policy, gates: Sequence[Gate], *, person: str | None, memory: int | str | None
) -> PolicyChecks:
    """Return whether each of several files keeps to a policy."""
    checks: list[PolicyCheck] = []
    for file in dict.fromkeys(files):
        name = without_password(file)
        try:
            checks.append(check(file, policy, gates, person=person, memory=memory))
        except InvalidValueError as error:
            if name in str(error):
                raise
            raise InvalidValueError(f"{name!r}: {error}") from None
    return PolicyChecks(tuple(checks))


def _notes(
    people: Population, sensitive: tuple[str, ...], numbers: Mapping[str, Number], gates: Sequence[Gate]
) -> Iterator[str]:
    """Yield what was not checked, and what the gates that hold rest on: what the adversary is taken not to know."""
    for part in people.left_out:
        yield f"not checked: {part}"
    if people.person is not None:
        yield (
            f"{listed((people.person,))} is in the file and in no number: an adversary who knows it finds the person; "
            "publish the file without it"
        )
    for name in sensitive:
        values = people.class_sizes([name]).classes
        if values > _NAMING * people.people:
            yield (
                f"{listed((name,))} is sensitive, so the adversary is taken not to know it; its {values:,} values of "
                f"{people.people:,} people mostly name their person to an adversary who does"
            )
    if (hidden := hidden_by_sensitive(gates, numbers, sensitive)) is not None:
        yield hidden


def _of_columns(people: Population, policy: Policy) -> Iterator[ColumnsRule | NumberRule]:
    """Yield the rules on the file's columns, its person's among them, and on those that describe a person."""
    columns = people.columns
    if policy.columns is not None:
        whole = columns if people.person is None else (people.person, *columns)
        yield ColumnsRule(policy.lines["columns"], "columns", policy.columns, _beyond(whole, policy.columns))
    if policy.together is not None:
        nearest = min(policy.together, key=lambda allowed: len(_beyond(columns, allowed)))
        yield ColumnsRule(policy.lines["together"], "together", nearest, _beyond(columns, nearest))


def _beyond(columns: tuple[str, ...], allowed: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(column for column in columns if column not in allowed)
