"""Values of a column read as numbers, dates or codes, with marks of missing values and a few odd cells."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal

import numpy as np

from discretion.anonymity.people.column_kinds import name_words
from discretion.numerics.arrays import Booleans, Integers, Reals

DateOrder = Literal["dmy", "mdy", "ymd"]
Unit = Literal["day", "month", "year"]
DATE_ORDERS: tuple[DateOrder, ...] = ("dmy", "mdy", "ymd")
#: Marks of a missing value in small letters; the last few are values of their own in a column of categories.
MARKS = ("", "na", "n/a", "#n/a", "nan", "null", "missing", "unknown", ".", "-", "--", "?", "none")
_ONLY_BESIDE_A_KIND = frozenset({"none", "unknown"})

# The largest share of odd cells among the cells with a value.
ODD_SHARE = 0.02

_CURRENCY = "[$€£]?"
# How numbers are grouped by thousands, and what their decimals follow; of equal ones the first is taken.
_SEPARATORS = ((",", "."), (".", ","), ("[   ]", ","), ("[   ]", "."), ("['’]", "."), ("", ","))
_DOTTED = re.compile(r"[-+]?([1-9]\d{0,2}(\.\d{3})+|\d{1,3})")
_NUMBER = r"[-+]?[\d.,'’   $€£]*\d"
_TOP = re.compile(
    rf"(?:>=?|≥|=>|over|above|more than|at least) ?({_NUMBER})"
    rf"|({_NUMBER}) ?(?:\+|plus|(?:or|and) (?:more|over|older|above|up|greater))",
    re.IGNORECASE,
)
_BELOW = re.compile(rf"(?:<|under|below|less than|younger than) ?({_NUMBER})", re.IGNORECASE)
_BOTTOM = re.compile(
    rf"(?:<=|≤|=<|up to|at most) ?({_NUMBER})|({_NUMBER}) ?(?:or|and) (?:less|under|fewer|younger|below)", re.IGNORECASE
)

_CLOCK = r"(?:[T ,]+\d{1,2}[:.]\d{2}.*)?"
_ISO = re.compile(rf"(\d{{4}})(?:[-/](\d{{1,2}})|([-/.])(\d{{1,2}})\3(\d{{1,2}}){_CLOCK})")
_DIGITS = re.compile(r"(\d{4})(\d{2})(\d{2})")
_LOCAL = re.compile(rf"(\d{{1,2}})([-/. ])(\d{{1,2}})\2(\d{{4}}|\d{{2}}){_CLOCK}")
_DAY_NAMED = re.compile(rf"(\d{{1,2}})[-. ]+([A-Za-z]{{3}})[a-z]*[-., ]+(\d{{4}}|\d{{2}}){_CLOCK}")
_NAMED_DAY = re.compile(rf"([A-Za-z]{{3}})[a-z]*[ .]+(\d{{1,2}}),? +(\d{{4}}){_CLOCK}")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# Years of two digits are from 1930 to 2029, as in spreadsheets.
_LAST_SHORT_YEAR = 29
_DATE_WORDS = {"birth", "birthday", "date", "dates", "day", "dob", "dod", "dt", "ymd"}

_ZIP_WORDS = {"zip", "zipcode", "zcta"}
_POSTAL_WORDS = {*_ZIP_WORDS, "postcode", "postal", "postalcode", "plz", "postleitzahl", "pincode"}
_CODE_WORDS = {
    "atc", "cpt", "cpv", "drg", "fips", "icd", "isco", "isic", "nace", "naics", "nuts", "phone", "prefix", "sic", "tel",
    "telephone",
}  # fmt: skip
_UK = re.compile(r"([A-Z]{1,2})(\d[A-Z\d]?) ?(\d)([A-Z]{2})")
_DUTCH = re.compile(r"([1-9])(\d)(\d)(\d) ?([A-Z]{2})")
_ZIP = re.compile(r"(\d)(\d)(\d)(\d)(\d)(-\d{4})?")
_LETTER = re.compile(r"([A-Z])(\d)([\dA-Z])(\.?[\dA-Z]{1,4})?")
_SHORT_CODE, _LONG_CODE = 3, 15

Text = str | None


@dataclass(frozen=True)
class Reading:
    """Settings to read the values of a column: the order of its dates, its missing marks and its bins.

    ``missing`` replaces the marks in :data:`MARKS`, and ``bins`` are the numbers at which a bin begins. By default the
    column itself decides.
    """

    order: DateOrder | None = None
    missing: Sequence[str] = ()
    bins: Sequence[float] = ()


#: As the column itself shows.
BY_COLUMN = Reading()


@dataclass(frozen=True)
class Numbers:
    """The numbers of a column; every other label is missing or odd.

    Parameters
    ----------
    values
        The number of each label, NaN where it is none; for a top or bottom code, its bound.
    missing, odd
        Whether each label is missing (null included), and whether it is neither missing nor a number.
    lowest, highest
        Numbers up to or from here are in one category with a code such as ``<5`` or ``87+``.
    """

    values: Reals
    missing: Booleans
    odd: Booleans
    lowest: float = -math.inf
    highest: float = math.inf


@dataclass(frozen=True)
class Dates:
    """The dates of a column as days from the year 1; for an ambiguous date only the year counts.

    Parameters
    ----------
    values
        The day of each label, NaN where it is none; the first day if only the month or year is known.
    missing, odd
        Whether each label is missing (null included), and whether it is neither missing nor a date.
    unit
        The finest unit that is known for all of them.
    """

    values: Reals
    missing: Booleans
    odd: Booleans
    unit: Unit


@dataclass(frozen=True)
class Codes:
    """The codes of a column, whose first characters are coarser codes.

    Parameters
    ----------
    parts
        The parts of each label's code, from the coarsest; empty where it is no code.
    missing, odd
        Whether each label is missing (null included), and whether it is neither missing nor a code.
    width
        The number of characters to which a shortened code is padded with ``*``; None is one ``*``.
    """

    parts: Sequence[Sequence[str]]
    missing: Booleans
    odd: Booleans
    width: int | None


def read_values(
    labels: Sequence[Any], people: Integers, name: str = "", reading: Reading = BY_COLUMN
) -> Numbers | Dates | Codes | None:
    """Return the values of a column as the kind of nearly all of them, or None if that is none of the three kinds.

    Parameters
    ----------
    labels
        The distinct values; None is null.
    people
        The number of people with each.
    name
        The column's name: digits in a column of postcodes are no number.
    reading
        The settings to read its values.

    Examples
    --------
    >>> people = np.array([40, 30, 2])
    >>> read_values(["1,200", "800", "NA"], people).values.tolist()
    [1200.0, 800.0, nan]
    >>> read_values(["24/12/2020", "01/02/2021", "?"], people).unit
    'day'
    >>> read_values(["02139", "90210", ""], people).parts[0]
    ('0', '2', '1', '3', '9')
    """
    if all(label is None or isinstance(label, bool) for label in labels):
        return None
    missing = missing_labels(labels, reading.missing)
    texts = [None if away else _text(label) for label, away in zip(labels, missing, strict=True)]
    given = float(people[~missing].sum())
    words = {*name_words(name)}

    def enough(fits: Booleans) -> bool:
        return bool(fits.any()) and float(people[~fits & ~missing].sum()) <= ODD_SHARE * given

    if reading.bins:
        return _numbers(labels, texts, people, missing, lambda fits: bool(fits.any()))
    return (
        _dates(labels, texts, people, missing, words, reading.order, enough)
        or _codes(texts, people, missing, words, enough)
        or _numbers(labels, texts, people, missing, enough)
    )


def missing_labels(labels: Sequence[Any], marks: Sequence[str] = (), *, categories: bool = False) -> Booleans:
    """Return which labels are null, blank or a mark of a missing value; among categories, none and unknown are not."""
    known = {mark.strip().casefold() for mark in marks} or {*MARKS} - (_ONLY_BESIDE_A_KIND if categories else set())
    return np.array(
        [
            label is None
            or (isinstance(label, float) and math.isnan(label) and "nan" in known)
            or (not isinstance(label, bool) and _text(label).casefold() in known)
            for label in labels
        ],
        bool,
    )


def _text(label: Any) -> str:
    """Return a label as text; 2139.0 is 2139."""
    return f"{label:.0f}" if isinstance(label, float) and label.is_integer() else str(label).strip()


Enough = Callable[[Booleans], bool]


def _numbers(
    labels: Sequence[Any], texts: Sequence[Text], people: Integers, missing: Booleans, enough: Enough
) -> Numbers | None:
    """Return numbers, with top codes and bottom codes."""
    if all(text is None or isinstance(label, int | float | Decimal) for label, text in zip(labels, texts, strict=True)):
        values = np.array([_float(label) for label in labels])
        values[missing] = math.nan
        return Numbers(values, missing, np.isnan(values) & ~missing) if enough(~np.isnan(values)) else None
    parse = _number_parser(texts, people)
    values = np.array([math.nan if text is None else parse(text) for text in texts])
    whole = bool((values[~np.isnan(values)] % 1 == 0).all())
    tops, bottoms = np.full(values.size, math.nan), np.full(values.size, math.nan)
    for place in np.flatnonzero(np.isnan(values) & ~missing).tolist():
        text = texts[place] or ""
        if top := _TOP.fullmatch(text):
            tops[place] = parse(top[1] or top[2])
        elif below := _BELOW.fullmatch(text):
            bottoms[place] = parse(below[1]) - 1 if whole else np.nextafter(parse(below[1]), -math.inf)
        elif bottom := _BOTTOM.fullmatch(text):
            bottoms[place] = parse(bottom[1] or bottom[2])
    # A top or bottom code counts as such only if no more people have numbers beyond it than have the code.
    for codes, beyond in ((tops, values.__gt__), (bottoms, values.__lt__)):
        for end in np.unique(codes[~np.isnan(codes)]):
            if people[beyond(end)].sum() > people[codes == end].sum():
                codes[codes == end] = math.nan
    highest = math.inf if np.isnan(tops).all() else float(np.nanmin(tops))
    lowest = -math.inf if np.isnan(bottoms).all() else float(np.nanmax(bottoms))
    if lowest >= highest:
        return None
    values = np.where(np.isnan(tops), np.where(np.isnan(bottoms), values, bottoms), tops)
    fits = ~np.isnan(values)
    return Numbers(values, missing, ~fits & ~missing, lowest, highest) if enough(fits) else None


def _number_parser(texts: Sequence[Text], people: Integers) -> Callable[[str], float]:
    """Return a parser for the numbers of a column, with the separators that give most people a number."""
    plain = np.array([text is None or not math.isnan(_float(text)) for text in texts])
    dotted = [text for text in texts if text is not None and "." in text]
    if plain.all() and not (
        dotted and len(dotted) < len(texts) and all(t is None or _DOTTED.fullmatch(t) for t in texts)
    ):
        return _float
    parsers = [_float, *(_parser(thousands, point) for thousands, point in _SEPARATORS)]
    if dotted and plain.all():
        return _parser(".", ",")
    fits = [
        sum(count for text, count in zip(texts, people.tolist(), strict=True) if text and not math.isnan(parse(text)))
        for parse in parsers
    ]
    return parsers[int(np.argmax(fits))]


def _parser(thousands: str, point: str) -> Callable[[str], float]:
    whole = (
        rf"\d{{1,3}}(?:{re.escape(thousands) if len(thousands) == 1 else thousands}\d{{3}})+|\d+"
        if thousands
        else r"\d+"
    )
    form = re.compile(rf"([-+]?){_CURRENCY} ?({whole})(?:{re.escape(point)}(\d+))?")

    def parse(text: str) -> float:
        if (match := form.fullmatch(text)) is None:
            return math.nan
        return float(f"{match[1]}{re.sub(r'[^0-9]', '', match[2])}.{match[3] or 0}")

    return parse


def _float(value: Any) -> float:
    """Return a value as a finite number, else NaN."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan
    return number if math.isfinite(number) else math.nan


