"""Points for means over a beta law of what is as fine as a binomial law's likelihood."""

import math

import numpy as np
from scipy.special import expit

from discretion.numerics.arrays import Reals
from discretion.numerics.means.binomial_mixture import LEAST, Probabilities
from discretion.numerics.means.simplex import log_mixed

_FAR = 60.0  # e^-60 of a law's tail is negligible
_STEP = 0.5  # of a standard deviation: the trapezoid rule then errs by e^-79
_LONGEST_STEP = 0.25
_COARSE = 1 << 10
_LIGHT = 1e-28


def fine_beta(a: float, b: float, n: int, matrix: Reals, slope: float) -> Probabilities:
    """Return probabilities for the trapezoid rule over ``P ~ Beta(a, b)``, fine enough for n trials.

    Parameters
    ----------
    a, b
        The parameters.
    n
        The number of trials.
    matrix
        The probabilities of a hit and of a miss at ``P = 1``, in the first row, and at ``P = 0``.
    slope
        ``matrix[0, 0] - matrix[1, 0]``, which is at least 0, to full precision.

    Notes
    -----
    The logit of P, less its mean's, is ``sinh t``: tails of any length then take few points. Where the likelihood or
    the law is narrower than that, the step is half of its standard deviation.
    """
    width = math.sqrt(1 / a + 1 / b)
    first, last = -math.asinh(14 * width + _FAR / a), math.asinh(14 * width + _FAR / b)
    coarse: Reals = np.linspace(first, last, _COARSE)
    shares = _shares(coarse, a, b)
    product = shares[:, 0] * shares[:, 1]
    rates = shares @ matrix
    information = (a + b) * product + n * (slope * product) ** 2 / np.maximum(rates[:, 0] * rates[:, 1], LEAST)
    # The logarithms of P, 1 - P and the rates are singular at π i from where these begin to change.
    turns = np.array([0.0, _log_odds(matrix[1, 0], slope), -_log_odds(matrix[0, 1], slope)]) - math.log(a / b)
    turned = np.clip(np.arcsinh(turns), first, last)
    step = min(
        _LONGEST_STEP / float(np.cosh(turned).max()),
        _STEP / float((np.cosh(coarse) * np.sqrt(information)).max()),
    )
    at: Reals = np.arange(first, last, step)
    shares = _shares(at, a, b)
    away = np.sinh(at)
    logs = -a * log_mixed(b, a, -away) - b * log_mixed(a, b, away) + np.log(np.cosh(at))
    weights = np.exp(logs - logs.max())
    kept = weights > _LIGHT * weights.sum()
    shares, weights = np.maximum(shares[kept], LEAST), weights[kept]
    rates = np.maximum(shares @ matrix, LEAST)
    return Probabilities(shares.T, rates[:, 0], rates[:, 1], slope, weights / weights.sum())


def _shares(at: Reals, a: float, b: float) -> Reals:
    logits = np.sinh(at) + math.log(a / b)
    return np.stack([expit(logits), expit(-logits)], axis=1)


def _log_odds(constant: float, slope: float) -> float:
    """Return the logit of P about which ``constant + slope · P`` begins to change; 0 where it does so everywhere."""
    return math.log(constant / slope) if constant > 0 else 0.0
