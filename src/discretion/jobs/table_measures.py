"""The numbers of a table of people that a gate may name: one definition for audit, check, diff, release and exposure.

The adversary knows every column of a person but the sensitive ones. A name that begins with ``all_columns.`` is of an
adversary who knows the sensitive columns too; when it guesses one of them, it knows all others.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from discretion.anonymity import Population
from discretion.anonymity.attacks.reidentification_inference import inferences

# A risk as regulators name it → the measure's name.
RISKS = {
    "prosecutor risk, highest": "prosecutor_highest",
    "prosecutor risk, average": "prosecutor_average",
    "journalist risk, highest": "journalist_highest",
    "journalist risk, average": "journalist_average",
    "marketer risk": "marketer",
    "singling out": "singling_out",
    "linkability": "linkability",
}
OF_CLASSES = ("exposure", "exposed_people", "unique_people", "classes", "k_anonymity", *RISKS.values())
OF_SENSITIVE = ("guess", "guess_rise", "certain", "l_diversity", "t_closeness", "beta_likeness", "delta_disclosure")
#: Begins the name of a number that is of an adversary who knows the sensitive columns too.
ALL_COLUMNS = "all_columns."
#: Which of two tables a number is of, or by how much the new one has more, before a dot.
SIDES = ("old", "new", "rise")


def sensitive_measures(column: str) -> tuple[str, ...]:
    """Return the measures of one sensitive column.

    Examples
    --------
    >>> sensitive_measures("income")[0], sensitive_measures("income")[-1]
    ('guess:income', 'all_columns.delta_disclosure:income')
    """
    names = tuple(f"{measure}:{column}" for measure in OF_SENSITIVE)
    return names + tuple(ALL_COLUMNS + name for name in names)


def table_measures(sensitive: Iterable[str]) -> tuple[str, ...]:
    """Return the names of a table's numbers, those of each sensitive column as ``measure:column``.

    Examples
    --------
    >>> table_measures(["income"])[:3], table_measures(["income"])[-1]
    (('people', 'exposure', 'exposed_people'), 'all_columns.delta_disclosure:income')
    """
    of_classes = (*OF_CLASSES, *(ALL_COLUMNS + name for name in OF_CLASSES))
    return ("people", *of_classes, *(name for column in sensitive for name in sensitive_measures(column)))


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