def _dates(  # noqa: PLR0917 - of a column
    labels: Sequence[Any],
    texts: Sequence[Text],
    people: Integers,
    missing: Booleans,
    words: Iterable[str],
    given: DateOrder | None,
    enough: Enough,
) -> Dates | None:
    """Return days if the order of day and month in the column is known, else months or years."""
    digits = bool(_DATE_WORDS & {*words})
    local = [_LOCAL.fullmatch(text) if text else None for text in texts]
    order = given or _date_order(local, people)
    parsed = [
        label if isinstance(label, date) else None if text is None else _date(text, match, order, digits=digits)
        for label, text, match in zip(labels, texts, local, strict=True)
    ]
    fits = np.array([each is not None for each in parsed])
    if not enough(fits):
        return None
    weights, depths = people[fits], [3 if isinstance(each, date) else len(each) for each in parsed if each is not None]
    units: dict[int, Unit] = {3: "day", 2: "month", 1: "year"}
    depth = next(depth for depth in units if weights[np.array(depths) < depth].sum() <= ODD_SHARE * weights.sum())
    values = np.full(len(texts), math.nan)
    for place, each in enumerate(parsed):  # a month alone among days is odd
        if isinstance(each, date):
            values[place] = each.toordinal()
        elif each is not None and len(each) >= depth:
            values[place] = date(*each, *[1] * (3 - len(each))).toordinal()
    fits = ~np.isnan(values)
    return Dates(values, missing, ~fits & ~missing, units[depth]) if enough(fits) else None


