"""Small tables: of text, as populations; and three in the same codes."""

from typing import Any

import pyarrow as pa

from discretion.anonymity import Population
from discretion.anonymity.synthetic.tables import tables_of
from discretion.numerics.equivalence_classes import Column

NAMES = "xyzw"


def population_of(rows: list[tuple[Any, ...]], person: str | None = None) -> Population:
    """Return the people of some rows, whose columns are called x, y, z and w."""
    columns = {name: pa.array([row[j] for row in rows], pa.string()) for j, name in enumerate(NAMES[: len(rows[0])])}
    return Population(pa.table(columns), person=person)


def valued(records, names):
    """Return each column in codes and what they stand for, as an engine hands it over."""
    columns = {}
    for place, name in enumerate(names):
        values = pa.array([record[place] for record in records])
        encoded = values.dictionary_encode(null_encoding="encode")
        columns[name] = Column(encoded.indices.to_numpy(), len(encoded.dictionary)), encoded.dictionary
    return columns


def as_tables(original, synthetic, control):
    names = [f"c{place}" for place in range(len(original[0]))]
    return tables_of(names, [valued(part, names) for part in (original, synthetic, control)])
