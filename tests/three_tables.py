"""Three tables in the same codes, from records of Python values."""

import pyarrow as pa

from discretion.anonymity.synthetic.tables import tables_of
from discretion.numerics.alike import Column


def valued(records, names):
    """Return each column in codes and what they stand for, as an engine hands it over."""
    found = {}
    for place, name in enumerate(names):
        values = pa.array([record[place] for record in records])
        held = values.dictionary_encode(null_encoding="encode")
        found[name] = Column(held.indices.to_numpy(), len(held.dictionary)), held.dictionary
    return found


def as_tables(original, synthetic, control):
    names = [f"c{place}" for place in range(len(original[0]))]
    return tables_of(names, [valued(part, names) for part in (original, synthetic, control)])
