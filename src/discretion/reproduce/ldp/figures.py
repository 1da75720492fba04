"""Figures 2 and 3: average privacy over the number of values, and its cost in utility.

Only the text of the paper is at hand, not its drawings: the ranges are our choice.
"""

import math
from collections.abc import Iterator, Sequence

from scipy.optimize import brentq

import discretion as dc
from discretion.charts import Axis, Curve, Look, Panel, Protocol, Quantity, curves, percentages, privacy_utility
from discretion.estimate import highest, lowest
from discretion.reproduce.item import Published, Reproduction, Row
from discretion.reproduce.ldp.protocols import PROTOCOLS, SEED, Family

_EPSILON = 2.0
_VALUES = range(2, 51)
_LOOKS: dict[str, Look] = {"GRR": "solid", "basic RAPPOR": "dashed", "OUE": "circles", "BLH": "dotted"}
# Circles on every point would touch.
_CIRCLED = (2, 3, 4, 5, 7, 10, 14, 20, 28, 38, 50)


def figure_2() -> Reproduction:
    """Return the average privacy of the four protocols at ε = 2, for 2 to 50 values."""
    rows = tuple(
        {"a": a, "protocol": name, "S": dc.information.average_privacy(make(a, _EPSILON)),
         "S worst case": dc.information.worst_case_privacy(make(a, _EPSILON))}
        for name, make in PROTOCOLS.items()
        for a in _VALUES
    )  # fmt: skip
    ahead = min(a for a in _VALUES if _most_private(rows, a) == "GRR")
    remarks = (
        f"GRR hides more on average than every unary encoding from a = {ahead} on.",
        "The range of a is our choice.",
    )

    def chart() -> object:
        drawn = [
            Curve(
                [(row["a"], row["S"]) for row in _of(rows, name) if look != "circles" or row["a"] in _CIRCLED],
                name,
                name,
            )
            for name, look in _LOOKS.items()
        ]
        across = Axis("number of values a, logarithmic scale", 2, 50, logarithmic=True, ticks=(2, 5, 10, 20, 50))
        upwards = Axis("average privacy S", 0.5, 1)
        worst = rows[0]["S worst case"]
        note = f"S: the share of a person's information that stays hidden. In the worst case it is {worst:.4f} for all."
        description = (
            "Lines: average privacy over the number of values, at ε = 2. All rise; that of GRR starts lowest and ends "
            "highest."
        )
        title = "Figure 2: average privacy at one worst-case privacy, ε = 2"
        return curves([Panel(drawn, across, upwards)], _LOOKS, title, [note], description)

    return Reproduction(rows, chart, (), remarks)


def _of(rows: Sequence[Row], name: str) -> list[Row]:
    return [row for row in rows if row["protocol"] == name]


def _most_private(rows: Sequence[Row], a: int) -> str:
    return max((row for row in rows if row["a"] == a), key=lambda row: row["S"])["protocol"]


_A = 3
# From here on the curves of (a) can no longer be distinguished.
_CLOSE = 0.7
_BESIDE = "F beside GRR"
# The same for every protocol, so that they can be compared at equal privacy.
_LEVELS = (0.99, 0.97, 0.95, 0.93, 0.92, 0.91, 0.9, 0.85, 0.8, 0.75, 0.7, 0.6, 0.55, 0.5, 0.4, 0.3, 0.2, 0.1, 0.03)


def figure_3() -> Reproduction:
    """Return utility over average and worst-case privacy for a = 3, from ε = 0 to ∞."""
    rows = _beside_grr([row for name, make in PROTOCOLS.items() for row in _tradeoff(name, make)])

    def chart() -> object:
        protocols = [Protocol(name, _of(rows, name)) for name in PROTOCOLS]
        shares = percentages((0, 0.2, 0.4, 0.6, 0.8, 1))
        close, beside = percentages((0.7, 0.8, 0.9, 1)), percentages((0.9, 1, 1.1, 1.2))
        rooted = percentages((0, 0.05, 0.2, 0.4, 0.7, 1))
        ends = (0.0, 1.0)
        panels = [
            (Quantity("S", "(a) average privacy S", "linear", ends, shares),
             Quantity("F", "effective participation F", "linear", ends, shares)),
            (Quantity("S", "(a) again, where average privacy S is high", "linear", (_CLOSE, 1.0), close),
             Quantity(_BESIDE, "F as a share of the F of GRR at the same S", "linear", (0.9, 1.25), beside)),
            (Quantity("S worst case", "(b) worst-case privacy e^(-ε), square-root scale", "root", ends, rooted),
             Quantity("F", "effective participation F, square-root scale", "root", ends, rooted)),
        ]  # fmt: skip
        description = (
            "Curves: effective participation over privacy for a = 3, as ε grows from 0 (right) to ∞ (left). GRR and "
            "basic RAPPOR end at full utility and no privacy; OUE and BLH end at some of both. A panel between the two "
            "shows high average privacy, where GRR has the largest utility: OUE overtakes it at S = 0.91."
        )
        notes = ["F: the value of a report in honest answers. On each curve ε grows from right to left."]
        # Not in the paper: at an average privacy S no protocol has a higher effective participation than 1 - S.
        frontier = Protocol("F = 1 - S: honest, or silent", [{"epsilon": math.inf, "S": S, "F": 1 - S} for S in (1, 0)])
        title = "Figure 3: privacy against utility, a = 3"
        return privacy_utility(panels, protocols, title, notes, description, frontier=frontier)

    return Reproduction(rows, chart, _limits(rows), (*_best(rows), _PRINTED_AS_ONE))


