"""Rules by which participants redact rare answers themselves, and the choice that these rules certify.

Anonymity, section 8.1: "if you have value v* for feature 1, redact it", and other participants redact at random.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import floor

import numpy as np

from discretion.anonymity import ClassSizes, Marginals, RedactionRule, redacted_exposure, redaction_rules
from discretion.collection.parts.choosing import answer_class_sizes, certified_choice, people_of
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.selection import Choice, Rule
from discretion.estimate import highest
from discretion.numerics.arrays import Integers


def redacted_choice(after: Round, counts: Mapping[str, Integers]) -> Choice | None:
    """Return the choice of the most features with redaction where it reduces the exposure; None if not allowed.

    The certificate bounds the expected exposure over everybody's coins. For any sets of answers F_j the expected number
    of people who stand out is at most the expected number of people with an answer outside of F_j to some feature j,
    plus k - 1 for each combination of answers inside: the counting bound of the expected counts. For a single feature
    the expected exposure is exact.
    """
    task = after.task
    if task.redaction is None:
        return None
    people = people_of(counts)
    rules: list[Rule] = []
    sizes: dict[str, ClassSizes] = {}
    for place, feature in enumerate(task.features):
        feature_counts = counts[feature.name]
        sizes[feature.name] = answer_class_sizes(feature_counts, people)
        is_fixed = feature.randomizer is not None or bool(feature.rules)
        rule = None if is_fixed else _rule(feature_counts, place, task.k, float(task.redaction))
        if rule is not None:
            redacted = answer_class_sizes(_redacted(feature_counts, rule, task.k), people)
            if redacted.exposed(k=task.k) < sizes[feature.name].exposed(k=task.k):
                sizes[feature.name] = redacted
                rules.append(rule)
    return certified_choice(after, Marginals(sizes), people, rules)


def _rule(counts: Integers, place: int, k: int, suspicion: float) -> Rule | None:
    """Return the rule for a feature; None if there are no rare answers, or if the rule would redact every answer."""
    rules = redaction_rules(_alone(counts), k, suspicion=suspicion) if counts.any() else ()
    if not rules or rules[0].decoys == 1:
        return None
    return Rule(place, tuple(np.flatnonzero(counts < k).tolist()), rules[0].decoys)


def _redacted(counts: Integers, rule: Rule, k: int) -> Integers:
    """Return the expected counts after redaction, rounded down, less the number of people who stand out."""
    coin = Fraction(rule.decoys)
    kept = [int(count) * (coin.denominator - coin.numerator) // coin.denominator for count in counts[counts >= k]]
    redacted = floor(int(counts[counts < k].sum()) + int(counts[counts >= k].sum()) * coin)
    sizes = np.sort(np.array([*kept, redacted], np.int64))[::-1]
    exposure = redacted_exposure(_alone(counts), [RedactionRule("told", k, rule.decoys)], k=k)
    standing_out = floor(highest(exposure) * int(counts.sum())) + 1
    return sizes - np.clip(standing_out - (np.cumsum(sizes) - sizes), 0, sizes)


def _alone(counts: Integers) -> Marginals:
    return Marginals({"told": ClassSizes.from_counts(counts)})
