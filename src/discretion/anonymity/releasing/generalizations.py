"""Generalizations of a column, from fine to coarse: numeric steps, months and years, rare values merged."""

import math
import re
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from discretion.anonymity.choosing.redaction import RedactionRule
from discretion.numerics.arrays import Booleans, Integers, Reals
from discretion.numerics.equivalence_classes import Column

# A number is put into so many steps at most; each is five times or twice as large as the one before, so that none cuts
# through another.
_STEPS = 50
_FACTORS = (5, 2)
# Values that fewer people hold than so many times k are merged into one.
_TIMES_K = (1, 2, 5, 10, 20, 50, 100)
_DAY = re.compile(r"\d{4}-\d{2}(-\d{2})?([T ].*)?")
#: Of a view of the column itself.
AS_IT_IS = "as it is"
#: Of the column itself, but for rare values and decoys.
REDACTED = "rare values and decoys blank"
#: What merged values are called.
OTHER = "(other)"


@dataclass(frozen=True)
class Generalization:
    """A column as it goes out.

    Parameters
    ----------
    how
        What was done to it, in a few words; "as it is" if nothing.
    column
        The code that each row has.
    labels
        What each code stands for.
    blank
        The code of cells that were left blank, which tell nothing.
    """

    how: str
    column: Column
    labels: Sequence[Any]
    blank: int | None = None

    @property
    def is_as_it_was(self) -> bool:
        """Whether nothing was done to it."""
        return self.how == AS_IT_IS

    @cached_property
    def sizes(self) -> Integers:
        """How many rows have each code."""
        return np.bincount(self.column.codes, minlength=self.column.count)

    @cached_property
    def bits(self) -> float:
        """The entropy of the column."""
        return float(self.sizes @ self.bits_of_codes) / self.column.codes.size

    @cached_property
    def bits_of_codes(self) -> Reals:
        """What each code tells of a row that has it: ``log2(n / n_code)``."""
        bits = np.log2(self.column.codes.size / np.maximum(self.sizes, 1))
        if self.blank is not None:
            bits[self.blank] = 0.0
        return bits

    def shows_rare(self, k: int) -> Booleans:
        """Return the rows that look in it like fewer than k do: a range with one person in it may reveal a value."""
        return (self.sizes < k)[self.column.codes]


def identity_generalization(column: Column, values: Sequence[Any]) -> Generalization:
    """Return a column as a view of itself."""
    return Generalization(AS_IT_IS, column, values)


def generalizations_of(finest: Generalization, k: int) -> tuple[Generalization, ...]:
    """Return a view and coarser ones, the finest first: each is a function of the one before.

    Parameters
    ----------
    finest
        The first of them; a label None is null.
    k
        Of fewer people a value or the end of a range is rare.
    """
    result = [finest]
    for coarser in _coarser(finest, k):
        if 1 < coarser.column.count < result[-1].column.count:
            result.append(coarser)
    return tuple(result)


def merge_groups(view: Generalization, how: str, groups: Sequence[Any]) -> Generalization:
    """Return a view that has of each code the group that it is in."""
    places = {group: place for place, group in enumerate(dict.fromkeys(groups))}
    codes = np.array([places[group] for group in groups], np.int32)
    blank = None if view.blank is None else places[groups[view.blank]]
    return Generalization(how, Column(codes[view.column.codes], len(places)), list(places), blank)


def redact_column(view: Generalization, rule: RedactionRule) -> Generalization:
    """Return a column in which a rule was followed: what is blank is null.

    The coins are tossed by the system's own randomness: those that came from a seed somebody might toss again.
    """
    rare = (view.sizes < rule.rarer_than) & np.array([label is not None for label in view.labels])
    coins = np.frombuffer(secrets.token_bytes(8 * view.column.codes.size), np.uint64) / 2.0**64
    blank = rare[view.column.codes] | (coins < rule.decoys)
    labels = [*view.labels] if None in view.labels else [*view.labels, None]
    left, codes = np.unique(np.where(blank, labels.index(None), view.column.codes), return_inverse=True)
    left_labels = [labels[code] for code in left]
    return Generalization(
        REDACTED,
        Column(codes.astype(np.int32), left.size),
        left_labels,
        left_labels.index(None) if None in left_labels else None,
    )


