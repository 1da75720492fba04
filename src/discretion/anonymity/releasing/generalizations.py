"""Generalizations of a column, from fine to coarse: ranges of numbers and dates, shorter codes, rare values merged."""

import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from discretion.anonymity.releasing.column_values import (
    BY_COLUMN,
    Codes,
    Dates,
    Numbers,
    Reading,
    missing_labels,
    read_values,
)
from discretion.anonymity.releasing.ranges import (
    Ranges,
    date_range_name,
    date_ranges,
    given_ranges,
    is_whole,
    number_range_name,
    number_ranges,
)
from discretion.errors import InvalidValueError
from discretion.escaping import printable
from discretion.numerics.arrays import Booleans, Integers, Reals
from discretion.numerics.equivalence_classes import Column

# The multiples of k below which values are merged into one.
_TIMES_K = (1, 2, 5, 10, 20, 50, 100)
#: Of a view of the column itself.
AS_IT_IS = "as it is"
#: Of the column itself, but for rare values and decoys; and but for what a rule of the user has blank.
REDACTED, RULED = "rare values and decoys blank", "blank by rule"
#: What merged values are called.
OTHER = "(other)"


@dataclass(frozen=True)
class Generalization:
    """A column in the form in which it may be published.

    Parameters
    ----------
    how
        The change to the column, in a few words; "as it is" if there is none.
    column
        The code of each row.
    labels
        The value of each code.
    blank
        The code of cells that were left blank, which carry no information.
    missing
        The marks that it shows as one missing value, in addition to null.
    """

    how: str
    column: Column
    labels: Sequence[Any]
    blank: int | None = None
    missing: tuple[str, ...] = ()

    @property
    def is_as_it_was(self) -> bool:
        """Whether the column is unchanged."""
        return self.how == AS_IT_IS

    @property
    def is_redacted(self) -> bool:
        """Whether it is the column itself except for blank cells."""
        return self.how in (REDACTED, RULED)

    @cached_property
    def sizes(self) -> Integers:
        """The number of rows with each code."""
        return self.column.sizes()

    @cached_property
    def bits(self) -> float:
        """The entropy of the column."""
        return float(self.sizes @ self.bits_of_codes) / self.column.codes.size

    @cached_property
    def bits_of_codes(self) -> Reals:
        """The information of each code about a row with it, in bits: ``log2(n / n_code)``."""
        bits = np.log2(self.column.codes.size / np.maximum(self.sizes, 1))
        if self.blank is not None:
            bits[self.blank] = 0.0
        return bits

    def shows_rare(self, k: int) -> Booleans:
        """Return for each row whether fewer than k rows have its code: a range with one person may reveal a value."""
        return (self.sizes < k)[self.column.codes]


def identity_generalization(column: Column, values: Sequence[Any]) -> Generalization:
    """Return a column as a generalization without a change."""
    return Generalization(AS_IT_IS, column, values)


def generalizations_of(
    finest: Generalization, k: int, name: str = "", reading: Reading = BY_COLUMN
) -> tuple[Generalization, ...]:
    """Return a generalization and coarser ones, the finest first; each is a function of the one before.

    Parameters
    ----------
    finest
        The first of them; a label None is null.
    k
        A value or a range of fewer people is rare.
    name
        The column's name: digits in a column of postcodes are codes.
    reading
        The settings to read its values.
    """
    result = [finest]
    for coarser in _coarser(finest, k, name, reading):
        if 1 < coarser.column.count < result[-1].column.count:
            result.append(coarser)
    return tuple(result)


def merge_groups(view: Generalization, how: str, groups: Sequence[Any]) -> Generalization:
    """Return a generalization with the group of each code."""
    places = {group: place for place, group in enumerate(dict.fromkeys(groups))}
    codes = np.array([places[group] for group in groups], np.int32)
    blank = None if view.blank is None else places[groups[view.blank]]
    return Generalization(how, Column(codes[view.column.codes], len(places)), list(places), blank, view.missing)


def toss_coins(people: int, probability: float) -> Booleans:
    """Return coins with this probability, from the system's randomness: coins from a seed could be reproduced."""
    return np.frombuffer(secrets.token_bytes(8 * people), np.uint64) / 2.0**64 < probability


def redact_column(view: Generalization, redacted: Booleans, how: str) -> Generalization:
    """Return a column with the values of some rows suppressed; a blank is null."""
    labels = [*view.labels] if None in view.labels else [*view.labels, None]
    left, codes = np.unique(np.where(redacted, labels.index(None), view.column.codes), return_inverse=True)
    left_labels = [labels[code] for code in left]
    return Generalization(
        how,
        Column(codes, left.size),
        left_labels,
        left_labels.index(None) if None in left_labels else None,
    )


