"""What parties receive, worked out person by person, coin by coin and table by table: slow, obvious."""

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import product

from oracles.partial_tables import coarsened, tables_of

Row = tuple[int, ...]
Law = Mapping[Hashable, float]


def mutual_information(rows: Sequence[Row], answers: Mapping[Row, Law]) -> float:
    """Return ``Σ p(x) p(y|x) log₂ p(y|x)/p(y)`` of the record of a random person and of the answer to it."""
    together: Counter[Hashable] = Counter()
    for row in rows:
        for answer, chance in answers[row].items():
            together[answer] += chance / len(rows)
    return sum(
        chance / len(rows) * math.log2(chance / together[answer])
        for row in rows
        for answer, chance in answers[row].items()
        if chance
    )


def independent(coins: Sequence[Sequence[Sequence[float]]], row: Row) -> dict[Hashable, float]:
    """Return the law of the answer to a record, each column of which has its own coins."""
    laws = [table[value] for table, value in zip(coins, row, strict=True)]
    return {
        answer: math.prod(law[a] for law, a in zip(laws, answer, strict=True))
        for answer in product(*map(range, map(len, laws)))
    }


def histograms_received(
    people: int, shape: Sequence[int], asked: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]
) -> int:
    """Return how many different answers, as numbers of people with each, the tables of so many people can give."""
    return len({
        tuple(coarsened(table, columns, kept).tobytes() for columns, kept in asked)
        for table in tables_of(people, shape)
    })  # fmt: skip


def all_answers(rows: Sequence[Row], laws: Mapping[Row, Law]) -> Iterator[tuple[tuple[Hashable, ...], float]]:
    """Yield all answers that people can give, and how likely each is."""
    for answers in product(*(laws[row] for row in rows)):
        chance = math.prod(laws[row][answer] for row, answer in zip(rows, answers, strict=True))
        if chance:
            yield answers, chance


def exposed(answers: Sequence[Hashable], k: int) -> int:
    """Return how many people give an answer that fewer than k give."""
    alike = Counter(answers)
    return sum(alike[answer] < k for answer in answers)


def expected_exposure(rows: Sequence[Row], laws: Mapping[Row, Law], k: int) -> float:
    """Return the expected share of people whose answer fewer than k give."""
    return sum(chance * exposed(answers, k) for answers, chance in all_answers(rows, laws)) / len(rows)
