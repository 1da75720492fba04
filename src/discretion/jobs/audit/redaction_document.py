"""The section of an audit on redacting: by the given rules, and of all rare values."""

from collections.abc import Iterator, Sequence

from discretion.jobs.audit.result import Audit, RedactedColumn, RuledColumn
from discretion.jobs.release.blanks import no_decoys
from discretion.presenting.names import briefly
from discretion.presenting.numbers import percent
from discretion.presenting.views.document import Advice, Block, Caveat, Grid


def redaction_section(audit: Audit) -> Iterator[Block]:
    """Yield the blocks of the section."""
    ruled, rare = audit.redaction.ruled, audit.redaction.columns
    if ruled:
        yield from _ruled(ruled)
    if rare:
        yield from _rare(rare, audit.k)
    elif not ruled and "redaction" not in audit.cut_short:
        aside = " of the columns that are not identifier-like" if audit.sets.identifier_like else ""
        nothing = f"Nothing to redact: at least {audit.k:,} people hold every value{aside}."
        yield nothing if audit.person is None else "This was not examined, since a person has several rows."
    for together in audit.redaction.together:
        if together.redacted_exposure is not None:
            yield (
                f"With all rules applied, {briefly(together.columns)} together would expose "
                f"{percent(together.redacted_exposure)} of the people, instead of {percent(together.exposure)}."
            )
    if ruled or rare:
        yield Caveat(
            "Redacting hides who has a rare value of one column. It does not hide several common values that are rare "
            "together, by which most people stand out. Decoys separate people with equal values, so that a set of "
            "columns can expose more people than before."
        )


def _ruled(columns: Sequence[RuledColumn]) -> Iterator[Block]:
    yield (
        "People would redact by the rules that you gave. The shares redacted, guessed and exposed after are exact "
        "expectations over the random choices of all people. The adversary is assumed to know the rules."
    )
    for column in columns:
        if column.suspicion == 1:
            yield Advice(no_decoys(column.column, f"{column.people:,}", column.enough_decoys))
    heads = ("rules", "needed by", "redacted", "suspicion", "exposed before", "exposed after")
    yield Grid(
        heads,
        tuple(
            (
                "; ".join(each.rules),
                f"{each.people:,}",
                percent(each.redacted),
                percent(each.suspicion),
                percent(each.exposure),
                _after(each.redacted_exposure),
            )
            for each in columns
        ),
        frozenset(heads[:1]),
        caption="Redacting by the given rules",
        note="suspicion: the probability that a rule required a redacted value to be redacted (it is no decoy)",
    )
    heads = ("redacted", "best guess of", "without it", "with it")
    yield Grid(
        heads,
        tuple(
            (each.column, guess.about, percent(guess.prior), percent(guess.posterior))
            for each in columns
            for guess in each.guesses
        ),
        frozenset(heads[:2]),
        caption="Guesses from a redacted column by itself",
        note="the share of the people whose value is guessed correctly",
    )


def _rare(columns: Sequence[RedactedColumn], k: int) -> Iterator[Block]:
    yield (
        f"{len(columns):,} {'column has' if len(columns) == 1 else 'columns have'} values that fewer than {k:,} "
        "people hold. The people could redact these themselves before they answer, and others could redact common "
        "values with a small probability, as decoys. Without decoys a redacted value is certainly a rare one; with "
        "them, in at most half of the cases. The shares redacted and exposed after are exact expectations."
    )
    yield Grid(
        ("column", "rare values", "held by", "decoys", "redacted", "exposed before", "exposed after"),
        tuple(
            (
                rule.column,
                f"{rule.rare_values:,}",
                f"{rule.rare_people:,}",
                percent(rule.decoys),
                percent(rule.redacted),
                percent(rule.exposure),
                _after(rule.redacted_exposure),
            )
            for rule in columns
        ),
        frozenset(("column",)),
        caption="Redacting the rare values of one column",
    )
    for rule in columns:
        if rule.decoys == 1:
            yield (
                f"Everybody would redact {rule.column}: at least half of the people have rare values. It is better "
                "not to ask for it."
            )


def _after(exposure: float | None) -> str:
    return "not counted" if exposure is None else percent(exposure)
