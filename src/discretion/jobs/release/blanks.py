"""The leakage of the blanks of redacted columns in a file, and the section that shows it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context

from discretion.escaping import printable
from discretion.presenting.numbers import percent
from discretion.presenting.views.document import Advice, Block, Grid, Section


@dataclass(frozen=True)
class BlankGuess:
    """The best guess of a value of a person in the file, without and with one redacted column: exact.

    Parameters
    ----------
    about
        The column whose value is guessed: the redacted one, or one in a condition of its rules.
    prior, posterior
        The share of correct best guesses among the people in the file, without the column and with it.
    expected_prior, expected_posterior
        The same for a random person of the table, the posterior in expectation over all random choices, as
        :func:`~discretion.anonymity.redaction_leakage` returns it.
    """

    about: str
    prior: float
    posterior: float
    expected_prior: float
    expected_posterior: float


@dataclass(frozen=True)
class BlankedColumn:
    """The cells of a column that its rules left blank in the file: exact.

    Parameters
    ----------
    column
        The column.
    rules
        Its rules, one per line.
    needed_by_rule
        The number of people in the file that each rule requires to have it blank; several rules may apply to a person.
    needed, decoys
        The number of people whose cell a rule requires to be blank, and of those whose blank is a decoy.
    suspicion
        The probability, for an adversary that knows the rules, that a blank was required: the share of required blanks.
    expected_suspicion
        The same in expectation over the random choices, before people are left out, as
        :func:`~discretion.anonymity.redaction_leakage` returns it.
    enough_decoys
        The probability of decoys with which half the blanks of the table would be decoys; 1 if no probability is
        enough.
    guesses
        The guesses of its value from the column, and of the columns in the conditions of its rules.
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
    """Return the section on the leakage of the blanks of redacted columns."""
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
        note="suspicion: the probability that a blank is required by a rule, for a reader who knows the rules",
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
        caption="Guesses from a redacted column by itself",
        note="the share of the people in the file whose value is guessed correctly",
    )
    yield (
        "The numbers are exact for the file. The expected numbers are over all random choices, for the whole table "
        "and for the column before it is generalized."
    )
    for column in columns:
        if not column.needed + column.decoys:
            yield f"No cell of {printable(column.column)} is blank by a rule: the rule applies to nobody in the file."


def _rule_rows(column: BlankedColumn) -> Iterator[tuple[str, ...]]:
    """Yield a row for each rule; the numbers that the rules of a column share are in the first row."""
    common = (f"{column.decoys:,}", percent(column.suspicion), percent(column.expected_suspicion))
    for rule, needed in zip(column.rules, column.needed_by_rule, strict=True):
        yield (rule, f"{needed:,}", *common)
        common = ("", "", "")


def no_decoys(column: str, blanks: str, enough: float) -> str:
    """Return a warning that every blank of a column is required, and the decoys that would change it.

    Examples
    --------
    >>> no_decoys("race", "271", 0.00839253)
    'Every blank of race is required by a rule (271, no decoys): a reader who knows the rules learns who they \
apply to. End the rules with “decoys 0.0084” to make half the blanks decoys.'
    """
    if enough == 1:
        way = "Decoys cannot hide this, since the rules apply to at least half of the people. Drop the column instead."
    else:
        rate = Context(prec=2, rounding=ROUND_CEILING).create_decimal(enough)
        way = f"End the rules with “decoys {rate:f}” to make half the blanks decoys."
    return (
        f"Every blank of {printable(column)} is required by a rule ({blanks}, no decoys): a reader who knows the "
        f"rules learns who they apply to. {way}"
    )
