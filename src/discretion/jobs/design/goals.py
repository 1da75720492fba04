"""The goals of a design: limits on what the reports give away, and on the error of the counts."""

import math
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

import discretion as dc
from discretion.adversaries import AllButOne, Exchangeable, Knowledge, WorstAllButOne
from discretion.adversaries.priors import as_prior, prior_vector
from discretion.channels import System
from discretion.errors import InvalidValueError, TooLargeError, UnsupportedError
from discretion.estimate import Estimate, highest, in_doubles, lowest, mapped
from discretion.jobs.options.mechanisms import DesignOptions
from discretion.jobs.scenario import Result, Scenario, known_answers
from discretion.jobs.target import TARGETS, check_scales, spelled_target
from discretion.mechanisms import Mechanism, frequency_error
from discretion.mechanisms.mechanism import as_mechanism, as_values
from discretion.numerics.arrays import Reals
from discretion.presenting.numbers import percent, spelled_number
from discretion.shuffling import Shuffled
from discretion.shuffling.laws.groups import is_symmetric
from discretion.shuffling.worst_rounds import WorstRounds
from discretion.spelling import knowledge_of
from discretion.spelling.numbers import matrix_of
from discretion.validation import as_count, as_crowd, as_epsilon, as_probability

# The goals of accuracy, and the side of the limit on which each measure must be.
ACCURACY = {"error": "<=", "effective_participation": ">="}
# The goals of privacy, in addition to the targets of a comparison.
PRIVACY = TARGETS | {"tradeoff": ">=", "ldp_epsilon": "<=", "average_privacy": ">="}

#: The δ at which the ε of the shuffled reports is shown if no δ is given.
USUAL_DELTA = 1e-6


@dataclass(frozen=True)
class Goal:
    """A limit that a design must meet.

    Parameters
    ----------
    measure
        The limited quantity, by the name of its function; "error" is the standard error of a share.
    level
        The limit; for ``error`` it is a share.
    words
        The limit in words.
    ask
        A function of a mechanism and a number of people that returns the measure.
    """

    measure: str
    level: float
    words: str
    ask: Callable[[Mechanism, int], Result]

    @property
    def is_accuracy(self) -> bool:
        """Whether the goal is about the counts."""
        return self.measure in ACCURACY

    @property
    def operator(self) -> str:
        """The comparison: whether the measure must be at most or at least the level."""
        return (ACCURACY | PRIVACY)[self.measure]

    def margin(self, result: Result) -> float:
        """Return how far the result, or the worst value in its interval, is within the limit; negative beyond it."""
        return self.level - highest(result) if self.operator == "<=" else lowest(result) - self.level

    def may_be_met(self, result: Result) -> bool:
        """Return whether at least one value in the result's interval is within the limit."""
        return lowest(result) <= self.level if self.operator == "<=" else highest(result) >= self.level


