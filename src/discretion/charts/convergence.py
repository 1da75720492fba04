"""The convergence of an estimate with the number of samples."""

from collections.abc import Sequence

import altair as alt

from discretion.charts.panels import Axis, Curve, Look, Panel, curves
from discretion.presenting.numbers import rounded_down, rounded_up

_LOOKS: dict[str, Look] = {"held-out error of a block of samples": "circles", "interval of the Bayes risk": "solid"}
_ERRORS, _INTERVAL = _LOOKS
_DIGITS = 4


def convergence_over_samples(  # noqa: PLR0917 - the arrays of a Convergence, in its order
    sizes: Sequence[int],
    errors: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    confidence: float,
    method: str,
) -> alt.VConcatChart:
    """Draw the interval of the Bayes risk, and the error of each block of samples, over the number of samples.

    Parameters
    ----------
    sizes
        The number of samples at the end of each block, ascending.
    errors
        The share of wrong guesses in each block, from the samples before it.
    low, high
        The bounds of the interval at the end of each block.
    confidence
        The probability with which each interval covers the Bayes risk.
    method
        The guesser.

    Returns
    -------
    altair.VConcatChart
        Of fixed width, samples on a logarithmic axis.

    Examples
    --------
    >>> chart = convergence_over_samples([10, 100], [0.5, 0.2], [0, 0.1], [0.8, 0.3], 0.95, "frequentist")
    >>> "100 samples" in chart.to_dict()["description"]
    True
    """
    ends = list(zip(sizes, low, strict=True)), list(zip(sizes, high, strict=True))
    first, last = sizes[0], sizes[-1]
    if first == last:  # a bar, in the middle of the axis
        ends = [*ends[1], *ends[0]], [*ends[0], *ends[1]]
        first, last = first / 2, 2 * last
    at_least, at_most = (rounded_down(low[-1], _DIGITS), rounded_up(high[-1], _DIGITS))
    panel = Panel(
        [
            Curve(list(zip(sizes, errors, strict=True)), _ERRORS),
            Curve(ends[1], _INTERVAL, f"at most {at_most}"),
            Curve(ends[0], _INTERVAL, f"at least {at_least}"),
        ],
        Axis("samples", first, last, logarithmic=True),
        _errors_axis(min(*errors, *low), max(*errors, *high)),
    )
    narrows = f"{at_least} to {at_most} at {sizes[-1]:,} samples."
    if len(sizes) > 1:
        narrows = (
            f"{rounded_down(low[0], _DIGITS)} to {rounded_up(high[0], _DIGITS)} at {sizes[0]:,} samples to {narrows}"
        )
    return curves(
        [panel],
        _LOOKS,
        "What the samples show of the Bayes risk",
        [
            f"Guesses: {method}. Each interval by itself holds with probability {confidence}, not all together.",
            "If the errors still fall at the right, more samples would lower the upper bound.",
        ],
        f"The interval of the Bayes risk{' narrows from' if len(sizes) > 1 else ':'} {narrows}",
    )


def _errors_axis(least: float, most: float) -> Axis:
    """Return an axis for errors: from 0, unless that would press them together."""
    title, room = "error in guessing the secret", (most - least) / 20
    top = min(1.0, most + room) or 1.0
    if least < most / 2:
        return Axis(title, 0, top)
    return Axis(f"{title} (not from 0)", least - room, top)
