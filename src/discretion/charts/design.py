"""The error of a count over the best guess of an answer, a curve for each protocol as its ε varies."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np

from discretion.charts.privacy_utility import Protocol, Quantity, percentages, privacy_utility


def design(points: Mapping[str, Sequence[Mapping[str, Any]]], adversary: str) -> alt.VConcatChart:
    """Draw curves of the standard error of a count over the best guess of an answer.

    Parameters
    ----------
    points
        For each protocol, its points in the order of ε, each with ``epsilon``, the best ``guess``, the standard error
        in ``people``, and ``given``, whether it has the recommended ε.
    adversary
        The adversary of the guess, in words.

    Returns
    -------
    altair.VConcatChart
        Of fixed width.

    Examples
    --------
    >>> point = {"epsilon": 5.6, "guess": 0.0933, "people": 18.6, "given": True}
    >>> design({"krr": [point]}, "the worst adversary").to_dict()["description"]
    'Curves of the error of a count over the best guess. At its own ε, krr: guess 0.0933, error 18.6.'
    """
    protocols = [Protocol(name, [dict(point) for point in some]) for name, some in points.items()]
    guesses = [float(point["guess"]) for some in points.values() for point in some]
    marks = percentages(float(f"{guess:.3g}") for guess in np.linspace(min(guesses), max(guesses), 5)[[0, 4, 2, 1, 3]])
    across = Quantity("guess", "upper bound on correct best guesses of an answer", marks=marks)
    upwards = Quantity("people", "standard error of a count, in people", "logarithmic")
    own = "; ".join(
        f"{name}: guess {point['guess']:.3g}, error {point['people']:.3g}"
        for name, some in points.items()
        for point in some
        if point["given"]
    )
    notes = [f"Guess: {adversary}.", "Full marks: the ε of the design. Further down and to the left is better."]
    description = f"Curves of the error of a count over the best guess. At its own ε, {own}."
    return privacy_utility([(across, upwards)], protocols, "Accuracy against privacy", notes, description)
