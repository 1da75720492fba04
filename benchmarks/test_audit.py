"""The main job on a million rows and six columns, beside the bare histograms that it cannot do without."""

from itertools import combinations

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discretion as dc
from discretion.presenting.views.result_views import page as to_html

SIZES = {"sex": 2, "region": 9, "age": 100, "job": 50, "town": 1000, "plan": 20}


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> str:
    rng = np.random.default_rng(0)
    columns = {
        name: pa.array([f"{name}{value}" for value in range(k)]).take(
            pa.array(rng.choice(k, 1_000_000, p=rng.dirichlet(np.ones(k))))
        )
        for name, k in SIZES.items()
    }
    path = tmp_path_factory.mktemp("table") / "people.parquet"
    pq.write_table(pa.table(columns), path)
    return str(path)


def whole_audit(path: str) -> int:
    """Audit the table and render the page."""
    found = dc.audit(path, sensitive="plan")
    assert found.sets.complete
    return len(to_html(found))


def bare_histograms(path: str) -> int:
    """Count class sizes for the 63 sets of columns, and nothing else."""
    connection = duckdb.connect()
    connection.execute(f"create table people as from read_parquet('{path}')")
    return sum(
        len(
            connection.execute(
                f"select n, count(*) from (select count(*) n from people group by {', '.join(chosen)}) group by n"
            ).fetchall()
        )
        for size in range(1, 7)
        for chosen in combinations(SIZES, size)
    )


@pytest.mark.benchmark(group="a million rows, six columns", min_rounds=3)
@pytest.mark.parametrize("how", [whole_audit, bare_histograms])
def test_a_million_rows(benchmark, table: str, how) -> None:
    assert benchmark.pedantic(how, args=(table,), rounds=3, warmup_rounds=1) > 0
