"""The Bayes risk of a black box, from samples."""

from numpy.typing import ArrayLike

from discretion.blackbox.classifiers import Classifier, Method, choose_classifier, name_of
from discretion.blackbox.progressive_validation import Validation, validate
from discretion.blackbox.samples import as_samples
from discretion.estimate import Estimate
from discretion.numerics.draws import Seed
from discretion.validation import as_confidence

NO_LOWER_LIMIT = "no finite sample bounds it from below without assumptions"


def estimate_bayes_risk(
    secrets: ArrayLike,
    observations: ArrayLike,
    confidence: float = 0.95,
    method: Method = "auto",
    rng: Seed = None,
) -> Estimate:
    """Return an estimate of the Bayes risk, the least error in guessing secrets, with a confidence interval.

    ``R* = 1 - Σ_o max_s P(s, o)`` for the law from which the pairs (s, o) were drawn, independently of each other

    Parameters
    ----------
    secrets
        The inputs of the black box, shape ``(m,)``: numbers, text or other hashable values, at least two of them
        different.
    observations
        The outputs of the black box, shape ``(m,)`` or ``(m, d)``. Discrete observations are compared for equality, as
        whole rows; a row with text in one of its columns is discrete. Sequences of several lengths need a metric.
    confidence
        The probability with which the interval contains R*, in (0, 1), at every sample size. Samples that the function
        refuses, such as those of a single secret, count as covered.
    method
        The guesser; the interval holds for any guesser:

        - ``"frequentist"``: the secret most frequent with the observation; for a new observation, the most frequent of
          all.
        - ``"nearest-neighbours"``: `NearestNeighbours()`; or such an object with its own k or metric.
        - any object with ``fit(X, y)`` and ``predict(X)``, such as a scikit-learn classifier; copies of it are fitted.
        - ``"auto"``: frequentist; but nearest neighbors for floats if at least half of the first samples in random
          order, a sixteenth of all and at most 1000, are distinct. These samples only decide, and are not used again;
          floats that repeat more rarely than that count as distinct.
    rng
        A generator or a seed for the order of the samples; None draws a fresh seed.

    Returns
    -------
    Estimate
        With the frequentist method, a two-sided interval. With other methods ``low`` is 0, since no finite sample
        bounds R* from below without assumptions. The value is an estimate within the interval. With the frequentist
        method, it extrapolates held-out errors, which fall to R* as samples come in, and training errors, which rise to
        it, until they meet. With other methods, it is the share of errors on the later half of the samples, each
        guessed from the samples before it; its mean is at least R*.

    Notes
    -----
    Source: the guessers are F-BLEAU's (Cherubin, Chatzikokolakis and Palamidessi, S&P 2019; Bayes-sec, section VII-D).
    The upper limit is Clopper-Pearson's on progressive validation, whose errors stochastically exceed a binomial count
    with probability R*. The lower limit is Clopper-Pearson's on the least training error of any classifier, which the
    best classifier cannot beat.

    Examples
    --------
    >>> import numpy as np
    >>> import discretion as dc
    >>> secrets = np.random.default_rng(0).integers(2, size=4000)
    >>> reports = dc.RandomizedResponse(2, p=0.75).sample(secrets, rng=1)
    >>> risk = estimate_bayes_risk(secrets, reports, rng=1)
    >>> risk.low < 0.25 < risk.high, round(risk.high - risk.low, 2)
    (True, 0.03)
    """
    sure = as_confidence(confidence)
    classifier, validation = classifier_and_errors(secrets, observations, method, rng)
    return risk_estimate(validation, sure, classifier)


def classifier_and_errors(
    secrets: ArrayLike, observations: ArrayLike, method: Method, rng: Seed
) -> tuple[Classifier | None, Validation]:
    """Return the classifier, None for the frequentist method, and its errors on the samples in random order."""
    samples, _ = as_samples(secrets, observations, rng)
    classifier, remaining = choose_classifier(method, samples)
    return classifier, validate(classifier, remaining)


def risk_estimate(validation: Validation, confidence: float, classifier: Classifier | None) -> Estimate:
    """Return the estimate from the whole validation."""
    lows, highs = validation.limits(1 - confidence)
    low, high = float(lows[-1]), float(highs[-1])
    value = min(max(validation.likely_risk(), low), high)
    method = f"{name_of(classifier)}: {held_out(int(validation.errors.sum()), int(validation.tested.sum()))}"
    if validation.least is None:
        return Estimate(value, low, high, confidence, f"{method}, Clopper-Pearson upper limit; {NO_LOWER_LIMIT}")
    least, size = int(validation.least[-1]), int(validation.known[-1] + validation.tested[-1])
    method += f", Clopper-Pearson; below, {least} training errors of {size} at least, Clopper-Pearson"
    return Estimate(value, low, high, confidence, method)


def held_out(errors: int, tested: int) -> str:
    """Return the result of the test in words."""
    return f"{errors} errors of {tested} held out" if tested else "nothing held out"
