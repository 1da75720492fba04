"""The coalitions of parties that learn who gave which answer, and the means by which they learn it."""

from dataclasses import dataclass
from typing import Literal

from discretion.collection.wire.task import Task

#: How a coalition learns a person's answers. "opens": with its keys it opens the messages that the first shuffler has
#: next to the person's address, and nobody can notice. "invents": it invents all other people, so that a result is
#: about this person alone. "leaves out": it leaves the person out of the last round, and compares the counts of both.
Means = Literal["opens", "invents", "leaves out"]


@dataclass(frozen=True)
class Coalition:
    """Parties that learn who gave which answer only if all of them work together.

    Parameters
    ----------
    parties
        The names of the parties, as in :attr:`~discretion.collection.wire.task.Task.parties`.
    features
        The features whose answers the parties learn for each person, as that person sent them.
    means
        The means by which they learn the answers.
    """

    parties: tuple[str, ...]
    features: tuple[str, ...]
    means: Means


def coalitions(task: Task, chosen: tuple[int, ...] | None = None) -> tuple[Coalition, ...]:
    """Return the smallest coalitions that learn who gave which answer, for each means.

    ``chosen`` are the places of the features that go out together; None means before any choice, when all features may
    go out together.

    The first shuffler knows the sender of each message, but cannot open a message without the keys of all the other
    parties. A person's single answers come in one upload, so the parties that open it learn all of them together. The
    party that lets people in can invent all people but one. The party that takes the uploads can leave a person out of
    a later round; the party with the exact counts of the round before then sees the difference. If shufflers add noise,
    the counts are exact only for all shufflers together. If other people answer each round, nobody is in both rounds.
    """
    shufflers = tuple(f"shuffler {place}" for place in range(1, len(task.shufflers) + 1))
    first = shufflers[0]
    everything = tuple(feature.name for feature in task.features)
    together = everything if chosen is None else tuple(task.features[place].name for place in chosen)
    # The dummies of one honest shuffler hide the person whom others would single out.
    counting = (first,) if task.noise is None else shufflers
    invents = counting if task.admitter is None else (first, "admitter")
    if task.curator is None:
        found = [
            Coalition(shufflers, everything, "opens"),
            Coalition(invents, everything, "invents"),
            Coalition((first, "analyst"), together, "leaves out"),
        ]
    else:
        found = [
            Coalition((*shufflers, "curator"), everything, "opens"),
            Coalition((*shufflers, "analyst"), together, "opens"),
            Coalition(invents, everything, "invents"),
            Coalition((*counting, "curator"), together, "leaves out"),
        ]
    return tuple(
        coalition
        for coalition in found
        if coalition.features and (coalition.means != "leaves out" or task.other_people is None)
    )
