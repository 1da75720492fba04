"""Risks of households: an adversary finds one by all its members together, by one of them, or finds any member."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discretion.anonymity.people.coded import codes_of
from discretion.anonymity.people.conversion import People, as_population_of_rows
from discretion.errors import InvalidTableError, InvalidValueError
from discretion.estimate import Estimate
from discretion.notebook import Tabular
from discretion.numerics.arrays import Reals
from discretion.numerics.equivalence_classes import cells, everybody, refined
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.validation import as_count

_SEVERAL_ROWS = "risks of households are of people with one row each; make a table with a row per person"


@dataclass(frozen=True, eq=False)
class HouseholdRisks(Tabular):
    """Risks of households against an adversary that knows some columns of their members.

    Parameters
    ----------
    household
        The column that names the household of a person.
    columns
        The columns that the adversary knows of a person.
    k
        A household is exposed if its class has fewer than k households.
    classes
        The sizes of the equivalence classes of households: equally many members, with the same values, in any order.
    certain_households
        The number of households that hold all the people of some class: the values of one member identify the
        household with certainty.
    risk
        The chance that some member of the household is found, for a person drawn at random: between the highest of the
        members' own chances and the sum of them. These bounds hold whatever the dependence between the members.
    risk_if_independent
        The same, ``1 - Π (1 - r_i)`` over the members, if each is found independently of the others: the hierarchical
        risk of sdcMicro and µ-ARGUS.
    risks
        ``1 - Π (1 - r_i)`` of each person's household, in the order of the table.
    """

    household: str
    columns: tuple[str, ...]
    k: int
    classes: ClassSizes
    certain_households: int
    risk: Estimate
    risk_if_independent: Estimate
    risks: Reals

    @property
    def households(self) -> int:
        """The number of households."""
        return self.classes.people

    @property
    def exposed_households(self) -> int:
        """The number of households in a class of fewer than k households."""
        return self.classes.exposed(k=self.k)

    @property
    def household_exposure(self) -> float:
        """The share of the households that are exposed."""
        return self.exposed_households / self.households

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers about the whole table, without those about single people."""
        return {
            "household": self.household,
            "households": self.households,
            "exposed_households": self.exposed_households,
            "household_exposure": self.household_exposure,
            "certain_households": self.certain_households,
            "household_risk": self.risk,
            "household_risk_if_independent": self.risk_if_independent,
        }


def household_risks(P: People, household: str, columns: Iterable[str] | None = None, k: int = 10) -> HouseholdRisks:
    """Return the risks of households: found by all members together, by one member, or through any member.

    Parameters
    ----------
    P
        The people, with one row each.
    household
        The column that names the household of a person.
    columns
        The columns that the adversary knows of a person; None is all other columns.
    k
        A household is exposed if its class has fewer than k households; at least 1.

    Raises
    ------
    InvalidValueError
        If the column of the household is among those that the adversary knows.
    InvalidTableError
        If a person has no household.
    UnsupportedError
        If the people of P have several rows, or their rows are in another process.

    Notes
    -----
    The classes of households are exact: they are those of ``Population(table, person=household)``, the bags of rows.
    The chance that a person is found is ``r_i = 1/n_c`` in a class of n_c people; the adversary knows that the person
    is in the table (prosecutor). That members are found independently is an assumption, and false where they share
    their values. Source: the manual of µ-ARGUS and sdcMicro, for the product.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"house": [1, 1, 2, 2, 3], "sex": ["f", "m", "f", "m", "f"]})
    >>> homes = household_risks(people, "house", k=2)
    >>> homes.households, homes.exposed_households, homes.certain_households
    (3, 1, 0)
    >>> homes.risk_if_independent.value, homes.risk_if_independent.assuming
    (0.6, 'members found independently of each other')
    >>> round(homes.risk.low, 3), round(homes.risk.high, 3)
    (0.467, 0.733)
    """
    population = as_population_of_rows(P, _SEVERAL_ROWS)
    (household,) = population.known([household])
    chosen = tuple(name for name in population.known(columns) if columns is not None or name != household)
    if household in chosen:
        raise InvalidValueError(f"the column {household!r} names the household, so it is not known of a person")
    least = as_count(k, "k", at_least=1)
    if homeless := sum(rows for has, rows in population.agreements({household: None}) if has):
        raise InvalidTableError(f"the column {household!r} names the household, and is empty in {homeless:,} rows")
    coded = codes_of(population, (*chosen, household), "risks of households")
    home, alike = coded[household], everybody(population.people)
    for name in chosen:
        alike = refined(alike, coded[name])
    chances = 1 / np.bincount(alike.codes)[alike.codes]
    shared = cells(alike, home)
    whole = shared.sizes == alike.sizes()[shared.classes]
    highest = np.zeros(home.count)
    np.maximum.at(highest, home.codes, chances)
    sums = np.minimum(1, np.bincount(home.codes, chances, home.count))
    with np.errstate(divide="ignore"):
        survivals = np.bincount(home.codes, np.log1p(-chances), home.count)
    risks = -np.expm1(survivals)[home.codes]
    low, high = float(highest[home.codes].mean()), float(sums[home.codes].mean())
    middle = min(max(float(risks.mean()), low), high)
    risks.flags.writeable = False
    fields = (*chosen, household)
    households = population.with_rows(
        lambda rows: replace(rows, fields={name: rows.fields[name] for name in fields}), household
    )
    return HouseholdRisks(
        household,
        chosen,
        least,
        households.class_sizes(chosen),
        int(np.unique(shared.codes[whole]).size),
        Estimate.between(low, high, "between the highest chance of a member and the sum of all (Fréchet)"),
        Estimate(middle, middle, middle, None, "product over members", "members found independently of each other"),
        risks,
    )
