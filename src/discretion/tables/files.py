"""Files as rows to count: no line is skipped, no type is guessed, and no message has a value."""

import codecs
import json
import os
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, BinaryIO

from discretion.errors import InvalidTableError, UnknownColumnError
from discretion.input_files import for_arrow, place
from discretion.tables.engines.embedded import EmbeddedEngine, quote_text
from discretion.tables.engines.rows import Choose, Rows, check_names
from discretion.tables.layouts.csv_layout import LONGEST_ROW, CsvLayout, layout_of
from discretion.tables.layouts.headers import check_keys, check_recurrence, names_in_line
from discretion.tables.layouts.json_faults import json_fault
from discretion.tables.layouts.text_format import TextFormat
from discretion.tables.streams import in_utf8

_NAME_ITS_ENCODING = (
    "name its encoding, such as --encoding latin-1 (encoding=), cp1252 as Windows writes it or utf-16, or save it as "
    "UTF-8"
)

# The texts of so many rows take more room than all that is made of them: the file is read three times instead.
_MANY_ROWS = 2_000_000


def read_tsv(file: BinaryIO, choose: Choose, form: TextFormat, memory: int | None) -> Rows:
    """Return the rows of a file with tabs between values, which are quoted as in a CSV file."""
    return read_csv(file, choose, form, memory, "\t")


def read_csv(file: BinaryIO, choose: Choose, form: TextFormat, memory: int | None, separators: str = ",;") -> Rows:
    """Return the rows of a CSV file: every value is text, and empty is null."""
    with in_utf8(file, form.encoding) as text:
        return _read_utf8(text, choose, form, memory, separators)


def _read_utf8(file: BinaryIO, choose: Choose, form: TextFormat, memory: int | None, separators: str) -> Rows:
    layout = layout_of(file, form.header, separators, delimiter=form.delimiter, way_out=_NAME_ITS_ENCODING)
    names = check_names(names_in_line(layout.names, file.name, numbered=layout.numbered), file.name)
    fields = {name: f"v{i}" for i, name in enumerate(names)}
    values = {name: fields[name] for name in choose(names)}
    file.seek(0)
    first_line = file.readline(LONGEST_ROW)
    marked = first_line.startswith(BOM_UTF8)
    otherwise = b"\r" in first_line[:-2] or not first_line.endswith(b"\r\n")
    if (layout.line_end == "\r\n" and otherwise) or (marked and b'"' in first_line):
        # Excel ends lines of a cell by \n and rows by \r\n, and the engine takes the first end for all; nor does it
        # find the end of a quoted value after a byte-order mark.
        engine = EmbeddedEngine(file.name, memory=memory)
        with engine.holding("arrived", _by_arrow(file, layout, fields.values())):
            return engine.rows(values, "arrived", expected=layout.rows)
    kinds = ", ".join(f"{field}: 'VARCHAR'" for field in fields.values())
    line_end = ", new_line = '\\n'" if layout.line_end == "\n" else ""  # of \r\n, only what it finds itself works
    source = (
        f"read_csv({quote_text(place(file))}, columns = {{{kinds}}}, header = {str(layout.header).lower()},"
        f" auto_detect = false, strict_mode = true, delim = '{layout.separator}',"
        f""" quote = '"', escape = '"', nullstr = '',"""
        f" hive_partitioning = false, parallel = {not layout.multiline}{line_end})"
    )
    engine = EmbeddedEngine(file.name, [place(file)], memory)
    return engine.rows(values, source, expected=layout.rows, in_passes=layout.rows >= _MANY_ROWS)


def _by_arrow(file: BinaryIO, layout: CsvLayout, fields: Iterable[str]) -> Any:
    arrow: Any = import_module("pyarrow")
    csv: Any = import_module("pyarrow.csv")
    names = list(fields)
    with for_arrow(file) as content:
        rows = csv.read_csv(
            content,
            csv.ReadOptions(column_names=names, block_size=2 * LONGEST_ROW),
            csv.ParseOptions(delimiter=layout.separator, newlines_in_values=True, ignore_empty_lines=len(names) > 1),
            csv.ConvertOptions(
                column_types=dict.fromkeys(names, arrow.string()), null_values=[""], strings_can_be_null=True
            ),
        )
    return rows.slice(int(layout.header))  # told to skip a row, it miscounts those with NULs


def check_spellable(names: Iterable[str], path: str) -> None:
    """Refuse names with a NUL."""
    for position, name in enumerate(names, start=1):
        if "\0" in name:
            raise InvalidTableError(
                f"the name of column {position} of {path} has a NUL, which the engine cannot spell; rename it"
            )


def chosen_names(
    choose: Choose, texts: Mapping[str, str | None], read: Callable[[str], list[Any]], source: str, path: str
) -> Sequence[str]:
    """Return the chosen names, if no name that messages may show is also a value of its column.

    Each name has the SQL of its column's text, or None if the column is not text; ``read`` runs SQL. Columns that are
    not chosen are not read, since no message shows their names, unless the choice fails and lists them.
    """
    names = list(texts)
    unknown = None
    try:
        chosen = choose(names)
    except UnknownColumnError as error:
        chosen, unknown = names, error
    looked = {name: text for name in chosen if (text := texts[name]) is not None}
    if looked:
        again = (f"max({text} = {quote_text(name)})" for name, text in looked.items())
        (recurs,) = read(f"SELECT {', '.join(again)} FROM {source}")
        check_recurrence(dict(zip(looked, recurs, strict=True)), names, path)
    if unknown is not None:
        raise unknown
    return chosen


