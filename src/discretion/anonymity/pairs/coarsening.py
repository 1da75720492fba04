"""Generalization of a column's values to the groups of another table, where the spelling of groups shows them."""

import calendar
import math
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from itertools import pairwise

import numpy as np

from discretion.anonymity.releasing.column_values import MARKS, Dates, Numbers, Text, read_values

_BEGINS_STEP = re.compile(r"\[|<|>=|under |-?\d.* (to|or more)\b")
_STEP = re.compile(r"\[(\S+), (\S+)\)")
_STEP_IN_WORDS = re.compile(r"(\S+) to (under )?(\S+)")
_ALSO = re.compile(r"(.+), or (.+)", re.DOTALL)
_PERIOD = re.compile(r"(\d{4})(?:-(?:Q([1-4])|(\d{2})(?:-(\d{2})(?:[T ].*)?)?))?")
_OTHER = re.compile(r"(\(+)other(\)+)")
_SEPARATORS = str.maketrans("", "", " .-")

# Where a number or a range begins and ends, and whether the end is in it.
_Range = tuple[float, float, bool]


def as_coarse(values: Sequence[Text], groups: Sequence[Text]) -> list[Text] | None:
    """Return for each value the group that it is in; None where the groups are not clear.

    Groups are as `discretion.release` writes them: ranges of numbers or dates, while values outside all ranges stay
    themselves; shortened codes; or ``(other)`` with other values that are kept. Null stays null, or is in the group of
    missing values.

    Examples
    --------
    >>> as_coarse(["17", "20 to 24", None], ["under 20", "20 to 29"])
    ['under 20', '20 to 29', None]
    >>> as_coarse(["31.01.2024", "13.02.2024"], ["2024-01", "2024-02"]), as_coarse(["a", "b"], ["a", "(other)"])
    (['2024-01', '2024-02'], ['a', '(other)'])
    >>> as_coarse(["02139", "90210"], ["021**", "(other)"]), as_coarse(["15 to 24"], ["under 20", "20 to 29"])
    (['021**', '(other)'], None)
    """
    given = [value for value in values if value is not None]
    names = [group for group in groups if group is not None]
    if not names:
        return None
    group_of: dict[str, str] | None = None
    for ways in (_in_number_ranges, _in_date_ranges, _in_shorter_codes, _in_other):
        if (group_of := ways(given, names)) is not None:
            break
    if group_of is None or all(value == group for value, group in group_of.items()):
        return None
    null = None if None in groups else next((group for name, group in _apart(names).items() if _is_missing(name)), None)
    return [null if value is None else group_of[value] for value in values]


def _in_number_ranges(values: Sequence[str], groups: Sequence[str]) -> dict[str, str] | None:
    if not any(map(_BEGINS_STEP.match, groups)):  # of a million plain numbers not one is parsed
        return None
    return _in_ranges(values, groups, _number_range, _number_ranges)


def _in_date_ranges(values: Sequence[str], groups: Sequence[str]) -> dict[str, str] | None:
    apart = _apart(groups)
    if not all(group in apart.values() or _date_range(group) for group in groups):
        return None
    return _in_ranges(values, groups, _date_range, _date_ranges)


def _in_ranges(
    values: Sequence[str],
    groups: Sequence[str],
    range_of: Callable[[str], _Range | None],
    ranges_of: Callable[[Sequence[str]], Mapping[str, _Range]],
) -> dict[str, str] | None:
    apart = _apart(groups)
    spelled = {group: range_of(_alone(group)) for group in groups}
    steps = sorted((whole, group) for group, whole in spelled.items() if whole is not None)
    if not steps or any(first[1] > second[0] for (first, _), (second, _) in pairwise(steps)):
        return None
    if any(whole is None and group not in apart for group, whole in spelled.items()):
        return None
    parts = {value: range_of(value) for value in values}
    if any(part is None for part in parts.values()):
        parts |= ranges_of([value for value, part in parts.items() if part is None])
    if 2 * sum(part is not None for part in parts.values()) < len(parts):
        return None
    starts = [whole[0] for whole, _ in steps]
    group_of: dict[str, str] = {}
    for value, part in parts.items():
        if part is None:
            if (group := _group_apart(value, apart)) is None:
                return None
            group_of[value] = group
            continue
        place = bisect_right(starts, part[0])
        before, after = steps[max(place - 1, 0)][0], steps[place : place + 1]
        if place and part[1:] <= before[1:]:
            group_of[value] = steps[place - 1][1]
        elif (place and _reaches(before, part[0])) or (after and _reaches(part, after[0][0][0])):
            return None
        else:  # what nobody in the coarser table has
            group_of[value] = value
    return group_of


def _reaches(part: _Range, point: float) -> bool:
    return part[1] > point or (part[1] == point and part[2])


def _apart(groups: Sequence[str]) -> dict[str, str]:
    """Return the marks of missing and of other values, each with the group that contains it."""
    apart = {group: group for group in groups if _is_missing(group) or _OTHER.fullmatch(group)}
    return apart | {group[len(alone) + len(", or ") :]: group for group in groups if (alone := _alone(group)) != group}


