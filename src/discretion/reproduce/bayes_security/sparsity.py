"""Figure 5: the distance of a user's own prior from the two bounds, by the number of secrets that it excludes."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

import discretion as dc
from discretion.charts import Axis, Curve, Look, Panel, curves
from discretion.numerics.arrays import Reals
from discretion.reproduce.item import Answer, Published, Reproduction, Row, exact

_SECRETS, _OUTPUTS, _NOISE = 10, 1000, 0.1
_DRAWS = 1000
_SEED = 2023
_RANDOM, _GEOMETRIC = "random", "geometric"


def channels() -> Mapping[str, dc.Channel]:
    """Return the random channel, its rows uniform on all distributions, and the geometric one."""
    rng = np.random.default_rng(_SEED)
    middle = (_OUTPUTS - _SECRETS) // 2
    return {
        _RANDOM: dc.Channel(rng.dirichlet(np.ones(_OUTPUTS), _SECRETS)),
        _GEOMETRIC: geometric(range(middle, middle + _SECRETS)),
    }


def geometric(peaks: Sequence[int]) -> dc.Channel:
    """Return the channel ``P(o | s) ∝ e^(-ν|o - peak(s)|)``."""
    likely = np.exp(-_NOISE * np.abs(np.subtract.outer(np.array(peaks), np.arange(_OUTPUTS))))
    return dc.Channel(likely / likely.sum(axis=1, keepdims=True))


def figure_5() -> Reproduction:
    """Return the distances of L^× from ML^× and of β from β* for a thousand priors, and all even ones, by sparsity."""
    both = channels()
    rows = tuple(row for name, channel in both.items() for row in _distances(name, channel))
    by_columns = float(both[_RANDOM].dense().max(axis=0).sum())
    shift = dc.bayes_security(dc.Geometric(_NOISE * (_SECRETS - 1), sensitivity=_SECRETS - 1))
    published = (
        _formula("ML^× of the random channel", "Σ_o max_s C[s,o]", by_columns,
                 dc.multiplicative_bayes_capacity(both[_RANDOM])),
        _formula("β* of the geometric channel", "1 - TV", shift, dc.bayes_security(both[_GEOMETRIC])),
    )  # fmt: skip
    apart = geometric(range(50, _OUTPUTS, _OUTPUTS // _SECRETS))
    remarks = (
        f"For each sparsity σ, {_DRAWS:,} priors, uniform among all that exclude σ secrets; and all even ones, for "
        "which the secrets left are equally likely.",
        "The rows of the random channel are uniform on all distributions; the peaks of the geometric one are ten "
        f"neighbors in the middle. The paper prints neither. If the peaks were {_OUTPUTS // _SECRETS} apart, β* would "
        f"be 0 to nine digits and β {exact(dc.bayes_security(apart, dc.uniform(_SECRETS))):.4f} under the uniform "
        "prior: not as loose as in section V-E.",
        *_found(rows),
    )
    return Reproduction(rows, lambda: _chart(rows), published, remarks)


def _formula(what: str, printed: str, value: Answer, ours: Answer) -> Published:
    return Published("section V-E", what, printed, exact(value), exact(ours))


_BETA, _L = "β - β*", "ML^× - L^×"
_OF_EVEN = ", even priors"
_QUANTILES = {"5 %": 0.05, "median": 0.5, "95 %": 0.95}


def _distances(name: str, channel: dc.Channel) -> Iterator[Row]:
    least, capacity = exact(dc.bayes_security(channel)), exact(dc.multiplicative_bayes_capacity(channel))
    rng = np.random.default_rng(_SEED)
    for sparsity in range(_SECRETS - 1):
        row: dict[str, str | float] = {"channel": name, "sparsity": sparsity}
        for priors, of in ((_uniform(sparsity, rng), ""), (_even(sparsity), _OF_EVEN)):
            risks = np.array([exact(dc.bayes_risk(channel, prior)) for prior in priors])
            likeliest = priors.max(axis=1)
            # One risk gives both: β = R*/(1 - max π) and L^× = (1 - R*)/max π.
            security, leakage = risks / (1 - likeliest), (1 - risks) / likeliest
            for metric, distances in ((_BETA, np.abs(security - least)), (_L, np.abs(capacity - leakage))):
                row |= {f"{metric}, {at}{of}": float(np.quantile(distances, q)) for at, q in _QUANTILES.items()}
        yield row


def _uniform(sparsity: int, rng: np.random.Generator) -> Reals:
    """Return priors that are uniform among those that exclude this number of secrets."""
    priors = np.zeros((_DRAWS, _SECRETS))
    priors[:, sparsity:] = rng.dirichlet(np.ones(_SECRETS - sparsity), _DRAWS)
    return rng.permuted(priors, axis=1)


def _even(sparsity: int) -> Reals:
    """Return all priors that exclude this number of secrets, and for which the others are equally likely."""
    left = _SECRETS - sparsity
    return np.array([[(s in chosen) / left for s in range(_SECRETS)] for chosen in combinations(range(_SECRETS), left)])


def _found(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the statements of section V-E on the figure, with our numbers."""
    for name in (_RANDOM, _GEOMETRIC):
        first, *_, last = (row for row in rows if row["channel"] == name)
        changes = (
            f"{first[column]:.3f} to {last[column]:.3f} for {column.replace(', median', '')}"
            for column in (f"{metric}, median{of}" for of in ("", _OF_EVEN) for metric in (_BETA, _L))
        )
        yield f"On the {name} channel the medians go, from σ = 0 to {last['sparsity']}, from {', '.join(changes)}."


