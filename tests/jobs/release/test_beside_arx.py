"""The most useful release of Adult is the one that ARX finds, with what ARX says that it loses.

ARX is globally optimal. The figures are those that its own tests expect (``TestAnonymizationKAnonymity``,
``TestAnonymizationLDiversity``, ``TestAnonymizationTCloseness``): the levels of the columns, and what is lost by them.
"""

from collections import Counter
from math import log2
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discretion as dc
from discretion.jobs.release.result import Release
from discretion.tables.locations import path_of
from support.adult_hierarchies import COLUMNS, coarser, write_hierarchies

# The goal, the share of people left out at most, the level of each column but a sensitive one, and what is lost.
Case = tuple[dict[str, Any], float, tuple[int, ...], float | None]
ARX: list[Case] = [
    ({"k": 5}, 0, (1, 2, 1, 1, 3, 2, 2, 1, 1), 407289.5388925293),
    ({"k": 100}, 0, (0, 4, 1, 1, 3, 2, 2, 1, 1), 453196.8932458743),
    ({"k": 5}, 0.04, (1, 0, 1, 1, 3, 2, 2, 0, 1), 255559.85455731067),
    ({"k": 100}, 0.04, (1, 1, 1, 1, 3, 2, 2, 1, 1), 379417.3460570988),
    ({"k": 1, "entropy_l": 5}, 0, (1, 1, 1, 1, 3, 2, 2, 1), 324620.5269918692),
    ({"k": 1, "entropy_l": 5}, 0.04, (1, 0, 1, 1, 2, 2, 2, 1), None),  # it counts those who are left out otherwise
    ({"k": 5, "t": 0.2, "t_against": "input", "utility": "discernibility"}, 0, (1, 4, 1, 1, 3, 2, 2, 1), 4.56853172e8),
    (
        {"k": 5, "t": 0.2, "t_against": "input", "utility": "discernibility"},
        0.04,
        (1, 4, 1, 0, 3, 2, 2, 1),
        3.11880088e8,
    ),
]


@pytest.fixture(scope="module")
def adult() -> pa.Table:
    """The people with a value in each of the columns, as ARX has them."""
    table = pq.read_table(path_of("example:adult"), columns=list(COLUMNS))
    texts = pa.table({name: table[name].cast(pa.string()) for name in COLUMNS})
    return texts.filter(
        pa.array([None not in row and "?" not in row for row in zip(*texts.to_pydict().values(), strict=True)])
    )


@pytest.mark.long
@pytest.mark.parametrize("case", ARX)
def test_it_is_the_release_that_arx_finds(adult: pa.Table, tmp_path: Path, case: Case) -> None:
    goal, left_out, levels, lost = case
    sensitive = ["occupation"] if len(levels) < len(COLUMNS) else []
    known = [name for name in COLUMNS if name not in sensitive]
    held = {name: set(adult[name].to_pylist()) for name in known}
    found = dc.release(
        adult, tmp_path / "out.csv", sensitive=sensitive, keep=sensitive, guess_budget=1, budget=0,
        max_suppressed=left_out, hierarchies=write_hierarchies(tmp_path / "hierarchies", held),
        **{"utility": "entropy", **goal},
    )  # fmt: skip
    assert found.ended == "proved"
    assert tuple(level(found, name, next(iter(held[name]))) for name in known) == levels
    n = adult.num_rows
    assert n == 30_162
    uncut = found.kept + found.suppression_cost
    if goal.get("utility") == "discernibility":
        finest = Counter(zip(*(adult[name].to_pylist() for name in known), strict=True))
        assert lost == pytest.approx(n**2 - uncut * (n**2 - sum(size**2 for size in finest.values())), rel=1e-9)
    elif lost is not None:
        whole = sum(c * log2(n / c) for name in COLUMNS for c in Counter(adult[name].to_pylist()).values())
        assert lost == pytest.approx((1 - uncut) * whole, rel=1e-12)


def level(found: Release, name: str, value: str) -> int:
    """Return how coarse a column is, in ARX's words."""
    column = next(each for each in found.columns if each.column == name)
    if column.verdict == "drop":
        return len(coarser(name, value))
    return 0 if column.verdict == "publish" else int(column.how.split()[-1])
