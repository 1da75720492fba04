"""Headers: whether the first line of a file holds names of columns, or the values of a person."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from discretion.errors import InvalidTableError, InvalidValueError
from discretion.numerics.arrays import Bytes, Integers
from discretion.tables.layouts.names import distinct_names

# True: the first line holds names; False: a person; names: a person, and these are the names; None: detect it.
Header = bool | Sequence[str] | None

_RECURS = "comes again below as a value"
_ROW_NUMBERS = "row"

_LONGEST = 100  # characters that are looked at
_LONGEST_ROW_NUMBER = 18  # digits, which fit into 64 bits
_QUOTE, _ZERO = b'"0'
_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?)"
)
# In German, French, Spanish, Italian, Portuguese and Dutch, where a year follows: shorter ones may be names.
_MONTH_BEFORE_A_YEAR = (
    f"(?:{_MONTH}|januari?|janvier|enero|gennaio|janeiro|febru?ari?|f[ée]vr(?:ier)?|febrero|febbraio|fevereiro|märz?"
    "|mars|maart|marzo|março|avr(?:il)?|abril|aprile|mai|mei|mayo|maggio|maio|junio?|juin|junho|giugno|julio?"
    "|juil(?:let)?|julho|luglio|augustus|août|agosto|settembre|sep?tiembre|septembre|setembro|okt(?:ober)?|oct[uo]bre"
    "|ottobre|outubro|novem(?:bre|bro)|noviembre|dez(?:ember)?|d[ée]cembre|diciembre|dicembre|dezembro)"
)
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\W+)?"
_DAY = r"\d{1,4}(?:st|nd|rd|th|er)?"
_DATE = r"\d{1,4}([./-])\d{1,2}\1\d{1,4}"
_HALF = r"[ap]\.?\s?m\b"  # of a day
_CLOCK = rf"(?:[\W\d]|{_HALF}|uhr|at|um|(?<=\d)t(?=\d)|(?<=\d)z|(?<=:\d\d)\s?h|utc|gmt|[ecmp][sd]t|ces?t|mes?z)*"
_MONEY = "(?:usd|eur|gbp|chf|jpy|cny|aud|cad|nzd|sek|nok|dkk|pln|czk|huf|brl|mxn|zar|rs|kr|z[łl]|[a-z]{1,3}\\$)"
_IP = "[0-9a-f]{1,4}"
_SIGNS = {
    "is a date or a time": (
        r"\d{4}-?\d\d-?\d\d[t ]\d.*"
        rf"|{_WEEKDAY}(?:{_DATE}|\d{{1,2}}:\d\d|\d{{1,2}}\.\d\d\s?(?:{_HALF}|uhr)){_CLOCK}"
        rf"|{_WEEKDAY}{_DAY}\W*(?:(?:of|de)\W+)?{_MONTH_BEFORE_A_YEAR}\W*(?:del?\W+)?\d{{1,4}}(?:\W.*)?"
        rf"|{_WEEKDAY}{_MONTH}\W+{_DAY}(?:\W+\d.*)?"
        r"|(?:\w\w)?\d{1,4}\s?[年년]\s?\d{1,2}\s?[月월][\W\d日号時时点分秒일시분초]*"
    ),
    "is an amount of money": rf"{_MONEY}\.?\s?\d[\d\W]*[.,]\d\d|\d[\d\W]*[.,]\d\d\s?{_MONEY}",
    "is an e-mail address": r"[^@\s]+@[^@\s]+\.[^@\s]+",
    "is an address on the web": r"(?:https?|ftp)://.*|www\..*",
    "is an identifier": (
        r"\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?|(?=.*\d)(?:0x)?[0-9a-f]{16,}|(?:[0-9a-f]{2}:){5}[0-9a-f]{2}"
        rf"|(?=.*\d)(?:(?:{_IP}:){{7}}{_IP}|(?:[0-9a-f]{{3,4}}(?::{_IP})*)?::[0-9a-f:.]*)(?:[%/]\w+)?"
    ),
    "stands for no value, or for true or false": r"[?.-]+|n/a|null|nan|nil|none|true|false",
}


def as_header(header: Any) -> bool | tuple[str, ...] | None:
    """Return the kind of a file's first line, or refuse an unknown one."""
    if header is None or isinstance(header, bool):
        return header
    names = distinct_names(header)
    if not names or "" in names:
        raise InvalidValueError("header must be True, False or names of columns, and no name may be empty")
    return names


def sign_of_a_value(name: str) -> str | None:
    """Return the sign that a text is a person's value rather than a column's name; None if there is none."""
    text = name.strip()[:_LONGEST]
    if _is_number(text):
        return "is a number, or a date or the like in digits"
    return next((sign for sign, pattern in _SIGNS.items() if re.fullmatch(pattern, text, re.IGNORECASE)), None)


def check_line(names: Iterable[str], recurring: int | None, path: str) -> None:
    """Refuse a first line that looks like a person, without quoting its values."""
    if (first := _first_sign(names, recurring)) is not None:
        column, sign = first
        raise InvalidTableError(
            f"the first line of {path} looks like a person rather than names: what stands over column {column} {sign}; "
            "set header (--header) to yes if it holds names, or to no or the names (a,b,…) if it does not"
        )


