"""The section on asking the people instead: the best way for each column, its protection, and all other ways."""

from collections.abc import Iterator, Sequence
from typing import Any

from discretion.estimate import Estimate, highest
from discretion.jobs.audit.collection import DELTA_PEOPLE, KEPT_ERROR, MOST_CATEGORIES, kept_error
from discretion.jobs.audit.result import AnswerGuesses, Audit, CollectionReport
from discretion.presenting.json_answers import plain
from discretion.presenting.names import briefly
from discretion.presenting.numbers import (
    bounded,
    in_points,
    people,
    percent,
    percent_upwards,
    points,
    rounded_up,
    times,
)
from discretion.presenting.views.document import Advice, Block, Caveat, Cell, Figure, Grid, Section

# The least difference of two marks that a reader can see in a chart from 0 to 1.
_SEEN = 0.02
_BELIEFS = (("shares", "knowing how common each answer is"), ("uniform", "each answer equally likely beforehand"))


def collection_section(audit: Audit) -> Iterator[Block]:
    """Yield the blocks on asking the people for each column instead."""
    reports = audit.collection
    if not reports:
        if "collection" not in audit.cut_short:
            nothing = f"No column has between 2 and {MOST_CATEGORIES} values that could be listed as answers."
            yield nothing if audit.person is None else "This was not examined, since a person has several rows."
        return
    yield (
        f"{len(reports):,} {'column' if len(reports) == 1 else 'columns'} could be asked as a question with listed "
        "answers: each person randomizes their answer before they send it, and a shuffler removes the senders’ "
        f"names. {_leakiest(reports)}"
    )
    yield from map(Advice, too_few(reports))
    if all(report.hides for report in reports):
        yield (
            f"An adversary that knows all other answers keeps at least {percent(KEPT_ERROR)} of its error with each "
            "column."
        )
    yield collection_grid(reports)
    yield (
        "Off by: the standard error of an estimated share, in percentage points; the best protocol has the least. "
        "Blind, knows none, knows all: how often one answer is guessed correctly without any report, by an adversary "
        "that knows none of the other answers, and by one that knows all; each knows how common the answers are. "
        f"Crowd ε: the differential privacy of all reports without their senders, at δ = 1/({DELTA_PEOPLE} n) "
        f"= {reports[0].delta:.3g}."
    )
    if (total := added_up(reports)) is not None:
        yield total
        yield all_asked_grid(reports)
    yield _without_shuffler(reports)
    for place, report in enumerate(reports):
        yield Section(f"All ways to ask for {report.column}", tuple(_ways(report, place)), "page", f"ask-{place}")
    yield Caveat(
        "A guess with ≤ is an upper bound that holds for any answers of the other people. Every guarantee is for one "
        "question asked once, and needs a shuffler that does not reveal who sent which report."
    )


def in_short(reports: Sequence[CollectionReport]) -> Iterator[str]:
    """Yield the summary of asking the people instead, for the first page."""
    advised = sum(report.advised for report in reports)
    if advised:
        yield (
            f"Asked of the people instead, {advised} {'column' if advised == 1 else 'columns'} could be collected "
            "through randomized answers and a shuffler; section 6 shows how, what it protects and what it costs."
        )
    yield from too_few(reports)


def too_few(reports: Sequence[CollectionReport]) -> Iterator[str]:
    """Yield a sentence for the columns that have too few people, to hide an answer or to estimate a share."""
    exposed = tuple(report.column for report in reports if not report.hides)
    vague = tuple(report.column for report in reports if not report.tells)
    if exposed:
        yield f"For {briefly(exposed)} there are too few people to hide one answer among."
    if vague:
        yield f"For {briefly(vague)} an estimated share would be off by more than a typical share, one over the values."


def added_up(reports: Sequence[CollectionReport]) -> str | None:
    """Return the sum of ε over the questions to the same people, as a sentence; None for a single question."""
    if len(reports) < 2:
        return None
    total, questions = sum(report.recommended.epsilon for report in reports), reports[0].questions
    return (
        f"The ε of questions to the same people add up: all {len(reports)} questions together have ε = {total:g}. "
        f"With each ε divided by {questions}, the sum is at most {rounded_up(total / questions, 4)}, and the "
        "estimated shares are off as the table below shows."
    )