def _date_order(local: Sequence[re.Match[str] | None], people: Integers) -> DateOrder | None:
    """Return the order of day, month and year in the dates of a column, None if several orders fit."""
    shown = {"dmy": 0, "mdy": 0, "ymd": 0}
    dots = True
    for match, count in zip(local, people.tolist(), strict=True):
        if match is None:
            continue
        first, second = int(match[1]), int(match[3])
        dots &= match[2] == "."
        if first > 31:
            shown["ymd"] += count
        elif (first > 12) != (second > 12):
            shown["dmy" if first > second else "mdy"] += count
    best: DateOrder = max(DATE_ORDERS, key=shown.__getitem__)
    if shown[best] > 0 and sum(shown.values()) - shown[best] <= ODD_SHARE * people.sum():
        return best
    return "dmy" if dots and not any(shown.values()) else None


def _date(
    text: str, local: re.Match[str] | None, order: DateOrder | None, *, digits: bool
) -> date | tuple[int, ...] | None:
    """Return the date in a text: a day, or the year and month, or the year; None if it is no date."""
    parts: tuple[int, ...]
    if iso := _ISO.fullmatch(text):
        parts = (int(iso[1]), int(iso[4]), int(iso[5])) if iso[3] else (int(iso[1]), int(iso[2]))
    elif digits and (day := _DIGITS.fullmatch(text)):
        parts = (int(day[1]), int(day[2]), int(day[3]))
    elif local:
        first, second, last = int(local[1]), int(local[3]), local[4]
        if order == "ymd":
            parts = (_year(local[1]), second, int(last))
        elif order is None:
            parts = (
                (_year(last),)
                if first == second or _is_day(_year(last), second, first) or _is_day(_year(last), first, second)
                else (0,)
            )
        else:
            parts = (_year(last), second, first) if order == "dmy" else (_year(last), first, second)
    elif (named := _DAY_NAMED.fullmatch(text)) and named[2].lower() in _MONTHS:
        parts = (_year(named[3]), _MONTHS.index(named[2].lower()) + 1, int(named[1]))
    elif (named := _NAMED_DAY.fullmatch(text)) and named[1].lower() in _MONTHS:
        parts = (int(named[3]), _MONTHS.index(named[1].lower()) + 1, int(named[2]))
    else:
        return None
    if not _is_day(*parts, *[1] * (3 - len(parts))):
        return None
    return date(*parts) if len(parts) == 3 else parts


