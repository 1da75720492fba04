"""Measure the work that users wait for, each beside a peer or a limit in the same run, for the table of README.md.

``uv run --group benchmarks python benchmarks/beside_peers.py`` takes three minutes on two cores, and writes the table
into README.md; words after it choose the rows that contain them, and only print these. A row is done several times,
ours and the others in turns, and shows CPU seconds of all threads and child processes: the median, with the least and
the most. Only ratios of the same run count. The word "memory" chooses the peak memory
of audits.
"""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from statistics import median
from typing import Any

import duckdb
import numpy as np
import qif
from pyarrow import parquet
from sklearn.neighbors import KNeighborsClassifier

import discretion as dc
from test_anonymity import SETS, SIZES, people
from test_attack_curves import by_discretion as our_curve, riskcals
from test_bayes_security import qifs, random_channel, scipys
from test_composed_losses import SETTINGS, accountants, by_discretion as our_ends
from test_refinement import instance

README = Path(__file__).with_name("README.md")
START, END = "<!-- beside_peers.py writes from here -->", "<!-- to here -->"

Work = Callable[[], object]


@dataclass(frozen=True)
class Row:
    """What is asked, how we answer, and what stands beside it.

    The goal is how many times as long as the first of these we may take; in seconds, if there is none.
    """

    asked: str
    ours: Work
    beside: Mapping[str, Work] = field(default_factory=dict[str, Work])
    goal: float = 1.0
    rounds: int = 5


@cache
def folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="beside-peers-"))


@cache
def parquet_of(n: int, columns: int = 6) -> Path:
    path = folder() / f"{n}x{columns}.parquet"
    table = people(n)
    parquet.write_table(table.select(list(SIZES)[:columns]), path)
    return path


@cache
def csv_of(n: int, columns: int) -> Path:
    path = folder() / f"{n}x{columns}.csv"
    duckdb.sql(f"COPY (FROM read_parquet('{parquet_of(n, columns)}')) TO '{path}' (HEADER)")
    return path


# Tables


def our_subsets(path: Path) -> Work:
    return lambda: [sizes.unique for sizes in dc.Population(path).class_sizes_of_all(SETS)]


def subsets_by_codes(path: Path) -> Work:
    def count() -> list[int]:
        table = parquet.read_table(path, read_dictionary=list(SIZES))
        codes: dict[str, tuple[np.ndarray, int]] = {}
        for name in SIZES:
            column = table[name].unify_dictionaries()
            indices = np.concatenate([chunk.indices.to_numpy() for chunk in column.chunks])
            codes[name] = indices.astype(np.int64), len(column.chunk(0).dictionary)
        unique: list[int] = []
        for columns in SETS:
            keys, cells = np.int64(0), 1
            for name in columns:
                keys, cells = keys * codes[name][1] + codes[name][0], cells * codes[name][1]
            unique.append(int((np.bincount(keys, minlength=cells) == 1).sum()))
        return unique

    return count


def subsets_by_duckdb(path: Path) -> Work:
    def count() -> list[int]:
        database = duckdb.connect()
        for name in SIZES:
            database.sql(f"CREATE TYPE {name}_values AS ENUM (SELECT DISTINCT {name} FROM read_parquet('{path}'))")
        coded = ", ".join(f"{name}::{name}_values AS {name}" for name in SIZES)
        database.sql(f"CREATE TABLE people AS SELECT {coded} FROM read_parquet('{path}')")
        return [
            database.sql(
                f"SELECT count(*) FROM (SELECT 1 FROM people GROUP BY {', '.join(columns)} HAVING count(*) = 1)"
            ).fetchall()[0][0]
            for columns in SETS
        ]

    return count


def smallest_class(table: Any) -> Work:
    return lambda: dc.Population(table).class_sizes().smallest


def smallest_class_by_duckdb(source: str, **tables: Any) -> Work:
    def count() -> int:
        database = duckdb.connect()
        for name, table in tables.items():
            database.register(name, table)
        return database.sql(
            f"SELECT min(size) FROM (SELECT count(*) AS size FROM {source} GROUP BY {', '.join(SIZES)})"
        ).fetchall()[0][0]

    return count


# Commands


def command(*arguments: object) -> Work:
    return program("-m", "discretion", *arguments)


def program(*arguments: object) -> Work:
    # As it is installed: with the bytecode of an earlier start.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def run() -> None:
        command = [sys.executable, *map(str, arguments)]
        subprocess.run(command, check=True, capture_output=True, cwd=folder(), env=environment)

    return run


# The goal of the peak memory of an audit of so many rows, in MB: that of earlier code.
PEAK_GOALS = {10**5: 369, 10**6: 467, 10**7: 957}
# A program that starts another one has itself little in memory, which counts as the other one's.
PEAK = (
    "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 // 10**6)"
)


