"""Models of how columns hang together: right about people who are so, and by what slow integrals say."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import multivariate_normal

from discretion.anonymity.uniqueness import copula as copulas
from discretion.anonymity.uniqueness.copula import copula
from discretion.anonymity.uniqueness.model import UniquenessModel, log_linear
from discretion.numerics.equivalence_classes import Column
from oracles import unique_people

Table = NDArray[np.int64]


def columns_of(rows: Table) -> list[Column]:
    found = [np.unique(values, return_inverse=True) for values in rows.T]
    return [Column(codes.astype(np.int32), held.size) for held, codes in found]


def hanging_together(people: int, rng: np.random.Generator) -> Table:
    """Return people whose columns are steps of normal variables."""
    mix = rng.standard_normal((5, 5))
    normal = rng.standard_normal((people, 5)) @ mix / np.linalg.norm(mix, axis=0)
    return np.column_stack([
        np.digitize(normal[:, j], np.sort(rng.normal(size=k))) for j, k in enumerate((1, 4, 9, 20, 12))
    ])  # fmt: skip


def independent(people: int, rng: np.random.Generator) -> Table:
    """Return people whose columns tell nothing of each other."""
    return np.column_stack([rng.choice(k, people, p=rng.dirichlet(np.ones(k))) for k in (2, 4, 9, 21, 13)])


def test_a_column_of_256_values_has_all_of_its_mass_in_their_cells() -> None:
    column = Column(np.arange(256).repeat(4), 256)
    assert column.codes.dtype == np.uint8  # in which 255 and 1 are 0
    steps, root, points = [copulas._steps(column)], np.eye(1), copulas._points(1, np.random.default_rng(0))
    chances = copulas._boxes(steps, [np.arange(256, dtype=np.uint8)], root, points)
    assert chances == pytest.approx(np.full(256, 1 / 256))


@pytest.mark.long
# A small sample lacks values that few have, which makes the others look commoner.
@pytest.mark.parametrize(("share", "most"), [(0.05, 0.25), (0.1, 0.1), (0.4, 0.1)])
@pytest.mark.parametrize(("made", "model"), [
    (hanging_together, copula), (independent, log_linear), (independent, copula),
])  # fmt: skip
def test_a_model_is_right_about_the_people_whom_it_assumes(
    made: object, model: object, share: float, most: float
) -> None:
    assert callable(made)
    assert callable(model)
    rng, told = np.random.default_rng(5), []
    for _ in range(4):
        rows = made(100_000, rng)
        sampled = rng.choice(len(rows), int(share * len(rows)), replace=False)
        unique, of_sample, _ = unique_people.truth([*map(tuple, rows.tolist())], sampled.tolist())
        found: UniquenessModel = model(columns_of(rows[sampled]), len(rows), rng)
        assert found.population_unique is not None
        assert found.of_sample_unique is not None
        told.append((found.population_unique, found.of_sample_unique, unique, of_sample))
    said, said_of_sample, unique, of_sample = np.mean(told, axis=0)
    assert said == pytest.approx(unique, rel=most), told
    assert said_of_sample == pytest.approx(of_sample, rel=most), told


def test_without_a_tie_between_columns_cells_are_products_of_shares() -> None:
    rng = np.random.default_rng(0)
    rows = independent(3_000, rng)[:, :3]
    columns, people = columns_of(rows), 20_000
    shares = [np.bincount(column.codes) / 3_000 for column in columns]
    cells = {
        codes: float(np.prod([s[c] for s, c in zip(shares, codes, strict=True)]))
        for codes in product(*(range(column.count) for column in columns))
    }
    alone = sum(p * np.exp(-people * p) for p in cells.values())
    counts = Counter(zip(*(column.codes.tolist() for column in columns), strict=True))
    once = [np.exp(-(people - 3_000) * cells[cell]) for cell, count in counts.items() if count == 1]
    found = log_linear(columns, people, rng)
    assert found.population_unique == pytest.approx(alone, abs=5 * found.error)
    assert found.of_sample_unique == pytest.approx(np.mean(once), rel=1e-9)


def test_the_chance_of_a_cell_is_the_normal_law_of_its_box() -> None:
    rng = np.random.default_rng(1)
    rows = hanging_together(5_000, rng)[:, 1:4]
    columns = columns_of(rows)
    steps = [copulas._steps(column) for column in columns]
    together = copulas._correlations(columns, steps)
    cells = rows[:20]
    codes = [column.codes[:20] for column in columns]
    found = copulas._boxes(steps, codes, np.linalg.cholesky(together), copulas._points(3, rng))
    law = multivariate_normal(np.zeros(3), together)
    assert len(cells) == 20
    for i, chance in enumerate(found):
        low = np.array([step.ends[code[i]] for step, code in zip(steps, codes, strict=True)])
        high = np.array([step.ends[code[i] + 1] for step, code in zip(steps, codes, strict=True)])
        assert chance == pytest.approx(law.cdf(high, lower_limit=low), rel=0.02, abs=1e-6)


@pytest.mark.parametrize("tied", [-0.9, -0.3, 0.0, 0.5, 0.95])
def test_the_correlation_of_the_normal_variables_is_found_from_their_steps(tied: float) -> None:
    rng = np.random.default_rng(2)
    normal = rng.multivariate_normal(np.zeros(2), [[1, tied], [tied, 1]], 200_000)
    columns = columns_of(np.column_stack([normal[:, 0] > 0.5, np.digitize(normal[:, 1], [-1, 0, 0.2, 2])]))
    found = copulas._correlations(columns, [copulas._steps(column) for column in columns])
    assert found[0, 1] == pytest.approx(tied, abs=0.01)


@pytest.mark.one_in(7)
@pytest.mark.parametrize("model", [copula, log_linear])
@pytest.mark.parametrize("rows", [
    [[0]], [[0, 0], [0, 1]], [[i] for i in range(40)], [[i, i] for i in range(40)],
    [[1, 9], *([0, i % 3] for i in range(40))],
])  # fmt: skip
@pytest.mark.parametrize("others", [0, 10**9])
def test_shares_are_shares_at_the_extremes(model: object, rows: list[list[int]], others: int) -> None:
    assert callable(model)
    found: UniquenessModel = model(columns_of(np.array(rows)), len(rows) + others, np.random.default_rng(0))
    for value in (found.population_unique, found.of_sample_unique):
        assert (value is None) == (found.why_not is not None)
        assert value is None or 0 <= value <= 1
    if found.of_sample_unique is not None and not others:
        assert found.of_sample_unique == 1
