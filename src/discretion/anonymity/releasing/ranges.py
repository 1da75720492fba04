"""Ranges of numbers and dates: the edges of coarser ranges are edges of finer ones, and no range has few people."""

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

import numpy as np

from discretion.anonymity.releasing.column_values import Dates, Numbers
from discretion.numerics.arrays import Integers, Reals

# More ranges than these are no help to a reader; a choice between steps is made among ranges that are few.
_LEGIBLE = 100
_RARE_MERGED = "rare merged"  # of whole numbers in steps of 1
_FEW_RANGES = 12
# After the last steps of one width, adjacent ranges are merged to these numbers of ranges.
_MERGED = (20, 12, 8, 5, 3, 2)
# Steps of one width are offered if they keep at least this share of the entropy of as many ranges of any width.
_EVEN_ENOUGH = 0.8
# Steps of 1, 2, 5, 10, … are used if few of them have this many times the entropy.
_POWERS_TELL_MORE = 1.15
# Rounder ranges that are at least this share of the finer ones replace them.
_HARDLY_FEWER = 0.9
_LARGEST_WHOLE = 2.0**53
_MONTH, _QUARTER, _YEAR = 1, 3, 12
_UNITS = {
    "months": _MONTH,
    "quarters": _QUARTER,
    "years": _YEAR,
    "in steps of 5 years": 5 * _YEAR,
    "in steps of 10 years": 10 * _YEAR,
}


@dataclass(frozen=True)
class Ranges:
    """Ranges, each from its edge to the next.

    Parameters
    ----------
    how
        The description of the ranges.
    edges
        The points where one range ends and the next begins.
    low, high
        The start of the first range and the end of the last; None if it is open.
    """

    how: str
    edges: Reals
    low: float | None = None
    high: float | None = None

    def ends(self) -> list[tuple[float | None, float | None]]:
        """Return the start and the end of each range."""
        return [*pairwise([self.low, *self.edges.tolist(), self.high])]


def number_ranges(numbers: Numbers, people: Integers, k: int) -> tuple[Ranges, ...]:
    """Return ranges of numbers, the finest first: steps of one width, or of 1, 2, 5, 10, … for a higher entropy."""
    values, weights = _sorted(numbers.values, people)
    if not values.size or not 0 < values[-1] - values[0] < math.inf:
        return ()
    whole = is_whole(values)
    even = _chain(_even_grids(values, weights, k, whole=whole), numbers, values, weights, k)
    powers = _chain(_power_grids(values, whole=whole), numbers, values, weights, k)
    few = [_entropy_of_few(chain, values, weights) for chain in (even, powers)]
    return powers if few[1] > _POWERS_TELL_MORE * few[0] else even


def given_ranges(numbers: Numbers, people: Integers, k: int, bins: Sequence[float]) -> tuple[Ranges, ...]:
    """Return ranges at the user's own edges, and coarser ones."""
    values, weights = _sorted(numbers.values, people)
    edges = np.unique(np.array(bins, np.float64))
    edges = edges[(edges > numbers.lowest) & (edges <= numbers.highest)]
    closed = edges.size > 1 and values.size and values[0] >= edges[0] and numbers.lowest == -math.inf
    first = Ranges("in the given bins", edges[1:], float(edges[0])) if closed else Ranges("in the given bins", edges)
    kept = _enough_people(first.edges, np.zeros(first.edges.size, np.int64), values, weights, k)
    enough = [Ranges("in the given bins or more", kept)] if kept.size < first.edges.size else []
    return (first, *enough, *_merged(kept, values, weights))


def date_ranges(dates: Dates, people: Integers, k: int) -> tuple[Ranges, ...]:
    """Return months, quarters and years, from the finest known unit on, and steps of years."""
    values, weights = _sorted(dates.values, people)
    if not values.size:
        return ()
    months = [12 * day.year + day.month - 1 for day in map(date.fromordinal, values[[0, -1]].astype(int).tolist())]
    grids: list[tuple[str, Reals]] = []
    for how, unit in _UNITS.items():
        if unit >= (_YEAR if dates.unit == "year" else _MONTH):
            first, last = months[0] // unit * unit, months[1] // unit * unit + unit
            starts = [_day_of_month(month) for month in range(first, last + unit, unit)]
            grids.append((how, np.array([each for each in starts if each is not None], np.float64)))
    return _chain(grids, None, values, weights, k)


def is_whole(values: Reals) -> bool:
    """Return whether all are whole numbers, and small enough for doubles to distinguish adjacent ones."""
    return bool((values == np.floor(values)).all() and np.abs(values).max() <= _LARGEST_WHOLE)


