"""Read the randomizer of a feature: a mechanism in words, applied to an answer before it is sent."""

from functools import cache
from typing import cast

from discretion.collection.errors import MalformedError
from discretion.collection.wire.task import Feature
from discretion.errors import InvalidValueError
from discretion.mechanisms import RandomizedResponse
from discretion.spelling import mechanism_of


@cache
def randomizer_of(feature: Feature) -> RandomizedResponse:
    """Return the mechanism that randomizes a feature's answers, whose outputs are answers of the same feature.

    Raises
    ------
    MalformedError
        If the words do not name a mechanism whose outputs are answers of the feature.
    """
    name, _, parameters = str(feature.randomizer).partition(":")
    if name != "krr":
        raise MalformedError(
            f"the randomizer of {feature.name!r} must be randomized response, as krr:epsilon=2; got {name[:20]!r}"
        )
    try:
        return cast("RandomizedResponse", mechanism_of(f"krr:k={feature.codes},{parameters}"))
    except InvalidValueError as error:
        raise MalformedError(f"the randomizer of {feature.name!r}: {error}") from None
