"""Which parties together learn who said what: what is entrusted to them not to do."""

from dataclasses import dataclass

from discretion.collection.wire.task import Task

# The bullets of docs/protocol.md, in its words.
NOT_PROMISED = (
    "Who watches all connections sees who takes part, and when.",
    "Who steals a key before it is destroyed, and kept the messages, opens them: there is no forward secrecy.",
    "Clients may lie. One of n people moves a share of joint answers by at most 1/n, more where randomizers are "
    "undone; one of single answers by d times as much where there are d features, all her messages being of one.",
    "What is certified holds for those who were counted in the first round. Who leaves before the last one makes "
    "others stand out more.",
    "Where answers are redacted, the share that may stand out is an expectation over everybody's coins.",
    "The budget is for each group that the curator asks for, and for what the analyst gets; it is not for all of them "
    "together.",
)


@dataclass(frozen=True)
class Collusion:
    """Parties who together learn who said what, none of whom can be left out.

    Parameters
    ----------
    parties
        Who.
    features
        The features whose answers they learn of each person, all together, as she told them.
    """

    parties: tuple[str, ...]
    features: tuple[str, ...]


def collusions(task: Task, chosen: tuple[int, ...] | None) -> tuple[Collusion, ...]:
    """Return the smallest sets of parties who together learn who said what; None is before anything was chosen.

    The first shuffler knows whose the messages are, and takes no layer off without all others' keys. A person's single
    answers come in one upload: who opens these learns them all together.
    """
    shufflers = tuple(f"shuffler {place}" for place in range(1, len(task.shufflers) + 1))
    everything = tuple(feature.name for feature in task.features)
    together = tuple(task.features[place].name for place in chosen or ())
    if task.curator is None:
        return (Collusion(shufflers, everything),)
    by_analyst = (Collusion((*shufflers, "analyst"), together),) if together else ()
    return (Collusion((*shufflers, "curator"), everything), *by_analyst)
