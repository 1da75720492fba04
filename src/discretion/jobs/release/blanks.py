"""What the blanks of redacted columns give away in a file, and the section that shows it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context

from discretion.escaping import printable
from discretion.presenting.numbers import percent
from discretion.presenting.views.document import Advice, Block, Grid, Section


@dataclass(frozen=True)
class BlankGuess:
    """How well a value of a person in the file is guessed, without and with a redacted column by itself: exact.

    Parameters
    ----------
    about
        The column whose value is guessed: the redacted one, or one that a condition of its rules is about.
    prior, posterior
        The share of the people in the file of whom the best guess is correct, without the column and with it.
    expected_prior, expected_posterior
        The same of a random person of the table, the posterior expected over all coins, as
        :func:`~discretion.anonymity.redaction_leakage` has it.
    """

    about: str
    prior: float
    posterior: float
    expected_prior: float
    expected_posterior: float


@dataclass(frozen=True)
class BlankedColumn:
    """The cells of a column in the file that its rules left blank: exact.

    Parameters
    ----------
    column
        The column.
    rules
        Its rules, a line each.
    needed_by_rule
        How many people in the file have it blank by need, by each rule; a person may need it by several.
    needed, decoys
        How many have it blank by need, and how many without.
    suspicion
        How sure a reader of the file who knows the rules may be that a blank was needed: the share of those that were.
    expected_suspicion
        The same before the coins are tossed and people are left out, as
        :func:`~discretion.anonymity.redaction_leakage` has it.
    enough_decoys
        With this probability of decoys half the blanks of the table would be decoys; 1 if no number is enough.
    guesses
        What the column tells of its value, and of the columns that conditions are about.
    """

    column: str
    rules: tuple[str, ...]
    needed_by_rule: tuple[int, ...]
    needed: int
    decoys: int
    suspicion: float
    expected_suspicion: float
    enough_decoys: float
    guesses: tuple[BlankGuess, ...]


def blanks_section(columns: Sequence[BlankedColumn]) -> Section:
    """Return the section on what the blanks of redacted columns give away."""
    return Section("What the blanks give away", tuple(_blocks(columns)), name="blanks")


def _blocks(columns: Sequence[BlankedColumn]) -> Iterator[Block]:
    for column in columns:
        if column.suspicion == 1:
            yield Advice(no_decoys(column.column, f"{column.needed:,}", column.enough_decoys))
    heads = ("rule", "needed", "decoys", "suspicion", "expected")
    yield Grid(
        heads,
        tuple(row for column in columns for row in _rule_rows(column)),
        frozenset(heads[:1]),
        caption="The blank cells of redacted columns in the file",
        note="suspicion: how sure a reader who knows the rules is that a blank is needed",
    )
    heads = ("blanks in", "best guess of", "without it", "with it", "expected")
    yield Grid(
        heads,
        tuple(
            (column.column, guess.about, *map(percent, (guess.prior, guess.posterior, guess.expected_posterior)))
            for column in columns
            for guess in column.guesses
        ),
        frozenset(heads[:2]),
        caption="What a redacted column by itself gives away",
        note="the share of the people in the file who are guessed correctly",
    )
    yield (
        "The numbers are exact, of the file; those expected are over all coins, of the whole table and of the column "
        "before it is generalized."
    )
    for column in columns:
        if not column.needed + column.decoys:
            yield (
                f"No cell of {printable(column.column)} is blank by a rule: all whom it is for are left out, or nobody "
                "redacts it."
            )


def _rule_rows(column: BlankedColumn) -> Iterator[tuple[str, ...]]:
    """Yield a row for each rule; what the rules of a column have in common stands in the first."""
    common = (f"{column.decoys:,}", percent(column.suspicion), percent(column.expected_suspicion))
    for rule, needed in zip(column.rules, column.needed_by_rule, strict=True):
        yield (rule, f"{needed:,}", *common)
        common = ("", "", "")


def no_decoys(column: str, blanks: str, enough: float) -> str:
    """Return what follows where every blank of a column was needed, and the decoys that would change it.

    Examples
    --------
    >>> no_decoys("race", "271", 0.00839253)
    'Every blank of race is needed (271, no decoys): a reader who knows its rules learns whom they are for. End them \
with “decoys 0.0084”, and half the blanks are decoys.'
    """
    if enough == 1:
        way = "No decoys hide that, since at least half of the people need it. Drop the column instead."
    else:
        rate = Context(prec=2, rounding=ROUND_CEILING).create_decimal(enough)
        way = f"End them with “decoys {rate:f}”, and half the blanks are decoys."
    return (
        f"Every blank of {printable(column)} is needed ({blanks}, no decoys): a reader who knows its rules learns "
        f"whom they are for. {way}"
    )