def read_json(file: BinaryIO, choose: Choose, form: TextFormat, memory: int | None) -> Rows:
    """Return the rows of a JSON file: an array of objects, or one object per line.

    A value is its text: 1, 1.0, 1.00 and ``"1"`` are four values. A missing key is null.
    """
    if _is_cut_short(file):
        raise InvalidTableError(f"{file.name} starts an array but does not end with it; it is cut short, or goes on")
    source = f"read_json_objects({quote_text(place(file))}, hive_partitioning = false)"
    engine = EmbeddedEngine(file.name, [place(file)], memory)
    try:
        shapes = engine.read(
            f"SELECT json_type(json) AS kind, json_keys(json) AS keys FROM {source} GROUP BY ALL ORDER BY ALL"
        )
    except InvalidTableError:
        raise InvalidTableError(json_fault(file)) from None
    if any(kind != "OBJECT" for kind, _ in shapes):
        raise InvalidTableError(
            f"{file.name} holds something other than objects; give an array of objects, or one object per line"
        )
    if any(len(set(keys)) < len(keys) for _, keys in shapes):
        raise InvalidTableError(f"{file.name} has an object with the same key twice; keep one of them")
    if not shapes:
        raise InvalidTableError(f"{file.name} has no rows; exposure needs at least one person")
    names = check_names(dict.fromkeys(key for _, keys in shapes for key in keys), file.name)
    check_spellable(names, file.name)
    check_keys(names, file.name, form.header)
    texts = {name: f"json->>{quote_text(_pointer(name))}" for name in names}
    chosen = choose(names) if form.header else chosen_names(choose, texts, engine.read, source, file.name)
    values = {name: _json_text(name) for name in chosen}
    return engine.rows(values, _with_quoted_numbers(source), spell=_spelled)


def _is_cut_short(file: BinaryIO) -> bool:
    """Whether an array is left open: the engine would read the part that is there."""
    start = file.read(1 << 16)
    if start.startswith(codecs.BOM_UTF8):
        raise InvalidTableError(f"{file.name} begins with a byte-order mark, which is not JSON; save it without")
    start = start.lstrip(b" \t\r\n")
    file.seek(max(0, os.fstat(file.fileno()).st_size - (1 << 16)))
    return start.startswith(b"[") and not file.read().rstrip().endswith(b"]")


# The engine reads decimals as doubles and drops the sign of -0. So numbers become texts that begin with a mark before
# the engine takes a row apart. The mark is doubled in the row's own texts, so that none of them looks like a number.
# Well-formed JSON holds the mark only as an escape, and the two control characters around a match not at all.
_MARK, _MATCHED, _END = r"\u0001", "chr(1)", "chr(2)"
_IS_INEXACT = r"[0-9][.eE]|-0"
_TEXT_OR_NUMBER = r'("(?:[^"\\]|\\.)*")|(-?[0-9][0-9.eE+-]*)'
_MARKED_NUMBER = r'"\\u0001(-?[0-9][0-9.eE+-]*)"'


def _with_quoted_numbers(source: str) -> str:
    """Return the SQL of a table of JSON objects, with the numbers as text whose spelling the engine would change."""
    mark, row = quote_text(_MARK), "json::VARCHAR"
    doubled = f"replace({row}, {mark}, {mark} || {mark})"
    matched = f"regexp_replace({doubled}, {quote_text(_TEXT_OR_NUMBER)}, '\\1' || {_MATCHED} || '\\2' || {_END}, 'g')"
    numbers = f"replace({matched}, {_MATCHED} || {_END}, '')"
    texts = f"""replace(replace({numbers}, {_MATCHED}, '"' || {mark}), {_END}, '"')"""
    is_inexact = f"regexp_matches({row}, {quote_text(_IS_INEXACT)})"
    return f"(SELECT CASE WHEN {is_inexact} THEN {texts} ELSE {doubled} END::JSON AS json FROM {source})"


def _json_text(key: str) -> str:
    """Return the SQL of a value's JSON text, in which numbers are written as in the file."""
    value, mark = f"(json->{quote_text(_pointer(key).replace(chr(1), 2 * chr(1)))})", quote_text(_MARK)
    numbers = f"regexp_replace({value}::VARCHAR, {quote_text(_MARKED_NUMBER)}, '\\1', 'g')"
    return f"CASE json_type({value}) WHEN 'NULL' THEN NULL ELSE replace({numbers}, {mark} || {mark}, {mark}) END"


def _pointer(key: str) -> str:
    return "/" + key.replace("~", "~0").replace("/", "~1")


def _spelled(text: str) -> str:
    value = json.loads(text)
    return value if isinstance(value, str) else text
