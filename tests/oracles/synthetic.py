"""Attacks by a synthetic table, counted by loops over pairs of records, in fractions."""

import itertools
import math
from collections import Counter
from fractions import Fraction


def as_number(value):
    """A value as a fraction, None where it is missing."""
    return None if value is None else Fraction(value)


def distance(asked, known, ranges):
    """Gower's distance of two records; a column's range is (least, greatest) of the synthetic table, or None.

    What numbers differ by is rounded to 2^40 parts of the range.
    """
    total = Fraction(0)
    for x, y, span in zip(asked, known, ranges, strict=True):
        if span is None or x is None or y is None:
            total += x != y
        else:
            apart = abs(Fraction(x) - Fraction(y)) / (Fraction(span[1]) - Fraction(span[0]))
            total += min(Fraction(round(apart * 2**40), 2**40), 1)
    return total


def ranges_of(columns, synthetic):
    """Of each column what its synthetic numbers lie between, None if they do not differ or are no numbers."""
    found = []
    for place, is_number in enumerate(columns):
        given = [record[place] for record in synthetic if record[place] is not None]
        spread = is_number and given and min(given) < max(given)
        found.append((min(given), max(given)) if spread else None)
    return found


def picked(record, places):
    return [record[place] for place in places]


def neighbours(asked, synthetic, ranges, places, k):
    """The places of all records at most as far as the k-th nearest."""
    spans = picked(ranges, places)
    away = [distance(picked(asked, places), picked(known, places), spans) for known in synthetic]
    furthest = sorted(away)[min(k, len(away)) - 1]
    return {place for place, far in enumerate(away) if far <= furthest}


def links(people, synthetic, ranges, first, second, k):  # noqa: PLR0917
    return sum(
        bool(neighbours(x, synthetic, ranges, first, k) & neighbours(x, synthetic, ranges, second, k)) for x in people
    )


def guesses(people, synthetic, ranges, known, secret, is_number, order):  # noqa: PLR0917
    """How many people's secret is the commonest of their nearest; ties go to the commonest of all, then by order."""
    overall = Counter(record[secret] for record in synthetic)
    right = 0
    for x in people:
        votes = Counter(synthetic[place][secret] for place in neighbours(x, synthetic, ranges, known, 1))
        guess = min(votes, key=lambda value: (-votes[value], -overall[value], order(value)))
        right += is_right(guess, x[secret], is_number)
    return right


def is_right(guess, truth, is_number):
    if guess == truth:
        return True
    if not is_number or guess is None or truth is None:
        return False
    return abs(guess - truth) <= abs(truth) / 20


def meets(record, condition):
    """Whether a record meets ``(place, least, greatest)`` on each of some columns; least None is a missing value."""
    return all(
        record[place] is None if least is None else record[place] is not None and least <= record[place] <= greatest
        for place, least, greatest in condition
    )


def matches(records, condition):
    return sum(meets(record, condition) for record in records)


def rate_of_others(n, m, of_original, of_control):
    """What a condition counts on the held-out people: over all ways in which these take the places of others."""
    if m <= n:
        places = range(n)
        hits = sum(
            of_control == 1 and set(range(of_original)) <= set(taken) for taken in itertools.combinations(places, m)
        )
        return Fraction(n * hits, m * math.comb(n, m))
    hits = sum(sum(person < of_control for person in taken) == 1 for taken in itertools.combinations(range(m), n))
    return Fraction(hits, math.comb(m, n))


def ratio_is_within(fails, limits, others, limits_of_others, ratio):
    """Whether a ratio is within the squared and added limits of both parts."""
    off = fails - ratio * others
    if off > 0:
        return off**2 <= (fails - limits[0]) ** 2 + ratio**2 * (limits_of_others[1] - others) ** 2
    return off**2 <= (limits[1] - fails) ** 2 + ratio**2 * (others - limits_of_others[0]) ** 2
