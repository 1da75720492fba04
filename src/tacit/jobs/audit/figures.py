"""The audit's figures."""

from collections.abc import Iterator
from typing import Any

from tacit.estimate import highest
from tacit.jobs.audit.result import Audit, CertifiedReport, CollectionReport
from tacit.presenting.objects import plain
from tacit.presenting.views.results import figures

# What two marks of a chart that goes from nobody to everybody must differ by to be told apart.
_SEEN = 0.02


def tightest_first(found: Audit) -> list[CertifiedReport]:
    """Return what is certified of sets of columns, the lowest bound first."""
    return sorted(found.certified, key=lambda report: (report.bound.value, report.exposure))


@figures.register
def figures_of(found: Audit) -> Iterator[tuple[str, Any]]:
    """Yield the name of each chart that has something to show, and the chart."""
    from tacit import charts  # noqa: PLC0415 - Altair takes a second that other output need not wait for

    k, budget = found.k, found.budget
    if any(not column.identifier_like for column in found.columns):
        yield "columns", charts.exposure_by_column(plain(found.columns), k, budget)
    if found.sets.examined:
        yield "sets", charts.exposure_by_size(plain(found.sets.examined), k, budget)
    if found.certified:
        yield "certified", charts.certified_beside_truth(plain(tightest_first(found)), k)
    if found.selected:
        yield "selected", charts.exposure_by_set(plain(found.selected), k, budget)
    if found.inference:
        yield "guesses", charts.inference_before_and_after(plain(found.inference))
    for place, report in enumerate(found.collection):
        if _differ(report):
            yield f"ask-{place}", charts.collection_options(plain(report))


def _differ(report: CollectionReport) -> bool:
    """Whether it matters to the shuffled guess which ε is taken: by as much as can be seen in a chart."""
    guesses = [highest(option.shares.knows_all) for option in report.options]
    return max(guesses) - min(guesses) > _SEEN
