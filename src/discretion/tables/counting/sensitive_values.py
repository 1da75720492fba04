"""Counts of sensitive values in equivalence classes. Only class counts and single numbers leave the engine.

Everything is counted in 64-bit integers; the largest are products of two numbers of people.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from importlib import import_module
from typing import Any, NamedTuple

from discretion import limits
from discretion.errors import InvalidValueError, TooLargeError
from discretion.tables.counting.batches import ask_all
from discretion.tables.counting.grouping import CLASSES, SIZE, SensitiveCounts, with_texts

# The most sensitive texts that share their number in doubles; they are sent back to the engine.
MAX_TIED_TEXTS = 10_000

ibis: Any = import_module("ibis")

# (How many people of a class have its commonest sensitive value, how many are in it) → how many classes are so.
Guesses = dict[tuple[int, int], int]

_BEST, _IN_CLASS, _OF_VALUE, _EXCESS = "best_guess", "in_class", "of_value", "excess"
_PLACE, _UNTIL, _UP_TO, _CUT, _BELOW = "place", "until", "up_to", "cut", "below"
_NUMBER, _WITHIN, _TEXTS = "number", "within", "texts"


def guesses_of_all(joints: Sequence[SensitiveCounts], length: int) -> Iterator[Guesses]:
    """Yield the best guesses of the sensitive value in the classes of each.

    Parameters
    ----------
    joints
        Counts of the same rows.
    length
        The number of rows.
    """
    for answer in ask_all(joints[0].rows, ((_guesses(joint), length) for joint in joints)):
        yield {(best, size): classes for best, size, classes in answer}


def fewest_values(joint: SensitiveCounts) -> int:
    """Return the least number of sensitive values of a class."""
    values = joint.by_class(values=joint.table.count())
    ((fewest,),) = joint.rows.ask(values["values"].min().as_table())
    return int(fewest)


def least_entropy(joint: SensitiveCounts) -> float:
    """Return the least entropy of sensitive values, in nats: ``min_c (ln n_c - Σ_s n_cs ln n_cs / n_c)``."""
    count = joint.table[SIZE].cast("float64")
    classes = joint.by_class(people=count.sum(), logs=(count * count.ln()).sum())
    ((least,),) = joint.rows.ask((classes["people"].ln() - classes["logs"] / classes["people"]).min().as_table())
    return float(least)


def largest_recursive_ratio(joint: SensitiveCounts, least: int) -> float:
    """Return the largest ``r_1 / (r_l + … + r_m)`` of a class, with the numbers of people with each of its values.

    The numbers fall from r_1 on; the ratio is infinite if a class has fewer than l values.
    """
    window = ibis.window(group_by=joint.keys, order_by=ibis.desc(joint.table[SIZE]))
    ranked = joint.table.mutate(**{_PLACE: ibis.row_number().over(window)})
    late = (ranked[_PLACE] >= least - 1).ifelse(ranked[SIZE], 0)
    aggregates = {_BEST: ranked[SIZE].max(), _EXCESS: late.sum().cast("int64")}
    classes = ranked.group_by(joint.keys).agg(**aggregates) if joint.keys else ranked.agg(**aggregates)
    ratio = classes[_BEST].cast("float64") / classes[_EXCESS].nullif(0).cast("float64")
    ((largest, fewest),) = joint.rows.ask(classes.agg(largest=ratio.max(), fewest=classes[_EXCESS].min()))
    return float(largest) if fewest else math.inf


class Spread(NamedTuple):
    """The differences between the sensitive values of classes and those of all people.

    ``excesses`` are those of :func:`largest_excesses`; ``highest`` and ``lowest`` are the extremes of
    ``p_c(s) / p(s) - 1`` over classes c and the values s in them; ``lacking`` is whether a class lacks a value that
    somebody has.
    """

    excesses: list[tuple[int, int]]
    highest: float
    lowest: float
    lacking: bool


def spread_of(joint: SensitiveCounts, people: int) -> Spread:
    """Return the differences between the sensitive values of the classes and of all people."""
    counts = _with_totals(joint.table, joint.keys, joint.secret)
    beyond = counts[SIZE] * _int64(people) - counts[_OF_VALUE] * counts[_IN_CLASS]
    relative = _relative(counts, people)
    # Each cell's part of the people with its value: the parts of all cells add up to the number of values.
    share = counts[SIZE].cast("float64") / counts[_OF_VALUE].cast("float64")
    classes = counts.group_by([*joint.keys, _IN_CLASS]).agg(
        **{
            _EXCESS: ibis.greatest(beyond, _int64(0)).sum().cast("int64"),
            _TEXTS: counts.count(),
            _UP_TO: relative.max(),
            _BELOW: relative.min(),
            _WITHIN: share.sum(),
        }
    )
    most, least = {name: classes[name].max() for name in (_EXCESS, _UP_TO)}, (_TEXTS, _BELOW)
    extremes = {**most, **{name: classes[name].min() for name in least}, _WITHIN: classes[_WITHIN].sum()}
    sizes = classes.group_by(_IN_CLASS).agg(**extremes).select(_IN_CLASS, _EXCESS, _UP_TO, _BELOW, _TEXTS, _WITHIN)
    size, excess, highest, lowest, fewest, shares = zip(*joint.rows.ask(sizes), strict=True)
    pairs = [(int(people), int(most)) for people, most in zip(size, excess, strict=True)]
    return Spread(pairs, float(max(highest)), float(min(lowest)), min(fewest) < round(math.fsum(shares)))


def largest_gains(joint: SensitiveCounts, people: int) -> list[tuple[int, float]]:
    """Return each number of people with a sensitive value, and the largest ``p_c(s) / p(s) - 1`` of such values."""
    counts = _with_totals(joint.table, joint.keys, joint.secret)
    gains = counts.group_by(_OF_VALUE).agg(**{_UP_TO: _relative(counts, people).max()})
    return [(int(having), float(gain)) for having, gain in joint.rows.ask(gains)]


def largest_tree_excesses(
    joint: SensitiveCounts, people: int, levels: Sequence[Mapping[str | None, int]]
) -> list[tuple[int, int]]:
    """Return for each class size the largest sum of excesses over levels of a class of that size.

    On each level, an excess is as in :func:`largest_excesses`, for the groups in its mapping from the values, which
    are written as by :func:`texts_of`.
    """
    values = with_texts(joint.rows, joint.table, joint.secret)
    by_class: list[Any] = []
    for level in levels:
        placed = values.mutate(**{_PLACE: _mapped(values["text"], level)})
        counts = placed.group_by([*joint.keys, _PLACE]).agg(**{SIZE: placed[SIZE].sum().cast("int64")})
        by_class.append(_excesses(counts, joint.keys, _PLACE, people))
    every = ibis.union(*by_class) if len(by_class) > 1 else by_class[0]
    summed = every.group_by([*joint.keys, _IN_CLASS]).agg(**{_EXCESS: every[_EXCESS].cast("decimal(38, 0)").sum()})
    return _largest(joint, summed)


def largest_excesses(joint: SensitiveCounts, people: int) -> list[tuple[int, int]]:
    """Return for each class size the largest ``Σ_s max(0, n_cs·n - n_s·n_c)`` of a class of that size.

    A value that is not in a class adds nothing, so the values in the class suffice.
    """
    return _largest(joint, _excesses(joint.table, joint.keys, joint.secret, people))


def largest_transports(
    joint: SensitiveCounts, people: int, places: Mapping[str | None, int] | None
) -> tuple[int, list[tuple[int, int]]]:
    """Return the number of places of the sensitive values in order, and the largest costs to move them.

    The costs are, for each class size, the largest ``Σ_i |C_ci·n - C_i·n_c|`` of a class of that size, where C counts
    the people, of the class and of all, whose value has place i or an earlier one.

    Parameters
    ----------
    joint
        Counts of people with one row each.
    people
        The number of people, n.
    places
        The values as :func:`texts_of` returns them → their places from low to high; None if they are numbers.
    """
    numbered = _tied_in_order(joint, _numbered(joint)) if places is None else _positioned(joint, places)
    place = ibis.dense_rank().over(order_by=[numbered[_NUMBER], numbered[_WITHIN]])
    placed = numbered.select(*joint.keys, SIZE, **{_PLACE: place})
    everybody = placed.group_by(_PLACE).agg(**{SIZE: placed[SIZE].sum()})
    cuts = everybody.select(**{_CUT: everybody[_PLACE], _BELOW: _running(everybody, [])})
    ((last, reached),) = joint.rows.ask(cuts.agg(places=cuts.count(), reached=cuts[_BELOW].sum().cast("int64")))

    counts = placed.group_by([*joint.keys, _PLACE]).agg(**{SIZE: placed[SIZE].sum().cast("int64")})
    following = counts[_PLACE].lead().over(ibis.window(group_by=joint.keys, order_by=_PLACE))
    steps = counts.mutate(
        **{
            _IN_CLASS: _total(counts, joint.keys),
            _UP_TO: _running(counts, joint.keys),
            _UNTIL: following.fill_null(int(last)),
        }
    )
    # C_c changes at the places that the class has, and is 0 before the first, where the cost is what is expected: so
    # that is counted everywhere, by what everybody reaches, and here is the rest of the cost from the first on.
    lasting = steps.mutate(**{_CUT: ibis.range(steps[_PLACE], steps[_UNTIL]).unnest()})
    met = lasting.join(cuts, _CUT)
    expected = met[_BELOW] * met[_IN_CLASS]
    beyond = (met[_UP_TO] * _int64(people) - expected).abs() - expected
    classes = met.group_by([*joint.keys, _IN_CLASS]).agg(**{_EXCESS: beyond.cast("decimal(38, 0)").sum()})
    return int(last), [(size, int(reached) * size + excess) for size, excess in _largest(joint, classes)]


def count_without_number(joint: SensitiveCounts) -> int:
    """Return the number of people whose sensitive value is no number: null, NaN, or text that is no number."""
    values = _numbered(joint)
    ((count,),) = joint.rows.ask(values.filter(values[_NUMBER].isnull())[SIZE].sum().as_table())
    return int(count or 0)


def texts_of(joint: SensitiveCounts) -> list[str | None]:
    """Return the sensitive values as the engine writes them; None is null."""
    values = joint.table.group_by(joint.secret).agg(**{SIZE: joint.table[SIZE].sum()})
    return [text for (text,) in joint.rows.ask(with_texts(joint.rows, values, joint.secret).select("text"))]


def _guesses(joint: SensitiveCounts) -> Any:
    classes = joint.by_class(**{_BEST: joint.table[SIZE].max(), SIZE: joint.table[SIZE].sum().cast("int64")})
    return classes.group_by([_BEST, SIZE]).agg(**{CLASSES: classes.count()})


def _with_totals(counts: Any, keys: Sequence[str], value: str) -> Any:
    return counts.mutate(**{_IN_CLASS: _total(counts, keys), _OF_VALUE: _total(counts, [value])})


def _relative(counts: Any, people: int) -> Any:
    """Return ``p_c(s) / p(s) - 1`` from counts with totals, without a loss of digits for small values."""
    expected = counts[_OF_VALUE] * counts[_IN_CLASS]
    return (counts[SIZE] * _int64(people) - expected).cast("float64") / expected.cast("float64")


def _excesses(counts: Any, keys: Sequence[str], value: str, people: int) -> Any:
    """Return a row per class with ``Σ_s max(0, n_cs·n - n_s·n_c)``, from counts by class and value."""
    with_people = _with_totals(counts, keys, value)
    beyond = with_people[SIZE] * _int64(people) - with_people[_OF_VALUE] * with_people[_IN_CLASS]
    return with_people.group_by([*keys, _IN_CLASS]).agg(
        **{_EXCESS: ibis.greatest(beyond, _int64(0)).sum().cast("int64")}
    )


def _largest(joint: SensitiveCounts, classes: Any) -> list[tuple[int, int]]:
    largest = classes.group_by(_IN_CLASS).agg(**{_EXCESS: classes[_EXCESS].max()})
    return [(int(size), int(excess)) for size, excess in joint.rows.ask(largest)]


def _numbered(joint: SensitiveCounts) -> Any:
    """Return the counts with the sensitive value as a number; text in double precision, null if it is no number."""
    secret = joint.table[joint.secret]
    if _is_text(joint):
        values = with_texts(joint.rows, joint.table, joint.secret)
        number = values["text"].try_cast("float64")
    else:
        values, number = joint.table, secret if secret.type().is_numeric() else ibis.null("float64")
    if number.type().is_floating():
        number = number.isnan().ifelse(ibis.null("float64"), number)
    return values.mutate(**{_NUMBER: number})


def _tied_in_order(joint: SensitiveCounts, numbered: Any) -> Any:
    """Return the counts with a number's rank among those of the same double: text may have any precision."""
    if not _is_text(joint):
        return numbered.mutate(**{_WITHIN: 0})
    texts = numbered.select("text", _NUMBER).distinct()
    shared = texts.group_by(_NUMBER).agg(**{_TEXTS: texts.count()})
    most = limits.current().numbers(MAX_TIED_TEXTS, each=64)
    tied = texts.semi_join(shared.filter(shared[_TEXTS] > 1), _NUMBER).select("text").limit(most + 1)
    try:
        numbers = {text: Decimal(text) for (text,) in joint.rows.ask(tied)}
    except InvalidOperation:
        raise InvalidValueError(
            "two sensitive values are the same in double precision, but are not both written in decimals"
        ) from None
    if len(numbers) > most:
        raise TooLargeError(
            f"more than {most:,} sensitive values as text equal another one in double precision; give the table with "
            "that column as integers or decimals"
        )
    places = {number: place for place, number in enumerate(sorted(set(numbers.values())))}
    ranks = [(text, places[number]) for text, number in numbers.items()]
    return numbered.mutate(**{_WITHIN: numbered["text"].cases(*ranks, else_=0) if ranks else 0})


def _is_text(joint: SensitiveCounts) -> bool:
    return joint.secret in joint.rows.texts or joint.table[joint.secret].type().is_string()


def _positioned(joint: SensitiveCounts, places: Mapping[str | None, int]) -> Any:
    values = with_texts(joint.rows, joint.table, joint.secret)
    return values.mutate(**{_NUMBER: _mapped(values["text"], places), _WITHIN: 0})


def _mapped(text: Any, numbers: Mapping[str | None, int]) -> Any:
    """Return the number of each text; -1 for null where it has none."""
    texts = [each for each in numbers if each is not None]
    listed = ibis.literal([numbers[each] for each in texts], "array<int64>")
    place = ibis.literal(texts, "array<string>").index(text)
    return text.isnull().ifelse(_int64(numbers.get(None, -1)), listed[place.cast("int32")])


def _total(table: Any, keys: Sequence[str]) -> Any:
    return table[SIZE].sum().over(ibis.window(group_by=keys)).cast("int64")


def _running(table: Any, keys: Sequence[str]) -> Any:
    window = ibis.cumulative_window(group_by=keys, order_by=_PLACE)
    return table[SIZE].sum().over(window).cast("int64")


def _int64(number: int) -> Any:
    return ibis.literal(number, "int64")
