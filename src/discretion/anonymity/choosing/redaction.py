"""Redaction rules for rare values, their leakage, and the exposure that they leave."""

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

# The most columns with decoys for which all sets of suppressed columns are counted; with more, only as many sets.
MAX_COLUMNS_DECOYED = 10

_NO_VALUES = (
    "counts do not show the values, nor which of them a person has together; pass the table for several columns, for "
    "rules by values or conditions, and for the leakage about another column"
)
# The largest probability that fewer than k people suppress a column and so stand out by it.
_TOO_FEW_REDACT = 0.01
_MAX_KEPT = 1 << 12
# Sets of columns that somebody has to suppress that are processed at once.
_FORCED_AT_ONCE = 1 << 12


@dataclass(frozen=True)
class RedactionLeakage:
    """The leakage of suppressing values of a column about a random person, to an adversary that sees only this column.

    Parameters
    ----------
    redacted
        The expected share of the people whose value is suppressed.
    rare_values
        The number of values of the column that a rule suppresses for at least one person who has them.
    rare_people
        The number of people whose value a rule suppresses, without decoys.
    suspicion
        The probability that a suppressed value was suppressed by a rule and is no decoy; 0 if nothing is suppressed.
    prior
        The prior Bayes vulnerability of a person's value, of the column itself or of another one: the chance to guess
        it in one try without an observation.
    posterior
        The posterior Bayes vulnerability: the chance after an observation of the column with suppressed values.
    bits
        The mutual information, in bits, between that value and whether the column is suppressed: the leakage of the
        suppression alone.
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
    """Return a rule for each column with rare values, with just enough decoys to hide which people have one.

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
        The largest probability that a suppressed value is a rare one: s in (0, 1].

    Returns
    -------
    tuple
        A :class:`RedactionRule` for each column with a value that fewer than k people have.

    Raises
    ------
    UnsupportedError
        If the people of P have several rows.

    Notes
    -----
    Both conditions are needed: with one rare person and s = 1/2, two people would suppress their value, and both would
    stand out by it. For fewer decoys, or none, make the rule by hand. Where a share p > s of the people have rare
    values, no decoys bring the suspicion down to s: it is higher even without an observation. Then d = 1, everybody
    suppresses the column, and a suppressed value reveals nothing new; it is better not to ask for such a column.
    Source: Anonymity, section 8.1; the number of decoys: Discretion.

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
    """Return the leakage of suppressing values of a column, about the column itself or another one.

    ``V = Σ_u max_v (1 - d)(p_vu - f_vu) + max_v Σ_u (f_vu + d (p_vu - f_vu))`` and ``I = H(R) - Σ_v p_v H(R | v)``,
    where a share p_vu of the people have the value v of the column that the leakage is about and the value u of the
    suppressed column, a share f_vu of all people have these values and suppress u by a rule, and the others suppress u
    with probability d

    Parameters
    ----------
    P
        The people, with one row each; or the counts of their columns, for a rule by ``rarer_than`` alone.
    rule
        A rule, or all the rules for a column.
    about
        The column that the adversary guesses; None is the suppressed column itself.

    Returns
    -------
    RedactionLeakage
        Exact.

    Raises
    ------
    InvalidValueError
        If the rules are for different columns, cannot be followed together, or name a value that nobody has.
    UnsupportedError
        If a rule by values or conditions is given for counts, which have no values.

    Notes
    -----
    The adversary guesses the likeliest value given the observation, which is a value of the column or "redacted".
    Source: Anonymity, section 8.1; QIF, the posterior Bayes vulnerability.

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
            f"redaction_leakage takes the rules for one column, got {len(by_column)} columns; give each column's alone"
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
    """Joint counts of the guessed column and the suppressed column, with the people whose value a rule suppresses.

    Parameters
    ----------
    about, shown
        The numbers of the values of the guessed and of the suppressed column.
    people, forced
        The people with both values, and those of them whose value a rule suppresses.
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
    """Return the size below which values are rare, if the rules have no other condition; else None."""
    if any(rule.rarer_than is None or rule.when for rule in rules):
        return None
    return max(rule.rarer_than or 0 for rule in rules)


def _bits_told(shares: Reals, chances: Reals, times: Integers) -> float:
    """Return the mutual information between a value and whether it is suppressed, with these chances by value."""
    from scipy.special import rel_entr  # noqa: PLC0415

    redacted = float((shares * chances * times).sum())
    told = rel_entr(chances, redacted) + rel_entr(1 - chances, 1 - redacted)
    return max(0.0, float((shares * told * times).sum() / np.log(2)))


def with_a_value_each(P: object) -> Population | Marginals:
    """Return the people, if each of them has one value of a column to suppress."""
    if isinstance(P, Marginals):
        return P
    return as_population_of_rows(
        P,
        "a redaction rule suppresses the one value of a person in a column, but people with several rows have several "
        "values; use a table with a row per person",
    )


def rules_of_people(
    rules: Iterable[RedactionRule], population: Population | Marginals
) -> dict[str, list[RedactionRule]]:
    """Return the rules for each column, if they can be followed together and people have each value that they name."""
    by_column = rules_by_column(rules, population.known(None))
    named: dict[str, dict[str | None, None]] = {}
    for rule in chain.from_iterable(by_column.values()):
        for name, values in ((rule.column, rule.values or ()), *rule.when.items()):
            named.setdefault(name, {}).update(dict.fromkeys(values))
    for name, values in named.items():
        if values and isinstance(population, Population) and (absent := population.absent_values(name, [*values])):
            raise InvalidValueError(
                f"nobody has the value {absent[0]!r} of {name!r} that a rule names; spell values as the table does, "
                "and a missing one as None (null in a line of rules)"
            )
    return by_column


