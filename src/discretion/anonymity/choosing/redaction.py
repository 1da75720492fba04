"""What redaction rules give away, the exposure that is left, and the rules for rare values."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import heapify, heappop, heappush
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from discretion.anonymity.choosing.redaction_rule import RedactionRule, rules_by_column
from discretion.anonymity.exposure.bounds import exposed_below
from discretion.anonymity.people.conversion import People, as_population_of_rows
from discretion.anonymity.people.marginals import Marginals
from discretion.anonymity.people.population import Population
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.estimate import Estimate, quantity
from discretion.intervals import PROMISED
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.laws.binomial import binomial_window
from discretion.numerics.laws.binomial_limits import upper_limit
from discretion.tables.counting.matches import Match
from discretion.tables.counting.threshold import Threshold, least_unexposed
from discretion.validation import as_count, as_real

if TYPE_CHECKING:
    from discretion.tables.counting.redacted_answers import Answers

# Columns with decoys, any of which may be redacted, of which all sets are counted: of more, as many sets as of these.
MAX_COLUMNS_DECOYED = 10

_NO_VALUES = (
    "counts do not say which values a person has together, nor which they are; pass the table for several columns, for "
    "rules by values or conditions, and to ask what a column tells of another one"
)
# How often at most so few people redact that they stand out by it.
_TOO_FEW_REDACT = 0.01
_MAX_KEPT = 1 << 12
# Sets of columns that somebody has to redact that are weighed at once.
_FORCED_AT_ONCE = 1 << 12


@dataclass(frozen=True)
class RedactionLeakage:
    """The leakage of redacting a column about a random person, to an adversary that sees this column by itself.

    Parameters
    ----------
    redacted
        The expected share of the people whose value is redacted.
    rare_values
        How many values of the column are redacted by need, of all people who have them or of some.
    rare_people
        How many people redact by need.
    suspicion
        The probability that a redacted value was redacted by need; 0 if nothing is ever redacted.
    prior
        The probability of guessing a person's value in one try, unseen: that of the column itself or of another one.
    posterior
        The same, on seeing the column after redaction.
    bits
        The mutual information, in bits, between that value and whether the column is redacted: what the act of
        redacting tells.
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
    s = as_suspicion(suspicion)
    rare = {column: exposed_below(population.class_sizes([column]), k) for column in population.known(columns)}
    return tuple(
        RedactionRule(column, k, least_decoys(people, population.people - people, k, s))
        for column, people in rare.items()
        if people
    )


def redaction_leakage(
    P: People | Marginals, rule: RedactionRule | Iterable[RedactionRule], about: str | None = None
) -> RedactionLeakage:
    """Return the leakage of redacting a column, about the column itself or another one.

    ``V = Σ_u max_v (1 - d)(p_vu - f_vu) + max_v Σ_u (f_vu + d (p_vu - f_vu))`` and ``I = H(R) - Σ_v p_v H(R | v)``,
    where a share p_vu of the people have the value v of what the leakage is about and u of the column, f_vu of all
    people have these and redact u by need, and others redact with probability d

    Parameters
    ----------
    P
        The people, with one row each; or the counts of their columns, for a rule by ``rarer_than`` alone.
    rule
        A rule, or all the rules for a column.
    about
        What the adversary wants to know; None is the column itself.

    Returns
    -------
    RedactionLeakage
        Exact.

    Raises
    ------
    InvalidValueError
        If the rules are for different columns, cannot be followed together, or name a value that nobody has.
    UnsupportedError
        If a rule by values or conditions is asked of counts, which have no values.

    Notes
    -----
    On seeing a value one guesses what goes with it most often; on seeing it redacted the likeliest behind it. Source:
    Anonymity, section 8.1; QIF, the posterior Bayes vulnerability.

    Examples
    --------
    >>> adult = Population("example:adult")
    >>> for decoys in (0, 0.01):
    ...     told = redaction_leakage(adult, RedactionRule("race", rarer_than=300, decoys=decoys))
    ...     print(told.rare_people, round(told.suspicion, 3), round(told.posterior, 3), round(told.bits, 3))
    271 1.0 1.0 0.069
    271 0.456 0.99 0.051
    >>> never = RedactionRule("income", when={"workclass": ["Never-worked"]})
    >>> told = redaction_leakage(adult, never, about="workclass")
    >>> told.rare_people, round(told.prior, 3), round(told.posterior, 3)
    (7, 0.697, 0.697)
    """
    population = with_a_value_each(P)
    by_column = rules_of_people([rule] if isinstance(rule, RedactionRule) else rule, population)
    if len(by_column) != 1:
        raise InvalidValueError(
            f"redaction_leakage is about rules for one column, got {len(by_column)}; take each column's by themselves"
        )
    ((column, rules),) = by_column.items()
    about = column if about is None else population.known([about])[0]
    cells, d, n = _cells(population, about, column, rules), rules[0].decoys, population.people
    redacting = cells.forced + d * (cells.people - cells.forced)
    have, redacted = (np.bincount(cells.about, each) for each in (cells.people, redacting))
    likeliest, needed = np.zeros((2, int(cells.shown.max()) + 1))
    np.maximum.at(likeliest, cells.shown, (1 - d) * (cells.people - cells.forced))
    np.maximum.at(needed, cells.shown, cells.forced > 0)
    by_need, share = int((cells.forced * cells.times).sum()), float((redacted * cells.times).sum()) / n
    return RedactionLeakage(
        redacted=share,
        rare_values=int((needed * cells.times).sum()),
        rare_people=by_need,
        suspicion=by_need / n / share if share else 0.0,
        prior=float(have.max()) / n,
        posterior=float((likeliest * cells.times).sum() + redacted.max()) / n,
        bits=_bits_told(have / n, redacted / have, cells.times),
    )


