"""The Bayes security of a black box, from samples."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from discretion.blackbox.bayes_risk import NO_LOWER_LIMIT, held_out
from discretion.blackbox.classified_pairs import validated_pairs
from discretion.blackbox.classifiers import Classifier, Method, choose_classifier, name_of
from discretion.blackbox.compared_pairs import compared_pairs
from discretion.blackbox.fair_trials import number_of_trials
from discretion.blackbox.likely_security import likely_security
from discretion.blackbox.samples import Samples, as_samples, distinct_secrets
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.numerics.draws import Seed
from discretion.validation import as_confidence

_MOST_NAMED = 5
# A secret is some person's value: a secret with fewer samples is counted and not named.
LEAST_NAMED = 10


def estimate_bayes_security(  # noqa: PLR0917 - what estimate_bayes_risk takes, and all secrets
    secrets: ArrayLike,
    observations: ArrayLike,
    confidence: float = 0.95,
    method: Method = "auto",
    rng: Seed = None,
    among: ArrayLike | None = None,
) -> Estimate:
    """Return an estimate of the Bayes security β* of the two secrets easiest to distinguish, with an interval.

    ``β* = min_{a,b} β_ab``, where ``β_ab = 1 - TV(C_a, C_b)`` is the least sum of the two error probabilities

    Parameters
    ----------
    secrets
        The inputs of the black box, shape ``(m,)``, as in `estimate_bayes_risk`; their frequencies do not matter.
    observations
        The outputs of the black box, shape ``(m,)`` or ``(m, d)``: independent of each other given the secrets.
    confidence
        The probability with which the interval contains β*, in (0, 1), at every sample size; samples that the function
        refuses count as covered.
    method
        The guesser, as in `estimate_bayes_risk`; here it guesses between two secrets of equal frequency.
    rng
        A generator or a seed for the order of the samples and the coins; None draws a fresh seed.
    among
        All possible secrets. β* does not depend on the frequency of a secret, so that a secret without samples may be
        the one that the outputs give away. Therefore ``low`` is 0 unless ``among`` is given and each of its secrets has
        samples. ``among=secrets`` restricts β* to the sampled secrets.

    Returns
    -------
    Estimate
        A two-sided interval with the frequentist method if every secret has samples; else ``low`` is 0. One half of
        each secret's samples chooses a pair, and the other half estimates its β, as in `estimate_bayes_risk`; the value
        is the mean over both roles of the halves. ``method`` names the pair with the lowest upper limit and the pair
        that sets ``low``; it names a secret only if at least 10 samples have it. It also counts the secrets with too
        few samples to test, which leave ``low`` at or near 0.

    Raises
    ------
    TooLargeError
        If there are too many pairs of secrets.

    Notes
    -----
    Source: Bayes-sec, Theorem 2 and section VII-D. The upper limit is the least upper limit of the pairs, with a union
    bound over all pairs, also those that are not computed. The lower limit is the least lower limit of the pairs; it
    needs no union bound, since it is at most that of the pair that attains β*.

    Examples
    --------
    >>> import discretion as dc
    >>> secrets = [i % 3 for i in range(6000)]
    >>> mechanism = dc.RandomizedResponse(3, p=0.6)
    >>> security = estimate_bayes_security(secrets, mechanism.sample(secrets, rng=1), rng=1, among=[0, 1, 2])
    >>> security.low < dc.bayes_security(mechanism) < security.high
    True
    """
    return security_and_pair(secrets, observations, confidence, method, rng, among)[0]


def security_and_pair(  # noqa: PLR0917 - what estimate_bayes_security takes
    secrets: ArrayLike,
    observations: ArrayLike,
    confidence: float = 0.95,
    method: Method = "auto",
    rng: Seed = None,
    among: ArrayLike | None = None,
) -> tuple[Estimate, tuple[Any, Any] | None]:
    """Return the estimate and the two secrets easiest to distinguish, None if no classifier could be tested."""
    sure = as_confidence(confidence)
    samples, source = as_samples(secrets, observations, rng)
    unseen = _unseen(samples, among)
    classifier, remaining = choose_classifier(method, samples)
    if classifier is None:
        estimate, pair = _by_counts(remaining, sure, unseen, source)
    else:
        estimate, pair = _by_classifier(classifier, remaining, sure, source)
    return replace(estimate, method=f"{name_of(classifier)}: {estimate.method}{_scarce(samples, remaining)}"), pair


def _unseen(samples: Samples, among: ArrayLike | None) -> str | None:
    """Return the secrets without samples, in words; None if every secret has samples."""
    if among is None:
        return "a secret without samples"
    seen, listed = (dict.fromkeys(labels.tolist()) for labels in (samples.labels, distinct_secrets(among, "among")[0]))
    strange = [repr(secret) for secret in seen if secret not in listed]
    if strange:
        raise InvalidValueError(
            f"among must contain every secret that has samples, but does not contain {_some(strange)}; add it, or "
            "leave its samples out"
        )
    missing = [repr(secret) for secret in listed if secret not in seen]
    return f"secret {_some(missing)}, which has no samples" if missing else None


def _by_counts(
    samples: Samples, confidence: float, unseen: str | None, rng: np.random.Generator
) -> tuple[Estimate, tuple[Any, Any]]:
    pairs = compared_pairs(samples, rng)
    misses = 1 - confidence if unseen else (1 - confidence) / 2
    best = pairs.leakiest(misses)
    high, low = float(pairs.highs(misses)[best]), 0.0
    pair = int(pairs.first[best]), int(pairs.second[best])
    method = (
        f"{_counts(int(pairs.errors[best]), int(pairs.lost[best]), int(pairs.trials[best]))} on the leakiest pair, "
        f"{_named(samples, pair)}, Clopper-Pearson with a union bound over {_pairs(pairs.least.size)}, "
        f"{pairs.validated:,} computed; below, "
    )
    if unseen:
        method += f"0: the outputs may give away {unseen}"
    else:
        lows = pairs.lows(misses)
        lowest = int(np.lexsort((pairs.each, lows))[0])
        low, high = sorted((float(lows[lowest]), high))
        method += (
            f"{pairs.least[lowest]} training errors at least on {pairs.each[lowest]} samples each of "
            f"{_named(samples, (int(pairs.first[lowest]), int(pairs.second[lowest])))}, the least limit of any pair, "
            "Clopper-Pearson by Hoeffding"
        )
    value = min(max(likely_security(samples, misses, rng), low), high)
    return Estimate(value, low, high, confidence, method), _labels(samples, pair)


def _by_classifier(
    classifier: Classifier, samples: Samples, confidence: float, rng: np.random.Generator
) -> tuple[Estimate, tuple[Any, Any] | None]:
    pairs = samples.k * (samples.k - 1) // 2
    validated = validated_pairs(classifier, samples, rng)
    if not validated:
        return Estimate(1.0, 0.0, 1.0, confidence, f"no pair can be tested; {NO_LOWER_LIMIT}"), None
    misses = (1 - confidence) / pairs
    best = min(validated, key=lambda pair: pair.limit(misses))
    high = min(1.0, 2 * best.limit(misses))
    pair = best.first, best.second
    method = (
        f"{_counts(best.errors, best.lost, best.trials)} on the leakiest pair, {_named(samples, pair)}, "
        f"Clopper-Pearson upper limit with a union bound over {_pairs(pairs)}, {len(validated):,} computed; "
        f"{NO_LOWER_LIMIT}"
    )
    likely = min(validated, key=lambda pair: pair.early_limit(misses)).validation.likely_risk()
    return Estimate(min(2 * likely, high), 0.0, high, confidence, method), _labels(samples, pair)


def _scarce(samples: Samples, remaining: Samples) -> str:
    """Return the number of secrets with too few samples to test, and their numbers of samples, in words."""
    sizes, left = (np.bincount(some.secrets, minlength=samples.k).tolist() for some in (samples, remaining))
    few = sorted(size for size, rest in zip(sizes, left, strict=True) if not number_of_trials(rest))
    secrets = "1 secret" if len(few) == 1 else f"{len(few):,} secrets"
    return f"; too few samples to test of {secrets} ({_some([str(size) for size in few])})" if few else ""


def _some(words: list[str]) -> str:
    return ", ".join(words[:_MOST_NAMED]) + (", …" if len(words) > _MOST_NAMED else "")


def _counts(errors: int, lost: int, trials: int) -> str:
    return held_out(errors, trials - lost) + (f" and {lost} trials lost" if lost else "")


def _labels(samples: Samples, pair: tuple[int, int]) -> tuple[Any, Any]:
    labels = samples.labels.tolist()
    return labels[pair[0]], labels[pair[1]]


def _named(samples: Samples, pair: tuple[int, int]) -> str:
    """Return the names of two secrets, without the name of a secret that has few samples."""
    return " and ".join(
        repr(label) if (samples.secrets == secret).sum() >= LEAST_NAMED else "a secret with few samples"
        for secret, label in zip(pair, _labels(samples, pair), strict=True)
    )


def _pairs(count: int) -> str:
    return "1 pair" if count == 1 else f"{count:,} pairs"
