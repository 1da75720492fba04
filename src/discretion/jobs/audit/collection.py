"""Collecting a column from the people instead: the protection of randomizing and shuffling, and its cost."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import cast

import numpy as np

from discretion import limits
from discretion.adversaries import Uninformed
from discretion.adversaries.gains import IdentityGain
from discretion.anonymity import ClassSizes
from discretion.errors import TooLargeError
from discretion.estimate import Estimate, highest, in_doubles
from discretion.jobs.audit.result import AnswerGuesses, CollectionOption, CollectionReport, ProtocolReport
from discretion.measures import posterior_vulnerability
from discretion.measures.guesses.vulnerability import plan_posterior_vulnerability
from discretion.mechanisms import Mechanism, frequency_error
from discretion.numerics.arrays import Integers, Reals
from discretion.presenting.numbers import rounded_down
from discretion.shuffling import Shuffled
from discretion.shuffling.known_others import AmongKnown, known_groups
from discretion.shuffling.quick_bounds import HiddenTarget
from discretion.spelling import mechanism_of

# Collection is examined for at most this many columns.
MAX_COLUMNS_COLLECTED = 20
# Histograms of a small crowd, for each value, for guesses that are exact.
MAX_HISTOGRAMS_COLLECTED = 1 << 14

# More values than this are not a question with listed answers.
MOST_CATEGORIES = 256
EPSILONS = (0.5, 1.0, 2.0, 4.0)
# The recommended option leaves an adversary that knows all other answers at least this share of its error.
KEPT_ERROR = 0.9
# δ is 1 / (this × n): a guarantee that may fail for one of n people protects nobody.
DELTA_PEOPLE = 10


def worth_collecting(columns: Mapping[str, ClassSizes]) -> list[str]:
    """Return the first columns that could be asked as a question, at most `MAX_COLUMNS_COLLECTED`."""
    possible = [column for column, sizes in columns.items() if is_categorical(sizes)]
    return possible[:MAX_COLUMNS_COLLECTED]


def is_categorical(sizes: ClassSizes) -> bool:
    """Return whether a column could be asked as a question with listed answers."""
    return 2 <= sizes.classes <= MOST_CATEGORIES


def collection_report(column: str, sizes: ClassSizes, questions: int = 1) -> CollectionReport:
    """Return the protection and the cost of each way to collect a column, and the recommended way.

    The recommended way has the largest ε, and so the least error, of those that leave an adversary enough of its error.
    """
    counts = np.repeat(sizes.sizes, sizes.counts)
    k, n = sizes.classes, sizes.people
    options = [_option(counts, epsilon) for epsilon in EPSILONS]
    hiding = [(option, crowd) for option, crowd in options if kept_error(option) >= KEPT_ERROR]
    recommended, crowd = hiding[-1] if hiding else options[0]
    delta = 1 / (DELTA_PEOPLE * n)
    return CollectionReport(
        column=column,
        k=k,
        n=n,
        options=tuple(option for option, _ in options),
        recommended=recommended,
        hides=bool(hiding),
        tells=recommended.best.error_share < 1 / k,
        delta=delta,
        shuffled_epsilon=crowd.shuffled_epsilon(delta),
        questions=questions,
        if_all_asked=compared(k, divided(recommended.epsilon, questions), (counts / n).tolist(), n)[0],
    )


def kept_error(option: CollectionOption) -> float:
    """Return a lower bound on the share of its error that an adversary that knows all other answers keeps.

    The share is relative to the error of a blind guess. The bound holds for both priors: all answers equally likely, or
    each as likely as its share.
    """
    return min((1 - highest(guess.knows_all)) / (1 - guess.blind) for guess in (option.uniform, option.shares))


def divided(epsilon: float, questions: int) -> float:
    """Return the ε of each of several questions whose sum is at most this ε, rounded down to four digits.

    Examples
    --------
    >>> divided(4.0, 1), divided(4.0, 14)
    (4.0, 0.2857)
    """
    return float(rounded_down(epsilon / questions, 4))


def _option(counts: Integers, epsilon: float) -> tuple[CollectionOption, "AskedCrowd"]:
    k, n = counts.size, int(counts.sum())
    shares = counts / n
    protocols = compared(k, epsilon, shares.tolist(), n)
    crowd = AskedCrowd(mechanism_in(protocols[0]), counts)
    return CollectionOption(epsilon, protocols[0], protocols, crowd.guesses(), crowd.guesses(shares)), crowd


# All protocols that k and ε determine; of equally good ones, the simplest comes first.
PROTOCOLS = ("krr", "ss", "oue", "olh", "hadamard", "rappor", "blh")


def compared(k: int, epsilon: float, shares: Sequence[float], n: int) -> tuple[ProtocolReport, ...]:
    """Return the protocols at this ε by the error of an estimated share, the best first.

    Examples
    --------
    >>> protocols = compared(91, 1.0, [1 / 91] * 91, 299_285)
    >>> [(report.mechanism, round(100 * report.error_share, 2)) for report in protocols][::6]
    [('ss:k=91,epsilon=1', 0.35), ('krr:k=91,epsilon=1', 1.03)]
    """
    reports: list[ProtocolReport] = []
    for name in PROTOCOLS:
        spelled = f"{name}:k={k},epsilon={epsilon:.12g}"
        error = frequency_error(_made(spelled), n, shares)
        reports.append(ProtocolReport(spelled, error.share, error.people))
    return tuple(sorted(reports, key=lambda report: float(f"{report.error_share:.12g}")))


def mechanism_in(report: ProtocolReport) -> Mechanism:
    """Return the mechanism of a report."""
    return _made(report.mechanism)


@lru_cache(maxsize=256)  # the columns of a table ask the same questions again and again
def _made(spelled: str) -> Mechanism:
    return cast(Mechanism, mechanism_of(spelled))


@dataclass(frozen=True, eq=False)
class AskedCrowd:
    """People with given counts of the answers, who report through a mechanism and a shuffler."""

    mechanism: Mechanism
    counts: Integers

    def guesses(self, prior: Reals | None = None) -> AnswerGuesses:
        """Return how often an adversary guesses one answer correctly under this prior; uniform if None.

        An adversary that knows no other answer has the same prior for each of the others. For an adversary that knows
        all other answers, the result is of the target that is easiest to guess: the target's answer determines which
        count is lower by one.
        """
        strangers = Shuffled(self.mechanism, int(self.counts.sum())).seen_by(Uninformed(prior))
        assert isinstance(strangers, AmongKnown)
        return AnswerGuesses(
            blind=1 / self.mechanism.k if prior is None else float(prior.max()),
            report=highest(in_doubles(posterior_vulnerability(self.mechanism, prior))),
            knows_none=self._guess(strangers, prior),
            knows_all=self._knows_all(prior),
        )

    def shuffled_epsilon(self, delta: float) -> Estimate | None:
        """Return an ε for which the shuffled reports are certified to be (ε, δ)-differentially private, or None."""
        try:
            return self._hidden.epsilon(delta)
        except TooLargeError:
            return None

    def _knows_all(self, prior: Reals | None) -> float | Estimate:
        if self.mechanism.k > 2 and not self._are_few:
            return self._hidden.guess(prior)
        n = int(self.counts.sum())
        views = (AmongKnown(self.mechanism, n, known_groups(others)) for others in self._others)
        return max((self._guess(view, prior) for view in views), key=highest)

    def _guess(self, view: AmongKnown, prior: Reals | None) -> float | Estimate:
        """Return the guess of an adversary with this view, exact where that is quick to compute."""
        plain = prior is None and (view.uniform_response is not None or self.mechanism.k == 2)
        if plain or (self._are_few and view.cells <= limits.current().steps(MAX_HISTOGRAMS_COLLECTED, each=8)):
            plan = plan_posterior_vulnerability(view, prior, IdentityGain(view.secrets))
            if plan.is_exact:
                return plan.compute()
        return self._hidden.guess(prior)

    @cached_property
    def _hidden(self) -> HiddenTarget:
        return _hidden(self.mechanism, int(self.counts.sum()))

    @property
    def _are_few(self) -> bool:
        """Whether people and answers are few enough to list every histogram."""
        k, n = self.mechanism.k, int(self.counts.sum())
        return k * math.comb(n + k - 1, k - 1) <= limits.current().steps(MAX_HISTOGRAMS_COLLECTED, each=8)

    @property
    def _others(self) -> list[tuple[int, ...]]:
        """The counts of the other people's answers, for each target whose counts differ."""
        missing = np.unique(self.counts, return_index=True)[1]  # of equal counts it does not matter which lacks one
        return [tuple((self.counts - np.eye(1, self.counts.size, place, dtype=int)[0]).tolist()) for place in missing]


@lru_cache(maxsize=256)
def _hidden(mechanism: Mechanism, n: int) -> HiddenTarget:
    """Return one of n people, the same object for all columns with the same question: it caches its bounds."""
    return HiddenTarget(mechanism, n)
