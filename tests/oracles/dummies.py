"""What dummies in counts give away, by adding up all outcomes of small cases in fractions."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from discretion.collection.wire.noise import Noise


def law_of(noise: Noise) -> list[Fraction]:
    """The probabilities of 0, 1, … dummies, by their definition."""
    decay = Fraction(noise.decay, 10_000)
    weights = [decay ** abs(number - noise.most // 2) for number in range(noise.most + 1)]
    return [weight / sum(weights) for weight in weights]


def view_delta(noise: Noise, these: Sequence[int], those: Sequence[int], likelihood: Fraction) -> Fraction:
    """``Σ (P - e^ε Q)₊`` over all counts that may be seen of people who have these or those counts; e^ε is given."""
    law = law_of(noise)

    def chance(seen: Sequence[int], counts: Sequence[int]) -> Fraction:
        result = Fraction(1)
        for number, count in zip(seen, counts, strict=True):
            result *= law[number - count] if 0 <= number - count <= noise.most else 0
        return result

    reach = [range(max(pair) + noise.most + 1) for pair in zip(these, those, strict=True)]
    return sum(
        (max(chance(seen, these) - likelihood * chance(seen, those), Fraction(0)) for seen in product(*reach)),
        Fraction(0),
    )