def _year(text: str) -> int:
    year = int(text)
    return year if len(text) > 2 else year + (2000 if year <= _LAST_SHORT_YEAR else 1900)


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        datetime(year, month, day)
    except ValueError:
        return False
    return True


def _codes(
    texts: Sequence[Text], people: Integers, missing: Booleans, words: Iterable[str], enough: Enough
) -> Codes | None:
    """Return codes of a usual form, or values that the column's name or leading zeros mark as codes."""
    given = [None if text is None else text.upper() for text in texts]
    named = {*words}

    def codes(parts: Sequence[Sequence[str]], width: int | None) -> Codes:
        fits = np.array([bool(each) for each in parts])
        return Codes(parts, missing, ~fits & ~missing, width)

    def fitting(form: re.Pattern[str]) -> list[Sequence[str]]:
        matches = (None if text is None else form.fullmatch(text) for text in given)
        return [() if match is None else tuple(filter(None, match.groups())) for match in matches]

    for form in (_UK, _DUTCH, _LETTER):
        parts = fitting(form)
        if enough(np.array([bool(each) for each in parts])):
            if form is _UK:
                parts = [(each[0], f"{each[1]} ", *each[2:]) if each else each for each in parts]
            elif form is _DUTCH:
                parts = [(*each[:4], f" {each[4]}") if each else each for each in parts]
            return codes(parts, None)
    long_zips = fitting(_ZIP)
    if any(len(each) > 5 for each in long_zips) and enough(np.array([bool(each) for each in long_zips])):
        return codes(long_zips, 5)
    if named & _POSTAL_WORDS:
        return _characters(given, codes, enough, fewest=5 if named & _ZIP_WORDS else 1)
    if named & _CODE_WORDS:
        return _characters(given, codes, enough)
    digits = np.array([text is not None and text.isdecimal() and len(text) >= _SHORT_CODE for text in given])
    zeros = np.array([text is not None and fits and text[0] == "0" for text, fits in zip(given, digits, strict=True)])
    one_length = len({len(text) for text, fits in zip(given, digits, strict=True) if text is not None and fits}) == 1
    plus = np.array([text is not None and text[:1] == "+" and text[1:].isdecimal() for text in given])
    if zeros.any() and enough(digits | plus) and (one_length or people[zeros].sum() > ODD_SHARE * people[digits].sum()):
        return _characters(given, codes, enough)
    return None


