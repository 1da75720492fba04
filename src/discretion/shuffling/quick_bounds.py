"""Quick certified upper bounds of a crowd's leakage for any other users, from few sums.

They use the privacy blanket alone, with some slack; the measures take longer, and are exact or closer.
"""

import math
from functools import cached_property

import numpy as np

from discretion.adversaries.priors import prior_vector
from discretion.channels.channel import System
from discretion.estimate import Estimate, highest, in_doubles
from discretion.measures.guesses.vulnerability import Prior, posterior_vulnerability
from discretion.measures.privacy_loss.differential_privacy import ldp_epsilon, normal_epsilon, ratio_of
from discretion.shuffling.laws.blanket import Blanket
from discretion.shuffling.laws.groups import Group, blanket_probability, is_symmetric, report_types

METHOD = "certified upper bound by the privacy blanket"

_SLACK, _STEP, _NEAR, _NOTHING = 0.05, 1.25, 1.05, 1e-9


class HiddenTarget:
    """A target among n people whose reports are shuffled, for every adversary and every knowledge of the other users.

    Parameters
    ----------
    mechanism
        A local mechanism.
    n
        The number of people who report, including the target.

    Examples
    --------
    >>> import discretion as dc
    >>> target = HiddenTarget(dc.SubsetSelection(91, epsilon=1), 10_000)
    >>> round(target.guess().high, 4), round(target.epsilon(1e-5).high, 3)
    (0.0116, 0.024)
    """

    def __init__(self, mechanism: System, n: int) -> None:
        self._mechanism, self._n = mechanism, n
        self._blanket = Blanket(mechanism, n, _SLACK)

    def guess(self, prior: Prior = None) -> Estimate:
        """Return an upper bound of the best guess of the target's value under a prior; None is the uniform prior.

        It is the least of three bounds, where π₁ and π₂ are the two largest prior probabilities: the best guess from
        the target's report alone; ``π₁ + (1 - π₁) δ(π₁/π₂)``, where δ is the excess of pairs, since the best guess is
        another value only if it has become likelier than the first; and ``π₁ + √(χ² Σ_x π_x² / (n γ))``, from the
        variation of the values' likelihoods about those of n γ reports of the blanket (Cauchy and Schwarz).
        """
        law = prior_vector(prior, self._mechanism.secrets)
        second, first = np.sort(law)[-2:].tolist()
        epsilon = math.log(first / second) if second else math.inf
        distance = min(1.0, self._excess(min(epsilon, self._negligible)))
        alone = highest(in_doubles(posterior_vulnerability(self._mechanism, prior)))
        spread = first + math.sqrt(float(law @ law)) * self._deviation
        return _upper_bound(min(first + (1 - first) * distance, spread, alone), at_least=first)

    def epsilon(self, delta: float) -> Estimate:
        """Return a certified ε of (ε, δ)-differential privacy, against an adversary that knows all other values."""
        if self._excess(0.0) <= delta:
            return _upper_bound(0.0)
        most = ldp_epsilon(self._mechanism)
        # In a few digits, so that the last ones do not depend on whose special functions guess.
        low, high = 0.0, min(most, float(f"{normal_epsilon(self._excess(0.0), delta):.3g}"))
        while high < most and self._excess(high) > delta:
            low, high = high, min(most, _STEP * high)
        low = max(low, high / _STEP)
        while low and self._excess(low) <= delta:
            low, high = low / _STEP, low
        while high > _NEAR * low:
            middle = (low + high) / 2
            low, high = (middle, high) if self._excess(middle) > delta else (low, middle)
        return _upper_bound(high)

    @cached_property
    def _negligible(self) -> float:
        """An ε that pairs hardly exceed: beyond it the excess takes long to compute, and is not needed."""
        return normal_epsilon(self._excess(0.0), _NOTHING)

    @cached_property
    def _deviation(self) -> float:
        """The largest relative deviation of a value's likelihood from the blanket's, as a root mean square.

        Among B others in the blanket, B ~ Bin(n-1, γ), the target is one of B + 1, and the mean of 1/(B+1) is at most
        1/(n γ).
        """
        probability = blanket_probability(self._mechanism)
        if not probability or not is_symmetric(self._mechanism):
            return math.inf
        likely, blanket = report_types(self._mechanism, (Group(1, blanket=True),), (0,))
        if blanket.min() == 0:
            return math.inf
        distance = float(((likely - blanket) ** 2 / blanket).sum())
        return math.sqrt(distance / (self._n * probability))

    def _excess(self, epsilon: float) -> float:
        return self._blanket.largest_excess(ratio_of(epsilon))


def _upper_bound(bound: float, at_least: float = 0.0) -> Estimate:
    return Estimate(bound, min(at_least, bound), bound, None, METHOD)
