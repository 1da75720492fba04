"""Section 7.3 and Proposition 13: the number of unique users that a small entropy allows."""

import math
from collections.abc import Sequence
from itertools import pairwise

import discretion as dc
from discretion.charts import Axis, Curve, Look, Panel, curves
from discretion.reproduce.anonymity.tables import people_in
from discretion.reproduce.item import Published, Reproduction, Row

PEOPLE, BITS = 2**16, 8
_ALIKE = tuple(2**power for power in range(8))


def proposition_13() -> Reproduction:
    """Return the bound on exposure by an entropy of 8 bits, tables that nearly attain it, and a uniform table."""
    rows = tuple(_row(alike) for alike in _ALIKE)
    most = _most_rare(1)
    remarks = (
        f"The example has up to 1/e nats more than its B: {rows[0]['example, bits']:g} bits at "
        f"t = 1/n. Of {PEOPLE:,} users with {BITS} bits at most {most:,}, {most / PEOPLE:.1%}".replace("%", " %")
        + " of them, are unique, not half.",
        "The entropy of the example is B - p log p for the share p of its common value, so that the bound is "
        "attained but for a term that does not grow with B.",
    )
    return Reproduction(rows, lambda: _chart(rows), of_entropy(), remarks)


def _row(alike: int) -> Row:
    example, exact = _example(alike), people_in(_classes(alike, _most_rare(alike)))
    return {
        "largest class": alike,
        "bound": dc.anonymity.entropy_exposure_bound(float(BITS), k=alike + 1, people=PEOPLE).value,
        "example": dc.exposure(example, k=alike + 1),
        "example, bits": _bits(example),
        "example, bound": dc.anonymity.entropy_exposure_bound(example, k=alike + 1).value,
        "within 8 bits": dc.exposure(exact, k=alike + 1),
        "within 8 bits, bits": _bits(exact),
    }


def _example(alike: int) -> dc.Population:
    """Return the example of Proposition 13 for ``t = alike/n``: ``B/(-t log t)`` values of share t, one common one."""
    rarity = PEOPLE / alike
    return people_in(_classes(alike, math.floor(BITS / math.log2(rarity) * rarity)))


def _classes(alike: int, rare: int) -> list[int]:
    return [alike] * rare + [PEOPLE - alike * rare]


def _most_rare(alike: int) -> int:
    """Return the largest number of values with this number of users each, next to a common value, within 8 bits."""

    def bits(rare: int) -> float:
        share = rare * alike / PEOPLE
        return share * math.log2(PEOPLE / alike) - (1 - share) * math.log2(1 - share)

    low, high = 0, PEOPLE // alike
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if bits(middle) <= BITS else (low, middle)
    return low


def _bits(people: dc.Population) -> float:
    (bits,) = dc.anonymity.column_entropies(people).values()
    return bits


def of_entropy() -> tuple[Published, ...]:
    """Return the numbers of section 7.3 and of Proposition 13, with those of tables."""
    one, even, example = 1 / PEOPLE, people_in([PEOPLE >> BITS] * 2**BITS), _example(1)
    budget, common = BITS * math.log(2), 1 - BITS / math.log2(PEOPLE)
    nats = _bits(example) * math.log(2)
    adult = dc.Population("example:adult", ["workclass"])
    section, statement = "section 7.3", "Proposition 13"
    return (
        Published.number(section, "users of a value if all values are equally likely, n = 2^16, 8 bits", "256",
                         even.class_sizes().smallest),
        _formula("Proposition 9", "H of workclass on Adult, in bits", "∫ Q(t)/t dt", _integral(adult), _bits(adult)),
        Published(section, "H of workclass on Adult, in bits", "E[log p]", -_integral(adult), _bits(adult), 1e-10,
                  slip="the expectation lacks a minus"),
        Published(section, "the bound at t = 2^-16, 8 bits", "50 %", 0.5,
                  dc.anonymity.entropy_exposure_bound(float(BITS), threshold=one).value),
        Published(statement, "Q of the example at t = 2^-16, B = 8 bits", "-B/log t", 0.5,
                  dc.exposure(example, threshold=one), slip=_STRICT),
        Published(statement, "Q of the example just above it", "-B/log t", 0.5, dc.exposure(example, k=2)),
        _formula(statement, "H of the example, in nats", "B - p log p", budget - common * math.log(common), nats),
        Published(f"{statement}, proof", "the part of its n values of share t", "nt log t", -budget,
                  nats + common * math.log(common), 1e-10, slip="the entropy's minus is lost: it is -nt log t = B"),
    )  # fmt: skip


_STRICT = (
    "by the strict < of Definition 1 values of share t are not exposed at t, and nobody is at t = 1/n; the claim is "
    "true just above it"
)


def _integral(people: dc.Population) -> float:
    """Return ``∫ Q(t)/t dt`` in bits, step by step."""
    curve = dc.exposure_curve(people)
    ends = pairwise([*curve.sizes.tolist(), curve.people])
    return sum(
        exposed / curve.people * math.log2(high / low)
        for exposed, (low, high) in zip(curve.exposed.tolist(), ends, strict=True)
    )


def _formula(where: str, what: str, printed: str, value: float, ours: float) -> Published:
    return Published(where, what, printed, value, ours, 1e-10 * abs(value))


_BOUND, _EXAMPLES = "allowed by 8 bits", "Proposition 13's examples"
_WITHIN, _EVEN = "within 8 bits", "256 even values"
_LOOKS: dict[str, Look] = {_BOUND: "solid", _EXAMPLES: "circles", _WITHIN: "dashed", _EVEN: "dotted"}
_TICKS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
_SIZES = (*range(1, 257), 512)


def _chart(rows: Sequence[Row]) -> object:
    even = PEOPLE >> BITS
    bounds = (
        (size, dc.anonymity.entropy_exposure_bound(float(BITS), k=size + 1, people=PEOPLE).value) for size in _SIZES
    )
    drawn = [
        Curve(list(bounds), _BOUND),
        Curve([(row["largest class"], row["example"]) for row in rows], _EXAMPLES),
        Curve([(row["largest class"], row["within 8 bits"]) for row in rows], _WITHIN),
        Curve([(1, 0), (even, 0), (even, 1), (_SIZES[-1], 1)], _EVEN),
    ]
    across = Axis("users in a class, at most, logarithmic scale", 1, _SIZES[-1], logarithmic=True, ticks=_TICKS)
    notes = [
        f"{PEOPLE:,} users. The bound for 8 bits (Proposition 9); examples with 8 to 8.53 bits; tables with",
        "at most 8 bits; and the table of 256 equally frequent values, the usual interpretation of 8 bits.",
    ]
    description = (
        "Curves over the largest size of a class: with an entropy of 8 bits up to half of the users may be unique; "
        "the examples of Proposition 13 lie on that bound, tables with at most 8 bits close below, while with 256 "
        "equally frequent values every class has at least 256 users."
    )
    title = "Proposition 13: few bits do not guarantee anonymity"
    return curves([Panel(drawn, across, Axis("users exposed", 0, 1, percent=True))], _LOOKS, title, notes, description)
