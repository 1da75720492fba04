"""The best way to cover columns by groups of them whose class sizes are known."""

from collections.abc import Iterable, Mapping, Sequence

from discretion import limits
from discretion.anonymity.exposure.envelope import Line, combined, lower_envelope
from discretion.tables.counting.class_sizes import ClassSizes

# A group of columns, as the set bits of a number.
Group = int


def counting_lines(known: Mapping[Group, ClassSizes], slack: int) -> list[Line[int]]:
    """Return the lines ``slack ↦ Σ R + slack·Π N`` of which the counting bound is the least, over all covers and cuts.

    Parameters
    ----------
    known
        The class sizes on some groups of the columns 0..d-1, each single column among them, of the same people.
    slack
        Lines that cannot tell anybody apart at this many people per cell, at least 1, or more are left out.

    Returns
    -------
    list[Line[int]]
        Rare people, cells, and the groups that cover the columns; none if everybody may be exposed.

    Notes
    -----
    Dynamic programming over the set of columns covered so far: the next group is one with the first column that is
    not. Groups may overlap. Of more than 256 sets with the same first column to cover, the best are kept: what comes
    out then is a bound still, and may not be the least.
    """
    people, columns = next(iter(known.values())).people, max(known).bit_length()
    cuts = {group: lower_envelope(_cuts(group, sizes)) for group, sizes in known.items()}
    reached: dict[Group, list[Line[int]]] = {0: [(0, 1, ())]}
    for column in range(columns):
        states = sorted(
            (covered for covered in reached if _first_missing(covered) == column),
            key=lambda covered: min(rare + slack * cells for rare, cells, _ in reached[covered]),
        )
        for covered in states[: limits.current().most_covers]:
            for group, choices in cuts.items():
                if group >> column & 1 and (found := combined(reached[covered], choices, slack, people)):
                    both = covered | group
                    reached[both] = lower_envelope([*reached.get(both, ()), *found])
    return reached.get((1 << columns) - 1, [])


def as_group(names: Iterable[str], columns: Sequence[str]) -> Group:
    """Return a group of the columns as a number."""
    return sum(1 << columns.index(name) for name in names)


def names_of(group: Group, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of a group."""
    return tuple(name for position, name in enumerate(columns) if group >> position & 1)


def _first_missing(covered: Group) -> int:
    return (~covered & (covered + 1)).bit_length() - 1


def _cuts(group: Group, sizes: ClassSizes) -> list[Line[int]]:
    """Return, for a cut at each class size, how many people are below and how many classes are not."""
    below = sizes.rarer.tolist()
    kept = sizes.counts[::-1].cumsum()[::-1].tolist()
    return [(rare, cells, (group,)) for rare, cells in zip(below, kept, strict=True)]
