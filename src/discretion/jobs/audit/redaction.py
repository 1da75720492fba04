"""The exposure of columns, alone and together, if people redacted by given rules, or values that few hold."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from discretion import limits
from discretion.anonymity import Population, RedactionRule, redacted_exposure, redaction_leakage, redaction_rules
from discretion.anonymity.choosing.redaction import MAX_COLUMNS_DECOYED, least_decoys, rules_of_people
from discretion.estimate import highest
from discretion.jobs.audit.result import (
    Columns,
    RedactedColumn,
    RedactedSet,
    RedactionReport,
    RuledColumn,
    RuledGuess,
)
from discretion.jobs.audit.time_limit import TimeLimit
from discretion.spelling import spelled
from discretion.spelling.rules import rule_of

# Columns whose rare values are redacted: each takes several questions to the table.
MAX_RULES = 50
# Answers: each class has one for each set of its columns that may be redacted.
MAX_ANSWERS_REDACTED = 1 << 20

# A redacted value is a rare one this often, if decoys can bring that about.
SUSPICION = 0.5


def redaction_report(
    population: Population,
    traits: Columns,
    released: Iterable[Columns],
    lines: Iterable[str],
    *,
    k: int,
    time: TimeLimit,
) -> RedactionReport:
    """Return the effect of redacting, by given rules and of other columns' rare values, on columns and on sets.

    The sets are the first released one with a redacted column, and all traits together.
    """
    if not time.left:
        time.cut_off("redaction")
        return RedactionReport((), ())
    given = rules_of_people(map(rule_of, lines), population)
    others = [name for name in traits if name not in given]
    rare = redaction_rules(population, k, others, SUSPICION)[:MAX_RULES]
    rules = [*chain.from_iterable(given.values()), *rare]
    ruled = {rule.column for rule in rules}
    sets = [columns for columns in released if ruled.intersection(columns)][:1]
    if ruled.intersection(traits) and traits not in sets:
        sets.append(traits)
    return RedactionReport(
        ruled=tuple(time.left_for("redaction", (_ruled(population, name, given, k) for name in given))),
        columns=tuple(time.left_for("redaction", (_column(population, rule, k) for rule in rare))),
        together=tuple(
            time.left_for("redaction", (_set(population, columns, rules, k) for columns in sets if len(columns) > 1))
        ),
    )


def _ruled(population: Population, column: str, given: Mapping[str, Sequence[RedactionRule]], k: int) -> RuledColumn:
    rules = given[column]
    asked_about = dict.fromkeys([column, *(name for rule in rules for name in rule.when)])
    leakages = {about: redaction_leakage(population, rules, about) for about in asked_about}
    leakage, alone = leakages[column], _set(population, (column,), rules, k)
    return RuledColumn(
        column=column,
        rules=tuple(map(spelled, rules)),
        people=leakage.rare_people,
        redacted=leakage.redacted,
        suspicion=leakage.suspicion,
        enough_decoys=least_decoys(leakage.rare_people, population.people - leakage.rare_people, k, SUSPICION),
        guesses=tuple(RuledGuess(about, each.prior, each.posterior) for about, each in leakages.items()),
        exposure=alone.exposure,
        redacted_exposure=alone.redacted_exposure,
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
    redacting = len({rule.column for rule in rules}.intersection(columns))
    if population.class_sizes(columns).classes << redacting > limits.current().numbers(MAX_ANSWERS_REDACTED, each=64):
        return None
    if sum(rule.column in columns and 0 < rule.decoys < 1 for rule in rules) > MAX_COLUMNS_DECOYED:
        return None  # few classes, but of many columns with rules: only bounds are known
    return highest(redacted_exposure(population, rules, k=k, columns=columns))
