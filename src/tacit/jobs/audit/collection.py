"""If a column were collected from the people instead: what randomizing and shuffling would protect, and cost."""

import math
from collections.abc import Mapping

import numpy as np

from tacit import limits
from tacit.anonymity import ClassSizes
from tacit.estimate import Estimate, highest
from tacit.jobs.audit.result import CollectionOption, CollectionReport
from tacit.measures import bayes_security, posterior_vulnerability
from tacit.mechanisms import RandomizedResponse, frequency_error
from tacit.presenting.numbers import bounded, people, percent, points
from tacit.shuffling import Shuffled
from tacit.shuffling.plans import certain_vulnerability
from tacit.shuffling.views import AmongOthers, known

# More values than this are not a question with listed answers.
MOST_CATEGORIES = 256
EPSILONS = (0.5, 1.0, 2.0, 4.0)
# The recommended option leaves the adversary who knows all other answers at least this much of her error.
KEPT_ERROR = 0.9


def worth_collecting(columns: Mapping[str, ClassSizes]) -> list[str]:
    """Return the first of the columns that could be asked for, as many as are worked out in half a minute or so."""
    chosen: list[str] = []
    work, allowed = 0, limits.current()
    for column, sizes in columns.items():
        if is_categorical(sizes) and len(chosen) < allowed.most_columns_collected:
            listed = math.comb(sizes.people + sizes.classes - 1, sizes.classes - 1)
            work += len(EPSILONS) * sizes.classes * listed * (listed <= allowed.most_histograms)
            if work <= allowed.most_histograms_collected or not chosen:
                chosen.append(column)
    return chosen


def is_categorical(sizes: ClassSizes) -> bool:
    """Whether a column could be asked as a question with listed answers."""
    return 2 <= sizes.classes <= MOST_CATEGORIES


def collection_report(column: str, sizes: ClassSizes) -> CollectionReport:
    """Return what each way to collect the column would protect and cost, and the recommended one."""
    k, n = sizes.classes, sizes.people
    counts = np.repeat(sizes.sizes, sizes.counts)
    options = [_option(counts, None, shuffled=True)]
    for epsilon in EPSILONS:
        options += [_option(counts, epsilon, shuffled=shuffled) for shuffled in (False, True)]
    both = [option for option in options if option.shuffled and option.epsilon is not None]
    alone = {option.epsilon: option.uninformed for option in options if not option.shuffled}
    protecting = [option for option in both if kept_error(option, k) >= KEPT_ERROR]
    recommended = protecting[-1] if protecting else both[0]
    return CollectionReport(
        column=column,
        k=k,
        n=n,
        blind_guess=1 / k,
        most_common_share=sizes.largest / n,
        options=tuple(options),
        recommended=recommended,
        advised=bool(protecting) and recommended.error_share <= 1 / k,
        reason=_reason(recommended, alone[recommended.epsilon], k, n, protected=bool(protecting)),
    )


def _option(counts: np.ndarray, epsilon: float | None, *, shuffled: bool) -> CollectionOption:
    k, n = counts.size, int(counts.sum())
    mechanism = RandomizedResponse(k, p=1.0) if epsilon is None else RandomizedResponse(k, epsilon)
    system = Shuffled(mechanism, n) if shuffled else mechanism
    error = frequency_error(mechanism, n, counts / n)
    uninformed, security = posterior_vulnerability(system), bayes_security(system)
    assert isinstance(uninformed, float)
    assert isinstance(security, float)
    return CollectionOption(
        epsilon=epsilon,
        shuffled=shuffled,
        uninformed=uninformed,
        all_but_one=_all_but_one_guess(system, counts) if isinstance(system, Shuffled) else uninformed,
        bayes_security=security,
        error_share=error.share,
        error_people=error.people,
    )


def _all_but_one_guess(system: Shuffled, counts: np.ndarray) -> float | Estimate:
    """Return the guess against the worst target: which of the counts lacks one depends on who she is."""
    guesses: list[float] = []
    for missing in np.unique(counts, return_index=True)[1]:  # of equal counts it does not matter which lacks one
        others = counts.copy()
        others[missing] -= 1
        guess = certain_vulnerability(AmongOthers(system.mechanism, system.n, known(tuple(others.tolist()))))
        if isinstance(guess, Estimate):
            return guess  # the upper bound holds whatever the others' values are, the lower one for some
        guesses.append(guess)
    return max(guesses)


def kept_error(option: CollectionOption, k: int) -> float:
    """Return the share of a blind guesser's error that an option surely leaves to who knows all other answers."""
    return (1 - highest(option.all_but_one)) / (1 - 1 / k)


def _reason(option: CollectionOption, unshuffled: float, k: int, n: int, *, protected: bool) -> str:
    error = f"{points(option.error_share)} ({people(option.error_people)} of {n:,})"
    cost = f"an estimated share is off by about {error}"
    guess = (
        "someone who knows all other answers, and to whom each answer of one person is equally likely beforehand, "
        f"guesses it with probability {bounded(option.all_but_one)} ({percent(1 / k)} blindly)"
    )
    if protected and option.error_share > 1 / k:
        return (
            f"Too few people to learn from: with ε = {option.epsilon:g} and a shuffler {guess}, but {cost}, more than "
            f"a typical share of {percent(1 / k)}. Ask more people, or offer fewer values."
        )
    if protected:
        return (
            f"Randomize with ε = {option.epsilon:g} and shuffle: even {guess}, so she keeps at least "
            f"{percent(KEPT_ERROR)} of her error (without the shuffler: {percent(unshuffled)}); {cost}."
        )
    return (
        f"Too few people for a strong promise: even with ε = {option.epsilon:g} and a shuffler {guess}, less than the "
        f"{percent(KEPT_ERROR)} of error kept that is asked for; {cost}. Ask more people, or offer fewer values."
    )
