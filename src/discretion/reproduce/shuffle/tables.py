"""Tables I to V: the small explicit channels of three users with two values."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

import discretion as dc
from discretion.reproduce.charts.cells import channel_cells
from discretion.reproduce.item import Published, Reproduction
from discretion.reproduce.shuffle import printed

N, K = 3, 2

# The tables are shaded for this probability of a true answer.
P = Fraction(3, 4)


@dataclass(frozen=True)
class Table:
    """A channel that the paper prints: a function that computes it, and the entries as printed.

    Parameters
    ----------
    title
        The title of the table.
    channel
        A function that computes the channel, by every route that is equal according to the paper.
    grid
        The entries as printed.
    slips
        The reasons why some entries are wrong, by row and column.
    """

    title: str
    channel: Callable[[], tuple[dc.Channel, ...]]
    grid: str
    slips: Mapping[tuple[str, str], str]

    def reproduce(self) -> Reproduction:
        """Return the channel at p = 0.75, each entry with the printed formula's value there."""
        channel, *others = (_by_label(made) for made in self.channel())
        published = tuple(
            Published(
                self.title.partition(":")[0],
                f"{row} → {column}",
                entry,
                float(printed.FORMULAS[entry](P, 1 - P)),
                channel[row, column],
                slip=self.slips.get((row, column), ""),
            )
            for (row, column), entry in printed.entries(self.grid).items()
        )
        rows = tuple(entry.in_table() for entry in published)
        gap = max((abs(channel[cell] - other[cell]) for other in others for cell in channel), default=None)
        remarks = () if gap is None else (f"The two orders of noise and shuffler differ by at most {gap:.1g}.",)
        noted = (True, "p" in self.grid, "p" in self.grid, bool(self.slips))
        notes = tuple(note for note, given in zip(_NOTES, noted, strict=True) if given)
        return Reproduction(rows, lambda: channel_cells(rows, self.title, notes), published, remarks)


_NOTES = (
    "Rows: the values of three people; columns: the observation.",
    "Above, the printed entry, with q = 1 - p;",
    "below, the value at p = 0.75, by which cells are shaded.",
    "In a heavy frame: the paper prints a slip, the value is ours.",
)


def _by_label(channel: dc.Channel) -> dict[tuple[str, str], float]:
    """Return the entries by the paper's labels: datasets as aab, histograms as a:2,b:1."""
    rows, columns = ([_label(label) for label in labels] for labels in (channel.inputs, channel.outputs))
    return {
        (row, column): float(channel.dense()[x, y]) for x, row in enumerate(rows) for y, column in enumerate(columns)
    }


def _label(given: Hashable) -> str:
    label = cast(tuple[int, ...], given)
    if len(label) == N:
        return "".join("ab"[value] for value in label)
    return ",".join(f"{value}:{count}" for value, count in zip("ab", label, strict=True))


def _noise() -> dc.RandomizedResponse:
    return dc.RandomizedResponse(K, p=float(P))


def _n() -> tuple[dc.Channel, ...]:
    return (dc.shuffling.dataset_channel(_noise(), N).channel(),)


def _s() -> tuple[dc.Channel, ...]:
    return (dc.shuffling.full_shuffle_channel(N, K),)


def _s_reduced() -> tuple[dc.Channel, ...]:
    return (dc.shuffling.reduced_shuffle_channel(N, K),)


def _n_reduced() -> tuple[dc.Channel, ...]:
    return (dc.shuffling.reduced_dataset_channel(_noise(), N),)


def _ns() -> tuple[dc.Channel, ...]:
    noise, shuffle = dc.shuffling.dataset_channel(_noise(), N), dc.shuffling.full_shuffle_channel(N, K)
    return noise >> shuffle, shuffle >> noise


def _ns_reduced() -> tuple[dc.Channel, ...]:
    noise, shuffle = dc.shuffling.dataset_channel(_noise(), N), dc.shuffling.reduced_shuffle_channel(N, K)
    return noise >> shuffle, shuffle >> dc.shuffling.reduced_dataset_channel(_noise(), N)


_SWAPPED = "3p²q and 3pq² are exchanged in print"
_STRAY = "the stray /3 keeps the printed row from summing to 1"

TABLES: Mapping[str, Table] = {
    "table-1a": Table("Table Ia: noise, the k-RR channel N", _n, printed.TABLE_1A, {}),
    "table-1b": Table("Table Ib: the full shuffle channel S", _s, printed.TABLE_1B, {}),
    "table-1c": Table("Table Ic: the reduced shuffle channel Sʳ", _s_reduced, printed.TABLE_1C, {}),
    "table-2": Table("Table II: noise and shuffler in either order, NS and SN", _ns, printed.TABLE_2, {}),
    "table-3": Table(
        "Table III: noise and reduced shuffler, NSʳ",
        _ns_reduced,
        printed.TABLE_3,
        {("bbb", column): _SWAPPED for column in ("a:2,b:1", "a:1,b:2")},
    ),
    "table-4": Table(
        "Table IV: the reduced noise channel Nʳ, from histograms to histograms",
        _n_reduced,
        printed.TABLE_4,
        {(row, column): _STRAY for row in ("a:2,b:1", "a:1,b:2") for column in ("a:2,b:1", "a:1,b:2")},
    ),
    "table-5": Table("Table V: NSʳ and SʳNʳ", _ns_reduced, printed.TABLE_5, {}),
}
