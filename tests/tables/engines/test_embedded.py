"""The engine that holds a table keeps it in little room."""

import pyarrow as pa

from discretion.tables.engines.embedded import EmbeddedEngine


def test_a_loaded_table_is_compressed() -> None:
    engine = EmbeddedEngine("a table")
    table = pa.table({"sex": ["f", "m"] * 5_000, "age": [*range(100)] * 100})
    with engine.holding("arrived", table):
        rows = engine.rows({"sex": "sex", "age": "age"}, "arrived")
    ways = engine.read("SELECT DISTINCT compression FROM pragma_storage_info('people') WHERE count > 0")
    assert "Uncompressed" not in {way for (way,) in ways}
    age = rows.fields["age"]
    assert engine.read(f"SELECT count(*), sum({age})::INTEGER FROM people") == [(10_000, 495_000)]
