"""Table II: the ranges of three metrics, and the meaning of their numbers for an adversary's guess."""

import math
from collections.abc import Iterator, Mapping

import numpy as np

import discretion as dc
from discretion.reproduce.charts.cells import channel_cells
from discretion.reproduce.item import Published, Reproduction, Row, exact

_VALUES = 4
_NOTHING, _EVERYTHING = "says nothing", "says all"
System = dc.Channel | dc.RandomizedResponse | dc.Laplace | dc.Gaussian

SYSTEMS: Mapping[str, System] = {
    _NOTHING: dc.Channel(np.ones((_VALUES, 1))),
    "4-RR, ε = 1": dc.RandomizedResponse(_VALUES, epsilon=1),
    "100-RR, ε = 5": dc.RandomizedResponse(100, epsilon=5),
    "Laplace noise, λ = Δ": dc.Laplace(scale=1),
    "Gaussian noise, σ = Δ": dc.Gaussian(sigma=1),
    "parity of 4 values": dc.Channel(np.eye(2)[[0, 1, 0, 1]]),
    _EVERYTHING: dc.Channel(np.eye(_VALUES)),
}
_EPSILON, _CAPACITY, _SECURITY = "ε", "ML^×", "β*"


def table_2() -> Reproduction:
    """Return ε, ML^× and β* of some mechanisms, and the probability of a correct guess in each metric's sense."""
    rows = tuple(_row(name, system) for name, system in SYSTEMS.items())

    def chart() -> object:
        notes = (
            "Above, the metric; below and shaded, the probability that its adversary guesses correctly if secrets are",
            "equally likely: ε, one of two at the worst observation; ML^×, one of all; β*, one of the two leakiest.",
        )
        drawn = channel_cells([cell for row in rows for cell in _cells(row)], "Table II: three metrics", notes)
        words = "; ".join(
            f"{row['mechanism']}: ε {row[_EPSILON]:.4g}, ML^× {row[_CAPACITY]:.4g}, β* {row[_SECURITY]:.4g}"
            for row in rows
        )
        return drawn.properties(description=f"Cells: three security metrics by mechanism. {words}.")

    ranges = tuple(_ranges({row["mechanism"]: row for row in rows}))
    return Reproduction(rows, chart, (*ranges, *_meanings()), _REMARKS)


_REMARKS = (
    "For Laplace and Gaussian noise the secrets are the two values that are furthest apart.",
    "Section II has L^× in [0, n]; it is never under 1, in agreement with Table II.",
)


def _row(name: str, system: System) -> Row:
    epsilon, capacity, security = (
        exact(measure(system)) for measure in (dc.ldp_epsilon, dc.multiplicative_bayes_capacity, dc.bayes_security)
    )
    return {
        "mechanism": name,
        "secrets": system.secrets,
        _EPSILON: epsilon,
        _CAPACITY: capacity,
        _SECURITY: security,
        f"right by {_EPSILON}": 1 / (1 + math.exp(-epsilon)),
        f"right by {_CAPACITY}": capacity / system.secrets,
        f"right by {_SECURITY}": exact(dc.security.success_probability(security)),
    }


def _cells(row: Row) -> Iterator[Row]:
    for metric in (_EPSILON, _CAPACITY, _SECURITY):
        number = row[metric]
        printed = "∞" if math.isinf(number) else f"{number:.4g}"
        yield {"row": row["mechanism"], "column": metric, "ours": row[f"right by {metric}"], "printed": printed,
               "remark": ""}  # fmt: skip


def _ranges(rows: Mapping[str, Row]) -> Iterator[Published]:
    """Yield the limits of the ranges: those of a channel that reveals nothing and of one that reveals everything."""
    where = "Table II"
    nothing, everything = rows[_NOTHING], rows[_EVERYTHING]
    yield Published.number(where, "range of LDP from", "0", nothing[_EPSILON])
    yield Published.number(where, "range of LDP: e^-ε down to", "0", math.exp(-everything[_EPSILON]))
    yield Published.number(where, "range of ML^× from", "1", nothing[_CAPACITY])
    yield Published(where, f"range of ML^× to, n = {_VALUES}", "n", _VALUES, everything[_CAPACITY])
    yield Published.number(where, "range of β* from", "0", everything[_SECURITY])
    yield Published.number(where, "range of β* to", "1", nothing[_SECURITY])


def _meanings() -> Iterator[Published]:
    """Yield the stated meanings of the numbers, with the probability of the guess itself."""
    for name, system in SYSTEMS.items():
        guess = exact(dc.posterior_vulnerability(system))
        blind = 1 / system.secrets
        capacity = exact(dc.multiplicative_bayes_capacity(system))
        on_two = 1 - exact(dc.bayes_security(system)) / 2
        yield Published("Table II", f"{name}: times likelier to guess correctly", "ML^×", capacity, guess / blind)
        yield Published("Table II", f"{name}: right on the two leakiest", "1 - β*/2", on_two, _on_leakiest(system))
        if system.secrets > 2 and not math.isclose(on_two, guess, rel_tol=1e-9):
            yield Published("Table II", f"{name}: right on the secret", "1 - β*/2", on_two, guess, slip=_ON_TWO)


_ON_TWO = "it is the probability of a correct guess of the two leakiest secrets, equally likely, not of all of them"


def _on_leakiest(system: System) -> float:
    if system.secrets == 2:
        return exact(dc.posterior_vulnerability(system))
    return exact(dc.posterior_vulnerability(dc.restricted(system, dc.leakiest_pair(system))))
