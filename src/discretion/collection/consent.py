"""What a participant takes part in, as a document that is read before anything is sent."""

from collections.abc import Iterator

from discretion.collection.coalitions import coalitions
from discretion.collection.noise_promise import noise_promise
from discretion.collection.results.documents import coalition_words, noise_words
from discretion.collection.rules import rule_lines
from discretion.collection.wire.task import Feature, Task
from discretion.presenting.names import short
from discretion.presenting.numbers import number, people, percent
from discretion.presenting.views.document import Block, Bullets, Document, Grid, Section, Terms

#: What no program of a participant can check.
BELIEVED = (
    "That each party is who it seems to be, and that no two of them work together.",
    "That the curator counts what came to it: you can add up its certificate, and not count the answers.",
    "That the messages and their order are destroyed once they are passed on, and the keys when the task is over.",
    "That the other people are people.",
)
_CHECKED = (
    "The task's digest, if you were given one; its k, budget, smallest batch, parties and time, against your terms.",
    "Before anything is sent: that each shuffler, asked at its address, has this task and the key that stands in it.",
    "Before each later round: the curator's signature, the sum of its certificate, that the shufflers' reports fit the "
    "number of people, and that each shuffler reports the same when your program asks it.",
)
_ALONE = {
    "shuffler": "that somebody at your address takes part; which messages came together to it, and nothing of what is "
    "in them",
    "curator": "how many people gave each answer to each question, and not who",
    "analyst": "the answers to the questions that go out together, and not whose",
    "admitter": "who asked for tokens, and when",
}


def consent_document(task: Task) -> Document:
    """Return what a task asks, under which promises, and what each party would learn, alone and together."""
    return Document(
        "What you take part in",
        (f"Purpose: {task.purpose}", Terms(tuple(_terms(task)))),
        (
            Section("The parties, and what each learns by itself", (_parties(task),)),
            Section("What parties that work together learn of you", tuple(_together(task))),
            Section("What your program checks", (Bullets(_CHECKED),)),
            Section("What you have to believe", (Bullets(BELIEVED),)),
        ),
    )


def _terms(task: Task) -> Iterator[tuple[str, str]]:
    yield "questions", "; ".join(map(_question, task.features))
    yield (
        "standing out",
        f"at most {percent(float(task.budget))} of the people may have fewer than {number(task.k)} alike in the "
        "answers that go out together, if everybody who answers the first round answers the last",
    )
    yield "smallest batch", f"the answers of fewer than {people(task.smallest_batch)} are destroyed"
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
            "; after the first one less frequent answers count as one, and at most "
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
            "you answer one round, which your token decides as by a fair coin: others answer the other one. What is "
            f"certified of the people in the last round is a limit from the counts of the first, "
            f"{percent(float(task.other_people))} sure",
        )
    for feature in task.features:
        for line in rule_lines(feature):
            yield "redacted by your program", line
    if task.redaction is not None:
        yield "redaction", f"a redacted answer is a rare one with a probability of at most {task.redaction}"


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
