"""Singling out: attacks with conditions that exactly one synthetic record meets, and perhaps exactly one person."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from discretion.anonymity.synthetic.attack import AttackCount, SyntheticAttack
from discretion.anonymity.synthetic.tables import MISSING, Tables
from discretion.numerics.arrays import Booleans, Codes, Integers, Reals
from discretion.numerics.compiled import compiled

#: How many columns a condition is on.
COLUMNS = 3
#: How many sets of columns are tried on a synthetic record.
TRIES = 50
_MANY = np.iinfo(np.int32).max


@dataclass(frozen=True)
class Conditions:
    """Conditions ``low <= code <= high`` on some columns each, all of shape (conditions, columns)."""

    columns: Codes
    low: Codes
    high: Codes

    @property
    def size(self) -> int:
        """The number of conditions."""
        return len(self.columns)

    def taken(self, places: Integers | Booleans) -> "Conditions":
        """Return some of the conditions."""
        return Conditions(self.columns[places], self.low[places], self.high[places])

    def matches(self, codes: Codes, most: int = _MANY) -> Codes:
        """Return how many rows meet each condition, counted up to ``most`` + 1; codes have shape (columns, rows)."""
        counts = np.zeros(self.size, np.int32)
        compiled(_count)(codes, self.columns, self.low, self.high, most, counts)
        return counts


def singling_out(
    tables: Tables, how: Literal["univariate", "multivariate"], attacks: int, rng: np.random.Generator
) -> SyntheticAttack | None:
    """Return the rate at which one person meets a condition of one synthetic record; None without a condition.

    Univariate conditions: a value, or a missing value, that one record has, and the least and the greatest number.
    Multivariate conditions, each from another record: its values on three columns; for numbers, at least its number if
    that is above the median, and at most its number otherwise. Of up to 50 sets of columns the first one counts by
    which the record is unique.

    The rate on m held-out people is made comparable to that on n people of the original exactly. For m <= n, the
    held-out people take the places of m people of the original at random: a condition that k people of the original and
    one held-out person meet counts ``n/m·Π_(i<k) (m − i)/(n − i)``. For m > n, a condition that k of them meet counts
    with the probability that exactly one of them is among n at random. So if the synthetic table depends on neither,
    both rates have the same mean. The naive attack uses random conditions on as many columns. Source: as for
    :meth:`SyntheticAttack.risk`; the comparison: Discretion.
    """
    made = _univariate(tables) if how == "univariate" else _multivariate(tables, attacks, rng)
    if made.size > attacks:
        made = made.taken(np.sort(rng.choice(made.size, attacks, replace=False)))
    if not made.size:
        return None
    original, _, control = tables.codes
    of_original, of_control = made.matches(original), made.matches(control)
    n, m = original.shape[1], control.shape[1]
    weights = _taking_places(n, m, of_original, of_control) if m <= n else _among_fewer(n, m, of_control)
    random = _random(tables, made.size, made.columns.shape[1], rng)
    return SyntheticAttack(
        f"singling_out_{how}",
        AttackCount(int(np.count_nonzero(of_original == 1)), made.size),
        AttackCount(float(weights.sum()), made.size),
        scale=max(1.0, n / m),
        naive=np.count_nonzero(random.matches(original, 1) == 1) / made.size,
    )


def _taking_places(n: int, m: int, of_original: Codes, of_control: Codes) -> Reals:
    """Return the probability that all original people who meet a condition are among m, where one held-out one does."""
    i = np.arange(int(of_original.max()))
    likely: Reals = np.append(1.0, np.maximum(m - i, 0) / (n - i)).cumprod()
    return likely[of_original] * (of_control == 1)


def _among_fewer(n: int, m: int, of_control: Codes) -> Reals:
    """Return the probability that exactly one person who meets a condition is among n of the m held-out people."""
    i = np.arange(1, int(of_control.max()))
    no_other: Reals = np.append(1.0, np.maximum(m - n - i + 1, 0) / (m - i)).cumprod()
    return no_other[np.maximum(of_control - 1, 0)] * of_control * (n / m)


def _univariate(tables: Tables) -> Conditions:
    """Return the conditions on one column that one synthetic record meets."""
    conditions: list[tuple[int, int, int]] = []
    for place, column in enumerate(tables.columns.values()):
        counts = np.bincount(column.synthetic - MISSING, minlength=column.count + 1)
        alone = np.flatnonzero(counts == 1) + MISSING
        met = np.flatnonzero(counts[-MISSING:])
        ends = {int(met[0]): (0, int(met[0])), int(met[-1]): (int(met[-1]), column.count - 1)} if met.size else {}
        beyond = ends if column.numbers is not None and met.size > 1 else {}
        conditions += [(place, *beyond.get(code, (code, code))) for code in alone.tolist()]
    places, low, high = np.array(conditions, np.int32).reshape(-1, 3, 1).swapaxes(0, 1)
    return Conditions(places, low, high)


def _multivariate(tables: Tables, attacks: int, rng: np.random.Generator) -> Conditions:
    """Return conditions on some columns that one synthetic record meets, each of another record."""
    codes = np.ascontiguousarray(tables.codes[1])
    left = rng.permutation(codes.shape[1])[: TRIES * attacks]
    above = codes > _medians(tables)[:, None]
    parts: list[Conditions] = []
    for _ in range(TRIES):
        columns = _drawn_columns(tables, left.size, min(COLUMNS, len(codes)), rng)
        each = left[:, None]
        made = _conditions(tables, columns, codes[columns, each], above[columns, each])
        alone = made.matches(codes, 1) == 1
        parts.append(made.taken(alone))
        left = left[~alone]
        if not left.size or sum(part.size for part in parts) >= attacks:
            break
    return Conditions(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("columns", "low", "high")))


def _random(tables: Tables, size: int, columns: int, rng: np.random.Generator) -> Conditions:
    """Return conditions on values that synthetic records have, each column's of another one."""
    codes = tables.codes[1]
    chosen = _drawn_columns(tables, size, columns, rng)
    values = codes[chosen, rng.integers(codes.shape[1], size=chosen.shape)]
    return _conditions(tables, chosen, values, rng.integers(2, size=chosen.shape) == 1)