def collection_grid(reports: Sequence[CollectionReport]) -> Grid:
    """Return the best way to ask each column."""
    heads = ("column", "ask by", "off by", "blind", "knows none", "knows all", "crowd ε")
    return Grid(
        heads,
        tuple(
            (
                Cell(report.column, link=f"ask-{place}"),
                report.recommended.best.mechanism,
                in_points(report.recommended.best.error_share),
                _guess(report.recommended.shares.blind, 3),
                _guess(report.recommended.shares.knows_none, 3),
                _guess(report.recommended.shares.knows_all, 3),
                _level(report.shuffled_epsilon),
            )
            for place, report in enumerate(reports)
        ),
        frozenset(heads[:2]),
        caption="The best way to ask for each column",
    )


def all_asked_grid(reports: Sequence[CollectionReport]) -> Grid:
    """Return the best way to ask for each column if all are asked of the same people."""
    heads = ("column", "ask by", "off by")
    return Grid(
        heads,
        tuple(
            (report.column, report.if_all_asked.mechanism, in_points(report.if_all_asked.error_share))
            for report in reports
        ),
        frozenset(heads[:2]),
        caption="The best way to ask for all columns",
    )


def _level(epsilon: float | Estimate | None) -> str:
    """Return an ε as text, with ≤ if it is an upper bound."""
    if epsilon is None:
        return "not known"
    return f"≤{rounded_up(epsilon.high, 3)}" if isinstance(epsilon, Estimate) else f"{epsilon:.3g}"


def _leakiest(reports: Sequence[CollectionReport]) -> str:
    """Return how often the answer is guessed correctly for the column that hides it least."""
    worst = min(reports, key=lambda report: kept_error(report.recommended))
    most: AnswerGuesses = worst.recommended.shares
    often = times(highest(most.knows_all))
    at_most = "at most " if isinstance(most.knows_all, Estimate) else ""
    return (
        f"Of the ways below, the way to ask for {worst.column} gives away most: an adversary that knows all other "
        f"answers is right {at_most}{often} ({bounded(most.knows_all)}). A blind guess of the most common answer is "
        f"right {times(most.blind)} ({percent(most.blind)})."
    )


def _without_shuffler(reports: Sequence[CollectionReport]) -> str:
    """Return how often an adversary guesses an answer correctly if it knows the sender of each report."""
    worst = max(reports, key=lambda report: report.recommended.shares.report)
    guess = percent(worst.recommended.shares.report, 3)
    return (
        f"Without the shuffler, an adversary that sees a report and its sender’s name is right in up to {guess} of "
        f"the cases ({worst.column})."
    )


def _ways(report: CollectionReport, place: int) -> Iterator[Block]:
    """Yield every way to ask for a column: by each ε, and by each protocol at the recommended one."""
    if _differ(report):
        yield Figure(
            f"ask-{place}",
            "How often one person’s answer is guessed correctly: the hollow square from their report alone, the "
            "filled circle from all reports, shuffled, by an adversary that knows all other answers. On the right the "
            "cost: how far off an estimated share is.",
            lambda: _charts().collection_options(plain(report)),
        )
    for name, belief in _BELIEFS:
        yield _options(report, name, belief)
    heads = ("protocol", "a share is off by", "that is")
    yield Grid(
        heads,
        tuple(
            (each.mechanism, points(each.error_share), people(each.error_people))
            for each in report.recommended.compared
        ),
        frozenset(("protocol",)),
        caption=f"Protocols for {report.column} at the same ε",
    )


def _options(report: CollectionReport, name: str, belief: str) -> Grid:
    rows: list[tuple[str, ...]] = []
    for option in report.options:
        guesses: AnswerGuesses = getattr(option, name)
        recommended = "recommended" if option == report.recommended else ""
        rows.append(
            (
                Cell(option.best.mechanism, note=recommended),
                _guess(guesses.blind),
                _guess(guesses.report),
                _guess(guesses.knows_none),
                _guess(guesses.knows_all),
                points(option.best.error_share),
                people(option.best.error_people),
            )
        )
    return Grid(
        ("best protocol", "blind", "from the report alone", "knows none", "knows all", "off by", "that is"),
        tuple(rows),
        frozenset(("best protocol",)),
        caption=f"Guesses of {report.column}, {belief}",
        strong=frozenset(place for place, option in enumerate(report.options) if option == report.recommended),
    )


def _guess(guess: float | Estimate, digits: int = 4) -> str:
    return f"≤{percent_upwards(guess.high, digits)}" if isinstance(guess, Estimate) else percent(guess, digits)


def _differ(report: CollectionReport) -> bool:
    """Return whether the ε changes the shuffled guess by enough to be seen in a chart."""
    guesses = [highest(option.shares.knows_all) for option in report.options]
    return max(guesses) - min(guesses) > _SEEN


def _charts() -> Any:
    from discretion import charts  # noqa: PLC0415 - Altair takes a second that other output need not wait for

    return charts
