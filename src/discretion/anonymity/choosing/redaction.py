"""Rules by which people redact rare values themselves, and what redacting gives away."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from discretion.anonymity.exposure.bounds import exposed_below
from discretion.anonymity.people.conversion import People, as_population_of_rows
from discretion.anonymity.people.marginals import Marginals
from discretion.anonymity.people.population import Population
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.numerics.laws.binomial_limits import upper_limit
from discretion.validation import as_count, as_real

# How often at most so few people redact that they stand out by it.
_TOO_FEW_REDACT = 0.01


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

    Raises
    ------
    InvalidValueError
        If a number is out of range, or the column is not text.

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
    """What a redaction rule gives away of a random person to whoever sees the column by itself.

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
    InvalidValueError
        If a number is out of range.

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
    """Return what a redaction rule gives away of the column by itself.

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

    Raises
    ------
    UnsupportedError
        If the people of P have several rows, or the rule is not a RedactionRule.

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
    """Return the redaction rule, or say how to make one."""
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
