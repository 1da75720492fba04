"""The candidates of a release: the columns of a table that may go out, each with its generalizations."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from discretion.anonymity import ColumnKind, Population, column_kinds, redaction_rules
from discretion.anonymity.choosing.problem import check_kept_or_dropped
from discretion.anonymity.people.column_kinds import NAMING
from discretion.anonymity.people.hierarchies import Hierarchy, read_hierarchies
from discretion.anonymity.releasing.column_values import DATE_ORDERS, Reading
from discretion.anonymity.releasing.generalizations import (
    AS_IT_IS,
    Generalization,
    generalizations_of,
    identity_generalization,
    redact_column,
)
from discretion.anonymity.releasing.goal import ReleaseGoal
from discretion.anonymity.releasing.hierarchies import generalizations_by
from discretion.errors import InvalidValueError, MissedGoalError, UnsupportedError
from discretion.escaping import printable
from discretion.jobs.options.tables import FileOptions, ReleaseOptions
from discretion.jobs.release.goal import release_goal, with_distributions
from discretion.jobs.release.redaction import Redaction, follow_rules, rules_to_follow
from discretion.numerics.arrays import Booleans
from discretion.numerics.equivalence_classes import Column
from discretion.presenting.names import briefly
from discretion.tables.counting.codes import column_values


class NothingWithinGoalError(MissedGoalError):
    """No file is within the goal, with any choice of generalizations."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """The columns and generalizations that a release of a table chooses from, and its goal.

    Parameters
    ----------
    people
        The people of the table, with one row each.
    options
        The options, with columns as the table spells them and shares as plain numbers.
    kinds
        The kinds of the columns that were examined.
    goal
        The goal of the release.
    generalizations
        Each column that may go out and that is not sensitive → its generalizations, the finest first.
    secrets
        Each sensitive column → the codes of the rows that may go out.
    chosen
        Each of these columns that the user named in ``publish`` → its generalization; empty if the search chooses.
    keep
        The columns that always go out.
    values
        The unchanged values of each column, as an Arrow array.
    reasons
        A column that cannot go out → the reason.
    suppressed
        The number of people who never go out, since they have a rare value of a sensitive column that goes out.
    max_suppressed
        The number of other people who may be left out.
    hierarchies
        The columns that are generalized by a hierarchy from a file.
    redactions
        The columns with cells that rules leave blank → the redaction.
    left
        Whether each row of the table may be published.
    """

    people: Population
    options: ReleaseOptions
    kinds: Mapping[str, ColumnKind]
    goal: ReleaseGoal
    generalizations: Mapping[str, Sequence[Generalization]]
    secrets: Mapping[str, Column]
    chosen: Mapping[str, Generalization]
    keep: Sequence[str]
    values: Mapping[str, Any]
    reasons: Mapping[str, str]
    suppressed: int
    max_suppressed: int
    hierarchies: Sequence[str]
    redactions: Mapping[str, Redaction]
    left: Booleans

    @property
    def guarded(self) -> list[str]:
        """The sensitive columns that go out, unchanged."""
        return [name for name in self.secrets if name in self.keep]


def candidates_of(
    people: Population,
    options: ReleaseOptions,
    progress: Callable[[str], None] = lambda _: None,
    kinds: Mapping[str, ColumnKind] | None = None,
) -> Candidates:
    """Return the candidates of a release of people with one row each.

    Kinds that are given are not looked up again.

    Raises
    ------
    InvalidValueError
        If the options name columns or values that the table does not have, or contradict each other.
    UnsupportedError
        If the rows are not in this process, or are too many for it.
    """
    options = _as_spelled(people, options)
    secret, hidden = options.sensitive, options.redact
    published = named_views("publish", people.columns, options.publish)
    kept = tuple(dict.fromkeys([*options.keep, *published]))
    guarded = [name for name in secret if name in kept]
    goal, max_suppressed, options = release_goal(people.people, guarded, options)
    kinds = {} if kinds is None else {**kinds}
    known, reasons = _known(people, options, kept, published, kinds)
    if not_known := next((name for name in hidden if name not in known), None):
        raise InvalidValueError(
            f"the column {not_known!r} cannot be redacted, since it does not go out; keep it, or leave it out of redact"
        )
    rules = rules_to_follow(people, options, known, reasons)
    rules |= {rule.column: [rule] for rule in redaction_rules(people, goal.k, hidden)}
    asked_about = (name for rule in chain.from_iterable(rules.values()) for name in rule.when)
    read = [*dict.fromkeys([*known, *secret, *asked_about])]
    progress("the generalizations of each column")
    coded = people.read_rows(lambda rows, length: column_values(rows, read, length))
    if coded is None:
        raise UnsupportedError(
            "no release can be made of this table: its rows are not in this process, there are too many of them, or a "
            "column has lists or other nested values; pass the rows themselves, pass fewer columns, or drop such a "
            "column"
        )
    hierarchies = {} if options.hierarchies is None else read_hierarchies(options.hierarchies, [*known, *guarded])
    never = rare_rows({name: coded[name][0] for name in guarded}, goal.k, people.people)
    if (rare := int(never.sum())) > max_suppressed:
        rarest = [name for name in guarded if rare_rows({name: coded[name][0]}, goal.k, people.people).any()]
        raise NothingWithinGoalError(
            f"{rare:,} people have a value of {' or '.join(rarest)} that fewer than {goal.k} people have, and no such "
            f"value is published; max_suppressed allows {max_suppressed:,} people to be left out: raise it, put the "
            f"values into ranges before, or do not keep {rarest[0] if len(rarest) == 1 else 'these columns'}"
        )
    codes = {
        name: Column(column.codes[~never], column.count) if rare else column for name, (column, _) in coded.items()
    }
    goal = with_distributions(goal, coded, codes, hierarchies, options)
    values = {name: labels for name, (_, labels) in coded.items()}
    given = {name: identity_generalization(codes[name], values[name].to_pylist()) for name in known}
    all_codes = {name: column for name, (column, _) in coded.items()}
    redactions = follow_rules(people, rules, all_codes, never, automatic=hidden)
    generalizations = generalizations_by_options(given, options, goal.k, hierarchies, redactions)
    return Candidates(
        people=people,
        options=options,
        kinds=kinds,
        goal=goal,
        generalizations=generalizations,
        secrets={name: codes[name] for name in secret},
        chosen={name: _named(name, how, generalizations[name]) for name, how in published.items() if name in known},
        keep=kept,
        values=values,
        reasons=reasons,
        suppressed=rare,
        max_suppressed=max_suppressed - rare,
        hierarchies=sorted(hierarchies),
        redactions=redactions,
        left=~never,
    )


def check_rules(people: Population, options: ReleaseOptions, kinds: Mapping[str, ColumnKind]) -> None:
    """Raise an error for redaction rules that a release of these people could not follow."""
    options = _as_spelled(people, options)
    known, reasons = _known(people, options, options.keep, {}, {**kinds})
    rules_to_follow(people, options, known, reasons)


def _as_spelled(people: Population, options: ReleaseOptions) -> ReleaseOptions:
    """Return options in which columns are spelled as the table spells them."""
    named = {name: people.known(getattr(options, name)) for name in ("keep", "drop", "sensitive", "redact")}
    return replace(options, **named)


def named_views(option: str, columns: Sequence[str], items: Iterable[str], alone: str = AS_IT_IS) -> dict[str, str]:
    """Return the columns that an option names, each with its generalization, as in ``age=in steps of 10``.

    A column without a generalization gets ``alone``.
    """
    result: dict[str, str] = {}
    for item in items:
        splits = [(item, alone), *((item[:i], item[i + 1 :]) for i, each in enumerate(item) if each == "=")]
        named = [(name, how) for name, how in splits if name in columns]
        if not named:
            raise InvalidValueError(
                f"{option} takes columns of the table, such as sex or age=GENERALIZATION, got {printable(item)}; the "
                f"table has {briefly(tuple(columns))}"
            )
        name, how = max(named, key=lambda each: len(each[0]))
        if result.setdefault(name, how) != how:
            raise InvalidValueError(f"{option} has the column {printable(name)} twice; name it once")
    return result


def _bins(columns: Sequence[str], bins: Iterable[str]) -> dict[str, list[float]]:
    """Return the columns named in ``bins``, each with the numbers at which its ranges begin, as in ``age=0,18,65``."""
    result: dict[str, list[float]] = {}
    name = ""
    for part in (part for item in bins for part in _parts(item, columns)):
        column, equals, number = part.rpartition("=")
        name = column.strip() if equals else name
        if name not in columns:
            raise InvalidValueError(
                f"bins takes columns that may go out, such as age=0,18,65, got {printable(part)}; these columns are "
                f"{briefly(tuple(columns))}"
            )
        try:
            edge = float(number)
        except ValueError:
            edge = math.nan
        if not math.isfinite(edge):
            raise InvalidValueError(
                f"bins of the column {printable(name)} must be numbers, such as age=0,18,65, got {printable(part)}"
            )
        result.setdefault(name, []).append(edge)
    return result


def _parts(item: str, columns: Sequence[str]) -> list[str]:
    """Return the parts of an item between commas, except commas in a column's name."""
    name = max((name for name in columns if item.startswith(f"{name}=")), key=len, default="")
    first, *others = item.removeprefix(f"{name}=" if name else "").split(",")
    return [f"{name}={first}" if name else first, *others]


