"""The Bayes security of a black box, from samples."""

import numpy as np
from numpy.typing import ArrayLike

from tacit.blackbox.bayes_risk import NO_LOWER_LIMIT
from tacit.blackbox.classified_pairs import validated_pairs
from tacit.blackbox.classifiers import Classifier, Method, chosen, name_of
from tacit.blackbox.clopper_pearson import lower_limit_of_sum, upper_limit
from tacit.blackbox.discrete_pairs import affordable_pairs, held_out_errors, overlaps, secret_table, trials_of
from tacit.blackbox.fair_trials import number_of_trials
from tacit.blackbox.progress import FITTED, FREQUENTIST
from tacit.blackbox.samples import Samples, as_confidence, as_samples
from tacit.estimate import Estimate
from tacit.numerics.randomness import Seed

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
        With what probability the interval covers β*, in (0, 1), at every sample size.
    method
        What guesses, as in `estimate_bayes_risk`; here of two secrets, as if both were as frequent.
    rng
        A generator or a seed for the order of the samples and the coins; None draws fresh ones.

    Returns
    -------
    Estimate
        Frequentist: two-sided, its value halfway between the training and the held-out estimate of the pair with the
        lowest upper limit. Else one-sided: the value is the upper limit, low is 0. A secret with too few samples to
        test, which the method names, leaves low at or near 0, for it may be the one that gives itself away.

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
    sure = as_confidence(confidence)
    samples, source = as_samples(secrets, observations, rng)
    classifier, kept = chosen(method, samples)
    if classifier is None:
        return _by_counts(kept, sure, source)
    return _by_classifier(classifier, kept, sure, source)


def _by_counts(samples: Samples, confidence: float, rng: np.random.Generator) -> Estimate:
    table = secret_table(samples)
    least, trials = overlaps(table), trials_of(table)
    each = np.repeat(table.sizes[:-1], np.arange(samples.k - 1, 0, -1))
    trained = least / np.maximum(each, 1)
    validated = affordable_pairs(table, trained)
    errors = trials.copy()
    errors[validated] = held_out_errors(table, validated, rng)
    misses = (1 - confidence) / 2
    highs = upper_limit(errors, trials, misses / least.size)
    best = int(highs.argmin())
    low, high = sorted((float(lower_limit_of_sum(least, each, misses).min()), min(1.0, 2 * float(highs[best]))))
    value = trained[best] / 2 + errors[best] / max(1, int(trials[best]))
    method = (
        f"{name_of(None)}: {errors[best]} errors of {trials[best]} held out on the leakiest pair, Clopper-Pearson with "
        f"a union bound over {_pairs(least.size)}, {validated.size:,} computed; below, the least training errors "
        "of each, Clopper-Pearson by Hoeffding"
        f"{_scarce(samples, FREQUENTIST[0])}"
    )
    return Estimate(min(max(float(value), low), high), low, high, confidence, method)


def _by_classifier(classifier: Classifier, samples: Samples, confidence: float, rng: np.random.Generator) -> Estimate:
    pairs = samples.k * (samples.k - 1) // 2
    found = validated_pairs(classifier, samples, rng)
    highs = [float(upper_limit(pair.errors, pair.trials, (1 - confidence) / pairs)) for pair in found]
    high = min([1.0, *(2 * high for high in highs)])
    counts = "no pair can be tested"
    if found:
        best = found[int(np.argmin(highs))]
        counts = (
            f"{best.errors} errors of {best.trials} held out on the leakiest pair, Clopper-Pearson upper limit with a "
            f"union bound over {_pairs(pairs)}, {len(found)} computed"
        )
    method = f"{name_of(classifier)}: {counts}; {NO_LOWER_LIMIT}{_scarce(samples, FITTED[0])}"
    return Estimate(high, 0.0, high, confidence, method)


def _scarce(samples: Samples, part: int) -> str:
    sizes = np.bincount(samples.secrets, minlength=samples.k).tolist()
    few = [(label, n) for label, n in zip(samples.labels.tolist(), sizes, strict=True) if not number_of_trials(n, part)]
    if not few:
        return ""
    named = ", ".join(f"{label!r} ({n})" for label, n in few[:_MOST_NAMED])
    return f"; too few samples to test of secret {named}{', …' if len(few) > _MOST_NAMED else ''}"


def _pairs(count: int) -> str:
    return "1 pair" if count == 1 else f"{count:,} pairs"
