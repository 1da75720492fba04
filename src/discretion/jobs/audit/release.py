"""The sets of columns that single columns certify to be within the budget, and the guarantees of releasing a set."""

from collections.abc import Iterable, Iterator

from discretion.anonymity import (
    Population,
    entropy_l_diversity,
    future_exposure,
    k_anonymity,
    l_diversity,
    t_closeness,
)
from discretion.anonymity.choosing.problem import selection_problem
from discretion.anonymity.choosing.selection import selection_of
from discretion.estimate import Estimate
from discretion.jobs.audit.result import SHOWN, CertifiedSet, Columns, ReleaseReport

# The search examines at most this many sets of columns.
_SETS = 5_000


def certified_selection(population: Population, traits: Columns, k: int, budget: float) -> Iterator[CertifiedSet]:
    """Yield the largest sets that the single columns certify to be within the budget, the largest first."""
    problem = selection_problem(population, budget, k=k, by="certified", columns=traits)
    selection = selection_of(problem, sets=_SETS)
    best = [chosen for chosen in selection.maximal if chosen.columns][:SHOWN]
    for chosen, sizes in zip(best, population.class_sizes_of_all(chosen.columns for chosen in best), strict=True):
        assert isinstance(chosen.exposure, Estimate)
        yield CertifiedSet(chosen.columns, chosen.exposure, sizes.exposure(k=k))


def release_reports(
    population: Population, released: Iterable[Columns], sensitive: str | None, k: int
) -> Iterator[ReleaseReport]:
    """Yield the guarantees of releasing each set of columns; for the first, also another release's exposure."""
    for place, columns in enumerate(released):
        known = tuple(column for column in columns if column != sensitive)
        yield ReleaseReport(
            columns=columns,
            k_anonymity=k_anonymity(population, columns),
            l_diversity=None if sensitive is None else l_diversity(population, known, sensitive),
            entropy_l_diversity=None if sensitive is None else entropy_l_diversity(population, known, sensitive),
            t_closeness=None if sensitive is None else t_closeness(population, known, sensitive),
            future_exposure=None
            if population.person or place
            else future_exposure(population, population.people, k, columns=columns),
        )