class Setting:
    """The question, the people who answer it, and the adversary.

    Parameters
    ----------
    options
        The options of the design.
    """

    def __init__(self, options: DesignOptions) -> None:
        if options.answers is None:
            raise InvalidValueError("a design needs the number of answers; add --answers K")
        self.k = as_values(options.answers, "answers")
        self.users = None if options.users is None else as_crowd(options.users, "users")
        self.questions = as_count(options.questions, "questions", at_least=1)
        self.shuffled = not options.unshuffled
        self.knowledge: Knowledge = knowledge_of(options.adversary)
        self.shares = as_prior(None if options.shares is None else shares_of(options.shares), self.k, "shares")
        self.delta = USUAL_DELTA if options.delta is None else as_probability(options.delta, "delta")
        self.seed = options.seed
        self._false_positive_rate = options.false_positive_rate
        self._epsilon = options.epsilon
        self._seen: tuple[tuple[Mechanism, int], System] | None = None
        self._together: tuple[System, System] | None = None
        self._answers: dict[tuple[str, Mechanism, int], Result] = {}
        if not self.shuffled and options.adversary != "worst":
            raise InvalidValueError(
                f"--adversary {options.adversary} is about the other users, and a report that is not shuffled shows "
                "its sender, so that the other users do not matter; leave out --adversary or --unshuffled"
            )
        if self.users is None and self.shuffled:
            check_scales(self.knowledge)
        if isinstance(self.knowledge, Exchangeable) and self.shares is not None:
            raise InvalidValueError("an exchangeable adversary has its own prior; leave out --shares")
        if self.questions > 1 and not isinstance(self.knowledge, WorstAllButOne | AllButOne):
            raise InvalidValueError(
                "several questions to the same people need an adversary that knows all other answers (worst, or "
                f"all-but-one:…), got --adversary {options.adversary}: its uncertainty about the other users is the "
                "same in all questions, so that the questions cannot be counted separately"
            )

    @cached_property
    def before(self) -> float:
        """The probability that the best guess is correct before any report."""
        if isinstance(self.knowledge, Exchangeable):
            return float(np.max(self.knowledge.prior))
        return float(prior_vector(self.shares, self.k).max())

    @property
    def adversary(self) -> str:
        """The adversary, in words."""
        if not self.shuffled:
            reports = "a single report" if self.questions == 1 else "all reports of a person"
            return f"an adversary that receives {reports}"
        return f"an adversary that knows {known_answers(self.knowledge)}"

    def seen(self, mechanism: Mechanism, n: int) -> System:
        """Return the system that the adversary observes for one question."""
        if not self.shuffled:
            return mechanism
        if self._seen is None or self._seen[0] != (mechanism, n):
            self._seen = (mechanism, n), Shuffled(mechanism, n).seen_by(self.knowledge, self.seed)
        return self._seen[1]

    def guess(self, system: System, prior: Reals | None) -> Result:
        """Return the probability that the best guess of an answer is correct after the reports of all questions.

        The answers to the other questions may depend on this answer in any way. So the bound for m questions is the
        least of two: ``V(π) ℒ^m``, where ℒ is the multiplicative Bayes capacity of one question, and
        ``1 - β*(1 - max π)`` (Bayes-sec, section V), where β* is the Bayes security of a pair of laws that dominates
        any two values in every question.
        """
        if self.questions == 1:
            return in_doubles(dc.posterior_vulnerability(system, prior))
        if not self.shuffled:
            return self._guess_of_reports(as_mechanism(system, "a report"), prior)
        together, before = self.together(system), self._before(prior)
        overlap = together.least_overlap() if isinstance(together, WorstRounds) else 0.0
        # One question alone takes longer than these bounds, so the least is a blind guess.
        return self._guess_between(before, system, before, overlap)

    def guess_without_shuffler(self, mechanism: Mechanism) -> Result:
        """Return the same without a shuffler: at least the value for people who give one answer to all questions."""
        if self.questions == 1:
            return in_doubles(dc.posterior_vulnerability(mechanism, self.shares))
        return self._guess_of_reports(mechanism, self.shares)

    def _guess_of_reports(self, mechanism: Mechanism, prior: Reals | None) -> Result:
        """Return the probability that the best guess of an answer is correct, from all reports of a person.

        If renaming the values renames the reports, no relation between the answers reveals more than the same answer to
        every question: for all weights w, ``Σ_y max_x w_x C(f(x), y)`` is largest for an injective f, because one x for
        each f(x) attains the maxima (Discretion). Otherwise binary randomized response dominates any two values.
        """
        try:
            same = in_doubles(dc.posterior_vulnerability(self.together(mechanism), prior))
        except (UnsupportedError, TooLargeError):
            same = in_doubles(dc.posterior_vulnerability(mechanism, prior))
        else:
            if is_symmetric(mechanism):
                return same
        pair = dc.repeated(dc.RandomizedResponse(2, epsilon=mechanism.epsilon), self.questions)
        overlap = lowest(in_doubles(dc.bayes_security(pair)))
        return self._guess_between(lowest(same), mechanism, self._before(prior), overlap)

    def _before(self, prior: Reals | None) -> float:
        return self.before if prior is self.shares else 1 / self.k

    def _guess_between(self, least: float, once: System, before: float, overlap: float) -> Estimate:
        capacity = highest(in_doubles(dc.multiplicative_bayes_capacity(once)))
        by_capacities = before * math.exp(min(700.0, self.questions * math.log(capacity)))
        most, method = min(
            (by_capacities, "product of the questions' Bayes capacities"),
            (1 - overlap * (1 - before), "Bayes security of all questions"),
        )
        return Estimate.between(least, max(min(1.0, most), least), method)

    def security(self, system: System) -> Result:
        """Return the Bayes security of all questions, for any prior: at least ``β*^m`` (Bayes-sec, Theorem 3)."""
        with suppress(UnsupportedError, TooLargeError):
            return in_doubles(dc.bayes_security(self.together(system)))
        one = in_doubles(dc.bayes_security(system))
        least = max(0.0, lowest(one)) ** self.questions
        return Estimate.between(least, highest(one), "product of the questions' Bayes security", safe="low")

    def information(self, system: System) -> Result:
        """Return the mutual information of an answer and its reports: at most the sum over the questions."""
        one = dc.mutual_information(system, self.shares)
        if self.questions == 1:
            return one
        return Estimate.between(lowest(one), self.questions * highest(one), "sum of the questions' information")

    def together(self, system: System) -> System:
        """Return the observation of all questions for people who give the same answer to all of them."""
        if self.questions == 1:
            return system
        if self._together is None or self._together[0] is not system:
            self._together = system, dc.repeated(system, self.questions)
        return self._together[1]

    def error(self, mechanism: Mechanism, n: int) -> float:
        """Return the standard error of a share."""
        return float(frequency_error(mechanism, n, self.shares).share)

    def measure(self, name: str) -> Callable[[Mechanism, int], Result]:
        """Return a measure as a function of a mechanism and a number of people, which computes each value once."""
        compute = self._measure(name)

        def answer(mechanism: Mechanism, n: int) -> Result:
            key = name, mechanism, n
            if key not in self._answers:
                self._answers[key] = compute(mechanism, n)
            return self._answers[key]

        return answer

    def _measure(self, name: str) -> Callable[[Mechanism, int], Result]:
        if self.questions > 1 and name == "average_privacy":
            raise InvalidValueError(f"{name} is a measure of one question; leave out --questions, or the target")
        of_report: dict[str, Callable[[Mechanism, int], Result]] = {
            "error": self.error,
            "effective_participation": lambda mechanism, _: dc.information.effective_participation(
                mechanism, rng=self.seed
            ),
            "average_privacy": lambda mechanism, _: dc.information.average_privacy(mechanism),
            "ldp_epsilon": lambda mechanism, _: self.questions * mechanism.epsilon,
        }
        if name in of_report:
            return of_report[name]
        of_system = self._of_system(name)
        return lambda mechanism, n: of_system(self.seen(mechanism, n))

    def _of_system(self, name: str) -> Callable[[System], Result]:
        """Return a measure of all questions, as a function of the observation of one question."""
        scales = {
            "posterior_vulnerability": (1.0, 0.0),
            "leakage": (1 / self.before, 0.0),
            "additive_leakage": (1.0, -self.before),
            "bayes_risk": (-1.0, 1.0),
        }
        if name in scales:
            scale, offset = scales[name]
            return lambda system: mapped(self.guess(system, self.shares), lambda guess: scale * guess + offset)
        if name == "uniform_posterior_vulnerability":
            return lambda system: self.guess(system, None)
        if name == "bayes_security":
            return self.security
        if name == "mutual_information":
            return self.information
        claim = self._claim(name)
        return lambda system: claim(self.together(system))

    def _claim(self, name: str) -> Callable[[System], Result]:
        rate = self._false_positive_rate
        claims = Scenario(epsilon=self._epsilon, delta=self.delta, false_positive_rate=rate).claims()
        if name not in claims:
            needed = {"privacy_profile": "--epsilon E", "tradeoff": "--false-positive-rate A"}[name]
            raise InvalidValueError(f"a target for {name} needs {needed}; add it")
        return claims[name]


