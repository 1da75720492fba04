"""The audit as one self-contained page: charts, tables, and what they do not say; it loads nothing from anywhere."""

import base64
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from importlib.resources import files
from typing import Any

from tacit.estimate import Estimate, highest
from tacit.jobs.audit.collection import DELTA_PEOPLE, KEPT_ERROR, MOST_CATEGORIES, kept_error
from tacit.jobs.audit.collection_text import added_up, at_level, too_few, without_shuffler
from tacit.jobs.audit.decision_result import ColumnDecision
from tacit.jobs.audit.figures import figures_of, guesses_apart, tightest_first
from tacit.jobs.audit.result import SHOWN, Audit, InferenceReport
from tacit.jobs.audit.set_names import SetNames
from tacit.jobs.audit.summary import (
    CUT_SHORT,
    TRADED,
    assumptions,
    by_verdict,
    coarser_views,
    next_command,
    offered,
    promise,
    proved,
    risk_in_words,
    unique_among_all,
    uniqueness_row,
    with_identifiers,
)
from tacit.presenting.names import listed, short
from tacit.presenting.numbers import (
    WITHIN_NUMBERS,
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
from tacit.presenting.views.html import set_apart
from tacit.presenting.views.results import page
from tacit.printable import printable

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
        What `tacit.audit` returned.

    Returns
    -------
    str
        The page, the same for the same audit; names and values of the table are escaped.

    Examples
    --------
    >>> import tacit as tc
    >>> page = to_html(tc.audit("example:adult", columns=["sex", "race"]))
    >>> page[:15], "Content-Security-Policy" in page
    ('<!doctype html>', True)
    """
    from tacit import charts  # noqa: PLC0415 - Altair takes a second that other output need not wait for

    certified, decided = tightest_first(found), by_verdict(found)
    library, boot = _chart_library(), _beside("report.js")
    rendered = _template().render(
        found=found,
        offered=partial(offered, found),
        proof=proved(found),
        command=next_command(found),
        decided=decided,
        views=coarser_views(found),
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
        figures={name: _specification(chart) for name, chart in figures_of(found)},
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
        style=_beside("report.css"),
        library=library,
        boot=boot,
        scripts=(_digest(library), _digest(boot)),
    )
    return rendered.strip() + "\n"


def _asked_guesses(found: Audit) -> list[float | Estimate]:
    options = [option for report in found.collection for option in report.options]
    guesses = [guess for option in options for guess in (option.uniform, option.shares)]
    return [number for guess in guesses for number in (guess.knows_none, guess.knows_all)]


def _specification(chart: Any) -> str:
    """Return a chart as JSON that can stand in a script element whatever it holds."""
    specification = chart.to_dict(validate=False)
    del specification["$schema"]  # an address that nothing needs
    text = json.dumps(specification, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


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
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - text output need not wait for it

    environment: Any = Environment(
        loader=PackageLoader("tacit.jobs.audit", "."),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    words: tuple[Callable[[Any], str], ...] = (percent, points, odds, people, bounded, interval)
    environment.filters |= {word.__name__: _unbroken(word) for word in words}
    environment.filters |= {
        "short": short,
        "spelled": _spelled,
        "tidy": _tidy,
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
    return environment.get_template("report.html.j2")


def _shown(value: Any) -> Any:
    """Return what stands on the page for a value: nothing unseen in it, and letters that run leftwards set apart.

    So no name can reorder the words around it.
    """
    from markupsafe import Markup  # noqa: PLC0415 - comes with Jinja

    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return Markup(set_apart(str(_spelled(value))))


def _spelled(text: str) -> Any:
    """Return the text for an attribute or a title, where no element can stand."""
    from markupsafe import escape  # noqa: PLC0415

    return escape("\u00a0".join(map(printable, text.split("\u00a0"))))


def _unbroken(word: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda value: _tidy(word(value))


def _tidy(text: str) -> str:
    """Return a sentence whose numbers keep their unit on the same line."""
    return WITHIN_NUMBERS.sub("\u00a0", text)


def _limit(guess: float | Estimate) -> str:
    return _sign(_tidy(bounded(guess)))


def _risk(value: float | Estimate) -> str:
    return _tidy(risk_in_words(value))


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
    return _tidy(f"{_capital(said)} people {one if said.startswith('about 1 in') else many}")


def _times(guess: float | Estimate) -> str:
    """Return how often a guess is right."""
    often = times(highest(guess))
    return _tidy(f"at most {often}" if isinstance(guess, Estimate) else often)


def _beside(name: str) -> str:
    return files("tacit.jobs.audit").joinpath(name).read_text(encoding="utf-8")


def _digest(script: str) -> str:
    """Return what the page's policy calls a script by: no other script runs."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


@cache
def _chart_library() -> str:
    """Return what draws the charts, fit to stand in the page."""
    from tacit.charts.rendering import chart_library  # noqa: PLC0415 - starts a JavaScript engine

    return chart_library().replace("</script", "<\\/script")
