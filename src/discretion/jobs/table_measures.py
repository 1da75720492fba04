"""The numbers of a table of people that a gate may name: one definition for audit, check, diff, release and exposure.

The adversary knows every column of a person except the sensitive ones. A name that begins with ``all_columns.`` is for
an adversary that knows the sensitive columns too; when it guesses one of them, it knows all others.
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
OF_SENSITIVE = (
    "guess", "guess_rise", "certain", "l_diversity", "recursive_c", "t_closeness", "beta_likeness", "delta_disclosure",
)  # fmt: skip
#: A distance of values → the name of t-closeness by it.
CLOSENESS = {"equal": "t_closeness", "ordered": "t_closeness_ordered", "hierarchical": "t_closeness_hierarchical"}
#: Measures that are computed only if a gate names them: their work grows with classes times values.
ON_REQUEST = (CLOSENESS["ordered"], CLOSENESS["hierarchical"])
#: Those of them that need only the table.
OF_TABLE_ALONE = (CLOSENESS["ordered"],)
#: The measures of classes in which a suppressed value matches any value, if wildcards are named.
OF_WILDCARDS = ("people_with_wildcards", "wildcard_exposed_people", "wildcard_exposure", "wildcard_k_anonymity")
#: The prefix of numbers for an adversary that knows the sensitive columns too.
ALL_COLUMNS = "all_columns."
#: The prefixes of numbers of two tables: the old one, the new one, or the rise from old to new.
SIDES = ("old", "new", "rise")


def sensitive_measures(column: str, on_request: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the measures of one sensitive column, with these measures on request.

    Examples
    --------
    >>> sensitive_measures("income")[0], sensitive_measures("income")[-1]
    ('guess:income', 'all_columns.delta_disclosure:income')
    """
    names = tuple(f"{measure}:{column}" for measure in (*OF_SENSITIVE, *on_request))
    return names + tuple(ALL_COLUMNS + name for name in names)


def table_measures(sensitive: Iterable[str], on_request: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names of a table's numbers, those of each sensitive column as ``measure:column``.

    ``on_request`` are the measures of sensitive columns that are computed only if a gate names them.

    Examples
    --------
    >>> table_measures(["income"])[:3], table_measures(["income"])[-1]
    (('people', 'exposure', 'exposed_people'), 'all_columns.delta_disclosure:income')
    """
    of_classes = (*OF_CLASSES, *(ALL_COLUMNS + name for name in OF_CLASSES))
    of_secrets = (name for column in sensitive for name in sensitive_measures(column, on_request))
    return ("people", *of_classes, *of_secrets)


def is_on_request(name: str) -> bool:
    """Return whether a number is computed only if a gate names it.

    Examples
    --------
    >>> is_on_request("all_columns.t_closeness_ordered:age"), is_on_request("t_closeness:age")
    (True, False)
    """
    return name.removeprefix(ALL_COLUMNS).partition(":")[0] in ON_REQUEST


@dataclass(frozen=True)
class GuessReport:
    """The share of correct guesses of a sensitive value before and after, and the number of certain people."""

    sensitive: str
    before: float
    after: float
    certain_people: int


def guess_reports(population: Population, columns: Sequence[str], sensitive: Iterable[str]) -> tuple[GuessReport, ...]:
    """Return the guesses of each sensitive column by an adversary that knows these columns (other than itself)."""
    return tuple(
        GuessReport(name, attack.prior, attack.posterior, attack.certain_people)
        for name in sensitive
        for attack in inferences(population, [tuple(column for column in columns if column != name)], name)
    )