@dataclass(frozen=True)
class _Cells:
    """How many people have a value of what is asked about and a value of the column, and how many redact this by need.

    Parameters
    ----------
    about, shown
        The numbers of the two values.
    people, forced
        How many people.
    times
        How many values each number stands for.
    """

    about: Integers
    shown: Integers
    people: Integers
    forced: Integers
    times: Integers


def _cells(population: Population | Marginals, about: str, column: str, rules: Sequence[RedactionRule]) -> _Cells:
    if about == column and (rarer_than := _rarer_than(rules)) is not None:
        sizes = population.class_sizes([column])
        numbers = np.arange(sizes.sizes.size)
        return _Cells(numbers, numbers, sizes.sizes, np.where(sizes.sizes < rarer_than, sizes.sizes, 0), sizes.counts)
    if isinstance(population, Marginals):
        raise UnsupportedError(_NO_VALUES)
    values, shown, people, forced = zip(
        *population.redacted_counts(about, column, [rule.match for rule in rules]), strict=True
    )
    about_numbers, shown_numbers = (np.unique(np.array(each), return_inverse=True)[1] for each in (values, shown))
    return _Cells(about_numbers, shown_numbers, np.array(people), np.array(forced), np.ones((), np.int64))


def _rarer_than(rules: Sequence[RedactionRule]) -> int | None:
    """Return the size below which values are rare, if that is all that rules ask."""
    if any(rule.rarer_than is None or rule.when for rule in rules):
        return None
    return max(rule.rarer_than or 0 for rule in rules)


def _bits_told(shares: Reals, chances: Reals, times: Integers) -> float:
    """Return the mutual information of a value and of whether it is redacted, with these chances for each value."""
    from scipy.special import rel_entr  # noqa: PLC0415

    redacted = float((shares * chances * times).sum())
    told = rel_entr(chances, redacted) + rel_entr(1 - chances, 1 - redacted)
    return max(0.0, float((shares * told * times).sum() / np.log(2)))


def with_a_value_each(P: object) -> Population | Marginals:
    """Return the people, if each of them has one value of a column to redact."""
    if isinstance(P, Marginals):
        return P
    return as_population_of_rows(
        P,
        "a redaction rule is about a person's one value of a column, and people with several rows have several; "
        "use a table with a row per person",
    )


def rules_of_people(
    rules: Iterable[RedactionRule], population: Population | Marginals
) -> dict[str, list[RedactionRule]]:
    """Return the rules for each column, if they can be followed together and every value that they name is there."""
    by_column = rules_by_column(rules, population.known(None))
    named: dict[str, dict[str | None, None]] = {}
    for rule in chain.from_iterable(by_column.values()):
        for name, values in ((rule.column, rule.values or ()), *rule.when.items()):
            named.setdefault(name, {}).update(dict.fromkeys(values))
    for name, values in named.items():
        if values and isinstance(population, Population) and (absent := population.absent_values(name, [*values])):
            raise InvalidValueError(
                f"nobody has the value {absent[0]!r} of {name!r} that a rule names; name values as the table spells "
                "them, and a missing one None, in a line null"
            )
    return by_column