def check_keys(names: Iterable[str], path: str, header: Header) -> None:
    """Refuse names in a file where each column has one, if they look like a person by themselves."""
    if header is False or isinstance(header, Sequence):
        raise InvalidTableError(f"{path} names its columns itself; header (--header) can only be yes")
    if header is None and (sign := _first_sign(names, None)) is not None:
        raise named_by_a_person(path, *sign)


def names_in_line(line: Sequence[str], path: str, *, numbered: bool) -> tuple[str, ...]:
    """Return the names of a CSV table's columns; R and pandas leave the name of a first column of row numbers empty.

    Parameters
    ----------
    line
        The name over each column.
    path
        The path for the error.
    numbered
        Whether the first column has no name because it holds row numbers: then its name is row.
    """
    names = tuple(line)
    if numbered:
        name, taken = _ROW_NUMBERS, {name.casefold() for name in names}
        while name in taken:
            name += "_"
        names = (name, *names[1:])
    if "" not in names:
        return names
    if not names[0] and len(names) > 1:
        raise InvalidTableError(
            f"{path} has no name for column 1, whose values are no row numbers that rise; set header (--header) to yes "
            f"if the first line holds names: the column is then called {_ROW_NUMBERS}; or to no or the names (a,b,…) "
            "if it does not"
        )
    raise InvalidTableError(
        f"{path} has no name for column {names.index('') + 1}; write one in its first line, or, if that holds no "
        "names, set header (--header) to no or the names (a,b,…)"
    )


def named_by_a_person(path: str, column: int, sign: str = _RECURS) -> InvalidTableError:
    """Return the error for names that look like a person's values, in a file that names its columns."""
    return InvalidTableError(
        f"the columns of {path} seem to be named by a person's values: the name of column {column} {sign}; if they "
        "are names all the same, set header (--header) to yes"
    )


def check_recurrence(recurs: Mapping[str, object], names: Sequence[str], path: str) -> None:
    """Refuse names of which some, as given here, are also values of their columns."""
    if recurring := [names.index(name) for name, comes in recurs.items() if comes]:
        raise named_by_a_person(path, min(recurring) + 1)


def _first_sign(names: Iterable[str], recurring: int | None) -> tuple[int, str] | None:
    signs = ((column, sign) for column, name in enumerate(names, start=1) if (sign := sign_of_a_value(name)))
    return next(signs, None if recurring is None else (recurring + 1, _RECURS))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return any(map(str.isdigit, text)) and not any(map(str.isalpha, text))
    return True


class Recurrence:
    """A search for a column's name among the values of that column in a CSV file, as bytes.

    Parameters
    ----------
    names
        The names; an empty name is not searched for.
    """

    def __init__(self, names: Sequence[str]) -> None:
        plain = [name.encode() for name in names]
        spelled = ([b'"' + name.replace(b'"', b'""') + b'"' for name in plain], plain)
        self._spelled = [_Texts([text if name else b"" for text, name in zip(s, plain, strict=True)]) for s in spelled]

    def column(self, data: Bytes, starts: Integers, lengths: Integers) -> int | None:
        """Return the first column that has its name as a value, given the start and the length of each value."""
        columns = [
            column for texts in self._spelled if (column := texts.first_match(data, starts, lengths)) is not None
        ]
        return min(columns, default=None)


class RowNumbers:
    """A check whether the values of a CSV file's first column, as bytes, are rising whole numbers."""

    def __init__(self) -> None:
        self.rise = True
        self._last = -1

    def read(self, data: Bytes, starts: Integers, lengths: Integers) -> None:
        """Examine the values with these starts and lengths; none is the last of the file."""
        quoted = data[starts] == _QUOTE
        starts, lengths = starts + quoted, lengths - 2 * quoted
        self.rise &= bool(((lengths > 0) & (lengths <= _LONGEST_ROW_NUMBER)).all())
        if not self.rise or not len(starts):
            return
        numbers = np.zeros(len(starts), np.int64)
        for offset in range(int(lengths.max())):
            inside = offset < lengths
            digits = data[starts + np.minimum(offset, lengths - 1)].astype(np.int64) - _ZERO
            self.rise &= not ((digits < 0) | (digits > 9)).any()
            numbers = np.where(inside, 10 * numbers + digits, numbers)
        self.rise &= bool((np.diff(numbers, prepend=self._last) > 0).all())
        self._last = int(numbers[-1])


class _Texts:
    def __init__(self, texts: Sequence[bytes]) -> None:
        self._bytes = np.frombuffer(b"".join(texts) + b"\0", dtype=np.uint8)
        self._lengths = np.array([len(text) for text in texts])
        self._starts = np.cumsum(self._lengths) - self._lengths

    def first_match(self, data: Bytes, starts: Integers, lengths: Integers) -> int | None:
        rows, columns = np.nonzero((lengths == self._lengths) & (lengths > 0))
        at, longest = starts[rows, columns], self._lengths[columns]
        for offset in range(int(self._lengths.max())):
            step = np.minimum(offset, longest - 1)
            same = data[at + step] == self._bytes[self._starts[columns] + step]
            at, columns, longest = at[same], columns[same], longest[same]
            if not len(at) or offset + 1 >= int(longest.max()):
                break
        return int(columns.min()) if len(columns) else None