def _alone(group: str) -> str:
    """Return a group without the missing or other values that it also contains, as in ``80 or more, or NA``."""
    also = _ALSO.fullmatch(group)
    return also[1] if also and (_is_missing(also[2]) or _OTHER.fullmatch(also[2])) else group


def _is_missing(text: str) -> bool:
    return text.strip().casefold() in MARKS


def _group_apart(value: str, apart: Mapping[str, str]) -> str | None:
    """Return the group of a value that is in no range, if there is one."""
    if value in apart:
        return apart[value]
    is_alike = _is_missing if _is_missing(value) else _OTHER.fullmatch
    return next((group for name, group in apart.items() if is_alike(name)), next(iter(apart.values()), None))


def _number_range(text: str) -> _Range | None:
    try:
        if step := _STEP.fullmatch(text):
            return float(step[1]), float(step[2]), False
        if step := _STEP_IN_WORDS.fullmatch(text):
            return float(step[1]), float(step[3]), not step[2]
        for start in ("<", "under "):
            if text.startswith(start):
                return -math.inf, float(text.removeprefix(start)), False
        if text.startswith(">=") or text.endswith(" or more"):
            return float(text.removeprefix(">=").removesuffix(" or more")), math.inf, True
        return None if math.isnan(number := float(text)) else (number, number, True)
    except ValueError:
        return None


def _number_ranges(texts: Sequence[str]) -> dict[str, _Range]:
    """Return texts as numbers of a column, such as ``1,200`` and ``87+``."""
    read = read_values(texts, np.ones(len(texts), np.int64))
    if not isinstance(read, Numbers):
        return {}
    pairs = zip(texts, read.values.tolist(), strict=True)
    return {
        text: (-math.inf if number <= read.lowest else number, math.inf if number >= read.highest else number, True)
        for text, number in pairs
        if not math.isnan(number)
    }


def _date_range(text: str) -> _Range | None:
    """Return the days of a period, as days from the year 1."""
    if text.startswith("before "):
        period = _period(text.removeprefix("before "))
        return None if period is None else (-math.inf, period[0], False)
    if text.endswith(" or later"):
        period = _period(text.removesuffix(" or later"))
        return None if period is None else (period[0], math.inf, True)
    ends = [_period(part) for part in text.split(" to ", 1)]
    first, last = ends[0], ends[-1]
    return None if first is None or last is None else (first[0], last[1], False)


def _period(text: str) -> tuple[float, float] | None:
    if not (match := _PERIOD.fullmatch(text)):
        return None
    year, quarter, month, day = (int(part) if part else None for part in match.groups())
    first, last = (3 * quarter - 2, 3 * quarter) if quarter else (month or 1, month or 12)
    try:
        start = date(year or 0, first, day or 1)
        end = start if day else date(year or 0, last, calendar.monthrange(year or 0, last)[1])
    except ValueError:
        return None
    return start.toordinal(), end.toordinal() + 1


def _date_ranges(texts: Sequence[str]) -> dict[str, _Range]:
    """Return texts as dates of a column, such as ``31.01.2024``."""
    read = read_values(texts, np.ones(len(texts), np.int64))
    if not isinstance(read, Dates) or read.unit != "day":
        return {}
    pairs = zip(texts, read.values.tolist(), strict=True)
    return {text: (day, day + 1, False) for text, day in pairs if not math.isnan(day)}


def _in_shorter_codes(values: Sequence[str], groups: Sequence[str]) -> dict[str, str] | None:
    apart = _apart(groups)
    if not any(_alone(group).endswith("*") for group in groups):
        return None
    begins = {_characters(_alone(group)): group for group in groups if group not in apart}
    lengths = {len(_alone(group)) for group in groups if _alone(group).endswith("*")}
    width = lengths.pop() if len(lengths) == 1 else 0
    group_of: dict[str, str] = {}
    for value in values:
        code = _characters(value.zfill(width) if value.isdecimal() else value)
        if value.endswith("*") and any(prefix != code and prefix.startswith(code) for prefix in begins):
            return None
        prefix = next((code[:end] for end in range(len(code), 0, -1) if code[:end] in begins), None)
        group = _group_apart(value, apart) if prefix is None else begins[prefix]
        if group is None:
            return None
        group_of[value] = group
    return group_of


def _characters(code: str) -> str:
    """Return the letters and digits of a code, which may be shortened."""
    return code.rstrip("*").translate(_SEPARATORS).upper()


def _in_other(values: Sequence[str], groups: Sequence[str]) -> dict[str, str] | None:
    rest = max(filter(_OTHER.fullmatch, groups), key=len, default=None)
    kept = {*groups} - {rest}
    if rest is None or not kept <= {*values}:
        return None
    missing = next(filter(_is_missing, kept), rest)
    return {value: value if value in kept else missing if _is_missing(value) else rest for value in values}
