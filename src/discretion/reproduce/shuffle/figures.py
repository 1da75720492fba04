"""Figures 2 to 5: the guess of one person's value over the size of the crowd, and over the others' answers.

Only the text of the paper is at hand, not its drawings: curves and ranges that it does not name are our choice.
"""

from collections.abc import Sequence

from discretion.charts import Axis, Curve, Look, Panel, curves
from discretion.reproduce.item import Published, Reproduction, Row
from discretion.reproduce.shuffle import numbers
from discretion.reproduce.shuffle.crowds import all_but_one, noisy, shuffled

GUESS = "probability of a correct guess"
PEOPLE = "people n, logarithmic scale"

_NOISE, _BOTH = "N: noise alone", "NS: noise and shuffler (at p = 1 S, the shuffler alone)"
_LOOKS: dict[str, Look] = {_BOTH: "solid", _NOISE: "dotted"}
_NOBODYS = "an adversary who knows nobody's value"


def _chosen(named: str) -> str:
    return f"The paper's text names {named}; the other curves are our choice."


_WORDS = {2: "two", 5: "five"}


def figure_2() -> Reproduction:
    """Return the guess of a binary value, n = 1 to 200, with the noise alone and with the shuffler."""
    remarks = ("The guess through the shuffler comes down as 1/√n, not exponentially.", _chosen("p = 1, 0.9 and 0.6"))
    return _noise_and_shuffler(2, (1, 0.9, 0.8, 0.7, 0.6), "Figure 2", numbers.uninformed_binary(), remarks)


def figure_4() -> Reproduction:
    """Return the guess of one of five values, n = 1 to 200, with the noise alone and with the shuffler."""
    return _noise_and_shuffler(5, (1, 0.8, 0.6, 0.4), "Figure 4", numbers.five_values(), (_chosen("p = 1 and 0.8"),))


def _noise_and_shuffler(
    k: int, truths: Sequence[float], name: str, published: tuple[Published, ...], remarks: tuple[str, ...]
) -> Reproduction:
    rows = tuple(
        {"n": n, "k": k, "p": p, "N": noisy(k, p), "NS": shuffled(k, p, n)} for p in truths for n in range(1, 201)
    )

    def chart() -> object:
        across = Axis(PEOPLE, 1, 200, logarithmic=True, ticks=(1, 2, 5, 10, 20, 50, 100, 200))
        drawn = [
            Curve([(row["n"], row[channel]) for row in rows if row["p"] == p], kind, f"{channel}, p = {p:g}")
            for p in truths
            for channel, kind in (("NS", _BOTH), ("N", _NOISE))
        ]
        title = f"{name}: one of {_WORDS[k]} values, guessed by {_NOBODYS}"
        note = f"p: the probability that a report is true. A blind guess is correct with probability {1 / k:g}."
        description = (
            f"Lines: the guess over the crowd, for {k} values. Noise alone is guessed with p at every n; through the "
            f"shuffler every line falls from p towards {1 / k:g}."
        )
        return curves([Panel(drawn, across, Axis(GUESS, 1 / k, 1))], _LOOKS, title, [note], description)

    return Reproduction(rows, chart, published, remarks)


def figure_3() -> Reproduction:
    """Return the guess of a binary value among 201 people by an adversary who knows all others, by their values."""
    truths, others = (1, 0.9, 0.8, 0.7, 0.6), 200
    rows = tuple(
        {"n": others + 1, "p": p, "known a": known, "share of a": known / others,
         "NS": all_but_one(p, known, others - known)}
        for p in truths
        for known in range(0, others + 1, _STEP)
    )  # fmt: skip

    def chart() -> object:
        by_p = {p: [row for row in rows if row["p"] == p] for p in truths}
        above = [
            Curve([(row["share of a"], row["NS"]) for row in here], _BOTH, f"p = {p:g}") for p, here in by_p.items()
        ]
        below = [Curve(_gained(here[: len(here) // 2 + 1]), _BOTH, f"p = {p:g}") for p, here in by_p.items()]
        across = Axis("share of the others with value a", 0, 1, percent=True, ticks=(0, 0.25, 0.5, 0.75, 1))
        half = Axis("share of the others with value a; the other half mirrors it", 0, 0.5, percent=True)
        panels = [
            Panel(above, across, Axis(GUESS, 0.5, 1)),
            Panel(below, half, Axis("advantage over that at 0 %", 0, 0.008, percent=True), height=180),
        ]
        title = "Figure 3: one of two values among 201 people, guessed by an adversary who knows all others"
        notes = ["Above as in the paper; below, the excess of the advantage over a blind guess over that at 0 %."]
        description = (
            "Lines: the guess of an adversary who knows the 200 others, over the share of them with value a. It hardly "
            "depends on that share, and is largest at one half; without noise it is certain."
        )
        return curves(panels, {_BOTH: "solid"}, title, notes, description)

    return Reproduction(rows, chart, numbers.all_but_one_binary(), (*_WORST, _chosen("p = 1 and 0.8")))


# With so many more a, the expected number of reports of a moves by a whole number for each p drawn.
_STEP = 5
_WORST = (
    "Half and half is the worst of the crowds drawn, not all others on one value.",
    "Drawn are multiples of 5 people: between these the guess also rises and falls, with where the expected count of "
    "reports lies between two whole numbers, at some even below that at 0 %.",
    "Eq. (10) is printed with its sum and max swapped.",
)


def _gained(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """Return the excess of the advantage over a blind guess over that in the first row."""
    base = rows[0]["NS"] - 0.5
    return [(row["share of a"], (row["NS"] - 0.5) / base - 1) for row in rows]


def figure_5() -> Reproduction:
    """Return the guess through the shuffler alone for several numbers of values, n = 10 to 1000."""
    values = (2, 3, 4, 5, 10)
    rows = tuple({"n": n, "k": k, "S": shuffled(k, 1, n), "blind guess": 1 / k} for k in values for n in SIZES)

    def chart() -> object:
        drawn = [
            Curve([(row["n"], row[column]) for row in rows if row["k"] == k], kind, label)
            for k in values
            for column, kind, label in (("S", _ALONE, f"k = {k}"), ("blind guess", _BLIND, ""))
        ]
        across = Axis(PEOPLE, 10, 1000, logarithmic=True, ticks=(10, 20, 50, 100, 200, 500, 1000))
        title = f"Figure 5: one of k values through the shuffler alone, guessed by {_NOBODYS}"
        description = "Lines: the guess through the shuffler over the crowd; it falls towards the blind guess 1/k."
        looks: dict[str, Look] = {_ALONE: "solid", _BLIND: "dotted"}
        return curves([Panel(drawn, across, Axis(GUESS, 0, 0.7))], looks, title, [], description)

    return Reproduction(rows, chart, numbers.shuffler_alone(), (_chosen("k = 3"),))


_ALONE, _BLIND = "S: shuffler alone", "blind guess 1/k"
SIZES = tuple(sorted({round(10 ** (1 + i / 20)) for i in range(41)}))