def peak_memory(n: int) -> str:
    """Return the cells of an audit's largest resident memory, in MB."""
    audit = [sys.executable, "-m", "discretion", "audit", str(csv_of(n, 5))]
    shown = subprocess.run([sys.executable, "-c", PEAK, *audit], check=True, capture_output=True, text=True)
    peak, goal = int(shown.stdout), PEAK_GOALS[n]
    return f"| {n:,} | {peak:,} MB | {goal:,} MB | {'yes' if peak <= goal else '**no**'} |"


FIRST_SECURITY = (
    "import numpy as np; matrix = np.random.default_rng(0).dirichlet(np.ones(200), size=300); "
    "import discretion as dc; channel = dc.Channel(matrix); dc.bayes_security(channel)"
)
FIRST_DISTANCES = (
    "import numpy as np; matrix = np.random.default_rng(0).dirichlet(np.ones(200), size=300); "
    "from scipy.spatial.distance import pdist; 1 - pdist(matrix, 'cityblock').max() / 2"
)

# Channels


def checked_copy(matrix: np.ndarray) -> np.ndarray:
    if not (np.isfinite(matrix).all() and (matrix >= 0).all() and np.abs(matrix.sum(axis=1) - 1).max() < 1e-9):
        raise ValueError
    return matrix.copy()


def refinements() -> Iterator[Row]:
    for said, is_true in (("true", True), ("false", False)):
        C, D = instance((60, 60, 60), 1, is_true)
        channels = dc.Channel(C), dc.Channel(D)
        by_solving = {"`np.linalg.solve`": many(partial(np.linalg.solve, C, D))} if is_true else {}
        yield Row(
            f"refinement of 60 × 60, {said}",
            many(partial(dc.refines, *channels)),
            by_solving | {"libqif": many(partial(qif.refinement.refined_by, C, D))},
            2 if is_true else 1,
        )


def many(work: Work, times: int = 20) -> Work:
    """Do a short piece of work several times, so that the clock of the processor sees it."""
    return lambda: [work() for _ in range(times)]


# Randomizers


def reports_of(mechanism: Any, values: np.ndarray) -> Work:
    return lambda: mechanism.sample(values, rng=1)


