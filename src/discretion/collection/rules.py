"""Read and write the rules by which participants redact answers, as lines of text and as parts of a task."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from discretion.anonymity import RedactionRule
from discretion.anonymity.choosing.redaction_rule import rules_by_column
from discretion.collection.errors import MalformedError
from discretion.collection.wire.task import AnswerRule, Answers, Feature
from discretion.spelling.numbers import spelled_numbers
from discretion.spelling.rules import rule_of
from discretion.spelling.spelled import spelled


def with_rules(features: Sequence[Feature], lines: Iterable[str]) -> tuple[Feature, ...]:
    """Return the features with the rules from lines of text.

    Parameters
    ----------
    features
        The features of the task.
    lines
        Lines that :func:`~discretion.spelling.rules.rule_of` reads, such as
        ``race: Other when sex: Female decoys 0.01``. An answer that is not listed is ``other``, a missing one ``null``.

    Raises
    ------
    InvalidValueError
        If a line is not a rule, names an unknown answer or feature, or selects answers by their rarity; or if the rules
        contradict each other.
    """
    named = {feature.name: feature for feature in features}
    rules = rules_by_column(map(rule_of, lines), named)
    return tuple(
        replace(
            feature,
            rules=tuple(_answer_rule(rule, named) for rule in rules[feature.name]),
            decoys=spelled_numbers([rules[feature.name][0].decoys]),
        )
        if feature.name in rules
        else feature
        for feature in features
    )


def _answer_rule(rule: RedactionRule, named: dict[str, Feature]) -> AnswerRule:
    if rule.rarer_than is not None:
        raise MalformedError(
            f"the rule for {rule.column!r} selects answers by their rarity, which nobody knows before the answers are "
            "counted; name the answers, or let the curator redact rare ones by redaction = 0.5"
        )
    values = None if rule.values is None else _known(rule.values, named[rule.column])
    return AnswerRule(values, tuple((name, _known(rule.when[name], named[name])) for name in sorted(rule.when)))


def _known(answers: Sequence[str | None], feature: Feature) -> Answers:
    if unknown := [answer for answer in answers if answer not in feature.given]:
        listed = ", ".join("null" if answer is None else answer for answer in feature.given)
        raise MalformedError(
            f"a rule names {unknown[0]!r}, which {feature.name!r} does not have; it has {listed}"[:300]
        )
    return tuple(answers)


def rule_lines(feature: Feature) -> list[str]:
    """Return the rules of a feature as lines of text."""
    return [
        spelled(RedactionRule(feature.name, None, float(feature.decoys), rule.values, dict(rule.when)))
        for rule in feature.rules
    ]
