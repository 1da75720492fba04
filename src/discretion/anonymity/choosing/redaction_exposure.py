"""Who still stands out after people redacted their rare values themselves."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from discretion import limits
from discretion.anonymity.choosing.redaction import RedactionRule, as_rule, with_a_value_each
from discretion.anonymity.people.conversion import People, as_population
from discretion.anonymity.people.marginals import Marginals
from discretion.anonymity.people.population import Population
from discretion.errors import InvalidValueError, TooLargeError, UnsupportedError
from discretion.numerics.arrays import Reals
from discretion.numerics.laws.binomial import binomial_window
from discretion.tables.counting.threshold import Threshold, least_unexposed

if TYPE_CHECKING:
    from discretion.tables.counting.redacted_answers import Answers

_MOST_KEPT = 1 << 12


def redacted_exposure(
    P: People | Marginals,
    rules: Iterable[RedactionRule],
    k: int | None = None,
    threshold: Threshold | None = None,
    columns: Iterable[str] | None = None,
) -> float:
    """Return the expected exposure of a table whose people redact by rules: the share with fewer than k alike.

    ``(1/n) Σ_answers Σ_{c<k} c·P(N = c)``, where ``N = Σ_F Bin(n_F, Π_{j∈S∖F} d_j · Π_{j∉S} (1 - d_j))`` people give an
    answer that has the columns S redacted, of the n_F who could since they agree with the rest of it and have to redact
    F ⊆ S

    Parameters
    ----------
    P
        The people, with one row each; or the counts of the one column that they are asked for.
    rules
        At most one for a column; those for columns that are not asked for do nothing.
    k, threshold
        Exactly one: who has fewer than k alike is exposed, or fewer than a share of all people in [0, 1].
    columns
        The columns that people are asked for; None is all of them.

    Returns
    -------
    float
        In [0, 1], exact: the expectation over the coins of all people, each of whom tosses one for each column.

    Raises
    ------
    UnsupportedError
        If P is Marginals and more than one column is asked for, the people of P have several rows, or rules is not a
        sequence of RedactionRules.
    InvalidValueError
        If two rules are for the same column.
    TooLargeError
        If more than 10 of the columns have decoys, other than on all values: each set of them may be redacted.

    Notes
    -----
    Redacted is a value like any other, and not null. Two people are alike if they give the same answer, whatever is
    behind it: that a redacted answer without decoys says "rare" is told by :func:`redaction_leakage`. Decoys part
    people who were alike, so that they may raise the exposure even as they hide the rare. Source: Anonymity, section
    8.1.

    Examples
    --------
    >>> adult = Population("example:adult", columns=["sex", "income", "race", "workclass"])
    >>> round(redacted_exposure(adult, [], k=10) * adult.people, 3)
    179.0
    >>> for decoys in (0, 0.02):
    ...     rules = [RedactionRule(column, 1000, decoys) for column in ("race", "workclass")]
    ...     print(round(redacted_exposure(adult, rules, k=10) * adult.people, 3))
    116.0
    106.311
    """
    population = with_a_value_each(P)
    least = least_unexposed(population.people, k, threshold)
    rule_of = _by_column(rules, population)
    everybody = population.people + 1  # no value is as frequent; the engine's integers are of 64 bits
    # Where everybody redacts there is nothing to tell.
    questions = [column for column in population.known(columns) if column not in rule_of or rule_of[column].decoys < 1]
    rarer_than = {column: min(rule_of[column].rarer_than, everybody) for column in questions if column in rule_of}
    decoyed = [column for column in rarer_than if rule_of[column].decoys > 0]
    if len(decoyed) > (most := limits.current().most_columns_decoyed):
        raise TooLargeError(
            f"{len(decoyed)} of the columns have decoys, and any of the {2 ** len(decoyed):,} sets of them may be "
            f"redacted; at most {most} columns can be computed for: ask for fewer, or set decoys to 0"
        )
    if least > population.people:
        return 1.0
    coin = {column: math.log(rule_of[column].decoys) for column in decoyed}
    no_coin = {column: math.log1p(-rule_of[column].decoys) for column in decoyed}
    binomial = lru_cache(_MOST_KEPT)(_binomial)  # the same few counts come again and again
    exposed: list[float] = []
    for redacted, people, answers in _answers(population, questions, rarer_than, decoyed):
        shown = math.fsum(no_coin[column] for column in decoyed if column not in redacted)
        givers = [
            binomial(count, shown + math.fsum(coin[column] for column in redacted - forced), least)
            for forced, count in people.items()
        ]
        exposed.append(answers * _mean_below(givers, least))
    return math.fsum(exposed) / population.people


def _answers(
    population: Population | Marginals, questions: Sequence[str], rarer_than: Mapping[str, int], decoyed: Sequence[str]
) -> "Iterator[Answers]":
    """Yield how many people could give each answer, without a question where class sizes tell."""
    from discretion.tables.counting.redacted_answers import answers_on_one  # noqa: PLC0415 - imports Ibis

    if len(questions) == 1:
        return answers_on_one(population.class_sizes(questions), questions[0], rarer_than, decoyed)
    return as_population(population).redacted_answers(questions, rarer_than, decoyed)


@dataclass(frozen=True)
class _Binomial:
    """A binomial law below some point: ``P(first + i) = law[i]``, but for tails of probability ``2·exp(-50)``."""

    trials: int
    mean: float
    first: int
    law: Reals


def _binomial(trials: int, log_chance: float, below: int) -> _Binomial:
    chance = math.exp(log_chance)
    first, law = binomial_window(trials, chance, -math.expm1(log_chance))
    return _Binomial(trials, trials * chance, first, law[: max(below - first, 0)].copy())


def _mean_below(numbers: Sequence[_Binomial], k: int) -> float:
    """Return ``E[N·1{N < k}]`` for the sum N of independent numbers."""
    if sum(number.trials for number in numbers) < k:
        return math.fsum(number.mean for number in numbers)
    first = sum(number.first for number in numbers)
    if first >= k:
        return 0.0
    law = np.ones(1)
    for number in numbers:
        law = np.convolve(law, number.law)[: k - first]
    return float(np.arange(first, first + law.size) @ law)


def _by_column(rules: Iterable[RedactionRule], population: Population | Marginals) -> dict[str, RedactionRule]:
    if isinstance(rules, RedactionRule) or not isinstance(rules, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UnsupportedError(f"rules must be a sequence of RedactionRules, got {type(rules).__name__}; write [rule]")
    rule_of: dict[str, RedactionRule] = {}
    for rule in map(as_rule, rules):
        if rule.column in rule_of:
            raise InvalidValueError(f"there are two rules for the column {rule.column!r}; give it one")
        rule_of[rule.column] = rule
    population.known(rule_of)
    return rule_of
