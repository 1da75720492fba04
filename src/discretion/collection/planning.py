"""Plan how many people a collection needs: the questions that would go out together, before anybody is asked.

The plan uses the average counts of a number of people whose answers have given shares. The counts of a real collection
differ from these by chance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import floor, prod
from typing import Any, cast

import numpy as np

from discretion.anonymity import Marginals
from discretion.anonymity.exposure.bounds import bound_terms
from discretion.collection.errors import MalformedError
from discretion.collection.parts.choosing import answer_class_sizes, choice_of, exposure_of, places_of
from discretion.collection.parts.joint import mean_scores, score_of
from discretion.collection.parts.noisy_counts import NoiseInCounts
from discretion.collection.wire.selection import Term, people_bounded
from discretion.collection.wire.task import Feature, Task
from discretion.numerics.arrays import Integers, Reals
from discretion.presenting.json_answers import plain

#: The most people that a plan takes.
MOST_PEOPLE = 10**10
# Draws of people; the plan counts how many of them release the same questions.
_DRAWS = 40

Shares = Mapping[str, Reals]


@dataclass(frozen=True)
class Needed:
    """The number of people that is enough, on average, for some questions to go out together.

    Parameters
    ----------
    features
        The questions.
    people
        The least number of people with which they go out on average; None if ten billion are not enough.
    """

    features: tuple[str, ...]
    people: int | None


@dataclass(frozen=True)
class Coarser:
    """A question asked with fewer answers.

    Parameters
    ----------
    feature
        The question.
    merged
        The answers that would be "other".
    people
        The least number of people with which all questions then go out together on average; fewer than without merging.
    """

    feature: str
    merged: tuple[str, ...]
    people: int


@dataclass(frozen=True)
class CollectionPlan:
    """The questions that go out together with a number of people, and the numbers of people that more questions need.

    Parameters
    ----------
    users
        The planned number of people.
    questions
        The number of questions of the task.
    k, budget, smallest_batch
        The parameters of the task.
    shares
        The source of the shares of the answers, in words.
    released
        The questions that go out together with average counts.
    exposure
        The certified bound of the share of the people who stand out by these questions; None if nothing goes out.
    draws, draws_releasing
        The number of draws of people, and how many of these release the same questions.
    needed
        For 1, 2, … questions a set that needs few people: each set is the one before with one more question. The last
        set has all questions, unless the search ended before because ten billion people are not enough.
    coarser
        The questions for which merging answers reduces the number of people.
    dummies
        The average number of dummies in each count; the certified part of a count is smaller by this on average.
    confidence
        The confidence of the bound for the people of the last round, if other people answer it than the first round;
        each round then has half of the people. None if the same people answer all rounds.
    seed
        The seed of the draws.
    """

    users: int
    questions: int
    k: int
    budget: str
    smallest_batch: int
    shares: str
    released: tuple[str, ...]
    exposure: float | None
    draws: int
    draws_releasing: int
    needed: tuple[Needed, ...]
    coarser: tuple[Coarser, ...]
    dummies: int
    confidence: float | None
    seed: int

    def to_dict(self) -> Mapping[str, Any]:
        """Return the plan as plain objects, for JSON."""
        return plain(self)


def plan_collection(task: Task, users: int, shares: Shares, origin: str, *, seed: int = 0) -> CollectionPlan:
    """Plan a task with a number of people.

    Parameters
    ----------
    task
        The task.
    users
        The number of people.
    shares
        Each question → the share of each answer before it is randomized, by codes: "other" and missing come last.
    origin
        The source of the shares, in words.
    seed
        The seed of the draws of people.

    Raises
    ------
    MalformedError
        If there are fewer people than the smallest batch, or more than ten billion.
    """
    if not _fewest(task) <= users <= MOST_PEOPLE:
        batches = "the smallest batch" if task.other_people is None else "the smallest batch in each round"
        raise MalformedError(
            f"a plan needs at least {_fewest(task):,} people, {batches}, and at most {MOST_PEOPLE:,}; got {users:,}"
        )
    laws = _sent(task, shares)
    alone = _answer_alone(task, users)
    choice = choice_of(task, _certified(task, laws, alone), people=alone, confidence=task.confidence)
    released = () if choice is None else tuple(task.features[place].name for place in choice.chosen)
    needed = _needed_in_turn(task, laws)
    everything = needed[-1].people if len(needed) == len(task.features) else None
    rng = np.random.default_rng(seed)
    noise = NoiseInCounts(task)
    releasing = sum(_releases(noise, rng, laws, users, released) for _ in range(_DRAWS)) if released else 0
    exposure = None if choice is None else choice.exposure
    coarser = tuple(_coarser(task, shares, everything))
    return CollectionPlan(
        users, len(task.features), task.k, task.budget, task.smallest_batch, origin, released, exposure,
        _DRAWS if released else 0, releasing, needed, coarser, noise.mean, task.confidence, seed,
    )  # fmt: skip


def expected_counts(shares: Reals, people: int) -> Integers:
    """Return whole counts of a number of people, each within one of its share of them."""
    exact = shares * people
    counts = np.floor(exact).astype(np.int64)
    largest = np.argsort(counts - exact, kind="stable")[: people - int(counts.sum())]
    counts[largest] += 1
    return counts


def people_needed(task: Task, laws: Shares, names: Sequence[str]) -> int | None:
    """Return the number of people with which, on average, these questions go out together, and with one fewer do not.

    None if ten billion people are not enough.
    """
    low = _fewest(task) - 1  # not enough, since no smaller batch is opened
    high = low + 1
    while not _go_out(task, laws, names, high):
        low, high = high, 2 * high
        if high > MOST_PEOPLE:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _go_out(task, laws, names, middle) else (middle, high)
    return high


def _fewest(task: Task) -> int:
    """Return the least number of people with which the batch of each round is large enough."""
    return task.smallest_batch if task.other_people is None else 2 * task.smallest_batch


def _answer_alone(task: Task, people: int) -> int:
    """Return how many of the people answer the first round: half of them if other people answer the last round."""
    return people if task.other_people is None else people // 2


def _go_out(task: Task, laws: Shares, names: Sequence[str], people: int) -> bool:
    alone = _answer_alone(task, people)
    return _keeps_to_budget(task, _certified(task, laws, alone), alone, names)


def _certified(task: Task, laws: Shares, people: int) -> Mapping[str, Integers]:
    """Return the certified parts of the counts on average: each count less the average number of dummies."""
    off = NoiseInCounts(task).mean
    return {name: np.maximum(expected_counts(law, people) - off, 0) for name, law in laws.items()}


def _keeps_to_budget(task: Task, counts: Mapping[str, Integers], people: int, names: Sequence[str]) -> bool:
    if task.confidence is not None:
        return exposure_of(task, counts, places_of(task, names), task.confidence).high <= float(task.budget)
    known = Marginals({name: answer_class_sizes(counts[name], people) for name in names})
    terms = [Term((), term.rare, term.kept) for term in bound_terms(known, task.k)]
    return people_bounded(terms, task.k, people) <= floor(Decimal(task.budget) * people)


def _releases(noise: NoiseInCounts, rng: np.random.Generator, laws: Shares, users: int, names: Sequence[str]) -> bool:
    alone = _answer_alone(noise.task, users)
    drawn = {name: rng.multinomial(alone, law) for name, law in laws.items()}
    counts = {name: noise.least(tally + noise.draws(rng, len(tally))) for name, tally in drawn.items()}
    return _keeps_to_budget(noise.task, counts, alone, names)


def _needed_in_turn(task: Task, laws: Shares) -> tuple[Needed, ...]:
    steps: list[Needed] = []
    chosen: tuple[str, ...] = ()
    left = [feature.name for feature in task.features]
    while left:
        tried = [(people_needed(task, laws, (*chosen, name)), place) for place, name in enumerate(left)]
        people, place = min(tried, key=lambda each: (each[0] is None, each[0] or 0, each[1]))
        chosen = (*chosen, left.pop(place))
        in_order = tuple(feature.name for feature in task.features if feature.name in chosen)
        steps.append(Needed(in_order, people))
        if people is None:
            break
    return tuple(steps)


def _coarser(task: Task, shares: Shares, everything: int | None) -> Sequence[Coarser]:
    """Return the questions for which fewer people are enough if the rarer half of the answers becomes "other"."""
    found: list[Coarser] = []
    names = [feature.name for feature in task.features]
    ruled = {
        name
        for feature in task.features
        for rule in feature.rules
        for name in (feature.name, *(name for name, _ in rule.when))
    }
    for place, feature in enumerate(task.features):
        if len(feature.values) < 3 or feature.name in ruled:
            continue
        own = shares[feature.name]
        order = np.argsort(-own[: len(feature.values)], kind="stable")
        kept: list[int] = sorted(order[: -(-len(feature.values) // 2)].tolist())
        merged = [code for code in range(len(feature.values)) if code not in kept]
        fewer = replace(feature, values=tuple(feature.values[code] for code in kept))
        law = np.array([*own[kept], own[-2] + own[merged].sum(), own[-1]])
        changed = replace(task, features=(*task.features[:place], fewer, *task.features[place + 1 :]))
        people = people_needed(changed, _sent(changed, {**shares, feature.name: law}), names)
        if people is not None and (everything is None or people < everything):
            found.append(Coarser(feature.name, tuple(feature.values[code] for code in merged), people))
    return found


def _sent(task: Task, shares: Shares) -> Shares:
    """Return the shares of the answers as they are sent, after randomization and redaction."""
    sent: dict[str, Reals] = {}
    for feature in task.features:
        score, law = score_of(feature), shares[feature.name]
        if not score.is_plain:
            law = mean_scores(law, [(score.chance(True), score.chance(False))])
        if feature.rules:
            shown = law * _shown(task, feature, shares)
            law = np.append(shown, law.sum() - shown.sum())
        sent[feature.name] = law / law.sum()
    return sent


def _shown(task: Task, feature: Feature, shares: Shares) -> Reals:
    """Return the probability that each answer to a feature is not redacted, if features are independent."""
    labels = {other.name: other.given for other in task.features}
    shown = np.full(len(feature.given), 1 - float(feature.decoys))
    for rule in feature.rules:
        meets = prod(
            sum(share for label, share in zip(labels[name], shares[name].tolist(), strict=True) if label in answers)
            for name, answers in rule.when
        )
        shown *= [1 - meets * (rule.values is None or label in rule.values) for label in feature.given]
    return shown


def equal_shares(task: Task) -> Shares:
    """Return equal shares of the listed answers, and shares of 0 of other and missing answers."""
    return {
        feature.name: np.array([1 / len(feature.values)] * len(feature.values) + [0.0, 0.0])
        for feature in task.features
    }


def given_shares(task: Task, given: Mapping[str, Any]) -> Shares:
    """Return given shares by codes: each question → answer → share; the rest of a question is "other".

    Raises
    ------
    MalformedError
        If a question is missing or unknown, a question does not have a given answer, or the numbers are not shares.
    """
    names = [feature.name for feature in task.features]
    if unknown := [name for name in given if name not in names]:
        raise MalformedError(f"the task has no question {unknown[0]!r}; it has {', '.join(names)}"[:300])
    if absent := [name for name in names if name not in given]:
        raise MalformedError(f"the shares of the answers to {absent[0]!r} are missing; give them for all questions")
    return {feature.name: _given_law(feature, given[feature.name]) for feature in task.features}


def _given_law(feature: Feature, given: Any) -> Reals:
    law = np.zeros(len(feature.given))
    labels = [*feature.values, "other", "missing"]
    shares = cast("dict[str, Any]", given) if isinstance(given, dict) else None
    if shares is None or not all(type(share) in (int, float, Decimal) for share in shares.values()):
        raise MalformedError(f"the shares of {feature.name!r} must be a table of answers and numbers")
    for answer, share in shares.items():
        if answer not in labels:
            raise MalformedError(f"{feature.name!r} has no answer {answer!r}; it has {', '.join(labels)}"[:300])
        law[labels.index(answer)] = float(share)
    left = 1 - law.sum()
    if not ((law >= 0).all() and left > -1e-9):
        raise MalformedError(
            f"the shares of {feature.name!r} must be at least 0 and add up to at most 1; they add up to {law.sum():g}"
        )
    law[-2] += max(left, 0.0)
    return law / law.sum()