def _conditions(tables: Tables, columns: Codes, values: Codes, upwards: Booleans) -> Conditions:
    """Return the conditions to have these values, or numbers at least or at most as large."""
    each = list(tables.columns.values())
    ordered = np.array([column.numbers is not None for column in each])[columns] & (values != MISSING)
    greatest = np.array([column.count - 1 for column in each], np.int32)[columns]
    low = np.where(ordered & ~upwards, np.int32(0), values)
    return Conditions(columns, low, np.where(ordered & upwards, greatest, values))


def _drawn_columns(tables: Tables, size: int, count: int, rng: np.random.Generator) -> Codes:
    """Return ``size`` sets of ``count`` different columns."""
    drawn = rng.integers(len(tables.columns), size=(size, count), dtype=np.int32)
    while (again := np.flatnonzero((np.diff(np.sort(drawn, axis=1), axis=1) == 0).any(axis=1))).size:
        drawn[again] = rng.integers(len(tables.columns), size=(again.size, count), dtype=np.int32)
    return drawn


def _medians(tables: Tables) -> Reals:
    """Return the median code of each column among the synthetic values, without missing ones."""

    def medians() -> Iterator[float]:
        for column in tables.columns.values():
            given = column.synthetic[column.synthetic != MISSING]
            yield float(np.median(given)) if given.size else 0.0

    return np.array([*medians()])


def _count(  # noqa: PLR0917 - a loop over arrays
    codes: Codes, columns: Codes, low: Codes, high: Codes, most: int, counts: Codes
) -> None:
    for condition in range(columns.shape[0]):
        met = 0
        for row in range(codes.shape[1]):
            meets = True
            for i in range(columns.shape[1]):
                code = codes[columns[condition, i], row]
                if code < low[condition, i] or code > high[condition, i]:
                    meets = False
                    break
            if meets:
                met += 1
                if met > most:
                    break
        counts[condition] = met