def number_range_name(low: float | None, high: float | None, *, whole: bool) -> str:
    """Return the name of a range of numbers, such as ``10 to 19``, ``under 10``, ``60 or more``.

    Examples
    --------
    >>> number_range_name(10, 20, whole=True), number_range_name(0.5, 1, whole=False)
    ('10 to 19', '0.5 to under 1')
    """
    if low is None:
        return "any number" if high is None else f"under {_spelled(high)}"
    if high is None:
        return f"{_spelled(low)} or more"
    if not whole or low % 1 or high % 1:
        return f"{_spelled(low)} to under {_spelled(high)}"
    return _spelled(low) if high == low + 1 else f"{_spelled(low)} to {_spelled(high - 1)}"


def date_range_name(low: float | None, high: float | None) -> str:
    """Return the name of a range of days, by its months, quarter or years.

    Examples
    --------
    >>> from datetime import date
    >>> days = [date(2020, 1, 1).toordinal(), date(2020, 4, 1).toordinal(), date(2021, 1, 1).toordinal()]
    >>> date_range_name(days[0], days[1]), date_range_name(days[0], days[2]), date_range_name(None, days[1])
    ('2020-Q1', '2020', 'before 2020-04')
    """
    if low is None:
        return "any date" if high is None else f"before {_spelled_month(_months(high))}"
    first = _months(low)
    if high is None:
        return f"{_spelled_month(first)} or later"
    last = _months(high)
    if first % _YEAR == 0 and last % _YEAR == 0:
        years = (first // _YEAR, last // _YEAR - 1)
        return f"{years[0]:04}" if years[0] == years[1] else f"{years[0]:04} to {years[1]:04}"
    if first % _QUARTER == 0 and last == first + _QUARTER:
        return f"{first // _YEAR:04}-Q{first % _YEAR // _QUARTER + 1}"
    names = [f"{month // _YEAR:04}-{month % _YEAR + 1:02}" for month in (first, last - 1)]
    return names[0] if names[0] == names[1] else " to ".join(names)


def _months(day: float) -> int:
    """Return the number of months before the first day of a month."""
    start = date.fromordinal(int(day))
    return _YEAR * start.year + start.month - 1


def _spelled_month(month: int) -> str:
    return f"{month // _YEAR:04}" if month % _YEAR == 0 else f"{month // _YEAR:04}-{month % _YEAR + 1:02}"


def _day_of_month(month: int) -> int | None:
    """Return the first day of a month; None outside of the calendar, where ranges have no edge."""
    year = month // _YEAR
    return date(year, month % _YEAR + 1, 1).toordinal() if date.min.year <= year <= date.max.year else None


def _spelled(number: float) -> str:
    """Return a number with enough digits to distinguish it from the next."""
    return f"{number:.0f}" if number % 1 == 0 and abs(number) < 1e18 else f"{number:.15g}"


def _sorted(values: Reals, people: Integers) -> tuple[Reals, Integers]:
    """Return the known values in order, and the people of each."""
    order = np.argsort(values, kind="stable")[: int((~np.isnan(values)).sum())]
    return values[order], people[order]


def _counts(edges: Reals, values: Reals, weights: Integers) -> Integers:
    """Return the number of people in each range."""
    return np.bincount(np.searchsorted(edges, values, "right"), weights, edges.size + 1).astype(np.int64)


def _even_grids(values: Reals, weights: Integers, k: int, *, whole: bool) -> Iterator[tuple[str, Reals]]:
    """Yield multiples of 1, 5, 10 and 20 or 50 times a power of ten, with k people beyond the span at each end."""
    reached, from_above = np.cumsum(weights), np.cumsum(weights[::-1])
    low = float(values[min(int(np.searchsorted(reached, k)), values.size - 1)])
    high = float(values[::-1][min(int(np.searchsorted(from_above, k)), values.size - 1)])
    if not low < high:
        low, high = float(values[0]), float(values[-1])
    exponent = math.floor(math.log10(high - low) - math.log10(50))
    if whole:
        exponent = max(exponent, 0)
    scale = 10.0 ** abs(exponent)
    if not 0 < scale < math.inf:
        return
    bottom, top = (low / scale, high / scale) if exponent >= 0 else (low * scale, high * scale)
    bottom, top = math.floor(round(bottom, 6)), math.floor(round(top, 6))
    wide = 20 if (top - bottom) / 20 <= _FEW_RANGES else 50
    for times in (1, 5, 10, wide):
        places: Reals = times * np.arange(bottom // times, top // times + 2, dtype=np.float64)
        grid: Reals = np.unique(places * scale if exponent >= 0 else places / scale)
        width = times * scale if exponent >= 0 else times / scale
        yield _RARE_MERGED if whole and width == 1 else f"in steps of {width:.10g}", grid


def _power_grids(values: Reals, *, whole: bool) -> Iterator[tuple[str, Reals]]:
    """Yield 1, 2, 5, 10, … and their negatives, about zero."""
    sizes = np.abs(values[values != 0])
    least, most = math.floor(math.log10(sizes.min())), math.floor(math.log10(sizes.max()))
    least = max(0 if whole else least, most - 15)
    powers = [float(f"{digit}e{exponent}") for exponent in range(least, most + 2) for digit in (1, 2, 5)]
    grid = [-power for power in reversed(powers) if values[0] < 0] + [0.0] + [p for p in powers if values[-1] > 0]
    grid = [edge for edge in grid if math.isfinite(edge)]
    first, last = bisect_right(grid, values[0]) - 1, bisect_right(grid, values[-1])
    yield "in growing steps", np.array(grid[max(first, 0) : last + 1])


def _chain(
    grids: Iterable[tuple[str, Reals]],
    numbers: Numbers | None,
    values: Reals,
    weights: Integers,
    k: int,
) -> tuple[Ranges, ...]:
    """Return ranges along coarser and coarser grids while these are good, then merged ranges of any width."""
    result: list[Ranges] = []
    grids = list(grids)
    most = _LEGIBLE if numbers is not None else math.inf
    edges: Reals | None = None
    uneven: Reals | None = None
    for place, (how, grid) in enumerate(grids):
        inner = grid[1:-1]
        if numbers is not None:
            inner = inner[(inner > numbers.lowest) & (inner <= numbers.highest)]
        if edges is not None:
            inner = inner[np.isin(inner, edges)]
        ranks = np.zeros(inner.size, np.int64)
        for _, coarser in grids[place + 1 :]:
            ranks += np.isin(inner, coarser)
        kept = _enough_people(inner, ranks, values, weights, k)
        if not kept.size:
            break
        if kept.size >= most:
            continue
        steps = np.diff(np.searchsorted(grid, kept))
        if 2 * (steps == 1).sum() < steps.size:  # hardly steps any more
            uneven = kept if uneven is None else uneven
            continue
        if edges is not None and numbers is not None:
            best = _merge(edges, _counts(edges, values, weights), kept.size + 1)
            if _entropy(kept, values, weights) < _EVEN_ENOUGH * _entropy(best, values, weights):
                break
        if edges is not None and kept.size + 1 >= _HARDLY_FEWER * (edges.size + 1):
            result.pop()
        edges = kept
        low = float(grid[0]) if kept[0] == grid[1] and values[0] >= grid[0] else None
        high = float(grid[-1]) if kept[-1] == grid[-2] and values[-1] < grid[-1] else None
        if numbers is not None and numbers.lowest > -math.inf:
            low = None
        if numbers is not None and numbers.highest < math.inf:
            high = None
        result.append(Ranges(how, kept, low, high))
    edges = uneven if edges is None else edges
    return (*result, *(() if edges is None else _merged(edges, values, weights)))


def _merged(edges: Reals, values: Reals, weights: Integers) -> Iterator[Ranges]:
    """Yield fewer and fewer ranges of any width; adjacent ranges with the fewest people are merged first."""
    for wanted in _MERGED:
        if wanted <= edges.size:
            edges = _merge(edges, _counts(edges, values, weights), wanted)
            yield Ranges(f"in {wanted} ranges", edges)


def _merge(edges: Reals, counts: Integers, wanted: int) -> Reals:
    """Return the edges of this many ranges."""
    while edges.size >= wanted:
        place = int(np.argmin(counts[:-1] + counts[1:]))
        counts = np.concatenate([counts[:place], [counts[place] + counts[place + 1]], counts[place + 2 :]])
        edges = np.delete(edges, place)
    return edges


def _enough_people(edges: Reals, ranks: Integers, values: Reals, weights: Integers, k: int) -> Reals:
    """Return the edges between ranges of at least k people, choosing the roundest edges first, then from the left."""
    below = np.concatenate([[0], np.cumsum(weights)])[np.searchsorted(values, edges)].tolist()
    taken = [0, int(weights.sum())]  # how many people are below each edge that is taken
    kept: list[int] = []
    for place in np.lexsort((np.arange(edges.size), -ranks)).tolist():
        after = bisect_right(taken, below[place])
        if below[place] - taken[after - 1] >= k and after < len(taken) and taken[after] - below[place] >= k:
            taken.insert(after, below[place])
            kept.append(place)
    return edges[np.sort(np.array(kept, np.int64))]


def _entropy(edges: Reals, values: Reals, weights: Integers) -> float:
    counts = _counts(edges, values, weights)
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


def _entropy_of_few(chain: tuple[Ranges, ...], values: Reals, weights: Integers) -> float:
    """Return the largest entropy of choices with few ranges, the reference for steps of one width."""
    return max((_entropy(each.edges, values, weights) for each in chain if each.edges.size < _FEW_RANGES), default=-1.0)
