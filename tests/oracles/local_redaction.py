"""People who redact their rare values themselves, on lists of tuples: slow, obvious, exact."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from oracles.tables import Row, exposure_below

REDACTED = "⊥"  # no value of the tests


@dataclass(frozen=True)
class Rule:
    """Who has to redact a column, by its position: with one of some values, or a rare one, and such other answers."""

    position: int
    decoys: Fraction
    rarer_than: int | None = None
    values: frozenset[object] | None = None
    when: Mapping[int, frozenset[object]] = field(default_factory=dict)

    def applies(self, rows: Sequence[Row], row: Row) -> bool:
        value = row[self.position]
        return (
            (self.values is None or value in self.values)
            and (self.rarer_than is None or sum(other[self.position] == value for other in rows) < self.rarer_than)
            and all(row[other] in values for other, values in self.when.items())
        )


Rules = Sequence[Rule]


def has_to(rows: Sequence[Row], row: Row, position: int, rules: Rules) -> bool:
    return any(rule.applies(rows, row) for rule in rules if rule.position == position)


def expected_exposure(rows: Sequence[Row], rules: Rules, k: int) -> Fraction:
    """Go through every outcome of the coins of all people."""
    expected = Fraction(0)
    for outcome in product(*(list(answers(rows, row, rules)) for row in rows)):
        chance = Fraction(1)
        for _, own in outcome:
            chance *= own
        expected += chance * exposure_below([answer for answer, _ in outcome], k)
    return expected


def expected_exposure_by_answers(rows: Sequence[Row], rules: Rules, k: int) -> Fraction:
    """Add up people, answer by answer: how many give it is a sum of independent coins, one for each person."""
    chances: dict[Row, list[Fraction]] = defaultdict(list)
    for row in rows:
        for answer, chance in answers(rows, row, rules):
            chances[answer].append(chance)
    expected = Fraction(0)
    for coins in chances.values():
        law = [Fraction(1)]
        for p in coins:
            law = [a * (1 - p) + b * p for a, b in zip([*law, Fraction(0)], [Fraction(0), *law], strict=True)]
        expected += sum(count * chance for count, chance in enumerate(law[:k]))
    return expected / len(rows)


def answers(rows: Sequence[Row], row: Row, rules: Rules) -> Iterator[tuple[Row, Fraction]]:
    """Yield the answers that a person gives with a positive probability."""
    coins = {rule.position: rule.decoys for rule in rules}
    choices = [
        [(value, Fraction(1))]
        if position not in coins
        else [(REDACTED, Fraction(1))]
        if has_to(rows, row, position, rules)
        else [(REDACTED, coins[position]), (value, 1 - coins[position])]
        for position, value in enumerate(row)
    ]
    for choice in product(*choices):
        chance = Fraction(1)
        for _, own in choice:
            chance *= own
        if chance:
            yield tuple(value for value, _ in choice), chance


def joint_with_redaction(
    rows: Sequence[Row], rules: Rules, position: int, about: int
) -> dict[tuple[object, object], Fraction]:
    """Return the joint law of a random person's value of a column, and of what is seen of another or the same one."""
    joint: dict[tuple[object, object], Fraction] = defaultdict(Fraction)
    coin = next((rule.decoys for rule in rules if rule.position == position), Fraction(0))
    for row in rows:
        hidden = Fraction(1) if has_to(rows, row, position, rules) else coin
        joint[row[about], REDACTED] += hidden / len(rows)
        joint[row[about], row[position]] += (1 - hidden) / len(rows)
    return {pair: chance for pair, chance in joint.items() if chance}
