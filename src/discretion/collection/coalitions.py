"""Which parties of a collection learn who gave which answer if they work together, and by what means."""

from dataclasses import dataclass
from typing import Literal

from discretion.collection.wire.task import Task

#: How a coalition learns a person's answers: with its keys it opens what the first shuffler has beside the person's
#: name, and nobody can notice; it invents all other people, so that a result is of this person alone; or it leaves the
#: person out of the last round, and compares the counts of both.
Means = Literal["opens", "invents", "leaves out"]


@dataclass(frozen=True)
class Coalition:
    """Parties that learn who gave which answer only if all of them work together.

    Parameters
    ----------
    parties
        Who, by the names of :attr:`~discretion.collection.wire.task.Task.parties`.
    features
        The features whose answers they learn of each person, as each person sent them.
    means
        How.
    """

    parties: tuple[str, ...]
    features: tuple[str, ...]
    means: Means


def coalitions(task: Task, chosen: tuple[int, ...] | None = None) -> tuple[Coalition, ...]:
    """Return the smallest coalitions that learn who gave which answer, of each means.

    ``chosen`` are the places of the features that go out together; None is before any choice, when it may be all.

    The first shuffler knows whose the messages are, and takes no layer off without all others' keys. A person's single
    answers come in one upload: the parties that open it learn them all together. Who lets people in can invent all but
    one. Who takes the uploads can leave a person out of a later round, and the party with the exact counts of the round
    before sees what is missing. Where shufflers add noise, all of them are needed for both to be exact.
    Where other people answer each round, there is nobody in both.
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
