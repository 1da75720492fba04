"""The number of samples for an interval of a given width."""

import math
from typing import Any

from numpy.typing import ArrayLike

from discretion.blackbox.bayes_risk import NO_LOWER_LIMIT, classifier_and_errors
from discretion.blackbox.classifiers import Method, name_of
from discretion.errors import InvalidValueError
from discretion.numerics.draws import Seed
from discretion.numerics.laws.binomial_limits import lower_limit, upper_limit
from discretion.validation import as_confidence, as_real

# The half-width with 10¹² samples; with many more, limits of a binomial probability lose their last digits.
_NARROWEST = 1e-6


def samples_needed(  # noqa: PLR0917 - what the estimate takes, and the width
    half_width: float,
    secrets: ArrayLike | None = None,
    observations: ArrayLike | None = None,
    confidence: float = 0.95,
    method: Method = "auto",
    rng: Seed = None,
) -> int:
    """Return the number of samples for an estimate of the Bayes risk to within ± half_width.

    ``n_pilot · (half-width from the pilot / half_width)²``, or the number for Clopper-Pearson's interval at a risk of
    1/2

    Parameters
    ----------
    half_width
        Half the length of the interval that you need, in (0, 1/2), and at least 1e-6, which takes 10¹² samples.
    secrets, observations
        Pilot samples, as in `estimate_bayes_risk`; both or none.
    confidence
        The probability with which the interval contains the Bayes risk, in (0, 1).
    method, rng
        As in `estimate_bayes_risk`, for the pilot.

    Returns
    -------
    int
        Without a pilot, the least number at which counting errors reaches this precision at any risk: a lower bound,
        since learning the guesses takes more samples. With a pilot, a forecast without a guarantee: it assumes that the
        sampling error and the error from incomplete learning shrink at least about like 1/√n.

    Raises
    ------
    InvalidValueError
        If a pilot has secrets or observations only, or its guesser has no lower bound on the risk.

    Examples
    --------
    >>> samples_needed(0.01)
    9701
    """
    width, sure = as_half_width(half_width), as_confidence(confidence)
    if secrets is None and observations is None:
        return _floor(width, 1 - sure)
    if secrets is None or observations is None:
        raise InvalidValueError(
            f"a pilot needs secrets and their observations, got {'observations' if secrets is None else 'secrets'} only"
        )
    classifier, pilot = classifier_and_errors(secrets, observations, method, rng)
    if pilot.least is None:
        raise InvalidValueError(
            f"no number of samples gives {name_of(classifier)} an interval of a given width, since {NO_LOWER_LIMIT}; "
            "leave the pilot out to get the number for counting errors, or use convergence"
        )
    low, high = pilot.limits(1 - sure)
    samples = int(pilot.known[-1] + pilot.tested[-1])
    return math.ceil(samples * (float(high[-1] - low[-1]) / 2 / width) ** 2)


def as_half_width(value: Any) -> float:
    """Return half the length of an interval, in (0, 1/2), or raise an error."""
    half_width = as_real(value, "half_width")
    if not 0 < half_width < 0.5:
        raise InvalidValueError(f"half_width must be in (0, 1/2), got {value!r}")
    if half_width < _NARROWEST:
        raise InvalidValueError(f"half_width must be at least {_NARROWEST:g}, which takes 10^12 samples; got {value!r}")
    return half_width


def _floor(half_width: float, misses: float) -> int:
    def too_wide(n: int) -> bool:
        return float(upper_limit(n / 2, n, misses / 2) - lower_limit(n / 2, n, misses / 2)) / 2 > half_width

    most = 1
    while too_wide(most):
        most *= 2
    least = most // 2
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if too_wide(middle) else (least, middle)
    return most
