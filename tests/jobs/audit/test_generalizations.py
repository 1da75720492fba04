"""What an audit says of coarser views of a column is so: counted row by row, and no finer view would do."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import discretion as dc

K = 4
Values = list[Any]


def exposed(columns: Sequence[Values]) -> int:
    sizes = Counter(zip(*columns, strict=True))
    return sum(size for size in sizes.values() if size < K)


def bits(column: Values) -> float:
    shares = np.array(list(Counter(column).values())) / len(column)
    return -float(shares @ np.log2(shares))


def in_steps(values: Values, step: float) -> Values:
    return [None if value is None else np.floor(value / step) for value in values]


def without_rare(values: Values, most: int) -> Values:
    sizes = Counter(values)
    return ["rare" if sizes[value] < most else value for value in values]


def views(values: Values) -> Iterator[tuple[str, str, Values]]:
    """Yield each view in the order in which it is preferred: steps from the finest, then the fewest rare values."""
    known = [value for value in values if value is not None]
    least = 10.0 ** np.floor(np.log10((max(known) - min(known)) / 50))
    for tens, lead in product(range(4), (1, 2, 5)):
        step = lead * least * 10**tens
        yield "coarsen", f"in steps of {step:g} it fits", in_steps(values, step)
    for times in (1, 2, 5, 10, 20, 50):
        yield "redact", f"without the values of fewer than {times * K:,} it fits", without_rare(values, times * K)


def expected(values: Values, published: Sequence[Values], most: int) -> tuple[str, str | None]:
    """Return what to do with a column that does not fit as it is, and how."""
    for verdict, how, view in views(values):
        merged = "rare" in view
        few = len(set(view)) <= 50 if verdict == "coarsen" else merged and len(set(view)) > 2
        says_less = 1 < len(set(view)) < len(set(values)) and bits(view) >= bits(values) / 4
        if few and says_less and exposed([*published, view]) <= most:
            return verdict, how
    return "drop", None


def table(seed: int) -> dict[str, Values]:
    rng = np.random.default_rng(seed)
    people = 400
    numbers = np.round(rng.gamma(2, 20, people), 1).tolist()
    ages = rng.integers(17, 90, people).tolist()
    rare = rng.choice([*range(40)], people, p=1 / np.arange(1, 41) / sum(1 / np.arange(1, 41))).tolist()
    columns = {"sex": rng.integers(0, 2, people).tolist(), "income": numbers, "age": ages, "job": rare}
    for j, values in enumerate(columns.values()):
        if j:
            values[:: 7 + j] = [None] * len(values[:: 7 + j])
    return columns


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(4))
def test_a_column_is_coarsened_or_redacted_as_little_as_the_budget_asks(seed: int) -> None:
    columns = table(seed)
    found = dc.audit(pa.table(columns), k=K, budget=0.05).decision
    published = [columns[name] for name in found.recommended]
    others = [each for each in found.columns if each.column not in found.recommended]
    for each in others:
        verdict, how = expected(columns[each.column], published, most=20)
        assert each.verdict == verdict, each
        assert how is None or each.reason.removeprefix("measurement: ") == how, each
    assert published
    assert others