def _coarser(view: Generalization, k: int, name: str, reading: Reading) -> Iterator[Generalization]:
    values = read_values(view.labels, view.sizes, name, reading)
    if reading.bins and not isinstance(values, Numbers):
        raise InvalidValueError(f"bins need numbers, and {printable(name)} has none; name a column of numbers")
    if isinstance(values, Codes):
        return _shortened_codes(view, values, k)
    if values is not None and (ranges := _ranges(values, view.sizes, k, reading.bins)):
        return _in_ranges(view, values, ranges, k)
    return _rare_values_merged(view, missing_labels(view.labels, reading.missing, categories=True), k)


def _ranges(values: Numbers | Dates, people: Integers, k: int, bins: Sequence[float]) -> tuple[Ranges, ...]:
    if isinstance(values, Dates):
        return date_ranges(values, people, k)
    return given_ranges(values, people, k, bins) if bins else number_ranges(values, people, k)


def _in_ranges(
    view: Generalization, values: Numbers | Dates, ranges: Sequence[Ranges], k: int
) -> Iterator[Generalization]:
    """Yield the column in ever fewer ranges; rows without a value are apart, or in the last range if below k."""
    known = ~np.isnan(values.values)
    whole = isinstance(values, Numbers) and is_whole(values.values[known])
    apart, names = _without_value(view, values.missing, values.odd, k)
    marks = _marks(view, values.missing)
    if isinstance(values, Dates) and values.unit == "day":
        days = np.where(known, values.values, -1.0 - apart)
        texts = {day: date.fromordinal(int(day)).isoformat() for day in np.unique(days[known]).tolist()}
        others = {-1.0 - place: name for place, name in enumerate(names)}
        yield _with_codes(view, "days", days, {**texts, **others}, marks)
    for each in ranges:
        last = each.edges.size
        spelled = [
            date_range_name(*ends) if isinstance(values, Dates) else number_range_name(*ends, whole=whole)
            for ends in each.ends()
        ]
        labels: dict[int, str | None] = dict(enumerate(spelled))
        codes = np.where(known, np.searchsorted(each.edges, values.values, "right"), last + 1 + apart)
        for place, name in enumerate(names):
            labels[last + 1 + place] = name
            of_it = codes == last + 1 + place
            if view.sizes[of_it].sum() < k and (view.blank is None or not of_it[view.blank]):
                codes[of_it] = last
                labels[last] = f"{spelled[-1]}, or {'missing' if name is None else name}"
        yield _with_codes(view, each.how, codes, labels, marks)


def _without_value(view: Generalization, missing: Booleans, odd: Booleans, k: int) -> tuple[Integers, list[str | None]]:
    """Return the category, from 0, of each label without a value of the column's kind, and the categories' names.

    Missing and odd labels are two categories, or one if either has few people; blanks are always apart.
    """
    missing = missing.copy()
    apart, names = np.zeros(len(view.labels), np.int64), list[str | None]()
    if view.blank is not None:
        missing[view.blank] = False
        names.append(None)
    groups = [group for group in (missing, odd) if group.any()]
    if len(groups) > 1 and min(view.sizes[group].sum() for group in groups) < k:
        groups = [missing | odd]
    for group in groups:
        apart[group] = len(names)
        named = view.sizes[group & missing].sum() >= view.sizes[group & odd].sum()
        names.append(_commonest(view, missing) if named else _other(view.labels))
    return apart, names


def _commonest(view: Generalization, among: Booleans) -> str | None:
    """Return the commonest among some labels."""
    label = view.labels[int(np.argmax(np.where(among, view.sizes, -1)))]
    return None if label is None else str(label)


def _marks(view: Generalization, missing: Booleans) -> tuple[str, ...]:
    """Return the marks of a missing value among the labels."""
    labels = (view.labels[place] for place in np.flatnonzero(missing).tolist())
    return tuple(sorted({str(label) for label in labels if label is not None}))


def _other(labels: Sequence[Any]) -> str:
    """Return a name for merged values that is not a value itself."""
    other, texts = OTHER, {*map(str, labels)}
    while other in texts:
        other = f"({other})"
    return other


def _with_codes(
    view: Generalization, how: str, codes: Integers | Reals, labels: Mapping[Any, str | None], marks: tuple[str, ...]
) -> Generalization:
    """Return a generalization with a code for each label, and the names of codes."""
    held, places = np.unique(codes, return_inverse=True)
    column = Column(places.astype(np.int32)[view.column.codes], held.size)
    blank = None if view.blank is None else int(places[view.blank])
    return Generalization(how, column, [labels[code] for code in held.tolist()], blank, marks)