def _named(column: str, how: str, generalizations: Sequence[Generalization]) -> Generalization:
    """Return the generalization of a column with this description."""
    choices = {each.how: each for each in generalizations}
    check_generalization(column, how, choices)
    return choices[how]


def check_generalization(column: str, how: str, choices: Collection[str]) -> None:
    """Raise an error unless a description is one of a column's generalizations."""
    if how not in choices:
        raise InvalidValueError(
            f"the column {printable(column)} has no generalization {how!r}; it has {', '.join(map(repr, choices))}"
        )


def rare_rows(secrets: Mapping[str, Column], k: int, people: int) -> Booleans:
    """Return the rows to leave out so that every value left in these columns is held by at least k people."""
    left = np.ones(people, bool)
    while True:
        few = np.zeros(people, bool)
        for column in secrets.values():
            few |= (column.sizes(left) < k)[column.codes] & left
        if not few.any():
            return ~left
        left &= ~few


def _known(
    people: Population,
    options: ReleaseOptions,
    kept: Sequence[str],
    published: Mapping[str, str],
    kinds: dict[str, ColumnKind],
) -> tuple[list[str], dict[str, str]]:
    """Return the columns that may go out and are not sensitive; and the reason for each other column.

    The kinds that are looked up are added to ``kinds``.
    """
    dropped, secret = options.drop, options.sensitive
    check_kept_or_dropped(kept, dropped)
    chosen = [*published] if published else list(dict.fromkeys([*people.known(options.columns), *kept]))
    why = "not in the plan" if published else "not among the columns"
    reasons = {name: why for name in people.columns if name not in chosen}
    reasons |= {name: "sensitive: goes out only if kept" for name in secret if name not in kept}
    reasons |= dict.fromkeys(dropped, "by --drop")
    open_to = [name for name in chosen if name not in (*reasons, *kept)]
    if unknown := [name for name in open_to if name not in kinds]:
        kinds.update({kind.column: kind for kind in column_kinds(people, unknown)})
    for name in open_to:
        kind = kinds[name]
        if kind.kind in NAMING:
            reasons[name] = f"{kind.kind}: {kind.reason}"
        elif kind.kind == "weight" and options.columns is None and not published:
            reasons[name] = "weight: goes out only if kept"
    return [name for name in chosen if name not in reasons and name not in secret], reasons


