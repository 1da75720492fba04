"""The audit as one self-contained page: charts, tables, and what they do not say; it loads nothing from anywhere."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any

from discretion.estimate import Estimate, highest
from discretion.jobs.audit.collection import DELTA_PEOPLE, KEPT_ERROR, MOST_CATEGORIES, kept_error
from discretion.jobs.audit.collection_text import added_up, at_level, too_few, without_shuffler
from discretion.jobs.audit.figures import figures_of, guesses_apart, tightest_first
from discretion.jobs.audit.result import SHOWN, Audit, ColumnDecision, InferenceReport, SetNames
from discretion.jobs.audit.summary import (
    CUT_SHORT,
    TRADED,
    assumptions,
    by_verdict,
    by_whom,
    coarser_views,
    next_step,
    nothing,
    offered,
    promise,
    proved,
    risk_in_words,
    unique_among_all,
    uniqueness_row,
    with_identifiers,
)
from discretion.presenting.names import listed, short
from discretion.presenting.numbers import (
    bits,
    bounded,
    closeness,
    factor,
    in_points,
    interval,
    number,
    odds,
    people,
    percent,
    points,
    times,
)
from discretion.presenting.views.page import environment, style, tidy, unbroken
from discretion.presenting.views.results import page

# Above this share of people with a class of their own, a guess repeats the table.
_NEARLY_UNIQUE = 0.1
# So many columns to drop stand below those to publish; the others are folded.
_DROPPED = 15


@page.register
def to_html(found: Audit) -> str:
    """Return the audit as an HTML page that holds everything it needs and forbids every load from outside.

    Parameters
    ----------
    found
        What `discretion.audit` returned.

    Returns
    -------
    str
        The page, the same for the same audit; names and values of the table are escaped.

    Examples
    --------
    >>> import discretion as dc
    >>> page = to_html(dc.audit("example:adult", columns=["sex", "race"]))
    >>> page[:15], "Content-Security-Policy" in page
    ('<!doctype html>', True)
    """
    from discretion import charts  # noqa: PLC0415 - Altair takes a second that other output need not wait for
    from discretion.charts import embedded  # noqa: PLC0415

    certified, decided = tightest_first(found), by_verdict(found)
    library, boot = embedded.scripts()
    rendered = _template().render(
        found=found,
        offered=partial(offered, found),
        proof=proved(found),
        nothing=nothing(found),
        step=next_step(found),
        decided=decided,
        views=coarser_views(found),
        by_whom=by_whom(found),
        with_identifiers=with_identifiers(found),
        assumptions=assumptions(found.risks),
        unique_among_all=unique_among_all(found),
        uniqueness=[] if (told := found.uniqueness) is None else [uniqueness_row(m, told.advised) for m in told.models],
        unfolded=_unfolded(decided),
        functions=[
            *((column, "", source) for column, source in found.decision.functions.items()),
            *((column, "nearly ", source) for column, source in found.decision.nearly.items()),
        ],
        traded=TRADED,
        cut=CUT_SHORT,
        set_names=SetNames(found),
        figures={name: embedded.specification(chart) for name, chart in figures_of(found)},
        certified=certified,
        promised=promise(found),
        guesses_of=list(_guesses(found)),
        releases={release.columns: release for release in found.release},
        leakiest=min(found.collection, key=lambda report: kept_error(report.recommended), default=None),
        short_of_people=list(too_few(found.collection)),
        added_up=added_up(found.collection, "the last column"),
        without_shuffler=without_shuffler(found.collection) if found.collection else "",
        asked_guesses=_asked_guesses(found),
        delta_people=DELTA_PEOPLE,
        rows=SHOWN,
        most_rows=charts.MOST_ROWS,
        most_values=MOST_CATEGORIES,
        kept_error=KEPT_ERROR,
        style=style(),
        library=library,
        boot=boot,
        scripts=tuple(map(embedded.digest, (library, boot))),
    )
    return rendered.strip() + "\n"


def _asked_guesses(found: Audit) -> list[float | Estimate]:
    options = [option for report in found.collection for option in report.options]
    guesses = [guess for option in options for guess in (option.uniform, option.shares)]
    return [number for guess in guesses for number in (guess.knows_none, guess.knows_all)]


def _unfolded(decided: Sequence[ColumnDecision]) -> int:
    """Return how many of the decisions stand on the page: all but the last ones to drop, if these are more than one."""
    drops = sum(each.verdict == "drop" for each in decided)
    return len(decided) if drops <= _DROPPED + 1 else len(decided) - drops + _DROPPED


def _guesses(found: Audit) -> Iterator[list[tuple[InferenceReport, str]]]:
    """Yield the guesses of each sensitive column, best first, and what releasing what the guesser knows would mean."""
    for reports in guesses_apart(found):
        yield [(report, _release(report, found)) for report in reports]


def _release(report: InferenceReport, found: Audit) -> str:
    verdict = "within the budget" if report.exposure <= found.budget else "over the budget"
    unique = report.unique_people / found.people
    return f"{verdict}; {percent(unique)} of the people are unique" if unique > _NEARLY_UNIQUE else verdict


@cache
def _template() -> Any:
    made = environment("discretion.jobs.audit")
    words: tuple[Callable[[Any], str], ...] = (percent, points, odds, people, bounded, interval)
    made.filters |= {word.__name__: unbroken(word) for word in words}
    made.filters |= {
        "short": short,
        "capital": _capital,
        "number": number,
        "at_level": at_level,
        "in_points": in_points,
        "sign": _sign,
        "limit": _limit,
        "bits": bits,
        "closeness": closeness,
        "factor": factor,
        "times": _times,
        "who": _who,
        "listed": listed,
        "risk": _risk,
    }
    return made.get_template("report.html.j2")


def _limit(guess: float | Estimate) -> str:
    return _sign(tidy(bounded(guess)))


def _risk(value: float | Estimate) -> str:
    return tidy(risk_in_words(value))


def _sign(bound: str) -> str:
    """Return a bound as it stands in a table that is wide enough already."""
    return bound.replace("at most ", "≤\N{NO-BREAK SPACE}")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _who(share: float, one: str, many: str) -> str:
    """Return a share of people as the subject of a sentence, with its verb."""
    said = odds(share)
    if said in ("none", "all"):
        return f"{'Nobody' if said == 'none' else 'Everybody'} {one}"
    return tidy(f"{_capital(said)} people {one if said.startswith('about 1 in') else many}")


def _times(guess: float | Estimate) -> str:
    """Return how often a guess is right."""
    often = times(highest(guess))
    return tidy(f"at most {often}" if isinstance(guess, Estimate) else often)
