"""Table 10.2: the costs of the paper's formulas, and the measured times of our algorithms for the same numbers."""

import math
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

import discretion as dc
from discretion import information
from discretion.reproduce.charts.cells import channel_cells
from discretion.reproduce.item import Published, Reproduction, Row
from discretion.reproduce.ldp.protocols import SEED

_A, _N, _EPSILON = 3, 10, 2.0
_GENERAL, _GRR, _UE = "general, b = a", "GRR, b = a", "UE, b = 2^a"

System = dc.Channel | dc.RandomizedResponse | dc.UnaryEncoding

# Created again for each measurement, so that nothing is cached from an earlier one.
_SYSTEMS: Mapping[str, Callable[[], System]] = {
    _GENERAL: lambda: dc.Channel([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.15, 0.25, 0.6]]),
    _GRR: lambda: dc.RandomizedResponse(_A, epsilon=_EPSILON),
    _UE: lambda: dc.UnaryEncoding.oue(_A, _EPSILON),
}


class Cost(NamedTuple):
    """The cost of a metric as printed, and the number of terms of its formula for ten users, if the paper has one."""

    printed: str
    terms: int | None = None


def tuples(cells: int, n: int = _N) -> int:
    """Return the number of ways in which n users fall into cells, a polynomial of degree cells - 1 in n."""
    return math.comb(n + cells - 1, cells - 1)


def encoding_cells(a: int) -> int:
    """Return the number of cells in Proposition D.13: each report's users, by the terms of the sum over k and m."""
    return 2**a + a * 2 ** (a - 1)


def posterior_terms(counts: list[int], a: int) -> int:
    """Return the number of ways in which the users of each report fall on the values."""
    return math.prod(tuples(a, count) for count in counts)


_B = 2**_A
_SUMMED = {
    _GENERAL: Cost("‹O(n^(b-1)), a›", tuples(_A)),
    _GRR: Cost("‹O(n^(2a-1)), 0› + ‹1, 1›", tuples(2 * _A)),
    _UE: Cost("‹O(n^(1+(a+1)2^(a-1))), 0› + ‹O(1), 1›", tuples(encoding_cells(_A))),
}
_TABLE: Mapping[str, Mapping[str, Cost]] = {
    "U distr": _SUMMED,
    "U tally": {
        _GENERAL: Cost("‹O(n^(a-1)), a› + ‹O(n^(ab-1)), 0›", tuples(_A * _A)),
        _GRR: Cost("as in general", tuples(_A * _A)),
        _UE: Cost("as in general", tuples(_A * _B)),
    },
    "S": {_GENERAL: Cost("‹O(1), a›"), _GRR: Cost("‹O(1), 1›"), _UE: Cost("‹O(1), 1›")},
    "U digit": _SUMMED,
    "U as": {
        _GENERAL: Cost("hard", math.factorial(_A - 1) * _A ** (_A - 1)),
        _GRR: Cost("easy", 1),
        _UE: Cost("as in general", math.factorial(_A - 1) * _B ** (_A - 1)),
    },
    "posterior": {
        _GENERAL: Cost("‹O(n^(b(a-1))), 0›", posterior_terms([4, 3, 3], _A)),
        _GRR: Cost("‹O(n^a), 0›", math.prod(count + 1 for count in (4, 3, 3))),
        _UE: Cost("as in general", posterior_terms([2, 2, 1, 1, 1, 1, 1, 1], _A)),
    },
}


def table_10_2() -> Reproduction:
    """Return each cost as printed, its number of terms for ten users, and the seconds of our algorithm here."""
    rows = tuple(_row(metric, protocol, cost) for metric, costs in _TABLE.items() for protocol, cost in costs.items())
    remarks = (
        f"a = {_A} values, n = {_N} users, ε = {_EPSILON:g}, Jeffreys' prior; UE is OUE. The seconds are those of one "
        "run on this computer. They differ from run to run; nothing else does.",
        "‹x, y› are x integrals over y dimensions; with y = 0 they are x terms of a sum.",
    )
    return Reproduction(rows, lambda: _chart(rows), _exponents(), remarks)