def _tradeoff(name: str, make: Family) -> Iterator[Row]:
    """Yield the protocol with no privacy budget, at each level of average privacy that it has, and without limit."""
    yield _at(name, make, 0)
    for level in _LEVELS:
        if dc.information.average_privacy(make(_A, math.inf)) < level:
            yield _at(name, make, _epsilon_at(make, level))
    yield _at(name, make, math.inf)


def _epsilon_at(make: Family, level: float) -> float:
    def missing(epsilon: float) -> float:
        return dc.information.average_privacy(make(_A, epsilon)) - level

    return brentq(missing, 1e-3, 60)


def _at(name: str, make: Family, epsilon: float) -> Row:
    protocol = make(_A, epsilon)
    worth = dc.information.effective_participation(protocol, rng=SEED)
    return {
        "protocol": name,
        "epsilon": epsilon,
        "S": dc.information.average_privacy(protocol),
        "S worst case": dc.information.worst_case_privacy(protocol),
        "F": float(worth),
        "F low": lowest(worth),
        "F high": highest(worth),
    }


def _beside_grr(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the rows, each with its F as a share of that of GRR at the same average privacy, where that is high."""
    worth = {round(row["S"], 6): row["F"] for row in _of(rows, "GRR") if row["S"] > _CLOSE - 1e-6 and row["F"]}

    def share(row: Row) -> float | None:
        beside = worth.get(round(row["S"], 6))
        return None if beside is None else row["F"] / beside

    return tuple({**row, _BESIDE: share(row)} for row in rows)


def _overtaken() -> float:
    """Return the average privacy at which OUE has the same utility as GRR."""

    def ahead(level: float) -> float:
        oue, grr = (_at(name, PROTOCOLS[name], _epsilon_at(PROTOCOLS[name], level)) for name in ("OUE", "GRR"))
        return oue["F"] - grr["F"]

    return brentq(ahead, 0.9, 0.92, xtol=1e-6)


def _limits(rows: Sequence[Row]) -> tuple[Published, ...]:
    """Return the limits that section 10.4 names."""
    ends = {name: (_of(rows, name)[0], _of(rows, name)[-1]) for name in PROTOCOLS}
    where = "section 10.4"
    named = [
        (name, key, printed, end)
        for name, (start, last) in ends.items()
        for key, printed, end in (
            ("S", "1", start), ("S worst case", "1", start), ("F", "0", start), ("S worst case", "0", last)
        )
    ]  # fmt: skip
    named += [
        (name, key, printed, ends[name][1])
        for name in ("GRR", "basic RAPPOR")
        for key, printed in (("S", "0"), ("F", "1"))
    ]
    return tuple(
        Published.number(where, f"{key} of {name} at ε = {end['epsilon']:g}".replace("inf", "∞"), printed, end[key])
        for name, key, printed, end in named
    )


_PRINTED_AS_ONE = "In section 10.4 OUE and BLH converge as ε → 1; it is ε → ∞."


def _best(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the protocols with the largest utility at equal average privacy, compared with section 10.4."""
    best = {level: max(_near(rows, level), key=lambda row: row["F"]) for level in _LEVELS}
    names = dict.fromkeys(row["protocol"] for row in best.values())
    levels = {name: [level for level, row in best.items() if row["protocol"] == name] for name in names}
    ranges = [f"{name} from S = {max(some):g} to {min(some):g}" for name, some in levels.items()]
    high = {row["protocol"]: row["F"] for row in _near(rows, 0.95)}
    last = {name: _of(rows, name)[-1] for name in ("OUE", "BLH")}
    return (
        f"At equal average privacy the best of the four are {', '.join(ranges)}. In section 10.4 OUE is the best at "
        f"high privacy: not at the highest (S = 0.95: GRR {high['GRR']:.5f}, OUE {high['OUE']:.5f}). OUE overtakes "
        f"GRR at S = {_overtaken():.4f}.",
        "As ε → ∞ "
        + ", ".join(f"{name} ends at S = {row['S']:.4f}, F = {row['F']:.4f}" for name, row in last.items())
        + ".",
    )


def _near(rows: Sequence[Row], level: float) -> list[Row]:
    return [row for row in rows if abs(row["S"] - level) < 1e-9]