def least_decoys(rare: int, common: int, k: int, suspicion: float) -> float:
    """Return the least probability of decoys, as :func:`redaction_rules` says, if so many people have rare values."""
    needed, there = rare * (1 - suspicion), suspicion * common
    hiding = needed / there if needed < there else float(needed > 0)
    too_few = k - 1 - rare
    # The Clopper–Pearson limit is just the chance at which so few decoys or fewer are that rare.
    crowding = float(upper_limit(too_few, common, _TOO_FEW_REDACT)) if too_few >= 0 else 0.0
    return max(hiding, crowding)


def as_suspicion(suspicion: float) -> float:
    """Return a probability in (0, 1], or refuse what is none."""
    result = as_real(suspicion, "suspicion")
    if not 0 < result <= 1:
        raise InvalidValueError(f"suspicion must be a probability above 0, in (0, 1], got {suspicion!r}")
    return result


@quantity
def redacted_exposure(
    P: People | Marginals,
    rules: Iterable[RedactionRule],
    k: int | None = None,
    threshold: Threshold | None = None,
    columns: Iterable[str] | None = None,
) -> float | Estimate:
    """Return the expected exposure of a table whose people redact answers by rules.

    ``(1/n) Σ_answers Σ_{c<k} c·P(N = c)``, where ``N = Σ_F Bin(n_F, Π_{j∈S∖F} d_j · Π_{j∉S} (1 - d_j))`` people give an
    answer that has the columns S redacted, of the n_F who could since they agree with the rest of it and have to redact
    just F ⊆ S

    Parameters
    ----------
    P
        The people, with one row each; or, for rules by ``rarer_than`` alone, the counts of the one column that they are
        asked for.
    rules
        Those for columns that are not asked for do nothing; conditions may be about columns that are not asked for.
    k, threshold
        Exactly one. A person is exposed if their equivalence class has fewer than k people, or fewer than this share
        of all people, in [0, 1].
    columns
        The columns that people are asked for; None is all of them.

    Returns
    -------
    float | Estimate
        In [0, 1], exact: the expectation over the coins of all people, each of whom tosses one for each column. If more
        than 10 of the columns have decoys, other than on all values, certified ends: each set of these columns may be
        redacted, of which 1,024 are counted that many people redact. Of the people with another set none is exposed at
        the one end, and all are at the other.

    Raises
    ------
    InvalidValueError
        If the rules cannot be followed together (two for a column with different decoys, the same one twice, or a
        circle of conditions), or name a value that nobody has.
    TooLargeError
        If so many columns have decoys that a set of them and a number of people are no integer of 64 bits together.

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
    rules_of = rules_of_people(rules, population)
    decoys = {column: its[0].decoys for column, its in rules_of.items()}
    # Where everybody redacts there is nothing to tell.
    questions = [column for column in population.known(columns) if decoys.get(column, 0.0) < 1]
    redacting = {column: rules_of[column] for column in questions if column in rules_of}
    decoyed = [column for column in redacting if decoys[column] > 0]
    if least > population.people:
        return 1.0
    coin = {column: math.log(decoys[column]) for column in decoyed}
    no_coin = {column: math.log1p(-decoys[column]) for column in decoyed}
    sets, others = None, 0.0
    if len(decoyed) > MAX_COLUMNS_DECOYED and isinstance(population, Population):
        forced_columns = population.forced_columns(_matches(redacting), decoyed)
        chances = [decoys[column] for column in decoyed]
        sets, others = _likeliest_sets(forced_columns, chances, 1 << MAX_COLUMNS_DECOYED)

    def givers() -> "Iterator[tuple[int, list[tuple[int, float]]]]":
        for redacted, people, answers in _answers(population, questions, redacting, decoyed, sets):
            shown = math.fsum(no_coin[column] for column in decoyed if column not in redacted)
            yield (
                answers,
                [
                    (count, shown + math.fsum(coin[column] for column in redacted - forced))
                    for forced, count in people.items()
                ],
            )

    share = expected_exposed(givers(), least) / population.people
    if sets is None:
        return share
    # What was summed is off by as much as a float's promise at most.
    low, high = max(0.0, share * (1 - PROMISED)), min(1.0, (share + others / population.people) * (1 + PROMISED))
    return Estimate(high, low, high, None, f"{len(sets):,} sets of redacted columns, and all people with another one")


def expected_exposed(answers: Iterable[tuple[int, Iterable[tuple[int, float]]]], least: int) -> float:
    """Return how many people give an answer that fewer than so many give, in expectation over everybody's coins.

    Parameters
    ----------
    answers
        For some answers how many they are, and who may give each: people, and the logarithm of their probability.
    least
        Who gives an answer of fewer people is exposed.
    """
    binomial = lru_cache(_MAX_KEPT)(_binomial)  # the same few counts come again and again
    return math.fsum(
        times * _mean_below([binomial(people, log_chance, least) for people, log_chance in givers], least)
        for times, givers in answers
    )


def _likeliest_sets(forced: Mapping[int, int], coins: Sequence[float], most: int) -> tuple[list[int], float]:
    """Return sets of redacted columns, those of many people, and how many people are expected to redact another set.

    Parameters
    ----------
    forced
        Sets of the columns with decoys, as the bits of a number → how many people have to redact just these.
    coins
        With what probability anybody else redacts each of the columns.
    most
        How many sets there are at most.
    """
    names = np.arange(len(coins))
    hidden, shown = np.log(coins), np.log1p(-np.array(coins))
    have_to = np.array(list(forced), np.int64)
    people, needed = np.array([*forced.values()], float), (have_to[:, None] >> names & 1).astype(float)
    # Of the people who have to redact the same columns, ever less likely sets: a heap of sides that coins turn to.
    turns, likelier = np.abs(hidden - shown), sum(1 << j for j in names.tolist() if coins[j] > 1 / 2)
    price = -np.log(people) - (1 - needed) @ np.maximum(hidden, shown)
    heap = [(cost, must, must | likelier, 0) for cost, must in zip(price.tolist(), have_to.tolist(), strict=True)]
    heapify(heap)
    by_turn = np.argsort(turns).tolist()
    sets: dict[int, None] = {}
    while heap and len(sets) < most:
        cost, must, redacted, start = heappop(heap)
        sets[redacted] = None
        for place in range(start, len(coins)):
            if not must >> (j := by_turn[place]) & 1:
                heappush(heap, (cost + float(turns[j]), must, redacted ^ 1 << j, place + 1))
    out = (np.array(list(sets), np.int64)[:, None] >> names & 1).astype(float)
    each = out * hidden + (1 - out) * shown
    inside = math.fsum(
        float(
            (people[some] * (np.exp((1 - needed[some]) @ each.T) * (needed[some] @ (1 - out).T == 0)).sum(axis=1)).sum()
        )
        for some in np.array_split(np.arange(people.size), -(-people.size // _FORCED_AT_ONCE))
    )
    return list(sets), max(0.0, float(people.sum()) - inside)


def _answers(
    population: Population | Marginals,
    questions: Sequence[str],
    redacting: Mapping[str, Sequence[RedactionRule]],
    decoyed: Sequence[str],
    sets: Sequence[int] | None,
) -> "Iterator[Answers]":
    """Yield how many people could give each answer, without a question where class sizes tell."""
    from discretion.tables.counting.redacted_answers import answers_on_one  # noqa: PLC0415 - imports Ibis

    rarer_than = {column: _rarer_than(rules) for column, rules in redacting.items()}
    if len(questions) == 1 and None not in rarer_than.values():
        sizes = population.class_sizes(questions)
        return answers_on_one(sizes, questions[0], {name: size or 0 for name, size in rarer_than.items()}, decoyed)
    if isinstance(population, Marginals):
        raise UnsupportedError(_NO_VALUES)
    return population.redacted_answers(questions, _matches(redacting), decoyed, sets)


def _matches(redacting: Mapping[str, Sequence[RedactionRule]]) -> dict[str, list[Match]]:
    """Return who has to redact each column, as an engine that holds the table finds them."""
    return {column: [rule.match for rule in rules] for column, rules in redacting.items()}


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
