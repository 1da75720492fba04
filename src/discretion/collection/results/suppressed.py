"""The number of redacted answers, and an interval of the number redacted by a rule rather than by a decoy."""

from dataclasses import dataclass

from discretion.collection.parts.joint import JointShares
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.task import REDACTED
from discretion.estimate import Estimate

METHOD = "binomial law of the decoys, inverted"


@dataclass(frozen=True)
class Suppressed:
    """The number of people who redacted their answer to a feature.

    Parameters
    ----------
    feature
        The feature.
    people
        The number of people who redacted it; None if it is from 1 to k - 1.
    decoys
        The probability with which people who did not meet the rule redacted it.
    needed
        The number of people who redacted it by the rule; None if ``people`` is None.
    """

    feature: str
    people: int | None
    decoys: float
    needed: Estimate | None


@dataclass(frozen=True)
class RedactedFeature:
    """A feature of the analyst's round whose answers are redacted by a rule.

    Parameters
    ----------
    name
        The feature.
    axis
        Its place in the round's group.
    code
        The code of a redacted answer in messages.
    decoys
        The probability with which people who do not meet the rule redact it.
    is_shown
        Whether only redacted answers have this code: by value a redacted answer may count as less frequent.
    """

    name: str
    axis: int
    code: int
    decoys: float
    is_shown: bool


def redacted_features(round_: Round) -> tuple[RedactedFeature, ...]:
    """Return the features of the analyst's round that have a rule, of the task or of the choice."""
    chosen = {rule.place: rule.decoys for rule in (() if round_.choice is None else round_.choice.rules)}
    result: list[RedactedFeature] = []
    for axis, (place, sent, labels) in enumerate(
        zip(round_.groups[0], round_.sent_codes(0), round_.labels[0], strict=True)
    ):
        feature = round_.task.features[place]
        if place in chosen or feature.rules:
            code = feature.codes if place in chosen else sent[feature.codes - 1]
            decoys = chosen[place] if place in chosen else float(feature.decoys)
            result.append(RedactedFeature(feature.name, axis, code, decoys, labels[code] == REDACTED))
    return tuple(result)


def suppressed_in(round_: Round, joint: JointShares, confidence: float) -> tuple[Suppressed, ...]:
    """Return the number of redacted answers to each feature with a rule; all intervals hold together."""
    features = [each for each in redacted_features(round_) if each.is_shown]
    result: list[Suppressed] = []
    for each in features:
        people = int(joint.counts[joint.codes[:, each.axis] == each.code].sum())
        risk = (1 - confidence) / len(features)
        is_told = people == 0 or people >= round_.task.k
        needed = redacted_by_need(people, joint.people, each.decoys, 1 - risk) if is_told else None
        result.append(Suppressed(each.name, people if is_told else None, each.decoys, needed))
    return tuple(result)


def redacted_by_need(redacted: int, people: int, decoys: float, confidence: float) -> Estimate:
    """Return the number of people who redacted by the rule: F in ``R = F + Bin(n - F, d)``.

    At each bound of the interval, the observed number or a more extreme one has half of the risk as its probability.

    Examples
    --------
    >>> needed = redacted_by_need(120, people=1000, decoys=0.1, confidence=0.95)
    >>> round(needed.value, 1), needed.low, needed.high
    (22.2, 1.0, 42.0)
    """
    from scipy.special import bdtr, bdtrc  # noqa: PLC0415

    if decoys == 0:
        return Estimate(float(redacted), float(redacted), float(redacted), None, "no decoys")
    if decoys == 1:
        return Estimate(float(redacted), 0.0, float(redacted), None, "everybody redacts")
    risk = (1 - confidence) / 2

    def is_too_few(needed: int) -> bool:
        return needed < redacted and float(bdtrc(redacted - needed - 1, people - needed, decoys)) <= risk

    def is_too_many(needed: int) -> bool:
        return float(bdtr(redacted - needed, people - needed, decoys)) <= risk

    low, high = 0, redacted
    while low < high:  # the more by need, the more redact
        middle = (low + high) // 2
        low, high = (middle + 1, high) if is_too_few(middle) else (low, middle)
    least, high = low, redacted
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (low, middle - 1) if is_too_many(middle) else (middle, high)
    value = min(max((redacted - people * decoys) / (1 - decoys), float(least)), float(high))
    return Estimate(value, float(least), float(high), confidence, METHOD)
