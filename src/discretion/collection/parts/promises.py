"""The checks of every party on a batch once it is opened, before anything of it is stored or shown.

A dishonest earlier party can remove its layer and pass a person's messages on twice: it could then recognize them, and
see that they belong together. An honest party passes no message on twice. People with tokens who send messages that do
not open would pretend a crowd. In both cases the batch is destroyed.
"""

from collections.abc import Sequence
from itertools import pairwise

from discretion.collection.parts.counting import BatchCounts, people_in, tallies_of
from discretion.collection.parts.noisy_counts import NoiseInCounts
from discretion.collection.wire.reports import ShufflerReport, dummies_in
from discretion.collection.wire.rounds import Round

FEW_PEOPLE = "fewer people than smallest_batch"
FEW_MESSAGES = "fewer messages opened than smallest_batch people send"
MANY_MESSAGES = "more messages than all invited people send"
REPEATED = "messages came twice from the party before"
CONTRADICTING = "the reports of the parties before contradict the received batch"
OTHER_NOISE = "the parties before added noise that the task does not allow"


def broken_promise(
    round_: Round, reports: Sequence[ShufflerReport], *, valid: int, received: int, repeated: int
) -> str | None:
    """Return the reason why an opened batch must be destroyed, or None if it meets the rules of its task.

    Parameters
    ----------
    round_
        The round.
    reports
        The reports of the earlier shufflers.
    valid
        The number of different messages that opened, without the dummies of shufflers.
    received
        The number of received messages.
    repeated
        The number of received messages that were equal to another one before they were opened; only a dishonest
        earlier party passes on such messages.
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
    """Return the reason why the counting party must destroy a batch, or None; it requires a crowd in every group."""
    tallies, least = tallies_of(batch, round_), NoiseInCounts(round_.task).least
    people = people_in(tallies, reports)
    if any(least(tally).sum() > count for tally, count in zip(tallies, people, strict=True)):
        return CONTRADICTING
    valid = min(people) * round_.messages
    # Where nothing is left to open, the last shuffler has dropped equal messages.
    repeated = batch.repeated if round_.ends_open else batch.repeated_sealed
    return broken_promise(round_, reports, valid=valid, received=batch.received, repeated=repeated)