def goals_of(options: DesignOptions, setting: Setting) -> tuple[Goal, ...]:
    """Return the limits that the options set."""
    return tuple(_goals_of(options, setting))


def _goals_of(options: DesignOptions, setting: Setting) -> Iterator[Goal]:
    if options.guess is not None:
        level = _guess_level(options.guess, setting)
        words = f"best guess at most {percent(level)}"
        yield Goal("posterior_vulnerability", level, words, setting.measure("posterior_vulnerability"))
    if options.epsilon is not None and options.delta is not None:
        epsilon = as_epsilon(options.epsilon)
        words = f"({spelled_number(epsilon)}, {setting.delta:g})-differential privacy"
        # The same target as dp_epsilon, without looking for ε at every step.
        yield Goal("privacy_profile", setting.delta, words, setting.measure("privacy_profile"))
    elif options.epsilon is not None and not options.unshuffled:
        raise InvalidValueError(
            f"--epsilon {options.epsilon:g} needs --delta, since shuffled reports are differentially private with a δ "
            "only; for a limit on each report by itself, ask for --target ldp_epsilon<=E"
        )
    elif options.epsilon is not None:
        level = as_epsilon(options.epsilon)
        yield Goal(
            "ldp_epsilon", level, f"{spelled_number(level)}-local differential privacy", setting.measure("ldp_epsilon")
        )
    for text in options.targets:
        name, level = spelled_target(text, PRIVACY | ACCURACY)
        operator = (PRIVACY | ACCURACY)[name]
        yield Goal(
            name, level, f"{name} {'at most' if operator == '<=' else 'at least'} {level:g}", setting.measure(name)
        )
    if options.error is not None:
        yield _error_goal(options.error, setting)


