"""Ibis tables, counted in their own engine, or brought into this process by one query."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from discretion.errors import DiscretionError, EngineError, TooLargeError, UnsupportedError
from discretion.memory import as_memory, said_size
from discretion.tables.engines.arrow_tables import arrow_rows
from discretion.tables.engines.rows import UNKNOWN_TO_ENGINE, Choose, Rows, check_names, safe_fields
from discretion.tables.engines.spark_session import while_workers_last

#: Rows that an engine gives at once.
AT_ONCE = 100_000


def rows_in_place(table: Any, choose: Choose, what: str = "the Ibis table") -> Rows:
    """Return the rows of an Ibis table, which stay in its engine."""
    if not isinstance(table, import_module("ibis").Table):
        raise UnsupportedError(f"an Ibis expression must be a table, got {type(table).__name__}")
    names: Any = table.columns
    fields = safe_fields(choose(check_names(names, what)))
    return Rows(table.select(**{field: table[name] for name, field in fields.items()}), fields, answer)


def rows_in_process(rows: Rows, memory: int | str | None = None) -> Rows:
    """Return rows in this process: unchanged if they are here, else copied from their engine by one query.

    They arrive in batches; a text that repeats in a batch is kept once.

    Raises
    ------
    EngineError
        If the engine fails meanwhile.
    TooLargeError
        If the rows do not fit into the memory.
    """
    if rows.arrow is not None:
        return rows
    pa: Any = import_module("pyarrow")
    room, what = as_memory(memory), "the table out of its engine"
    question = rows.table.select(**{name: _portable(rows.table[field]) for name, field in rows.fields.items()})
    batches: list[Any] = []
    size = 0
    for batch in _batches(question):
        coded = pa.table({name: _repeats_once(batch[name]) for name in rows.fields})
        size += coded.nbytes
        if size > room:
            raise TooLargeError(
                f"{what} does not fit into {said_size(room)} of memory; allow more (--memory, memory=), or make a view "
                "with fewer columns or a sample of the people"
            )
        batches.append(coded)
    whole = pa.concat_tables(batches).unify_dictionaries()
    batches.clear()
    return arrow_rows(whole, what, room)


def _batches(question: Any) -> Iterator[Any]:
    """Yield an engine's answer in batches of rows, as Arrow tables."""
    pa: Any = import_module("pyarrow")
    engine = question.get_backend()
    try:
        if engine.name == "pyspark":  # whose batches go by way of pandas
            frame = engine.raw_sql(engine.compile(question))
            with while_workers_last(frame.sparkSession):
                yield frame.toArrow()
            return
        if engine.name == "duckdb":  # by a function of its own that is not deprecated
            result = engine.raw_sql(engine.compile(question))
            batches = getattr(result, "to_arrow_reader", result.fetch_record_batch)(AT_ONCE)
        else:
            batches = engine.to_pyarrow_batches(question, chunk_size=AT_ONCE)
        for batch in batches:
            yield pa.Table.from_batches([batch])
    except (DiscretionError, *UNKNOWN_TO_ENGINE):
        raise
    except Exception as error:  # as of answers
        raise EngineError(
            f"the engine that holds the table failed before it gave all rows ({type(error).__name__}); see its own log"
        ) from None


def _portable(field: Any) -> Any:
    """Return values in types that Arrow has: values of databases' own types, and numbers without a length, as text."""
    kind = field.type()
    plain = kind.is_string() or kind.is_boolean() or kind.is_integer() or kind.is_floating() or kind.is_nested()
    moment = kind.is_date() or kind.is_time() or kind.is_timestamp()
    exact = kind.is_decimal() and kind.precision is not None and kind.scale is not None
    return field if plain or moment or exact else field.cast("string")


def _repeats_once(column: Any) -> Any:
    """Return a batch's column with each repeated text kept once."""
    pa: Any = import_module("pyarrow")
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    return column.dictionary_encode()


def answer(question: Any) -> list[tuple[Any, ...]]:
    """Return the result of an Ibis expression on its engine."""
    engine = question.get_backend()
    try:
        if engine.name == "pyspark":  # whose to_pyarrow goes by way of pandas
            frame = engine.raw_sql(engine.compile(question))
            with while_workers_last(frame.sparkSession):
                return [tuple(row) for row in frame.collect()]
        return list(zip(*question.to_pyarrow().to_pydict().values(), strict=True))
    except (EngineError, *UNKNOWN_TO_ENGINE):
        raise
    except Exception as error:  # each engine has its own; what they say of bad data is held back, for it quotes values
        raise EngineError(
            f"the engine that holds the Ibis table failed before it answered ({type(error).__name__}), so there is no "
            "result, not even a partial one; see its own log"
        ) from None
