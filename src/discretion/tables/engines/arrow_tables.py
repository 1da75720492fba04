"""An Arrow table that arrived from somewhere, as rows on the embedded engine."""

from typing import Any

from discretion.errors import InvalidTableError
from discretion.tables.engines.dictionaries import coded
from discretion.tables.engines.embedded import MERGED_FROM_ARROW, Embedded, check_types, quoted
from discretion.tables.engines.rows import Rows


def rows_of(arrived: Any, what: str, memory: int | None, expected: int | None = None) -> Rows:
    """Return the rows of an Arrow table, which ``what`` says in words; as many as expected, if that is known."""
    check_types(arrived.schema, what, MERGED_FROM_ARROW)
    values = {name: quoted(name) for name in arrived.column_names}
    arrived, dictionaries = coded(arrived)
    engine = Embedded(what, memory=memory)
    try:
        with engine.holding("arrived", arrived):
            return engine.rows(values, "arrived", expected=expected, dictionaries=dictionaries, in_passes=True)
    except InvalidTableError:
        _check_columns(arrived, what, memory)
        raise


def _check_columns(arrived: Any, what: str, memory: int | None) -> None:
    """Refuse the first column that the engine cannot read even by itself."""
    for name in arrived.column_names:
        engine = Embedded(what, memory=memory)
        try:
            with engine.holding("arrived", arrived.select([name])):
                engine.read(f"SELECT count(DISTINCT {quoted(name)}) FROM arrived")
        except InvalidTableError:
            raise InvalidTableError(
                f"the column {name!r} of {what} holds a type of value that the engine does not know; make it text"
            ) from None
