"""The measures of a table of people that a gate may name: of all its columns together, and of sensitive ones."""

from collections.abc import Iterable

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
OF_SENSITIVE = ("guess", "guess_rise", "certain", "l_diversity", "t_closeness")


def table_measures(sensitive: Iterable[str]) -> tuple[str, ...]:
    """Return the measures of all columns of a table together, and of each sensitive one as ``measure:column``.

    Examples
    --------
    >>> table_measures(["income"])[-2:]
    ('l_diversity:income', 't_closeness:income')
    """
    of_columns = (f"{measure}:{column}" for column in sensitive for measure in OF_SENSITIVE)
    return ("exposure", "k_anonymity", *RISKS.values(), *of_columns)
