"""If a column were collected from the people instead: what randomizing and shuffling would protect, and cost."""

from collections.abc import Mapping

import numpy as np

from discretion import limits
from discretion.anonymity import ClassSizes
from discretion.estimate import highest
from discretion.jobs.audit.asked_crowd import AskedCrowd
from discretion.jobs.audit.best_protocol import compared, mechanism_in
from discretion.jobs.audit.result import CollectionOption, CollectionReport
from discretion.numerics.arrays import Integers
from discretion.presenting.rounding import rounded_down

# More values than this are not a question with listed answers.
MOST_CATEGORIES = 256
EPSILONS = (0.5, 1.0, 2.0, 4.0)
# The recommended option leaves the adversary who knows all other answers at least this much of her error.
KEPT_ERROR = 0.9
# δ is one in so many times the number of people: a promise that fails for one of them is none.
DELTA_PEOPLE = 10


def worth_collecting(columns: Mapping[str, ClassSizes]) -> list[str]:
    """Return the first of the columns that could be asked for, as many as are looked into."""
    possible = [column for column, sizes in columns.items() if is_categorical(sizes)]
    return possible[: limits.current().most_columns_collected]


def is_categorical(sizes: ClassSizes) -> bool:
    """Whether a column could be asked as a question with listed answers."""
    return 2 <= sizes.classes <= MOST_CATEGORIES


def collection_report(column: str, sizes: ClassSizes, questions: int = 1) -> CollectionReport:
    """Return what each way to collect the column would protect and cost, and the recommended one.

    That is the one with the most ε, and so the least error, that leaves an adversary enough of hers.
    """
    counts = np.repeat(sizes.sizes, sizes.counts)
    k, n = sizes.classes, sizes.people
    found = [_option(counts, epsilon) for epsilon in EPSILONS]
    hiding = [(option, crowd) for option, crowd in found if kept_error(option) >= KEPT_ERROR]
    recommended, crowd = hiding[-1] if hiding else found[0]
    delta = 1 / (DELTA_PEOPLE * n)
    return CollectionReport(
        column=column,
        k=k,
        n=n,
        options=tuple(option for option, _ in found),
        recommended=recommended,
        hides=bool(hiding),
        tells=recommended.best.error_share < 1 / k,
        delta=delta,
        shuffled_epsilon=crowd.shuffled_epsilon(delta),
        questions=questions,
        if_all_asked=compared(k, divided(recommended.epsilon, questions), (counts / n).tolist(), n)[0],
    )


def kept_error(option: CollectionOption) -> float:
    """Return the share of a blind guesser's error that surely remains to who knows all other answers.

    Whether she believes all answers equally likely beforehand, or as likely as their shares.
    """
    return min((1 - highest(guess.knows_all)) / (1 - guess.blind) for guess in (option.uniform, option.shares))


def divided(epsilon: float, questions: int) -> float:
    """Return the ε of each of several questions that add up to no more than this, in four digits.

    Examples
    --------
    >>> divided(4.0, 1), divided(4.0, 14)
    (4.0, 0.2857)
    """
    return float(rounded_down(epsilon / questions, 4))


def _option(counts: Integers, epsilon: float) -> tuple[CollectionOption, AskedCrowd]:
    k, n = counts.size, int(counts.sum())
    shares = counts / n
    found = compared(k, epsilon, shares.tolist(), n)
    crowd = AskedCrowd(mechanism_in(found[0]), counts)
    return CollectionOption(epsilon, found[0], found, crowd.guesses(), crowd.guesses(shares)), crowd
