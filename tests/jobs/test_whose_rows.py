"""Twelve rows of one person are no group of twelve: not in a release, for a policy or beside another table."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import discretion as dc
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.jobs.check import check, read_policy

ROWS_OF_ONE = 12
KNOWN = ["age", "sex"]


def visits(name: str, rows: list[int], spell: Callable[[int], Any] = int) -> pd.DataFrame:
    """A table of people with so many rows each, who are all different but for their rows."""
    whose = np.repeat(np.arange(len(rows)), rows)
    return pd.DataFrame({
        name: [spell(int(person)) for person in whose], "age": 20 + whose % 70, "sex": np.where(whose % 2, "m", "f"),
        "ill": np.arange(whose.size) % 3,
    })  # fmt: skip


DRAWN = np.random.default_rng(30).geometric(0.3, 300).tolist()
TABLES = {
    "each": visits("id", [ROWS_OF_ONE] * 40),
    "each of five": visits("patient_id", [ROWS_OF_ONE] * 5),
    "each of two": visits("ID", [ROWS_OF_ONE] * 2, "p{}".format),
    "five patients": visits("patient", [ROWS_OF_ONE] * 5),
    "without a name for it": visits("x7", [ROWS_OF_ONE] * 40),
    "one of them": visits("id", [ROWS_OF_ONE, *[1] * 199]),
    "one of very many": visits("subject ref", [ROWS_OF_ONE, *[1] * 1999]),
    "one of many addresses": visits("email", [ROWS_OF_ONE, *[1] * 1999], "p{}@example.org".format),
    "one of many names": visits("name", [ROWS_OF_ONE, *[1] * 999], "Ada {}".format),
    "some": visits("nhs_number", DRAWN, lambda person: 4_000_000_000 + 7919 * person),
    "some by name": visits("full_name", DRAWN, "Ada {}".format),
}


@pytest.fixture
def policy(tmp_path: Path) -> Any:
    (tmp_path / "discretion.toml").write_text("k = 10\nbudget = 0\n")
    return read_policy(tmp_path / "discretion.toml")


@pytest.mark.long
@pytest.mark.parametrize("name", TABLES)
def test_rows_of_one_person_are_refused_until_they_are_answered_for(name: str, tmp_path: Path, policy: Any) -> None:
    frame = TABLES[name]
    table = frame if len(name) % 2 else pa.Table.from_pandas(frame, preserve_index=False)
    key, out = str(frame.columns[0]), tmp_path / "out.csv"
    jobs = (
        lambda **person: dc.release(table, out, k=10, budget=0, seconds=1, **person),
        lambda **person: dc.release(table, out, columns=KNOWN, k=10, budget=0, seconds=1, **person),
        lambda **person: check(table, policy, **person),
        lambda **person: dc.diff(table, table, **person),
        lambda **person: dc.diff(table, table, KNOWN, **person),
    )
    for job in jobs:
        with pytest.raises(InvalidValueError, match=rf"the column {key} has .* rows?.*--person none"):
            job()
        assert not out.exists()
    for job in jobs[:2]:
        with pytest.raises(UnsupportedError, match=rf"by {key} .* people have .* rows: first make a table"):
            job(person=key)
    people = frame[key].nunique()
    counted = check(table, policy, person=key)
    assert counted.people == people
    assert "failed" in counted.words
    assert dc.diff(table, table, KNOWN, person=key).after.people == people
    assert check(table, policy, person="none").people == len(frame)
    assert dc.diff(table, table, KNOWN, person="none").after.people == len(frame)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("id", [*range(400)]),
        ("member", ["yes", "no", "unknown", "no"] * 100),
        ("student", [0, 1] * 200),
        ("name", [f"Ada {i}" for i in [*range(398), 1, 2]]),
        ("school_id", [i * i % 23 for i in range(400)]),
    ],
)
def test_other_columns_ask_nothing(name: str, values: list[Any], tmp_path: Path) -> None:
    table = pa.table({name: values, "age": [i * i % 7 for i in range(400)]})
    assert dc.release(table, tmp_path / "out.csv", seconds=1).people == 400
