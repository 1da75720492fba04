"""The histogram of draws, each of which is its group's own outcome or a draw from a common law, at any size.

Each of the N_v draws of group v, with own outcome v, is that outcome with probability g, else a draw from the common
law u; further draws are always from u. Given the number of draws from u, they are multinomial; as ``b! = ∫ e^-t t^b
dt``,

    P(h) = ∫_0^∞ Π_v P(Binomial(N_v, g) + Poisson(t u_v) = h_v) dt,

for any number of outcomes: one integral, of a smooth bump, over a product of laws of a single count each. The
probability that a certain draw from u is y is ``u_y P(h - e_y) / P(h)``, with P above for the other draws.
"""

import math

import numpy as np

from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.laws.binomial import binomial_window, poisson_pmf

# The step, in standard deviations of the bump or of log t, and how far the integral goes.
_STEP, _LOG_STEP, _FAR, _LEAST = 0.6, 0.2, 9.0, 40.0
_WINDOW = 12.0
# What the transform rounds off, beside the largest probability.
_ROUNDED = 1e-16


class BlanketedHistograms:
    """Draws per group, each its own outcome with probability g and else from a law u, and further draws from u."""

    def __init__(self, counts: Integers, more: int, own: float, not_own: float, common: Reals) -> None:
        self.counts, self.more, self.own, self.not_own, self.common = counts, more, own, not_own, common
        hidden = more + float(counts.sum()) * not_own
        spread = counts * own * not_own
        deviation = 1 / math.sqrt(float(np.sum(common**2 / (spread + hidden * common))))
        far = _FAR * math.sqrt(hidden + float(spread.sum())) + _FAR**2
        low, high = max(hidden - far, hidden * math.exp(-_LEAST)), hidden + far
        step = min(_LOG_STEP, _STEP * deviation / hidden)
        logs = np.arange(math.log(low), math.log(high) + step, step)
        self._times: Reals = np.exp(logs)
        self._tables = [self._table(v) for v in range(counts.size)]

    @property
    def nodes(self) -> int:
        """The number of values of t in the sum for the integral."""
        return self._times.size

    @property
    def fewest_hidden(self) -> int:
        """A lower bound of the number of draws from u, except with a probability below e^-50."""
        known = int(self.counts.sum())
        first, law = binomial_window(known, self.own, self.not_own)
        return self.more + known - (first + law.size - 1)

    def draw(self, rng: np.random.Generator, size: int, last: Integers | None = None) -> Integers:
        """Return ``size`` histograms, one a row; with ``last``, these groups' draws replace the last draw from u."""
        own = rng.binomial(self.counts, self.own, size=(size, self.counts.size))
        if last is not None:
            own[np.arange(size), last] += rng.random(size) < self.own
        return own + rng.multinomial(self.more + self.counts.sum() - own.sum(axis=1), self.common)

    def hidden_shares(self, histograms: Integers) -> Reals:
        """Return the probability of each outcome for a draw that is from u, given the histogram; one row each."""
        size, m = histograms.shape
        logs = np.zeros((size, self._times.size))
        fewer = np.empty((m, size, self._times.size))
        for y in range(m):
            first, table = self._tables[y]
            place = histograms[:, y] - first
            logs_of_counts = table[np.clip(place, 0, len(table) - 1)]
            logs += logs_of_counts
            fewer[y] = table[np.clip(place - 1, 0, len(table) - 1)] - logs_of_counts
        weights = np.exp(logs - logs.max(axis=1, keepdims=True)) * self._times
        shares = self.common * np.einsum("st,yst->sy", weights, np.exp(fewer))
        return shares / shares.sum(axis=1, keepdims=True)

    def _table(self, v: int) -> tuple[int, Reals]:
        """Return the first count of v in a window, and the logarithms of its law: a row per count, a column per t."""
        count = int(self.counts[v])
        rates: Reals = np.asarray(self._times * float(self.common[v]), dtype=np.float64)
        start, own = binomial_window(count, self.own, self.not_own)
        least, most = float(rates[0]), float(rates[-1])
        spread = _WINDOW * math.sqrt(most) + _WINDOW**2
        first, last = max(0, math.floor(least - spread)), math.ceil(most + spread)
        places = np.arange(first, last + 1)
        hidden = np.stack([poisson_pmf(places, rate) for rate in rates.tolist()])
        length = int(own.size + places.size - 1)
        padded = 1 << (length - 1).bit_length()
        both = np.fft.irfft(np.fft.rfft(own, padded) * np.fft.rfft(hidden, padded), padded)[:, :length].T
        logs = np.log(np.maximum(both, _ROUNDED * both.max(axis=0)))
        # A count below 0, or out of the window, is as good as impossible.
        edge = np.full((1, rates.size), -700.0)
        return start + first - 1, np.vstack([edge, logs])


def table_cells(counts: Integers, more: int, own: float, not_own: float) -> float:
    """Return approximately the number of cells in the tables of `BlanketedHistograms`."""
    variance = float(counts.max()) * own * not_own + more + float(counts.sum()) * not_own
    return counts.size * (2 * _FAR / _STEP) * (2 * _WINDOW * math.sqrt(variance) + _WINDOW**2)
