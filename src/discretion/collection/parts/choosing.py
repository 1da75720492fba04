"""The choice of what goes out together, certified from the counts of single answers alone.

Anonymity, section 5.1: the curator knows no more than these, and needs no more.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from heapq import heapify, heappop, heappush
from math import floor

import numpy as np

from discretion.anonymity import ClassSizes, Marginals, exposure_bound, select_columns
from discretion.anonymity.choosing.problem import statistical_problem
from discretion.anonymity.choosing.selection import selection_of
from discretion.anonymity.exposure.bounds import bound_terms
from discretion.anonymity.sampling.future_bound import FutureCertificate
from discretion.anonymity.sampling.rare_values import SampledValues
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.selection import MOST_GROUPS, Choice, Receiver, Rule, Term, people_bounded
from discretion.collection.wire.task import Task
from discretion.estimate import Estimate
from discretion.numerics.arrays import Integers
from discretion.validation import as_confidence

Counts = Mapping[str, Integers]
ASSUMING = "those who are asked together are drawn as those who were counted"


def choice_of(
    task: Task,
    counts: Counts,
    after: Round | None = None,
    *,
    people: int | None = None,
    confidence: float | None = None,
) -> Choice | None:
    """Return the most features that are certified to keep to the task's budget, or None if none is.

    Everybody with the counts computes the same choice. A person whose answer to a feature did not arrive is taken to
    stand out by it, as is possible.

    Parameters
    ----------
    task, counts
        How many gave each answer to each feature of the task.
    after
        The choice is for the round after this one, the first by default.
    people
        How many were counted, if that may be more than the counts have; everybody else is taken to stand out.
    confidence
        None if the people who are asked together are those who were counted. If they are others like them, at least
        as many as the task's smallest batch: how surely what is certified of these is to hold, in (0, 1).

    Raises
    ------
    InvalidValueError
        If the confidence is out of range.
    """
    before, people = after or Round(task), people_of(counts) if people is None else people
    if confidence is None:
        return certified_choice(before, _marginals(counts, people), people)
    others = _future_certificate(task, counts, confidence)
    selection = selection_of(statistical_problem(_marginals(counts, people), others, Decimal(task.budget)))
    if not selection.columns:
        return None
    chosen, exposure = places_of(task, selection.columns), others.exposure(selection.columns).high
    return next_of(before, "analyst", [chosen], exposure=exposure, people=people, terms=((),))


def certified_choice(after: Round, alone: Marginals, people: int, rules: Iterable[Rule] = ()) -> Choice | None:
    """Return the choice of most features that single counts certify, with the rules for these."""
    task = after.task
    selection = select_columns(alone, Decimal(task.budget), k=task.k, by="certified").best
    if selection is None or not selection.columns:
        return None
    chosen = places_of(task, selection.columns)
    ruled = tuple(rule for rule in rules if rule.place in chosen)
    return certified_next(after, "analyst", [chosen], alone, people, ruled)


def certified_next(  # noqa: PLR0917
    after: Round,
    receiver: Receiver,
    groups: Iterable[tuple[int, ...]],
    known: Marginals,
    people: int,
    rules: tuple[Rule, ...] = (),
) -> Choice:
    """Return a choice for the round after one, with the terms of each group's certificate.

    Parameters
    ----------
    known
        The counts that certify it. They may be of more people than were counted, who all are like nobody else.
    people
        How many were counted.
    """
    groups = tuple(groups)
    terms = tuple(_published_terms(after.task, group, known, people) for group in groups)
    bounded = max(people_bounded(each, after.task.k, people) for each in terms)
    return next_of(after, receiver, groups, exposure=bounded / people, people=people, rules=rules, terms=terms)


def next_of(
    after: Round,
    receiver: Receiver,
    groups: Iterable[tuple[int, ...]],
    *,
    exposure: float,
    people: int,
    rules: tuple[Rule, ...] = (),
    terms: tuple[tuple[Term, ...], ...] = (),
    kept: tuple[tuple[tuple[int, ...], ...], ...] = (),
) -> Choice:
    """Return a choice for the round after one."""
    return Choice(
        after.task.digest, after.published, after.number + 1, receiver, tuple(groups), exposure, people, rules, terms,
        kept=kept,
    )  # fmt: skip


def _published_terms(task: Task, group: Sequence[int], known: Marginals, people: int) -> tuple[Term, ...]:
    """Return the terms of a group's certificate, as everybody may see them.

    The number of people who may stand out is raised to a multiple of k, or to the budget, so that it shows no count of
    fewer than k people. What is added goes to the terms with the fewest rare answers, which become alike.
    """
    names = [task.features[place].name for place in group]
    inside = [other for other in known.groups if set(other) <= set(names)]
    exact = bound_terms(known, task.k, names, inside)
    if not exact:
        return ()
    rare = [term.rare for term in exact]
    rare[0] -= known.people - people  # those who were added to the counts are rare in every term
    terms = [Term(places_of(task, term.columns), count, term.kept) for term, count in zip(exact, rare, strict=True)]
    bounded = people_bounded(terms, task.k, people)
    more = max(0, min(-(-bounded // task.k) * task.k, floor(Decimal(task.budget) * people)) - bounded)
    for place in _levelled(rare, more):
        terms[place] = replace(terms[place], rare=terms[place].rare + 1)
    return tuple(terms)


def _levelled(numbers: Sequence[int], more: int) -> Iterator[int]:
    """Yield the places of the numbers to be raised by 1, one after the other, always the smallest one."""
    left = [(number, place) for place, number in enumerate(numbers)]
    heapify(left)
    for _ in range(more):
        number, place = heappop(left)
        yield place
        heappush(left, (number + 1, place))


def certified_of(task: Task, counts: Counts, choice: Choice, confidence: float | None = None) -> Estimate:
    """Return what is certified of a choice: how many people at most have fewer than k alike in its answers.

    Where rare answers are redacted it is the expected share, over everybody's coins.
    """
    if confidence is None and choice.rules:
        return Estimate(choice.exposure, 0.0, choice.exposure, None, "counting bound of expected counts", "fair coins")
    if confidence is None and task.noise is not None:
        return Estimate(choice.exposure, 0.0, choice.exposure, None, "counting bound, of the least counts")
    if confidence is None and task.by_value:
        return Estimate(choice.exposure, 0.0, choice.exposure, None, "all tables with the counts so far")
    if confidence is None and choice.number > 2:
        return Estimate(choice.exposure, 0.0, choice.exposure, None, "counting bound, over groups")
    return exposure_of(task, counts, choice.chosen, confidence)


def exposure_of(task: Task, counts: Counts, chosen: Iterable[int], confidence: float | None = None) -> Estimate:
    """Return what single answers certify of these features together: how many at most have fewer than k alike.

    Certified without exception of the people who were counted; with a confidence of others, as the chance of one of
    them, assuming that these are drawn alike.
    """
    names = [task.features[place].name for place in chosen]
    if confidence is None:
        return exposure_bound(_marginals(counts, people_of(counts)), task.k, columns=names)
    return replace(_future_certificate(task, counts, confidence).exposure(names), assuming=ASSUMING)


def most_groups(after: Round) -> int:
    """Return of how many groups the round after one may ask: the admitter needs a key for each."""
    return MOST_GROUPS if after.task.admitter is None else len(after.task.admission[after.number])


def people_of(counts: Counts) -> int:
    """Return how many people were counted: of as many a message to some feature came."""
    return max(int(tally.sum()) for tally in counts.values())


def answer_class_sizes(counts: Integers, people: int) -> ClassSizes:
    """Return the class sizes that counts are of so many people, those whom they leave out being like nobody else."""
    positive = counts[counts > 0]
    lost = np.ones(people - int(positive.sum()), np.int64)
    return ClassSizes.from_counts(np.concatenate([positive, lost]))


def places_of(task: Task, names: Iterable[str]) -> tuple[int, ...]:
    """Return the places of features, in order."""
    named = set(names)
    return tuple(place for place, feature in enumerate(task.features) if feature.name in named)


def _future_certificate(task: Task, counts: Counts, confidence: float) -> FutureCertificate:
    """Return what is certified of others than those counted, to whom a lost message is one of any answer."""
    sampled = {
        (name,): SampledValues(*np.unique(tally[tally > 0], return_counts=True), people_of(counts), len(tally))
        for name, tally in counts.items()
    }
    return FutureCertificate(sampled, task.smallest_batch, task.k, as_confidence(confidence))


def _marginals(counts: Counts, people: int) -> Marginals:
    return Marginals({name: answer_class_sizes(tally, people) for name, tally in counts.items()})
