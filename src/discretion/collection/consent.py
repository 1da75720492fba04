"""The document about a task that a participant reads before anything is sent."""

from collections.abc import Iterator

from discretion.collection.coalitions import coalitions
from discretion.collection.noise_promise import noise_promise
from discretion.collection.results.documents import coalition_words, noise_words
from discretion.collection.rules import rule_lines
from discretion.collection.wire.task import Feature, Task
from discretion.presenting.names import short
from discretion.presenting.numbers import number, people, percent
from discretion.presenting.views.document import Block, Bullets, Document, Grid, Section, Terms

#: The assumptions that no program of a participant can check.
BELIEVED = (
    "Each party is the one that it claims to be, and no two parties work together.",
    "The curator counts the messages that it received: you can check the sum of its certificate, but not the counts.",
    "The messages and their order are destroyed once they are passed on, and the keys when the task is over.",
    "The other participants are real people.",
)
_CHECKED = (
    "The task's digest, if you have one; its k, budget, smallest batch, parties and time, against your terms.",
    "Before anything is sent: each shuffler, asked at its address, has this task and the key in it.",
    "Before each later round: the curator's signature, the sum of its certificate, whether the shufflers' reports fit "
    "the number of people, and whether each shuffler reports the same when your program asks it.",
)
_ALONE = {
    "shuffler": "that somebody at your address takes part, and which messages came together; not what is in them",
    "curator": "how many people gave each answer to each question, but not who gave it",
    "analyst": "the combinations of answers to the questions that go out together, but not who gave them",
    "admitter": "who asked for tokens, and when",
}


def consent_document(task: Task) -> Document:
    """Return a document of a task's questions and guarantees, and of what the parties learn alone and together."""
    return Document(
        "What you take part in",
        (f"Purpose: {task.purpose}", Terms(tuple(_terms(task)))),
        (
            Section("The parties, and what each learns by itself", (_parties(task),)),
            Section("What parties learn about you if they work together", tuple(_together(task))),
            Section("What your program checks", (Bullets(_CHECKED),)),
            Section("What you have to believe", (Bullets(BELIEVED),)),
        ),
    )


def _terms(task: Task) -> Iterator[tuple[str, str]]:
    yield "questions", "; ".join(map(_question, task.features))
    yield (
        "standing out",
        f"at most {percent(float(task.budget))} of the people may be in a group of fewer than {number(task.k)} people "
        "with the same answers to the questions that go out together, if everybody who answers the first round answers "
        "the last",
    )
    yield "smallest batch", f"the answers of fewer than {people(task.smallest_batch)} are destroyed unopened"
    if task.invited is not None:
        yield "invited", f"at most {people(task.invited)}"
    yield (
        "admission",
        "the first shuffler decides who is let in" if task.admitter is None else "by blinded tokens of the admitter",
    )
    yield (
        "rounds",
        f"at most {task.most_rounds}"
        + (
            "; after the first round all less frequent answers count as one answer, and at most "
            f"{percent(float(task.budget))} of the people stand out in all questions about several features together"
            if task.by_value
            else ""
        ),
    )
    if (noise := noise_promise(task)) is not None:
        yield "noise", noise_words(noise)
    if task.other_people is not None:
        yield (
            "other people",
            "you answer one round, which your token decides like a fair coin; other people answer the other round. The "
            "certified bound for the people in the last round is computed from the counts of the first, with a "
            f"confidence of {percent(float(task.other_people))}",
        )
    for feature in task.features:
        for line in rule_lines(feature):
            yield "redacted by your program", line
    if task.redaction is not None:
        yield "redaction", f"a redacted answer is a rare answer with a probability of at most {task.redaction}"


def _question(feature: Feature) -> str:
    randomized = "" if feature.randomizer is None else f", randomized by {short(feature.randomizer)}"
    return f"{short(feature.name)} ({number(len(feature.values))} answers{randomized})"


def _parties(task: Task) -> Grid:
    rows = [
        (
            name,
            party.host,
            party.key.hex()[:16],
            "that you take part, from where and when" if name == "shuffler 1" else _ALONE[name.partition(" ")[0]],
        )
        for name, party in task.parties.items()
    ]
    if task.curator is None:
        rows.append(("all participants", "", "", _ALONE["curator"]))
    heads = ("party", "host", "key", "learns by itself")
    return Grid(heads, tuple(rows), frozenset(heads))


def _together(task: Task) -> Iterator[Block]:
    yield Bullets(tuple(map(coalition_words, coalitions(task))))
