"""Asking the people instead, said: one row a column in a table, and few sentences."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from discretion.estimate import Estimate, highest
from discretion.jobs.audit.collection import DELTA_PEOPLE, KEPT_ERROR, MOST_CATEGORIES
from discretion.jobs.audit.result import AnswerGuesses, Audit, CollectionReport
from discretion.presenting.names import briefly
from discretion.presenting.numbers import in_points, percent, percent_upwards, rounded_up
from discretion.presenting.tables import plain_table, plain_words


def in_short(reports: Sequence[CollectionReport]) -> Iterator[str]:
    """Yield what asking the people instead comes to, for who reads nothing else."""
    advised = sum(report.advised for report in reports)
    if advised:
        yield (
            f"Asked of the people instead, {advised} {'column' if advised == 1 else 'columns'} could be collected "
            "through randomized answers and a shuffler; section 6 says how, what it protects and what it costs."
        )
    yield from too_few(reports)


def too_few(reports: Sequence[CollectionReport]) -> Iterator[str]:
    """Yield for which columns there are too few people, and for what."""
    exposed = tuple(report.column for report in reports if not report.hides)
    vague = tuple(report.column for report in reports if not report.tells)
    if exposed:
        yield f"For {briefly(exposed)} there are too few people to hide one answer among."
    if vague:
        yield f"For {briefly(vague)} an estimated share would be off by more than a typical share, one over the values."


def added_up(reports: Sequence[CollectionReport], shown: str) -> str | None:
    """Return what it means that questions to the same people add up, if there are several; the error is shown there."""
    if len(reports) < 2:
        return None
    total, questions = sum(report.recommended.epsilon for report in reports), reports[0].questions
    return (
        f"Questions add up: all {len(reports)} asked of the same people come to ε = {total:g}. With each ε divided by "
        f"{questions} they come to no more than {rounded_up(total / questions, 4)}, and shares are off as {shown} says."
    )


def without_shuffler(reports: Sequence[CollectionReport]) -> str:
    """Return how well an answer is guessed by who sees whose report it is."""
    worst = max(reports, key=lambda report: report.recommended.shares.report)
    guess = percent(worst.recommended.shares.report, 3)
    return (
        f"Without the shuffler, who sees a report beside its sender's name is right in up to {guess} ({worst.column})."
    )


def at_level(epsilon: float | Estimate) -> str:
    """Return the ε of a promise, a bound of it as one.

    Examples
    --------
    >>> at_level(0.12345), at_level(Estimate(0.12345, 0.0, 0.12345, None, "bound"))
    ('0.123', 'at most 0.124')
    """
    return f"at most {rounded_up(epsilon.high, 3)}" if isinstance(epsilon, Estimate) else f"{epsilon:.3g}"


def collected(found: Audit) -> Iterator[RenderableType]:
    """Yield the section: what is in the table, the table, and what to mind."""
    reports = found.collection
    if not reports:
        if "collection" not in found.cut_short:
            yield plain_words(
                f"No column has between 2 and {MOST_CATEGORIES} values to ask for, or people have several rows."
            )
        return
    several = len(reports) > 1
    asked = (
        f", and how far off shares are if all {reports[0].questions} are asked of the same people" if several else ""
    )
    yield plain_words(
        "The best protocol for each column, by how far an estimated share is off, in percentage points; and how often "
        "one answer is guessed, in per cent: blindly, by who knows none of the other answers, and by who knows all. "
        "First by who knows how common each answer is, then by whom all are equally likely beforehand"
        f"{asked}."
    )
    yield collection_table(reports)
    delta = f"δ = 1/({DELTA_PEOPLE} n) = {reports[0].delta:.3g}"
    yield plain_words(f"crowd ε: of all reports without their senders, at {delta}; – where it is not known.")
    if said := added_up(reports, "the second line of “off by”"):
        yield plain_words(said)
    yield plain_words(without_shuffler(reports))
    for sentence in too_few(reports):
        yield plain_words(sentence)
    if all(report.hides for report in reports):
        yield plain_words(
            f"Who knows all other answers keeps at least {percent(KEPT_ERROR)} of her error with each column."
        )


def collection_table(reports: Sequence[CollectionReport]) -> Table:
    """Return the best way to ask each column."""
    table = plain_table("column", "ask by", "off by", "blind", "knows none", "knows all", "crowd ε")
    table.columns[1].justify = "left"
    for report in reports:
        best = report.recommended
        asked = [in_points(best.best.error_share)]
        if report.questions > 1:
            asked.append(in_points(report.if_all_asked.error_share))
        cells = ([_guess(guess) for guess in _shown(guesses)] for guesses in (best.shares, best.uniform))
        shuffled = "–" if report.shuffled_epsilon is None else at_level(report.shuffled_epsilon)
        lines = ("\n".join(asked), *map("\n".join, zip(*cells, strict=True)), shuffled.replace("at most ", "≤"))
        protocol = best.best.mechanism.replace(",", ",\n")  # beside cells that have two lines in any case
        table.add_row(report.column, *map(Text, (protocol, *lines)))
    return table


def _shown(guesses: AnswerGuesses) -> list[float | Estimate]:
    return [guesses.blind, guesses.knows_none, guesses.knows_all]


def _guess(guess: float | Estimate) -> str:
    """Return a guess in per cent, without the sign of it."""
    if isinstance(guess, Estimate):
        return "≤" + percent_upwards(highest(guess), 3).removesuffix(" %")
    return percent(guess, 3).removesuffix(" %").replace("over ", ">").replace("under ", "<")