def generalizations_by_options(
    given: Mapping[str, Generalization],
    options: FileOptions,
    k: int,
    coarsenings: Mapping[str, Hierarchy],
    redactions: Mapping[str, Redaction],
) -> dict[str, Sequence[Generalization]]:
    """Return the generalizations of each column, by its hierarchy if it has one, after its rules are applied."""
    if options.dates not in (None, *DATE_ORDERS):
        raise InvalidValueError(f"dates must be one of {', '.join(DATE_ORDERS)}, got {options.dates!r}")
    bins = _bins([*given], options.bins)
    if both := bins.keys() & coarsenings.keys():
        raise InvalidValueError(f"{printable(min(both))} has both bins and a hierarchy; leave one of them out")
    readings = {name: Reading(options.dates, options.missing, bins.get(name, ())) for name in given}
    first = {
        name: redact_column(view, redactions[name].redacted, redactions[name].how) if name in redactions else view
        for name, view in given.items()
    }
    return {
        name: generalizations_by(coarsenings[name], name, view)
        if name in coarsenings
        else generalizations_of(view, k, name, readings[name])
        for name, view in first.items()
    }


def none_left(reasons: Mapping[str, str]) -> str:
    """Return the message that no column may go out, with a reason."""
    name, why = next(iter(reasons.items()))
    return f"no column is left to go out ({name!r}: {why}); keep one, or drop fewer"
