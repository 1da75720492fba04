"""The cost of a release: the share of the table's information, entropy and precision that the file keeps."""

import math
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from discretion.anonymity import Population
from discretion.anonymity.releasing.generalizations import Generalization
from discretion.anonymity.releasing.information import JointInformation
from discretion.anonymity.releasing.search import BestRelease
from discretion.anonymity.releasing.utility import Utility, discernibility, distinguished_pairs, utility_of_cells
from discretion.numerics.arrays import Booleans
from discretion.numerics.equivalence_classes import Column, everybody, refined

Views = Mapping[str, Sequence[Generalization]]

# Sums of the same numbers in another order differ by at most this; one person of 10⁹ makes more of a difference.
_ROUNDING = 1e-12


def costs_of(
    people: Population,
    views: Views,
    best: BestRelease,
    utility: Utility,
    *,
    sensitive: Sequence[str],
    guarded: Sequence[Generalization],
) -> dict[str, Any]:
    """Return the utility that the file keeps, its upper bound, and the loss by suppression, by name.

    A column that does not go out counts as lost. ``guarded`` are the sensitive columns that go out unchanged, and
    ``views`` the possible generalizations of the other columns.
    """
    left = people.people - best.cut.out.size  # none of whose cells goes out
    touched = np.logical_or.reduce(best.cut.blank)
    whole = _whole(people, sensitive, utility)
    # The utility of the sensitive columns of these people, and the part of it in the file.
    most, kept = _kept_as_it_is(guarded, best, utility)
    information = _information(guarded, best)
    return {
        "kept": _share(best.kept + kept, whole),
        "bound": _share(best.bound + most, whole),
        "ended": best.ended,
        "suppression_cost": (best.uncut - best.kept + most - kept) / (whole or 1.0),
        "information": information / people.people,
        "information_kept": _share(information, _whole(people, sensitive, "information")),
        "blanked": int(touched.sum()),
        "blank_cells": best.cut.blank_cells,
        "entropy_kept": _share(_kept(guarded, views, best, "entropy"), _whole(people, sensitive, "entropy")),
        "precision": _share(_kept(guarded, views, best, "precision"), _whole(people, sensitive, "precision")),
        "discernibility": discernibility(
            best.cut.classes(list(best.views.values())), best.cut.out, people.people
        ) + left * people.people,
    }  # fmt: skip


def _share(part: float, whole: float) -> float:
    """Return a part as a share of the whole, 1 if they differ by no more than rounding."""
    return 1.0 if part > (1 - _ROUNDING) * whole > 0 else part / (whole or 1.0)


def _whole(people: Population, sensitive: Sequence[str], utility: Utility) -> float:
    """Return the utility of all unchanged columns of the table; pairs of people by the columns that are not sensitive.

    With a column of names each person is unique: the whole information is then ``log2 n`` bits a person.
    """
    if utility == "information":
        return people.class_sizes(people.columns).entropy * people.people
    if utility == "discernibility":
        sizes = people.class_sizes([name for name in people.columns if name not in sensitive])
        return float(distinguished_pairs(np.repeat(sizes.sizes, sizes.counts)))
    alone = people.class_sizes_of_all((name,) for name in people.columns)
    each = (sizes.entropy if utility == "entropy" else float(sizes.classes > 1) for sizes in alone)
    return math.fsum(each) * people.people


def _kept_as_it_is(guarded: Sequence[Generalization], best: BestRelease, utility: Utility) -> tuple[float, float]:
    """Return the utility of the sensitive columns for all people in the views, and for those who go out."""
    if utility == "discernibility":
        return 0.0, 0.0
    if utility == "information":
        everyone = np.ones(best.cut.out.size, bool)
        return _joint([view.column for view in guarded], everyone), _joint([v.column for v in guarded], ~best.cut.out)
    worths = [utility_of_cells(utility, [view], 0) for view in guarded]
    most = math.fsum(float(view.sizes @ worth) for view, worth in zip(guarded, worths, strict=True))
    pairs = zip(guarded, worths, strict=True)
    lost = math.fsum(float(worth[view.column.codes[best.cut.out]].sum()) for view, worth in pairs)
    return most, most - lost  # of which exactly nothing is lost where nobody is left out


def _information(guarded: Sequence[Generalization], best: BestRelease) -> float:
    """Return the joint information of the rows that go out, in bits."""
    shown = [view.column for view in guarded]
    if best.views:
        shown.append(best.cut.classes(list(best.views.values())))
    return _joint(shown, ~best.cut.out)


def _joint(columns: Sequence[Column], rows: Booleans) -> float:
    """Return the joint information of some rows by these columns, in bits of all of them."""
    classes = reduce(refined, columns, everybody(rows.size))
    return float(JointInformation(rows.size).of_sizes(classes.sizes(rows)))


def _kept(guarded: Sequence[Generalization], views: Views, best: BestRelease, utility: Utility) -> float:
    """Return the utility of the cells that go out."""
    kept = _kept_as_it_is(guarded, best, utility)[1]
    for (name, view), blank in zip(best.views.items(), best.cut.blank, strict=True):
        level = next(level for level, each in enumerate(views[name]) if each is view)
        worth = utility_of_cells(utility, views[name], level)
        kept += float(worth[view.column.codes[~(best.cut.out | blank)]].sum())
    return kept
