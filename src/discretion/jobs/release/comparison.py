"""The columns of a release before and after: the distributions of their values, and the leakage of their blanks."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from discretion.anonymity import redaction_leakage
from discretion.anonymity.choosing.redaction import least_decoys
from discretion.anonymity.releasing.generalizations import Generalization
from discretion.jobs.release.blanks import BlankedColumn, BlankGuess
from discretion.jobs.release.decision import ReleaseDecision
from discretion.jobs.release.redaction import Redaction
from discretion.jobs.release.usefulness import Bin, ColumnDistribution
from discretion.numerics.arrays import Booleans, Reals
from discretion.numerics.equivalence_classes import Column, best_guesses
from discretion.spelling import spelled

# At most this many values of a column are listed, and the others together.
_LISTED = 20
#: The labels of values that are in no row of the file, of blank cells, of missing values, and of all other values.
HIDDEN, BLANK, MISSING, OTHERS = "(not in the file)", "(blank)", "(missing)", "(other values)"


def column_distributions(decision: ReleaseDecision) -> tuple[ColumnDistribution, ...]:
    """Return the distribution of each column that goes out, in the table and in the file.

    Both are counted in the bins of the file, so that they differ only by the people who are left out and by blank
    cells. A value that fewer than k people of the table hold is not named.
    """
    blank = dict(zip(decision.best.views, decision.best.cut.blank, strict=True))
    kept = ~decision.best.cut.out
    none = np.zeros_like(kept)
    return tuple(
        _distribution(name, generalization, kept, blank.get(name, none), decision)
        for name, generalization in decision.shown.items()
    )


def blanked_columns(decision: ReleaseDecision) -> tuple[BlankedColumn, ...]:
    """Return the cells that rules left blank in each column that goes out, and the leakage of these blanks."""
    redactions = decision.candidates.redactions
    return tuple(_blanked(name, redactions[name], decision) for name in decision.shown if name in redactions)


def _blanked(name: str, redaction: Redaction, decision: ReleaseDecision) -> BlankedColumn:
    people, view, kept = decision.candidates.people, decision.shown[name].column, ~decision.best.cut.out
    suppressed = dict(zip(decision.best.views, decision.best.cut.blank, strict=True)).get(name, np.zeros_like(kept))
    # As if a reader distinguished redacted cells from missing ones and from those that are blank to hide others.
    marks = [redaction.redacted, suppressed & ~redaction.redacted]
    shown = Column(np.select(marks, [view.count, view.count + 1], view.codes.astype(np.int32))[kept], view.count + 2)
    expected = {about: redaction_leakage(people, redaction.rules, about) for about in redaction.about}
    needed = int((np.logical_or.reduce(redaction.needed) & kept).sum())
    decoys, rare = int((redaction.decoys & kept).sum()), expected[name].rare_people
    return BlankedColumn(
        column=name,
        rules=tuple(map(spelled, redaction.rules)),
        needed_by_rule=tuple(int((rows & kept).sum()) for rows in redaction.needed),
        needed=needed,
        decoys=decoys,
        suspicion=needed / (needed + decoys) if needed else 0.0,
        expected_suspicion=expected[name].suspicion,
        enough_decoys=least_decoys(rare, people.people - rare, decision.candidates.goal.k, 0.5),
        guesses=tuple(
            BlankGuess(
                about=about,
                prior=int(np.bincount(column.codes[kept]).max()) / shown.codes.size,
                posterior=best_guesses(shown, Column(column.codes[kept], column.count))[0] / shown.codes.size,
                expected_prior=expected[about].prior,
                expected_posterior=expected[about].posterior,
            )
            for about, column in redaction.about.items()
        ),
    )


def _distribution(
    name: str, generalization: Generalization, kept: Booleans, blank: Booleans, decision: ReleaseDecision
) -> ColumnDistribution:
    codes, count = generalization.column.codes, generalization.column.count
    before = np.bincount(codes, minlength=count)
    after = np.bincount(codes[kept & ~blank], minlength=count)
    labels = generalization.labels if len(generalization.labels) else decision.candidates.values[name].to_pylist()
    people, left = codes.size, max(1, int(kept.sum()))
    shares = before / people, after / left
    blanks = int((kept & blank).sum()) / left
    distance = 0.5 * (float(np.abs(shares[0] - shares[1]).sum()) + blanks)
    named = (before >= decision.candidates.goal.k) & (after > 0)
    rest = ~named
    listed = np.flatnonzero(named)
    if listed.size > _LISTED:
        listed = listed[np.argsort(-before[listed], kind="stable")[: _LISTED - 1]]
    others = named.copy()
    others[listed] = False
    texts = [MISSING if label is None else str(label) for label in labels]
    order = sorted(listed.tolist(), key=_places(generalization, texts, name, decision).__getitem__)
    bins = [Bin(texts[code], float(shares[0][code]), float(shares[1][code])) for code in order]
    bins += _together(OTHERS, others, shares) + _together(HIDDEN, rest, shares)
    bins += [Bin(BLANK, 0.0, blanks)] if blanks else []
    return ColumnDistribution(name, min(1.0, distance), tuple(bins))


def _together(label: str, codes: Booleans, shares: tuple[Reals, Reals]) -> list[Bin]:
    before, after = (float(each[codes].sum()) for each in shares)
    return [Bin(label, before, after)] if before or after else []


def _places(
    generalization: Generalization, texts: Sequence[str], name: str, decision: ReleaseDecision
) -> Sequence[tuple[float, str]]:
    """Return the sort key of each code: the least number that it stands for, or its text."""
    finest = decision.candidates.generalizations.get(name, [generalization])[0]
    values: list[Any] = list(finest.labels)
    try:
        numbers = np.array([np.nan if value is None else float(value) for value in values])
    except (TypeError, ValueError):
        return [(0.0, text) for text in texts]
    if not numbers.size:
        return [(0.0, text) for text in texts]
    least = np.full(generalization.column.count, np.inf)
    of_rows = np.nan_to_num(numbers, nan=np.inf)[finest.column.codes]
    np.minimum.at(least, generalization.column.codes, of_rows)
    return list(zip(least.tolist(), texts, strict=True))
