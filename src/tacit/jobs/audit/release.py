"""Which columns may go out together by what single columns certify, and what releasing a set promises."""

from collections.abc import Iterable, Iterator

from tacit import limits
from tacit.anonymity import (
    Population,
    entropy_l_diversity,
    future_exposure,
    k_anonymity,
    l_diversity,
    select_columns,
    t_closeness,
)
from tacit.estimate import Estimate
from tacit.jobs.audit.result import SHOWN, CertifiedSet, Columns, ReleaseReport, SetsReport


def is_certifiable(sets: SetsReport) -> bool:
    """Whether few sets have to be looked at: those without a part over the budget, which bounds pass sooner."""
    return sets.complete or sets.possible <= limits.current().most_sets_certified


def certified_selection(
    population: Population, sets: SetsReport, traits: Columns, k: int, budget: float
) -> Iterator[CertifiedSet]:
    """Yield the largest sets that the single columns certify to be within the budget, the largest first."""
    if not is_certifiable(sets):
        return
    selection = select_columns(population, budget, k=k, by="certified", columns=traits)
    best = [found for found in selection.maximal if found.columns][:SHOWN]
    for found, sizes in zip(best, population.class_sizes_of_all(found.columns for found in best), strict=True):
        assert isinstance(found.exposure, Estimate)
        yield CertifiedSet(found.columns, found.exposure, sizes.exposure(k=k))


def release_reports(
    population: Population, released: Iterable[Columns], sensitive: str | None, k: int
) -> Iterator[ReleaseReport]:
    """Yield what releasing each set of columns promises."""
    for columns in released:
        known = tuple(column for column in columns if column != sensitive)
        yield ReleaseReport(
            columns=columns,
            k_anonymity=k_anonymity(population, columns),
            l_diversity=None if sensitive is None else l_diversity(population, known, sensitive),
            entropy_l_diversity=None if sensitive is None else entropy_l_diversity(population, known, sensitive),
            t_closeness=None if sensitive is None else t_closeness(population, known, sensitive),
            future_exposure=None
            if population.person
            else future_exposure(population, population.people, k, columns=columns),
        )
