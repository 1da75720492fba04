"""Equivalence of two systems: both leak the same to every adversary."""

from dataclasses import dataclass
from typing import Any

from discretion.channels.channel import System
from discretion.errors import InvalidValueError
from discretion.refinement.refines import refines
from discretion.refinement.verdict import Refinement, Witness


@dataclass(frozen=True, eq=False)
class Equivalence:
    """A verdict on whether two systems refine each other.

    Parameters
    ----------
    forth
        Whether the second refines the first.
    back
        Whether the first refines the second.
    """

    forth: Refinement[Witness]
    back: Refinement[Witness]

    @property
    def holds(self) -> bool | None:
        """True, False, or None if it is not decided."""
        either = {self.forth.holds, self.back.holds}
        return False if False in either else None if None in either else True

    def __bool__(self) -> bool:
        if self.holds is None:
            raise InvalidValueError(f"whether the two are equivalent is not decided: {self._reason}")
        return self.holds

    @property
    def _reason(self) -> str:
        return self.forth.reason or self.back.reason

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as one object, as JSON has it."""
        return {"holds": self.holds, "forth": self.forth.to_dict(), "back": self.back.to_dict()}


def equivalent(C: System, D: System) -> Equivalence:
    """Decide whether two systems leak the same to every adversary, ``C ≡ D``: whether they refine each other.

    Parameters
    ----------
    C, D
        As for `discretion.refines`.

    Returns
    -------
    Equivalence
        ``holds`` is True, False or None; ``forth`` and ``back`` are the verdicts on C ⊑ D and D ⊑ C with their proofs.

    Notes
    -----
    Reduced channels of equivalent systems have the same columns (McIver and others, POST 2014): these columns are
    matched first, and the linear program handles the rest.

    Examples
    --------
    >>> import discretion as dc
    >>> shuffle, histogram = dc.shuffling.full_shuffle_channel(3, 2), dc.shuffling.reduced_shuffle_channel(3, 2)
    >>> equivalent(shuffle, histogram).holds  # Shuffle, Proposition 9
    True
    """
    return Equivalence(refines(C, D), refines(D, C))
