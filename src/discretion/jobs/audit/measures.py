"""The numbers of an audit by short names, for gates."""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from discretion.anonymity import Population
from discretion.jobs.audit.result import Audit, Columns, Decision
from discretion.jobs.gates import Number
from discretion.jobs.table_measures import ALL_COLUMNS, ON_REQUEST, is_on_request, table_measures
from discretion.jobs.table_numbers import TableNumbers

_OF_GROUPS = ("l_diversity", "recursive_c", "t_closeness", "beta_likeness", "delta_disclosure")
_RECOMMENDED = ("recommended_exposure", f"{ALL_COLUMNS}recommended_exposure")


def audit_measures(sensitive: Iterable[str]) -> tuple[str, ...]:
    """Return the measures of an audit: those of a table, and the exposure of the columns that are recommended."""
    return (*_RECOMMENDED, *table_measures(sensitive, ON_REQUEST))


def measures_of(audit: Audit, gated: Iterable[str] = ()) -> dict[str, Number | None]:
    """Return the measures of an audit, with those on request that gates name; None for one that it did not reach."""
    wanted = {*audit.measures, *gated}
    names = audit_measures(audit.sensitive)
    return {name: audit.measures.get(name) for name in names if name in wanted or not is_on_request(name)}


def always_measured(
    people: Population,
    numbers: TableNumbers,
    decision: Decision,
    sensitive: Columns,
    of_file: Mapping[str, Number],
) -> dict[str, Number]:
    """Return the measures that an audit has even when its time is over: exposures and guesses."""
    measures = {name: numbers[name] for name in numbers if not _of_groups(name) and not is_on_request(name)}
    if of_file:
        measures |= {name: of_file[name.replace("recommended_", "")] for name in _RECOMMENDED}
    elif decision.offers:
        best = decision.offers[0]
        known = people.class_sizes([name for name in best.columns if name not in sensitive])
        measures[_RECOMMENDED[0]] = Fraction(known.exposed(k=numbers.k), people.people)
        measures[_RECOMMENDED[1]] = Fraction(best.exposed_people, people.people)
    return measures


def measured_in_time(numbers: TableNumbers) -> Iterator[tuple[str, Number]]:
    """Yield the other measures, one by one."""
    yield from ((name, numbers[name]) for name in numbers if _of_groups(name))


def _of_groups(name: str) -> bool:
    return name.removeprefix(ALL_COLUMNS).partition(":")[0] in _OF_GROUPS


def why_missing(audit: Audit) -> Mapping[str, str]:
    """Return, for each measure, the reason to show if an audit lacks it."""
    names = audit_measures(audit.sensitive)
    if audit.decision.question is not None:
        return dict.fromkeys(names, f"rows may not be people: {audit.decision.question}")
    more = "; raise --budget, or give it more time (--time)" if "sets" in audit.cut_short else "; raise --budget"
    none = f"no set of columns was found within the budgets{more}"
    later = "the time of this audit was over before; give it more time (--time)"
    return dict.fromkeys(names, later) | dict.fromkeys(_RECOMMENDED, none)
