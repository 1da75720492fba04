"""The audit's figures."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from discretion.estimate import highest
from discretion.jobs.audit.result import SHOWN, Audit, CertifiedReport, CollectionReport, InferenceReport, SetNames
from discretion.presenting.objects import plain
from discretion.presenting.views.results import figures

# What two marks of a chart that goes from nobody to everybody must differ by to be told apart.
_SEEN = 0.02


def tightest_first(found: Audit) -> list[CertifiedReport]:
    """Return what is certified of sets of columns, the lowest bound first."""
    return sorted(found.certified, key=lambda report: (report.bound.value, report.exposure))


def guesses_apart(found: Audit) -> list[list[InferenceReport]]:
    """Return the guesses of each sensitive column that was guessed, the best first."""
    best = sorted(found.inference, key=lambda report: (-report.posterior, len(report.known)))
    apart = [[report for report in best if report.sensitive == secret] for secret in found.sensitive]
    return [reports for reports in apart if reports]


@figures.register
def figures_of(found: Audit) -> Iterator[tuple[str, Any]]:
    """Yield the name of each chart that has something to show, more than one mark or equal ones, and the chart."""
    from discretion import charts  # noqa: PLC0415 - Altair takes a second that other output need not wait for

    k, budget, certified = found.k, found.budget, tightest_first(found)
    names = SetNames(found)
    if _vary(column.exposure for column in found.columns if not column.identifier_like):
        yield "columns", charts.exposure_by_column(plain(found.columns), k, budget)
    if _vary((report.bound.value, report.exposure) for report in certified):
        yield "certified", charts.certified_beside_truth(_named(certified, "columns", names), k)
    if _vary(report.exposure for report in found.selected):
        yield "selected", charts.exposure_by_set(_named(found.selected, "columns", names), k, budget)
    front = found.decision.front[-SHOWN:]
    if _vary(each.exposure for each in front):
        yield "front", charts.front_of_sets(_named(front, "columns", names))
    for place, guesses in enumerate(guesses_apart(found)):
        if _vary(report.posterior for report in guesses):
            name = f"guesses-{place}" if place else "guesses"
            yield name, charts.inference_before_and_after(_named(guesses, "known", names, guesses[0].sensitive))
    for place, report in enumerate(found.collection):
        if _differ(report):
            yield f"ask-{place}", charts.collection_options(plain(report))


def _vary(shown: Iterable[object]) -> bool:
    """Whether what a chart shows is not one thing only."""
    return len(set(shown)) > 1


def _named(reports: Sequence[Any], field: str, names: SetNames, but: str | None = None) -> list[Any]:
    """Return reports on sets of columns as plain data in which no set has more names than there is room for."""
    return [{**plain(report), field: [names.of(getattr(report, field), but)]} for report in reports]


def _differ(report: CollectionReport) -> bool:
    """Whether it matters to the shuffled guess which ε is taken: by as much as can be seen in a chart."""
    guesses = [highest(option.shares.knows_all) for option in report.options]
    return max(guesses) - min(guesses) > _SEEN
