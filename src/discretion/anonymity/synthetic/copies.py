"""People whose row, or whose name, stands in a synthetic table word for word."""

import numpy as np

from discretion.anonymity.synthetic.attack import Attacked, SyntheticAttack
from discretion.anonymity.synthetic.tables import MISSING, Tables
from discretion.numerics.arrays import Booleans


def copies(tables: Tables) -> tuple[SyntheticAttack, SyntheticAttack]:
    """Return how many people's row is in the synthetic table: of all, and of those who alone have theirs.

    Alone among the people of the original and those held out together, so that either are as rare.
    """
    original, synthetic, control = tables.rows()
    known = np.bincount(synthetic.codes, minlength=synthetic.count) > 0
    people = np.bincount(np.concatenate([original.codes, control.codes]), minlength=synthetic.count)
    alone = known & (people == 1)

    def found(name: str, copied: Booleans) -> SyntheticAttack:
        hits, others = (Attacked(int(copied[each.codes].sum()), each.codes.size) for each in (original, control))
        return SyntheticAttack(name, hits, others)

    return found("copied", known), found("copied_alone", alone)


def copied_values(tables: Tables, name: str) -> SyntheticAttack:
    """Return how many people's own value of a column, such as their name, is in the synthetic table."""
    original, synthetic, control = tables.columns[name].parts
    there = np.isin(original, synthetic), np.isin(control, synthetic)
    hits, others = (
        Attacked(int(np.count_nonzero(found & (part != MISSING))), part.size)
        for found, part in zip(there, (original, control), strict=True)
    )
    return SyntheticAttack(f"copied:{name}", hits, others)
