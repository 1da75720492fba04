"""Figures 6 and 7: the paper's approximation of the guess, with the exact guess and the correct asymptotes."""

from collections.abc import Sequence

import discretion as dc
from discretion.charts import Axis, Curve, Look, Panel, curves
from discretion.reproduce.item import Reproduction, Row
from discretion.reproduce.shuffle import numbers
from discretion.reproduce.shuffle.crowds import crowd, shuffled
from discretion.reproduce.shuffle.figures import GUESS, PEOPLE, SIZES

_LOOKS: dict[str, Look] = {
    "exact": "solid",
    "paper's form with constant 1": "dotted",
    "first order": "dashed",
    "second order": "circles",
}
_EXACT, _PAPER, _FIRST, _SECOND = _LOOKS

# The paper draws n = 10 to 1000; a constant error shows far beyond.
_LARGE = (2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000)
# Circles on every point would hide the line below them.
_EVERY = 4


def figure_6() -> Reproduction:
    """Return the approximations of the guess through the shuffler alone, k = 3, 4, 5."""
    rows = tuple(_row(k, 1, n) for k in (3, 4, 5) for n in (*SIZES, *_LARGE))
    published = numbers.constants()
    remark = (
        "With constant 1 the paper's form overstates what the guess has over a blind one for good: by "
        + ", ".join(f"{1 / number.ours - 1:.0%} (k = {k})" for number, k in zip(published, (3, 4, 5), strict=True))
        + ". Indistinguishable for k = 4 and 5 it is only to the eye, as both come down to 1/k."
    )
    return Reproduction(
        rows,
        lambda: _chart(rows, "k", "Figure 6: approximations of the guess through the shuffler alone", (0.15, 0.55)),
        published,
        (remark,),
    )


def figure_7() -> Reproduction:
    """Return the approximations of the guess through noise and shuffler, k = 4, p = 1, 0.8, 0.6."""
    rows = tuple(_row(4, p, n) for p in (1, 0.8, 0.6) for n in (*SIZES, *_LARGE))
    remark = "Noise scales the guess and every approximation by one factor: the relative error is the same for all p."
    return Reproduction(
        rows,
        lambda: _chart(
            rows, "p", "Figure 7: approximations of the guess through noise and shuffler, k = 4", (0.2, 0.45)
        ),
        (),
        (remark,),
    )


def _row(k: int, p: float, n: int) -> Row:
    people = crowd(k, p, n)
    forms = {
        _PAPER: dc.shuffling.asymptotic_vulnerability(people, form="paper"),
        _FIRST: dc.shuffling.asymptotic_vulnerability(people, form="first order"),
        _SECOND: dc.shuffling.asymptotic_vulnerability(people, form="second order"),
    }
    exact = shuffled(k, p, n)
    values = {_EXACT: exact} | {form: asymptote.value for form, asymptote in forms.items()}
    off = {f"{form} off by": (asymptote.value - 1 / k) / (exact - 1 / k) - 1 for form, asymptote in forms.items()}
    return {"n": n, "k": k, "p": p} | values | off


def _chart(rows: Sequence[Row], name: str, title: str, reach: tuple[float, float]) -> object:
    above: list[Curve] = []
    below: list[Curve] = []
    for value in dict.fromkeys(row[name] for row in rows):
        here = [row for row in rows if row[name] == value]
        shown = [row for row in here if row["n"] <= SIZES[-1]]
        above += [_curve(shown, kind, kind, f"{name} = {value:g}" if kind == _EXACT else "") for kind in _LOOKS]
        label = f"paper's, k = {value}" if name == "k" else "paper's, the same for all p" if value == 1 else ""
        below += [
            _curve(here, f"{kind} off by", kind, label if kind == _PAPER else "") for kind in (_PAPER, _FIRST, _SECOND)
        ]
    thousand = Axis(PEOPLE, SIZES[0], SIZES[-1], logarithmic=True, ticks=(10, 20, 50, 100, 200, 500, 1000))
    million = Axis(PEOPLE, SIZES[0], _LARGE[-1], logarithmic=True, ticks=tuple(10**power for power in range(1, 7)))
    panels = [
        Panel(above, thousand, Axis(GUESS, *reach)),
        Panel(below, million, Axis("advantage off by", -0.1, 0.3, percent=True), height=220),
    ]
    notes = [
        "Above as in the paper, with the correct asymptotes; below, up to a million people, the relative error of each",
        "approximation in the advantage of the guess over a blind one (1/k).",
    ]
    description = (
        "Lines: approximations of the guess over the crowd, and by which share of the advantage over a blind guess "
        "they are off. The paper's form stays off for good; the first and the second order tend to the exact guess."
    )
    return curves(panels, _LOOKS, title, notes, description)


def _curve(rows: Sequence[Row], column: str, kind: str, label: str) -> Curve:
    step = _EVERY if kind == _SECOND else 1
    return Curve([(row["n"], row[column]) for row in rows[::step]], kind, label)
