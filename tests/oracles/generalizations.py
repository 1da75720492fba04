"""Whether a label of a generalization contains a value, by reading both one by one."""

import re
from datetime import date, datetime
from typing import Any

MARKS = {"", "na", "n/a", "nan", "null", "?", ".", "-", "unknown", "none"}


def contains(label: Any, value: Any) -> bool:  # noqa: PLR0911 - a way for each form
    """Return whether a label says nothing untrue of a value."""
    if label is None or value is None or value in MARKS or value.casefold() in MARKS:
        return label is None or re.split(", or ", label)[-1].casefold() in {*MARKS, "missing"} or "other)" in label
    if "other)" in label:
        return True
    label, value = str(label).split(", or ")[0], str(value)
    if label == value:
        return True
    if label.endswith("*"):
        return value.startswith(label.rstrip("*"))
    if (day := as_date(value)) is not None:
        return date_inside(label, day)
    low, high = number_ends(value)
    if label.startswith("under "):
        return high < float(label[6:]) or (value.startswith("under") and high <= float(label[6:]))
    if label.endswith(" or more"):
        return low >= float(label[:-8])
    if " to under " in label:
        first, last = map(float, label.split(" to under "))
        return first <= low and high < last
    if " to " in label:
        first, last = map(float, label.split(" to "))
        return first <= low and high <= last
    return low == high == float(label)


def number_ends(value: str) -> tuple[float, float]:
    """Return the least and the greatest number that a cell may stand for."""
    for start in (">=", "over "):
        if value.startswith(start):
            return float(value.removeprefix(start)), float("inf")
    for end in ("+", " or more"):
        if value.endswith(end):
            return float(value.removesuffix(end)), float("inf")
    if value.startswith("under "):
        return float("-inf"), float(value[6:])
    plain = value.replace(",", ".") if re.fullmatch(r"-?\d+,\d\d", value) else value.replace(",", "")
    return float(plain), float(plain)


def as_date(value: str) -> date | None:
    """Return the day of a cell."""
    for form in ("%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y %H:%M"):
        try:
            return datetime.strptime(value, form).date()
        except ValueError:
            continue
    return None


def date_inside(label: str, day: date) -> bool:
    """Return whether a day is in a period."""
    if label.startswith("before "):
        return not at_or_after(label[7:], day)
    if label.endswith(" or later"):
        return at_or_after(label[:-9], day)
    first, _, last = label.partition(" to ")
    return at_or_after(first, day) and not after(last or first, day)


def at_or_after(start: str, day: date) -> bool:
    return spelled(day, start) >= start


def after(end: str, day: date) -> bool:
    return spelled(day, end) > end


def spelled(day: date, like: str) -> str:
    """Return a day as its period is spelled."""
    if "Q" in like:
        return f"{day.year:04}-Q{(day.month + 2) // 3}"
    return day.isoformat()[: len(like)]
