"""The likeliest shares of a population given its reports, by the iterative Bayesian update."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discretion.errors import InvalidValueError, UnsupportedError
from discretion.mechanisms.mechanism import Mechanism
from discretion.numerics.arrays import Integers, Reals
from discretion.validation import as_count, as_real

_CELLS_KEPT = 1 << 24

Block = tuple[Reals, Integers]


@dataclass(frozen=True, eq=False)
class LikeliestFrequencies:
    """Shares with a certified bound on the difference between their likelihood and the highest one.

    Attributes
    ----------
    frequencies : numpy.ndarray
        Shape ``(k,)``, in [0, 1], summing to 1.
    gap : float
        An upper bound, in nats, on the highest mean log-likelihood of a report minus that of these shares.
    steps : int
        The number of passes over the reports.
    """

    frequencies: Reals
    gap: float
    steps: int

    def __repr__(self) -> str:
        return f"LikeliestFrequencies({self.frequencies.size:,} values, gap={self.gap:.2g}, steps={self.steps:,})"


def iterative_bayesian_update(
    mechanism: Mechanism,
    reports: ArrayLike,
    tolerance: float = 1e-8,
    most_steps: int = 10_000,
    progress: Callable[[str], None] | None = None,
) -> LikeliestFrequencies:
    """Return the shares under which the reports are likeliest, with a certified bound on their distance from it.

    ``argmax_p mean_i log Σ_x p_x C[x, y_i]`` by ``p_x ← p_x · mean_i C[x, y_i] / Σ_z p_z C[z, y_i]``

    Parameters
    ----------
    mechanism
        Any local mechanism.
    reports
        The result of its `sample` for n people, n at least 1.
    tolerance
        Stop when the mean log-likelihood is certified to be at most this far below its maximum, in nats, at least 0.
    most_steps
        Stop after this many passes over the reports in any case, at least 1; ``gap`` has the certified bound.
    progress
        A function that is called with a line about the current step.

    Returns
    -------
    LikeliestFrequencies
        ``.frequencies``, ``.gap`` (at most the tolerance, unless the steps ran out) and ``.steps``.

    Raises
    ------
    UnsupportedError
        If the mechanism is not a local one.
    InvalidValueError
        If the tolerance is below 0.

    Notes
    -----
    The update is expectation maximization, which never lowers the likelihood; it starts from equal shares. After every
    two updates it extrapolates their trend as long as that raises the likelihood, which often saves 99 of 100 steps
    (Varadhan and Roland, Simple and globally convergent methods for accelerating the convergence of any EM algorithm,
    Scandinavian Journal of Statistics 35, 2008). The certificate: the mean log-likelihood is concave, and its slope
    towards a value x is ``D_x = mean_i C[x, y_i] / Σ_z p_z C[z, y_i] - 1``, so that it is at most ``max_x D_x`` below
    its maximum. Sources: Agrawal and Aggarwal, On the design and quantification of privacy preserving data mining
    algorithms, PODS 2001; ElSalamouny and Palamidessi, Generalized iterative Bayesian update and applications to
    mechanisms for privacy protection, EuroS&P 2020.

    Examples
    --------
    >>> import discretion as dc
    >>> found = iterative_bayesian_update(dc.RandomizedResponse(3, p=0.8), [0, 0, 0, 0, 0, 0, 1, 1, 1, 2])
    >>> found.frequencies.round(4).tolist(), found.gap <= 1e-8
    ([0.7143, 0.2857, 0.0], True)
    """
    if not isinstance(mechanism, Mechanism):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UnsupportedError(f"the iterative Bayesian update needs a local mechanism, got {mechanism!r:.60}")
    tolerance, most_steps = as_real(tolerance, "tolerance"), as_count(most_steps, "most_steps", at_least=1)
    if tolerance < 0:
        raise InvalidValueError(f"tolerance must be at least 0, got {tolerance!r}")
    checked = mechanism.informative_reports(reports)
    blocks = _blocks(mechanism, checked)
    climb = _climb(lambda shares: _point(shares, blocks(), len(checked)), mechanism.k)
    steps, point = 1, next(climb)
    while point.gap > tolerance and steps < most_steps:
        if progress is not None:
            progress(f"step {steps:,}: at most {point.gap:.1e} nats a report from the likeliest shares")
        steps, point = steps + 1, next(climb)
    point.shares.setflags(write=False)
    return LikeliestFrequencies(point.shares, point.gap, steps)


class _Point(NamedTuple):
    """Shares, with the mean log-likelihood of a report there, up to a constant, and its slope to each value."""

    shares: Reals
    height: float
    slope: Reals

    @property
    def gap(self) -> float:
        return max(0.0, float(self.slope.max()) - 1)

    def updated(self) -> Reals:
        return _to_one(self.shares * self.slope)


def _point(shares: Reals, blocks: Iterable[Block], n: int) -> _Point:
    height, slope, reports = 0.0, np.zeros(shares.size), 0
    for likelihoods, counts in blocks:
        evidence = likelihoods @ shares
        if not evidence.all():
            raise InvalidValueError("reports must be possible under the mechanism, got one of probability 0")
        height += float(counts @ np.log(evidence))
        slope += (counts / evidence) @ likelihoods
        reports += int(counts.sum())
    # Reports that are equally likely from every value are left out of the blocks: their part of the mean is 1.
    return _Point(shares, height / n, (slope + (n - reports)) / n)


def _climb(point_at: Callable[[Reals], _Point], k: int) -> Iterator[_Point]:
    """Yield the point after each pass over the reports, with ever higher likelihoods."""
    first = point_at(np.full(k, 1 / k))
    yield first
    while True:
        second = point_at(first.updated())
        yield second
        for shares in _further(first.shares, second.shares, second.updated()):
            ahead = point_at(shares)
            first = max(ahead, second, key=lambda point: point.height)
            yield first
            if first is ahead:
                break


def _further(first: Reals, second: Reals, third: Reals) -> Iterator[Reals]:
    """Yield points ahead on the curve through three successive ones, ever nearer, and then the third."""
    step, bend = second - first, third - second - (second - first)
    size = float(np.linalg.norm(bend))
    reach = float(np.linalg.norm(step)) / size if size > 0 else 1.0
    while reach > 1.1:
        shares = first + 2 * reach * step + reach**2 * bend
        if np.all(shares >= third / 1024):  # no further towards 0, where only rounding would differ
            yield _to_one(shares)
        reach = (reach + 1) / 2
    yield third


def _to_one(shares: Reals) -> Reals:
    return shares / shares.sum()


def _blocks(mechanism: Mechanism, reports: NDArray[np.integer[Any]]) -> Callable[[], Iterable[Block]]:
    """Return a function that yields the reports' likelihoods, held in memory where they are small."""
    blocks: list[Block] = []
    for block in mechanism.likelihood_blocks(reports):
        blocks.append(block)
        if sum(likelihoods.size for likelihoods, _ in blocks) > _CELLS_KEPT:
            return lambda: mechanism.likelihood_blocks(reports)
    return lambda: blocks
