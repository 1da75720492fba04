"""The redaction rules of a release: reading, checking against the table, and following them row by row."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from discretion.anonymity import Population, RedactionRule
from discretion.anonymity.choosing.redaction import rules_of_people
from discretion.anonymity.releasing.generalizations import REDACTED, RULED, toss_coins
from discretion.errors import InvalidValueError
from discretion.escaping import printable
from discretion.jobs.options.tables import ReleaseOptions
from discretion.numerics.arrays import Booleans
from discretion.numerics.equivalence_classes import Column
from discretion.spelling.rules import rule_of
from discretion.tables.counting.redacted_answers import rows_named

Rules = Sequence[RedactionRule]


@dataclass(frozen=True, eq=False)
class Redaction:
    """The people who may go out with a blank cell in a column.

    Parameters
    ----------
    rules
        The rules for the column.
    how
        The description of the redaction, in a few words.
    needed
        For each rule, the people that it requires to redact the column.
    decoys
        The people who redact it at random, without a rule that requires it.
    about
        The column and those in the conditions of rules → the code of each person's value in the table.
    """

    rules: Rules
    how: str
    needed: Sequence[Booleans]
    decoys: Booleans
    about: Mapping[str, Column]

    @property
    def redacted(self) -> Booleans:
        """The people who redact the column."""
        return np.logical_or.reduce([*self.needed, self.decoys])


def rules_to_follow(
    people: Population, options: ReleaseOptions, known: Sequence[str], reasons: Mapping[str, str]
) -> dict[str, list[RedactionRule]]:
    """Return the rules of a release for each column.

    Parameters
    ----------
    people
        The people of the table.
    options
        The options, with columns as the table spells them.
    known
        The columns that may go out and that are not sensitive.
    reasons
        A column that cannot go out → the reason.

    Raises
    ------
    InvalidValueError
        If a line is no rule, a rule names a column or value that the table does not have or redacts a column that does
        not go out, or the rules cannot be followed together.
    """
    result = rules_of_people(map(rule_of, options.rules), people)
    for name in result:
        if name in options.redact:
            raise InvalidValueError(
                f"the column {printable(name)} has a rule and is also named by redact, which makes its own rule; "
                "leave one of them out"
            )
        if name not in known:
            why = reasons.get(name, "it is sensitive, and so goes out unchanged or not at all")
            raise InvalidValueError(
                f"the rule for {printable(name)} cannot be followed ({why}); leave it out, or let the column go out"
            )
    return result


def follow_rules(
    people: Population,
    rules: Mapping[str, Rules],
    codes: Mapping[str, Column],
    never: Booleans,
    automatic: Container[str] = (),
) -> dict[str, Redaction]:
    """Return, for each column with rules, the people who redact it, among those who may go out.

    Parameters
    ----------
    people
        The people of the table.
    rules
        A column → its rules.
    codes
        Each column that a rule names → the code of each row.
    never
        The people who never go out.
    automatic
        The columns whose rules are not the user's: their rare values are counted among the people who may go out.
    """
    return {
        column: _redaction(people, column, its, codes, ~never, is_automatic=column in automatic)
        for column, its in rules.items()
    }


def _redaction(
    people: Population, column: str, rules: Rules, codes: Mapping[str, Column], left: Booleans, *, is_automatic: bool
) -> Redaction:
    own, names = codes[column], dict.fromkeys([column, *(name for rule in rules for name in rule.when)])
    sizes = np.bincount(own.codes[left] if is_automatic else own.codes, minlength=own.count)
    holders = sizes[own.codes]
    named = people.read_rows(lambda rows, _: rows_named(rows, column, [rule.match for rule in rules]))
    assert named is not None  # where the codes come from there are rows
    everybody = people.people + 1  # no value has so many
    needed = [
        (rows & (holders < min(rule.rarer_than or everybody, everybody)))[left]
        for rule, rows in zip(rules, named, strict=True)
    ]
    return Redaction(
        rules=tuple(rules),
        how=REDACTED if is_automatic else RULED,
        needed=needed,
        decoys=toss_coins(int(left.sum()), rules[0].decoys) & ~np.logical_or.reduce(needed),
        about={name: Column(codes[name].codes[left], codes[name].count) for name in names},
    )
