"""The chart of ``tacit compare --chart``, from the points of its curves."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit.charts import Quantity

Point = Mapping[str, Any]

_TITLE = "Privacy against utility"
_BEST = "the most that any mechanism is worth"
_WORTH = "effective_participation"


def rendered(
    curves: Mapping[str, Sequence[Point]], best: Sequence[Point] | str, users: int | None, suffix: str
) -> str | bytes:
    """Return the contents of the chart's file in the format of that name."""
    from tacit import charts  # noqa: PLC0415 - Altair takes half a second

    found = _chart(curves, best, users)
    match suffix:
        case "svg":
            return charts.to_svg(found)
        case "png":
            return charts.to_png(found)
        case "pdf":
            return charts.to_pdf(found)
        case _:
            return charts.to_html(found, _TITLE)


def _chart(curves: Mapping[str, Sequence[Point]], best: Sequence[Point] | str, users: int | None) -> Any:
    from tacit.charts import Protocol, privacy_utility  # noqa: PLC0415

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
            "Full marks: as given. Further right: more private.",
        ]
        if levels
        else []
    )
    if worthless:
        notes.append(f"Without the worth of a report, which takes too long: {', '.join(worthless)}.")
    if isinstance(best, str):
        notes.append(f"Without the most that any mechanism is worth: {best}.")
        band = None
    else:
        # It is the most at an ε, not at an average privacy, where another ε may be worth more.
        band = Protocol(
            _BEST, [{key: p[key] for key in ("epsilon", "worst_case_privacy", _WORTH)} for p in map(_plain, best)]
        )
    said = "; ".join(_said(name, points) for name, points in curves.items())
    description = f"Curves of what a report is worth over what is kept private, as ε varies. As given, {said}."
    return privacy_utility(panels, protocols, _TITLE, notes, description, best=band)


def _panels(users: int | None) -> list[tuple["Quantity", "Quantity"]]:
    from tacit.charts import Quantity, percentages  # noqa: PLC0415

    # The round ones first, as labels that would touch are left out from the end.
    shares = (0, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.5, 0.95, 0.995, 0.9995, 0.8, 0.98, 0.998)
    hidden = Quantity(
        "average_privacy", "share of a person's information hidden on average", "towards one", marks=percentages(shares)
    )
    surely = Quantity(
        "worst_case_privacy", "share of it hidden in the worst case, e^(-ε)", "root", (0, 1),
        {1: ("100 %", "ε = 0")} | {math.exp(-e): (f"{100 * math.exp(-e):.2g} %", f"ε = {e:g}") for e in (0.5, 1, 2, 4)},
    )  # fmt: skip
    steps = (step * 10.0**power for step in (1, 5, 2) for power in range(-9, 1))
    worth = Quantity(_WORTH, "worth of a report, in honest answers", "logarithmic", marks=percentages(steps))
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
        "average_privacy": "hidden on average {:.3g}",
        _WORTH: "worth {:.3g}",
        "people": "off by {:.3g} people",
    }
    return f"{name}: " + ", ".join(form.format(given[key]) for key, form in forms.items() if key in given)