_SHORT = {_BETA: "β", _L: "L^×"}
# Of each metric: the median, the spread, and even priors.
_DRAWN: Mapping[str, tuple[Look, Look, Look]] = {
    _BETA: ("solid", "dotted", "circles"), _L: ("dashed", "dash-dotted", "squares"),
}  # fmt: skip
_KINDS = ("median", "5 % and 95 %", "median of even priors")
_LOOKS: dict[str, Look] = {
    f"{metric}, {kind}": look for metric, looks in _DRAWN.items() for kind, look in zip(_KINDS, looks, strict=True)
}


def _chart(rows: Sequence[Row]) -> object:
    panels = [_panel([row for row in rows if row["channel"] == name], name) for name in (_RANDOM, _GEOMETRIC)]
    notes = [
        f"The distance of β and L^× of a prior from the worst of all priors: 0 is tight. {_SECRETS} secrets, "
        f"{_OUTPUTS:,} observations.",
        "Even priors: the remaining secrets are equally likely. Compare shapes, not sizes: the scales differ.",
    ]
    description = (
        "Curves: by how much a prior is safer than the worst one, over how many secrets it excludes, for a random and "
        "a geometric channel. That of the leakage grows with sparsity; that of Bayes security falls on the random "
        "channel only, and most where the secrets left are equally likely."
    )
    return curves(panels, _LOOKS, "Figure 5: tightness of the bounds for sparse priors", notes, description)


def _panel(rows: Sequence[Row], name: str) -> Panel:
    def curve(column: str, metric: str, kind: str, label: str) -> Curve:
        points = [(row["sparsity"], row[f"{metric}, {column}"]) for row in rows]
        return Curve(points, f"{metric}, {kind}", f"{_SHORT[metric]}{label}")

    median, spread, even = _KINDS
    drawn = [
        drawn
        for metric in _DRAWN
        for drawn in (
            curve("median", metric, median, ""),
            *(curve(end, metric, spread, f", {end}") for end in ("5 %", "95 %")),
            curve(f"median{_OF_EVEN}", metric, even, ", even"),
        )
    ]
    most = max(row[f"{_L}, 95 %"] for row in rows)
    across = Axis("sparsity σ: number of the ten secrets that the prior excludes", -0.3, _SECRETS - 2,
                  ticks=tuple(range(_SECRETS - 1)))  # fmt: skip
    return Panel(drawn, across, Axis(f"{name} channel: distance", 0, round(most * 1.1, 1)), height=300)
