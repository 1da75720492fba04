"""How far people who lie can move a result: whatever they send, and whatever the others said."""

from discretion.collection.parts.joint import Joint
from discretion.collection.wire.task import Task


def moved_joint(joint: Joint, liars: int) -> float:
    """Return by how much at most so many of those who were counted moved a share of joint answers.

    ``min(1, m·(highest - lowest)/n)``, of the scores that one report can have: 1/n for each liar where answers are
    told as they are. Compared with what all had told honestly, whether the liars told something else or nothing.
    """
    return min(1.0, liars * joint.reach_of_one)


def moved_single(task: Task, answers: int, liars: int) -> float:
    """Return by how much at most so many liars moved a share of the answers to a single feature, as told.

    ``min(1, m·d/A)``, of A answers to it: in the first round a liar has as many messages as there are features, and may
    tell the same of one feature with all d of them, which nobody can see is one person.
    """
    return min(1.0, liars * len(task.features) / max(answers, 1))
