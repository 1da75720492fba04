"""An attack on people by a synthetic table, and how much better it does on those that the table was made from."""

from dataclasses import dataclass

from discretion.estimate import Estimate
from discretion.numerics.laws.binomial_limits import excess_limits

ASSUMING = "people held out at random"


@dataclass(frozen=True)
class AttackCount:
    """How often an attack succeeded: ``hits`` of so many ``attacks``; on held-out people perhaps on average."""

    hits: float
    attacks: int

    @property
    def rate(self) -> float:
        """The share that succeeded."""
        return self.hits / self.attacks


@dataclass(frozen=True)
class SyntheticAttack:
    """An attack by a synthetic table on the people it was made from, and on others.

    Parameters
    ----------
    name
        Which attack it is.
    original, control
        How often it succeeded on the people of the original, and on those held out.
    scale
        How often it would succeed on as many held-out people as the original has, to how often it did on these; 1 but
        where one of a few is singled out more rarely than one of many.
    naive
        The share of successes on the original without looking at its people: by chance, or by the commonest value; None
        for what nobody guesses.
    """

    name: str
    original: AttackCount
    control: AttackCount
    scale: float = 1.0
    naive: float | None = None

    @property
    def control_rate(self) -> float:
        """The share of successes if the held-out people were as many as the original's."""
        return self.scale * self.control.rate

    def risk(self, confidence: float, *, others: bool = True) -> Estimate:
        """Return ``(r − c)/(1 − c)``, r being the rate on the original and c that on held-out people; at least -1.

        It is 0 where others are told as much of, 1 where the attack is always right because a person is in the
        original. Source: Giomi, Boenisch, Wehmeyer and Tasnádi, A Unified Framework for Quantifying Privacy Risk in
        Synthetic Data, PoPETs 2023, section 4; the interval: see :func:`excess_limits`.

        Where some of those held out are the original's, not all ``others``, c is between the rate on others and r: a
        risk above 0 is at least as high as it looks, and nothing bounds it from above.
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