def random_bytes(number: int) -> Work:
    return lambda: np.random.default_rng(1).integers(2**64, size=number // 8, dtype=np.uint64)


# Samples


@cache
def samples() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    secrets = rng.integers(0, 10, 100_000)
    return secrets, secrets + rng.normal(0, 2, 100_000)


def our_risk() -> object:
    secrets, observations = samples()
    return dc.estimate_bayes_risk(secrets, observations, method="nearest-neighbours", rng=0)


def nearest(k: int) -> Work:
    def risk() -> float:
        secrets, observations = samples()
        rows, trained = observations[:, None], len(secrets) * 4 // 5
        model = KNeighborsClassifier(k).fit(rows[:trained], secrets[:trained])
        return 1 - float(model.score(rows[trained:], secrets[trained:]))

    return risk


def rows() -> Iterator[Row]:
    """Yield all rows, with what they need made before the clock starts."""
    million, ten_million = parquet_of(10**6), parquet_of(10**7)
    yield Row(
        "63 sets of columns of 10⁶ × 6, from Parquet",
        our_subsets(million),
        {"codes and `bincount` of NumPy": subsets_by_codes(million), "DuckDB, enums": subsets_by_duckdb(million)},
        1.2,
    )
    yield Row(
        "all six columns of 10⁷ × 6, from Parquet",
        smallest_class(ten_million),
        {"DuckDB": smallest_class_by_duckdb(f"read_parquet('{ten_million}')")},
        rounds=3,
    )
    frame = people(10**6).to_pandas()
    yield Row(
        "k-anonymity of 10⁶ × 6, from pandas",
        smallest_class(frame),
        {"DuckDB": smallest_class_by_duckdb("frame", frame=frame)},
    )
    yield Row("`audit` of 10⁵ × 5, CSV", command("audit", csv_of(10**5, 5)), goal=3.0, rounds=3)
    yield Row("`audit example:adult --html`", command("audit", "example:adult", "--html", "r.html"), goal=5.0, rounds=3)
    yield Row("`audit` of 10⁷ × 5, CSV", command("audit", csv_of(10**7, 5)), goal=40.0, rounds=1)
    start = {"`import numpy`": program("-c", "import numpy")}
    yield Row("`measure krr:k=5,epsilon=1`", command("measure", "krr:k=5,epsilon=1"), start, 3.0)
    yield Row("`audit --help`", command("audit", "--help"), start, 2.0)
    yield Row(
        "first β* of a process, 300 × 200", program("-c", FIRST_SECURITY), {"`pdist`": program("-c", FIRST_DISTANCES)}
    )
    yield from refinements()
    matrix = random_channel(2000, 2000)
    channel = dc.Channel(matrix)
    yield Row(
        "`Channel` of 2000 × 2000",
        many(lambda: dc.Channel(matrix)),
        {"checks and a copy in NumPy": many(lambda: checked_copy(matrix))},
        1.3,
    )
    yield Row(
        "best guess through 2000 × 2000",
        many(lambda: dc.posterior_vulnerability(channel)),
        {
            "one line of NumPy": many(lambda: matrix.max(axis=0).sum() / 2000),
            "libqif": many(lambda: qif.measure.bayes_vuln.posterior(np.full(2000, 1 / 2000), matrix)),
        },
    )
    wide = random_channel(2000, 1000)
    rows_apart = dc.Channel(wide)
    yield Row(
        "β* of 2000 × 1000",
        lambda: dc.bayes_security(rows_apart),
        {
            "`pdist`": partial(scipys, wide),
            "libqif": partial(qifs, wide),
        },
        rounds=3,
    )
    sixty = random_channel(60, 60)
    yield Row(
        "Shannon capacity of 60 × 60",
        lambda: dc.shannon_capacity(dc.Channel(sixty)),
        {"libqif": lambda: qif.measure.shannon.add_capacity(sixty)},
    )
    values = np.arange(10**5) % 1000
    subset = dc.SubsetSelection(1000, 1.0)
    yield Row(
        "10⁵ reports of subset selection, k = 1000",
        reports_of(subset, values),
        {"as many random bytes": random_bytes(10**5 * 1000)},
        5,
    )
    yield Row(
        "10⁵ reports of local hashing, k = 1000",
        many(reports_of(dc.LocalHashing(1000, 1.0), values)),
        {"as many random bytes": many(random_bytes(9 * 10**5))},
        5,
    )
    yield Row("curve of DP-SGD (1, .01, 1000), six rates", our_curve, {"riskcal, one end": riskcals})
    for setting in SETTINGS:
        yield Row(
            f"ε(10⁻⁶) of DP-SGD {setting}, two ends",
            partial(our_ends, *setting),
            {"dp-accounting": partial(accountants, *setting)},
        )
    yield Row(
        "risk by 10⁵ one-dimensional samples",
        our_risk,
        {"scikit-learn, k = 317": nearest(317), "k = 11": nearest(11)},
        rounds=3,
    )


def cpu_seconds(work: Work) -> float:
    before = _used()
    work()
    return _used() - before


def _used() -> float:
    of = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in of)


def measured(row: Row) -> list[str]:
    """Return the cells of a row: what is asked, ours, each beside it, the ratio and the goal."""
    works = {"": row.ours, **row.beside}
    for work in works.values() if row.rounds > 1 else ():
        work()
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(row.rounds):
        for name, work in works.items():
            taken[name].append(cpu_seconds(work))
    ours, first = median(taken[""]), next(iter(row.beside), None)
    if first is None:
        reached, goal = ours <= row.goal, f"{row.goal:g} s"
        ratio = ""
    else:
        times = median(mine / theirs for mine, theirs in zip(taken[""], taken[first], strict=True))
        reached, goal = times <= row.goal, f"{row.goal:g}×"
        ratio = f"{times:.2g}×"
    beside = "; ".join(f"{name} {_span(taken[name])}" for name in row.beside) or "—"
    return [row.asked, _span(taken[""]), beside, ratio or "—", goal, "yes" if reached else "**no**"]


def _span(seconds: list[float]) -> str:
    least, middle, most = (f"{each:.2g}" for each in (min(seconds), median(seconds), max(seconds)))
    return f"{middle} s" if least == most else f"{middle} s ({least} to {most})"


def main(words: list[str]) -> None:
    """Print the rows that contain a word, or all, and then write them into README.md."""
    lines = ["| asked | ours | beside it | ratio to the first | goal | reached |", "|---|---|---|---|---|---|"]
    print(*lines, sep="\n")
    for row in rows():
        if not words or any(word in row.asked for word in words):
            lines.append(f"| {' | '.join(measured(row))} |")
            print(lines[-1], flush=True)
    if not words or "memory" in words:
        lines += ["", "| rows of `audit`, 5 columns, CSV | peak memory | goal | reached |", "|---|---|---|---|"]
        lines += map(peak_memory, PEAK_GOALS)
        print(*lines[-len(PEAK_GOALS) - 3 :], sep="\n")
    if not words:
        before, _, rest = README.read_text().partition(START)
        README.write_text("\n".join([before + START, "", *lines, "", END + rest.partition(END)[2]]))


if __name__ == "__main__":
    main(sys.argv[1:])
