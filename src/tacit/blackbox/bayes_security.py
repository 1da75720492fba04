"""The Bayes security of a black box, from samples."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tacit.blackbox.bayes_risk import NO_LOWER_LIMIT, halfway, held_out
from tacit.blackbox.classified_pairs import validated_pairs
from tacit.blackbox.classifiers import Classifier, Method, chosen, name_of
from tacit.blackbox.discrete_pairs import affordable_pairs, held_out_errors, overlaps, secret_table, trials_of
from tacit.blackbox.fair_trials import number_of_trials
from tacit.blackbox.samples import Samples, as_samples
from tacit.blackbox.sum_limit import lower_limit_of_sum
from tacit.estimate import Estimate
from tacit.numerics.binomial_limits import upper_limit
from tacit.numerics.randomness import Seed
from tacit.validation import as_confidence

_MOST_NAMED = 5


def estimate_bayes_security(
    secrets: ArrayLike,
    observations: ArrayLike,
    confidence: float = 0.95,
    method: Method = "auto",
    rng: Seed = None,
) -> Estimate:
    """Return an estimate of the Bayes security β*, on the two secrets easiest to tell apart, with an interval.

    ``β* = min_{a,b} β_ab``, where ``β_ab = 1 - TV(C_a, C_b)`` is the least sum of the two error probabilities

    Parameters
    ----------
    secrets
        What went in, shape ``(m,)``, as in `estimate_bayes_risk`; but how often each did is of no account.
    observations
        What came out, shape ``(m,)`` or ``(m, d)``: independent of each other given the secrets.
    confidence
        With what probability the interval covers β*, in (0, 1), at every sample size; refused samples count as covered.
    method
        What guesses, as in `estimate_bayes_risk`; here of two secrets, as if both were as frequent.
    rng
        A generator or a seed for the order of the samples and the coins; None draws fresh ones.

    Returns
    -------
    Estimate
        Frequentist: two-sided, its value halfway between the training and the held-out estimate of the pair with the
        lowest upper limit. Else one-sided: the value is the upper limit, low is 0. The method names that pair, the one
        that sets low, and secrets with too few samples to test; these leave low at or near 0, for one of them may be
        the one that gives itself away.

    Raises
    ------
    InvalidValueError
        If there are samples of a single secret only, or anything else that `estimate_bayes_risk` refuses.
    TooLargeError
        If there are too many pairs of secrets.

    Notes
    -----
    Source: Bayes-sec, Theorem 2 and section VII-D. The upper limit is the least of those of the pairs, with a union
    bound over all pairs whether computed or not; the lower limit is the least of theirs, which needs no union: it is at
    most that of the pair which attains β*.

    Examples
    --------
    >>> import tacit as tc
    >>> secrets = [i % 3 for i in range(6000)]
    >>> mechanism = tc.RandomizedResponse(3, p=0.6)
    >>> security = estimate_bayes_security(secrets, mechanism.sample(secrets, rng=1), rng=1)
    >>> security.low < tc.bayes_security(mechanism) < security.high
    True
    """
    return security_and_pair(secrets, observations, confidence, method, rng)[0]


def security_and_pair(
    secrets: ArrayLike, observations: ArrayLike, confidence: float, method: Method, rng: Seed
) -> tuple[Estimate, tuple[Any, Any] | None]:
    """Return the estimate and the two secrets that were told apart best, None if no classifier could be tested."""
    sure = as_confidence(confidence)
    samples, source = as_samples(secrets, observations, rng)
    classifier, kept = chosen(method, samples)
    named = _by_counts(kept, sure, source) if classifier is None else _by_classifier(classifier, kept, sure, source)
    estimate, pair = named
    return replace(estimate, method=f"{name_of(classifier)}: {estimate.method}{_scarce(samples, kept)}"), pair


def _by_counts(samples: Samples, confidence: float, rng: np.random.Generator) -> tuple[Estimate, tuple[Any, Any]]:
    table = secret_table(samples)
    first, second = np.triu_indices(samples.k, 1)
    labels = table.labels.tolist()
    least, trials, each = overlaps(table), trials_of(table), table.sizes[first]
    trained = np.where(each > 0, least / np.maximum(each, 1), 1.0)
    validated = affordable_pairs(table, trained)
    errors, lost = np.zeros_like(trials), trials.copy()
    errors[validated], lost[validated] = held_out_errors(table, validated, rng)
    misses = (1 - confidence) / 2
    highs = upper_limit(errors + lost, trials, misses / least.size)
    lows = lower_limit_of_sum(least, each, misses)
    best, lowest = int(np.lexsort((trained, highs))[0]), int(np.lexsort((each, lows))[0])
    low, high = sorted((float(lows[lowest]), min(1.0, 2 * float(highs[best]))))
    tested = int(trials[best] - lost[best])
    value = halfway(float(trained[best]), 2 * float(errors[best]) / tested if tested else None, low, high)
    pair = labels[first[best]], labels[second[best]]
    method = (
        f"{_counts(int(errors[best]), int(lost[best]), int(trials[best]))} on the leakiest pair, {_named(pair)}, "
        f"Clopper-Pearson with a union bound over {_pairs(least.size)}, {validated.size:,} computed; below, "
        f"{least[lowest]} training errors at least on {each[lowest]} samples each of "
        f"{_named((labels[first[lowest]], labels[second[lowest]]))}, the least limit of any pair, Clopper-Pearson by "
        "Hoeffding"
    )
    return Estimate(value, low, high, confidence, method), pair


def _by_classifier(
    classifier: Classifier, samples: Samples, confidence: float, rng: np.random.Generator
) -> tuple[Estimate, tuple[Any, Any] | None]:
    pairs = samples.k * (samples.k - 1) // 2
    found = validated_pairs(classifier, samples, rng)
    if not found:
        return Estimate(1.0, 0.0, 1.0, confidence, f"no pair can be tested; {NO_LOWER_LIMIT}"), None
    highs = [float(upper_limit(each.errors + each.lost, each.trials, (1 - confidence) / pairs)) for each in found]
    best = found[int(np.argmin(highs))]
    high = min(1.0, 2 * min(highs))
    labels = samples.labels.tolist()
    pair = labels[best.first], labels[best.second]
    method = (
        f"{_counts(best.errors, best.lost, best.trials)} on the leakiest pair, {_named(pair)}, Clopper-Pearson upper "
        f"limit with a union bound over {_pairs(pairs)}, {len(found):,} computed; {NO_LOWER_LIMIT}"
    )
    return Estimate(high, 0.0, high, confidence, method), pair


def _scarce(samples: Samples, kept: Samples) -> str:
    """Return the secrets too few of whose samples are kept to test, and how many they had."""
    sizes, left = (np.bincount(some.secrets, minlength=samples.k).tolist() for some in (samples, kept))
    few = [
        f"{label!r} ({size})"
        for label, size, rest in zip(samples.labels.tolist(), sizes, left, strict=True)
        if not number_of_trials(rest)
    ]
    if not few:
        return ""
    return (
        f"; too few samples to test of secret {', '.join(few[:_MOST_NAMED])}{', …' if len(few) > _MOST_NAMED else ''}"
    )


def _counts(errors: int, lost: int, trials: int) -> str:
    return held_out(errors, trials - lost) + (f" and {lost} trials lost" if lost else "")


def _named(pair: tuple[Any, Any]) -> str:
    return f"{pair[0]!r} and {pair[1]!r}"


def _pairs(count: int) -> str:
    return "1 pair" if count == 1 else f"{count:,} pairs"
