"""A file of people counted as it stands, all its columns together, and held to a policy."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Any

from tacit.anonymity import (
    Population,
    inference,
    k_anonymity,
    l_diversity,
    reidentification_risks,
    t_closeness,
)
from tacit.input_files import without_password
from tacit.jobs.check.policy import Policy
from tacit.jobs.check.result import AbsentRule, Checked, ColumnsRule, NumberRule
from tacit.jobs.gates import Gate, Number, judged
from tacit.jobs.table_measures import OF_SENSITIVE, RISKS
from tacit.spelling import one_of


def check(table: Any, policy: Policy, gates: Sequence[Gate] = (), *, memory: int | str | None = None) -> Checked:
    r"""Return whether a file of people keeps to a policy.

    Parameters
    ----------
    table
        Anything that `tacit.Population` takes.
    policy
        What it may give away.
    gates
        What must not be beside it.
    memory
        As for `tacit.Population`.

    Raises
    ------
    InvalidTableError, UnknownColumnError
        If the table cannot be read as it stands, or lacks the person's column.
    InvalidValueError
        If a gate is of a measure that there is not.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from tacit.jobs.check import read_policy
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tacit.toml")
    >>> _ = path.write_text('columns = ["age", "sex"]\nk = 2')
    >>> print(check("example:adult", read_policy(path)).rules[1])
    FAILED line 2, k: k_anonymity 1 < 2
    """
    people = Population(table, None, policy.person, policy.header, memory=memory)
    quantities = _quantities(people, policy)
    absent = {
        f"{measure}:{name}": name for name in policy.sensitive if name not in people.columns for measure in OF_SENSITIVE
    }
    asked = dict.fromkeys(gate.measure for gate in [*(gate for _, gate in policy.gates), *gates])
    numbers = {
        measure: quantities[one_of(measure, quantities, "measure here called")]()
        for measure in asked if measure not in absent
    }  # fmt: skip
    rules: list[ColumnsRule | NumberRule | AbsentRule] = [*_of_columns(people, policy)]
    for rule, gate in policy.gates:
        line = policy.lines[rule]
        if gate.measure in absent:
            rules.append(AbsentRule(line, rule, absent[gate.measure]))
        else:
            rules.append(NumberRule(line, rule, *judged([gate], numbers)))
    name = without_password(str(table))
    return Checked(
        table=name,
        people=people.people,
        columns=people.columns,
        rules=tuple(rules),
        gates=judged(
            gates,
            numbers | dict.fromkeys(absent),
            missing={m: f"the file has no {c}" for m, c in absent.items()},
            of=name,
        ),
    )


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


def _quantities(people: Population, policy: Policy) -> dict[str, Callable[[], Number]]:
    """Return the measures of all columns but the sensitive ones, each to be worked out when it is asked for.

    Who looks for a person knows nothing that is sensitive of her: that is what is to be kept from him.
    """
    share = partial(_share, people.people)
    known = tuple(column for column in people.columns if column not in policy.sensitive)
    risks = cache(lambda: {risk.name: risk.value for risk in reidentification_risks(people, known, k=policy.k)})
    quantities: dict[str, Callable[[], Number]] = {
        "exposure": lambda: Fraction(people.class_sizes(known).exposed(k=policy.k), people.people),
        "k_anonymity": lambda: k_anonymity(people, known),
    }
    quantities |= {measure: lambda name=name: risks()[name] for name, measure in RISKS.items()}
    for secret in (name for name in policy.sensitive if name in people.columns):
        others = tuple(column for column in people.columns if column != secret)
        guessed = cache(partial(inference, people, others, secret))
        quantities |= {
            f"guess:{secret}": lambda guessed=guessed: share(guessed().posterior),
            f"guess_rise:{secret}": lambda guessed=guessed: share(guessed().additive_leakage),
            f"certain:{secret}": lambda guessed=guessed: share(guessed().certain),
            f"l_diversity:{secret}": partial(l_diversity, people, others, secret),
            f"t_closeness:{secret}": partial(t_closeness, people, others, secret),
        }
    return quantities


def _share(people: int, share: float) -> Fraction:
    """Return the share of so many people that a double is the nearest to."""
    return Fraction(round(share * people), people)
