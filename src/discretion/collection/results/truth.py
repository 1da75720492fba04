"""Compare a result with the truth, if it is known: the participants were the rows of a table."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from discretion.collection.parts.choosing import Counts, next_of
from discretion.collection.parts.intervals import intervals_of
from discretion.collection.parts.joint import JointShares, joint_shares, mean_scores, score_of
from discretion.collection.parts.noisy_counts import NoiseInCounts
from discretion.collection.results.analyst import AnalystResult
from discretion.collection.results.suppressed import redacted_features
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.task import Task, redacted_codes
from discretion.numerics.arrays import Integers
from discretion.presenting.json_answers import plain

STANDARD_ERRORS = 4
# The probability that a table of randomized answers agrees with the truth if nothing is wrong.
_SURELY = 1 - 1e-9
_LONG = 0.5


@dataclass(frozen=True)
class ComparedTable:
    """The comparison of a table of answers, to one feature or to several together, with the truth.

    Parameters
    ----------
    features
        The features of the answers.
    randomized
        Whether answers were randomized, redacted by chance, or counted with dummies.
    shares
        The number of compared shares: of every combination in the truth or in the result.
    equal
        The number of shares that are equal, as counts.
    within
        The number of shares within four standard errors of the truth; if nothing was randomized, of equal ones.
    furthest
        The largest distance of a share in standard errors; infinite for a share without an error that is not equal.
    agrees
        Whether all counts are equal. With dummies: whether no count is further off than dummies can explain. With
        randomized answers: whether all shares are in intervals that miss the truth at most once in 10⁹ tables.
    is_inconclusive
        Whether the interval of each share is longer than a half, so that hardly any result would differ.
    """

    features: tuple[str, ...]
    randomized: bool
    shares: int
    equal: int
    within: int
    furthest: float
    agrees: bool
    is_inconclusive: bool = False


@dataclass(frozen=True)
class TruthComparison:
    """The comparison of all results with the truth.

    Parameters
    ----------
    people, counted
        The number of people who are asked for joint answers, and the number of counted people among them; None before
        the second round.
    single
        The comparison of the answers to each feature.
    joint
        The comparison of the joint answers; None before the second round.
    """

    people: int
    counted: int | None
    single: tuple[ComparedTable, ...]
    joint: ComparedTable | None

    @property
    def agrees(self) -> bool:
        """Whether everybody was counted, and all tables agree with the truth."""
        tables = [*self.single, *([] if self.joint is None else [self.joint])]
        return self.counted in (None, self.people) and all(table.agrees for table in tables)

    @property
    def is_inconclusive(self) -> bool:
        """Whether an agreement means nothing, because with so few answers hardly any result would differ."""
        tables = [*self.single, *([] if self.joint is None else [self.joint])]
        return self.agrees and any(table.is_inconclusive for table in tables)

    @property
    def verdict(self) -> str:
        """The conclusion of the comparison, in a sentence."""
        tables = [*self.single, *([] if self.joint is None else [self.joint])]
        shares, within = (sum(getattr(table, name) for table in tables) for name in ("shares", "within"))
        if any(table.randomized for table in tables):
            sentence = f"{within:,} of {shares:,} shares lie within {STANDARD_ERRORS} standard errors of the truth"
        else:
            sentence = f"{within:,} of {shares:,} counts are equal to those of the table"
        if self.counted not in (None, self.people):
            sentence += f", and {self.counted:,} of {self.people:,} people were counted"
        if self.is_inconclusive:
            return (
                f"Nothing can be concluded on whether the results agree with the table: with so few answers, nearly "
                f"all results would. {sentence[0].upper()}{sentence[1:]}."
            )
        return (
            f"{'The results agree with the table' if self.agrees else 'The results differ from the table'}: {sentence}."
        )

    def to_dict(self) -> Mapping[str, Any]:
        """Return the comparison as plain objects, for JSON."""
        return {
            **plain(self), "agrees": self.agrees, "is_inconclusive": self.is_inconclusive, "verdict": self.verdict,
        }  # fmt: skip


def compare_with_truth(
    task: Task,
    rows: Integers,
    counts: Counts,
    analysed: AnalystResult | None = None,
    *,
    asked_in: Sequence[int] | None = None,
) -> TruthComparison:
    """Compare the results with the truth.

    Parameters
    ----------
    task
        The task.
    rows
        The code of each person's answer to each feature, before it was randomized: shape (people, features).
    counts, analysed : Counts, AnalystResult, optional
        The curator's counts, and the analyst's result.
    asked_in
        The one round that each person answered, if other people answer each round.
    """
    people = None if task.noise is None else len(rows)
    alone_rows = rows if asked_in is None else rows[np.array(asked_in) == 1]
    joint_rows = rows if asked_in is None else rows[np.array(asked_in) == 2]
    each_alone = [_alone(task, place) for place in range(len(task.features))]
    single = tuple(
        _compare(alone_rows, joint_shares(_answers_of(counts[feature.name]), alone, people=people), alone)
        for feature, alone in zip(task.features, each_alone, strict=True)
    )
    if analysed is None:
        return TruthComparison(len(joint_rows), None, single, None)
    joint = _compare(joint_rows, analysed.joint, analysed.round)
    return TruthComparison(len(joint_rows), analysed.joint.people, single, joint)


def _alone(task: Task, place: int) -> Round:
    """Return a round that asks for one feature."""
    return Round(task, next_of(Round(task), "analyst", [(place,)], exposure=0.0, people=0))


def _answers_of(counts: Integers) -> Integers:
    return np.repeat(np.arange(len(counts)), counts)[:, None]


def _compare(rows: Integers, joint: JointShares, round_: Round) -> ComparedTable:
    (chosen,) = round_.groups
    features = [round_.task.features[place] for place in chosen]
    scores = [score_of(feature) for feature in features]
    true_codes, people = _sent_by_need(rows, round_), max(len(rows), 1)
    shape = tuple(round_.cells(0))
    if any(0 < each.decoys < 1 for each in redacted_features(round_)):
        return _compare_decoyed(true_codes, joint, round_)
    if round_.task.noise is not None:
        return _compare_noisy(_counts_of(true_codes, shape), joint, round_)
    if all(score.is_plain for score in scores):
        both, place = np.unique(np.concatenate([joint.codes, true_codes]), axis=0, return_inverse=True)
        place = place.ravel()
        cell_counts = np.bincount(place[: len(joint.codes)], weights=joint.counts, minlength=len(both))
        true = np.bincount(place[len(joint.codes) :], minlength=len(both))
        equal = int((cell_counts == true).sum())
        furthest = 0.0 if equal == len(both) else np.inf
        return ComparedTable(joint.features, False, len(both), equal, equal, furthest, equal == len(both))
    truth = _counts_of(true_codes, shape) / people
    # The variance of the reports' scores, given their senders' answers.
    squares = [(score.square(True), score.square(False)) for score in scores]
    variance = np.maximum(mean_scores(truth.reshape(shape), squares).ravel() - truth, 0.0) / people
    off = np.abs(joint.shares - truth)
    off[off < 1e-12] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        away = np.where(off > 0, off / np.sqrt(variance), 0.0)
    low, high = intervals_of(joint, round_, _SURELY)
    return ComparedTable(
        joint.features, True, len(truth), int((off == 0).sum()), int((away <= STANDARD_ERRORS).sum()),
        float(away.max(initial=0.0)),
        joint.people == len(rows) and bool(((low <= truth + 1e-12) & (truth <= high + 1e-12)).all()),
        bool((high - low > _LONG).all()),
    )  # fmt: skip


def _sent_by_need(rows: Integers, round_: Round) -> Integers:
    """Return the codes that these people send in the analyst's round without decoys."""
    (chosen,) = round_.groups
    features = round_.task.features
    always = {each.name for each in redacted_features(round_) if each.decoys == 1}
    distinct, which = np.unique(rows, axis=0, return_inverse=True)
    sent = distinct.copy()
    redacted = [set(redacted_codes(features, row)) for row in distinct.tolist()]
    rules = {rule.place: set(rule.codes) for rule in (() if round_.choice is None else round_.choice.rules)}
    for place in chosen:
        feature = features[place]
        for at, row in enumerate(distinct.tolist()):
            if feature.name in always or place in redacted[at] or row[place] in rules.get(place, ()):
                sent[at, place] = feature.codes if place in rules else feature.codes - 1
    columns = [np.array(map_)[sent[:, place]] for place, map_ in zip(chosen, round_.sent_codes(0), strict=True)]
    return np.column_stack(columns)[which.ravel()]


