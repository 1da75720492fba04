"""The engine that holds a table keeps it in little room."""

import pyarrow as pa
import pytest

from discretion.tables.engines import embedded
from discretion.tables.engines.embedded import EmbeddedEngine


def test_a_large_table_is_compressed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "_WORTH_COMPRESSING", 20_000)
    engine = EmbeddedEngine("a table")
    table = pa.table({"sex": ["f", "m"] * 5_000, "age": [*range(100)] * 100})
    with engine.holding("arrived", table):
        rows = engine.rows({"sex": "sex", "age": "age"}, "arrived")
    ways = engine.read("SELECT DISTINCT compression FROM pragma_storage_info('people') WHERE count > 0")
    assert "Uncompressed" not in {way for (way,) in ways}
    age = rows.fields["age"]
    assert engine.read(f"SELECT count(*), sum({age})::INTEGER FROM people") == [(10_000, 495_000)]
