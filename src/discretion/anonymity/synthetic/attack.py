"""An attack on people with a synthetic table, and its excess success on the people of the table's original."""

from dataclasses import dataclass

from discretion.estimate import Estimate
from discretion.numerics.laws.binomial_limits import excess_limits

ASSUMING = "people held out at random"


@dataclass(frozen=True)
class AttackCount:
    """The successes of an attack: ``hits`` in ``attacks`` attempts; for held-out people ``hits`` may be an average."""

    hits: float
    attacks: int

    @property
    def rate(self) -> float:
        """The share of attempts that succeeded."""
        return self.hits / self.attacks


@dataclass(frozen=True)
class SyntheticAttack:
    """An attack with a synthetic table on the people of its original, and on held-out people.

    Parameters
    ----------
    name
        The name of the attack.
    original, control
        Its successes on the people of the original, and on held-out people.
    scale
        The ratio of its success rate on as many held-out people as the original has to that on the given ones; 1 except
        where it is rarer to single out one of few people than one of many.
    naive
        The share of successes on the original without the synthetic records: by chance, or by the commonest value; None
        for an attack without guesses.
    """

    name: str
    original: AttackCount
    control: AttackCount
    scale: float = 1.0
    naive: float | None = None

    @property
    def control_rate(self) -> float:
        """The share of successes if there were as many held-out people as people of the original."""
        return self.scale * self.control.rate

    def risk(self, confidence: float, *, others: bool = True) -> Estimate:
        """Return ``(r − c)/(1 − c)`` with the rate r on the original and c on held-out people; at least -1.

        It is 0 if the attack is equally successful on others, and 1 if it always succeeds because a person is in the
        original. Source: Giomi, Boenisch, Wehmeyer and Tasnádi, A Unified Framework for Quantifying Privacy Risk in
        Synthetic Data, PoPETs 2023, section 4; the interval: see :func:`excess_limits`.

        If some held-out people are in the original (``others`` is False), c is between the rate on other people and r:
        then a risk above 0 is a lower bound, and nothing bounds it from above.
        """
        value, low, high = excess_limits(
            self.original.hits,
            self.original.attacks,
            self.control.hits,
            self.control.attacks,
            self.scale,
            1 - confidence,
        )
        method = "limits of both rates, squared and added"
        if not others:
            low, high = (low, 1.0) if low > 0 else (-1.0, 1.0)
            value = low if low > 0 else high
        elif low <= -1 and high >= 1:  # both rates may be 1
            value = high
        return Estimate(value, low, high, confidence, method, ASSUMING)
