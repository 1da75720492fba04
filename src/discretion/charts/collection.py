"""An adversary's guesses if a column is collected from the people instead, with noise and through a shuffler."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from discretion.charts.style import (
    DIGITS,
    INK,
    Row,
    all_shares,
    figure,
    inline,
    label,
    line,
    names,
    numbers,
    points,
    stretches,
)
from discretion.presenting.numbers import at_most, points as points_of

_ALONE, _SHUFFLED = "their report alone", "shuffled"


def collection_options(report: Row) -> alt.LayerChart:
    """Draw, for each ε, the guess from one report alone, and from all reports, shuffled, with all other answers known.

    Parameters
    ----------
    report
        A mapping with ``column``, ``recommended`` and ``options``. An option has ``epsilon``, ``best``, a mapping with
        ``error_share``, and ``shares``, the guesses of an adversary that knows how common each answer is: ``blind``,
        ``report`` and ``knows_all`` (a number, or the mapping of an `Estimate`).

    Returns
    -------
    altair.LayerChart
        A row for each ε, the most noise first; the recommended one in bold.

    Examples
    --------
    >>> guesses = {"blind": 0.5, "report": 0.73, "knows_all": 0.51}
    >>> option = {"epsilon": 1.0, "best": {"error_share": 0.02}, "shares": guesses}
    >>> report = {"column": "sex", "options": [option], "recommended": option}
    >>> collection_options(report).to_dict()["description"].partition("blindly. ")[2]
    'ε = 1, their report alone: 73 %; ε = 1, shuffled: 51 %.'
    """
    options: Sequence[Row] = sorted(report["options"], key=lambda option: option["epsilon"])
    rows = [_row(place, option, report["recommended"]) for place, option in enumerate(options)]
    marks = [
        {
            "row": row["row"],
            "share": _most(option["shares"][seen]),
            "kind": kind,
            "name": row["name"],
            "guess": _guess(option["shares"][seen]),
            "cost": points_of(option["best"]["error_share"]),
        }
        for row, option in zip(rows, options, strict=True)
        for kind, seen in ((_ALONE, "report"), (_SHUFFLED, "knows_all"))
    ]
    x = all_shares("correct guesses of one person's answer, knowing how common each is")
    drawn = points(inline(marks), x, {_ALONE: ("square", "white"), _SHUFFLED: ("circle", INK)}).encode(
        tooltip=[
            alt.Tooltip("name:N", title="noise"),
            alt.Tooltip("kind:N", title="seen"),
            alt.Tooltip("guess:N", title="guessed"),
            alt.Tooltip("cost:N", title="a share is off by"),
        ],
    )
    blind = report["recommended"]["shares"]["blind"]
    said = "; ".join(f"{mark['name']}, {mark['kind']}: {mark['guess']}" for mark in marks)
    description = (
        f"Points: how often one person's {report['column']} is guessed correctly from their report alone, or from all "
        f"reports, shuffled, with all other answers known; {label(blind)} blindly. {said}."
    )
    data = inline(rows)
    words = [names(data, strong="datum.best", room=200), numbers(data, strong="datum.best")]
    blind_line = line(blind, f"blind guess {label(blind)}", x)
    return figure([*blind_line, stretches(data, x, "end"), drawn, *words], len(rows), description)


def _most(guess: Any) -> float:
    return float(guess["high"] if isinstance(guess, Mapping) else guess)  # pyright: ignore[reportUnknownArgumentType]


def _guess(guess: Any) -> str:
    return at_most(_most(guess), DIGITS) if isinstance(guess, Mapping) else label(guess)


def _row(place: int, option: Row, recommended: Row) -> dict[str, Any]:
    guesses = [_most(option["shares"][seen]) for seen in ("report", "knows_all")]
    best = option["epsilon"] == recommended["epsilon"]
    return {
        "row": place,
        "name": f"ε = {option['epsilon']:g}",
        "label": ("recommended: " if best else "") + f"off by {points_of(option['best']['error_share'])}",
        "best": best,
        "share": min(guesses),
        "end": max(guesses),
    }
