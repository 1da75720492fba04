"""A hierarchy in a file tells of values as somebody spells them who looks at the table."""

from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discretion.anonymity.people.hierarchies import read_hierarchies
from discretion.anonymity.releasing.generalizations import identity_generalization
from discretion.anonymity.releasing.hierarchies import generalizations_by
from discretion.numerics.equivalence_classes import Column

SPELLED: dict[str, tuple[list[Any], list[str]]] = {
    "whole numbers beside a null": ([1.0, 2.0, 30.0, None], ["1", "2", "30"]),
    "halves": ([1.0, 1.5, 30.0, None], ["1.0", "1.5", "30.0"]),
    "days at midnight": (
        [datetime(2020, 1, 5), datetime(2020, 1, 6), datetime(2021, 1, 5)], ["2020-01-05", "2020-01-06", "2021-01-05"]
    ),
    "flags": ([True, "True", False], ["true", "True", "false"]),
    "spaces about a text": ([" a", "b ", "c"], ["a", "b", "c"]),
}  # fmt: skip


@pytest.mark.parametrize("case", SPELLED)
def test_values_are_told_as_somebody_spells_them(tmp_path: Path, case: str) -> None:
    values, lines = SPELLED[case]
    (tmp_path / "x.csv").write_text("".join(f"{line};{group}\n" for line, group in zip(lines, "aab", strict=True)))
    finest = identity_generalization(Column(np.arange(len(values), dtype=np.int32), len(values)), values)
    _, coarser = generalizations_by(read_hierarchies(tmp_path, ["x"])["x"], "x", finest)
    assert [coarser.labels[code] for code in coarser.column.codes] == [*"aab", None][: len(values)]


ARX_COLUMNS = (
    "age", "education", "marital-status", "native-country", "occupation", "race", "salary-class", "sex", "workclass"
)  # fmt: skip


@pytest.mark.parametrize("between", "-_. ")
def test_files_of_an_arx_project_are_found_by_column(tmp_path: Path, between: str) -> None:
    for name in ARX_COLUMNS:
        (tmp_path / f"adult_hierarchy_{name}.csv").write_text(f"{name};*\n")
    (tmp_path / "adult.csv").write_text(";".join(ARX_COLUMNS) + "\n")
    columns = [name.replace("-", between).title() for name in ARX_COLUMNS]
    found = read_hierarchies(tmp_path, columns)
    assert [[*hierarchy] for hierarchy in map(found.__getitem__, columns)] == [[name] for name in ARX_COLUMNS]
