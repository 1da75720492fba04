"""An explicit channel as a mechanism with a sampler and an estimator."""

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from discretion.channels.channel import Channel
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.measures.privacy_loss.differential_privacy import ldp_epsilon
from discretion.mechanisms.device import DeviceWork
from discretion.mechanisms.mechanism import Mechanism, RandomSource, Reports
from discretion.mechanisms.wire import Numbers
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.matrices import RANK_TOLERANCE, rank
from discretion.validation import as_indices

_CELLS_AT_ONCE = 1 << 22


class ChannelMechanism(Mechanism):
    """A channel as a mechanism: a value is the number of a row, a report the number of a column.

    Parameters
    ----------
    channel
        A `discretion.Channel` with a row per value.

    Notes
    -----
    Shares are estimated by ``f̂_v = Σ_y N_y G[y, v] / n``, where N counts the reports and ``CG = I``: of all such G,
    the one with the least variance if all values are equally common, ``G = D Cᵀ (C D Cᵀ)⁻¹`` with
    ``D = diag(1 / Σ_x C[x, y])`` (generalized least squares). It exists only if the rank of C is k; the rank is the
    number of singular values above 1e-9 of the largest.

    Samples invert the cumulative sums of a row at a multiple of 2⁻⁵³. So the frequency of a report with a smaller
    probability differs from the channel's.

    Examples
    --------
    >>> import discretion as dc
    >>> mechanism = ChannelMechanism(dc.Channel([[0.5, 0.25, 0.25], [0, 0.25, 0.75]]))
    >>> mechanism.estimate_frequencies([0, 2, 2, 1]).round(12).tolist()
    [0.5, 0.5]
    """

    def __init__(self, channel: Channel) -> None:
        if not isinstance(channel, Channel):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UnsupportedError(
                f"a ChannelMechanism takes a Channel, got {type(channel).__name__}; wrap a matrix with "
                f"discretion.Channel"
            )
        self.k = channel.secrets
        self._channel = channel

    @property
    def epsilon(self) -> float:
        """The least ε for which the channel is ε-locally differentially private."""
        return ldp_epsilon(self._channel)

    def channel(self) -> Channel:
        """Return the channel."""
        return self._channel

    def __repr__(self) -> str:
        return f"ChannelMechanism({self._channel!r})"

    @property
    def _columns(self) -> int:
        return self._channel.shape[1]

    def _row(self, value: int) -> tuple[Integers, Reals]:
        """Return the possible reports of a value, with their probabilities."""
        row = self._channel.storage.rows([value]).dense().ravel()
        possible = np.flatnonzero(row)
        return possible, row[possible] / row.sum()

    @property
    def tallies_per_report(self) -> int:
        """The number of tallies to which a report adds one: 1, its column."""
        return 1

    def _sample(self, values: Integers, source: RandomSource) -> Integers:
        uniform = source.random(values.size)
        reports = np.empty_like(values)
        people = np.argsort(values, kind="stable")
        ends = np.cumsum(np.bincount(values, minlength=self.k))
        for value, senders in enumerate(np.split(people, ends[:-1])):
            if senders.size:
                possible, probabilities = self._row(value)
                below = np.cumsum(probabilities[:-1])
                reports[senders] = possible[np.searchsorted(below, uniform[senders], side="right")]
        return reports

    def _sample_aggregate(self, counts: Integers, rng: np.random.Generator) -> Integers:
        tallies = np.zeros(self._columns, dtype=np.int64)
        for value in np.flatnonzero(counts).tolist():
            possible, probabilities = self._row(value)
            tallies[possible] += rng.multinomial(counts[value], probabilities)
        return tallies

    @property
    def wire(self) -> Numbers:
        """The encoding of reports: the number of the column."""
        return Numbers(self._columns)

    def checked_reports(self, reports: ArrayLike) -> Reports:
        """Return the reports as an array of column numbers, or raise an error."""
        return as_indices(reports, "reports", self._columns)

    def _aggregate(self, reports: Reports) -> Integers:
        return np.bincount(reports, minlength=self._columns)

    def check_informative(self) -> None:
        """Raise if reports do not determine the shares."""
        if self._rank < self.k:
            raise InvalidValueError(
                f"reports of a channel of rank {self._rank} have no information on some differences of the shares of "
                f"its {self.k} values (singular values up to {RANK_TOLERANCE:g} of the largest count as 0); take a "
                f"channel of rank {self.k}"
            )

    @cached_property
    def _rank(self) -> int:
        return rank(self._channel.reduced().dense())

    @cached_property
    def _left_inverse(self) -> Reals:
        matrix = self._channel.dense()
        means = matrix.mean(axis=0)
        # The commonest reports first: then QR keeps the digits of the rare ones too (Cox and Higham 1998).
        possible = np.argsort(-means, kind="stable")[: np.count_nonzero(means)]
        root = np.sqrt(means[possible])
        # By the differences from the first row, which are exact where rows are nearly equal, each to its own scale: the
        # rows themselves would leave few digits. All estimated shares sum to 1, which gives the first one's.
        rows = matrix[:, possible] / root
        rows[1:] = (matrix[1:, possible] - matrix[0, possible]) / root
        scales = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
        orthogonal, triangular = np.linalg.qr((rows / scales).T)
        inverse = np.zeros(matrix.shape)
        inverse[:, possible] = np.linalg.solve(triangular, orthogonal.T) / scales / root
        inverse[0, possible] = 1 - inverse[1:, possible].sum(axis=0)
        return inverse.T

    def _frequencies(self, tallies: Integers, n: int) -> Reals:
        return tallies @ self._left_inverse / n

    def _frequency_limits(self, tallies: Integers, n: int, misses: float) -> tuple[Reals, Reals]:
        # Bernstein: P(f̂ - f >= t) <= exp(-n t² / 2(σ² + b t/3)), at the largest variance and deviation of any value.
        matrix, inverse = self._channel.dense(), self._left_inverse
        variances = matrix @ np.square(inverse)
        np.fill_diagonal(variances, (matrix * np.square(1 - inverse.T)).sum(axis=1))
        possible = matrix.any(axis=0)
        sizes = np.maximum(np.abs(inverse[possible]), np.abs(1 - inverse[possible])).max(axis=0)
        nats = math.log(2 / misses) / n
        linear = sizes * nats / 3
        half = linear + np.sqrt(linear**2 + 2 * variances.max(axis=0) * nats)
        shares = self._frequencies(tallies, n)
        return np.clip(shares - half, 0, 1), np.clip(shares + half, 0, 1)

    @property
    def device_work(self) -> DeviceWork:
        """The work of a report: a uniform number."""
        return DeviceWork(1)

    def device_recipe(self) -> dict[str, Any]:
        """Return the recipe for a device, with the cumulative sums of each row, out of 2⁵³."""
        rows: list[dict[str, list[int]]] = []
        for value in range(self.k):
            possible, probabilities = self._row(value)
            below = np.ceil(np.cumsum(probabilities[:-1]) * 2.0**53).astype(np.int64)
            rows.append({"reports": possible.tolist(), "thresholds": below.tolist()})
        return {
            "rule": "Take the row of the value. Draw a uniform whole number below 2^53 and count the thresholds that "
            "are at most this number. Report the entry of reports at that place, from 0.",
            "coins": {},
            "rows": rows,
        }

    def _frequency_variance(self, n: int, frequencies: Reals) -> Reals:
        if self._rank < self.k:
            return np.full(self.k, math.inf)
        # What a report adds has mean 1 for the own value and 0 for the others, for each of which its square counts.
        own = frequencies[:, None] * self._channel.dense()
        others = np.maximum(own.sum(axis=0) - own, 0.0)
        return (own * np.square(1 - self._left_inverse.T) + others * np.square(self._left_inverse.T)).sum(axis=1) / n

    def likelihood_blocks(self, reports: Reports) -> Iterator[tuple[Reals, Integers]]:
        """Yield the likelihoods of the distinct reports, with their counts."""
        counts = self._aggregate(reports)
        reports_present = np.flatnonzero(counts)
        step = max(1, _CELLS_AT_ONCE // self.k)
        for start in range(0, reports_present.size, step):
            block = reports_present[start : start + step]
            likelihoods = self._channel.storage.columns(block).dense().T
            possible = likelihoods.any(axis=1)
            yield likelihoods[possible], counts[block[possible]]
