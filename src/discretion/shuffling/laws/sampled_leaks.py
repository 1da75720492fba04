"""What a sample of crowds is taken of: functions of the weights of the target's values."""

import math
from dataclasses import dataclass

import numpy as np

from discretion.adversaries.gains import Gain, IdentityGain
from discretion.numerics.arrays import Reals
from discretion.numerics.excess import deviance


@dataclass(frozen=True, eq=False)
class GuessLeak:
    """The best guess's gain."""

    prior: Reals
    gain: Gain

    def values(self, weights: Reals, *, whole: bool) -> Reals:
        """Return the function of each row, less the part whose mean is known unless the whole is asked for."""
        return self.gain.best(weights.T)

    def width(self, reach: Reals | None, *, whole: bool) -> float:
        """Return how far the values range within a reach, or on the simplex."""
        if reach is None:
            return self.gain.width
        if isinstance(self.gain, IdentityGain):
            least = max(float((self.prior - reach[:-1]).max()), (1 - float(reach[-1])) / self.prior.size)
            return float((self.prior + reach[:-1]).max()) - least
        return 2 * self.gain.most(reach[:-1])

    def known_mean(self, variances: Reals) -> float:
        """Return the mean of the known part."""
        return 0.0


@dataclass(frozen=True, eq=False)
class InformationLeak:
    """``Σ w_x log(w_x/π_x) - w log w`` of weights with sum w; its known part is that of the chi-square, halved."""

    prior: Reals

    def values(self, weights: Reals, *, whole: bool) -> Reals:
        """Return the function of each row, less the part whose mean is known unless the whole is asked for."""
        possible = self.prior > 0
        means = np.append(self.prior[possible], 1.0)
        weights = np.column_stack([weights[:, possible], weights.sum(axis=1)])
        terms = deviance(weights, means)
        if not whole:
            terms = terms - (weights - means) ** 2 / (2 * means)
        return terms[:, :-1].sum(axis=1) - terms[:, -1]

    def width(self, reach: Reals | None, *, whole: bool) -> float:
        """Return how far the values range within a reach, or on the simplex."""
        possible = self.prior > 0
        if reach is None:
            return -float(np.log(self.prior[possible].min()))
        if whole:  # no more than the sum without what is taken off it, which rises on either side of the prior
            means, far = self.prior[possible], reach[:-1][possible]
            ends = np.maximum(means - far, 0.0), means + far
            return float(np.sum(np.maximum(*(deviance(end, means) for end in ends))))
        means = np.append(self.prior[possible], 1.0)
        far = np.append(reach[:-1][possible], reach[-1])
        if np.any(far >= means):
            return math.inf
        # w log(w/m) - w + m - (w-m)²/2m falls with w: it is highest at the lower end and least at the upper one.
        return float(np.sum(deviance(means - far, means) - deviance(means + far, means)))

    def known_mean(self, variances: Reals) -> float:
        """Return the mean of the known part."""
        possible = self.prior > 0
        return float(np.sum(variances[:-1][possible] / (2 * self.prior[possible]))) - float(variances[-1]) / 2
