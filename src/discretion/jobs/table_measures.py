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
OF_SENSITIVE = (
    "guess", "guess_rise", "certain", "l_diversity", "recursive_c", "t_closeness", "beta_likeness", "delta_disclosure",
)  # fmt: skip
#: How far values are from each other → the name of t-closeness by it.
CLOSENESS = {"equal": "t_closeness", "ordered": "t_closeness_ordered", "hierarchical": "t_closeness_hierarchical"}
#: Those that are counted only where a gate is of them: their work grows with classes times values.
ON_REQUEST = (CLOSENESS["ordered"], CLOSENESS["hierarchical"])
#: Those of them that need no file beside the table.
OF_TABLE_ALONE = (CLOSENESS["ordered"],)
#: Of the groups in which a suppressed value could be anything, where wildcards are named.
OF_WILDCARDS = ("people_with_wildcards", "wildcard_exposed_people", "wildcard_exposure", "wildcard_k_anonymity")
#: Begins the name of a number that is of an adversary who knows the sensitive columns too.
ALL_COLUMNS = "all_columns."
#: Which of two tables a number is of, or by how much the new one has more, before a dot.
SIDES = ("old", "new", "rise")


def sensitive_measures(column: str, on_request: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the measures of one sensitive column, with those that are counted on request.

    Examples
    --------
    >>> sensitive_measures("income")[0], sensitive_measures("income")[-1]
    ('guess:income', 'all_columns.delta_disclosure:income')
    """
    names = tuple(f"{measure}:{column}" for measure in (*OF_SENSITIVE, *on_request))
    return names + tuple(ALL_COLUMNS + name for name in names)


def table_measures(sensitive: Iterable[str], on_request: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names of a table's numbers, those of each sensitive column as ``measure:column``.

    ``on_request`` are the measures among these that are counted only where a gate is of them.

    Examples
    --------
    >>> table_measures(["income"])[:3], table_measures(["income"])[-1]
    (('people', 'exposure', 'exposed_people'), 'all_columns.delta_disclosure:income')
    """
    of_classes = (*OF_CLASSES, *(ALL_COLUMNS + name for name in OF_CLASSES))
    of_secrets = (name for column in sensitive for name in sensitive_measures(column, on_request))
    return ("people", *of_classes, *of_secrets)


def is_on_request(name: str) -> bool:
    """Return whether a number is counted only where a gate is of it.

    Examples
    --------
    >>> is_on_request("all_columns.t_closeness_ordered:age"), is_on_request("t_closeness:age")
    (True, False)
    """
    return name.removeprefix(ALL_COLUMNS).partition(":")[0] in ON_REQUEST


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
