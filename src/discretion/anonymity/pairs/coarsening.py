"""Values of a column as coarse as those of another table, as far as their spelling tells."""

import math
import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

Text = str | None

_BEGINS_STEP = re.compile(r"\[|<|>=")
_STEP = re.compile(r"\[(\S+), (\S+)\)")
_DAY = re.compile(r"\d{4}(-\d{2}(-\d{2}([T ].*)?)?)?")
_OTHER = re.compile(r"(\(+)other(\)+)")

# Where a number or a step begins and ends, and whether the end is in it.
_Range = tuple[float, float, bool]


def as_coarse(values: Sequence[Text], groups: Sequence[Text]) -> list[Text] | None:
    """Return for each value the group that it is in, null for null; None where that is not plain.

    Groups are steps as ``[20, 40)``, ``<20`` and ``>=60``, beyond which a number stays itself; months or years of
    dates; or ``(other)`` beside values that are kept: as `discretion.release` writes them.

    Examples
    --------
    >>> as_coarse(["17", "[20, 25)", None], ["<20", "[20, 30)"])
    ['<20', '[20, 30)', None]
    >>> as_coarse(["2024-01-31", "2024-02-01"], ["2024-01", "2024-02"]), as_coarse(["a", "b"], ["a", "(other)"])
    (['2024-01', '2024-02'], ['a', '(other)'])
    >>> as_coarse(["[15, 25)"], ["<20", "[20, 30)"])
    """
    given = [value for value in values if value is not None]
    names = [group for group in groups if group is not None]
    if not names:
        return None
    group_of = _in_steps(given, names)
    if group_of is None:
        group_of = _in_dates(given, names)
    if group_of is None:
        group_of = _in_other(given, names)
    if group_of is None or all(value == group for value, group in group_of.items()):
        return None
    return [None if value is None else group_of[value] for value in values]


def _in_steps(values: Sequence[str], groups: Sequence[str]) -> dict[str, str] | None:
    if not any(map(_BEGINS_STEP.match, groups)):  # of a million plain numbers not one is parsed
        return None
    ranges = [(_range(group), group) for group in groups]
    steps = sorted((whole, group) for whole, group in ranges if whole is not None)
    apart = all(first[1] <= second[0] for (first, _), (second, _) in pairwise(steps))
    if len(steps) < len(groups) or not apart:
        return None
    starts = [whole[0] for whole, _ in steps]
    group_of: dict[str, str] = {}
    for value in values:
        if (part := _range(value)) is None:
            return None
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


def _range(text: str) -> _Range | None:
    try:
        if step := _STEP.fullmatch(text):
            return float(step[1]), float(step[2]), False
        if text.startswith("<"):
            return -math.inf, float(text[1:]), False
        if text.startswith(">="):
            return float(text[2:]), math.inf, True
        return None if math.isnan(number := float(text)) else (number, number, True)
    except ValueError:
        return None


def _in_dates(values: Sequence[str], groups: Sequence[str]) -> dict[str, str] | None:
    lengths = {*map(len, groups)}
    if len(lengths) > 1 or not all(map(_DAY.fullmatch, [*values, *groups])):
        return None
    (length,) = lengths
    return {value: value[:length] for value in values} if all(len(value) >= length for value in values) else None


def _in_other(values: Sequence[str], groups: Sequence[str]) -> dict[str, str] | None:
    rest = max(filter(_OTHER.fullmatch, groups), key=len, default=None)
    kept = {*groups} - {rest}
    if rest is None or not kept <= {*values}:
        return None
    return {value: value if value in kept else rest for value in values}
