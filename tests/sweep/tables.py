"""Tables of people, by counting them; laws of people yet to come, by binomial sums; samples of such."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pyarrow as pa

from oracles import tables as exact
from sweep.draws import Draw
from sweep.question import DIGITS, Call, Question, call, mpmath, part_of

mpf = mpmath.mpf


class Columns(dict[str, list[str]]):
    """A table that reads as one would type it."""

    def __repr__(self) -> str:
        return f"pa.table({dict(self)!r})"

    def answer(self) -> Any:
        return pa.table(dict(self))


def questions(draw: Draw) -> Iterator[Question]:
    return _of_a_table(draw) if draw.chance(0.4) else _of_a_law(draw)


def _of_a_table(draw: Draw) -> Iterator[Question]:
    people, width = draw.size(1, 40), draw.whole(1, 3)
    drawn = [draw.rng.choices("abcd", draw.distribution(4), k=people) for _ in range(width)]
    numbers = [str(draw.whole(0, 3)) for _ in range(people)]
    names = [f"q{j}" for j in range(width)]
    table = call("Population", Columns(zip([*names, "secret"], [*drawn, numbers], strict=True)))
    seen = list(zip(*drawn, strict=True))
    k, threshold = draw.size(1, people), Fraction(draw.whole(0, 40), 40)
    below = exact.exposure_below(seen, k)
    marginals = [Counter(column) for column in drawn]
    known = {"columns": names}

    def question(asked: Call, truth: Any) -> Question:
        return Question(asked, lambda: _real(truth))

    yield question(call("exposure", table, k=k, **known), below)
    yield question(call("exposure", table, threshold=str(threshold), **known), exact.exposure_at(seen, threshold))
    yield question(call("anonymity.k_anonymity", table, names), min(Counter(seen).values()))
    yield question(part_of("posterior", "anonymity.reidentification", table, names), Fraction(len(set(seen)), people))
    yield question(part_of("posterior", "anonymity.inference", table, names, "secret"), exact.inference(seen, numbers))
    held: dict[Any, list[str]] = {}
    for person, number in zip(seen, numbers, strict=True):
        held.setdefault(person, []).append(number)
    yield question(call("anonymity.l_diversity", table, names, "secret"), min(len(set(of)) for of in held.values()))
    yield question(
        call("anonymity.t_closeness", table, names, "secret"), max(_variation(of, numbers) for of in held.values())
    )
    for bound in ("exposure_bound", "anonymity.theorem_bound", "anonymity.entropy_exposure_bound"):
        yield question(call(bound, table, k=k, **known), below)
    counts = call("Marginals", {name: dict(marginal) for name, marginal in zip(names, marginals, strict=True)})
    for bound in ("exposure_bound", "anonymity.theorem_bound"):
        yield question(call(bound, counts, k=k), below)
    independent = _exposed_if_independent(marginals, people, k)
    if draw.chance(0.5):
        yield question(call("anonymity.exposure_if_independent", table, k=k, **known), independent)


def _exposed_if_independent(marginals: list[Any], people: int, k: int) -> Any:
    """A column's shares multiply: whoever's product is less than k in all."""
    shares = [Fraction(1)]
    for marginal in marginals:
        shares = [share * Fraction(count, people) for share in shares for count in marginal.values()]
    return sum((share for share in shares if share < Fraction(k, people)), Fraction(0))


def _variation(some: list[str], everybody: list[str]) -> Fraction:
    shares = [Counter(some), Counter(everybody)]
    sizes = [len(some), len(everybody)]
    apart = (abs(Fraction(shares[0][v], sizes[0]) - Fraction(shares[1][v], sizes[1])) for v in shares[1])
    return sum(apart, Fraction(0)) / 2


def _of_a_law(draw: Draw) -> Iterator[Question]:
    law, n = draw.distribution(draw.whole(1, 6)), draw.size(1, 10**9)
    radius = draw.scale(1e-6, 0.5)
    with mpmath.workdps(DIGITS):
        # As they are: over a thousand million people what they miss 1 by would show.
        shares = [mpf(share) for share in law]
        moved = _moved(shares, radius)
    k = draw.either(1, 2, draw.size(1, n), max(1, round(n * draw.either(*law) * draw.between(0.9, 1.1))))
    exposed = _statistical_exposure(shares, n, k)
    if exposed is None:
        return
    yield Question(call("anonymity.statistical_exposure", law, n, k), lambda: exposed)
    yield Question(call("anonymity.statistical_exposure_bounds", law, radius, n, k), lambda: exposed)
    if (shifted := _statistical_exposure(moved, n, k)) is not None:
        yield Question(call("anonymity.statistical_exposure_bounds", law, radius, n, k), lambda: shifted)
    sample = Counter(draw.rng.choices(range(len(law)), law, k=draw.size(10, 300)))
    sizes = Counter(sample.values())
    classes = Sizes(sorted(sizes), [sizes[size] for size in sorted(sizes)])
    threshold = draw.scale(0.005, 0.5)
    if min(abs(share - mpf(threshold)) for share in shares) > 1e-9:
        rare = mpmath.fsum(share for share in shares if share < threshold)
        yield Question(call("anonymity.sampled_exposure", classes, threshold), lambda: rare)
    yield Question(call("anonymity.future_exposure", classes, n, k), lambda: exposed)
    counts = call("Marginals", {"a": dict(sample)})
    yield Question(call("anonymity.future_exposure_bound", counts, n, k), lambda: exposed)
    with mpmath.workdps(DIGITS):
        bits = mpmath.fsum(-share * mpmath.log(share, 2) for share in shares if share)
    yield Question(call("anonymity.sampled_entropy", classes, domain=len(law)), lambda: bits)


class Sizes:
    """Class sizes, which are no public name."""

    def __init__(self, sizes: list[int], counts: list[int]) -> None:
        self.sizes, self.counts = sizes, counts

    def __repr__(self) -> str:
        return f"discretion.anonymity.ClassSizes({self.sizes}, {self.counts})"

    def answer(self) -> Any:
        from discretion.anonymity import ClassSizes

        return ClassSizes(self.sizes, self.counts)


def _moved(shares: list[Any], radius: float) -> list[Any]:
    """Another law, at most the radius away: from the largest share to the least one."""
    moved = sorted(shares)
    step = min(mpf(radius) / 2, moved[-1])
    return [moved[0] + step, *moved[1:-1], moved[-1] - step] if len(moved) > 1 else moved


def _statistical_exposure(shares: list[Any], n: int, k: int) -> Any:
    """``Σ p P(Bin(n-1, p) <= k-2)``, each tail term by term from its largest; None where there are too many."""
    if any(n * share > 10**6 for share in shares):
        return None
    with mpmath.workdps(DIGITS):
        return mpmath.fsum(share * _tail(n - 1, k - 2, share) for share in shares)


def _tail(n: int, most: int, p: Any) -> Any:
    if most < 0 or (p == 1 and most < n):
        return mpf(0)
    if most >= n or not p:
        return mpf(1)
    if most <= n * p:
        return _falling(n, most, -1, p)
    return 1 - _falling(n, most + 1, 1, p)


def _falling(n: int, start: int, step: int, p: Any) -> Any:
    """The sum of the binomial's masses from one on, towards where they fall."""
    orders = mpmath.loggamma(n + 1) - mpmath.loggamma(start + 1) - mpmath.loggamma(n - start + 1)
    mass = mpmath.exp(orders + start * mpmath.log(p) + (n - start) * mpmath.log1p(-p))
    total, at = mass, start
    while 0 <= at + step <= n and mass > total * mpf("1e-20"):
        ratio = mpf(at) / (n - at + 1) * (1 - p) / p if step < 0 else mpf(n - at) / (at + 1) * p / (1 - p)
        mass, at = mass * ratio, at + step
        total += mass
    return total


def _real(number: Any) -> Any:
    exact_number = Fraction(number)
    return mpf(exact_number.numerator) / exact_number.denominator
