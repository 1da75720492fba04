"""Small tables of text, as populations."""

from typing import Any

import pyarrow as pa

from discretion.anonymity import Population

NAMES = "xyzw"


def population_of(rows: list[tuple[Any, ...]], person: str | None = None) -> Population:
    """Return the people of some rows, whose columns are called x, y, z and w."""
    columns = {name: pa.array([row[j] for row in rows], pa.string()) for j, name in enumerate(NAMES[: len(rows[0])])}
    return Population(pa.table(columns), person=person)
