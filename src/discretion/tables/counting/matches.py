"""Conditions on a person's value of a column: one of some values, or a rare one, with given values of other columns."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Match:
    """A condition on a person's value of a column.

    Parameters
    ----------
    values
        The value is one of these, as a table spells them; None is any value.
    rarer_than
        Fewer people have the value; None is any number.
    when
        Other columns, each with values of which the same person must have one.
    """

    values: tuple[str | None, ...] | None = None
    rarer_than: int | None = None
    when: tuple[tuple[str, tuple[str | None, ...]], ...] = ()
