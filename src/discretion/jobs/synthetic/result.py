"""What attacks by a synthetic table found, as plain frozen data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from discretion.anonymity.synthetic.attack import Attacked
from discretion.anonymity.synthetic.copies import Overlap
from discretion.estimate import Estimate, largest
from discretion.presenting.objects import plain

#: The attacks but those on a sensitive column, which are called inference:COLUMN.
ATTACKS = ("copied", "copied_alone", "singling_out_univariate", "singling_out_multivariate", "linkability")

# Where a risk may be as high as this, there is no saying that nothing shows it.
HIGH_RISK = 0.5

Decision = Literal["tells more", "not alike", "no sign", "nothing can be concluded"]


def synthetic_measures(sensitive: Sequence[str]) -> list[str]:
    """Return the names of the numbers that a gate may be of.

    Examples
    --------
    >>> synthetic_measures(["income"])[-2:]
    ['inference:income', 'risk']
    """
    return [*ATTACKS, *(f"inference:{name}" for name in sensitive), "risk"]


@dataclass(frozen=True)
class AttackResult:
    """What an attack did.

    Parameters
    ----------
    attack
        Its name.
    original, control
        How often it succeeded on the people of the original and on those held out, and of how many attacks: a count,
        but for singling out on held-out people, which is a mean where they are not as many as the original's.
    control_rate
        The share of successes if the held-out people were as many as the original's.
    naive
        The share of successes on the original without looking at its people; None for what nobody guesses.
    risk
        By how much of what others leave to gain the original's people are worse off, from -1 to 1.
    """

    attack: str
    original: Attacked
    control: Attacked
    control_rate: float
    naive: float | None
    risk: Estimate

    @property
    def is_weak(self) -> bool:
        """Whether it does no better on the original than without looking at its people."""
        return self.naive is not None and self.original.rate <= self.naive

    @property
    def is_inconclusive(self) -> bool:
        """Whether its risk may be none, and may be 0.5 or more."""
        return self.risk.low <= 0 and self.risk.high >= HIGH_RISK


@dataclass(frozen=True)
class SyntheticRisk:
    """What a synthetic table tells of the people it was made from, beyond what it tells of others like them.

    Parameters
    ----------
    original, synthetic, control
        The three tables.
    people, records, held_out
        How many rows these have.
    columns
        What was looked at.
    left_out
        Of each column that was not compared, since it looks as if it names people, why.
    newly_made
        The columns of which hardly any synthetic value is a person's: copies of rows are counted on the others.
    overlap
        People of the original among those held out; None if none show.
    linked
        The columns that either party knows, for linkability; None if it was not attacked.
    neighbours, seed, confidence
        As they were asked for, or drawn; the intervals hold together with this confidence.
    attacks
        What each attack did.
    not_attacked
        Of attacks that were not made why.
    """

    original: str
    synthetic: str
    control: str
    people: int
    records: int
    held_out: int
    columns: tuple[str, ...]
    left_out: Mapping[str, str]
    newly_made: tuple[str, ...]
    overlap: Overlap | None
    linked: tuple[tuple[str, ...], tuple[str, ...]] | None
    neighbours: int
    seed: int
    confidence: float
    attacks: tuple[AttackResult, ...]
    not_attacked: Mapping[str, str]

    @property
    def risk(self) -> Estimate:
        """The highest risk of all attacks."""
        found = largest([each.risk for each in self.attacks])
        assert isinstance(found, Estimate)
        return replace(found, confidence=self.confidence)

    @property
    def decision(self) -> Decision:
        """What follows of the attacks.

        "not alike" is it if held-out people are the ones told more of, so that the tables do not compare, and "no sign"
        only if each attack's risk is known to be below 0.5.
        """
        if any(each.risk.low > 0 for each in self.attacks):
            return "tells more"
        if any(each.risk.high < 0 for each in self.attacks):
            return "not alike"
        return "nothing can be concluded" if self.inconclusive else "no sign"

    @property
    def inconclusive(self) -> tuple[str, ...]:
        """The attacks whose risk may be none, and may be 0.5 or more."""
        return tuple(each.attack for each in self.attacks if each.is_inconclusive)

    @property
    def measures(self) -> dict[str, Estimate | None]:
        """The numbers that a gate may be of; None for attacks that were not made."""
        found = {each.attack: each.risk for each in self.attacks} | {"risk": self.risk}
        return dict.fromkeys(self.not_attacked) | found

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as dicts, lists, numbers and strings, ready for JSON."""
        whole = {"decision": self.decision, "risk": self.risk, "inconclusive": self.inconclusive}
        return plain(whole | {field.name: getattr(self, field.name) for field in fields(self)})
