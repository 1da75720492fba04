"""How an estimate from samples settles as they come in."""

from collections.abc import Sequence

import altair as alt

from tacit.charts.panels import Axis, Curve, Look, Panel, curves

_LOOKS: dict[str, Look] = {"held-out error of a block of samples": "circles", "interval of the Bayes risk": "solid"}
_ERRORS, _INTERVAL = _LOOKS


def convergence_over_samples(  # noqa: PLR0917 - the arrays of a Convergence, in its order
    sizes: Sequence[int],
    errors: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    confidence: float,
    method: str,
) -> alt.VConcatChart:
    """Return the interval of the Bayes risk, and the error of each block of samples, against the number of samples.

    Parameters
    ----------
    sizes
        How many samples there were at the end of each block, ascending.
    errors
        The share of each block that was guessed wrong from the samples before it.
    low, high
        The ends of the interval then.
    confidence
        With what probability each interval covers the Bayes risk.
    method
        What guesses.

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
    # A single block has no width of its own on the axis.
    first, last = sizes[0], max(sizes[-1], sizes[0] + 1)
    panel = Panel(
        [
            Curve(list(zip(sizes, errors, strict=True)), _ERRORS),
            Curve(list(zip(sizes, high, strict=True)), _INTERVAL, f"at most {high[-1]:.3g}"),
            Curve(list(zip(sizes, low, strict=True)), _INTERVAL, f"at least {low[-1]:.3g}"),
        ],
        Axis("samples", first, last, logarithmic=True),
        Axis("error in guessing the secret", 0, max(0.01, *errors, *high)),
    )
    return curves(
        [panel],
        _LOOKS,
        "What the samples say of the Bayes risk",
        [
            f"Guesses: {method}. Each interval holds with probability {confidence:.4g} by itself, not all together.",
            "Errors that still fall at the right say that more samples would lower the upper end.",
        ],
        f"The interval of the Bayes risk narrows from {low[0]:.3g} to {high[0]:.3g} at {first:,} samples to "
        f"{low[-1]:.3g} to {high[-1]:.3g} at {sizes[-1]:,} samples.",
    )
