"""Rows of one table that are in another: copies in a synthetic table, and an overlap of the held-out table."""

from dataclasses import dataclass

import numpy as np

from discretion.anonymity.synthetic.attack import AttackCount, SyntheticAttack
from discretion.anonymity.synthetic.tables import MISSING, Tables
from discretion.numerics.arrays import Booleans, Integers, Reals

# The probability below which this many or more equal rows in both tables count as evidence of the same people.
_CHANCE = 0.001


def copies(tables: Tables) -> tuple[SyntheticAttack, SyntheticAttack]:
    """Return the number of people whose row is in the synthetic table: among all, and among people with a unique row.

    A row is unique among the people of the original and the held-out people together, so both are equally rare.
    """
    original, synthetic, control = tables.rows()
    known = synthetic.sizes() > 0
    people = np.bincount(np.concatenate([original.codes, control.codes]), minlength=synthetic.count)
    alone = known & (people == 1)

    def attack(name: str, copied: Booleans) -> SyntheticAttack:
        hits, others = (AttackCount(int(copied[each.codes].sum()), each.codes.size) for each in (original, control))
        return SyntheticAttack(name, hits, others)

    return attack("copied", known), attack("copied_alone", alone)


def copied_values(tables: Tables, name: str) -> SyntheticAttack:
    """Return the number of people whose own value of a column, such as a name, is in the synthetic table."""
    original, synthetic, control = tables.columns[name].parts
    there = np.isin(original, synthetic), np.isin(control, synthetic)
    hits, others = (
        AttackCount(int(np.count_nonzero(is_copied & (part != MISSING))), part.size)
        for is_copied, part in zip(there, (original, control), strict=True)
    )
    return SyntheticAttack(f"copied:{name}", hits, others)


@dataclass(frozen=True)
class Overlap:
    """People who are in both the original and the held-out table.

    Parameters
    ----------
    people
        The number of held-out people with a row that one person of the original has, and nobody else in either table;
        or all held-out people if both tables have the same rows.
    by_chance
        The expected number of them if the people of both tables were different, by the rows that two people of one
        table share.
    """

    people: int
    by_chance: float


def overlap(tables: Tables) -> Overlap | None:
    """Return how many held-out people are in the original, None if chance explains the rows that both have.

    If people are held out at random, two people who share a row are in different tables with probability
    ``p = 2nm/((n + m)(n + m − 1))``. A person who is in both tables has the row in both. So the number of such rows
    that are in both is tested against ``Binomial(rows, p)``. Two tables with the same rows would be halves of one
    table; chance makes two halves equal with probability ``Π_v C(2c_v, c_v)/C(2n, n)``, where c_v people have the row
    v. Source: Discretion.
    """
    original, _, control = tables.rows()
    n, _, m = tables.sizes
    of_original, of_control = (part.sizes() for part in (original, control))
    if np.array_equal(of_original, of_control) and _halves(of_original) <= _CHANCE:
        return Overlap(m, 0.0)
    of_two = of_original + of_control == 2
    rows, in_both = int(np.count_nonzero(of_two)), int(np.count_nonzero(of_two & (of_original == 1)))
    apart = 2 * n * m / ((n + m) * (n + m - 1))
    if not in_both or _at_least(in_both, rows, apart) > _CHANCE:
        return None
    return Overlap(in_both, (rows - in_both) * apart / (1 - apart))


def _at_least(hits: int, trials: int, p: float) -> float:
    """Return the probability of at least this many hits."""
    from scipy.special import betainc  # noqa: PLC0415

    return float(betainc(hits, trials - hits + 1, p))


def _halves(counts: Integers) -> float:
    """Return the probability that a random half of twice these people has each row as often as the other half."""
    from scipy.special import gammaln  # noqa: PLC0415

    each = np.append(counts, counts.sum()).astype(np.float64)
    log_central: Reals = gammaln(2 * each + 1) - 2 * gammaln(each + 1)
    return float(np.exp(log_central[:-1].sum() - log_central[-1]))