def _coarser(view: Generalization, k: int) -> Iterator[Generalization]:
    numbers = _numbers(view.labels)
    if numbers is not None:
        return _number_steps(view, numbers, k)
    texts = [None if value is None else str(value) for value in view.labels]
    if any(texts) and all(text is None or _DAY.fullmatch(text) for text in texts):
        return (
            _first_characters(view, texts, length, how) for length, how in ((10, "days"), (7, "months"), (4, "years"))
        )
    return _merge_rare_values(view, k)


def _numbers(values: Sequence[Any]) -> Reals | None:
    """Return values as numbers, null as not a number; None unless all are finite numbers or text that is."""
    try:
        numbers = np.array([math.nan if value is None else float(value) for value in values], np.float64)
    except (TypeError, ValueError):
        return None
    given = numbers[[value is not None for value in values]]
    return numbers if given.size and np.isfinite(given).all() and not _are_flags(values) else None


def _are_flags(values: Sequence[Any]) -> bool:
    return all(value is None or isinstance(value, bool) for value in values)


def _number_steps(view: Generalization, numbers: Reals, k: int) -> Iterator[Generalization]:
    """Yield the view in ever larger steps, those at each end together that fewer than k people fall into."""
    given = ~np.isnan(numbers)
    span = float(numbers[given].max() - numbers[given].min())
    if not 0 < span < math.inf:
        return
    least = 10.0 ** math.floor(math.log10(span / _STEPS))
    if whole := bool((numbers[given] == np.floor(numbers[given])).all()):
        least = max(least, 1.0)
    smallest = np.floor(np.round(np.where(given, numbers, 0.0) / least, 9)).astype(np.int64)
    people = view.sizes
    times, i = 1, 0
    while times * least <= span:
        places = smallest // times
        low, high = _ends(places[given], people[given], k)
        if low >= high:
            return
        inside = np.clip(places, low, high)
        step, ends = times * least, (places[given].min(), places[given].max())
        groups = [
            _range(place, step, low, high, ends, whole) if known else None
            for place, known in zip(inside.tolist(), given.tolist(), strict=True)
        ]
        if np.unique(inside[given]).size <= _STEPS:
            yield merge_groups(view, f"in steps of {step:.10g}", groups)
        times, i = times * _FACTORS[i % 2], i + 1


def _range(  # noqa: PLR0917 - where a step lies
    place: int, step: float, low: int, high: int, ends: tuple[int, int], whole: bool
) -> str:
    """Return what a step is called, or the steps up to the first or from the last, if those reach beyond."""
    if place == low > ends[0]:
        return f"<{_spelled((place + 1) * step, whole)}"
    if place == high < ends[1]:
        return f">={_spelled(place * step, whole)}"
    if step == 1 and whole:
        return f"{place}"
    return f"[{_spelled(place * step, whole)}, {_spelled((place + 1) * step, whole)})"


def _spelled(end: float, whole: bool) -> str:
    """Return the end of a step in digits enough to tell it from the next: two of one name would be one."""
    return f"{end:.0f}" if whole else f"{end:.15g}"


def _ends(places: Integers, people: Integers, k: int) -> tuple[int, int]:
    """Return the first and the last of the steps, outside of which and with which at least k people are."""
    order = np.argsort(places, kind="stable")
    reached = np.cumsum(people[order])
    low = places[order][min(int(np.searchsorted(reached, k)), places.size - 1)]
    from_above = np.cumsum(people[order[::-1]])
    high = places[order[::-1]][min(int(np.searchsorted(from_above, k)), places.size - 1)]
    return int(low), int(high)


def _first_characters(view: Generalization, texts: Sequence[str | None], length: int, how: str) -> Generalization:
    """Return the view with so much of the start of each text."""
    return merge_groups(view, how, [None if text is None else text[:length] for text in texts])


def _merge_rare_values(view: Generalization, k: int) -> Iterator[Generalization]:
    """Yield the view with ever more of its rare values merged into one."""
    people = view.sizes
    texts = [None if value is None else str(value) for value in view.labels]
    other = OTHER
    while other in texts:
        other = f"({other})"
    for most in (times * k for times in _TIMES_K):
        groups = [other if few else text for text, few in zip(texts, people < most, strict=True)]
        yield merge_groups(view, f"values of fewer than {most:,} merged", groups)
