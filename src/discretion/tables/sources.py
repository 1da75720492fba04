"""Sources of rows: a file, a table in memory, or a table in an engine."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from discretion.errors import InvalidTableError, UnsupportedError
from discretion.input_files import opened
from discretion.memory import as_memory
from discretion.tables.databases import read_database
from discretion.tables.engines.arrow_tables import arrow_rows
from discretion.tables.engines.rows import Choose, Rows
from discretion.tables.files import read_csv, read_json, read_tsv
from discretion.tables.folders import read_folder
from discretion.tables.frames import as_arrow
from discretion.tables.ibis_tables import rows_in_place
from discretion.tables.layouts.text_format import TextFormat
from discretion.tables.locations import DATABASES, SHEETS, is_address, place_of
from discretion.tables.parquet_files import read_parquet
from discretion.tables.servers import read_server
from discretion.tables.sheets import read_sheet
from discretion.tables.streams import STANDARD_INPUT, standard_input, unpack_gzip

READERS = {
    ".csv": read_csv,
    ".tsv": read_tsv,
    ".tab": read_tsv,
    ".parquet": read_parquet,
    ".json": read_json,
    ".jsonl": read_json,
    ".ndjson": read_json,
}
# The formats whose files may hold several tables.
READERS_OF_PARTS = dict.fromkeys(DATABASES, read_database) | dict.fromkeys(SHEETS, read_sheet)
SEPARATED = (".csv", ".tsv", ".tab")
PACKED = ".gz"
PACKABLE = (".csv", ".tsv", ".tab", ".json", ".jsonl", ".ndjson")


_AS_IT_IS = TextFormat()


def open_rows(table: Any, choose: Choose, form: TextFormat = _AS_IT_IS, memory: int | str | None = None) -> Rows:
    """Return the rows of a table, with the columns that ``choose`` picks from its names.

    Parameters
    ----------
    table
        A path, address, ``"-"`` or ``"example:adult"``, as `discretion.Population` lists them; a pandas,
        polars or Arrow table (anything with ``__arrow_c_stream__``); or an Ibis table, which stays in place.
    choose
        A function from the table's column names to those to keep; it may raise.
    form
        The format of a CSV file.
    memory
        The memory limit of the embedded engine, in bytes or as text such as ``"2GB"``; None is half of the available
        memory.

    Raises
    ------
    InvalidTableError
        If the table cannot be read.
    UnsupportedError
        If it is something else.
    """
    room = None if memory is None else as_memory(memory)
    if isinstance(table, str) and is_address(table):
        _check_no_text(form, "a table of a database")
        return read_server(table, choose, form)
    if isinstance(table, str | Path):
        return _read_path(table, choose, form, room)
    _check_no_text(form, f"the {type(table).__name__}")
    if form.header is not None:
        raise UnsupportedError(f"header is for a file, got {type(table).__name__}, which has names for its columns")
    if type(table).__module__.startswith("ibis."):
        return rows_in_place(table, choose)
    if hasattr(table, "__arrow_c_stream__"):
        what = f"the {type(table).__module__.partition('.')[0]} {type(table).__name__}"
        return arrow_rows(as_arrow(table, what, choose), what, room)
    raise UnsupportedError(
        f"a table must be a path to a file, a pandas, polars or Arrow table, or an Ibis table, "
        f"got {type(table).__name__}"
    )


def _read_path(table: str | Path, choose: Choose, form: TextFormat, memory: int | None) -> Rows:
    if isinstance(table, str) and table in STANDARD_INPUT:
        with standard_input() as arrived:
            return read_csv(arrived, choose, form, memory)
    path, part = place_of(table)
    try:
        if path.suffix.lower().removesuffix(PACKED) not in SEPARATED and not str(path).lower().endswith(PACKED):
            _check_no_text(form, str(path))
        if _is_folder(path):
            return read_folder(path, choose, form, memory)
        with opened(path, "a table") as file:
            return _reader(path, part)(file, choose, form, memory)
    except OSError as error:
        raise InvalidTableError(f"{path} cannot be read: {error.strerror or 'the file is damaged'}") from None


def _check_no_text(form: TextFormat, what: str) -> None:
    """Refuse an option that only a CSV file has."""
    if form.about_a_text is not None:
        raise UnsupportedError(f"{form.about_a_text} is for a CSV file, but {what} is not one; leave it out")


def _is_folder(path: Path) -> bool:
    with suppress(OSError, ValueError):  # whoever opens it says what is wrong with the path
        return path.is_dir()
    return False


def _reader(path: Path, part: str | None) -> Callable[[BinaryIO, Choose, TextFormat, int | None], Rows]:
    """Return the reader for a file of this name, and for this table or sheet in it."""
    kind = path.suffix.lower()
    if kind in READERS_OF_PARTS:
        return partial(READERS_OF_PARTS[kind], part=part)
    if kind == PACKED and path.with_suffix("").suffix.lower() in PACKABLE:
        return partial(_read_packed, READERS[path.with_suffix("").suffix.lower()])
    if kind in READERS:
        return READERS[kind]
    raise InvalidTableError(
        f"{path} is not a kind of file that can be read; those are {', '.join([*READERS, *READERS_OF_PARTS])}, "
        f"{', '.join(inner + PACKED for inner in PACKABLE)}, and a folder of .parquet"
    )


def _read_packed(
    reader: Callable[[BinaryIO, Choose, TextFormat, int | None], Rows],
    file: BinaryIO, choose: Choose, form: TextFormat, memory: int | None,
) -> Rows:  # fmt: skip
    with unpack_gzip(file) as content:
        return reader(content, choose, form, memory)
