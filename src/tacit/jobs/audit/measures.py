"""What there is to gate of an audit: its numbers by short names."""

from collections.abc import Iterable
from fractions import Fraction

from tacit.jobs.audit.result import Audit
from tacit.jobs.gates import Number
from tacit.jobs.table_measures import RISKS, table_measures
from tacit.printable import printable


def audit_measures(sensitive: Iterable[str]) -> tuple[str, ...]:
    """Return the measures of an audit: those of a table, and the exposure of the columns that are recommended."""
    return ("recommended_exposure", *table_measures(sensitive))


def measures_of(found: Audit) -> dict[str, Number | None]:
    """Return the measures of an audit, None where it did not come to one."""
    whole, best = found.sets.whole, next(iter(found.decision.offers), None)
    numbers: dict[str, Number | None] = dict.fromkeys(audit_measures(found.sensitive))
    numbers["exposure"] = Fraction(whole.exposed_people, found.people)
    numbers["recommended_exposure"] = None if best is None else Fraction(best.exposed_people, found.people)
    numbers["k_anonymity"] = whole.smallest_class
    risks = {risk.name: risk.whole for risk in found.risks}
    numbers |= {measure: risks[name] for name, measure in RISKS.items()}
    for column in found.sensitive:
        guess = risks[f"inference: {printable(column)}"]
        before = next((each.prior for each in found.inference if each.sensitive == column), None)
        numbers[f"guess:{column}"] = guess
        numbers[f"guess_rise:{column}"] = None if before is None else float(guess) - before
        numbers[f"certain:{column}"] = risks[f"certain inference: {printable(column)}"]
    for column in found.sensitive[:1]:  # of which a release says something
        known = set(whole.columns) - {column}
        of_all = [each for each in found.release if set(each.columns) - {column} == known]
        if of_all:
            numbers[f"l_diversity:{column}"] = of_all[0].l_diversity
            numbers[f"t_closeness:{column}"] = of_all[0].t_closeness
    return numbers


def why_missing(found: Audit) -> dict[str, str]:
    """Return of each measure of an audit why there is none, if there is none."""
    later = "this audit did not come to it; give it more time (--time), or ask tacit check"
    none = "no set of columns was found within the budgets; raise --budget, or give it more time (--time)"
    return dict.fromkeys(audit_measures(found.sensitive), later) | {"recommended_exposure": none}
