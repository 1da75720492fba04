"""Ibis tables, counted in the engine where they live."""

from importlib import import_module
from typing import Any

from discretion.errors import EngineError, UnsupportedError
from discretion.tables.engines.rows import UNKNOWN_TO_ENGINE, Choose, Rows, check_names, safe_fields
from discretion.tables.engines.spark_session import while_workers_last


def rows_in_place(table: Any, choose: Choose, what: str = "the Ibis table") -> Rows:
    """Return the rows of an Ibis table, none of which leaves its engine."""
    if not isinstance(table, import_module("ibis").Table):
        raise UnsupportedError(f"an Ibis expression must be a table, got {type(table).__name__}")
    names: Any = table.columns
    fields = safe_fields(choose(check_names(names, what)))
    return Rows(table.select(**{field: table[name] for name, field in fields.items()}), fields, answer)


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
