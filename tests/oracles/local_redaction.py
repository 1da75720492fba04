"""People who redact their rare values themselves, on lists of tuples: slow, obvious, exact."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

from oracles.tables import Row, exposure_below

REDACTED = "⊥"  # no value of the tests

# The position of a column → fewer than how many people make a value rare, and the probability of decoys.
Rules = Mapping[int, tuple[int, Fraction]]


def is_rare(rows: Sequence[Row], row: Row, position: int, rules: Rules) -> bool:
    return sum(other[position] == row[position] for other in rows) < rules[position][0]


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
    choices = [
        [(value, Fraction(1))]
        if position not in rules
        else [(REDACTED, Fraction(1))]
        if is_rare(rows, row, position, rules)
        else [(REDACTED, rules[position][1]), (value, 1 - rules[position][1])]
        for position, value in enumerate(row)
    ]
    for choice in product(*choices):
        chance = Fraction(1)
        for _, own in choice:
            chance *= own
        if chance:
            yield tuple(value for value, _ in choice), chance


def joint_with_redaction(
    column: Sequence[object], rarer_than: int, decoys: Fraction
) -> dict[tuple[object, object], Fraction]:
    """Return the joint law of a random person's value and of what is seen of it."""
    joint: dict[tuple[object, object], Fraction] = defaultdict(Fraction)
    for value, count in Counter(column).items():
        share, hidden = Fraction(count, len(column)), Fraction(1) if count < rarer_than else decoys
        joint[value, REDACTED] += share * hidden
        joint[value, value] += share * (1 - hidden)
    return {pair: chance for pair, chance in joint.items() if chance}