def least_decoys(rare: int, common: int, k: int, suspicion: float) -> float:
    """Return the least probability of decoys that meets both conditions of :func:`redaction_rules`."""
    needed, there = rare * (1 - suspicion), suspicion * common
    hiding = needed / there if needed < there else float(needed > 0)
    too_few = k - 1 - rare
    # The Clopper–Pearson limit is exactly the chance at which this few decoys or fewer are that rare.
    crowding = float(upper_limit(too_few, common, _TOO_FEW_REDACT)) if too_few >= 0 else 0.0
    return max(hiding, crowding)


def as_suspicion(suspicion: float) -> float:
    """Return a probability in (0, 1]; refuse anything else."""
    result = as_real(suspicion, "suspicion")
    if not 0 < result <= 1:
        raise InvalidValueError(f"suspicion must be a probability above 0 and at most 1, got {suspicion!r}")
    return result


@quantity
def redacted_exposure(
    P: People | Marginals,
    rules: Iterable[RedactionRule],
    k: int | None = None,
    threshold: Threshold | None = None,
    columns: Iterable[str] | None = None,
) -> float | Estimate:
    """Return the expected exposure of a table whose people suppress answers by rules.

    ``(1/n) Σ_answers Σ_{c<k} c·P(N = c)``, where ``N = Σ_F Bin(n_F, Π_{j∈S∖F} d_j · Π_{j∉S} (1 - d_j))`` people give an
    answer with the columns S suppressed; n_F people could, since they agree with the rest of it and have to suppress
    exactly F ⊆ S

    Parameters
    ----------
    P
        The people, with one row each; or, for rules by ``rarer_than`` alone, the counts of the one column in question.
    rules
        The rules. Rules for columns that are not asked for have no effect; conditions may use such columns.
    k, threshold
        Exactly one. A person is exposed if their equivalence class has fewer than k people, or fewer than this share
        of all people, in [0, 1].
    columns
        The columns that people are asked for; None is all of them.

    Returns
    -------
    float | Estimate
        In [0, 1], exact: the expectation over the coins of all people; each person tosses one for each column. If more
        than 10 of the columns have decoys, other than on all values, certified bounds: of all sets of suppressed
        columns, 1,024 frequent ones are counted. The lower bound assumes that nobody with another set is exposed, the
        upper bound that everybody with another set is.

    Raises
    ------
    InvalidValueError
        If the rules cannot be followed together (two for a column with different decoys, the same one twice, or a
        circle of conditions), or name a value that nobody has.
    TooLargeError
        If too many columns have decoys: a set of them and a number of people must fit together in 64 bits.

    Notes
    -----
    "Redacted" is a value like any other, and not null. Two people are in the same class if they give the same answer,
    whatever value it hides. A suppressed answer without decoys reveals a rare value: :func:`redaction_leakage` measures
    that. Decoys separate people who share their values, so they may raise the exposure even as they hide rare values.
    Source: Anonymity, section 8.1.

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
    # A column that everybody suppresses distinguishes nobody.
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
    # The sum is off by at most the error that a float allows.
    low, high = max(0.0, share * (1 - PROMISED)), min(1.0, (share + others / population.people) * (1 + PROMISED))
    return Estimate(high, low, high, None, f"{len(sets):,} sets of redacted columns, and all people with another one")


def expected_exposed(answers: Iterable[tuple[int, Iterable[tuple[int, float]]]], least: int) -> float:
    """Return the expected number of people who give an answer of fewer than ``least`` people, over everybody's coins.

    Parameters
    ----------
    answers
        For each kind of answer the number of such answers, and the groups of people who may give each: their size, and
        the logarithm of their probability to give it.
    least
        A person is exposed if fewer than this many people give their answer.
    """
    binomial = lru_cache(_MAX_KEPT)(_binomial)  # the same few counts come again and again
    return math.fsum(
        times * _mean_below([binomial(people, log_chance, least) for people, log_chance in givers], least)
        for times, givers in answers
    )


def _likeliest_sets(forced: Mapping[int, int], coins: Sequence[float], most: int) -> tuple[list[int], float]:
    """Return frequent sets of suppressed columns, and the expected number of people who suppress another set.

    Parameters
    ----------
    forced
        Sets of the columns with decoys, as the bits of a number → how many people have to suppress exactly these.
    coins
        For each of the columns, the probability that anybody else suppresses it.
    most
        The largest number of sets.
    """
    names = np.arange(len(coins))
    hidden, shown = np.log(coins), np.log1p(-np.array(coins))
    have_to = np.array(list(forced), np.int64)
    people, needed = np.array([*forced.values()], float), (have_to[:, None] >> names & 1).astype(float)
    # For people who have to suppress the same columns, sets by falling probability: a heap of the coins' sides.
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
    """Yield how many people could give each answer, without a query where class sizes suffice."""
    from discretion.tables.counting.redacted_answers import answers_on_one  # noqa: PLC0415 - imports Ibis

    rarer_than = {column: _rarer_than(rules) for column, rules in redacting.items()}
    if len(questions) == 1 and None not in rarer_than.values():
        sizes = population.class_sizes(questions)
        return answers_on_one(sizes, questions[0], {name: size or 0 for name, size in rarer_than.items()}, decoyed)
    if isinstance(population, Marginals):
        raise UnsupportedError(_NO_VALUES)
    return population.redacted_answers(questions, _matches(redacting), decoyed, sets)


def _matches(redacting: Mapping[str, Sequence[RedactionRule]]) -> dict[str, list[Match]]:
    """Return the conditions under which a person has to suppress each column, as an engine evaluates them."""
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