def _guess_level(text: str, setting: Setting) -> float:
    found = re.fullmatch(r"(\+?)\s*([0-9.eE+-]+?)\s*(%?)", text.strip())
    try:
        level = math.nan if found is None else float(found[2]) / (100 if found[3] else 1)
    except ValueError:
        level = math.nan
    if found is None or not level >= 0:
        raise InvalidValueError(f"--guess must be a share, such as 0.1, or an increase, such as +0.01; got {text!r}")
    level += setting.before if found[1] else 0.0
    if not setting.before <= level < 1:
        raise InvalidValueError(
            f"--guess must be at least {percent(setting.before)}, the best guess without any report, and below 100 %; "
            f"got {percent(level)}"
        )
    return level


def _error_goal(text: str, setting: Setting) -> Goal:
    found = re.fullmatch(r"([0-9.eE+-]+?)\s*(%|people|digits)?", text.strip())
    try:
        number = math.nan if found is None else float(found[1])
    except ValueError:
        number = math.nan
    if found is None or not 0 < number < math.inf:
        raise InvalidValueError(
            f'--error must be a share above 0, such as 0.002, or as "100 people" or "2 digits"; got {text!r}'
        )
    unit = found[2]
    if unit == "people":
        if setting.users is None:
            raise InvalidValueError("an error in people needs --users; without it, give the error as a share")
        level, words = number / setting.users, f"standard error of a count at most {number:g} people"
    elif unit == "digits":
        level, words = 10.0**-number, f"shares known to {number:g} digits"
    else:
        level = number / 100 if unit else number
        words = f"standard error of a share at most {percent(level)}"
    return Goal("error", level, words, setting.error)


def shares_of(text: str) -> Reals:
    """Return the shares from a list or a file, which has one row or one column."""
    rows = np.asarray(matrix_of(text), dtype=np.float64)
    return rows.ravel() if 1 in rows.shape else rows
