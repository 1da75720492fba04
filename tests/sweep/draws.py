"""What the sweep asks about: log-uniform over all that is allowed, and the ends and edges themselves."""

import math
import random
from typing import Any

EPSILONS = (0.0, 1e-12, 1e-7, 30.0, 700.0, 709.0, 710.0, 744.0, 745.0, 746.0, 1000.0)
DELTAS = (0.0, 1e-300, 1e-20, 1e-16, 0.5, 1.0)
ORDERS = (0.5, 1.0, 2.0, math.inf, 1 - 1e-8, 1 + 1e-8, 1e-8, 1e8)


class Draw:
    """A seeded source of parameters."""

    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)

    def either(self, *choices: Any) -> Any:
        return self.rng.choice(choices)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def between(self, low: float, high: float) -> float:
        return self.rng.uniform(low, high)

    def whole(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)

    def scale(self, low: float, high: float) -> float:
        """Log-uniform."""
        return 10 ** self.between(math.log10(low), math.log10(high))

    def size(self, low: int, high: int) -> int:
        """A whole number, log-uniform, or one of the ends."""
        return self.either(low, high) if self.chance(0.2) else round(self.scale(low, high))

    def epsilon(self) -> float:
        return self._mostly(EPSILONS, self.scale(1e-8, 1e3), self.between(0.01, 6))

    def delta(self) -> float:
        return self._mostly(DELTAS, self.scale(1e-300, 1), self.scale(1e-14, 1))

    def order(self) -> float:
        return self._mostly(ORDERS, self.scale(1e-8, 1e8), self.between(0.1, 10))

    def alphas(self, k: int, least: float = 1e-8, most: float = 1e8) -> list[float]:
        """Parameters of a Dirichlet law: all alike, or not."""
        if self.chance(0.3):
            return [self.either(0.5, 1.0, least, most, self.scale(least, most))] * k
        return [self.either(self.scale(least, most), self.scale(0.1, 10)) for _ in range(k)]

    def distribution(self, k: int) -> list[float]:
        """A point, a skewed law, or one that is not."""
        if self.chance(0.15):
            certain = self.whole(0, k - 1)
            return [float(x == certain) for x in range(k)]
        weights = [self.scale(self.either(1e-12, 0.1), 1) for _ in range(k)]
        return [weight / math.fsum(weights) for weight in weights]

    def gain(self, k: int) -> list[list[float]]:
        return [[round(self.between(-1, 2), 3) for _ in range(k)] for _ in range(self.whole(1, 4))]

    def counts(self, total: int, k: int) -> list[int]:
        """So many people over k values: all alike, or anyhow."""
        if self.chance(0.3):
            held = self.whole(0, k - 1)
            return [total * (x == held) for x in range(k)]
        cuts = sorted(self.whole(0, total) for _ in range(k - 1))
        return [after - before for before, after in zip([0, *cuts], [*cuts, total], strict=True)]

    def _mostly(self, edges: tuple[float, ...], wide: float, usual: float) -> float:
        return self.either(*edges) if self.chance(0.3) else self.either(wide, usual)
