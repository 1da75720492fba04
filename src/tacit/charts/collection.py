"""What an adversary guesses when a column is collected from the people instead, with noise and through a shuffler."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from tacit.charts.style import (
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
from tacit.presenting.numbers import at_most, points as points_of

_ALONE, _SHUFFLED = "randomized alone", "shuffled"


def collection_options(report: Row) -> alt.LayerChart:
    """Return, for each ε, the guess of an adversary who knows all other answers, without and with the shuffler.

    Parameters
    ----------
    report
        A mapping with ``column``, ``blind_guess``, ``recommended`` and ``options``, whose mappings have ``epsilon``
        (None: no noise), ``shuffled``, ``all_but_one`` (a number, or the mapping of an `Estimate`) and ``error_share``.

    Returns
    -------
    altair.LayerChart
        A row for each ε, the least noise first; the recommended one in bold.

    Examples
    --------
    >>> option = {"epsilon": 1.0, "shuffled": True, "all_but_one": 0.51, "error_share": 0.02}
    >>> report = {"column": "sex", "blind_guess": 0.5, "options": [option], "recommended": option}
    >>> collection_options(report).to_dict()["description"].partition("blindly. ")[2]
    'ε = 1, shuffled: 51 %.'
    """
    options: Sequence[Row] = report["options"]
    levels = sorted({_noise(option) for option in options})
    rows = [_row(place, level, options, report["recommended"]) for place, level in enumerate(levels)]
    marks = [
        {
            "row": levels.index(_noise(option)),
            "share": _most(option["all_but_one"]),
            "kind": _SHUFFLED if option["shuffled"] else _ALONE,
            "name": rows[levels.index(_noise(option))]["name"],
            "guess": _guess(option["all_but_one"]),
            "cost": points_of(option["error_share"]),
        }
        for option in options
    ]
    x = all_shares("one person's answer guessed by who knows all others")
    drawn = points(inline(marks), x, {_ALONE: ("square", "white"), _SHUFFLED: ("circle", INK)}).encode(
        tooltip=[
            alt.Tooltip("name:N", title="noise"),
            alt.Tooltip("kind:N", title="collected"),
            alt.Tooltip("guess:N", title="guessed"),
            alt.Tooltip("cost:N", title="a share is off by"),
        ],
    )
    blind = report["blind_guess"]
    said = "; ".join(f"{mark['name']}, {mark['kind']}: {mark['guess']}" for mark in marks)
    description = (
        f"Points: how often one person's {report['column']} is guessed by who knows all other answers, "
        f"{label(blind)} blindly. {said}."
    )
    data = inline(rows)
    words = [names(data, strong="datum.best", room=200), numbers(data, strong="datum.best")]
    blind_line = line(blind, f"blind guess {label(blind)}", x)
    return figure([*blind_line, stretches(data, x, "end"), drawn, *words], len(rows), description)


def _noise(option: Row) -> float:
    """Return what orders the options: less ε is more noise, None is none."""
    return float("-inf") if option["epsilon"] is None else -float(option["epsilon"])


def _most(guess: Any) -> float:
    return float(guess["high"] if isinstance(guess, Mapping) else guess)  # pyright: ignore[reportUnknownArgumentType]


def _guess(guess: Any) -> str:
    return at_most(_most(guess), DIGITS) if isinstance(guess, Mapping) else label(guess)


def _row(place: int, level: float, options: Sequence[Row], recommended: Row) -> dict[str, Any]:
    here = [option for option in options if _noise(option) == level]
    guesses = [_most(option["all_but_one"]) for option in here]
    epsilon = here[0]["epsilon"]
    best = epsilon == recommended["epsilon"]
    return {
        "row": place,
        "name": "no noise" if epsilon is None else f"ε = {epsilon:g}",
        "label": ("recommended: " if best else "") + f"off by {points_of(here[0]['error_share'])}",
        "best": best,
        "share": min(guesses),
        "end": max(guesses),
    }
