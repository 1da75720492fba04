"""Contents of columns: counts of dates, numbers and long texts, without any value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from discretion.errors import UnsupportedError
from discretion.tables.counting.batches import VIEW, in_one_pass
from discretion.tables.engines.rows import Rows

ibis: Any = import_module("ibis")

_MONTH, _DAY = "(0?[1-9]|1[0-2])", "(0?[1-9]|[12][0-9]|3[01])"
_NAMED = "(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)[A-Za-z]*"
_CLOCK = "[0-2]?[0-9]:[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)? ?([AaPp][Mm])?"
_ZONE = "( ?Z| ?UTC| ?[+-][0-9][0-9]:?([0-9][0-9])?)?"
_DAYS = "|".join(
    [
        f"[12][0-9][0-9][0-9]([-/.]){_MONTH}[-/.]{_DAY}",
        f"{_MONTH}([-/.]){_DAY}[-/.]([12][0-9])?[0-9][0-9]",
        f"{_DAY}([-/.]){_MONTH}[-/.]([12][0-9])?[0-9][0-9]",
        f"{_DAY}[- ]{_NAMED}[-, ]+([12][0-9])?[0-9][0-9]",
        f"{_NAMED} {_DAY},? [12][0-9][0-9][0-9]",
    ]
)
# In JSON a text is in quotes.
_MOMENT = f'^"?(({_DAYS})([T ]+{_CLOCK}{_ZONE})?|{_CLOCK})"?$'
_PLAIN_NUMBER = '^"?[-+]?[0-9]{1,15}([.][0-9]*)?([eE][-+]?[0-9]{1,2})?"?$'
# Thousands apart, and decimals after a comma: what stands for a separator, and how it is left out.
_GROUPED = '^"?[-+]?[$]?[1-9][0-9]?[0-9]?(,[0-9][0-9][0-9])+([.][0-9]+)?"?$'
_COMMA = '^"?[-+]?([0-9]+|[1-9][0-9]?[0-9]?([. ][0-9][0-9][0-9])+)(,[0-9]+)?"?$'
_LONG_EPOCH = '^"?1[0-9]{15}([0-9]{3})?"?$'
_HEX = "[0-9a-fA-F]"
_CODE = f'^"?[{{(]?(0x)?({_HEX}{{8}}-?({_HEX}{{4}}-?){{3}}{_HEX}{{12}}|{_HEX}{{16,128}})[)}}]?"?$'
_PLACE = '^"?[(]?-?[0-9]{1,3}[.][0-9]+[ ,;]+-?[0-9]{1,3}[.][0-9]+[)]?"?$'

# Larger numbers are names more often than they are numbers, as are infinities and what is none.
_LARGEST_NUMBER = 1e15

# The number of values in a sample of a column.
_LOOKED_AT = 10_000
_COLUMNS_AT_ONCE = 64
_TEXT, _NUMBER, _GIVEN, _LENGTH = "value_as_text", "value_as_number", "value_is_given", "number_of_rows"
_ANY_SIZE = "value_of_any_size"

_LATITUDE, _LONGITUDE = 90, 180
_FIRST_YEAR, _LAST_YEAR = 1500, 2100
_FIRST_SECOND, _LAST_SECOND = 5 * 10**8, 4 * 10**9


@dataclass(frozen=True)
class ColumnContents:
    """The numbers of a column's values, or of its distinct texts, by their form, in a sample.

    Parameters
    ----------
    nulls
        The number of all rows with null in the column.
    seen
        The number of examined values, without null.
    numbers
        Those that are numbers, or texts in digits, plain or with separators.
    fractions
        Numbers that are not whole.
    positive
        Numbers above 0.
    latitudes, longitudes
        Numbers in [-90, 90], and in [-180, 180].
    years
        Whole numbers from 1500 to 2100.
    days
        Whole numbers that may be dates, such as 20240131.
    epochs
        Whole numbers that may be seconds, ms, µs or ns since 1970, from 1985 to 2100.
    moments
        Dates, times of days, or both.
    places
        Texts of two numbers with decimals.
    codes
        Texts in the form of a UUID or of a hash.
    span
        The difference of the greatest and the least number.
    characters, words
        The numbers in all texts together; 0 for values that are not text.
    """

    nulls: int = 0
    seen: int = 0
    numbers: int = 0
    fractions: int = 0
    positive: int = 0
    latitudes: int = 0
    longitudes: int = 0
    years: int = 0
    days: int = 0
    epochs: int = 0
    moments: int = 0
    places: int = 0
    codes: int = 0
    span: int = 0
    characters: int = 0
    words: int = 0


def contents(rows: Rows, columns: Sequence[str]) -> dict[str, ColumnContents]:
    """Return the forms of the values of each column, in a sample of some thousands, or of its distinct texts."""
    result: dict[str, ColumnContents] = {}
    for start in range(0, len(columns), _COLUMNS_AT_ONCE):
        part = columns[start : start + _COLUMNS_AT_ONCE]
        fields = [rows.fields[column] for column in part]
        nulls = {field: _many(rows.table[field].isnull()) for field in fields}
        ((length, *empty),) = rows.ask(rows.table.agg(**{_LENGTH: rows.table.count(), **nulls}))
        filled = {field: int(length) - int(null) for field, null in zip(fields, empty, strict=True)}
        try:
            counts = _forms(rows, filled, patterns=True)
        except UnsupportedError:  # an engine without regular expressions
            counts = _forms(rows, filled, patterns=False)
        for column, field in zip(part, fields, strict=True):
            result[column] = ColumnContents(nulls=int(length) - filled[field], **counts.get(field, {}))
    return result


def _forms(rows: Rows, filled: Mapping[str, int], *, patterns: bool) -> dict[str, dict[str, int]]:
    """Return for each field, given its number of values, the counts of its contents without nulls."""
    counts: dict[str, dict[str, int]] = {}
    remaining: list[str] = []
    for field in filled:
        kind = _field_or_texts(rows, field).type()
        if kind.is_timestamp() or kind.is_date() or kind.is_time():
            counts[field] = {"seen": 1, "moments": 1}
        elif kind.is_uuid():
            counts[field] = {"seen": 1, "codes": 1}
        elif kind.is_string() or (kind.is_numeric() and not kind.is_boolean()):
            remaining.append(field)
    together = [field for field in remaining if field not in rows.texts]
    if together and (rows.are_read_anew or rows.table.get_backend().name == "duckdb"):
        counts |= _count_forms(rows, _of_the_same_rows(rows, together), together, patterns=patterns)
        enough = {field for field in together if counts[field]["seen"] >= min(filled[field], _LOOKED_AT // 2)}
        remaining = [field for field in remaining if field not in enough]
    if remaining:
        counts |= _count_forms(rows, _of_each(rows, remaining), remaining, patterns=patterns)
    return counts


def _field_or_texts(rows: Rows, field: str) -> Any:
    """Return a field of the rows, or the texts of its codes."""
    return rows.texts[field]["text"] if field in rows.texts else rows.table[field]


def _of_each(rows: Rows, fields: Sequence[str]) -> Any:
    """Return some values of each field."""
    parts: list[Any] = []
    for place, field in enumerate(fields):
        # Ibis takes time for each column of what is filtered.
        only = rows.texts[field].select(value="text") if field in rows.texts else rows.table.select(value=field)
        some = only.filter(only["value"].notnull()).limit(_LOOKED_AT)
        parts.append(some.select(**{VIEW: ibis.literal(place, "int64"), **_as_both(some["value"])}))
    return ibis.union(*parts) if len(parts) > 1 else parts[0]


def _of_the_same_rows(rows: Rows, fields: Sequence[str]) -> Any:
    """Return the values of some rows in all fields."""
    some = rows.table.limit(_LOOKED_AT)
    both = {field: {name + field: value for name, value in _as_both(some[field]).items()} for field in fields}
    shown = some.select(**{name: value for values in both.values() for name, value in values.items()})
    return in_one_pass(shown, [{_TEXT: _TEXT + field, _NUMBER: _NUMBER + field} for field in fields])


def _count_forms(rows: Rows, values: Any, fields: Sequence[str], *, patterns: bool) -> dict[str, dict[str, int]]:
    if patterns:
        text = values[_TEXT].replace('"', "")
        grouped = text.replace(",", "").replace("$", "")
        comma = text.replace(".", "").replace(" ", "").replace(",", ".")
        spelled = [(_PLAIN_NUMBER, text), (_GROUPED, grouped), (_COMMA, comma)]
        digits = [
            values[_TEXT].re_search(form).ifelse(number, ibis.null("string")).cast("float64")
            for form, number in spelled
        ]
        values = values.mutate(**{_NUMBER: values[_NUMBER].coalesce(*digits)})
    given = values[_TEXT].notnull() | values[_NUMBER].notnull()
    usual = values[_NUMBER].between(-_LARGEST_NUMBER, _LARGEST_NUMBER)
    of_usual_size = usual.ifelse(values[_NUMBER], ibis.null("float64"))
    values = values.mutate(**{_GIVEN: given, _ANY_SIZE: values[_NUMBER], _NUMBER: of_usual_size})
    counts = _counts(values, patterns=patterns)
    return {
        fields[int(place)]: {name: int(count or 0) for name, count in zip(counts, answer, strict=True)}
        for place, *answer in rows.ask(values.group_by(VIEW).agg(**counts))
    }


def _as_both(value: Any) -> dict[str, Any]:
    """Return a value as text and as number, null where it is not of that type."""
    if value.type().is_string():
        return {_TEXT: value, _NUMBER: ibis.null("float64")}
    return {_TEXT: ibis.null("string"), _NUMBER: value.cast("float64")}


def _counts(values: Any, *, patterns: bool) -> dict[str, Any]:
    text, number, of_any_size = values[_TEXT], values[_NUMBER], values[_ANY_SIZE]
    whole = number == number.floor()
    epoch = _is_epoch(number) | _is_epoch(number / 10**3)
    epoch |= _is_epoch(of_any_size / 10**6) | _is_epoch(of_any_size / 10**9)
    epoch &= of_any_size == of_any_size.floor()
    if patterns:
        epoch |= text.re_search(_LONG_EPOCH)
    counts: dict[str, Any] = {
        "seen": _many(values[_GIVEN]),
        "numbers": number.count(),
        "fractions": _many(~whole),
        "positive": _many(number > 0),
        "latitudes": _many(number.between(-_LATITUDE, _LATITUDE)),
        "longitudes": _many(number.between(-_LONGITUDE, _LONGITUDE)),
        "years": _many(number.between(_FIRST_YEAR, _LAST_YEAR) & whole),
        "days": _many(number.between(10_000 * _FIRST_YEAR, 10_000 * _LAST_YEAR) & whole & _is_day(number)),
        "epochs": _many(epoch),
        "span": number.max() - number.min(),
        "characters": text.length().sum(),
        "words": (text.length() - text.replace(" ", "").length() + 1).sum(),
    }
    if patterns:
        forms = {"moments": _MOMENT, "places": _PLACE, "codes": _CODE}
        counts |= {name: _many(text.re_search(form)) for name, form in forms.items()}
    return counts


def _is_day(number: Any) -> Any:
    month, day = (number / 100).floor() % 100, number % 100
    return month.between(1, 12) & day.between(1, 31)


def _is_epoch(seconds: Any) -> Any:
    return seconds.between(_FIRST_SECOND, _LAST_SECOND)


def _many(true: Any) -> Any:
    """Return how often a condition holds, where it may also be null."""
    return true.ifelse(1, 0).sum()  # PostgreSQL casts no truth to 64 bits
