"""The risks as regulators name them, and uniqueness in the population that the table is a sample of."""

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

# The risks from adversaries that know only that a person is in the population.
_AMONG_EVERYBODY = ("journalist risk", "marketer risk")


@dataclass(frozen=True)
class Everybody:
    """The population that the table is a sample of: its size, as given or by a column of weights; None if nobody else.

    ``equally`` is whether each of them was equally likely to be in the table.
    """

    people: int | None
    weight: str | None
    equally: bool = True


def everybody_of(people: Population, population: int | None, weight: str | None) -> Everybody:
    """Return the population, given by its size or by a column of weights, but not by both."""
    if weight is None:
        return Everybody(population, None)
    if population is not None:
        raise InvalidValueError(
            f"the weights of {weight!r} already set the size of the population; leave population out, or the weight"
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
    """Yield the risks, each of the whole table and of the recommended file.

    A file has no weights, so with weights its risks in the population are missing.
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
    """Return the uniqueness of these columns in the population; None without a population, or if it is not known."""
    if everybody.people is None or not columns or any(unsaid_of_uniqueness(people, everybody)):
        return None
    return population_uniqueness(people, everybody.people, columns)


def unused_weights(kinds: Mapping[str, ColumnKind], everybody: Everybody) -> Iterator[str]:
    """Yield a hint at the risks in the population, if a column looks like sampling weights and none is used."""
    weights = [printable(name) for name, kind in kinds.items() if kind.kind == "weight"]
    if weights and everybody.people is None:
        each = " and ".join(weights) + (" looks" if len(weights) == 1 else " look")
        yield (
            f"the risks in the population that the table is a sample of: {each} like sampling weights "
            f"(--weight {shlex.quote(weights[0])})."
        )


def unsaid_of_uniqueness(people: Population, everybody: Everybody) -> Iterator[str]:
    """Yield the reason why uniqueness in the population is missing, if it was requested."""
    if everybody.people is not None and people.person is not None:
        yield "uniqueness in the population: it is defined only for people with one row each."
    if not everybody.equally:
        yield (
            f"uniqueness in the population: the weights {printable(str(everybody.weight))} differ, so some people "
            "were more likely than others to be in the table; the models assume a sample drawn with equal chances."
        )


def _risks_of(people: Population, columns: Columns, goal: AuditGoal, everybody: Everybody) -> list[Risk]:
    """Return the risks of columns from an adversary that knows those that are not sensitive."""
    among = everybody.people if everybody.weight is None else None
    known = [column for column in columns if column not in goal.sensitive]
    risks = list(reidentification_risks(people, known, goal.k, population=among, weight=everybody.weight))
    for secret in goal.sensitive:
        *_, guess, certain = reidentification_risks(people, known, goal.k, sensitive=secret)
        risks += [replace(risk, name=f"{risk.name}: {printable(secret)}") for risk in (guess, certain)]
    return risks
