"""Example 3.2 with formula (4.3), and Remark 7.9: a protocol without noise, and a mixture that beats its parts."""

from collections.abc import Sequence

import numpy as np
from scipy.special import psi

import discretion as dc
from discretion.charts import Axis, Curve, Look, Panel, curves
from discretion.estimate import highest, lowest
from discretion.reproduce.item import Published, Reproduction
from discretion.reproduce.ldp.protocols import SEED

_LOOKS: dict[str, Look] = {"formula (4.3)": "solid", "ours": "circles"}


def parity(k: int) -> dc.Channel:
    """Return the protocol of Example 3.2, which reports whether a value among 2k is odd."""
    return dc.Channel(np.tile(np.eye(2), (k, 1)))


def example_3_2() -> Reproduction:
    """Return the average privacy of x mod 2 on 2k values, k = 1 to 6, with formula (4.3)."""
    published = tuple(
        Published("eq. (4.3)", f"S of x mod 2, k = {k}", "(ψ((k+2)/2) - ψ(3/2))/(ψ(k+1) - ψ(3/2))", _formula(k),
                  dc.information.average_privacy(parity(k)))
        for k in range(1, 7)
    )  # fmt: skip
    worst = Published.number(
        "Remark 5.5", "S in the worst case, x mod 2", "0", dc.information.worst_case_privacy(parity(3))
    )
    rows = tuple(
        {"k": k, "values": 2 * k, "formula (4.3)": number.value, "ours": number.ours, "difference": number.difference}
        for k, number in enumerate(published, start=1)
    )

    def chart() -> object:
        drawn = [Curve([(row["values"], row[kind]) for row in rows], kind) for kind in _LOOKS]
        panel = Panel(
            drawn, Axis("values 2k", 2, 12, ticks=(2, 4, 6, 8, 10, 12)), Axis("average privacy S", 0, 1), height=260
        )
        description = "Average privacy of reporting whether a value is odd, over the number of values: it rises from 0."
        note = "There is no noise, so that in the worst case nothing is hidden; on average much is."
        return curves([panel], _LOOKS, "Example 3.2: reporting only whether a value is odd", [note], description)

    return Reproduction(rows, chart, (*published, worst))


def _formula(k: int) -> float:
    return float((psi((k + 2) / 2) - psi(3 / 2)) / (psi(k + 1) - psi(3 / 2)))


_FIRST = np.array([[3, 0, 0], [0, 2, 1], [0, 1, 2]]) / 3
_SECOND = np.array([[2, 1, 0], [1, 2, 0], [0, 0, 3]]) / 3
_UNIFORM = dc.Dirichlet([1, 1, 1])
_WEIGHTS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)


def mixture(weight: float) -> dc.Channel:
    """Return the mixture of Q¹ and Q², the latter with this weight; the report contains the choice."""
    return dc.Channel(np.hstack([(1 - weight) * _FIRST, weight * _SECOND]))


def remark_7_9() -> Reproduction:
    """Return the asymptotic utility of two protocols and of all their mixtures."""
    rows = tuple(_mixture(weight) for weight in (*_WEIGHTS, *(1 - weight for weight in reversed(_WEIGHTS[:-1]))))
    spread = max(row["S"] for row in rows) - min(row["S"] for row in rows)
    remark = f"All mixtures hide the same on average, {rows[0]['S']:.6f}, to {spread:.1g} (eq. 7.11)."
    return Reproduction(rows, lambda: _chart(rows), mixed(), (remark,))


def mixed() -> tuple[Published, ...]:
    """Return the numbers of Remark 7.9."""
    return tuple(
        Published.number("Remark 7.9", f"U of {name}", printed, _mixture(weight)["U"])
        for name, printed, weight in (("Q¹", "-0.987", 0), ("Q²", "-0.987", 1), ("half of each", "-0.691", 0.5))
    )


def _mixture(weight: float) -> dict[str, float]:
    channel = mixture(weight)
    utility = dc.information.asymptotic_utility(channel, _UNIFORM, rng=SEED)
    return {
        "weight of Q²": weight,
        "U": float(utility),
        "U low": lowest(utility),
        "U high": highest(utility),
        "S": dc.information.average_privacy(channel, _UNIFORM),
    }


_KINDS: dict[str, Look] = {"the mixture": "solid", "the average of its parts (eq. 7.12)": "dotted"}


def _chart(rows: Sequence[dict[str, float]]) -> object:
    mixed, average = _KINDS
    ends = rows[0]["U"], rows[-1]["U"]
    drawn = [
        Curve([(row["weight of Q²"], row["U"]) for row in rows], mixed),
        Curve([(0, ends[0]), (1, ends[1])], average),
    ]
    across = Axis("weight of Q²", 0, 1, percent=True, ticks=(0, 0.25, 0.5, 0.75, 1))
    panel = Panel(drawn, across, Axis("asymptotic utility U", -1, -0.65), height=260)
    description = "The asymptotic utility of mixtures of two protocols lies above that of both, most at half each."
    note = "If people draw one of two protocols and report their choice, reports have more information than by either."
    return curves([panel], _KINDS, "Remark 7.9: a mixture beats both of its parts", [note], description)