def _shortened_codes(view: Generalization, codes: Codes, k: int) -> Iterator[Generalization]:
    """Yield the column with fewer and fewer first parts of each code; codes of fewer than k people get even fewer."""
    apart, names = _without_value(view, codes.missing, codes.odd, k)
    people, other, marks = view.sizes.tolist(), _other(view.labels), _marks(view, codes.missing)
    depths, blank = [len(parts) for parts in codes.parts], view.blank
    named: dict[int, str | None] = {}  # labels that are no codes, and enough to stand for themselves
    for place in np.flatnonzero([not parts for parts in codes.parts]).tolist():
        alike = [not parts and apart[place] == each for parts, each in zip(codes.parts, apart, strict=True)]
        if view.sizes[alike].sum() >= k or (view.blank is not None and alike[view.blank]):
            named[place] = names[apart[place]]
    places = [place for place in range(len(depths)) if place not in named]
    host: list[int] = []
    begins = [[*accumulate(parts, initial="")] for parts in codes.parts]  # a code up to each depth

    def shorten(how: str, length: int, fewest: int) -> Generalization:
        for place in places:
            depths[place] = min(depths[place], length)
        for depth in range(length, 0, -1):
            at_it = [place for place in places if depths[place] == depth]
            shared = Counter[str]()
            for place in at_it:
                shared[begins[place][depth]] += people[place]
            for place in at_it:
                depths[place] -= shared[begins[place][depth]] < fewest
        prefixes = {place: begins[place][depths[place]] for place in places}
        sizes = Counter[str]()
        for place, prefix in prefixes.items():
            sizes[prefix] += people[place]
        if 0 < sizes[""] < k and not host and len(sizes) > 1:  # the few join the smallest group, and stay with it
            smallest = min((prefix for prefix in sizes if prefix), key=sizes.__getitem__)
            host.append(next(place for place in places if prefixes[place] == smallest))
        alone = {place for place in named if 0 < sizes[""] < k and not host and place != blank}
        cut = {prefix for place, prefix in prefixes.items() if len(codes.parts[place]) > depths[place]}
        spelled = {prefix: _shortened(prefix, codes.width) if prefix in cut else prefix for prefix in sizes}
        spelled[""] = other
        if host and (joined := prefixes[host[0]]):
            few = [place for place in places if not prefixes[place]]
            name = names[int(apart[few[0]])] if all(not codes.parts[place] for place in few) else other
            spelled[joined] = spelled[""] = f"{spelled[joined]}, or {'missing' if name is None else name}"
        groups = [
            named[place] if place in named and place not in alone else spelled[prefixes.get(place, "")]
            for place in range(len(depths))
        ]
        return replace(merge_groups(view, how, groups), missing=marks)

    longest = max(depths)
    one_each = all(len(part) == 1 for parts in codes.parts for part in parts[: longest - 1])
    yield shorten("rare codes shortened", longest, k)
    for length in range(longest - 1, 0, -1):
        parts = f"{'character' if one_each else 'part'}{'s' * (length > 1)}"
        yield shorten(f"first {length} {parts} of each code", length, k)
    for fewest in (times * k for times in _TIMES_K[1:]):
        yield shorten(f"codes of fewer than {fewest:,} merged", 1, fewest)


def _shortened(prefix: str, width: int | None) -> str:
    """Return the common first characters of codes as a code, such as ``021**``."""
    return prefix + "*" * (1 if width is None else max(width - len(prefix), 0))


def _rare_values_merged(view: Generalization, missing: Booleans, k: int) -> Iterator[Generalization]:
    """Yield the column with more and more rare values merged into one; missing ones are apart unless they are rare."""
    apart, names = _without_value(view, missing, np.zeros_like(missing), k)
    texts: list[str | None] = [None if value is None else str(value) for value in view.labels]
    groups: list[str | None] = [
        names[place] if away else text for text, place, away in zip(texts, apart, missing, strict=True)
    ]
    together = replace(merge_groups(view, "", groups), missing=_marks(view, missing))
    stays = np.array(
        [label in names and size >= k for label, size in zip(together.labels, together.sizes, strict=True)]
    )
    people, other = together.sizes, _other(view.labels)
    for most in (times * k for times in _TIMES_K):
        # Those merged are no fewer than k.
        sizes = np.sort(people[~stays])
        reached = int(np.searchsorted(np.cumsum(sizes), k)) if k > 1 else 0
        least = int(sizes[min(reached, sizes.size - 1)]) + 1 if sizes.size and sizes[0] < most else most
        fewest = max(most, least)
        merged = [
            other if few else label for label, few in zip(together.labels, (people < fewest) & ~stays, strict=True)
        ]
        yield merge_groups(together, f"values of fewer than {fewest:,} merged", merged)