def _characters(
    texts: Sequence[Text],
    codes: Callable[[Sequence[Sequence[str]], int | None], Codes],
    enough: Enough,
    *,
    fewest: int = 0,
) -> Codes | None:
    """Return codes in which each letter or digit is a part; a postcode that lost its leading zeros gets them back."""
    fits = [text is not None and len(text) <= _LONG_CODE and any(map(str.isdecimal, text)) for text in texts]
    fits = [fit and all(c.isalnum() or c in " .-+" for c in text or "") for fit, text in zip(fits, texts, strict=True)]
    if not enough(np.array(fits)):
        return None
    if fewest and all(text.isdecimal() for text, fit in zip(texts, fits, strict=True) if text is not None and fit):
        longest = max(fewest, *(len(text) for text, fit in zip(texts, fits, strict=True) if text is not None and fit))
        texts = [
            text.zfill(longest) if fit and text is not None else text for text, fit in zip(texts, fits, strict=True)
        ]
    lengths = {len(text) for text, fit in zip(texts, fits, strict=True) if fit and text is not None}
    # A separator belongs to the part after it.
    parts = [
        tuple(re.findall(r"[ .\-+]*[^ .\-+]", text)) if fit and text is not None else ()
        for text, fit in zip(texts, fits, strict=True)
    ]
    return codes(parts, lengths.pop() if len(lengths) == 1 else None)
