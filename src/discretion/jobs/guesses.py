"""How well a sensitive value is guessed by who knows a set of columns: what audits and releases both tell."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from discretion.anonymity import Population
from discretion.anonymity.attacks.reidentification_inference import inferences


@dataclass(frozen=True)
class GuessReport:
    """How often a sensitive value is guessed right before and after, and of how many people it is certain."""

    sensitive: str
    before: float
    after: float
    certain_people: int


def guess_reports(population: Population, columns: Sequence[str], sensitive: Iterable[str]) -> tuple[GuessReport, ...]:
    """Return of each sensitive column how well it is guessed by who knows these columns, or the others of them."""
    return tuple(
        GuessReport(name, attack.prior, attack.posterior, attack.certain_people)
        for name in sensitive
        for attack in inferences(population, [tuple(column for column in columns if column != name)], name)
    )
