"""How far off the models of population uniqueness are: samples of populations of which everybody is known.

Usage: ``uv run python benchmarks/uniqueness_models.py``. It prints, for each population and share sampled, who is
unique among all, the certain end, and what each model says, averaged over three samples.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import discretion as dc
from discretion.tables.locations import path_of

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from oracles import unique_people

SHARES = (0.01, 0.05, 0.2)
NAMES = ("Zayatz", "Pitman", "slide negative binomial", "Poisson log-linear", "Gaussian copula")
ADULT = ("age", "education", "marital_status", "occupation", "sex", "race")


def populations() -> Iterator[tuple[str, pa.Table]]:
    """Yield populations by name: Adult's people, and some that are as a model assumes."""
    rng = np.random.default_rng(0)
    yield "Adult, six columns", pq.read_table(path_of("example:adult"), columns=list(ADULT))
    restaurant = unique_people.restaurant(50_000, 0.6, 500.0, rng)
    yield "Pitman's formula", pa.table({"kind": restaurant})
    columns = [rng.choice(k, 50_000, p=rng.dirichlet(np.ones(k))) for k in (2, 4, 9, 21, 13)]
    yield "independent columns", pa.table({f"c{j}": column for j, column in enumerate(columns)})


def main() -> None:
    """Print the table."""
    rng = np.random.default_rng(1)
    print("population", "sampled", "unique", "at most", *NAMES, sep=" | ")
    for name, table in populations():
        truth = dc.Population(table).class_sizes(table.column_names).unique / table.num_rows
        for share in SHARES:
            found = [
                dc.anonymity.population_uniqueness(
                    dc.Population(table.take(rng.choice(table.num_rows, int(share * table.num_rows), replace=False))),
                    table.num_rows,
                )
                for _ in range(3)
            ]
            ends = np.mean([each.population_unique.high for each in found])
            said = [np.mean([each.models[i].population_unique or np.nan for each in found]) for i in range(len(NAMES))]
            print(name, f"{share:.0%}", *(f"{value:.1%}" for value in (truth, ends, *said)), sep=" | ")


if __name__ == "__main__":
    main()