def _row(metric: str, protocol: str, cost: Cost) -> Row:
    seconds, method = _measured(metric, _SYSTEMS[protocol])
    return {
        "metric": metric,
        "protocol": protocol,
        "cost in the paper": cost.printed,
        "terms of the paper": cost.terms,
        "ours": method,
        "seconds measured here": seconds,
    }


def _measured(metric: str, make: Callable[[], System]) -> tuple[float, str]:
    """Return the seconds that a metric takes and the name of its algorithm, after a first run for loading."""
    _COMPUTED[metric](make())
    system = make()
    start = time.perf_counter()
    method = _COMPUTED[metric](system)
    return time.perf_counter() - start, method


def _computed(plan: Any) -> str:
    plan.compute()
    return str(plan.method.name)


def _posterior(system: System) -> str:
    reports = system.channel().shape[1]
    counts = np.bincount(np.arange(_N) % reports, minlength=reports)
    posterior = dc.frequency_posterior(system, counts, rng=SEED)
    posterior.marginal(0).interval()
    return posterior.method


# Each computes the metric, and returns the name of the algorithm.
_COMPUTED: Mapping[str, Callable[[System], str]] = {
    "U distr": lambda system: _computed(information.distribution_utility.plan(system, _N, rng=SEED)),
    "U tally": lambda system: _computed(information.tally_utility.plan(system, _N, rng=SEED)),
    "S": lambda system: _computed(information.average_privacy.plan(system)),
    "U digit": lambda system: _computed(information.digit_utility.plan(system, _N, rng=SEED)),
    "U as": lambda system: _computed(information.asymptotic_utility.plan(system, rng=SEED)),
    "posterior": _posterior,
}


def _exponents() -> tuple[Published, ...]:
    """Return the exponents of n as printed, and as counted."""
    where = "Table 10.2"
    counted = (
        (where, "U distr, general", "b-1", _A - 1, _A - 1, ""),
        (where, "U distr, GRR", "2a-1", 2 * _A - 1, 2 * _A - 1, ""),
        (where, "U tally, general", "ab-1", _A * _A - 1, _A * _A - 1, ""),
        (where, "posterior, general", "b(a-1)", _A * (_A - 1), _A * (_A - 1), ""),
        (where, "U distr, UE, a = 2", "1+(a+1)2^(a-1)", 7, encoding_cells(2) - 1, ""),
        (where, "U distr, UE", "1+(a+1)2^(a-1)", 17, encoding_cells(_A) - 1, _MORE),
        ("Corollary D.11", "U distr, GRR", "a(a-1)", _A * (_A - 1), 2 * _A - 1, _FEWER),
    )
    return tuple(
        Published(place, f"exponent of n, {what}", printed, float(value), float(ours), slip=slip)
        for place, what, printed, value, ours, slip in counted
    )


_MORE = (
    "the sum of Proposition D.13 has C(n+d, d) terms with d = (a+2)2^(a-1) - 1, which is more from a = 3 on, in "
    "Corollary D.14 too"
)
_FEWER = "the sum of Proposition D.10 has C(n+d, d) terms with d = 2a-1, as Table 10.2 has it"


def _chart(rows: tuple[Row, ...]) -> object:
    cells = [
        {"row": row["metric"], "column": row["protocol"], "printed": row["cost in the paper"],
         "ours": row["seconds measured here"], "remark": "1+(a+1)" in row["cost in the paper"]}
        for row in rows
    ]  # fmt: skip
    notes = (
        "Above, the cost in the paper: ‹x, y› are x integrals over y dimensions. Below, the seconds measured here, by",
        f"which cells are shaded; a = {_A}, n = {_N}, ε = {_EPSILON:g}. In a heavy frame, the exponent is too low.",
    )
    words = "; ".join(f"{cell['row']}, {cell['column']}: {cell['ours']:.4f}" for cell in cells)
    drawing = channel_cells(cells, "Table 10.2: the costs of the metrics, measured here", notes)
    return drawing.properties(description=f"Cells: seconds measured, by metric and protocol. {words}.")
