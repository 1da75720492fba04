"""The risks in regulators' words, and who is unique among everybody whom the table's people are a sample of."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from discretion.anonymity import ColumnKind, Population, Risk, reidentification_risks
from discretion.anonymity.people.weights import weighted_classes
from discretion.anonymity.uniqueness.population_uniqueness import PopulationUniqueness, population_uniqueness
from discretion.errors import InvalidValueError
from discretion.escaping import printable
from discretion.estimate import Estimate
from discretion.jobs.audit.result import Columns, RiskReport
from discretion.jobs.audit.sets import AuditGoal

# The risks by those who know only that a person is among everybody.
_AMONG_EVERYBODY = ("journalist risk", "marketer risk")


@dataclass(frozen=True)
class Everybody:
    """Whom the table's people are among: so many, by a column of weights or as told; None is nobody else.

    ``equally`` says whether each of them was as likely to be in the table.
    """

    people: int | None
    weight: str | None
    equally: bool = True


def everybody_of(people: Population, population: int | None, weight: str | None) -> Everybody:
    """Return whom the table's people are among; there is one way to say it."""
    if weight is None:
        return Everybody(population, None)
    if population is not None:
        raise InvalidValueError(
            f"the weights of {weight!r} add up to the people there are, and population says so too; leave one of them"
        )
    weighed = weighted_classes(people, (), weight)
    return Everybody(round(weighed.people), weight, weighed.equal)


def risk_reports(
    people: Population,
    whole: Columns,
    goal: AuditGoal,
    everybody: Everybody,
    *,
    file: Population | None,
    recommended: Columns,
) -> Iterator[RiskReport]:
    """Yield the risks of the whole table and of the recommended file, beside each other.

    A file has no weights, so that its risks among everybody are then missing.
    """
    few: dict[str, float | Estimate] = {}
    if file is not None:
        weight = everybody.weight if everybody.weight in file.columns else None
        among = replace(everybody, people=everybody.people if everybody.weight == weight else None, weight=weight)
        few = {risk.name: risk.value for risk in _risks_of(file, recommended, goal, among)}
        if weight != everybody.weight:
            few = {name: value for name, value in few.items() if not name.startswith(_AMONG_EVERYBODY)}
    for risk in _risks_of(people, whole, goal, everybody):
        yield RiskReport(risk.name, risk.meaning, risk.value, few.get(risk.name))


def uniqueness_of(people: Population, columns: Columns, everybody: Everybody) -> PopulationUniqueness | None:
    """Return who is unique among everybody on these columns, if there is somebody else and something is known."""
    if everybody.people is None or not columns or any(unsaid_of_uniqueness(people, everybody)):
        return None
    return population_uniqueness(people, everybody.people, columns)


def unused_weights(kinds: Mapping[str, ColumnKind], everybody: Everybody) -> Iterator[str]:
    """Yield how the risks among everybody are measured, if a column looks like sampling weights and none is used."""
    weights = [printable(name) for name, kind in kinds.items() if kind.kind == "weight"]
    if weights and everybody.people is None:
        each = " and ".join(weights) + (" looks" if len(weights) == 1 else " look")
        yield (
            "the risks among all the people whom the table is a sample of: "
            f"{each} like sampling weights (--weight {shlex.quote(weights[0])})."
        )


def unsaid_of_uniqueness(people: Population, everybody: Everybody) -> Iterator[str]:
    """Yield why nothing is said of who is unique among everybody, where that was asked."""
    if everybody.people is not None and people.person is not None:
        yield "who is unique among everybody: it is asked of people with one row each."
    if not everybody.equally:
        yield (
            f"who is unique among everybody: the weights {printable(str(everybody.weight))} differ, so some were "
            "likelier than others to be in the table; the answers are for samples drawn with equal chances."
        )


def _risks_of(people: Population, columns: Columns, goal: AuditGoal, everybody: Everybody) -> list[Risk]:
    """Return the risks of columns to an adversary who knows those that are not sensitive."""
    among = everybody.people if everybody.weight is None else None
    known = [column for column in columns if column not in goal.sensitive]
    risks = list(reidentification_risks(people, known, goal.k, population=among, weight=everybody.weight))
    for secret in goal.sensitive:
        *_, guess, certain = reidentification_risks(people, known, goal.k, sensitive=secret)
        risks += [replace(risk, name=f"{risk.name}: {printable(secret)}") for risk in (guess, certain)]
    return risks
