"""What the user has, as rows to ask about: a file, a table in memory, or a table that lives in an engine."""

from importlib import import_module
from pathlib import Path
from typing import Any

from tacit.errors import EngineError, InvalidTableError, UnsupportedError
from tacit.input_files import opened
from tacit.memory import as_memory
from tacit.tables.engines.dictionaries import coded
from tacit.tables.engines.embedded import MERGED_FROM_ARROW, Embedded, check_types, quoted
from tacit.tables.engines.rows import UNKNOWN_TO_ENGINE, Choose, Rows, check_names, safe_fields
from tacit.tables.engines.spark_session import while_workers_last
from tacit.tables.example import path_of
from tacit.tables.files import read_csv, read_json, read_parquet
from tacit.tables.frames import as_arrow
from tacit.tables.layouts.headers import Header, as_header

READERS = {
    ".csv": read_csv,
    ".parquet": read_parquet,
    ".json": read_json,
    ".jsonl": read_json,
    ".ndjson": read_json,
}


def open_rows(table: Any, choose: Choose, header: Header = None, memory: int | str | None = None) -> Rows:
    """Return the rows of a table, with the columns that ``choose`` picks from its names.

    Parameters
    ----------
    table
        A path to a ``.csv``, ``.parquet``, ``.json``, ``.jsonl`` or ``.ndjson`` file; ``"example:adult"``; a pandas,
        polars or Arrow table (anything with ``__arrow_c_stream__``); or an Ibis table, used where it lives.
    choose
        Takes the table's column names, returns those to keep; may raise.
    header
        Whether the first line of a CSV file holds names (True) or a person (False), or names for its columns; None
        looks.
    memory
        How much the embedded engine may hold, in bytes or as text such as ``"2GB"``; None is half of what there is.

    Raises
    ------
    InvalidTableError
        If the table cannot be read as it stands.
    UnsupportedError
        If it is none of the above.
    """
    room = None if memory is None else as_memory(memory)
    if isinstance(table, str | Path):
        return _read_file(path_of(table), choose, as_header(header), room)
    if header is not None:
        raise UnsupportedError(f"header is about a file, got {type(table).__name__}, which has names for its columns")
    if type(table).__module__.startswith("ibis."):
        return _in_place(table, choose)
    if hasattr(table, "__arrow_c_stream__"):
        return _read_arrow(table, choose, room)
    raise UnsupportedError(
        f"a table must be a path to a file, a pandas, polars or Arrow table, or an Ibis table, "
        f"got {type(table).__name__}"
    )


def _read_file(path: Path, choose: Choose, header: Header, memory: int | None) -> Rows:
    with opened(path, "a table") as file:
        reader = READERS.get(path.suffix.lower())
        if reader is None:
            raise InvalidTableError(f"{path} is not a kind of file that can be read; those are {', '.join(READERS)}")
        try:
            return reader(file, choose, header, memory)
        except OSError as error:
            raise InvalidTableError(f"{path} cannot be read: {error.strerror or 'the file is damaged'}") from None


def _read_arrow(table: Any, choose: Choose, memory: int | None) -> Rows:
    what = f"the {type(table).__module__.partition('.')[0]} {type(table).__name__}"
    arrived = as_arrow(table, what, choose)
    check_types(arrived.schema, what, MERGED_FROM_ARROW)
    values = {name: quoted(name) for name in arrived.column_names}
    arrived, dictionaries = coded(arrived)
    engine = Embedded(what, memory=memory)
    try:
        with engine.holding("arrived", arrived):
            return engine.rows(values, "arrived", dictionaries=dictionaries, in_passes=True)
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


def _in_place(table: Any, choose: Choose) -> Rows:
    if not isinstance(table, import_module("ibis").Table):
        raise UnsupportedError(f"an Ibis expression must be a table, got {type(table).__name__}")
    names: Any = table.columns
    fields = safe_fields(choose(check_names(names, "the Ibis table")))
    return Rows(table.select(**{field: table[name] for name, field in fields.items()}), fields, _answer)


def _answer(asked: Any) -> list[tuple[Any, ...]]:
    engine = asked.get_backend()
    try:
        if engine.name == "pyspark":  # whose to_pyarrow goes by way of pandas
            frame = engine.raw_sql(engine.compile(asked))
            with while_workers_last(frame.sparkSession):
                return [tuple(row) for row in frame.collect()]
        return list(zip(*asked.to_pyarrow().to_pydict().values(), strict=True))
    except (EngineError, *UNKNOWN_TO_ENGINE):
        raise
    except Exception as error:  # each engine has its own; what they say of bad data is held back, for it quotes values
        raise EngineError(
            f"the engine that holds the Ibis table failed before it answered ({type(error).__name__}), so there is no "
            "result, not even a partial one; its own log says why"
        ) from None
