"""If people redacted the values that few hold: what that hides of each column, and of several together."""

from collections.abc import Iterable, Sequence

from discretion import limits
from discretion.anonymity import Population, RedactionRule, redacted_exposure, redaction_leakage, redaction_rules
from discretion.errors import TooLargeError
from discretion.jobs.audit.result import Columns, RedactedColumn, RedactedSet, RedactionReport
from discretion.jobs.audit.time_limit import TimeLimit

# Columns whose rare values are redacted: each takes several questions to the table.
MAX_RULES = 50
# Answers: each class gives as many as there are sets of columns to redact.
MAX_ANSWERS_REDACTED = 1 << 20

# A redacted value is a rare one this often, if decoys can bring that about.
SUSPICION = 0.5


def redaction_report(
    population: Population, traits: Columns, released: Iterable[Columns], k: int, time: TimeLimit
) -> RedactionReport:
    """Return what redacting would mean for each trait with rare values, and for sets of columns that have some.

    These are the first of the released ones that a rule is about, and all traits together.
    """
    if not time.left:
        time.cut_off("redaction")
        return RedactionReport((), ())
    rules = redaction_rules(population, k, traits, SUSPICION)[:MAX_RULES]
    ruled = {rule.column for rule in rules}
    sets = [columns for columns in released if ruled.intersection(columns)][:1]
    if rules and traits not in sets:
        sets.append(traits)
    return RedactionReport(
        columns=tuple(time.left_for("redaction", (_column(population, rule, k) for rule in rules))),
        together=tuple(
            time.left_for("redaction", (_set(population, columns, rules, k) for columns in sets if len(columns) > 1))
        ),
    )


def _column(population: Population, rule: RedactionRule, k: int) -> RedactedColumn:
    leakage, alone = redaction_leakage(population, rule), _set(population, (rule.column,), [rule], k)
    return RedactedColumn(
        column=rule.column,
        rarer_than=k,
        decoys=rule.decoys,
        rare_values=leakage.rare_values,
        rare_people=leakage.rare_people,
        redacted=leakage.redacted,
        suspicion=leakage.suspicion,
        exposure=alone.exposure,
        redacted_exposure=alone.redacted_exposure,
    )


def _set(population: Population, columns: Columns, rules: Sequence[RedactionRule], k: int) -> RedactedSet:
    before = population.class_sizes(columns).exposure(k=k)
    return RedactedSet(columns, before, _after(population, columns, rules, k))


def _after(population: Population, columns: Columns, rules: Sequence[RedactionRule], k: int) -> float | None:
    redacting = sum(rule.column in columns for rule in rules)
    if population.class_sizes(columns).classes << redacting > limits.current().numbers(MAX_ANSWERS_REDACTED, each=64):
        return None
    try:
        return redacted_exposure(population, rules, k=k, columns=columns)
    except TooLargeError:  # few classes, but of many columns with rules
        return None
