"""Whose value of a column matches: as one of some values or a rare one, beside such values of other columns."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Match:
    """Whose value of a column matches.

    Parameters
    ----------
    values
        It is one of these, as a table spells them; None is any.
    rarer_than
        Fewer people have it; None is however many.
    when
        Other columns, and the values that the same person has to have of them.
    """

    values: tuple[str | None, ...] | None = None
    rarer_than: int | None = None
    when: tuple[tuple[str, tuple[str | None, ...]], ...] = ()
