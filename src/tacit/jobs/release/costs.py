"""What a release cost: what of the table's entropy, precision and people told apart the file keeps."""

import math
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from tacit.anonymity.releasing.search import Found
from tacit.anonymity.releasing.utility import Utility, discernibility, told_apart, worth_of_cells
from tacit.anonymity.releasing.views import View
from tacit.numerics.alike import refined

Views = Mapping[str, Sequence[View]]


def costs_of(columns: Sequence[View], views: Views, found: Found, utility: Utility, people: int) -> dict[str, Any]:
    """Return what the file keeps, at most could keep, and lost with what was cut, by name as in `Release`.

    ``columns`` are the known columns as they are, and ``views`` all of theirs that there were, of the people of whom
    they were made; ``people`` are all in the table.
    """
    left = people - found.cut.out.size  # none of whose cells goes out
    whole = _whole(columns, utility, left) or 1.0
    touched = np.logical_or.reduce(found.cut.blank)
    classes = found.cut.classes(list(found.views.values()))
    return {
        "kept": found.kept / whole,
        "bound": found.bound / whole,
        "ended": found.ended,
        "suppression_cost": (found.uncut - found.kept) / whole,
        "blanked": int(touched.sum()),
        "blank_cells": found.cut.blank_cells,
        "entropy_kept": _kept(views, found, "entropy") / (_whole(columns, "entropy", left) or 1.0),
        "precision": _kept(views, found, "precision") / (_whole(columns, "precision", left) or 1.0),
        "discernibility": discernibility(classes, found.cut.out, people) + left * people,
    }


def _whole(columns: Sequence[View], utility: Utility, left: int) -> float:
    """Return what all columns are worth as they are, those who are not in the views being worth as much as others."""
    if utility == "discernibility":
        sizes = np.bincount(reduce(refined, [view.column for view in columns]).codes)
        return float(told_apart(sizes))
    people = columns[0].column.codes.size
    worth = (float(view.sizes @ worth_of_cells(utility, view, 0, 1)) for view in columns)
    return math.fsum(worth) * (people + left) / people


def _kept(views: Views, found: Found, utility: Utility) -> float:
    """Return what the cells that go out are worth."""
    kept = 0.0
    for (name, view), blank in zip(found.views.items(), found.cut.blank, strict=True):
        level = next(level for level, each in enumerate(views[name]) if each is view)
        worth = worth_of_cells(utility, view, level, len(views[name]))
        kept += float(worth[view.column.codes[~(found.cut.out | blank)]].sum())
    return kept
