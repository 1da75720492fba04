"""Figure 3: two estimates of the exposure of future people, from samples."""

import numpy as np

import discretion as dc
from discretion.numerics.arrays import Reals
from discretion.reproduce.charts.estimated import estimated_exposure
from discretion.reproduce.item import Reproduction, Row

PEOPLE, RUNS = 128, 1000
# The paper does not print its p.
LAW = (0.4, 0.3, 0.2, 0.1)
_SEED = 2022
# From there on nearly everybody is exposed in every sample.
_DRAWN = 88

_PLUG_IN, _STATISTICAL = "exposure", "statistical exposure"
_HALF = 0.5


def figure_3() -> Reproduction:
    """Return the mean and the standard deviation of both plug-in estimates over k, of 1000 samples of 128 users."""
    simulated = dc.anonymity.simulated_estimates(LAW, PEOPLE, RUNS, rng=_SEED)
    estimates = {_PLUG_IN: simulated.exposure, _STATISTICAL: simulated.statistical_exposure}
    columns: dict[str, Reals] = {"truth": simulated.truth}
    for name, runs in estimates.items():
        columns |= {
            f"{name}, mean": runs.mean(axis=0),
            f"{name}, deviation": runs.std(axis=0),
            f"{name}, error": np.sqrt(((runs - simulated.truth) ** 2).mean(axis=0)),
        }
    rows = tuple(
        {"k": k + 1, "k/n": (k + 1) / PEOPLE} | {name: float(values[k]) for name, values in columns.items()}
        for k in range(PEOPLE)
    )
    return Reproduction(rows, lambda: _chart(rows), (), _remarks(columns))


def _remarks(columns: dict[str, Reals]) -> tuple[str, ...]:
    plug_in, statistical = (columns[f"{name}, deviation"] for name in (_PLUG_IN, _STATISTICAL))
    above, truth = statistical - plug_in, columns["truth"]
    few, many = (truth[(above > 0) & side] for side in (truth < _HALF, truth > _HALF))
    off = {name: float(np.abs(columns[f"{name}, mean"] - truth).max()) for name in (_PLUG_IN, _STATISTICAL)}
    errors = {name: float(columns[f"{name}, error"].mean()) for name in (_PLUG_IN, _STATISTICAL)}
    return (
        f"The paper does not print p; we take ({', '.join(f'{share:g}' for share in LAW)}).",
        f"The statistical exposure has the smaller standard deviation, on average over k {statistical.mean():.4f} "
        f"against {plug_in.mean():.4f} and at most {statistical.max():.4f} against {plug_in.max():.4f}, but not "
        f"everywhere: it is smaller for {(above < 0).sum()} of the {PEOPLE} k, and larger, by up to {above.max():.4f}, "
        f"for {(above > 0).sum()}: those at which {100 * few.max():.2g} % or less, or {100 * many.min():.3g} % or "
        "more, are exposed.",
        f"The exposure of a sample has the truth for its mean (within {off[_PLUG_IN]:.4f} here), as Definition 7 is "
        f"that mean; the statistical exposure of a sample does not, and is off by up to {off[_STATISTICAL]:.4f}. Its "
        f"root mean square error is smaller still: on average {errors[_STATISTICAL]:.4f} against "
        f"{errors[_PLUG_IN]:.4f}.",
    )


def _chart(rows: tuple[Row, ...]) -> object:
    notes = [
        f"{RUNS:,} samples of {PEOPLE} users from p = ({', '.join(f'{share:g}' for share in LAW)}), our choice. Above, "
        "mean ± standard deviation of the",
        "exposure of a sample and of its statistical exposure, and the true exposure; below, the deviations.",
    ]
    description = (
        "Bands over k of two estimates of exposure, one standard deviation about the mean. The statistical exposure's "
        "is the narrower one around the four steps, where that of the plain exposure is widest."
    )
    title = "Figure 3: the statistical exposure has the smaller deviation"
    return estimated_exposure(rows[:_DRAWN], [_PLUG_IN, _STATISTICAL], title, notes, description)
