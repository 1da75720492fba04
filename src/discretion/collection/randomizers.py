"""How an answer is randomized before it is told: a mechanism in words, on the answers that a feature has."""

from functools import cache
from typing import cast

from discretion.collection.errors import MalformedError
from discretion.collection.wire.task import Feature
from discretion.errors import InvalidValueError
from discretion.mechanisms import RandomizedResponse
from discretion.spelling import mechanism_of


@cache
def randomizer_of(feature: Feature) -> RandomizedResponse:
    """Return the mechanism that randomizes a feature's answers, which tells each as one of them.

    Raises
    ------
    MalformedError
        If the words are no mechanism, or one that tells something else than one of the answers.
    """
    name, _, parameters = str(feature.randomizer).partition(":")
    if name != "krr":
        raise MalformedError(
            f"the randomizer of {feature.name!r} must tell one of its answers, as krr:epsilon=2 does, got {name[:20]!r}"
        )
    try:
        return cast("RandomizedResponse", mechanism_of(f"krr:k={feature.codes},{parameters}"))
    except InvalidValueError as error:
        raise MalformedError(f"the randomizer of {feature.name!r}: {error}") from None
