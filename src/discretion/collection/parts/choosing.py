"""The choice of the features that go out together, certified by the counts of single answers alone.

Anonymity, section 5.1: the curator knows only these counts, and needs no more.
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
ASSUMING = "the people of the last round are drawn like the counted people"


def choice_of(
    task: Task,
    counts: Counts,
    after: Round | None = None,
    *,
    people: int | None = None,
    confidence: float | None = None,
) -> Choice | None:
    """Return the choice of the most features whose certified exposure is within the budget, or None if there is none.

    Everybody with the counts computes the same choice. A person whose answer to a feature did not arrive is assumed to
    stand out by it.

    Parameters
    ----------
    task, counts
        The task, and the number of people with each answer to each of its features.
    after
        The round before the choice; the first round by default.
    people
        The number of counted people, if it may be larger than the counts show; the others are assumed to stand out.
    confidence
        The confidence of the bound, in (0, 1), if other people answer the last round, at least as many as the smallest
        batch of the task. None if the counted people answer it.

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
    """Return the choice of the most features that single counts certify, with the rules for these features."""
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
        The counts that certify the choice. They may include more people than were counted, who all stand out.
    people
        The number of counted people.
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
    """Return a choice for the round after the given one."""
    return Choice(
        after.task.digest, after.published, after.number + 1, receiver, tuple(groups), exposure, people, rules, terms,
        kept=kept,
    )  # fmt: skip


def _published_terms(task: Task, group: Sequence[int], known: Marginals, people: int) -> tuple[Term, ...]:
    """Return the terms of a group's certificate for publication.

    The number of people who may stand out is raised to a multiple of k, or to the budget, so that it shows no count of
    fewer than k people. The increase goes to the terms with the fewest rare answers, which become equal.
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
    """Yield the places of the numbers to raise by 1, one after the other, always that of the smallest number."""
    left = [(number, place) for place, number in enumerate(numbers)]
    heapify(left)
    for _ in range(more):
        number, place = heappop(left)
        yield place
        heappush(left, (number + 1, place))


def certified_of(task: Task, counts: Counts, choice: Choice, confidence: float | None = None) -> Estimate:
    """Return the certified bound of the share of people who stand out by a choice.

    A person stands out in a group of fewer than k people with the same answers. If the choice redacts rare answers, the
    bound is for the expected share, over everybody's coins.
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
    """Return the bound, from single answers, of the share of people who stand out by these features together.

    For the counted people the bound is certified without exception. With a confidence it is for other people: the
    probability that one of them stands out, under the assumption that they are drawn like the counted people.
    """
    names = [task.features[place].name for place in chosen]
    if confidence is None:
        return exposure_bound(_marginals(counts, people_of(counts)), task.k, columns=names)
    return replace(_future_certificate(task, counts, confidence).exposure(names), assuming=ASSUMING)


def most_groups(after: Round) -> int:
    """Return the most groups that the next round may ask for; an admitter needs a key for each group."""
    return MOST_GROUPS if after.task.admitter is None else len(after.task.admission[after.number])


def people_of(counts: Counts) -> int:
    """Return the number of counted people: the largest number of messages to a feature."""
    return max(int(tally.sum()) for tally in counts.values())


def answer_class_sizes(counts: Integers, people: int) -> ClassSizes:
    """Return the class sizes of the counts for this number of people; those without an answer stand out."""
    positive = counts[counts > 0]
    lost = np.ones(people - int(positive.sum()), np.int64)
    return ClassSizes.from_counts(np.concatenate([positive, lost]))


def places_of(task: Task, names: Iterable[str]) -> tuple[int, ...]:
    """Return the places of features, in order."""
    named = set(names)
    return tuple(place for place, feature in enumerate(task.features) if feature.name in named)


def _future_certificate(task: Task, counts: Counts, confidence: float) -> FutureCertificate:
    """Return the certificate for other people than the counted ones; a lost message counts as any answer."""
    sampled = {
        (name,): SampledValues(*np.unique(tally[tally > 0], return_counts=True), people_of(counts), len(tally))
        for name, tally in counts.items()
    }
    return FutureCertificate(sampled, task.smallest_batch, task.k, as_confidence(confidence))


def _marginals(counts: Counts, people: int) -> Marginals:
    return Marginals({name: answer_class_sizes(tally, people) for name, tally in counts.items()})
