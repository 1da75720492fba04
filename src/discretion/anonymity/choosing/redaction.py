"""Redaction rules for rare values: the rules, their leakage, and the exposure that is left."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from discretion.anonymity.exposure.bounds import exposed_below
from discretion.anonymity.people.conversion import People, as_population, as_population_of_rows
from discretion.anonymity.people.marginals import Marginals
from discretion.anonymity.people.population import Population
from discretion.errors import InvalidValueError, TooLargeError, UnsupportedError
from discretion.estimate import quantity
from discretion.numerics.arrays import Reals
from discretion.numerics.laws.binomial import binomial_window
from discretion.numerics.laws.binomial_limits import upper_limit
from discretion.tables.counting.threshold import Threshold, least_unexposed
from discretion.validation import as_count, as_real

if TYPE_CHECKING:
    from discretion.tables.counting.redacted_answers import Answers

# Columns with decoys, any of which may be redacted.
MAX_COLUMNS_DECOYED = 10

# How often at most so few people redact that they stand out by it.
_TOO_FEW_REDACT = 0.01
_MAX_KEPT = 1 << 12


@dataclass(frozen=True)
class RedactionRule:
    """If your value of the column is one of the rare ones, redact it; otherwise redact it with some probability.

    The values that are redacted without need are decoys. Without them, whoever sees a redacted answer knows that the
    value behind it is rare: if one person alone has such a value, redacting it hides nothing. The adversary is assumed
    to know the rule, and which values it calls rare.

    Parameters
    ----------
    column
        The column.
    rarer_than
        Values that fewer people have are rare, at least 1. The rule does not say which these are: that stays in the
        engine that holds the table.
    decoys
        With what probability other values are redacted too, in [0, 1]. Everybody tosses a coin of their own.

    Examples
    --------
    >>> RedactionRule("race", rarer_than=300, decoys=0.01)
    RedactionRule(column='race', rarer_than=300, decoys=0.01)
    """

    column: str
    rarer_than: int
    decoys: float

    def __post_init__(self) -> None:
        if not isinstance(self.column, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidValueError(f"a rule is for one column, named by text, got {self.column!r}")
        decoys = as_real(self.decoys, "decoys")
        if not 0 <= decoys <= 1:
            raise InvalidValueError(f"decoys must be a probability, in [0, 1], got {self.decoys!r}")
        object.__setattr__(self, "rarer_than", as_count(self.rarer_than, "rarer_than", at_least=1))
        object.__setattr__(self, "decoys", decoys)


@dataclass(frozen=True)
class RedactionLeakage:
    """The leakage of a redaction rule about a random person, to an adversary that sees the column by itself.

    Parameters
    ----------
    redacted
        The expected share of the people whose value is redacted.
    rare_values
        How many values the rule calls rare.
    rare_people
        How many people have these.
    suspicion
        The probability that a redacted value is a rare one; 0 if nothing is ever redacted.
    prior
        The probability of guessing a person's value in one try, unseen.
    posterior
        The same, on seeing the column after redaction. Where nothing is redacted it is 1.
    bits
        The mutual information, in bits, between a value and whether it is redacted: what the act of redacting tells.
    """

    redacted: float
    rare_values: int
    rare_people: int
    suspicion: float
    prior: float
    posterior: float
    bits: float


def redaction_rules(
    P: People | Marginals, k: int, columns: Iterable[str] | None = None, suspicion: float = 0.5
) -> tuple[RedactionRule, ...]:
    """Return a rule for each column that has rare values, with just enough decoys to hide who has one.

    The least d with ``P(rare | redacted) = p / (p + (1 - p) d) ≤ s`` and ``P(r + Bin(n - r, d) < k) ≤ 1/100``, where r
    of the n people, a share p of them, have a rare value

    Parameters
    ----------
    P
        The people, with one row each, or the counts of their columns.
    k
        A value is rare if fewer than k people have it, at least 1.
    columns
        The columns; None is all of them.
    suspicion
        How sure one may be at most that a redacted value is a rare one: s in (0, 1].

    Returns
    -------
    tuple
        Of :class:`RedactionRule`, for the columns with a value that fewer than k people have.

    Raises
    ------
    UnsupportedError
        If the people of P have several rows.

    Notes
    -----
    Both conditions are needed: with one rare person and s = 1/2 two people would redact, and both stand out by it. A
    rule with fewer decoys, or none, is made by hand. Where a share p > s of the people have rare values no decoys bring
    the suspicion down to s: even of somebody unseen one is surer than that. Then d = 1, everybody redacts, and a
    redaction tells nothing that was not known before; it is better not to ask for such a column. Source: Anonymity,
    section 8.1; the number of decoys: Discretion.

    Examples
    --------
    >>> for rule in redaction_rules("example:adult", k=10, columns=["workclass", "sex", "native_country"]):
    ...     print(rule.column, round(rule.decoys, 6))
    workclass 0.000258
    native_country 0.000534
    """
    population = with_a_value_each(P)
    k = as_count(k, "k", at_least=1)
    s = as_real(suspicion, "suspicion")
    if not 0 < s <= 1:
        raise InvalidValueError(f"suspicion must be a probability above 0, in (0, 1], got {suspicion!r}")
    rare = {column: exposed_below(population.class_sizes([column]), k) for column in population.known(columns)}
    return tuple(
        RedactionRule(column, k, _decoys(people, population.people - people, k, s))
        for column, people in rare.items()
        if people
    )


def redaction_leakage(P: People | Marginals, rule: RedactionRule) -> RedactionLeakage:
    """Return the leakage of a redaction rule about its column by itself.

    ``V = Σ_{v common} p_v (1 - d) + max(max_{v rare} p_v, d·max_{v common} p_v)`` and ``I = H(p + (1 - p) d) - (1 - p)
    H(d)``, with p the share of the people who have a rare value, and d that of decoys

    Parameters
    ----------
    P
        The people, with one row each, or the counts of their columns.
    rule
        The rule.

    Returns
    -------
    RedactionLeakage
        Exact.

    Notes
    -----
    On seeing a value one knows it; on seeing it redacted one guesses the likeliest, which is a rare one or, with many
    decoys, the commonest of all. Source: Anonymity, section 8.1; QIF, the posterior Bayes vulnerability.

    Examples
    --------
    >>> adult = Population("example:adult")
    >>> for decoys in (0, 0.01):
    ...     told = redaction_leakage(adult, RedactionRule("race", rarer_than=300, decoys=decoys))
    ...     print(told.rare_people, round(told.suspicion, 3), round(told.posterior, 3), round(told.bits, 3))
    271 1.0 1.0 0.069
    271 0.456 0.99 0.051
    """
    from scipy.special import rel_entr  # noqa: PLC0415

    population = with_a_value_each(P)
    sizes = population.class_sizes([as_rule(rule).column])
    people, d = sizes.people, rule.decoys
    rare = exposed_below(sizes, rule.rarer_than)
    common = people - rare
    is_rare = sizes.sizes < rule.rarer_than
    best_rare = int(sizes.sizes[is_rare].max(initial=0))
    best_decoy = d * sizes.largest if common else 0.0
    p, q, r = rare / people, common / people, (rare + common * d) / people
    joint = np.array([p, q * d, q * (1 - d)])
    apart = np.array([p * r, q * r, q * q * (1 - d)])
    return RedactionLeakage(
        redacted=r,
        rare_values=int(sizes.counts[is_rare].sum()),
        rare_people=rare,
        suspicion=p / r if r else 0.0,
        prior=sizes.largest / people,
        posterior=(common * (1 - d) + max(best_rare, best_decoy)) / people,
        bits=max(0.0, float(rel_entr(joint, apart).sum() / np.log(2))),
    )


def with_a_value_each(P: object) -> Population | Marginals:
    """Return the people, if each of them has one value of a column to redact."""
    if isinstance(P, Marginals):
        return P
    return as_population_of_rows(
        P,
        "a redaction rule is about a person's one value of a column, and people with several rows have several; "
        "use a table with a row per person",
    )


def as_rule(rule: object) -> RedactionRule:
    """Return the redaction rule, or refuse what is none."""
    if not isinstance(rule, RedactionRule):
        raise UnsupportedError(
            f"a rule must be a RedactionRule, got {type(rule).__name__}; take those of "
            "discretion.anonymity.redaction_rules, or make one: discretion.anonymity.RedactionRule(column, "
            "rarer_than, decoys)"
        )
    return rule


def _decoys(rare: int, common: int, k: int, suspicion: float) -> float:
    needed, there = rare * (1 - suspicion), suspicion * common
    hiding = needed / there if needed < there else float(needed > 0)
    too_few = k - 1 - rare
    # The Clopper–Pearson limit is just the chance at which so few decoys or fewer are that rare.
    crowding = float(upper_limit(too_few, common, _TOO_FEW_REDACT)) if too_few >= 0 else 0.0
    return max(hiding, crowding)


@quantity
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
    if len(decoyed) > MAX_COLUMNS_DECOYED:
        raise TooLargeError(
            f"{len(decoyed)} of the columns have decoys, and any of the {2 ** len(decoyed):,} sets of them may be "
            f"redacted; at most {MAX_COLUMNS_DECOYED} columns can be computed for: ask for fewer, or set decoys to 0"
        )
    if least > population.people:
        return 1.0
    coin = {column: math.log(rule_of[column].decoys) for column in decoyed}
    no_coin = {column: math.log1p(-rule_of[column].decoys) for column in decoyed}
    binomial = lru_cache(_MAX_KEPT)(_binomial)  # the same few counts come again and again
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
