"""Bayes security over all pairs of rows, beside libqif, SciPy's pairwise distances and a NumPy loop over rows."""

import subprocess
import sys
from functools import cache

import numpy as np
import pytest
import qif
from scipy.spatial.distance import pdist

import discretion as dc
from discretion.numerics.distances.l1_tiles import furthest_rows_by_tiles


@cache
def random_channel(rows: int, columns: int) -> np.ndarray:
    return np.random.default_rng(0).dirichlet(np.ones(columns), size=rows)


@cache
def clustered_channel(rows: int, columns: int, clusters: int) -> np.ndarray:
    """Return rows that are a hundredth of themselves and for the rest one of some profiles."""
    rng = np.random.default_rng(0)
    profiles = rng.dirichlet(np.ones(columns), size=clusters)
    return 0.99 * profiles[rng.integers(0, clusters, rows)] + 0.01 * rng.dirichlet(np.ones(columns), size=rows)


def by_discretion(matrix: np.ndarray) -> float:
    return dc.bayes_security(dc.Channel(matrix))


def qifs(matrix: np.ndarray) -> float:
    return 1 / qif.measure.bayes_risk.mult_capacity(matrix)[0]


def scipys(matrix: np.ndarray) -> float:
    return 1 - float(pdist(matrix, "cityblock").max()) / 2


def numpys(matrix: np.ndarray) -> float:
    return 1 - max(float(np.abs(matrix[i + 1 :] - row).sum(axis=1).max()) for i, row in enumerate(matrix[:-1])) / 2


@pytest.mark.benchmark(group="β* of a random 2000 × 1000 channel", min_rounds=3, warmup=True)
@pytest.mark.parametrize("how", [by_discretion, qifs, scipys, numpys])
def test_all_pairs(benchmark, how) -> None:
    assert benchmark(how, random_channel(2000, 1000)) == pytest.approx(
        by_discretion(random_channel(2000, 1000)), rel=1e-12
    )


def pruned(matrix: np.ndarray) -> float:
    return furthest_rows_by_tiles(matrix, 1e-12).distance


def unpruned(matrix: np.ndarray) -> float:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("discretion.numerics.distances.l1_tiles._ROWS_TO_CLUSTER", len(matrix) + 1)
        return pruned(matrix)


@pytest.mark.benchmark(group="β* of a clustered 20,000 × 1000 channel", min_rounds=3, warmup=True)
@pytest.mark.parametrize("how", [pruned, unpruned])
def test_clusters(benchmark, how) -> None:
    matrix = clustered_channel(20_000, 1000, 100)
    found = furthest_rows_by_tiles(matrix, 1e-12)
    benchmark.extra_info["share of pairs compared"] = found.compared / (20_000 * 19_999 / 2)
    assert found.compared < 0.05 * 20_000 * 19_999 / 2
    assert benchmark(how, matrix) == pytest.approx(found.distance, rel=1e-13)


ON_DISK = """
import resource, sys, discretion as dc
security = dc.bayes_security(dc.StoredChannel(sys.argv[1]))
print(security, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.benchmark(group="β* of 100,000 × 200 rows on disk", min_rounds=1, max_time=0)
@pytest.mark.parametrize("rows", ["random", "clustered"])
def test_from_disk(benchmark, tmp_path, rows) -> None:
    matrix = random_channel(100_000, 200) if rows == "random" else clustered_channel(100_000, 200, 100)
    np.save(tmp_path / "channel.npy", matrix)

    def ours() -> tuple[float, int]:
        command = [sys.executable, "-c", ON_DISK, str(tmp_path / "channel.npy")]
        security, peak = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        return float(security), int(peak)

    security, peak = benchmark.pedantic(ours)
    benchmark.extra_info["peak memory, MB"] = peak // 1024
    assert 0 <= security <= 1
    assert peak < 2 << 20
