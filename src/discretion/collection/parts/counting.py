"""Open the last layer of messages and count answers: single ones, or those to several features together.

The answers are kept as counts. To find repeated messages, all messages go through disk, equal ones into the same file,
so memory holds one file of 256, and the counts.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discretion.collection.parts.buckets import open_buckets, rows_of
from discretion.collection.parts.decrypting import Opener
from discretion.collection.parts.shuffling import DistinctMessages, blocks_of
from discretion.collection.wire.blind_tokens import is_signed
from discretion.collection.wire.reports import ShufflerReport, dummies_in
from discretion.collection.wire.rounds import NONCE_BYTES, Round
from discretion.numerics.arrays import Booleans, Integers


@dataclass(frozen=True)
class BatchCounts:
    """The counts of a batch.

    Parameters
    ----------
    combinations
        The different contents of the counted messages: the place of a group of features, and the codes of the answers
        to these; for the analyst, who has one group, the codes alone.
    times
        The number of messages with each content.
    dropped, repeated, unknown
        The numbers of messages that did not open, were equal to another one, or have a code that the task does not
        have.
    repeated_sealed
        The number of messages that were equal to another one before the last layer was removed; an honest shuffler
        passes on none.
    unadmitted
        The number of messages without a token of the admitter for their group, or with the token of another message.
    """

    combinations: Integers
    times: Integers
    dropped: int
    repeated: int
    unknown: int
    repeated_sealed: int = 0
    unadmitted: int = 0

    @property
    def received(self) -> int:
        """The number of received messages."""
        lost = self.dropped + self.repeated + self.unknown + self.repeated_sealed + self.unadmitted
        return int(self.times.sum()) + lost

    @property
    def answers(self) -> Integers:
        """The content of each message, a row for each message, with 8 bytes a number."""
        return np.repeat(self.combinations, self.times, axis=0)


def count_batch(pieces: Iterable[bytes], round_: Round, private: bytes | None, cores: int = 1) -> BatchCounts:
    """Count the messages of a whole batch; no private key is needed if the last layer is already removed."""
    form, width = _form(round_), round_.width(len(round_.task.shufflers))
    combinations, times = np.empty((0, 1 + round_.most_features), np.int64), np.empty(0, np.int64)
    dropped = repeated = unknown = unadmitted = 0
    # Where no layer is left, equal messages are dropped below.
    sealed = DistinctMessages(pieces, width, None) if private is not None else blocks_of(pieces, width)
    with open_buckets(form.itemsize, by=_same_token(form, round_)) as files:
        for block, missing in _open_messages(sealed, round_, private, cores):
            dropped += missing
            files.add(rows_of(block, form.itemsize))
        for distinct, more in files.drain():
            # Two people never draw the same 16 bytes, so a repeated message was sent again by somebody.
            rows: NDArray[Any] = distinct.view(form)
            repeated += more
            answers = np.column_stack([rows["group"].astype(np.int64), rows["codes"].astype(np.int64)])
            known = _are_answers(answers, round_)
            unknown += int((~known).sum())
            admitted = _are_admitted(rows[known], round_)
            unadmitted += int((~admitted).sum())
            combinations, times = _add_answers(combinations, times, answers[known][admitted])
    repeated_sealed = sealed.repeated if isinstance(sealed, DistinctMessages) else 0
    return BatchCounts(
        combinations[:, int(round_.to_analyst) :], times, dropped, repeated, unknown, repeated_sealed, unadmitted
    )


def people_in(tallies: Sequence[Integers], reports: Sequence[ShufflerReport]) -> list[int]:
    """Return the number of people with a message to each group: all messages less the reported dummies."""
    dummies = dummies_in(reports, len(tallies))
    return [int(tally.sum()) - count for tally, count in zip(tallies, dummies, strict=True)]


def tallies_of(batch: BatchCounts, round_: Round) -> list[Integers]:
    """Return for each group of a round the number of messages with each answer or combination.

    In the first round the numbers are in the order of the answers' codes. In later rounds there is a number for each
    combination that was sent, in an arbitrary order; by value there is one for all combinations, in the order of their
    codes.
    """
    if round_.to_analyst:
        return [batch.times]
    tallies: list[Integers] = []
    for place in range(round_.messages):
        here = batch.combinations[:, 0] == place
        tally = batch.times[here]
        if round_.number == 1 or round_.task.by_value:
            cells = round_.cells(place)
            codes = np.ravel_multi_index(tuple(batch.combinations[here, 1 : 1 + len(cells)].T), cells)
            tally = np.bincount(codes, tally, prod(cells)).astype(np.int64)
        tallies.append(tally)
    return tallies


def _same_token(form: Any, round_: Round) -> slice:
    """Return the part of a message that decides its file, so that messages to be compared are in the same file."""
    start = form.itemsize - round_.random_bytes
    return slice(start, start + NONCE_BYTES) if round_.admission_keys else slice(0, form.itemsize)


def _are_admitted(rows: NDArray[Any], round_: Round) -> Booleans:
    """Return which of these different messages have a signed token for their group that no earlier message has."""
    if not round_.admission_keys:
        return np.ones(len(rows), np.bool_)
    keys, used = round_.admission_keys, set[tuple[int, bytes]]()
    admitted = np.zeros(len(rows), np.bool_)
    groups: list[int] = rows["group"].tolist()
    for place, (group, random) in enumerate(zip(groups, rows["random"], strict=True)):
        token = random.tobytes()
        nonce, signature = token[:NONCE_BYTES], token[NONCE_BYTES:]
        if (group, nonce) not in used and is_signed(keys[group], nonce, signature):
            used.add((group, nonce))
            admitted[place] = True
    return admitted


def _add_answers(combinations: Integers, times: Integers, answers: Integers) -> tuple[Integers, Integers]:
    """Return the different answers and their numbers, with more answers added."""
    distinct, where = np.unique(np.concatenate([combinations, answers]), axis=0, return_inverse=True)
    sums = np.zeros(len(distinct), np.int64)
    np.add.at(sums, where.ravel(), np.concatenate([times, np.ones(len(answers), np.int64)]))
    return distinct, sums


def _form(round_: Round) -> Any:
    codes = ("codes", ">u4", (round_.most_features,))
    return np.dtype([("group", ">u2"), codes, ("random", np.void, round_.random_bytes)])


def _are_answers(answers: Integers, round_: Round) -> Booleans:
    filled = [[*round_.cells(place), *[1] * round_.most_features] for place in range(round_.messages)]
    codes = np.array([cells[: round_.most_features] for cells in filled])
    groups = np.minimum(answers[:, 0], len(codes) - 1)
    return (answers[:, 0] < len(codes)) & np.all(answers[:, 1:] < codes[groups], axis=1)


def _open_messages(
    blocks: Iterable[bytes], round_: Round, private: bytes | None, cores: int
) -> Iterator[tuple[bytes, int]]:
    width = round_.width(len(round_.task.shufflers))
    if private is not None:
        yield from Opener(private, round_.info(0), width, cores)(blocks)
        return
    for block in blocks:
        rest = len(block) % width
        yield block[: len(block) - rest], int(rest > 0)
