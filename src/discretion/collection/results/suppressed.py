"""How many answers were redacted, and how many of them by need: what the decoys leave to say of it."""

from dataclasses import dataclass

from discretion.collection.parts.joint import JointShares
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.task import REDACTED
from discretion.estimate import Estimate

METHOD = "binomial law of the decoys, inverted"


@dataclass(frozen=True)
class Suppressed:
    """How many people redacted their answer to a feature.

    Parameters
    ----------
    feature
        The feature.
    people
        How many redacted it; None if these are fewer than k, and somebody.
    decoys
        With what probability somebody redacted it without need.
    needed
        How many redacted it by need; None with ``people``.
    """

    feature: str
    people: int | None
    decoys: float
    needed: Estimate | None


def suppressed_in(round_: Round, joint: JointShares, confidence: float) -> tuple[Suppressed, ...]:
    """Return how many answers to each feature with a rule were redacted; all intervals hold together."""
    decoys = decoys_of(round_)
    result: list[Suppressed] = []
    for axis, (feature, labels) in enumerate(zip(joint.features, round_.labels[0], strict=True)):
        if feature in decoys:
            people = int(joint.counts[joint.codes[:, axis] == labels.index(REDACTED)].sum())
            risk = (1 - confidence) / len(decoys)
            is_shown = people == 0 or people >= round_.task.k
            needed = redacted_by_need(people, joint.people, decoys[feature], 1 - risk) if is_shown else None
            result.append(Suppressed(feature, people if is_shown else None, decoys[feature], needed))
    return tuple(result)


def decoys_of(round_: Round) -> dict[str, float]:
    """Return the features of the analyst's round with a rule, and the probability of a decoy in each."""
    ruled = {rule.place: rule.decoys for rule in (() if round_.choice is None else round_.choice.rules)}
    features = [(place, round_.task.features[place]) for place in round_.groups[0]]
    return {
        feature.name: ruled[place] if place in ruled else float(feature.decoys)
        for place, feature in features
        if (place in ruled or feature.rules) and REDACTED in round_.labels[0][round_.groups[0].index(place)]
    }


def redacted_by_need(redacted: int, people: int, decoys: float, confidence: float) -> Estimate:
    """Return how many of those who redacted did it by need, F of ``R = F + Bin(n - F, d)``.

    Both ends are where the number that was seen, or one further away, has half of the risk.

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
