"""The claim job: the consequences of a privacy claim, or of a mechanism, for one person."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from discretion.errors import InvalidValueError
from discretion.estimate import Estimate, as_share, at_safe_end, highest, in_doubles, lowest, mapped
from discretion.jobs.monitor import Monitor
from discretion.jobs.options.mechanisms import ClaimOptions
from discretion.measures import bayes_security, dp_epsilon, privacy_profile, tradeoff
from discretion.measures.attack_curves.curve import AttackCurve
from discretion.presenting.numbers import in_full, percent
from discretion.presenting.sentences import kind_words
from discretion.presenting.views.document import Advice, Block, Caveat, Cell, Document, Figure, Grid, Terms
from discretion.presenting.views.result import JobResult, number_row
from discretion.spelling import mechanism_of
from discretion.validation import as_probability

Result = float | Estimate

RATES = (0.1, 0.01, 0.001)

# What rounding may add to a number of people, or to a share of them.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Attack:
    """The best attack that accuses a given share of the innocent.

    Parameters
    ----------
    false_positive_rate
        The share of the innocent who are accused.
    true_positive_rate
        The share of the guilty who are accused, at most.
    precision
        The share of the accused who are guilty, at most.
    """

    false_positive_rate: float
    true_positive_rate: Result
    precision: Result


@dataclass(frozen=True, repr=False)
class Claim(JobResult):
    """The consequences of a privacy claim, or of a mechanism, for one person.

    Parameters
    ----------
    mechanism
        The spelling of the mechanism.
    secrets
        The number of its secret values.
    base_rate
        The share of the suspects who are guilty.
    attacks
        The best attacks, the most false accusations first.
    prior_vulnerability, posterior_vulnerability
        How often the best guess whether a suspect is guilty is correct, before the output is observed and after.
    bayes_security
        β* of the two values that are easiest to distinguish.
    delta, dp_epsilon
        A δ, and the ε at this δ; None if no δ was given.
    curve
        The curve of the best attacks.
    """

    mechanism: str
    secrets: int
    base_rate: float
    attacks: tuple[Attack, ...]
    prior_vulnerability: float
    posterior_vulnerability: Result
    bayes_security: Result
    delta: float | None
    dp_epsilon: Result | None
    curve: AttackCurve

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as one object for JSON."""
        attacks = [vars(attack) for attack in self.attacks]
        return {"base_rate": self.base_rate, "attacks": attacks, **self._measures()}

    def _measures(self) -> dict[str, Result]:
        """Return the measures that do not depend on a rate of false accusations."""
        measures: dict[str, Result] = {
            "prior_vulnerability": self.prior_vulnerability,
            "posterior_vulnerability": self.posterior_vulnerability,
            "bayes_security": self.bayes_security,
        }
        return measures if self.dp_epsilon is None else measures | {"dp_epsilon": self.dp_epsilon}

    def table_rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield a row for each number."""
        for attack in self.attacks:
            rate = {"false_positive_rate": attack.false_positive_rate}
            yield rate | number_row("true_positive_rate", attack.true_positive_rate)
            yield rate | number_row("precision", attack.precision)
        for name, value in self._measures().items():
            yield {"false_positive_rate": None, **number_row(name, value)}

    def document(self) -> Document:
        """Return the document: the numbers in words, with their digits and kinds, and the curve of attacks."""
        heads = ("innocent people accused", "guilty people found", "accusations that are right")
        rows = (
            (_one_in(attack.false_positive_rate), _cell(attack.true_positive_rate), _cell(attack.precision))
            for attack in self.attacks
        )
        measures = tuple((words, in_full(value), kind_words(value)) for words, value in self._in_words())
        blocks: list[Block] = [
            "An attacker observes the output and accuses people. The guilty are in the data, or hold the value that "
            "the attacker looks for. The innocent are not in the data, or hold another value.",
            *self._first_sentences(),
            Grid(
                heads,
                tuple(rows),
                frozenset(heads),
                caption=f"The best attacks, where {percent(self.base_rate)} of the suspects are guilty",
            ),
            Grid(("measure", "value", "kind"), measures, frozenset(["measure", "kind"]), caption="The other measures"),
            Figure("tradeoff", "The best attack at every rate of false positives", self.curve.chart),
            *self._methods(),
            Caveat(
                "These are worst cases: the attacker knows the data of everyone else. They do not show how many people "
                "a real attacker finds. They cover one release: what several releases reveal about the same person "
                "adds up."
            ),
        ]
        rarest = self.attacks[-1]
        line = (
            f"{self.mechanism}: {_most(rarest.true_positive_rate)} guilty people found where "
            f"{_one_in(rarest.false_positive_rate)} innocent people is accused"
        )
        return Document(f"What {self.mechanism} implies for one person", tuple(blocks), kind="claim", line=line)

    def _first_sentences(self) -> Iterator[Block]:
        if self.secrets > 2:
            yield f"Of the {self.secrets:,} values, the numbers are about the two that are easiest to distinguish."
        if highest(self.bayes_security) <= _ROUNDING:
            yield Advice(
                f"In the worst case {self.mechanism} gives everything away: the attacker finds every guilty person and "
                "accuses no innocent one."
            )
            return
        if lowest(self.bayes_security) >= 1:
            yield "The output reveals nothing: no attack is better than to accuse people at random."
        rarest = self.attacks[-1]
        yield (
            f"If the attacker accuses {_one_in(rarest.false_positive_rate)} innocent people, it finds "
            f"{_most(rarest.true_positive_rate)} guilty people. Where {percent(self.base_rate)} of the suspects are "
            f"guilty, {_most(rarest.precision)} accusations are then right."
        )
        gain = highest(self.posterior_vulnerability) - self.prior_vulnerability
        yield (
            "Without the output, the best guess whether a suspect is guilty is correct for "
            f"{percent(self.prior_vulnerability)} of the suspects. The output adds correct guesses for "
            f"{_most(gain) if gain > 0 else 'none of the'} suspects."
        )

    def _in_words(self) -> Iterator[tuple[str, Result]]:
        """Yield each measure that does not depend on a rate, with its name in words."""
        yield "correct guesses without the output", self.prior_vulnerability
        yield "correct guesses with the output", self.posterior_vulnerability
        yield "wrong guesses that remain wrong (Bayes security)", self.bayes_security
        if self.dp_epsilon is not None:
            yield f"ε of differential privacy at δ = {self.delta}", self.dp_epsilon

    def _methods(self) -> Iterator[Block]:
        """Yield the methods of the numbers that are not exact."""
        numbers = [each for attack in self.attacks for each in (attack.true_positive_rate, attack.precision)]
        estimates = [each for each in (*numbers, *self._measures().values()) if isinstance(each, Estimate)]
        if estimates:
            yield Terms((("method", "; ".join(dict.fromkeys(each.method for each in estimates))),))


def run_claim(mechanism: str, options: ClaimOptions, *, monitor: Monitor | None = None) -> Claim:
    """Return the consequences of a privacy claim, or of a mechanism, for one person, by its spelling.

    With more than two values, the attacker distinguishes the two that are easiest to distinguish.

    Examples
    --------
    >>> result = run_claim("dp:epsilon=1,delta=1e-6", ClaimOptions(base_rate=0.01))
    >>> [round(attack.true_positive_rate, 6) for attack in result.attacks]
    [0.271829, 0.027184, 0.002719]
    >>> round(result.attacks[0].precision, 6), round(result.posterior_vulnerability, 6)
    (0.026724, 0.99)
    """
    monitor = monitor or Monitor()
    base_rate = as_probability(options.base_rate, "base_rate")
    if not 0 < base_rate < 1:
        raise InvalidValueError(
            f"base_rate must be above 0 and below 1, got {options.base_rate!r}; it is the share of the suspects who "
            "are guilty"
        )
    delta = None if options.delta is None else as_probability(options.delta, "delta")
    system = mechanism_of(mechanism)
    with monitor.step("tradeoff"):
        curve = tradeoff(system)
    with monitor.step("true_positive_rate"):
        attacks = tuple(
            Attack(
                rate,
                at_safe_end(curve.true_positive_rate(rate), "high"),
                at_safe_end(curve.precision(base_rate, rate), "high"),
            )
            for rate in RATES
        )
    # The best guess is wrong about the rarer kind of suspects, except for the excess of its law over the others' law.
    rarer = min(base_rate, 1 - base_rate)
    with monitor.step("posterior_vulnerability"):
        excess = privacy_profile(system, math.log(1 - rarer) - math.log(rarer))
        after = as_share(mapped(excess, lambda share: 1 - rarer + rarer * share))
    with monitor.step("bayes_security"):
        security = in_doubles(bayes_security(system))
    epsilon = None
    if delta is not None:
        with monitor.step("dp_epsilon"):
            epsilon = dp_epsilon(system, delta)
    return Claim(mechanism, system.secrets, base_rate, attacks, 1 - rarer, after, security, delta, epsilon, curve)


def _cell(share: Result) -> Cell:
    return Cell(_most(share), note=f"{in_full(share)}, {kind_words(share)}")


def _one_in(rate: float) -> str:
    return f"1 of {round(1 / rate):,}"


def _most(share: Result) -> str:
    """Return an upper bound on a share, as a number of 1,000 people, or of more to have at least ten."""
    most, people = highest(share), 1_000
    while most * people < 10 - _ROUNDING and people * _ROUNDING < 1:
        people *= 10
    return f"at most {math.ceil(most * people - _ROUNDING):,} of {people:,}"