def _compare_decoyed(codes: Integers, joint: JointShares, round_: Round) -> ComparedTable:
    """Compare counts of answers that everybody may redact: sums of independent coins, within Bernstein's limits.

    Each person with a combination sends it with the answers that their coins do not redact.
    """
    ruled = redacted_features(round_)
    combinations, times = np.unique(codes, axis=0, return_counts=True)
    mean: dict[tuple[int, ...], float] = {}
    variance: dict[tuple[int, ...], float] = {}
    for combination, people in zip(combinations.tolist(), times.tolist(), strict=True):
        outcomes = {tuple(combination): 1.0}
        for each in ruled:
            if combination[each.axis] != each.code:
                outcomes = {
                    (*cell[: each.axis], each.code, *cell[each.axis + 1 :]) if tossed else cell: p
                    * (each.decoys if tossed else 1 - each.decoys)
                    for cell, p in outcomes.items()
                    for tossed in (False, True)
                }
        for cell, p in outcomes.items():
            mean[cell] = mean.get(cell, 0.0) + people * p
            variance[cell] = variance.get(cell, 0.0) + people * p * (1 - p)
    counts = {tuple(cell): count for cell, count in zip(joint.codes.tolist(), joint.counts.tolist(), strict=True)}
    cells = list(mean | counts)
    expected, spread, found = (np.array([each.get(cell, 0.0) for cell in cells]) for each in (mean, variance, counts))
    off = np.abs(found - expected)
    off[off < 1e-9] = 0.0
    nats = math.log(2 * len(cells) / (1 - _SURELY))
    most = nats / 3 + np.sqrt((nats / 3) ** 2 + 2 * spread * nats)
    possible = np.array([cell in mean for cell in cells]) | (found == 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        away = np.where(off > 0, off / np.sqrt(spread), 0.0)
    return ComparedTable(
        joint.features, True, len(cells), int((off == 0).sum()), int((away <= STANDARD_ERRORS).sum()),
        float(away.max(initial=0.0)), bool(possible.all() and (off <= most).all()),
        bool((2 * most > _LONG * max(len(codes), 1)).all()),
    )  # fmt: skip


def _counts_of(codes: Integers, shape: tuple[int, ...]) -> Integers:
    return np.bincount(np.ravel_multi_index(tuple(codes.T), shape), minlength=prod(shape))


def _compare_noisy(truth: Integers, joint: JointShares, round_: Round) -> ComparedTable:
    """Compare counts with dummies: each is the true count plus a number of dummies that the shufflers may add."""
    noise = NoiseInCounts(round_.task)
    off = joint.counts - truth
    return ComparedTable(
        joint.features, True, len(truth), int((off == 0).sum()), int((abs(off) <= STANDARD_ERRORS * noise.error).sum()),
        float(abs(off).max(initial=0) / noise.error), bool((abs(off) <= noise.mean).all()),
    )  # fmt: skip
