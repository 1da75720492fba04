"""Refinement between random channels, true and false, beside libqif: time, and how often the verdict is right."""

import numpy as np
import pytest
import qif

import discretion as dc

KINDS = [pytest.param(concentration, refined, id=f"rows Dirichlet({concentration}), {'true' if refined else 'false'}")
         for concentration in (0.1, 1) for refined in (True, False)]  # fmt: skip


def instance(shape: tuple[int, int, int], concentration: float, refined: bool, seed: int = 0) -> list[np.ndarray]:
    """Return C and D, which is C R for a random R or unrelated."""
    k, m, n = shape
    rng = np.random.default_rng(seed)

    def rows(count: int, columns: int) -> np.ndarray:
        return rng.dirichlet(np.full(columns, concentration), size=count)

    C = rows(k, m)
    return [C, C @ rows(m, n) if refined else rows(k, n)]


def by_discretion(C: np.ndarray, D: np.ndarray) -> bool | None:
    return dc.refines(dc.Channel(C), dc.Channel(D)).holds


def qifs(C: np.ndarray, D: np.ndarray) -> bool:
    return bool(qif.refinement.refined_by(C, D))


@pytest.mark.benchmark(group="refinement of 60 × 60 by 60 × 60", min_rounds=1, max_time=1)
@pytest.mark.parametrize(("concentration", "refined"), KINDS)
def test_sixty(benchmark, concentration, refined) -> None:
    assert benchmark(by_discretion, *instance((60, 60, 60), concentration, refined)) is refined


@pytest.mark.benchmark(group="refinement of 200 × 200 by 200 × 200", min_rounds=1, max_time=1)
@pytest.mark.parametrize(("concentration", "refined"), KINDS)
def test_two_hundred(benchmark, concentration, refined) -> None:
    assert benchmark(by_discretion, *instance((200, 200, 200), concentration, refined)) is refined


@pytest.mark.benchmark(group="refinement of 10 × 20 by 10 × 15", min_rounds=1, max_time=1)
@pytest.mark.parametrize("how", [by_discretion, qifs])
@pytest.mark.parametrize(("concentration", "refined"), KINDS)
def test_beside_qif(benchmark, how, concentration, refined) -> None:
    """How many of ten verdicts are right, and how long the first takes."""
    instances = [instance((10, 20, 15), concentration, refined, seed) for seed in range(10)]
    right = [how(C, D) is refined for C, D in instances]
    benchmark.extra_info["right of ten"] = sum(right)
    benchmark(how, *instances[0])
    assert how is qifs or all(right)


@pytest.mark.benchmark(group="deficiency of 40 × 80 and 40 × 60", min_rounds=1, max_time=1)
def test_deficiency(benchmark) -> None:
    C, D = instance((40, 80, 60), 1, refined=False)
    found = benchmark(dc.deficiency, dc.Channel(C), dc.Channel(D))
    assert isinstance(found, float)
