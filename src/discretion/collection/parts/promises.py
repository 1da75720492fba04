"""What every party checks of a batch once it is opened, before anything of it is stored or shown.

A dishonest party before can take its layer off and pass a person's messages on twice: by that it knows them again, and
that they belong together. An honest one passes none on twice. People who hold tokens and send what does not open would
make a crowd that is none. The batch is destroyed then.
"""

from collections.abc import Sequence
from itertools import pairwise

from discretion.collection.parts.counting import BatchCounts, people_in, tallies_of
from discretion.collection.parts.noisy_counts import NoiseInCounts
from discretion.collection.wire.reports import ShufflerReport, dummies_in
from discretion.collection.wire.rounds import Round

FEW_PEOPLE = "fewer people than smallest_batch"
FEW_MESSAGES = "fewer messages opened than smallest_batch people send"
MANY_MESSAGES = "more messages than all people who are invited send"
REPEATED = "messages came twice from the party before"
CONTRADICTING = "the reports of the parties before contradict what came"
OTHER_NOISE = "the parties before added other noise than the task has"


def broken_promise(
    round_: Round, reports: Sequence[ShufflerReport], *, valid: int, received: int, repeated: int
) -> str | None:
    """Return why an opened batch must be destroyed; None if it keeps the promises of its task.

    Parameters
    ----------
    round_
        The round.
    reports
        Those of the shufflers before.
    valid
        How many messages opened, each counted once, without the dummies of shufflers.
    received
        How many came.
    repeated
        How many of these were equal to another one before they were opened, for which the party before is to blame.
    """
    task = round_.task
    if repeated:
        return REPEATED
    if not all(round_.may_add(report.added) for report in reports):
        return OTHER_NOISE
    if task.invited is not None and received - sum(dummies_in(reports, round_.messages)) > (
        task.invited * round_.messages
    ):
        return MANY_MESSAGES
    passed = [*reports, *([ShufflerReport(received, 0, 0, b"")] if reports else [])]
    if any(after.received != before.messages for before, after in pairwise(passed)):
        return CONTRADICTING
    if valid < task.smallest_batch * round_.messages:
        return FEW_MESSAGES
    return None


def broken_by_counts(round_: Round, reports: Sequence[ShufflerReport], batch: BatchCounts) -> str | None:
    """Return why the last party, which counts, must destroy a batch: it asks for a crowd in every group."""
    tallies, least = tallies_of(batch, round_), NoiseInCounts(round_.task).least
    people = people_in(tallies, reports)
    if any(least(tally).sum() > count for tally, count in zip(tallies, people, strict=True)):
        return CONTRADICTING
    valid = min(people) * round_.messages
    # Where nothing is left to open, the last shuffler has dropped equal messages.
    repeated = batch.repeated if round_.ends_open else batch.repeated_sealed
    return broken_promise(round_, reports, valid=valid, received=batch.received, repeated=repeated)
