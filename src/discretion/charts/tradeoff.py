"""The privacy of mechanisms and the utility of their reports, as ε varies."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from discretion.charts.privacy_utility import Protocol, Quantity, percentages, privacy_utility
from discretion.presenting.numbers import percent

Point = Mapping[str, Any]

_BEST = "the largest utility of any mechanism"
_FRONTIER = "the most at each average privacy, F = 1 - S"
_PRIVACY = "average_privacy"
_WORTH = "effective_participation"


def tradeoff(
    curves: Mapping[str, Sequence[Point]], best: Sequence[Point] | str, users: int | None, title: str
) -> alt.VConcatChart:
    """Draw curves of the utility of a report over privacy.

    Parameters
    ----------
    curves
        For each mechanism, its points in the order of ε, each with ``epsilon``, ``worst_case_privacy``, ``given``, and
        those of ``average_privacy``, ``effective_participation`` and ``frequency_error`` that are known.
    best
        The same for the best mechanism at each ε, or the reason why it is not known.
    users
        The number of people of the error, or None if no point has one.
    title
        The title of the whole figure.

    Returns
    -------
    altair.VConcatChart
        Of fixed width.

    Examples
    --------
    >>> point = {"epsilon": 1.0, "worst_case_privacy": 0.37, "effective_participation": 0.16, "given": True}
    >>> chart = tradeoff({"krr:k=3,epsilon=1": [point]}, "there is one point", None, "Privacy against utility")
    >>> chart.to_dict()["description"].partition("At the given ε, ")[2]
    'krr:k=3,epsilon=1: utility 0.16.'
    """
    protocols = [Protocol(name, [_plain(point) for point in points]) for name, points in curves.items()]
    worthless = [p.name for p in protocols if all(_WORTH not in point for point in p.points)]
    panels = [
        (across, upwards)
        for across, upwards in _panels(users)
        if any(upwards.key in point for protocol in protocols for point in protocol.points)
    ]
    levels = [point["epsilon"] for points in curves.values() for point in points if 0 < point["epsilon"] < math.inf]
    notes = (
        [
            f"Curves: ε from {min(levels):g} to {max(levels):g}.",
            "Full marks: the given ε. Further to the right is more private.",
        ]
        if levels
        else []
    )
    if worthless:
        notes.append(f"Without the utility of a report, which takes too long to compute: {', '.join(worthless)}.")
    if isinstance(best, str):
        notes.append(f"Without the largest utility of any mechanism: {best}.")
        band = None
    else:
        # It is the largest at an ε, not at an average privacy, where another ε may have more utility.
        band = Protocol(
            _BEST, [{key: p[key] for key in ("epsilon", "worst_case_privacy", _WORTH)} for p in map(_plain, best)]
        )
    # Under Jeffreys' prior it is proved: see `discretion.information.design.frontier`.
    hidden = [p[_PRIVACY] for protocol in protocols for p in protocol.points if _PRIVACY in p and p[_PRIVACY] < 1]
    ends = (max(hidden), min(hidden)) if hidden else ()
    frontier = Protocol(_FRONTIER, [{"epsilon": math.inf, _PRIVACY: share, _WORTH: 1 - share} for share in ends])
    words = "; ".join(_said(name, points) for name, points in curves.items())
    description = f"Curves of the utility of a report over privacy, as ε varies. At the given ε, {words}."
    return privacy_utility(
        panels, protocols, title, notes, description, best=band, frontier=frontier if hidden else None
    )


def _panels(users: int | None) -> list[tuple[Quantity, Quantity]]:
    # The round ones first, as labels that would touch are left out from the end.
    shares = (0, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.5, 0.95, 0.995, 0.9995, 0.8, 0.98, 0.998)
    hidden = Quantity(
        _PRIVACY, "share of a person's information hidden on average", "towards one", marks=percentages(shares)
    )
    surely = Quantity(
        "worst_case_privacy", "share of it hidden in the worst case, e^(-ε)", "root", (0, 1),
        {1: ("100 %", "ε = 0")} | {math.exp(-e): (percent(math.exp(-e), 2), f"ε = {e:g}") for e in (0.5, 1, 2, 4)},
    )  # fmt: skip
    steps = (step * 10.0**power for step in (1, 5, 2) for power in range(-9, 1))
    worth = Quantity(_WORTH, "utility of a report, in honest answers", "logarithmic", marks=percentages(steps))
    off = Quantity("people", f"standard error of a count of {users or 0:,}, in people", "logarithmic")
    return [(hidden, worth), (surely, worth), (surely, off)]


def _plain(point: Point) -> dict[str, Any]:
    """Return the point with every number as a float, the error of a count in people among them."""
    numbers = {key: float(value) for key, value in point.items() if key not in ("frequency_error", "given")}
    error = {"people": point["frequency_error"]["people"]} if "frequency_error" in point else {}
    return numbers | error | {"given": point.get("given", False)}


def _said(name: str, points: Sequence[Point]) -> str:
    (given,) = (_plain(point) for point in points if point["given"])
    forms = {
        _PRIVACY: "hidden on average {:.3g}",
        _WORTH: "utility {:.3g}",
        "people": "off by {:.3g} people",
    }
    return f"{name}: " + ", ".join(form.format(given[key]) for key, form in forms.items() if key in given)
